"""Checks of mods: one on its game, with its cases and random games, and several of one game together.

In: what mods say of themselves, a game's file, and somebody who is told. Out: lines, each told as soon as it is known, and whether all was
well. What is checked is the pipeline's business, how findings and cases are said that of their own modules.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from interpreter.drivers.layout import Line, line
from interpreter.drivers.mods import folder_of
from interpreter.drivers.scenario_report import case_lines
from interpreter.drivers.scenarios import Result as CaseResult
from interpreter.drivers.scenarios import run_files
from interpreter.drivers.simulate import Plan, Result, simulate
from interpreter.drivers.simulate_report import trouble_line
from interpreter.overlays import Found, ModFacts, Overlays
from interpreter.paths import shipped_games
from interpreter.pipeline import Checked, Game, check, completed, load, mod_findings, scenarios
from interpreter.text.diagnostic import Diagnostic
from interpreter.text.render import human_lines

SEED = 1
"""What the random games of a check draw from."""


@dataclass(frozen=True, slots=True)
class Listener:
    """Who is told: lines, as soon as they are known; a progress for what takes long, as `Screen.progress` gives it; how wide lines are."""

    tell: Callable[[Iterable[Line]], None]
    progress: Callable[[str, int], AbstractContextManager[Callable[[int, str], None]]]
    width: int


@dataclass(frozen=True, slots=True)
class ModChecked:
    """What was found. `games` has the random games by number of players; they and the cases are empty where errors came first."""

    mod: ModFacts
    checked: Checked
    cases: tuple[CaseResult, ...] = ()
    games: Mapping[int, tuple[Result, ...]] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return (
            self.checked.ok
            and all(case.status == "passed" for case in self.cases)
            and all(result.status == "finished" for played in self.games.values() for result in played)
        )


def check_mod(
    mod: ModFacts, game: Path | None, others: Sequence[ModFacts], games: int, listener: Listener
) -> ModChecked:
    """Checks a mod on its game in every configuration; if that finds no error, runs the cases in the `scenarios.yaml` beside it, and plays
    so many random games with each number of players. Mods that it needs are found among `others` and those at hand. Of one that cannot be
    read, or without a game, only its own file is checked. Raises DefinitionError for cases that cannot be read."""
    if mod.problem or game is None:
        checked = Checked(mod_findings(mod.file), mod.game, mod.game, 0, ())
        listener.tell(_rules_lines(mod, checked, listener.width))
        return ModChecked(mod, checked)
    overlays, found = completed(Overlays((mod.file,)), others)
    with listener.progress("rules", 1):
        checked = check(game, overlays=overlays)
    listener.tell(_rules_lines(mod, checked, listener.width, found))
    if not checked.ok:
        return ModChecked(mod, checked)
    cases = _cases(mod, others, listener)
    listener.tell(_cases_lines(cases))
    played: dict[int, tuple[Result, ...]] = {}
    rules = load(str(game), overlays=overlays)
    for players in rules.player_counts if games else ():
        played[players] = _games(rules, players, games, listener)
        listener.tell(_games_lines(players, played[players], _again(game, overlays, players)))
    return ModChecked(mod, checked, cases, played)


def _cases(mod: ModFacts, others: Sequence[ModFacts], listener: Listener) -> tuple[CaseResult, ...]:
    """The cases beside a mod, run."""
    beside = mod.file.parent / "scenarios.yaml"
    if not beside.is_file():
        return ()
    results = []
    with listener.progress("cases", len(scenarios(beside).cases)) as progress:
        for result in run_files([beside], others=others):
            results.append(result)
            progress(len(results), "")
    return tuple(results)


def _games(rules: Game, players: int, games: int, listener: Listener) -> tuple[Result, ...]:
    """Random games, played."""
    opened = partial(load, str(rules.path), machine="reference", overlays=rules.overlays)
    plan = Plan(players, games, SEED, ("random",) * players, scripted=len(rules.program(players).scripted))
    done = 0
    with listener.progress(f"games, {players} players", games) as progress:

        def report_one(result: Result) -> None:
            nonlocal done
            done += 1
            progress(done, "" if result.status == "finished" else result.status)

        return simulate(opened, plan, progress=report_one, bulk=rules.bulk(players))


def check_together(
    mods: Sequence[ModFacts], game: Path, others: Sequence[ModFacts], known: Iterable[Diagnostic], listener: Listener
) -> bool:
    """Checks the rules of a game with several mods at once; only what is not known already is told. Mods of which one rules the other out
    are told, and nothing is wrong with that. Whether all was well."""
    overlays, _ = completed(Overlays(tuple(mod.file for mod in mods)), others)
    ids = {mod.id for mod in mods}
    listener.tell([line((" and ".join(mod.id for mod in mods), "strong"), " together")])
    apart = [
        line((f"  `{mod.id}` does not go with `{id}`: {why}", "warning"))
        for mod in mods
        for id, why in mod.conflicts
        if id in ids
    ]
    if apart:
        listener.tell(apart)
        return True
    with listener.progress("rules", 1):
        checked = check(game, overlays=overlays)
    told = {each.sort_key() for each in known}
    new = tuple(each for each in checked.diagnostics if each.sort_key() not in told)
    listener.tell([_rules_line(checked, len(new))])
    listener.tell(human_lines(new, listener.width))
    return checked.ok


# ------------------------------------------------------------------ lines
def _rules_lines(mod: ModFacts, checked: Checked, width: int, found: Sequence[Found] = ()) -> list[Line]:
    """Who is checked, with what it needs, what is said of the rules in short, and all findings."""
    name = f"{mod.id} {mod.version}".strip() or folder_of(mod)
    head = line((name, "strong"), f", for {checked.title}" if checked.title else "")
    needed = [line((f"  {each}", "dim")) for each in found]
    return [head, *needed, _rules_line(checked, len(checked.diagnostics)), *human_lines(checked.diagnostics, width)]


def _rules_line(checked: Checked, findings: int) -> Line:
    many = f"{checked.configurations} configuration{'s' * (checked.configurations != 1)}"
    warned = f"{findings} finding{'s' * (findings != 1)}, no error"
    return line(f"  rules  {'not sound' if not checked.ok else warned if findings else f'fine: {many} checked'}")


def _cases_lines(cases: Sequence[CaseResult]) -> list[Line]:
    """How the cases went in short, and those that failed."""
    bad = [case for case in cases if case.status != "passed"]
    said = f"{len(bad)} of {len(cases)} failed" if bad else f"{len(cases)} passed"
    none = "none: there is no `scenarios.yaml` beside it"
    return [line(f"  cases  {said if cases else none}"), *(text for case in bad for text in case_lines(case, True))]


def _games_lines(players: int, results: Sequence[Result], again: str) -> list[Line]:
    """How random games went; of the first that did not end by the rules all that is known, and the command to see it again."""
    counts = Counter(result.status for result in results)
    rest = "".join(f", {n} {status}" for status, n in sorted(counts.items()) if status != "finished")
    made = [line(f"  games  {players} players: {counts['finished']} ended by the rules{rest}")]
    first = next((result for result in results if result.status != "finished"), None)
    if first is not None:
        made += [trouble_line(first), line((f"    again: {again} --game {first.index}", "dim"))]
    return made


def _again(game: Path, overlays: Overlays, players: int) -> str:
    """The command that plays one of a check's random games; which one is still to be said."""
    ids = {path: id for id, path in shipped_games().items()}
    name = ids.get(game) or game.as_posix()
    mods = "".join(f" --mod {shlex.quote(mod.as_posix())}" for mod in overlays.mods)
    return f"rulewright simulate {shlex.quote(name)}{mods} --players {players} --games 1 --seed {SEED}"
