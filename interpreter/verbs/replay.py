"""The verb `replay`."""

from __future__ import annotations

from pathlib import Path

import click

from interpreter.drivers import playthrough
from interpreter.drivers.replay_report import replay_lines
from interpreter.drivers.terminal import When
from interpreter.pipeline import MachineKind
from interpreter.verbs.answers import answering, screen, stop
from interpreter.verbs.exits import FINDINGS
from interpreter.verbs.family import verb
from interpreter.verbs.flags import LOOK, MACHINE, MODS, Whole
from interpreter.verbs.games import open_save


@verb
@click.argument("save", type=click.Path(path_type=Path))
@click.option("--game", metavar="FILE", help="The definition, where it is no game that ships with the tool.")
@click.option("--to", type=Whole(0), metavar="N", help="Stop after N actions and draw the position.  [default: end]")
@click.option("--verify", is_flag=True, help="Compare every position with what was recorded.")
@click.option("--clauses", is_flag=True, help="Show the rulebook's clauses in the log.")
@MODS
@MACHINE
@LOOK
def replay(
    save: Path,
    game: str | None,
    mods: tuple[str, ...],
    to: int | None,
    verify: bool,
    clauses: bool,
    machine: MachineKind,
    color: When,
    no_color: bool,
    ascii_only: bool,
) -> None:
    """Go through a saved game again: its log and its end, or the position after N actions; or verify it."""
    shown = screen(color, no_color, ascii_only)
    with answering():
        kept, rules = open_save(save, game, mods, machine)
        if verify:
            difference = playthrough.verify_save(rules, kept)
            if difference is not None:
                stop(FINDINGS, f"{save}:{difference.line}: ply {difference.ply}: {difference.text}")
            click.echo(f"{len(kept.steps())} actions verified")
            return
        if to is not None and to > len(kept.steps()):
            click.echo(f"the save has {len(kept.steps())} actions; this is where it ends", err=True)
        for part in replay_lines(rules, kept, to, clauses, shown.look.width):
            shown.show(part)
