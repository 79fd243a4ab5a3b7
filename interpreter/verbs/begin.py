"""Beginning something new."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import click

from interpreter.drivers.starters import Exists, write_new
from interpreter.text.yaml_words import NO_TEXT


def begin(id: str, folder: Path, files: Mapping[str, str]) -> None:
    """Writes the files of something new, and over nothing."""
    if not re.fullmatch(r"[a-z_][a-z0-9_]*", id):
        raise click.UsageError(f"an id is made of small letters, digits and `_`, and begins with no digit, not `{id}`")
    if id in NO_TEXT:
        raise click.UsageError(f"`{id}` is no id: to a reader of YAML it is something else than a word")
    try:
        write_new(folder, files)
    except Exists as problem:
        raise click.UsageError(str(problem)) from None
    except OSError as problem:
        raise click.UsageError(f"cannot write into `{folder}`: {problem.strerror}") from None
    for name in files:
        click.echo(f"wrote {(folder / name).as_posix()}")
