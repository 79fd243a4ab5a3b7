"""How seats are marked: a shape, a letter and a colour each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from interpreter.drivers.drawing.words import show_data
from interpreter.drivers.layout import Piece
from interpreter.ir.program import Program
from interpreter.text.colours import COLOURS

SHAPES: Final = "●▲■◆★"


@dataclass(frozen=True, slots=True)
class Mark:
    """How a seat is marked: a shape and a letter, never colour alone."""

    shape: str
    letter: str
    style: str

    def pieces(self) -> tuple[Piece, ...]:
        """The mark as text."""
        return ((self.shape + self.letter, self.style),)

    def named(self, name: str) -> str:
        """The name behind the mark; nothing where the letter is all of it."""
        return "" if name == self.letter else f" {name}"


DEFAULT_COLOURS: Final = ("red", "blue", "yellow", "green", "purple", "cyan")


def seat_marks(program: Program) -> tuple[Mark, ...]:
    """A mark for each seat, letters unique, and no symbol of `show:` where the first letter is taken. A seat that acts by script has the
    colour that `show:` gives to the next player."""
    names = program.domains[program.player_domain].ids[: program.players]
    letters = initials(names, symbols_of(show_data(program)))
    colours = list(names)
    listed = show_data(program).get("players")
    for seat in program.scripted:
        if isinstance(listed, list) and seat < len(listed) and names[seat] not in COLOURS:
            colours[seat] = str(listed[seat]).lower()
    styles = [c if c in COLOURS else DEFAULT_COLOURS[i % len(DEFAULT_COLOURS)] for i, c in enumerate(colours)]
    return tuple(Mark(SHAPES[i % len(SHAPES)], letters[i], styles[i]) for i in range(len(names)))


def initials(names: Sequence[str], avoided: Iterable[str] = ()) -> list[str]:
    """One upper-case letter (or digit) each, the first of a name that no earlier name took; behind the first letter rather none that is
    avoided."""
    taken: list[str] = []
    for name in names:
        digits = re.search(r"\d+$", name)
        wanted = (digits.group()[-1] if digits else "") + "".join(c for c in name.upper() if c.isalnum())
        first, rest = wanted[:1], wanted[1:] + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        free = [c for c in (first, *(c for c in rest if c not in avoided), *rest) if c and c not in taken]
        taken.append(free[0] if free else "?")
    return taken


def symbols_of(show: Mapping[str, object]) -> frozenset[str]:
    """The symbols that `show:` gives to fields and to members of types."""
    entries = [e for e in show.values() if isinstance(e, dict)]
    inner = [d for e in entries for d in e.values() if isinstance(d, dict)]
    return frozenset(str(d["symbol"]) for d in (*entries, *inner) if "symbol" in d)
