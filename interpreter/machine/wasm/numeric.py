"""Numbers.

In: an expression that is a number. Out: code that leaves it on the stack.
"""

from __future__ import annotations

from typing import Final, Protocol

from interpreter.ir.expr_types import within
from interpreter.ir.ir_types import NOTHING, SeqT
from interpreter.ir.ops import Alike, And, Binary, Const, Expr, Fn, Load, Local, Lookup, Or, Probe, Query, Select, Unary
from interpreter.machine.wasm.bits import push_count, push_first, push_has
from interpreter.machine.wasm.checked import push_checked
from interpreter.machine.wasm.conditions import Conditions
from interpreter.machine.wasm.context import Evaluator
from interpreter.machine.wasm.functions import Functions
from interpreter.machine.wasm.indexing import Indexing
from interpreter.machine.wasm.queries import Queries
from interpreter.machine.wasm.values import CELL, SMALL, shaped

COMPARE: Final = {
    "eq": "i32.eq",
    "ne": "i32.ne",
    "lt": "i32.lt_s",
    "le": "i32.le_s",
    "gt": "i32.gt_s",
    "ge": "i32.ge_s",
}
ARITHMETIC: Final = {"add": "i32.add", "sub": "i32.sub", "mul": "i32.mul"}
WIDE: Final = {"checked_add": "i64.add", "checked_sub": "i64.sub", "checked_mul": "i64.mul"}


class Ahead(Protocol):
    """What only procedures can work out: expressions that look ahead."""

    def probe(self, b: int) -> None:
        """See ops.Probe."""

    def alike(self, expr: Alike) -> None:
        """See ops.Alike."""


class Numbers:
    """Works out numbers in one function under construction; `ahead` those that look ahead."""

    def __init__(
        self,
        emit: Evaluator,
        indexing: Indexing,
        functions: Functions,
        queries: Queries,
        conditions: Conditions,
        ahead: Ahead,
    ) -> None:
        self.emit = emit
        self.context = emit.context
        self.code = emit.context.code
        self.world = emit.context.world
        self.indexing = indexing
        self.functions = functions
        self.queries = queries
        self.conditions = conditions
        self.ahead = ahead

    def number(self, expr: Expr) -> None:
        """Push a number."""
        code = self.code
        match expr:
            case Const(value):
                code.const(value)
            case Local(n):
                code.get(self.context.local(n)[0])
            case Load(v, index):
                var = self.world.program.vars[v]
                self.indexing.push_cell(var.base, 1, index, var.count, "i32.load")
            case Lookup(t, index):
                table = self.world.program.tables[t]
                self.indexing.push_offset(index, len(table.values), CELL)
                code.memory("i32.load", self.world.memory.tables[t])
            case Unary():
                self._unary(expr)
            case Binary():
                self._binary(expr)
            case And() | Or():
                self.conditions.truth(expr)
            case Select(condition, then, other):
                self._select(condition, then, other)
            case Fn(f, args):
                self.functions.number(f, args, self.number)
            case Query():
                self.queries.number(expr)
            case Probe(b):
                self.ahead.probe(b)
            case Alike():
                self.ahead.alike(expr)
            case _:
                raise TypeError(f"{type(expr).__name__} is no number")

    def _unary(self, expr: Unary) -> None:
        code = self.code
        match expr.op:
            case "neg":
                code.const(0)
                self.number(expr.a)
                code.op("i32.sub")
            case "not":
                self.number(expr.a)
                code.op("i32.eqz")
            case "size":
                with code.scratch():
                    push_count(code, self.emit.set(expr.a))
            case "length":
                self.emit.push_sequence(expr.a)
                code.memory("i32.load")
            case "first" if isinstance(self.context.kind(expr.a), SeqT):
                with code.scratch():
                    at = self.emit.sequence(expr.a)
                    code.get(at)
                    code.memory("i32.load", CELL)
                    code.const(NOTHING)
                    code.get(at)
                    code.memory("i32.load")
                    code.op("select")
            case "first":
                with code.scratch():
                    push_first(code, self.emit.set(expr.a))
            case "sole":
                with code.scratch():
                    words = self.emit.set(expr.a)
                    push_first(code, words)
                    code.const(NOTHING)
                    push_count(code, words)
                    code.const(1)
                    code.ops("i32.eq", "select")
            case _:
                raise TypeError(f"{expr.op} gives no number")

    def _binary(self, expr: Binary) -> None:
        code, op = self.code, expr.op
        match op:
            case "add" | "sub" | "mul":
                self.number(expr.a)
                self.number(expr.b)
                code.op(ARITHMETIC[op])
            case "checked_add" | "checked_sub" | "checked_mul":
                for part in (expr.a, expr.b):
                    self.number(part)
                    code.op("i64.extend_i32_s")
                code.op(WIDE[op])
                push_checked(self.context)
            case "eq" | "ne" | "lt" | "le" | "gt" | "ge":
                self.number(expr.a)
                self.number(expr.b)
                code.op(COMPARE[op])
            case "min" | "max":
                with code.scratch():
                    self.number(expr.a)
                    a = code.temp()
                    code.set(a)
                    self.number(expr.b)
                    b = code.temp()
                    code.set(b)
                    code.get(a)
                    code.get(b)
                    code.get(a)
                    code.get(b)
                    code.ops("i32.lt_s" if op == "min" else "i32.gt_s", "select")
            case "div" | "mod":
                a_kind, b_kind = self.context.interval(expr.a), self.context.interval(expr.b)
                self.number(expr.a)
                self.number(expr.b)
                if a_kind.lo >= 0 and b_kind.lo > 0:
                    code.op("i32.div_u" if op == "div" else "i32.rem_u")
                else:
                    code.call(self.world.names["floor_div" if op == "div" else "floor_mod"])
            case "has":
                self._has(expr)
            case "seteq" | "subset":
                self._compare_sets(expr)
            case "nth":
                with code.scratch():
                    self.emit.push_sequence(expr.a)
                    self.number(expr.b)
                    code.call(self.world.names["seq_nth"])
            case "place":
                self.emit.push_sequence(expr.a)
                self.number(expr.b)
                code.call(self.world.names["seq_place"])
            case "seqeq":
                self.emit.push_sequence(expr.a)
                self.emit.push_sequence(expr.b)
                code.call(self.world.names["seq_eq"])
            case _:
                raise TypeError(f"{op} gives no number")

    def _has(self, expr: Binary) -> None:
        code = self.code
        with code.scratch():
            words = self.emit.set(expr.a)
            kind = self.context.interval(expr.b)
            top = SMALL if words[0].kind == "i32" else 64 * len(words)
            if isinstance(expr.b, Const):
                x = expr.b.value
                if not 0 <= x < top:
                    code.const(0)
                    return
                word = words[x // 64]
                word.push(code)
                code.const(x % 64, word.kind)
                code.op(f"{word.kind}.shr_u")
                if word.kind == "i64":
                    code.op("i32.wrap_i64")
                code.const(1)
                code.op("i32.and")
                return
            self.number(expr.b)
            x = code.temp()
            code.set(x)
            push_has(code, words, x)
            if not within(kind, 0, top - 1):
                code.const(0)
                code.get(x)
                code.const(top)
                code.ops("i32.lt_u", "select")

    def _compare_sets(self, expr: Binary) -> None:
        code = self.code
        with code.scratch():
            size = max(self.context.size(expr.a), self.context.size(expr.b))
            a = shaped(code, self.emit.set(expr.a), size)
            b = shaped(code, self.emit.set(expr.b), size)
            kind = a[0].kind
            for k, (left, right) in enumerate(zip(a, b, strict=True)):
                left.push(code)
                right.push(code)
                if expr.op == "seteq":
                    code.op(f"{kind}.xor")
                else:
                    code.const(-1, kind)
                    code.ops(f"{kind}.xor", f"{kind}.and")
                if k:
                    code.op(f"{kind}.or")
            code.op(f"{kind}.eqz")

    def _select(self, condition: Expr, then: Expr, other: Expr) -> None:
        code = self.code
        if is_free(then) and is_free(other):
            self.number(then)
            self.number(other)
            self.number(condition)
            code.op("select")
            return
        self.number(condition)
        with code.when("i32"):
            self.number(then)
            code.otherwise()
            self.number(other)


def is_free(expr: Expr) -> bool:
    """Whether working an expression out costs next to nothing and cannot fail."""
    match expr:
        case Const() | Local():
            return True
        case Binary("add" | "sub", a, b):
            return is_free(a) and is_free(b)
        case _:
            return False
