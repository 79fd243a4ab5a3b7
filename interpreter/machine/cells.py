"""Values in a row and in locals, and the types of closures over both.

In: a row and the place of a value. Out: the value, or the row changed. A set is an int used as a bit mask, a sequence is a tuple.
Locals hold ints and, in few places, tuples; the checker of types is told ints (`as_int` and a cast where sequences are used are
the doors), so that the common case stays simple.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from interpreter.ir.ir_types import IntT, IrType, SeqT, SetT

Row = list[int]
Locals = list[int]
Items = tuple[int, ...]
Number = Callable[[Row, Locals], int]
Sequenced = Callable[[Row, Locals], Items]
Step = Callable[[Row, Locals], int]
"""A statement: 0 if all went well, else 1 + the index of the check that failed."""

WORD = 2**32
HALF = 2**31


def as_cell(value: int) -> int:
    """The low 32 bits of a mask as a signed cell."""
    value &= WORD - 1
    return value - WORD if value >= HALF else value


def as_int(items: Items) -> int:
    """A sequence where a local or value is due; see the module's docstring."""
    return cast(int, items)


class Members:
    """Elements of a mask in rising order, remembered: the same few masks come again and again."""

    __slots__ = ("_known",)
    LIMIT = 1 << 16

    def __init__(self) -> None:
        self._known: dict[int, Items] = {}

    def __call__(self, mask: int) -> Items:
        found = self._known.get(mask)
        if found is None:
            if len(self._known) >= self.LIMIT:
                self._known.clear()
            found = self._known[mask] = members(mask)
        return found


def members(mask: int) -> Items:
    """Elements of a mask in rising order."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return tuple(found)


def read_value(row: Row, cell: int, kind: IrType) -> int:
    """The value of a type that begins at a cell."""
    match kind:
        case IntT():
            return row[cell]
        case SetT(size):
            mask = 0
            for k in range(max(1, (size + 31) // 32)):
                mask |= (row[cell + k] & (WORD - 1)) << (32 * k)
            return mask
        case SeqT():
            return as_int(tuple(row[cell + 1 : cell + 1 + row[cell]]))


def write_value(row: Row, cell: int, kind: IrType, value: int) -> None:
    """Put a value of a type where it begins."""
    match kind:
        case IntT():
            row[cell] = value
        case SetT(size):
            for k in range(max(1, (size + 31) // 32)):
                row[cell + k] = as_cell(value >> (32 * k))
        case SeqT(size):
            items = cast(Items, value)
            row[cell : cell + size + 1] = [len(items), *items, *[0] * (size - len(items))]
