"""The printed form of programs, against files beside this one; each construct occurs once."""

from __future__ import annotations

from pathlib import Path

from interpreter.ir.ir_types import IntT, SeqT, SetT
from interpreter.ir.ops import (
    Alike,
    And,
    Best,
    BestKey,
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
    Fn,
    For,
    Fork,
    Halt,
    If,
    Jump,
    Let,
    Load,
    Local,
    Lookup,
    Or,
    Probe,
    Query,
    Reach,
    Return,
    Select,
    SeqConst,
    SetConst,
    Sort,
    Store,
    Switch,
    Unary,
)
from interpreter.ir.printer import print_program
from interpreter.ir.program import Program
from tests.machine.building import SMALL, Build, full, op
from tests.machine.games import nim

HERE = Path(__file__).parent


def every_construct() -> Program:
    """Everything there is, without sense."""
    b = Build(streams=("decks.main",), forks=True)
    n, s, o = b.var("table.n", count=2), b.var("s", SetT(5)), b.var("order", SeqT(3), initial=((1, 0),))
    near = b.table(1, 2, kind=SetT(5))
    ask, why, e = b.decision("ask"), b.check("why"), b.event("it is")
    f = b.func(Select(op("has", SetConst(5, 3), Local(0)), Const(1), Lookup(near, Const(0))), SMALL, params=1)
    p = b.proc(IntT(0, 1), SMALL, SetT(5), SeqT(3), address="main")
    q = b.proc(IntT(0, 1), params=1, depth=2, address="effects.more")
    x = Local(1)
    extras = (Extra("done", None, 2), Extra("use", op("eq", x, 1), 2, Probe(2), changes=True))
    b.block(
        p,
        Let(1, Unary("neg", op("mod", x, op("min", x, 3)))),
        Let(2, op("minus", Query("filter", 1, Load(s, Const(0)), op("ne", x, 2), size=5), Unary("single", x, 5))),
        Let(3, op("append", Sort(1, SeqConst((2, 0), 3), (BestKey(False, x),), 3), x)),
        Let(2, Best(1, full(5), (BestKey(True, x), BestKey(False, Load(n, x))), 5)),
        Let(2, Reach(1, Lookup(near, x), Const(0), full(2), full(5), 5)),
        If(And((Const(1), Or((Alike(q, (), full(2)), Fn(f, (x,)))))), (Store(n, x, Const(0)),), (Emit(e, (x,)),)),
        If(Const(1), (For(1, op("range", 1, x, 5), (Check(op("subset", Local(2), full(5)), why),)),)),
        Let(1, Query("highest", 1, Load(o, Const(0)), None, op("nth", Local(3), x))),
        term=Choose(Local(0), 1, full(3), op("lt", x, 3), Probe(1), 1, ask, extras, quiet=True),
        spill=(0, 2),
    )
    b.block(p, term=Chance(1, full(3), op("gt", x, 0), x, 2, 0, ask))
    b.block(p, term=Call(q, (Local(0),), 3))
    b.block(p, term=CallEffect(x, (Local(0),), (q, p), 4))
    b.block(p, term=Fork(full(2), q, (), 5))
    b.block(p, term=Branch(op("le", x, 1), 6, 7))
    b.block(p, term=Switch(x, (7, 8)))
    b.block(p, term=Commit(8))
    b.block(p, term=Halt())
    b.block(q, term=Jump(10))
    b.block(q, term=Branch(Const(1), 11, 12))
    b.block(q, term=Return())
    b.block(q, term=Fail(why))
    return b.program()


def compare(text: str, name: str, update: bool) -> None:
    """Against the file; `--update` writes it."""
    path = HERE / name
    if update:
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_every_construct(update):
    compare(print_program(every_construct()), "every_construct.txt", update)


def test_a_game(update):
    compare(print_program(nim()), "nim.txt", update)
