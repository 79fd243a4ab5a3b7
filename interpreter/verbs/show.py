"""The verb `show`."""

from __future__ import annotations

from pathlib import Path

import click

from interpreter.drivers import show as showing
from interpreter.drivers.board import draw
from interpreter.drivers.drawing.sight import Seen
from interpreter.drivers.drawing.words import show_data
from interpreter.drivers.layout import Line, plain
from interpreter.drivers.terminal import When
from interpreter.verbs.answers import answering, screen, write
from interpreter.verbs.family import verb
from interpreter.verbs.flags import LOOK, OUT, PLAYERS, PLAYERS_AT_MOST, SEED, Chosen, Whole, rule_flags, seed_of
from interpreter.verbs.games import loaded, open_save, seats_of, state_of


@verb
@click.argument("game")
@click.argument("what", type=click.Choice(["position", "graph", "cards"]), default="position")
@click.option("--at", type=click.Path(path_type=Path), metavar="SAVE", help="The position where a saved game stands.")
@click.option(
    "--seat", type=Whole(1, PLAYERS_AT_MOST), metavar="N", help="As that seat sees it.  [default: everything]"
)
@click.option("--data", is_flag=True, help="Which data are reconstructed, and why.")
@click.option("--format", "form", type=click.Choice(["human", "svg"]), default="human", help="Form of a graph.")
@PLAYERS
@SEED
@rule_flags
@OUT
@LOOK
def show(
    game: str,
    what: str,
    at: Path | None,
    seat: int | None,
    data: bool,
    form: str,
    players: int | None,
    seed: str | None,
    chosen: Chosen,
    out: Path | None,
    color: When,
    no_color: bool,
    ascii_only: bool,
) -> None:
    """Draw a game: the position at its start or in a save, its graphs, its tables (cards), where its data come from."""
    if form == "svg" and (what != "graph" or data):
        raise click.UsageError("only graphs can be drawn as SVG: show GAME graph --format svg")
    shown = screen(color, no_color, ascii_only)
    room = min(shown.look.width, 100)
    lines: list[Line] = []
    with answering():
        if what == "position" and not data:
            if at is not None:
                save, rules = open_save(at, game if Path(game).exists() else None, chosen.mods)
                state = state_of(save, rules)
            else:
                rules = loaded(game, chosen)
                state = rules.new(seats_of(rules, players), seed_of(seed))
                while state.chance():
                    state.apply(state.draw())
            if seat is not None and seat > state.program.players:
                raise click.UsageError(f"there are {state.program.players} seats, no seat {seat}")
            lines = draw(state.program, Seen.of(state, None if seat is None else seat - 1), room)
        else:
            rules = loaded(game, chosen)
            guide = rules.guide()
            if form == "svg":
                if not guide.graphs:
                    raise click.UsageError(f"{rules.title} has no graph")
                drawn = show_data(rules.program(rules.player_counts[0]))
                write(showing.picture_svg(rules.title, guide.graphs[0], drawn), out)
                return
            if data:
                parts = [showing.data_lines(guide, rules.clauses(), room)]
            elif what == "graph":
                parts = [showing.graph_lines(picture, room) for picture in guide.graphs]
            else:
                parts = [showing.table_lines(sheet, room) for sheet in guide.tables]
            lines = [text for number, part in enumerate(parts) for text in ([()] * (number > 0) + part)]
            lines = lines or [((f"{rules.title} has no {'graph' if what == 'graph' else 'table'}", ""),)]
    if out is not None:
        write(plain(lines), out)
    else:
        shown.show(lines)
