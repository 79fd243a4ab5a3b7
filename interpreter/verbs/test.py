"""The verb `test`."""

from __future__ import annotations

from pathlib import Path

import click

from interpreter.drivers.documents import written
from interpreter.drivers.layout import plain
from interpreter.drivers.scenario_report import case_lines, junit, report_json, verdict
from interpreter.drivers.scenarios import NoScenarios, run_files, scenario_files, scenarios_here
from interpreter.drivers.terminal import When
from interpreter.verbs.answers import answering, say_once, screen, write
from interpreter.verbs.exits import FINDINGS
from interpreter.verbs.family import verb
from interpreter.verbs.flags import LOOK, MODS, OUT, QUIET, Chosen, form_of


@verb
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH…]")
@form_of("junit", "json")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found.")
@MODS
@OUT
@QUIET
@LOOK
def test(
    paths: tuple[Path, ...],
    mods: tuple[str, ...],
    form: str,
    exit_zero: bool,
    out: Path | None,
    quiet: bool,
    color: When,
    no_color: bool,
    ascii_only: bool,
) -> None:
    """Run scenario files, or all files in folders: a line a case, and the first difference of each that fails.

    Without a PATH those below the current folder; within a clone, those of the games that come with it.
    """
    shown = screen(color, no_color, ascii_only)
    results = []
    with answering():
        try:
            files = scenario_files(paths) if paths else scenarios_here()
        except NoScenarios as problem:
            raise click.UsageError(str(problem)) from None
        told = (lambda _: None) if quiet else say_once
        for result in run_files(files, overlays=Chosen(mods=mods).overlays(quiet), told=told):
            results.append(result)
            if form == "human" and out is None:
                shown.show(case_lines(result, quiet))
    match form:
        case "junit":
            write(junit(results), out)
        case "json":
            write(written(report_json(results)), out)
        case _ if out is not None:
            write(plain([line for result in results for line in case_lines(result, quiet)]), out)
        case _:
            pass
    failed = any(result.status != "passed" for result in results)
    if failed or not quiet:
        click.echo(verdict(results), err=True)
    if failed and not exit_zero:
        raise SystemExit(FINDINGS)
