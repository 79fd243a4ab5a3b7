"""The verb `mod check`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from interpreter.drivers.layout import Line
from interpreter.drivers.mod_check import Listener, ModChecked, check_mod, check_together
from interpreter.drivers.mods import game_for
from interpreter.drivers.terminal import When
from interpreter.paths import shipped_games
from interpreter.pipeline import MissingGame, find_mod, mod_facts
from interpreter.text.suggest import nearest
from interpreter.verbs.answers import answering, screen, stop
from interpreter.verbs.exits import FINDINGS
from interpreter.verbs.family import verb
from interpreter.verbs.flags import LOOK, Whole
from interpreter.verbs.games import definition, from_here


@verb
@click.argument("names", nargs=-1, required=True, metavar="MOD…")
@click.option("--game", metavar="FILE", help="Their game, where it is neither shipped nor near.")
@click.option(
    "--games",
    type=Whole(0, 100_000),
    default=20,
    metavar="N",
    help="Random games with each number of players; 0 for none.",
)
@LOOK
def mod_check(
    names: tuple[str, ...], game: str | None, games: int, color: When, no_color: bool, ascii_only: bool
) -> None:
    """Check mods: all that `validate` says of the game with each, the cases beside it, and random games that must end.

    Several mods of one game are checked together too, their rules alone. Mods that one needs are found among those named and those at hand.
    """
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
