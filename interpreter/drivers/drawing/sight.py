"""What one viewer sees of a position.

In: a program with an observation, and the position where functions are said too. Out: values, zones and results, None where they
are hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from interpreter.ir.program import Program
from interpreter.machine.protocol import State
from interpreter.machine.view import Observation

Value = int | tuple[int, ...]


class Sight(Protocol):
    """What one viewer sees."""

    def value(self, var: int, element: int) -> Value | None:
        """Element of a variable: a number, a set as a bit mask, a sequence; None if it is hidden."""

    def zone(self, piece_type: int, zone: int) -> tuple[tuple[int, ...], int | None]:
        """The pieces that can be seen in a zone, and how many more lie there, None if not even that can be seen."""

    def result(self, f: int, args: tuple[int, ...]) -> int | None:
        """What a function of the program comes to; None if that cannot be told."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The sight of an observation. `state`: the position, for functions that the board says; without it, and while simultaneous play is
    under way, it says none."""

    program: Program
    observation: Observation
    state: State | None = None

    @classmethod
    def of(cls, state: State, viewer: int | None) -> Seen:
        """What a seat sees of a position; None sees all."""
        return cls(state.program, state.observe(viewer), state)

    def result(self, f: int, args: tuple[int, ...]) -> int | None:
        """Of the position as it is."""
        return None if self.state is None or self.state.is_veiled() else self.state.evaluate(f, *args)

    def value(self, var: int, element: int) -> Value | None:
        """As observed."""
        return self.observation.values[var][element]

    def zone(self, piece_type: int, zone: int) -> tuple[tuple[int, ...], int | None]:
        """As observed; a deck, and any pile of the table that is only counted, is a pile of backs, even for somebody who sees all."""
        count = self.observation.counts[piece_type][zone]
        kind = self.program.piece_types[piece_type]
        here = kind.zones[zone]
        if here.kind == "deck" or (here.owner < 0 and here.visibility == "size"):
            return (), count
        places = self.observation.values[kind.where]
        seen = tuple(piece for piece, place in enumerate(places) if place == zone)
        return seen, None if count is None else count - len(seen)
