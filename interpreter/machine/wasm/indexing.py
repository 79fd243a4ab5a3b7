"""Elements of variables and tables.

In: where the elements begin, an index. Out: the address of the element, or what lies there. An index that may lie outside is tested, as
the reference machine tests it.
"""

from __future__ import annotations

from interpreter.ir.expr_types import within
from interpreter.ir.ops import Const, Expr
from interpreter.machine.wasm.context import Evaluator
from interpreter.machine.wasm.memory import RULE
from interpreter.machine.wasm.values import CELL


class Indexing:
    """Finds elements for one function under construction."""

    def __init__(self, emit: Evaluator) -> None:
        self.emit = emit
        self.context = emit.context
        self.code = emit.context.code
        self.world = emit.context.world

    def push_cell(self, base: int, width: int, index: Expr, count: int, name: str) -> None:
        """Load from a variable's element."""
        if isinstance(index, Const) and 0 <= index.value < count:
            self.code.const(0)
            self.code.memory(name, self.world.memory.cell(base + width * index.value))
            return
        self.push_offset(index, count, CELL * width)
        self.code.memory(name, self.world.memory.cell(base))

    def address(self, base: int, width: int, index: Expr, count: int) -> int:
        """A temporary local with the address of a variable's element, counted from the row's beginning as memory has it."""
        local = self.code.temp()
        if isinstance(index, Const) and 0 <= index.value < count:
            self.code.const(self.world.memory.cell(base + width * index.value))
        else:
            self.push_offset(index, count, CELL * width)
            self.code.const(self.world.memory.cell(base))
            self.code.op("i32.add")
        self.code.set(local)
        return local

    def push_offset(self, index: Expr, count: int, stride: int) -> None:
        """Push an index times a stride; one out of 0..count-1 is a fault."""
        code = self.code
        self.emit.number(index)
        if not within(self.context.interval(index), 0, count - 1):
            with code.scratch():
                at = code.temp()
                code.tee(at)
                code.const(count)
                code.op("i32.ge_u")
                with code.when():
                    self.context.fail(RULE)
                code.get(at)
        if stride & (stride - 1):
            code.const(stride)
            code.op("i32.mul")
        elif stride > 1:
            code.const(stride.bit_length() - 1)
            code.op("i32.shl")
