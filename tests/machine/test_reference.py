"""The reference machine on programs by hand."""

from __future__ import annotations

from interpreter.ir.verify import verify
from interpreter.machine.action import ActionTable
from interpreter.machine.reference import Reference
from interpreter.machine.state import RowState
from tests.machine.games import nim


def test_nim():
    program = nim()
    assert verify(program) == ()
    state = RowState.new(Reference(program), ActionTable(program), 1)
    assert state.to_act() == (0,)
    assert [a.text for a in state.legal(0)] == ["1", "2", "3"]
    state.apply(state.find(0, "3"))
    assert [a.text for a in state.legal(1)] == ["1", "2"]
    state.apply(state.find(1, "2"))
    assert state.to_act() == ()
    assert state.is_over()
    assert state.winners() == (1,)
    assert [e.text(program) for e in state.events()] == ["P1 takes 3", "P2 takes 2"]
