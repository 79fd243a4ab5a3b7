"""Going back while looking ahead, without a copy of the whole row.

Stores to variables are logged: an address and what was there. Undoing goes back to a mark, an address in the log. A level is all that
it takes to go back: the mark, where the stack waits, and a copy of its frames; what lies above them is 0. Levels lie in the
arena; those of one look-ahead are a chain.
"""

from __future__ import annotations

from collections.abc import Mapping

from interpreter.machine.wasm.assembler import Function, Place, Value, const, load
from interpreter.machine.wasm.memory import LOG, ROOM
from interpreter.machine.wasm.part import Part, Writer
from interpreter.machine.wasm.values import CELL

MARK, WAY, BLOCK, FRAME, SIZE, BELOW = range(0, 24, CELL)
"""Offsets in a level: the log's mark, the next way to try, the block and the frame (a cell) where the stack waits, the bytes of its
frames, and the level below in a chain."""
LEVEL = 24
"""Bytes of a level before the copy of its frames."""
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
            "raise_top": self.raise_top,
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

    def raise_top(self, f: Function, end: Place) -> None:
        """Frames may have been written up to an address."""
        top = self.registers.top
        with f.when(end.above(top)):
            f.set(top, end)

    def save_level(self, f: Function, size_above: Place) -> Value:
        """A new level, for a stack whose top frame has so many bytes; its address."""
        at, level, fp, size, base, b = self.stack(f), *f.locals(5)
        arena = self.registers.arena
        f.set(base, self.stack_base())
        f.set(fp, self.fp(at))
        f.set(b, self.pc(at))
        f.set(size, self.address(fp) + size_above - base)
        # Levels begin at multiples of 8.
        f.set(level, arena)
        f.set(arena, (level + (LEVEL + 7) + size) & -8)
        self.room_left(f)
        f.store(level, self.registers.logged, MARK)
        f.store(level, 0, WAY)
        f.store(level, b, BLOCK)
        f.store(level, fp, FRAME)
        f.store(level, size, SIZE)
        self._copy_frames(f, level, LEVEL, base, 0, size)
        f.do("raise_top", base + size)
        return level

    def restore_level(self, f: Function, level: Place) -> None:
        """The row as it was."""
        at, base, size, k = self.stack(f), *f.locals(3)
        top = self.registers.top
        f.do("undo", load(level, MARK))
        self.set_pc(f, at, load(level, BLOCK))
        self.set_fp(f, at, load(level, FRAME))
        f.set(base, self.stack_base())
        f.set(size, load(level, SIZE))
        self._copy_frames(f, base, 0, level, LEVEL, size)
        # What was written above them since.
        f.set(k, base + size)
        with f.until(k.at_least(top)):
            f.store(k, 0)
            f.set(k, k + CELL)
        f.set(top, base + size)

    def _copy_frames(self, f: Function, to: Place, to_offset: int, source: Place, offset: int, size: Place) -> None:
        """Copy a number of bytes that is not large: a loop of its own is faster than memory.copy."""
        k = f.local()
        f.set(k, 0)
        with f.until(k.at_least(size)):
            f.store(to + k, load(source + k, offset), to_offset)
            f.set(k, k + CELL)
