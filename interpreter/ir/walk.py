"""Going through the parts of expressions, statements and terminators, and which locals are alive where.

In: ops. Out: their direct parts, all parts, the locals they read, and for each block of a program the locals it needs. The verifier
and passes build on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any, Final

from interpreter.ir.ops import (
    Alike,
    And,
    Best,
    Binary,
    Branch,
    Call,
    CallEffect,
    Chance,
    Check,
    Choose,
    Commit,
    Const,
    Emit,
    Expr,
    Fn,
    For,
    Fork,
    If,
    Jump,
    Let,
    Load,
    Local,
    Lookup,
    Or,
    Probe,
    Query,
    Reach,
    Select,
    SeqConst,
    SetConst,
    Sort,
    Stmt,
    Store,
    Switch,
    Term,
    Unary,
)
from interpreter.ir.program import Block, Program

LEAVES: Final = frozenset((Const, SetConst, SeqConst, Local, Probe))


def _keyed(expr: Best | Sort) -> tuple[Expr, ...]:
    return (expr.domain, *(key.value for key in expr.keys))


def _asked(expr: Query) -> tuple[Expr, ...]:
    return tuple(e for e in (expr.domain, expr.where, expr.value) if e is not None)


_PARTS: Final[Mapping[type[Expr], Callable[[Any], tuple[Expr, ...]]]] = {
    **dict.fromkeys(LEAVES, lambda _: ()),
    Binary: attrgetter("a", "b"),
    Load: lambda expr: (expr.index,),
    Lookup: lambda expr: (expr.index,),
    Unary: lambda expr: (expr.a,),
    And: attrgetter("parts"),
    Or: attrgetter("parts"),
    Fn: attrgetter("args"),
    Select: attrgetter("condition", "then", "other"),
    Query: _asked,
    Best: _keyed,
    Sort: _keyed,
    Reach: attrgetter("step", "start", "steps", "through"),
    Alike: lambda expr: (*expr.args, expr.items),
}
"""What reads the parts of an expression, by its class: much quicker than a pattern."""


def parts_of(expr: Expr) -> tuple[Expr, ...]:
    """The expressions directly inside one."""
    return _PARTS[type(expr)](expr)


def walk(expr: Expr) -> Iterator[Expr]:
    """An expression and everything in it."""
    todo = [expr]
    while todo:
        here = todo.pop()
        yield here
        if type(here) not in LEAVES:
            todo += parts_of(here)[::-1]


def stmt_exprs(stmt: Stmt) -> tuple[Expr, ...]:
    """The expressions directly inside a statement, not those of statements within it."""
    match stmt:
        case Store(_, index, value):
            return (index, value)
        case Let(_, value):
            return (value,)
        case Check(condition):
            return (condition,)
        case If(condition):
            return (condition,)
        case For(_, domain):
            return (domain,)
        case Emit(_, args):
            return args


def inner_stmts(stmt: Stmt) -> tuple[Stmt, ...]:
    """The statements directly inside a statement."""
    match stmt:
        case If(_, then, other):
            return (*then, *other)
        case For(body=body):
            return body
        case _:
            return ()


def walk_stmts(stmts: Iterable[Stmt]) -> Iterator[Stmt]:
    """Statements and everything in them."""
    for stmt in stmts:
        yield stmt
        yield from walk_stmts(inner_stmts(stmt))


def term_exprs(term: Term) -> tuple[Expr, ...]:
    """The expressions directly inside a terminator."""
    match term:
        case Branch(condition):
            return (condition,)
        case Switch(value):
            return (value,)
        case Choose(player, _, domain, where, look, extras=extras):
            own = (player, domain, where, look, *(x.condition for x in extras), *(x.look for x in extras))
            return tuple(e for e in own if e is not None)
        case Chance(_, domain, where, weight):
            return tuple(e for e in (domain, where, weight) if e is not None)
        case Call(_, args):
            return args
        case CallEffect(effect, args):
            return (effect, *args)
        case Fork(players, _, args):
            return (players, *args)
        case _:
            return ()


def targets(term: Term) -> tuple[int, ...]:
    """The blocks of the same procedure that a terminator may go on to."""
    match term:
        case Jump(b) | Call(b=b) | CallEffect(b=b) | Fork(b=b) | Commit(b) | Chance(b=b):
            return (b,)
        case Branch(_, then, other):
            return (then, other)
        case Switch(_, blocks):
            return blocks
        case Choose(b=b, extras=extras):
            return (b, *(x.b for x in extras))
        case _:
            return ()


def callees(term: Term) -> tuple[int, ...]:
    """Procedures that a terminator may call."""
    match term:
        case Call(p=p) | Fork(p=p):
            return (p,)
        case CallEffect(targets=called):
            return called
        case _:
            return ()


def suspends(term: Term) -> bool:
    """Whether locals go through the frame at this terminator."""
    return isinstance(term, Choose | Chance | Call | CallEffect | Fork)


def free_locals(expr: Expr, live: dict[int, frozenset[int]]) -> set[int]:
    """The locals an expression reads and does not bind itself; a probe reads what its block needs (`live`)."""
    match expr:
        case Local(n):
            return {n}
        case Const() | SetConst() | SeqConst():
            return set()
        case Probe(b):
            return set(live.get(b, ()))
        case Query(n=n) | Best(n=n) | Sort(n=n):
            outside = free_locals(expr.domain, live)
            inside = {m for part in parts_of(expr)[1:] for m in free_locals(part, live)}
            return outside | (inside - {n})
        case Reach(n, step):
            outside = {m for part in parts_of(expr)[1:] for m in free_locals(part, live)}
            return outside | (free_locals(step, live) - {n})
        case _:
            found: set[int] = set()
            for part in parts_of(expr):
                found |= free_locals(part, live)
            return found


def _before(stmts: tuple[Stmt, ...], after: set[int], live: dict[int, frozenset[int]]) -> set[int]:
    """The locals needed before statements, given those needed after them."""
    needed = set(after)
    for stmt in reversed(stmts):
        match stmt:
            case Let(n):
                needed.discard(n)
            case If(_, then, other):
                needed = _before(then, needed, live) | _before(other, needed, live)
            case For(n, _, body):
                # The body may run many times or never.
                once = _before(body, needed, live)
                needed |= _before(body, needed | once, live) - {n}
        for expr in stmt_exprs(stmt):
            needed |= free_locals(expr, live)
    return needed


def needed_at_term(term: Term, live: dict[int, frozenset[int]]) -> set[int]:
    """The locals that must be at hand at a terminator: those it reads and those needed where it goes on. Where it suspends these are
    what the frame has to keep (a Choose and a Chance read again after the pause)."""
    ahead: set[int] = set()
    match term:
        case Choose(player, n, domain, where, look, b, extras=extras):
            inside = set(live[b])
            for expr in (where, look):
                inside |= free_locals(expr, live) if expr is not None else set()
            ahead = inside - {n} | free_locals(player, live) | free_locals(domain, live)
            for extra in extras:
                ahead |= live[extra.b]
                for expr in (extra.condition, extra.look):
                    ahead |= free_locals(expr, live) if expr is not None else set()
            return ahead
        case Chance(n, domain, where, weight, b):
            inside = set(live[b])
            for expr in (where, weight):
                inside |= free_locals(expr, live) if expr is not None else set()
            return inside - {n} | free_locals(domain, live)
    for b in targets(term):
        ahead |= live[b]
    for expr in term_exprs(term):
        ahead |= free_locals(expr, live)
    return ahead


def kept_locals(term: Term, live: dict[int, frozenset[int]]) -> set[int]:
    """The locals that have to live in the frame at a terminator that suspends: a call has read its arguments before it."""
    if isinstance(term, Choose | Chance):
        return needed_at_term(term, live)
    return {n for b in targets(term) for n in live[b]}


def live_locals(program: Program) -> dict[int, frozenset[int]]:
    """For each block the locals that must be set when it is entered."""
    live: dict[int, frozenset[int]] = {block.id: frozenset() for block in program.blocks}
    asking: dict[int, list[int]] = {block.id: [] for block in program.blocks}
    for block in program.blocks:
        for b in (*targets(block.term), *probed(block)):
            asking[b].append(block.id)
    todo = list(live)  # a block before those that come later, so that most are looked at once
    waiting = set(todo)
    while todo:
        block = program.blocks[todo.pop()]
        waiting.discard(block.id)
        needed = frozenset(_before(block.stmts, needed_at_term(block.term, live), live))
        if needed != live[block.id]:
            live[block.id] = needed
            more = [b for b in asking[block.id] if b not in waiting]
            todo += more
            waiting.update(more)
    return live


def probed(block: Block) -> Iterator[int]:
    """The blocks that a block's expressions probe."""
    return (expr.b for expr in block_exprs(block) if type(expr) is Probe)


def block_exprs(block: Block) -> Iterator[Expr]:
    """All expressions of a block, and everything in them."""
    tops = [expr for stmt in walk_stmts(block.stmts) for expr in stmt_exprs(stmt)]
    tops += term_exprs(block.term)
    todo = tops[::-1]
    while todo:  # as `walk` does; nearly every pass comes by here
        here = todo.pop()
        yield here
        if type(here) not in LEAVES:
            todo += parts_of(here)[::-1]
