"""Frames: blocks that nothing reaches go, locals that live across a suspension get a slot, and the deepest stack is measured.

These passes run last: they fill `spill` of blocks, `slots` and `frame` of procedures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from interpreter.ir.ir_types import cells
from interpreter.ir.ops import (
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
    Stmt,
    Switch,
    Term,
)
from interpreter.ir.program import Block, Proc
from interpreter.ir.rewrite import map_block
from interpreter.ir.walk import callees, stmt_exprs, targets, term_exprs, walk, walk_stmts


def drop_unreached(blocks: list[Block], procs: list[Proc]) -> tuple[list[Block], list[Proc]]:
    """Only blocks that control or a probe can reach, renumbered in order."""
    seen: set[int] = set()
    todo = [p.entry for p in procs]
    while todo:
        b = todo.pop()
        if b in seen:
            continue
        seen.add(b)
        block = blocks[b]
        todo.extend(targets(block.term))
        tops = [e for s in walk_stmts(block.stmts) for e in stmt_exprs(s)]
        for top in (*tops, *term_exprs(block.term)):
            todo.extend(e.b for e in walk(top) if isinstance(e, Probe))
    kept = sorted(seen)
    number = {b: i for i, b in enumerate(kept)}
    moved = [_renumber(blocks[b], number) for b in kept]
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
    threaded = [_renumber(b, ends) if ends[b.id] == b.id else b for b in blocks]
    return threaded, [replace(p, entry=ends[p.entry]) for p in procs]


def _renumber(block: Block, number: dict[int, int]) -> Block:
    block = map_block(block, lambda e: Probe(number[e.b]) if isinstance(e, Probe) else e)
    term: Term = block.term
    match term:
        case Branch(condition=condition, then=then, other=other):
            term = Branch(condition, number[then], number[other])
        case Switch(value=value, blocks=blocks):
            term = Switch(value, tuple(number[b] for b in blocks))
        case Choose(b=b, extras=extras):
            term = replace(term, b=number[b], extras=tuple(replace(e, b=number[e.b]) for e in extras))
        case Jump(b=b) | Chance(b=b) | Call(b=b) | CallEffect(b=b) | Fork(b=b) | Commit(b=b):
            term = replace(term, b=number[b])
        case _:
            pass
    return replace(block, id=number[block.id], term=term)


SUSPENDS = (Choose, Chance, Call, CallEffect, Fork)


def live_locals(blocks: list[Block], procs: list[Proc]) -> tuple[list[Block], list[Proc]]:
    """Fills `spill` of blocks, and `slots` and `frame` of procedures."""
    live_in: list[frozenset[int]] = [frozenset()] * len(blocks)
    changed = True
    while changed:
        changed = False
        for block in reversed(blocks):
            found = _before(block, live_in)
            if found != live_in[block.id]:
                live_in[block.id] = found
                changed = True
    spilled: list[set[int]] = [set() for _ in procs]
    out = []
    for block in blocks:
        spill: frozenset[int] = frozenset()
        if isinstance(block.term, SUSPENDS):
            spill = _at_term(block.term, live_in, isinstance(block.term, Choose | Chance))
            spilled[block.p] |= spill
        out.append(replace(block, spill=tuple(sorted(spill))))
    framed = []
    for p, proc in enumerate(procs):
        slots, size = [-1] * len(proc.locals), 0
        for n in sorted(spilled[p]):
            slots[n] = size
            size += cells(proc.locals[n])
        framed.append(replace(proc, slots=tuple(slots), frame=size))
    return out, framed


def _used(tops: Sequence[Expr], live_in: Sequence[frozenset[int]]) -> set[int]:
    found: set[int] = set()
    for top in tops:
        bound: set[int] = set()
        for node in walk(top):
            if isinstance(node, Local):
                found.add(node.n)
            elif isinstance(node, Probe):
                found |= live_in[node.b]
            n = getattr(node, "n", None)
            if n is not None and not isinstance(node, Local):
                bound.add(n)
        found -= bound
    return found


def _at_term(term: Term, live_in: Sequence[frozenset[int]], with_own: bool) -> frozenset[int]:
    """Locals needed at and behind a terminator; `with_own`: also by its own expressions, which are evaluated again on resuming."""
    found: set[int] = set()
    for b in targets(term):
        found |= live_in[b]
    if with_own:
        found |= _used(tuple(term_exprs(term)), live_in)
    if isinstance(term, Choose | Chance):
        found.discard(term.n)
    return frozenset(found)


def _before(block: Block, live_in: Sequence[frozenset[int]]) -> frozenset[int]:
    live = set(_at_term(block.term, live_in, True))
    return frozenset(_through(block.stmts, live, live_in))


def _through(stmts: tuple[Stmt, ...], live: set[int], live_in: Sequence[frozenset[int]]) -> set[int]:
    for stmt in reversed(stmts):
        match stmt:
            case Let(n=n, value=value):
                live.discard(n)
                live |= _used((value,), live_in)
            case If(condition=condition, then=then, other=other):
                live = (
                    _through(then, set(live), live_in)
                    | _through(other, set(live), live_in)
                    | _used((condition,), live_in)
                )
            case For(n=n, domain=domain, body=body):
                inner = _through(body, set(live), live_in)
                inner |= _through(body, set(inner), live_in)
                inner.discard(n)
                live |= inner | _used((domain,), live_in)
            case _:
                live |= _used(stmt_exprs(stmt), live_in)
    return live


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
