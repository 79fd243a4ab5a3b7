"""How a game begins, tried out: do the rules come to a stop whatever is chosen and drawn?

In: a program. Out: the fault at which they stop, or None: some way goes on well, or it takes too long to say. Ways are followed depth
first, the first option first, over a few positions only; a fault counts if every way there is ends in one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from interpreter.ir.ops import Chance
from interpreter.ir.program import Program
from interpreter.machine.cells import Row
from interpreter.machine.faults import BudgetExhausted, GivenUp, MachineFault, RuleFault
from interpreter.machine.reference import Reference

FAR: Final = 12
"""A way that goes on for so many choices and draws goes on well."""
POSITIONS: Final = 40
"""Positions that are looked at in all."""
PATIENCE: Final = 2_000
"""Runs that look-aheads may make in all."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The fault that the first way ends in, and whether anything was chosen or drawn on that way."""

    fault: MachineFault
    asked: bool


def opening_stop(program: Program) -> Stop | None:
    """See above."""
    machine = Reference(program, PATIENCE)
    row = machine.new_row((1, 0))
    try:
        machine.start(row)
        return _beyond(machine, row)
    except (RuleFault, BudgetExhausted) as fault:
        return Stop(fault, False)
    except GivenUp:
        return None


def _beyond(machine: Reference, start: Row) -> Stop | None:
    """The same from a first position on."""
    first: Stop | None = None
    trail = [_moves(machine, start)]
    for _ in range(POSITIONS):
        try:
            if (move := next(trail[-1], None)) is None:
                trail.pop()
                if not trail:
                    return first
                continue
            row, stack, choice = move
            machine.take(row, stack, choice)
            if not machine.waiting(row) or len(trail) == FAR:
                return None
            trail.append(_moves(machine, row))
        except (RuleFault, BudgetExhausted) as fault:
            first = first or Stop(fault, len(trail) > 1)
    return None


def _moves(machine: Reference, row: Row) -> Iterator[tuple[Row, int, int]]:
    """Everything that may be chosen or drawn, each with a row of its own and the stack that waits for it."""
    for stack, block in machine.waiting(row):
        draws = isinstance(machine.program.blocks[block].term, Chance)
        ways = [outcome for outcome, _ in machine.outcomes(row, stack)] if draws else machine.options(row, stack)
        yield from ((row[:], stack, choice) for choice in ways)
