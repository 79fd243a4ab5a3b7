"""What a definition may ask for at most, in one table.

A definition comes from a stranger: each of these is counted before the work that it would cost is done, and what is more is refused as a
diagnostic that names the count. The limits are far above what any game needs. Time while a game runs has limits of its own (ir/steps.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from interpreter.text.diagnostic import Sink
from interpreter.text.source import Span


@dataclass(frozen=True, slots=True)
class Limit:
    """So many of something at most."""

    most: int
    of: str
    """What is counted, as it stands behind a number."""


# A file and its sentences: what is more has codes of its own.
BYTES: Final = Limit(2_000_000, "bytes in a file")
LEVELS: Final = Limit(64, "levels of YAML within each other")
DIGITS: Final = Limit(9, "digits of a number")
BRACKETS: Final = Limit(40, "brackets open at once")
DEEPENING: Final = Limit(150, "words of one sentence that nest it")
INDENTS: Final = Limit(24, "blocks within each other")
PLAYERS: Final = Limit(16, "players")

# The checked game and its program: `too-large`.
MEMBERS: Final = Limit(2_000, "members of one kind")
VALUES: Final = Limit(50_000, "values of one field")
ZONES: Final = Limit(10_000, "zones for one kind of piece")
PAIRS: Final = Limit(4_096, "pairs watched by one trigger")
STEPS: Final = Limit(4_000, "steps of one graph")
CELLS: Final = Limit(200_000, "cells of state")
NESTING: Final = Limit(200, "parts of functions within each other")
CALLS: Final = Limit(100, "effects that perform one another in a row")
ENTRIES: Final = Limit(6_000_000, "cells of constant tables")
BLOCKS: Final = Limit(10_000, "blocks of code")
SPREAD: Final = Limit(200, "columns or rows of a drawing")

LIMITS: Final = (
    *(BYTES, LEVELS, DIGITS, BRACKETS, DEEPENING, INDENTS, PLAYERS),
    *(MEMBERS, VALUES, ZONES, PAIRS, STEPS, NESTING, CALLS, CELLS, ENTRIES, BLOCKS, SPREAD),
)


class TooLarge(Exception):
    """A limit was passed where no place in the file is known; `found` counts what was there when work stopped."""

    def __init__(self, limit: Limit, found: int) -> None:
        super().__init__(f"{found} {limit.of}")
        self.limit = limit
        self.found = found


def refuse(sink: Sink, span: Span, limit: Limit, found: int, *, at_least: bool = False) -> None:
    """Reports `too-large`. `at_least`: counting stopped there."""
    told = f"{'at least ' if at_least else ''}{found} {limit.of} are more than a game may have"
    sink.error("too-large", span, told, help=f"at most {limit.most}")
