"""A saved game told again: each action and what it did, and the position where it stops.

In: a game and a save. Out: groups of styled lines, one an action, so that a long game is printed as it goes. It shows everything: a save
is the whole truth.
"""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.drivers.board import draw
from interpreter.drivers.drawing.sight import Seen
from interpreter.drivers.layout import Line, line
from interpreter.drivers.narrate import action_line, end_lines, log_lines
from interpreter.drivers.playthrough import Save, recorded_action, replay
from interpreter.machine.protocol import Game, State


def replay_lines(game: Game, save: Save, to: int | None, clauses: bool, width: int) -> Iterator[list[Line]]:
    """The log up to ply `to` (None: all), then the position there, and the scores if the game was over."""
    header = save.header
    many = "1 player" if header.players == 1 else f"{header.players} players"
    yield [line((f"{game.title}, {many}, seed {header.seed}", "strong"))]
    before: State | None = None
    for entry, state in replay(game, save):
        if to is not None and state.ply > to:
            break
        lines: list[Line] = []
        if entry is not None and before is not None:
            lines.append(((f"{state.ply:>4}", "dim"), *action_line(before, recorded_action(before, entry))))
        lines += [((("      ", "")), *text) for text in log_lines(state.program, state.events(), None, clauses=clauses)]
        yield lines
        before = state
    if before is not None:
        yield [line(), *draw(before.program, Seen.of(before, None), min(width, 100))]
        if before.is_over():
            yield [line(), *end_lines(before, width)]
