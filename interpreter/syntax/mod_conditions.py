"""Conditions of a game and of mods: can each of them ever hold, and which parts are there only under one?

In: a game before and after its mods, their patches, and what was changed. Out: diagnostics for a `when` that no game can fulfil, for one
that asks for a mod that nobody knows and that is nearly called like one, and for modes that begin by themselves at the same number of
players; and the conditional parts, to be tried by whoever checks configurations. What a condition means is `overlay.py`'s business.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from interpreter.paths import known_mods
from interpreter.syntax.definition import Changed, Definition, ModeDoc, OptionDoc
from interpreter.syntax.located import Entry, Located, Mapping, Scalar
from interpreter.syntax.nodes import ChoiceType, Int, RangeType
from interpreter.syntax.overlay import Setting, holds
from interpreter.syntax.patch_parts import is_switch, listed
from interpreter.text.diagnostic import Related, Sink
from interpreter.text.suggest import nearest


# ------------------------------------------------------------------ parts under a condition
@dataclass(frozen=True, slots=True)
class Part:
    """What a patch says under conditions, all of which must hold; `body` is without them."""

    patch: str
    body: Mapping
    whens: tuple[Mapping, ...]

    def holds(self, setting: Setting) -> bool:
        """Whether it is taken in a setting."""
        return all(holds(when, setting) for when in self.whens)

    def players(self, counts: Sequence[int]) -> tuple[int, ...]:
        """For which of these numbers of players it is there, whatever else it asks for."""
        wanted = [w.get("players") for w in self.whens]
        asked = [{i.value for i in listed(w) if isinstance(i, Scalar)} for w in wanted if w is not None]
        return tuple(n for n in counts if all(n in numbers for numbers in asked))

    def options(self) -> dict[str, int | str]:
        """The options that it asks for."""
        wanted = [w.get("options") for w in self.whens]
        entries = [e for w in wanted if isinstance(w, Mapping) for e in w.entries]
        return {str(e.key): _stored(e.value.value) for e in entries if isinstance(e.value, Scalar)}

    def mods(self) -> tuple[str, ...]:
        """The mods that it asks for."""
        wanted = [w.get("mods") for w in self.whens]
        return tuple(str(i.value) for w in wanted if w is not None for i in listed(w) if isinstance(i, Scalar))


def conditional_parts(patches: Sequence[tuple[str, Mapping]]) -> tuple[Part, ...]:
    """All that patches say under a condition: whole patches, and parts of them."""
    found = []
    for name, body in patches:
        whole = body.get("when")
        over = (whole,) if isinstance(whole, Mapping) else ()
        if over:
            found.append(Part(name, _without(body, "when", "parts"), over))
        parts = body.get("parts")
        for part in listed(parts) if parts is not None else ():
            if isinstance(part, Mapping):
                own = part.get("when")
                whens = (*over, *((own,) if isinstance(own, Mapping) else ()))
                if whens:
                    found.append(Part(name, _without(part, "when"), whens))
    return tuple(found)


def _without(body: Mapping, *keys: str) -> Mapping:
    return replace(body, entries=tuple(e for e in body.entries if e.key not in keys))


def _stored(value: object) -> int | str:
    """An option's value as settings have it."""
    return int(value) if isinstance(value, bool | int) else str(value)


# ------------------------------------------------------------------ conditions that never hold
def check_conditions(
    base: Definition,
    merged: Definition,
    patches: Sequence[tuple[str, Mapping]],
    trace: Sequence[Changed],
    mods: Sequence[str],
    sink: Sink,
) -> None:
    """Tells of conditions of mods that never hold. What another mod takes away from the game is no fault of the one that asks for it."""
    setters = {c.patch for c in trace if c.address == "players"}
    for name, when in _conditions(merged, patches, of_base=False):
        counts = set(range(merged.players[0], merged.players[1] + 1))
        if setters and name not in setters:
            counts |= set(range(base.players[0], base.players[1] + 1))
        _check_players(when.get("players"), merged, counts, sink)
        _check_rest(when, base, merged, mods, sink)
    _check_beginnings(merged, sink)


def check_own_conditions(game: Definition, sink: Sink) -> None:
    """The same of a game's own options and modes."""
    for _, when in _conditions(game, (), of_base=True):
        _check_players(when.get("players"), game, set(range(game.players[0], game.players[1] + 1)), sink)
        _check_rest(when, game, game, (), sink)
    _check_beginnings(game, sink)


def _check_rest(when: Mapping, base: Definition, merged: Definition, mods: Sequence[str], sink: Sink) -> None:
    wanted = when.get("options")
    for entry in wanted.entries if isinstance(wanted, Mapping) else ():
        _check_option(entry, base, merged, sink)
    asked = when.get("mods")
    for item in listed(asked) if asked is not None else ():
        if isinstance(item, Scalar):
            _check_mod(item, mods, sink)


def _check_beginnings(game: Definition, sink: Sink) -> None:
    """Of two modes that begin by themselves at one number of players, the second never does."""
    first: dict[object, Scalar] = {}
    for mode in game.modes.values():
        wanted = mode.when.get("players") if mode.when is not None else None
        for item in listed(wanted) if wanted is not None else ():
            if not isinstance(item, Scalar):
                continue
            earlier = first.setdefault(item.value, item)
            if earlier is not item:
                sink.warning(
                    "never-holds",
                    item.span,
                    f"another mode begins by itself with {item.value} player{'s' * (item.value != 1)}",
                    label=f"`{mode.name}` does not",
                    help="leave it out here; the mode is played with `--mode` all the same",
                    related=(Related(earlier.span, "this one does"),),
                )


def _conditions(
    merged: Definition, patches: Sequence[tuple[str, Mapping]], of_base: bool
) -> Iterator[tuple[str, Mapping]]:
    """Every `when` that stands in a patch, or in an option or a mode: of the game itself, or what mods brought or extended."""
    declared: list[OptionDoc | ModeDoc] = [*merged.options.values(), *merged.modes.values()]
    inner = [d.patch for d in declared if d.patch is not None]
    for name, body in (*patches, *(("", body) for body in inner)):
        parts = body.get("parts")
        for holder in (body, *(listed(parts) if parts is not None else ())):
            when = holder.get("when") if isinstance(holder, Mapping) else None
            if isinstance(when, Mapping) and (when.span.source.origin == "base") is of_base:
                yield name, when
    for mode in merged.modes.values():
        if mode.when is not None and (mode.when.span.source.origin == "base") is of_base:
            yield "", mode.when


def _check_players(wanted: Located | None, game: Definition, counts: set[int], sink: Sink) -> None:
    low, high = game.players
    many = f"{low} to {high} players" if low != high else f"{low} player{'s' * (low != 1)}"
    for item in listed(wanted) if wanted is not None else ():
        if isinstance(item, Scalar) and item.value not in counts:
            sink.error(
                "never-holds", item.span, f"{game.title} is for {many}, never {item.value}",
                label="cannot be", help=f"name a number from {low} to {high}" if low != high else "leave it out",
            )  # fmt: skip


def _check_option(entry: Entry, base: Definition, merged: Definition, sink: Sink) -> None:
    name = str(entry.key)
    kinds = [game.options[name] for game in (merged, base) if name in game.options]
    if not kinds:
        near = nearest(name, merged.options)
        there = ", ".join(f"`{n}`" for n in merged.options)
        help = f"did you mean `{near}`?" if near else f"there are {there}" if there else "it has none"
        message = f"{merged.title} has no option `{name}`"
        sink.error("never-holds", entry.key_span, message, label="never holds", help=help)
        return
    value = entry.value.value if isinstance(entry.value, Scalar) else None
    if any(_can_be(option, value) for option in kinds):
        return
    said, near = _said(kinds[0]), None
    shown = " ".join(entry.value.span.text().split())
    if isinstance(kinds[0].type.type, ChoiceType):
        near = nearest(str(value), kinds[0].type.type.words)
    if str(value) in ("true", "false") and is_switch(kinds[0].type):
        near = str(value)
    sink.error(
        "never-holds", entry.value.span, f"option `{name}` is {said}, never `{shown}`",
        label="never holds", help=f"did you mean `{near}`?" if near else "",
    )  # fmt: skip


def _can_be(option: OptionDoc, value: object) -> bool:
    """Whether an option can have a value."""
    if is_switch(option.type):
        return isinstance(value, bool)
    match option.type.type:
        case ChoiceType(words=words):
            return value in words
        case RangeType(low=low, high=high):
            if isinstance(value, bool) or not isinstance(value, int):
                return False
            too_low = isinstance(low, Int) and value < low.value
            too_high = isinstance(high, Int) and value > high.value
            return not (too_low or too_high)
    return value is not None


def _said(option: OptionDoc) -> str:
    """What an option can be, in words."""
    match option.type.type:
        case ChoiceType(words=words):
            return " or ".join(words)
        case RangeType(low=Int(value=low), high=Int(value=high)):
            return f"{low} to {high}"
        case RangeType():
            return "a number"
    return "one value"


def _check_mod(item: Scalar, mods: Sequence[str], sink: Sink) -> None:
    """A mod may be anywhere; one that is nearly called like a known one is most likely that."""
    known = {*mods, *known_mods()}
    near = nearest(str(item.value), known) if item.value not in known else None
    if near:
        sink.warning(
            "never-holds", item.span, f"there is no mod `{item.value}` at hand",
            label="perhaps never holds", help=f"did you mean `{near}`?",
        )  # fmt: skip
