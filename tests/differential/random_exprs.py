"""Random expressions that are well typed and have a value: arithmetic comes to a number of the language.

In: a generator of random numbers, the variables, tables and functions of a program in the making, and the locals that can be read. Out:
expressions of ops.py. Every number comes with an interval that its value surely lies in; where a place is narrower, the expression is
bent into it. An index past the end, and arithmetic that comes to what is no number, is made only on demand (`dare`), and at most one in an
expression: which of two faults comes first is nobody's business.

Which operations are checked ones is found out for the program as a whole (bounds.py); here and there a number is loose: types say less of
it than there is to know, so that arithmetic with it is checked and comes to a number all the same.

What the language leaves open is not generated: the local of a query is never read outside it; a `filter`, `Best` or `Sort` has room for
its whole domain; nothing is put into a sequence that cannot be one of its items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Final, NamedTuple, TypeVar

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
    And,
    Best,
    BestKey,
    Binary,
    BinaryOp,
    Const,
    Expr,
    Fn,
    Load,
    Local,
    Lookup,
    Or,
    Query,
    QueryKind,
    Reach,
    Select,
    SeqConst,
    SetConst,
    Sort,
    Unary,
)
from interpreter.ir.program import Func, Table, Var

T = TypeVar("T")

LEFT: Final = 60
"""Nodes that one expression has, more or less."""
MOST_ROUNDS: Final = 450
"""Times that the innermost part of loops within loops may be worked out."""
MOST_STEPS: Final = 8
"""The longest walk in a Reach."""


class Number(NamedTuple):
    """A number and the interval it surely lies in."""

    expr: Expr
    lo: int
    hi: int


class Many(NamedTuple):
    """A set or sequence; its elements are 0..size-1."""

    expr: Expr
    size: int


@dataclass(slots=True)
class Parts:
    """What expressions can name. `costs` are the nodes of each function, loops counted as often as they go round."""

    vars: list[Var] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    funcs: list[Func] = field(default_factory=list)
    costs: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Scope:
    """The locals of a procedure or function: their types, which are set, and which are taken by queries and loops."""

    types: list[IrType] = field(default_factory=list)
    known: list[int] = field(default_factory=list)
    binders: dict[int, bool] = field(default_factory=dict)

    def new(self, kind: IrType) -> int:
        """A local that holds nothing yet."""
        self.types.append(kind)
        return len(self.types) - 1

    @contextmanager
    def binder(self, size: int, random: Random) -> Iterator[int]:
        """A local for elements 0..size-1, which can be read inside."""
        free = [n for n, taken in self.binders.items() if not taken and _holds(self.types[n], size)]
        if free and random.random() < 0.7:
            n = random.choice(free)
        else:
            # Mostly a tight type, so that indices need no test; sometimes a loose one.
            n = self.new(random.choice([IntT(0, size - 1), IntT(0, size - 1), IntT(NOTHING, size + 3), IntT(*INT32)]))
        self.binders[n] = True
        self.known.append(n)
        try:
            yield n
        finally:
            self.known.remove(n)
            self.binders[n] = False


def _holds(kind: IrType, size: int) -> bool:
    return isinstance(kind, IntT) and kind.lo <= 0 and size - 1 <= kind.hi


class Exprs:
    """Makes expressions over one scope."""

    def __init__(
        self,
        random: Random,
        parts: Parts,
        scope: Scope,
        sizes: Sequence[int],
        lengths: Sequence[int],
        scale: float = 1.0,
    ) -> None:
        """`scale` says how large expressions are."""
        self.random = random
        self.parts = parts
        self.scope = scope
        self.sizes = tuple(sizes)
        self.lengths = tuple(lengths)
        self.dare = 0
        """How many indices past the end, or results that are no numbers, may still be made."""
        self.rounds = 1
        self.scale = scale
        self.left = LEFT
        self.spent = 0

    # -------------------------------------------------------------- asked for
    @contextmanager
    def fresh(self, left: int = LEFT) -> Iterator[None]:
        """Room for an expression of its own."""
        was = self.left
        self.left = int(left * self.scale) + 1
        try:
            yield
        finally:
            self.left = was

    def value(self, kind: IrType) -> Expr:
        """An expression for a place of this type."""
        match kind:
            case IntT(0, 1):
                return self.truth()  # of which types say that it is one
            case IntT(lo, hi):
                return self.int_in(lo, hi)
            case SetT(size):
                return self.set_in(size).expr
            case SeqT(size):
                return self.seq_in(size).expr

    def int_in(self, lo: int, hi: int) -> Expr:
        """A number in lo..hi."""
        if lo == hi:
            return Const(lo)
        return self.bend(self.number(), lo, hi).expr

    def bend(self, n: Number, lo: int, hi: int) -> Number:
        """The number, made to lie in lo..hi."""
        if lo <= n.lo and n.hi <= hi:
            return n
        width = hi - lo + 1
        way = self.random.randrange(3)
        if way == 0 and width <= INT32[1] and INT32[0] <= lo:
            rest = Binary("mod", n.expr, Const(width))
            return Number(rest if lo == 0 else Binary("add", rest, Const(lo)), lo, hi)
        if way == 1:
            return Number(Binary("min", Binary("max", Const(lo), n.expr), Const(hi)), lo, hi)
        expr = n.expr
        if n.lo < lo:
            expr = Binary("max", expr, Const(lo))
        if n.hi > hi:
            expr = Binary("min", Const(hi), expr)
        return Number(expr, max(lo, min(n.lo, hi)), min(hi, max(n.hi, lo)))

    def index(self, count: int) -> Expr:
        """An index of something with so many elements; one past either end, if that is dared and the odds say so."""
        if self.dare and self.random.random() < 0.5:
            self.dare -= 1
            # Only a computed index: a constant one past the end cannot come out of the checker.
            n = self.bend(self.number(), NOTHING, count)
            return n.expr if not isinstance(n.expr, Const) else self.int_in(0, count - 1)
        if self.random.random() < 0.3:
            return Const(self.random.randrange(count))
        fitting = [n for n in self.scope.known if _within(self.scope.types[n], 0, count - 1)]
        if fitting and self.random.random() < 0.6:
            return Local(self.random.choice(fitting))
        return self.int_in(0, count - 1)

    # -------------------------------------------------------------- numbers
    def number(self) -> Number:
        """Any number."""
        if not self._spend():
            return self._small_number()
        ways: list[tuple[int, Callable[[], Number]]] = [
            (4, self._small_number),
            (2, self._load_number),
            (2, self._lookup_number),
            (6, self._arithmetic),
            (2, self._of_many),
            (1, lambda: Number(self.truth(), 0, 1)),
            (1, self._select_number),
            (2, self._query_number),
            (1, self._call_number),
        ]
        return self._one(ways)()

    def _small_number(self) -> Number:
        random = self.random
        locals_ = [n for n in self.scope.known if isinstance(self.scope.types[n], IntT)]
        if locals_ and random.random() < 0.7:
            n = random.choice(locals_)
            kind = self.scope.types[n]
            assert isinstance(kind, IntT)
            return Number(Local(n), kind.lo, kind.hi)
        k = random.choice([0, 1, -1, 2, 3, 7, random.randint(-9, 40), random.randint(-9, 40), self._odd_number()])
        return Number(Const(k), k, k)

    def _odd_number(self) -> int:
        return self.random.choice([31, 32, 33, 63, 64, 65535, -65536, INT32[1], INT32[0], INT32[0] + 1, 2**30, 10**9])

    def _load_number(self) -> Number:
        found = [v for v, var in enumerate(self.parts.vars) if isinstance(var.type, IntT)]
        if not found:
            return self._small_number()
        v = self.random.choice(found)
        var = self.parts.vars[v]
        assert isinstance(var.type, IntT)
        return Number(Load(v, self.index(var.count)), var.type.lo, var.type.hi)

    def _lookup_number(self) -> Number:
        found = [t for t, table in enumerate(self.parts.tables) if isinstance(table.type, IntT)]
        if not found:
            return self._small_number()
        t = self.random.choice(found)
        table = self.parts.tables[t]
        return Number(Lookup(t, self.index(len(table.values))), min(table.values), max(table.values))

    def _arithmetic(self) -> Number:
        op: BinaryOp = self.random.choice(["add", "sub", "mul", "div", "mod", "min", "max"])
        a = self.number() if self.random.random() < 0.9 else self._loose()
        if op not in ("min", "max"):
            a = self.bend(a, LEAST_NUMBER, MOST_NUMBER)
        if self.random.random() < 0.15:
            a = self.bend(a, LEAST_NUMBER, MOST_NUMBER)
            return Number(Unary("neg", a.expr), -a.hi, -a.lo)
        if op in ("div", "mod"):
            return self._divided(op, a)
        b = self.number()
        if op in ("min", "max"):
            way = min if op == "min" else max
            return Number(Binary(op, a.expr, b.expr), way(a.lo, b.lo), way(a.hi, b.hi))
        b = self.bend(b, LEAST_NUMBER, MOST_NUMBER)
        if self.dare and self.random.random() < 0.5:
            self.dare -= 1
            return Number(Binary(op, a.expr, b.expr), LEAST_NUMBER, MOST_NUMBER)
        if op == "mul":
            # Small factors, or one of any size by a tiny one.
            if not _product_fits(a, b):
                a, b = self.bend(a, -40_000, 40_000), self.bend(b, -40_000, 40_000)
            ends = (a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi)
            return Number(Binary(op, a.expr, b.expr), min(ends), max(ends))
        lo, hi = (a.lo + b.lo, a.hi + b.hi) if op == "add" else (a.lo - b.hi, a.hi - b.lo)
        if lo < LEAST_NUMBER or hi > MOST_NUMBER:
            a, b = self.bend(a, -(2**30), 2**30 - 1), self.bend(b, -(2**30) + 1, 2**30)
            lo, hi = (a.lo + b.lo, a.hi + b.hi) if op == "add" else (a.lo - b.hi, a.hi - b.lo)
        return Number(Binary(op, a.expr, b.expr), lo, hi)

    def _loose(self) -> Number:
        """A number of which types do not say how small it is."""
        k = self.random.choice([2, 3, 9, 1000])
        return Number(Binary("mod", self.bend(self.number(), LEAST_NUMBER, MOST_NUMBER).expr, Const(-k)), 1 - k, 0)

    def _divided(self, op: BinaryOp, a: Number) -> Number:
        b = self.number()
        if b.lo <= 0 <= b.hi:
            b = self.bend(b, 1, 50) if self.random.random() < 0.7 else self.bend(b, -50, -1)
        expr = Binary(op, a.expr, b.expr)
        if op == "mod":
            return Number(expr, 0, b.hi - 1) if b.lo > 0 else Number(expr, b.lo + 1, 0)
        quotients = (a.lo // b.lo, a.lo // b.hi, a.hi // b.lo, a.hi // b.hi)
        return Number(expr, min(quotients), max(quotients))

    def _of_many(self) -> Number:
        match self.random.randrange(7):
            case 0:
                s = self.any_set()
                return Number(Unary("size", s.expr), 0, s.size)
            case 1:
                s = self.any_set()
                return Number(Unary("sole", s.expr), NOTHING, s.size - 1)
            case 2:
                s = self.any_set()
                return Number(Unary("first", s.expr), NOTHING, s.size - 1)
            case 3:
                q = self.any_seq()
                return Number(Unary("first", q.expr), NOTHING, q.size - 1)
            case 4:
                q = self.any_seq()
                return Number(Unary("length", q.expr), 0, q.size)
            case 5:
                q = self.any_seq()
                return Number(Binary("nth", q.expr, self.int_in(-1, q.size + 2)), NOTHING, q.size - 1)
            case _:
                q = self.any_seq()
                return Number(Binary("place", q.expr, self.int_in(-1, q.size + 2)), 0, q.size)

    def _select_number(self) -> Number:
        c, a, b = self.truth(), self.number(), self.number()
        return Number(Select(c, a.expr, b.expr), min(a.lo, b.lo), max(a.hi, b.hi))

    def _query_number(self) -> Number:
        kind: QueryKind = self.random.choice(["count", "first", "sum", "highest", "lowest"])
        domain = self.many()
        with self._loop(domain.size) as n:
            if n < 0:
                return self._small_number()
            where = self._where()
            if kind == "count":
                return Number(Query(kind, n, domain.expr, where), 0, domain.size)
            if kind == "first":
                return Number(Query(kind, n, domain.expr, where), NOTHING, domain.size - 1)
            value = self.number() if self.random.random() < 0.8 else self._loose()
            if kind == "sum":
                most = MOST_NUMBER // domain.size
                if self.dare and self.random.random() < 0.5:
                    self.dare -= 1
                    value = self.bend(value, LEAST_NUMBER, MOST_NUMBER)
                    return Number(Query(kind, n, domain.expr, where, value.expr), LEAST_NUMBER, MOST_NUMBER)
                value = self.bend(value, -most, most)
                lo, hi = min(0, value.lo * domain.size), max(0, value.hi * domain.size)
                return Number(Query(kind, n, domain.expr, where, value.expr), lo, hi)
            return Number(Query(kind, n, domain.expr, where, value.expr), NO_NUMBER, value.hi)

    def _call_number(self) -> Number:
        f = self._function(IntT)
        if f < 0:
            return self._small_number()
        kind = self.parts.funcs[f].result
        assert isinstance(kind, IntT)
        return Number(self.call(f), kind.lo, kind.hi)

    # -------------------------------------------------------------- truths
    def truth(self) -> Expr:
        """Any truth value."""
        if not self._spend():
            a = self._small_number()
            return Binary(self.random.choice(["lt", "ge", "ne"]), a.expr, Const(self.random.randint(-2, 9)))
        ways: list[tuple[int, Callable[[], Expr]]] = [
            (5, self._compared),
            (2, self._joined),
            (2, self._has),
            (2, self._sets_compared),
            (1, self._seqs_compared),
            (1, lambda: Unary("not", self.truth())),
            (2, self._any),
            (1, lambda: Select(self.truth(), self.truth(), self.truth())),
            (1, self._call_truth),
            (1, self._load_truth),
        ]
        return self._one(ways)()

    def _compared(self) -> Expr:
        op: BinaryOp = self.random.choice(["eq", "ne", "lt", "le", "gt", "ge"])
        a = self.number()
        if self.random.random() < 0.5:
            # Near the middle of what it can be, so that both answers occur.
            k = max(INT32[0], min(INT32[1], self.random.randint(max(a.lo, -20), max(min(a.hi, 40), max(a.lo, -20)))))
            return Binary(op, a.expr, Const(k))
        return Binary(op, a.expr, self.number().expr)

    def _joined(self) -> Expr:
        parts = tuple(self.truth() for _ in range(self.random.choice([0, 1, 2, 2, 3, 4])))
        return And(parts) if self.random.random() < 0.5 else Or(parts)

    def _has(self) -> Expr:
        s = self.any_set()
        return Binary("has", s.expr, self.int_in(NOTHING, s.size + self.random.choice([-1, -1, 0, 40])))

    def _sets_compared(self) -> Expr:
        op: BinaryOp = self.random.choice(["seteq", "subset"])
        return Binary(op, self.any_set().expr, self.any_set().expr)

    def _seqs_compared(self) -> Expr:
        return Binary("seqeq", self.any_seq().expr, self.any_seq().expr)

    def _any(self) -> Expr:
        domain = self.many()
        with self._loop(domain.size) as n:
            return Query("any", n, domain.expr, self._where()) if n >= 0 else self.truth()

    def _call_truth(self) -> Expr:
        fitting = [f for f, func in enumerate(self.parts.funcs) if func.result == BOOL and self._affords(f)]
        return self.call(self.random.choice(fitting)) if fitting else self._compared()

    def _load_truth(self) -> Expr:
        fitting = [v for v, var in enumerate(self.parts.vars) if var.type == BOOL]
        if not fitting:
            return self._compared()
        v = self.random.choice(fitting)
        return Load(v, self.index(self.parts.vars[v].count))

    # -------------------------------------------------------------- sets
    def any_set(self) -> Many:
        """A set of any size."""
        return self.set_in(self.random.choice(self.sizes))

    def many(self) -> Many:
        """A set or sequence of any size that loops within loops still allow."""
        small = [s for s in self.sizes if s * self.rounds <= MOST_ROUNDS] or [min(self.sizes)]
        short = [s for s in self.lengths if s * self.rounds <= MOST_ROUNDS]
        if short and self.random.random() < 0.3:
            return self.seq_in(self.random.choice(short))
        return self.set_in(self.random.choice(small))

    def set_in(self, size: int) -> Many:
        """A set whose type has at most this size."""
        if not self._spend():
            return self._small_set(size)
        ways: list[tuple[int, Callable[[int], Many]]] = [
            (3, self._small_set),
            (3, self._load_set),
            (2, self._lookup_set),
            (5, self._combined),
            (1, self._single),
            (1, self._range),
            (1, self._items),
            (3, self._filter),
            (1, self._best),
            (2, self._reach),
            (1, self._select_set),
            (1, self._call_set),
        ]
        return self._one(ways)(size)

    def _small_set(self, size: int) -> Many:
        fitting = [n for n in self.scope.known if _is_set(self.scope.types[n], size)]
        if fitting and self.random.random() < 0.6:
            n = self.random.choice(fitting)
            return Many(Local(n), _size(self.scope.types[n]))
        return Many(SetConst(self.mask(size), size), size)

    def mask(self, size: int) -> int:
        """Some of 0..size-1, often few or nearly all."""
        random = self.random
        match random.randrange(6):
            case 0:
                return (1 << size) - 1
            case 1:
                return 1 << random.randrange(size)
            case 2:
                return random.getrandbits(size) & random.getrandbits(size) & random.getrandbits(size)
            case 3:
                return (1 << size - 1) | 1
            case _:
                return random.getrandbits(size)

    def _load_set(self, size: int) -> Many:
        fitting = [v for v, var in enumerate(self.parts.vars) if _is_set(var.type, size)]
        if not fitting:
            return self._small_set(size)
        v = self.random.choice(fitting)
        var = self.parts.vars[v]
        return Many(Load(v, self.index(var.count)), _size(var.type))

    def _lookup_set(self, size: int) -> Many:
        fitting = [t for t, table in enumerate(self.parts.tables) if _is_set(table.type, size)]
        if not fitting:
            return self._small_set(size)
        t = self.random.choice(fitting)
        table = self.parts.tables[t]
        return Many(Lookup(t, self.index(len(table.values))), _size(table.type))

    def _combined(self, size: int) -> Many:
        op: BinaryOp = self.random.choice(["union", "inter", "minus"])
        a = self.set_in(size)
        b = self.set_in(self.random.choice([s for s in self.sizes if s <= size] or [size]))
        return Many(Binary(op, a.expr, b.expr), max(a.size, b.size))

    def _single(self, size: int) -> Many:
        return Many(Unary("single", self.int_in(NOTHING, size + self.random.choice([-1, -1, 0, 33])), size), size)

    def _range(self, size: int) -> Many:
        return Many(Binary("range", self.int_in(-3, size), self.int_in(-2, size + 4), size), size)

    def _items(self, size: int) -> Many:
        q = self.seq_in(size)
        return Many(Unary("items", q.expr, q.size), q.size)

    def _filter(self, size: int) -> Many:
        domain = self.seq_in(size) if self.random.random() < 0.2 else self.set_in(size)
        with self._loop(domain.size) as n:
            if n < 0:
                return self._small_set(size)
            return Many(Query("filter", n, domain.expr, self._where(), None, size), size)

    def _best(self, size: int) -> Many:
        domain = self.set_in(size)
        with self._loop(domain.size) as n:
            return Many(Best(n, domain.expr, self._keys(), size), size) if n >= 0 else domain

    def _keys(self) -> tuple[BestKey, ...]:
        count = self.random.choice([1, 1, 2, 3])
        return tuple(BestKey(self.random.random() < 0.5, self.number().expr) for _ in range(count))

    def _reach(self, size: int) -> Many:
        """On the graph of a table whose rows are as many as its places, if there is one that fits."""
        graphs = [
            t
            for t, table in enumerate(self.parts.tables)
            if _is_set(table.type, size) and _size(table.type) == len(table.values)
        ]
        if not graphs or self.rounds > 1:
            return self._small_set(size)
        t = self.random.choice(graphs)
        places = len(self.parts.tables[t].values)
        start = self.int_in(NOTHING, places - 1)
        through = self.set_in(places)
        steps = self.set_in(MOST_STEPS)
        was, self.rounds = self.rounds, places
        # The local holds places only, however many of them a walk goes through.
        with self.scope.binder(places, self.random) as n:
            step: Expr = Lookup(t, Local(n))
            if self.random.random() < 0.4:
                with self.fresh(12):
                    step = Binary("minus", step, self.set_in(places).expr)
        self.rounds = was
        return Many(Reach(n, step, start, steps.expr, through.expr, places), places)

    def _select_set(self, size: int) -> Many:
        c, a, b = self.truth(), self.set_in(size), self.set_in(size)
        return Many(Select(c, a.expr, b.expr), max(a.size, b.size))

    def _call_set(self, size: int) -> Many:
        f = self._function(SetT, size)
        return Many(self.call(f), _size(self.parts.funcs[f].result)) if f >= 0 else self._small_set(size)

    # -------------------------------------------------------------- sequences
    def any_seq(self) -> Many:
        """A sequence of any size."""
        return self.seq_in(self.random.choice(self.lengths))

    def seq_in(self, size: int) -> Many:
        """A sequence whose type has at most this size."""
        if not self._spend():
            return self._small_seq(size)
        ways: list[tuple[int, Callable[[int], Many]]] = [
            (2, self._small_seq),
            (4, self._load_seq),
            (5, self._changed_seq),
            (3, self._sort),
            (1, self._select_seq),
            (1, self._call_seq),
        ]
        return self._one(ways)(size)

    def _small_seq(self, size: int) -> Many:
        fitting = [n for n in self.scope.known if _is_seq(self.scope.types[n], size)]
        if fitting and self.random.random() < 0.6:
            n = self.random.choice(fitting)
            return Many(Local(n), _size(self.scope.types[n]))
        return Many(SeqConst(self.items(size), size), size)

    def items(self, size: int) -> tuple[int, ...]:
        """Some of 0..size-1 in any order."""
        most = self.random.choice([size, min(size, 4)])
        return tuple(self.random.sample(range(size), self.random.randint(0, most)))

    def _load_seq(self, size: int) -> Many:
        fitting = [v for v, var in enumerate(self.parts.vars) if _is_seq(var.type, size)]
        if not fitting:
            return self._small_seq(size)
        v = self.random.choice(fitting)
        var = self.parts.vars[v]
        return Many(Load(v, self.index(var.count)), _size(var.type))

    def _changed_seq(self, size: int) -> Many:
        q = self.seq_in(size)
        match self.random.choice(["reverse", "keep", "append", "prepend", "drop"]):
            case "reverse":
                return Many(Unary("reverse", q.expr), q.size)
            case "keep":
                return Many(Binary("keep", q.expr, self.any_set().expr), q.size)
            case "append":
                return Many(Binary("append", q.expr, self.int_in(NOTHING, q.size - 1)), q.size)
            case "prepend":
                return Many(Binary("prepend", q.expr, self.int_in(NOTHING, q.size - 1)), q.size)
            case _:
                return Many(Binary("drop", q.expr, self.int_in(NOTHING, q.size + 1)), q.size)

    def _sort(self, size: int) -> Many:
        domain = self.seq_in(size) if self.random.random() < 0.3 else self.set_in(size)
        with self._loop(domain.size) as n:
            return Many(Sort(n, domain.expr, self._keys(), size), size) if n >= 0 else self._small_seq(size)

    def _select_seq(self, size: int) -> Many:
        c, a, b = self.truth(), self.seq_in(size), self.seq_in(size)
        return Many(Select(c, a.expr, b.expr), max(a.size, b.size))

    def _call_seq(self, size: int) -> Many:
        f = self._function(SeqT, size)
        return Many(self.call(f), _size(self.parts.funcs[f].result)) if f >= 0 else self._small_seq(size)

    # -------------------------------------------------------------- calls
    def call(self, f: int) -> Expr:
        """A call of function f. No index past the end in its arguments: a machine may put them into the body."""
        func = self.parts.funcs[f]
        self._pay(self.parts.costs[f])
        was, self.dare = self.dare, 0
        args = tuple(self.value(kind) for kind in func.locals[: func.params])
        self.dare = was
        return Fn(f, args)

    def _function(self, shape: type, size: int = 0) -> int:
        fitting = [
            f
            for f, func in enumerate(self.parts.funcs)
            if isinstance(func.result, shape) and (not size or _size(func.result) <= size) and self._affords(f)
        ]
        return self.random.choice(fitting) if fitting else -1

    def _affords(self, f: int) -> bool:
        return self.parts.costs[f] * self.rounds <= MOST_ROUNDS

    # -------------------------------------------------------------- odds and room
    def _one(self, ways: Sequence[tuple[int, T]]) -> T:
        return self.random.choices([way for _, way in ways], [weight for weight, _ in ways])[0]

    def _spend(self) -> bool:
        """Pay for a node; False if only the smallest is left to afford."""
        self._pay(1)
        return self.left > 0 and self.random.random() < 0.9

    def _pay(self, nodes: int) -> None:
        self.left -= 1 if nodes == 1 else min(10, nodes // 20)
        self.spent += nodes * self.rounds

    def _where(self) -> Expr | None:
        return None if self.random.random() < 0.15 else self.truth()

    @contextmanager
    def _loop(self, size: int) -> Iterator[int]:
        """A local for the elements of a domain, -1 where loops within loops would take too long."""
        if self.rounds * size > MOST_ROUNDS:
            yield -1
            return
        was = self.rounds
        self.rounds *= size
        try:
            with self.scope.binder(size, self.random) as n:
                yield n
        finally:
            self.rounds = was


def _is_set(kind: IrType, size: int) -> bool:
    return isinstance(kind, SetT) and kind.size <= size


def _is_seq(kind: IrType, size: int) -> bool:
    return isinstance(kind, SeqT) and kind.size <= size


def _size(kind: IrType) -> int:
    assert isinstance(kind, SetT | SeqT)
    return kind.size


def _within(kind: IrType, lo: int, hi: int) -> bool:
    return isinstance(kind, IntT) and lo <= kind.lo and kind.hi <= hi


def _product_fits(a: Number, b: Number) -> bool:
    ends = (a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi)
    return min(ends) >= LEAST_NUMBER and max(ends) <= MOST_NUMBER
