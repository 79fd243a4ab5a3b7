"""Which ways between places a map does not show: edges of a graph whose ends do not lie side by side.

In: a checked model and what `show:` says of a map, as plain data. Out: pairs of ids. Edges that hold only at times are left out, and so is
a graph most of whose edges lie apart: such a map does not mean to show it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from interpreter.model.game_model import Model


@dataclass(frozen=True, slots=True)
class _Box:
    """A place on a map: columns `left` to before `right`, and a row."""

    left: int
    right: int
    row: int

    def touches(self, other: _Box) -> bool:
        """Whether the two share a side."""
        if self.row == other.row:
            return self.right == other.left or other.right == self.left
        return abs(self.row - other.row) == 1 and self.left < other.right and other.left < self.right


def ways_apart(model: Model, entry: Mapping[object, object]) -> list[list[str]]:
    """From, to, and `→` or `–`, for each way that the map of this entry does not show."""
    if not isinstance(entry.get("map"), list):
        return []
    boxes = {str(id_): box for id_, spot in entry.items() if (box := _box(spot)) is not None}
    found: list[list[str]] = []
    for graph in model.graphs.values():
        ids = model.domains[graph.domain].ids
        ways = {(a, b) for a, mask in enumerate(graph.static) for b in range(len(ids)) if mask >> b & 1}
        drawn = sorted((a, b) for a, b in ways if ids[a] in boxes and ids[b] in boxes and (a < b or (b, a) not in ways))
        apart = [(a, b) for a, b in drawn if not boxes[ids[a]].touches(boxes[ids[b]])]
        if 2 * len(apart) < len(drawn):
            found += [[ids[a], ids[b], "–" if (b, a) in ways else "→"] for a, b in apart]
    return found


def _box(spot: object) -> _Box | None:
    at = spot.get("at") if isinstance(spot, dict) else None
    if not isinstance(spot, dict) or not isinstance(at, list) or len(at) != 2:
        return None
    left, row, width = at[0], at[1], spot.get("width", 1)
    if not (isinstance(left, int) and isinstance(row, int) and isinstance(width, int)):
        return None
    return _Box(left, left + width, row)
