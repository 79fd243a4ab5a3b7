"""The verb `simulate`."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path

import click

from interpreter.drivers import simulate as running
from interpreter.drivers.bots.bot import RANDOM
from interpreter.drivers.documents import written
from interpreter.drivers.layout import plain
from interpreter.drivers.simulate_report import report_lines
from interpreter.drivers.terminal import When
from interpreter.pipeline import MachineKind, load
from interpreter.verbs.answers import answering, screen, stop, write
from interpreter.verbs.exits import BUG, INTERRUPTED, STOPPED
from interpreter.verbs.family import verb
from interpreter.verbs.flags import (
    LOOK,
    MACHINE,
    OUT,
    PLAYERS,
    QUIET,
    SEED,
    Chosen,
    Whole,
    bots_of,
    form_of,
    jobs_of,
    rule_flags,
    seed_of,
)
from interpreter.verbs.games import definition, names_of, say_conflicts, seats_of


@verb
@click.argument("game")
@click.option("--games", type=Whole(1, 10_000_000), default=100, help="How many games.")
@PLAYERS
@click.option("--bots", default="random", metavar="KINDS", help="Who plays, by seat; the last kind is repeated.")
@SEED
@click.option("--game", "first", type=Whole(0), default=0, metavar="N", help="Number of the first game.")
@click.option("--jobs", default="auto", metavar="N|auto", help="How many work at once; changes no result.")
@click.option("--limit-actions", type=Whole(1), default=20_000, help="Stop a game after so many actions.")
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
    path = str(definition(game))
    given, overlays = chosen.settings(), chosen.overlays(quiet)
    with answering():
        rules = load(path, options=given, mode=chosen.mode, machine=machine, overlays=overlays)
        if not quiet:
            say_conflicts(rules)
        count = seats_of(rules, players)
        kinds = bots_of(bots, count, people=False)
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
        shown = screen(color, no_color, ascii_only)
        room = min(shown.look.width, 100)
        made_up = len(program.reconstructed)
        lines = report_lines(rules, report, names_of(program), " ".join(words), made_up, game, room)
        if out is not None:
            write(plain(lines), out)
        else:
            shown.show(lines)
    if report.played < games:
        stop(INTERRUPTED, f"interrupted after {report.played} of {games} games")
    if not report.healthy:
        stop(
            BUG if dict(report.counts)["bug"] else STOPPED,
            f"{games - report.finished} of {games} games did not end by the rules",
        )
