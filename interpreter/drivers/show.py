"""What can be shown of a game without playing it: its graphs, its tables, and where its data come from.

In: a game's guide (pipeline.py), its clause list, and for pictures its `show:` data. Out: styled lines, or an SVG text. Positions are drawn
by drivers/board.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from interpreter.drivers.drawing.words import Place as Box
from interpreter.drivers.drawing.words import read_place
from interpreter.drivers.layout import Line, fold, line, pad, table, width
from interpreter.drivers.svg import Edge, graph_svg
from interpreter.text.places import Arc, Atlas, Clauses, Guide, Picture, Place, Sheet


# ------------------------------------------------------------------ graphs
def graph_lines(picture: Picture, room: int) -> list[Line]:
    """A graph as a list: each place with those that can be reached from it in one step."""
    count = len(picture.arcs)
    size = f"{picture.grid[0]} by {picture.grid[1]} of {picture.type}" if picture.grid else f"{len(picture.ids)} places"
    made = [line((picture.name, "strong"), (f"  {size}, {count} edges", "dim"))]
    wide = max([width(n) for n in picture.names], default=0) + 2
    for member, name in enumerate(picture.names):
        steps = [step for arc in picture.arcs for step in _steps(picture, arc, member)]
        folded = fold([s + ("," if s is not steps[-1] else "") for s in steps] or ["–"], room - wide, joint=" ")
        made.append(line((pad(name, wide), "place"), folded[0]))
        made += [line(" " * wide + text) for text in folded[1:]]
    if any(arc.one_way for arc in picture.arcs):
        made.append(line(("→ one way only", "dim")))
    return made


def _steps(picture: Picture, arc: Arc, member: int) -> list[str]:
    """Where an edge leads from a place, in words."""
    condition = f" (while {arc.condition})" if arc.condition else ""
    if arc.start == member:
        return [("→ " if arc.one_way else "") + picture.names[arc.end] + condition]
    if arc.end == member and not arc.one_way:
        return [picture.names[arc.start] + condition]
    return []


def picture_svg(title: str, picture: Picture, show: Mapping[str, object]) -> str:
    """A graph as an SVG file; places lie where `show:` puts them."""
    edges = [Edge(arc.start, arc.end, arc.one_way, bool(arc.condition)) for arc in picture.arcs]
    return graph_svg(f"{title}: {picture.name}", picture.ids, picture.names, edges, _boxes(picture, show))


def _boxes(picture: Picture, show: Mapping[str, object]) -> list[Box]:
    for entry in show.values():
        if isinstance(entry, dict) and isinstance(entry.get("map"), list):
            spots = [read_place(picture.ids.index(str(k)), v) for k, v in entry.items() if k in picture.ids]
            found = [s for s in spots if s is not None]
            if found:
                return found
    return []


# ------------------------------------------------------------------ tables
def table_lines(sheet: Sheet, room: int) -> list[Line]:
    """A table: as columns where they fit, else row by row."""
    made = [line((sheet.name.replace("_", " "), "strong"), (f"  {len(sheet.ids)} rows{_origin(sheet)}", "dim"))]
    if not sheet.columns:
        return [*made, *[line("  " + text) for text in fold(sheet.names, room - 2)]]
    head = ["id", "name", *sheet.columns]
    rows = [[id, name, *cells] for id, name, cells in zip(sheet.ids, sheet.names, sheet.rows, strict=True)]
    widths = [max(width(head[c]), *(width(row[c]) for row in rows)) for c in range(len(head))]
    if sum(widths) + 2 * (len(head) - 1) <= room:
        numbers = frozenset(c for c in range(2, len(head)) if all(row[c].isdigit() or not row[c] for row in rows))
        return [*made, *table(head, rows, numbers=numbers)]
    for id, name, cells in zip(sheet.ids, sheet.names, sheet.rows, strict=True):
        made.append(line((name, "place"), (f"  {id}", "dim")))
        plain = [
            f"{column} {cell}" for column, cell in zip(sheet.columns, cells, strict=True) if cell and not _rules(cell)
        ]
        made += [line(text) for text in fold(plain, room, indent="    ")]
        for column, cell in zip(sheet.columns, cells, strict=True):
            if _rules(cell):
                folded = fold(cell.split(), room, indent=" " * (width(column) + 6), joint=" ")
                made.append(line((f"    {column}", "dim"), f": {folded[0].strip()}"))
                made += [line(text) for text in folded[1:]]
    return made


def _rules(cell: str) -> bool:
    """Whether a cell holds rules rather than a value."""
    return " " in cell.replace(", ", ",")


def _origin(sheet: Sheet) -> str:
    marks = set(sheet.marks)
    if marks == {"reconstructed"}:
        return ", reconstructed"
    return ", partly reconstructed" if "reconstructed" in marks else ""


# ------------------------------------------------------------------ data
def data_lines(guide: Guide, clauses: Clauses | None, room: int) -> list[Line]:
    """Which data the rulebook's text gives and which are reconstructed, gap by gap."""
    atlas = guide.atlas
    kept = [p for p in atlas.places if p.kind in ("table", "value")]
    rebuilt = [p for p in kept if p.data == "reconstructed"]
    # A row that says otherwise than its table.
    apart = [p for p in atlas.places if p.kind == "row" and p.data != _table_of(atlas, p).data]
    if not rebuilt and not any(p.data == "reconstructed" for p in apart):
        return [line(f"{atlas.title}: nothing is marked as reconstructed; all data are as the rulebook states them")]
    made = [
        line((f"{atlas.title}: data that the rulebook's text does not give, and what stands in for them", "strong"))
    ]
    for gap in sorted({g for p in (*rebuilt, *apart) for g in p.gap}):
        entry = clauses.find(gap) if clauses is not None else None
        text = fold((entry.text if entry is not None else "").split(), room, indent=" " * (len(gap) + 2), joint=" ")
        made += [line(), line((gap, "code"), f"  {text[0].strip()}" if text else ""), *[line(t) for t in text[1:]]]
        filling = [*rebuilt, *[p for p in apart if p.data == "reconstructed"]]
        made += [
            line("  ", t) for t in fold([_counted(guide, p) for p in filling if gap in p.gap], room - 2, joint=", ")
        ]
    loose = [p for p in rebuilt if not p.gap]
    if loose:
        made += [line(), line(("without a gap's id", "strong"))]
        made += [line("  ", t) for t in fold([_counted(guide, p) for p in loose], room - 2, joint=", ")]
    made += [line(), line(("stated in the rulebook's text", "strong"))]
    stated = [_counted(guide, p) for p in kept if p.data not in ("reconstructed", "invented")]
    stated += [p.address for p in apart if p.data == "stated"]
    made += [line("  ", t) for t in fold(stated or ["nothing"], room - 2, joint=", ")]
    invented = [_counted(guide, p) for p in kept if p.data == "invented"]
    invented += [p.address for p in apart if p.data == "invented"]
    if invented:
        made += [line(), line(("in no rulebook", "strong"))]
        made += [line("  ", t) for t in fold(invented, room - 2, joint=", ")]
    return made


def _table_of(atlas: Atlas, row: Place) -> Place:
    """The table of a row."""
    return atlas.find(row.address.rpartition(".")[0]) or row


def _counted(guide: Guide, place: Place) -> str:
    """An address, for tables with the number of rows that are as the table says."""
    sheet = next((s for s in guide.tables if s.name == place.address), None)
    if sheet is None:
        return place.address
    alike = sum(mark == (place.data or "") for mark in sheet.marks)
    return (
        f"{place.address} ({alike} of {len(sheet.ids)} rows)"
        if alike < len(sheet.ids)
        else f"{place.address} ({_rows(sheet.ids)})"
    )


def _rows(ids: Sequence[str]) -> str:
    return "1 row" if len(ids) == 1 else f"{len(ids)} rows"
