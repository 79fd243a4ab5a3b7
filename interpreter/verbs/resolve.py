"""The verb `resolve`."""

from __future__ import annotations

from pathlib import Path

import click

from interpreter.pipeline import resolved_text
from interpreter.verbs.answers import answering, write
from interpreter.verbs.family import verb
from interpreter.verbs.flags import MODS, OUT, PLAYERS_AT_MOST, SETS, Chosen, Whole
from interpreter.verbs.games import definition, loaded


@verb
@click.argument("game")
@MODS
@SETS
@click.option("--players", type=Whole(1, PLAYERS_AT_MOST), metavar="N", help="For that many players alone.")
@click.option("--provenance", is_flag=True, help="Say in comments which mod each changed thing is from.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@OUT
def resolve(
    game: str,
    mods: tuple[str, ...],
    sets: tuple[str, ...],
    players: int | None,
    provenance: bool,
    force: bool,
    out: Path | None,
) -> None:
    """Print a game with its mods as one game file, which plays the same.

    Options and modes can still be chosen in it. Where a mod asks how many play, the file is for --players.
    """
    if out is not None and out.exists() and not force:
        raise click.UsageError(f"`{out}` exists; --force writes over it")
    with answering():
        chosen = Chosen(mods=mods, sets=sets)
        loaded(game, chosen)
        text = resolved_text(definition(game), chosen.overlays(), players, provenance)
    write(text, out)
