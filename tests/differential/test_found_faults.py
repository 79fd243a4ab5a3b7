"""What random programs have shown to be wrong in a machine, each as the smallest program that shows it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from interpreter.fast import fast_machine
from interpreter.ir.ir_types import INT32, IntT, SeqT, SetT
from interpreter.ir.ops import (
    And,
    Binary,
    Branch,
    Call,
    Check,
    Choose,
    Commit,
    Const,
    Emit,
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
from interpreter.ir.program import Hole, Program
from interpreter.ir.verify import verify
from interpreter.machine.faults import BudgetExhausted, RuleFault
from interpreter.machine.reference import Reference
from interpreter.machine.state import Machine
from tests.machine.building import SMALL, Build, add, full, op

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


def both(program: Program) -> tuple[Machine, Machine]:
    """The two machines of a program."""
    return Machine(Reference(program)), Machine(fast_machine(program, lambda make: make(), None))


ANY = IntT(*INT32)
BILLION = Const(10**9)
COLUMN = op("checked_mul", Local(2), BILLION)
NUMBERS: dict[str, Expr] = {
    "add": op("checked_add", op("mul", Local(1), 4 * 10**8), BILLION),
    "sub": op("checked_sub", op("mul", Local(1), -4 * 10**8), BILLION),
    "mul": op("checked_mul", op("mul", Local(1), 10**8), 8),
    "sum": Query("checked_sum", 2, full(3), op("le", Local(2), Local(1)), BILLION),
    "sum of a sequence": Query("checked_sum", 2, SeqConst((2, 0, 1), 3), op("lt", Local(2), Local(1)), BILLION),
    "in a column": Query("highest", 2, full(6), op("le", Local(2), Local(1)), COLUMN),
    "before a column": Query("count", 2, full(6), op("lt", Local(2), op("checked_mul", Local(1), 8 * 10**8))),
    "in a condition": Query("count", 2, full(6), And((op("le", Local(2), Local(1)), op("gt", COLUMN, 5)))),
    "behind a condition": Select(op("lt", Local(1), 3), Const(7), op("checked_mul", Local(1), BILLION)),
    "an argument that is not read": Fn(0, (op("checked_mul", Local(1), BILLION), Local(1))),
    "the same for each": Query("highest", 2, full(6), None, Fn(0, (op("checked_mul", Local(1), BILLION), Local(2)))),
    "div": op("div", 9, op("sub", Local(1), 3)),
    "mod": op("mod", 8, op("sub", Local(1), 3)),
}


@pytest.mark.parametrize("way", NUMBERS)
def test_what_is_no_number_is_the_same_fault(way: str):
    """Wherever it arises: where a choice of 3 is gone on with and one of 1 is not, and where the choice looks ahead."""
    value = NUMBERS[way]
    for look in (None, op("ne", value, -1), Probe(1)):
        b = Build()
        b.func(Local(1), ANY, ANY, params=2, result=ANY)
        kept, why = b.var("kept", ANY), b.check("no")
        game = b.proc(SEAT, IntT(0, 5), IntT(0, 5), params=1)
        b.block(game, term=Choose(Local(0), 1, SetConst(0b101010, 6), None, look, 1, b.decision("q")), spill=(0,))
        b.block(game, Check(op("ne", value, -1), why), Store(kept, Const(0), value), term=Commit(2))
        b.block(game, term=Halt())
        program = valid(b)
        said = []
        for machine in both(program):
            try:
                state = machine.new(1)
                offered = [a.text for a in state.legal(0)]
                state.apply(state.legal(0)[0])
                first = state.observe(None).values
                state = machine.new(1)
                state.apply(state.legal(0)[1])
                said.append(f"{offered}, {first}, {state.observe(None).values}")
            except RuleFault as fault:
                said.append(f"{fault.message}; {fault.stack}")
        assert said[0] == said[1]
        assert said[0].startswith("a number would be"), said


def test_what_nobody_hears_is_a_fault_all_the_same():
    """An event says what is no number: also in games that only results are wanted of."""
    b = Build()
    v, said = b.var("v", ANY), b.event("it is ", Hole(Const(0), -1))
    game = b.proc(SEAT, params=1)
    b.block(
        game, Store(v, Const(0), BILLION), Emit(said, (Local(0), op("checked_mul", Load(v, Const(0)), 3))), term=Halt()
    )
    program = valid(b)
    for machine in both(program):
        with pytest.raises(RuleFault, match="a number would be 3000000000"):
            machine.new(1)
    fast = fast_machine(program, lambda make: make(), None)
    assert not fast.batch().play([(0, 1)], 100)[0].finished


def test_events_are_told_after_a_fault_in_a_look_ahead():
    b = Build()
    v, said, why = b.var("v", ANY), b.event("on"), b.check("no")
    game = b.proc(SEAT, SMALL, params=1)
    b.block(
        game, Emit(said, (Local(0),)), term=Choose(Local(0), 1, full(3), None, Probe(1), 1, b.decision("q")), spill=(0,)
    )
    b.block(game, Check(op("ge", op("checked_mul", Local(1), op("checked_mul", BILLION, 2)), 0), why), term=Commit(2))
    b.block(game, Store(v, Const(0), Local(1)), term=Halt())
    for machine in both(valid(b)):
        for _ in range(2):
            state = machine.new(1)
            assert len(state.events()) == 1
            with pytest.raises(RuleFault):
                state.legal(0)
