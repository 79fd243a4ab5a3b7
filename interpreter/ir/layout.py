"""Where a model's state lies: variables, zones, bounds and first values.

In: a checked model and the expression lowering (for bounds and defaults). Out: `Layout`: variable ids for fields, zone numbers, and
for each number its range by element.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from typing import Literal

from interpreter.ir.evaluate import NotConstant, Value, elements
from interpreter.ir.ir_types import BOOL, NO_NUMBER, NOTHING, IntT, IrType, SeqT, SetT, cells
from interpreter.ir.program import PieceType, Var, Zone
from interpreter.model.dsl_types import Effect, Maybe, Member, Num, OrderOf, SetOf, Truth, Type, ZoneOf
from interpreter.model.game_model import Domain, Model
from interpreter.model.typed import Expr, FieldSym, LocalSym, ZoneSym
from interpreter.text.diagnostic import Related, Sink
from interpreter.text.limits import CELLS, ZONES, refuse
from interpreter.text.source import Span

Constant = Callable[[Expr, dict[LocalSym, Value]], Value]


@dataclass(slots=True)
class Layout:
    """Numbers for symbols. `ranges[v]` are the (low, high) of each element of a variable that holds numbers."""

    vars: list[Var] = field(default_factory=list)
    of_field: dict[FieldSym, int] = field(default_factory=dict)
    where: dict[int, int] = field(default_factory=dict)
    zones: dict[int, list[Zone]] = field(default_factory=dict)
    first_zone: dict[ZoneSym, int] = field(default_factory=dict)
    ranges: dict[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    piece_types: list[PieceType] = field(default_factory=list)

    def hidden(self, address: str, kind: IrType, initial: int, count: int = 1) -> int:
        """A bookkeeping variable."""
        self.vars.append(Var(address, 0, count, kind, (initial,) * count, "nobody", hidden=True))
        return len(self.vars) - 1


def ir_type(model: Model, kind: Type) -> IrType:
    """The machine type of a language type."""
    match kind:
        case Truth():
            return BOOL
        case Num(lo, hi):
            return IntT(max(lo, -(2**31)), min(hi, 2**31 - 1))
        case Member(index):
            return IntT(0, max(0, model.domains[index].size - 1))
        case Maybe(of=Num(_, hi)):
            return IntT(NO_NUMBER, min(hi, 2**31 - 1))
        case Maybe(of=Member(index)):
            return IntT(NOTHING, model.domains[index].size - 1)
        case Effect() | Maybe():
            return IntT(NOTHING, 2**31 - 1)
        case ZoneOf():
            return IntT(0, 10_000)
        case SetOf(of=inner):
            return SetT(model.size_of(inner))
        case OrderOf(of=inner):
            return SeqT(model.size_of(inner))
        case _:
            return IntT(-(2**31), 2**31 - 1)


def key_count(model: Model, key: Type) -> int:
    """How many keys a map has."""
    return key.hi - key.lo + 1 if isinstance(key, Num) else model.size_of(key)


def lay_out(model: Model, constant: Constant, number_domain: Callable[[int], int], sink: Sink) -> Layout:
    """Lays out a model. `constant` evaluates a formula over given locals; `number_domain` gives the id of a domain of numbers that
    begins at one. A bound or default that depends on the state is reported."""
    layout = Layout()
    if not _has_room(model, sink):
        return layout
    for domain in model.domains:
        if domain.kind == "piece":
            _zones(model, layout, domain.index)
    for domain in model.domains:
        if domain.kind == "piece":
            _pieces(model, layout, domain.index, constant, sink)
    for symbol in model.fields.values():
        if not symbol.paid_from:
            _field(model, layout, symbol, constant, number_domain, sink)
    return layout


def _has_room(model: Model, sink: Sink) -> bool:
    """Whether cells and zones are within limits; they are counted before any is made."""
    total = 0
    for symbol in model.fields.values():
        if not symbol.paid_from:
            total += _count(model, symbol) * cells(ir_type(model, symbol.type))
            if total > CELLS.most:
                refuse(sink, symbol.span, CELLS, total, at_least=True)
                return False
    zones: Counter[int] = Counter()
    for zone in model.zones.values():
        owners = 1 if zone.owner is None else model.domains[zone.owner].size
        zones[zone.piece] += owners * max(1, zone.size)
        if zones[zone.piece] > ZONES.most:
            refuse(sink, zone.span, ZONES, zones[zone.piece], at_least=True)
            return False
    return True


def _count(model: Model, symbol: FieldSym) -> int:
    """How many values a field has."""
    keys = prod(key_count(model, key) for key in symbol.keys)
    return keys if symbol.owner is None else keys * model.domains[symbol.owner].size


def _zones(model: Model, layout: Layout, piece: int) -> None:
    zones = [Zone(f"{model.domains[piece].name}.box", "box", -1, 0, "everyone")]
    for symbol in model.zones.values():
        if symbol.piece != piece:
            continue
        layout.first_zone[symbol] = len(zones)
        owners = 1 if symbol.owner is None else model.domains[symbol.owner].size
        for owner in range(owners):
            seat = owner if symbol.owner == 0 else -1
            visibility = symbol.visibility
            if symbol.kind == "row":
                names = symbol.slot_key.domain if isinstance(symbol.slot_key, Member) else -1
                zones += [Zone(symbol.address, "slot", seat, k + 1, visibility, names) for k in range(symbol.size)]
            else:
                zones.append(Zone(symbol.address, symbol.kind, seat, 0, visibility))
    layout.zones[piece] = zones


def _pieces(model: Model, layout: Layout, piece: int, constant: Constant, sink: Sink) -> None:
    domain = model.domains[piece]
    where = [0] * domain.size
    taken: dict[int, tuple[ZoneSym, int]] = {}
    for symbol, default in model.zone_defaults.items():
        if symbol.piece != piece or default is None:
            continue
        local, group = default
        owners = 1 if symbol.owner is None else model.domains[symbol.owner].size
        for owner in range(owners):
            found = _known(constant, group, {local: owner}, symbol.span, sink)
            _in_one_zone(domain, symbol, [i for i in elements(found) if i in taken], taken, sink)
            for k, index in enumerate(elements(found)):
                taken[index] = (symbol, owner)
                slot = owner * symbol.size + k if symbol.kind == "row" else owner
                if symbol.kind == "row" and k >= symbol.size:
                    sink.error("out-of-range", symbol.span, f"the row `{symbol.name}` has only {symbol.size} slots")
                    break
                where[index] = layout.first_zone[symbol] + slot
    zones = layout.zones[piece]
    layout.vars.append(
        Var(
            f"{domain.name}.where",
            0,
            domain.size,
            IntT(0, len(zones) - 1),
            tuple(where),
            "everyone",
            "piece",
            len(layout.piece_types),
            keys=(piece,),
        )
    )
    layout.where[piece] = len(layout.vars) - 1
    layout.piece_types.append(PieceType(piece, layout.where[piece], tuple(zones)))


def _in_one_zone(
    domain: Domain, symbol: ZoneSym, again: list[int], taken: dict[int, tuple[ZoneSym, int]], sink: Sink
) -> None:
    """Reports pieces that begin here and elsewhere, once for all of them."""
    if not again:
        return
    other = taken[again[0]][0]
    more = f" and {len(again) - 1} more begin" if len(again) > 1 else " begins"
    sink.error(
        "piece-in-two-zones",
        symbol.span,
        f"`{domain.ids[again[0]]}`{more} in two zones",
        label="begins here" if other is not symbol else f"begins in this zone of every {_owner_word(symbol)}",
        help="say with `where` which of them begin here",
        related=(Related(other.span, "and here"),) if other is not symbol else (),
    )


def _owner_word(symbol: ZoneSym) -> str:
    return symbol.address.split(".")[-2]


def _known(constant: Constant, node: Expr, env: dict[LocalSym, Value], span: Span, sink: Sink) -> Value:
    try:
        return constant(node, env)
    except NotConstant:
        sink.error(
            "not-constant", span, "this must be known before the game begins, and depends on how the game stands"
        )
        return 0


def _field(
    model: Model, layout: Layout, symbol: FieldSym, constant: Constant, number_domain: Callable[[int], int], sink: Sink
) -> None:
    owners = 1 if symbol.owner is None else model.domains[symbol.owner].size
    keys = 1
    for key in symbol.keys:
        keys *= key_count(model, key)
    kind = ir_type(model, symbol.type)
    bounds = model.bounds.get(symbol)
    initial: list[int | tuple[int, ...]] = []
    ranges: list[tuple[int, int]] = []
    for owner in range(owners):
        env: dict[LocalSym, Value] = {symbol.this: owner} if symbol.this is not None else {}
        low = high = 0
        if bounds is not None and bounds.low is not None and bounds.high is not None:
            found_low, found_high = (
                _known(constant, bounds.low, env, symbol.span, sink),
                _known(constant, bounds.high, env, symbol.span, sink),
            )
            low, high = (
                (found_low, found_high) if isinstance(found_low, int) and isinstance(found_high, int) else (0, 0)
            )
        first: Value = _blank(symbol.type, low)
        if bounds is not None and bounds.default is not None:
            first = _known(constant, bounds.default, env, symbol.span, sink)
        initial += [first] * keys
        ranges += [(low, high)] * keys
    if isinstance(symbol.type, Num):
        kind = IntT(min(r[0] for r in ranges), max(r[1] for r in ranges)) if ranges else kind
        layout.ranges[len(layout.vars)] = tuple(ranges)
    piece_type = -1
    if _owner_kind(model, symbol) == "piece":
        piece_type = next(i for i, p in enumerate(layout.piece_types) if p.domain == symbol.owner)
    inner = symbol.type.of if isinstance(symbol.type, Maybe | SetOf | OrderOf) else symbol.type
    named = inner.domain if isinstance(inner, Member) else -1
    dimensions = (() if symbol.owner is None else (symbol.owner,)) + tuple(
        k.domain if isinstance(k, Member) else number_domain(k.lo if isinstance(k, Num) else 0) for k in symbol.keys
    )
    layout.of_field[symbol] = len(layout.vars)
    layout.vars.append(
        Var(
            symbol.address,
            0,
            owners * keys,
            kind,
            tuple(initial),
            symbol.visibility,
            _owner_kind(model, symbol),
            piece_type,
            False,
            named,
            dimensions,
            symbol.span,
            isinstance(symbol.type, Truth),
        )
    )


def _owner_kind(model: Model, symbol: FieldSym) -> Literal["table", "player", "piece", "thing"]:
    if symbol.owner is None:
        return "table"
    match model.domains[symbol.owner].kind:
        case "player":
            return "player"
        case "piece":
            return "piece"
        case _:
            return "thing"


def _blank(kind: Type, low: int) -> Value:
    match kind:
        case Num():
            return low
        case Maybe(of=Num()):
            return NO_NUMBER
        case Maybe() | Effect():
            return NOTHING
        case OrderOf():
            return ()
        case _:
            return 0
