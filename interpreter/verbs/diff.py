"""The verb `diff`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from interpreter.drivers.differences import compared, compared_lines, count_line, difference_document
from interpreter.drivers.documents import written
from interpreter.drivers.layout import line, plain
from interpreter.drivers.terminal import When
from interpreter.pipeline import is_mod
from interpreter.verbs.answers import answering, screen, write
from interpreter.verbs.family import verb
from interpreter.verbs.flags import LOOK, OUT, PLAYERS_AT_MOST, Chosen, Whole, form_of, rule_flags
from interpreter.verbs.games import loaded


@verb
@click.argument("old", metavar="A")
@click.argument("new", metavar="[B]", required=False)
@click.option("--players", type=Whole(1, PLAYERS_AT_MOST), metavar="N", help="What holds for so many.  [default: all]")
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
