"""What random programs have shown to be wrong in a machine, each as the smallest program that shows it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from interpreter.fast import fast_machine
from interpreter.ir.ir_types import IntT, SeqT, SetT
from interpreter.ir.ops import (
    And,
    Binary,
    Branch,
    Call,
    Check,
    Choose,
    Commit,
    Const,
    Expr,
    Extra,
    Fn,
    For,
    Fork,
    Halt,
    Jump,
    Load,
    Local,
    Or,
    Probe,
    Query,
    Return,
    Select,
    SeqConst,
    SetConst,
    Store,
)
from interpreter.ir.program import Program
from interpreter.ir.verify import verify
from interpreter.machine.faults import BudgetExhausted
from interpreter.machine.reference import Reference
from interpreter.machine.state import Machine
from tests.machine.building import SMALL, Build, add, full

SEAT = IntT(0, 1)


def valid(b: Build) -> Program:
    """The program, verified."""
    program = b.program()
    assert verify(program) == ()
    return program


def test_a_fork_reads_the_locals_of_its_own_procedure():
    b = Build(players=2, forks=True)
    total = b.var("total", IntT(0, 99))
    game, outer, inner = b.proc(SEAT, params=1), b.proc(SEAT, SMALL, params=2), b.proc(SEAT, SMALL, params=2)
    b.block(game, term=Call(outer, (Const(0), Const(7)), 1))
    b.block(game, term=Halt())
    b.block(outer, term=Fork(full(2), inner, (Local(1),), 3))
    b.block(outer, term=Return())
    b.block(inner, add(total, Local(1)), term=Return())
    state = Machine(Reference(valid(b))).new(1)
    assert state.observe(None).values == ((14,),)


DOMAINS = [pytest.param(full(4), id="constant"), pytest.param(Binary("union", full(4), full(2)), id="computed")]


@pytest.mark.parametrize("domain", DOMAINS)
def test_all_of_nothing_holds(domain: Expr):
    b = Build()
    b.block(b.proc(SEAT, params=1), term=Halt())
    f = b.func(Query("count", 0, domain, And(())), IntT(0, 3), result=SMALL)
    g = b.func(Query("count", 0, domain, Or(())), IntT(0, 3), result=SMALL)
    machine = Reference(valid(b))
    row = machine.new_row((0, 0))
    assert (machine.function(row, f, ()), machine.function(row, g, ())) == (4, 0)


def test_a_state_can_be_saved_while_a_seat_has_changed_a_large_set():
    """`_may_write` in random_programs.py."""
    b = Build(players=2, forks=True)
    v = b.var("chosen", SetT(40))
    b.vars[v] = replace(b.vars[v], initial=(1,))
    question = b.decision("q")
    game, seat = b.proc(SEAT, params=1), b.proc(SEAT, IntT(0, 3), params=1)
    b.block(game, term=Fork(full(2), seat, (), 1))
    b.block(game, term=Halt())
    b.block(seat, term=Choose(Local(0), 1, full(3), None, None, 3, question), spill=(0,))
    changed = Store(v, Const(0), SetConst(1 << 31, 40))
    b.block(seat, changed, term=Choose(Local(0), 1, full(3), None, None, 4, question), spill=(0,))
    b.block(seat, term=Return())
    machine = Machine(Reference(valid(b)))
    state = machine.new(1)
    state.apply(state.legal(0)[0])
    assert machine.from_bytes(state.to_bytes()).to_bytes() == state.to_bytes()


def test_arguments_outlive_a_look_ahead():
    """In a procedure that was called in the same run."""
    b = Build()
    v, why = b.var("v"), b.check("no")
    game, inner = b.proc(SEAT, params=1), b.proc(SEAT, SMALL, params=2)
    b.block(game, term=Call(inner, (Const(0), Const(5)), 1))
    b.block(game, term=Halt())
    b.block(inner, term=Branch(Probe(3), 3, 4))
    b.block(inner, Check(Const(0), why), term=Commit(4))
    b.block(inner, Store(v, Const(0), Local(1)), term=Return())
    program = valid(b)
    fast = fast_machine(program, lambda make: make(), None)
    seen = [Machine(machine).new(1).observe(None).values for machine in (Reference(program), fast)]
    assert seen == [((5,),), ((5,),)]


@pytest.mark.parametrize("machine", [0, 1], ids=["reference", "fast"])
def test_a_quiet_question_that_leads_to_itself_ends(machine: int):
    b = Build()
    game = b.proc(SEAT, SMALL, params=1)
    b.block(game, term=Jump(1))
    again = (Extra("pass", None, 1),)
    b.block(game, term=Choose(Const(0), 1, SetConst(0, 4), None, None, 1, b.decision("q"), again, quiet=True))
    program = valid(b)
    with pytest.raises(BudgetExhausted, match="nobody was asked"):
        Machine((Reference(program), fast_machine(program, lambda make: make(), None))[machine]).new(1)


@pytest.mark.parametrize("way", ["select", "function"])
def test_a_loop_goes_along_what_a_sequence_was_before_it(way: str):
    """However the loop comes by it: the body changes the variable."""
    b = Build()
    items, total = b.var("items", SeqT(4), initial=((1, 2, 3),)), b.var("total", IntT(0, 99))
    chosen: Expr = Select(Binary("lt", Load(total, Const(0)), Const(50)), Load(items, Const(0)), SeqConst((0,), 4))
    if way == "function":
        chosen = Fn(b.func(chosen, result=SeqT(4)), ())
    game = b.proc(SEAT, SMALL, params=1)
    shorter = Store(items, Const(0), Binary("drop", Load(items, Const(0)), Local(1)))
    counted = Store(total, Const(0), Binary("add", Binary("mul", Load(total, Const(0)), Const(4)), Local(1)))
    b.block(game, For(1, chosen, (shorter, counted)), term=Halt())
    program = valid(b)
    fast = fast_machine(program, lambda make: make(), None)
    seen = [Machine(machine).new(1).observe(None).values for machine in (Reference(program), fast)]
    assert seen[0] == seen[1]
    assert seen[0][1] == (27,)
