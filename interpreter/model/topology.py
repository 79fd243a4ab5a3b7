"""Board topology: graphs and grids to tables. networkx checks and measures, the tables are plain tuples.

In: edges between members of one domain. Out: neighbour masks, straight lines, directions, scan orders.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import networkx as nx


def build(size: int, edges: Iterable[tuple[int, int, bool]]) -> nx.DiGraph[int]:
    """A directed graph over members 0..size-1; an edge that is not one-way goes in both directions."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(size))
    for start, end, one_way in edges:
        graph.add_edge(start, end)
        if not one_way:
            graph.add_edge(end, start)
    return graph


def neighbour_masks(graph: nx.DiGraph[int]) -> tuple[int, ...]:
    """For each member the set of members one step away, as a mask."""
    return tuple(sum(1 << n for n in graph.successors(i)) for i in range(graph.number_of_nodes()))


def steps(edges: Iterable[tuple[int, int, bool]]) -> tuple[tuple[int, int], ...]:
    """Every way from a member to the next, in order; an edge that is not one-way is two."""
    found = set()
    for start, end, one_way in edges:
        found.add((start, end))
        if not one_way:
            found.add((end, start))
    return tuple(sorted(found))


def components(graph: nx.DiGraph[int]) -> tuple[tuple[int, ...], ...]:
    """Parts of the graph that no edge connects (directions ignored), each sorted, isolated members left out."""
    return tuple(tuple(sorted(part)) for part in nx.weakly_connected_components(graph) if len(part) > 1)


DIAGONALS: Final = {"none": (), "all": ((1, -1), (1, 1)), "rising": ((1, -1),), "falling": ((1, 1),)}
"""The steps down of each way cells may touch at corners; a diagonal rises if it goes up to the right."""


def grid_edges(places: dict[tuple[int, int], int], diagonals: str = "none") -> tuple[tuple[int, int, bool], ...]:
    """Edges between cells that share a side, or a corner along these diagonals; `places` maps (row, column) to a member."""
    found = []
    for (row, column), index in places.items():
        for down, right in ((0, 1), (1, 0), *DIAGONALS[diagonals]):
            other = (row + down, column + right)
            if other in places:
                found.append((index, places[other], False))
    return tuple(found)


def around_masks(places: dict[tuple[int, int], int], size: int) -> tuple[int, ...]:
    """For each cell the cells beside and diagonal to it."""
    masks = [0] * size
    for (row, column), index in places.items():
        for dr in (-1, 0, 1):
            for dc in (-1, 0, 1):
                other = places.get((row + dr, column + dc))
                if other is not None and other != index:
                    masks[index] |= 1 << other
    return tuple(masks)


def beyond_table(places: dict[tuple[int, int], int], size: int) -> tuple[int, ...]:
    """At a * size + b: the cell after b in the direction from a, where a and b touch; else -1."""
    table = [-1] * (size * size)
    for (row, column), a in places.items():
        for dr in (-1, 0, 1):
            for dc in (-1, 0, 1):
                b = places.get((row + dr, column + dc))
                if b is not None and b != a:
                    table[a * size + b] = places.get((row + 2 * dr, column + 2 * dc), -1)
    return tuple(table)


Rays = tuple[tuple[int, ...], tuple[int, ...]]


def rays(places: dict[tuple[int, int], int], size: int) -> Rays:
    """Straight ways over a grid. First, at a * size + b: from which of the eight directions b is seen from a along cells without a hole,
    counted from 1; else 0. Second, at b * 9 + that number: b and the cells behind it in this direction, as a mask; none for 0."""
    seen = [0] * (size * size)
    masks = [0] * (size * 9)
    ways = [(dr, dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if dr or dc]
    for (row, column), a in places.items():
        for number, (dr, dc) in enumerate(ways, 1):
            mask, step = 1 << a, 1
            while (b := places.get((row + step * dr, column + step * dc))) is not None:
                seen[a * size + b] = number
                mask |= 1 << b
                step += 1
            masks[a * 9 + number] = mask
    return tuple(seen), tuple(masks)


def line_masks(places: dict[tuple[int, int], int], length: int) -> tuple[int, ...]:
    """Every straight run of `length` cells (across, down, both diagonals), as masks, by first cell in reading order."""
    found: list[int] = []
    if length > len(places):
        return ()
    for row, column in sorted(places):
        for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
            run = [places.get((row + i * dr, column + i * dc)) for i in range(length)]
            if all(c is not None for c in run):
                found.append(sum(1 << c for c in run if c is not None))
    return tuple(found)


CORNERS: Final = range(1, 5)
"""The corners of a grid by number: first row first column, first row last column, last row first column, last row last column."""


def scan_orders(places: dict[tuple[int, int], int], by_column: bool = False) -> tuple[tuple[int, ...], ...]:
    """All cells in reading order from each corner: row by row, each row from the corner's column on; or column by column, each column
    from the corner's row on."""
    orders = []
    for corner in CORNERS:
        down, right = (1 if corner <= 2 else -1), (1 if corner % 2 else -1)
        ranked = sorted(
            (c * right, r * down, i) if by_column else (r * down, c * right, i) for (r, c), i in places.items()
        )
        orders.append(tuple(i for _, _, i in ranked))
    return tuple(orders)
