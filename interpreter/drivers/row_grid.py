"""Grids of cards: rows of slots that lie in columns and rows, one for each player, beside each other where there is room.

In: grids of cells, each with what lies there in words. Out: styled lines, at most as wide as asked. What a card is called, what
lies on it and who may see it is decided by who makes the cells. Nothing here depends on what lies in the cells but how high a line
of them is, so that the grids keep their places while cards come and go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from interpreter.drivers.layout import (
    Line,
    clip,
    clip_line,
    fold_name,
    fold_pieces,
    line,
    pad,
    pad_line,
    width,
)

GAP: Final = 3
MARGIN: Final = 3
EASY: Final = 8
NAME_LINES: Final = 2

EMPTY: Final[Line] = (("·", "dim"),)


@dataclass(frozen=True, slots=True)
class Cell:
    """A card in a slot: its name, a shorter one if there is one, and what lies on it. A hidden card has another style."""

    name: str
    short: str
    on: tuple[Line, ...] = ()
    style: str = ""

    def lines(self, room: int) -> list[Line]:
        """The name, the short one if the whole does not fit, folded if it must be; below it what lies on the card."""
        name = self.name if width(self.name) <= room else self.short
        folded = fold_name(name, room)
        kept = folded if len(folded) <= NAME_LINES else [*folded[: NAME_LINES - 1], " ".join(folded[NAME_LINES - 1 :])]
        made = [line((clip(text, room), self.style)) for text in kept]
        return [*made, *[clip_line(text, room) for text in fold_pieces(self.on, room)]]


@dataclass(frozen=True, slots=True)
class Grid:
    """One grid: whose it is, and its slots by row and column; a slot with None is empty, one that is missing is no slot."""

    head: Line
    cells: dict[tuple[int, str], Cell | None]


def grid_lines(grids: Sequence[Grid], names: tuple[int, int], height: int, room: int) -> list[Line]:
    """Grids of one shape, as many beside each other as are easy to read. `names` are the widths of the longest name that may lie in
    them and of the longest short one, `height` the least number of lines in a row."""
    if not grids:
        return []
    rows = sorted({row for grid in grids for row, _ in grid.cells})
    columns = sorted({column for grid in grids for _, column in grid.cells})
    headed = any(grid.head for grid in grids)
    long, short = names
    across = next(n for n in range(len(grids), 0, -1) if n == 1 or _cell_width(n, columns, room) >= min(short, EASY))
    wide = max(1, min(long, _cell_width(across, columns, room)))
    size = MARGIN + len(columns) * (wide + 1) - 1
    made: list[Line] = []
    for first in range(0, len(grids), across):
        made += [()] if first else []
        band = [
            [*([[grid.head]] if headed else []), *_one(grid, rows, columns, wide, height)]
            for grid in grids[first : first + across]
        ]
        # Rows of neighbours begin on the same line, however much lies in them.
        for parts in zip(*band, strict=True):
            for n in range(max(len(part) for part in parts)):
                side = [clip_line(part[n], size) if n < len(part) else () for part in parts]
                made.append((*(p for text in side[:-1] for p in pad_line(text, size + GAP)), *side[-1]))
    return made


def _cell_width(across: int, columns: Sequence[str], room: int) -> int:
    """Room for a cell where so many grids stand beside each other."""
    each = (room - GAP * (across - 1)) // across
    return (each - MARGIN + 1) // len(columns) - 1


def _one(grid: Grid, rows: Sequence[int], columns: Sequence[str], wide: int, height: int) -> list[list[Line]]:
    """A grid in parts: the letters of its columns, and each row as lines."""
    letters = " ".join(pad(column, wide) for column in columns)
    made = [[line((" " * MARGIN + letters, "dim"))]]
    for row in rows:
        texts = [_cell(grid, (row, column), wide) for column in columns]
        part: list[Line] = []
        for n in range(max(height, *(len(t) for t in texts))):
            start = f"{row:2} " if n == 0 else " " * MARGIN
            cells = [pad_line(t[n] if n < len(t) else (), wide) for t in texts]
            part.append(((start, "dim"), *[piece for cell in cells for piece in (*cell, (" ", ""))][:-1]))
        made.append(part)
    return made


def _cell(grid: Grid, spot: tuple[int, str], room: int) -> list[Line]:
    if spot not in grid.cells:
        return [()]
    cell = grid.cells[spot]
    return [EMPTY] if cell is None else cell.lines(room)
