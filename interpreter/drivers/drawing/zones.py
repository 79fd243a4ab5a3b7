"""Zones that lie in no place: hands, decks, markets; as lines, as told lists or as rows of slots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal

from interpreter.drivers.drawing.palette import Palette
from interpreter.drivers.drawing.words import face_down, is_grid, joined_line, spot_of, zone_name
from interpreter.drivers.layout import Line, Piece, fold_line, fold_pieces, line, line_width, width
from interpreter.drivers.row_grid import Cell, Grid, grid_lines
from interpreter.drivers.told_lines import Telling, Word, told_lines

ALIKE: Final = 3
"""So many of one name are counted."""


@dataclass(frozen=True, slots=True)
class Zones(Palette):
    """Draws zones."""

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
