"""Long runs, for `make soak`: RULEWRIGHT_SOAK_GAMES games at each player count and mode, from RULEWRIGHT_SOAK_SEED on."""

from __future__ import annotations

import os
from functools import partial

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from interpreter.drivers.bots.bot import RANDOM
from interpreter.drivers.simulate import Plan, simulate, summarise
from interpreter.model.game_model import Config
from interpreter.paths import shipped_games
from interpreter.pipeline import load
from tests.properties.test_laws import ALL_CASES, KEPT, WALKS, made
from tests.properties.walks import LAWS, Options, row_of, walk

pytestmark = pytest.mark.soak
GAMES = int(os.environ.get("RULEWRIGHT_SOAK_GAMES", "1000"))
SEED = int(os.environ.get("RULEWRIGHT_SOAK_SEED", "1"))
JOBS = 2
COUNTS = [(name, players) for name in shipped_games() for players in load(name).player_counts]


@pytest.mark.parametrize(("name", "players"), COUNTS)
def test_games_end_by_the_rules(name: str, players: int):
    plan = Plan(players, GAMES, SEED, (RANDOM,) * players, limit_actions=KEPT[name]["most_plies"])
    report = summarise(plan, simulate(partial(load, name), plan, JOBS))
    assert report.trouble == (), [(r.status, r.seed, r.plies, r.message, r.place) for r in report.trouble[:5]]
    assert report.played == GAMES


@pytest.mark.parametrize(("name", "config"), ALL_CASES)
def test_laws_for_longer(name: str, config: Config):
    machine, accounts = made(name, config)
    blank = row_of(machine.blank(1))
    met: Options = {}
    walks = max(1, GAMES // 10 * KEPT[name].get("walks", WALKS) // WALKS)

    @seed(SEED)
    @settings(max_examples=walks, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(start=st.integers(0, 2**32), prefix=st.lists(st.integers(0, 40), max_size=60))
    def check(start: int, prefix: list[int]):
        accounts.open(blank)
        w = walk(machine, start, prefix, LAWS, met, account=accounts.law)
        assert w.ply <= KEPT[name]["most_plies"]

    check()
