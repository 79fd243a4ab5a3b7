"""Rebuilding IR trees: `map_expr` bottom up, and the same for the expressions of statements, terminators and blocks.

Looking at trees without changing them is walk.py's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import is_

from interpreter.ir.ops import (
    Alike,
    And,
    Best,
    BestKey,
    Binary,
    Branch,
    Call,
    CallEffect,
    Chance,
    Check,
    Choose,
    Const,
    Emit,
    Expr,
    Extra,
    Fn,
    For,
    Fork,
    If,
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
from interpreter.ir.program import Block
from interpreter.ir.walk import LEAVES, parts_of

Change = Callable[[Expr], Expr]


def map_expr(node: Expr, change: Change) -> Expr:
    """The tree rebuilt: children first, then `change` on the node itself. What stays as it is, is the same object."""
    if type(node) in LEAVES:
        return change(node)
    old = parts_of(node)
    new = [map_expr(part, change) for part in old]
    return change(node if _same(old, new) else _with_parts(node, new))


def _same(old: Sequence[object], new: Sequence[object]) -> bool:
    """Whether nothing was changed."""
    return all(map(is_, old, new))


def _with_parts(node: Expr, parts: Sequence[Expr]) -> Expr:
    """The same node over other parts, which stand in the order of `parts_of`."""
    match node:
        case Binary(op, _, _, size, at):
            return Binary(op, parts[0], parts[1], size, at)
        case Load(v):
            return Load(v, parts[0])
        case Lookup(t):
            return Lookup(t, parts[0])
        case Unary(op, _, size):
            return Unary(op, parts[0], size)
        case And():
            return And(tuple(parts))
        case Or():
            return Or(tuple(parts))
        case Fn(f):
            return Fn(f, tuple(parts))
        case Select():
            return Select(parts[0], parts[1], parts[2])
        case Query(where=where, value=value):
            rest = iter(parts)
            return replace(
                node,
                domain=next(rest),
                where=None if where is None else next(rest),
                value=None if value is None else next(rest),
            )
        case Best(keys=keys) | Sort(keys=keys):
            others = tuple(BestKey(key.most, part) for key, part in zip(keys, parts[1:], strict=True))
            return replace(node, domain=parts[0], keys=others)
        case Reach():
            return replace(node, step=parts[0], start=parts[1], steps=parts[2], through=parts[3])
        case Alike(p):
            return Alike(p, tuple(parts[:-1]), parts[-1])
        case Const() | SetConst() | SeqConst() | Local() | Probe():
            return node


def map_stmt(stmt: Stmt, change: Change) -> Stmt:
    """A statement with its expressions rebuilt."""
    match stmt:
        case Store(v, index, value):
            at, into = map_expr(index, change), map_expr(value, change)
            return stmt if at is index and into is value else Store(v, at, into)
        case Let(n, value):
            into = map_expr(value, change)
            return stmt if into is value else Let(n, into)
        case Check(condition, why):
            test = map_expr(condition, change)
            return stmt if test is condition else Check(test, why)
        case If(condition, then, other):
            test, yes, no = map_expr(condition, change), map_stmts(then, change), map_stmts(other, change)
            return stmt if test is condition and yes is then and no is other else If(test, yes, no)
        case For(n, domain, body):
            over, inner = map_expr(domain, change), map_stmts(body, change)
            return stmt if over is domain and inner is body else For(n, over, inner)
        case Emit(event, args):
            said = _mapped(args, change)
            return stmt if said is args else Emit(event, said)


def map_stmts(stmts: tuple[Stmt, ...], change: Change) -> tuple[Stmt, ...]:
    """Several statements."""
    new = tuple(map_stmt(s, change) for s in stmts)
    return stmts if _same(stmts, new) else new


def _mapped(exprs: tuple[Expr, ...], change: Change) -> tuple[Expr, ...]:
    new = tuple(map_expr(e, change) for e in exprs)
    return exprs if _same(exprs, new) else new


def _optional(node: Expr | None, change: Change) -> Expr | None:
    return None if node is None else map_expr(node, change)


def map_term(term: Term, change: Change) -> Term:
    """A terminator with its expressions rebuilt."""
    match term:
        case Branch(condition, then, other):
            test = map_expr(condition, change)
            return term if test is condition else Branch(test, then, other)
        case Switch(value, blocks):
            way = map_expr(value, change)
            return term if way is value else Switch(way, blocks)
        case Choose(player, _, domain, where, look, extras=extras):
            offered = tuple(_extra(e, change) for e in extras)
            asked = (
                map_expr(player, change),
                map_expr(domain, change),
                _optional(where, change),
                _optional(look, change),
            )
            if _same(extras, offered) and _same((player, domain, where, look), asked):
                return term
            return replace(term, player=asked[0], domain=asked[1], where=asked[2], look=asked[3], extras=offered)
        case Chance(_, domain, where, weight):
            over, test_, share = map_expr(domain, change), _optional(where, change), _optional(weight, change)
            if _same((domain, where, weight), (over, test_, share)):
                return term
            return replace(term, domain=over, where=test_, weight=share)
        case Call(p, args, b):
            given = _mapped(args, change)
            return term if given is args else Call(p, given, b)
        case CallEffect(effect, args, targets, b):
            run, given = map_expr(effect, change), _mapped(args, change)
            return term if run is effect and given is args else CallEffect(run, given, targets, b)
        case Fork(players, p, args, b):
            seats, given = map_expr(players, change), _mapped(args, change)
            return term if seats is players and given is args else Fork(seats, p, given, b)
        case _:
            return term


def _extra(extra: Extra, change: Change) -> Extra:
    condition, look = _optional(extra.condition, change), _optional(extra.look, change)
    if condition is extra.condition and look is extra.look:
        return extra
    return replace(extra, condition=condition, look=look)


def map_block(block: Block, change: Change) -> Block:
    """A block with all its expressions rebuilt."""
    stmts, term = map_stmts(block.stmts, change), map_term(block.term, change)
    return block if stmts is block.stmts and term is block.term else replace(block, stmts=stmts, term=term)
