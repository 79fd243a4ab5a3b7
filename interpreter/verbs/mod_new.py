"""The verb `mod new`."""

from __future__ import annotations

from pathlib import Path

import click

from interpreter.drivers.starters import mod_files
from interpreter.paths import shipped_games
from interpreter.verbs.answers import answering
from interpreter.verbs.begin import begin
from interpreter.verbs.family import verb
from interpreter.verbs.flags import Chosen
from interpreter.verbs.games import definition, loaded


@verb
@click.argument("id")
@click.argument("game")
@click.option("--out", type=click.Path(path_type=Path), metavar="FOLDER", help="Where.  [default: mods/ID]")
def mod_new(id: str, game: str, out: Path | None) -> None:
    """Begin a mod of a game: a file that is sound and changes one number, a case for it, and the schemas for an editor."""
    place, folder = definition(game), out or Path("mods") / id
    with answering():
        said = loaded(game, Chosen()).contents()
    own = None if shipped_games().get(said.id) == place.resolve() else place
    begin(id, folder, mod_files(id, said, own, folder))
    click.echo(f"next: change `{folder.as_posix()}/mod.yaml`, then: rulewright mod check {folder.as_posix()}")
