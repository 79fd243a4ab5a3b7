"""The verb `validate`."""

from __future__ import annotations

from pathlib import Path

import click

from interpreter.drivers.documents import written
from interpreter.drivers.terminal import When
from interpreter.pipeline import check
from interpreter.text import render
from interpreter.text.diagnostic import Severity
from interpreter.verbs.answers import answering, screen, write
from interpreter.verbs.exits import FINDINGS
from interpreter.verbs.family import verb
from interpreter.verbs.flags import LOOK, OUT, QUIET, Chosen, form_of, rule_flags
from interpreter.verbs.games import definition


@verb
@click.argument("games", nargs=-1, required=True, metavar="GAME…")
@rule_flags
@form_of("concise", "json", "github", "sarif")
@click.option("--strict", is_flag=True, help="Warnings count as findings.")
@click.option("--explain-legality", is_flag=True, help="Also say how each choice is decided.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found.")
@OUT
@QUIET
@LOOK
def validate(
    games: tuple[str, ...],
    chosen: Chosen,
    form: str,
    strict: bool,
    explain_legality: bool,
    exit_zero: bool,
    out: Path | None,
    quiet: bool,
    color: When,
    no_color: bool,
    ascii_only: bool,
) -> None:
    """Check definitions: for every player count, option and mode, all stages, several findings a run.

    GAME is a file, or the id of a game that ships with the tool.
    """
    given, overlays = chosen.settings(), chosen.overlays(quiet)
    with answering():
        checks = [check(definition(name), options=given, mode=chosen.mode, overlays=overlays) for name in games]
    found = [diagnostic for checked in checks for diagnostic in checked.diagnostics]
    match form:
        case "human" if out is None:
            shown = screen(color, no_color, ascii_only)
            shown.show(render.human_lines(found, shown.look.width))
        case "human":
            write(render.render_human(found), out)
        case "concise":
            write(render.render_concise(found), out)
        case "json":
            write(written(render.findings_document(found)), out)
        case "github":
            write(render.render_github(found), out)
        case _:
            write(written(render.sarif_document(found)), out)
    if explain_legality:
        click.echo("\n".join(line for checked in checks for line in checked.legality))
    bad = any(d.severity is Severity.ERROR or (strict and d.severity is Severity.WARNING) for d in found)
    if bad or (found and not quiet):
        click.echo(render.summary(found, len(games)), err=True)
    if not quiet:
        for checked in checks:
            if checked.ok:
                many = "1 configuration" if checked.configurations == 1 else f"{checked.configurations} configurations"
                warned = sum(d.severity is Severity.WARNING for d in checked.diagnostics)
                warnings = "1 warning" if warned == 1 else f"{warned} warnings"
                judged = f"is playable, with {warnings}" if warned else "is fine"
                click.echo(f"{checked.title} {judged}: {many} checked", err=True)
    if bad and not exit_zero:
        raise SystemExit(FINDINGS)
