"""A graph of places as an SVG picture.

In: names, edges, and where places lie if the definition says so. Out: the text of an SVG file without scripts, fonts or links.
Places with coordinates become boxes; without, they stand on a circle, in the order of the file. Edges are lines between middles,
arrows where they go one way, dashed where they hold only at times. Text carries everything: colour adds nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape

from interpreter.drivers.drawing.words import GRID_ID, Place
from interpreter.drivers.layout import fold_name

UNIT: Final = 60
ROW: Final = 90
MARGIN: Final = 20


@dataclass(frozen=True, slots=True)
class Edge:
    """From one place to another (indices of names); `sometimes`: only while a condition holds."""

    start: int
    end: int
    one_way: bool = False
    sometimes: bool = False


@dataclass(frozen=True, slots=True)
class Box:
    """Where a place is drawn, in pixels."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> tuple[float, float]:
        """Its centre."""
        return self.x + self.width / 2, self.y + self.height / 2


def graph_svg(
    title: str, ids: Sequence[str], names: Sequence[str], edges: Sequence[Edge], places: Sequence[Place]
) -> str:
    """The picture as text. `places` may be empty or leave some members out; those are not drawn."""
    boxes = _boxes(ids, places)
    wide = max([b.x + b.width for b in boxes.values()], default=0.0) + MARGIN
    high = max([b.y + b.height for b in boxes.values()], default=0.0) + MARGIN
    said = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:.0f} {high:.0f}" role="img" '
        f'font-family="sans-serif" font-size="13">',
        f"<title>{escape(title)}</title>",
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#555"/></marker></defs>',
        f'<rect width="{wide:.0f}" height="{high:.0f}" fill="#fff"/>',
    ]
    said += [_rectangle(box) for box in boxes.values()]
    said += [_line(boxes[e.start], boxes[e.end], e) for e in edges if e.start in boxes and e.end in boxes]
    for member, box in boxes.items():
        said += _label(names[member], box)
    said.append("</svg>")
    return "\n".join(said) + "\n"


def _boxes(ids: Sequence[str], places: Sequence[Place]) -> dict[int, Box]:
    if places:
        return {
            p.member: Box(MARGIN + p.x * UNIT, MARGIN + (p.row - 1) * ROW, p.width * UNIT - 6.0, ROW - 6.0)
            for p in places
        }
    spots = [GRID_ID.fullmatch(i) for i in ids]
    if ids and all(spots):
        return {
            i: Box(
                MARGIN + (ord(m.group(1)) - ord("a")) * UNIT, MARGIN + (int(m.group(2)) - 1) * UNIT, UNIT - 6, UNIT - 6
            )
            for i, m in enumerate(spots)
            if m is not None
        }
    radius = max(120.0, len(ids) * 18.0)
    made = {}
    for i in range(len(ids)):
        angle = 2 * math.pi * i / len(ids) - math.pi / 2
        made[i] = Box(MARGIN + radius * (1 + math.cos(angle)), MARGIN + radius * (1 + math.sin(angle)), 110, 40)
    return made


def _rectangle(box: Box) -> str:
    return (
        f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="4" '
        'fill="#f4f1ea" stroke="#555"/>'
    )


def _line(start: Box, end: Box, edge: Edge) -> str:
    (x1, y1), (x2, y2) = start.middle, end.middle
    if edge.one_way:
        x2, y2 = _border(start.middle, end)
    dash = ' stroke-dasharray="5 4"' if edge.sometimes else ""
    arrow = ' marker-end="url(#arrow)"' if edge.one_way else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#999" stroke-width="2"{dash}{arrow}/>'
    )


def _border(start: tuple[float, float], end: Box) -> tuple[float, float]:
    """Where the line from a point to the middle of a box enters the box."""
    x, y = end.middle
    dx, dy = start[0] - x, start[1] - y
    scale = min(
        end.width / 2 / abs(dx) if dx else math.inf,
        end.height / 2 / abs(dy) if dy else math.inf,
        1.0,
    )
    return x + dx * scale, y + dy * scale


def _label(name: str, box: Box) -> list[str]:
    x, y = box.middle
    lines = fold_name(name, max(8, int(box.width / 7.5)))
    top = y - (len(lines) - 1) * 8 + 4
    return [
        f'<text x="{x:.1f}" y="{top + 16 * i:.1f}" text-anchor="middle" stroke="#f4f1ea" stroke-width="4" '
        f'paint-order="stroke">{escape(text)}</text>'
        for i, text in enumerate(lines)
    ]
