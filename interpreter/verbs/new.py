"""The verb `new`."""

from __future__ import annotations

from pathlib import Path

import click

from interpreter.drivers.starters import game_files
from interpreter.paths import shipped_games
from interpreter.verbs.begin import begin
from interpreter.verbs.family import verb


@verb
@click.argument("id")
@click.option("--out", type=click.Path(path_type=Path), metavar="FOLDER", help="Where.  [default: ID]")
def new(id: str, out: Path | None) -> None:
    """Begin a game of your own: a small one that plays, a case for it, and the schemas for an editor."""
    if id in shipped_games():
        raise click.UsageError(f"a game that ships with the tool is called `{id}`; choose another id")
    folder = out or Path(id)
    begin(id, folder, game_files(id))
    click.echo(f"next: rulewright play {folder.as_posix()}/{id}.yaml")
