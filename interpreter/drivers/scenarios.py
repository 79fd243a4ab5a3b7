"""Scenario files run: files to results, one a case.

In: paths of scenario files, or of folders of them. Out: `Result`s in the order of the files. Cases that share game, player count,
options and mode are compiled together, once; a case that does not compile is reported and left out. Each case is run under several
fixed seeds, which decide what it leaves to chance, so that one that leans on luck fails. Reports are scenario_report.py's business.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from interpreter.drivers.scenario_run import Bench, CaseRun, Wrong
from interpreter.machine.action import CHANCE
from interpreter.machine.chance import number, pick, seed_words, stream_number
from interpreter.machine.faults import MachineFault
from interpreter.machine.protocol import State
from interpreter.overlays import NO_OVERLAYS, Found, ModFacts, Overlays
from interpreter.paths import own_scenarios
from interpreter.pipeline import CaseCompiler, DefinitionError, MissingGame, completed, find_game, find_mod, scenarios
from interpreter.syntax.scenario import Case
from interpreter.text.diagnostic import Diagnostic, Severity
from interpreter.text.source import Span

SEEDS: Final = ("scenario 1", "scenario 2", "scenario 3")
"""What a case leaves to chance is drawn from each of these in turn."""


Rules = tuple[Path, tuple[str, ...], int]
"""What cases are compiled with: a definition, mods, and the number of the case that changes them for itself (-1: none does)."""


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
    """The scenario files that paths mean: files as they are, folders with all in them that is no game and no mod. Raises NoScenarios."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*.yaml") if not _is_rules(file))
            if not inside:
                raise NoScenarios(f"no scenario files in `{path}`")
            found += inside
        elif path.is_file():
            found.append(path)
        else:
            raise NoScenarios(f"no file or folder `{path}`")
    return tuple(dict.fromkeys(_from_here(path) for path in found))


def scenarios_here() -> tuple[Path, ...]:
    """The scenario files that are meant where nobody says which: within a clone those of its games, elsewhere all below the current folder
    that have cases. Raises NoScenarios."""
    own = own_scenarios()
    if own is not None and Path.cwd().is_relative_to(own.parents[1]):
        return scenario_files([own])
    found = [file for file in sorted(Path().rglob("*.yaml")) if re.search(r"^cases\s*:", _text_of(file), re.MULTILINE)]
    if not found:
        raise NoScenarios("no scenario files below here; say which to run")
    return scenario_files(found)


def _text_of(file: Path) -> str:
    """What a file says; nothing where it cannot be read."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _is_rules(file: Path) -> bool:
    """Whether a file begins like a game or a mod. One that cannot be read is left for those who say so."""
    return re.search(r"^(mod|rules)\s*:", _text_of(file), re.MULTILINE) is not None


def _from_here(path: Path) -> Path:
    """As people would write it."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def run_files(
    paths: Iterable[Path],
    games: Mapping[str, Path] | None = None,
    overlays: Overlays = NO_OVERLAYS,
    others: Sequence[ModFacts] = (),
    told: Callable[[Found], None] = lambda _: None,
) -> Iterator[Result]:
    """Runs files one after the other. `games` says where a game's definition lies, if not where the file or the tool has it; `overlays`
    are laid over all of them. Mods that the ones of a case need are found among `others` and those at hand, and each is told. Raises
    DefinitionError for a scenario file or a definition that cannot be read, MissingGame for one that is not there."""
    compilers: dict[Rules, CaseCompiler | Difference] = {}
    groups: dict[tuple[Rules, int, tuple[tuple[str, str], ...], str | None], _Group] = {}
    order: list[tuple[_Group, Case]] = []
    for path in paths:
        file = scenarios(path, len(order))
        place = (games or {}).get(file.game) or game_of(path, file.game)
        for case in file.cases:
            beside = tuple(find_mod(_beside(path, name)) for name in case.mods)
            # A patch of its own makes a case's rules its own too.
            rules = (place, tuple(map(str, beside)), -1 if case.patch is None else case.number)
            if rules not in compilers:
                whole, found = completed(Overlays((*beside, *overlays.mods), overlays.sets), others)
                for each in found:
                    told(each)
                compilers[rules] = _compiler(case, place, whole)
            made = compilers[rules]
            key = (rules, case.players, case.options, case.mode)
            if key not in groups:
                groups[key] = _Group(made, file.game, case)
            groups[key].add(case)
            order.append((groups[key], case))
    for group, case in order:
        yield group.result(case)


def _compiler(case: Case, place: Path, overlays: Overlays) -> CaseCompiler | Difference:
    """What compiles cases with these rules; if the case's own patch does not fit, that. Raises DefinitionError for all else."""
    try:
        return CaseCompiler(place, overlays, case.patch)
    except DefinitionError as problem:
        blamed = _blamed([case], problem.diagnostics)
        if not blamed:
            raise
        return blamed[case.number]


def _beside(path: Path, name: str) -> str:
    """A file named in a scenario file, as seen from here."""
    return str(path.parent / name)


def game_of(path: Path, name: str) -> Path:
    """The definition that a scenario file names: a file as seen from there, or a game at hand. Raises MissingGame."""
    beside = Path(os.path.normpath(path.parent / name))
    return beside if beside.is_file() else find_game(name)


class _Group:
    """Cases of one game and setting, compiled together when the first is run; those that do not compile are left out."""

    def __init__(self, compiler: CaseCompiler | Difference, game: str, first: Case) -> None:
        self.players = first.players or (compiler.players if isinstance(compiler, CaseCompiler) else 0)
        self._compiler = compiler
        self._game = game
        self._options = first.options
        self._mode = first.mode
        self._cases: list[Case] = []
        self._refused: dict[int, Difference] = {}
        self._ready: _Ready | None = None

    def add(self, case: Case) -> None:
        """Takes a case in, before any is run."""
        if isinstance(self._compiler, CaseCompiler):
            self._cases.append(case)
        else:
            self._refused[case.number] = self._compiler

    def result(self, case: Case) -> Result:
        """Runs a case."""
        ready = self._compiled()
        began = time.perf_counter()
        difference = self._refused.get(case.number)
        if difference is None and ready is not None:
            difference = _run_case(case, ready)
        status: Literal["passed", "failed", "wrong"] = "passed"
        if difference is not None:
            status = "failed" if difference.run else "wrong"
        options = [f"{name}={value}" for name, value in self._options]
        setting = ", ".join([f"{self.players} players", *options, *([self._mode] if self._mode else [])])
        place, line = case.span.source.name, case.span.position()[0]
        seconds = time.perf_counter() - began
        return Result(place, line, self._game, setting, case.name, case.cite, status, difference, seconds)

    def _compiled(self) -> _Ready | None:
        """The cases' program; None if there is no case to be run."""
        while self._ready is None and self._cases and isinstance(self._compiler, CaseCompiler):
            try:
                machine, kinds = self._compiler.machine(self.players, dict(self._options), self._mode, self._cases)
            except MissingGame as problem:
                self._refused |= {case.number: _difference(str(problem), case.span) for case in self._cases}
                self._cases = []
            except DefinitionError as problem:
                blamed = _blamed(self._cases, problem.diagnostics)
                if not blamed:
                    raise
                self._refused |= blamed
                self._cases = [case for case in self._cases if case.number not in blamed]
            else:
                self._ready = _Ready(Bench.of(machine.program, kinds), machine.blank, machine.new)
        return self._ready


def _blamed(cases: Sequence[Case], diagnostics: Iterable[Diagnostic]) -> dict[int, Difference]:
    """The first error of each case that has one, by the case's number."""
    found: dict[int, Difference] = {}
    for diagnostic in diagnostics:
        if diagnostic.severity is Severity.ERROR:
            details = (f"help: {diagnostic.help}",) if diagnostic.help else ()
            text = f"[{diagnostic.code}] {diagnostic.message}"
            for case in cases:
                if _holds(case.span, diagnostic.span):
                    found.setdefault(case.number, _difference(text, diagnostic.span, details))
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
        """A copy of the state after set-up. What set-up leaves to chance is drawn, what it asks a player is answered by the seed: a case
        that leans on either differs between the runs."""
        if seed not in self._made:
            state = self._blank(seed)
            state.begin(self.bench.program.entries["setup"], None)
            answers = 0
            while asked := state.to_act():
                if CHANCE in asked:
                    state.apply(state.draw())
                    continue
                options = state.legal(asked[0])
                if not options:
                    break
                state.apply(options[pick(number(seed_words(seed), stream_number("answers"), answers), len(options))])
                answers += 1
            self._made[seed] = state
        return self._made[seed].clone()


def _run_case(case: Case, ready: _Ready) -> Difference | None:
    """The first difference under any of the seeds."""
    for run, seed in enumerate(SEEDS, start=1):
        try:
            state = ready.state(seed) if case.start is not None else ready.beginning(seed)
            CaseRun(ready.bench, case, state).run()
        except Wrong as wrong:
            return _difference(wrong.message, wrong.span, wrong.details, run)
        except MachineFault as fault:
            return _difference(f"the set-up cannot be done: {fault.message}", case.span, (), run)
    return None


def _difference(message: str, span: Span, details: tuple[str, ...] = (), run: int = 0) -> Difference:
    line, column = span.position()
    return Difference(message, span.source.name, line, column, details, run)
