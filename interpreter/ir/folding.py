"""Folding: functions of printed data become tables, constants are computed, tests that always hold go.

In: blocks and functions under construction. Out: the same with fewer nodes; `Folder` can fold more of the same program later.
"""

from __future__ import annotations

from dataclasses import replace

from interpreter.ir.evaluate import Evaluator, NotConstant, Value
from interpreter.ir.ir_types import INT32, NOTHING, IntT, IrType, SeqT, SetT
from interpreter.ir.ops import (
    And,
    Binary,
    Branch,
    Check,
    Const,
    Expr,
    Fn,
    For,
    If,
    Jump,
    Load,
    Lookup,
    Or,
    Query,
    Select,
    SeqConst,
    SetConst,
    Stmt,
)
from interpreter.ir.program import Block, Func, Table
from interpreter.ir.rewrite import map_block, map_expr
from interpreter.ir.walk import LEAVES, parts_of

MOST_ENTRIES = 4096


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
        if type(node) in LEAVES:
            return node
        if isinstance(node, Fn):
            return self._call(node)
        if isinstance(node, And | Or):
            return self._logic(node)
        if isinstance(node, Select) and isinstance(node.condition, Const):
            return node.then if node.condition.value else node.other
        if isinstance(node, Binary) and isinstance(node.b, Const) and _has_neighbour(node.op, node.b.value):
            shifted = Const(node.b.value + 1 if node.op == "gt" else node.b.value - 1)
            return self.step(Binary("ge" if node.op == "gt" else "le", node.a, shifted))
        if isinstance(node, Query) and node.domain == SetConst(0, getattr(node.domain, "size", 0)):
            return _query_of_none(node)
        if isinstance(node, Load):
            return node
        if all(isinstance(c, Const | SetConst | SeqConst) for c in parts_of(node)):
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


def _has_neighbour(op: str, bound: int) -> bool:
    """Whether there is a number that something greater, or less, is at least, or at most."""
    return (op == "gt" and bound < INT32[1]) or (op == "lt" and bound > INT32[0])


def _query_of_none(node: Query) -> Expr:
    """A query over the empty set."""
    match node.kind:
        case "any" | "count" | "sum" | "checked_sum":
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
    return block if stmts == block.stmts and term is block.term else replace(block, stmts=stmts, term=term)


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
