"""Queries over fixed sets, worked out a column at a time.

`filter n in {1, 2, 3} where v[n] <= t[n]` needs no closure an element: the cells of v and the constants of t are two columns, and the
comparison is mapped over them. Where the parts of a query have such a form and cannot fail, this gives the same result several
times faster; everything else is left to closures.py.

In: a query, and a way to make closures of what does not depend on its element. Out: a closure, or None.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress, repeat
from typing import Final

from interpreter.ir.expr_types import CHECKED
from interpreter.ir.ir_types import NO_NUMBER, NOTHING, IntT, IrType, SetT
from interpreter.ir.ops import And, Binary, Const, Expr, Fn, Load, Local, Lookup, Or, Query, Select, SetConst, Unary
from interpreter.ir.program import Program
from interpreter.ir.walk import free_locals, walk
from interpreter.machine.cells import Locals, Number, Row

Column = Callable[[Row, Locals], Iterable[int]]
Scalar = Callable[[Expr], Number]

Operator = Callable[[int, int], int]

COMPARE: Final[dict[str, Operator]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "seteq": operator.eq,
}
ARITHMETIC: Final[dict[str, Operator]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "min": min,
    "max": max,
    "union": operator.or_,
    "inter": operator.and_,
}
DEEPEST: Final = 8
"""Functions within functions that are looked into."""


def substitute(expr: Expr, args: Sequence[Expr]) -> Expr | None:
    """The body of a function with its parameters replaced; None where it binds locals of its own."""
    match expr:
        case Local(n):
            return args[n] if n < len(args) else None
        case Const() | SetConst():
            return expr
        case Load(_, index) | Lookup(_, index):
            inner = substitute(index, args)
            return None if inner is None else replace(expr, index=inner)
        case Unary(_, a):
            inner = substitute(a, args)
            return None if inner is None else replace(expr, a=inner)
        case Binary(_, a, b):
            left, right = substitute(a, args), substitute(b, args)
            return None if left is None or right is None else replace(expr, a=left, b=right)
        case And(parts) | Or(parts):
            made = [substitute(part, args) for part in parts]
            sure = tuple(part for part in made if part is not None)
            return replace(expr, parts=sure) if len(sure) == len(made) else None
        case Fn(_, inner_args):
            made = [substitute(part, args) for part in inner_args]
            sure = tuple(part for part in made if part is not None)
            return replace(expr, args=sure) if len(sure) == len(made) else None
        case _:
            return None


@dataclass(slots=True)
class Columns:
    """Makes columns for queries of one program."""

    program: Program

    def query(self, q: Query, scalar: Scalar) -> Number | None:
        """The closure of a query, or None. `scalar` makes closures of expressions in which the element does not occur."""
        if not isinstance(q.domain, SetConst) or q.domain.mask.bit_count() < 3:
            return None
        elements = [k for k in range(q.domain.mask.bit_length()) if q.domain.mask >> k & 1]
        frame = Frame(self.program, q.n, elements, scalar)
        where = frame.truth(q.where) if q.where is not None else None
        if q.where is not None and where is None:
            return None
        value = frame.column(q.value) if q.value is not None else None
        if q.value is not None and value is None:
            return None
        return _reduce(q, elements, where, value)


def _reduce(q: Query, elements: list[int], where: Column | None, value: Column | None) -> Number | None:
    bits = [1 << k for k in elements]
    if value is not None:
        chosen = value if where is None else _chosen(value, where)
        match q.kind:
            case "sum":
                return lambda row, slots: sum(chosen(row, slots))
            case "highest":
                return lambda row, slots: max(chosen(row, slots), default=NO_NUMBER)
            case "lowest":
                return lambda row, slots: min(chosen(row, slots), default=NO_NUMBER)
            case _:
                return None
    if where is None:
        return None
    match q.kind:
        case "any":
            return lambda row, slots: 1 if any(where(row, slots)) else 0
        case "count":
            return lambda row, slots: sum(compress(repeat(1), where(row, slots)))
        case "filter":
            return lambda row, slots: sum(compress(bits, where(row, slots)))
        case "first":
            return lambda row, slots: next(compress(elements, where(row, slots)), NOTHING)
        case _:
            return None


def _chosen(value: Column, where: Column) -> Column:
    return lambda row, slots: compress(value(row, slots), where(row, slots))


@dataclass(slots=True)
class Frame:
    """One query: its element in local n, the elements it takes."""

    program: Program
    n: int
    elements: list[int]
    scalar: Scalar
    depth: int = 0

    def truth(self, expr: Expr) -> Column | None:
        """A column of truth values (anything that is not 0 counts as true)."""
        match expr:
            case And(parts) if parts:
                columns = [self.truth(part) for part in parts]
                sure = [column for column in columns if column is not None]
                return _joined(sure, all) if len(sure) == len(columns) else None
            case Or(parts) if parts:
                columns = [self.truth(part) for part in parts]
                sure = [column for column in columns if column is not None]
                return _joined(sure, any) if len(sure) == len(columns) else None
            case Unary("not", a):
                inner = self.truth(a)
                return None if inner is None else (lambda row, slots: map(operator.not_, inner(row, slots)))
            case Binary("has", a, b) if not self._depends(b) and is_safe(b):
                sets, element = self.column(a), self.scalar(b)
                return None if sets is None else _has(sets, element)
            case Binary("has", a, Local()) if not self._depends(a) and is_safe(a):
                mask, bits = self.scalar(a), [1 << k for k in self.elements]
                return lambda row, slots: map(operator.and_, repeat(mask(row, slots)), bits)
            case _:
                return self.column(expr)

    def column(self, expr: Expr) -> Column | None:
        """A column of numbers or masks."""
        if not self._depends(expr):
            return self._fixed(expr)
        match expr:
            case Local():
                elements = self.elements
                return lambda row, slots: elements
            case Lookup(t, Local()):
                values = self.program.tables[t].values
                if self.elements[-1] >= len(values):
                    return None
                column = [values[k] for k in self.elements]
                return lambda row, slots: column
            case Load(v, Local()):
                return self._cells(v)
            case Fn(f, args):
                return self._function(f, args)
            case Binary(op, a, b) if op in COMPARE or op in ARITHMETIC:
                left, right = self.column(a), self.column(b)
                if left is None or right is None:
                    return None
                return _mapped(COMPARE.get(op) or ARITHMETIC[op], left, right)
            case And(parts=(_, *_)) | Or(parts=(_, *_)) | Unary("not"):
                inner = self.truth(expr)
                return None if inner is None else (lambda row, slots: map(bool, inner(row, slots)))
            case _:
                return None

    def _depends(self, expr: Expr) -> bool:
        return self.n in free_locals(expr, {})

    def _fixed(self, expr: Expr) -> Column | None:
        if not is_safe(expr):
            return None
        count = len(self.elements)
        if isinstance(expr, Const):
            column = [expr.value] * count
            return lambda row, slots: column
        number = self.scalar(expr)
        return lambda row, slots: repeat(number(row, slots), count)

    def _cells(self, v: int) -> Column | None:
        var = self.program.vars[v]
        if self.elements[-1] >= var.count or not _is_one_cell(var.type):
            return None
        first, last = var.base + self.elements[0], var.base + self.elements[-1] + 1
        if last - first == len(self.elements):
            return lambda row, slots: row[first:last]
        pick = operator.itemgetter(*[var.base + k for k in self.elements])
        return lambda row, slots: pick(row)

    def _function(self, f: int, args: tuple[Expr, ...]) -> Column | None:
        func = self.program.funcs[f]
        if self.depth >= DEEPEST or len(func.locals) > func.params:
            return None
        read = free_locals(func.body, {})
        if not all(n in read or is_safe(arg) for n, arg in enumerate(args)):
            return None  # what the body leaves out is worked out all the same, and may be a fault
        body = substitute(func.body, args)
        if body is None:
            return None
        return replace(self, depth=self.depth + 1).column(body)


def is_safe(expr: Expr) -> bool:
    """Whether an expression surely has a value: it may then be worked out where the rules would not have come to it."""
    return all(
        isinstance(part, Const | SetConst | Local | And | Or | Select)
        or (isinstance(part, Load | Lookup) and isinstance(part.index, Const))
        or (isinstance(part, Binary) and part.op not in ("div", "mod") and not part.op.startswith(CHECKED))
        or isinstance(part, Unary)
        for part in walk(expr)
    )


def _is_one_cell(kind: IrType) -> bool:
    return isinstance(kind, IntT) or (isinstance(kind, SetT) and kind.size < 32)


def _mapped(function: Operator, left: Column, right: Column) -> Column:
    return lambda row, slots: map(function, left(row, slots), right(row, slots))


def _has(sets: Column, element: Number) -> Column:
    def column(row: Row, slots: Locals) -> Iterable[int]:
        x = element(row, slots)
        return map(operator.and_, sets(row, slots), repeat(1 << x if x >= 0 else 0))

    return column


def _joined(columns: list[Column], join: Callable[[Iterable[int]], bool]) -> Column:
    return lambda row, slots: map(join, zip(*[column(row, slots) for column in columns], strict=False))
