"""Functions whose results are remembered until something they read is written.

In: a program. Out: which of its functions are worth it, where their results lie, and code around their bodies. Results lie right behind
the row, each function's beginning with a word that says for which arguments there is one; look-ahead logs them like the row, so that a
row that is put back brings its own. A store to a variable forgets the results that depend on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from interpreter.ir.cost import Weights
from interpreter.ir.ir_types import IntT, SeqT
from interpreter.ir.program import Program
from interpreter.machine.wasm.values import shape

WORTH: Final = 300
"""Operations from which remembering pays."""
KEYS: Final = 64
"""Combinations of arguments: the bits of one word."""
LANES: Final = 4
ROOM: Final = 512
"""Bytes that one function's results may take."""
WORD: Final = 8


@dataclass(frozen=True, slots=True)
class Remembered:
    """One function: `at` is the offset of its word behind the row, its results follow; `size` bytes in all. The key is the arguments in
    mixed radix: `lows` and `counts` of their intervals."""

    at: int
    size: int
    lows: tuple[int, ...]
    counts: tuple[int, ...]
    reads: frozenset[int]


def remembered(program: Program) -> dict[int, Remembered]:
    """The functions that are worth it."""
    weights = Weights(program, LANES)
    found: dict[int, Remembered] = {}
    at = 0
    for f, func in enumerate(program.funcs):
        kinds = func.locals[: func.params]
        numbers = [kind for kind in kinds if isinstance(kind, IntT)]
        weight = weights.function(f)
        if len(numbers) < len(kinds) or isinstance(func.result, SeqT) or not weight.known or weight.cost < WORTH:
            continue
        keys = 1
        for kind in numbers:
            keys *= kind.hi - kind.lo + 1
        size = WORD + WORD * len(shape(func.result)) * keys
        if keys > KEYS or size > ROOM:
            continue
        lows, counts = tuple(k.lo for k in numbers), tuple(k.hi - k.lo + 1 for k in numbers)
        found[f] = Remembered(at, size, lows, counts, weight.reads)
        at += size
    return found
