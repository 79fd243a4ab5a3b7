"""Machine types. Every value at run time is a number, a set of small numbers, or a sequence of distinct small numbers.

How the language's values become these:

| value | as |
|---|---|
| number | itself, within lo..hi |
| true or false | 1 or 0 |
| player, enum member, row of a table, piece | its index from 0 |
| nothing, where a player, member, row or piece could be | `NOTHING` (-1) |
| nothing, where a number could be | `NO_NUMBER` (the least int32) |
| set | a set of indices (or of numbers from 0), at most `size` of them possible; `SetT` |
| order of things | a sequence of distinct indices below `size`; `SeqT` |
| effect | the id of a procedure |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

NOTHING: Final = -1
NO_NUMBER: Final = -(2**31)
INT32: Final = (-(2**31), 2**31 - 1)
LEAST_NUMBER: Final = NO_NUMBER + 1
MOST_NUMBER: Final = INT32[1]
"""The numbers of the language; what is outside is a fault, and the least int32 is none."""


@dataclass(frozen=True, slots=True)
class IntT:
    """One cell; `lo..hi` are both possible."""

    lo: int
    hi: int


@dataclass(frozen=True, slots=True)
class SetT:
    """A set of numbers 0..size-1: bit k of the set stands in cell k // 32 as bit k % 32 (cells are signed int32)."""

    size: int


@dataclass(frozen=True, slots=True)
class SeqT:
    """Up to `size` distinct numbers 0..size-1 in order: a cell for the length, then `size` cells, unused ones 0."""

    size: int


IrType = IntT | SetT | SeqT
BOOL: Final = IntT(0, 1)


def cells(kind: IrType) -> int:
    """How many int32 cells a value takes in the row."""
    match kind:
        case IntT():
            return 1
        case SetT(size):
            return max(1, (size + 31) // 32)
        case SeqT(size):
            return size + 1
