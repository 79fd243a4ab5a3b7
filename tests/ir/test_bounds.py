"""Types that hold, and which arithmetic is checked."""

from __future__ import annotations

from dataclasses import replace

from interpreter.ir.bounds import bounded, hopeless
from interpreter.ir.ir_types import INT32, NOTHING, IntT
from interpreter.ir.ops import (
    Binary,
    Branch,
    Call,
    Check,
    Const,
    Expr,
    Fn,
    Halt,
    Let,
    Load,
    Local,
    Query,
    Return,
    Select,
    Store,
)
from interpreter.ir.program import Program
from interpreter.ir.verify import verify
from interpreter.text.source import nowhere
from tests.machine.building import SMALL, Build, full, op

ANY = IntT(*INT32)
SEAT = IntT(0, 1)
BIG = 10**9


def settled(b: Build) -> Program:
    """The program with bounds, which then is sound."""
    program = bounded(b.program())
    assert verify(program) == ()
    return program


def lets(*values: Expr) -> Program:
    """A procedure that puts values into locals of its own, which may be any number."""
    b = Build()
    b.var("small", IntT(0, 9))
    b.var("large", IntT(0, BIG))
    p = b.proc(SEAT, *[ANY for _ in values], params=1)
    b.block(p, *[Let(1 + n, value) for n, value in enumerate(values)], term=Halt())
    return settled(b)


def operations(program: Program) -> list[str]:
    """The operations put into locals, in order."""
    values = [stmt.value for block in program.blocks for stmt in block.stmts if isinstance(stmt, Let)]
    return [v.op if isinstance(v, Binary) else v.kind if isinstance(v, Query) else "" for v in values]


SMALL_ONE, LARGE_ONE = Load(0, Const(0)), Load(1, Const(0))


def test_only_what_may_leave_is_checked():
    program = lets(op("add", LARGE_ONE, BIG), op("add", Local(1), BIG), op("sub", 0, Local(1)), op("mul", SMALL_ONE, 9))
    assert operations(program) == ["add", "checked_add", "sub", "mul"]
    assert program.procs[0].locals == (
        SEAT,
        IntT(BIG, 2 * BIG),
        IntT(2 * BIG, INT32[1]),
        IntT(-2 * BIG, -BIG),
        IntT(0, 81),
    )


def test_the_least_number_has_a_counterpart():
    """The least int32 is no number: it says that there is none."""
    assert operations(lets(op("sub", -(2**31) + 10, SMALL_ONE))) == ["sub"]
    assert operations(lets(op("sub", -(2**31) + 9, SMALL_ONE))) == ["checked_sub"]


def test_sums_count_their_elements():
    two, three = (Query("sum", 0, full(n), None, LARGE_ONE) for n in (2, 3))
    assert operations(lets(two, three)) == ["sum", "checked_sum"]


def test_a_name_holds_whatever_is_put_into_it():
    b = Build()
    p = b.proc(SEAT, ANY, ANY, params=1)
    b.block(p, Let(1, Const(3)), term=Branch(op("lt", Local(0), 1), 1, 2))
    b.block(p, Let(1, Const(70_000)), term=Branch(Const(1), 2, 2))
    b.block(p, Let(2, op("mul", Local(1), Local(1))), term=Halt())
    program = settled(b)
    assert program.procs[0].locals[1] == IntT(3, 70_000)
    assert operations(program)[-1] == "checked_mul"


def test_a_name_that_grows_may_be_any_number():
    b = Build()
    p = b.proc(SEAT, ANY, params=1)
    b.block(p, Let(1, Const(0)), term=Branch(Const(1), 1, 1))
    b.block(p, Let(1, op("add", Local(1), 1)), term=Branch(op("lt", Local(1), 9), 1, 2))
    b.block(p, term=Halt())
    assert operations(settled(b)) == ["", "checked_add"]


def test_a_parameter_holds_what_it_is_given():
    b = Build()
    square = b.func(op("mul", Local(0), Local(0)), SMALL, params=1, result=IntT(0, 81))
    game, effect = b.proc(SEAT, ANY, params=1), b.proc(SEAT, SMALL, ANY, params=2)
    b.block(game, Let(1, Fn(square, (Const(60_000),))), term=Call(effect, (Local(0), Const(50_000)), 1))
    b.block(game, term=Halt())
    b.block(effect, Let(2, op("mul", Local(1), Local(1))), term=Return())
    program = settled(b)
    assert program.funcs[0].locals == (IntT(0, 60_000),)
    assert program.funcs[0].body == op("checked_mul", Local(0), Local(0))
    assert program.funcs[0].result == IntT(0, INT32[1])
    assert program.procs[1].locals[1] == IntT(0, 50_000)
    assert operations(program)[-1] == "checked_mul"


def test_a_parameter_that_feeds_itself():
    b = Build()
    game, effect = b.proc(SEAT, params=1), b.proc(SEAT, SMALL, params=2)
    b.block(game, term=Call(effect, (Local(0), Const(1)), 1))
    b.block(game, term=Halt())
    b.block(effect, term=Branch(op("lt", Local(1), 5), 3, 4))
    b.block(effect, term=Call(effect, (Local(0), op("add", Local(1), 1)), 4))
    b.block(effect, term=Return())
    program = settled(b)
    assert program.procs[1].locals[1] == IntT(0, INT32[1])


def test_what_is_there_stays_a_promise():
    """A thing that may be nothing is given where a thing is due, as the rules have tested that there is one."""
    b = Build()
    b.var("thing", IntT(NOTHING, 7))
    f = b.func(Local(0), IntT(0, 7), params=1, result=IntT(0, 7))
    p = b.proc(SEAT, ANY, params=1)
    b.block(p, Let(1, Fn(f, (Load(0, Const(0)),))), term=Halt())
    assert settled(b).funcs[f].locals == (IntT(0, 7),)


def test_what_stands_behind_else_is_there():
    b = Build()
    highest = Query("highest", 0, full(2), None, Load(0, Const(0)))
    b.var("small", IntT(5, 9), initial=5)
    p = b.proc(SEAT, ANY, params=1)
    value = Select(op("eq", highest, -(2**31)), Const(0), highest)
    b.block(p, Let(1, op("mul", value, 10**8)), term=Halt())
    assert operations(settled(b)) == ["mul"]


def test_room_for_more_is_asked_the_other_way_round():
    """Where the sum may be no number; and not where the rules themselves ask so."""
    b = Build()
    v = b.var("coins", IntT(0, BIG))
    why = b.check("no room")
    p = b.proc(SEAT, ANY, params=1)
    room = op("le", op("add", Load(v, Const(0)), Local(1)), BIG)
    asked = op("le", replace(op("add", Load(v, Const(0)), Local(1)), at=1), BIG)
    b.block(p, Let(1, Const(2 * BIG)), Check(room, why), Check(asked, why), Store(v, Const(0), Const(0)), term=Halt())
    first, second = (stmt.condition for stmt in settled(b).blocks[0].stmts if isinstance(stmt, Check))
    assert first == op("le", Local(1), op("sub", BIG, Load(v, Const(0))))
    assert second == op("le", op("checked_add", Load(v, Const(0)), Local(1)), BIG)


def test_what_never_is_a_number_is_found():
    b = Build()
    never, perhaps = (replace(op("add", Local(1), n), at=at) for at, n in ((1, BIG), (2, 0)))
    p = b.proc(SEAT, ANY, ANY, ANY, params=1)
    b.block(p, Let(1, Const(2 * BIG)), Let(2, never), Let(3, perhaps), term=Halt())
    program = bounded(replace(b.program(), places=(nowhere(), nowhere())))
    assert hopeless(program) == [(1, 3 * BIG, 3 * BIG)]


def test_what_is_a_number_elsewhere_is_not_hopeless():
    """A formula may speak of a way that is never gone."""
    b = Build()
    p = b.proc(SEAT, ANY, ANY, params=1)
    here, there = (replace(op("add", a, BIG), at=1) for a in (Const(2 * BIG), Const(2)))
    b.block(p, Let(1, here), Let(2, there), term=Halt())
    assert hopeless(bounded(b.program())) == []
