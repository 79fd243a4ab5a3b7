"""Loading and checking games: the front door, with a cache behind it.

`check` says everything that can be said of a file; `load` gives a `Game` that can be played. Both remember their results in the
user's cache folder, keyed by the file's text, the settings and the interpreter itself, so that an unchanged file costs a look-up and
none of the compiler is imported. A damaged or foreign cache entry is made again without a word.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from interpreter import paths, sealed
from interpreter.ir.program import Program
from interpreter.machine.protocol import Executor
from interpreter.machine.reference import Reference
from interpreter.machine.state import Machine, RowState
from interpreter.outcome import Checked, Contents, DefinitionError, Facts, MissingGame, ValueKind
from interpreter.overlays import NO_OVERLAYS, Found, ModFacts, ModUsed, Overlays
from interpreter.text.diagnostic import Diagnostic, Sink
from interpreter.text.places import Clauses, Guide
from interpreter.text.suggest import nearest
from interpreter.text.versions import lies_in

if TYPE_CHECKING:
    from interpreter.machine.wasm.batch import Batch
    from interpreter.machine.wasm.executor import WasmMachine
    from interpreter.machine.wasm.module import Built
    from interpreter.stages import Reading
    from interpreter.syntax.definition import Definition
    from interpreter.syntax.located import Mapping as Patch
    from interpreter.syntax.scenario import Case, ScenarioFile

T = TypeVar("T")
MachineKind = Literal["reference", "wasm"]

__all__ = [
    "CaseCompiler",
    "Checked",
    "Contents",
    "DefinitionError",
    "Game",
    "MachineKind",
    "MissingGame",
    "ModFacts",
    "ModUsed",
    "Overlays",
    "SlowMachine",
    "ValueKind",
    "check",
    "completed",
    "definition_of",
    "find_game",
    "find_mod",
    "is_mod",
    "load",
    "resolved_text",
    "scenarios",
]


class SlowMachine(UserWarning):
    """The reference machine plays, as the fast one cannot be had."""


class Game:
    """A definition with its mods and options, ready to be played; programs are made when first asked for. Pickles as the files and
    settings."""

    def __init__(
        self,
        path: Path,
        options: Mapping[str, str],
        mode: str | None,
        kind: MachineKind = "wasm",
        overlays: Overlays = NO_OVERLAYS,
    ) -> None:
        self.path = path
        self.overlays = overlays
        """What was laid over the file."""
        self._options = dict(options)
        self._mode = mode
        self.kind: MachineKind = kind
        """Which machine plays it."""
        self._facts = self._kept("facts", "", lambda: _facts(path, options, mode, overlays))
        self._programs: dict[int, Program] = {}
        self._machines: dict[int, Machine] = {}
        self._fast_ones: dict[int, WasmMachine | None] = {}

    def __reduce__(self) -> tuple[type[Game], tuple[Path, dict[str, str], str | None, MachineKind, Overlays]]:
        return (Game, (self.path, self._options, self._mode, self.kind, self.overlays))

    def on(self, kind: MachineKind) -> Game:
        """The same game on a machine of choice."""
        return self if kind == self.kind else Game(self.path, self._options, self._mode, kind, self.overlays)

    @property
    def id(self) -> str:
        """What the game is called in saves and on the command line."""
        return self._facts.id

    @property
    def title(self) -> str:
        """What people call it."""
        return self._facts.title

    @property
    def version(self) -> str:
        """The definition's own version."""
        return self._facts.version

    @property
    def hash(self) -> str:
        """Identity of the definition with its options."""
        return self._facts.hash

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """Options and mode it was loaded with."""
        return self._facts.settings

    @property
    def mods(self) -> tuple[ModUsed, ...]:
        """The mods it was loaded with, in the order in which they were applied."""
        return self._facts.mods

    @property
    def conflicts(self) -> tuple[str, ...]:
        """Where two of the mods write the same thing, and which of them wins; a sentence each."""
        return self._facts.conflicts

    @property
    def sets(self) -> tuple[str, ...]:
        """The single values that were set over all else, as `ADDRESS=VALUE`."""
        return self.overlays.sets

    @property
    def player_counts(self) -> tuple[int, ...]:
        """For how many it is."""
        return self._facts.player_counts

    @property
    def options(self) -> tuple[str, ...]:
        """Options that the game declares."""
        return self._facts.options

    @property
    def reconstructed(self) -> tuple[str, ...]:
        """Addresses of data that the rulebook's text does not give."""
        return self.program(self.player_counts[0]).reconstructed

    def program(self, players: int) -> Program:
        """The verified program for a number of players. Raises DefinitionError, MissingGame."""
        if players not in self.player_counts:
            raise MissingGame(f"{self.title} is not for {players} players")
        if players not in self._programs:
            program = self._kept(
                "program",
                str(players),
                lambda: _program(self.path, self._options, self._mode, players, self.overlays),
            )
            if isinstance(program, DefinitionError):
                raise program
            self._programs[players] = program
        return self._programs[players]

    def _kept(self, kind: str, detail: str, make: Callable[[], T]) -> T:
        return _remembered(kind, self.path, self._options, self._mode, self.overlays, detail, make)

    def machine(self, players: int) -> Machine:
        """The machine for a number of players. Where the fast one cannot be had, a SlowMachine warning says why, and the reference
        machine takes its place. Raises DefinitionError, MissingGame."""
        if players not in self._machines:
            program = self.program(players)
            executor: Executor | None = self._fast(players) if self.kind == "wasm" else None
            self._machines[players] = Machine(executor or Reference(program))
        return self._machines[players]

    def _fast(self, players: int) -> WasmMachine | None:
        """The fast machine, made once for each number of players."""
        if players not in self._fast_ones:
            self._fast_ones[players] = _fast_machine(
                self.program(players), lambda make: self._kept("module", str(players), make)
            )
        return self._fast_ones[players]

    def bulk(self, players: int) -> Callable[[], Batch | None] | None:
        """Makes players of whole random games in bulk, each for one thread (None where there is no room for another); None where only the
        reference machine is to be had."""
        fast = self._fast(players) if self.kind == "wasm" else None
        return None if fast is None else partial(_batch, fast)

    def new(self, players: int, seed: int | str) -> RowState:
        """A game at its beginning."""
        return self.machine(players).new(seed)

    def guide(self) -> Guide:
        """The definition as a map: its addresses, graphs and tables, as they are for the most players. Raises DefinitionError."""
        return self._kept("guide", "", lambda: _guide(self.path, self._options, self._mode, self.overlays))

    def contents(self, players: int | None = None) -> Contents:
        """What the definition with its mods says, by address. With a number of players it is what holds for them, with the patches of
        options and mode in it. Raises DefinitionError, MissingGame."""
        options, mode = (self._options, self._mode) if players is not None else ({}, None)
        return self._kept("contents", str(players), lambda: _contents(self.path, options, mode, players, self.overlays))

    def texts(self, players: int) -> Mapping[str, str]:
        """What holds for so many players, by address. Raises DefinitionError, MissingGame."""
        return self.contents(players).texts

    def clauses(self) -> Clauses | None:
        """The clause list beside the definition, if there is one; what is wrong with it is `check`'s business."""
        return clause_list(self.path)


def find_game(name: str) -> Path:
    """The file of a game: a path to it, to the folder of a game (the file in it is called like the folder), or the id of a shipped one.
    Raises MissingGame."""
    if not name:
        raise MissingGame("say which game: a name that is empty means none")
    path = Path(name)
    inside = path / f"{path.resolve().name}.yaml"
    if path.is_dir() and inside.is_file():
        return inside
    shipped = paths.shipped_games()
    if name in shipped and not path.is_file():
        return shipped[name]
    if path.exists():
        return path
    near = nearest(name, tuple(shipped))
    hint = f"did you mean `{near}`?" if near else f"games that ship with the tool: {', '.join(shipped)}"
    raise MissingGame(f"no file and no game `{name}`; {hint}")


def find_mod(name: str) -> Path:
    """The file of a mod: a path to it, to the folder that it lies in, or the name of one below `mods` here or of one that ships with the
    tool. Raises MissingGame."""
    path = Path(name)
    inside = path / "mod.yaml"
    if path.is_dir():
        if not inside.is_file():
            raise MissingGame(f"there is no `mod.yaml` in the folder `{name}`")
        return inside
    if path.exists():
        return path
    known = paths.known_mods()
    if name in known:
        return known[name]
    near = nearest(name, tuple(known)) or _near_file(path)
    raise MissingGame(
        f"there is no mod `{name}`" + (f"; did you mean `{near}`?" if near else "; `mod list` names those at hand")
    )


def _near_file(path: Path) -> str | None:
    """What lies beside a file that is not there and is nearly called so."""
    names = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
    near = nearest(path.name, names)
    return (path.parent / near).as_posix() if near else None


def mods_at_hand() -> tuple[Path, ...]:
    """The mods below `mods` here, then those that ship with the tool and are not the same."""
    here, shipped = paths.mods_here(), paths.shipped_mods()
    own = {path.resolve() for path in here.values()}
    return (*here.values(), *(path for path in shipped.values() if path.resolve() not in own))


def mod_facts(path: Path) -> ModFacts:
    """What a mod says of itself."""
    return _remembered("mod", path, {}, None, NO_OVERLAYS, "", lambda: _mod_facts(path))


def completed(overlays: Overlays, others: Sequence[ModFacts] = ()) -> tuple[Overlays, tuple[Found, ...]]:
    """The same with all mods in front that those named need, as far as there are any: among `others`, beside the one that needs them, below
    `mods` here, and among those that ship. Of several the first in a version that will do is taken; what is not found, or is only there in
    another version, is told when the mods are merged."""
    waiting = [mod_facts(path) for path in overlays.mods]
    known, found = {mod.id for mod in waiting}, list[Found]()
    while waiting:
        mod = waiting.pop(0)
        for id, wanted in mod.requires:
            needed = _needed(mod, id, wanted, others) if id not in known else None
            if needed is not None:
                known.add(id)
                found.append(Found(needed, mod.id))
                waiting.append(needed)
    return replace(overlays, mods=(*(each.mod.file for each in found), *overlays.mods)), tuple(found)


def _needed(mod: ModFacts, id: str, wanted: str, others: Sequence[ModFacts]) -> ModFacts | None:
    """The mod of an id that another one needs, if it is there; one in another version only where there is no better."""
    near = [mod_facts(place) for place in paths.places_of_mod(id, mod.file) if place.is_file()]
    fits = [each for each in (*others, *near) if each.id == id and each.game == mod.game]
    # A folder need not be called as its mod.
    fits = fits or [each for each in map(mod_facts, mods_at_hand()) if each.id == id and each.game == mod.game]
    return next((each for each in fits if lies_in(each.version, wanted)), fits[0] if fits else None)


def mod_findings(path: Path) -> tuple[Diagnostic, ...]:
    """What is wrong with a mod's own file, whatever its game."""
    from interpreter import stages

    return stages.mod_findings(path)


def game_beside(id: str, mod: Path) -> Path | None:
    """The file of the game that a mod is for: one that is called so and lies here or in one of the three folders around the mod, or a
    shipped one; None if there is none."""
    around = [Path(), Path("games"), *mod.resolve().parents[:3]]
    places = (place for folder in around for place in (folder / f"{id}.yaml", folder / id / f"{id}.yaml"))
    near = next((place for place in places if place.is_file()), None)
    return near or paths.shipped_games().get(id)


def version_of(path: Path) -> str:
    """The version that a game's file says it has; empty if it says none."""
    from interpreter import stages

    return stages.version_of(path)


def is_mod(name: str) -> bool:
    """Whether a name means a mod: a folder with a `mod.yaml`, a file that begins like a mod, or one at hand that is called so and is no
    game."""
    path = Path(name)
    if path.is_dir():
        return (path / "mod.yaml").is_file()
    if path.is_file():
        from interpreter import stages

        return stages.is_mod(path)
    return name not in paths.shipped_games() and name in paths.known_mods()


def check(
    path: Path,
    *,
    options: Mapping[str, str] | None = None,
    mode: str | None = None,
    overlays: Overlays = NO_OVERLAYS,
) -> Checked:
    """Checks a definition in every configuration. Raises MissingGame for a setting it does not have."""
    given = options or {}
    beside = paths.clauses_path(path)
    clauses = blake2b(beside.read_bytes()).hexdigest() if beside is not None else ""
    at_hand = _asked_for(overlays)
    more = [file for files in at_hand.values() for file in files]
    # A condition may ask for any mod at hand: what is said of it depends on which there are, and on those that it is tried with.
    known = sorted(paths.known_mods()) if overlays.mods else []
    detail = repr((clauses, known, sorted(at_hand), _key(more, ())))
    return _remembered(
        "check", path, given, mode, overlays, detail, lambda: _check(path, given, mode, overlays, at_hand)
    )


def _asked_for(overlays: Overlays) -> dict[str, tuple[Path, ...]]:
    """The mods that conditions of others ask for and nobody named, by id, each with those that it needs; only what is at hand."""
    mods = [mod_facts(path) for path in overlays.mods]
    named = {mod.id for mod in mods}
    found = {id: _needed(mod, id, "*", mods) for mod in mods for id in mod.mentions if id not in named}
    return {id: completed(Overlays((mod.file,)))[0].mods for id, mod in found.items() if mod is not None}


def clause_list(path: Path) -> Clauses | None:
    """The clause list beside a game's file, if there is one."""
    if paths.clauses_path(path) is None:
        return None
    return _clauses(path)


def load(
    name: str,
    *,
    options: Mapping[str, str] | None = None,
    mode: str | None = None,
    machine: MachineKind = "wasm",
    overlays: Overlays = NO_OVERLAYS,
) -> Game:
    """A game by file or id, with mods, played by a machine of choice. Raises DefinitionError or MissingGame."""
    return Game(find_game(name), options or {}, mode, machine, overlays)


# ---------------------------------------------------------------------- with the fast machine
def _fast_machine(program: Program, keep: Callable[[Callable[[], Built]], Built]) -> WasmMachine | None:
    """The fast machine of a program; None, with a warning, where it cannot be had."""
    try:
        from interpreter import fast
    except ImportError as problem:
        warnings.warn(f"the fast machine cannot be loaded ({problem})", SlowMachine, stacklevel=2)
        return None
    try:
        return fast.fast_machine(program, keep, paths.cache_dir() / "compiled")
    except fast.Unavailable as problem:
        warnings.warn(f"the fast machine does not run here ({problem})", SlowMachine, stacklevel=2)
        return None


def _batch(machine: WasmMachine) -> Batch | None:
    from interpreter import fast

    try:
        return machine.batch()
    except fast.Unavailable:
        return None


# ---------------------------------------------------------------------- with the compiler
# These import the compiler when they are called: a look-up in the cache needs none of it, and importing it takes longer than
# everything else that `validate` does for an unchanged file.
def definition_of(path: Path, overlays: Overlays = NO_OVERLAYS, patch: Patch | None = None) -> Definition:
    """The parsed definition of a file, with what is laid over it, a patch last of all. Raises DefinitionError."""
    if patch is None:
        return _reading(path, overlays).definition
    from interpreter import stages

    return stages.reading_of(path, overlays, patch).definition


def resolved_text(path: Path, overlays: Overlays, players: int | None = None, provenance: bool = False) -> str:
    """A game with its mods as the text of one game file; see stages.resolved_text. Raises DefinitionError, MissingGame."""
    from interpreter import stages

    return stages.resolved_text(definition_of(path, overlays), players, provenance)


def _reading(path: Path, overlays: Overlays) -> Reading:
    """The definition with what was said of it; read once, as facts, programs, guide and contents are all made from it."""
    from interpreter import stages

    return _remembered("reading", path, {}, None, overlays, "", lambda: stages.reading_of(path, overlays))


def _check(
    path: Path,
    options: Mapping[str, str],
    mode: str | None,
    overlays: Overlays,
    at_hand: Mapping[str, Sequence[Path]],
) -> Checked:
    from interpreter import stages

    return stages.check_file(path, options, mode, overlays, at_hand)


def _clauses(path: Path) -> Clauses | None:
    from interpreter import stages

    return stages.clauses_of(path, Sink())


def _guide(path: Path, options: Mapping[str, str], mode: str | None, overlays: Overlays) -> Guide:
    from interpreter import stages

    return stages.guide_of(definition_of(path, overlays), options, mode)


def _contents(
    path: Path, options: Mapping[str, str], mode: str | None, players: int | None, overlays: Overlays
) -> Contents:
    from interpreter import stages

    return stages.contents_of(definition_of(path, overlays), options, mode, players)


def _mod_facts(path: Path) -> ModFacts:
    from interpreter import stages

    return stages.mod_facts(path)


def _facts(path: Path, options: Mapping[str, str], mode: str | None, overlays: Overlays) -> Facts:
    from interpreter import stages

    return stages.facts_of(_reading(path, overlays), options, mode)


def _program(
    path: Path, options: Mapping[str, str], mode: str | None, players: int, overlays: Overlays
) -> Program | DefinitionError:
    from interpreter import stages

    try:
        return stages.program_of(definition_of(path, overlays), options, mode, players)
    except DefinitionError as problem:
        return problem


# ---------------------------------------------------------------------- scenarios
def scenarios(path: Path, first: int = 0) -> ScenarioFile:
    """The cases of a scenario file, numbered from `first`: those that are compiled together need numbers of their own.
    Raises DefinitionError."""
    from interpreter import stages

    return stages.scenarios_of(path, first)


class CaseCompiler:
    """One definition, compiled together with scenario cases; nothing of it is cached."""

    def __init__(self, path: Path, overlays: Overlays = NO_OVERLAYS, patch: Patch | None = None) -> None:
        """Reads the definition; a patch of the cases' own comes behind all that is laid over it. Raises DefinitionError."""
        self._definition = definition_of(path, overlays, patch)
        self.players = self._definition.players[0]
        """The fewest it is for."""

    def machine(
        self, players: int, options: Mapping[str, str], mode: str | None, cases: Sequence[Case]
    ) -> tuple[Machine, Mapping[str, ValueKind]]:
        """A machine whose program holds the cases' rules (in its entries) and expressions (in its functions), all by name, and how
        their values are said. Raises DefinitionError, MissingGame."""
        from interpreter import stages

        low, high = self._definition.players
        if not low <= players <= high:
            raise MissingGame(f"{self._definition.title} is not for {players} players")
        program, kinds = stages.case_program(self._definition, players, options, mode, cases)
        return Machine(Reference(program)), kinds


# ---------------------------------------------------------------------- the cache
def _remembered(
    kind: str,
    path: Path,
    options: Mapping[str, str],
    mode: str | None,
    overlays: Overlays,
    detail: str,
    make: Callable[[], T],
) -> T:
    """The result from the cache, or made and put there."""
    key = _key((path, *overlays.mods), (kind, repr(sorted(options.items())), repr(mode), repr(overlays.sets), detail))
    if key is None:
        return make()
    place = paths.cache_dir() / "compiled" / f"{kind}-{key}.pickle"
    stored = sealed.read(place)
    if stored is not None:
        found: T = pickle.loads(stored)
        return found
    made = make()
    sealed.write(place, pickle.dumps(made, protocol=5))
    return made


def _key(files: Sequence[Path], said: Sequence[str]) -> str | None:
    """A digest of what files hold and are called, of what was said beside them, and of the interpreter; None if one cannot be read."""
    digest = blake2b(digest_size=16)
    for part in (*said, sys.version, _self_stamp()):
        digest.update(part.encode() + b"\0")
    for path in files:
        try:
            if not path.is_file() or path.stat().st_size > 4_000_000:
                return None
            text = path.read_bytes()
        except OSError:
            return None
        digest.update(f"{path}\0{len(text)}\0".encode() + text)
    return digest.hexdigest()


@cache
def _self_stamp() -> str:
    """Another one for every change of the interpreter's files; a process goes on with those that it began with."""
    root = Path(__file__).resolve().parent
    stamps = [
        f"{f.name}:{f.stat().st_mtime_ns}:{f.stat().st_size}"
        for folder in (root, root.parent / "schema")
        for f in sorted(folder.rglob("*"))
        if f.suffix in (".py", ".lark", ".json")
    ]
    return "\n".join(stamps)
