"""Sequences.

In: an expression that is a sequence. Out: a local with the address of its cells: a variable's own, a constant's, or room among the
function's own sequences, into which it is copied, changed or sorted.
"""

from __future__ import annotations

from collections.abc import Sequence

from interpreter.ir.ir_types import SeqT, cells
from interpreter.ir.ops import Binary, Expr, Fn, Load, Local, Select, SeqConst, Sort, Unary
from interpreter.machine.wasm.bits import push_has
from interpreter.machine.wasm.context import Evaluator
from interpreter.machine.wasm.functions import Functions
from interpreter.machine.wasm.indexing import Indexing
from interpreter.machine.wasm.loops import Loops
from interpreter.machine.wasm.values import CELL, SMALL, in_cells


class Sequences:
    """Works out sequences in one function under construction."""

    def __init__(self, emit: Evaluator, indexing: Indexing, functions: Functions, loops: Loops) -> None:
        self.emit = emit
        self.context = emit.context
        self.code = emit.context.code
        self.world = emit.context.world
        self.indexing = indexing
        self.functions = functions
        self.loops = loops

    def sequence(self, expr: Expr) -> int:
        """A local with the address of a sequence. Where it is a variable, the address is the variable's own."""
        code = self.code
        match expr:
            case SeqConst(items):
                kind = self.context.kind(expr)
                at = code.temp()
                code.const(self.world.memory.constant(in_cells(items, kind)))
                code.set(at)
                return at
            case Local(n):
                return self.context.local(n)[0]
            case Load(v, index):
                var = self.world.program.vars[v]
                return self.indexing.address(var.base, cells(var.type), index, var.count)
            case Select(condition, then, other):
                at = code.temp()
                self.emit.number(condition)
                with code.when():
                    code.get(self.sequence(then))
                    code.set(at)
                    code.otherwise()
                    code.get(self.sequence(other))
                    code.set(at)
                return at
            case Fn(f, args):
                return self._of_function(f, args)
            case Unary("reverse", a):
                return self._changed(expr, a, "seq_reverse", None)
            case Binary("append" | "prepend" | "drop" as op, a, b):
                return self._changed(expr, a, f"seq_{op}", b)
            case Binary("keep", a, b):
                return self._keep(expr, a, b)
            case Sort():
                return self._sort(expr)
            case _:
                raise TypeError(f"{type(expr).__name__} is no sequence")

    def _of_function(self, f: int, args: Sequence[Expr]) -> int:
        code = self.code
        func = self.world.program.funcs[f]
        result = self.context.fresh_area(cells(func.result))
        if self.world.is_small(f):
            with self.functions.inlined(f, args) as body:
                self.copy(result, self.sequence(body), cells(func.result))
        else:
            self.functions.push_args(args, func.locals)
            code.get(result)
            code.call(self.world.functions[f])
        return result

    def _changed(self, expr: Expr, a: Expr, name: str, b: Expr | None) -> int:
        code = self.code
        source = self.sequence(a)
        if b is not None:
            self.emit.number(b)
            x = code.temp()
            code.set(x)
        result = self.context.fresh_area(cells(self.context.kind(expr)))
        code.get(result)
        code.get(source)
        code.const(cells(self.context.kind(expr)))
        if b is not None:
            code.get(x)
        code.call(self.world.names[name])
        return result

    def _keep(self, expr: Expr, a: Expr, b: Expr) -> int:
        code = self.code
        count = cells(self.context.kind(expr))
        source = self.sequence(a)
        words = self.emit.set(b)
        result = self.context.fresh_area(count)
        self._clear(result, count)
        top = SMALL if words[0].kind == "i32" else 64 * len(words)
        x = code.temp()
        for _ in self.loops.along(source, x):
            with code.block() as on:
                if self.context.size(a) > top:
                    code.get(x)
                    code.const(top)
                    code.op("i32.ge_u")
                    code.br_if(on)
                push_has(code, words, x)
                code.op("i32.eqz")
                code.br_if(on)
                self._push_back(result, x)
        return result

    def _sort(self, expr: Sort) -> int:
        """Insertion: an element goes before those that are worse, behind those as good."""
        code = self.code
        count = cells(SeqT(expr.size))
        keys = len(expr.keys)
        result = self.context.fresh_area(count)
        ranks = self.context.fresh_area(max(1, keys * expr.size))
        self._clear(result, count)
        x = self.context.local(expr.n)[0]
        with code.scratch():
            values = [code.temp() for _ in expr.keys]
            place, slot, rank = code.temp(), code.temp(), code.temp()
            for _ in self.loops.each_around(expr.domain, expr.n, [key.value for key in expr.keys]):
                with code.scratch():
                    for key, value in zip(expr.keys, values, strict=True):
                        self.emit.number(key.value)
                        code.set(value)
                    code.get(result)
                    code.memory("i32.load")
                    code.set(place)
                    code.get(result)
                    code.get(place)
                    code.const(1)
                    code.op("i32.add")
                    code.memory("i32.store")
                    with code.block() as found, code.loop() as again:
                        code.get(place)
                        code.op("i32.eqz")
                        code.br_if(found)
                        # rank: address of the keys of the element before
                        code.get(ranks)
                        code.get(place)
                        code.const(1)
                        code.op("i32.sub")
                        code.const(CELL * keys)
                        code.ops("i32.mul", "i32.add")
                        code.set(rank)
                        with code.block() as better:
                            for k, (key, value) in enumerate(zip(expr.keys, values, strict=True)):
                                code.get(value)
                                code.get(rank)
                                code.memory("i32.load", CELL * k)
                                code.op("i32.gt_s" if key.most else "i32.lt_s")
                                code.br_if(better)
                                code.get(value)
                                code.get(rank)
                                code.memory("i32.load", CELL * k)
                                code.op("i32.ne")
                                code.br_if(found)
                            code.br(found)
                        for k in range(keys):
                            code.get(rank)
                            code.get(rank)
                            code.memory("i32.load", CELL * k)
                            code.memory("i32.store", CELL * (k + keys))
                        code.get(result)
                        code.get(place)
                        code.const(2)
                        code.ops("i32.shl", "i32.add")
                        code.tee(slot)
                        code.get(slot)
                        code.memory("i32.load")
                        code.memory("i32.store", CELL)
                        code.get(place)
                        code.const(1)
                        code.op("i32.sub")
                        code.set(place)
                        code.br(again)
                    code.get(result)
                    code.get(place)
                    code.const(2)
                    code.ops("i32.shl", "i32.add")
                    code.get(x)
                    code.memory("i32.store", CELL)
                    code.get(ranks)
                    code.get(place)
                    code.const(CELL * keys)
                    code.ops("i32.mul", "i32.add")
                    code.set(rank)
                    for k, value in enumerate(values):
                        code.get(rank)
                        code.get(value)
                        code.memory("i32.store", CELL * k)
        return result

    def _push_back(self, at: int, x: int) -> None:
        """Lengthen the sequence at an address by the element in a local."""
        code = self.code
        length = code.temp()
        code.get(at)
        code.get(at)
        code.memory("i32.load")
        code.const(1)
        code.op("i32.add")
        code.tee(length)
        code.memory("i32.store")
        code.get(length)
        code.const(2)
        code.op("i32.shl")
        code.get(at)
        code.op("i32.add")
        code.get(x)
        code.memory("i32.store")

    def _clear(self, at: int, count: int) -> None:
        code = self.code
        code.get(at)
        code.const(0)
        code.const(CELL * count)
        code.op("memory.fill")

    def copy(self, to: int, source: int, count: int) -> None:
        """Copy a sequence into cells for one of its own type or a larger one; unused cells become 0."""
        code = self.code
        code.get(to)
        code.get(source)
        code.const(count)
        code.call(self.world.names["seq_copy"])

    def copy_cells(self, to: int, source: int, count: int) -> None:
        code = self.code
        if count > 8:
            code.get(to)
            code.get(source)
            code.const(CELL * count)
            code.op("memory.copy")
            return
        for k in range(count):
            code.get(to)
            code.get(source)
            code.memory("i32.load", CELL * k)
            code.memory("i32.store", CELL * k)
