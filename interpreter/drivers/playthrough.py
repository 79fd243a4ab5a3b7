"""Saves: JSON Lines, one header, then a line for each action, outcome and undo, appended and flushed.

In: a game's identity and what happens in it; or the bytes of a save. Out: a file that loses at most the line being written, and its
reading back: replay, verification against state hashes, what one seat may see of it. Nothing is ever rewritten; a new file never
replaces one that is there. A save is the whole truth and says so ("contains": "all-hands").
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from io import BufferedWriter
from pathlib import Path
from typing import Final, Literal, Self, cast

from interpreter.drivers.bots.bot import HUMAN, KINDS
from interpreter.drivers.differences import changed_things, digests
from interpreter.drivers.documents import mod_record
from interpreter.machine.action import CHANCE, Action
from interpreter.machine.chance import NAME, VERSION
from interpreter.machine.faults import EngineBug, IllegalAction, MachineFault
from interpreter.machine.protocol import Game, State
from interpreter.overlays import ModUsed
from interpreter.pipeline import MissingGame
from interpreter.text.version import LANGUAGE, TOOL

if sys.platform != "win32":
    import fcntl

FORMAT: Final = 1
SHOWN_CHANGES: Final = 8
"""Of each kind of change in the rules, so many addresses are named."""
Json = Mapping[str, object]


class SaveProblem(Exception):
    """A save that cannot be written, read or gone on with; the text says why."""


class NotOffered(SaveProblem):
    """A line of a save that does not fit where the game stands then; `reason` leaves out which line that is."""

    def __init__(self, entry: Entry, reason: str) -> None:
        super().__init__(f"line {entry.line}, ply {entry.ply}: {reason}")
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Header:
    """What a save begins with. `seats` names who plays: `human` or a kind of bot. `time` is UTC, ISO 8601, for people only."""

    game: str
    version: str
    hash: str
    players: int
    seed: int | str
    seats: tuple[str, ...]
    settings: tuple[tuple[str, str], ...] = ()
    time: str = ""
    tool: str = TOOL
    format: int = FORMAT
    language: int = LANGUAGE
    rng: str = f"{NAME}/{VERSION}"
    mods: tuple[ModUsed, ...] = ()
    sets: tuple[str, ...] = ()
    rules: dict[str, str] = field(default_factory=dict)
    """A digest of each thing of the rules, by address, so that a change can be named later."""
    file: str = ""
    """The definition's file, where it is no game that ships with the tool."""

    @classmethod
    def of(
        cls, game: Game, players: int, seed: int | str, seats: tuple[str, ...], time: str = "", file: Path | None = None
    ) -> Self:
        """The header of a game that begins now."""
        # A save lies elsewhere than the folder in which somebody named the mods.
        mods = tuple(replace(mod, file=str(Path(mod.file).resolve())) for mod in game.mods)
        rules = digests(game.texts(players))
        return cls(
            game.id,
            game.version,
            game.hash,
            players,
            seed,
            seats,
            game.settings,
            time,
            mods=mods,
            sets=game.sets,
            rules=rules,
            file=str(file.resolve()) if file is not None else "",
        )

    def as_json(self) -> dict[str, object]:
        """The first line."""
        return {
            "kind": "header",
            "format": self.format,
            "tool": self.tool,
            "game": {
                "id": self.game,
                "version": self.version,
                "hash": self.hash,
                **({"file": self.file} if self.file else {}),
            },
            "mods": [{**mod_record(mod), "file": mod.file} for mod in self.mods],
            **({"set": list(self.sets)} if self.sets else {}),
            "language": self.language,
            "settings": dict(self.settings),
            "players": self.players,
            "seats": list(self.seats),
            "seed": self.seed,
            "rng": self.rng,
            "contains": "all-hands",
            "time": self.time,
            "rules": self.rules,
        }


@dataclass(frozen=True, slots=True)
class Entry:
    """One line behind the header. An `action` has a seat from 0, a `chance` outcome has CHANCE; `hash` is the state's after it. An
    `undo` goes back to the position after `ply` actions. An `end` says that the game was over."""

    kind: Literal["action", "chance", "undo", "end"]
    ply: int
    line: int = field(compare=False, default=0)
    seat: int = CHANCE
    text: str = ""
    decision: str = ""
    value: int = 0
    hash: str = ""

    @classmethod
    def of(cls, action: Action, after: State) -> Self:
        """The line for an action that has been applied."""
        kind: Literal["action", "chance"] = "chance" if action.player == CHANCE else "action"
        return cls(kind, after.ply - 1, 0, action.player, action.text, action.decision, action.value, hash_text(after))

    def as_json(self) -> dict[str, object]:
        """The line's fields; seats count from 1 outside."""
        record: dict[str, object] = {"kind": self.kind, "ply": self.ply}
        if self.kind in ("action", "chance"):
            if self.kind == "action":
                record["seat"] = self.seat + 1
            record |= {"action": self.text, "decision": self.decision, "value": self.value, "hash": self.hash}
        return record


@dataclass(frozen=True, slots=True)
class Save:
    """A save as read, of `size` bytes. `good` counts those up to the last whole line; `cut` says that a line behind it was cut off."""

    header: Header
    entries: tuple[Entry, ...]
    good: int
    cut: bool
    size: int

    def steps(self) -> tuple[Entry, ...]:
        """The actions and outcomes that stand, undone ones left out."""
        standing: list[Entry] = []
        for entry in self.entries:
            if entry.kind == "undo":
                del standing[entry.ply :]
            elif entry.kind != "end":
                standing.append(entry)
        return tuple(standing)


def hash_text(state: State) -> str:
    """A state's hash as saves write it."""
    return f"{state.hash():016x}"


# ------------------------------------------------------------------ writing


class SaveFile:
    """A save being written."""

    def __init__(self, path: Path, stream: BufferedWriter) -> None:
        self.path = path
        self._stream = stream
        self._begun = os.fstat(stream.fileno())

    @classmethod
    def create(cls, path: Path, header: Header) -> Self:
        """A new file; one that is there is left alone."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            stream = path.open("xb")
            _claim(path, stream)
        except FileExistsError:
            raise SaveProblem(f"`{path}` exists, and a save is never overwritten") from None
        except OSError as problem:
            raise SaveProblem(f"cannot write `{path}`: {problem.strerror}") from None
        save = cls(path, stream)
        save._line(header.as_json())
        return save

    @classmethod
    def resume(cls, path: Path, save: Save) -> Self:
        """Go on with a file that was read; a line that was cut off is dropped."""
        try:
            stream = path.open("ab")
            _claim(path, stream)
            data = path.read_bytes()
            if len(data) != save.size:
                raise SaveProblem(f"`{path}` has changed since it was read")
            stream.truncate(save.good)
            if not data[: save.good].endswith(b"\n"):
                stream.write(b"\n")
        except OSError as problem:
            raise SaveProblem(f"cannot write `{path}`: {problem.strerror}") from None
        return cls(path, stream)

    def write(self, entry: Entry) -> None:
        """Add a line, and see to it that it leaves this process."""
        self._line(entry.as_json())

    def is_there(self) -> bool:
        """Whether the file that is written still lies where it was begun."""
        try:
            return os.path.samestat(self._begun, self.path.stat())
        except OSError:
            return False

    def close(self) -> None:
        """No more lines. Each was flushed when it was written: what is left is one that could not be, and that was told."""
        with suppress(OSError):
            self._stream.close()

    def _line(self, record: Json) -> None:
        try:
            self._stream.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
            self._stream.flush()
        except OSError as problem:
            raise SaveProblem(f"cannot write `{self.path}`: {problem.strerror}") from None


def _claim(path: Path, stream: BufferedWriter) -> None:
    """Keeps others from writing the same save, as long as this one is open; where the system has no such locks, nothing does."""
    if sys.platform == "win32":
        return
    try:
        fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        stream.close()
        raise SaveProblem(f"`{path}` is being played somewhere else") from None
    except OSError:
        return


# ------------------------------------------------------------------ reading


def read_save(path: Path) -> Save:
    """A save from a file."""
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise SaveProblem(f"cannot read `{path}`: {problem.strerror}") from None
    return parse_save(data, str(path))


def parse_save(data: bytes, name: str = "save") -> Save:
    """A save from its bytes. Only the last line may be cut off."""
    lines = data.split(b"\n")
    good = 0
    cut = False
    header: Header | None = None
    entries: list[Entry] = []
    for number, line in enumerate(lines, 1):
        if not line:
            good += number < len(lines)
            continue
        record = _record(line)
        if record is None:
            if number == len(lines):
                cut = True
                break
            if header is None:
                raise SaveProblem(f"`{name}` is no save: it does not begin with a header")
            raise SaveProblem(f"{name}:{number}: this line is no JSON object")
        try:
            if header is None:
                header = _header(record)
            else:
                entries.append(_entry(record, number))
        except (KeyError, TypeError, ValueError) as problem:
            raise SaveProblem(f"{name}:{number}: {_reason(problem)}") from None
        good += len(line) + (number < len(lines))
    if header is None:
        raise SaveProblem(f"`{name}` is no save: it has no header")
    return Save(header, tuple(entries), good, cut, len(data))


def _record(line: bytes) -> Json | None:
    try:
        record: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast(Json, record) if isinstance(record, dict) else None


def _reason(problem: Exception) -> str:
    return f"`{problem.args[0]}` is missing" if isinstance(problem, KeyError) else str(problem)


def _of(record: Json, key: str, kind: type[int] | type[str]) -> int | str:
    value = record[key]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"`{key}` is {value!r}, which is no {'number' if kind is int else 'text'}")
    return value


def _text(record: Json, key: str) -> str:
    return cast(str, _of(record, key, str))


def _number(record: Json, key: str) -> int:
    return cast(int, _of(record, key, int))


def _header(record: Json) -> Header:
    if record.get("kind") != "header":
        raise ValueError("a save begins with its header")
    if record.get("contains") != "all-hands":
        raise ValueError("this file holds one seat's view only and cannot be played on")
    if _number(record, "format") != FORMAT:
        raise ValueError(f"its format is {record['format']}, this tool reads {FORMAT}")
    game, settings, seats = record["game"], record.get("settings", {}), record["seats"]
    if not isinstance(game, dict) or not isinstance(settings, dict) or not isinstance(seats, list):
        raise TypeError("the header's parts have the wrong form")
    seed = record["seed"]
    if not isinstance(seed, int | str) or isinstance(seed, bool):
        raise TypeError("`seed` is neither number nor text")
    str(seed).encode()
    if len(seats) != _number(record, "players"):
        raise ValueError(f"its seats are {len(seats)}, its players {record['players']}")
    strange = next((seat for seat in seats if seat not in (HUMAN, *KINDS)), None)
    if strange is not None:
        raise ValueError(f"`{strange}` plays in it, and this tool knows {', '.join((HUMAN, *KINDS))}")
    return Header(
        _text(game, "id"),
        _text(game, "version"),
        _text(game, "hash"),
        _number(record, "players"),
        seed,
        tuple(str(seat) for seat in seats),
        tuple((str(k), str(v)) for k, v in settings.items()),
        str(record.get("time", "")),
        _text(record, "tool"),
        FORMAT,
        _number(record, "language"),
        _text(record, "rng"),
        _mods(record.get("mods", [])),
        _sets(record.get("set", [])),
        _rules(record.get("rules", {})),
        _text(game, "file") if "file" in game else "",
    )


def _mods(listed: object) -> tuple[ModUsed, ...]:
    if not isinstance(listed, list) or not all(isinstance(mod, dict) for mod in listed):
        raise TypeError("`mods` is no list of mods")
    return tuple(ModUsed(*(_text(mod, key) for key in ("id", "version", "hash", "file"))) for mod in listed)


def _rules(held: object) -> dict[str, str]:
    if not isinstance(held, dict) or not all(isinstance(text, str) for text in held.values()):
        raise TypeError("`rules` is no table of digests")
    return held


def _sets(listed: object) -> tuple[str, ...]:
    if not isinstance(listed, list) or not all(isinstance(text, str) for text in listed):
        raise TypeError("`set` is no list of texts")
    return tuple(listed)


def _entry(record: Json, line: int) -> Entry:
    kind, ply = record["kind"], _number(record, "ply")
    match kind:
        case "action" | "chance":
            seat = _number(record, "seat") - 1 if kind == "action" else CHANCE
            text, decision = _text(record, "action"), _text(record, "decision")
            value, state_hash = _number(record, "value"), _text(record, "hash")
            if kind == "action":
                return Entry("action", ply, line, seat, text, decision, value, state_hash)
            return Entry("chance", ply, line, seat, text, decision, value, state_hash)
        case "undo":
            return Entry("undo", ply, line)
        case "end":
            return Entry("end", ply, line)
        case _:
            raise ValueError(f"no kind of line is called {kind!r}")


# ------------------------------------------------------------------ replay


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a replay first leaves what was recorded."""

    ply: int
    line: int
    text: str


def same_rules(game: Game, save: Save) -> str | None:
    """None if a save was made with these very rules, else a sentence on what differs."""
    header = save.header
    if header.game != game.id:
        return f"this is a save of `{header.game}`, not of `{game.id}`"
    mods = _other_mods(header.mods, game.mods)
    if mods:
        return mods + _what_changed(game, header)
    if header.hash != game.hash:
        versions = f", from version {header.version} to {game.version}" if header.version != game.version else ""
        return (
            f"the rules of `{game.id}` have changed since this save was made{versions}; it can only go on with the file as "
            f"it was then: name a copy of that with `--game FILE`{_what_changed(game, header)}"
        )
    return None


def _what_changed(game: Game, header: Header) -> str:
    """The addresses that changed since a save was made, each kind of change on a line; empty where the save does not know."""
    if not header.rules:
        return ""
    try:
        now = digests(game.texts(header.players))
    except MissingGame as problem:
        return f"\n  {problem}"
    said = ""
    for word, things in changed_things(header.rules, now).items():
        more = f", and {len(things) - SHOWN_CHANGES} more" if len(things) > SHOWN_CHANGES else ""
        said += f"\n  {word}: {', '.join(things[:SHOWN_CHANGES])}{more}"
    return said


def game_of(save: Save) -> str:
    """The file or the id of the game that a save was made with. Raises SaveProblem if there was a file and it is no longer there."""
    file = save.header.file
    if file and not Path(file).is_file():
        raise SaveProblem(f"this save was made with `{file}`, which is no longer there; say where it lies: --game FILE")
    return file or save.header.game


def mods_of(save: Save) -> tuple[str, ...]:
    """The files of the mods that a save was made with. Raises SaveProblem if one is no longer there."""
    for mod in save.header.mods:
        if not Path(mod.file).is_file():
            others = "".join(f" --mod {other.file}" for other in save.header.mods if Path(other.file).is_file())
            raise SaveProblem(
                f"this save was made with the mod `{mod.id}` {mod.version}, and `{mod.file}` is no longer there; "
                f"say where it lies: --mod FILE{others}"
            )
    return tuple(mod.file for mod in save.header.mods)


def _other_mods(then: tuple[ModUsed, ...], now: tuple[ModUsed, ...]) -> str | None:
    """None if the mods are those that a save was made with, else a sentence on what differs."""
    before, here = {mod.id: mod for mod in then}, {mod.id: mod for mod in now}
    for mod in then:
        other = here.get(mod.id)
        if other is None:
            return f"this save was made with the mod `{mod.id}` {mod.version}, which is not among those named"
        if other.hash != mod.hash:
            versions = f", from version {mod.version} to {other.version}" if mod.version != other.version else ""
            return (
                f"the mod `{mod.id}` has changed since this save was made{versions}; it can only go on with the file as it "
                "was then: name a copy of that with `--mod FILE`"
            )
    for mod in now:
        if mod.id not in before:
            return f"this save was made without the mod `{mod.id}`"
    return None


def replay(game: Game, save: Save) -> Iterator[tuple[Entry | None, State]]:
    """The position at the beginning (with None), then each that stands, with the line that led there. Positions are independent of each
    other. An action that the rules do not offer raises SaveProblem."""
    taken: list[str] = []
    with told(save.header.seed, taken.copy):
        state = game.new(save.header.players, save.header.seed)
    yield None, state
    for entry in save.steps():
        state = state.clone()
        with told(save.header.seed, taken.copy):
            state.apply(recorded_action(state, entry))
        taken.append(entry.text)
        yield entry, state


@contextmanager
def told(seed: int | str, taken: Callable[[], Iterable[str]]) -> Iterator[None]:
    """A fault on its way out learns how to see it again: the seed, and the actions taken by then."""
    try:
        yield
    except MachineFault as fault:
        fault.seed, fault.prefix = seed, tuple(taken())
        raise


def recorded_action(state: State, entry: Entry) -> Action:
    """The legal action that a line records."""
    legal = state.legal(entry.seat)
    for action in legal:
        if action.decision == entry.decision and action.text == entry.text:
            return action
    who = "chance" if entry.seat == CHANCE else f"seat {entry.seat + 1}"
    if not legal:
        raise NotOffered(entry, f"{who} is not asked there")
    raise NotOffered(entry, f"`{entry.text}` is not offered to {who} at `{entry.decision}`")


def verify_save(game: Game, save: Save) -> Difference | None:
    """Play a save again, undone actions too, and compare every state; None if all agree. Raises EngineBug: that says nothing of the
    save."""
    taken: list[str] = []
    with told(save.header.seed, taken.copy):
        states = [game.new(save.header.players, save.header.seed)]
    for entry in save.entries:
        if entry.kind == "end":
            if states[-1].to_act():
                return Difference(entry.ply, entry.line, "the save says that the game was over, but it goes on")
            continue
        if entry.kind == "undo":
            if not 0 <= entry.ply < len(states):
                return Difference(entry.ply, entry.line, f"cannot go back to ply {entry.ply}")
            del states[entry.ply + 1 :], taken[entry.ply :]
            continue
        if entry.ply != len(states) - 1:
            return Difference(entry.ply, entry.line, f"ply {entry.ply} stands where ply {len(states) - 1} is due")
        state = states[-1].clone()
        try:
            with told(save.header.seed, taken.copy):
                state.apply(recorded_action(state, entry))
        except EngineBug:
            raise
        except NotOffered as problem:
            return Difference(entry.ply, entry.line, problem.reason)
        except (IllegalAction, MachineFault) as problem:
            return Difference(entry.ply, entry.line, str(problem))
        if hash_text(state) != entry.hash:
            found = f"after `{entry.text}` the state is {hash_text(state)}, recorded is {entry.hash}"
            return Difference(entry.ply, entry.line, found)
        states.append(state)
        taken.append(entry.text)
    return None


# ------------------------------------------------------------------ one seat's view


def export_seat(game: Game, save: Save, seat: int) -> Iterator[str]:
    """JSON Lines of what one seat saw: its own actions, and of the others' only the events that were shown to it. Neither seed nor
    chance outcomes are in it."""
    header = save.header.as_json()
    del header["seed"]
    header["contains"] = f"seat-{seat + 1}"
    yield json.dumps(header, ensure_ascii=False)
    for entry, state in replay(game, save):
        record: dict[str, object] = {"kind": "seen", "ply": state.ply}
        if entry is not None and entry.kind == "action":
            record["seat"] = entry.seat + 1
            if entry.seat == seat:
                record["action"] = entry.text
        program = state.program
        record["events"] = [e.text(program) for e in state.events() if e.visible_to(program, seat)]
        yield json.dumps(record, ensure_ascii=False)
