"""Games and saves as verbs name them."""

from __future__ import annotations

from pathlib import Path

import click

from interpreter.drivers.playthrough import Save, SaveProblem, game_of, mods_of, read_save, same_rules
from interpreter.drivers.session import Session
from interpreter.ir.program import Program
from interpreter.machine.protocol import State
from interpreter.paths import shipped_games
from interpreter.pipeline import Game, MachineKind, MissingGame, find_game, load
from interpreter.verbs.answers import say_once
from interpreter.verbs.flags import Chosen

CONFLICTS_SAID = 3
"""Of conflicts between mods, how many are said."""


def from_here(path: Path) -> Path:
    """The path as a person in the current folder would write it, if it lies below."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def definition(name: str) -> Path:
    """The file of a game, see find_game, as a person here would write it."""
    try:
        found = find_game(name)
    except MissingGame as problem:
        raise click.UsageError(str(problem)) from None
    return from_here(found)


def loaded(name: str, chosen: Chosen, machine: MachineKind = "reference") -> Game:
    """A game that can be played; what only looks at a position needs no fast machine."""
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


def open_save(
    path: Path, name: str | None, mods: tuple[str, ...] = (), machine: MachineKind = "reference"
) -> tuple[Save, Game]:
    """A save and its rules, loaded as they were when it began; `name` says which file, `mods` which mods, where they lie elsewhere than
    they did."""
    if not path.is_file():
        raise click.UsageError(f"no save `{path}`")
    save = read_save(path)
    made_with = dict(save.header.settings)
    mode = made_with.pop("mode", None)
    options = tuple(f"{key}={value}" for key, value in made_with.items())
    chosen = Chosen(options, mode, mods or mods_of(save), save.header.sets)
    game = loaded(name or game_of(save), chosen, machine)
    differs = same_rules(game, save)
    if differs:
        raise SaveProblem(differs)
    if save.cut:
        click.echo("the last line of the save was cut off; going on from the last whole one", err=True)
    return save, game


def own_file(game: Game) -> Path | None:
    """The file of a game that does not ship with the tool."""
    return game.path if game.path.resolve() not in [path.resolve() for path in shipped_games().values()] else None


def state_of(save: Save, rules: Game) -> State:
    """The position where a save stands."""
    return Session.resume(rules, save).state


def with_mods(game: Game) -> str:
    """A game's title, with the mods that lie over it."""
    laid_over = [mod.id for mod in game.mods] + list(game.sets)
    return f"{game.title} with {', '.join(laid_over)}" if laid_over else game.title


def switched_on(game: Game) -> str:
    """The options and the mode that a game is played with, as far as they are not as they are of themselves."""
    of_itself = load(str(game.path), overlays=game.overlays).settings
    chosen = [
        name if value == "true" else f"{name} {value}"
        for name, value in game.settings
        if (name, value) not in of_itself
    ]
    return f", {', '.join(chosen)}" if chosen else ""


def names_of(program: Program) -> tuple[str, ...]:
    """What the seats are called."""
    return program.domains[program.player_domain].names[: program.players]


def games_at_hand() -> tuple[str, ...]:
    """The ids of the games that ship with the tool."""
    return tuple(shipped_games())
