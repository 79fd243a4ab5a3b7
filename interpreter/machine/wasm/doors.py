"""What the host calls: each time with another row, so nothing is known of the last one.

A stack is named by its number. `begin` and `take` leave the row waiting and say whether rules failed.
"""

from __future__ import annotations

from collections.abc import Mapping

from interpreter.ir.row import STACK
from interpreter.machine.wasm.assembler import Function, Operand, Place, Value, const
from interpreter.machine.wasm.encode import FuncType
from interpreter.machine.wasm.memory import EVENT_END, WHY
from interpreter.machine.wasm.part import Part, Writer

NOTHING = FuncType((), ())


class Doors(Part):
    """Writes the functions."""

    def functions(self) -> Mapping[str, Writer]:
        """See Part."""
        return {
            "fail": self.fail,
            "reset": self.reset,
            "begin": self.begin,
            "take": self.take,
            "options": self.options,
            "player": self.player,
            "function": self.function,
        }

    def fail(self, f: Function, why: Place) -> None:
        """Say why the module traps, and do."""
        f.store(WHY, why)
        f.unreachable()

    def reset(self, f: Function) -> None:
        """Everything as before a call, and nothing remembered of another row."""
        own, memory = self.registers, self.memory
        for memo in self.world.remembered.values():
            f.store(memory.row + memory.row_bytes + memo.at, const(0, "i64"))
        for place, value in (
            (own.looking, 0),
            (own.ending, 0),
            (own.sequences, memory.sequences),
            (own.arena, memory.arena),
            (own.ceiling, memory.end),
            (own.logged, memory.log),
            (own.top, memory.row),
            (own.kept, memory.row),
        ):
            f.set(place, value)
        f.store(EVENT_END, memory.events)
        f.store(WHY, 0)

    # -------------------------------------------------------------- going on

    def begin(self, f: Function, p: Place) -> Value:
        """Run a procedure on the empty main stack, with its arguments in the buffer."""
        base, status = f.locals(2)
        self.set_header(f, STACK, 0)
        self.bottom(f, base)
        return self._at_rest(f, status, f.call("advance", 0, p, base, self.begin_of(p)))

    def take(self, f: Function, stack: Place, choice: Place) -> Value:
        """Go on with an option or outcome."""
        b, frame, status = f.locals(3)
        self._waiting(f, stack, b, frame)
        f.set(self.registers.choice, choice)
        return self._at_rest(f, status, f.call("advance", stack, self.proc_of(b), frame, self.entry_of(b)))

    # -------------------------------------------------------------- questions

    def options(self, f: Function, stack: Place) -> Value:
        """Options, or outcomes with their weights, into the list; how many."""
        return self._asked(f, stack, self.tables.listings)

    def player(self, f: Function, stack: Place) -> Value:
        """Who is asked."""
        return self._asked(f, stack, self.tables.players)

    def _asked(self, f: Function, stack: Place, functions: int) -> Value:
        b, frame, status = f.locals(3)
        self.set_header(f, STACK, stack)
        self._waiting(f, stack, b, frame)
        return self._at_rest(f, status, self.question(f, functions, b, frame))

    def _waiting(self, f: Function, stack: Place, b: Place, frame: Place) -> None:
        """The block and the frame's address where a stack waits, into locals."""
        f.set(b, self.pc(stack << 3))
        f.set(frame, self.address(self.fp(stack << 3)))

    def _at_rest(self, f: Function, local: Place, result: Operand) -> Value:
        """The result, once it is worked out and no stack runs any more."""
        f.set(local, result)
        self.set_header(f, STACK, 0)
        return local

    # -------------------------------------------------------------- functions

    def function(self, f: Function, number: Place) -> None:
        """Work a function of the program out; arguments and result are in the buffer."""
        f.do_indirect(NOTHING, number + self.tables.functions)
