"""A drawing of boxes and texts, character by character.

In: rectangles and styled texts at columns and rows. Out: styled lines. Borders that meet become joints; what is written last is on top.
"""

from __future__ import annotations

from typing import Final

from interpreter.drivers.layout import Line, Piece, width

# Joints of lines by the directions they go in: 1 up, 2 right, 4 down, 8 left.
JOINTS: Final = " │─└││┌├─┘─┴┐┤┬┼"


class Canvas:
    """Characters by place; lines that meet become joints."""

    def __init__(self) -> None:
        self._edges: dict[tuple[int, int], int] = {}
        self._texts: dict[tuple[int, int], Piece] = {}

    def box(self, left: int, top: int, right: int, bottom: int) -> None:
        """The border of a rectangle."""
        for x in range(left, right):
            for y in (top, bottom):
                self._edges[y, x] = self._edges.get((y, x), 0) | 2
                self._edges[y, x + 1] = self._edges.get((y, x + 1), 0) | 8
        for y in range(top, bottom):
            for x in (left, right):
                self._edges[y, x] = self._edges.get((y, x), 0) | 4
                self._edges[y + 1, x] = self._edges.get((y + 1, x), 0) | 1

    def write(self, x: int, y: int, pieces: Line) -> None:
        """Text from a place on to the right."""
        for text, style in pieces:
            for char in text:
                self._texts[y, x] = (char, style)
                x += 1
                for _ in range(width(char) - 1):
                    self._texts[y, x] = ("", style)
                    x += 1

    def lines(self) -> list[Line]:
        """What was drawn, neighbouring characters of one style together."""
        places = [*self._edges, *self._texts]
        if not places:
            return []
        bottom, right = max(y for y, _ in places), max(x for _, x in places)
        made: list[Line] = []
        for y in range(bottom + 1):
            pieces: list[Piece] = []
            for x in range(right + 1):
                char, style = self._texts.get((y, x), (JOINTS[self._edges.get((y, x), 0)], "dim"))
                if pieces and pieces[-1][1] == style:
                    pieces[-1] = (pieces[-1][0] + char, style)
                else:
                    pieces.append((char, style))
            made.append(tuple(pieces))
        return made
