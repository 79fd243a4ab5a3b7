"""A control-flow graph as nested blocks and loops.

In: nodes numbered from 0 (the root) and where each leads. Out: the order in which to emit them, where loops begin, and which nodes are
reached from several places. A loop that is entered at several nodes gets a node of its own at its head, from which a number says
where to go on. Structured by dominators, after Ramsey, "Beyond Relooper" (ICFP 2022); dominators after Cooper, Harvey and Kennedy (2001).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Graph:
    """`edges[v]` are where node v leads, in order. A gate is a node that goes where a number says: `gates[v]` are its ways, and
    `through[(u, w)]` says that the edge from u to w goes through gate number v instead."""

    edges: list[list[int]]
    gates: dict[int, list[int]] = field(default_factory=dict)
    through: dict[tuple[int, int], int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shape:
    """How to emit a graph: `number[v]` its place in reverse postorder (-1: nothing leads there), `children[v]` the nodes it directly
    dominates, in that order, `loops` the heads of loops, `merges` the nodes that several edges lead to from before."""

    number: list[int]
    children: list[list[int]]
    loops: frozenset[int]
    merges: frozenset[int]


def with_gates(edges: Sequence[Sequence[int]]) -> Graph:
    """The graph with a gate at the head of every loop that is entered at several nodes."""
    graph = Graph([list(dict.fromkeys(ways)) for ways in edges])
    todo: list[tuple[frozenset[int], frozenset[int]]] = [(frozenset(range(len(edges))), frozenset())]
    while todo:
        inside, heads = todo.pop()
        for part in _components(graph, inside, heads):
            if len(part) == 1:
                (only,) = part
                if only in heads or only not in graph.edges[only]:
                    continue
            entries = sorted(_entries(graph, part))
            if len(entries) > 1:
                head = _add_gate(graph, entries)
                part = part | {head}
            else:
                head = entries[0]
            todo.append((part, heads | {head}))
    return graph


def _entries(graph: Graph, part: frozenset[int]) -> set[int]:
    found = {w for v, ways in enumerate(graph.edges) if v not in part for w in ways if w in part}
    # Nothing leads into the part from outside: it is unreachable, or holds the root.
    return found or {min(part)}


def _add_gate(graph: Graph, entries: list[int]) -> int:
    gate = len(graph.edges)
    graph.gates[gate] = entries
    for v, ways in enumerate(graph.edges):
        for w in ways:
            if w in entries:
                graph.through[v, w] = gate
        if any(w in entries for w in ways):
            kept = [w for w in ways if w not in entries]
            graph.edges[v] = [*kept, gate]
    graph.edges.append(list(entries))
    return gate


def _components(graph: Graph, inside: frozenset[int], heads: frozenset[int]) -> list[frozenset[int]]:
    """Strongly connected parts of the nodes inside, without edges to the heads (Tarjan 1972, without recursion)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on: set[int] = set()
    found: list[frozenset[int]] = []

    def ways(v: int) -> list[int]:
        return [w for w in graph.edges[v] if w in inside and w not in heads]

    for root in sorted(inside):
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        work = [(root, iter(ways(root)))]
        while work:
            v, rest = work[-1]
            w = next(rest, None)
            if w is not None:
                if w not in index:
                    index[w] = low[w] = len(index)
                    stack.append(w)
                    on.add(w)
                    work.append((w, iter(ways(w))))
                elif w in on:
                    low[v] = min(low[v], index[w])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[v])
            if low[v] == index[v]:
                part = set()
                while True:
                    w = stack.pop()
                    on.discard(w)
                    part.add(w)
                    if w == v:
                        break
                found.append(frozenset(part))
    return found


def shape_of(graph: Graph) -> Shape:
    """How to emit a graph in which every loop has one head."""
    order = _postorder(graph)
    number = [-1] * len(graph.edges)
    for place, v in enumerate(reversed(order)):
        number[v] = place
    before: list[list[int]] = [[] for _ in graph.edges]
    for v in order:
        for w in graph.edges[v]:
            before[w].append(v)
    above = _dominators(order, number, before)
    children: list[list[int]] = [[] for _ in graph.edges]
    for v in sorted(order, key=lambda v: number[v]):
        if v:
            children[above[v]].append(v)
    loops = {w for v in order for w in graph.edges[v] if number[w] <= number[v]}
    merges = {v for v in order if sum(number[u] < number[v] for u in before[v]) > 1}
    return Shape(number, children, frozenset(loops), frozenset(merges))


def _postorder(graph: Graph) -> list[int]:
    seen = {0}
    found: list[int] = []
    work = [(0, iter(graph.edges[0]))]
    while work:
        v, rest = work[-1]
        w = next(rest, None)
        if w is None:
            found.append(v)
            work.pop()
        elif w not in seen:
            seen.add(w)
            work.append((w, iter(graph.edges[w])))
    return found


def _dominators(order: Sequence[int], number: Sequence[int], before: Sequence[Sequence[int]]) -> list[int]:
    above = [-1] * len(number)
    above[0] = 0
    changed = True
    while changed:
        changed = False
        for v in reversed(order):
            if v == 0:
                continue
            best = -1
            for u in before[v]:
                if above[u] < 0:
                    continue
                best = u if best < 0 else _common(above, number, best, u)
            if best != above[v]:
                above[v] = best
                changed = True
    return above


def _common(above: Sequence[int], number: Sequence[int], a: int, b: int) -> int:
    while a != b:
        while number[a] > number[b]:
            a = above[a]
        while number[b] > number[a]:
            b = above[b]
    return a
