"""From block to block of a procedure.

In: a procedure's blocks and entries. Out: its control-flow graph, nested as WebAssembly needs it (structure.py). What stands in a node
is emitted by the procedure, which says where to go on from there.

Nodes: the root, where the function begins; an entry of each kind (entries.py); a block; behind a block that asks or draws, the place
where an option has been chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

from interpreter.ir.ops import Chance, Choose, Fork
from interpreter.ir.program import Block
from interpreter.ir.walk import targets
from interpreter.machine.wasm.encode import Code, Label
from interpreter.machine.wasm.entries import EntryKind, Facts
from interpreter.machine.wasm.picking import plays
from interpreter.machine.wasm.structure import Graph, Shape, shape_of, with_gates
from interpreter.machine.wasm.world import World

Kind = EntryKind | Literal["root", "block", "chosen"]


class Flow:
    """The nodes of one procedure; `content` emits what stands in one, given its number, kind, and block."""

    def __init__(
        self, world: World, facts: Facts, p: int, code: Code, content: Callable[[int, Kind, int], None]
    ) -> None:
        self.world = world
        self.facts = facts
        self.p = p
        self.code = code
        self._content = content
        self._blocks = [b.id for b in world.program.blocks if b.p == p]
        self._names: dict[tuple[Kind, int], int] = {}
        self._nodes: list[tuple[Kind, int]] = []
        self._graph: Graph = with_gates(self._edges())
        self._shape: Shape = shape_of(self._graph)
        self._labels: dict[int, Label] = {}
        self._gates = {gate: code.local() for gate in self._graph.gates}

    def emit(self) -> None:
        """Emit everything."""
        self._tree(0)

    # -------------------------------------------------------------- the graph

    def _node(self, kind: Kind, number: int) -> int:
        key = (kind, number)
        if key not in self._names:
            self._names[key] = len(self._nodes)
            self._nodes.append(key)
        return self._names[key]

    def _edges(self) -> list[list[int]]:
        program = self.world.program
        proc = program.procs[self.p]
        self._node("root", 0)
        for b in self._blocks:
            self._node("block", b)
        for b in self._blocks:
            if isinstance(program.blocks[b].term, Choose | Chance):
                self._node("chosen", b)
        for entry, b in self.facts.entries.lists[self.p]:
            self._node(entry, b)
        edges: list[list[int]] = []
        for kind, number in self._nodes:
            match kind:
                case "root":
                    stubs = [self._node(entry, b) for entry, b in self.facts.entries.lists[self.p]]
                    edges.append([self._node("block", proc.entry), *stubs])
                case "begin" | "buffer":
                    edges.append([self._node("block", number)])
                case "resume":
                    term = program.blocks[number].term
                    if isinstance(term, Choose | Chance):
                        edges.append([self._node("chosen", number)])
                    else:
                        edges.append([self._node("block", b) for b in targets(term)])
                case "chosen":
                    edges.append([self._node("block", b) for b in targets(program.blocks[number].term)])
                case _:
                    edges.append(self._ways(program.blocks[number]))
        return edges

    def _ways(self, block: Block) -> list[int]:
        match block.term:
            case Choose() | Chance():
                return [self._node("chosen", block.id)] if plays(self.world, block) else []
            case Fork():
                return []
            case _:
                return [self._node("block", b) for b in targets(block.term)]

    # -------------------------------------------------------------- going on

    def go(self, v: int, kind: Kind, number: int) -> None:
        """From node v on to another."""
        self._go(v, self._node(kind, number))

    def switch(self, ways: Sequence[Callable[[], None]], push: Callable[[], None]) -> None:
        """One of several ways by the number that `push` pushes."""
        code = self.code
        if len(ways) == 1:
            ways[0]()
            return
        with code.nested(len(ways)) as labels:
            push()
            code.br_table(labels, labels[-1])
            for way in ways:
                code.end()
                way()

    # -------------------------------------------------------------- structure

    def _go(self, v: int, w: int) -> None:
        """From node v on to node w."""
        gate = self._graph.through.get((v, w))
        if gate is not None:
            self.code.const(self._graph.gates[gate].index(w))
            self.code.set(self._gates[gate])
            self._go(v, gate)
            return
        if self._shape.number[w] <= self._shape.number[v] or w in self._shape.merges:
            self.code.br(self._labels[w])
        else:
            self._tree(w)

    def _tree(self, v: int) -> None:
        """A node and all that it dominates; where a node has one way on to a node that nothing else leads to, that follows here."""
        code = self.code
        merges = [w for w in self._shape.children[v] if w in self._shape.merges]
        if v in self._shape.loops:
            with code.loop() as again:
                self._labels[v] = again
                self._within(v, merges)
        else:
            self._within(v, merges)

    def _within(self, v: int, merges: list[int]) -> None:
        if not merges:
            self._stand(v)
            return
        # The last in order stands outermost.
        *rest, last = merges
        kept = self._labels.get(last)
        with self.code.block() as label:
            self._labels[last] = label
            self._within(v, rest)
        if kept is None:
            del self._labels[last]
        else:
            self._labels[last] = kept
        self._tree(last)

    def _stand(self, v: int) -> None:
        if v in self._graph.gates:
            ways = self._graph.gates[v]
            self.switch([partial(self._go, v, w) for w in ways], lambda: self.code.get(self._gates[v]))
            return
        self._content(v, *self._nodes[v])
