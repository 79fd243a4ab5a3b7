"""The fast machine behind the contract of protocol.Executor.

In: a program, its module at work, and a way to the reference machine. Out: what the reference machine gives, sooner. Words and reasons
(prompts, refusals) are left to the reference machine, and so is everything that goes wrong: a step that ends in a fault is taken again
there, which says what is wrong, and where. If it finds nothing wrong, this machine is: EngineBug, unless only room was wanting.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Final

from interpreter.ir.ir_types import IntT, IrType, SetT
from interpreter.ir.program import Program
from interpreter.ir.row import RUNNING, STATUS
from interpreter.machine.faults import EngineBug
from interpreter.machine.protocol import Executor, Refusal
from interpreter.machine.rows import first_row, waiting
from interpreter.machine.wasm.batch import Batch
from interpreter.machine.wasm.host import Compiled, Instance, Trapped
from interpreter.machine.wasm.memory import EVENT_END, ROOM, SLOT, WHY, buffered
from interpreter.machine.wasm.module import Built
from interpreter.machine.wasm.statements import LAST_KEPT
from interpreter.machine.wasm.values import CELL, shape

MASK: Final = 0xFFFFFFFF


class WasmMachine:
    """See protocol.Executor."""

    def __init__(self, program: Program, built: Built, compiled: Compiled, slow: Callable[[], Executor]) -> None:
        """`slow` makes the reference machine; it is asked for once something is to be said, or goes wrong."""
        memory = built.memory
        self.program = program
        self.built = built
        self.compiled = compiled
        self._instance = Instance(compiled)
        self._memory = memory
        self._make_slow = slow
        self._made_slow: Executor | None = None
        self._first = memory.row // CELL
        self._last = self._first + program.row_cells
        self._events: list[tuple[int, tuple[int, ...]]] = []
        self._excused = False
        self._instance.call("listen", 1)

    @property
    def _slow(self) -> Executor:
        if self._made_slow is None:
            self._made_slow = self._make_slow()
        return self._made_slow

    def batch(self) -> Batch:
        """Whole random games in bulk, on an instance of its own."""
        return Batch(self.program, self.built, self.compiled)

    # -------------------------------------------------------------- rows

    def new_row(self, seed: tuple[int, int]) -> list[int]:
        """See protocol."""
        return first_row(self.program, seed)

    def start(self, row: list[int]) -> None:
        """See protocol."""
        self.call(row, self.program.entry, ())

    def call(self, row: list[int], p: int, args: tuple[int, ...]) -> None:
        """See protocol."""
        kinds = self.program.procs[p].locals[: self.program.procs[p].params]
        self._load(row)
        self._instance.cells[self._first + STATUS] = RUNNING
        given = [*args, *[0] * (len(kinds) - len(args))]
        if not self._give(given, kinds):
            self._slow.call(row, p, args)
        elif not self._step(row, "begin", p):
            self._slow.call(row, p, args)
            self._suspect()

    def take(self, row: list[int], stack: int, choice: int) -> None:
        """See protocol."""
        self._load(row)
        if not self._step(row, "take", stack, choice):
            self._slow.take(row, stack, choice)
            self._suspect()

    def _step(self, row: list[int], name: str, *args: int) -> bool:
        """Run on, and take the row over; False if that ended in a fault, which leaves the row as it was."""
        status = self._called(name, *args)
        if status is None or status > LAST_KEPT:
            return False
        row[:] = self._instance.cells[self._first : self._last].tolist()
        self._events += self._happened()
        return True

    def _called(self, name: str, *args: int) -> int | None:
        """What the module answers; None if it stopped."""
        self._excused = False
        try:
            return self._instance.call(name, *args)
        except Trapped as trap:
            self._excused = trap.deep or self._instance.cells[WHY // CELL] == ROOM
            self._instance.call("listen", 1)  # it may have stopped in a look-ahead, which hears nothing
            return None

    def _suspect(self) -> None:
        """The reference machine found nothing wrong where this machine could not go on."""
        if not self._excused:
            raise EngineBug("the fast machine stopped where the reference machine goes on")

    def _load(self, row: Sequence[int]) -> None:
        self._instance.cells[self._first : self._last] = array("i", row)
        self._instance.cells[WHY // CELL] = 0

    # -------------------------------------------------------------- asking

    def waiting(self, row: list[int]) -> list[tuple[int, int]]:
        """See protocol."""
        return waiting(self.program, row)

    def player(self, row: list[int], stack: int) -> int:
        """See protocol."""
        self._load(row)
        found = self._called("player", stack)
        if found is None:
            found = self._slow.player(row, stack)
            self._suspect()
        return found

    def options(self, row: list[int], stack: int) -> list[int]:
        """See protocol."""
        self._load(row)
        count = self._called("options", stack)
        if not count:
            found = self._slow.options(row, stack)
            self._suspect()
            return found
        first = self._memory.options // CELL
        return self._instance.cells[first : first + count].tolist()

    def outcomes(self, row: list[int], stack: int) -> list[tuple[int, int]]:
        """See protocol."""
        self._load(row)
        count = self._called("options", stack)
        if not count:
            found = self._slow.outcomes(row, stack)
            self._suspect()
            return found
        first = self._memory.outcomes // CELL
        numbers = self._instance.cells[first : first + 2 * count].tolist()
        return list(zip(numbers[::2], numbers[1::2], strict=True))

    def prompt(self, row: list[int], stack: int) -> str:
        """See protocol."""
        return self._slow.prompt(row, stack)

    def refusal(self, row: list[int], stack: int, choice: int) -> Refusal | None:
        """See protocol."""
        return self._slow.refusal(row, stack, choice)

    def function(self, row: list[int], f: int, args: tuple[int, ...]) -> int:
        """See protocol."""
        func = self.program.funcs[f]
        self._load(row)
        if not isinstance(func.result, IntT | SetT) or not self._give(args, func.locals[: func.params]):
            return self._slow.function(row, f, args)
        if self._called("function", f) is None:
            found = self._slow.function(row, f, args)
            self._suspect()
            return found
        return self._result(func.result)

    def take_events(self) -> Sequence[tuple[int, tuple[int, ...]]]:
        """See protocol."""
        events, self._events = self._events, []
        return [*events, *self._made_slow.take_events()] if self._made_slow is not None else events

    # -------------------------------------------------------------- values

    def _give(self, args: Sequence[int], kinds: Sequence[IrType]) -> bool:
        """Arguments into the buffer; False if one of them cannot pass."""
        at = self._memory.buffer
        raw = self._instance.bytes
        for arg, kind in zip(args, kinds, strict=True):
            match kind:
                case IntT():
                    raw[at : at + 4] = (arg & MASK).to_bytes(4, "little")
                case SetT():
                    for k, _ in enumerate(shape(kind)):
                        word = arg >> 64 * k & (1 << 64) - 1
                        raw[at + SLOT * k : at + SLOT * k + 8] = word.to_bytes(8, "little")
                case _:
                    return False
            at += buffered(kind)
        return True

    def _result(self, kind: IrType) -> int:
        at, raw = self._memory.buffer, self._instance.bytes
        if isinstance(kind, IntT):
            return int.from_bytes(raw[at : at + 4], "little", signed=True)
        words = shape(kind)
        if words == ("i32",):
            return int.from_bytes(raw[at : at + 4], "little")
        return int.from_bytes(raw[at : at + SLOT * len(words)], "little")

    def _happened(self) -> list[tuple[int, tuple[int, ...]]]:
        """The events that the last step left in memory: kind, number of arguments, and for each how many cells a set has (0: a
        number), with the cells."""
        cells = self._instance.cells
        numbers = cells[self._memory.events // CELL : cells[EVENT_END // CELL] // CELL].tolist()
        found = []
        at = 0
        while at < len(numbers):
            kind, count = numbers[at], numbers[at + 1]
            at += 2
            args = []
            for _ in range(count):
                size = numbers[at]
                at += 1
                if size:
                    args.append(sum((numbers[at + k] & MASK) << 32 * k for k in range(size)))
                    at += size
                else:
                    args.append(numbers[at])
                    at += 1
            found.append((kind, tuple(args)))
        return found
