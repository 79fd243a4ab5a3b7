"""Walks over typed rules: the statements inside statements, the nodes of an expression, the state that they read and write.

In: a model, statements, expressions. Out: iterators and sets, for the checks of a whole game.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import Field
from functools import cache
from operator import attrgetter
from typing import Final

from interpreter.model import typed as t
from interpreter.model.game_model import Model

SYMBOLS: Final = (t.LocalSym, t.FieldSym, t.ZoneSym, t.ColumnSym, t.FuncSym, t.EffectSym, t.Origin)
"""What trees name but do not contain."""
_PLAIN: Final = frozenset(("None", "Span", "bool", "int", "str", "tuple", *(kind.__name__ for kind in SYMBOLS)))
"""Words of the annotations of fields in which no node can stand."""


def inside(body: tuple[t.Stmt, ...]) -> Iterator[t.Stmt]:
    """Statements and all inside them."""
    for stmt in body:
        yield stmt
        for block in blocks_of(stmt):
            yield from inside(block)


def declinable(stmt: t.Stmt) -> bool:
    """Need nobody do what is inside it, not even once?"""
    match stmt:
        case t.MayStmt() | t.AllocateStmt():
            return True
        case t.RepeatStmt(amount=amount, up_to=up_to):
            return up_to or amount is None
        case _:
            return False


def certain(body: tuple[t.Stmt, ...]) -> Iterator[t.Stmt]:
    """Statements and all inside them but what may be declined."""
    for stmt in body:
        yield stmt
        if not declinable(stmt):
            for block in blocks_of(stmt):
                yield from certain(block)


def blocks_of(stmt: t.Stmt) -> tuple[tuple[t.Stmt, ...], ...]:
    """The blocks inside a statement."""
    match stmt:
        case t.IfStmt(branches=branches, otherwise=otherwise):
            return (*(b for _, b in branches), otherwise)
        case t.EitherStmt(options=options):
            return tuple(o.body for o in options)
        case t.TryStmt(body=body, otherwise=otherwise):
            return (body, otherwise)
        case _:
            block: object = getattr(stmt, "body", None)
            return (block,) if isinstance(block, tuple) else ()


def own_parts(stmt: t.Stmt) -> tuple[object, ...]:
    """What a statement itself says, the blocks inside it left out."""
    blocks = blocks_of(stmt)
    if isinstance(stmt, t.IfStmt):
        return tuple(c for c, _ in stmt.branches)
    if isinstance(stmt, t.EitherStmt):
        return tuple(o.condition for o in stmt.options)
    return tuple(v for name in type(stmt).__dataclass_fields__ if (v := getattr(stmt, name)) not in blocks)


def with_actor(body: tuple[t.Stmt, ...], me: t.LocalSym) -> Iterator[tuple[t.LocalSym, t.Stmt]]:
    """Statements with the symbol of who acts there."""
    for stmt in body:
        yield me, stmt
        actor = stmt.me if isinstance(stmt, t.HaveStmt | t.TurnsStmt | t.AtOnceStmt) else me
        for block in blocks_of(stmt):
            yield from with_actor(block, actor)


def parts(node: object) -> Iterator[object]:
    """A typed tree's nodes, each before what is in it; symbols are not entered."""
    todo = [node]
    while todo:
        here = todo.pop()
        if type(here) is tuple:
            todo += here[::-1]
        else:
            kind: type = type(here)
            read = _reader(kind)
            if read is not None:
                yield here
                todo += read(here)


def shallow(node: object) -> Iterator[object]:
    """The node itself, or the members of a tuple."""
    kind: type = type(node)
    if isinstance(node, tuple):
        for item in node:
            yield from shallow(item)
    elif _reader(kind) is not None:
        yield node


def below(node: object) -> Iterator[object]:
    """What stands right inside a node."""
    kind: type = type(node)
    read = _reader(kind)
    for value in read(node)[::-1] if read is not None else ():
        yield from shallow(value)


@cache
def _reader(kind: type) -> Callable[[object], tuple[object, ...]] | None:
    """What reads the fields of a node of a class, the last first, but for the type that was found; None for symbols and what is no
    node."""
    if issubclass(kind, SYMBOLS) or not hasattr(kind, "__dataclass_fields__"):
        return None
    names = tuple(
        name for name, at in reversed(kind.__dataclass_fields__.items()) if name != "type" and not _is_plain(at)
    )
    match names:
        case ():
            return lambda node: ()
        case (name,):
            return lambda node: (getattr(node, name),)
        case _:
            return attrgetter(*names)  # of several names it gives a tuple


def _is_plain(at: Field[object]) -> bool:
    """Can no node stand in this field? Most fields are so, and reading them takes long."""
    return _PLAIN.issuperset(re.findall(r"\w+", str(at.type)))


def is_quiet(symbol: t.EffectSym) -> bool:
    """Set-up, and what a test gives: both show what is wrong with them when they are carried out."""
    return symbol.quiet or symbol.address.split(".")[0] == "setup"


def is_me(owner: t.Expr | None, me: t.LocalSym) -> bool:
    return isinstance(owner, t.LocalRef) and owner.symbol is me


def watched(model: Model) -> list[tuple[t.Trigger, set[object]]]:
    """The triggers that watch state, each with what its condition reads."""
    return [(x, state_read(model, (x.condition, x.domain))) for x in model.triggers if x.kind == "when"]


def state_read(model: Model, node: object) -> set[object]:
    """Fields and kinds of pieces that an expression may read, through functions."""
    found: set[object] = set()
    seen: set[t.FuncSym] = set()
    todo: list[object] = [node]
    while todo:
        for part in parts(todo.pop()):
            match part:
                case t.FieldRef(symbol=symbol):
                    found.add(symbol)
                    if symbol in model.sums:
                        todo.append(model.bodies[model.sums[symbol]])
                case t.ZoneRef(piece=piece):
                    found.add(piece)
                case t.Apply(symbol=function) if function not in seen:
                    seen.add(function)
                    todo.append(model.bodies[function])
                case t.FormulaApply(symbol=column):
                    formulas = {model.formulas[v] for v in model.column_values[column] if v >= 0} - seen
                    seen |= formulas
                    todo += [model.bodies[f] for f in formulas]
                case t.GraphStep(graph=graph) | t.GraphReach(graph=graph):
                    todo += [c for _, _, c in model.graphs[graph].guarded]
    return found


def state_written(stmt: t.Stmt) -> set[object]:
    """Fields and kinds of pieces that one statement writes itself."""
    match stmt:
        case t.AssignStmt(target=t.FieldRef(symbol=symbol)) | t.OrderStmt(target=t.FieldRef(symbol=symbol)):
            return {symbol}
        case t.AddStmt(minus=minus, plus=plus):
            return {r.symbol for r in (minus, plus) if r is not None}
        case t.SpendStmt(field=symbol):
            return {symbol}
        case t.MoveStmt(target=target) | t.DealStmt(target=target):
            return {target.piece}
        case _:
            return set()


def least_size(group: t.Expr) -> int:
    """How many members a set or order has at least, as far as the text says."""
    match group:
        case t.SetConst(mask=mask):
            return mask.bit_count()
        case t.Op(op="minus", args=(t.SetConst(mask=mask), t.Op(op="single"))):
            return mask.bit_count() - 1
        case t.Op(op="range", args=(t.Const(value=low), t.Const(value=high))):
            return max(0, high - low + 1)
        case t.Ranked(kind="best", domain=domain):
            return min(1, least_size(domain))
        case t.Ranked(domain=domain) | t.Op(op="items", args=(domain,)):
            return least_size(domain)
        case _:
            return 0
