"""Small whole games by hand."""

from __future__ import annotations

from dataclasses import dataclass, replace

from interpreter.ir.ir_types import IntT, SetT
from interpreter.ir.ops import (
    Branch,
    Call,
    Chance,
    Choose,
    Const,
    Emit,
    Halt,
    Jump,
    Let,
    Load,
    Local,
    Query,
    Return,
    Select,
    SetConst,
    Store,
)
from interpreter.ir.program import Hole, PieceType, Program, Term_, Zone
from interpreter.machine.reference import Reference
from interpreter.machine.state import Machine, RowState
from interpreter.overlays import ModUsed
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
        Emit(taken, (Local(0), Local(0), Local(1))),
        term=Branch(op("eq", Load(pile, Const(0)), 0), 2, 3),
    )
    b.block(play, add(last, op("add", Local(0), 1)), term=Halt())
    b.block(play, Let(0, op("sub", 1, Local(0))), term=Jump(0))
    winners = b.func(
        Query("filter", 0, full(2), op("eq", Local(0), Load(last, Const(0))), size=2), IntT(0, 1), result=SetT(2)
    )
    return b.program(winners=winners)


def duel() -> Program:
    """Two seats with a card each from a deck of three; in turn each plays its card or folds; the higher card played wins.

    Cards lie in the box, deck, two hands or on the table; hands are seen by their owners."""
    b = Build(streams=("deck",))
    card = b.domain("card", "jack", "queen", "king")
    where = b.var("card.where", IntT(0, 4), 3, (1, 1, 1))
    b.vars[where] = replace(b.vars[where], owner="piece", piece_type=0, hidden=True)
    zones = (
        Zone("box", "box", -1, 0, "everyone"),
        Zone("deck", "deck", -1, 0, "nobody"),
        Zone("hand", "group", 0, 0, "owner"),
        Zone("hand", "group", 1, 0, "owner"),
        Zone("table", "group", -1, 0, "everyone"),
    )
    b.pieces.append(PieceType(card, where, zones))
    drawn, plays = b.event("", Hole(Local(0), 0), " draws"), b.event(Hole(Local(0), 0), " plays ", Hole(Local(1), card))
    draw, ask = b.decision("setup.deal", card), b.decision("play.turn", labels=("play", "fold"))
    main, turn = (
        b.proc(IntT(0, 2), IntT(0, 2), address="main"),
        b.proc(IntT(0, 1), IntT(0, 2), params=1, address="turn"),
    )
    b.block(main, term=Chance(1, full(3), op("eq", Load(where, Local(1)), 1), None, 1, 0, draw), spill=(0,))
    b.block(
        main,
        Store(where, Local(1), op("add", Local(0), 2)),
        Emit(drawn, (Local(0), Local(0))),
        Let(0, op("add", Local(0), 1)),
        term=Branch(op("lt", Local(0), 2), 0, 2),
    )
    b.block(main, term=Call(turn, (Const(0),), 3))
    b.block(main, term=Call(turn, (Const(1),), 4))
    b.block(main, term=Halt())
    b.block(turn, term=Choose(Local(0), 1, full(2), None, None, 6, ask), spill=(0,))
    b.block(turn, term=Branch(op("eq", Local(1), 0), 7, 8))
    mine = Query("first", 1, full(3), op("eq", Load(where, Local(1)), op("add", Local(0), 2)))
    b.block(
        turn, Let(1, mine), Emit(plays, (Local(0), Local(0), Local(1))), Store(where, Local(1), Const(4)), term=Return()
    )
    b.block(turn, term=Return())
    played = Query("filter", 0, full(3), op("eq", Load(where, Local(0)), 4), size=3)
    winners = b.func(Select(op("seteq", played, SetConst(0, 3)), full(2), SetConst(1, 2)), IntT(0, 2), result=SetT(2))
    points = b.func(op("add", op("mul", Local(0), 2), 1), IntT(0, 1), params=1, result=IntT(0, 9))
    b.terms.append(Term_("points", points, ()))
    return b.program(winners=winners, total=points)


@dataclass(frozen=True, slots=True)
class HandMade:
    """A program as a game."""

    program: Program
    id: str = "small"
    title: str = "Small"
    version: str = "1.0.0"
    hash: str = "0" * 16
    settings: tuple[tuple[str, str], ...] = ()
    mods: tuple[ModUsed, ...] = ()
    sets: tuple[str, ...] = ()

    def texts(self, players: int) -> dict[str, str]:
        """Nothing: it is made by hand."""
        return {}

    def new(self, players: int, seed: int | str) -> RowState:
        """A game at its beginning; the number of players is the program's."""
        assert players == self.program.players
        return Machine(Reference(self.program)).new(seed)


def open_nim() -> HandMade:
    """For processes of their own."""
    return HandMade(nim(stones=9))


def open_duel() -> HandMade:
    """For processes of their own."""
    return HandMade(duel())


def dig() -> Program:
    """One choice, then chance, then a choice, then it is over."""
    b = Build(streams=("ground",))
    v = b.var("found")
    ask, find = b.decision("dig.where"), b.decision("dig.find")
    p = b.proc(IntT(0, 1), IntT(0, 9), address="dig")
    b.block(p, term=Choose(Const(0), 1, full(2), None, None, 1, ask))
    b.block(p, term=Chance(1, full(5), None, None, 2, 0, find))
    b.block(p, add(v, Local(1)), term=Choose(Const(0), 1, full(2), None, None, 3, ask))
    b.block(p, term=Halt())
    return b.program()
