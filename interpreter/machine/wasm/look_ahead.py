"""Looking ahead: is there a way to complete the compound action, does the order of items matter?

In: a procedure, its frame and an entry, with locals in the buffer. Out: 1 or 0, and everything as it was. The search goes depth first
in option order, on the row itself: levels (undoing.py) take it back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from interpreter.ir.row import EMPTY
from interpreter.ir.steps import REMEMBER, STEPS, TRIES, WITHIN
from interpreter.machine.wasm.assembler import Function, Operand, Place, Value, const, load, select
from interpreter.machine.wasm.encode import Label
from interpreter.machine.wasm.memory import BUDGET
from interpreter.machine.wasm.part import Part, Writer
from interpreter.machine.wasm.questions import WAYS
from interpreter.machine.wasm.statements import DRAWS, FAILED, WAITS
from interpreter.machine.wasm.undoing import BELOW, WAY
from interpreter.machine.wasm.values import CELL

BUCKETS = 4096
MIXED = (-3750763034362895579, 1099511628211, 29), (7046029254386353131, -7046029254386353131, 37)
"""Of the two hashes of a row: where each begins, and what it is multiplied and turned by for every eight bytes (in the way of FNV-1a;
the second constants are 2^64 over the golden ratio, as a negative number too). Each step can be undone, so two rows that differ in one
place never share a hash; together they are 128 bits, as many as the reference machine goes by."""
BEFORE, HASH, SECOND, MET = 0, 8, 16, 24
"""Offsets in what is kept of a row that was met: the one before in the same bucket, the two hashes; and how many bytes that is."""


class LookAhead(Part):
    """Writes the functions."""

    def functions(self) -> Mapping[str, Writer]:
        """See Part."""
        return {"search": self.search, "is_new": self.is_new, "alike": self.alike}

    @contextmanager
    def _set_aside(self, f: Function, size: Value, ending: Operand) -> Iterator[Place]:
        """What look-ahead changes is as before behind it, the row too, whose level is at the address in the local given; `size` is
        that of the top frame. `ending`: whether to stop where nothing can fail any more."""
        own = self.registers
        levels = (own.buckets, own.top, own.kept)
        changed = (own.looking, own.ending, own.listening, own.left, own.arena, own.ceiling, *levels)
        kept = [(place, f.local()) for place in changed]
        for place, local in kept:
            f.set(local, place)
        before = f.local()
        f.set(before, f.call("save_level", size))
        f.set(own.looking, own.looking + 1)
        with f.when(own.looking > WITHIN):
            f.fail(BUDGET)
        f.set(own.ending, ending)
        f.set(own.listening, 0)
        yield before
        f.do("restore_level", before)
        for place, local in kept:
            f.set(place, local)

    def _push_row(self, f: Function, place: Place) -> None:
        """Copy the row behind the arena's end, which moves on; the copy's address into a local."""
        arena = self.registers.arena
        f.set(place, arena)
        f.set(arena, arena + (self.row_bytes + 7) // 8 * 8)
        self.room_left(f)
        f.copy(place, self.memory.row, self.row_bytes)

    # -------------------------------------------------------------- searching

    def search(self, f: Function, p: Place, frame: Place, entry: Place, changes: Place) -> Value:
        """Whether there is a way from here to the end of the compound action. With `changes` a way back to the question where the stack
        now waits counts too if variables differ, and ends there if they do not.

        The trail is a chain of levels, each with the number of the next way to try there."""
        own = self.registers
        at, home_b, home_fp, tries, result, status, last, b, level, original = self.stack(f), *f.locals(9)
        f.set(home_b, self.pc(at))
        f.set(home_fp, self.fp(at))
        with self._set_aside(f, self.size_of(p), changes.is_zero()):
            with f.when(changes):
                self._push_row(f, original)
            f.set(own.buckets, 0)
            with f.block() as done, f.loop() as again:
                f.set(own.left, STEPS)
                f.set(status, f.call("run", p, frame, entry))
                with f.block() as back:
                    with f.block() as found:
                        f.br_if(back, status == FAILED)
                        f.set(b, self.pc(at))
                        # Something can be drawn: luck may complete it.
                        with f.when(status == DRAWS):
                            f.br_if(found, self.question(f, self.tables.listings, b, self.address(self.fp(at))))
                            f.br(back)
                        f.br_if(found, status != WAITS)
                        with f.when(changes), f.when((b == home_b) & (self.fp(at) == home_fp)):
                            self._differs(f, original, found)
                            f.br(back)
                        # Rows met before are not tried again, once some options have been tried.
                        with f.when(tries >= REMEMBER):
                            f.br_if(back, f.call("is_new").is_zero())
                        f.set(last, f.call("save_level", self.size_of(self.proc_of(b))))
                        f.store(last, level, BELOW)
                        f.set(level, last)
                        f.br(back)
                    f.set(result, 1)
                    f.br(done)
                # The next way of the last level that has one.
                with f.loop() as next_level:
                    f.br_if(done, level.is_zero())
                    f.do("restore_level", level)
                    f.set(b, self.pc(at))
                    f.set(frame, self.address(self.fp(at)))
                    ways = self.look_up(self.tables.question, b) + self.tables.ways
                    f.set(status, f.indirect(WAYS, ways, frame, load(level, WAY)))
                    with f.when(status < 0):
                        f.set(own.arena, level)
                        f.set(level, load(level, BELOW))
                        f.br(next_level)
                f.store(level, status + 1, WAY)
                f.set(tries, tries + 1)
                with f.when(tries > TRIES):
                    f.fail(BUDGET)
                f.set(p, self.proc_of(b))
                f.set(entry, self.entry_of(b))
                f.br(again)
        return result

    def _differs(self, f: Function, original: Place, found: Label) -> None:
        """Go to a label if a variable is not as in a copy of the row."""
        k = f.local()
        f.set(k, CELL * self.program.first_var)
        with f.until(k.at_least(CELL * self.program.first_stack)):
            f.br_if(found, load(k, self.memory.row) != load(original + k))
            f.set(k, k + CELL)

    # -------------------------------------------------------------- rows met before

    # They lie at the arena's other end, each as its hashes and the one before with the same bucket: whole rows would fill it. The buckets
    # come first, once there is a row to remember.

    def is_new(self, f: Function) -> Value:
        """Whether the row was not met before in this look-ahead; it is now."""
        own, row = self.registers, self.memory.row
        hashes = f.locals(2, "i64")
        k, at, bucket = f.locals(3)
        with f.when(own.buckets.is_zero()):
            self._sink(f, CELL * BUCKETS)
            f.set(own.buckets, own.ceiling)
            f.clear(own.buckets, CELL * BUCKETS)
        for hash_, (first, _, _) in zip(hashes, MIXED, strict=True):
            f.set(hash_, first)
        with f.loop() as again:
            for hash_, (_, factor, turn) in zip(hashes, MIXED, strict=True):
                f.set(hash_, ((hash_ ^ load(k, row, "i64")) * factor).rotated(turn))
            f.set(k, k + 2 * CELL)
            f.br_if(again, k.below(self.memory.row_bytes))
        f.set(bucket, own.buckets + ((hashes[0].low() & (BUCKETS - 1)) << 2))
        f.set(at, load(bucket))
        with f.until(at.is_zero()):
            with f.block() as differ:
                f.br_if(differ, load(at, HASH, "i64") != hashes[0])
                f.br_if(differ, load(at, SECOND, "i64") != hashes[1])
                f.leave(0)
            f.set(at, load(at, BEFORE))
        self._sink(f, MET)
        f.set(at, own.ceiling)
        f.store(at, load(bucket), BEFORE)
        f.store(at, hashes[0], HASH)
        f.store(at, hashes[1], SECOND)
        f.store(bucket, at)
        return const(1)

    def _sink(self, f: Function, size: int) -> None:
        ceiling = self.registers.ceiling
        f.set(ceiling, ceiling - size)
        self.room_left(f)

    # -------------------------------------------------------------- order

    def alike(self, f: Function, p: Place, frame: Place, size: Place, given: Place, words: Place) -> Value:
        """Whether a procedure, done for each item of a set in turn, comes to the same rising and falling. The frame has `size` bytes; in
        the buffer are `given` bytes of arguments and behind them the set, so many words of 64 members."""
        own, buffer = self.registers, self.memory.buffer
        blob, above, result, falling, k, x, fp, other = f.locals(8)
        word, bit = f.locals(2, "i64")
        f.set(result, 1)
        f.set(above, frame + size)
        # Fewer than two items: nothing to compare.
        with f.loop() as again:
            f.set(x, x + load(given + (k << 3), buffer, "i64").ones().low())
            f.set(k, k + 1)
            f.br_if(again, k < words)
        with f.when(x < 2):
            f.leave(1)
        f.set(fp, self.cell(frame))
        f.do("stack_room", above + self.size_of(p))
        with self._set_aside(f, size, 0) as before:
            # Arguments and set are put by: what runs uses the buffer.
            f.set(blob, own.arena)
            f.set(own.arena, own.arena + given + (words << 3))
            self.room_left(f)
            f.copy(blob, buffer, own.arena - blob)
            with f.block() as done, f.loop() as again:
                # Words and bits from the lowest, or from the highest.
                f.set(k, select(falling.is_zero(), 0, words - 1))
                with f.block() as through, f.loop() as each_word:
                    f.br_if(through, k < 0)
                    f.br_if(through, k >= words)
                    f.set(word, load(blob + given + (k << 3), kind="i64"))
                    with f.until(word.is_zero()):
                        f.set(bit, select(falling.is_zero(), word.zeros_below(), 63 - word.zeros_above()))
                        f.set(word, word ^ (const(1, "i64") << bit))
                        # The arguments, and the item behind them.
                        f.copy(buffer, blob, given)
                        f.store(given, bit.low() + (k << 6), buffer)
                        f.do("touch", above, above + 2 * CELL)
                        f.store(above, EMPTY)
                        f.store(above, fp, CELL)
                        f.set(own.left, STEPS)
                        with f.when(f.call("run", p, above, self.begin_of(p))):
                            f.set(result, 0)
                            f.br(done)
                    f.set(k, k + select(falling.is_zero(), 1, -1))
                    f.br(each_word)
                with f.when(falling.is_zero()):
                    self._push_row(f, other)
                    f.do("restore_level", before)
                    f.set(falling, 1)
                    f.br(again)
                f.set(k, 0)
                with f.loop() as compare:
                    with f.when(load(k, self.memory.row) != load(other + k)):
                        f.set(result, 0)
                        f.br(done)
                    f.set(k, k + CELL)
                    f.br_if(compare, k.below(self.row_bytes))
        return result
