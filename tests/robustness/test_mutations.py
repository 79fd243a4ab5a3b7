"""Definitions with slips of the pen: whatever is wrong, it is said in words, at a place in the file.

A case that fails is made again by its game and seed: `mutated(text, Random(seed))`.
"""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from cli import rulewright
from interpreter.paths import shipped_games
from tests.robustness.judge import judged
from tests.robustness.mutations import mutated

SMALL = Path(__file__).parent.parent / "properties" / "small"
GAMES = shipped_games() | {path.stem: path for path in sorted(SMALL.glob("*.yaml"))}
BATCHES = 4
BATCH = 8
LARGE = 1
"""Slips of a long definition are seconds each."""
LONG = 10_000
SOAK = int(os.environ.get("RULEWRIGHT_SOAK_GAMES", "1000"))
SEED = int(os.environ.get("RULEWRIGHT_SOAK_SEED", "1"))


def batch(name: str, seeds: range, folder: Path) -> int:
    """Judges some mutations of a game; how many of them had findings."""
    text = GAMES[name].read_text(encoding="utf-8")
    path = folder / "game.yaml"
    wrong = 0
    for seed in seeds:
        path.write_text(mutated(text, Random(seed)), encoding="utf-8", newline="")
        try:
            wrong += bool(judged(path))
        except BaseException as problem:
            problem.add_note(f"{name}, seed {seed}")
            raise
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("first", range(BATCHES))
@pytest.mark.parametrize("name", GAMES)
def test_slips(name: str, first: int, tmp_path: Path):
    size = LARGE if len(GAMES[name].read_text(encoding="utf-8")) > LONG else BATCH
    assert batch(name, range(first * size, (first + 1) * size), tmp_path) > 0


@pytest.mark.soak
@pytest.mark.parametrize("name", GAMES)
def test_many_slips(name: str, tmp_path: Path):
    assert batch(name, range(SEED * 1_000_000, SEED * 1_000_000 + SOAK), tmp_path) > 0


def test_the_command_ends_with_one_of_its_codes(tmp_path: Path):
    """The whole verb, not its parts: exit 0 or 1, findings on the screen, no traceback."""
    text = GAMES["kuhn_poker"].read_text(encoding="utf-8")
    path = tmp_path / "game.yaml"
    codes = set()
    for seed in range(40):
        path.write_text(mutated(text, Random(seed)), encoding="utf-8", newline="")
        result = CliRunner().invoke(rulewright, ["validate", str(path)], env={"XDG_CACHE_HOME": str(tmp_path)})
        assert result.exit_code in (0, 1), f"seed {seed}: {result.output}"
        assert result.exception is None or isinstance(result.exception, SystemExit), f"seed {seed}"
        assert ("error[" in result.output) == (result.exit_code == 1), f"seed {seed}: {result.output}"
        codes.add(result.exit_code)
    assert codes == {0, 1}
