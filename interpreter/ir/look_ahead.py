"""Look-ahead: which options need a probe at all.

In: blocks and procedures. Out: may-facts about failing (`LookAhead`), and blocks whose options carry a probe only where something
behind them may fail before the compound action is complete.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from interpreter.ir.ops import (
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
    For,
    Fork,
    Halt,
    If,
    Jump,
    Let,
    Local,
    Probe,
    Return,
    SetConst,
    Stmt,
    Switch,
    Term,
    Unary,
)
from interpreter.ir.program import Block, Proc
from interpreter.ir.walk import callees, targets


class LookAhead:
    """Which blocks may fail before the compound action is complete. A fixpoint of three may-facts over all procedures:

    fails[b]    something between block b and its procedure's return, or a commit, may fail, or go round without end
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
        endless = _endless(blocks, procs)
        changed = True
        while changed:
            changed = False
            for block in reversed(blocks):
                own = block.id not in sure and (
                    block.id in endless or _has_check(block.stmts) or self._term_fails(block.term)
                )
                fails = self.fails[block.id] or own
                returns = self.returns[block.id] or self._term_returns(block.term)
                if (fails, returns) != (self.fails[block.id], self.returns[block.id]):
                    self.fails[block.id], self.returns[block.id] = fails, returns
                    changed = True
                for p in callees(block.term):
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
                return not (known or term.sure) or self._ways_fail(term)
            case Chance():
                return not term.sure and not (
                    term.where is None
                    and term.weight is None
                    and isinstance(term.domain, SetConst)
                    and term.domain.mask != 0
                )
            case Call() | CallEffect():
                called = callees(term)
                inside = any(self.fails[self.procs[p].entry] or self.procs[p].depth for p in called)
                back = any(self.returns[self.procs[p].entry] for p in called)
                return inside or (back and self.fails[term.b])
            case Fork() | Fail():
                return True
            case _:
                return False

    def _ways_fail(self, term: Choose) -> bool:
        """Whether every option may lead to a failure. Named ways part at a Switch right behind."""
        behind = self.blocks[term.b]
        match behind.term:
            case Switch(value=Local(n=n), blocks=ways) if (
                n == term.n and not behind.stmts and term.where is None and isinstance(term.domain, SetConst)
            ):
                return all(self.fails[b] for k, b in enumerate(ways) if term.domain.mask >> k & 1)
            case _:
                return self.fails[term.b]

    def _term_returns(self, term: Term) -> bool:
        match term:
            case Return():
                return True
            case Commit() | Chance() | Halt() | Fail():
                return False
            case Call() | CallEffect():
                return self.returns[term.b] and any(self.returns[self.procs[p].entry] for p in callees(term))
            case _:
                return any(self.returns[b] for b in targets(term))


def _chosen(blocks: Sequence[Block], procs: Sequence[Proc]) -> list[bool]:
    """Blocks at whose end a choice has been made since the last commit, on every way that leads there. A greatest fixpoint."""
    commits = _committing(blocks, procs)
    at_entry = [True] * len(procs)
    called = {p for block in blocks for p in callees(block.term)}
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
            for p in callees(block.term):
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
                    ahead = here and not any(commits[p] for p in callees(block.term))
                case _:
                    ahead = here
            for b in targets(block.term):
                if before[b] and not ahead:
                    before[b] = False
                    changed = True
    return before


def _endless(blocks: Sequence[Block], procs: Sequence[Proc]) -> frozenset[int]:
    """Blocks that ask and may come to themselves again, with no way to stop."""
    asking = [False] * len(procs)
    changed = True
    while changed:
        changed = False
        for block in blocks:
            asks = isinstance(block.term, Choose) or any(asking[p] for p in callees(block.term))
            if asks and not asking[block.p]:
                asking[block.p] = changed = True
    shrinking = {(block.p, n) for block in blocks for n in _shrunk(block)}

    def onward(b: int, whole: bool) -> tuple[int, ...]:
        block = blocks[b]
        if not whole and isinstance(block.term, Branch) and (block.p, _tested(block.term.condition)) in shrinking:
            return (block.term.other,)
        return _onward(block.term)

    def reach(b: int, whole: bool) -> set[int]:
        met: set[int] = set()
        todo = list(onward(b, whole))
        while todo:
            here = todo.pop()
            if here not in met:
                met.add(here)
                todo += onward(here, whole)
        return met

    # A loop that goes through fewer and fewer things ends, so the way into it is taken once and not round.
    questions = [b.id for b in blocks if isinstance(b.term, Choose) or any(asking[p] for p in callees(b.term))]
    round_ = {b: reach(b, True) for b in questions}
    circling = [b for b in questions if b in round_[b]]
    inner = {c for b in circling for c in round_[b] if b in reach(c, True) and c in reach(c, False)}
    return frozenset(b for b in circling if any(c in round_[b] and b in reach(c, True) for c in inner))


def _shrunk(block: Block) -> Iterator[int]:
    """Locals of which a block takes something away."""
    for stmt in block.stmts:
        match stmt:
            case Let(n=n, value=Binary(op="drop" | "minus" | "sub", a=Local(n=same))) if n == same:
                yield n


def _tested(condition: Expr) -> int:
    """The local that a loop goes on with while there is some of it left; -1 for any other test."""
    match condition:
        case Binary(op="gt" | "ge" as op, a=Local(n=n) | Unary(a=Local(n=n)), b=Const(value=least)) if least == (
            0 if op == "gt" else 1
        ):
            return n
        case _:
            return -1


def _onward(term: Term) -> tuple[int, ...]:
    """Where the same compound action may go on in the same procedure; to the way out of a choice, where it has one."""
    match term:
        case Commit() | Chance() | Fork():
            return ()
        case Choose(extras=extras):
            out = tuple(e.b for e in extras if e.condition is None and not e.changes)
            return out or targets(term)
        case _:
            return targets(term)


def _committing(blocks: Sequence[Block], procs: Sequence[Proc]) -> list[bool]:
    """Procedures that may commit, themselves or through others."""
    found = [False] * len(procs)
    changed = True
    while changed:
        changed = False
        for block in blocks:
            commits = isinstance(block.term, Commit | Chance | Fork) or any(found[p] for p in callees(block.term))
            if commits and not found[block.p]:
                found[block.p] = changed = True
    return found


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
