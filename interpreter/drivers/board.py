"""Draws a position: boards where places have coordinates, grids as grids, everything else as short lists; player by player.

In: a program (names, layout, `show:` data) and a `Sight`, which tells what one viewer can see. Out: styled lines, at most as wide
as asked. It knows no game: a field becomes a symbol, a letter or a word by its type and by what `show:` says of it. What the
viewer cannot see is drawn as a count or a question mark; what has its first value is left out, so that a board shows what
happened on it. Nothing here prints, and nothing depends on colour.

`show:` may hold, per table or type: `map: [columns, rows]` with `at: [x, row]` and `width` per row of the table (x from 0, rows
from 1), `only: FUNCTION` for the set of places that are in the game, and per row `zone:` for a zone of the table, or a slot of one, whose
pieces are drawn in that place and nowhere else; per row of any table `symbol`, and `short` for a name that fits where the whole does not;
per field, zone or type: `title`, `symbol`, `colour`, `hide`; per zone `tells`, for which `told` holds what is printed on each piece,
in words. `players` names the seats, `hide` lists fields and zones that are kept off
the board, `first` those that stand before the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal, Protocol

from interpreter.drivers.canvas import Canvas
from interpreter.drivers.layout import (
    Line,
    Piece,
    clip,
    clip_line,
    fold_line,
    fold_name,
    fold_pieces,
    line,
    line_width,
    pad_line,
    width,
)
from interpreter.drivers.row_grid import Cell, Grid, grid_lines
from interpreter.drivers.told_lines import Telling, Word, told_lines
from interpreter.ir.ir_types import BOOL, NO_NUMBER, NOTHING, IntT, SeqT, SetT
from interpreter.ir.program import Domain, PieceType, Program, Var
from interpreter.machine.protocol import State
from interpreter.machine.view import Observation
from interpreter.text.colours import COLOURS

SHAPES: Final = "●▲■◆★"
GRID_ID: Final = re.compile(r"([a-z])(\d{1,2})")
SLANTS: Final = "slanted grids"
REPEATED: Final = 4
ALIKE: Final = 3

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


DEFAULT_COLOURS: Final = ("red", "blue", "yellow", "green", "purple", "cyan")


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


@dataclass(frozen=True, slots=True)
class Place:
    """A box on a map: left edge and width in map units, row from 1."""

    member: int
    x: int
    row: int
    width: int


@dataclass(frozen=True, slots=True)
class Artist:
    """Everything that drawing one position needs."""

    program: Program
    sight: Sight
    marks: tuple[Mark, ...]
    show: Mapping[str, object]

    # -------------------------------------------------------------- values as words
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

    # -------------------------------------------------------------- values as symbols
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

    # -------------------------------------------------------------- maps and grids
    def map_of(self, domain: int) -> tuple[int, list[Place]] | None:
        """Columns of the map and its places, if `show:` gives coordinates to members of this type."""
        ids = self.program.domains[domain].ids
        for entry in self.show.values():
            if not isinstance(entry, dict) or not isinstance(entry.get("map"), list):
                continue
            places = [
                p
                for key, spot in entry.items()
                if key in ids and (p := read_place(ids.index(str(key)), spot)) is not None
            ]
            if places:
                return max([p.x + p.width for p in places]), places
        return None

    def draw_map(self, domain: int, columns: int, places: Sequence[Place], room: int) -> list[Line]:
        """Places as boxes where they lie."""
        across = max(3 * columns, min(8 * columns, room - 1))
        edges = [x * across // max(1, columns) for x in range(columns + 1)]
        texts = {p.member: self._box(domain, p.member, edges[p.x + p.width] - edges[p.x] - 1) for p in places}
        heights: dict[int, int] = {}
        for place in places:
            # Two lines where several places stand side by side, so that the board keeps its shape while things come and go.
            least = 2 if sum(other.row == place.row for other in places) > 1 else 1
            heights[place.row] = max(heights.get(place.row, least), len(texts[place.member]))
        tops: dict[int, int] = {}
        top = 0
        for row in sorted(heights):
            tops[row] = top
            top += heights[row] + 1
        canvas = Canvas()
        for place in places:
            left, right = edges[place.x], edges[place.x + place.width]
            upper, lower = tops[place.row], tops[place.row] + heights[place.row] + 1
            canvas.box(left, upper, right, lower)
            for offset, pieces in enumerate(texts[place.member]):
                canvas.write(left + 1, upper + 1 + offset, pieces)
        zones = [pair for place in places for pair in self.zones_in(domain, place.member)]
        pieces_there = dict.fromkeys(self.program.piece_types[t].domain for t, _ in zones)
        return [*canvas.lines(), *self._ways_apart(domain, room), *self.legend([domain, *pieces_there], room)]

    def _ways_apart(self, domain: int, room: int) -> list[Line]:
        """Ways between places in the game that do not lie side by side on the map, in words."""
        ids = self.program.domains[domain].ids
        entries = [entry for entry in self.show.values() if isinstance(entry, dict) and "ways" in entry]
        ways = [(ids.index(a), ids.index(b), how) for e in entries for a, b, how in e["ways"] if {a, b} <= set(ids)]
        said = [
            f"{self.name(domain, a)} {how} {self.name(domain, b)}"
            for a, b, how in ways
            if not self.is_out(domain, a) and not self.is_out(domain, b)
        ]
        return fold_line(joined_line("also joined: ", said), room) if said else []

    def _box(self, domain: int, member: int, room: int) -> list[Line]:
        out = self.is_out(domain, member)
        style = "dim" if out else "place"
        name = [line((text, style)) for text in self.name_in(domain, member, room)]
        if out:
            return [*name, line((clip("not in play", room), "dim"))]
        pieces = [text for t, z in self.zones_in(domain, member) for text in self._lying(t, z, room)]
        return name + pieces + fold_pieces(self.contents(domain, member), room)

    def _lying(self, t: int, zone: int, room: int) -> list[Line]:
        """The pieces of a zone in a box, each on lines of its own; a dash if there is none."""
        kind = self.program.piece_types[t]
        pieces, more = self.sight.zone(t, zone)
        made: list[Line] = []
        for piece in pieces:
            made += [line(text) for text in self.name_in(kind.domain, piece, room)]
            made += [clip_line(text, room) for text in fold_pieces(self.contents(kind.domain, piece), room)]
        if more != 0:
            made.append(line((clip(face_down(more), room), "dim")))
        return made or [line(("–", "dim"))]

    def lies_there(self, domain: int, member: int) -> list[tuple[Piece, ...]]:
        """The pieces that `show:` draws in a place, by name, and then what lies there else."""
        found: list[tuple[Piece, ...]] = []
        for t, zone in self.zones_in(domain, member):
            pieces, more = self.sight.zone(t, zone)
            found += [self._piece(self.program.piece_types[t], piece) for piece in pieces]
            if more != 0:
                found.append(((face_down(more), "dim"),))
        return found + self.contents(domain, member)

    def draw_grid(self, domain: int, room: int) -> list[Line]:
        """Cells whose ids are a letter for the column and a number for the row, row 1 on top."""
        d = self.program.domains[domain]
        spots = {(int(m.group(2)), m.group(1)): i for i, id_ in enumerate(d.ids) if (m := GRID_ID.fullmatch(id_))}
        rows = sorted({row for row, _ in spots})
        columns = sorted({column for _, column in spots})
        bare = self._holds_marks_alone(domain)
        texts = {spot: self._cell(domain, member, bare) for spot, member in spots.items()}
        wide = min(max([1, *(line_width(t) for t in texts.values())]), max(1, room // (len(columns) + 1) - 1))
        entries = self.entries_of(domain)
        numbered = any(entry.get("numbered") for entry in entries)
        heads = [str(n) for n in range(1, len(columns) + 1)] if numbered else columns
        slants = self.show.get(SLANTS)
        slant = slants.get(d.name, 0) if isinstance(slants, dict) else 0
        step = (wide + 1) / 2  # each row of a slanted grid lies half a cell further on
        ahead = 0 if slant >= 0 else round(step * (len(rows) - 1))
        made = [line(" " * (3 + ahead), (" ".join(c.ljust(wide) for c in heads), "dim"))]
        for n, row in enumerate(rows):
            pieces: list[Piece] = [(" " * (ahead + round(slant * step * n)), ""), (f"{row:2} ", "dim")]
            for column in columns:
                text = texts.get((row, column), ((" ", ""),))
                pieces += [*pad_line(clip_line(text, wide), wide), (" ", "")]
            made.append(tuple(pieces))
        return made

    def _holds_marks_alone(self, domain: int) -> bool:
        """Whether nothing but players' marks can lie on the members of a type, so that a letter is enough."""
        ids = self.program.domains[domain].ids
        fields = [self.program.vars[v] for v in fields_of(self.program, domain)]
        marks = all(self.is_hidden(var) or var.domain == self.program.player_domain for var in fields)
        return marks and not any(self.zones_in(domain, member) for member in range(len(ids)))

    def _cell(self, domain: int, member: int, bare: bool) -> Line:
        pieces: list[Piece] = []
        for content in self.lies_there(domain, member):
            text = tuple((t.lstrip(SHAPES) if bare else t, s) for t, s in content)
            pieces += [(" ", ""), *text] if pieces else [*text]
        return tuple(pieces) or (("·", "dim"),)

    def draw_list(self, domain: int, room: int, drawn: frozenset[int] = frozenset()) -> list[Line]:
        """Things that have no place on a map (those `drawn` have): those on which something lies; with `empty` also the
        others that are in the game."""
        d = self.program.domains[domain]
        entries: list[tuple[Piece, ...]] = []
        empty = [(("–", "dim"),)] if any(entry.get("empty") for entry in self.entries_of(domain)) else []
        for member in range(len(d.ids)):
            if member in drawn:
                continue
            contents = self.lies_there(domain, member) or ([] if self.is_out(domain, member) else empty)
            if contents:
                pieces: list[Piece] = [(f"{self.name(domain, member)} ", "place")]
                for content in contents:
                    pieces += [*content, (" ", "")]
                entries.append(tuple(pieces[:-1]))
        if not entries:
            return []
        wide = max(line_width(e) for e in entries) + 3
        count = max(1, (room - 2 + 3) // wide)
        rows = -(-len(entries) // count)
        made: list[Line] = [line((self.label(d.name), "strong"))]
        for row in range(rows):
            cells = [piece for e in entries[row::rows] for piece in pad_line(e, wide)]
            made.append((("  ", ""), *cells))
        return made

    # -------------------------------------------------------------- zones, players, the table
    def zone_line(
        self, t: int, zones: Sequence[int], label: str
    ) -> tuple[Literal["seen", "backs", "unknown", "empty"], Line]:
        """The pieces of a zone (a row's slots together) by name; hidden ones as a count. And what can be seen of it at all."""
        kind = self.program.piece_types[t]
        seen: list[tuple[Piece, ...]] = []
        unseen = 0
        uncounted = False
        for zone in zones:
            pieces, more = self.sight.zone(t, zone)
            unseen += more or 0
            uncounted = uncounted or more is None
            if kind.zones[zone].kind == "slot" and not pieces and not more:
                seen.append((("–", "dim"),))
            seen += [self._piece(kind, piece) for piece in pieces]
        if uncounted and not seen:
            return "unknown", line((f"{label} face down", "dim"))
        if not seen and not unseen:
            return "empty", line((f"{label} ", "dim"), "empty")
        if not seen:
            return "backs", line((f"{label} {unseen} face down", "dim"))
        joined: list[Piece] = []
        for text, alike in groupby(seen):
            count = len(list(alike))
            once = count >= ALIKE and kind.zones[zones[0]].kind != "slot"
            for said in [(*text, (f" ×{count}", "dim"))] if once else [text] * count:
                joined += [(", ", ""), *said] if joined else [*said]
        if unseen:
            joined.append((f", and {unseen} hidden", "dim"))
        # What alone lies in a zone and is called like it is not said twice, only what lies on it.
        if len(seen) == 1 and joined[0][0] == label and self.carries(kind.domain):
            return "seen", ((label, "dim"), *(joined[1:] or [(" (–)", "dim")]))
        return "seen", ((f"{label} ", "dim"), *joined)

    def _piece(self, kind: PieceType, piece: int) -> tuple[Piece, ...]:
        pieces: list[Piece] = [(self.name(kind.domain, piece), "")]
        contents = [c for c in self.contents(kind.domain, piece) if c]
        if contents:
            pieces.append((" (", "dim"))
            for index, content in enumerate(contents):
                pieces += [(" ", ""), *content] if index else [*content]
            pieces.append((")", "dim"))
        return tuple(pieces)

    def told(self, t: int, name: str) -> Mapping[int, tuple[Word, ...]] | None:
        """What is printed on the pieces of a type, as far as a zone tells it; None if it tells nothing of them."""
        found = self.hint(name, "told")
        rows = (
            found.get(self.program.domains[self.program.piece_types[t].domain].name)
            if isinstance(found, dict)
            else None
        )
        if not isinstance(rows, list):
            return None
        return {piece: tuple(Word(*word) for word in words) for piece, words in enumerate(rows)}

    def told_zone(self, t: int, name: str, zones: Sequence[int], room: int) -> list[Line]:
        """A zone and below it its pieces that can be seen, one to a line with what is printed on them, and how many more there are; one
        piece alone beside it, if it fits. The slots of a row have their numbers or names as soon as one before them is empty."""
        told = self.told(t, name) or {}
        kind = self.program.piece_types[t]
        there = [(zone, *self.sight.zone(t, zone)) for zone in zones]
        filled = [bool(pieces or more) for _, pieces, more in there]
        gaps = kind.zones[zones[0]].kind == "slot" and filled != sorted(filled, reverse=True)
        found: list[Telling] = []
        for zone, pieces, _ in there:
            slot: Line = ((f"{self.slot_name(t, zone)} ", "dim"),) if gaps else ()
            found += [Telling((*slot, *self._piece(kind, piece)), told.get(piece, ())) for piece in pieces]
        alike = [(piece, len(list(group))) for piece, group in groupby(found)]
        made = told_lines([Telling((*p.head, (f" ×{n}", "dim")), p.words) if n > 1 else p for p, n in alike], room)
        unseen = [more for _, _, more in there if more != 0]
        if unseen:
            count = None if None in unseen else sum(more or 0 for more in unseen)
            made.append((("  ", ""), (face_down(count), "dim")))
        label = self.label(name)
        if len(made) == 1 and len(label) + line_width(made[0]) <= room:
            return [((label, "dim"), *made[0])]
        return [line((label, "dim")), *made]

    def slot_name(self, t: int, zone: int) -> str:
        """What a slot of a row is called: its column and row in a grid, else the member that names it, or its number."""
        slot = self.program.piece_types[t].zones[zone]
        if slot.names < 0:
            return str(slot.slot)
        return (
            self.program.domains[slot.names].ids[slot.slot - 1]
            if self.is_row_grid(t, zone)
            else self.name(slot.names, slot.slot - 1)
        )

    def zones(self, owner: int, *, told: bool = False) -> list[tuple[int, str, list[int]]]:
        """Zones of a player (or of the table, -1) that are neither off the board nor drawn in places: piece type, the zone's own word,
        and its zone or slots. With `told` also those drawn in places whose pieces are told."""
        elsewhere = self.zones_in_places()
        found: list[tuple[int, str, list[int]]] = []
        for t, kind in enumerate(self.program.piece_types):
            grouped: dict[str, list[int]] = {}
            for z, zone in enumerate(kind.zones):
                name = zone_name(zone.address)
                drawn = (t, z) in elsewhere and not (told and self.told(t, name))
                if zone.kind != "box" and zone.owner == owner and not drawn:
                    grouped.setdefault(name, []).append(z)
            found += [(t, name, indices) for name, indices in grouped.items() if not self.is_off(name)]
        return sorted(found, key=lambda zone: self.place_of(zone[1]))

    def is_row_grid(self, t: int, zone: int) -> bool:
        """Whether a zone is a slot of a row that lies in columns and rows."""
        names = self.program.piece_types[t].zones[zone].names
        return names >= 0 and is_grid(self.program.domains[names])

    def row_grids(self, owners: Sequence[int], room: int) -> list[Line]:
        """Rows whose slots are named like the cells of a grid, as grids, those of one name together."""
        found: dict[tuple[int, str, str], list[Grid]] = {}
        for owner in owners:
            for t, name, zones in self.zones(owner):
                by_address: dict[str, list[int]] = {}
                for zone in zones:
                    if self.is_row_grid(t, zone):
                        by_address.setdefault(self.program.piece_types[t].zones[zone].address, []).append(zone)
                for address, slots in by_address.items():
                    found.setdefault((t, address, name), []).extend(self._grids(t, owner, slots))
        made: list[Line] = []
        domains = [self.program.piece_types[t].domain for t, _, _ in found]
        for domain, (_, _, name), grids in zip(domains, found, found.values(), strict=True):
            members = range(len(self.program.domains[domain].ids))
            names = (
                max(width(self.name(domain, m)) for m in members),
                max(width(self.short_name(domain, m)) for m in members),
            )
            made += [*([()] if made else []), line((self.label(name), "strong"))]
            made += grid_lines(grids, names, 2 if self.carries(domain) else 1, room)
        return made + (self.legend(list(dict.fromkeys(domains)), room) if made else [])

    def _grids(self, t: int, owner: int, zones: Sequence[int]) -> list[Grid]:
        """The grids of one owner; of things, one for each."""
        kind = self.program.piece_types[t]
        slots = self.program.domains[kind.zones[zones[0]].names].ids
        whole = [
            z
            for z, zone in enumerate(kind.zones)
            if zone.address == kind.zones[zones[0]].address and zone.owner == owner
        ]
        made = []
        for first in range(0, len(whole), len(slots)):
            part = whole[first : first + len(slots)]
            cells = {spot_of(id_): self._card(t, z) for id_, z in zip(slots, part, strict=True) if z in zones}
            if cells:
                made.append(Grid(self._owner(kind.zones[part[0]].address, owner, first // len(slots)), cells))
        return made

    def _owner(self, address: str, owner: int, number: int) -> Line:
        """Whose a zone is; nothing for the table's."""
        if owner >= 0:
            return (*self.marks[owner].pieces(), (f" {self.name(self.program.player_domain, owner)}", "strong"))
        things = [d for d, domain in enumerate(self.program.domains) if domain.name == address.split(".")[-2:][0]]
        return line((self.name(things[0], number), "place")) if things else ()

    def _card(self, t: int, zone: int) -> Cell | None:
        """What lies in a slot."""
        domain = self.program.piece_types[t].domain
        pieces, more = self.sight.zone(t, zone)
        if not pieces:
            return None if more == 0 else Cell("?", "?", style="dim")
        also = [line(self.short_name(domain, piece)) for piece in pieces[1:]]
        on = tuple(content for content in self.contents(domain, pieces[0]) if content)
        return Cell(self.name(domain, pieces[0]), self.short_name(domain, pieces[0]), (*on, *also))

    def zone_lines(self, owner: int, room: int) -> list[Line]:
        """Zones of a player or of the table, each on lines of its own, but several that are empty together, and so several of which
        only the number of pieces is known, or nothing."""
        elsewhere = self.zones_in_places()
        found: list[tuple[str, Literal["seen", "told", "backs", "unknown", "empty"], list[Line]]] = []
        for t, name, zones in self.zones(owner, told=True):
            label = self.label(name)
            listed = [zone for zone in zones if not self.is_row_grid(t, zone) and (t, zone) not in elsewhere]
            if self.told(t, name) is not None and any(self.sight.zone(t, zone)[0] for zone in zones):
                found.append((label, "told", self.told_zone(t, name, zones, room)))
            elif listed:
                kind, text = self.zone_line(t, listed, label)
                found.append((label, kind, [text]))
        made: list[Line] = []
        backs = [text for _, what, (text, *_) in found if what == "backs"]
        unknown = [label for label, what, _ in found if what == "unknown"]
        empty = [label for label, what, _ in found if what == "empty"]
        for _, what, texts in found:
            alone = (what == "backs" and len(backs) == 1) or (what == "unknown" and len(unknown) == 1)
            if what in ("seen", "told") or alone:
                made += [folded for text in texts for folded in fold_line(text, room)]
        if len(backs) > 1:
            made += fold_pieces(backs, room, "   ")
        if len(unknown) > 1:
            made += fold_line(joined_line("face down: ", unknown), room)
        if len(empty) == 1:
            made.append(line((f"{empty[0]} ", "dim"), "empty"))
        elif empty:
            made += fold_line(joined_line("empty: ", empty), room)
        return made

    def player_entries(self, seat: int) -> list[tuple[Piece, ...]]:
        """One player's fields, each with its word."""
        entries: list[tuple[Piece, ...]] = []
        for v in self.in_order(fields_of(self.program, self.program.player_domain, owner="player")):
            var = self.program.vars[v]
            if self.is_hidden(var):
                continue
            label = self.label(field_name(var))
            if len(var.keys) > 1:
                entries.append((((f"{label} ", "dim")), (self._keyed(v, seat) or "none", "")))
                continue
            value = self.sight.value(v, seat)
            if var.domain >= 0 and value in (NOTHING, var.initial[seat]):
                continue
            if var.type == BOOL and value is not None:
                entries += [((label, ""),)] if value else []
                continue
            entries.append(((f"{label} ", "dim"), *self.painted(var, value)))
        return [*entries, *self.formula_entries(self.program.player_domain, seat)]

    def formula_entries(self, of: int, seat: int = -1) -> list[tuple[Piece, ...]]:
        """What functions that `show:` names come to: those of nothing (-1), of a player, or of each member of another type."""
        found: list[tuple[Piece, ...]] = []
        for name, entry in self.show.items():
            formula = entry.get("formula") if isinstance(entry, dict) else None
            if not isinstance(formula, dict) or self.is_off(name):
                continue
            label: Piece = (f"{self.label(name)} ", "dim")
            if formula["of"] == of:
                told = self._told(formula, () if of < 0 else (seat,))
                found += [((label, *told) if told else (label, ("–", "")))] if told is not None else []
            elif of < 0 and formula["of"] != self.program.player_domain:
                found += self._told_of_each(formula, label)
        return found

    def _told_of_each(self, formula: Mapping[str, int], label: Piece) -> list[tuple[Piece, ...]]:
        """A function's values for the members of a type that have one."""
        of = formula["of"]
        pieces: list[Piece] = []
        for member in range(len(self.program.domains[of].ids)):
            told = self._told(formula, (member,))
            if told is None:
                return []
            if told and told != (("0", ""),):
                name = self.name(of, member)
                pieces += [(", ", ""), (f"{name} ", ""), *told] if pieces else [(f"{name} ", ""), *told]
        return [(label, *(pieces or [("–", "")]))]

    def _told(self, formula: Mapping[str, int], args: tuple[int, ...]) -> tuple[Piece, ...] | None:
        """What a function comes to, in words; no words for nothing and false, None if it cannot be told."""
        value = self.sight.result(formula["f"], args)
        domain = formula["domain"]
        if value is None:
            return None
        if formula["set"]:
            members = [m for m in range(value.bit_length()) if value >> m & 1]
            return ((", ".join(self.name(domain, m) for m in members), ""),) if members else ()
        if domain == self.program.player_domain and 0 <= value < len(self.marks):
            return (*self.marks[value].pieces(), (f" {self.name(domain, value)}", ""))
        if domain >= 0:
            return ((self.name(domain, value), ""),) if value >= 0 else ()
        if formula["truth"]:
            return (("yes", ""),) if value else ()
        return ((str(value), ""),) if value != NO_NUMBER else ()

    def _keyed(self, v: int, seat: int) -> str:
        """A field with a key: in the letters of the board where `show:` gives the key symbols, else in names."""
        var = self.program.vars[v]
        inner = self.program.domains[var.keys[1]]
        letters = self.letters(inner)
        drawn = self.has_symbols(var.keys[1])
        found = [(key, self.sight.value(v, e)) for e, key in elements_of(self.program, var, seat, lambda d: d.names)]
        by_name = dict(zip(inner.names, letters, strict=True))
        if drawn:
            return " ".join(
                repeated(by_name.get(key, key), value) if isinstance(value, int) else f"{key}?"
                for key, value in found
                if value != 0
            )
        return ", ".join(f"{self.words(var, value)} {key}" for key, value in found if value != 0)

    def player_lines(self, room: int) -> list[Line]:
        """Each player's fields, below each other where all have the same, and cards."""
        domain = self.program.player_domain
        entries = [self.player_entries(seat) for seat in range(len(self.marks))]
        if len({len(e) for e in entries}) == 1:
            for column in range(len(entries[0])):
                wide = max(line_width(e[column]) for e in entries)
                for e in entries:
                    e[column] = pad_line(e[column], wide)
        names = [self.name(domain, seat) for seat in range(len(self.marks))]
        indent = max(12, *(width(n) + 5 for n in names))
        made: list[Line] = []
        for seat, mark in enumerate(self.marks):
            head = pad_line((*mark.pieces(), (mark.named(names[seat]), "strong")), indent)
            folded = fold_pieces(entries[seat], room - indent, "  ") + self.zone_lines(seat, room - indent) or [()]
            made += [(*head, *folded[0]), *[((" " * indent, ""), *rest) for rest in folded[1:]]]
        return made

    def table_lines(self, room: int) -> list[Line]:
        """Global fields and zones."""
        entries: list[tuple[Piece, ...]] = []
        for v in self.in_order(range(len(self.program.vars))):
            var = self.program.vars[v]
            if var.owner != "table" or self.is_hidden(var) or self._is_where(v):
                continue
            if var.truth:
                entries += self._truths(v)
            elif var.keys:
                shown = [
                    f"{key} {self.words(var, self.sight.value(v, e))}" for e, key in table_elements(self.program, var)
                ]
                entries.append(joined_line(f"{self.label(field_name(var))} ", shown))
            else:
                entries.append(((f"{self.label(field_name(var))} ", "dim"), *self.painted(var, self.sight.value(v, 0))))
        entries += self.formula_entries(-1)
        made = [part for text in fold_pieces(entries, room, "   ") for part in fold_line(text, room)]
        return made + self.zone_lines(-1, room)

    def _truths(self, v: int) -> list[tuple[Piece, ...]]:
        """A truth of the table as its word, and of several those that are true; nothing where none is."""
        var = self.program.vars[v]
        label = self.label(field_name(var))
        if not var.keys:
            value = self.sight.value(v, 0)
            return [((f"{label} ", "dim"), ("?", ""))] if value is None else [((label, ""),)] if value else []
        true = [key for e, key in table_elements(self.program, var) if self.sight.value(v, e)]
        return [((f"{label} ", "dim"), (", ".join(true), ""))] if true else []

    def _is_where(self, v: int) -> bool:
        return any(kind.where == v for kind in self.program.piece_types)


def draw(program: Program, sight: Sight, room: int = 80, *, height: int = 0) -> list[Line]:
    """The whole position: maps and grids, then other things, the table, and the players. Where all that is higher than a screen of a
    known height, maps and grids come last: the end is what can be seen."""
    artist = Artist(program, sight, seat_marks(program), show_data(program))
    boards: list[Line] = []
    lists: list[Line] = []
    for domain in drawn_domains(program):
        found = artist.map_of(domain)
        if found:
            boards += artist.draw_map(domain, *found, room)
            lists += artist.draw_list(domain, room, frozenset(place.member for place in found[1]))
        elif not artist.has_something(domain):
            continue
        elif is_grid(program.domains[domain]):
            boards += artist.draw_grid(domain, room)
        else:
            lists += artist.draw_list(domain, room)
    seats = range(len(artist.marks))
    blocks = [boards, artist.row_grids([-1], room), lists, artist.table_lines(room), artist.row_grids(seats, room)]
    blocks.append(artist.player_lines(room))
    blocks.append(artist.rest_of_legend([text for block in blocks for text in block], room))
    if 0 < height < sum(len(block) + 1 for block in blocks if block):
        blocks = [*blocks[1:], boards]
    made: list[Line] = []
    for block in blocks:
        if block:
            made += [*([()] if made else []), *block]
    return made


def cards_at(program: Program, sight: Sight, decision: str, member: int) -> str:
    """The cards that are drawn in the place that an option of a decision is, by name; empty if it is no such place."""
    domain = next((d.domain for d in program.decisions if d.address == decision and d.kind == "pick"), -1)
    if domain < 0 or not 0 <= member < len(program.domains[domain].ids):
        return ""
    artist = Artist(program, sight, seat_marks(program), show_data(program))
    seen = [
        (program.piece_types[t].domain, piece)
        for t, z in artist.zones_in(domain, member)
        for piece in sight.zone(t, z)[0]
    ]
    return ", ".join(artist.name(*card) for card in seen)


def printed_on(program: Program, sight: Sight, decision: str, member: int) -> tuple[str, tuple[Word, ...]]:
    """Of a piece that an option of a decision is, if it can be seen: the slot in which it lies, where that has a name, and what its zone
    tells of it."""
    domain = next((d.domain for d in program.decisions if d.address == decision and d.kind == "pick"), -1)
    artist = Artist(program, sight, seat_marks(program), show_data(program))
    for t, kind in enumerate(program.piece_types):
        if kind.domain != domain:
            continue
        for z, zone in enumerate(kind.zones):
            if zone.kind != "box" and member in sight.zone(t, z)[0]:
                told = artist.told(t, zone_name(zone.address)) or {}
                return artist.slot_name(t, z) if zone.names >= 0 else "", told.get(member, ())
    return "", ()


def drawn_domains(program: Program) -> list[int]:
    """Types whose members are drawn as places or in lists: neither players nor pieces."""
    others = {program.player_domain, *(kind.domain for kind in program.piece_types)}
    return [domain for domain in range(len(program.domains)) if domain not in others]


def joined_line(label: str, words: Sequence[str]) -> Line:
    """A label and words with commas."""
    return ((label, "dim"), *((f"{word}, ", "") for word in words[:-1]), (words[-1], ""))


def show_data(program: Program) -> Mapping[str, object]:
    """The program's `show:` data; empty if it has none."""
    return {str(k): v for k, v in program.show.items()} if isinstance(program.show, dict) else {}


def is_grid(domain: Domain) -> bool:
    """Whether all ids are a letter and a number, so that they lie in columns and rows."""
    return len(domain.ids) > 1 and all(GRID_ID.fullmatch(i) for i in domain.ids)


def spot_of(id_: str) -> tuple[int, str]:
    """Row and column of an id that is a letter and a number."""
    found = GRID_ID.fullmatch(id_)
    return (int(found.group(2)), found.group(1)) if found else (0, id_)


def row_id(domain: Domain, member: int) -> str:
    """The row that a member was made from: its id without the number of the copy."""
    first = domain.design[member] if domain.design else member
    id_ = domain.ids[member]
    return id_.rpartition("_")[0] if domain.design.count(first) > 1 else id_


def read_place(member: int, spot: object) -> Place | None:
    """Coordinates of one place in `show:`."""
    at = spot.get("at") if isinstance(spot, dict) else None
    if not isinstance(spot, dict) or not isinstance(at, list) or len(at) != 2:
        return None
    x, row, wide = at[0], at[1], spot.get("width", 1)
    if not all(isinstance(n, int) for n in (x, row, wide)):
        return None
    return Place(member, x, row, wide)


def face_down(count: int | None) -> str:
    """Pieces that cannot be seen."""
    return "face down" if count is None else f"{count} face down"


def repeated(symbol: str, value: int) -> str:
    """A symbol so many times; with a number where that would be long."""
    return symbol * value if 0 < value <= REPEATED and len(symbol) == 1 else f"{symbol}{value}"


def field_name(var: Var) -> str:
    """The field's own word, without the type it belongs to."""
    return var.address.rpartition(".")[2]


def zone_name(address: str) -> str:
    """The zone's own word, without owner and slot."""
    words = [w for w in re.split(r"[.\[\]]", address) if w and not w.isdigit()]
    return words[-1] if words else address


def words_of(name: str) -> str:
    """An id as words."""
    return name.replace("_", " ")


def fields_of(program: Program, domain: int, owner: str = "") -> list[int]:
    """Variables whose first key is this domain."""
    wheres = {kind.where for kind in program.piece_types}
    return [
        v
        for v, var in enumerate(program.vars)
        if var.keys and var.keys[0] == domain and v not in wheres and var.owner != "table" and owner in ("", var.owner)
    ]


def elements_of(
    program: Program, var: Var, member: int, labels_of: Callable[[Domain], Sequence[str]]
) -> Iterator[tuple[int, str]]:
    """The elements of a field that belong to one member, with the label of the inner key, if it has one."""
    per = var.count // max(1, len(program.domains[var.keys[0]].ids)) if var.keys else var.count
    per = var.count // program.players if var.owner == "player" else per
    if len(var.keys) < 2:
        yield member, ""
        return
    inner = program.domains[var.keys[1]]
    labels = labels_of(inner)
    for offset in range(per):
        yield member * per + offset, labels[offset] if offset < len(labels) else str(offset + inner.first)


def table_elements(program: Program, var: Var) -> Iterator[tuple[int, str]]:
    """The elements of a keyed field of the table, with the names of its first key."""
    domain = program.domains[var.keys[0]]
    for element in range(min(var.count, 40)):
        yield element, domain.names[element] if element < len(domain.names) else str(element + domain.first)
