"""Picking one of several options, as bots and chance do in a playout.

In: how many options there are, and whose stream of numbers counts: a seat's bot, or a stream of the game. Out: functions that pick the
one that a driver would have picked, on the very numbers that it would have drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from interpreter.ir.row import SEED_HIGH, SEED_LOW
from interpreter.machine.wasm.assembler import Function, Place, Value, load
from interpreter.machine.wasm.part import Part, Writer

BYTE: Final = 8


class Picks(Part):
    """Writes the functions."""

    def functions(self) -> Mapping[str, Writer]:
        """See Part."""
        return {
            "bot_pick": self.bot_pick,
            "stream_number": self.stream_number,
            "stream_pick": self.stream_pick,
            "nth": nth,
        }

    def bot_pick(self, f: Function, seat: Place, count: Place) -> Value:
        """One of 0..count-1, by the next number of a seat's bot. How many it has used is no part of the row."""
        counter = f.local()
        counters = self.memory.counters
        f.set(counter, load(seat << 2, counters))
        f.store(seat << 2, counter + 1, counters)
        return scaled(self._number(f, counter, self.look_up(self.tables.bot_of, seat)), count)

    def stream_pick(self, f: Function, cell: Place, stream: Place, count: Place) -> Value:
        """One of 0..count-1, by the next number of a stream of the game, whose counter lies at an address in the row."""
        return scaled(f.call("stream_number", cell, stream), count)

    def stream_number(self, f: Function, cell: Place, stream: Place) -> Value:
        """The next number of a stream of the game, whose counter lies at an address in the row."""
        counter = f.local()
        f.set(counter, load(cell))
        f.store(cell, counter + 1)
        return self._number(f, counter, stream)

    def _number(self, f: Function, counter: Value, stream: Value) -> Value:
        return f.call("philox", counter, stream, self.header(SEED_LOW), self.header(SEED_HIGH))


def scaled(number: Value, count: Value) -> Value:
    """One of 0..count-1 from a 32-bit number, as chance.py has it."""
    return (number.wide() * count.wide()).high()


def nth(f: Function, word: Place, k: Place) -> Value:
    """The element of a word of a set that has k others before it. There is one."""
    base, count = f.locals(2)
    with f.loop() as again:
        f.set(count, (word & 0xFF).ones().low())
        with f.when(count <= k):
            f.set(k, k - count)
            f.set(word, word >> BYTE)
            f.set(base, base + BYTE)
            f.br(again)
    with f.until(k.is_zero()):
        f.set(word, word & (word - 1))
        f.set(k, k - 1)
    return base + word.zeros_below().low()
