"""Blocks, frames, chance, simultaneous play and look-ahead of the reference machine, on programs by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from interpreter.ir.ir_types import IntT, SeqT, SetT
from interpreter.ir.ops import (
    Alike,
    And,
    Branch,
    Call,
    CallEffect,
    Chance,
    Check,
    Choose,
    Commit,
    Const,
    Emit,
    Extra,
    Fail,
    Fork,
    Halt,
    Jump,
    Let,
    Load,
    Local,
    Probe,
    Return,
    SeqConst,
    Store,
    Switch,
)
from interpreter.ir.program import Hole, Program
from interpreter.ir.verify import verify
from interpreter.machine.action import CHANCE
from interpreter.machine.faults import BudgetExhausted, EngineBug, IllegalAction, RuleFault
from interpreter.machine.protocol import NATURE, OVER
from interpreter.machine.reference import Reference
from interpreter.machine.state import Machine, RowState
from tests.machine.building import SMALL, Build, add, full, op
from tests.machine.games import nim

SEAT = IntT(0, 1)
WIDE = IntT(-1000, 1000)


def play(program: Program) -> RowState:
    """The beginning of a program that holds what it must."""
    assert verify(program) == ()
    return Machine(Reference(program)).new(1)


def texts(state: RowState, player: int = 0) -> list[str]:
    """What a player is offered."""
    return [action.text for action in state.legal(player)]


def take(state: RowState, *words: str) -> None:
    """Choices of whoever acts first."""
    for word in words:
        player = state.to_act()[0]
        state.apply(state.find(player, word))


def number(state: RowState, v: int, i: int = 0) -> object:
    """An element of a variable."""
    return state.observe(None).values[v][i]


# ------------------------------------------------------------------ flow


def test_a_whole_game():
    program = nim()
    state = play(program)
    assert state.to_act() == (0,)
    assert texts(state) == ["1", "2", "3"]
    take(state, "3")
    assert state.legal(0) == ()
    assert texts(state, 1) == ["1", "2"]
    take(state, "2")
    assert state.to_act() == OVER
    assert state.is_over()
    assert state.winners() == (1,)
    assert list(state.returns()) == [0, 1]
    assert [e.text(program) for e in state.events()] == ["P1 takes 3", "P2 takes 2"]
    assert [e.ply for e in state.events()] == [0, 1]


def test_a_game_ends_when_its_entry_returns():
    b = Build()
    p = b.proc(SEAT)
    b.block(p, term=Return())
    assert play(b.program()).is_over()


def test_switch():
    b = Build()
    v, ask = b.var("n"), b.decision("ask")
    p = b.proc(SEAT, SMALL)
    b.block(p, term=Choose(Const(0), 1, full(4), None, None, 1, ask))
    b.block(p, term=Switch(Local(1), (2, 3, 2)))
    b.block(p, add(v, 1), term=Halt())
    b.block(p, add(v, 2), term=Halt())
    for word, want in (("0", 1), ("1", 2), ("2", 1)):
        state = play(b.program())
        take(state, word)
        assert number(state, v) == want
    state = play(b.program())
    with pytest.raises(EngineBug):
        take(state, "3")
    assert texts(state) == ["0", "1", "2", "3"]  # nothing has changed


def test_calls_keep_what_they_need_and_nothing_else():
    """The caller's locals, sets and sequences among them, outlive a callee that asks; dead ones leave no trace in the row."""
    b = Build()
    v, ask = b.var("n", WIDE), b.decision("ask")
    main = b.proc(SEAT, SetT(40), SeqT(3), WIDE, WIDE, address="main")
    inner = b.proc(SEAT, WIDE, SMALL, params=2, address="inner")
    b.block(
        main,
        Let(1, op("union", full(40), full(40))),
        Let(2, SeqConst((2, 0), 3)),
        Let(3, Const(-5)),
        Let(4, Const(77)),
        term=Call(inner, (Const(1), Const(9)), 1),
        spill=(1, 2, 3),
    )
    b.block(
        main,
        Store(v, Const(0), op("add", op("nth", Local(2), 1), op("mul", Local(3), 10))),
        Check(op("has", Local(1), 39), b.check("a set is lost")),
        term=Halt(),
    )
    b.block(inner, term=Choose(Local(0), 2, full(3), None, None, 3, ask), spill=(0, 1))
    b.block(inner, add(v, Local(1)), Check(op("eq", Local(1), 9), b.check("an argument is lost")), term=Return())
    state = play(b.program())
    assert state.to_act() == (1,)
    assert 77 not in state._row
    again = Machine(Reference(b.program())).from_bytes(state.to_bytes())
    take(again, "1")
    assert number(again, v) == -48
    assert again.is_over()


def test_effects_by_number():
    b = Build()
    v, ask = b.var("n", WIDE), b.decision("ask")
    main = b.proc(SEAT, SMALL)
    one = b.proc(SEAT, params=1, address="one")
    two = b.proc(SEAT, params=1, address="two")
    b.block(main, term=Choose(Const(0), 1, full(4), None, None, 1, ask))
    b.block(main, term=CallEffect(Local(1), (Const(0),), (one, two), 2))
    b.block(main, add(v, 100), term=Halt())
    b.block(one, add(v, 1), term=Return())
    b.block(two, add(v, 2), term=Return())
    state = play(b.program())
    with pytest.raises(EngineBug, match="no effect 3"):
        take(state, "3")
    take(state, "2")
    assert number(state, v) == 102


def test_equal_positions_have_equal_rows():
    """Two ways to the same position, with other locals on the way."""
    b = Build()
    v, ask = b.var("n", WIDE), b.decision("ask")
    main, gain = b.proc(SEAT, SMALL), b.proc(SEAT, SMALL, SMALL, params=2)
    b.block(main, term=Choose(Const(0), 1, full(3), None, None, 1, ask))
    b.block(main, term=Call(gain, (Const(0), Local(1)), 0))
    b.block(gain, term=Choose(Const(0), 2, full(3), None, None, 3, ask), spill=(1,))
    b.block(gain, add(v, op("add", Local(1), Local(2))), term=Return())
    one, two, other = (play(b.program()) for _ in range(3))
    take(one, "2", "0")
    take(two, "0", "2")
    take(other, "1", "2")
    assert one.key() == two.key()
    assert one.hash() == two.hash()
    assert one.hash() != other.hash()


def test_depth_is_a_failure_of_the_option_that_goes_too_deep():
    b = Build()
    v, ask = b.var("n"), b.decision("ask", labels=("deeper", "back"))
    main = b.proc(SEAT)
    nest = b.proc(SEAT, SMALL, params=1, depth=2, address="nest")
    b.block(main, term=Call(nest, (Const(0),), 1))
    b.block(main, term=Halt())
    b.block(nest, add(v, 1), term=Choose(Const(0), 1, full(2), None, Probe(3), 3, ask))
    b.block(nest, term=Switch(Local(1), (4, 5)))
    b.block(nest, term=Call(nest, (Const(0),), 5))
    b.block(nest, term=Return())
    state = play(b.program())
    assert texts(state) == ["deeper", "back"]
    take(state, "deeper")
    assert texts(state) == ["back"]
    refusal = state.why_not(0, "deeper")
    assert refusal is not None
    assert "under way" in refusal.text


def test_frames_that_leave_no_room_are_a_fault():
    b = Build(stack_cells=10)
    ask = b.decision("ask")
    main, nest = b.proc(SEAT), b.proc(SEAT, params=1, address="nest")
    b.block(main, term=Call(nest, (Const(0),), 1))
    b.block(main, term=Halt())
    b.block(nest, term=Call(nest, (Const(0),), 3))
    b.block(nest, term=Return())
    assert ask == 0
    with pytest.raises(RuleFault, match="too deeply") as caught:
        play(b.program())
    assert [frame.address for frame in caught.value.stack] == ["nest", "nest", "nest", "nest", "proc0"]


def test_rules_that_never_ask_use_up_their_budget():
    b = Build()
    main = b.proc(SEAT, address="main")
    b.block(main, term=Jump(1))
    b.block(main, term=Jump(0))
    with pytest.raises(BudgetExhausted) as caught:
        play(b.program())
    assert caught.value.cycle == ("main",)


def test_a_cycle_names_what_repeats_now_and_not_what_did_before():
    b = Build()
    main = b.proc(SEAT, address="main")
    b.block(main, term=Halt())
    first, second = b.proc(SEAT, address="first"), b.proc(SEAT, address="second")
    b.block(first, term=Jump(1))
    b.block(second, term=Jump(2))
    state = play(b.program())
    for p, name in ((first, "first"), (second, "second")):
        with pytest.raises(BudgetExhausted) as caught:
            state.call(p)
        assert caught.value.cycle == (name,)


def test_a_fault_changes_nothing():
    b = Build()
    v, ask, why = b.var("n"), b.decision("ask"), b.check("it cannot be")
    e = b.event("something happens")
    p = b.proc(SEAT, SMALL, address="main")
    b.block(p, term=Choose(Const(0), 1, full(2), None, None, 1, ask))
    b.block(p, add(v, 1), Emit(e, ()), term=Branch(op("eq", Local(1), 0), 0, 2))
    b.block(p, add(v, 1), term=Fail(why))
    state = play(b.program())
    before = state.to_bytes()
    with pytest.raises(RuleFault, match="it cannot be"):
        take(state, "1")
    assert state.to_bytes() == before
    assert state.events() == ()
    take(state, "0")
    assert number(state, v) == 1
    assert len(state.events()) == 1


# ------------------------------------------------------------------ choices


def choice_with_extras() -> Build:
    """Numbers 0..4 that are not 2 and lead to a good end, then `done`, then `never`."""
    b = Build()
    coins, ask = b.var("coins", initial=3), b.decision("ask", prompt=None)
    why = b.check("there are too few coins")
    p = b.proc(SEAT, SMALL, address="main")
    extras = (Extra("done", None, 2), Extra("never", Const(0), 2), Extra("3", op("lt", Load(coins, Const(0)), 9), 2))
    b.block(p, term=Choose(Const(0), 1, full(5), op("ne", Local(1), 2), Probe(1), 1, ask, extras), spill=())
    b.block(
        p,
        Check(op("ge", Load(coins, Const(0)), Local(1)), why),
        Store(coins, Const(0), op("sub", Load(coins, Const(0)), Local(1))),
        term=Commit(2),
    )
    b.block(p, term=Halt())
    return b


def test_options_then_extras():
    state = play(choice_with_extras().program())
    # 2 is not allowed, 4 cannot be paid; an extra named like an option gets a name of its own.
    assert texts(state) == ["0", "1", "3", "done", "3~2"]
    assert [a.value for a in state.legal(0)] == [0, 1, 3, -1, -3]
    assert len({a.index for a in state.legal(0)}) == 5


def test_why_not():
    state = play(choice_with_extras().program())
    assert state.why_not(0, "1") is None
    too_dear = state.why_not(0, "4")
    assert too_dear is not None
    assert (too_dear.text, too_dear.cite, too_dear.ahead) == ("there are too few coins", ("CL-1",), 0)
    forbidden = state.why_not(0, "2")
    assert forbidden is not None
    assert (forbidden.address, forbidden.ahead) == ("ask", -1)
    never = state.why_not(0, "never")
    assert never is not None
    assert never.ahead == -1
    with pytest.raises(IllegalAction):
        state.why_not(0, "nine")


def test_no_option_is_a_fault_and_called_stuck():
    b = Build()
    ask = b.decision("ask")
    p = b.proc(SEAT, SMALL)
    b.block(p, term=Choose(Const(0), 1, full(3), Const(0), None, 0, ask))
    state = play(b.program())
    with pytest.raises(RuleFault, match="nothing can be chosen"):
        state.legal(0)


def test_look_ahead_goes_through_choices_in_order_and_finds_the_only_way():
    """Choose a, b, c from 0..3; only a + 10 b + 100 c = 312 is let through, three choices later."""
    b = Build()
    v, ask, why = b.var("n", WIDE), b.decision("ask"), b.check("wrong")
    p = b.proc(SEAT, IntT(0, 3), IntT(0, 3), IntT(0, 3))
    b.block(p, term=Choose(Const(0), 1, full(4), None, Probe(1), 1, ask))
    b.block(p, term=Choose(Const(0), 2, full(4), None, Probe(2), 2, ask), spill=(1,))
    b.block(p, term=Choose(Const(0), 3, full(4), None, Probe(3), 3, ask), spill=(1, 2))
    total = op("add", Local(1), op("add", op("mul", Local(2), 10), op("mul", Local(3), 100)))
    b.block(p, Store(v, Const(0), total), Check(op("eq", Load(v, Const(0)), 312), why), term=Commit(4))
    b.block(p, term=Halt())
    state = play(b.program())
    for word in ("2", "1", "3"):
        assert texts(state) == [word]
        take(state, word)
    assert number(state, v) == 312
    assert state.is_over()


def test_look_ahead_records_no_events_and_leaves_the_row_alone():
    b = Build()
    v, ask, e = b.var("n"), b.decision("ask"), b.event("tried")
    p = b.proc(SEAT, SMALL)
    b.block(p, term=Choose(Const(0), 1, full(3), None, Probe(1), 1, ask))
    b.block(p, add(v, 1), Emit(e, ()), term=Halt())
    state = play(b.program())
    before = state.to_bytes()
    assert len(state.legal(0)) == 3
    assert state.to_bytes() == before
    take(state, "1")
    assert len(state.events()) == 1


def test_look_ahead_ends_at_commit_chance_and_return():
    for end in (Commit(2), Halt(), Return(), Chance(1, full(2), None, None, 2, 0, 0)):
        b = Build(streams=("s",))
        ask, why = b.decision("ask"), b.check("too far")
        p = b.proc(SEAT, SMALL)
        b.block(p, term=Choose(Const(0), 1, full(1), None, Probe(1), 1, ask))
        b.block(p, term=end)
        b.block(p, term=Fail(why))
        assert texts(play(b.program())) == ["0"]


def test_look_ahead_does_not_pass_a_draw_from_nothing():
    b = Build(streams=("s",))
    ask = b.decision("ask")
    p = b.proc(SEAT, SMALL)
    b.block(p, term=Choose(Const(0), 1, full(2), None, Probe(1), 1, ask))
    b.block(p, term=Chance(1, full(2), op("eq", Local(1), 5), None, 0, 0, ask))
    state = play(b.program())
    with pytest.raises(RuleFault):
        state.legal(0)


def test_look_ahead_walks_no_circles():
    """`again` comes back to the same position; there is no end, so nothing is offered, and it takes no budget to see that."""
    b = Build()
    ask = b.decision("ask", labels=("again", "other"))
    p = b.proc(SEAT, SMALL)
    b.block(p, term=Choose(Const(0), 1, full(2), None, Probe(1), 1, ask))
    b.block(p, term=Jump(0))
    with pytest.raises(RuleFault, match="nothing can be chosen"):
        play(b.program()).legal(0)


def test_look_ahead_has_a_budget():
    b = Build()
    v, ask = b.var("n", IntT(0, 2**30)), b.decision("ask")
    p = b.proc(SEAT, SMALL)
    b.block(p, term=Choose(Const(0), 1, full(1), None, Probe(1), 1, ask))
    b.block(p, add(v, 1), term=Jump(0))
    with pytest.raises(BudgetExhausted, match="look-ahead"):
        play(b.program()).legal(0)


def test_try_looks_ahead_in_the_middle():
    b = Build()
    coins, out, why = b.var("coins"), b.var("out"), b.check("too few")
    p = b.proc(SEAT)
    b.block(p, term=Branch(Probe(1), 1, 2))
    b.block(p, Check(op("ge", Load(coins, Const(0)), 1), why), add(out, 1), term=Commit(3))
    b.block(p, add(out, 2), term=Jump(3))
    b.block(p, term=Halt())
    assert number(play(b.program()), out) == 2
    b.vars[coins] = b.vars[coins].__class__("coins", 0, 1, SMALL, (1,))
    assert number(play(b.program()), out) == 1


def window(gain: int) -> RowState:
    """Take 1, or use `swap` (adds `gain` to n, comes back) or `done`."""
    b = Build()
    v, ask = b.var("n", IntT(0, 3)), b.decision("ask")
    why = b.check("full")
    p = b.proc(SEAT, SMALL)
    extras = (Extra("swap", None, 2, Probe(2), changes=True), Extra("done", None, 3))
    b.block(p, term=Choose(Const(0), 1, full(1), None, None, 1, ask, extras))
    b.block(p, term=Commit(3))
    b.block(
        p,
        Check(op("le", op("add", Load(v, Const(0)), gain), 3), why),
        add(v, gain),
        term=Jump(0),
    )
    b.block(p, term=Halt())
    return play(b.program())


def test_a_free_action_that_changes_nothing_is_not_offered():
    assert texts(window(0)) == ["0", "done"]
    state = window(2)
    assert texts(state) == ["0", "swap", "done"]
    take(state, "swap")
    assert texts(state) == ["0", "done"]  # a second one would not fit


def test_a_quiet_choice_without_options_takes_its_first_extra():
    for most, want in ((0, OVER), (2, (0,))):
        b = Build()
        ask = b.decision("ask")
        p = b.proc(SEAT, SMALL)
        some = op("lt", Local(1), most)
        b.block(p, term=Choose(Const(0), 1, full(3), some, None, 1, ask, (Extra("done", None, 1),), quiet=True))
        b.block(p, term=Halt())
        assert play(b.program()).to_act() == want


def alike(first: int, second: int) -> object:
    """Whether it matters in which order 0 and 1 do n := n * a + b."""
    b = Build()
    v, out = b.var("n", WIDE, initial=1), b.var("out")
    p, each = b.proc(SEAT), b.proc(SEAT, SMALL, params=2)
    b.block(p, Store(out, Const(0), Alike(each, (Const(0),), full(2))), term=Halt())
    b.block(each, term=Branch(op("eq", Local(1), 0), 2, 3))
    b.block(each, Store(v, Const(0), op("mul", Load(v, Const(0)), first)), term=Return())
    b.block(each, Store(v, Const(0), op("add", Load(v, Const(0)), second)), term=Return())
    state = play(b.program())
    assert number(state, v) == 1
    return number(state, out)


def test_alike():
    assert alike(1, 5) == 1
    assert alike(2, 5) == 0


def test_what_asks_is_not_alike():
    b = Build()
    out, ask = b.var("out", initial=5), b.decision("ask")
    p, each = b.proc(SEAT), b.proc(SEAT, SMALL, params=2)
    b.block(p, Store(out, Const(0), Alike(each, (Const(0),), full(2))), term=Halt())
    b.block(each, term=Choose(Const(0), 1, full(1), None, None, 2, ask))
    b.block(each, term=Return())
    assert number(play(b.program()), out) == 0


# ------------------------------------------------------------------ chance


def draw() -> Build:
    """Draws x from 0..3 but 1 with weight x, twice."""
    b = Build(streams=("bag", "other"))
    v, what = b.var("n", WIDE), b.decision("main.x")
    p = b.proc(SEAT, SMALL)
    chance = Chance(1, full(4), op("ne", Local(1), 1), Local(1), 1, 0, what)
    b.block(p, term=chance)
    b.block(p, add(v, Local(1)), term=Branch(op("gt", Load(v, Const(0)), 9), 2, 0))
    b.block(p, term=Halt())
    return b


def test_chance_is_a_player():
    state = play(draw().program())
    assert state.to_act() == NATURE
    assert [(a.text, share) for a, share in state.chance()] == [("2", Fraction(2, 5)), ("3", Fraction(3, 5))]
    assert state.legal(CHANCE) == tuple(a for a, _ in state.chance())
    drawn = state.draw()
    assert state.draw() == drawn  # drawing changes nothing
    state.apply(drawn)
    assert number(state, 0) == drawn.value


def test_any_outcome_moves_its_stream_on_by_one():
    one, two = play(draw().program()), play(draw().program())
    one.apply(one.legal(CHANCE)[0])
    two.apply(two.legal(CHANCE)[1])
    assert one.key() != two.key()
    assert one._row[:20].count(1) == two._row[:20].count(1)
    streams = [s._row[s.program.first_var - 2 : s.program.first_var] for s in (one, two)]
    assert streams == [[1, 0], [1, 0]]


def test_the_seed_is_in_no_hash():
    machine = Machine(Reference(draw().program()))
    one, two = machine.new(1), machine.new("two")
    assert one.hash() == two.hash()
    assert one.to_bytes() != two.to_bytes()
    runs = {tuple(_luck(machine.new(seed))) for seed in range(20)}
    assert len(runs) > 5
    state = machine.new(3)
    state.reseed(4)
    assert _luck(state) == _luck(machine.new(4))


def _luck(state: RowState) -> list[int]:
    found = []
    while state.to_act() == NATURE:
        action = state.draw()
        found.append(action.value)
        state.apply(action)
    return found


# ------------------------------------------------------------------ simultaneous play


def at_once() -> Build:
    """Both seats choose at once; a choice of 2 asks the same seat again. Then the sum is taken, in a caller that keeps a local."""
    b = Build(forks=True)
    v, total, ask = b.var("n", WIDE, 2), b.var("total", WIDE), b.decision("ask")
    main, each = b.proc(SEAT, SMALL, address="main"), b.proc(SEAT, SMALL, SMALL, params=2, address="each")
    b.block(main, Let(1, Const(5)), term=Fork(full(2), each, (Const(4),), 1), spill=(1,))
    both = op("add", Load(v, Const(0)), Load(v, Const(1)))
    b.block(main, Store(total, Const(0), op("add", both, op("mul", Local(1), 100))), term=Halt())
    b.block(each, term=Choose(Local(0), 2, full(3), None, None, 3, ask), spill=(0, 1))
    b.block(each, add(v, op("mul", Local(1), Local(2)), Local(0)), term=Branch(op("eq", Local(2), 2), 2, 4))
    b.block(each, term=Return())
    return b


def test_both_may_act_and_any_order_ends_alike():
    ends = set()
    for order in ((0, 1), (1, 0)):
        state = play(at_once().program())
        assert state.to_act() == (0, 1)
        for seat in order:
            state.apply(state.find(seat, "1"))
        assert state.is_over()
        assert number(state, 1) == 508
        ends.add(state.key())
    assert len(ends) == 1


def test_seats_have_stacks_of_their_own():
    state = play(at_once().program())
    state.apply(state.find(1, "2"))
    assert state.to_act() == (0, 1)
    assert len(state.legal(1)) == 3
    state = Machine(Reference(state.program)).from_bytes(state.to_bytes())
    state.apply(state.find(0, "0"))
    assert state.to_act() == (1,)
    state.apply(state.find(1, "0"))
    assert number(state, 1) == 508


def test_nobody_at_once():
    b = Build(forks=True)
    v = b.var("n")
    main, each = b.proc(SEAT), b.proc(SEAT, params=1)
    b.block(main, term=Fork(op("minus", full(2), full(2)), each, (), 1))
    b.block(main, add(v, 1), term=Halt())
    b.block(each, term=Return())
    assert number(play(b.program()), v) == 1


def test_look_ahead_in_a_seat_of_its_own():
    b = Build(forks=True)
    coins, ask, why = b.var("coins", count=2, initial=(1, 2)), b.decision("ask"), b.check("too few")
    main, each = b.proc(SEAT), b.proc(SEAT, SMALL, params=1)
    b.block(main, term=Fork(full(2), each, (), 1))
    b.block(main, term=Halt())
    b.block(each, term=Choose(Local(0), 1, full(4), None, Probe(3), 3, ask), spill=(0,))
    b.block(each, Check(op("ge", Load(coins, Local(0)), Local(1)), why), term=Return())
    state = play(b.program())
    assert texts(state, 0) == ["0", "1"]
    assert texts(state, 1) == ["0", "1", "2"]


# ------------------------------------------------------------------ calls from outside


def test_call_runs_a_procedure_on_its_own():
    b = Build()
    v, ask = b.var("n", WIDE), b.decision("ask")
    main, effect = b.proc(SEAT, SMALL), b.proc(SEAT, SMALL, SMALL, params=2, address="effect")
    b.block(main, term=Choose(Const(0), 1, full(2), None, None, 1, ask))
    b.block(main, add(v, 1), term=Halt())
    b.block(effect, term=Choose(Local(0), 2, full(2), None, None, 3, ask), spill=(0, 1))
    b.block(effect, add(v, op("add", Local(1), Local(2))), term=Return())
    assert verify(b.program()) == ()
    machine = Machine(Reference(b.program()))
    state = machine.new(1)
    state.call(effect, 1, 7)
    assert state.to_act() == (1,)
    take(state, "1")
    assert state.to_act() == OVER
    assert not state.is_over()
    assert number(state, v) == 8
    blank = machine.blank(1)
    assert blank.to_act() == OVER
    assert not blank.is_over()


def test_conditions_see_the_option_that_is_tried():
    b = Build()
    ask = b.decision("ask")
    p = b.proc(SEAT, SMALL)
    b.block(p, term=Choose(Const(0), 1, SeqConst((3, 1, 2), 4), And((op("ne", Local(1), 1),)), None, 1, ask))
    b.block(p, term=Halt())
    assert texts(play(b.program())) == ["3", "2"]  # in the sequence's order


def test_nothing_is_shown_before_all_are_through():
    """Each chooses a number that everyone may see, a common pot grows, and each says so."""
    b = Build(forks=True)
    v, pot = b.var("bid", WIDE, 2), b.var("pot", WIDE)
    b.vars[v] = replace(b.vars[v], owner="player")
    ask, said = b.decision("ask"), b.event(Hole(Local(0), 0), " bids ", Hole(Local(1), -1))
    main, each = b.proc(SEAT, address="main"), b.proc(SEAT, SMALL, params=1, address="each")
    b.block(main, term=Fork(full(2), each, (), 1))
    b.block(main, term=Choose(Const(0), 0, full(2), None, None, 2, ask))
    b.block(main, term=Halt())
    b.block(each, term=Choose(Local(0), 1, full(9), None, None, 4, ask), spill=(0,))
    tell = Emit(said, (Local(0), Local(0), Local(1)))
    b.block(each, Store(v, Local(0), Local(1)), add(pot, Local(1)), tell, term=Return())
    program = b.program()
    state = play(program)
    fresh = [state.observe(seat).values for seat in (0, 1)]
    state.apply(state.find(0, "7"))
    assert state.is_veiled()
    assert state.observe(1).values == fresh[1]
    assert state.observe(0).values == ((7, 0), (7,))
    assert state.observe(None).values == ((7, 0), (7,))
    (event,) = state.events()
    assert [event.visible_to(program, seat) for seat in (0, 1, None)] == [True, False, True]
    again = Machine(Reference(program)).from_bytes(state.to_bytes())
    for copy in (state.clone(), again, state):
        assert copy.observe(1).values == fresh[1]
        assert copy.observe(0).values == ((7, 0), (7,))
        copy.apply(copy.find(1, "2"))
        assert not copy.is_veiled()
        assert copy.observe(1).values == copy.observe(0).values == ((7, 2), (9,))
    assert all(event.visible_to(program, seat) for event in state.events() for seat in (0, 1))
    assert again.to_bytes() == state.to_bytes()
