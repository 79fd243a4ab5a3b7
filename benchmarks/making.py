"""What it takes until a game can be played on the fast machine: building its module, fetching it from the cache, memory.

In: a game and a number of players. Out: seconds and bytes. `Cost` has the time on the wall (what a person waits, on a machine that is
busy with other things more of it) and the processor's time of all threads, as compiling to native code uses several.
"""

from __future__ import annotations

import ctypes
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from interpreter.drivers.simulate import CAP
from interpreter.ir.program import Program
from interpreter.machine.chance import seed_words
from interpreter.machine.protocol import NATURE
from interpreter.machine.wasm.batch import Batch
from interpreter.machine.wasm.host import Compiled
from interpreter.machine.wasm.module import build
from interpreter.pipeline import load

PLAYED = 64
"""Games after which memory is looked at."""


@dataclass(slots=True)
class Cost:
    """Seconds on the wall, and of the processor."""

    wall: float = 0.0
    cpu: float = 0.0


@dataclass(frozen=True, slots=True)
class Building:
    """A module made with nothing in the cache: the program lowered to WebAssembly, and that compiled (and written to the cache).
    Bytes: of the module, of its native code, of the memory that is set aside for a thread, and of its pages that some games have touched
    (None where the system does not tell)."""

    lower: Cost
    native: Cost
    module: int
    code: int
    reserved: int
    touched: int | None


@dataclass(frozen=True, slots=True)
class Start:
    """A game opened with everything in the cache, in a process that has played another one before: its program fetched; the module
    fetched and set to work; the game begun, up to a decision's options and the first of them taken."""

    program: Cost
    module: Cost
    decision: Cost


@contextmanager
def measured() -> Iterator[Cost]:
    """What the block takes; filled in at its end."""
    cost = Cost()
    wall, cpu = time.perf_counter(), time.process_time()
    yield cost
    cost.wall, cost.cpu = time.perf_counter() - wall, time.process_time() - cpu


def building(program: Program) -> Building:
    """Builds the module of a program. Raises Unavailable."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        with measured() as lower:
            built = build(program)
        with measured() as native:
            compiled = Compiled(built.raw, folder)
        code = sum(file.stat().st_size for file in folder.iterdir())
    batch = Batch(program, built, compiled)
    batch.play([seed_words(k) for k in range(PLAYED)], CAP)
    memory = batch._instance.bytes
    return Building(lower, native, len(built.raw), code, len(memory), touched(memory))


def start(name: str, players: int) -> Start:
    """Opens a game of which everything is in the cache."""
    with measured() as fetched:
        game = load(name)
        game.program(players)
    with measured() as module:
        game.machine(players)
    with measured() as decision:
        state = game.new(players, 0)
        while (acting := state.to_act()) == NATURE:
            state.apply(state.draw())
        state.apply(state.legal(acting[0])[0])
    return Start(fetched, module, decision)


def touched(whole: memoryview) -> int | None:
    """Bytes of the pages of some memory that are really there; None where the system does not tell."""
    begin = ctypes.addressof(ctypes.c_ubyte.from_buffer(whole))
    try:
        lines = Path("/proc/self/smaps").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    found, within = 0, False
    for line in lines:
        if mapping := re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line):
            within = begin <= int(mapping[1], 16) < begin + len(whole)
        elif within and (kilobytes := re.match(r"Rss:\s+(\d+) kB", line)):
            found += 1024 * int(kilobytes[1])
    return found
