"""Functions that are alike in every module: arithmetic, sequences, events, running stacks, looking ahead.

In: a module whose procedures and questions are declared and stand in its table. Out: numbers of functions by name. What they do is
what reference.py does; `run` is its loop over frames that are in the row, `search` its depth-first look-ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from interpreter.ir.ops import Call, CallEffect, Chance, Choose, Fork
from interpreter.ir.program import Program
from interpreter.ir.row import EMPTY, HEADER, OVER, STACK, STATUS
from interpreter.ir.steps import REMEMBER, STEPS, TRIES
from interpreter.machine.wasm.encode import Code, FuncType
from interpreter.machine.wasm.memory import BUDGET, BUG, EVENT_END, EVENTS, LOG, ROOM, RULE, SEQUENCES, WHY, Memory
from interpreter.machine.wasm.statements import DRAWS, FAILED, FORKED, HALTED, RETURNED, WAITS, YIELD
from interpreter.machine.wasm.values import CELL
from interpreter.machine.wasm.world import World

BUCKETS = 4096
LEVEL = 24
"""Bytes of a level before the copy of its frames: mark, next way, block, frame, size of the copy."""

I = FuncType  # noqa: E741 - short, as it stands in every line of the table below

SIGNATURES: dict[str, FuncType] = {
    "fail": I(("i32",)),
    "floor_div": I(("i32", "i32"), ("i32",)),
    "floor_mod": I(("i32", "i32"), ("i32",)),
    "sequence_room": I(("i32",)),
    "stack_room": I(("i32",)),
    "seq_nth": I(("i32", "i32"), ("i32",)),
    "seq_place": I(("i32", "i32"), ("i32",)),
    "seq_eq": I(("i32", "i32"), ("i32",)),
    "seq_copy": I(("i32", "i32", "i32")),
    "seq_reverse": I(("i32", "i32", "i32")),
    "seq_append": I(("i32", "i32", "i32", "i32")),
    "seq_prepend": I(("i32", "i32", "i32", "i32")),
    "seq_drop": I(("i32", "i32", "i32", "i32")),
    "event": I(("i32", "i32")),
    "event_word": I(("i32",)),
    "event_long": I(("i64",)),
    "under_way": I(("i32", "i32", "i32"), ("i32",)),
    "log": I(("i32",)),
    "log_range": I(("i32", "i32")),
    "undo": I(("i32",)),
    "forget": I(("i32",)),
    "raise_top": I(("i32",)),
    "save_level": I(("i32",), ("i32",)),
    "restore_level": I(("i32",)),
    "run": I(("i32", "i32", "i32"), ("i32",)),
    "search": I(("i32", "i32", "i32", "i32"), ("i32",)),
    "is_new": I(("i32",), ("i32",)),
    "alike": I(("i32", "i32", "i32", "i32", "i32"), ("i32",)),
    "ask": I(("i32", "i32", "i32"), ("i32",)),
    "clear": I(()),
    "fork": I(("i32",), ("i32",)),
    "advance": I(("i32", "i32", "i32", "i32"), ("i32",)),
    "reset": I(()),
    "begin": I(("i32",), ("i32",)),
    "take": I(("i32", "i32"), ("i32",)),
    "options": I(("i32",), ("i32",)),
    "player": I(("i32",), ("i32",)),
    "function": I(("i32",)),
    "philox": I(("i32", "i32", "i32", "i32"), ("i32",)),
}
EXPORTED = ("begin", "take", "options", "player", "function")


@dataclass(frozen=True, slots=True)
class Tables:
    """Addresses of what is known of each block (its procedure, its entry behind it, whether it is quiet, its question's number), of the
    first entry of each procedure and the size of its frame in bytes; and where in the module's table procedures, listings, ways,
    players and functions begin."""

    proc_of: int
    entry_of: int
    quiet: int
    question: int
    draws: int
    begin_of: int
    size_of: int
    back_of: int
    procs: int
    listings: int
    ways: int
    players: int
    functions: int


def int_table(memory: Memory, values: list[int]) -> int:
    """The address of constant numbers."""
    return memory.constant(b"".join((v & 0xFFFFFFFF).to_bytes(4, "little") for v in values))


def block_tables(
    program: Program, memory: Memory, resume: dict[int, int], buffered: dict[int, int], questions: list[int], link: int
) -> dict[str, int]:
    """Addresses of the tables over blocks and procedures."""
    number = {b: k for k, b in enumerate(questions)}
    blocks = program.blocks
    return {
        "proc_of": int_table(memory, [b.p for b in blocks]),
        "entry_of": int_table(memory, [resume.get(b.id, -1) for b in blocks]),
        "quiet": int_table(memory, [int(isinstance(b.term, Choose) and b.term.quiet) for b in blocks]),
        "question": int_table(memory, [number.get(b.id, -1) for b in blocks]),
        "draws": int_table(memory, [int(isinstance(b.term, Chance)) for b in blocks]),
        "begin_of": int_table(memory, [buffered[p.entry] for p in program.procs]),
        "size_of": int_table(memory, [CELL * (link + p.frame) for p in program.procs]),
        "back_of": int_table(memory, [int(isinstance(b.term, Call | CallEffect | Fork)) for b in blocks]),
    }


class Runtime:
    """Writes the functions."""

    def __init__(self, world: World, tables: Tables) -> None:
        self.world = world
        self.tables = tables
        self.memory = world.memory
        self.program = world.program
        self.row_bytes = CELL * world.program.row_cells

    def define(self) -> None:
        """All of them."""
        for name in SIGNATURES:
            write: Callable[[Code], None] = getattr(self, f"_{name}")
            code = Code(SIGNATURES[name], name)
            write(code)
            self.world.module.define(self.world.names[name], code)
        for name in EXPORTED:
            self.world.module.add(self._door(name), name)

    def _door(self, name: str) -> Code:
        """A function as the host calls it, with another row than before."""
        code = Code(SIGNATURES[name], f"door {name}")
        self._call(code, "reset")
        for k in range(len(SIGNATURES[name].params)):
            code.get(k)
        self._call(code, name)
        return code

    # -------------------------------------------------------------- small things

    def _call(self, code: Code, name: str) -> None:
        code.call(self.world.names[name])

    def _fail(self, code: Code) -> None:
        code.const(WHY)
        code.get(0)
        code.memory("i32.store")
        code.op("unreachable")

    def _trap(self, code: Code, why: int) -> None:
        code.const(why)
        self._call(code, "fail")
        code.op("unreachable")

    def _lookup(self, code: Code, table: int, index: int) -> None:
        """Push a number of a table, at the index in a local."""
        code.get(index)
        code.const(2)
        code.op("i32.shl")
        code.memory("i32.load", table)

    def _floor_div(self, code: Code) -> None:
        quotient = code.local()
        self._divisor(code)
        code.get(0)
        code.get(1)
        code.op("i32.div_s")
        code.set(quotient)
        # One less where there is a rest and the signs differ.
        code.get(quotient)
        code.get(quotient)
        code.get(1)
        code.op("i32.mul")
        code.get(0)
        code.op("i32.ne")
        code.get(0)
        code.get(1)
        code.op("i32.xor")
        code.const(0)
        code.ops("i32.lt_s", "i32.and", "i32.sub")

    def _floor_mod(self, code: Code) -> None:
        rest = code.local()
        self._divisor(code)
        code.get(0)
        code.get(1)
        code.op("i32.rem_s")
        code.tee(rest)
        code.get(1)
        code.const(0)
        code.get(rest)
        code.get(1)
        code.op("i32.xor")
        code.const(0)
        code.op("i32.lt_s")
        code.get(rest)
        code.const(0)
        code.ops("i32.ne", "i32.and", "select", "i32.add")

    def _divisor(self, code: Code) -> None:
        code.get(1)
        code.op("i32.eqz")
        with code.when():
            self._trap(code, BUG)

    def _sequence_room(self, code: Code) -> None:
        code.get(0)
        code.const(self.memory.sequences + SEQUENCES)
        code.op("i32.gt_u")
        with code.when():
            self._trap(code, ROOM)

    def _stack_room(self, code: Code) -> None:
        """A frame may end at this address at most where its stack does."""
        program = self.program
        code.get(0)
        code.const(self.memory.cell(program.first_stack + program.stack_cells))
        if program.forks:
            code.const(0)
            code.memory("i32.load", self.memory.cell(STACK))
            code.const(CELL * program.stack_cells)
            code.ops("i32.mul", "i32.add")
        code.op("i32.gt_u")
        with code.when():
            self._trap(code, RULE)

    # -------------------------------------------------------------- sequences

    def _seq_nth(self, code: Code) -> None:
        with code.block() as none:
            code.get(1)
            code.const(1)
            code.op("i32.lt_s")
            code.br_if(none)
            code.get(1)
            code.get(0)
            code.memory("i32.load")
            code.op("i32.gt_s")
            code.br_if(none)
            code.get(0)
            code.get(1)
            code.const(2)
            code.ops("i32.shl", "i32.add")
            code.memory("i32.load")
            code.op("return")
        code.const(-1)

    def _seq_place(self, code: Code) -> None:
        k = code.local()
        with code.block() as none, code.loop() as again:
            code.get(k)
            code.get(0)
            code.memory("i32.load")
            code.op("i32.ge_s")
            code.br_if(none)
            code.get(k)
            code.const(1)
            code.op("i32.add")
            code.set(k)
            code.get(0)
            code.get(k)
            code.const(2)
            code.ops("i32.shl", "i32.add")
            code.memory("i32.load")
            code.get(1)
            code.op("i32.ne")
            code.br_if(again)
            code.get(k)
            code.op("return")
        code.const(0)

    def _seq_eq(self, code: Code) -> None:
        k = code.local()
        with code.block() as differ:
            with code.block() as end, code.loop() as again:
                code.get(0)
                code.get(k)
                code.const(2)
                code.ops("i32.shl", "i32.add")
                code.memory("i32.load")
                code.get(1)
                code.get(k)
                code.const(2)
                code.ops("i32.shl", "i32.add")
                code.memory("i32.load")
                code.op("i32.ne")
                code.br_if(differ)
                code.get(k)
                code.get(0)
                code.memory("i32.load")
                code.op("i32.ge_s")
                code.br_if(end)
                code.get(k)
                code.const(1)
                code.op("i32.add")
                code.set(k)
                code.br(again)
            code.const(1)
            code.op("return")
        code.const(0)

    def _seq_copy(self, code: Code) -> None:
        """(to, from, cells); both may be the same"""
        used = code.local()
        code.get(1)
        code.memory("i32.load")
        code.const(1)
        code.op("i32.add")
        code.const(2)
        code.op("i32.shl")
        code.set(used)
        code.get(0)
        code.get(1)
        code.get(used)
        code.op("memory.copy")
        code.get(0)
        code.get(used)
        code.op("i32.add")
        code.const(0)
        code.get(2)
        code.const(2)
        code.op("i32.shl")
        code.get(used)
        code.op("i32.sub")
        code.op("memory.fill")

    def _seq_reverse(self, code: Code) -> None:
        """(to, from, cells)"""
        k, length = code.local(), code.local()
        self._clear_cells(code, 0, 2)
        code.get(1)
        code.memory("i32.load")
        code.set(length)
        code.get(0)
        code.get(length)
        code.memory("i32.store")
        with code.block() as end, code.loop() as again:
            code.get(k)
            code.get(length)
            code.op("i32.ge_s")
            code.br_if(end)
            code.get(0)
            code.get(length)
            code.get(k)
            code.op("i32.sub")
            code.const(2)
            code.ops("i32.shl", "i32.add")
            code.get(1)
            code.get(k)
            code.const(2)
            code.ops("i32.shl", "i32.add")
            code.memory("i32.load", CELL)
            code.memory("i32.store")
            code.get(k)
            code.const(1)
            code.op("i32.add")
            code.set(k)
            code.br(again)

    def _clear_cells(self, code: Code, at: int, count: int) -> None:
        code.get(at)
        code.const(0)
        code.get(count)
        code.const(2)
        code.op("i32.shl")
        code.op("memory.fill")

    def _put(self, code: Code, length: int, push: Callable[[], None]) -> None:
        """Lengthen the sequence at parameter 0, whose length is in a local too."""
        code.get(length)
        code.const(1)
        code.op("i32.add")
        code.set(length)
        code.get(0)
        code.get(length)
        code.const(2)
        code.ops("i32.shl", "i32.add")
        push()
        code.memory("i32.store")

    def _rebuilt(self, code: Code, front: bool, back: bool) -> None:
        """(to, from, cells, x): without x, which goes to the front or the back unless it is nothing."""
        k, length, y = code.local(), code.local(), code.local()
        self._clear_cells(code, 0, 2)

        def own() -> None:
            code.get(3)
            code.const(0)
            code.op("i32.ge_s")
            with code.when():
                self._put(code, length, lambda: code.get(3))

        if front:
            own()
        with code.block() as end, code.loop() as again:
            code.get(k)
            code.get(1)
            code.memory("i32.load")
            code.op("i32.ge_s")
            code.br_if(end)
            code.get(k)
            code.const(1)
            code.op("i32.add")
            code.set(k)
            code.get(1)
            code.get(k)
            code.const(2)
            code.ops("i32.shl", "i32.add")
            code.memory("i32.load")
            code.tee(y)
            code.get(3)
            code.op("i32.eq")
            code.br_if(again)
            self._put(code, length, lambda: code.get(y))
            code.br(again)
        if back:
            own()
        code.get(0)
        code.get(length)
        code.memory("i32.store")

    def _seq_append(self, code: Code) -> None:
        self._rebuilt(code, False, True)

    def _seq_prepend(self, code: Code) -> None:
        self._rebuilt(code, True, False)

    def _seq_drop(self, code: Code) -> None:
        self._rebuilt(code, False, False)

    # -------------------------------------------------------------- events

    def _event(self, code: Code) -> None:
        code.get(0)
        self._call(code, "event_word")
        code.get(1)
        self._call(code, "event_word")

    def _event_word(self, code: Code) -> None:
        end = code.local()
        code.const(EVENT_END)
        code.memory("i32.load")
        code.tee(end)
        code.const(self.memory.events + EVENTS - CELL)
        code.op("i32.gt_u")
        with code.when():
            self._trap(code, ROOM)
        code.get(end)
        code.get(0)
        code.memory("i32.store")
        code.const(EVENT_END)
        code.get(end)
        code.const(CELL)
        code.op("i32.add")
        code.memory("i32.store")

    def _event_long(self, code: Code) -> None:
        code.get(0)
        code.op("i32.wrap_i64")
        self._call(code, "event_word")
        code.get(0)
        code.const(32, "i64")
        code.ops("i64.shr_u", "i32.wrap_i64")
        self._call(code, "event_word")

    # -------------------------------------------------------------- stacks

    def _stack(self, code: Code) -> int:
        """A local with the distance of the running stack's cells from the first stack's."""
        at = code.local()
        if self.program.forks:
            code.const(0)
            code.memory("i32.load", self.memory.cell(STACK))
            code.const(3)
            code.op("i32.shl")
            code.set(at)
        return at

    def _pc(self, code: Code, at: int) -> None:
        code.get(at)
        code.memory("i32.load", self.memory.cell(HEADER))

    def _fp(self, code: Code, at: int) -> None:
        code.get(at)
        code.memory("i32.load", self.memory.cell(HEADER + 1))

    def _address(self, code: Code) -> None:
        """The number of a cell becomes its address."""
        code.const(2)
        code.op("i32.shl")
        code.const(self.memory.row)
        code.op("i32.add")

    def _cell(self, code: Code) -> None:
        """An address becomes the number of its cell."""
        code.const(self.memory.row)
        code.op("i32.sub")
        code.const(2)
        code.op("i32.shr_u")

    def _under_way(self, code: Code) -> None:
        """(frame, procedure, callee): how many calls of the callee are under way."""
        count, b = code.local(), code.local()
        with code.loop() as again:
            code.get(count)
            code.get(1)
            code.get(2)
            code.ops("i32.eq", "i32.add")
            code.set(count)
            code.get(0)
            code.memory("i32.load")
            code.tee(b)
            code.const(EMPTY)
            code.op("i32.ne")
            with code.when():
                code.get(0)
                code.memory("i32.load", CELL)
                self._address(code)
                code.set(0)
                self._lookup(code, self.tables.proc_of, b)
                code.set(1)
                code.br(again)
        code.get(count)

    def _run(self, code: Code) -> None:
        """(procedure, frame, entry): run the stack until it stops."""
        at, status, b, caller = self._stack(code), code.local(), code.local(), code.local()
        wrapper = self.world.module.type(FuncType(("i32", "i32"), ("i32",)))
        with code.loop() as again:
            code.get(at)
            code.get(1)
            self._cell(code)
            code.memory("i32.store", self.memory.cell(HEADER + 1))
            code.get(1)
            code.get(2)
            code.get(0)
            if self.tables.procs:
                code.const(self.tables.procs)
                code.op("i32.add")
            code.call_indirect(wrapper)
            code.tee(status)
            code.op("i32.eqz")
            with code.when():
                # The frame goes, and its caller goes on.
                code.get(1)
                code.memory("i32.load")
                code.set(b)
                code.get(1)
                code.memory("i32.load", CELL)
                code.set(caller)
                code.get(1)
                code.const(0)
                self._lookup(code, self.tables.size_of, 0)
                code.op("memory.fill")
                code.get(at)
                code.get(caller)
                code.memory("i32.store", self.memory.cell(HEADER + 1))
                code.get(b)
                code.const(EMPTY)
                code.op("i32.eq")
                with code.when():
                    code.get(0)
                    code.set_global(self.world.bottom)
                    code.get(caller)
                    code.op("i32.eqz")
                    with code.when():
                        code.get(at)
                        code.const(EMPTY)
                        code.memory("i32.store", self.memory.cell(HEADER))
                    code.const(RETURNED)
                    code.op("return")
                code.get(caller)
                self._address(code)
                code.set(1)
                self._lookup(code, self.tables.proc_of, b)
                code.set(0)
                self._lookup(code, self.tables.entry_of, b)
                code.set(2)
                code.br(again)
            code.get(status)
            code.const(YIELD)
            code.op("i32.eq")
            with code.when():
                code.get_global(self.world.variables.proc)
                code.set(0)
                code.get_global(self.world.variables.frame)
                code.set(1)
                code.get_global(self.world.variables.at)
                code.set(2)
                code.br(again)
        code.get(status)

    # -------------------------------------------------------------- looking ahead

    @contextmanager
    def _set_aside(self, code: Code, frame: Callable[[], None], ending: Callable[[], None]) -> Iterator[int]:
        """What look-ahead changes is as before behind it, the row too, whose copy lies at the address in the local given."""
        variables = self.world.variables
        kept = [
            (variable, code.local())
            for variable in (
                variables.looking,
                variables.ending,
                variables.listening,
                variables.left,
                variables.arena,
                variables.ceiling,
                self.world.buckets,
                self.world.top,
            )
        ]
        for variable, local in kept:
            code.get_global(variable)
            code.set(local)
        before = code.local()
        frame()
        self._call(code, "save_level")
        code.set(before)
        code.const(1)
        code.set_global(variables.looking)
        ending()
        code.set_global(variables.ending)
        code.const(0)
        code.set_global(variables.listening)
        yield before
        code.get(before)
        self._call(code, "restore_level")
        for variable, local in kept:
            code.get(local)
            code.set_global(variable)

    # While looking ahead, stores to variables are logged: an address and what was there. Undoing goes back to a mark. A level is all
    # that it takes to go back: the mark, where the stack waits, and a copy of its frames; what lies above them is 0.

    def _forget(self, code: Code) -> None:
        """(address of a function's word): nothing is remembered of it."""
        code.get(0)
        code.memory("i64.load")
        code.op("i64.eqz")
        with code.when():
            code.op("return")
        code.get_global(self.world.variables.looking)
        with code.when():
            code.get(0)
            code.const(2 * CELL)
            self._call(code, "log_range")
        code.get(0)
        code.const(0, "i64")
        code.memory("i64.store")

    def _raise_top(self, code: Code) -> None:
        """(address): frames may have been written up to there."""
        code.get(0)
        code.get_global(self.world.top)
        code.op("i32.gt_u")
        with code.when():
            code.get(0)
            code.set_global(self.world.top)

    def _save_level(self, code: Code) -> None:
        """(bytes of the top frame): the address of a new level."""
        at, level, fp, size = self._stack(code), code.local(), code.local(), code.local()
        base, b = code.local(), code.local()
        variables = self.world.variables
        self._stack_base(code, base)
        self._fp(code, at)
        code.set(fp)
        self._pc(code, at)
        code.set(b)
        code.get(fp)
        self._address(code)
        code.get(0)
        code.op("i32.add")
        code.get(base)
        code.op("i32.sub")
        code.set(size)
        code.get_global(variables.arena)
        code.tee(level)
        code.const(LEVEL + 7)
        code.op("i32.add")
        code.get(size)
        code.op("i32.add")
        code.const(-8)
        code.op("i32.and")
        code.set_global(variables.arena)
        self._room_left(code)
        code.get(level)
        code.get_global(self.world.logged)
        code.memory("i32.store")
        code.get(level)
        code.const(0)
        code.memory("i32.store", 4)
        for offset, local in ((8, b), (12, fp), (16, size)):
            code.get(level)
            code.get(local)
            code.memory("i32.store", offset)
        self._copy_words(code, level, LEVEL, base, 0, size)
        code.get(base)
        code.get(size)
        code.op("i32.add")
        self._call(code, "raise_top")
        code.get(level)

    def _copy_words(self, code: Code, to: int, to_offset: int, source: int, offset: int, size: int) -> None:
        """Copy a number of bytes (a local) that is not large."""
        k = code.local()
        code.const(0)
        code.set(k)
        with code.block() as end, code.loop() as again:
            code.get(k)
            code.get(size)
            code.op("i32.ge_u")
            code.br_if(end)
            code.get(to)
            code.get(k)
            code.op("i32.add")
            code.get(source)
            code.get(k)
            code.op("i32.add")
            code.memory("i32.load", offset)
            code.memory("i32.store", to_offset)
            code.get(k)
            code.const(CELL)
            code.op("i32.add")
            code.set(k)
            code.br(again)

    def _restore_level(self, code: Code) -> None:
        """(level): the row as it was; the arena ends as it did behind it."""
        at, base, size, k = self._stack(code), code.local(), code.local(), code.local()
        code.get(0)
        code.memory("i32.load")
        self._call(code, "undo")
        code.get(at)
        code.get(0)
        code.memory("i32.load", 8)
        code.memory("i32.store", self.memory.cell(HEADER))
        code.get(at)
        code.get(0)
        code.memory("i32.load", 12)
        code.memory("i32.store", self.memory.cell(HEADER + 1))
        self._stack_base(code, base)
        code.get(0)
        code.memory("i32.load", 16)
        code.set(size)
        self._copy_words(code, base, 0, 0, LEVEL, size)
        code.get(base)
        code.get(size)
        code.op("i32.add")
        code.set(k)
        with code.block() as end, code.loop() as again:
            code.get(k)
            code.get_global(self.world.top)
            code.op("i32.ge_u")
            code.br_if(end)
            code.get(k)
            code.const(0)
            code.memory("i32.store")
            code.get(k)
            code.const(CELL)
            code.op("i32.add")
            code.set(k)
            code.br(again)
        code.get(base)
        code.get(size)
        code.op("i32.add")
        code.set_global(self.world.top)

    def _stack_base(self, code: Code, base: int) -> None:
        """The address where the running stack's frames begin, into a local."""
        program = self.program
        code.const(self.memory.cell(program.first_stack))
        if program.forks:
            code.const(0)
            code.memory("i32.load", self.memory.cell(STACK))
            code.const(CELL * program.stack_cells)
            code.ops("i32.mul", "i32.add")
        code.set(base)

    def _log(self, code: Code) -> None:
        """(address of a cell)"""
        at = code.local()
        logged = self.world.logged
        code.get_global(logged)
        code.tee(at)
        code.const(self.memory.log + LOG - 8)
        code.op("i32.gt_u")
        with code.when():
            self._trap(code, ROOM)
        code.get(at)
        code.get(0)
        code.memory("i32.store")
        code.get(at)
        code.get(0)
        code.memory("i32.load")
        code.memory("i32.store", CELL)
        code.get(at)
        code.const(8)
        code.op("i32.add")
        code.set_global(logged)

    def _log_range(self, code: Code) -> None:
        """(address, bytes)"""
        code.get(0)
        code.get(1)
        code.op("i32.add")
        code.set(1)
        with code.block() as end, code.loop() as again:
            code.get(0)
            code.get(1)
            code.op("i32.ge_u")
            code.br_if(end)
            code.get(0)
            self._call(code, "log")
            code.get(0)
            code.const(CELL)
            code.op("i32.add")
            code.set(0)
            code.br(again)

    def _undo(self, code: Code) -> None:
        """(mark)"""
        at = code.local()
        code.get_global(self.world.logged)
        code.set(at)
        with code.block() as end, code.loop() as again:
            code.get(at)
            code.get(0)
            code.op("i32.le_u")
            code.br_if(end)
            code.get(at)
            code.const(8)
            code.op("i32.sub")
            code.tee(at)
            code.memory("i32.load")
            code.get(at)
            code.memory("i32.load", CELL)
            code.memory("i32.store")
            code.br(again)
        code.get(0)
        code.set_global(self.world.logged)

    def _copy_row(self, code: Code, to: Callable[[], None], source: Callable[[], None]) -> None:
        to()
        source()
        code.const(self.row_bytes)
        code.op("memory.copy")

    def _push_row(self, code: Code, place: int) -> None:
        """Copy the row behind the arena's end, which moves on; the copy's address into a local."""
        variables = self.world.variables
        code.get_global(variables.arena)
        code.set(place)
        self._grow(code, (self.row_bytes + 7) // 8 * 8)
        self._copy_row(code, lambda: code.get(place), lambda: code.const(self.memory.row))

    def _grow(self, code: Code, size: int) -> None:
        variables = self.world.variables
        code.get_global(variables.arena)
        code.const(size)
        code.op("i32.add")
        code.set_global(variables.arena)
        self._room_left(code)

    def _room_left(self, code: Code) -> None:
        variables = self.world.variables
        code.get_global(variables.arena)
        code.get_global(variables.ceiling)
        code.op("i32.gt_u")
        with code.when():
            self._trap(code, ROOM)

    def _search(self, code: Code) -> None:
        """(procedure, frame, entry, changes): is there a way from here to the end of the compound action?

        The trail is a chain of levels, each with the number of the next way to try there."""
        variables, program = self.world.variables, self.program
        at, home_b, home_fp = self._stack(code), code.local(), code.local()
        tries, result, status, last, b = (code.local() for _ in range(5))
        level = code.local()
        listing = self.world.module.type(FuncType(("i32",), ("i32",)))
        ways = self.world.module.type(FuncType(("i32", "i32"), ("i32",)))
        original = code.local()
        self._pc(code, at)
        code.set(home_b)
        self._fp(code, at)
        code.set(home_fp)

        def ending() -> None:
            code.get(3)
            code.op("i32.eqz")

        with self._set_aside(code, lambda: self._lookup(code, self.tables.size_of, 0), ending):
            code.get(3)
            with code.when():
                self._push_row(code, original)
            code.const(0)
            code.set_global(self.world.buckets)
            with code.block() as done, code.loop() as again:
                code.const(STEPS)
                code.set_global(variables.left)
                code.get(0)
                code.get(1)
                code.get(2)
                self._call(code, "run")
                code.set(status)
                with code.block() as failed:
                    with code.block() as found:
                        code.get(status)
                        code.const(FAILED)
                        code.op("i32.eq")
                        code.br_if(failed)
                        self._pc(code, at)
                        code.set(b)
                        code.get(status)
                        code.const(DRAWS)
                        code.op("i32.eq")
                        with code.when():
                            self._fp(code, at)
                            self._address(code)
                            self._lookup(code, self.tables.question, b)
                            code.const(self.tables.listings)
                            code.op("i32.add")
                            code.call_indirect(listing)
                            code.br_if(found)
                            code.br(failed)
                        code.get(status)
                        code.const(WAITS)
                        code.op("i32.ne")
                        code.br_if(found)
                        code.get(3)
                        with code.when():
                            # Back where it began: did anything change?
                            code.get(b)
                            code.get(home_b)
                            code.op("i32.eq")
                            self._fp(code, at)
                            code.get(home_fp)
                            code.ops("i32.eq", "i32.and")
                            with code.when():
                                k = code.local()
                                code.const(CELL * program.first_var)
                                code.set(k)
                                with code.block() as same, code.loop() as more:
                                    code.get(k)
                                    code.const(CELL * program.first_stack)
                                    code.op("i32.ge_u")
                                    code.br_if(same)
                                    code.get(k)
                                    code.memory("i32.load", self.memory.row)
                                    code.get(original)
                                    code.get(k)
                                    code.op("i32.add")
                                    code.memory("i32.load")
                                    code.op("i32.ne")
                                    code.br_if(found)
                                    code.get(k)
                                    code.const(CELL)
                                    code.op("i32.add")
                                    code.set(k)
                                    code.br(more)
                                code.br(failed)
                        code.get(tries)
                        code.const(REMEMBER)
                        code.op("i32.ge_s")
                        with code.when():
                            code.get(tries)
                            self._call(code, "is_new")
                            code.op("i32.eqz")
                            code.br_if(failed)
                        self._lookup(code, self.tables.proc_of, b)
                        code.set(last)
                        self._lookup(code, self.tables.size_of, last)
                        self._call(code, "save_level")
                        code.set(last)
                        code.get(last)
                        code.get(level)
                        code.memory("i32.store", 20)
                        code.get(last)
                        code.set(level)
                        code.br(failed)
                    code.const(1)
                    code.set(result)
                    code.br(done)
                # The next way of the last level that has one.
                with code.loop() as back:
                    code.get(level)
                    code.op("i32.eqz")
                    code.br_if(done)
                    code.get(level)
                    self._call(code, "restore_level")
                    self._pc(code, at)
                    code.set(b)
                    self._fp(code, at)
                    self._address(code)
                    code.tee(1)
                    code.get(level)
                    code.memory("i32.load", CELL)
                    self._lookup(code, self.tables.question, b)
                    code.const(self.tables.ways)
                    code.op("i32.add")
                    code.call_indirect(ways)
                    code.tee(status)
                    code.const(0)
                    code.op("i32.lt_s")
                    with code.when():
                        code.get(level)
                        code.set_global(variables.arena)
                        code.get(level)
                        code.memory("i32.load", 20)
                        code.set(level)
                        code.br(back)
                code.get(level)
                code.get(status)
                code.const(1)
                code.op("i32.add")
                code.memory("i32.store", CELL)
                code.get(tries)
                code.const(1)
                code.op("i32.add")
                code.tee(tries)
                code.const(TRIES)
                code.op("i32.gt_s")
                with code.when():
                    self._trap(code, BUDGET)
                self._lookup(code, self.tables.proc_of, b)
                code.set(0)
                self._lookup(code, self.tables.entry_of, b)
                code.set(2)
                code.br(again)
        code.get(result)

    # Rows met before lie at the arena's other end, each behind its hash and the one before with the same bucket; the buckets come
    # first, once there is a row to remember.

    def _is_new(self, code: Code) -> None:
        """Whether the row was not met before in this look-ahead; it is now."""
        variables = self.world.variables
        buckets = self.world.buckets
        hash_ = code.local("i64")
        k, at, bucket, left, right = (code.local() for _ in range(5))
        code.get_global(buckets)
        code.op("i32.eqz")
        with code.when():
            self._sink(code, CELL * BUCKETS)
            code.get_global(variables.ceiling)
            code.set_global(buckets)
            code.get_global(buckets)
            code.const(0)
            code.const(CELL * BUCKETS)
            code.op("memory.fill")
        code.const(-3750763034362895579, "i64")
        code.set(hash_)
        with code.loop() as again:
            code.get(hash_)
            code.get(k)
            code.memory("i64.load32_u", self.memory.row)
            code.op("i64.xor")
            code.const(1099511628211, "i64")
            code.op("i64.mul")
            code.const(29, "i64")
            code.op("i64.rotl")
            code.set(hash_)
            code.get(k)
            code.const(CELL)
            code.op("i32.add")
            code.tee(k)
            code.const(self.row_bytes)
            code.op("i32.lt_u")
            code.br_if(again)
        code.get_global(buckets)
        code.get(hash_)
        code.op("i32.wrap_i64")
        code.const(BUCKETS - 1)
        code.op("i32.and")
        code.const(2)
        code.ops("i32.shl", "i32.add")
        code.tee(bucket)
        code.memory("i32.load")
        code.set(at)
        with code.block() as unknown, code.loop() as chain:
            code.get(at)
            code.op("i32.eqz")
            code.br_if(unknown)
            with code.block() as differ:
                code.get(at)
                code.memory("i64.load", 8)
                code.get(hash_)
                code.op("i64.ne")
                code.br_if(differ)
                code.const(0)
                code.set(k)
                with code.loop() as again:
                    code.get(k)
                    code.memory("i32.load", self.memory.row)
                    code.set(left)
                    code.get(at)
                    code.get(k)
                    code.op("i32.add")
                    code.memory("i32.load", 16)
                    code.set(right)
                    code.get(left)
                    code.get(right)
                    code.op("i32.ne")
                    code.br_if(differ)
                    code.get(k)
                    code.const(CELL)
                    code.op("i32.add")
                    code.tee(k)
                    code.const(self.row_bytes)
                    code.op("i32.lt_u")
                    code.br_if(again)
                code.const(0)
                code.op("return")
            code.get(at)
            code.memory("i32.load")
            code.set(at)
            code.br(chain)
        self._sink(code, (16 + self.row_bytes + 7) // 8 * 8)
        code.get_global(variables.ceiling)
        code.set(at)
        code.get(at)
        code.get(bucket)
        code.memory("i32.load")
        code.memory("i32.store")
        code.get(at)
        code.get(hash_)
        code.memory("i64.store", 8)
        code.get(at)
        code.const(16)
        code.op("i32.add")
        code.const(self.memory.row)
        code.const(self.row_bytes)
        code.op("memory.copy")
        code.get(bucket)
        code.get(at)
        code.memory("i32.store")
        code.const(1)

    def _sink(self, code: Code, size: int) -> None:
        variables = self.world.variables
        code.get_global(variables.ceiling)
        code.const(size)
        code.op("i32.sub")
        code.set_global(variables.ceiling)
        self._room_left(code)

    def _alike(self, code: Code) -> None:
        """(procedure, frame, size of its frame, bytes of arguments in the buffer, words of members behind them)"""
        variables = self.world.variables
        p, frame, size, given, words = range(5)
        blob, above, result, pass_, k, x, fp, other = (code.local() for _ in range(8))
        word, bit = code.local("i64"), code.local("i64")
        at = self._stack(code)
        code.const(1)
        code.set(result)
        code.get(frame)
        code.get(size)
        code.op("i32.add")
        code.set(above)
        # Fewer than two members: nothing to compare.
        with code.loop() as again:
            code.get(x)
            code.get(given)
            code.get(k)
            code.const(3)
            code.ops("i32.shl", "i32.add")
            code.memory("i64.load", self.memory.buffer)
            code.ops("i64.popcnt", "i32.wrap_i64", "i32.add")
            code.set(x)
            code.get(k)
            code.const(1)
            code.op("i32.add")
            code.tee(k)
            code.get(words)
            code.op("i32.lt_s")
            code.br_if(again)
        code.get(x)
        code.const(2)
        code.op("i32.lt_s")
        with code.when():
            code.const(1)
            code.op("return")
        code.get(frame)
        self._cell(code)
        code.set(fp)
        code.get(above)
        self._lookup(code, self.tables.size_of, p)
        code.op("i32.add")
        self._call(code, "stack_room")
        with self._set_aside(code, lambda: code.get(size), lambda: code.const(0)) as before:
            code.get_global(variables.arena)
            code.set(blob)
            code.get_global(variables.arena)
            code.get(given)
            code.op("i32.add")
            code.get(words)
            code.const(3)
            code.ops("i32.shl", "i32.add")
            code.set_global(variables.arena)
            self._room_left(code)
            code.get(blob)
            code.const(self.memory.buffer)
            code.get_global(variables.arena)
            code.get(blob)
            code.op("i32.sub")
            code.op("memory.copy")
            with code.block() as done, code.loop() as passes:
                # Rising: words and bits from the lowest; falling: from the highest.
                code.const(0)
                code.get(words)
                code.const(1)
                code.op("i32.sub")
                code.get(pass_)
                code.ops("i32.eqz", "select")
                code.set(k)
                with code.block() as through, code.loop() as each_word:
                    code.get(k)
                    code.const(0)
                    code.op("i32.lt_s")
                    code.br_if(through)
                    code.get(k)
                    code.get(words)
                    code.op("i32.ge_s")
                    code.br_if(through)
                    code.get(blob)
                    code.get(given)
                    code.op("i32.add")
                    code.get(k)
                    code.const(3)
                    code.ops("i32.shl", "i32.add")
                    code.memory("i64.load")
                    code.set(word)
                    with code.block() as empty, code.loop() as each_bit:
                        code.get(word)
                        code.op("i64.eqz")
                        code.br_if(empty)
                        code.get(word)
                        code.op("i64.ctz")
                        code.const(63, "i64")
                        code.get(word)
                        code.ops("i64.clz", "i64.sub")
                        code.get(pass_)
                        code.ops("i32.eqz", "select")
                        code.set(bit)
                        code.get(word)
                        code.const(1, "i64")
                        code.get(bit)
                        code.ops("i64.shl", "i64.xor")
                        code.set(word)
                        # The arguments, and the member behind them.
                        code.const(self.memory.buffer)
                        code.get(blob)
                        code.get(given)
                        code.op("memory.copy")
                        code.get(given)
                        code.get(bit)
                        code.op("i32.wrap_i64")
                        code.get(k)
                        code.const(6)
                        code.ops("i32.shl", "i32.add")
                        code.memory("i32.store", self.memory.buffer)
                        code.get(above)
                        code.const(2 * CELL)
                        code.op("i32.add")
                        self._call(code, "raise_top")
                        code.get(above)
                        code.const(EMPTY)
                        code.memory("i32.store")
                        code.get(above)
                        code.get(fp)
                        code.memory("i32.store", CELL)
                        code.const(STEPS)
                        code.set_global(variables.left)
                        code.get(p)
                        code.get(above)
                        self._lookup(code, self.tables.begin_of, p)
                        self._call(code, "run")
                        with code.when():
                            code.const(0)
                            code.set(result)
                            code.br(done)
                        code.br(each_bit)
                    code.get(k)
                    code.const(1)
                    code.const(-1)
                    code.get(pass_)
                    code.ops("i32.eqz", "select", "i32.add")
                    code.set(k)
                    code.br(each_word)
                code.get(pass_)
                code.op("i32.eqz")
                with code.when():
                    self._push_row(code, other)
                    code.get(before)
                    self._call(code, "restore_level")
                    code.const(1)
                    code.set(pass_)
                    code.br(passes)
                code.const(0)
                code.set(k)
                with code.loop() as compare:
                    code.get(k)
                    code.memory("i32.load", self.memory.row)
                    code.get(other)
                    code.get(k)
                    code.op("i32.add")
                    code.memory("i32.load")
                    code.op("i32.ne")
                    with code.when():
                        code.const(0)
                        code.set(result)
                        code.br(done)
                    code.get(k)
                    code.const(CELL)
                    code.op("i32.add")
                    code.tee(k)
                    code.const(self.row_bytes)
                    code.op("i32.lt_u")
                    code.br_if(compare)
        del at
        code.get(result)

    # -------------------------------------------------------------- going on

    def _ask(self, code: Code) -> None:
        """(procedure, frame, entry): run until somebody has to be asked; a quiet question whose first extra is all it offers is
        answered so."""
        at, status, b = self._stack(code), code.local(), code.local()
        variables = self.world.variables
        listing = self.world.module.type(FuncType(("i32",), ("i32",)))
        with code.loop() as again:
            code.const(STEPS)
            code.set_global(variables.left)
            code.get(0)
            code.get(1)
            code.get(2)
            self._call(code, "run")
            code.tee(status)
            code.const(WAITS)
            code.op("i32.eq")
            with code.when():
                self._pc(code, at)
                code.set(b)
                self._lookup(code, self.tables.quiet, b)
                with code.when():
                    self._fp(code, at)
                    self._address(code)
                    code.tee(1)
                    self._lookup(code, self.tables.question, b)
                    code.const(self.tables.listings)
                    code.op("i32.add")
                    code.call_indirect(listing)
                    code.const(1)
                    code.op("i32.eq")
                    code.const(0)
                    code.memory("i32.load", self.memory.options)
                    code.const(-1)
                    code.ops("i32.eq", "i32.and")
                    with code.when():
                        code.const(-1)
                        code.set_global(variables.choice)
                        self._lookup(code, self.tables.proc_of, b)
                        code.set(0)
                        self._lookup(code, self.tables.entry_of, b)
                        code.set(2)
                        code.br(again)
        code.get(status)

    def _clear(self, code: Code) -> None:
        """The game is over: nothing is under way."""
        program = self.program
        code.const(0)
        code.const(OVER)
        code.memory("i32.store", self.memory.cell(STATUS))
        code.const(0)
        code.const(0)
        code.memory("i32.store", self.memory.cell(STACK))
        for stack in range(1 + program.players if program.forks else 1):
            code.const(0)
            code.const(EMPTY)
            code.memory("i32.store", self.memory.cell(HEADER + 2 * stack))
            code.const(0)
            code.const(0)
            code.memory("i32.store", self.memory.cell(HEADER + 2 * stack + 1))
        code.const(self.memory.cell(program.first_stack))
        code.const(0)
        code.const(CELL * (program.row_cells - program.first_stack))
        code.op("memory.fill")

    def _fork(self, code: Code) -> None:
        """(procedure): a stack for each seat that plays, run to its first question. HALTED if the game ends meanwhile, FAILED if
        rules fail, else RETURNED."""
        program, memory = self.program, self.memory
        seat, status = code.local(), code.local()
        base = code.local()
        if not program.forks:
            code.const(RETURNED)
            return
        size = memory.options - memory.fork_args
        with code.loop() as again:
            with code.block() as on:
                code.get_global(self.world.variables.seats)
                code.get(seat)
                code.op("i32.shr_u")
                code.const(1)
                code.ops("i32.and", "i32.eqz")
                code.br_if(on)
                code.const(0)
                code.get(seat)
                code.const(1)
                code.op("i32.add")
                code.memory("i32.store", memory.cell(STACK))
                self._bottom(code, base)
                code.const(memory.buffer)
                code.const(memory.fork_args)
                code.const(size)
                code.op("memory.copy")
                code.const(memory.buffer)
                code.get(seat)
                code.memory("i32.store")
                code.get(0)
                code.get(base)
                self._lookup(code, self.tables.begin_of, 0)
                self._call(code, "ask")
                code.tee(status)
                code.const(FORKED)
                code.op("i32.eq")
                with code.when():
                    self._trap(code, BUG)
                code.get(status)
                code.const(HALTED)
                code.op("i32.ge_s")
                with code.when():
                    code.get(status)
                    code.op("return")
            code.get(seat)
            code.const(1)
            code.op("i32.add")
            code.tee(seat)
            code.const(program.players)
            code.op("i32.lt_s")
            code.br_if(again)
        code.const(RETURNED)

    def _bottom(self, code: Code, base: int) -> None:
        """An empty bottom frame on the running stack; its address into a local."""
        program, memory = self.program, self.memory
        at = self._stack(code)
        code.const(memory.cell(program.first_stack))
        if program.forks:
            code.const(0)
            code.memory("i32.load", memory.cell(STACK))
            code.const(CELL * program.stack_cells)
            code.ops("i32.mul", "i32.add")
        code.tee(base)
        code.const(EMPTY)
        code.memory("i32.store")
        code.get(base)
        code.const(0)
        code.memory("i32.store", CELL)
        code.get(at)
        code.get(base)
        self._cell(code)
        code.memory("i32.store", memory.cell(HEADER + 1))

    def _advance(self, code: Code) -> None:
        """(stack, procedure, frame, entry): run until every stack waits, or the game is over. FAILED if rules fail."""
        program, memory = self.program, self.memory
        status, b, k = code.local(), code.local(), code.local()
        forked = code.local()
        with code.loop() as again:
            code.const(0)
            code.get(0)
            code.memory("i32.store", memory.cell(STACK))
            code.get(1)
            code.get(2)
            code.get(3)
            self._call(code, "ask")
            code.tee(status)
            code.const(FAILED)
            code.op("i32.eq")
            with code.when():
                code.const(FAILED)
                code.op("return")
            # Over: the rules say so, or the entry procedure has returned.
            code.get(status)
            code.const(HALTED)
            code.op("i32.eq")
            code.get(status)
            code.op("i32.eqz")
            code.get(0)
            code.ops("i32.eqz", "i32.and")
            code.get_global(self.world.bottom)
            code.const(program.entry)
            code.ops("i32.eq", "i32.and", "i32.or")
            with code.when():
                self._call(code, "clear")
                code.const(RETURNED)
                code.op("return")
            with code.block() as joined:
                code.get(status)
                code.const(FORKED)
                code.op("i32.eq")
                with code.when():
                    code.get(0)
                    with code.when():
                        self._trap(code, BUG)
                    code.const(0)
                    code.memory("i32.load", memory.cell(HEADER))
                    code.set(b)
                    self._lookup(code, self.world.fork_procs, b)
                    self._call(code, "fork")
                    code.tee(forked)
                    code.const(FAILED)
                    code.op("i32.eq")
                    with code.when():
                        code.const(FAILED)
                        code.op("return")
                    code.get(forked)
                    code.const(HALTED)
                    code.op("i32.eq")
                    with code.when():
                        self._call(code, "clear")
                    code.br(joined)
                # A seat's stack that has returned may have been the last.
                code.get(status)
                code.op("i32.eqz")
                code.get(0)
                code.const(0)
                code.ops("i32.ne", "i32.and")
                code.br_if(joined)
                code.const(RETURNED)
                code.op("return")
            code.const(0)
            code.memory("i32.load", memory.cell(STATUS))
            code.const(OVER)
            code.op("i32.eq")
            with code.when():
                code.const(RETURNED)
                code.op("return")
            if program.forks:
                code.const(0)
                code.set(k)
                with code.loop() as more:
                    code.get(k)
                    code.const(3)
                    code.op("i32.shl")
                    code.memory("i32.load", memory.cell(HEADER + 2))
                    code.const(EMPTY)
                    code.op("i32.ne")
                    with code.when():
                        code.const(RETURNED)
                        code.op("return")
                    code.get(k)
                    code.const(1)
                    code.op("i32.add")
                    code.tee(k)
                    code.const(program.players)
                    code.op("i32.lt_s")
                    code.br_if(more)
            # All seats are through: the main stack goes on behind its Fork.
            code.const(0)
            code.set(0)
            code.const(0)
            code.memory("i32.load", memory.cell(HEADER))
            code.set(b)
            self._lookup(code, self.tables.proc_of, b)
            code.set(1)
            code.const(0)
            code.memory("i32.load", memory.cell(HEADER + 1))
            self._address(code)
            code.set(2)
            self._lookup(code, self.tables.entry_of, b)
            code.set(3)
            code.br(again)
        code.op("unreachable")

    # -------------------------------------------------------------- doors for the host

    def _forget_all(self, code: Code) -> None:
        """Nothing is remembered of the row that lay here before."""
        for memo in self.world.remembered.values():
            code.const(0)
            code.const(0, "i64")
            code.memory("i64.store", self.memory.row + self.memory.row_bytes + memo.at)

    def _reset(self, code: Code) -> None:
        """Everything as before a call, and nothing remembered of another row."""
        variables, memory = self.world.variables, self.memory
        self._forget_all(code)
        for variable, value in (
            (variables.looking, 0),
            (variables.ending, 0),
            (variables.sequences, memory.sequences),
            (variables.arena, memory.arena),
            (variables.ceiling, memory.end),
            (self.world.logged, memory.log),
            (self.world.top, memory.row),
        ):
            code.const(value)
            code.set_global(variable)
        code.const(EVENT_END)
        code.const(memory.events)
        code.memory("i32.store")
        code.const(WHY)
        code.const(0)
        code.memory("i32.store")

    def _at_rest(self, code: Code, status: int) -> None:
        code.set(status)
        code.const(0)
        code.const(0)
        code.memory("i32.store", self.memory.cell(STACK))
        code.get(status)

    def _begin(self, code: Code) -> None:
        """(procedure): run it on the empty main stack, with its arguments in the buffer."""
        base, status = code.local(), code.local()
        code.const(0)
        code.const(0)
        code.memory("i32.store", self.memory.cell(STACK))
        self._bottom(code, base)
        code.const(0)
        code.get(0)
        code.get(base)
        self._lookup(code, self.tables.begin_of, 0)
        self._call(code, "advance")
        self._at_rest(code, status)

    def _waiting(self, code: Code, stack: int, b: int, frame: int) -> None:
        """The block and the frame's address where a stack waits, into locals."""
        code.get(stack)
        code.const(3)
        code.op("i32.shl")
        code.memory("i32.load", self.memory.cell(HEADER))
        code.set(b)
        code.get(stack)
        code.const(3)
        code.op("i32.shl")
        code.memory("i32.load", self.memory.cell(HEADER + 1))
        self._address(code)
        code.set(frame)

    def _take(self, code: Code) -> None:
        """(stack, choice): go on with an option or outcome."""
        b, frame, status = code.local(), code.local(), code.local()
        self._waiting(code, 0, b, frame)
        code.get(1)
        code.set_global(self.world.variables.choice)
        code.get(0)
        self._lookup(code, self.tables.proc_of, b)
        code.get(frame)
        self._lookup(code, self.tables.entry_of, b)
        self._call(code, "advance")
        self._at_rest(code, status)

    def _options(self, code: Code) -> None:
        """(stack): options, or outcomes with their weights, into the list; how many."""
        self._asked(code, self.tables.listings)

    def _player(self, code: Code) -> None:
        """(stack): who is asked."""
        self._asked(code, self.tables.players)

    def _asked(self, code: Code, table: int) -> None:
        b, frame, status = code.local(), code.local(), code.local()
        listing = self.world.module.type(FuncType(("i32",), ("i32",)))
        code.const(0)
        code.get(0)
        code.memory("i32.store", self.memory.cell(STACK))
        self._waiting(code, 0, b, frame)
        code.get(frame)
        self._lookup(code, self.tables.question, b)
        code.const(table)
        code.op("i32.add")
        code.call_indirect(listing)
        self._at_rest(code, status)

    def _function(self, code: Code) -> None:
        """(function): work it out; arguments and result are in the buffer."""
        code.get(0)
        code.const(self.tables.functions)
        code.op("i32.add")
        code.call_indirect(self.world.module.type(FuncType((), ())))

    def _philox(self, code: Code) -> None:
        """(number, stream, low, high word of the seed): see chance.py."""
        a, b, c, d = (code.local() for _ in range(4))
        k, m = code.local(), code.local()
        low, high = code.local("i64"), code.local("i64")
        for source, to in ((0, a), (1, b), (2, k), (3, m)):
            code.get(source)
            code.set(to)
        for round_ in range(10):
            for source, factor, to in ((a, 0xD2511F53, low), (c, 0xCD9E8D57, high)):
                code.get(source)
                code.op("i64.extend_i32_u")
                code.const(factor, "i64")
                code.op("i64.mul")
                code.set(to)
            self._upper(code, high)
            code.get(b)
            code.op("i32.xor")
            code.get(k)
            code.op("i32.xor")
            code.set(a)
            self._upper(code, low)
            code.get(d)
            code.op("i32.xor")
            code.get(m)
            code.op("i32.xor")
            code.set(c)
            code.get(high)
            code.op("i32.wrap_i64")
            code.set(b)
            code.get(low)
            code.op("i32.wrap_i64")
            code.set(d)
            if round_ < 9:
                for key, step in ((k, 0x9E3779B9), (m, 0xBB67AE85)):
                    code.get(key)
                    code.const(step)
                    code.op("i32.add")
                    code.set(key)
        code.get(a)

    def _upper(self, code: Code, product: int) -> None:
        code.get(product)
        code.const(32, "i64")
        code.ops("i64.shr_u", "i32.wrap_i64")
