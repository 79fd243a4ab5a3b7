"""Mods as a shelf: which are at hand, and whether each goes with its game and the others.

In: what mods say of themselves, and the versions of games. Out: a sentence for each mod, lines and documents. Order and merging are the
compiler's side, a check of a mod is `mod_check.py`'s; here is only what people are told about what is there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from interpreter.drivers.layout import Line, line, line_width, table, wrap_line
from interpreter.drivers.scenarios import game_of
from interpreter.overlays import ModFacts
from interpreter.paths import shipped_mods
from interpreter.pipeline import DefinitionError, MissingGame, game_beside, scenarios
from interpreter.text.suggest import nearest
from interpreter.text.version import TOOL
from interpreter.text.versions import lies_in

FINE: Final = "fine"


def state_of(mod: ModFacts, versions: Mapping[str, str], others: Mapping[str, ModFacts]) -> str:
    """Whether a mod can be used: `fine`, or what stands against it. `versions` are those of the games at hand, by id; `others` the mods at
    hand, by id."""
    if mod.problem:
        return f"cannot be read: {mod.problem}"
    against: list[str] = []
    if mod.game not in versions:
        near = nearest(mod.game, tuple(versions))
        against.append(f"there is no game `{mod.game}` at hand" + (f" (`{near}` is)" if near else ""))
    elif not lies_in(versions[mod.game], mod.versions):
        against.append(f"it goes with {mod.game} {mod.versions}, and that is {versions[mod.game]}")
    for id, wanted in mod.requires:
        other = others.get(id)
        if other is None:
            near = nearest(id, tuple(others))
            against.append(f"it needs `{id}`, which is not at hand" + (f" (`{near}` is)" if near else ""))
        elif not lies_in(other.version, wanted):
            against.append(f"it needs `{id}` {wanted}, and that is {other.version}")
    return "; ".join(against) or FINE


def shelf_lines(mods: Sequence[ModFacts], versions: Mapping[str, str], room: int) -> list[Line]:
    """The mods, game by game: id, version, title, state; then which rule each other out."""
    if not mods:
        return [line("no mods at hand; `rulewright mod new ID GAME` makes one")]
    others = {mod.id: mod for mod in mods if not mod.problem}
    made: list[Line] = []
    for game in dict.fromkeys(mod.game for mod in mods):
        here = [mod for mod in mods if mod.game == game]
        head = f"for {game} {versions.get(game, '')}".rstrip() if game else "cannot be read"
        rows = [
            (mod.id or str(mod.file), mod.version, mod.title, state_of(mod, versions, others), folder_of(mod))
            for mod in here
        ]
        made += [line()] * bool(made) + [line((head, "strong"))]
        whole = table(("id", "version", "title", "state", "where"), rows)
        made += whole if max(map(line_width, whole)) <= room else _one_below_the_other(rows, room)
        made += [
            line((f"  `{mod.id}` does not go with `{id}`: {why}", "warning"))
            for mod in here
            for id, why in mod.conflicts
        ]
        made += [line((f"  `{mod.id}` comes behind `{id}`", "dim")) for mod in here for id, _ in mod.requires]
    return made


def _one_below_the_other(rows: Sequence[tuple[str, str, str, str, str]], room: int) -> list[Line]:
    """The table with title and state on lines of their own."""
    head, *lines = table(("id", "version", "where"), [(id, version, where) for id, version, _, _, where in rows])
    made = [head]
    for first, (_, _, title, state, _) in zip(lines, rows, strict=True):
        made += [first, line(f"  {title}"), *wrap_line(line(f"  {state}"), room)]
    return made


def shelf_document(mods: Sequence[ModFacts], versions: Mapping[str, str]) -> dict[str, object]:
    """The same as a JSON document."""
    others = {mod.id: mod for mod in mods if not mod.problem}
    return {
        "schema": "rulewright/mods/1",
        "tool": TOOL,
        "mods": [
            {
                "id": mod.id,
                "version": mod.version,
                "title": mod.title,
                "for": mod.game,
                "versions": mod.versions,
                "requires": dict(mod.requires),
                "conflicts": dict(mod.conflicts),
                "file": mod.file.as_posix(),
                "state": state_of(mod, versions, others),
            }
            for mod in mods
        ],
    }


def folder_of(mod: ModFacts) -> str:
    """Where a mod lies, in words."""
    if mod.file in shipped_mods().values():
        return "shipped"
    return mod.file.parent.as_posix() if mod.file.name == "mod.yaml" else mod.file.as_posix()


def game_for(mod: ModFacts) -> Path | None:
    """The game that a mod is for: the one that its cases name, or one with its id that is at hand; None if there is none."""
    beside = mod.file.parent / "scenarios.yaml"
    if beside.is_file():
        try:
            return game_of(beside, scenarios(beside).game)
        except (DefinitionError, MissingGame):
            pass  # the cases are told about when they are run
    return game_beside(mod.game, mod.file) if mod.game else None
