"""What a player sees of a row.

In: a program, a row, a seat (or None for somebody who sees all). Out: an `Observation`. Who sees an element follows from its
variable's visibility and owner, and from where pieces lie; nothing else decides. Seed, stream counters, frames and hidden
variables are in no observation. What a player saw earlier is in the events shown to them, not here.
"""

from __future__ import annotations

from dataclasses import dataclass

from interpreter.ir.ir_types import IntT, IrType, SeqT, cells
from interpreter.ir.program import Program, Var, Zone
from interpreter.machine.cells import Row, read_value

Value = int | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Observation:
    """`values[v][i]` is element i of variable v (a set as a mask, a sequence as a tuple), None where it is not seen.
    `counts[t][z]` is how many pieces of kind t lie in zone z, None where even that is not seen."""

    player: int | None
    values: tuple[tuple[Value | None, ...], ...]
    counts: tuple[tuple[int | None, ...], ...]


@dataclass(frozen=True, slots=True)
class _Pieces:
    """Of the pieces of one kind: which of them a player sees where they lie, and which of those lie in a zone of the player's."""

    seen: list[bool]
    own: list[bool]


def observe(program: Program, row: Row, player: int | None) -> Observation:
    """What a player sees now."""
    pieces = [_pieces_seen(program, row, t, player) for t in range(len(program.piece_types))]
    where = {kind.where: t for t, kind in enumerate(program.piece_types)}
    values: list[tuple[Value | None, ...]] = []
    for v, var in enumerate(program.vars):
        if v in where:
            values.append(_elements(row, var, pieces[where[v]].seen))
        elif isinstance(var.type, IntT) and not var.hidden and _is_open(var, player):
            values.append(tuple(row[var.base : var.base + var.count]))
        else:
            values.append(_elements(row, var, _seen(program, pieces, var, player)))
    return Observation(player, tuple(values), tuple(_counts(program, row, t, player) for t in range(len(where))))


def _elements(row: Row, var: Var, seen: list[bool]) -> tuple[Value | None, ...]:
    """The elements of a variable, None for those that are not seen."""
    if isinstance(var.type, IntT):
        values = row[var.base : var.base + var.count]
        return tuple(values) if all(seen) else tuple([n if s else None for n, s in zip(values, seen, strict=True)])
    width = cells(var.type)
    return tuple([element(row, var.base + i * width, var.type) if s else None for i, s in enumerate(seen)])


def _is_open(var: Var, player: int | None) -> bool:
    """Whether a player sees every element, wherever pieces lie; most variables are such, and are copied as they stand."""
    return player is None or (var.visibility == "everyone" and var.owner != "piece")


def element(row: Row, cell: int, kind: IrType) -> Value:
    """A value as people and drivers take it."""
    if isinstance(kind, SeqT):
        return tuple(row[cell + 1 : cell + 1 + row[cell]])
    return read_value(row, cell, kind)


def sees_inside(zone: Zone, player: int | None) -> bool:
    """Whether a player sees which pieces lie in a zone."""
    if player is None or zone.visibility == "everyone":
        return True
    return zone.visibility in ("owner", "size") and zone.owner == player


def sees_count(zone: Zone, player: int | None) -> bool:
    """Whether a player sees how many pieces lie in a zone."""
    return zone.visibility == "size" or sees_inside(zone, player)


def _pieces_seen(program: Program, row: Row, t: int, player: int | None) -> _Pieces:
    kind = program.piece_types[t]
    var = program.vars[kind.where]
    inside = [sees_inside(zone, player) for zone in kind.zones]
    own = [inside[z] and zone.owner == player for z, zone in enumerate(kind.zones)]
    lying = row[var.base : var.base + var.count]
    return _Pieces([inside[z] for z in lying], [own[z] for z in lying])


def _counts(program: Program, row: Row, t: int, player: int | None) -> tuple[int | None, ...]:
    kind = program.piece_types[t]
    var = program.vars[kind.where]
    counts = [0] * len(kind.zones)
    for i in range(var.count):
        counts[row[var.base + i]] += 1
    return tuple(n if sees_count(zone, player) else None for n, zone in zip(counts, kind.zones, strict=True))


def _seen(program: Program, pieces: list[_Pieces], var: Var, player: int | None) -> list[bool]:
    """Which elements of an ordinary variable a player sees."""
    if var.hidden:
        return [False] * var.count
    if player is None:
        return [True] * var.count
    free, owned = var.visibility == "everyone", var.visibility in ("owner", "size")
    match var.owner:
        case "piece":
            kind = pieces[var.piece_type]
            shown = kind.seen if free else kind.own if owned else [False] * len(kind.seen)
            each = max(1, var.count // max(1, len(shown)))
            return shown if each == 1 else [s for s in shown for _ in range(each)]
        case "player":
            each = max(1, var.count // program.players)
            return [free or (owned and i // each == player) for i in range(var.count)]
        case _:
            return [free] * var.count
