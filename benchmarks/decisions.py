"""Time per decision by part of the game, printed: do decisions get slower as things pile up?

In: shipped games, all or those named as arguments. Out: a table on stdout, from whole games of random bots at each game's middle player
count: for each round (or season, or what else the game counts them by; quarters of the plies where it counts none) how many decisions a
game has there, the processor's microseconds for one (listing the options, choosing, applying), and how many options there were. What
chance takes is in no figure but the plies.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from interpreter.drivers.bots.bot import make_bot, view_of  # noqa: E402
from interpreter.drivers.drawing.words import field_name, show_data, words_of  # noqa: E402 - run as a script, the project is not on the path yet
from interpreter.drivers.layout import plain, table  # noqa: E402
from interpreter.ir.ir_types import IntT  # noqa: E402
from interpreter.ir.program import Program  # noqa: E402
from interpreter.machine.protocol import NATURE, Game  # noqa: E402
from interpreter.paths import shipped_games  # noqa: E402
from interpreter.pipeline import load  # noqa: E402

SECONDS = float(os.environ.get("SECONDS_EACH", "1.5"))
LEAST_GAMES: Final = 5
PARTS: Final = 4
TIMES: Final = ("round", "season", "year", "day", "era", "age", "turn")
HEAD: Final = ("game", "players", "part", "decisions/game", "µs/decision", "options", "most")


@dataclass(frozen=True, slots=True)
class Made:
    """A decision: the part of the game it was made in, nanoseconds, and the number of options."""

    part: str
    spent: int
    options: int


def clock_of(program: Program) -> int | None:
    """The field of the table that counts rounds or the like, by its name or its title; None if there is none."""
    show = show_data(program)
    for v, var in enumerate(program.vars):
        if var.owner != "table" or var.keys or var.hidden or not isinstance(var.type, IntT):
            continue
        entry = show.get(field_name(var))
        title = str(entry.get("title", "")) if isinstance(entry, dict) else ""
        if {*words_of(field_name(var)).split(), *title.split()} & {*TIMES}:
            return v
    return None


def play_through(game: Game, players: int, seed: int, clock: int | None) -> tuple[int, list[Made]]:
    """A whole game of random bots: its plies, and its decisions."""
    state = game.new(players, seed)
    bots = [make_bot("random", seed, seat) for seat in range(players)]
    made: list[Made] = []
    while acting := state.to_act():
        if acting == NATURE:
            state.apply(state.draw())
            continue
        part = "" if clock is None else _named(state.program, clock, state.observe(None).values[clock][0])
        start = time.process_time_ns()
        view = view_of(state, acting[0])
        state.apply(bots[acting[0]].choose(view))
        made.append(Made(part, time.process_time_ns() - start, len(view.legal)))
    if clock is None:
        made = [Made(f"quarter {1 + n * PARTS // len(made)}", m.spent, m.options) for n, m in enumerate(made)]
    return state.ply, made


def _named(program: Program, clock: int, value: object) -> str:
    """A value of the counting field, with the field's word."""
    var = program.vars[clock]
    names = program.domains[var.domain].names if var.domain >= 0 else ()
    return names[value] if isinstance(value, int) and 0 <= value < len(names) else f"{field_name(var)} {value}"


def rows_of(name: str, game: Game, players: int, clock: int | None) -> Iterator[list[str]]:
    """The table's rows for one game: its parts in their order, and the whole."""
    play_through(game, players, 0, clock)  # what is only worked out once is not counted
    plies: list[int] = []
    made: list[Made] = []
    start = time.perf_counter()
    while len(plies) < LEAST_GAMES or time.perf_counter() - start < SECONDS:
        count, decisions = play_through(game, players, len(plies), clock)
        plies.append(count)
        made += decisions
    named = dict.fromkeys(m.part for m in made)
    parts = {part: [m for m in made if m.part == part] for part in (sorted(named) if clock is None else named)}
    for part, group in parts.items():
        yield _row(name, players, part, group, len(plies))
    first, *_, last = parts.values() if len(parts) > 1 else (made, made)
    each = f"{sum(plies) / len(plies):,.0f} plies, last/first {_mean(last) / _mean(first):.2f}"
    yield _row(name, players, f"all: {each}", made, len(plies))


def _mean(made: Sequence[Made]) -> float:
    """Microseconds a decision."""
    return sum(m.spent for m in made) / len(made) / 1000


def _row(name: str, players: int, part: str, made: Sequence[Made], games: int) -> list[str]:
    options = [m.options for m in made]
    figures = (
        f"{len(made) / games:,.1f}",
        f"{_mean(made):,.0f}",
        f"{sum(options) / len(options):.1f}",
        str(max(options)),
    )
    return [name, str(players), part, *figures]


def decisions_table(wanted: Sequence[str] = ()) -> str:
    """The whole table, or that of some games."""
    rows: list[list[str]] = []
    for name, path in shipped_games().items():
        if wanted and name not in wanted:
            continue
        game = load(str(path), options={}, mode=None)
        counts = game.player_counts
        players = counts[len(counts) // 2]
        rows += rows_of(name, game, players, clock_of(game.program(players)))
    return plain(table(HEAD, rows, numbers=frozenset({1, 3, 4, 5, 6})))


if __name__ == "__main__":
    print(decisions_table(sys.argv[1:]))
