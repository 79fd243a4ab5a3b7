"""Flags that verbs share, and what people write behind them."""

from __future__ import annotations

import os
import secrets
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

from interpreter.drivers.bots.bot import HUMAN, KINDS
from interpreter.pipeline import MissingGame, Overlays, completed, find_mod
from interpreter.text import limits
from interpreter.verbs.answers import say_once
from interpreter.verbs.family import Function

SEED_DIGITS = 1000
"""More than anybody means, and fewer than Python refuses to read."""
PLAYERS_AT_HOME = "human,random"
"""Who plays if nobody says: one person against bots, or alone."""


PLAYERS_AT_MOST = limits.PLAYERS.most


class Whole(click.IntRange):
    """A whole number within bounds."""

    name = "whole number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Only of the digits that rules are written in."""
        if isinstance(value, str) and not is_number(value.removeprefix("-")):
            self.fail(f"`{value}` is no {self.name}", param, ctx)
        return super().convert(value, param, ctx)


def flags(*options: Callable[[Function], Function]) -> Callable[[Function], Function]:
    """Several options at once, shown in the order given."""

    def add(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return add


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
PLAYERS = click.option(
    "--players", type=Whole(1, PLAYERS_AT_MOST), metavar="N", help="How many play.  [default: fewest]"
)
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


def seed_of(text: str | None) -> int | str:
    """A whole number or any text; drawn if none is given."""
    if text is None:
        return secrets.randbelow(2**32)
    if not is_text(text):
        raise click.UsageError("a seed is a number or a text of whole characters")
    if not is_number(text.lstrip("-")):
        return text
    if text.startswith("-"):
        raise click.UsageError("a seed is not negative")
    if len(text) > SEED_DIGITS:
        raise click.UsageError(f"a seed has at most {SEED_DIGITS} digits")
    return int(text)


def is_text(text: str) -> bool:
    """Whether a word of the command line is text, and not bytes that no character has."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def is_number(text: str) -> bool:
    """Whether a text is made of the digits 0 to 9; those of other scripts, and small raised ones, are text."""
    return text.isascii() and text.isdigit()


def bots_of(text: str, players: int, people: bool) -> tuple[str, ...]:
    """Who sits where: kinds by player, the last repeated; `people` says whether they may be among them. Seats that act by script are not
    counted."""
    kinds = [kind.strip() for kind in text.split(",") if kind.strip()]
    known = (HUMAN, *KINDS) if people else tuple(KINDS)
    wrong = [kind for kind in kinds if kind not in known]
    if wrong or not kinds:
        are = "are" if len(known) > 1 else "is"
        what = "people do not play here" if HUMAN in wrong else f"no bot `{wrong[0] if wrong else text}`"
        raise click.UsageError(f"{what}; there {are} {', '.join(known)}")
    if text == PLAYERS_AT_HOME:
        kinds = kinds[:players]
    if len(kinds) > players:
        raise click.UsageError(f"{len(kinds)} bots for {'1 player' if players == 1 else f'{players} players'}")
    return (*kinds, *[kinds[-1]] * (players - len(kinds)))


def jobs_of(text: str, games: int, fast: bool) -> int:
    """How many threads or processes; `auto` takes no second one for a few games."""
    if text == "auto":
        return max(1, min(os.cpu_count() or 1, games // (1000 if fast else 50)))
    if not is_number(text) or len(text) > 9 or int(text) < 1:
        raise click.UsageError(f"--jobs wants a number from 1, or auto, not `{text}`")
    return int(text)
