"""Events on their way to the host: numbers in a list that executor.py reads.

An event is its kind, how many arguments it has, and for each how many cells a set has (0: a number) before its cells.
"""

from __future__ import annotations

from collections.abc import Mapping

from interpreter.machine.wasm.assembler import Function, Place, load
from interpreter.machine.wasm.memory import EVENT_END, EVENTS, ROOM
from interpreter.machine.wasm.part import Part, Writer
from interpreter.machine.wasm.values import CELL


class Reports(Part):
    """Writes the functions that add to the list."""

    def functions(self) -> Mapping[str, Writer]:
        """See Part."""
        return {"event": self.event, "event_word": self.event_word, "event_long": self.event_long}

    def event(self, f: Function, kind: Place, args: Place) -> None:
        """An event begins."""
        f.do("event_word", kind)
        f.do("event_word", args)

    def event_word(self, f: Function, word: Place) -> None:
        """One number more."""
        end = f.local()
        f.set(end, load(EVENT_END))
        with f.when(end.above(self.memory.events + EVENTS - CELL)):
            f.fail(ROOM)
        f.store(end, word)
        f.store(EVENT_END, end + CELL)

    def event_long(self, f: Function, word: Place) -> None:
        """Two cells of a set."""
        f.do("event_word", word.low())
        f.do("event_word", word.high())
