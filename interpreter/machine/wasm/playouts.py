"""Whole games of random bots, many in one call.

In: seeds in memory, a limit of plies. Out: a record a game in memory. Bots and chance draw the very numbers that a driver's loop on the
reference machine would draw, so the games are the same. A game that does not end by the rules is only marked: the host plays it again
on the reference machine, to learn what is wrong.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from interpreter.ir.row import EMPTY, OVER, SEED_HIGH, SEED_LOW, STATUS, pc_cell
from interpreter.machine.wasm.assembler import Function, Place, Value, load
from interpreter.machine.wasm.encode import FuncType, Label
from interpreter.machine.wasm.memory import GAME
from interpreter.machine.wasm.part import Part
from interpreter.machine.wasm.statements import FAILED
from interpreter.machine.wasm.values import CELL

FINISHED, TROUBLE, CAPPED = range(3)
"""How a game of a playout ended."""
HEAD: Final = 5
"""Cells of a record before those of the seats: how it ended, plies, decisions, winners as a set of seats, one to spare."""


class Playouts(Part):
    """Writes the functions."""

    def define(self) -> None:
        """All of them."""
        module = self.world.module
        pick = module.add(self.written(FuncType(("i32", "i32"), ("i32",)), "pick", self.pick))
        record = module.add(self.written(FuncType(("i32", "i32")), "record", self.record))
        play = partial(self.play, pick, record)
        module.add(self.written(FuncType(("i32", "i32", "i32")), "play", play), "play")

    # -------------------------------------------------------------- one choice

    def pick(self, f: Function, stack: Place, b: Place) -> Value:
        """How many options there are where a stack waits at a block, with one of them in the module's variable."""
        count = f.local()
        f.set(count, f.call("options", stack))
        with f.when(count.is_zero()):
            f.leave(0)
        with f.when(self.look_up(self.tables.draws, b)):
            self._draw(f, b, count)
            f.leave(count)
        place = f.call("bot_pick", f.call("player", stack), count)
        f.set(self.registers.choice, load(place << 2, self.memory.options))
        return count

    def _draw(self, f: Function, b: Place, count: Place) -> None:
        """One of the outcomes in the list, in proportion to their weights; the stream's counter moves on. The weights together may be
        more than 32 bits hold."""
        k = f.local()
        left, number = f.locals(2, "i64")
        outcomes, tables = self.memory.outcomes, self.tables
        with f.loop() as again:
            f.set(left, left + load(k << 3, outcomes + CELL).wide())
            f.set(k, k + 1)
            f.br_if(again, k < count)
        drawn = f.call("stream_number", self.look_up(tables.place_of, b), self.look_up(tables.stream_of, b))
        f.set(number, drawn.wide())
        # The upper part of the product, by halves of the total.
        f.set(left, number * left.high().wide() + ((number * left.low().wide()) >> 32))
        # The first whose weight, with those before it, is more than the number.
        f.set(k, 0)
        with f.loop() as again:
            f.set(left, left - load(k, outcomes + CELL).wide())
            with f.when(left >= 0):
                f.set(k, k + 2 * CELL)
                f.br(again)
        f.set(self.registers.choice, load(k, outcomes))

    # -------------------------------------------------------------- games

    def play(self, pick: int, record: int, f: Function, game: Place, end: Place, limit: Place) -> None:
        """The games of the places in the list from the first to before the end."""
        own = self.registers
        stack, b, how, count = f.locals(4)
        f.set(own.listening, 0)
        f.set(own.limit, limit)
        with f.until(game >= end):
            f.store(GAME, game)
            f.do("reset")
            self._fresh(f, game)
            f.set(how, TROUBLE)
            with f.block() as ended:
                f.br_if(ended, f.call("begin", self.program.entry) == FAILED)
                with f.loop() as next_ply:
                    with f.when(self.header(STATUS) == OVER):
                        f.set(how, FINISHED)
                        f.br(ended)
                    self._who(f, stack, b, ended)
                    with f.when(own.plies >= limit):
                        f.set(how, CAPPED)
                        f.br(ended)
                    f.set(count, f.call(pick, stack, b))
                    f.br_if(ended, count.is_zero())
                    # A decision is a choice between several options that nobody draws.
                    decided = (count > 1) & self.look_up(self.tables.draws, b).is_zero()
                    f.set(own.decisions, own.decisions + decided)
                    f.set(own.plies, own.plies + 1)
                    f.br_if(next_ply, f.call("take", stack, own.choice) != FAILED)
            f.do(record, game, how)
            f.set(game, game + 1)

    def _fresh(self, f: Function, game: Place) -> None:
        """The row, and all counters, as at the beginning of a game."""
        own, memory, program = self.registers, self.memory, self.program
        f.copy(memory.row, memory.initial, self.row_bytes)
        for k, cell in enumerate((SEED_LOW, SEED_HIGH)):
            self.set_header(f, cell, load(game << 3, memory.games + CELL * k))
        for seat in range(program.players):
            f.store(memory.counters + CELL * seat, 0)
        f.clear(memory.buffer, memory.fork_args - memory.buffer)
        for place in (own.plies, own.decisions):
            f.set(place, 0)

    def _who(self, f: Function, stack: Place, b: Place, nobody: Label) -> None:
        """The stack that goes on, and where it waits: the first that draws, else the first that waits; the main stack only if no seat's
        does."""
        f.set(stack, 0)
        f.set(b, self.header(pc_cell(0)))
        if self.program.forks:
            k, at, found = f.locals(3)
            f.set(k, 1)
            f.set(found, 0)
            with f.block() as out, f.until(k > self.program.players):
                f.set(at, self.pc(k << 3))
                with f.when(at != EMPTY):
                    with f.when(self.look_up(self.tables.draws, at)):
                        f.set(stack, k)
                        f.set(b, at)
                        f.br(out)
                    with f.when(found.is_zero()):
                        f.set(stack, k)
                        f.set(b, at)
                        f.set(found, 1)
                f.set(k, k + 1)
        f.br_if(nobody, b == EMPTY)

    def record(self, f: Function, game: Place, how: Place) -> None:
        """A game's record: how it ended, and if by the rules, what it came to."""
        own, memory, program = self.registers, self.memory, self.program
        at = f.local()
        f.set(at, game * memory.record + memory.results)
        f.store(at, how)
        f.store(at, own.plies, CELL)
        f.store(at, own.decisions, 2 * CELL)
        with f.when(how != FINISHED):
            f.leave()
        if program.winners >= 0:
            f.store(at, f.call(self.world.functions[program.winners]), 3 * CELL)
        cell = HEAD
        for seat in range(program.players):
            for function in (program.payoff, program.total, *(term.f for term in program.terms)):
                if function >= 0:
                    f.store(at, f.call(self.world.functions[function], seat), CELL * cell)
                cell += 1
