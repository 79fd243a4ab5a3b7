"""Do these mods go with the game and with each other, and in which order do they come?

In: a game's definition and mods in the order in which they were named. Out: the mods in the order in which they are applied: each behind
those it requires, else as named. Mods for other games or versions, two of one id, missing and circular requirements, and pairs that
one of the two rules out are told; a mod that cannot be used is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from interpreter.paths import places_of_mod
from interpreter.syntax.definition import Definition
from interpreter.syntax.mod_document import ModDoc, Wish
from interpreter.text.diagnostic import Related, Sink
from interpreter.text.suggest import nearest
from interpreter.text.versions import is_range, lies_in


def in_order(mods: Sequence[ModDoc], definition: Definition, sink: Sink) -> tuple[ModDoc, ...]:
    """The mods in the order in which they are applied; what does not fit is told."""
    known: dict[str, ModDoc] = {}
    for mod in mods:
        first = known.setdefault(mod.id, mod)
        if first is not mod:
            sink.error(
                "mod-twice", mod.span, f"there are two mods `{mod.id}`", label="second",
                help="name only one of the two files", related=(Related(first.span, "first"),),
            )  # fmt: skip
    for mod in known.values():
        _fits_game(mod, definition, sink)
        for wish in mod.requires:
            _is_there(mod, wish, known, sink)
        for wish in mod.conflicts:
            other = known.get(wish.id)
            if other is not None:
                sink.error(
                    "mod-conflict", wish.span, f"`{mod.id}` does not go with `{wish.id}`: {wish.text}",
                    label="ruled out here", help="leave one of the two out", related=(Related(other.span, "is here too"),),
                )  # fmt: skip
    order: dict[str, ModDoc] = {}
    for mod in known.values():
        _take(mod, known, order, (), sink)
    return tuple(mod for mod in order.values() if mod.game == definition.game)


def _fits_game(mod: ModDoc, definition: Definition, sink: Sink) -> None:
    """Whether a mod is for this game, and for this version of it."""
    if mod.game != definition.game:
        near = nearest(mod.game, (definition.game,))
        sink.error(
            "mod-other-game", mod.game_span, f"`{mod.id}` is a mod for `{mod.game}`, not for `{definition.game}`",
            label="the game it is for", help=f"did you mean `{near}`?" if near else "",
        )  # fmt: skip
    elif (
        (wanted := mod.versions) is not None and is_range(wanted.text) and not lies_in(definition.version, wanted.text)
    ):
        sink.error(
            "mod-version", wanted.span,
            f"`{mod.id}` goes with `{mod.game}` {wanted.text}, and this is {definition.version}",
            label=f"{definition.version} is not among them",
        )  # fmt: skip


def _is_there(mod: ModDoc, wish: Wish, known: dict[str, ModDoc], sink: Sink) -> None:
    """Whether a mod that another needs is there, in a version that will do."""
    other = known.get(wish.id)
    if other is None:
        near, places = nearest(wish.id, known), places_of_mod(wish.id, Path(mod.file))[:2]
        looked = ", ".join(f"`{place.as_posix()}`" for place in places)
        away = f"looked for {looked}, below `mods` here and among those that ship; name its file with `--mod`"
        sink.error(
            "mod-missing", wish.span, f"`{mod.id}` needs the mod `{wish.id}` ({wish.text}), which is not here",
            label="needed here", help=f"did you mean `{near}`?" if near else away,
        )  # fmt: skip
    elif is_range(wish.text) and not lies_in(other.version, wish.text):
        sink.error(
            "mod-version", wish.span, f"`{mod.id}` needs `{wish.id}` {wish.text}, and that is {other.version}",
            label=f"{other.version} is not among them", related=(Related(other.span, f"version {other.version}"),),
        )  # fmt: skip


def _take(
    mod: ModDoc, known: dict[str, ModDoc], order: dict[str, ModDoc], way: tuple[tuple[ModDoc, Wish], ...], sink: Sink
) -> None:
    """Puts a mod behind those it requires. `way` is how it was come to; a mod met on it again closes a cycle."""
    for wish in mod.requires:
        here = (*way, (mod, wish))
        circle = next((here[at:] for at, (met, _) in enumerate(here) if met.id == wish.id), None)
        if circle is not None:
            names = " → ".join(f"`{met.id}`" for met, _ in (*circle, circle[0]))
            sink.error(
                "mod-cycle", circle[0][1].span, f"mods need each other in a circle: {names}", label="begins here",
                related=tuple(Related(w.span, f"needed by `{met.id}`") for met, w in circle[1:]),
            )  # fmt: skip
        elif wish.id in known and wish.id not in order:
            _take(known[wish.id], known, order, here, sink)
    order.setdefault(mod.id, mod)
