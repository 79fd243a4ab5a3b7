"""The command line: a list of verbs, each of which is a module of `interpreter/verbs`, and the way in and out."""

from __future__ import annotations

import os
import sys
from types import TracebackType

from interpreter.verbs.exits import BUG, INTERRUPTED, USAGE


def say_interrupted(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Ctrl-C where no command could take it: while all else is imported, or at the very end."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    sys.stderr.write("interrupted\n")
    sys.stderr.flush()
    os._exit(INTERRUPTED)


sys.excepthook = say_interrupted

import errno
import signal
import traceback
from io import TextIOWrapper
from pathlib import Path
from typing import NoReturn

import click

from interpreter.text.version import LANGUAGE, TOOL
from interpreter.verbs.family import Brief, family

VERBS = {
    "validate": Brief(
        "check definitions",
        (
            "validate games/night_soil.yaml",
            "validate night_soil --option tie_variant=true --format github",
        ),
    ),
    "play": Brief(
        "play in the terminal", ("play night_soil", "play night_soil --players 3 --bots human,random --seed 7")
    ),
    "simulate": Brief(
        "play many games between bots and report",
        ("simulate night_soil --games 200 --seed 7", "simulate night_soil --players 4 --jobs auto --json"),
    ),
    "test": Brief("run scenario files", ("test", "test tests/scenarios/night_soil/movement.yaml")),
    "explain": Brief(
        "a code, a clause, an address, or why an action is not offered",
        (
            "explain no-such-name",
            "explain NS-MOVE-04",
            "explain night_soil effects.haul",
            "explain night_soil --at SAVE ACTION",
        ),
    ),
    "show": Brief(
        "draw a position, a graph, tables, reconstructed data",
        (
            "show night_soil",
            "show night_soil --at SAVE",
            "show night_soil graph --format svg --out london.svg",
            "show night_soil --data",
        ),
    ),
    "perft": Brief("count action sequences", ("perft tic_tac_toe 9", "perft kuhn_poker 5 --divide")),
    "mod": Brief("make, check and list mods"),
    "resolve": Brief(
        "print a game with its mods as one file",
        (
            "resolve connect_four --mod mods/connect_five",
            "resolve night_soil --mod mine.yaml --provenance --out merged.yaml",
        ),
    ),
    "diff": Brief(
        "what changes between two games, rule by rule",
        ("diff night_market mods/dear_lanterns", "diff night_flowers --mode solo", "diff old.yaml new.yaml --json"),
    ),
    "new": Brief("begin a game", ("new my_game", "new my_game --out games/my_game")),
    "schema": Brief("print the JSON Schema for editors", ("schema --out game.schema.json", "schema scenario")),
    "replay": Brief("go through a saved game again", ("replay SAVE --verify", "replay SAVE --to 40")),
}
OUTSIDE = frozenset(
    (
        errno.EACCES,
        errno.EPERM,
        errno.ENOSPC,
        errno.EFBIG,
        errno.EDQUOT,
        errno.EIO,
        errno.EROFS,
        errno.ENAMETOOLONG,
        errno.EBADF,
    )
)
"""What a system says where it will not read or write; that is nobody's fault here."""
MOST_OF_A_BUG = 400
"""Letters of a message that was not written for people."""
MOD_VERBS = {
    "new": Brief("begin a mod", ("mod new my_mod night_soil", "mod new my_mod fair.yaml --out my_mod")),
    "check": Brief("check mods on their games", ("mod check dear_lanterns", "mod check mods/mine --games 200")),
    "list": Brief("list mods", ("mod list", "mod list night_soil --json")),
}


def print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    """Tool, language, Python; one line each."""
    if not value:
        return
    click.echo(f"{TOOL}\nrules language {LANGUAGE}\nPython {sys.version.split()[0]}")
    ctx.exit()


@family(VERBS)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=print_version, help="Show versions and stop."
)
def rulewright() -> None:
    """Check, explain and play board games whose rules stand in a YAML file.

    \b
    Examples:
      rulewright play night_soil
      rulewright validate games/night_soil.yaml
    """


@family(MOD_VERBS, prefix="mod_")
def mod() -> None:
    """Make, check and list mods: files that change the rules of a game (docs/modding.md).

    \b
    Examples:
      rulewright mod new my_mod night_soil
      rulewright mod check my_mod
    """


rulewright.add_command(mod)


def report_bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """The last resort, for what nobody foresaw: say where, ask for a report, exit as an engine bug. Never a traceback."""
    if issubclass(kind, KeyboardInterrupt):
        say_interrupted(kind, error, trace)
    places = [f"{Path(f.filename).name}:{f.lineno}" for f in traceback.extract_tb(trace)[-4:]]
    sys.stderr.write(
        f"error[engine-bug]: the interpreter is wrong here, not your file: {kind.__name__}: {str(error)[:MOST_OF_A_BUG]}\n"
        f"  at {' < '.join(reversed(places))}\n"
        f"  = please report this, with the definition and the command: rulewright {' '.join(sys.argv[1:])}\n"
    )
    sys.stderr.flush()
    os._exit(BUG)


def main() -> NoReturn:
    """The console command."""
    sys.excepthook = report_bug
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # A stream that the caller has closed is as good as one that nobody reads.
    sys.stdin, sys.stdout, sys.stderr = (
        stream or Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 - as long as the process
        for stream, mode in ((sys.stdin, "r"), (sys.stdout, "w"), (sys.stderr, "w"))
    )
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    code = 0
    try:
        with rulewright.make_context("rulewright", sys.argv[1:]) as context:
            rulewright.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as done:
        code = done.exit_code
    except click.exceptions.NoArgsIsHelpError as problem:
        problem.show()
        code = USAGE
    except click.ClickException as problem:
        click.echo(f"error: {problem.format_message()}", err=True)
        if isinstance(problem, click.UsageError) and problem.ctx is not None:
            click.echo(f"how it is used: {problem.ctx.command_path} --help", err=True)
        code = USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        code = INTERRUPTED
    except BrokenPipeError:
        # The reader has left; what is still buffered has nowhere to go.
        _drop_output()
    except OSError as problem:
        if problem.errno not in OUTSIDE:
            raise
        if problem.filename is None:
            _drop_output()
        what = f"`{problem.filename}`" if problem.filename is not None else "the output"
        click.echo(f"error: {what} cannot be read or written: {problem.strerror}", err=True)
        code = USAGE
    sys.exit(code)


def _drop_output() -> None:
    """What stdout still holds goes nowhere, so that nothing fails again when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
