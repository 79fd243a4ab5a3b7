"""Remembering what pure expressions came to.

An expression without look-ahead is a function of the locals and cells it reads. Where working it out costs more than looking at
these, its closure is wrapped: the values it reads are the key of a small table. This changes no result and keeps no state of a game;
a table that is full is emptied.

In: an expression, its closure and the program. Out: the closure, or one around it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from interpreter.ir.ir_types import cells
from interpreter.ir.ops import Alike, Best, Expr, Fn, Load, Probe, Query, Reach, SetConst, Sort
from interpreter.ir.program import Program
from interpreter.ir.walk import free_locals, parts_of
from interpreter.machine.cells import Locals, Number, Row

FULL: Final = 2048
"""Entries of one table."""
MOST_CELLS: Final = 80
MOST_LOCALS: Final = 6
WORTH: Final = 20
"""Operations that the look-up of a key costs, beside those for its cells."""
CELL: Final = 8
"""Operations for each cell of a key: it is compared, and the more cells there are, the seldomer the same key comes back."""
LOOP: Final = 8
"""Rounds that a loop over a set is taken to make where nothing says more."""


@dataclass(frozen=True, slots=True)
class Weight:
    """What an expression costs in operations, and the variables it reads; `known` is false if it looks ahead."""

    cost: int
    reads: frozenset[int]
    known: bool = True


class Memory:
    """Decides what is worth remembering in one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._weights: dict[int, tuple[Expr, Weight]] = {}
        self._functions: dict[int, Weight] = {}

    def around(self, expr: Expr, made: Number) -> Number:
        """The closure of an expression, wrapped if that pays."""
        if not isinstance(expr, Query | Best | Sort | Reach | Fn):
            return made
        weight = self.weight(expr)
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

    def weight(self, expr: Expr) -> Weight:
        """Cost and reads of an expression, worked out once."""
        found = self._weights.get(id(expr))
        if found is None or found[0] is not expr:
            found = (expr, self._weigh(expr))
            self._weights[id(expr)] = found
        return found[1]

    def _weigh(self, expr: Expr) -> Weight:
        match expr:
            case Probe() | Alike():
                return Weight(0, frozenset(), known=False)
            case Fn(f):
                body = self._function(f)
                inner = [self.weight(part) for part in parts_of(expr)]
                return _sum([body, *inner], 2)
            case Load(v):
                index = self.weight(expr.index)
                return Weight(index.cost + 1, index.reads | {v}, index.known)
            case Query(domain=domain) | Best(domain=domain) | Sort(domain=domain):
                outer, *inner = (self.weight(part) for part in parts_of(expr))
                rounds = domain.mask.bit_count() if isinstance(domain, SetConst) else LOOP
                return _sum([outer, *(Weight((w.cost + 1) * rounds, w.reads, w.known) for w in inner)], 2)
            case Reach():
                step, *rest = (self.weight(part) for part in parts_of(expr))
                return _sum([Weight(step.cost * LOOP, step.reads, step.known), *rest], 4)
            case _:
                return _sum([self.weight(part) for part in parts_of(expr)], 1)

    def _function(self, f: int) -> Weight:
        found = self._functions.get(f)
        if found is None:
            found = self._functions[f] = self.weight(self._program.funcs[f].body)
        return found


def _sum(parts: list[Weight], more: int) -> Weight:
    reads: frozenset[int] = frozenset().union(*(part.reads for part in parts))
    return Weight(more + sum(part.cost for part in parts), reads, all(part.known for part in parts))


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
