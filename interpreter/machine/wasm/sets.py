"""Sets.

In: an expression that is a set. Out: its words at hand (values.py), constants or locals. Which elements a condition picks is in
queries.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from interpreter.ir.expr_types import within
from interpreter.ir.ir_types import SetT, cells
from interpreter.ir.ops import Best, Binary, Expr, Fn, Load, Local, Lookup, Query, Reach, Select, SetConst, Unary
from interpreter.machine.wasm.bits import clamp, fresh, operands, push_below, single
from interpreter.machine.wasm.context import Evaluator
from interpreter.machine.wasm.functions import Functions
from interpreter.machine.wasm.indexing import Indexing
from interpreter.machine.wasm.queries import Queries
from interpreter.machine.wasm.values import CELL, Words, fixed, load_set, shaped


class Sets:
    """Works out sets in one function under construction."""

    def __init__(self, emit: Evaluator, indexing: Indexing, functions: Functions, queries: Queries) -> None:
        self.emit = emit
        self.context = emit.context
        self.code = emit.context.code
        self.world = emit.context.world
        self.indexing = indexing
        self.functions = functions
        self.queries = queries

    def set(self, expr: Expr) -> Words:
        """A set as words at hand, in the shape of its own type. They are the locals of variables of the program where that suffices,
        so they must be used before anything is assigned."""
        code = self.code
        match expr:
            case SetConst(mask, size):
                return fixed(mask, size)
            case Local(n):
                return self.context.words_of(n)
            case Load(v, index):
                var = self.world.program.vars[v]
                size = self.context.size(expr)
                at = self.indexing.address(var.base, cells(var.type), index, var.count)
                return load_set(code, at, 0, size)
            case Lookup(t, index):
                table = self.world.program.tables[t]
                size = self.context.size(expr)
                self.indexing.push_offset(index, len(table.values), CELL * cells(table.type))
                at = code.temp()
                code.set(at)
                return load_set(code, at, self.world.memory.tables[t], size)
            case Unary("single", a, size):
                return self._single(a, size)
            case Unary("items", a):
                return self.queries.items(a)
            case Binary("union" | "inter" | "minus"):
                return self._combine(expr)
            case Binary("range"):
                return self._range(expr)
            case Select(condition, then, other):
                size = self.context.size(expr)
                result = fresh(code, size)
                self.emit.number(condition)
                with code.when():
                    self.emit.put_set(result, then, size)
                    code.otherwise()
                    self.emit.put_set(result, other, size)
                return operands(code, result)
            case Fn(f, args):
                return self._of_function(f, args)
            case Query("filter"):
                return self.queries.filter(expr)
            case Best():
                return self.queries.best(expr)
            case Reach():
                return self.queries.reach(expr)
            case _:
                raise TypeError(f"{type(expr).__name__} is no set")

    def _single(self, a: Expr, size: int) -> Words:
        code = self.code
        kind = self.context.interval(a)
        self.emit.number(a)
        x = code.temp()
        code.set(x)
        return single(code, x, size, within(kind, 0, size - 1))

    def _combine(self, expr: Binary) -> Words:
        code = self.code
        size = self.context.size(expr)
        a = shaped(code, self.set(expr.a), size)
        b = shaped(code, self.set(expr.b), size)
        result = fresh(code, size)
        for left, right, local in zip(a, b, result, strict=True):
            left.push(code)
            right.push(code)
            kind = left.kind
            match expr.op:
                case "union":
                    code.op(f"{kind}.or")
                case "inter":
                    code.op(f"{kind}.and")
                case _:
                    code.const(-1, kind)
                    code.ops(f"{kind}.xor", f"{kind}.and")
            code.set(local)
        return operands(code, result)

    def _range(self, expr: Binary) -> Words:
        """Members lo..hi: what lies below hi + 1 and not below lo, word by word."""
        code, size = self.code, expr.size
        lo, hi = code.temp(), code.temp()
        self.emit.number(expr.a)
        code.set(lo)
        self.emit.number(expr.b)
        code.set(hi)
        result = fresh(code, size)
        kind = code.kind(result[0])
        if size == 0:
            code.const(0, kind)
            code.set(result[0])
            return operands(code, result)
        # lo within 0..size, hi + 1 within 0..size
        clamp(code, lo, size)
        code.get(hi)
        code.const(size - 1)
        code.get(hi)
        code.const(size - 1)
        code.ops("i32.lt_s", "select")
        code.const(1)
        code.op("i32.add")
        code.set(hi)
        clamp(code, hi, size)
        for k, local in enumerate(result):
            push_below(code, hi, k, kind)
            push_below(code, lo, k, kind)
            code.const(-1, kind)
            code.ops(f"{kind}.xor", f"{kind}.and")
            code.set(local)
        return operands(code, result)

    def _of_function(self, f: int, args: Sequence[Expr]) -> Words:
        code = self.code
        func = self.world.program.funcs[f]
        assert isinstance(func.result, SetT)
        result = fresh(code, func.result.size)
        if self.world.is_small(f):
            with self.functions.inlined(f, args) as body:
                self.emit.put_set(result, body, func.result.size)
        else:
            self.functions.push_args(args, func.locals)
            code.call(self.world.functions[f])
            for local in reversed(result):
                code.set(local)
        return operands(code, result)
