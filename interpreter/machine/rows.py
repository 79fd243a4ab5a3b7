"""Rows at rest: how one begins, and where its stacks wait. Both machines build on it."""

from __future__ import annotations

from interpreter.ir.ir_types import cells
from interpreter.ir.program import Program
from interpreter.ir.row import EMPTY, RUNNING, SEED_HIGH, SEED_LOW, STATUS, pc_cell
from interpreter.machine.cells import Row, as_int, write_value


def first_row(program: Program, seed: tuple[int, int]) -> Row:
    """The row before the first block; `seed` as two signed cells."""
    row = [0] * program.row_cells
    row[SEED_LOW], row[SEED_HIGH] = seed
    for var in program.vars:
        width = cells(var.type)
        for i, value in enumerate(var.initial):
            write_value(row, var.base + i * width, var.type, value if isinstance(value, int) else as_int(value))
    for stack in range(1 + program.players):
        row[pc_cell(stack)] = EMPTY
    return row


def waiting(program: Program, row: Row) -> list[tuple[int, int]]:
    """(stack, block) of each stack that waits at a Choose or Chance; the main stack waits for nothing while seats' stacks run."""
    if row[STATUS] != RUNNING:
        return []
    seats = range(1, 1 + program.players) if program.forks else ()
    found = [(k, row[pc_cell(k)]) for k in seats if row[pc_cell(k)] != EMPTY]
    if not found and row[pc_cell(0)] != EMPTY:
        found.append((0, row[pc_cell(0)]))
    return found
