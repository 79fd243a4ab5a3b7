"""Names, symbols and the content of single places: what all parts of a drawn position are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from interpreter.drivers.drawing.marks import Mark, initials
from interpreter.drivers.drawing.sight import Sight, Value
from interpreter.drivers.drawing.words import (
    drawn_domains,
    elements_of,
    face_down,
    field_name,
    fields_of,
    repeated,
    row_id,
    words_of,
    zone_name,
)
from interpreter.drivers.layout import Line, Piece, clip, fold_name, fold_pieces, width
from interpreter.ir.ir_types import NO_NUMBER, NOTHING, IntT, SeqT, SetT
from interpreter.ir.program import Domain, PieceType, Program, Var
from interpreter.text.colours import COLOURS


@dataclass(frozen=True, slots=True)
class Palette:
    """Everything that drawing one position needs."""

    program: Program
    sight: Sight
    marks: tuple[Mark, ...]
    show: Mapping[str, object]

    def name(self, domain: int, member: int) -> str:
        """A member's name for people."""
        d = self.program.domains[domain]
        if "." in d.name and 0 <= member < len(d.ids):
            return words_of(d.ids[member])  # a choice made in place: `ready or spent`
        return d.names[member] if 0 <= member < len(d.names) else str(member)

    def short_name(self, domain: int, member: int) -> str:
        """A member's name where there is little room: what `show:` says of its row, else its name."""
        d = self.program.domains[domain]
        entries = [entry for entry in self.show.values() if isinstance(entry, dict)]
        spots = [entry.get(id_) for id_ in (d.ids[member], row_id(d, member)) for entry in entries]
        said = [spot["short"] for spot in spots if isinstance(spot, dict) and "short" in spot]
        return str(said[0]) if said else self.name(domain, member)

    def name_in(self, domain: int, member: int, room: int) -> list[str]:
        """A member's name over as many lines as it needs in a box; the short one if the whole does not fit in one."""
        name = self.name(domain, member)
        if width(name) > room:
            name = self.short_name(domain, member)
        return [clip(text, room) for text in fold_name(name, room)]

    def words(self, var: Var, value: Value | None) -> str:
        """A value in words."""
        if value is None:
            return "?"
        match var.type:
            case SetT(size):
                assert_int = value if isinstance(value, int) else 0
                members = [
                    self.name(var.domain, m) if var.domain >= 0 else str(m) for m in range(size) if assert_int >> m & 1
                ]
                return ", ".join(members) or "none"
            case SeqT():
                order = value if isinstance(value, tuple) else ()
                return ", ".join(self.name(var.domain, m) for m in order) or "nobody"
            case IntT():
                number = value if isinstance(value, int) else 0
                if number == NO_NUMBER or (number == NOTHING and var.domain >= 0):
                    return "–"
                if var.domain < 0:
                    return str(number)
                return self.name(var.domain, number)

    def painted(self, var: Var, value: Value | None) -> tuple[Piece, ...]:
        """A value in words; players with their marks."""
        if var.domain != self.program.player_domain or isinstance(var.type, SetT) or value is None:
            return ((self.words(var, value), ""),)
        seats = value if isinstance(value, tuple) else (value,)
        if not seats or any(not 0 <= seat < len(self.marks) for seat in seats):
            return ((self.words(var, value), ""),)
        made: list[Piece] = []
        for seat in seats:
            made += [
                *([("  ", "")] if made else []),
                *self.marks[seat].pieces(),
                (f" {self.name(var.domain, seat)}", ""),
            ]
        return tuple(made)

    def hint(self, name: str, key: str) -> object:
        """What `show:` says of a field."""
        entry = self.show.get(name)
        return entry.get(key) if isinstance(entry, dict) else None

    def label(self, name: str) -> str:
        """What a field, zone or type is called on the board: `title` in `show:`, else its own word."""
        return str(self.hint(name, "title") or words_of(name))

    def symbol(self, name: str) -> str:
        """The symbol of a field, if `show:` gives one."""
        found = self.hint(name, "symbol")
        return str(found) if found is not None else ""

    def letters(self, domain: Domain) -> list[str]:
        """A symbol for each member: what `show:` gives it, else its initial."""
        made = initials(domain.ids)
        for entry in self.show.values():
            for i, id_ in enumerate(domain.ids):
                drawn = entry.get(id_) if isinstance(entry, dict) else None
                if isinstance(drawn, dict) and "symbol" in drawn:
                    made[i] = str(drawn["symbol"])
        return made

    def is_hidden(self, var: Var) -> bool:
        """Fields that are nobody's business, and those the author keeps off the board."""
        return var.hidden or self.is_off(field_name(var))

    def is_off(self, name: str) -> bool:
        """Whether the author keeps a field or zone off the board."""
        hide = self.show.get("hide")
        return (isinstance(hide, list) and name in hide) or bool(self.hint(name, "hide"))

    def place_of(self, name: str) -> int:
        """Where a field or zone stands among the others: what `first` lists before the rest, which stay as they are."""
        first = self.show.get("first")
        named = first if isinstance(first, list) else []
        return named.index(name) if name in named else len(named)

    def in_order(self, vars_: Iterable[int]) -> list[int]:
        """Fields in the order in which they are drawn."""
        return sorted(vars_, key=lambda v: self.place_of(field_name(self.program.vars[v])))

    def entries_of(self, domain: int) -> list[Mapping[str, object]]:
        """What `show:` says of a type: below its name, a table's, or the ids of its members."""
        d = self.program.domains[domain]
        names = {d.name, *(name for name, _ in d.tables)}
        entries = [(name, entry) for name, entry in self.show.items() if isinstance(entry, dict)]
        return [entry for name, entry in entries if name in names or any(key in d.ids for key in entry)]

    def is_out(self, domain: int, member: int) -> bool:
        """Whether a place is out of the game, as `only:` says."""
        ids = self.program.domains[domain].ids
        for entry in self.entries_of(domain):
            inside = entry.get("only_ids")
            if isinstance(inside, list) and set(inside) <= set(ids):
                return ids[member] not in inside
            formula = entry.get("inside")
            if isinstance(formula, dict) and formula["set"] and formula["of"] < 0 and formula["domain"] == domain:
                mask = self.sight.result(formula["f"], ())
                return mask is not None and not mask >> member & 1
        return False

    def zones_in(self, domain: int, member: int) -> list[tuple[int, int]]:
        """The zones that `show:` draws in a place, as piece type and zone."""
        id_ = self.program.domains[domain].ids[member]
        spots = [entry.get(id_) for entry in self.show.values() if isinstance(entry, dict)]
        found = [(t, z) for spot in spots if isinstance(spot, dict) for t, z in spot.get("zones", ())]
        return [(t, z) for t, z in found if not self.is_off(zone_name(self.program.piece_types[t].zones[z].address))]

    def zones_in_places(self) -> frozenset[tuple[int, int]]:
        """All zones that are drawn in places that are in the game."""
        return frozenset(
            pair
            for domain in drawn_domains(self.program)
            for member in range(len(self.program.domains[domain].ids))
            if not self.is_out(domain, member)
            for pair in self.zones_in(domain, member)
        )

    def carries(self, domain: int) -> bool:
        """Whether something of a type may have anything on it that is drawn."""
        return any(not self.is_hidden(self.program.vars[v]) for v in fields_of(self.program, domain))

    def has_something(self, domain: int) -> bool:
        """Whether anything can lie on the members of a type: a field, or a zone that `show:` draws there."""
        ids = self.program.domains[domain].ids
        return bool(fields_of(self.program, domain)) or any(self.zones_in(domain, m) for m in range(len(ids)))

    def short(self, v: int, element: int, member_key: str = "") -> list[tuple[Piece, ...]]:
        """A field of a thing in a few characters; nothing where it has its first value or none."""
        var = self.program.vars[v]
        value = self.sight.value(v, element)
        name = field_name(var)
        if value is None:
            return [((f"{member_key or name[:1]}?", "dim"),)]
        if isinstance(value, tuple) or isinstance(var.type, SetT):
            return [] if value == var.initial[element] else [((f"{name} {self.words(var, value)}", ""),)]
        if var.domain == self.program.player_domain:
            return [self.marks[value].pieces()] if 0 <= value < len(self.marks) else []
        if var.domain >= 0:
            return [] if value == var.initial[element] else [((self._flag(var, name, value), ""),)]
        return self._amount(name, member_key, value)

    def _flag(self, var: Var, name: str, value: int) -> str:
        ids = self.program.domains[var.domain].ids
        return name if set(ids) == {"true", "false"} else self.short_name(var.domain, value)

    def _amount(self, name: str, member_key: str, value: int) -> list[tuple[Piece, ...]]:
        if value == 0 or value == NO_NUMBER:
            return []
        symbol = member_key or self.symbol(name)
        colour = self.hint(name, "colour")
        style = str(colour) if colour in COLOURS else ""
        if symbol and (not member_key or member_key in self.symbols()):
            return [((repeated(symbol, value), style),)]
        return [((f"{symbol or name[:1]}{value}", style),)]

    def symbols(self) -> frozenset[str]:
        """The symbols that `show:` gives to members of types."""
        entries = [e for e in self.show.values() if isinstance(e, dict)]
        return frozenset(str(d["symbol"]) for e in entries for d in e.values() if isinstance(d, dict) and "symbol" in d)

    def contents(self, domain: int, member: int) -> list[tuple[Piece, ...]]:
        """All that lies on a thing, as short pieces."""
        found: list[tuple[Piece, ...]] = []
        for v in fields_of(self.program, domain):
            var = self.program.vars[v]
            if self.is_hidden(var):
                continue
            for element, key in elements_of(self.program, var, member, self.letters):
                found += self.short(v, element, key)
        return found

    def legend(self, domains: Sequence[int], room: int) -> list[Line]:
        """What the symbols of the fields of some types mean, each said once, and of players if a field holds one."""
        said: list[tuple[Piece, ...]] = []
        owned = False
        for v in [v for domain in domains for v in fields_of(self.program, domain)]:
            var = self.program.vars[v]
            name = field_name(var)
            if self.is_hidden(var):
                continue
            if var.domain == self.program.player_domain and isinstance(var.type, IntT):
                owned = True
            elif len(var.keys) > 1:
                said += self._letters_of(var.keys[1])
            elif var.domain < 0 and isinstance(var.type, IntT):
                said.append(((f"{self.symbol(name) or name[:1]} {self.label(name)}", "dim"),))
        if owned:
            names = [self.name(self.program.player_domain, seat) for seat in range(len(self.marks))]
            said += [(*mark.pieces(), (f" {name}", "dim")) for mark, name in zip(self.marks, names, strict=True)]
        return fold_pieces(list(dict.fromkeys(said)), room, "   ")

    def _letters_of(self, domain: int) -> list[tuple[Piece, ...]]:
        """What the letters of the members of a type mean."""
        d = self.program.domains[domain]
        lettered = enumerate(zip(self.letters(d), d.names, strict=True))
        return [((f"{letter} {title}", "dim"),) for n, (letter, title) in lettered if self._occurs(domain, n)]

    def _occurs(self, domain: int, member: int) -> bool:
        """Whether any is to be seen of a key of fields; where pieces tell what is printed on them, whatever might be."""
        if any("told" in entry for entry in self.show.values() if isinstance(entry, dict)):
            return True
        for v, var in enumerate(self.program.vars):
            if len(var.keys) > 1 and var.keys[1] == domain and not self.is_hidden(var):
                inner = len(self.program.domains[domain].ids)
                if any(self.sight.value(v, element) != 0 for element in range(member, var.count, inner)):
                    return True
        return False

    def rest_of_legend(self, drawn: Sequence[Line], room: int) -> list[Line]:
        """What the symbols that `show:` gives to keys of fields mean, as far as no legend among what is drawn says so."""
        told = {piece for text in drawn for piece in text}
        keyed = [var for var in self.program.vars if len(var.keys) > 1 and not self.is_hidden(var)]
        inner = [key for key in dict.fromkeys(var.keys[1] for var in keyed) if self.has_symbols(key)]
        said = [entry for key in inner for entry in self._letters_of(key) if entry[0] not in told]
        return fold_pieces(said, room, "   ")

    def has_symbols(self, domain: int) -> bool:
        """Whether `show:` gives every member of a type a symbol."""
        return set(self.letters(self.program.domains[domain])) <= self.symbols()

    def lies_there(self, domain: int, member: int) -> list[tuple[Piece, ...]]:
        """The pieces that `show:` draws in a place, by name, and then what lies there else."""
        found: list[tuple[Piece, ...]] = []
        for t, zone in self.zones_in(domain, member):
            pieces, more = self.sight.zone(t, zone)
            found += [self._piece(self.program.piece_types[t], piece) for piece in pieces]
            if more != 0:
                found.append(((face_down(more), "dim"),))
        return found + self.contents(domain, member)

    def _piece(self, kind: PieceType, piece: int) -> tuple[Piece, ...]:
        pieces: list[Piece] = [(self.name(kind.domain, piece), "")]
        contents = [c for c in self.contents(kind.domain, piece) if c]
        if contents:
            pieces.append((" (", "dim"))
            for index, content in enumerate(contents):
                pieces += [(" ", ""), *content] if index else [*content]
            pieces.append((")", "dim"))
        return tuple(pieces)
