"""Small whole games by hand."""

from __future__ import annotations

from interpreter.ir.ir_types import IntT, SetT
from interpreter.ir.ops import Branch, Choose, Const, Emit, Halt, Jump, Let, Load, Local, Query
from interpreter.ir.program import Hole, Program
from tests.machine.building import Build, add, full, op


def nim(stones: int = 5, most: int = 3) -> Program:
    """Two seats take 1..most stones in turn; who takes the last one wins."""
    b = Build()
    pile = b.var("pile", IntT(0, 99), initial=stones)
    last = b.var("last", IntT(-1, 1), initial=-1)
    taken = b.event("", Hole(Local(0), 0), " takes ", Hole(Local(1), -1))
    ask = b.decision("play.take")
    play = b.proc(IntT(0, 1), IntT(0, most), address="play")
    b.block(
        play,
        term=Choose(
            Local(0), 1, op("range", 1, most, most + 1), op("le", Local(1), Load(pile, Const(0))), None, 1, ask
        ),
        spill=(0,),
    )
    b.block(
        play,
        add(pile, op("sub", 0, Local(1))),
        Emit(taken, (Local(0), Local(1))),
        term=Branch(op("eq", Load(pile, Const(0)), 0), 2, 3),
    )
    b.block(play, add(last, op("add", Local(0), 1)), term=Halt())
    b.block(play, Let(0, op("sub", 1, Local(0))), term=Jump(0))
    winners = b.func(
        Query("filter", 0, full(2), op("eq", Local(0), Load(last, Const(0))), size=2), IntT(0, 1), result=SetT(2)
    )
    return b.program(winners=winners)
