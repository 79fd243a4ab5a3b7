"""Laws on seeded random walks, for every game, player count, switch and mode; what is random is drawn by Hypothesis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
import yaml
from _pytest.mark.structures import ParameterSet
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interpreter.machine.reference import Reference
from interpreter.machine.state import Machine
from interpreter.model.game_model import Config
from interpreter.paths import shipped_games
from interpreter.stages import resolve
from interpreter.text.diagnostic import Sink
from tests.properties.accounts import Accounts, accounts_of, announced, extras_of
from tests.properties.walks import LAWS, Options, definition_of, program_of, row_of, walk, ways_to_play

HERE = Path(__file__).parent
# Every law at each ply; a long game has fewer walks and plies where all laws are looked at, as its entry in conservation.yaml says.
WALKS = 10
SMALL = {path.stem: path for path in sorted(HERE.glob("small/*.yaml"))}
GAMES = shipped_games() | SMALL
KEPT = yaml.safe_load((HERE / "conservation.yaml").read_text(encoding="utf-8"))


def is_switched(config: Config) -> bool:
    """Whether an option is turned on."""
    return any(value == 1 for _, value in config.options)


def cases(*, all_of_them: bool) -> Iterator[tuple[str, Config]]:
    """Every game at every player count; in a mode chosen by hand at the two fewest; with an option turned on at the two fewest, but
    long games so only if all are wanted (test_soak.py)."""
    for name, path in GAMES.items():
        ways = ways_to_play(path)
        few = sorted({config.players for config in ways})[:2]
        own = {config.players: config.mode for config in reversed(ways)}
        for config in ways:
            if is_switched(config) and KEPT[name].get("walks") == 1 and not all_of_them:
                continue
            if config.players in few or (not is_switched(config) and config.mode == own[config.players]):
                yield name, config


def named(found: Iterable[tuple[str, Config]]) -> list[ParameterSet]:
    """Cases with names for their tests."""
    return [pytest.param(name, config, id=f"{name}, {config.label()}") for name, config in found]


CASES, ALL_CASES = named(cases(all_of_them=False)), named(cases(all_of_them=True))


def quick(walks: int) -> settings:
    """So many walks, the same ones every time."""
    return settings(
        max_examples=walks,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def made(name: str, config: Config) -> tuple[Machine, Accounts]:
    """A game whose procedures announce themselves, and its accounts."""
    definition = definition_of(GAMES[name])
    kept = KEPT[name]
    always = kept.get("always", [])
    program = program_of(definition, config, extras_of(always))
    accounts = accounts_of(program, resolve(definition, config, Sink()), kept.get("sums", {}), always)
    loud = announced(program)
    accounts.program = loud
    return Machine(Reference(loud)), accounts


@pytest.mark.slow
@pytest.mark.parametrize(("name", "config"), CASES)
def test_laws(name: str, config: Config):
    machine, accounts = made(name, config)
    blank = row_of(machine.blank(1))
    met: Options = {}

    walks, every = KEPT[name].get("walks", WALKS), KEPT[name].get("every", 1)

    @quick(max(1, walks // 2) if is_switched(config) else walks)
    @given(seed=st.integers(0, 2**32), prefix=st.lists(st.integers(0, 40), max_size=12))
    def check(seed: int, prefix: list[int]):
        accounts.open(blank)
        w = walk(machine, seed, prefix, LAWS, met, account=accounts.law, every=every)
        assert w.ply <= KEPT[name]["most_plies"]
        if KEPT[name].get("zero_sum"):
            assert sum(w.state.returns()) == 0

    check()
