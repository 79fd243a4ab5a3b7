"""Zones that `show:` draws in a place: a whole zone of the table (`pool`), or one slot of a row (`stall[1]`, `stall[left]`).

In: a checked model and what stands behind `zone:`. Out: the zone and which of its slots, or what is wrong, in the words of a finding.
The check of `show:` reports it; the lowering passes over what is wrong. Zones of players and of things have no single place and are
not drawn in one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from interpreter.model.dsl_types import Member
from interpreter.model.game_model import Model
from interpreter.model.typed import ZoneSym
from interpreter.text.suggest import nearest

_SPELLING: Final = re.compile(r"\s*(?P<zone>\w+)\s*(?:\[\s*(?P<slot>\w+)\s*\]\s*)?")
_NAMED: Final = 6  # as many slots are listed by name


@dataclass(frozen=True, slots=True)
class ShownZone:
    """A zone of the table, or of a row the slots meant, counted from 0."""

    symbol: ZoneSym
    slots: range


@dataclass(frozen=True, slots=True)
class NotShown:
    """Why a text names nothing that can be drawn: the words of a finding, and which characters are wrong."""

    code: str
    message: str
    help: str
    start: int
    end: int


def read_zone(model: Model, said: str) -> ShownZone | NotShown:
    """The zone that a text names."""
    found = _SPELLING.fullmatch(said)
    if found is None:
        example = 'for example `zone: pool`, or for a slot `zone: "stall[1]"`'
        return NotShown("shows-unread", "`zone` names a zone of the table or a slot of one", example, 0, len(said))
    name, slot = found["zone"], found["slot"]
    symbol = model.zones.get((None, name))
    if symbol is None:
        return NotShown(
            "shows-nothing", f"no zone of the table is called `{name}`", _instead(model, name), *found.span("zone")
        )
    if slot is None:
        return ShownZone(symbol, range(symbol.size if symbol.kind == "row" else 1))
    if symbol.kind != "row":
        return NotShown("shows-nothing", f"`{name}` has no slots", f"write `{name}`", *found.span("slot"))
    number = _slot_number(model, symbol, slot)
    if number is None:
        return NotShown(
            "shows-nothing", f"`{name}` has no slot `{slot}`", _slots_of(model, symbol, slot), *found.span("slot")
        )
    return ShownZone(symbol, range(number, number + 1))


def _slot_names(model: Model, symbol: ZoneSym) -> tuple[str, ...]:
    """The members that name the slots of a row; none if they are numbered."""
    return model.domains[symbol.slot_key.domain].ids if isinstance(symbol.slot_key, Member) else ()


def _slot_number(model: Model, symbol: ZoneSym, slot: str) -> int | None:
    """Which slot is meant, counted from 0."""
    names = _slot_names(model, symbol)
    if names:
        return names.index(slot) if slot in names else None
    return int(slot) - 1 if slot.isascii() and slot.isdigit() and 1 <= int(slot) <= symbol.size else None


def _slots_of(model: Model, symbol: ZoneSym, slot: str) -> str:
    names = _slot_names(model, symbol)
    near = nearest(slot, names)
    if near:
        return f"did you mean `{near}`?"
    if names:
        more = ", …" if len(names) > _NAMED else ""
        return "its slots are " + ", ".join(f"`{n}`" for n in names[:_NAMED]) + more
    return f"its slots are 1 to {symbol.size}" if symbol.size > 1 else "its only slot is 1"


def _instead(model: Model, name: str) -> str:
    """What to write for a zone that the table does not have."""
    if any(owner == 0 and zone == name for owner, zone in model.zones):
        return f"each player has a `{name}`; name a zone that the table has"
    near = nearest(name, [zone for owner, zone in model.zones if owner is None])
    return f"did you mean `{near}`?" if near else "name a zone that the table has"
