"""Rebuilding IR trees: `map_expr` bottom up, and the same for the expressions of statements, terminators and blocks.

Looking at trees without changing them is walk.py's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

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
from interpreter.ir.walk import LEAVES

Change = Callable[[Expr], Expr]


def map_expr(node: Expr, change: Change) -> Expr:
    """The tree rebuilt: children first, then `change` on the node itself."""
    if type(node) in LEAVES:
        return change(node)

    def sub(x: Expr) -> Expr:
        return map_expr(x, change)

    def maybe(x: Expr | None) -> Expr | None:
        return None if x is None else map_expr(x, change)

    built: Expr
    match node:
        case Const() | SetConst() | SeqConst() | Local() | Probe():
            built = node
        case Load(v=v, index=index):
            built = Load(v, sub(index))
        case Lookup(t=t, index=index):
            built = Lookup(t, sub(index))
        case Unary(op=op, a=a, size=size):
            built = Unary(op, sub(a), size)
        case Binary(op=op, a=a, b=b, size=size):
            built = Binary(op, sub(a), sub(b), size)
        case And(parts=parts):
            built = And(tuple(sub(p) for p in parts))
        case Or(parts=parts):
            built = Or(tuple(sub(p) for p in parts))
        case Select(condition=condition, then=then, other=other):
            built = Select(sub(condition), sub(then), sub(other))
        case Fn(f=f, args=args):
            built = Fn(f, tuple(sub(a) for a in args))
        case Query():
            built = replace(node, domain=sub(node.domain), where=maybe(node.where), value=maybe(node.value))
        case Best() | Sort():
            keys = tuple(BestKey(k.most, sub(k.value)) for k in node.keys)
            built = replace(node, domain=sub(node.domain), keys=keys)
        case Reach():
            built = replace(
                node, step=sub(node.step), start=sub(node.start), steps=sub(node.steps), through=sub(node.through)
            )
        case Alike(p=p, args=args, items=items):
            built = Alike(p, tuple(sub(a) for a in args), sub(items))
    return change(built)


def map_stmt(stmt: Stmt, change: Change) -> Stmt:
    """A statement with its expressions rebuilt."""
    match stmt:
        case Store(v=v, index=index, value=value):
            return Store(v, map_expr(index, change), map_expr(value, change))
        case Let(n=n, value=value):
            return Let(n, map_expr(value, change))
        case Check(condition=condition, why=why):
            return Check(map_expr(condition, change), why)
        case If(condition=condition, then=then, other=other):
            return If(map_expr(condition, change), map_stmts(then, change), map_stmts(other, change))
        case For(n=n, domain=domain, body=body):
            return For(n, map_expr(domain, change), map_stmts(body, change))
        case Emit(event=event, args=args):
            return Emit(event, tuple(map_expr(a, change) for a in args))


def map_stmts(stmts: tuple[Stmt, ...], change: Change) -> tuple[Stmt, ...]:
    """Several statements."""
    return tuple(map_stmt(s, change) for s in stmts)


def _optional(node: Expr | None, change: Change) -> Expr | None:
    return None if node is None else map_expr(node, change)


def map_term(term: Term, change: Change) -> Term:
    """A terminator with its expressions rebuilt."""
    match term:
        case Branch(condition=condition):
            return replace(term, condition=map_expr(condition, change))
        case Switch(value=value):
            return replace(term, value=map_expr(value, change))
        case Choose():
            extras = tuple(
                replace(e, condition=_optional(e.condition, change), look=_optional(e.look, change))
                for e in term.extras
            )
            return replace(
                term,
                player=map_expr(term.player, change),
                domain=map_expr(term.domain, change),
                where=_optional(term.where, change),
                look=_optional(term.look, change),
                extras=extras,
            )
        case Chance():
            return replace(
                term,
                domain=map_expr(term.domain, change),
                where=_optional(term.where, change),
                weight=_optional(term.weight, change),
            )
        case Call():
            return replace(term, args=tuple(map_expr(a, change) for a in term.args))
        case CallEffect():
            return replace(
                term, effect=map_expr(term.effect, change), args=tuple(map_expr(a, change) for a in term.args)
            )
        case Fork():
            return replace(
                term, players=map_expr(term.players, change), args=tuple(map_expr(a, change) for a in term.args)
            )
        case _:
            return term


def map_block(block: Block, change: Change) -> Block:
    """A block with all its expressions rebuilt."""
    return replace(block, stmts=map_stmts(block.stmts, change), term=map_term(block.term, change))
