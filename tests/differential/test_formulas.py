"""Formulas against probes: a program whose look-ahead is all probes offers the same options at every ply of the same walk.

The probe runs the rules themselves on a copy, so it is the meaning; a formula is only a faster way to it.
"""

from __future__ import annotations

from random import Random

import pytest

from interpreter import paths
from interpreter.ir.lower import lower
from interpreter.machine.reference import Reference
from interpreter.machine.state import Machine, RowState
from interpreter.model.checker import check_game
from interpreter.model.game_model import Config
from interpreter.stages import mode_of, option_values, resolve
from interpreter.text.diagnostic import Sink
from tests.properties.walks import definition_of

pytestmark = pytest.mark.slow
GAMES = sorted(paths.shipped_games())
SEEDS = 1
PLIES = 110


def machines(name: str, players: int) -> tuple[Machine, Machine]:
    """The same game with formulas and without."""
    definition = definition_of(paths.shipped_games()[name])
    sink = Sink()
    own = mode_of(definition, players, None)
    config = Config(players, option_values(definition, {}), own.name if own is not None else None)
    model = check_game(resolve(definition, config, sink), config, sink)
    found = []
    for formulas in (True, False):
        program = lower(model, sink, "", formulas)
        assert program is not None, sink.diagnostics
        found.append(Machine(Reference(program)))
    return found[0], found[1]


def offered(state: RowState) -> list[tuple[int, str, tuple[str, ...]]]:
    """Everything that anybody may do now."""
    return [(p, state.decision(p), tuple(a.text for a in state.legal(p))) for p in state.to_act() if p >= 0]


def counts(name: str) -> list[int]:
    """The fewest and the most players."""
    low, high = definition_of(paths.shipped_games()[name]).players
    return sorted({low, high})


@pytest.mark.parametrize(("name", "players"), [(n, c) for n in GAMES for c in counts(n)])
def test_formulas_offer_what_probes_offer(name: str, players: int) -> None:
    with_formulas, with_probes = machines(name, players)
    for seed in range(SEEDS):
        a, b = with_formulas.new(seed), with_probes.new(seed)
        random = Random(seed)
        for ply in range(PLIES):
            if a.is_over():
                break
            assert offered(a) == offered(b), f"{name}, {players} players, seed {seed}, ply {ply}"
            if a.to_act()[0] < 0:
                assert a.draw() == b.draw()
                action = a.draw()
            else:
                player = random.choice(a.to_act())
                action = random.choice(a.legal(player))
            a.apply(action)
            b.apply(action)
        assert a.is_over() == b.is_over()
