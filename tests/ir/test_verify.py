"""The verifier on programs that are broken in one place each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from interpreter.ir.ir_types import IntT, SeqT, SetT
from interpreter.ir.ops import (
    Alike,
    Branch,
    Call,
    Chance,
    Check,
    Choose,
    Const,
    Emit,
    Fail,
    Fn,
    For,
    Fork,
    Halt,
    If,
    Jump,
    Let,
    Load,
    Local,
    Probe,
    Query,
    Return,
    SetConst,
    Stmt,
    Store,
    Switch,
    Term,
)
from interpreter.ir.program import Block, Program, Term_
from interpreter.ir.verify import verify
from tests.machine.building import SMALL, Build, full, op

Breaker = Callable[[Program], Program]


def sound() -> Program:
    """Two procedures, a function, two variables; nothing is wrong."""
    b = Build(streams=("s",))
    b.var("n"), b.var("s", SetT(5)), b.var("order", SeqT(3), initial=((),))
    b.decision("ask"), b.check("why"), b.event("it is"), b.table(1, 2)
    b.func(op("add", Local(0), 1), SMALL, params=1, result=SMALL)
    b.terms.append(_term())
    main = b.proc(IntT(0, 1), SMALL, SetT(5), SMALL, address="main")
    other = b.proc(IntT(0, 1), SMALL, params=2, address="other")
    b.block(main, Let(2, SetConst(3, 5)), Let(3, Const(1)), term=Call(other, (Local(0), Const(1)), 1), spill=(0, 2, 3))
    b.block(main, term=Choose(Local(0), 1, Local(2), None, Probe(2), 2, 0), spill=(0, 2, 3))
    b.block(main, Store(0, Const(0), op("add", Local(1), Local(3))), term=Halt())
    b.block(other, Store(0, Const(0), Local(1)), term=Return())
    return b.program()


def _term() -> Term_:
    return Term_("points", 0, ())


def block(b: int, *stmts: Stmt, term: Term | None = None, **changes: object) -> Breaker:
    """Puts statements in front of a block's, or gives it another terminator, or changes it otherwise."""

    def apply(program: Program) -> Program:
        old = program.blocks[b]
        new = replace(old, stmts=(*stmts, *old.stmts), term=term or old.term, **changes)  # type: ignore[arg-type] # by name
        return replace(program, blocks=(*program.blocks[:b], new, *program.blocks[b + 1 :]))

    return apply


def proc(p: int, **changes: object) -> Breaker:
    """Changes a procedure."""

    def apply(program: Program) -> Program:
        new = replace(program.procs[p], **changes)  # type: ignore[arg-type] # by name
        return replace(program, procs=(*program.procs[:p], new, *program.procs[p + 1 :]))

    return apply


def var(v: int, **changes: object) -> Breaker:
    """Changes a variable."""

    def apply(program: Program) -> Program:
        new = replace(program.vars[v], **changes)  # type: ignore[arg-type] # by name
        return replace(program, vars=(*program.vars[:v], new, *program.vars[v + 1 :]))

    return apply


def whole(**changes: object) -> Breaker:
    """Changes the program."""
    return lambda program: replace(program, **changes)  # type: ignore[arg-type] # by name


def body(expr: object) -> Breaker:
    """Another body for the function."""
    return lambda program: replace(program, funcs=(replace(program.funcs[0], body=expr),))  # type: ignore[arg-type]


def test_a_sound_program():
    assert verify(sound()) == ()


@pytest.mark.parametrize(
    ("breaker", "words"),
    [
        # ids
        (block(1, id=7), "calls itself 7"),
        (block(1, p=9), "no procedure 9"),
        (proc(0, entry=3), "its entry 3 is no block of its own"),
        (proc(1, params=5), "5 parameters but 2 locals"),
        (whole(entry=4), "no entry procedure 4"),
        (block(2, term=Jump(9)), "no block 9"),
        (block(2, term=Jump(3)), "block 3 of another procedure"),
        (block(2, Let(1, Probe(3))), "block 3 of another procedure"),
        (block(0, term=Call(7, (), 1)), "no procedure 7"),
        (block(0, term=Call(1, (Local(0),), 1)), "1 arguments for procedure 1, which takes 2"),
        (block(2, Let(1, Alike(1, (), SetConst(3, 5)))), "1 arguments for procedure 1"),
        (block(2, term=Switch(Const(0), ())), "without ways"),
        (block(2, Check(Const(1), 3)), "no check 3"),
        (block(2, term=Fail(3)), "no check 3"),
        (block(2, Emit(3, ())), "no event 3"),
        (block(2, If(Const(1), (Store(9, Const(0), Const(0)),))), "no variable 9"),
        (block(1, term=Choose(Local(0), 1, Local(2), None, None, 2, 5)), "no decision 5"),
        (block(1, term=Chance(1, Local(2), None, None, 2, 5, 0)), "no stream 5"),
        (body(Fn(0, (Local(0),))), "goes round"),
        (body(Probe(0)), "looks ahead"),
        # layout
        (whole(first_var=3), "variables begin at cell 3"),
        (var(1, base=15), "inside what ends at"),
        (var(0, initial=(1, 2)), "2 first values for 1 elements"),
        (var(0, initial=(10,)), "first value 10 is no"),
        (var(1, initial=(32,)), "first value 32 is no"),
        (var(2, initial=((0, 3),)), "first value (0, 3) is no"),
        (var(2, initial=((0, 0),)), "first value (0, 0) is no"),
        (whole(first_stack=16), "inside the variables"),
        (whole(row_cells=20), "the row has 20 cells, not"),
        # frames
        (proc(0, slots=(0, 1)), "2 slots for 4 locals"),
        (proc(0, frame=2), "outside its frame of 2 cells"),
        (proc(0, slots=(0, -1, 0, 2)), "over another"),
        (block(1, spill=(0, 1, 2, 3)), "spills local 1, which has no slot"),
        (block(1, spill=(0, 3)), "locals [2] are needed later but not spilled"),
        (block(1, spill=(0, 2)), "locals [3] are needed later but not spilled"),
        (block(0, spill=(0, 2)), "locals [3] are needed later but not spilled"),
        (block(0, Store(0, Const(0), Local(1))), "locals [1] may be read before they are set"),
        (block(0, If(Const(1), (Let(1, Const(1)),)), Store(0, Const(0), Local(1))), "locals [1] may be read"),
        (whole(stack_cells=3), "on a stack of 3"),
        # types
        (block(2, Store(0, Const(0), Local(2))), "into n"),
        (block(2, Store(1, Const(0), SetConst(64, 7))), "into s"),
        (block(2, Let(1, Local(2))), "into local 1"),
        (block(2, Let(9, Const(0))), "into local 9"),
        (block(2, Let(1, Local(9))), "no local 9"),
        (block(2, Let(1, Load(9, Const(0)))), "no variable 9"),
        (block(2, Let(1, Load(0, Local(2)))), "a number is due"),
        (block(2, Check(Local(1), 0)), "0 or 1 is due"),
        (block(2, For(2, Local(2), ())), "local 2 cannot hold"),
        (block(2, For(1, Local(1), ())), "a set or sequence is due"),
        (block(2, Emit(0, (Load(2, Const(0)),))), "cannot carry a sequence"),
        (block(2, Let(1, op("add", Local(1), Local(2)))), "a number is due"),
        (block(2, Let(1, op("nth", Local(2), 1))), "a sequence is due"),
        (block(2, Let(2, SetConst(32, 5))), "outside 0..4"),
        (block(2, Let(1, Query("sum", 1, full(3), None))), "sum without a value"),
        (block(2, Let(1, Query("any", 2, full(3), None))), "local 2 cannot hold"),
        (block(2, Let(1, Fn(0, ()))), "function 0 takes 1 arguments"),
        (block(2, term=Branch(Local(1), 1, 1)), "0 or 1 is due"),
        (block(1, term=Choose(Local(0), 2, Local(2), None, None, 2, 0)), "local 2 cannot hold the choice"),
        (block(1, term=Choose(Local(0), 1, Local(2), Local(0), Local(1), 2, 0)), "0 or 1 is due"),
        (block(1, term=Choose(Local(0), 1, Local(2), None, None, 2, 0, quiet=True)), "quiet without an extra"),
        (block(0, term=Call(1, (Local(0), Local(2)), 1)), "argument 1 of procedure 1"),
        (block(2, term=Fork(full(2), 1, (Const(1),), 1)), "simultaneous play in a program"),
        (body(SetConst(1, 3)), "gives SetT(size=3)"),
        # numbers
        (body(op("add", 2**31 - 9, Local(0))), "function 0 (f0): add may come to what is no number"),
        (block(2, Let(1, op("sub", op("sub", -(2**31) + 5, Local(1)), Local(3)))), "block 2: sub may come to"),
        (block(2, Let(1, op("mul", 2**28, Local(1)))), "block 2: mul may come to"),
        (block(2, Let(1, Query("sum", 1, full(3), None, Const(2**30)))), "block 2: sum may come to"),
        # ends
        (whole(winners=0), "winners: function 0"),
        (whole(scripted=(0,)), "seats (0,) act by script, which are not the last"),
        (whole(scripted=(0, 1)), "seats (0, 1) act by script"),
        (whole(payoff=7), "payoff: no function 7"),
        (whole(total=-2), "total: no function -2"),
    ],
)
def test_what_is_broken_is_named(breaker: Breaker, words: str):
    found = verify(breaker(sound()))
    assert any(words in text for text in found), found


def test_everything_wrong_is_said_at_once():
    broken = block(2, Let(9, Const(0)))(block(1, spill=(0,))(sound()))
    assert len(verify(broken)) >= 2


def test_a_loop_needs_what_its_next_round_reads():
    """Local 3 is set before the loop and read in a later round only."""
    b = Build()
    v, ask = b.var("n"), b.decision("ask")
    p = b.proc(IntT(0, 1), SMALL, SMALL)
    b.block(p, Let(2, Const(1)), term=Jump(1))
    b.block(p, term=Choose(Const(0), 1, full(3), None, None, 2, ask), spill=())
    b.block(p, Store(v, Const(0), Local(2)), term=Jump(1))
    assert verify(b.program()) == ("block 1: locals [2] are needed later but not spilled",)


def test_blocks_out_of_order():
    program = sound()
    swapped: tuple[Block, ...] = (program.blocks[1], program.blocks[0], *program.blocks[2:])
    assert len(verify(replace(program, blocks=swapped))) >= 2


def test_what_is_checked_or_surely_a_number_is_sound():
    program = body(op("add", 2**31 - 10, Local(0)))(sound())
    assert verify(program) == ()
    for part in (
        op("checked_add", 2**31 - 9, Local(1)),
        op("checked_sub", -(2**31) + 5, Local(1)),
        op("checked_mul", 2**28, Local(1)),
        Query("checked_sum", 1, full(3), None, Const(2**30)),
        # What may be nothing is there where it is reckoned with.
        op("mul", Query("highest", 1, full(3), None, Local(1)), -1),
    ):
        assert verify(block(2, Let(3, part))(sound())) == ()
