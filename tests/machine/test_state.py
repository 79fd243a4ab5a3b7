"""States: bytes, clones, notation, refusals."""

from __future__ import annotations

from dataclasses import replace

import pytest

from interpreter.ir.ir_types import IntT, SetT
from interpreter.ir.ops import Chance, Choose, Const, Extra, Halt, Local, SetConst
from interpreter.ir.program import Program
from interpreter.machine.action import CHANCE, Action
from interpreter.machine.faults import IllegalAction
from interpreter.machine.reference import Reference
from interpreter.machine.state import ForeignState, Machine, RowState
from tests.machine.building import Build, full, op
from tests.machine.games import nim


def machine_of(program: Program) -> Machine:
    return Machine(Reference(program))


def test_bytes_are_the_state():
    machine = machine_of(nim())
    state = machine.new(5)
    state.apply(state.legal(0)[1])
    again = machine.from_bytes(state.to_bytes())
    assert again.to_bytes() == state.to_bytes()
    assert (again.ply, again.to_act(), again.legal(1)) == (1, (1,), state.legal(1))


def test_foreign_bytes_are_refused():
    data = machine_of(nim()).new(1).to_bytes()
    other = machine_of(replace(nim(), definition_hash="1" * 16))
    for bad in (b"", b"RWS1", b"x" * len(data), data[:-4], data + b"\0\0\0\0"):
        with pytest.raises(ForeignState):
            machine_of(nim()).from_bytes(bad)
    with pytest.raises(ForeignState, match="other rules"):
        other.from_bytes(data)


def test_a_clone_is_independent():
    state = machine_of(nim()).new(1)
    state.apply(state.legal(0)[0])
    copy = state.clone()
    before = state.to_bytes()
    copy.apply(copy.legal(1)[0])
    assert state.to_bytes() == before
    assert copy.to_bytes() != before
    assert len(state.events()) == 1
    assert [e.ply for e in copy.events()] == [1]
    assert state.legal(1)
    assert state.legal(0) == ()


def test_apply_takes_what_is_legal_and_nothing_else():
    state = machine_of(nim(stones=2)).new(1)
    two = state.legal(0)[1]
    for bad in (
        replace(two, value=3, text="3"),
        replace(two, player=1),
        replace(two, decision="other"),
        replace(two, value=-1),
    ):
        before = state.to_bytes()
        with pytest.raises(IllegalAction):
            state.apply(bad)
        assert state.to_bytes() == before
    state.apply(two)
    with pytest.raises(IllegalAction):
        state.apply(two)


def names() -> RowState:
    """A choice of cards, and `done`."""
    b = Build()
    card = b.domain("card", "cart_driver", "carter", "raker", "bell_man")
    ask = b.decision("play.card", card)
    p = b.proc(IntT(0, 1), IntT(0, 3))
    b.block(p, term=Choose(Const(0), 1, full(4), op("ne", Local(1), 3), None, 1, ask, (Extra("done", None, 1),)))
    b.block(p, term=Halt())
    return machine_of(b.program()).new(1)


def test_find():
    state = names()
    assert state.find(0, "raker").value == 2
    assert state.find(0, " Cart Driver ").value == 0
    assert state.find(0, "CARTER").value == 1
    assert state.find(0, "r").text == "raker"
    assert state.find(0, "carte").text == "carter"
    assert state.find(0, "d").value == -1


@pytest.mark.parametrize(
    ("text", "kind", "nearest"),
    [
        ("cart", "ambiguous", ("cart_driver", "carter")),
        ("bell_man", "illegal", None),
        ("rakre", "invalid", ("raker",)),
        ("", "invalid", None),
    ],
)
def test_find_refuses(text: str, kind: str, nearest: tuple[str, ...] | None):
    with pytest.raises(IllegalAction) as caught:
        names().find(0, text)
    assert caught.value.kind == kind
    if nearest is not None:
        assert caught.value.nearest[: len(nearest)] == nearest
    legal = {a.text for a in names().legal(0)}
    assert set(caught.value.nearest) <= legal


def test_who_is_not_asked():
    state = names()
    assert state.legal(1) == ()
    assert state.prompt(1) == ""
    assert state.legal(CHANCE) == ()
    assert state.chance() == ()
    for call in (lambda: state.find(1, "raker"), lambda: state.decision(1), lambda: state.why_not(1, "x"), state.draw):
        with pytest.raises(IllegalAction):
            call()


def test_indices_are_dense_and_apart():
    b = Build(streams=("s",))
    first, second = b.decision("a"), b.decision("b")
    p = b.proc(IntT(0, 1), IntT(0, 3))
    b.block(p, term=Choose(Const(0), 1, full(4), None, None, 1, first, (Extra("done", None, 1),)))
    b.block(p, term=Chance(1, full(3), None, None, 2, 0, second))
    b.block(p, term=Halt())
    machine = machine_of(b.program())
    state = machine.new(1)
    found: list[Action] = list(state.legal(0))
    state.apply(found[0])
    found += state.legal(CHANCE)
    assert sorted(a.index for a in found) == list(range(machine.action_count)) == list(range(8))


def test_names_of_values_that_count_from_another_number():
    b = Build()
    b.domains.append(replace(b.domains[0], name="size", ids=(), names=(), first=2))
    ask = b.decision("size", len(b.domains) - 1)
    p = b.proc(IntT(0, 1), IntT(0, 3))
    b.block(p, term=Choose(Const(0), 1, full(3), None, None, 1, ask))
    b.block(p, term=Halt())
    assert [a.text for a in machine_of(b.program()).new(1).legal(0)] == ["2", "3", "4"]


def test_shared_victory_and_no_victory():
    for winners, want in ((0b011, [0.5, 0.5, 0]), (0, [1 / 3] * 3)):
        b = Build(players=3)
        f = b.func(SetConst(winners, 3), result=SetT(3))
        p = b.proc()
        b.block(p, term=Halt())
        state = machine_of(b.program(winners=f)).new(1)
        assert [float(x) for x in state.returns()] == pytest.approx(want)
        assert sum(state.returns()) == 1


def test_payoff_goes_before_winners():
    b = Build()
    f = b.func(op("sub", op("mul", Local(0), 4), 2), IntT(0, 1), params=1, result=IntT(-2, 2))
    p = b.proc()
    b.block(p, term=Halt())
    assert list(machine_of(b.program(payoff=f)).new(1).returns()) == [-2, 2]
