"""Scenario files run: files to results, one a case.

In: paths of scenario files, or of folders of them. Out: `Result`s in the order of the files. Cases that share game, player count,
options and mode are compiled together, once; a case that does not compile is reported and left out. Each case is run under several
fixed seeds, which decide what it leaves to chance, so that one that leans on luck fails. Reports are scenario_report.py's business.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final, Literal

from interpreter.drivers.scenario_run import Bench, CaseRun, Wrong
from interpreter.machine.action import CHANCE
from interpreter.machine.faults import MachineFault
from interpreter.machine.protocol import State
from interpreter.pipeline import CaseCompiler, DefinitionError, MissingGame, find_game, scenarios
from interpreter.syntax.scenario import Case, ScenarioFile
from interpreter.text.diagnostic import Diagnostic, Severity
from interpreter.text.source import Span

SEEDS: Final = ("scenario 1", "scenario 2", "scenario 3")
"""What a case leaves to chance is drawn from each of these in turn."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Why a case failed: one sentence, where, what was found there, and under which of the seeds (0: it was never run)."""

    message: str
    file: str
    line: int
    column: int
    details: tuple[str, ...] = ()
    run: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """How one case went. `failed`: the game does something else; `wrong`: the case itself cannot be run."""

    file: str
    line: int
    game: str
    setting: str
    name: str
    cite: tuple[str, ...]
    status: Literal["passed", "failed", "wrong"]
    difference: Difference | None
    seconds: float


class NoScenarios(Exception):
    """Nothing to run; the text is for people."""


def scenario_files(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The scenario files that paths mean: files as they are, folders with all that lies in them. Raises NoScenarios."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(path.rglob("*.yaml"))
            if not inside:
                raise NoScenarios(f"no scenario files in `{path}`")
            found += inside
        elif path.is_file():
            found.append(path)
        else:
            raise NoScenarios(f"no file or folder `{path}`")
    return tuple(dict.fromkeys(_from_here(path) for path in found))


def _from_here(path: Path) -> Path:
    """As people would write it."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def run_files(paths: Iterable[Path], games: Mapping[str, Path] | None = None) -> Iterator[Result]:
    """Runs files one after the other. `games` says where a game's definition lies, if not where the file or the tool has it. Raises
    DefinitionError for a scenario file or a definition that cannot be read, MissingGame for one that is not there."""
    compilers: dict[Path, CaseCompiler] = {}
    for path in paths:
        file = scenarios(path)
        place = (games or {}).get(file.game) or _game_of(path, file.game)
        if place not in compilers:
            compilers[place] = CaseCompiler(place)
        yield from run_file(file, compilers[place])


def _game_of(path: Path, name: str) -> Path:
    beside = path.parent / name
    return beside if beside.is_file() else find_game(name)


def run_file(file: ScenarioFile, compiler: CaseCompiler) -> tuple[Result, ...]:
    """The results of one file, in its order."""
    results: dict[int, Result] = {}
    for _, group in groupby(sorted(file.cases, key=_sorting), _sorting):
        for number, result in _run_group(file, compiler, tuple(group)):
            results[number] = result
    return tuple(results[number] for number in sorted(results))


def _sorting(case: Case) -> tuple[int, tuple[tuple[str, str], ...], str]:
    return (case.players, case.options, case.mode or "")


def _run_group(file: ScenarioFile, compiler: CaseCompiler, cases: tuple[Case, ...]) -> Iterator[tuple[int, Result]]:
    players = cases[0].players or compiler.players
    setting = ", ".join(
        [f"{players} players", *(f"{k}={v}" for k, v in cases[0].options), *filter(None, [cases[0].mode])]
    )
    sound = []
    for case in cases:
        if case.patch:
            yield case.number, _wrong(file, case, setting, "a case with a patch of its own (`with:`) cannot be run yet")
        else:
            sound.append(case)
    while sound:
        try:
            ready = _compiled(compiler, players, sound)
        except MissingGame as problem:
            for case in sound:
                yield case.number, _wrong(file, case, setting, str(problem))
            return
        except DefinitionError as problem:
            blamed = _blamed(sound, problem.diagnostics)
            if not blamed:
                raise
            for case in sound:
                if case.number in blamed:
                    yield case.number, _unsound(file, case, setting, blamed[case.number])
            sound = [case for case in sound if case.number not in blamed]
        else:
            for case in sound:
                yield case.number, _run_case(file, case, setting, ready)
            return


def _blamed(cases: Sequence[Case], diagnostics: Iterable[Diagnostic]) -> dict[int, Diagnostic]:
    """The first error of each case that has one, by the case's number."""
    found: dict[int, Diagnostic] = {}
    for diagnostic in diagnostics:
        if diagnostic.severity is Severity.ERROR:
            for case in cases:
                if _holds(case.span, diagnostic.span):
                    found.setdefault(case.number, diagnostic)
    return found


def _holds(outer: Span, inner: Span) -> bool:
    return outer.source is inner.source and outer.start <= inner.start < outer.end


class _Ready:
    """A bench, and states to begin with, one a seed, made when first asked for."""

    def __init__(self, bench: Bench, blank: Callable[[str], State], new: Callable[[str], State]) -> None:
        self.bench = bench
        self.beginning = new
        """The very beginning of a game: nobody, nor chance, has been asked anything yet."""
        self._blank = blank
        self._made: dict[str, State] = {}

    def state(self, seed: str) -> State:
        """A copy of the state after set-up. What set-up leaves to chance is drawn."""
        if seed not in self._made:
            state = self._blank(seed)
            state.begin(self.bench.program.entries["setup"], None)
            while CHANCE in state.to_act():
                state.apply(state.draw())
            self._made[seed] = state
        return self._made[seed].clone()


def _compiled(compiler: CaseCompiler, players: int, cases: Sequence[Case]) -> _Ready:
    machine, kinds = compiler.machine(players, dict(cases[0].options), cases[0].mode, cases)
    return _Ready(Bench.of(machine.program, kinds), machine.blank, machine.new)


def _run_case(file: ScenarioFile, case: Case, setting: str, ready: _Ready) -> Result:
    began = time.perf_counter()
    difference: Difference | None = None
    for number, seed in enumerate(SEEDS, start=1):
        try:
            state = ready.state(seed) if case.start is not None else ready.beginning(seed)
            CaseRun(ready.bench, case, state).run()
        except Wrong as wrong:
            difference = _difference(wrong.message, wrong.span, wrong.details, number)
        except MachineFault as fault:
            difference = _difference(f"the set-up cannot be done: {fault.message}", case.span, (), number)
        if difference is not None:
            break
    return _result(file, case, setting, difference, time.perf_counter() - began)


def _difference(message: str, span: Span, details: tuple[str, ...] = (), run: int = 0) -> Difference:
    line, column = span.position()
    return Difference(message, span.source.name, line, column, details, run)


def _result(
    file: ScenarioFile, case: Case, setting: str, difference: Difference | None, seconds: float = 0.0
) -> Result:
    status: Literal["passed", "failed", "wrong"] = "passed"
    if difference is not None:
        status = "failed" if difference.run else "wrong"
    line = case.span.position()[0]
    return Result(file.source.name, line, file.game, setting, case.name, case.cite, status, difference, seconds)


def _wrong(file: ScenarioFile, case: Case, setting: str, message: str) -> Result:
    return _result(file, case, setting, _difference(message, case.span))


def _unsound(file: ScenarioFile, case: Case, setting: str, found: Diagnostic) -> Result:
    details = (f"help: {found.help}",) if found.help else ()
    return _result(file, case, setting, _difference(f"[{found.code}] {found.message}", found.span, details))
