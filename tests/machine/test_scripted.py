"""Seats that act by script: whoever asks one, in the open or in look-ahead, is told so with the rule's address."""

from __future__ import annotations

from pathlib import Path

import pytest

from interpreter.ir.lower import lower
from interpreter.ir.printer import print_program
from interpreter.ir.verify import verify
from interpreter.machine.faults import RuleFault
from interpreter.machine.reference import Reference
from interpreter.machine.state import Machine
from interpreter.model.checker import check_game
from interpreter.model.game_model import Config
from interpreter.stages import read, resolve
from interpreter.text.diagnostic import Sink

HEAD = """\
game: tiny
title: Tiny
rules: 1
version: 1.0.0
players: 1
seats: {{mart: scripted}}
components: |
  place is a thing:
    who: player or nothing = nothing
    worth: 0..9
  each player has:
    coins: 0..9
places: {{a: {{}}, b: {{}}}}
effects:
  ask: |
{ask}
play: |
{play}
winners: players
"""
ASKS = {
    "choose": "choose n from places\nset n.who to me",
    "one option": "choose n from {a}\nset n.who to me",
    "may": "may take: gain 1 coin",
    "may, impossible": "may take: pay 1 coin",
    "either": "either one: gain 1 coin\nor two: gain 2 coins",
    "repeat any number": "repeat any number of times: gain 1 coin",
    "repeat up to": "repeat up to 2 times: gain 1 coin",
    "assign": "assign n from places to m from places: set n.who to me",
    "try": "try: choose n from places, then set n.who to me\notherwise: gain 1 coin",
}


def machine_of(ask: str, play: str, path: Path) -> Machine:
    """A game that has passed every check but the one that would refuse it."""
    indented = ["\n".join("  " * depth + line for line in text.splitlines()) for depth, text in ((2, ask), (1, play))]
    path.write_text(HEAD.format(ask=indented[0], play=indented[1]), encoding="utf-8")
    sink = Sink()
    definition = read(path, sink)
    assert definition is not None, sink.diagnostics
    config = Config(1)
    model = check_game(resolve(definition, config, sink), config, sink)
    assert not sink.has_errors, [d.message for d in sink.diagnostics]
    program = lower(model, sink)
    assert program is not None
    assert not verify(program)
    assert program.scripted == (1,)
    assert "\n  by script 1\n" in print_program(program)
    return Machine(Reference(program))


@pytest.mark.parametrize("name", ASKS)
def test_whoever_asks_it_is_told(name: str, tmp_path: Path) -> None:
    machine = machine_of(ASKS[name], "have mart: perform ask\nend game", tmp_path / "tiny.yaml")
    with pytest.raises(RuleFault, match="Mart acts by script") as fault:
        machine.new(1)
    rule = fault.value.stack[0]
    assert (rule.address, rule.span is not None) == ("effects.ask", True)


def test_look_ahead_that_comes_to_it_is_told_too(tmp_path: Path) -> None:
    play = "have p1:\n  choose m from places\n  have mart: perform ask\nend game"
    machine = machine_of(ASKS["choose"], play, tmp_path / "tiny.yaml")
    state = machine.new(1)
    with pytest.raises(RuleFault, match=r"Mart acts by script, and `effects\.ask\.n`"):
        state.apply(state.legal(0)[0])


def test_at_once(tmp_path: Path) -> None:
    machine = machine_of(
        "choose n from places\nset my coins to 1", "all at once: perform ask\nend game", tmp_path / "t.yaml"
    )
    with pytest.raises(RuleFault, match="Mart acts by script"):
        machine.new(1)


def test_others_are_asked(tmp_path: Path) -> None:
    machine = machine_of(ASKS["choose"], "have players:\n  if me != mart: perform ask\nend game", tmp_path / "t.yaml")
    state = machine.new(1)
    assert state.to_act() == (0,)
    state.apply(state.legal(0)[0])
    assert state.is_over()
    assert len(state.returns()) == 2
