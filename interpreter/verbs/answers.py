"""What verbs say, where to, and how they end when something is wrong."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn, TextIO

import click

from interpreter.drivers.faults_report import fault_lines
from interpreter.drivers.playthrough import SaveProblem
from interpreter.drivers.terminal import Screen, When, decide
from interpreter.machine.faults import EngineBug, MachineFault
from interpreter.pipeline import DefinitionError, MissingGame
from interpreter.text.render import human_lines, summary
from interpreter.verbs.exits import BUG, FINDINGS, STOPPED


def say_once(what: object) -> None:
    """A line on stderr; the same is said once in a command."""
    text, said = str(what), click.get_current_context().meta.setdefault("rulewright.said", set())
    if text not in said:
        said.add(text)
        click.echo(text, err=True)


def screen(color: When = "auto", no_color: bool = False, ascii_only: bool = False, *, errors: bool = False) -> Screen:
    """What a verb prints on."""
    stream = sys.stderr if errors else sys.stdout
    return Screen(stream, decide("never" if no_color else color, ascii_only, os.environ, stream))


def write(text: str, out: Path | None) -> None:
    """A document on stdout or into a file."""
    if out is None or str(out) == "-":
        click.echo(text, nl=not text.endswith("\n"))
        return
    try:
        out.write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8")
    except OSError as problem:
        raise click.UsageError(f"cannot write `{out}`: {problem.strerror}") from None


def stop(code: int, message: str) -> NoReturn:
    """Leave with a line on stderr."""
    click.echo(message, err=True)
    raise SystemExit(code)


def told_aloud(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning as one line; see warnings.showwarning."""
    click.echo(f"note: {message}; going on with the reference machine", err=True)


@contextmanager
def answering() -> Iterator[None]:
    """Turns what can go wrong with definitions, saves and running games into messages and exit codes."""
    said = screen(errors=True)
    warnings.showwarning = told_aloud
    try:
        yield
    except DefinitionError as problem:
        said.show(human_lines(problem.diagnostics, said.look.width))
        stop(FINDINGS, summary(problem.diagnostics))
    except MissingGame as problem:
        raise click.UsageError(str(problem)) from None
    except SaveProblem as problem:
        stop(FINDINGS, f"error: {problem}")
    except MachineFault as fault:
        sys.stdout.flush()
        said.show(fault_lines(fault))
        raise SystemExit(BUG if isinstance(fault, EngineBug) else STOPPED) from None
