"""Who sees what: masks of variables, pieces and zones."""

from __future__ import annotations

from dataclasses import replace

from interpreter.ir.ir_types import IntT, SeqT, SetT
from interpreter.ir.ops import Halt
from interpreter.ir.program import PieceType, Zone
from interpreter.machine.reference import Reference
from interpreter.machine.state import Machine
from tests.machine.building import Build

DECK, HAND_1, HAND_2, TABLE, BAG_2 = range(1, 6)
ZONES = (
    Zone("box", "box", -1, 0, "everyone"),
    Zone("deck", "deck", -1, 0, "nobody"),
    Zone("hand", "group", 0, 0, "owner"),
    Zone("hand", "group", 1, 0, "owner"),
    Zone("table", "group", -1, 0, "everyone"),
    Zone("bag", "group", 1, 0, "size"),
)
LIES = (DECK, HAND_1, HAND_2, HAND_2, TABLE, BAG_2)


def build() -> tuple[Machine, dict[str, int]]:
    """Six cards in six places, and a variable of every kind."""
    b = Build()
    card = b.domain("card", "a", "b", "c", "d", "e", "f")
    v = {
        "where": b.var("card.where", IntT(0, 5), 6, LIES),
        "face": b.var("card.face", IntT(0, 9), 6, (4, 5, 6, 7, 8, 9)),
        "mine": b.var("card.mine", IntT(0, 9), 6, (1, 1, 1, 1, 1, 1)),
        "coins": b.var("coins", IntT(0, 9), 2, (3, 4)),
        "secret": b.var("secret", IntT(0, 9), 4, (1, 2, 3, 4)),
        "nobody": b.var("nobody", SetT(40), 1, (5,)),
        "order": b.var("order", SeqT(2), 1, ((1, 0),)),
        "count": b.var("during", IntT(0, 9)),
    }
    pieces = {"owner": "piece", "piece_type": 0}
    changes: dict[str, dict[str, object]] = {
        "where": {**pieces, "hidden": True},
        "face": pieces,
        "mine": {**pieces, "visibility": "owner"},
        "coins": {"owner": "player"},
        "secret": {"owner": "player", "visibility": "owner"},
        "nobody": {"visibility": "nobody"},
        "count": {"hidden": True},
    }
    for name, change in changes.items():
        b.vars[v[name]] = replace(b.vars[v[name]], **change)  # type: ignore[arg-type] # fields by name
    b.pieces.append(PieceType(card, v["where"], ZONES))
    p = b.proc()
    b.block(p, term=Halt())
    return Machine(Reference(b.program())), v


def test_masks():
    machine, v = build()
    seen = [machine.blank(1).observe(seat) for seat in (0, 1)]
    assert seen[0].values[v["where"]] == (None, HAND_1, None, None, TABLE, None)
    assert seen[1].values[v["where"]] == (None, None, HAND_2, HAND_2, TABLE, BAG_2)
    assert seen[0].values[v["face"]] == (None, 5, None, None, 8, None)
    assert seen[1].values[v["face"]] == (None, None, 6, 7, 8, 9)
    assert seen[0].values[v["mine"]] == (None, 1, None, None, None, None)
    for view in seen:
        assert view.values[v["coins"]] == (3, 4)
        assert view.values[v["nobody"]] == (None,)
        assert view.values[v["order"]] == ((1, 0),)
        assert view.values[v["count"]] == (None,)
    assert seen[0].values[v["secret"]] == (1, 2, None, None)
    assert seen[1].values[v["secret"]] == (None, None, 3, 4)


def test_counts():
    machine, _ = build()
    one, two = (machine.blank(1).observe(seat).counts[0] for seat in (0, 1))
    assert one == (0, None, 1, None, 1, 1)
    assert two == (0, None, None, 2, 1, 1)


def test_somebody_who_sees_all():
    machine, v = build()
    view = machine.blank(1).observe(None)
    assert view.values[v["where"]] == LIES
    assert view.values[v["nobody"]] == (5,)
    assert view.values[v["count"]] == (None,)  # bookkeeping is nobody's business
    assert view.counts[0] == (0, 1, 1, 2, 1, 1)


def test_what_is_hidden_changes_nothing_shown():
    """Two hidden cards change places; the view of who sees neither is the same."""
    machine, v = build()
    state = machine.blank(1)
    base = machine.program.vars[v["where"]].base
    before = [state.observe(seat) for seat in (0, 1)]
    row = state._row
    row[base], row[base + 2] = row[base + 2], row[base]
    assert state.observe(0) == before[0]
    assert state.observe(1) != before[1]
