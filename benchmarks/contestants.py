"""Those who are measured against each other, each playing whole games of random moves for a while.

In: a game and a number of players, and how many seconds to go on. Out: `Sample`s of plies, playouts and seconds. A ply is an action or
an outcome of chance. Seconds are the processor's own time for the thread that plays (for C++, which is a process of its own: for the
process): what other programs do meanwhile is left out, though they still share caches and the clock rate.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, Final, Protocol
from unittest.mock import patch

from benchmarks.by_hand import Playout
from interpreter.drivers.simulate import CAP, Plan, play_game
from interpreter.machine.chance import seed_words
from interpreter.machine.protocol import Playouts
from interpreter.machine.wasm.host import Instance
from interpreter.pipeline import Game

SOURCE: Final = Path(__file__).with_name("by_hand.cpp")
OPTIMISED: Final = ("-O3", "-std=c++17")
VARIANTS: Final[tuple[tuple[str, ...], ...]] = ((), ("-DNO_PDEP",))
TRIED: Final = 0.05
"""Seconds for which a variant is tried."""
ONCE: Final = 1 / 8
"""Which part of the time to measure one call for many games may take."""
MOST: Final = 8192
"""Games in one call, at most."""

OPEN_SPIEL: Final = {
    "tic_tac_toe": "tic_tac_toe",
    "connect_four": "connect_four",
    "breakthrough": "breakthrough",
    "othello": "othello",
    "hex": "hex",
    "kalah": "mancala",
    "kuhn_poker": "kuhn_poker",
    "leduc_poker": "leduc_poker",
}
"""What OpenSpiel calls the games of ours that it has, with the same rules and sizes."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What came of one go. `decisions`: the plies where a player had more than one option, where the contestant counts them.
    `inside`: the seconds spent in the module of the fast machine, without what Python does around it."""

    plies: int
    playouts: int
    seconds: float
    decisions: int | None = None
    inside: float | None = None


class Contestant(Protocol):
    """One who plays one game, for one number of players."""

    name: str

    def go(self, seconds: float) -> Sample:
        """Play whole games until so many seconds have passed on the clock on the wall."""


class ReferenceMachine:
    """Our reference machine, with random bots, as `simulate` uses it."""

    name = "reference"

    def __init__(self, game: Game, players: int) -> None:
        self._game = game.on("reference")
        self._plan = Plan(players, 1, 0, ("random",) * players)
        self._next = 0
        play_game(self._game, self._plan, 0)  # what is only worked out once is not counted

    def go(self, seconds: float) -> Sample:
        """See Contestant."""
        plies = decisions = playouts = 0
        end = time.perf_counter() + seconds
        begin = time.thread_time()
        while not playouts or time.perf_counter() < end:
            result = play_game(self._game, self._plan, self._next)
            plies += result.plies
            decisions += result.decisions
            playouts += 1
            self._next += 1
        return Sample(plies, playouts, time.thread_time() - begin, decisions)


class FastMachine:
    """Our fast machine, playing in bulk as `simulate` has it: seeds in, a record a game out."""

    name = "fast"

    def __init__(self, playouts: Playouts, games: int | None) -> None:
        """`games` are played in one call; None: as many as fit."""
        self._playouts = playouts
        self._games = games
        self._next = 0
        self._pace = self._call(1).seconds

    def _call(self, games: int) -> Sample:
        seeds = [seed_words(k) for k in range(self._next, self._next + games)]
        self._next += games
        inside = 0.0
        plain = Instance.call

        def timed(instance: Instance, name: str, *args: int) -> int:
            nonlocal inside
            begin = time.thread_time()
            try:
                return plain(instance, name, *args)
            finally:
                inside += time.thread_time() - begin

        with patch.object(Instance, "call", timed):
            begin = time.thread_time()
            records = self._playouts.play(seeds, CAP)
            spent = time.thread_time() - begin
        assert records.all_finished, "a random game that does not end by the rules"
        return Sample(records.plies, games, spent, records.decisions, inside)

    def go(self, seconds: float) -> Sample:
        """See Contestant."""
        calls: list[Sample] = []
        end = time.perf_counter() + seconds
        while not calls or time.perf_counter() < end:
            fitting = int(seconds * ONCE / max(self._pace, 1e-9))
            call = self._call(self._games or max(1, min(MOST, fitting)))
            self._pace = call.seconds / call.playouts
            calls.append(call)
        return Sample(
            sum(call.plies for call in calls),
            sum(call.playouts for call in calls),
            sum(call.seconds for call in calls),
            sum(call.decisions or 0 for call in calls),
            sum(call.inside or 0.0 for call in calls),
        )


class OpenSpiel:
    """OpenSpiel's own loop over its own game and random bots, in C++: one call a playout."""

    name = "openspiel"

    def __init__(self, library: Any, theirs: str) -> None:
        self._evaluate: Callable[[Any, list[Any], int], object] = library.evaluate_bots
        game = library.load_game(theirs)
        self._begin: Callable[[], Any] = game.new_initial_state
        self._bots = [library.make_uniform_random_bot(player, player) for player in range(game.num_players())]
        self._next = 0

    def go(self, seconds: float) -> Sample:
        """See Contestant."""
        plies = playouts = 0
        end = time.perf_counter() + seconds
        begin = time.thread_time()
        while not playouts or time.perf_counter() < end:
            state = self._begin()
            self._evaluate(state, self._bots, self._next)
            plies += state.move_number()
            playouts += 1
            self._next += 1
        return Sample(plies, playouts, time.thread_time() - begin)


class HandWrittenPython:
    """The game written by hand in Python."""

    name = "python"

    def __init__(self, playout: Playout) -> None:
        self._playout = playout

    def go(self, seconds: float) -> Sample:
        """See Contestant."""
        plies = playouts = 0
        end = time.perf_counter() + seconds
        begin = time.thread_time()
        while not playouts or time.perf_counter() < end:
            plies += sum(self._playout() for _ in range(4))
            playouts += 4
        return Sample(plies, playouts, time.thread_time() - begin)


@dataclass(frozen=True, slots=True)
class Cpp:
    """The C++ games as programs, in variants of which one or the other is faster, by processor; and the compiler with its options."""

    binaries: tuple[Path, ...]
    command: str


class HandWrittenCpp:
    """The game written by hand in C++, in a process of its own each time; the variant that is the fastest here."""

    name = "cpp"

    def __init__(self, cpp: Cpp, game: str) -> None:
        self._game = game
        self._seeds = Random(game)
        tried = [(self._run(binary, TRIED), binary) for binary in cpp.binaries]
        self._binary = max(tried, key=lambda pair: pair[0].plies / max(pair[0].seconds, 1e-9))[1]

    def go(self, seconds: float) -> Sample:
        """See Contestant."""
        return self._run(self._binary, seconds)

    def _run(self, binary: Path, seconds: float) -> Sample:
        command = [str(binary), self._game, str(seconds), str(self._seeds.getrandbits(64))]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        return Sample(int(said[0]), int(said[1]), float(said[2]))


def open_spiel() -> Any | None:
    """OpenSpiel's library; None where it is not installed."""
    try:
        return import_module("pyspiel")
    except ImportError:
        return None


def compiled(folder: Path) -> Cpp | None:
    """The C++ games, compiled into that folder; None where no compiler does it."""
    named = os.environ.get("CXX")
    for compiler in [shlex.split(named)] if named else [["c++"], ["g++"], ["clang++"]]:
        if shutil.which(compiler[0]) is None:
            continue
        for options in ((*OPTIMISED, "-march=native"), OPTIMISED):
            command = [*compiler, *options]
            binaries = tuple(folder / f"by_hand_{k}.exe" for k in range(len(VARIANTS)))
            calls = [
                [*command, *variant, "-o", str(binary), str(SOURCE)]
                for variant, binary in zip(VARIANTS, binaries, strict=True)
            ]
            if all(subprocess.run(call, capture_output=True, check=False).returncode == 0 for call in calls):
                return Cpp(binaries, " ".join(command))
    return None
