"""The type of every expression, bottom up, with the narrowest interval that local reasoning gives.

In: a program and an expression with the types of the locals around it. Out: an IrType. A shape that does not fit (a set where a
number is due) raises `Misfit`; the verifier collects these, the machines may rely on their absence. Intervals are cut at int32;
`may_leave` says where that is needed: such an operation has to be a checked one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from interpreter.ir.ir_types import (
    BOOL,
    INT32,
    LEAST_NUMBER,
    MOST_NUMBER,
    NO_NUMBER,
    NOTHING,
    IntT,
    IrType,
    SeqT,
    SetT,
)
from interpreter.ir.ops import (
    Alike,
    And,
    Best,
    Binary,
    Const,
    Expr,
    Fn,
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
    Unary,
)
from interpreter.ir.program import Func, Table, Var

CHECKED: Final = "checked_"
"""How the names of operations begin that are faults where they come to what is no number."""


class Misfit(Exception):
    """An expression whose parts do not fit together; the text says which."""


def join(a: IrType, b: IrType) -> IrType:
    """The narrowest type that holds the values of both."""
    match a, b:
        case IntT(), IntT():
            return IntT(min(a.lo, b.lo), max(a.hi, b.hi))
        case SetT(), SetT():
            return SetT(max(a.size, b.size))
        case SeqT(), SeqT():
            return SeqT(max(a.size, b.size))
        case _:
            raise Misfit(f"{a} and {b} do not join")


def clamp(lo: int, hi: int) -> IntT:
    """An interval cut at int32."""
    return IntT(max(INT32[0], min(INT32[1], lo)), max(INT32[0], min(INT32[1], hi)))


def within(kind: IntT, lo: int, hi: int) -> bool:
    """Whether every value of the type lies in lo..hi."""
    return lo <= kind.lo and kind.hi <= hi


class Named(Protocol):
    """What expressions name: the parts of a program that their types follow from."""

    @property
    def vars(self) -> Sequence[Var]:
        """Variables by number."""

    @property
    def tables(self) -> Sequence[Table]:
        """Tables by number."""

    @property
    def funcs(self) -> Sequence[Func]:
        """Functions by number."""


class ExprTypes:
    """Types of expressions of one program; remembers those it has worked out."""

    def __init__(self, program: Named) -> None:
        self._program = program
        self._known: dict[tuple[int, int], tuple[Expr, IrType]] = {}

    def of(self, expr: Expr, scope: Sequence[IrType]) -> IrType:
        """The type of an expression among locals of these types."""
        key = (id(expr), id(scope))
        found = self._known.get(key)
        if found is None or found[0] is not expr:
            found = (expr, self._work_out(expr, scope))
            self._known[key] = found
        return found[1]

    def number(self, expr: Expr, scope: Sequence[IrType]) -> IntT:
        """The interval of an expression that must be a number."""
        kind = self.of(expr, scope)
        if not isinstance(kind, IntT):
            raise Misfit(f"a number is due, found {kind}")
        return kind

    def truth(self, expr: Expr, scope: Sequence[IrType]) -> None:
        """Demand a truth value."""
        kind = self.number(expr, scope)
        if not within(kind, 0, 1):
            raise Misfit(f"0 or 1 is due, found {kind}")

    def many(self, expr: Expr, scope: Sequence[IrType]) -> SetT | SeqT:
        """The type of an expression that must be a set or a sequence."""
        kind = self.of(expr, scope)
        if isinstance(kind, IntT):
            raise Misfit(f"a set or sequence is due, found {kind}")
        return kind

    def set_of(self, expr: Expr, scope: Sequence[IrType]) -> SetT:
        """The type of an expression that must be a set."""
        kind = self.of(expr, scope)
        if not isinstance(kind, SetT):
            raise Misfit(f"a set is due, found {kind}")
        return kind

    def seq_of(self, expr: Expr, scope: Sequence[IrType]) -> SeqT:
        """The type of an expression that must be a sequence."""
        kind = self.of(expr, scope)
        if not isinstance(kind, SeqT):
            raise Misfit(f"a sequence is due, found {kind}")
        return kind

    def _work_out(self, expr: Expr, scope: Sequence[IrType]) -> IrType:  # noqa: C901 - one case an op
        match expr:
            case Const(value):
                return IntT(value, value)
            case SetConst(mask, size):
                if mask < 0 or mask >> size:
                    raise Misfit(f"constant set {mask:#x} has members outside 0..{size - 1}")
                return SetT(size)
            case SeqConst(items, size):
                if len(set(items)) != len(items) or any(not 0 <= i < size for i in items):
                    raise Misfit(f"constant sequence {items} does not fit 0..{size - 1}, each once")
                return SeqT(size)
            case Local(n):
                if not 0 <= n < len(scope):
                    raise Misfit(f"no local {n}")
                return scope[n]
            case Load(v, index):
                if not 0 <= v < len(self._program.vars):
                    raise Misfit(f"no variable {v}")
                self.number(index, scope)
                return self._program.vars[v].type
            case Lookup(t, index):
                if not 0 <= t < len(self._program.tables):
                    raise Misfit(f"no table {t}")
                self.number(index, scope)
                return self._program.tables[t].type
            case Unary():
                return self._unary(expr, scope)
            case Binary():
                return self._binary(expr, scope)
            case And(parts) | Or(parts):
                for part in parts:
                    self.truth(part, scope)
                return BOOL
            case Select(condition, then, other):
                self.truth(condition, scope)
                return join(self.of(then, scope), self._otherwise(condition, other, scope))
            case Fn(f, args):
                return self._fn(f, args, scope)
            case Query():
                return self._query(expr, scope)
            case Best(n, domain, keys, size) | Sort(n, domain, keys, size):
                if isinstance(expr, Best):
                    self.set_of(domain, scope)
                else:
                    self.many(domain, scope)
                self._binder(n, scope)
                for key in keys:
                    self.number(key.value, scope)
                return SetT(size) if isinstance(expr, Best) else SeqT(size)
            case Reach(n, step, start, steps, through, size):
                self._binder(n, scope)
                self.set_of(step, scope)
                self.number(start, scope)
                self.set_of(steps, scope)
                self.set_of(through, scope)
                return SetT(size)
            case Probe():
                return BOOL
            case Alike(_, args, items):
                for arg in args:
                    self.of(arg, scope)
                self.set_of(items, scope)
                return BOOL

    def _otherwise(self, condition: Expr, other: Expr, scope: Sequence[IrType]) -> IrType:
        """The type of an expression where a condition does not hold: a number that has been asked about is there."""
        found = self.of(other, scope)
        match condition, other:
            case Binary("eq", asked, Const(value)), Query("highest" | "lowest", value=each) if (
                asked == other and value == NO_NUMBER and each is not None
            ):
                return self.number(each, scope)
            case Binary("eq", asked, Const(value)), Lookup(t) if asked == other and isinstance(found, IntT):
                there = [v for v in self._program.tables[t].values if v != value]
                return IntT(min(there, default=found.hi), max(there, default=found.hi))
            case _:
                return found

    def _binder(self, n: int, scope: Sequence[IrType]) -> None:
        if not 0 <= n < len(scope) or not isinstance(scope[n], IntT):
            raise Misfit(f"local {n} cannot hold the elements of a set")

    def _fn(self, f: int, args: tuple[Expr, ...], scope: Sequence[IrType]) -> IrType:
        if not 0 <= f < len(self._program.funcs):
            raise Misfit(f"no function {f}")
        func = self._program.funcs[f]
        if len(args) != func.params:
            raise Misfit(f"function {f} takes {func.params} arguments, found {len(args)}")
        for arg, want in zip(args, func.locals, strict=False):
            join(self.of(arg, scope), want)
        return func.result

    def _query(self, q: Query, scope: Sequence[IrType]) -> IrType:
        domain = self.many(q.domain, scope)
        self._binder(q.n, scope)
        if q.where is not None:
            self.truth(q.where, scope)
        match q.kind:
            case "any":
                return BOOL
            case "count":
                return IntT(0, domain.size)
            case "filter":
                return SetT(q.size)
            case "first":
                return IntT(NOTHING, domain.size - 1)
        if q.value is None:
            raise Misfit(f"{q.kind} without a value")
        value = self.number(q.value, scope)
        if q.kind == "sum" or q.kind == "checked_sum":
            return clamp(*_sum(value, domain.size))
        return IntT(NO_NUMBER, value.hi)

    def _unary(self, u: Unary, scope: Sequence[IrType]) -> IrType:
        match u.op:
            case "neg":
                a = self.number(u.a, scope)
                return clamp(-a.hi, -a.lo)
            case "not":
                self.truth(u.a, scope)
                return BOOL
            case "size":
                return IntT(0, self.set_of(u.a, scope).size)
            case "length":
                return IntT(0, self.seq_of(u.a, scope).size)
            case "single":
                self.number(u.a, scope)
                return SetT(u.size)
            case "items":
                return SetT(self.seq_of(u.a, scope).size)
            case "reverse":
                return self.seq_of(u.a, scope)
            case "first":
                return IntT(NOTHING, self.many(u.a, scope).size - 1)
            case "sole":
                return IntT(NOTHING, self.set_of(u.a, scope).size - 1)

    def may_leave(self, expr: Expr, scope: Sequence[IrType]) -> bool:
        """Whether an operation itself, checked or not, may come to what is no number."""
        ends = self.ends(expr, scope)
        return ends is not None and (ends[0] < LEAST_NUMBER or ends[1] > MOST_NUMBER)

    def ends(self, expr: Expr, scope: Sequence[IrType]) -> tuple[int, int] | None:
        """Between what an operation lies, be it a number or not; None for what is none that may come to more than its operands. These
        are numbers."""
        match expr:
            case Binary(op, a, b) if op.removeprefix(CHECKED) in ("add", "sub", "mul"):
                one, other = _there(self.number(a, scope)), _there(self.number(b, scope))
                return _ends(op.removeprefix(CHECKED), one, other)
            case Query("sum" | "checked_sum", _, domain, _, value) if value is not None:
                return _sum(_there(self.number(value, scope)), self.many(domain, scope).size)
            case _:
                return None

    def _binary(self, e: Binary, scope: Sequence[IrType]) -> IrType:
        match e.op:
            case "add" | "sub" | "mul" | "checked_add" | "checked_sub" | "checked_mul" | "div" | "mod" | "min" | "max":
                return arithmetic(e.op, self.number(e.a, scope), self.number(e.b, scope))
            case "eq" | "ne" | "lt" | "le" | "gt" | "ge":
                self.number(e.a, scope)
                self.number(e.b, scope)
                return BOOL
            case "union":
                return join(self.set_of(e.a, scope), self.set_of(e.b, scope))
            case "inter":
                return SetT(min(self.set_of(e.a, scope).size, self.set_of(e.b, scope).size))
            case "minus":
                self.set_of(e.b, scope)
                return self.set_of(e.a, scope)
            case "seteq" | "subset":
                self.set_of(e.a, scope)
                self.set_of(e.b, scope)
                return BOOL
            case "has":
                self.set_of(e.a, scope)
                self.number(e.b, scope)
                return BOOL
            case "range":
                self.number(e.a, scope)
                self.number(e.b, scope)
                return SetT(e.size)
            case "seqeq":
                self.seq_of(e.a, scope)
                self.seq_of(e.b, scope)
                return BOOL
        seq = self.seq_of(e.a, scope)
        if e.op == "keep":
            self.set_of(e.b, scope)
            return seq
        self.number(e.b, scope)
        match e.op:
            case "nth":
                return IntT(NOTHING, seq.size - 1)
            case "place":
                return IntT(0, seq.size)
            case "append" | "prepend" | "drop":
                return seq


def arithmetic(op: str, a: IntT, b: IntT) -> IntT:
    """The interval of a op b."""
    match op.removeprefix(CHECKED):
        case "add" | "sub" | "mul" as plain:
            return clamp(*_ends(plain, a, b))
        case "min":
            return IntT(min(a.lo, b.lo), min(a.hi, b.hi))
        case "max":
            return IntT(max(a.lo, b.lo), max(a.hi, b.hi))
        case "mod" if b.lo >= 0 and b.hi > 0:  # by 0 is a fault
            return IntT(a.lo, a.hi) if a.lo >= 0 and a.hi < b.lo else IntT(0, b.hi - 1)
        case "div" if b.lo >= 0 and b.hi > 0:
            least = max(1, b.lo)
            quotients = (a.lo // least, a.lo // b.hi, a.hi // least, a.hi // b.hi)
            return IntT(min(quotients), max(quotients))
    return IntT(*INT32)


def _ends(op: str, a: IntT, b: IntT) -> tuple[int, int]:
    """Between what a op b lies, in whole numbers of any size."""
    match op:
        case "add":
            return a.lo + b.lo, a.hi + b.hi
        case "sub":
            return a.lo - b.hi, a.hi - b.lo
        case _:
            corners = (a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi)
            return min(corners), max(corners)


def _sum(value: IntT, count: int) -> tuple[int, int]:
    """Between what the sum of so many values at most lies."""
    return min(0, value.lo * count), max(0, value.hi * count)


def _there(kind: IntT) -> IntT:
    """The interval of a number that is there, as the operands of arithmetic are."""
    return IntT(max(kind.lo, LEAST_NUMBER), max(kind.hi, LEAST_NUMBER))


def fits(value: IrType, place: IrType) -> bool:
    """Whether the shapes agree, and a set or sequence has no more possible members than its place; intervals are not compared,
    since narrowing by a test before is the lowering's business."""
    match value, place:
        case IntT(), IntT():
            return True
        case SetT(a), SetT(b):
            return a <= b
        case SeqT(a), SeqT(b):
            return a <= b
        case _:
            return False
