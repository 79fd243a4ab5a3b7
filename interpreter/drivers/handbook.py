"""What a thing of a game is, in the words of its rules, for somebody who plays: asked by the name that the board or a question uses.

In: the program (names), the game's addresses and its clause list. Out: styled lines, or None where nothing is called so. Whole addresses
and patches are `explain.py`'s; here a name leads to what its row says and does, clause by clause, or line by line without clauses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from interpreter.drivers import explain
from interpreter.drivers.drawing.words import row_id, words_of
from interpreter.drivers.layout import Line, fold_text, line
from interpreter.ir.program import Program
from interpreter.text.places import Atlas, Clauses, Place
from interpreter.text.suggest import nearest


@dataclass(frozen=True)
class Handbook:
    """The names of one game under way, and what its rules say of them. The addresses are made when they are first asked for."""

    program: Program
    addresses: Callable[[], Atlas]
    clauses: Clauses | None
    room: int

    @cached_property
    def atlas(self) -> Atlas:
        """All addresses of the definition."""
        return self.addresses()

    def about(self, name: str) -> list[Line] | None:
        """All that is called so: things, options of choices, a clause, an address."""
        word = folded(name)
        found = list(self._things(word))
        if not found:
            entry = self.clauses.find(name.strip().upper()) if self.clauses is not None else None
            if self.clauses is not None and entry is not None:
                return explain.clause_lines(self.clauses, self.atlas, entry, self.room)
            places = [place for place in map(self.atlas.find, self._labelled(word)) if place is not None]
            found = [self._rule(place) for place in dict.fromkeys(places or self._called(word))]
        if not found:
            return explain.address_lines(self.atlas, self.clauses, name.strip(), self.room)
        return [text for n, lines in enumerate(found) for text in ([line()] * bool(n) + lines)]

    def near(self, name: str) -> str | None:
        """The name that was probably meant."""
        known = {folded(said): said for domain in self.program.domains for said in domain.names}
        found = nearest(folded(name), known)
        return known[found] if found else None

    def _things(self, word: str) -> Iterator[list[Line]]:
        told: set[str] = set()
        for domain in self.program.domains:
            for member, (id_, name) in enumerate(zip(domain.ids, domain.names, strict=True)):
                row = row_id(domain, member)
                if word not in (id_, row, folded(name)):
                    continue
                head = line((name, "strong"), (f"  {words_of(domain.name.rpartition('.')[2])}", "dim"))
                place = next((p for t, _ in domain.tables if (p := self.atlas.find(f"{t}.{row}")) is not None), None)
                lines = self._row(place, head) if place is not None else [head, *self._mentions(id_)]
                key = place.address if place is not None else f"{domain.name} {id_}"
                if key not in told:
                    told.add(key)
                    yield lines

    def _labelled(self, word: str) -> Iterator[str]:
        """The addresses of the routines that offer an option in that word."""
        for decision in self.program.decisions:
            if any(
                word in (label, folded(said)) for label, said in zip(decision.labels, decision.captions, strict=True)
            ):
                yield decision.address.rpartition(".")[0]

    def _called(self, word: str) -> list[Place]:
        """Rules, values and fields of that name."""
        ending = (p for p in self.atlas.places if p.address.rpartition(".")[2] == word and "." in p.address)
        return [p for p in ending if not p.address.startswith(("text.", "show."))]

    def _row(self, place: Place, head: Line) -> list[Line]:
        parts = [p for p in self.atlas.places if p.address.startswith(f"{place.address}.")]
        made = [head, *self._said_there(place)]
        made += self._clauses(c.clause for p in (place, *parts) for c in p.cite)
        for used in dict.fromkeys(use for p in (place, *parts) for use in p.uses if use.startswith("effects.")):
            effect = self.atlas.find(used)
            if effect is not None:
                made += [line(), *self._rule(effect)]
        return made

    def _rule(self, place: Place) -> list[Line]:
        """A routine: its clauses, or its lines where it cites none."""
        head = line((words_of(place.address.rpartition(".")[2]), "strong"), (f"  {place.kind}", "dim"))
        said = self._clauses(c.clause for c in place.cite)
        if said:
            return [head, *said]
        return [head, *self._said_there(place)]

    def _said_there(self, place: Place) -> Iterator[Line]:
        """What the definition says, but for what it says of itself."""
        text = place.now.split("\n") if place.now else place.lines()
        rules = [explain.closed_up(row) for row in text if not row.lstrip().startswith(("cite:", "data:", "gap:"))]
        return (line(row) for row in fold_text("  ", rules, self.room))

    def _mentions(self, id_: str) -> list[Line]:
        """The clauses of the lines that speak of a word that has no row of its own, and of what is called like it."""
        return self._clauses(
            c.clause
            for place in self.atlas.places
            for c in place.cite
            if id_ == place.address.rpartition(".")[2] or id_ in explain.words_in(explain.source_line(c.span))
        )

    def _clauses(self, ids: Iterator[str]) -> list[Line]:
        """Clauses and rulings, each once with its words."""
        if self.clauses is None:
            return []
        return [text for id_ in dict.fromkeys(ids) for text in explain.entry_lines(self.clauses, id_, self.room)]


def folded(name: str) -> str:
    """A name without what may be typed one way or another."""
    return name.strip().casefold().replace(" ", "_").replace("-", "_")
