"""Look-ahead: which options need a probe at all.

In: blocks and procedures. Out: may-facts about failing (`LookAhead`), and blocks whose options carry a probe only where something
behind them may fail before the compound action is complete.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
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

    def __init__(self, blocks: Sequence[Block], procs: Sequence[Proc]) -> None:
        self.blocks = blocks
        self.procs = procs
        self.called = [callees(block.term) for block in blocks]
        self.ways = [targets(block.term) for block in blocks]
        self.chosen = self._chosen()
        endless = self._endless()
        self.checked = [block.id in endless or _has_check(block.stmts) for block in blocks]
        self._settle(frozenset(), frozenset())

    def refined(self, infallible: frozenset[int], excused: frozenset[int]) -> LookAhead:
        """The same blocks looked at with more knowledge."""
        found = copy(self)
        found._settle(infallible, excused)
        return found

    def _settle(self, infallible: frozenset[int], excused: frozenset[int]) -> None:
        """The fixpoint, from nothing."""
        self.fails = [False] * len(self.blocks)
        self.returns = [False] * len(self.blocks)
        self.after = [False] * len(self.procs)
        sure = {self.procs[p].entry for p in infallible}
        changed = True
        while changed:
            changed = False
            for block in reversed(self.blocks):
                here = block.id
                if not self.fails[here] and here not in sure and (self.checked[here] or self._term_fails(block.term)):
                    self.fails[here] = changed = True
                if not self.returns[here] and self._term_returns(block):
                    self.returns[here] = changed = True
                if self.called[here]:
                    b = getattr(block.term, "b", 0)
                    own = self.fails[b] and here not in excused
                    if own or (self.returns[b] and self.after[block.p]):
                        for p in self.called[here]:
                            if not self.after[p]:
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

    def _term_returns(self, block: Block) -> bool:
        match block.term:
            case Return():
                return True
            case Commit() | Chance() | Halt() | Fail():
                return False
            case Call(b=b) | CallEffect(b=b):
                return self.returns[b] and any(self.returns[self.procs[p].entry] for p in self.called[block.id])
            case _:
                return any(self.returns[b] for b in self.ways[block.id])

    # ---------------------------------------------------------------- what does not depend on failing
    def _chosen(self) -> list[bool]:
        """Blocks at whose end a choice has been made since the last commit, on every way that leads there. A greatest fixpoint."""
        commits = self._committing()
        reached = {p for called in self.called for p in called}
        before = [True] * len(self.blocks)
        for p, proc in enumerate(self.procs):
            before[proc.entry] = p in reached
        changed = True
        while changed:
            changed = False
            for block in self.blocks:
                here = before[block.id]
                for p in self.called[block.id]:
                    entry = self.procs[p].entry
                    if before[entry] and not (here and not isinstance(block.term, Fork)):
                        before[entry] = False
                        changed = True
                match block.term:
                    case Choose():
                        ahead = True
                    case Commit() | Chance() | Fork():
                        ahead = False
                    case Call() | CallEffect():
                        ahead = here and not any(commits[p] for p in self.called[block.id])
                    case _:
                        ahead = here
                if not ahead:
                    for b in self.ways[block.id]:
                        if before[b]:
                            before[b] = False
                            changed = True
        return before

    def _committing(self) -> list[bool]:
        """Procedures that may commit, themselves or through others."""
        return self._that_do(frozenset(b.id for b in self.blocks if isinstance(b.term, Commit | Chance | Fork)))

    def _that_do(self, doing: frozenset[int]) -> list[bool]:
        """Procedures that have one of these blocks, themselves or through others."""
        found = [False] * len(self.procs)
        changed = True
        while changed:
            changed = False
            for block in self.blocks:
                if not found[block.p] and (block.id in doing or any(found[p] for p in self.called[block.id])):
                    found[block.p] = changed = True
        return found

    def _endless(self) -> frozenset[int]:
        """Blocks that ask and may come to themselves again, with no way to stop."""
        asking = self._that_do(frozenset(b.id for b in self.blocks if isinstance(b.term, Choose)))
        shrinking = {(block.p, n) for block in self.blocks for n in _shrunk(block)}
        onward = [_onward(block.term) for block in self.blocks]
        # A loop that goes through fewer and fewer things ends, so the way into it is taken once and not round.
        leaving = onward[:]
        for block in self.blocks:
            if isinstance(block.term, Branch) and (block.p, _tested(block.term.condition)) in shrinking:
                leaving[block.id] = (block.term.other,)
        questions = [
            b.id for b in self.blocks if isinstance(b.term, Choose) or any(asking[p] for p in self.called[b.id])
        ]
        round_ = {b: _reach(b, onward) for b in questions}
        circling = [b for b in questions if b in round_[b]]
        round_ |= {b: _reach(b, onward) for b in {c for b in circling for c in round_[b]}.difference(questions)}
        turning = {c for b in circling for c in round_[b] if b in round_[c]}
        inner = {c for c in turning if c in _reach(c, leaving)}
        return frozenset(b for b in circling if any(c in round_[b] and b in round_[c] for c in inner))


def _reach(b: int, onward: Sequence[tuple[int, ...]]) -> set[int]:
    """The blocks that come after one."""
    met: set[int] = set()
    todo = list(onward[b])
    while todo:
        here = todo.pop()
        if here not in met:
            met.add(here)
            todo += onward[here]
    return met


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
        found.append(block if term is block.term else replace(block, term=term))
    return found
