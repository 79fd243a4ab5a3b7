"""The verb `mod list`."""

from __future__ import annotations

import click

from interpreter.drivers.documents import written
from interpreter.drivers.mods import game_for, shelf_document, shelf_lines
from interpreter.drivers.terminal import When
from interpreter.pipeline import definition_of, mod_facts, mods_at_hand, version_of
from interpreter.verbs.answers import answering, screen, write
from interpreter.verbs.family import verb
from interpreter.verbs.flags import LOOK, form_of
from interpreter.verbs.games import definition


@verb
@click.argument("game", required=False)
@form_of("json")
@LOOK
def mod_list(game: str | None, form: str, color: When, no_color: bool, ascii_only: bool) -> None:
    """List the mods below `mods` here and those that ship with the tool, each with what stands against it, if anything does.

    With GAME only those for it.
    """
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
