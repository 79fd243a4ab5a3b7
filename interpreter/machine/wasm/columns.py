"""Conditions on all elements of a domain at once.

`filter n in {...} where v[n] = x` needs no round an element: four are compared in one instruction (lanes.py), and the result is a mask, a
set like any other. A mask that does not change while a loop around it goes round is made once, before the loop; the mask of `t[n] = x`,
where t is a table, is looked up.

In: parts of a query's condition. Out: words of masks. Only what surely has a value is worked out for elements that the rules might not
have come to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from interpreter.ir.expr_types import within
from interpreter.ir.ir_types import IntT, SeqT, SetT
from interpreter.ir.ops import And, Best, Binary, Expr, Fn, Local, Lookup, Query, Reach, SetConst, Sort
from interpreter.ir.walk import parts_of
from interpreter.machine.wasm.bits import fresh, operands
from interpreter.machine.wasm.context import Evaluator
from interpreter.machine.wasm.lanes import Lanes
from interpreter.machine.wasm.values import Words, in_cells, set_shape

LONGEST: Final = 192
"""Elements of a column at most: each group of four is written out."""
INVERSE: Final = 1 << 13
"""Bytes of a table of masks at most."""
FEWEST: Final = 5
"""Elements from which a column pays without a loop around it."""

Key = tuple[Expr, int, int, tuple[tuple[int, ...], ...]]


def flat(where: Expr | None) -> tuple[Expr, ...]:
    """The parts of a conjunction."""
    if where is None:
        return ()
    if isinstance(where, And):
        return tuple(part for inner in where.parts for part in flat(inner))
    return (where,)


def _is_wide(domain: Expr, size: int) -> bool:
    """Whether a column over a domain pays without a loop around it."""
    return isinstance(domain, SetConst) and domain.mask.bit_count() >= FEWEST and size <= LONGEST


class Columns:
    """Makes masks for one function under construction; `made` are those that stand ready around the present place."""

    def __init__(self, emit: Evaluator) -> None:
        self.emit = emit
        self.context = emit.context
        self.code = emit.context.code
        self.world = emit.context.world
        self.lanes = Lanes(emit)
        self.made: dict[Key, Words] = {}

    # -------------------------------------------------------------- tables of masks

    def _inverted(self, part: Expr, n: int, size: int) -> tuple[tuple[int, ...], Expr] | None:
        """The table's values and x of a condition `t[n] = x`."""
        match part:
            case Binary("eq", Lookup(t, Local(m)), x) | Binary("eq", x, Lookup(t, Local(m))) if m == n:
                pass
            case _:
                return None
        table = self.world.program.tables[t]
        if (
            not isinstance(table.type, IntT)
            or n in self.lanes.reads(x)
            or not self.lanes.is_total(x, self.context.scope)
        ):
            return None
        values = table.values[:size]
        if len(values) < size or (max(values) - min(values) + 1) * 8 * len(set_shape(size)) > INVERSE:
            return None
        return values, x

    def inverse(self, part: Expr, n: int, size: int) -> Words | None:
        """The mask of `t[n] = x`, looked up; None for other conditions."""
        code = self.code
        found = self._inverted(part, n, size)
        if found is None:
            return None
        values, x = found
        low, high = min(values), max(values)
        stride = 8 * len(set_shape(size))
        raw = b"".join(
            in_cells(sum(1 << k for k, v in enumerate(values) if v == value), SetT(size)).ljust(stride, b"\0")
            for value in range(low, high + 1)
        )
        kind = self.context.interval(x)
        self.emit.number(x)
        if low:
            code.const(low)
            code.op("i32.sub")
        at = code.temp()
        code.set(at)
        inside = within(kind, low, high)
        base = self.world.memory.constant(raw)
        result = fresh(code, size)
        for k, local in enumerate(result):
            word = code.kind(local)
            if inside:
                self._indexed_word(at, stride, base + 8 * k, word)
            else:
                code.get(at)
                code.const(high - low + 1)
                code.op("i32.lt_u")
                with code.when(word):
                    self._indexed_word(at, stride, base + 8 * k, word)
                    code.otherwise()
                    code.const(0, word)
            code.set(local)
        return operands(code, result)

    def _indexed_word(self, at: int, stride: int, base: int, kind: str) -> None:
        code = self.code
        code.get(at)
        code.const(stride)
        code.op("i32.mul")
        code.memory("i32.load" if kind == "i32" else "i64.load", base)

    # -------------------------------------------------------------- queries

    def selected(self, q: Query, parts: Sequence[Expr]) -> tuple[Words, tuple[Expr, ...]] | None:
        """Those of a query's domain for which some parts of its condition hold, and the parts that are left; None if no part can be
        settled so."""
        code = self.code
        if not isinstance(domain := self.context.kind(q.domain), SetT):
            return None
        size = domain.size
        ready: list[Words] = []
        here: list[Expr] = []
        rest: list[Expr] = []
        wide = _is_wide(q.domain, size)
        for part in parts:
            if all(self.lanes.is_total(other, self.context.scope) for other in rest):
                known = self.made.get(self.key(part, q.n, size))
                if known is None:
                    known = self.inverse(part, q.n, size)
                if known is not None:
                    ready.append(known)
                    continue
                if wide and self.lanes.is_column(part, q.n, self.context.scope, True):
                    here.append(part)
                    continue
            rest.append(part)
        if not ready and not here:
            return None
        if here:
            assert isinstance(q.domain, SetConst)
            mask = q.domain.mask
            first, last = (mask & -mask).bit_length() - 1, mask.bit_length() - 1
            ready.append(self.lanes.mask(here, q.n, first, last, size))
        words = self.emit.set(q.domain)
        result = fresh(code, size)
        for k, local in enumerate(result):
            words[k].push(code)
            for mask_words in ready:
                mask_words[k].push(code)
                code.op(f"{code.kind(local)}.and")
            code.set(local)
        return operands(code, result), tuple(rest)

    def settles(self, q: Query, parts: Sequence[Expr]) -> bool:
        """Whether `selected` would leave no part over; nothing is emitted."""
        if not isinstance(domain := self.context.kind(q.domain), SetT):
            return False
        size = domain.size
        wide = _is_wide(q.domain, size)
        return bool(parts) and all(
            self.key(part, q.n, size) in self.made
            or self._inverted(part, q.n, size) is not None
            or (wide and self.lanes.is_column(part, q.n, self.context.scope, True))
            for part in parts
        )

    def key(self, part: Expr, n: int, size: int) -> Key:
        """What a mask depends on: the condition, and the locals of the module that it reads."""
        names = sorted(self.lanes.reads(part) - {n})
        return (part, n, size, tuple(tuple(self.context.where[m]) for m in names))

    # -------------------------------------------------------------- before loops

    @contextmanager
    def around(self, bodies: Sequence[Expr | None], n: int) -> Iterator[None]:
        """While a loop over local n works out these expressions again and again, the masks in them that do not depend on it stand
        ready."""
        added: list[Key] = []
        for body in bodies:
            if body is not None:
                self._prepare(body, {n}, added)
        yield
        for key in added:
            del self.made[key]

    def _prepare(self, expr: Expr, bound: set[int], added: list[Key]) -> None:
        match expr:
            case Query(n=n, domain=domain, where=where):
                kind = self.context.kind(domain)
                if isinstance(kind, SetT) and kind.size <= LONGEST:
                    self._prepare_parts(flat(where), n, kind.size, bound, added)
                self._inside(expr, bound | {n}, added)
            case Best(n=n) | Sort(n=n) | Reach(n=n):
                self._inside(expr, bound | {n}, added)
            case Fn(f, args) if self.world.is_small(f):
                for arg in args:
                    self._prepare(arg, bound, added)
                self._prepare_function(f, args, bound, added)
            case _:
                self._inside(expr, bound, added)

    def _inside(self, expr: Expr, bound: set[int], added: list[Key]) -> None:
        for part in parts_of(expr):
            self._prepare(part, bound, added)

    def _prepare_parts(self, parts: Sequence[Expr], n: int, size: int, bound: set[int], added: list[Key]) -> None:
        for part in parts:
            reads = self.lanes.reads(part) - {n}
            if reads & bound or n not in self.lanes.reads(part):
                continue
            if any(not self.context.where[m] for m in reads) or not self.lanes.is_column(
                part, n, self.context.scope, True
            ):
                continue
            key = self.key(part, n, size)
            if key not in self.made:
                self.made[key] = self.lanes.mask([part], n, 0, size - 1, size)
                added.append(key)

    def _prepare_function(self, f: int, args: Sequence[Expr], bound: set[int], added: list[Key]) -> None:
        """In a function that is put in place: parameters that are variables of the caller stay these."""
        func = self.world.program.funcs[f]
        where: list[list[int]] = []
        inner: set[int] = set()
        for m, (arg, kind) in enumerate(zip(args, func.locals, strict=False)):
            if (
                isinstance(arg, Local)
                and arg.n not in bound
                and not isinstance(kind, SeqT)
                and self.context.where[arg.n]
            ):
                where.append(self.context.where[arg.n])
            else:
                where.append([])
                inner.add(m)
        where += [[] for _ in func.locals[func.params :]]
        with self.context.inside(func.locals, where):
            self._prepare(func.body, inner, added)
