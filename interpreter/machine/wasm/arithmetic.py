"""Division as the rules have it, sequences, and the numbers of chance.

A sequence is the address of its cells: its length, its items, and 0 in those that are not used. Items are from 0 on.
"""

from __future__ import annotations

from collections.abc import Mapping

from interpreter.machine.wasm.assembler import Function, Place, Value, const, load, select
from interpreter.machine.wasm.memory import ROOM, RULE, SEQUENCES
from interpreter.machine.wasm.part import Part, Writer
from interpreter.machine.wasm.values import CELL


class Arithmetic(Part):
    """Writes them."""

    def functions(self) -> Mapping[str, Writer]:
        """See Part."""
        return {
            "floor_div": self.floor_div,
            "floor_mod": self.floor_mod,
            "sequence_room": self.sequence_room,
            "seq_nth": self.seq_nth,
            "seq_place": self.seq_place,
            "seq_eq": self.seq_eq,
            "seq_copy": self.seq_copy,
            "seq_reverse": self.seq_reverse,
            "seq_append": self.seq_append,
            "seq_prepend": self.seq_prepend,
            "seq_drop": self.seq_drop,
            "philox": self.philox,
        }

    # -------------------------------------------------------------- division

    def floor_div(self, f: Function, a: Place, b: Place) -> Value:
        """a div b, rounded down."""
        quotient = f.local()
        self._divisor(f, b)
        f.set(quotient, a.quotient(b))
        # One less where there is a rest and the signs differ.
        return quotient - ((quotient * b != a) & ((a ^ b) < 0))

    def floor_mod(self, f: Function, a: Place, b: Place) -> Value:
        """What that leaves: of b's sign."""
        rest = f.local()
        self._divisor(f, b)
        f.set(rest, a.remainder(b))
        return rest + select(((rest ^ b) < 0) & (rest != 0), b, 0)

    def _divisor(self, f: Function, b: Value) -> None:
        with f.when(b.is_zero()):
            f.fail(RULE)

    # -------------------------------------------------------------- sequences

    def sequence_room(self, f: Function, end: Place) -> None:
        """The stack of sequences may end at this address at most where it has no more room."""
        with f.when(end.above(self.memory.sequences + SEQUENCES)):
            f.fail(ROOM)

    def seq_nth(self, f: Function, items: Place, n: Place) -> Value:
        """The item at a place from 1 on, or -1."""
        with f.block() as none:
            f.br_if(none, n < 1)
            f.br_if(none, n > load(items))
            f.leave(_item(items, n))
        return const(-1)

    def seq_place(self, f: Function, items: Place, x: Place) -> Value:
        """The first place where an item stands, or 0."""
        k = f.local()
        with f.until(k >= load(items)):
            f.set(k, k + 1)
            with f.when(_item(items, k) == x):
                f.leave(k)
        return const(0)

    def seq_eq(self, f: Function, one: Place, other: Place) -> Value:
        """Whether two sequences have the same items in the same order."""
        k = f.local()
        # Place 0 is the length.
        with f.block() as differ:
            with f.loop() as again:
                f.br_if(differ, _item(one, k) != _item(other, k))
                f.set(k, k + 1)
                f.br_if(again, k <= load(one))
            f.leave(1)
        return const(0)

    def seq_copy(self, f: Function, to: Place, source: Place, count: Place) -> None:
        """Copy a sequence to where there is room for so many cells; both may be the same."""
        k, used = f.locals(2)
        f.set(used, (load(source) + 1) << 2)
        f.set(count, count << 2)
        with f.until(k.at_least(used)):
            f.store(to + k, load(source + k))
            f.set(k, k + CELL)
        with f.until(k.at_least(count)):
            f.store(to + k, 0)
            f.set(k, k + CELL)

    def seq_reverse(self, f: Function, to: Place, source: Place, count: Place) -> None:
        """The items the other way round, into so many cells elsewhere."""
        k, length = f.locals(2)
        f.clear(to, count << 2)
        f.set(length, load(source))
        f.store(to, length)
        with f.until(k >= length):
            f.store(to + ((length - k) << 2), load(source + (k << 2), CELL))
            f.set(k, k + 1)

    def seq_append(self, f: Function, to: Place, source: Place, count: Place, x: Place) -> None:
        """The items into so many cells elsewhere, with x at the end and nowhere else."""
        self._rebuilt(f, to, source, count, x, back=True)

    def seq_prepend(self, f: Function, to: Place, source: Place, count: Place, x: Place) -> None:
        """The same with x at the front."""
        self._rebuilt(f, to, source, count, x, front=True)

    def seq_drop(self, f: Function, to: Place, source: Place, count: Place, x: Place) -> None:
        """The same without x."""
        self._rebuilt(f, to, source, count, x)

    def _rebuilt(
        self, f: Function, to: Place, source: Place, count: Place, x: Place, front: bool = False, back: bool = False
    ) -> None:
        """An x below 0 is nothing, and goes nowhere."""
        k, length, y = f.locals(3)

        def put(item: Value) -> None:
            f.set(length, length + 1)
            f.store(to + (length << 2), item)

        def put_own() -> None:
            with f.when(x >= 0):
                put(x)

        f.clear(to, count << 2)
        if front:
            put_own()
        with f.until(k >= load(source)) as again:
            f.set(k, k + 1)
            f.set(y, _item(source, k))
            f.br_if(again, y == x)
            put(y)
        if back:
            put_own()
        f.store(to, length)

    # -------------------------------------------------------------- chance

    def philox(self, f: Function, number: Place, stream: Place, seed_low: Place, seed_high: Place) -> Value:
        """A number of a stream: ten rounds of Philox; see chance.py."""
        a, b, c, d, k, m = f.locals(6)
        low, high = f.locals(2, "i64")
        for source, to in ((number, a), (stream, b), (seed_low, k), (seed_high, m)):
            f.set(to, source)
        for round_ in range(10):
            f.set(low, a.wide() * 0xD2511F53)
            f.set(high, c.wide() * 0xCD9E8D57)
            f.set(a, high.high() ^ b ^ k)
            f.set(c, low.high() ^ d ^ m)
            f.set(b, high.low())
            f.set(d, low.low())
            if round_ < 9:
                f.set(k, k + 0x9E3779B9)
                f.set(m, m + 0xBB67AE85)
        return a


def _item(items: Value, place: Value) -> Value:
    """What stands at a place from 1 on."""
    return load(items + (place << 2))
