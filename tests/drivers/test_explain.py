"""The map of a definition: what it names exists, what the program has is on it, and every citation is where it says."""

from __future__ import annotations

import pytest

from interpreter.drivers.explain import address_lines, nearest_address, tree_lines
from interpreter.drivers.layout import line_width, plain
from interpreter.paths import shipped_games
from interpreter.pipeline import load

GAMES = tuple(shipped_games())


@pytest.mark.parametrize("name", GAMES)
def test_what_an_address_uses_is_an_address(name: str) -> None:
    atlas = load(name).guide().atlas
    known = {place.address for place in atlas.places}
    assert len(known) == len(atlas.places)
    assert {used for place in atlas.places for used in place.uses} - known == set()


@pytest.mark.parametrize("name", GAMES)
def test_every_procedure_and_field_of_the_program_is_explained(name: str) -> None:
    game = load(name)
    atlas = game.guide().atlas
    program = game.program(game.player_counts[-1])
    shown = [proc.address for proc in program.procs] + [var.address for var in program.vars if not var.hidden]
    wanted = [
        a for a in shown if not a.startswith("@") and not a.endswith((".where", ".run", ".at_once")) and a != "setup"
    ]
    assert [a for a in wanted if address_lines(atlas, None, a, 80) is None] == []


@pytest.mark.parametrize("name", GAMES)
def test_citations_point_at_their_clause(name: str) -> None:
    atlas = load(name).guide().atlas
    assert [c for place in atlas.places for c in place.cite if c.span.text() != c.clause] == []


@pytest.mark.parametrize("name", GAMES)
def test_every_cited_clause_is_in_the_list(name: str) -> None:
    game = load(name)
    clauses = game.clauses()
    if clauses is not None:
        assert [c for place in game.guide().atlas.places for c in place.cite if clauses.find(c.clause) is None] == []


@pytest.mark.parametrize("name", GAMES)
def test_the_tree_fits_the_width(name: str) -> None:
    assert max(line_width(text) for text in tree_lines(load(name).guide().atlas, 80)) <= 80


def test_an_address_shows_its_own_text_and_nothing_behind_it() -> None:
    atlas = load("kuhn_poker").guide().atlas
    strength = atlas.find("functions.strength")
    assert strength is not None
    assert strength.lines() == ["strength(p: player) = if p.folded then 0 otherwise sum of c.rank for c in p.hand"]
    assert atlas.users("functions.strength") == ("winners",)
    hand = plain(address_lines(atlas, None, "components.player.hand", 80) or [])
    assert "hand: group of card, seen by owner" in hand
    assert "setup.deal" in hand


def test_the_nearest_address() -> None:
    atlas = load("kuhn_poker").guide().atlas
    assert nearest_address(atlas, "functions.strenght") == "functions.strength"
    assert nearest_address(atlas, "strength") == "functions.strength"
    assert nearest_address(atlas, "zebra.stripes") is None
