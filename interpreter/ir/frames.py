"""Frames: blocks that nothing reaches go, locals that live across a suspension get a slot, and the deepest stack is measured.

These passes run last: they fill `spill` of blocks, `slots` and `frame` of procedures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from interpreter.ir.evaluate import elements
from interpreter.ir.ir_types import cells
from interpreter.ir.ops import (
    Best,
    Branch,
    Call,
    CallEffect,
    Chance,
    Choose,
    Commit,
    Expr,
    For,
    Fork,
    If,
    Jump,
    Let,
    Local,
    Probe,
    Query,
    Reach,
    Sort,
    Stmt,
    Switch,
    Term,
)
from interpreter.ir.program import Block, Proc
from interpreter.ir.rewrite import map_block
from interpreter.ir.walk import callees, probed, stmt_exprs, targets, term_exprs, walk


def drop_unreached(blocks: list[Block], procs: list[Proc]) -> tuple[list[Block], list[Proc]]:
    """Only blocks that control or a probe can reach, renumbered in order."""
    seen: set[int] = set()
    probing: set[int] = set()
    todo = [p.entry for p in procs]
    while todo:
        b = todo.pop()
        if b in seen:
            continue
        seen.add(b)
        todo.extend(targets(blocks[b].term))
        probes = tuple(probed(blocks[b]))
        if probes:
            probing.add(b)
            todo.extend(probes)
    kept = sorted(seen)
    number = {b: i for i, b in enumerate(kept)}
    moved = [_renumber(blocks[b], number, b in probing) for b in kept]
    return moved, [replace(p, entry=number[p.entry]) for p in procs]


def thread_jumps(blocks: list[Block], procs: list[Proc]) -> tuple[list[Block], list[Proc]]:
    """Whatever leads to a block that only jumps on leads to where that goes; the jumping blocks stay for `drop_unreached`."""

    def end(b: int) -> int:
        seen = {b}
        while isinstance(term := blocks[b].term, Jump) and not blocks[b].stmts and term.b not in seen:
            b = term.b
            seen.add(b)
        return b

    ends = {block.id: end(block.id) for block in blocks}
    threaded = [_renumber(b, ends, True) if ends[b.id] == b.id else b for b in blocks]
    return threaded, [replace(p, entry=ends[p.entry]) for p in procs]


def _renumber(block: Block, number: dict[int, int], probes: bool) -> Block:
    """A block under its new number, leading to new numbers; `probes`: it may have some."""
    if probes:
        block = map_block(block, lambda e: Probe(number[e.b]) if isinstance(e, Probe) else e)
    term: Term = block.term
    match term:
        case Branch(condition, then, other):
            term = Branch(condition, number[then], number[other])
        case Switch(value, blocks):
            term = Switch(value, tuple(number[b] for b in blocks))
        case Choose(b=b, extras=extras):
            term = replace(term, b=number[b], extras=tuple(replace(e, b=number[e.b]) for e in extras))
        case Jump(b):
            term = Jump(number[b])
        case Call(p, args, b):
            term = Call(p, args, number[b])
        case Commit(b):
            term = Commit(number[b])
        case Chance(b=b) | CallEffect(b=b) | Fork(b=b):
            term = replace(term, b=number[b])
        case _:
            pass
    return Block(number[block.id], block.p, block.stmts, term, block.spill, block.span, block.cite)


SUSPENDS = (Choose, Chance, Call, CallEffect, Fork)


@dataclass(frozen=True, slots=True)
class _Needs:
    """What a piece of code needs before it: the locals it reads without having set them, what blocks that it probes need (as far as
    the mask beside each goes), and of what is needed behind it all but the locals it `sets`. Sets of locals are masks: bit n, local n.
    """

    reads: int = 0
    probes: tuple[tuple[int, int], ...] = ()
    sets: int = 0

    def before(self, after: int, live_in: Sequence[int]) -> int:
        """The locals needed before the piece, given those needed after it and at the beginning of each block."""
        found = self.reads | (after & ~self.sets)
        for b, mask in self.probes:
            found |= live_in[b] & mask
        return found

    def then(self, later: _Needs) -> _Needs:
        """Of this piece with another behind it."""
        rest = later.without(self.sets)
        return _Needs(self.reads | rest.reads, (*self.probes, *rest.probes), self.sets | later.sets)

    def beside(self, other: _Needs) -> _Needs:
        """Of a place where either this piece or the other is run."""
        return _Needs(self.reads | other.reads, (*self.probes, *other.probes), self.sets & other.sets)

    def without(self, bound: int) -> _Needs:
        """Of the piece where some locals are set before it, or are its own."""
        return _Needs(self.reads & ~bound, tuple((b, mask & ~bound) for b, mask in self.probes), self.sets)


def live_at_entry(blocks: Sequence[Block]) -> list[int]:
    """For each block, in their order, the locals that must be set when it is entered, as a mask."""
    return _live(blocks, [targets(block.term) for block in blocks], [_of_term(block.term) for block in blocks])


def _live(blocks: Sequence[Block], ways: Sequence[tuple[int, ...]], at_end: Sequence[_Needs]) -> list[int]:
    needs = [_of_stmts(block.stmts).then(end) for block, end in zip(blocks, at_end, strict=True)]
    live_in = [0] * len(blocks)
    changed = True
    while changed:
        changed = False
        for b in range(len(blocks) - 1, -1, -1):
            found = needs[b].before(_union(live_in, ways[b]), live_in)
            if found != live_in[b]:
                live_in[b] = found
                changed = True
    return live_in


def live_locals(blocks: list[Block], procs: list[Proc]) -> tuple[list[Block], list[Proc]]:
    """Fills `spill` of blocks, and `slots` and `frame` of procedures."""
    ways = [targets(block.term) for block in blocks]
    at_end = [_of_term(block.term) for block in blocks]
    live_in = _live(blocks, ways, at_end)
    spilled = [0] * len(procs)
    out = []
    for block in blocks:
        spill = 0
        if isinstance(block.term, SUSPENDS):
            spill = _union(live_in, ways[block.id])
            if isinstance(block.term, Choose | Chance):
                # Their own expressions are evaluated again on resuming.
                spill = at_end[block.id].before(spill, live_in)
            spilled[block.p] |= spill
        kept = tuple(elements(spill))
        out.append(block if kept == block.spill else replace(block, spill=kept))
    framed = []
    for p, proc in enumerate(procs):
        slots, size = [-1] * len(proc.locals), 0
        for n in elements(spilled[p]):
            slots[n] = size
            size += cells(proc.locals[n])
        framed.append(replace(proc, slots=tuple(slots), frame=size))
    return out, framed


def _union(live_in: Sequence[int], ways: tuple[int, ...]) -> int:
    found = 0
    for b in ways:
        found |= live_in[b]
    return found


def _of_exprs(tops: Sequence[Expr]) -> _Needs:
    """What expressions read and do not bind themselves."""
    found = _Needs()
    for top in tops:
        reads = bound = 0
        probes: list[tuple[int, int]] = []
        for node in walk(top):
            match node:
                case Local(n):
                    reads |= 1 << n
                case Query(n=n) | Best(n=n) | Sort(n=n) | Reach(n=n):
                    bound |= 1 << n
                case Probe(b):
                    probes.append((b, -1))
        found = found.then(_Needs(reads, tuple(probes))).without(bound)
    return found


def _of_term(term: Term) -> _Needs:
    own = _of_exprs(term_exprs(term))
    if isinstance(term, Choose | Chance):
        return _Needs(sets=1 << term.n).then(own)
    return own


def _of_stmts(stmts: tuple[Stmt, ...]) -> _Needs:
    found = _Needs()
    for stmt in stmts:
        found = found.then(_of_stmt(stmt))
    return found


def _of_stmt(stmt: Stmt) -> _Needs:
    own = _of_exprs(stmt_exprs(stmt))
    match stmt:
        case Let(n):
            return own.then(_Needs(sets=1 << n))
        case If(_, then, other):
            return own.then(_of_stmts(then).beside(_of_stmts(other)))
        case For(n, _, body):
            # The body may run many times or never; once more needs nothing new.
            return own.then(_of_stmts(body).without(1 << n).beside(_Needs()))
        case _:
            return own


def stack_room(blocks: Sequence[Block], procs: Sequence[Proc], link: int) -> int:
    """Cells that the deepest chain of calls needs: the longest path over the call graph, where procedures that call each other count
    as one node with room for as many frames as their declared depths allow."""
    calls: list[set[int]] = [set() for _ in procs]
    for block in blocks:
        calls[block.p] |= set(callees(block.term))
    order, group = _strong(calls)
    need: dict[int, int] = {}
    for members in order:
        own = set(members)
        loops = len(own) > 1 or any(p in calls[p] for p in own)
        rounds = 1 + max(procs[p].depth for p in own) if loops else 1
        size = rounds * sum(link + procs[p].frame for p in own)
        below = max((need[group[c]] for p in own for c in calls[p] if group[c] != group[p]), default=0)
        need[group[next(iter(own))]] = size + below
    return max(need.values(), default=0)


def _strong(calls: list[set[int]]) -> tuple[list[list[int]], dict[int, int]]:
    """Strongly connected groups, callees first (Tarjan 1972), and the group of each procedure."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    found: list[list[int]] = []
    group: dict[int, int] = {}
    for root in range(len(calls)):
        if root in index:
            continue
        work: list[tuple[int, list[int]]] = [(root, sorted(calls[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        while work:
            here, todo = work[-1]
            if todo:
                other = todo.pop()
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    work.append((other, sorted(calls[other])))
                elif other not in group:
                    low[here] = min(low[here], index[other])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[here])
            if low[here] == index[here]:
                members = []
                while True:
                    member = stack.pop()
                    members.append(member)
                    group[member] = len(found)
                    if member == here:
                        break
                found.append(members)
    return found, group
