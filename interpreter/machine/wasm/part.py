"""What the parts of the runtime share: how their functions are written, and where stacks and frames lie in the row.

In: a module under construction and the tables of its program. Out: values (assembler.py) for what the row holds of stacks. The distance
of a stack's two cells from the first stack's is called `at`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields

from interpreter.ir.row import EMPTY, HEADER, STACK
from interpreter.machine.wasm.assembler import Function, Operand, Place, Value, const, load, variable
from interpreter.machine.wasm.encode import Code, FuncType
from interpreter.machine.wasm.memory import ROOM
from interpreter.machine.wasm.questions import LISTING
from interpreter.machine.wasm.tables import Tables
from interpreter.machine.wasm.values import CELL
from interpreter.machine.wasm.world import World

Writer = Callable[..., Value | None]
"""Writes a function, from the function and its parameters; what it returns is the function's result."""


@dataclass(frozen=True, slots=True)
class Registers:
    """The module's variables that the runtime uses, as places; see world.py."""

    looking: Place
    ending: Place
    left: Place
    choice: Place
    at: Place
    frame: Place
    proc: Place
    seats: Place
    listening: Place
    sequences: Place
    arena: Place
    ceiling: Place
    plies: Place
    decisions: Place
    limit: Place
    buckets: Place
    logged: Place
    top: Place
    kept: Place
    bottom: Place

    @classmethod
    def of(cls, world: World) -> Registers:
        """Those of a module."""
        own = world.variables
        return cls(**{each.name: variable(world.module, getattr(own, each.name)) for each in fields(cls)})


class Part:
    """Writes some of the functions."""

    def __init__(self, world: World, tables: Tables) -> None:
        self.world = world
        self.tables = tables
        self.memory = world.memory
        self.program = world.program
        self.row_bytes = CELL * world.program.row_cells
        self.registers = Registers.of(world)

    def functions(self) -> Mapping[str, Writer]:
        """The functions of this part by name."""
        return {}

    def written(self, kind: FuncType, name: str, write: Writer) -> Code:
        """A function as a writer writes it."""
        code = Code(kind, name)
        f = Function(code, self.world.module, self.world.names)
        result = write(f, *f.params)
        if result is not None:
            f.give(result)
        return code

    # -------------------------------------------------------------- what the row holds

    def header(self, number: int) -> Value:
        """A cell of the row, by a number known beforehand."""
        return load(self.memory.cell(number))

    def set_header(self, f: Function, number: int, value: Operand) -> None:
        """Put a value into a cell of the row."""
        f.store(self.memory.cell(number), value)

    def stack(self, f: Function) -> Place:
        """A local with the distance of the running stack's cells from the first stack's."""
        at = f.local()
        if self.program.forks:
            f.set(at, self.header(STACK) << 3)
        return at

    def pc(self, at: Value) -> Value:
        """The block where a stack waits."""
        return load(at, self.memory.cell(HEADER))

    def set_pc(self, f: Function, at: Value, block: Operand) -> None:
        """Where a stack waits."""
        f.store(at, block, self.memory.cell(HEADER))

    def fp(self, at: Value) -> Value:
        """The cell where a stack's top frame begins."""
        return load(at, self.memory.cell(HEADER + 1))

    def set_fp(self, f: Function, at: Value, cell: Operand) -> None:
        """Where a stack's top frame begins."""
        f.store(at, cell, self.memory.cell(HEADER + 1))

    def stack_base(self, ahead: int = 0) -> Value:
        """The address where the frames of the running stack begin, or of one so many stacks behind it."""
        program = self.program
        base = const(self.memory.cell(program.first_stack + ahead * program.stack_cells))
        return base + self.header(STACK) * (CELL * program.stack_cells) if program.forks else base

    def bottom(self, f: Function, base: Place) -> None:
        """An empty bottom frame on the running stack; its address into a local."""
        at = self.stack(f)
        f.set(base, self.stack_base())
        f.store(base, EMPTY)
        f.store(base, 0, CELL)
        self.set_fp(f, at, self.cell(base))

    def address(self, cell: Value) -> Value:
        """The address of a cell of the row."""
        return (cell << 2) + self.memory.row

    def cell(self, address: Value) -> Value:
        """The number of the cell at an address in the row."""
        return (address - self.memory.row) >> 2

    # -------------------------------------------------------------- the arena

    def room_left(self, f: Function) -> None:
        """The arena has grown: it must not meet the rows that are remembered at its other end."""
        with f.when(self.registers.arena.above(self.registers.ceiling)):
            f.fail(ROOM)

    # -------------------------------------------------------------- what is known of blocks and procedures

    def look_up(self, table: int, number: Value) -> Value:
        """What a table says of a number."""
        return load(number << 2, table)

    def proc_of(self, block: Value) -> Value:
        """The procedure that a block is part of."""
        return self.look_up(self.tables.proc_of, block)

    def entry_of(self, block: Value) -> Value:
        """The entry that goes on behind a block which waited or called."""
        return self.look_up(self.tables.entry_of, block)

    def begin_of(self, proc: Value) -> Value:
        """The entry at a procedure's beginning that takes its arguments from the buffer."""
        return self.look_up(self.tables.begin_of, proc)

    def size_of(self, proc: Value) -> Value:
        """The bytes of a procedure's frame."""
        return self.look_up(self.tables.size_of, proc)

    def question(self, f: Function, functions: int, block: Value, frame: Value) -> Value:
        """What the question of a block gives when it waits with that frame: of its functions in the module's table, which begin at
        `functions`, the one that lists its options or outcomes, or the one that says who is asked."""
        return f.indirect(LISTING, self.look_up(self.tables.question, block) + functions, frame)
