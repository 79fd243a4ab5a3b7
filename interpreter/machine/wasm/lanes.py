"""Numbers and conditions for four elements at a time.

The cells of a variable are a column, with an element's number in each place, and so are the values of a table: `v[n] = x` for four
elements n is one instruction.

In: an expression, and the local that is the element. Out: whether it can be worked out so; vectors; the mask of the elements for which
conditions hold, as the words of a set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from interpreter.ir.expr_types import within
from interpreter.ir.ir_types import IntT, IrType
from interpreter.ir.ops import Alike, And, Binary, Const, Expr, Fn, Load, Local, Lookup, Or, Probe, Query, Unary
from interpreter.ir.walk import free_locals, parts_of
from interpreter.machine.wasm.bits import clear, fresh, operands
from interpreter.machine.wasm.context import Evaluator
from interpreter.machine.wasm.values import CELL, SMALL, Words

LANES: Final = 4

Column = Callable[[int], None]
"""Pushes the vector of the elements first + 4j, ... as a comparison's result or as numbers."""

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


class Lanes:
    """Emits into one function under construction."""

    def __init__(self, emit: Evaluator) -> None:
        self.emit = emit
        self.context = emit.context
        self.code = emit.context.code
        self.world = emit.context.world

    # -------------------------------------------------------------- what can be done so

    def reads(self, expr: Expr) -> frozenset[int]:
        """The locals that an expression reads; what a look-ahead reads does not count."""
        known = self.world.reads
        found = known.get(id(expr))
        if found is None or found[0] is not expr:
            found = known[id(expr)] = (expr, frozenset(free_locals(expr, {})))
        return found[1]

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
            case Binary("checked_add" | "checked_sub" | "checked_mul") | Query("checked_sum"):
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
