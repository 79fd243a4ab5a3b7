"""The mods that come with a clone: they are sound, the scenarios of each hold, and games with them end on both machines.

All mods of a game are looked at together, one over the other; `make soak` takes each alone.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pytest

from interpreter.drivers.layout import plain
from interpreter.drivers.scenario_report import case_lines
from interpreter.drivers.scenarios import run_files
from interpreter.drivers.simulate import Plan, Status, simulate
from interpreter.overlays import Overlays
from interpreter.paths import shipped_games
from interpreter.pipeline import MachineKind, check, load, scenarios
from interpreter.stages import IDLE, check_one, configurations, option_values, read
from interpreter.text.diagnostic import Sink

MODS = sorted((Path(__file__).resolve().parent.parent / "mods").glob("*/mod.yaml"))
KINDS: tuple[MachineKind, ...] = ("reference", "wasm")
SOAK_GAMES = int(os.environ.get("RULEWRIGHT_SOAK_GAMES", "200"))


def game_of(mod: Path) -> str:
    """The id of the game that a mod is for, as its scenarios name it."""
    return scenarios(mod.parent / "scenarios.yaml").game


def all_of(game: str) -> Overlays:
    """All mods of a game, one over the other: what is to be said of one is said of them all."""
    return Overlays(tuple(mod for mod in MODS if game_of(mod) == game))


LONGEST = ("night_flowers", "night_market")
"""Games whose programs take seconds to make."""
GAMES = sorted({game_of(mod) for mod in MODS})


def ends(game: str, overlays: Overlays, players: int, games: int) -> list[list[tuple[Status, int, tuple[float, ...]]]]:
    """How random games end, on one machine and on the other."""
    found = []
    for kind in KINDS:
        opened = partial(load, str(shipped_games()[game]), machine=kind, overlays=overlays)
        plan = Plan(players, games, 7, ("random",) * players, 20_000, 0, len(opened().program(players).scripted))
        found.append([(r.status, r.plies, r.returns) for r in simulate(opened, plan)])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_nothing_is_to_be_said_of_the_mods_of_a_game(game: str) -> None:
    sink = Sink()
    definition = read(shipped_games()[game], sink, all_of(game))
    assert definition is not None
    # For the most players; soak has every number of players, option and mode.
    most, own = definition.players[1], option_values(definition, {})
    check_one(
        definition, next(w for w in configurations(definition, {}, None) if (w.players, w.options) == (most, own)), sink
    )
    assert [d for d in sink.diagnostics if d.code not in IDLE] == []


@pytest.mark.slow
@pytest.mark.parametrize("mod", MODS, ids=lambda path: path.parent.name)
def test_the_cases_of_a_mod_hold(mod: Path) -> None:
    results = list(run_files([mod.parent / "scenarios.yaml"]))
    failed = [result for result in results if result.status != "passed"]
    assert not failed, "\n" + "\n".join(plain(case_lines(result)) for result in failed)


@pytest.mark.slow
@pytest.mark.parametrize("game", [pytest.param(g, marks=[pytest.mark.soak] if g in LONGEST else []) for g in GAMES])
def test_games_with_all_mods_end_alike_on_both_machines(game: str) -> None:
    overlays = all_of(game)
    players = load(game, overlays=overlays).player_counts[0]
    reference, fast = ends(game, overlays, players, 2)
    assert reference == fast
    assert {status for status, *_ in fast} == {"finished"}


@pytest.mark.soak
@pytest.mark.parametrize("mod", MODS, ids=lambda path: path.parent.name)
def test_each_mod_alone_is_sound_and_its_games_end(mod: Path) -> None:
    game, overlays = game_of(mod), Overlays((mod,))
    assert check(shipped_games()[game], overlays=overlays).diagnostics == ()
    for players in load(game, overlays=overlays).player_counts:
        reference, fast = ends(game, overlays, players, SOAK_GAMES)
        assert reference == fast
        assert {status for status, *_ in fast} == {"finished"}
