"""Checks `show:`: does everything in it belong to something of the game, and do the places of a map lie side by side?

In: a checked model. Out: warnings in a sink; no rule reads `show:`, so a slip there hurts nobody but who looks at the board. What
a symbol looks like on a screen, whether a row number leaves gaps, and whether a zone is drawn twice, is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from interpreter.model.game_model import Domain, Model
from interpreter.model.plurals import same_noun
from interpreter.model.shown_columns import read_column, telling_zones
from interpreter.model.shown_formulas import read_formula, shown_names
from interpreter.model.shown_zones import NotShown, read_zone
from interpreter.syntax.located import Entry, Mapping, Scalar, Sequence
from interpreter.text.colours import COLOURS
from interpreter.text.diagnostic import Related, Sink
from interpreter.text.limits import SPREAD, refuse
from interpreter.text.suggest import nearest

_LISTS = {"hide": "scratch", "first": "coins, hand"}  # lists of fields and zones, with an example each
_FIELD_KEYS = ("title", "symbol", "colour", "hide", "map", "only", "empty", "numbered", "tells")
_PLACE_KEYS = ("at", "width", "zone", "symbol", "short")
_PIECE_KEYS = ("symbol", "short")


@dataclass(frozen=True, slots=True)
class _Spot:
    """A place on a map: columns `left` to before `right`, and a row."""

    entry: Entry
    left: int
    right: int
    row: int


def check_show(model: Model, sink: Sink) -> None:
    """Reports what `show:` says of nothing, and places that cannot be drawn as they stand."""
    show = model.definition.show
    if show is None:
        return
    names = shown_names(model)
    for entry in show.entries:
        name = str(entry.key)
        if name == "players":
            _check_players(model, entry, sink)
            continue
        if name in _LISTS:
            if not isinstance(entry.value, Sequence):
                _tell_unread(entry, f"`{name}` is a list", f"for example `{name}: [{_LISTS[name]}]`", sink)
                continue
            for item in entry.value.items:
                if isinstance(item, Scalar) and item.value not in names:
                    _tell_unknown(sink, item.span.text(), item, names)
            continue
        if name not in names:
            _check_formula(model, entry, {*names, "players", *_LISTS}, sink)
        elif isinstance(entry.value, Mapping):
            _check_entry(model, entry, entry.value, sink)
        else:
            _tell_unread(
                entry, f"of `{name}` the board reads a mapping", f'for example `{name}: {{symbol: "*"}}`', sink
            )


def _check_players(model: Model, entry: Entry, sink: Sink) -> None:
    """As many names as players can be asked; a mod may let more or fewer play."""
    wanted = model.definition.players[1]
    if not isinstance(entry.value, Sequence) or model.definition.merged is not None:
        return
    names = len(entry.value.items)
    if names != wanted:
        missing = wanted - names
        sink.warning(
            "wrong-count",
            entry.key_span if missing > 0 else entry.value.items[wanted].span,
            f"{names} name{'s' * (names != 1)} for {wanted} player{'s' * (wanted != 1)}",
            label=f"{missing} missing" if missing > 0 else "never used",
        )


def _check_formula(model: Model, entry: Entry, known: set[str], sink: Sink) -> None:
    """A name that belongs to no field, zone, type or table may be a function's."""
    if sink.has_errors and str(entry.key) in model.definition.functions:  # then functions may be missing
        return
    found = read_formula(model, str(entry.key))
    if found is None:
        _tell_unknown(sink, str(entry.key), entry, known)
    elif isinstance(found, NotShown):
        sink.warning(found.code, entry.key_span, found.message, label="is not said", help=found.help)
    elif isinstance(entry.value, Mapping):
        for part in entry.value.entries:
            if part.key not in ("title", "hide"):
                help = "known here: `title`, `hide`"
                _tell_unread(part, f"the board reads no `{part.key}` of a function", help, sink)


def _tell_unread(entry: Entry, message: str, help: str, sink: Sink) -> None:
    sink.warning("shows-unread", entry.key_span, message, label="is passed over", help=help)


def _tell_unknown(sink: Sink, name: str, at: Entry | Scalar, known: set[str]) -> None:
    near = nearest(name, known)
    span = at.key_span if isinstance(at, Entry) else at.span
    help = f"did you mean `{near}`?" if near else "name a field, a zone, a type or a table"
    sink.warning("shows-nothing", span, f"nothing on the board is called `{name}`", label="not known", help=help)


def _check_entry(model: Model, entry: Entry, body: Mapping, sink: Sink) -> None:
    """What is said of one field, zone, type or table."""
    domain = _drawn(model, str(entry.key), body)
    ids = _rows(domain) if domain is not None else ()
    row_keys = _PIECE_KEYS if domain is not None and domain.kind in ("piece", "player") else _PLACE_KEYS
    for part in body.entries:
        name = str(part.key)
        if name in ids:
            _check_keys(part, row_keys, sink)
            _check_zone(model, part, sink)
        elif name not in _FIELD_KEYS:
            near = nearest(name, (*_FIELD_KEYS, *ids))
            known = ", ".join(f"`{k}`" for k in _FIELD_KEYS)
            help = f"did you mean `{near}`?" if near else f"known here: {known}" + (" and its rows" if ids else "")
            sink.warning(
                "shows-unread", part.key_span, f"the board reads no `{name}` here", label="is passed over", help=help
            )
        elif name == "only":
            _check_only(model, part, sink)
        elif name == "tells":
            _check_tells(model, str(entry.key), part, sink)
        elif name == "colour" and isinstance(part.value, Scalar) and part.value.value not in COLOURS:
            said = str(part.value.value)
            near = nearest(said, COLOURS)
            sink.warning(
                "no-such-colour", part.value.span, f"there is no colour `{said}`", label="is drawn without colour",
                help=f"did you mean `{near}`?" if near else "known: " + ", ".join(COLOURS),
            )  # fmt: skip
    if domain is not None and body.get("map") is not None:
        _check_map(body, domain, sink)


def _check_only(model: Model, part: Entry, sink: Sink) -> None:
    """`only:` names a function without arguments."""
    if sink.has_errors:  # then functions may be missing
        return
    said = str(part.value.value) if isinstance(part.value, Scalar) else ""
    function = model.functions.get(said)
    if function is None or function.params:
        near = nearest(said, [name for name, f in model.functions.items() if not f.params])
        help = (
            f"did you mean `{near}`?" if near else "name a function that gives the places in the game: `only: in_play`"
        )
        what = f"no function without arguments is called `{said}`" if said else "`only` must name a function"
        sink.warning("shows-nothing", part.value.span, what, label="every place is drawn", help=help)


def _check_tells(model: Model, zone: str, part: Entry, sink: Sink) -> None:
    """`tells:` lists printed columns of what lies in a zone."""
    if sink.has_errors:  # then zones and columns may be missing
        return
    pieces = tuple(dict.fromkeys(symbol.piece for symbol in telling_zones(model, zone)))
    if not pieces:
        what = f"`{zone}` is no zone of the players or of the table"
        _tell_unread(part, what, "`tells` says of a zone what is printed on the pieces there", sink)
        return
    if not isinstance(part.value, Sequence):
        _tell_unread(part, "`tells` is a list", "for example `tells: [cost, points]`", sink)
        return
    for item in part.value.items:
        found = read_column(model, pieces, str(item.value) if isinstance(item, Scalar) else "")
        if isinstance(found, NotShown):
            sink.warning(found.code, item.span, found.message, label="is not told", help=found.help)


def _drawn(model: Model, name: str, body: Mapping) -> Domain | None:
    """The type whose members have entries of their own below a name."""
    owned = [d for d in model.domains if name in d.tables or same_noun(name, d.name)]
    keys = {str(e.key) for e in body.entries}
    return next(iter(owned), None) or next((d for d in model.domains if keys & set(_rows(d))), None)


def _rows(domain: Domain) -> tuple[str, ...]:
    """What a row may be called: members by id, and those with copies also by the id of their row."""
    copied = {domain.design[i] for i, copy in enumerate(domain.copy) if copy > 1}
    return (*dict.fromkeys(domain.ids[i].rpartition("_")[0] for i in sorted(copied)), *domain.ids)


def _check_keys(row: Entry, known: tuple[str, ...], sink: Sink) -> None:
    for part in row.value.entries if isinstance(row.value, Mapping) else ():
        name = str(part.key)
        if name not in known:
            near = nearest(name, known)
            help = f"did you mean `{near}`?" if near else "known here: " + ", ".join(f"`{k}`" for k in known)
            sink.warning(
                "shows-unread", part.key_span, f"the board reads no `{name}` here", label="is passed over", help=help
            )


def _check_zone(model: Model, row: Entry, sink: Sink) -> None:
    """`zone:` names a zone of the table or a slot of one."""
    said = row.value.get("zone") if isinstance(row.value, Mapping) else None
    if said is None or sink.has_errors:  # then zones may be missing
        return
    text = said.value if isinstance(said, Scalar) else None
    found = read_zone(model, text if isinstance(text, str) else "")
    if isinstance(found, NotShown):
        span = said.mapped.span(found.start, found.end) if isinstance(said, Scalar) and found.end else said.span
        sink.warning(found.code, span, found.message, label="nothing is drawn in this place", help=found.help)


# ------------------------------------------------------------------ places
def _check_map(body: Mapping, domain: Domain, sink: Sink) -> None:
    """Places must lie on the map, side by side."""
    size = _numbers(body.get("map"))
    if size and max(size) > SPREAD.most:
        refuse(sink, body.span, SPREAD, max(size))
    placed: list[_Spot] = []
    for row in body.entries:
        if str(row.key) in domain.ids and isinstance(row.value, Mapping):
            if row.value.get("at") is None and row.value.get("width") is None:
                continue  # a symbol alone puts it nowhere
            spot = _spot(row, row.value)
            if spot is not None and max(spot.right, spot.row) > SPREAD.most:
                refuse(sink, row.key_span, SPREAD, max(spot.right, spot.row))
                continue
            if (
                spot is None
                or spot.left < 0
                or spot.row < 1
                or spot.right <= spot.left
                or (size and spot.right > size[0])
            ):
                columns = f"columns 0 to {size[0] - 1}" if size else "columns from 0"
                sink.warning(
                    "off-the-map", row.key_span, f"`{row.key}` does not lie on the map", label="is not where it should be",
                    help=f"the map has {columns} and rows from 1: `{{at: [column, row], width: columns}}`",
                )  # fmt: skip
            if spot is not None:
                placed.append(spot)
    for later, earlier in _overlaps(placed):
        sink.warning(
            "places-overlap", later.entry.key_span,
            f"`{later.entry.key}` is drawn over `{earlier.entry.key}`", label="one hides the other",
            related=(Related(earlier.entry.key_span, f"columns {earlier.left} to {earlier.right - 1} of row {earlier.row}"),),
        )  # fmt: skip


def _overlaps(spots: list[_Spot]) -> Iterator[tuple[_Spot, _Spot]]:
    """Each spot that covers an earlier one, with the first that it covers."""
    for n, later in enumerate(spots):
        for earlier in spots[:n]:
            if later.row == earlier.row and later.left < earlier.right and earlier.left < later.right:
                yield later, earlier
                break


def _spot(row: Entry, body: Mapping) -> _Spot | None:
    at, width = _numbers(body.get("at")), body.get("width")
    wide = 1 if width is None else width.value if isinstance(width, Scalar) else None
    if len(at) != 2 or not isinstance(wide, int):
        return None
    return _Spot(row, at[0], at[0] + wide, at[1])


def _numbers(node: object) -> tuple[int, ...]:
    items = node.items if isinstance(node, Sequence) else ()
    return tuple(i.value for i in items if isinstance(i, Scalar) and isinstance(i.value, int))
