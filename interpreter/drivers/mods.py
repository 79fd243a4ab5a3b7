"""Mods as a shelf: which are at hand, whether each goes with its game and the others, and what a check of one finds.

In: what mods say of themselves, and the versions of games. Out: a sentence for each mod, lines and documents; or the findings, cases and
random games of one mod. Order and merging are the compiler's side; here is only what people are told about it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from interpreter.drivers.layout import Line, line, table
from interpreter.drivers.scenarios import Result as CaseResult
from interpreter.drivers.scenarios import game_of, run_files
from interpreter.drivers.simulate import Plan, Status, simulate
from interpreter.overlays import ModFacts, Overlays
from interpreter.paths import shipped_mods
from interpreter.pipeline import (
    Checked,
    DefinitionError,
    MissingGame,
    check,
    game_beside,
    load,
    mod_findings,
    scenarios,
)
from interpreter.text.suggest import nearest
from interpreter.text.version import TOOL
from interpreter.text.versions import lies_in

FINE: Final = "fine"


# ------------------------------------------------------------------ the shelf
def state_of(mod: ModFacts, versions: Mapping[str, str], others: Mapping[str, ModFacts]) -> str:
    """Whether a mod can be used: `fine`, or what stands against it. `versions` are those of the games at hand, by id; `others` the mods at
    hand, by id."""
    if mod.problem:
        return f"cannot be read: {mod.problem}"
    against: list[str] = []
    if mod.game not in versions:
        against.append(f"there is no game `{mod.game}` at hand")
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
            (mod.id or str(mod.file), mod.version, mod.title, state_of(mod, versions, others), _folder(mod))
            for mod in here
        ]
        made += [line()] * bool(made) + [line((head, "strong"))]
        made += table(("id", "version", "title", "state", "where"), rows)
        made += [
            line((f"  `{mod.id}` does not go with `{id}`: {why}", "warning"))
            for mod in here
            for id, why in mod.conflicts
        ]
        made += [line((f"  `{mod.id}` comes behind `{id}`", "dim")) for mod in here for id, _ in mod.requires]
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


def _folder(mod: ModFacts) -> str:
    if mod.file in shipped_mods().values():
        return "shipped"
    return mod.file.parent.as_posix() if mod.file.name == "mod.yaml" else mod.file.as_posix()


# ------------------------------------------------------------------ a check of one
@dataclass(frozen=True, slots=True)
class ModChecked:
    """What was found. `games` counts how random games went, by number of players; empty where findings or failed cases came first."""

    mod: ModFacts
    checked: Checked
    cases: tuple[CaseResult, ...]
    games: Mapping[int, Counter[Status]]

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return (
            self.checked.ok
            and all(case.status == "passed" for case in self.cases)
            and all(set(counts) == {"finished"} for counts in self.games.values())
        )


def needed(mod: ModFacts, others: Mapping[str, ModFacts]) -> tuple[Path, ...]:
    """The files of a mod and of all it needs, as far as they are at hand; in which order they are applied is not decided here."""
    found: dict[str, ModFacts] = {mod.id: mod}
    waiting = list(mod.requires)
    while waiting:
        id, _ = waiting.pop()
        if id in others and id not in found:
            found[id] = others[id]
            waiting += others[id].requires
    return tuple(facts.file for facts in found.values())


def check_mod(mod: ModFacts, game: Path | None, others: Mapping[str, ModFacts], games: int) -> ModChecked:
    """Checks a mod on its game in every configuration; if that finds no error, runs the cases in the `scenarios.yaml` beside it, and plays
    so many random games with each number of players. Of one that cannot be read, or without a game, only its own file is checked. Raises
    DefinitionError for cases that cannot be read."""
    if mod.problem or game is None:
        return ModChecked(mod, Checked(mod_findings(mod.file), mod.game, mod.game, 0, ()), (), {})
    overlays = Overlays(needed(mod, others))
    checked = check(game, overlays=overlays)
    if not checked.ok:
        return ModChecked(mod, checked, (), {})
    beside = mod.file.parent / "scenarios.yaml"
    cases = tuple(run_files([beside])) if beside.is_file() else ()
    played: dict[int, Counter[Status]] = {}
    opened = partial(load, str(game), machine="reference", overlays=overlays)
    rules = load(str(game), overlays=overlays)
    for players in rules.player_counts if games else ():
        plan = Plan(players, games, 1, ("random",) * players, scripted=len(rules.program(players).scripted))
        results = simulate(opened, plan, bulk=rules.bulk(players))
        played[players] = Counter(result.status for result in results)
    return ModChecked(mod, checked, cases, played)


def game_for(mod: ModFacts) -> Path | None:
    """The game that a mod is for: the one that its cases name, or one with its id that is at hand; None if there is none."""
    beside = mod.file.parent / "scenarios.yaml"
    if beside.is_file():
        try:
            return game_of(beside, scenarios(beside).game)
        except (DefinitionError, MissingGame):
            pass  # the cases are told about when they are run
    return game_beside(mod.game, mod.file) if mod.game else None


def check_lines(found: ModChecked) -> list[Line]:
    """What a check says in short; findings and failed cases are told by those who know them."""
    mod, checked = found.mod, found.checked
    many = f"{checked.configurations} configuration{'s' * (checked.configurations != 1)}"
    warned = len(checked.diagnostics)
    rules = "not sound" if not checked.ok else f"fine: {many} checked" if not warned else f"{warned} findings, no error"
    made = [
        line(
            (f"{mod.id} {mod.version}".strip() or _folder(mod), "strong"),
            f", for {checked.title}" * bool(checked.title),
        ),
        line(f"  rules  {rules}"),
    ]
    if checked.ok:
        failed = sum(case.status != "passed" for case in found.cases)
        said = f"{failed} of {len(found.cases)} failed" if failed else f"{len(found.cases)} passed"
        made.append(
            line(f"  cases  {said}" if found.cases else "  cases  none: there is no `scenarios.yaml` beside it")
        )
    for players, counts in found.games.items():
        ended = counts["finished"]
        rest = ", ".join(f"{n} {status}" for status, n in sorted(counts.items()) if status != "finished")
        made.append(line(f"  games  {players} players: {ended} ended by the rules" + (f", {rest}" if rest else "")))
    return made


def findings_of(found: Iterable[ModChecked]) -> tuple[ModChecked, ...]:
    """Those where something is wrong."""
    return tuple(each for each in found if not each.sound)
