"""Going through the parts of expressions, statements and terminators, and which locals are alive where.

In: ops. Out: their direct parts, all parts, the locals they read, and for each block of a program the locals it needs. The verifier
and passes build on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

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


def parts_of(expr: Expr) -> tuple[Expr, ...]:
    """The expressions directly inside one."""
    if type(expr) in LEAVES:  # most nodes are; asking so is much quicker than a pattern
        return ()
    match expr:  # the most frequent first
        case Binary(_, a, b):
            return (a, b)
        case Load(_, index) | Lookup(_, index):
            return (index,)
        case Unary(_, a):
            return (a,)
        case And(parts) | Or(parts):
            return parts
        case Fn(_, args):
            return args
        case Select(condition, then, other):
            return (condition, then, other)
        case Query(domain=domain, where=where, value=value):
            return tuple(e for e in (domain, where, value) if e is not None)
        case Best(_, domain, keys) | Sort(_, domain, keys):
            return (domain, *(key.value for key in keys))
        case Reach(_, step, start, steps, through):
            return (step, start, steps, through)
        case Alike(_, args, items):
            return (*args, items)
        case Const() | SetConst() | SeqConst() | Local() | Probe():
            return ()


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
    for expr in block_exprs(block):
        if isinstance(expr, Probe):
            yield expr.b


def block_exprs(block: Block) -> Iterator[Expr]:
    """All expressions of a block, and everything in them."""
    for stmt in walk_stmts(block.stmts):
        for expr in stmt_exprs(stmt):
            yield from walk(expr)
    for expr in term_exprs(block.term):
        yield from walk(expr)
