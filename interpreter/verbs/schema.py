"""The verb `schema`."""

from __future__ import annotations

from pathlib import Path

import click

from interpreter.paths import schema_text
from interpreter.verbs.answers import write
from interpreter.verbs.family import verb
from interpreter.verbs.flags import OUT


@verb
@click.argument("name", type=click.Choice(["game", "scenario", "mod"]), default="game")
@OUT
def schema(name: str, out: Path | None) -> None:
    """Print the JSON Schema of definitions (or scenario files, or mods) for an editor."""
    write(schema_text(name), out)
