"""Source texts and the places in them.

In: the text of a file. Out: `Source`, `Span` (offsets into one source) and `MappedText` (a text taken out of a source, such as
rules inside YAML, which knows for each of its characters where that character stands in the file).
Offsets count characters from 0; lines and columns, made on demand for people, count from 1.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """One text with a name for people. `origin` says which layer brought it: `base`, a mod's id, or `command line`."""

    name: str
    text: str = field(repr=False)
    origin: str = "base"
    starts: tuple[int, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        starts = [0]
        for index, char in enumerate(self.text):
            if char == "\n":
                starts.append(index + 1)
        object.__setattr__(self, "starts", tuple(starts))

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1, of a character offset."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of line `number` (from 1), without its line break; empty past the end."""
        if not 1 <= number <= len(self.starts):
            return ""
        end = self.starts[number] - 1 if number < len(self.starts) else len(self.text)
        return self.text[self.starts[number - 1] : end].rstrip("\r")


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` (inclusive) to `end` (exclusive) of a source."""

    source: Source
    start: int
    end: int

    def position(self) -> tuple[int, int]:
        """Line and column, from 1, where the span begins."""
        return self.source.position(self.start)

    def end_position(self) -> tuple[int, int]:
        """Line and column, from 1, just behind the span."""
        return self.source.position(self.end)

    def text(self) -> str:
        """What stands there."""
        return self.source.text[self.start : self.end]

    def to(self, other: Span) -> Span:
        """From the beginning of this span to the end of `other`, if both lie in one source; else this span."""
        if other.source is not self.source:
            return self
        return Span(self.source, min(self.start, other.start), max(self.end, other.end))


@dataclass(frozen=True, slots=True, eq=False)
class MappedText:
    """A text with the file offset of each of its characters, and one more for its end.

    `len(offsets) == len(text) + 1`; offsets never fall.
    """

    text: str
    source: Source
    offsets: tuple[int, ...]

    def span(self, start: int, end: int) -> Span:
        """The file span of characters `start` to `end` of the text."""
        start = max(0, min(start, len(self.text)))
        end = max(start, min(end, len(self.text)))
        first = self.offsets[start]
        last = self.offsets[end - 1] + 1 if end > start else first
        return Span(self.source, first, max(first, last))


NOWHERE = Source("<nowhere>", "")


def nowhere() -> Span:
    """A span for things that no file declares."""
    return Span(NOWHERE, 0, 0)
