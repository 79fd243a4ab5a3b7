"""What stands where in a definition and in its clause list, as records for explanations.

`model/addresses.py` makes them of a definition, `syntax/clause_list.py` of a clause list; drivers read them. Nothing here checks or
runs anything, and no record depends on a player count but for `Picture`, which is drawn for one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from interpreter.text.source import Span


@dataclass(frozen=True, slots=True)
class Citation:
    """A clause's id where a definition names it."""

    clause: str
    span: Span


@dataclass(frozen=True, slots=True)
class Place:
    """An address of a definition: what kind of thing it is, where its name stands, the clauses it cites itself (not through its parts).

    `uses` are the addresses that its rules name. `data` is `stated`, `reconstructed`, `invented` or None, with the `gap`s that were filled.
    `changed` names the patches that changed it, or a part of it, in order, and where they say so; `now` is then what holds, and `was` where
    it stood before. `at_times` are changes that are not in force: who would make them and when, and where that is said."""

    address: str
    kind: str
    span: Span
    cite: tuple[Citation, ...] = ()
    uses: tuple[str, ...] = ()
    data: str | None = None
    gap: tuple[str, ...] = ()
    changed: tuple[tuple[str, Span], ...] = ()
    now: str = ""
    was: Span | None = None
    at_times: tuple[tuple[str, Span], ...] = ()

    def lines(self) -> list[str]:
        """What the file says there: the line of the name and all that is indented below it, without blank lines at the end."""
        source = self.span.source
        row, column = self.span.position()
        own = source.line(row)
        begun = len(own) - len(own.lstrip())
        if column - 1 > begun:
            return [_entry(own[column - 1 :])]
        found = [own]
        while row < len(source.starts):
            row += 1
            text = source.line(row)
            if text.strip() and len(text) - len(text.lstrip()) <= begun:
                break
            found.append(text)
        while len(found) > 1 and (not found[-1].strip() or found[-1].lstrip().startswith("#")):
            found.pop()
        return [text[begun:] for text in found]


@dataclass(frozen=True, slots=True)
class Atlas:
    """All addresses of a definition in the order of the file."""

    game: str
    title: str
    places: tuple[Place, ...]

    def find(self, address: str) -> Place | None:
        """The place of an address."""
        return next((p for p in self.places if p.address == address), None)

    def users(self, address: str) -> tuple[str, ...]:
        """The addresses whose rules name this one; of a whole and its part that both do, the part."""
        found = [p.address for p in self.places if address in p.uses]
        return tuple(a for a in found if not any(other.startswith(f"{a}.") for other in found))

    def citing(self, clause: str) -> Iterator[tuple[Place, Citation]]:
        """Where a clause is cited."""
        for place in self.places:
            for citation in place.cite:
                if citation.clause == clause:
                    yield place, citation


@dataclass(frozen=True, slots=True)
class Clause:
    """An entry of a clause list: a clause of the rulebook in the project's words, a gap in it, or a ruling where it is silent.

    `text` is the clause, what is missing, or the question; `ruling` answers a question. `no_rule` says why a clause needs no rule."""

    id: str
    kind: str
    list: Literal["clause", "gap", "ruling"]
    section: str
    text: str
    ruling: str
    gaps: tuple[str, ...]
    no_rule: str
    span: Span


@dataclass(frozen=True, slots=True)
class Clauses:
    """The clause list of a game, in its order."""

    game: str
    entries: tuple[Clause, ...]

    def find(self, id: str) -> Clause | None:
        """The entry of an id."""
        return next((c for c in self.entries if c.id == id), None)

    @property
    def ids(self) -> frozenset[str]:
        """All ids: clauses, gaps and rulings."""
        return frozenset(c.id for c in self.entries)

    def about(self, id: str) -> tuple[Clause, ...]:
        """Rulings whose words name a clause."""
        return tuple(c for c in self.entries if c.list == "ruling" and c.id != id and id in f"{c.text} {c.ruling}")


@dataclass(frozen=True, slots=True)
class Arc:
    """An edge of a graph between members by index. `condition` is the text of what must hold for it to count, empty if always."""

    start: int
    end: int
    one_way: bool
    condition: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A graph for one number of players: its places by id and name, and its edges. `grid` is rows and columns where it is a grid."""

    name: str
    type: str
    ids: tuple[str, ...]
    names: tuple[str, ...]
    arcs: tuple[Arc, ...]
    grid: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of a definition as its author wrote it: the columns that any row uses, and each row's cells as texts.

    `marks` has for each row what the definition says of its data, `gaps` the gaps that were filled."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    ids: tuple[str, ...]
    names: tuple[str, ...]
    marks: tuple[str, ...]
    gaps: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Guide:
    """What can be shown of a definition without playing it."""

    atlas: Atlas
    graphs: tuple[Picture, ...]
    tables: tuple[Sheet, ...]


def _entry(text: str) -> str:
    """An entry of a mapping in braces, without what stands behind it in its line."""
    depth, quote = 0, ""
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "{[(":
            depth += 1
        elif char in "}])":
            depth -= 1
        if depth < 0 or (depth == 0 and char == "," and not quote):
            return text[:at]
    return text
