"""Lines of styled text, before anything is printed: pieces, widths, tables, folding.

In: texts and style names. Out: `Line`s, which terminal.py colours or which are joined as they are. A style is a word
(`strong`, `dim`, `error`, `warning`, `note`, `good`, `seat0`…), never a colour, and never carries a meaning that the text
itself does not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

Piece = tuple[str, str]
Line = tuple[Piece, ...]

# What stands for our symbols where a stream or a reader cannot show them.
ASCII: Final = {
    "●": "=",
    "▲": "^",
    "■": "#",
    "◆": "%",
    "★": "@",
    "·": ".",
    "…": "...",
    "→": "->",
    "–": "-",
    "—": "-",
    "─": "-",
    "│": "|",
    "┌": "+",
    "┐": "+",
    "└": "+",
    "┘": "+",
    "├": "+",
    "┤": "+",
    "┬": "+",
    "┴": "+",
    "┼": "+",
    "━": "=",
    "█": "#",
    "✓": "v",
    "×": "x",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
}  # fmt: skip


def line(*pieces: str | Piece) -> Line:
    """A line of plain and styled pieces."""
    return tuple((p, "") if isinstance(p, str) else p for p in pieces)


def plain(lines: Iterable[Line]) -> str:
    """The text alone, without styles."""
    return "\n".join("".join(text for text, _ in pieces).rstrip() for pieces in lines)


def to_ascii(text: str) -> str:
    """The nearest ASCII spelling: our symbols by table, letters without their accents, the rest as `?`."""
    if text.isascii():
        return text
    spelled = "".join(ASCII.get(c, c) for c in text)
    if spelled.isascii():
        return spelled
    bare = (c for c in unicodedata.normalize("NFKD", spelled) if not unicodedata.combining(c))
    return "".join(c if c.isascii() else "?" for c in bare)


def width(text: str) -> int:
    """Columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text if not unicodedata.combining(c))


def line_width(pieces: Line) -> int:
    """Columns that a line takes."""
    return sum(width(text) for text, _ in pieces)


def pad(text: str, columns: int, *, right: bool = False) -> str:
    """The text filled with blanks to a number of columns."""
    blanks = " " * max(0, columns - width(text))
    return blanks + text if right else text + blanks


def clip(text: str, columns: int) -> str:
    """At most so many columns of it; a cut shows as an ellipsis."""
    if width(text) <= columns:
        return text
    kept = text
    while kept and width(kept) + 1 > columns:
        kept = kept[:-1]
    return kept + "…" if columns > 0 else ""


def pad_line(pieces: Line, columns: int) -> Line:
    """The line filled with blanks to a number of columns."""
    missing = columns - line_width(pieces)
    return (*pieces, (" " * missing, "")) if missing > 0 else pieces


def clip_line(pieces: Line, columns: int) -> Line:
    """At most so many columns of a line."""
    kept: list[Piece] = []
    room = columns
    for text, style in pieces:
        if width(text) > room:
            kept.append((clip(text, room), style))
            break
        kept.append((text, style))
        room -= width(text)
    return tuple(kept)


def fold(words: Sequence[str], columns: int, *, indent: str = "", joint: str = "  ") -> list[str]:
    """Words joined into lines of at most so many columns; a word is never cut."""
    lines: list[str] = []
    current = indent
    for word in words:
        glue = joint if current.strip() else ""
        if current.strip() and width(current) + width(glue) + width(word) > columns:
            lines.append(current)
            current, glue = indent, ""
        current += glue + word
    if current.strip():
        lines.append(current)
    return lines


def fold_text(mark: str, text: Iterable[str], room: int) -> Iterator[str]:
    """Lines behind a mark, with their indents; what is too long goes on below, further in. Empty lines are left out."""
    for row in text:
        inner = len(row) - len(row.lstrip())
        if not row.strip():
            continue
        if width(row) + len(mark) <= room:
            yield mark + row
            continue
        folded = fold(row.split(" ")[inner:], max(20, room), indent=" " * (len(mark) + inner + 4), joint=" ")
        yield mark + " " * inner + folded[0].lstrip()
        yield from folded[1:]


def fold_name(name: str, room: int) -> list[str]:
    """A name over as many lines as it needs; a word is cut only where it is longer than the box."""
    made: list[str] = []
    for word in name.split():
        if made and width(made[-1]) + 1 + width(word) <= room:
            made[-1] += " " + word
        else:
            made.append(word)
    return made


def fold_pieces(entries: Sequence[tuple[Piece, ...]], room: int, joint: str = " ") -> list[Line]:
    """Entries joined into lines of at most so many columns; an entry is not broken."""
    made: list[list[Piece]] = []
    used = 0
    for entry in entries:
        size = line_width(entry)
        if made and used + len(joint) + size <= room:
            made[-1] += [(joint, ""), *entry]
            used += len(joint) + size
        else:
            made.append([*entry])
            used = size
    return [tuple(text) for text in made]


def fold_line(pieces: Line, room: int) -> list[Line]:
    """A long line broken at its commas, continued with an indent."""
    if line_width(pieces) <= room:
        return [pieces]
    made: list[list[Piece]] = [[]]
    used = 0
    entry: list[Piece] = []
    for piece in (*pieces, None):
        if piece is not None:
            entry.append(piece)
            if not piece[0].endswith(", "):
                continue
        size = line_width(tuple(entry))
        if made[-1] and used + size > room:
            made.append([("  ", "")])
            used = 2
        made[-1] += entry
        used += size
        entry = []
    return [tuple(text) for text in made if text]


def wrap_line(pieces: Line, room: int, indent: str = "    ") -> list[Line]:
    """A long line broken between its words, continued with an indent; a word is never cut."""
    if line_width(pieces) <= room:
        return [pieces]
    made: list[list[Piece]] = [[]]
    used = 0
    for text, style in pieces:
        for word in re.findall(r"\s*\S+|\s+", text):
            if used and used + width(word.rstrip()) > room:
                made.append([(indent, "")])
                used, word = len(indent), word.lstrip()
            made[-1].append((word, style))
            used += width(word)
    return [tuple(text) for text in made]


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: frozenset[int] = frozenset()) -> list[Line]:
    """A table without borders; columns in `numbers` are set to the right. Cells are never cut."""
    columns = len(head)
    widths = [max([width(head[c]), *(width(row[c]) for row in rows)]) for c in range(columns)]
    made = [line((_row(head, widths, numbers), "strong"))]
    made += [line(_row(row, widths, numbers)) for row in rows]
    return made


def _row(cells: Sequence[str], widths: Sequence[int], numbers: frozenset[int]) -> str:
    return "  ".join(pad(cell, widths[c], right=c in numbers) for c, cell in enumerate(cells)).rstrip()
