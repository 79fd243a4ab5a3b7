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

from interpreter.drivers.drawing.marks import seat_marks
from interpreter.drivers.drawing.palette import Palette
from interpreter.drivers.drawing.places import Places
from interpreter.drivers.drawing.sheets import Sheets
from interpreter.drivers.drawing.sight import Sight
from interpreter.drivers.drawing.words import drawn_domains, is_grid, show_data, zone_name
from interpreter.drivers.drawing.zones import Zones
from interpreter.drivers.layout import Line
from interpreter.drivers.told_lines import Word
from interpreter.ir.program import Program


def draw(program: Program, sight: Sight, room: int = 80, *, height: int = 0) -> list[Line]:
    """The whole position: maps and grids, then other things, the table, and the players. Where all that is higher than a screen of a
    known height, maps and grids come last: the end is what can be seen."""
    given = (program, sight, seat_marks(program), show_data(program))
    places, sheets = Places(*given), Sheets(*given)
    boards: list[Line] = []
    lists: list[Line] = []
    for domain in drawn_domains(program):
        found = places.map_of(domain)
        if found:
            boards += places.draw_map(domain, *found, room)
            lists += places.draw_list(domain, room, frozenset(place.member for place in found[1]))
        elif not places.has_something(domain):
            continue
        elif is_grid(program.domains[domain]):
            boards += places.draw_grid(domain, room)
        else:
            lists += places.draw_list(domain, room)
    seats = range(len(sheets.marks))
    blocks = [boards, sheets.row_grids([-1], room), lists, sheets.table_lines(room), sheets.row_grids(seats, room)]
    blocks.append(sheets.player_lines(room))
    blocks.append(sheets.rest_of_legend([text for block in blocks for text in block], room))
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
    palette = Palette(program, sight, seat_marks(program), show_data(program))
    seen = [
        (program.piece_types[t].domain, piece)
        for t, z in palette.zones_in(domain, member)
        for piece in sight.zone(t, z)[0]
    ]
    return ", ".join(palette.name(*card) for card in seen)


def printed_on(program: Program, sight: Sight, decision: str, member: int) -> tuple[str, tuple[Word, ...]]:
    """Of a piece that an option of a decision is, if it can be seen: the slot in which it lies, where that has a name, and what its zone
    tells of it."""
    domain = next((d.domain for d in program.decisions if d.address == decision and d.kind == "pick"), -1)
    zones = Zones(program, sight, seat_marks(program), show_data(program))
    for t, kind in enumerate(program.piece_types):
        if kind.domain != domain:
            continue
        for z, zone in enumerate(kind.zones):
            if zone.kind != "box" and member in sight.zone(t, z)[0]:
                told = zones.told(t, zone_name(zone.address)) or {}
                return zones.slot_name(t, z) if zone.names >= 0 else "", told.get(member, ())
    return "", ()
