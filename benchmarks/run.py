"""Speeds and sizes, printed: nothing here passes or fails, and no test reads it.

In: the shipped games. Out: tables on stdout: decisions per second with random bots, wall times of fresh processes with cold and with
filled caches, time per decision by part of the game (decisions.py), the cost of a clone, sizes of state, program and definition.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.decisions import decisions_table  # noqa: E402 - run as a script, the project is not on the path yet
from benchmarks.mods import mods_table  # noqa: E402
from interpreter.drivers.bots.bot import make_bot, view_of  # noqa: E402
from interpreter.drivers.layout import plain, table  # noqa: E402
from interpreter.machine.protocol import NATURE, Game, State  # noqa: E402
from interpreter.paths import shipped_games  # noqa: E402
from interpreter.pipeline import load  # noqa: E402

SECONDS = float(os.environ.get("SECONDS_EACH", "1.5"))
RULES = ("functions", "modifiers", "setup", "play", "phases", "effects", "triggers", "scoring", "winners", "payoff")
OTHER = (
    "game", "title", "rules", "version", "players", "seats", "options", "values", "components", "graphs",
    "modes", "text", "show", "renamed",
)  # fmt: skip


def wall(arguments: list[str], cache: Path, tries: int = 3) -> float:
    """Seconds that a fresh process takes, the best of some."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | {
        "XDG_CACHE_HOME": str(cache)
    }
    best = float("inf")
    for _ in range(tries):
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, str(ROOT / "cli.py"), *arguments], capture_output=True, check=False, env=environment
        )
        best = min(best, time.perf_counter() - start)
    return best


def start_up() -> Iterator[list[str]]:
    """Fresh processes: help, the first run of all, and later ones."""
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        wall(["--help"], cache, 1)
        yield ["--help", f"{wall(['--help'], cache):.2f}"]
        yield ["validate night_soil, the very first run", f"{wall(['validate', 'night_soil'], cache, 1):.2f}"]
        for game in shipped_games():
            yield [f"validate {game}", f"{wall(['validate', game], cache):.2f}"]
        yield ["perft tic_tac_toe 1 (load and one position)", f"{wall(['perft', 'tic_tac_toe', '1'], cache):.2f}"]
        yield ["show night_soil (load and one position)", f"{wall(['show', 'night_soil'], cache):.2f}"]


def pace(game: Game, players: int) -> tuple[int, int, float, State]:
    """Plies, finished games and seconds of random play, and the last position seen in the middle of a game."""
    plies = games = 0
    start = time.perf_counter()
    middle = game.new(players, 0)
    while time.perf_counter() - start < SECONDS:
        state = game.new(players, games)
        bots = [make_bot("random", games, seat) for seat in range(players)]
        while acting := state.to_act():
            state.apply(state.draw() if acting == NATURE else bots[acting[0]].choose(view_of(state, acting[0])))
            plies += 1
            if plies % 64 == 0 and time.perf_counter() - start > SECONDS:
                break
            middle = state
        else:
            games += 1
    return plies, games, time.perf_counter() - start, middle


def clone_cost(state: State) -> float:
    """Microseconds a clone takes."""
    start = time.perf_counter()
    for _ in range(20_000):
        state.clone()
    return (time.perf_counter() - start) / 20_000 * 1e6


def rule_lines(value: object) -> int:
    """Lines of rules in a section: every line of every text, comments and blank lines left out."""
    match value:
        case str():
            return sum(1 for line in value.splitlines() if line.strip() and not line.strip().startswith("#"))
        case dict():
            return sum(rule_lines(v) for k, v in value.items() if k not in ("cite", "takes", "data", "gap"))
        case list():
            return sum(rule_lines(v) for v in value)
        case _:
            return 0


def sizes(path: Path) -> tuple[int, int, int]:
    """Lines of rules, rows of tables, lines of the whole file."""
    text = path.read_text(encoding="utf-8")
    document = yaml.safe_load(text)
    rules = sum(rule_lines(document[key]) for key in RULES if key in document)
    rows = sum(
        sum(isinstance(cells, dict) for cells in table_.values())
        for key, table_ in document.items()
        if key not in RULES + OTHER and isinstance(table_, dict)
    )
    return rules, rows, len(text.splitlines())


def main() -> None:
    """Print every figure."""
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores; aims in brackets\n")
    print(
        plain(
            table(["fresh process, seconds [--help 0.2, validate 0.6]", "s"], list(start_up()), numbers=frozenset({1}))
        )
    )
    speed = []
    size = []
    for name, path in shipped_games().items():
        start = time.perf_counter()
        game = load(str(path), options={}, mode=None)
        loading = time.perf_counter() - start
        for players in game.player_counts:
            plies, games, seconds, middle = pace(game, players)
            program = game.program(players)
            row = [name, str(players), f"{plies / seconds:,.0f}", f"{games / seconds:.1f}", f"{clone_cost(middle):.1f}"]
            speed.append([*row, str(program.row_cells), str(len(program.blocks))])
        size.append([name, *map(str, sizes(path)), f"{loading:.2f}"])
    head = ["game", "players", "plies/s [5,000]", "games/s", "clone µs", "cells", "blocks"]
    print("\n" + plain(table(head, speed, numbers=frozenset(range(1, 7)))))
    print("\n" + mods_table())
    print("\n" + decisions_table())
    head = ["definition", "lines of rules", "rows of tables", "lines in all", "load s"]
    print("\n" + plain(table(head, size, numbers=frozenset(range(1, 5)))))


if __name__ == "__main__":
    main()
