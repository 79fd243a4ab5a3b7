"""Slots of rows that are surely free when a piece comes to lie there, because the rule has just asked.

In: a model. Out: the statements whose target slot need not be tested again. What has been asked holds until a piece moves, somebody
is asked, or something is performed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from interpreter.model import typed as t
from interpreter.model.game_model import Model
from interpreter.model.walk import blocks_of

Key = tuple[str, object]
Slot = tuple[t.ZoneSym, Key, Key]


def sure_moves(model: Model) -> frozenset[int]:
    """The identities of the statements that put a piece on a slot which is surely free."""
    return frozenset(chain.from_iterable(_sure(body, frozenset(), {}) for body in model.code.values()))


def _sure(
    body: tuple[t.Stmt, ...], free: frozenset[Slot], found: Mapping[t.LocalSym, frozenset[Slot]]
) -> Iterator[int]:
    """Walks a block. `free` are slots known to be free, `found` those that are if a local is not nothing."""
    for stmt in body:
        match stmt:
            case t.LetStmt(symbol=local, value=t.Query(kind="first", binder=binder, where=where)) if where is not None:
                found = {**found, local: frozenset(_free(where, {binder: local}, {}))}
            case t.LetStmt() | t.LogStmt():
                continue
            case t.AddStmt(routed=None) | t.AssignStmt(target=t.FieldRef()):
                continue
            case t.ForEachStmt(where=where, body=inner) if where is not None:
                yield from _sure(inner, frozenset(_free(where, {}, found)), {})
                free, found = frozenset(), {}
            case t.IfStmt(branches=branches, otherwise=otherwise):
                for condition, inner in branches:
                    yield from _sure(inner, free | frozenset(_free(condition, {}, found)), found)
                yield from _sure(otherwise, free, found)
                free, found = frozenset(), {}
            case t.MoveStmt(target=target) | t.DealStmt(target=target):
                if _slot(target, {}) in free:
                    yield id(stmt)
                free, found = frozenset(), {}
            case _:
                for inner in blocks_of(stmt):
                    yield from _sure(inner, frozenset(), {})
                free, found = frozenset(), {}


def _free(
    condition: t.Expr, renamed: Mapping[t.LocalSym, t.LocalSym], found: Mapping[t.LocalSym, frozenset[Slot]]
) -> Iterator[Slot]:
    """The slots that are free where a condition holds."""
    match condition:
        case t.Op(op="and", args=args):
            for arg in args:
                yield from _free(arg, renamed, found)
        case t.Op(op="eq", args=(t.ZoneRef() as zone, t.NothingConst()) | (t.NothingConst(), t.ZoneRef() as zone)):
            slot = _slot(zone, renamed)
            if slot is not None:
                yield slot
        case t.Op(op="ne", args=(t.LocalRef(symbol=local), t.NothingConst())):
            yield from found.get(local, ())


def _slot(zone: t.ZoneRef, renamed: Mapping[t.LocalSym, t.LocalSym]) -> Slot | None:
    """A slot that is told by locals and numbers alone."""
    if zone.symbol is None or zone.symbol.kind != "row" or zone.slot is None:
        return None
    owner, number = _key(zone.owner, renamed), _key(zone.slot, renamed)
    return (zone.symbol, owner, number) if owner and number else None


def _key(node: t.Expr | None, renamed: Mapping[t.LocalSym, t.LocalSym]) -> Key | None:
    match node:
        case None:
            return "table", 0
        case t.Const(value=value):
            return "number", value
        case t.LocalRef(symbol=local):
            return "local", renamed.get(local, local)
        case _:
            return None
