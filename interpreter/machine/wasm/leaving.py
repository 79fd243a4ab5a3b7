"""How a procedure's function is left: for good, to wait, or for another procedure's.

In: a block, and why it is left. Out: code that puts what must outlive the function into the row and leaves it with a status
(statements.py); a call, after which it goes on or is left in turn, if the other has stopped on the way.
"""

from __future__ import annotations

from collections.abc import Sequence

from interpreter.ir.ops import Expr
from interpreter.ir.program import Block
from interpreter.ir.row import HEADER, LINK, STACK
from interpreter.machine.wasm.encode import Label
from interpreter.machine.wasm.entries import Facts
from interpreter.machine.wasm.memory import BUG
from interpreter.machine.wasm.statements import FAILED, LAST_KEPT, YIELD, Statements
from interpreter.machine.wasm.values import CELL


class Leaving:
    """Emits into one procedure's function. `status` is the local with how it ends, `out` the label to leave it by."""

    def __init__(self, statements: Statements, facts: Facts, entry: int, functions: Sequence[int]) -> None:
        self.emit = statements.emit
        self.context = statements.context
        self.frames = statements.frames
        self.code = statements.code
        self.world = statements.world
        self.facts = facts
        self.p = statements.p
        self.entry = entry
        self.functions = functions
        self.status = self.code.local()
        self.out = Label(0)

    def leave(self, status: int) -> None:
        """Out, with a status."""
        self.code.const(status)
        self.code.set(self.status)
        self.code.br(self.out)

    def suspend(self, block: Block, status: int) -> None:
        """Out, until the stack goes on behind a block; what that needs goes into the row."""
        code = self.code
        self.frames.save(block)
        at = self._stack_cells()
        code.get(at)
        code.const(block.id)
        code.memory("i32.store", self.world.memory.cell(HEADER))
        code.get(at)
        code.get(self.frames.address)
        self._as_cell()
        code.memory("i32.store", self.world.memory.cell(HEADER + 1))
        self.leave(status)

    def yield_(self, block: Block) -> None:
        """Called from another function: out, until all callers are in the row."""
        code, variables = self.code, self.world.variables
        code.get(self.entry)
        code.const(0)
        code.op("i32.lt_s")
        with code.when():
            self.frames.to_buffer(block.id)
            code.const(self.facts.entries.buffered[block.id])
            code.set_global(variables.at)
            code.get(self.frames.address)
            code.set_global(variables.frame)
            code.const(self.p)
            code.set_global(variables.proc)
            if block.id in self.facts.steps:
                # It is entered again.
                code.get_global(variables.left)
                code.const(1)
                code.op("i32.add")
                code.set_global(variables.left)
            self.leave(YIELD)

    def _stack_cells(self) -> int:
        """A local with the distance of the running stack's cells from the first stack's."""
        code = self.code
        at = code.temp()
        if self.world.program.forks:
            code.const(0)
            code.memory("i32.load", self.world.memory.cell(STACK))
            code.const(3)
            code.op("i32.shl")
        else:
            code.const(0)
        code.set(at)
        return at

    def _as_cell(self) -> None:
        """An address in the row becomes the number of its cell."""
        self.code.const(self.world.memory.row)
        self.code.op("i32.sub")
        self.code.const(2)
        self.code.op("i32.shr_u")

    # -------------------------------------------------------------- calls

    def call(self, block: Block, p: int, args: Sequence[Expr]) -> None:
        """Call a procedure."""
        self._push_status(p, args)
        self._after_call(block)

    def call_effect(self, block: Block, effect: Expr, args: Sequence[Expr], procs: Sequence[int]) -> None:
        """Call the procedure whose number is worked out, one of several."""
        code = self.code
        self.emit.number(effect)
        wanted = code.temp()
        code.set(wanted)
        ordered = sorted(set(procs))
        with code.block() as done:
            for p in ordered:
                with code.block() as other:
                    code.get(wanted)
                    code.const(p)
                    code.op("i32.ne")
                    code.br_if(other)
                    self._push_status(p, args)
                    code.set(self.status)
                    code.br(done)
            self.context.fail(BUG)
        code.get(self.status)
        self._after_call(block)

    def _push_status(self, p: int, args: Sequence[Expr]) -> None:
        """Begin a procedure, and push how its function has ended."""
        callee = self.world.program.procs[p]
        self._guard(p)
        self._above()
        self.code.const(-1)
        self.emit.functions.push_args(args, callee.locals[: callee.params])
        self.code.call(self.functions[p])

    def _guard(self, p: int) -> None:
        """Room and depth of a call, where procedures may call themselves."""
        code, program = self.code, self.world.program
        callee = program.procs[p]
        if callee.depth:
            code.get(self.frames.address)
            code.const(self.p)
            code.const(p)
            code.call(self.world.names["under_way"])
            code.const(callee.depth)
            code.op("i32.ge_s")
            with code.when():
                self.leave(FAILED)
        if self.facts.recursive:
            self._above()
            code.const(CELL * (LINK + callee.frame))
            code.op("i32.add")
            code.call(self.world.names["stack_room"])

    def _above(self) -> None:
        """Push where a called procedure's frame begins."""
        self.code.get(self.frames.address)
        self.code.const(CELL * (LINK + self.frames.proc.frame))
        self.code.op("i32.add")

    def _after_call(self, block: Block) -> None:
        """Go on if the callee has returned; else out, and if it will go on later, with everything in the row."""
        code = self.code
        code.tee(self.status)
        with code.when():
            code.get(self.status)
            code.const(LAST_KEPT)
            code.op("i32.le_s")
            with code.when():
                self.frames.save(block, LINK)
                self._above()
                code.const(block.id)
                code.memory("i32.store")
                self._above()
                code.get(self.frames.address)
                self._as_cell()
                code.memory("i32.store", CELL)
            code.br(self.out)
