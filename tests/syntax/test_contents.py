"""What a definition says, by address."""

from __future__ import annotations

from pathlib import Path

import pytest

from interpreter.paths import shipped_games
from interpreter.pipeline import definition_of, load
from interpreter.syntax.contents import addresses, contents
from interpreter.syntax.plain_yaml import yaml_lines

GAME = """\
game: fair
title: Fair
rules: 1
version: 1.2.0
players: 2..3
options:
  quick: {default: false, change: {values.goal: {set: 3}}}
values:
  goal: {is: 6, cite: F-01}
  prices: {by players: {2: 1, 3: 2}}
components: |
  colour is one of red, blue
  stall is a thing:
    printed rank, cost: 1..9
  each player has:
    coins: 0..99
  the table has:
    open: true or false = true
graphs:
  row: a -- b
stalls: {data: reconstructed, a: {rank: 1, cost: 2}, b: {rank: 2, cost: 2, cite: F-02}}
functions: |
  wage = 1
effects:
  work: gain wage coins
  rest:
    takes: {many: 1..3}
    do:
      sleep: gain many coins
      wake: {cite: F-03, do: set open to false}
play: |
  take turns in players while (no p in players where p.coins >= goal):
    choose s from stalls asking "Where?"
    gain s.rank coins
winners: all p in players with most p.coins
text: {effects.work: "{me} works"}
show: {players: [x, o]}
"""


@pytest.fixture
def said(tmp_path: Path) -> dict[str, str]:
    path = tmp_path / "fair.yaml"
    path.write_text(GAME, encoding="utf-8")
    return contents(definition_of(path))


@pytest.mark.parametrize(
    ("address", "text"),
    [
        ("players", "2..3"),
        ("values.goal", "6"),
        ("values.goal.cite", "F-01"),
        ("components.colour", "colour is one of red, blue"),
        ("components.stall.cost", "printed 1..9"),
        ("components.player.coins", "0..99"),
        ("components.table.open", "true or false = true"),
        ("graphs.row", "a -- b"),
        ("stalls.data", "reconstructed"),
        ("stalls.b.rank", "2"),
        ("stalls.b.cite", "F-02"),
        ("functions.wage", "wage = 1"),
        ("effects.work", "gain wage coins"),
        ("effects.rest.takes", "many: 1..3"),
        ("effects.rest.sleep", "gain many coins"),
        ("effects.rest.wake", "set open to false"),
        ("effects.rest.wake.cite", "F-03"),
        ("winners", "all p in players with most p.coins"),
        ("text.effects.work", "{me} works"),
        ("show.players", "[x, o]"),
    ],
)
def test_each_thing_has_its_text(said: dict[str, str], address: str, text: str) -> None:
    assert said[address] == text


def test_what_stands_beside_a_thing_comes_behind_it(said: dict[str, str]) -> None:
    order = list(said)
    for thing, beside in (("values.goal", "cite"), ("effects.rest.wake", "cite"), ("stalls.b.rank", "cite")):
        assert order.index(thing) < order.index(f"{thing.removesuffix('.rank')}.{beside}")


def test_words_that_yaml_would_read_otherwise_have_no_quotes() -> None:
    assert "\n".join(yaml_lines({"n": ["off", "a b: c"]}, {}, for_people=True)) == 'n: [off, "a b: c"]'
    assert "\n".join(yaml_lines({"n": ["off"]}, {})) == '"n": ["off"]'


def test_values_by_number_of_players_and_options_are_told_whole(said: dict[str, str]) -> None:
    assert "by players:" in said["values.prices"]
    assert "values.goal: {set: 3}" in said["options.quick"]


def test_what_stands_beside_a_thing_is_no_address(tmp_path: Path) -> None:
    path = tmp_path / "fair.yaml"
    path.write_text(GAME, encoding="utf-8")
    found = addresses(definition_of(path))
    assert {"stalls", "stalls.b", "stalls.b.rank", "effects.rest", "effects.rest.wake", "components.table"} <= set(
        found
    )
    assert not {"values.goal.cite", "stalls.data", "effects.rest.takes", "text.effects", "values"} & set(found)


@pytest.mark.parametrize("name", ["kuhn_poker", "night_soil"])
def test_whatever_explain_lists_has_a_text(name: str) -> None:
    path = shipped_games()[name]
    listed = {place.address for place in load(str(path)).guide().atlas.places}
    assert listed <= set(addresses(definition_of(path)))
