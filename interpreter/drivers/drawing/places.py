"""Maps, grids and lists of places, each with what lies there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from interpreter.drivers.canvas import Canvas
from interpreter.drivers.drawing.marks import SHAPES
from interpreter.drivers.drawing.palette import Palette
from interpreter.drivers.drawing.words import GRID_ID, SLANTS, Place, face_down, fields_of, joined_line, read_place
from interpreter.drivers.layout import Line, Piece, clip, clip_line, fold_line, fold_pieces, line, line_width, pad_line


@dataclass(frozen=True, slots=True)
class Places(Palette):
    """Draws places."""

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
