"""Pieces one to a line with what is printed on them.

In: what stands for each piece (its name and what lies on it) and the words of its columns, as `program.show` has them. Out: styled
lines, at most as wide as asked, all of one list in the same form: long words if they fit, else short ones; what is still too long is
folded. Which pieces there are, and what may be seen of them, is decided by who asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from interpreter.drivers.layout import Line, Piece, clip, line_width, pad_line, width

INDENT: Final = "  "
FORMS: Final = ((False, "   "), (False, "  "), (True, "  "))  # short words?, and what stands between them


@dataclass(frozen=True, slots=True)
class Word:
    """A printed value with its title; one of them may be empty."""

    title: str
    long: str
    short: str

    def line(self, short: bool) -> Line:
        """The title, dim, and the value."""
        value = self.short if short else self.long
        title = self.title + (" " if self.title and value else "")
        return ((title, "dim"), (value, ""))


@dataclass(frozen=True, slots=True)
class Telling:
    """A piece: its name with what lies on it, and what is printed on it."""

    head: Line
    words: tuple[Word, ...]


def told_lines(pieces: Sequence[Telling], room: int) -> list[Line]:
    """The pieces, names and words below each other's where that fits."""
    room -= len(INDENT)
    wide = max([line_width(piece.head) for piece in pieces], default=0)
    for short, joint in FORMS:
        made = [_in_a_line(piece, wide, short, joint) for piece in pieces]
        if all(line_width(text) <= room for text in made):
            return [((INDENT, ""), *text) for text in made]
    shortest = [[_in_a_line(piece, wide, *FORMS[-1])] for piece in pieces]
    return [
        ((INDENT, ""), *text)
        for piece, one in zip(pieces, shortest, strict=True)
        for text in (one if line_width(one[0]) <= room else _folded(piece, room))
    ]


def told_beside(options: Sequence[tuple[int, Sequence[Word]]], room: int) -> list[str]:
    """The words of each option of a list in one line, behind so many columns that are taken; empty where they do not fit. They are short as
    soon as one of them must be."""
    taken = [columns + len(INDENT) for columns, _ in options]
    long, short = ([_text(words, short) for _, words in options] for short in (False, True))
    if all(n + width(text) <= room for n, text in zip(taken, long, strict=True)):
        return long
    return [text if n + width(text) <= room else "" for n, text in zip(taken, short, strict=True)]


def _text(words: Sequence[Word], short: bool) -> str:
    return FORMS[-1][1].join("".join(piece for piece, _ in word.line(short)) for word in words)


def _in_a_line(piece: Telling, wide: int, short: bool, joint: str) -> Line:
    if not piece.words:
        return piece.head
    return (*pad_line(piece.head, wide), *(p for word in piece.words for p in ((joint, ""), *word.line(short))))


def _folded(piece: Telling, room: int) -> list[Line]:
    """A piece over several lines; a value is broken only where it is longer than a line."""
    made: list[list[Piece]] = [[]]
    used = 0
    for entry in (piece.head, *(word.line(True) for word in piece.words)):
        joint = "  " if used else ""
        if used + len(joint) + line_width(entry) <= room:
            made[-1] += [(joint, ""), *entry]
            used += len(joint) + line_width(entry)
            continue
        if used:
            made.append([(INDENT, "")])
            used = len(INDENT)
        for text, style in _broken(entry, room - len(INDENT)):
            joint = " " if used > len(INDENT) or (used and len(made) == 1) else ""
            if used and used + len(joint) + width(text) > room:
                made.append([(INDENT, "")])
                used, joint = len(INDENT), ""
            made[-1] += [(joint, ""), (text, style)]
            used += len(joint) + width(text)
    return [tuple(text) for text in made]


def _broken(entry: Line, room: int) -> list[Piece]:
    """The single words of an entry, none longer than a line."""
    return [(clip(word, room), style) for text, style in entry for word in text.split()]
