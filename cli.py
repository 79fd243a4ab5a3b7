"""The command line: arguments in, one driver call, an exit code out. No rules and no layout of reports live here.

Verbs import what they need inside their function, so that `--help` loads none of it (the one place where that is allowed).
Exit codes: 0 done · 1 findings · 2 usage · 3 a game could not go on · 4 a fault of the interpreter · 130 interrupted.
Every exit other than 0 prints at least one line on stderr.
"""

from __future__ import annotations

import os
import sys
from types import TracebackType


def say_interrupted(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Ctrl-C where no command could take it: while all else is imported, or at the very end."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    sys.stderr.write("interrupted\n")
    sys.stderr.flush()
    os._exit(130)


sys.excepthook = say_interrupted

import re
import secrets
import shlex
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial, wraps
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TextIO, TypeVar

import click

if TYPE_CHECKING:
    from interpreter.drivers.layout import Line
    from interpreter.drivers.mod_check import ModChecked
    from interpreter.drivers.playthrough import Save
    from interpreter.drivers.terminal import Screen, When
    from interpreter.ir.program import Program
    from interpreter.machine.protocol import State
    from interpreter.pipeline import Game, MachineKind, Overlays

FINDINGS, USAGE, STOPPED, BUG, INTERRUPTED = 1, 2, 3, 4, 130
ORDER = (
    "validate",
    "play",
    "simulate",
    "test",
    "explain",
    "show",
    "perft",
    "mod",
    "resolve",
    "diff",
    "new",
    "schema",
    "replay",
)
MOD_ORDER = ("new", "check", "list")
SEED_DIGITS = 1000
"""More than anybody means, and fewer than Python refuses to read."""
CONFLICTS_SAID = 3
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
        """In the order of use, not by alphabet."""
        order = MOD_ORDER if ctx.info_name == "mod" else ORDER
        return sorted(self.commands, key=lambda name: order.index(name) if name in order else len(order))

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


def verb(
    short: str, *examples: str, among: click.Group | None = None, name: str | None = None
) -> Callable[[Callable[..., None]], Verb]:
    """Makes a verb of a function; its docstring is the help text, `short` its line in the list of verbs, `among` its family, and `name`
    what it is called, if not as the function."""

    def make(function: Callable[..., None]) -> Verb:
        made = click.command(
            name, cls=Verb, short_help=short, context_settings={"show_default": True, "max_content_width": 100}
        )(function)
        made.examples = examples
        (among or rulewright).add_command(made)
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
MODS = click.option(
    "--mod", "mods", multiple=True, metavar="FILE", help="Lay a mod over the game, by file or folder; repeatable."
)
SETS = click.option(
    "--set",
    "sets",
    multiple=True,
    metavar="ADDRESS=VALUE",
    help="Set one value of the definition, over all mods; repeatable.",
)


@dataclass(frozen=True)
class Chosen:
    """What a command line says of the rules beside the game: options, mode, mods, single values."""

    options: tuple[str, ...] = ()
    mode: str | None = None
    mods: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()

    def settings(self) -> dict[str, str]:
        """The options as a mapping."""
        return dict(pair(text, "--option", "NAME") for text in self.options)

    def overlays(self, quiet: bool = False) -> Overlays:
        """Mods, with those that they need, and single values; mods that nobody named are said aloud."""
        from interpreter.pipeline import MissingGame, Overlays, completed, find_mod

        for text in self.sets:
            pair(text, "--set", "ADDRESS")
        try:
            named = Overlays(tuple(find_mod(name) for name in self.mods), self.sets)
        except MissingGame as problem:
            raise click.UsageError(str(problem)) from None
        whole, found = completed(named)
        for each in found if not quiet else ():
            say_once(each)
        return whole

    def words(self) -> list[str]:
        """The flags that say the same."""
        flagged = (("--mod", self.mods), ("--set", self.sets), ("--option", self.options))
        found = [f"{flag} {shlex.quote(text)}" for flag, texts in flagged for text in texts]
        return found + ([f"--mode {self.mode}"] if self.mode else [])


def say_once(what: object) -> None:
    """A line on stderr; the same is said once in a command."""
    text, said = str(what), click.get_current_context().meta.setdefault("rulewright.said", set())
    if text not in said:
        said.add(text)
        click.echo(text, err=True)


def rule_flags(function: Callable[..., None]) -> Callable[..., None]:
    """`--mod`, `--set`, `--option` and `--mode`, which the function gets together as `chosen`."""

    @wraps(function)
    def taking(
        options: tuple[str, ...], mode: str | None, mods: tuple[str, ...], sets: tuple[str, ...], **others: object
    ) -> None:
        function(chosen=Chosen(options, mode, mods, sets), **others)

    return flags(
        MODS,
        SETS,
        click.option(
            "--option", "options", multiple=True, metavar="NAME=VALUE", help="Set an option of the game; repeatable."
        ),
        click.option("--mode", metavar="NAME", help="Take a mode of the game."),
    )(taking)  # fmt: skip


MACHINE = click.option(
    "--machine",
    type=click.Choice(["wasm", "reference"]),
    default="wasm",
    help="Which machine plays: the fast one or the readable one; same results.",
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


def pair(text: str, flag: str, name: str) -> tuple[str, str]:
    """A name and its value."""
    left, equals, right = text.partition("=")
    if not equals or not left.strip():
        raise click.UsageError(f"{flag} wants {name}=VALUE, not `{text}`")
    return left.strip(), right.strip()


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


def from_here(path: Path) -> Path:
    """The path as a person in the current folder would write it, if it lies below."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def definition(name: str) -> Path:
    """A file, or the id of a game that ships with the tool."""
    from interpreter.paths import shipped_games
    from interpreter.text.suggest import nearest

    path = Path(name)
    shipped = shipped_games()
    if path.exists():
        return path
    if name in shipped:
        return from_here(shipped[name])
    near = nearest(name, shipped)
    hint = f"did you mean `{near}`?" if near else f"games that ship with the tool: {', '.join(shipped)}"
    raise click.UsageError(f"no file and no game `{name}`; {hint}")


def stop(code: int, message: str) -> NoReturn:
    """Leave with a line on stderr."""
    click.echo(message, err=True)
    raise SystemExit(code)


# ------------------------------------------------------------------ the verbs
@verb("print the JSON Schema for editors", "schema --out game.schema.json", "schema scenario")
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
    if not is_number(text.lstrip("-")):
        return text
    if text.startswith("-"):
        raise click.UsageError("a seed is not negative")
    if len(text) > SEED_DIGITS:
        raise click.UsageError(f"a seed has at most {SEED_DIGITS} digits")
    return int(text)


def is_number(text: str) -> bool:
    """Whether a text is made of the digits 0 to 9; those of other scripts, and small raised ones, are text."""
    return text.isascii() and text.isdigit()


def loaded(name: str, chosen: Chosen, machine: MachineKind = "reference") -> Game:
    """A game that can be played; what only looks at a position needs no fast machine."""
    from interpreter.pipeline import load

    game = load(
        str(definition(name)),
        options=chosen.settings(),
        mode=chosen.mode,
        machine=machine,
        overlays=chosen.overlays(),
    )
    say_conflicts(game)
    return game


def say_conflicts(game: Game) -> None:
    """Where two mods write the same thing, in short; `validate` shows the lines."""
    for text in game.conflicts[:CONFLICTS_SAID]:
        say_once(f"warning: {text}")
    if len(game.conflicts) > CONFLICTS_SAID:
        say_once(f"warning: and {len(game.conflicts) - CONFLICTS_SAID} more of this kind; `validate` shows them")


def seats_of(game: Game, players: int | None) -> int:
    """How many play; the fewest if nobody says."""
    counts = game.player_counts
    if players is None:
        return min(counts)
    if players not in counts:
        allowed = f"{min(counts)}..{max(counts)}" if len(counts) > 1 else str(counts[0])
        raise click.UsageError(f"{game.title} is for {allowed} players, not {players}")
    return players


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
    from interpreter.drivers.faults_report import fault_lines
    from interpreter.drivers.playthrough import SaveProblem
    from interpreter.machine.faults import EngineBug, MachineFault
    from interpreter.pipeline import DefinitionError, MissingGame
    from interpreter.text.render import human_lines, summary

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


@verb(
    "check definitions",
    "validate games/night_soil.yaml",
    "validate night_soil --option tie_variant=true --format github",
)
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
    from interpreter.drivers.documents import written
    from interpreter.pipeline import check
    from interpreter.text import render
    from interpreter.text.diagnostic import Severity

    given, overlays = chosen.settings(), chosen.overlays(quiet)
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


@verb("count action sequences", "perft tic_tac_toe 9", "perft kuhn_poker 5 --divide")
@click.argument("game")
@click.argument("depth", type=click.IntRange(0, 100))
@click.option("--divide", is_flag=True, help="Apart for each first action.")
@PLAYERS
@rule_flags
@MACHINE
@form_of("json")
def perft(
    game: str,
    depth: int,
    divide: bool,
    players: int | None,
    chosen: Chosen,
    machine: MachineKind,
    form: str,
) -> None:
    """Count the sequences of DEPTH actions from the start, chance outcomes among them, each for itself.

    Games that ended at DEPTH or before are counted too: a game that is over has no longer sequences.
    """
    from interpreter.drivers import perft as counting
    from interpreter.drivers.documents import game_document, written
    from interpreter.drivers.layout import plain, table

    with answering():
        rules = loaded(game, chosen, machine)
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
    click.echo(plain(table([f"depth {depth}", "sequences", "games finished so far"], rows, numbers=frozenset({1, 2}))))


PLAYERS_AT_HOME = "human,random"
"""Who plays if nobody says: one person against bots, or alone."""


def bots_of(text: str, players: int) -> tuple[str, ...]:
    """Who sits where: kinds by player, the last repeated. Seats that act by script are not counted."""
    from interpreter.drivers.bots.bot import HUMAN, KINDS

    kinds = [kind.strip() for kind in text.split(",") if kind.strip()]
    wrong = [kind for kind in kinds if kind not in (HUMAN, *KINDS)]
    if wrong or not kinds:
        raise click.UsageError(f"no bot `{wrong[0] if wrong else text}`; there are {', '.join((HUMAN, *KINDS))}")
    if text == PLAYERS_AT_HOME:
        kinds = kinds[:players]
    if len(kinds) > players:
        raise click.UsageError(f"{len(kinds)} bots for {'1 player' if players == 1 else f'{players} players'}")
    return (*kinds, *[kinds[-1]] * (players - len(kinds)))


def open_save(
    path: Path, name: str | None, mods: tuple[str, ...] = (), machine: MachineKind = "reference"
) -> tuple[Save, Game]:
    """A save and its rules, loaded as they were when it began; `name` says which file, where it is no shipped game, `mods` which mods,
    where they lie elsewhere than they did."""
    from interpreter.drivers.playthrough import SaveProblem, mods_of, read_save, same_rules

    if not path.is_file():
        raise click.UsageError(f"no save `{path}`")
    save = read_save(path)
    made_with = dict(save.header.settings)
    mode = made_with.pop("mode", None)
    options = tuple(f"{key}={value}" for key, value in made_with.items())
    chosen = Chosen(options, mode, mods or mods_of(save), save.header.sets)
    game = loaded(name or save.header.game, chosen, machine)
    differs = same_rules(game, save)
    if differs:
        raise SaveProblem(differs)
    if save.cut:
        click.echo("the last line of the save was cut off; going on from the last whole one", err=True)
    return save, game


@verb("play in the terminal", "play night_soil", "play night_soil --players 3 --bots human,random --seed 7")
@click.argument("game", required=False)
@PLAYERS
@click.option("--bots", default=PLAYERS_AT_HOME, metavar="KINDS", help="Who plays, by seat; the last kind is repeated.")
@SEED
@click.option("--resume", type=click.Path(path_type=Path), metavar="SAVE", help="Go on with a saved game.")
@click.option(
    "--save", type=click.Path(path_type=Path), metavar="FILE", help="Keep the game there.  [default: a new file]"
)
@click.option("--no-save", is_flag=True, help="Keep it nowhere.")
@click.option("--ask-forced", is_flag=True, help="Ask people also where they have one option alone.")
@click.option("--game", "file", metavar="FILE", help="The definition of the save, where it is no game that ships.")
@rule_flags
@MACHINE
@LOOK
def play(
    game: str | None,
    players: int | None,
    bots: str,
    seed: str | None,
    resume: Path | None,
    save: Path | None,
    no_save: bool,
    ask_forced: bool,
    file: str | None,
    chosen: Chosen,
    machine: MachineKind,
    color: When,
    no_color: bool,
    ascii_only: bool,
) -> None:
    """Play in the terminal, people and bots by seat. Choices are lines of standard input; ? lists commands.

    The game is saved as it goes; at the end of the input it is kept, and the line to go on with is printed.
    """
    from interpreter.drivers.bots.bot import SCRIPTED
    from interpreter.drivers.play import Table, reconstructed_line
    from interpreter.drivers.playthrough import Header, SaveFile
    from interpreter.drivers.session import Session
    from interpreter.paths import saves_dir

    if file is not None and resume is None:
        raise click.UsageError(
            "--game says which rules a save was made with, and wants --resume; name the game itself to begin one"
        )
    game = file or game
    if game is None and resume is None:
        raise click.UsageError("say which game, or --resume a save")
    if resume is not None and (chosen.options or chosen.mode or chosen.sets):
        raise click.UsageError("a save goes on under the rules it was made with: leave --set, --option and --mode away")
    shown = screen(color, no_color, ascii_only)
    with answering():
        if resume is not None:
            kept, rules = open_save(resume, game, chosen.mods, machine)
            session = Session.resume(rules, kept, None if no_save else SaveFile.resume(resume, kept), ask_forced)
        else:
            rules = loaded(str(game), chosen, machine)
            count = seats_of(rules, players)
            now = datetime.now(UTC)
            header = Header.of(rules, count, seed_of(seed), bots_of(bots, count), now.isoformat(timespec="seconds"))
            path = save or saves_dir() / f"{rules.id}-{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}.jsonl"
            session = Session(rules, header, None if no_save else SaveFile.create(path, header), ask_forced)
        session.source = game if game is not None and Path(game).exists() else ""
        program = session.state.program
        kinds = (*session.header.seats, *[SCRIPTED] * len(program.scripted))
        seats = ", ".join(f"{name} is {kind}" for name, kind in zip(names_of(program), kinds, strict=True))
        table = Table(session, shown, session.people, f"{with_mods(rules)} ({seats})", reconstructed_line(program))
        try:
            with session.told():
                table.run()
        except KeyboardInterrupt:
            shown.say()
            shown.show([((text, ""),) for text in session.farewell()])
            raise
        finally:
            session.close()


def with_mods(game: Game) -> str:
    """A game's title, with the mods that lie over it."""
    laid_over = [mod.id for mod in game.mods] + list(game.sets)
    return f"{game.title} with {', '.join(laid_over)}" if laid_over else game.title


def names_of(program: Program) -> tuple[str, ...]:
    """What the seats are called."""
    return program.domains[program.player_domain].names[: program.players]


@verb(
    "play many games between bots and report",
    "simulate night_soil --games 200 --seed 7",
    "simulate night_soil --players 4 --jobs auto --json",
)
@click.argument("game")
@click.option("--games", type=click.IntRange(1, 10_000_000), default=100, help="How many games.")
@PLAYERS
@click.option("--bots", default="random", metavar="KINDS", help="Who plays, by seat; the last kind is repeated.")
@SEED
@click.option("--game", "first", type=click.IntRange(0), default=0, metavar="N", help="Number of the first game.")
@click.option("--jobs", default="auto", metavar="N|auto", help="How many work at once; changes no result.")
@click.option("--limit-actions", type=click.IntRange(1), default=20_000, help="Stop a game after so many actions.")
@rule_flags
@MACHINE
@form_of("json")
@OUT
@QUIET
@LOOK
def simulate(
    game: str,
    games: int,
    players: int | None,
    bots: str,
    seed: str | None,
    first: int,
    jobs: str,
    limit_actions: int,
    chosen: Chosen,
    machine: MachineKind,
    form: str,
    out: Path | None,
    quiet: bool,
    color: When,
    no_color: bool,
    ascii_only: bool,
) -> None:
    """Play many games between bots and report: win shares with intervals, lengths, scores; games that did not end apart."""
    from interpreter.drivers import simulate as running
    from interpreter.drivers.bots.bot import HUMAN, RANDOM
    from interpreter.drivers.documents import written
    from interpreter.drivers.layout import plain
    from interpreter.drivers.simulate_report import report_lines
    from interpreter.pipeline import load

    path = str(definition(game))
    given, overlays = chosen.settings(), chosen.overlays(quiet)
    with answering():
        rules = load(path, options=given, mode=chosen.mode, machine=machine, overlays=overlays)
        if not quiet:
            say_conflicts(rules)
        count = seats_of(rules, players)
        kinds = bots_of(bots, count)
        if HUMAN in kinds:
            raise click.UsageError("people do not play in `simulate`")
        program = rules.program(count)
        plan = running.Plan(count, games, seed_of(seed), kinds, limit_actions, first, len(program.scripted))
        errors = screen(color, no_color, ascii_only, errors=True)
        with errors.progress("games", 0 if quiet else games) as progress:
            done = 0

            def report_one(result: running.Result) -> None:
                nonlocal done
                done += 1
                progress(done, "" if result.status == "finished" else result.status)

            opening = partial(load, path, options=given, mode=chosen.mode, machine="reference", overlays=overlays)
            bulk = rules.bulk(count) if all(kind == RANDOM for kind in kinds) else None
            results = running.simulate(opening, plan, jobs_of(jobs, games, bulk is not None), report_one, bulk)
    report = running.summarise(plan, results)
    if form == "json":
        write(written(running.report_json(rules, report, len(program.reconstructed))), out)
    else:
        words = ["rulewright simulate", game, f"--players {count} --games {games} --seed {shlex.quote(str(plan.seed))}"]
        words += chosen.words()
        lines = report_lines(rules, report, names_of(program), " ".join(words), len(program.reconstructed))
        if out is not None:
            write(plain(lines), out)
        else:
            screen(color, no_color, ascii_only).show(lines)
    if report.played < games:
        stop(INTERRUPTED, f"interrupted after {report.played} of {games} games")
    if not report.healthy:
        stop(
            BUG if dict(report.counts)["bug"] else STOPPED,
            f"{games - report.finished} of {games} games did not end by the rules",
        )


def jobs_of(text: str, games: int, fast: bool) -> int:
    """How many threads or processes; `auto` takes no second one for a few games."""
    if text == "auto":
        return max(1, min(os.cpu_count() or 1, games // (1000 if fast else 50)))
    if not is_number(text) or len(text) > 9 or int(text) < 1:
        raise click.UsageError(f"--jobs wants a number from 1, or auto, not `{text}`")
    return int(text)


@verb(
    "print a game with its mods as one file",
    "resolve connect_four --mod mods/connect_five",
    "resolve night_soil --mod mine.yaml --provenance --out merged.yaml",
)
@click.argument("game")
@MODS
@SETS
@click.option("--players", type=click.IntRange(1, 20), metavar="N", help="For that many players alone.")
@click.option("--provenance", is_flag=True, help="Say in comments which mod each changed thing is from.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@OUT
def resolve(
    game: str,
    mods: tuple[str, ...],
    sets: tuple[str, ...],
    players: int | None,
    provenance: bool,
    force: bool,
    out: Path | None,
) -> None:
    """Print a game with its mods as one game file, which plays the same.

    Options and modes can still be chosen in it. Where a mod asks how many play, the file is for --players.
    """
    from interpreter.pipeline import resolved_text

    if out is not None and out.exists() and not force:
        raise click.UsageError(f"`{out}` exists; --force writes over it")
    with answering():
        chosen = Chosen(mods=mods, sets=sets)
        loaded(game, chosen)
        text = resolved_text(definition(game), chosen.overlays(), players, provenance)
    write(text, out)


@verb(
    "what changes between two games, rule by rule",
    "diff night_market mods/dear_lanterns",
    "diff night_flowers --mode solo",
    "diff old.yaml new.yaml --json",
)
@click.argument("old", metavar="A")
@click.argument("new", metavar="[B]", required=False)
@click.option("--players", type=click.IntRange(1, 20), metavar="N", help="What holds for so many.  [default: all]")
@rule_flags
@form_of("json")
@OUT
@LOOK
def diff(
    old: str,
    new: str | None,
    players: int | None,
    chosen: Chosen,
    form: str,
    out: Path | None,
    color: When,
    no_color: bool,
    ascii_only: bool,
) -> None:
    """What changes from A to B, by address. B is a game, or a mod: then it is A with it; without B it is A itself.

    Mods, values, options and mode belong to B. With a number of players, an option or a mode the rules are those that hold then; what a
    mod says for some numbers of players alone is told for these.
    """
    from interpreter.drivers.differences import compared, compared_lines, count_line, difference_document
    from interpreter.drivers.documents import written
    from interpreter.drivers.layout import line, plain
    from interpreter.pipeline import is_mod

    if new is not None and is_mod(new):
        chosen, new = replace(chosen, mods=(new, *chosen.mods)), None
    with answering():
        first, second = loaded(old, Chosen()), loaded(new or old, chosen)
        if players is None and (chosen.options or chosen.mode):
            players = max(second.player_counts)
        found = compared(first, second, players)
    if form == "json":
        write(written(difference_document(first, second, found)), out)
        return
    shown = screen(color, no_color, ascii_only)
    room = min(shown.look.width, 100)
    names = [f"{rules.title} {rules.version}" for rules in (first, second)]
    laid_over = " ".join(chosen.words())
    head = " → ".join(dict.fromkeys(names)) + (f", with {laid_over}" if laid_over else "")
    lines = [
        line((head, "strong")),
        line((count_line([difference for group in found.values() for difference in group]), "dim")),
        *compared_lines(found, room),
    ]
    if out is not None:
        write(plain(lines), out)
    else:
        shown.show(lines)


@rulewright.group(
    cls=Verbs, short_help="make, check and list mods", context_settings={"help_option_names": ["-h", "--help"]}
)
def mod() -> None:
    """Make, check and list mods: files that change the rules of a game (docs/modding.md).

    \b
    Examples:
      rulewright mod new my_mod night_soil
      rulewright mod check my_mod
    """


@verb("begin a mod", "mod new my_mod night_soil", "mod new my_mod fair.yaml --out my_mod", among=mod, name="new")
@click.argument("id")
@click.argument("game")
@click.option("--out", type=click.Path(path_type=Path), metavar="FOLDER", help="Where.  [default: mods/ID]")
def new_mod(id: str, game: str, out: Path | None) -> None:
    """Begin a mod of a game: a file that is sound and changes one number, a case for it, and the schemas for an editor."""
    from interpreter.drivers.starters import mod_files
    from interpreter.paths import shipped_games

    place, folder = definition(game), out or Path("mods") / id
    with answering():
        said = loaded(game, Chosen()).contents()
    own = None if shipped_games().get(said.id) == place.resolve() else place
    begin(id, folder, mod_files(id, said, own, folder))
    click.echo(f"next: change `{folder.as_posix()}/mod.yaml`, then: rulewright mod check {folder.as_posix()}")


@verb(
    "check mods on their games", "mod check dear_lanterns", "mod check mods/mine --games 200", among=mod, name="check"
)
@click.argument("names", nargs=-1, required=True, metavar="MOD…")
@click.option("--game", metavar="FILE", help="Their game, where it is neither shipped nor near.")
@click.option(
    "--games",
    type=click.IntRange(0, 100_000),
    default=20,
    metavar="N",
    help="Random games with each number of players; 0 for none.",
)
@LOOK
def check_mods(
    names: tuple[str, ...], game: str | None, games: int, color: When, no_color: bool, ascii_only: bool
) -> None:
    """Check mods: all that `validate` says of the game with each, the cases beside it, and random games that must end.

    Several mods of one game are checked together too, their rules alone. Mods that one needs are found among those named and those at hand.
    """
    from interpreter.drivers.mod_check import Listener, check_mod, check_together
    from interpreter.drivers.mods import game_for
    from interpreter.paths import shipped_games
    from interpreter.pipeline import MissingGame, find_mod, mod_facts
    from interpreter.text.suggest import nearest

    shown = screen(color, no_color, ascii_only)
    errors = screen(color, no_color, ascii_only, errors=True)

    def tell(lines: Iterable[Line]) -> None:
        shown.show(lines)
        shown.flush()

    listener = Listener(tell, errors.progress, shown.look.width)
    bad: list[str] = []
    by_game: dict[Path, list[ModChecked]] = {}
    with answering():
        mods = [mod_facts(path) for path in dict.fromkeys(map(find_mod, names))]
        others = [facts for facts in mods if not facts.problem]
        for facts in mods:
            place = definition(game) if game is not None else game_for(facts)
            if place is None and not facts.problem:
                near = nearest(facts.game, tuple(shipped_games()))
                hint = f"did you mean `{near}`?" if near else "say where it is: --game FILE"
                raise MissingGame(f"`{facts.id}` is for `{facts.game}`, which is not at hand; {hint}")
            one = check_mod(facts, place, others, games, listener)
            if not one.sound:
                bad.append(facts.id or str(facts.file))
            if place is not None and one.checked.ok:
                by_game.setdefault(place.resolve(), []).append(one)
        for place, several in by_game.items():
            known = [told for one in several for told in one.checked.diagnostics]
            together = [one.mod for one in several]
            if len(several) > 1 and not check_together(together, from_here(place), others, known, listener):
                bad.append(" with ".join(facts.id for facts in together))
    if bad:
        stop(FINDINGS, f"not sound: {', '.join(bad)}")


@verb("list mods", "mod list", "mod list night_soil --json", among=mod, name="list")
@click.argument("game", required=False)
@form_of("json")
@LOOK
def list_mods(game: str | None, form: str, color: When, no_color: bool, ascii_only: bool) -> None:
    """List the mods below `mods` here and those that ship with the tool, each with what stands against it, if anything does.

    With GAME only those for it.
    """
    from interpreter.drivers.documents import written
    from interpreter.drivers.mods import game_for, shelf_document, shelf_lines
    from interpreter.pipeline import definition_of, mod_facts, mods_at_hand, version_of

    mods = [mod_facts(path) for path in mods_at_hand()]
    places = {facts.game: place for facts in mods if (place := game_for(facts)) is not None}
    if game is not None:
        with answering():
            wanted = definition_of(definition(game)).game
        mods = [facts for facts in mods if facts.game == wanted]
        places = {wanted: definition(game)}
    versions = {id: version_of(place) for id, place in places.items()}
    if form == "json":
        write(written(shelf_document(mods, versions)), None)
    else:
        shown = screen(color, no_color, ascii_only)
        shown.show(shelf_lines(mods, versions, shown.look.width))


@verb("begin a game", "new my_game", "new my_game --out games/my_game")
@click.argument("id")
@click.option("--out", type=click.Path(path_type=Path), metavar="FOLDER", help="Where.  [default: ID]")
def new(id: str, out: Path | None) -> None:
    """Begin a game of your own: a small one that plays, a case for it, and the schemas for an editor."""
    from interpreter.drivers.starters import game_files

    folder = out or Path(id)
    begin(id, folder, game_files(id))
    click.echo(f"next: rulewright play {folder.as_posix()}/{id}.yaml")


def begin(id: str, folder: Path, files: Mapping[str, str]) -> None:
    """Writes the files of something new, and over nothing."""
    from interpreter.drivers.starters import Exists, write_new
    from interpreter.text.yaml_words import NO_TEXT

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


@verb("go through a saved game again", "replay SAVE --verify", "replay SAVE --to 40")
@click.argument("save", type=click.Path(path_type=Path))
@click.option("--game", metavar="FILE", help="The definition, where it is no game that ships with the tool.")
@click.option(
    "--to", type=click.IntRange(0), metavar="N", help="Stop after N actions and draw the position.  [default: end]"
)
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
    from interpreter.drivers import playthrough
    from interpreter.drivers.replay_report import replay_lines

    shown = screen(color, no_color, ascii_only)
    with answering():
        kept, rules = open_save(save, game, mods, machine)
        if verify:
            difference = playthrough.verify_save(rules, kept)
            if difference is not None:
                stop(FINDINGS, f"{save}:{difference.line}: ply {difference.ply}: {difference.text}")
            click.echo(f"{len(kept.steps())} actions verified")
            return
        for part in replay_lines(rules, kept, to, clauses, shown.look.width):
            shown.show(part)


@verb(
    "draw a position, a graph, tables, reconstructed data",
    "show night_soil",
    "show night_soil --at SAVE",
    "show night_soil graph --format svg --out london.svg",
    "show night_soil --data",
)
@click.argument("game")
@click.argument("what", type=click.Choice(["position", "graph", "cards"]), default="position")
@click.option("--at", type=click.Path(path_type=Path), metavar="SAVE", help="The position where a saved game stands.")
@click.option("--seat", type=click.IntRange(1, 20), metavar="N", help="As that seat sees it.  [default: everything]")
@click.option("--data", is_flag=True, help="Which data are reconstructed, and why.")
@click.option("--format", "form", type=click.Choice(["human", "svg"]), default="human", help="Form of a graph.")
@PLAYERS
@SEED
@rule_flags
@OUT
@LOOK
def show(
    game: str,
    what: str,
    at: Path | None,
    seat: int | None,
    data: bool,
    form: str,
    players: int | None,
    seed: str | None,
    chosen: Chosen,
    out: Path | None,
    color: When,
    no_color: bool,
    ascii_only: bool,
) -> None:
    """Draw a game: the position at its start or in a save, its graphs, its tables (cards), where its data come from."""
    from interpreter.drivers import show as showing
    from interpreter.drivers.board import Seen, draw, show_data
    from interpreter.drivers.layout import plain

    if form == "svg" and (what != "graph" or data):
        raise click.UsageError("only graphs can be drawn as SVG: show GAME graph --format svg")
    shown = screen(color, no_color, ascii_only)
    room = min(shown.look.width, 100)
    lines: list[Line] = []
    with answering():
        if what == "position" and not data:
            if at is not None:
                save, rules = open_save(at, game if Path(game).exists() else None, chosen.mods)
                state = state_of(save, rules)
            else:
                rules = loaded(game, chosen)
                state = rules.new(seats_of(rules, players), seed_of(seed))
                while state.chance():
                    state.apply(state.draw())
            if seat is not None and seat > state.program.players:
                raise click.UsageError(f"there are {state.program.players} seats, no seat {seat}")
            lines = draw(state.program, Seen(state.program, state.observe(None if seat is None else seat - 1)), room)
        else:
            rules = loaded(game, chosen)
            guide = rules.guide()
            if form == "svg":
                if not guide.graphs:
                    raise click.UsageError(f"{rules.title} has no graph")
                drawn = show_data(rules.program(rules.player_counts[0]))
                write(showing.picture_svg(rules.title, guide.graphs[0], drawn), out)
                return
            if data:
                parts = [showing.data_lines(guide, rules.clauses(), room)]
            elif what == "graph":
                parts = [showing.graph_lines(picture, room) for picture in guide.graphs]
            else:
                parts = [showing.table_lines(sheet, room) for sheet in guide.tables]
            lines = [text for number, part in enumerate(parts) for text in ([()] * (number > 0) + part)]
            lines = lines or [((f"{rules.title} has no {'graph' if what == 'graph' else 'table'}", ""),)]
    if out is not None:
        write(plain(lines), out)
    else:
        shown.show(lines)


@verb(
    "a code, a clause, an address, or why an action is not offered",
    "explain no-such-name",
    "explain NS-MOVE-04",
    "explain night_soil effects.haul",
    "explain night_soil --at SAVE ACTION",
)
@click.argument("what", metavar="CODE|CLAUSE|GAME")
@click.argument("address", required=False, metavar="[ADDRESS|CLAUSE|ACTION]")
@click.option(
    "--at", type=click.Path(path_type=Path), metavar="SAVE", help="Explain an action where a saved game stands."
)
@rule_flags
@LOOK
def explain(
    what: str,
    address: str | None,
    at: Path | None,
    chosen: Chosen,
    color: When,
    no_color: bool,
    ascii_only: bool,
) -> None:
    """Explain a diagnostic's code, a clause, an address in a definition, or an action in a position.

    A game alone gives the tree of its addresses. With --at the last word is an option by name: why it is offered, or why not.
    """
    from interpreter.drivers import explain as explaining
    from interpreter.machine.faults import IllegalAction
    from interpreter.text.render import explain_code
    from interpreter.text.suggest import nearest

    shown = screen(color, no_color, ascii_only)
    room = min(shown.look.width, 100)
    code = explain_code(what)
    if code is not None and address is None:
        click.echo(code)
        return
    with answering():
        if address is None and what not in games_at_hand() and not Path(what).exists():
            shown.show(clause_of(what, room))
            return
        rules = loaded(what, chosen)
        clauses = rules.clauses()
        if at is not None:
            save, rules = open_save(at, what if Path(what).exists() else None, chosen.mods)
            if save.header.game != rules.id:
                raise click.UsageError(f"`{at}` is no game of {rules.title}")
            state = state_of(save, rules)
            acting = [seat for seat in state.to_act() if seat >= 0]
            if address is None or not acting:
                raise click.UsageError("name an option to explain" if acting else "nobody is asked in that position")
            try:
                shown.show(explaining.action_lines(state, acting[0], address, clauses, room))
            except IllegalAction as problem:
                others = "" if problem.kind == "ambiguous" else ", ".join(problem.nearest)
                raise click.UsageError(problem.message + (f"; nearest: {others}" if others else "")) from None
            return
        atlas = rules.guide().atlas
        if address is None:
            shown.show(explaining.tree_lines(atlas, room))
            return
        entry = clauses.find(address) if clauses is not None else None
        if clauses is not None and entry is not None:
            shown.show(explaining.clause_lines(clauses, atlas, entry, room))
            return
        lines = explaining.address_lines(atlas, clauses, address, room)
        if lines is None:
            under = option_with(what, address, chosen)
            if under is not None:
                raise click.UsageError(f"`{address}` exists only with `--option {under}`: say that too")
            near = explaining.nearest_address(atlas, address) or nearest(address, clauses.ids if clauses else ())
            hint = f"did you mean `{near}`?" if near else f"`explain {what}` lists them"
            raise click.UsageError(f"{rules.title} has no address `{address}`; {hint}")
        shown.show(lines)


def option_with(name: str, address: str, chosen: Chosen) -> str | None:
    """The setting `option=true` under which a game has an address that it does not have otherwise."""
    from interpreter.pipeline import DefinitionError, MissingGame

    for option in loaded(name, chosen).options:
        if option in chosen.settings():
            continue
        try:
            with_it = replace(chosen, options=(*chosen.options, f"{option}=true"))
            atlas = loaded(name, with_it).guide().atlas
        except (DefinitionError, MissingGame):
            continue
        if atlas.find(address) is not None:
            return f"{option}=true"
    return None


def games_at_hand() -> tuple[str, ...]:
    """The ids of the games that ship with the tool."""
    from interpreter.paths import shipped_games

    return tuple(shipped_games())


def state_of(save: Save, rules: Game) -> State:
    """The position where a save stands."""
    from interpreter.drivers.session import Session

    return Session.resume(rules, save).state


def clause_of(id: str, room: int) -> list[Line]:
    """A clause of any game that ships with the tool; whatever else was meant is guessed at."""
    from interpreter.drivers.explain import clause_lines
    from interpreter.paths import shipped_games
    from interpreter.pipeline import clause_list, load
    from interpreter.text.render import known_codes
    from interpreter.text.suggest import nearest

    known = [*known_codes(), *games_at_hand()]
    for path in map(from_here, shipped_games().values()):
        clauses = clause_list(path)
        if clauses is not None:
            entry = clauses.find(id) or clauses.find(id.upper())
            if entry is not None:
                return clause_lines(clauses, load(str(path)).guide().atlas, entry, room)
            known += sorted(clauses.ids)
    near = nearest(id, known)
    hint = f"did you mean `{near}`?" if near else "name a code, a clause, or a game and one of its addresses"
    raise click.UsageError(f"no diagnostic code, clause or game `{id}`; {hint}")


@verb("run scenario files", "test", "test tests/scenarios/night_soil/movement.yaml")
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

    Without a PATH, the scenarios of the games that come with a clone.
    """
    from interpreter.drivers.documents import written
    from interpreter.drivers.layout import plain
    from interpreter.drivers.scenario_report import case_lines, junit, report_json, verdict
    from interpreter.drivers.scenarios import NoScenarios, run_files, scenario_files
    from interpreter.paths import own_scenarios

    own = own_scenarios()
    if not paths and own is None:
        raise click.UsageError("say which scenario files to run")
    shown = screen(color, no_color, ascii_only)
    results = []
    with answering():
        try:
            files = scenario_files(paths or [folder for folder in [own] if folder is not None])
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


# ------------------------------------------------------------------ the way in and out
def report_bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """The last resort, for what nobody foresaw: say where, ask for a report, exit as an engine bug. Never a traceback."""
    if issubclass(kind, KeyboardInterrupt):
        say_interrupted(kind, error, trace)
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
    except PermissionError as problem:
        if problem.filename is None:
            raise
        click.echo(f"error: `{problem.filename}` is not open to you: {problem.strerror}", err=True)
        code = USAGE
    except BrokenPipeError:
        # The reader has left; what is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


if __name__ == "__main__":
    main()
