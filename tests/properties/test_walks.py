"""The laws can fail: programs that were damaged on purpose are caught."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from interpreter.ir.ops import Choose, Const, Store
from interpreter.ir.program import Block, Program
from interpreter.machine.faults import RuleFault
from interpreter.machine.reference import Reference
from interpreter.machine.state import Machine
from tests.properties.test_laws import SMALL, made
from tests.properties.walks import LAWS, Law, Walk, definition_of, program_of, row_of, walk, ways_to_play


def broken(name: str, change: Callable[[Program], Program]) -> Machine:
    """A small game, damaged, for as many as it takes."""
    path = SMALL[name]
    return Machine(Reference(change(program_of(definition_of(path), ways_to_play(path)[-1]))))


def blocks_of(program: Program, address: str, change: Callable[[Block], Block]) -> Program:
    """The program with the blocks of one rule changed."""
    blocks = tuple(change(b) if program.procs[b.p].address == address else b for b in program.blocks)
    assert blocks != program.blocks
    return replace(program, blocks=blocks)


def walk_all(machine: Machine, laws: tuple[Law, ...]) -> None:
    """A few walks."""
    for seed in range(8):
        walk(machine, seed, (), laws)


def test_unhurt():
    walk_all(broken("traders", lambda program: program), LAWS)


def test_a_token_that_is_lost():
    """`move 1 coin from p to me` without its second half."""
    machine, accounts = made("traders", ways_to_play(SMALL["traders"])[0])

    def forgets(block: Block) -> Block:
        stores = [s for s in block.stmts if isinstance(s, Store)]
        return replace(block, stmts=tuple(s for s in block.stmts if s not in stores[1:2]))

    hurt = Machine(Reference(blocks_of(machine.program, "effects.trade", forgets)))

    def count(w: Walk) -> None:
        if w.ply == 0:
            accounts.open(row_of(w.state))
        accounts.law(w)

    with pytest.raises(AssertionError, match=r"coins: .* became .* no rule that ran says so"):
        walk_all(hurt, (count,))


def test_an_option_that_cannot_be_completed():
    def careless(block: Block) -> Block:
        return replace(block, term=replace(block.term, look=None)) if isinstance(block.term, Choose) else block

    machine = broken("traders", lambda program: blocks_of(program, "effects.trade", careless))
    with pytest.raises(RuleFault):
        walk_all(machine, LAWS)


def test_an_option_that_depends_on_what_is_hidden():
    """What is bought depends on coins; a player who does not see coins learns of them by their options."""

    def blind(program: Program) -> Program:
        return replace(
            program,
            vars=tuple(
                replace(v, visibility="nobody") if v.address == "components.player.coins" else v for v in program.vars
            ),
        )

    with pytest.raises(AssertionError):
        walk_all(broken("traders", blind), LAWS)


def test_seats_that_disturb_each_other():
    """Bids of all seats that go to the first seat's place."""

    def together(block: Block) -> Block:
        stmts = tuple(replace(s, index=Const(0)) if isinstance(s, Store) else s for s in block.stmts)
        return replace(block, stmts=stmts)

    machine = broken("sealed_bids", lambda program: blocks_of(program, "phases.round.bid.at_once", together))
    with pytest.raises(AssertionError):
        walk_all(machine, LAWS)
