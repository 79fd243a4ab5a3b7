"""The cells of a grid: their names, from a grid's line in `graphs`.

Out: an id, a row and a column for each cell, in reading order. Reported: a grid without cells or with too many, and holes that are none of
its cells. Not done here: printed columns, which rows of a table may add to cells.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from interpreter.syntax.nodes import Grid
from interpreter.text.diagnostic import Sink
from interpreter.text.limits import MEMBERS, refuse
from interpreter.text.suggest import nearest


class Cell(NamedTuple):
    """A cell's id, and its row and column counted from 1."""

    id: str
    row: int
    column: int


def cells_of(line: Grid, sink: Sink) -> tuple[Cell, ...]:
    """The cells of a grid; none where the grid cannot be, which is told."""
    size = line.rows * line.columns
    if size > MEMBERS.most:
        refuse(sink, line.span, MEMBERS, size)
        return ()
    if size == 0:
        sink.error("no-rows", line.span, f"a grid {line.rows} by {line.columns} has no cells")
        return ()
    cells = tuple(Cell(_id(r, c), r + 1, c + 1) for r in range(line.rows) for c in range(line.columns))
    _check_holes(line, tuple(cell.id for cell in cells), sink)
    left = tuple(cell for cell in cells if cell.id not in line.without)
    if not left:
        sink.error("no-rows", line.span, "a grid without all of its cells has none")
    return left


def _check_holes(line: Grid, ids: tuple[str, ...], sink: Sink) -> None:
    for at, (name, span) in enumerate(zip(line.without, line.hole_spans, strict=True)):
        if name in line.without[:at]:
            sink.warning("duplicate-id", span, f"`{name}` is left out twice")
        elif name not in ids:
            near = nearest(name, ids)
            message = f"no cell named `{name}` in this grid"
            help = "cells are named by a letter for the column and a number for the row, such as `a1`"
            if re.fullmatch(r"[a-z]+[0-9]+", name):
                help = f"its cells are `{ids[0]}` to `{ids[-1]}`"
            sink.error("no-such-name", span, message, help=f"did you mean `{near}`?" if near else help)


def _id(row: int, column: int) -> str:
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return f"{letters}{row + 1}"
