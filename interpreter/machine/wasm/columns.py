"""Conditions on all elements of a domain at once.

`filter n in {...} where v[n] = x` needs no round an element: the cells of v are a column, and four of them are compared in one
instruction. The result is a mask, a set like any other. A mask that does not change while a loop around it goes round is made once,
before the loop; the mask of `t[n] = x`, where t is a table, is looked up.

In: parts of a query's condition. Out: words of masks. Only what surely has a value is worked out for elements that the rules might not
have come to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from interpreter.ir.expr_types import within
from interpreter.ir.ir_types import IntT, IrType, SeqT, SetT
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
    SetConst,
    Sort,
    Unary,
)
from interpreter.ir.walk import free_locals, parts_of
from interpreter.machine.wasm.bits import clear, fresh, operands
from interpreter.machine.wasm.context import Evaluator
from interpreter.machine.wasm.values import CELL, SMALL, Words, in_cells, set_shape

LANES: Final = 4
LONGEST: Final = 192
"""Elements of a column at most: each group of four is written out."""
INVERSE: Final = 1 << 13
"""Bytes of a table of masks at most."""
FEWEST: Final = 5
"""Elements from which a column pays without a loop around it."""

Column = Callable[[int], None]
"""Pushes the vector of the elements first + 4j, ... as a comparison's result or as numbers."""
Key = tuple[Expr, int, int, tuple[tuple[int, ...], ...]]

VECTOR: Final = {
    "eq": "i32x4.eq",
    "ne": "i32x4.ne",
    "lt": "i32x4.lt_s",
    "le": "i32x4.le_s",
    "gt": "i32x4.gt_s",
    "ge": "i32x4.ge_s",
    "add": "i32x4.add",
    "sub": "i32x4.sub",
    "mul": "i32x4.mul",
    "min": "i32x4.min_s",
    "max": "i32x4.max_s",
}
COMPARISONS: Final = ("eq", "ne", "lt", "le", "gt", "ge")


def flat(where: Expr | None) -> tuple[Expr, ...]:
    """The parts of a conjunction."""
    if where is None:
        return ()
    if isinstance(where, And):
        return tuple(part for inner in where.parts for part in flat(inner))
    return (where,)


class Columns:
    """Makes masks for one function under construction; `made` are those that stand ready around the present place."""

    def __init__(self, emit: Evaluator) -> None:
        self.emit = emit
        self.context = emit.context
        self.code = emit.context.code
        self.world = emit.context.world
        self.made: dict[Key, Words] = {}

    def reads(self, expr: Expr) -> frozenset[int]:
        """The locals that an expression reads; what a look-ahead reads does not count."""
        known = self.world.reads
        found = known.get(id(expr))
        if found is None or found[0] is not expr:
            found = known[id(expr)] = (expr, frozenset(free_locals(expr, {})))
        return found[1]

    # -------------------------------------------------------------- what can be done so

    def is_total(self, expr: Expr, scope: Sequence[IrType]) -> bool:
        """Whether an expression surely has a value."""
        types = self.world.types
        program = self.world.program
        match expr:
            case Probe() | Alike():
                return False
            case Load(v, index):
                if not within(types.number(index, scope), 0, program.vars[v].count - 1):
                    return False
            case Lookup(t, index):
                if not within(types.number(index, scope), 0, len(program.tables[t].values) - 1):
                    return False
            case Binary("div" | "mod", _, b):
                if types.number(b, scope).lo <= 0:
                    return False
            case Fn(f):
                func = program.funcs[f]
                if not self.is_total(func.body, func.locals):
                    return False
            case _:
                pass
        return all(self.is_total(part, scope) for part in parts_of(expr))

    def is_column(self, expr: Expr, n: int, scope: Sequence[IrType], truth: bool) -> bool:
        """Whether the values of an expression for all elements, each in local n, can be worked out side by side."""
        types, program = self.world.types, self.world.program
        if n not in self.reads(expr):
            return isinstance(types.of(expr, scope), IntT) and self.is_total(expr, scope)
        match expr:
            case Local():
                return not truth
            case Lookup(t, Local()):
                table = program.tables[t]
                return isinstance(table.type, IntT) and types.number(expr.index, scope).hi < len(table.values)
            case Load(v, index):
                var = program.vars[v]
                inside = within(types.number(index, scope), 0, var.count - 1)
                return isinstance(var.type, IntT) and inside and self._offset(index, n, scope) is not None
            case Unary("not", a):
                return self.is_column(a, n, scope, True)
            case And(parts) | Or(parts):
                return bool(parts) and all(self.is_column(part, n, scope, True) for part in parts)
            case Binary(op, a, b) if op in VECTOR:
                return self.is_column(a, n, scope, False) and self.is_column(b, n, scope, False)
            case _:
                return False

    def _offset(self, index: Expr, n: int, scope: Sequence[IrType]) -> Expr | None:
        """What stands beside the element in an index of the form `e + n`; a Const(0) for `n` alone."""
        match index:
            case Local(m) if m == n:
                return Const(0)
            case Binary("add", e, Local(m)) | Binary("add", Local(m), e) if m == n and n not in self.reads(e):
                return e if self.is_total(e, scope) else None
            case _:
                return None

    # -------------------------------------------------------------- columns

    def column(self, expr: Expr, n: int, first: int) -> Column:
        """The column of a number. What does not depend on the element is worked out here, once."""
        code = self.code
        memory = self.world.memory
        if n not in self.reads(expr):
            if isinstance(expr, Const):
                value = expr.value
                return lambda j: code.vector([value] * LANES)
            self.emit.number(expr)
            code.op("i32x4.splat")
            same = code.temp("v128")
            code.set(same)
            return lambda j: code.get(same)
        match expr:
            case Local():
                return lambda j: code.vector([first + LANES * j + k for k in range(LANES)])
            case Lookup(t):
                table = memory.tables[t] + CELL * first

                def constants(j: int) -> None:
                    code.const(0)
                    code.load_vector(table + CELL * LANES * j)

                return constants
            case Load(v, index):
                cells = memory.cell(self.world.program.vars[v].base + first)
                beside = self._offset(index, n, self.context.scope)
                assert beside is not None
                at = -1
                if beside != Const(0):
                    self.emit.number(beside)
                    code.const(2)
                    code.op("i32.shl")
                    at = code.temp()
                    code.set(at)

                def loaded(j: int) -> None:
                    if at < 0:
                        code.const(0)
                    else:
                        code.get(at)
                    code.load_vector(cells + CELL * LANES * j)

                return loaded
            case Binary(op, a, b) if op not in COMPARISONS:
                left, right = self.column(a, n, first), self.column(b, n, first)

                def combined(j: int) -> None:
                    left(j)
                    right(j)
                    code.op(VECTOR[op])

                return combined
            case _:
                truth = self.truth(expr, n, first)

                def as_number(j: int) -> None:
                    truth(j)
                    code.vector([1] * LANES)
                    code.op("v128.and")

                return as_number

    def truth(self, expr: Expr, n: int, first: int) -> Column:
        """The column of a condition: all bits of an element set, or none."""
        code = self.code
        match expr:
            case And(parts) | Or(parts) if n in self.reads(expr):
                columns = [self.truth(part, n, first) for part in parts]
                join = "v128.and" if isinstance(expr, And) else "v128.or"

                def joined(j: int) -> None:
                    for k, column in enumerate(columns):
                        column(j)
                        if k:
                            code.op(join)

                return joined
            case Unary("not", a) if n in self.reads(expr):
                inner = self.truth(a, n, first)

                def negated(j: int) -> None:
                    inner(j)
                    code.op("v128.not")

                return negated
            case Binary(op, a, b) if op in COMPARISONS and n in self.reads(expr):
                left, right = self.column(a, n, first), self.column(b, n, first)

                def compared(j: int) -> None:
                    left(j)
                    right(j)
                    code.op(VECTOR[op])

                return compared
            case _:
                number = self.column(expr, n, first)

                def is_true(j: int) -> None:
                    number(j)
                    code.vector([0] * LANES)
                    code.op("i32x4.ne")

                return is_true

    def mask(self, parts: Sequence[Expr], n: int, first: int, last: int, size: int) -> Words:
        """The set of elements first..last for which all parts hold."""
        code = self.code
        result = fresh(code, size)
        kind = code.kind(result[0])
        bits = SMALL if kind == "i32" else 64
        both = self.truth(parts[0] if len(parts) == 1 else And(tuple(parts)), n, first)
        clear(code, result)
        for j in range((last - first) // LANES + 1):
            start = first + LANES * j
            word, shift = divmod(start, bits)
            both(j)
            code.op("i32x4.bitmask")
            if kind == "i64":
                code.op("i64.extend_i32_u")
            # Four elements may lie across two words.
            across = shift + LANES > bits and word + 1 < len(result)
            part = code.temp(kind)
            if across:
                code.tee(part)
            if shift:
                code.const(shift, kind)
                code.op(f"{kind}.shl")
            code.get(result[word])
            code.op(f"{kind}.or")
            code.set(result[word])
            if across:
                code.get(part)
                code.const(bits - shift, kind)
                code.op(f"{kind}.shr_u")
                code.get(result[word + 1])
                code.op(f"{kind}.or")
                code.set(result[word + 1])
        return operands(code, result)

    # -------------------------------------------------------------- tables of masks

    def _is_inverse(self, part: Expr, n: int, size: int) -> bool:
        return self._inverted(part, n, size) is not None

    def _inverted(self, part: Expr, n: int, size: int) -> tuple[tuple[int, ...], Expr] | None:
        """The table's values and x of a condition `t[n] = x`."""
        match part:
            case Binary("eq", Lookup(t, Local(m)), x) | Binary("eq", x, Lookup(t, Local(m))) if m == n:
                pass
            case _:
                return None
        table = self.world.program.tables[t]
        if not isinstance(table.type, IntT) or n in self.reads(x) or not self.is_total(x, self.context.scope):
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
        wide = isinstance(q.domain, SetConst) and q.domain.mask.bit_count() >= FEWEST and size <= LONGEST
        for part in parts:
            if all(self.is_total(other, self.context.scope) for other in rest):
                known = self.made.get(self.key(part, q.n, size))
                if known is None:
                    known = self.inverse(part, q.n, size)
                if known is not None:
                    ready.append(known)
                    continue
                if wide and self.is_column(part, q.n, self.context.scope, True):
                    here.append(part)
                    continue
            rest.append(part)
        if not ready and not here:
            return None
        if here:
            assert isinstance(q.domain, SetConst)
            mask = q.domain.mask
            first, last = (mask & -mask).bit_length() - 1, mask.bit_length() - 1
            ready.append(self.mask(here, q.n, first, last, size))
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
        wide = isinstance(q.domain, SetConst) and q.domain.mask.bit_count() >= FEWEST and size <= LONGEST
        return bool(parts) and all(
            self.key(part, q.n, size) in self.made
            or self._is_inverse(part, q.n, size)
            or (wide and self.is_column(part, q.n, self.context.scope, True))
            for part in parts
        )

    def key(self, part: Expr, n: int, size: int) -> Key:
        """What a mask depends on: the condition, and the locals of the module that it reads."""
        names = sorted(self.reads(part) - {n})
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
            reads = self.reads(part) - {n}
            if reads & bound or n not in self.reads(part):
                continue
            if any(not self.context.where[m] for m in reads) or not self.is_column(part, n, self.context.scope, True):
                continue
            key = self.key(part, n, size)
            if key not in self.made:
                self.made[key] = self.mask([part], n, 0, size - 1, size)
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
