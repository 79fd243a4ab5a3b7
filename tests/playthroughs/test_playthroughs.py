"""One recorded game of random bots for each shipped game and number of players: played again, and compared line by line.

A line is one seat's choices in a row, then a digest of all fields and pieces by name, so that where things lie in memory does not
matter. A difference here without a change of rules, of the bots or of chance is a fault. `--update` writes what is seen.
"""

from __future__ import annotations

from hashlib import blake2b
from itertools import groupby
from pathlib import Path

import pytest

from interpreter.drivers.layout import plain
from interpreter.drivers.narrate import end_lines
from interpreter.drivers.playthrough import Header
from interpreter.drivers.session import Session
from interpreter.machine.action import CHANCE
from interpreter.machine.protocol import State
from interpreter.paths import shipped_games
from interpreter.pipeline import Game, load

HERE = Path(__file__).parent
SEED = 1
COMMAND = ".venv/bin/pytest tests/playthroughs --update"
CASES = [(name, players) for name in shipped_games() for players in load(name).player_counts]


def digest(state: State) -> str:
    """What can be seen of a position by somebody who sees all, in eight digits."""
    program = state.program
    seen = state.observe(None)
    fields = [(v.address, values) for v, values in zip(program.vars, seen.values, strict=True) if not v.hidden]
    return blake2b(repr((sorted(fields), seen.counts)).encode(), digest_size=4).hexdigest()


def recorded(game: Game, players: int) -> str:
    """The playthrough as text."""
    session = Session(game, Header.of(game, players, SEED, ("random",) * players))
    assert session.advance() is None
    names = session.state.program.domains[session.state.program.player_domain].ids
    state = game.new(players, SEED)
    made = [f"{game.title}, {players} players, seed {SEED}, {len(session.actions())} plies"]
    for player, run in groupby(session.actions(), key=lambda action: action.player):
        words = []
        for action in run:
            state.apply(action)
            words.append(action.text)
        made.append(f"{'chance' if player == CHANCE else names[player]}: {' '.join(words)}  #{digest(state)}")
    return "\n".join([*made, plain(end_lines(state)), ""])


@pytest.mark.parametrize(("name", "players"), CASES, ids=lambda value: str(value))
def test_playthrough(name: str, players: int, update: bool) -> None:
    path = HERE / f"{name}_{players}.txt"
    seen = recorded(load(name), players)
    if update:
        path.write_text(seen, encoding="utf-8")
    kept = path.read_text(encoding="utf-8").split("\n") if path.exists() else []
    for number, (was, now) in enumerate(zip([*kept, ""], [*seen.split("\n"), ""], strict=False), 1):
        assert now == was, f"{path.name}:{number} differs; if the change is meant: {COMMAND}"
    assert len(kept) == len(seen.split("\n")), f"{path.name} is of another length; if the change is meant: {COMMAND}"


def test_no_playthrough_without_a_game() -> None:
    assert {path.stem for path in HERE.glob("*.txt")} == {f"{name}_{players}" for name, players in CASES}
