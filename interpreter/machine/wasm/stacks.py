"""Running stacks until somebody has to be asked.

`run` is the machine's loop over frames that are in the row; `ask`, `fork` and `advance` do what the methods of these names do in
reference.py. A procedure goes on at an entry, with its frame at an address.
"""

from __future__ import annotations

from collections.abc import Mapping

from interpreter.ir.row import EMPTY, OVER, STACK, STATUS, fp_cell, pc_cell
from interpreter.ir.steps import QUIET, STEPS
from interpreter.machine.wasm.assembler import Function, Place, Value, const, load
from interpreter.machine.wasm.encode import FuncType
from interpreter.machine.wasm.memory import BUDGET, BUG, RULE
from interpreter.machine.wasm.part import Part, Writer
from interpreter.machine.wasm.statements import FAILED, FORKED, HALTED, RETURNED, WAITS, YIELD
from interpreter.machine.wasm.values import CELL

RESUME = FuncType(("i32", "i32"), ("i32",))
"""A procedure's function as the module's table has it: frame and entry in, status out."""


class Stacks(Part):
    """Writes the functions."""

    def functions(self) -> Mapping[str, Writer]:
        """See Part."""
        return {
            "stack_room": self.stack_room,
            "under_way": self.under_way,
            "run": self.run,
            "ask": self.ask,
            "clear": self.clear,
            "fork": self.fork,
            "advance": self.advance,
        }

    # -------------------------------------------------------------- frames

    def stack_room(self, f: Function, end: Place) -> None:
        """A frame may end at this address at most where its stack does."""
        with f.when(end.above(self.stack_base(1))):
            f.fail(RULE)

    def under_way(self, f: Function, frame: Place, p: Place, callee: Place) -> Value:
        """How many calls of a procedure are under way, from the frame of procedure p down."""
        count, b = f.locals(2)
        with f.loop() as again:
            f.set(count, count + (p == callee))
            f.set(b, load(frame))
            with f.when(b != EMPTY):
                f.set(frame, self.address(load(frame, CELL)))
                f.set(p, self.proc_of(b))
                f.br(again)
        return count

    # -------------------------------------------------------------- one stack

    def run(self, f: Function, p: Place, frame: Place, entry: Place) -> Value:
        """Run the stack until it stops, and say how."""
        at, status, b, caller = self.stack(f), *f.locals(3)
        own = self.registers
        with f.loop() as again:
            self.set_fp(f, at, self.cell(frame))
            f.set(status, f.indirect(RESUME, p + self.tables.procs, frame, entry))
            with f.when(status.is_zero()):
                # The frame goes, and its caller goes on.
                f.set(b, load(frame))
                f.set(caller, load(frame, CELL))
                with f.when(own.looking), f.when(frame.below(own.kept)):
                    f.do("log_range", frame, self.size_of(p))
                f.clear(frame, self.size_of(p))
                self.set_fp(f, at, caller)
                with f.when(b == EMPTY):
                    f.set(own.bottom, p)
                    # Not so where `alike` runs a procedure above a frame that waits.
                    with f.when(caller.is_zero()):
                        self.set_pc(f, at, EMPTY)
                    f.leave(RETURNED)
                f.set(frame, self.address(caller))
                f.set(p, self.proc_of(b))
                f.set(entry, self.entry_of(b))
                f.br(again)
            # All is in the row now, and the innermost procedure goes on.
            with f.when(status == YIELD):
                f.set(p, own.proc)
                f.set(frame, own.frame)
                f.set(entry, own.at)
                f.br(again)
        return status

    def ask(self, f: Function, p: Place, frame: Place, entry: Place) -> Value:
        """Run until somebody has to be asked; a quiet question whose first extra is all it offers is answered so."""
        at, status, b, count, answered = self.stack(f), *f.locals(4)
        with f.loop() as again:
            f.set(self.registers.left, STEPS)
            f.set(status, f.call("run", p, frame, entry))
            with f.when(status == WAITS):
                f.set(b, self.pc(at))
                with f.when(self.look_up(self.tables.quiet, b)):
                    f.set(frame, self.address(self.fp(at)))
                    f.set(count, self.question(f, self.tables.listings, b, frame))
                    with f.when((count == 1) & (load(self.memory.options) == -1)):
                        f.set(answered, answered + 1)
                        with f.when(answered > QUIET):
                            f.fail(BUDGET)
                        f.set(self.registers.choice, -1)
                        f.set(p, self.proc_of(b))
                        f.set(entry, self.entry_of(b))
                        f.br(again)
        return status

    # -------------------------------------------------------------- all of them

    def clear(self, f: Function) -> None:
        """The game is over: nothing is under way."""
        program = self.program
        self.set_header(f, STATUS, OVER)
        self.set_header(f, STACK, 0)
        for stack in range(1 + program.players if program.forks else 1):
            self.set_header(f, pc_cell(stack), EMPTY)
            self.set_header(f, fp_cell(stack), 0)
        f.clear(self.memory.cell(program.first_stack), CELL * (program.row_cells - program.first_stack))

    def fork(self, f: Function, p: Place) -> Value:
        """A stack for each seat that plays, run to its first question. HALTED if the game ends meanwhile, FAILED if rules fail, else
        RETURNED."""
        memory = self.memory
        seat, status, base = f.locals(3)
        if not self.program.forks:
            return const(RETURNED)
        with f.loop() as again:
            with f.block() as on:
                f.br_if(on, ((self.registers.seats >> seat) & 1).is_zero())
                self.set_header(f, STACK, seat + 1)
                self.bottom(f, base)
                # The arguments are the seat, then what the block that forks has worked out.
                f.copy(memory.buffer, memory.fork_args, memory.options - memory.fork_args)
                f.store(memory.buffer, seat)
                f.set(status, f.call("ask", p, base, self.begin_of(p)))
                with f.when(status == FORKED):
                    f.fail(BUG)
                with f.when(status >= HALTED):
                    f.leave(status)
            f.set(seat, seat + 1)
            f.br_if(again, seat < self.program.players)
        return const(RETURNED)

    def advance(self, f: Function, stack: Place, p: Place, frame: Place, entry: Place) -> None:
        """Run until every stack waits, or the game is over: RETURNED. FAILED if rules fail."""
        program = self.program
        status, b, k, forked = f.locals(4)
        with f.loop() as again:
            self.set_header(f, STACK, stack)
            f.set(status, f.call("ask", p, frame, entry))
            with f.when(status == FAILED):
                f.leave(FAILED)
            # Over: the rules say so, or the entry procedure has returned.
            through = (status == RETURNED) & (stack == 0) & (self.registers.bottom == program.entry)
            with f.when((status == HALTED) | through):
                f.do("clear")
                f.leave(RETURNED)
            with f.block() as joined:
                with f.when(status == FORKED):
                    with f.when(stack):
                        f.fail(BUG)
                    f.set(b, self.header(pc_cell(0)))
                    f.set(forked, f.call("fork", self.look_up(self.world.fork_procs, b)))
                    with f.when(forked == FAILED):
                        f.leave(FAILED)
                    with f.when(forked == HALTED):
                        f.do("clear")
                    f.br(joined)
                # A seat's stack that has returned may have been the last.
                f.br_if(joined, (status == RETURNED) & (stack != 0))
                f.leave(RETURNED)
            with f.when(self.header(STATUS) == OVER):
                f.leave(RETURNED)
            if program.forks:
                # Some seat still waits.
                f.set(k, 0)
                with f.loop() as more:
                    with f.when(load(k << 3, self.memory.cell(pc_cell(1))) != EMPTY):
                        f.leave(RETURNED)
                    f.set(k, k + 1)
                    f.br_if(more, k < program.players)
            # All seats are through: the main stack goes on behind its Fork.
            f.set(stack, 0)
            f.set(b, self.header(pc_cell(0)))
            f.set(p, self.proc_of(b))
            f.set(frame, self.address(self.header(fp_cell(0))))
            f.set(entry, self.entry_of(b))
            f.br(again)
        f.unreachable()
