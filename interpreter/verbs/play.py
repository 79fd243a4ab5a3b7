"""The verb `play`."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click

from interpreter.drivers.bots.bot import SCRIPTED
from interpreter.drivers.handbook import Handbook
from interpreter.drivers.narrate import reconstructed_text
from interpreter.drivers.play import Table
from interpreter.drivers.playthrough import Header, SaveFile
from interpreter.drivers.session import Session
from interpreter.drivers.terminal import When
from interpreter.paths import saves_dir
from interpreter.pipeline import MachineKind
from interpreter.verbs.answers import answering, screen
from interpreter.verbs.family import verb
from interpreter.verbs.flags import LOOK, MACHINE, PLAYERS, PLAYERS_AT_HOME, SEED, Chosen, bots_of, rule_flags, seed_of
from interpreter.verbs.games import loaded, names_of, open_save, own_file, seats_of, switched_on, with_mods

LAST: Final = "last"


@verb
@click.argument("game", required=False)
@PLAYERS
@click.option("--bots", default=PLAYERS_AT_HOME, metavar="KINDS", help="Who plays, by seat; the last kind is repeated.")
@SEED
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    metavar="SAVE",
    help="Go on with a saved game; `last`: the last that was kept.",
)
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
    if resume == Path(LAST) and not resume.exists():
        resume = last_save(game)
    with answering():
        if resume is not None:
            kept, rules = open_save(resume, game, chosen.mods, machine)
            session = Session.resume(rules, kept, None if no_save else SaveFile.resume(resume, kept), ask_forced)
        else:
            rules = loaded(str(game), chosen, machine)
            count = seats_of(rules, players)
            now = datetime.now(UTC)
            time = now.isoformat(timespec="seconds")
            header = Header.of(rules, count, seed_of(seed), bots_of(bots, count, people=True), time, own_file(rules))
            path = save or saves_dir() / f"{rules.id}-{now:%Y%m%d-%H%M%S}-{secrets.randbelow(1 << 16):04x}.jsonl"
            session = Session(rules, header, None if no_save else SaveFile.create(path, header), ask_forced)
        session.source = game if game is not None and Path(game).exists() else ""
        program = session.state.program
        kinds = (*session.header.seats, *[SCRIPTED] * len(program.scripted))
        seats = ", ".join(f"{name} is {kind}" for name, kind in zip(names_of(program), kinds, strict=True))
        book = Handbook(program, lambda: rules.guide().atlas, rules.clauses(), min(shown.look.width, 100))
        by_name = LAST if save is None and (resume is None or resume.parent == saves_dir()) else ""
        notes = (reconstructed_text(len(program.reconstructed), session.source or rules.id), *session.kept(by_name))
        title = f"{with_mods(rules)}{switched_on(rules)} ({seats})"
        table = Table(session, shown, session.people, title, tuple(filter(None, notes)), book)
        try:
            with session.told():
                table.run()
        except KeyboardInterrupt:
            shown.say()
            shown.show([((text, ""),) for text in session.farewell()])
            raise
        finally:
            session.close()


def last_save(game: str | None) -> Path:
    """The save that was written to last, of one game if its id is given, among those that are kept where nobody said where."""
    named = game if game is not None and not Path(game).exists() else ""
    kept = [path for path in saves_dir().glob("*.jsonl") if path.name.startswith(f"{named}-" if named else "")]
    if not kept:
        of = f" of `{named}`" if named else ""
        raise click.UsageError(f"no game{of} is kept in {saves_dir()} yet")
    return max(kept, key=lambda path: path.stat().st_mtime)
