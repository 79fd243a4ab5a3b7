"""Counts of action sequences against the files beside: `PLIES COUNT` a line, `finished COUNT` for complete games, `slow` or `soak`
before what takes long; `mod` lays one of our mods over the game. A line is a case of its own, so that a wrong count says at which depth
it begins."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from interpreter.drivers.perft import divide, perft
from interpreter.overlays import Overlays
from interpreter.pipeline import load

HERE = Path(__file__).parent
MODS = HERE.parent.parent / "mods"


@dataclass(frozen=True, slots=True)
class Line:
    """One count of a file. `plies` is None for complete games."""

    game: str
    mod: str
    players: int
    plies: int | None
    count: int
    mark: str


def lines_of(path: Path) -> list[Line]:
    """The counts of a file."""
    game, mod, players, found = "", "", 0, []
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match text.partition("#")[0].split():
            case []:
                pass
            case ["game", game]:
                pass
            case ["mod", mod]:
                pass
            case ["players", count]:
                players = int(count)
            case [*before, depth, count] if before in ([], ["slow"], ["soak"]) and game and players:
                plies = None if depth == "finished" else int(depth)
                found.append(Line(game, mod, players, plies, int(count), "".join(before)))
            case _:
                raise ValueError(f"{path.name}, line {number}: no count")
    return found


MARKS = {"": (), "slow": (pytest.mark.slow,), "soak": (pytest.mark.soak,)}
LINES = [line for path in sorted(HERE.glob("*.perft")) for line in lines_of(path)]
LONGER_THAN_ANY_GAME = 200


@pytest.mark.parametrize(
    "line", [pytest.param(x, id=f"{x.mod or x.game}, {x.plies or 'finished'}", marks=MARKS[x.mark]) for x in LINES]
)
def test_count(line: Line):
    overlays = Overlays((MODS / line.mod / "mod.yaml",) if line.mod else ())
    state = load(line.game, overlays=overlays).new(line.players, 1)
    found = perft(state, LONGER_THAN_ANY_GAME if line.plies is None else line.plies)
    if line.plies is None:
        assert found.finished == line.count
    elif found.sequences != line.count:
        parts = "\n".join(f"{action.text}: {count.sequences}" for action, count in divide(state, line.plies))
        pytest.fail(f"{found.sequences} instead of {line.count}\n{parts}")


def test_there_are_counts():
    assert {line.game for line in LINES} >= {"tic_tac_toe", "connect_four", "kuhn_poker"}
