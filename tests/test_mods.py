"""The mods that come with a clone: each is sound, its scenarios hold, and games with it end on both machines."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from interpreter.drivers.layout import plain
from interpreter.drivers.scenario_report import case_lines
from interpreter.drivers.scenarios import run_files
from interpreter.drivers.simulate import Plan, simulate
from interpreter.overlays import Overlays
from interpreter.paths import shipped_games
from interpreter.pipeline import MachineKind, check, load, scenarios

MODS = sorted((Path(__file__).resolve().parent.parent / "mods").glob("*/mod.yaml"))


def game_of(mod: Path) -> Path:
    """The definition that a mod is for, as its scenarios name it."""
    return shipped_games()[scenarios(mod.parent / "scenarios.yaml").game]


@pytest.mark.slow
@pytest.mark.parametrize("mod", MODS, ids=lambda path: path.parent.name)
def test_nothing_is_to_be_said_of_a_mod(mod: Path) -> None:
    assert check(game_of(mod), overlays=Overlays((mod,))).diagnostics == ()


@pytest.mark.parametrize("mod", MODS, ids=lambda path: path.parent.name)
def test_the_cases_of_a_mod_hold(mod: Path) -> None:
    results = list(run_files([mod.parent / "scenarios.yaml"]))
    failed = [result for result in results if result.status != "passed"]
    assert not failed, "\n" + "\n".join(plain(case_lines(result)) for result in failed)


@pytest.mark.slow
@pytest.mark.parametrize("mod", MODS, ids=lambda path: path.parent.name)
def test_games_with_a_mod_end_alike_on_both_machines(mod: Path) -> None:
    kinds: tuple[MachineKind, ...] = ("reference", "wasm")
    ends = []
    for kind in kinds:
        opened = partial(load, str(game_of(mod)), machine=kind, overlays=Overlays((mod,)))
        game = opened()
        players = game.player_counts[0]
        plan = Plan(players, 2, 7, ("random",) * players, 20_000, 0, len(game.program(players).scripted))
        results = simulate(opened, plan)
        ends.append([(r.status, r.plies, r.returns) for r in results])
    assert ends[0] == ends[1]
    assert {status for status, *_ in ends[0]} == {"finished"}
