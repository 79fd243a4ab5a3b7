"""What an expression costs to work out, and which variables it reads.

In: an expression and the program. Out: a rough number of operations, and the variables that its value depends on. Machines remember
values with it: one that costs more than looking at what it depends on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from interpreter.ir.ops import Alike, Best, Expr, Fn, Load, Probe, Query, Reach, SetConst, Sort
from interpreter.ir.program import Program
from interpreter.ir.walk import parts_of

LOOP: Final = 8
"""Rounds that a loop over a set is taken to make where nothing says more."""


@dataclass(frozen=True, slots=True)
class Weight:
    """What an expression costs in operations, and the variables it reads; `known` is false if it looks ahead."""

    cost: int
    reads: frozenset[int]
    known: bool = True


class Weights:
    """Weights in one program; `lanes` is how many elements of a fixed set a machine works out side by side."""

    def __init__(self, program: Program, lanes: int = 1) -> None:
        self._program = program
        self._lanes = lanes
        self._weights: dict[int, tuple[Expr, Weight]] = {}
        self._functions: dict[int, Weight] = {}

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
                body = self.function(f)
                inner = [self.weight(part) for part in parts_of(expr)]
                return _sum([body, *inner], 2)
            case Load(v):
                index = self.weight(expr.index)
                return Weight(index.cost + 1, index.reads | {v}, index.known)
            case Query(domain=domain) | Best(domain=domain) | Sort(domain=domain):
                outer, *inner = (self.weight(part) for part in parts_of(expr))
                rounds = -(-domain.mask.bit_count() // self._lanes) if isinstance(domain, SetConst) else LOOP
                return _sum([outer, *(Weight((w.cost + 1) * rounds, w.reads, w.known) for w in inner)], 2)
            case Reach():
                step, *rest = (self.weight(part) for part in parts_of(expr))
                return _sum([Weight(step.cost * LOOP, step.reads, step.known), *rest], 4)
            case _:
                return _sum([self.weight(part) for part in parts_of(expr)], 1)

    def function(self, f: int) -> Weight:
        """Cost and reads of a function's body."""
        found = self._functions.get(f)
        if found is None:
            found = self._functions[f] = self.weight(self._program.funcs[f].body)
        return found


def _sum(parts: list[Weight], more: int) -> Weight:
    reads: frozenset[int] = frozenset().union(*(part.reads for part in parts))
    return Weight(more + sum(part.cost for part in parts), reads, all(part.known for part in parts))
