"""What the check of secrets promises: where it says nothing, options do not depend on what their player cannot see.

Tiny definitions are made of forms, each with a test in it, and of tests of which some read what is hidden. Each is checked. Those
without a finding are walked, and at each ply the options are asked again with all that is hidden changed.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from interpreter.machine.faults import RuleFault
from interpreter.machine.reference import Reference
from interpreter.machine.state import Machine
from interpreter.model import rule_checks
from interpreter.stages import check_one, compile_model, configurations, read
from interpreter.text.diagnostic import Sink
from tests.properties.walks import Walk, row_of, scrambled, state_of

pytestmark = pytest.mark.slow
BASE = """
game: tiny
title: Tiny
rules: 1
version: 1.0.0
players: 2
winners: players
components: |
  card is a piece:
    printed cost: 0..4
    stake: 0..3
  each player has:
    bid: 0..5, seen by owner
    hand: group of card, seen by owner
  the table has:
    hid: 0..5, seen by nobody
    pool: 0..9
    kept: 0..99
    pack: deck of card = cards
cards: {k1: {cost: 1}, k2: {cost: 2}, k3: {cost: 3}, k4: {cost: 4}}
functions: |
  worth(p: player) = sum of c.cost for c in p.hand
  rich(p: player) = p.bid > 2
  tested = TEST
setup: |
  have players:
    deal 1 from pack to my hand
    draw n from 1..4
    set my bid to n
    set hid to n
effects:
  must: require TEST
  ask:
    takes: {t: true or false}
    do: |
      if t: choose k from 1..2, then set pool to k
      otherwise: choose k from 3..4, then set pool to k
play: |
  have players:
    choose one from 1..2
    set kept to one
FORM
  end game
"""
TESTS = (
    "hid > 2",
    "my bid > 2",
    "p1.bid > 2",
    "rich(p2)",
    "any c in p2.hand where c.cost > 2",
    "any c in my hand where c.cost > 2",
    "worth(me) > 2",
    "worth(p1) > 2",
    "k1 in p2.hand",
    "k2.owner = me",
    "any c in cards where c.owner = p1 and c.cost < 3",
    "(highest of p.bid for p in players) > 3",
    "any my hand",
    "kept > 1",
)
FORMS = (
    "try: choose k from 1..4 where TEST, then set pool to k",
    "require kept < 2 or TEST",
    "try: require TEST\notherwise: choose k from 1..4, then set pool to k",
    "try: choose k from 1..4, then require k > 2 or TEST",
    'may x "X": perform must',
    'either one "One" if TEST: set pool to 1\nor two "Two": set pool to 2',
    'either one "One":\n  set pool to 1\n  perform must\nor two "Two": set pool to 2',
    "repeat up to (if TEST then 2 otherwise 0) times: choose k from 1..4, then set pool to k",
    "choose up to (if TEST then 2 otherwise 1) k from 1..4\nset pool to size(k)",
    "assign g from {k1, k2} to y from 1..4 where y < 3 or TEST: set pool to y",
    "with must allowed: choose k from 1..4, then set pool to k",
    "if can must(): choose k from 1..4, then set pool to k",
    "perform ask(tested)",
    "let n be (if TEST then 2 otherwise 1)\nchoose k from 1..4 where k >= n\nset pool to k",
    "set pool to 8\nchoose k from 0..1\nraise pool by (if TEST then 2 * k otherwise 0)",
    "let low be (first k in 1..4 where k > 2 or TEST) else 1\nchoose up to 1 k from 1..4 where k > low\nset pool to size(k)",
    "if TEST: set pool to 9\nchoose k from 0..1\nraise pool by up to k",
    "if TEST: set pool to 9\nchoose k from 0..1\nif k = 1: raise pool by 1",
    "have opponents: choose k from 1..4 where k > 2 or TEST, then set pool to k",
)


def definition(form: str, test: str) -> str:
    """The text of a game."""
    block = "".join(f"    {line}\n" for line in form.splitlines())
    actor = (
        test.replace("my hand", "p1.hand").replace("my bid", "p1.bid").replace("(me)", "(p1)").replace("= me", "= p1")
    )
    text = BASE.replace("FORM\n", block).replace("tested = TEST", f"tested = {actor}")
    return text.replace("TEST", f"({test})")


def leaks(machine: Machine, seed: int) -> bool:
    """Whether some options on a way through the game change with what their player cannot see."""
    random = Random(seed)
    state = machine.new(seed)
    while not state.is_over():
        walk = Walk(machine, state, random)
        for player in state.to_act():
            if player >= 0:
                for _ in range(4):
                    other = state_of(walk, scrambled(walk.program, row_of(state), player, random))
                    try:
                        if other.legal(player) != state.legal(player):
                            return True
                    except RuleFault:  # nothing could be chosen
                        return True
        state.apply(random.choice(walk.offered()))
    return False


ALLOWED = {"hidden-from-chooser", "may-find-nothing", "changes-nothing", "unused-function", "unused-effect"}


def checked(form: str, test: str, path: Path) -> tuple[Machine | None, bool]:
    """The game, if it can be played, and whether it is said to tell a secret."""
    path.write_text(definition(form, test), encoding="utf-8")
    sink = Sink()
    tree = read(path, sink)
    assert tree is not None, [d.message for d in sink.diagnostics]
    model = check_one(tree, configurations(tree, {}, None)[0], sink)
    found = {d.code for d in sink.diagnostics}
    assert found <= ALLOWED, [d.message for d in sink.diagnostics]
    program = compile_model(model, "", Sink()) if model is not None else None
    return Machine(Reference(program)) if program is not None else None, "hidden-from-chooser" in found


@pytest.mark.parametrize("form", FORMS)
def test_no_finding_no_leak(form: str, tmp_path: Path):
    told = 0
    for k, test in enumerate(TESTS):
        machine, finding = checked(form, test, tmp_path / f"tiny{k}.yaml")
        told += finding
        assert finding or machine is None or not any(leaks(machine, seed) for seed in range(4)), f"{form}: {test}"
    assert told < len(TESTS), "what everybody sees is no secret"
    assert told > 0 or form.startswith("if TEST: set"), "what is stored where all see it is told"


def test_without_the_check_there_are_leaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(rule_checks, "check_secrets", lambda model, sink: None)
    machines = [checked(form, TESTS[0], tmp_path / f"tiny{k}.yaml")[0] for k, form in enumerate(FORMS)]
    assert sum(any(leaks(m, seed) for seed in range(4)) for m in machines if m is not None) > 5
