"""Remembering what pure expressions came to.

An expression without look-ahead is a function of the locals and cells it reads. Where working it out costs more than looking at
these, its closure is wrapped: the values it reads are the key of a small table. This changes no result and keeps no state of a game;
a table that is full is emptied.

In: an expression, its closure and the program. Out: the closure, or one around it.
"""

from __future__ import annotations

from typing import Final

from interpreter.ir.cost import Weights
from interpreter.ir.ir_types import cells
from interpreter.ir.ops import Best, Expr, Fn, Query, Reach, Sort
from interpreter.ir.program import Program
from interpreter.ir.walk import free_locals
from interpreter.machine.cells import Locals, Number, Row

FULL: Final = 2048
"""Entries of one table."""
MOST_CELLS: Final = 80
MOST_LOCALS: Final = 6
WORTH: Final = 20
"""Operations that the look-up of a key costs, beside those for its cells."""
CELL: Final = 8
"""Operations for each cell of a key: it is compared, and the more cells there are, the seldomer the same key comes back."""


class Memory:
    """Decides what is worth remembering in one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._weights = Weights(program)

    def around(self, expr: Expr, made: Number) -> Number:
        """The closure of an expression, wrapped if that pays."""
        if not isinstance(expr, Query | Best | Sort | Reach | Fn):
            return made
        weight = self._weights.weight(expr)
        if not weight.known or weight.cost < WORTH:
            return made
        spans = self._spans(weight.reads)
        size = sum(end - start for start, end in spans)
        names = sorted(free_locals(expr, {}))
        if size > MOST_CELLS or len(names) > MOST_LOCALS or weight.cost < WORTH + CELL * size or len(spans) > 2:
            return made
        return remembered(made, names, spans)

    def _spans(self, reads: frozenset[int]) -> list[tuple[int, int]]:
        """The cells of variables, as few stretches as possible."""
        spans: list[tuple[int, int]] = []
        for var in sorted((self._program.vars[v] for v in reads), key=lambda var: var.base):
            end = var.base + var.count * cells(var.type)
            if spans and spans[-1][1] == var.base:
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((var.base, end))
        return spans


def remembered(made: Number, names: list[int], spans: list[tuple[int, int]]) -> Number:
    """A closure that looks up what it came to with these locals and cells."""
    table: dict[tuple[int, ...], int] = {}
    if not spans:
        spans = [(0, 0)]
    (start, end), (second, stop) = spans[0], spans[1] if len(spans) > 1 else (0, 0)
    a, b = (*names, 0, 0)[:2]
    many = len(names)

    def one_stretch(row: Row, slots: Locals) -> int:
        key = tuple(row[start:end])
        found = table.get(key)
        if found is None:
            if len(table) >= FULL:
                table.clear()
            found = table[key] = made(row, slots)
        return found

    def one_local(row: Row, slots: Locals) -> int:
        key = (slots[a], *row[start:end])
        found = table.get(key)
        if found is None:
            if len(table) >= FULL:
                table.clear()
            found = table[key] = made(row, slots)
        return found

    def two_locals(row: Row, slots: Locals) -> int:
        key = (slots[a], slots[b], *row[start:end])
        found = table.get(key)
        if found is None:
            if len(table) >= FULL:
                table.clear()
            found = table[key] = made(row, slots)
        return found

    def general(row: Row, slots: Locals) -> int:
        key = (*[slots[n] for n in names], *row[start:end], *row[second:stop])
        found = table.get(key)
        if found is None:
            if len(table) >= FULL:
                table.clear()
            found = table[key] = made(row, slots)
        return found

    if len(spans) > 1 or many > 2:
        return general
    return (one_stretch, one_local, two_locals)[many]
