"""The command line: arguments in, one driver call, an exit code out. No rules and no layout of reports live here.

Verbs import what they need inside their function, so that `--help` loads none of it (the one place where that is allowed).
Exit codes: 0 done · 1 findings · 2 usage · 3 a game could not go on · 4 a fault of the interpreter · 130 interrupted.
Every exit other than 0 prints at least one line on stderr.
"""

from __future__ import annotations

import os
import secrets
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NoReturn, TypeVar

import click

if TYPE_CHECKING:
    from interpreter.drivers.terminal import Screen, When
    from interpreter.pipeline import Game

FINDINGS, USAGE, STOPPED, BUG, INTERRUPTED = 1, 2, 3, 4, 130
Function = TypeVar("Function", bound=Callable[..., object])


# ------------------------------------------------------------------ how verbs look in help
class Verb(click.Command):
    """A verb whose help shows examples first."""

    examples: tuple[str, ...] = ()

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Examples, usage, what it does, flags."""
        with formatter.section("Examples"):
            for example in self.examples:
                formatter.write_text(f"rulewright {example}")
        formatter.write_paragraph()
        super().format_help(ctx, formatter)


class Verbs(click.Group):
    """The verbs, in the order of a day's work; a verb nobody knows names its nearest neighbour."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """As declared, not by alphabet."""
        return list(self.commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """`run` is accepted for `play`; nothing else is abbreviated."""
        return super().get_command(ctx, "play" if cmd_name == "run" else cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As usual, with a suggestion in place of a bare refusal."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            from interpreter.text.suggest import nearest

            near = nearest(args[0], self.list_commands(ctx))
            hint = f"did you mean `{near}`?" if near else f"there are {', '.join(self.list_commands(ctx))}"
            raise click.UsageError(f"no verb `{args[0]}`; {hint}", ctx)
        return super().resolve_command(ctx, args)


def verb(*examples: str) -> Callable[[Callable[..., None]], Verb]:
    """Makes a verb of a function; its docstring is the help text."""

    def make(function: Callable[..., None]) -> Verb:
        made = click.command(cls=Verb, context_settings={"show_default": True, "max_content_width": 100})(function)
        made.examples = examples
        rulewright.add_command(made)
        return made

    return make


def flags(*options: Callable[[Function], Function]) -> Callable[[Function], Function]:
    """Several options at once, shown in the order given."""

    def add(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return add


def print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    """Tool, language, Python; one line each."""
    if not value:
        return
    from interpreter.text.version import LANGUAGE, TOOL

    click.echo(f"{TOOL}\nrules language {LANGUAGE}\nPython {sys.version.split()[0]}")
    ctx.exit()


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
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


# ------------------------------------------------------------------ flags that verbs share
LOOK = flags(
    click.option(
        "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="When to use colours."
    ),
    click.option("--no-color", is_flag=True, help="Same as --color never."),
    click.option("--ascii", "ascii_only", is_flag=True, help="Draw with ASCII characters only."),
)
RULES = flags(
    click.option(
        "--option", "options", multiple=True, metavar="NAME=VALUE", help="Set an option of the game; repeatable."
    ),
    click.option("--mode", metavar="NAME", help="Take a mode of the game."),
)
PLAYERS = click.option("--players", type=click.IntRange(1, 20), metavar="N", help="How many play.  [default: fewest]")
SEED = click.option("--seed", metavar="N|TEXT", help="Where chance starts.  [default: drawn, and shown]")
OUT = click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Write there instead of stdout.")
QUIET = click.option("-q", "--quiet", is_flag=True, help="Nothing on stderr but errors.")


def form_of(*forms: str) -> Callable[[Function], Function]:
    """`--format`, and `--json` for short."""
    return flags(
        click.option(
            "--format", "form", type=click.Choice(("human", *forms)), default="human", help="Form of the output."
        ),
        click.option("--json", "form", flag_value="json", help="Same as --format json."),
    )


def settings(pairs: tuple[str, ...]) -> dict[str, str]:
    """`NAME=VALUE` pairs as a mapping."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise click.UsageError(f"--option wants NAME=VALUE, not `{pair}`")
        found[name.strip()] = value.strip()
    return found


def screen(color: When = "auto", no_color: bool = False, ascii_only: bool = False, *, errors: bool = False) -> Screen:
    """What a verb prints on."""
    from interpreter.drivers.terminal import Screen, decide

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


def definition(name: str) -> Path:
    """A file, or the id of a game that ships with the tool."""
    from interpreter.paths import shipped_games
    from interpreter.text.suggest import nearest

    path = Path(name)
    shipped = shipped_games()
    if path.exists():
        return path
    if name in shipped:
        return shipped[name]
    near = nearest(name, shipped)
    hint = f"did you mean `{near}`?" if near else f"games that ship with the tool: {', '.join(shipped)}"
    raise click.UsageError(f"no file and no game `{name}`; {hint}")


def stop(code: int, message: str) -> NoReturn:
    """Leave with a line on stderr."""
    click.echo(message, err=True)
    raise SystemExit(code)


# ------------------------------------------------------------------ the verbs
@verb("schema --out game.schema.json", "schema scenario")
@click.argument("name", type=click.Choice(["game", "scenario", "mod"]), default="game")
@OUT
def schema(name: str, out: Path | None) -> None:
    """Print the JSON Schema of definitions (or scenario files, or mods) for an editor."""
    from interpreter.paths import schema_text

    write(schema_text(name), out)


def seed_of(text: str | None) -> int | str:
    """A whole number or any text; drawn if none is given."""
    if text is None:
        return secrets.randbelow(2**32)
    if text.lstrip("-").isdigit():
        if text.startswith("-"):
            raise click.UsageError("a seed is not negative")
        return int(text)
    return text


def loaded(name: str, options: tuple[str, ...], mode: str | None) -> Game:
    """A game that can be played."""
    from interpreter.pipeline import load

    return load(str(definition(name)), options=settings(options), mode=mode)


def seats_of(game: Game, players: int | None) -> int:
    """How many play; the fewest if nobody says."""
    counts = game.player_counts
    if players is None:
        return min(counts)
    if players not in counts:
        allowed = f"{min(counts)}..{max(counts)}" if len(counts) > 1 else str(counts[0])
        raise click.UsageError(f"{game.title} is for {allowed} players, not {players}")
    return players


@contextmanager
def answering() -> Iterator[None]:
    """Turns what can go wrong with definitions, saves and running games into messages and exit codes."""
    from interpreter.drivers.faults_report import fault_lines
    from interpreter.drivers.playthrough import SaveProblem
    from interpreter.machine.faults import EngineBug, MachineFault
    from interpreter.pipeline import DefinitionError, MissingGame
    from interpreter.text.render import human_lines, summary

    said = screen(errors=True)
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


@verb("validate games/night_soil.yaml", "validate night_soil --option tie_variant=true --format github")
@click.argument("games", nargs=-1, required=True, metavar="GAME…")
@RULES
@form_of("concise", "json", "github", "sarif")
@click.option("--strict", is_flag=True, help="Warnings count as findings.")
@click.option("--explain-legality", is_flag=True, help="Also say how each choice is decided.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found.")
@OUT
@QUIET
@LOOK
def validate(
    games: tuple[str, ...],
    options: tuple[str, ...],
    mode: str | None,
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
    from interpreter.drivers.documents import written
    from interpreter.pipeline import check
    from interpreter.text import render
    from interpreter.text.diagnostic import Severity

    checks = [check(definition(name), options=settings(options), mode=mode) for name in games]
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
                click.echo(f"{checked.title} is fine: {checked.configurations} configurations checked", err=True)
    if bad and not exit_zero:
        raise SystemExit(FINDINGS)


@verb("perft tic_tac_toe 9", "perft kuhn_poker 5 --divide")
@click.argument("game")
@click.argument("depth", type=click.IntRange(0, 100))
@click.option("--divide", is_flag=True, help="Apart for each first action.")
@PLAYERS
@RULES
@form_of("json")
def perft(
    game: str, depth: int, divide: bool, players: int | None, options: tuple[str, ...], mode: str | None, form: str
) -> None:
    """Count the sequences of DEPTH actions from the start, chance outcomes among them; equal positions are counted once."""
    from interpreter.drivers import perft as counting
    from interpreter.drivers.documents import game_document, written
    from interpreter.drivers.layout import plain, table

    with answering():
        rules = loaded(game, options, mode)
        state = rules.new(seats_of(rules, players), 0)
        parts = counting.divide(state, depth) if divide and depth else ()
        whole = counting.perft(state, depth)
    if form == "json":
        fields: dict[str, object] = {"depth": depth, "sequences": whole.sequences, "finished": whole.finished}
        if divide:
            fields["divide"] = [{"action": a.text, "sequences": c.sequences, "finished": c.finished} for a, c in parts]
        click.echo(written(game_document("perft", rules, fields)))
        return
    rows = [[action.text, str(count.sequences), str(count.finished)] for action, count in parts]
    rows.append(["all", str(whole.sequences), str(whole.finished)])
    click.echo(plain(table([f"depth {depth}", "sequences", "games finished"], rows, numbers=frozenset({1, 2}))))


# ------------------------------------------------------------------ the way in and out
def report_bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """The last resort, for what nobody foresaw: say where, ask for a report, exit as an engine bug. Never a traceback."""
    places = [f"{Path(f.filename).name}:{f.lineno}" for f in traceback.extract_tb(trace)[-4:]]
    sys.stderr.write(
        f"error[engine-bug]: the interpreter is wrong here, not your file: {kind.__name__}: {error}\n"
        f"  at {' < '.join(reversed(places))}\n"
        f"  = please report this, with the definition and the command: rulewright {' '.join(sys.argv[1:])}\n"
    )
    sys.stderr.flush()
    os._exit(BUG)


def main() -> NoReturn:
    """The console command."""
    sys.excepthook = report_bug
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    code = 0
    try:
        code = rulewright.main(prog_name="rulewright", standalone_mode=False) or 0
        sys.stdout.flush()
    except click.ClickException as problem:
        problem.show()
        code = USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        code = INTERRUPTED
    except BrokenPipeError:
        # The reader has left; what is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


if __name__ == "__main__":
    main()
