"""Bounds of numbers, and which arithmetic has to be checked.

The lowering gives each local the type that it is declared with. But nothing holds an argument to the range written behind a parameter, nor
what is put into a name to the range of its first value; so here a type is widened until it holds whatever the program puts into it.
A local that may be any number gets bounds from what is put into it. Then every addition, subtraction, multiplication and sum that may
come to what is no number becomes a checked one, and the verifier tests that no other can.

In: a whole program. Out: the same with such types and operations. What the lowering keeps within a type by a test (a count that goes
down while it is above 0, a thing that is there) stays its promise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from interpreter.ir.expr_types import ExprTypes, join, within
from interpreter.ir.ir_types import INT32, LEAST_NUMBER, MOST_NUMBER, NO_NUMBER, NOTHING, IntT, IrType
from interpreter.ir.ops import (
    Alike,
    Best,
    Binary,
    BinaryOp,
    Call,
    CallEffect,
    Chance,
    Choose,
    Const,
    Expr,
    Fn,
    For,
    Fork,
    Let,
    Local,
    Query,
    Reach,
    Sort,
    Term,
    Unary,
)
from interpreter.ir.program import Block, Func, Program, Table, Var
from interpreter.ir.rewrite import map_block, map_expr
from interpreter.ir.walk import block_exprs, walk, walk_stmts

TWINS: Final[dict[str, BinaryOp]] = {"add": "checked_add", "sub": "checked_sub", "mul": "checked_mul"}
PASSES: Final = 2
"""How often the locals of a procedure are gone through: what is put into one may speak of another that is set later."""


def bounded(program: Program) -> Program:
    """The program with types that hold, and with the arithmetic checked that needs it."""
    bounds = _Bounds(program)
    bounds.settle()
    types = ExprTypes(bounds.known)
    funcs = tuple(replace(f, body=_checked(f.body, f.locals, types)) for f in bounds.known.funcs)
    procs = tuple(replace(p, locals=tuple(s)) for p, s in zip(program.procs, bounds.scopes, strict=True))
    blocks = tuple(_checked_block(b, procs[b.p].locals, types) for b in program.blocks)
    return replace(program, funcs=funcs, procs=procs, blocks=blocks)


def hopeless(program: Program) -> list[tuple[int, int, int]]:
    """Arithmetic that never comes to a number: its place in Program.places, and between what it lies. Where the same stands in several
    parts of the program (a formula speaks of what a block does), it is so in all."""
    types = ExprTypes(program)
    found: dict[int, tuple[int, int] | None] = {}
    parts = [(part, func.locals) for func in program.funcs for part in walk(func.body)]
    parts += [(part, program.procs[block.p].locals) for block in program.blocks for part in block_exprs(block)]
    for part, scope in parts:
        if isinstance(part, Binary | Query) and part.at and (ends := types.ends(part, scope)) is not None:
            never = ends[0] > MOST_NUMBER or ends[1] < LEAST_NUMBER
            known = found.setdefault(part.at, ends)
            found[part.at] = (min(ends[0], known[0]), max(ends[1], known[1])) if never and known is not None else None
    return [(at, *ends) for at, ends in sorted(found.items()) if ends is not None]


def _checked(expr: Expr, scope: Sequence[IrType], types: ExprTypes) -> Expr:
    return map_expr(expr, lambda e: _twin(e, scope, types))


def _checked_block(block: Block, scope: Sequence[IrType], types: ExprTypes) -> Block:
    if not any(_may_have_twin(e) for e in block_exprs(block)):  # most blocks do not reckon
        return block
    return map_block(block, lambda e: _twin(e, scope, types))


def _may_have_twin(expr: Expr) -> bool:
    kind = type(expr)
    return (kind is Binary and cast(Binary, expr).op in TWINS) or (kind is Query and cast(Query, expr).kind == "sum")


def _twin(expr: Expr, scope: Sequence[IrType], types: ExprTypes) -> Expr:
    """The checked form of an operation that may come to what is no number. Whether there is room for more, which the lowering asks, is
    asked the other way round where there may be too much for a number."""
    if type(expr) is not Binary and type(expr) is not Query:
        return expr
    match expr:
        case Binary("add" | "sub" | "mul" as op) if types.may_leave(expr, scope):
            return replace(expr, op=TWINS[op])
        case Query("sum") if types.may_leave(expr, scope):
            return replace(expr, kind="checked_sum")
        case Binary("le", Binary("checked_add", there, more, at=0), most):
            room = Binary("sub", most, there)
            return expr if types.may_leave(room, scope) else Binary("le", more, room)
        case _:
            return expr


@dataclass(slots=True)
class _Known:
    """What types of expressions follow from, as it is known by now."""

    vars: tuple[Var, ...]
    tables: tuple[Table, ...]
    funcs: list[Func]


class _Bounds:
    """Types of the parameters, results and locals of one program, in the making."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.known = _Known(program.vars, program.tables, list(program.funcs))
        self.scopes: list[list[IrType]] = [list(proc.locals) for proc in program.procs]
        self._types = ExprTypes(self.known)
        self._order = _callees_first(program.funcs)
        self._lets = _lets(program)
        self._in_funcs = [[e for e in walk(func.body) if isinstance(e, Fn)] for func in program.funcs]
        self._in_blocks = [
            (b, [e for e in block_exprs(b) if isinstance(e, Fn | Alike)], tuple(_calls(b.term))) for b in program.blocks
        ]
        self._widened: set[tuple[str, int, int]] = set()

    def settle(self) -> None:
        """Until every type holds what is put there. Each end of a type is moved twice at most, so this ends."""
        while True:
            for f in self._order:
                self._result(f)
            for p in range(len(self.scopes)):
                self._any_numbers(p)
            if not self._widen():
                return

    # ---------------------------------------------------------------- what follows from types so far
    def _result(self, f: int) -> None:
        """A function's result is what its body comes to."""
        func, declared = self.known.funcs[f], self.program.funcs[f].result
        found = self._types.of(func.body, func.locals)
        if isinstance(declared, IntT) and isinstance(found, IntT):
            result = IntT(*_excess(declared, found, func.body))
            if result != func.result:
                self.known.funcs[f] = replace(func, result=result)
                self._types = ExprTypes(self.known)

    def _any_numbers(self, p: int) -> None:
        """Locals that may be any number, as far as they are declared, are what is put into them."""
        scope, declared = self.scopes[p], self.program.procs[p].locals
        named = {n: values for n, values in self._lets[p].items() if values and _may_be_any(declared[n])}
        for n in named:
            scope[n] = declared[n]
        self._types = ExprTypes(self.known)
        for _ in range(PASSES):
            for n, values in named.items():
                kind = self._types.of(values[0], scope)
                for value in values[1:]:
                    kind = join(kind, self._types.of(value, scope))
                if kind != scope[n]:
                    scope[n] = kind
                    self._types = ExprTypes(self.known)

    # ---------------------------------------------------------------- where a type does not hold
    def _widen(self) -> bool:
        """Widens the types of parameters and locals into which something is put that they do not hold; whether there are any."""
        before = len(self._widened)
        for f, calls in enumerate(self._in_funcs):
            for call in calls:
                self._given("func", call.f, call.args, self.known.funcs[f].locals)
        for block, within_block, called in self._in_blocks:
            scope = self.scopes[block.p]
            for part in within_block:
                self._given(*(("func", part.f) if isinstance(part, Fn) else ("proc", part.p)), part.args, scope)
            for p, args in called:
                self._given("proc", p, args, scope)
        for p, scope in enumerate(self.scopes):
            for n, values in self._lets[p].items():
                for value in values or ():
                    if not _may_be_any(self.program.procs[p].locals[n]) and not _is_count(n, value):
                        self._hold("proc", p, n, value, scope)
        self._types = ExprTypes(self.known)
        return len(self._widened) > before

    def _given(self, kind: str, callee: int, args: Sequence[Expr], scope: Sequence[IrType]) -> None:
        for n, arg in enumerate(args):
            self._hold(kind, callee, n, arg, scope)

    def _hold(self, kind: str, owner: int, n: int, value: Expr, scope: Sequence[IrType]) -> None:
        """A local holds a value: where it does not, an end of its type moves, the second time as far as it can."""
        here = self.known.funcs[owner].locals[n] if kind == "func" else self.scopes[owner][n]
        found = self._types.of(value, scope)
        if not isinstance(here, IntT) or not isinstance(found, IntT):
            return
        lo, hi = _excess(here, found, value)
        if within(IntT(lo, hi), here.lo, here.hi):
            return
        wider = IntT(
            self._moved((f"{kind} low", owner, n), here.lo, min(lo, here.lo), INT32[0]),
            self._moved((f"{kind} high", owner, n), here.hi, max(hi, here.hi), INT32[1]),
        )
        if kind == "func":
            func = self.known.funcs[owner]
            self.known.funcs[owner] = replace(func, locals=(*func.locals[:n], wider, *func.locals[n + 1 :]))
        else:
            self.scopes[owner][n] = wider

    def _moved(self, end: tuple[str, int, int], here: int, found: int, most: int) -> int:
        if found == here:
            return here
        again = end in self._widened
        self._widened.add(end if not again else (f"{end[0]} again", *end[1:]))
        return most if again else found


def _may_be_any(kind: IrType) -> bool:
    """Whether a type says nothing of how small a number is."""
    return isinstance(kind, IntT) and kind.lo <= LEAST_NUMBER


def _excess(kind: IntT, found: IntT, value: Expr) -> tuple[int, int]:
    """The ends of what is put where a type is; that there is something is the checker's promise, unless it is the result of arithmetic."""
    if found.lo in (NOTHING, NO_NUMBER) and not _is_arithmetic(value):
        return max(found.lo, min(kind.lo, found.hi)), found.hi
    return found.lo, found.hi


def _is_arithmetic(value: Expr) -> bool:
    match value:
        case Binary("add" | "sub" | "mul" | "div" | "mod") | Unary("neg") | Query("sum"):
            return True
        case _:
            return False


def _is_count(n: int, value: Expr) -> bool:
    """Whether a local is counted up or down by what the lowering writes for that; it stays within its type."""
    match value:
        case Binary("sub", Local(m), Const(1)) | Binary("add", Local(m), Binary("eq")):
            return m == n
        case _:
            return False


def _lets(program: Program) -> list[dict[int, list[Expr] | None]]:
    """For each procedure, what is put into each number that is no parameter; None where something else than Let sets it too."""
    found: list[dict[int, list[Expr] | None]] = [{} for _ in program.procs]
    others: list[set[int]] = [set() for _ in program.procs]
    for block in program.blocks:
        proc, lets = program.procs[block.p], found[block.p]
        for stmt in walk_stmts(block.stmts):
            match stmt:
                case Let(n, value) if n >= proc.params and isinstance(proc.locals[n], IntT):
                    values = lets.setdefault(n, [])
                    assert values is not None
                    values.append(value)
                case For(n=n):
                    others[block.p].add(n)
                case _:
                    pass
        if isinstance(block.term, Choose | Chance):
            others[block.p].add(block.term.n)
        others[block.p].update(e.n for e in block_exprs(block) if isinstance(e, Query | Best | Sort | Reach))
    return [
        {n: values if n not in bound else None for n, values in lets.items()}
        for lets, bound in zip(found, others, strict=True)
    ]


def _calls(term: Term) -> Iterator[tuple[int, tuple[Expr, ...]]]:
    match term:
        case Call(p, args):
            yield p, args
        case CallEffect(_, args, procs):
            for p in procs:
                yield p, args
        case Fork(_, p, args):
            yield p, (Const(0), *args)
        case _:
            pass


def _callees_first(funcs: Sequence[Func]) -> list[int]:
    """All functions, each behind those that it calls."""
    found: list[int] = []
    met: set[int] = set()

    def visit(f: int) -> None:
        if f in met:
            return
        met.add(f)
        for part in walk(funcs[f].body):
            if isinstance(part, Fn):
                visit(part.f)
        found.append(f)

    for f in range(len(funcs)):
        visit(f)
    return found
