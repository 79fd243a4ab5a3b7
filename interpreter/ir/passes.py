"""Passes over a program under construction, in the order of `PASSES` in lower.py: plain functions, each with one concern.

fold_functions   functions of printed data become tables, constants are computed
drop_unreached   blocks that nothing leads to go
look_ahead       decides for every option whether it needs a probe
live_locals      which locals need a frame slot, and what each suspension saves
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from interpreter.ir.evaluate import Evaluator, NotConstant, Value
from interpreter.ir.ir_types import NOTHING, IntT, IrType, SeqT, SetT, cells
from interpreter.ir.ops import (
    And,
    Binary,
    Branch,
    Call,
    CallEffect,
    Chance,
    Check,
    Choose,
    Commit,
    Const,
    Expr,
    Extra,
    Fail,
    Fn,
    For,
    Fork,
    Halt,
    If,
    Jump,
    Let,
    Load,
    Local,
    Lookup,
    Or,
    Probe,
    Query,
    Return,
    Select,
    SeqConst,
    SetConst,
    Stmt,
    Switch,
    Term,
)
from interpreter.ir.program import Block, Func, Proc, Table
from interpreter.ir.rewrite import children, map_block, map_expr, stmt_exprs, targets, term_exprs, walk

MOST_ENTRIES = 4096


# ---------------------------------------------------------------------- folding
class Folder:
    """Replaces calls of functions that read no state by table look-ups, and computes constants."""

    def __init__(self, tables: list[Table], funcs: list[Func], tabled: frozenset[int]) -> None:
        self.tables = tables
        self.funcs = funcs
        self.tabled = tabled
        self.evaluator = Evaluator(tables, funcs)
        self.done: dict[int, int | None] = {}

    def fold(self, node: Expr) -> Expr:
        """The expression with its constant parts computed."""
        return map_expr(node, self.step)

    def _table_of(self, f: int) -> int | None:
        """The table that replaces a function, made on first use; None if there is none."""
        if f not in self.done:
            self.done[f] = None
            func = self.funcs[f]
            kinds = func.locals[: func.params]
            size = 1
            for kind in kinds:
                size *= kind.hi - kind.lo + 1 if isinstance(kind, IntT) else MOST_ENTRIES + 1
            if f in self.tabled and 0 < size <= MOST_ENTRIES and not isinstance(func.result, SeqT):
                values = self._all_values(func, [k for k in kinds if isinstance(k, IntT)])
                if values is not None:
                    result: IrType = func.result if isinstance(func.result, SetT) else IntT(min(values), max(values))
                    self.tables.append(Table(func.address, result, tuple(values)))
                    self.done[f] = len(self.tables) - 1
        return self.done[f]

    def _all_values(self, func: Func, kinds: list[IntT]) -> list[int] | None:
        values: list[int] = []
        combinations: list[tuple[int, ...]] = [()]
        for kind in kinds:
            combinations = [(*c, x) for c in combinations for x in range(kind.lo, kind.hi + 1)]
        for combination in combinations:
            try:
                values.append(self.evaluator.number(func.body, dict(enumerate(combination))))
            except NotConstant:
                return None
        return values

    def step(self, node: Expr) -> Expr:
        """One node whose children are folded."""
        if isinstance(node, Fn):
            return self._call(node)
        if isinstance(node, And | Or):
            return self._logic(node)
        if isinstance(node, Select) and isinstance(node.condition, Const):
            return node.then if node.condition.value else node.other
        if isinstance(node, Binary) and isinstance(node.b, Const) and node.op in ("gt", "lt"):
            shifted = Const(node.b.value + 1 if node.op == "gt" else node.b.value - 1)
            return self.step(Binary("ge" if node.op == "gt" else "le", node.a, shifted))
        if isinstance(node, Query) and node.domain == SetConst(0, getattr(node.domain, "size", 0)):
            return _query_of_none(node)
        if isinstance(node, Const | SetConst | SeqConst | Local | Load | Probe):
            return node
        if all(isinstance(c, Const | SetConst | SeqConst) for c in children(node)):
            return self._constant(node)
        return node

    def _constant(self, node: Expr) -> Expr:
        try:
            value = self.evaluator.value(node, {})
        except NotConstant:
            return node
        return literal(value, self._shape(node))

    def _shape(self, node: Expr) -> IrType:
        match node:
            case Lookup(t=t):
                return self.tables[t].type
            case Query(kind="filter", size=size):
                return SetT(size)
            case Binary(op="union" | "inter" | "minus" | "range", size=size):
                return SetT(size)
            case _:
                size = getattr(node, "size", 0)
                op = getattr(node, "op", "")
                if op in ("single", "items") or type(node).__name__ in ("Best", "Reach"):
                    return SetT(size)
                return IntT(0, 0)

    def _call(self, node: Fn) -> Expr:
        func = self.funcs[node.f]
        table = self._table_of(node.f)
        if table is None:
            return node
        index: Expr = Const(0)
        for kind, arg in zip(func.locals, node.args, strict=False):
            assert isinstance(kind, IntT)
            at = arg if kind.lo == 0 else self.step(Binary("sub", arg, Const(kind.lo)))
            width = kind.hi - kind.lo + 1
            index = (
                at if index == Const(0) else self.step(Binary("add", self.step(Binary("mul", index, Const(width))), at))
            )
        return self.step(Lookup(table, index))

    def _logic(self, node: And | Or) -> Expr:
        stop = 0 if isinstance(node, And) else 1
        parts: list[Expr] = []
        for part in node.parts:
            if isinstance(part, Const):
                if part.value == stop:
                    parts.append(part)
                    break
            elif isinstance(part, type(node)):
                parts.extend(part.parts)
            else:
                parts.append(part)
        if not parts:
            return Const(1 - stop)
        if len(parts) == 1 or parts[0] == Const(stop):
            return parts[0]
        return And(tuple(parts)) if isinstance(node, And) else Or(tuple(parts))


def _query_of_none(node: Query) -> Expr:
    """A query over the empty set."""
    match node.kind:
        case "any" | "count" | "sum":
            return Const(0)
        case "filter":
            return SetConst(0, node.size)
        case "first":
            return Const(NOTHING)
        case _:
            return node


def literal(value: Value, kind: IrType) -> Expr:
    """A value as a constant of a type."""
    if isinstance(value, tuple):
        return SeqConst(value, getattr(kind, "size", max(value, default=0) + 1))
    return SetConst(value, kind.size) if isinstance(kind, SetT) else Const(value)


def fold_functions(
    blocks: list[Block], funcs: list[Func], tables: list[Table], tabled: frozenset[int]
) -> tuple[list[Block], list[Func], Folder]:
    """Folds everywhere; functions stay in the list, as other things may name them. The folder can fold more of the same program."""
    folder = Folder(tables, funcs, tabled)
    folded = [replace(f, body=folder.fold(f.body)) for f in funcs]
    folder.evaluator = Evaluator(tables, folded)
    folder.funcs = folded
    done = [replace(f, body=folder.fold(f.body)) for f in folded]
    folder.evaluator = Evaluator(tables, done)
    folder.funcs = done
    return [_tidy(map_block(b, folder.step)) for b in blocks], done, folder


def _tidy(block: Block) -> Block:
    stmts = _tidy_stmts(block.stmts)
    term = block.term
    if isinstance(term, Branch) and isinstance(term.condition, Const):
        term = Jump(term.then if term.condition.value else term.other)
    return replace(block, stmts=stmts, term=term)


def _tidy_stmts(stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    found: list[Stmt] = []
    for stmt in stmts:
        match stmt:
            case Check(condition=Const(value=1)):
                continue
            case If(condition=Const(value=value), then=then, other=other):
                found.extend(_tidy_stmts(then if value else other))
            case If(condition=condition, then=then, other=other):
                a, b = _tidy_stmts(then), _tidy_stmts(other)
                if a or b:
                    found.append(If(condition, a, b))
            case For(n=n, domain=domain, body=body):
                inner = _tidy_stmts(body)
                if inner:
                    found.append(For(n, domain, inner))
            case _:
                found.append(stmt)
    return tuple(found)


# ---------------------------------------------------------------------- unreached blocks
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
        for top in (*stmt_exprs(block.stmts), *term_exprs(block.term)):
            todo.extend(e.b for e in walk(top) if isinstance(e, Probe))
    kept = sorted(seen)
    number = {b: i for i, b in enumerate(kept)}
    moved = [_renumber(blocks[b], number) for b in kept]
    return moved, [replace(p, entry=number[p.entry]) for p in procs]


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


# ---------------------------------------------------------------------- look-ahead
class LookAhead:
    """Which blocks may fail before the compound action is complete. A fixpoint of three may-facts over all procedures:

    fails[b]    something between block b and its procedure's return, or a commit, may fail
    returns[b]  the procedure may return from b without a commit
    after[p]    behind the return of p something may fail before a commit

    `infallible` procedures are known from elsewhere not to fail; behind the calls that end blocks in `excused` nothing of the calling
    procedure's own can fail, as an earlier choice has answered for it.
    """

    def __init__(
        self,
        blocks: Sequence[Block],
        procs: Sequence[Proc],
        infallible: frozenset[int] = frozenset(),
        excused: frozenset[int] = frozenset(),
    ) -> None:
        self.blocks = blocks
        self.procs = procs
        self.fails = [False] * len(blocks)
        self.returns = [False] * len(blocks)
        self.after = [False] * len(procs)
        self.chosen = _chosen(blocks, procs)
        sure = {procs[p].entry for p in infallible}
        changed = True
        while changed:
            changed = False
            for block in reversed(blocks):
                own = block.id not in sure and (_has_check(block.stmts) or self._term_fails(block.term))
                fails = self.fails[block.id] or own
                returns = self.returns[block.id] or self._term_returns(block.term)
                if (fails, returns) != (self.fails[block.id], self.returns[block.id]):
                    self.fails[block.id], self.returns[block.id] = fails, returns
                    changed = True
                for p in _callees(block.term):
                    b = getattr(block.term, "b", 0)
                    own = self.fails[b] and block.id not in excused
                    behind = own or (self.returns[b] and self.after[block.p])
                    if behind and not self.after[p]:
                        self.after[p] = changed = True

    def may_fail(self, b: int) -> bool:
        """Whether the compound action may fail from block b on."""
        return self.fails[b] or (self.returns[b] and self.after[self.blocks[b].p])

    def _term_fails(self, term: Term) -> bool:
        match term:
            case Jump(b=b):
                return self.fails[b]
            case Branch(condition=Probe(b=b), then=then, other=other) if b == then:
                return self.fails[other]
            case Branch(then=then, other=other):
                return self.fails[then] or self.fails[other]
            case Switch(blocks=blocks):
                return any(self.fails[b] for b in blocks)
            case Choose():
                if any(e.condition is None and not e.changes and not self.fails[e.b] for e in term.extras):
                    return False
                known = term.where is None and isinstance(term.domain, SetConst) and term.domain.mask != 0
                return not (known or term.sure) or self.fails[term.b]
            case Chance():
                return not (
                    term.where is None
                    and term.weight is None
                    and isinstance(term.domain, SetConst)
                    and term.domain.mask != 0
                )
            case Call() | CallEffect():
                callees = _callees(term)
                inside = any(self.fails[self.procs[p].entry] for p in callees)
                back = any(self.returns[self.procs[p].entry] for p in callees)
                return inside or (back and self.fails[term.b])
            case Fork() | Fail():
                return True
            case _:
                return False

    def _term_returns(self, term: Term) -> bool:
        match term:
            case Return():
                return True
            case Commit() | Chance() | Halt() | Fail():
                return False
            case Call() | CallEffect():
                return self.returns[term.b] and any(self.returns[self.procs[p].entry] for p in _callees(term))
            case _:
                return any(self.returns[b] for b in targets(term))


def _chosen(blocks: Sequence[Block], procs: Sequence[Proc]) -> list[bool]:
    """Blocks at whose end a choice has been made since the last commit, on every way that leads there. A greatest fixpoint."""
    commits = _committing(blocks, procs)
    at_entry = [True] * len(procs)
    called = {p for block in blocks for p in _callees(block.term)}
    for p in range(len(procs)):
        at_entry[p] = p in called
    before = [True] * len(blocks)
    for p, proc in enumerate(procs):
        before[proc.entry] = at_entry[p]
    changed = True
    while changed:
        changed = False
        for block in blocks:
            here = before[block.id]
            for p in _callees(block.term):
                entry = procs[p].entry
                if before[entry] and not (here and not isinstance(block.term, Fork)):
                    before[entry] = False
                    changed = True
            match block.term:
                case Choose():
                    ahead = True
                case Commit() | Chance() | Fork():
                    ahead = False
                case Call() | CallEffect():
                    ahead = here and not any(commits[p] for p in _callees(block.term))
                case _:
                    ahead = here
            for b in targets(block.term):
                if before[b] and not ahead:
                    before[b] = False
                    changed = True
    return before


def _committing(blocks: Sequence[Block], procs: Sequence[Proc]) -> list[bool]:
    """Procedures that may commit, themselves or through others."""
    found = [False] * len(procs)
    changed = True
    while changed:
        changed = False
        for block in blocks:
            commits = isinstance(block.term, Commit | Chance | Fork) or any(found[p] for p in _callees(block.term))
            if commits and not found[block.p]:
                found[block.p] = changed = True
    return found


def _callees(term: Term) -> tuple[int, ...]:
    match term:
        case Call(p=p) | Fork(p=p):
            return (p,)
        case CallEffect(targets=callees):
            return callees
        case _:
            return ()


def _has_check(stmts: tuple[Stmt, ...]) -> bool:
    for stmt in stmts:
        match stmt:
            case Check():
                return True
            case If(then=then, other=other) if _has_check(then) or _has_check(other):
                return True
            case For(body=body) if _has_check(body):
                return True
    return False


def look_ahead(blocks: list[Block], procs: list[Proc]) -> list[Block]:
    """Options behind which nothing can fail lose their probe."""
    analysis = LookAhead(blocks, procs)

    def settle(look: Expr | None) -> Expr | None:
        return None if isinstance(look, Probe) and not analysis.may_fail(look.b) else look

    found = []
    for block in blocks:
        term = block.term
        if isinstance(term, Choose):
            extras: tuple[Extra, ...] = tuple(replace(e, look=settle(e.look)) for e in term.extras)
            term = replace(term, look=settle(term.look), extras=extras)
        elif (
            isinstance(term, Branch)
            and isinstance(term.condition, Probe)
            and term.condition.b == term.then
            and not analysis.may_fail(term.then)
        ):
            term = Jump(term.then)
        found.append(replace(block, term=term))
    return found


# ---------------------------------------------------------------------- live locals and frames
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
                live |= _used(tuple(stmt_exprs((stmt,))), live_in)
    return live


# ---------------------------------------------------------------------- room for frames
def stack_room(blocks: Sequence[Block], procs: Sequence[Proc], link: int) -> int:
    """Cells that the deepest chain of calls needs: the longest path over the call graph, where procedures that call each other count
    as one node with room for as many frames as their declared depths allow."""
    calls: list[set[int]] = [set() for _ in procs]
    for block in blocks:
        calls[block.p] |= set(_callees(block.term))
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
