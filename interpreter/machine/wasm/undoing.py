"""Going back while looking ahead, without a copy of the row.

What is written over is logged: an address and what was there. Undoing goes back to a mark, an address in the log. A level is all
that it takes to go back: the mark, where the stack waits, and where its frames end; what lies above them is 0, and need not be logged.
Levels lie in the arena; those of one look-ahead are a chain.
"""

from __future__ import annotations

from collections.abc import Mapping

from interpreter.machine.wasm.assembler import Function, Place, Value, const, load
from interpreter.machine.wasm.memory import LOG, ROOM
from interpreter.machine.wasm.part import Part, Writer
from interpreter.machine.wasm.values import CELL

MARK, WAY, BLOCK, FRAME, END, BELOW = range(0, 24, CELL)
"""Offsets in a level: the log's mark, the next way to try, the block and the frame (a cell) where the stack waits, the address where its
frames end, and the level below in a chain."""
LEVEL = 24
"""Bytes of a level."""
ENTRY = 2 * CELL
"""Bytes of an entry in the log."""


class Undoing(Part):
    """Writes the functions."""

    def functions(self) -> Mapping[str, Writer]:
        """See Part."""
        return {
            "log": self.log,
            "log_range": self.log_range,
            "undo": self.undo,
            "forget": self.forget,
            "touch": self.touch,
            "save_level": self.save_level,
            "restore_level": self.restore_level,
        }

    # -------------------------------------------------------------- the log

    def log(self, f: Function, cell: Place) -> None:
        """Log what is at the address of a cell."""
        at = f.local()
        logged = self.registers.logged
        f.set(at, logged)
        with f.when(at.above(self.memory.log + LOG - ENTRY)):
            f.fail(ROOM)
        f.store(at, cell)
        f.store(at, load(cell), CELL)
        f.set(logged, at + ENTRY)

    def log_range(self, f: Function, at: Place, size: Place) -> None:
        """Log so many bytes from an address on."""
        f.set(size, at + size)
        with f.until(at.at_least(size)):
            f.do("log", at)
            f.set(at, at + CELL)

    def undo(self, f: Function, mark: Place) -> None:
        """Go back to a mark, the last entry first."""
        at = f.local()
        logged = self.registers.logged
        f.set(at, logged)
        with f.until(at.at_most(mark)):
            f.set(at, at - ENTRY)
            f.store(load(at), load(at, CELL))
        f.set(logged, mark)

    def forget(self, f: Function, known: Place) -> None:
        """Nothing is remembered any more of the function whose word is at an address."""
        with f.when(load(known, kind="i64").is_zero()):
            f.leave()
        with f.when(self.registers.looking):
            f.do("log_range", known, 2 * CELL)
        f.store(known, const(0, "i64"))

    # -------------------------------------------------------------- levels

    def touch(self, f: Function, start: Place, end: Place) -> None:
        """Frames are about to be written between two addresses: what the last level has to keep is logged."""
        top, kept = self.registers.top, self.registers.kept
        with f.when(end.above(top)):
            f.set(top, end)
        with f.when(start.below(kept)):
            with f.when(end.above(kept)):
                f.set(end, kept)
            f.do("log_range", start, end - start)

    def save_level(self, f: Function, size_above: Place) -> Value:
        """A new level, for a stack whose top frame has so many bytes; its address."""
        at, level, fp, end = self.stack(f), *f.locals(3)
        own = self.registers
        f.set(fp, self.fp(at))
        f.set(level, own.arena)
        f.set(own.arena, level + LEVEL)
        self.room_left(f)
        f.store(level, own.logged, MARK)
        f.store(level, 0, WAY)
        f.store(level, self.pc(at), BLOCK)
        f.store(level, fp, FRAME)
        # What a level below has to keep is kept here too.
        f.set(end, self.address(fp) + size_above)
        with f.when(end.above(own.kept)):
            f.set(own.kept, end)
        f.store(level, own.kept, END)
        with f.when(own.kept.above(own.top)):
            f.set(own.top, own.kept)
        return level

    def restore_level(self, f: Function, level: Place) -> None:
        """The row as it was."""
        at, k = self.stack(f), f.local()
        own = self.registers
        f.do("undo", load(level, MARK))
        self.set_pc(f, at, load(level, BLOCK))
        self.set_fp(f, at, load(level, FRAME))
        f.set(own.kept, load(level, END))
        # What was written above them since.
        f.set(k, own.kept)
        with f.until(k.at_least(own.top)):
            f.store(k, 0)
            f.set(k, k + CELL)
        f.set(own.top, own.kept)
