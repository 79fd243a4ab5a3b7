"""Whole games of random bots, many in one call.

In: seeds in memory, a limit of plies. Out: a record a game in memory. Bots and chance draw the very numbers that a driver's loop on the
reference machine would draw, so the games are the same. A game that does not end by the rules is only marked: the host plays it again
on the reference machine, to learn what is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from interpreter.ir.ops import Chance
from interpreter.ir.row import EMPTY, HEADER, OVER, SEED_HIGH, SEED_LOW, STATUS, first_stream
from interpreter.machine.chance import stream_number
from interpreter.machine.wasm.encode import Code, FuncType, Label
from interpreter.machine.wasm.memory import GAME, Memory
from interpreter.machine.wasm.statements import FAILED
from interpreter.machine.wasm.tables import Tables, int_table
from interpreter.machine.wasm.values import CELL
from interpreter.machine.wasm.world import World

FINISHED, TROUBLE, CAPPED = range(3)
"""How a game of a playout ended."""
HEAD: Final = 5
"""Cells of a record before those of the seats: how it ended, plies, decisions, winners as a set of seats, one to spare."""


@dataclass(frozen=True, slots=True)
class Luck:
    """Addresses of the numbers of streams: of each block that draws, of each seat's bot; and how many the bots have used."""

    stream_of: int
    place_of: int
    bot_of: int
    counters: int

    @classmethod
    def of(cls, world: World, memory: Memory) -> Luck:
        """Put the tables into memory."""
        program = world.program
        streams = [b.term.stream if isinstance(b.term, Chance) else 0 for b in program.blocks]
        names = [stream_number(name) for name in program.streams] or [0]
        first = first_stream(program.players)
        return cls(
            int_table(memory, [names[s] for s in streams]),
            int_table(memory, [memory.cell(first + s) for s in streams]),
            int_table(memory, [stream_number(f"bot/{seat}") for seat in range(program.players)]),
            memory.counters,
        )


class Playouts:
    """Writes the functions."""

    def __init__(self, world: World, tables: Tables, luck: Luck) -> None:
        self.world = world
        self.tables = tables
        self.luck = luck
        self.memory = world.memory
        self.program = world.program

    def define(self) -> None:
        """All of them."""
        names, module = self.world.names, self.world.module
        pick = module.add(self._pick())
        record = module.add(self._record())
        module.exports["play"] = module.add(self._play(pick, record))
        del names

    # -------------------------------------------------------------- one choice

    def _number(self, code: Code, counter: int, stream: int) -> None:
        """Push number `counter` (a local) of the stream whose number is at an address (a local)."""
        code.get(counter)
        code.get(stream)
        code.memory("i32.load")
        for cell in (SEED_LOW, SEED_HIGH):
            code.const(0)
            code.memory("i32.load", self.memory.cell(cell))
        code.call(self.world.names["philox"])

    def _scaled(self, code: Code, count: int) -> None:
        """The number on top becomes one of 0..count-1 (a local)."""
        code.op("i64.extend_i32_u")
        code.get(count)
        code.op("i64.extend_i32_u")
        code.op("i64.mul")
        code.const(32, "i64")
        code.ops("i64.shr_u", "i32.wrap_i64")

    def _pick(self) -> Code:
        """(stack, block): how many options there are, with one of them in the module's variable."""
        code = Code(FuncType(("i32", "i32"), ("i32",)), "pick")
        count, k, counter, stream, total, seat = (code.local() for _ in range(6))
        code.get(0)
        code.call(self.world.names["options"])
        code.tee(count)
        code.op("i32.eqz")
        with code.when():
            code.const(0)
            code.op("return")
        self._entry(code, self.tables.draws, 1)
        with code.when():
            self._draw(code, count, k, counter, stream, total)
            code.get(count)
            code.op("return")
        code.get(0)
        code.call(self.world.names["player"])
        code.const(2)
        code.op("i32.shl")
        code.tee(seat)
        code.memory("i32.load", self.luck.counters)
        code.set(counter)
        code.get(seat)
        code.get(counter)
        code.const(1)
        code.op("i32.add")
        code.memory("i32.store", self.luck.counters)
        code.get(seat)
        code.const(self.luck.bot_of)
        code.op("i32.add")
        code.set(stream)
        self._number(code, counter, stream)
        self._scaled(code, count)
        code.const(2)
        code.op("i32.shl")
        code.memory("i32.load", self.memory.options)
        code.set_global(self.world.variables.choice)
        code.get(count)
        return code

    def _entry(self, code: Code, table: int, index: int) -> None:
        code.get(index)
        code.const(2)
        code.op("i32.shl")
        code.memory("i32.load", table)

    def _draw(self, code: Code, count: int, k: int, counter: int, stream: int, total: int) -> None:
        """One of the outcomes in the list, in proportion to their weights; the stream's counter moves on."""
        cell = code.local()
        with code.loop() as again:
            code.get(total)
            code.get(k)
            code.const(3)
            code.op("i32.shl")
            code.memory("i32.load", self.memory.outcomes + CELL)
            code.op("i32.add")
            code.set(total)
            code.get(k)
            code.const(1)
            code.op("i32.add")
            code.tee(k)
            code.get(count)
            code.op("i32.lt_s")
            code.br_if(again)
        self._entry(code, self.luck.place_of, 1)
        code.tee(cell)
        code.memory("i32.load")
        code.set(counter)
        code.get(cell)
        code.get(counter)
        code.const(1)
        code.op("i32.add")
        code.memory("i32.store")
        code.get(1)
        code.const(2)
        code.op("i32.shl")
        code.const(self.luck.stream_of)
        code.op("i32.add")
        code.set(stream)
        self._number(code, counter, stream)
        self._scaled(code, total)
        code.set(total)
        code.const(0)
        code.set(k)
        with code.loop() as again:
            code.get(total)
            code.get(k)
            code.memory("i32.load", self.memory.outcomes + CELL)
            code.op("i32.sub")
            code.tee(total)
            code.const(0)
            code.op("i32.ge_s")
            with code.when():
                code.get(k)
                code.const(2 * CELL)
                code.op("i32.add")
                code.set(k)
                code.br(again)
        code.get(k)
        code.memory("i32.load", self.memory.outcomes)
        code.set_global(self.world.variables.choice)

    # -------------------------------------------------------------- games

    def _play(self, pick: int, record: int) -> Code:
        """(first, behind the last, limit): the games of these places in the list."""
        code = Code(FuncType(("i32", "i32", "i32")), "play")
        variables, memory = self.world.variables, self.memory
        stack, b, how, count = (code.local() for _ in range(4))
        code.const(0)
        code.set_global(variables.listening)
        code.get(2)
        code.set_global(variables.limit)
        with code.block() as done, code.loop() as next_game:
            code.get(0)
            code.get(1)
            code.op("i32.ge_s")
            code.br_if(done)
            code.const(GAME)
            code.get(0)
            code.memory("i32.store")
            code.call(self.world.names["reset"])
            self._fresh(code)
            code.const(TROUBLE)
            code.set(how)
            with code.block() as ended:
                code.const(self.program.entry)
                code.call(self.world.names["begin"])
                code.const(FAILED)
                code.op("i32.eq")
                code.br_if(ended)
                with code.loop() as next_ply:
                    code.const(0)
                    code.memory("i32.load", memory.cell(STATUS))
                    code.const(OVER)
                    code.op("i32.eq")
                    with code.when():
                        code.const(FINISHED)
                        code.set(how)
                        code.br(ended)
                    self._who(code, stack, b, ended)
                    code.get_global(variables.plies)
                    code.get(2)
                    code.op("i32.ge_s")
                    with code.when():
                        code.const(CAPPED)
                        code.set(how)
                        code.br(ended)
                    code.get(stack)
                    code.get(b)
                    code.call(pick)
                    code.tee(count)
                    code.op("i32.eqz")
                    code.br_if(ended)
                    code.get_global(variables.decisions)
                    code.get(count)
                    code.const(1)
                    code.op("i32.gt_s")
                    self._entry(code, self.tables.draws, b)
                    code.ops("i32.eqz", "i32.and", "i32.add")
                    code.set_global(variables.decisions)
                    code.get_global(variables.plies)
                    code.const(1)
                    code.op("i32.add")
                    code.set_global(variables.plies)
                    code.get(stack)
                    code.get_global(variables.choice)
                    code.call(self.world.names["take"])
                    code.const(FAILED)
                    code.op("i32.ne")
                    code.br_if(next_ply)
            code.get(0)
            code.get(how)
            code.call(record)
            code.get(0)
            code.const(1)
            code.op("i32.add")
            code.set(0)
            code.br(next_game)
        return code

    def _fresh(self, code: Code) -> None:
        """The row, and all counters, as at the beginning of the game whose place is in parameter 0."""
        variables, memory, program = self.world.variables, self.memory, self.program
        code.const(memory.row)
        code.const(memory.initial)
        code.const(CELL * program.row_cells)
        code.op("memory.copy")
        for k, cell in enumerate((SEED_LOW, SEED_HIGH)):
            code.const(0)
            code.get(0)
            code.const(3)
            code.op("i32.shl")
            code.memory("i32.load", memory.games + CELL * k)
            code.memory("i32.store", memory.cell(cell))
        for seat in range(program.players):
            code.const(0)
            code.const(0)
            code.memory("i32.store", self.luck.counters + CELL * seat)
        code.const(memory.buffer)
        code.const(0)
        code.const(memory.fork_args - memory.buffer)
        code.op("memory.fill")
        for variable in (variables.plies, variables.decisions):
            code.const(0)
            code.set_global(variable)

    def _who(self, code: Code, stack: int, b: int, nobody: Label) -> None:
        """The stack that goes on, and where it waits: the first that draws, else the first that waits; the main stack only if no seat's
        does."""
        memory, program = self.memory, self.program
        code.const(0)
        code.set(stack)
        code.const(0)
        code.memory("i32.load", memory.cell(HEADER))
        code.set(b)
        if program.forks:
            k, at = code.local(), code.local()
            found = code.local()
            code.const(1)
            code.set(k)
            code.const(0)
            code.set(found)
            with code.block() as out, code.loop() as again:
                code.get(k)
                code.const(program.players)
                code.op("i32.gt_s")
                code.br_if(out)
                code.get(k)
                code.const(3)
                code.op("i32.shl")
                code.memory("i32.load", memory.cell(HEADER))
                code.tee(at)
                code.const(EMPTY)
                code.op("i32.ne")
                with code.when():
                    self._entry(code, self.tables.draws, at)
                    with code.when():
                        code.get(k)
                        code.set(stack)
                        code.get(at)
                        code.set(b)
                        code.br(out)
                    code.get(found)
                    code.op("i32.eqz")
                    with code.when():
                        code.get(k)
                        code.set(stack)
                        code.get(at)
                        code.set(b)
                        code.const(1)
                        code.set(found)
                code.get(k)
                code.const(1)
                code.op("i32.add")
                code.set(k)
                code.br(again)
        code.get(b)
        code.const(EMPTY)
        code.op("i32.eq")
        code.br_if(nobody)

    def _record(self) -> Code:
        """(place, how it ended): the game's record."""
        code = Code(FuncType(("i32", "i32")), "record")
        variables, memory, program = self.world.variables, self.memory, self.program
        at = code.local()
        code.get(0)
        code.const(memory.record)
        code.op("i32.mul")
        code.const(memory.results)
        code.op("i32.add")
        code.set(at)
        code.get(at)
        code.get(1)
        code.memory("i32.store")
        for cell, variable in ((1, variables.plies), (2, variables.decisions)):
            code.get(at)
            code.get_global(variable)
            code.memory("i32.store", CELL * cell)
        code.get(1)
        with code.when():
            code.op("return")
        if program.winners >= 0:
            code.get(at)
            code.call(self.world.functions[program.winners])
            code.memory("i32.store", CELL * 3)
        cell = HEAD
        for seat in range(program.players):
            for f in (program.payoff, program.total, *(term.f for term in program.terms)):
                if f >= 0:
                    code.get(at)
                    code.const(seat)
                    code.call(self.world.functions[f])
                    code.memory("i32.store", CELL * cell)
                cell += 1
        return code
