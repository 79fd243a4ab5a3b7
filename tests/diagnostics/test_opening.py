"""The beginning of a game is tried out: what stops every game is an error, what stops some is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from interpreter.stages import check_file
from tests.diagnostics.test_goldens import completed

STATE = """\
components: |
  place is a thing:
    soil: 0..3
    token: player or nothing = nothing
    printed deed: effect
  card is a piece:
    printed cost: 0..4
  each player has:
    coins: 0..9
    hand: group of card
  the table has:
    round: 0..9
    line: order of player
    pack: deck of card = cards
places: {a: {deed: pay 5 coins}, b: {deed: gain 1 coin}}
cards: {k1: {cost: 1}, k2: {cost: 2}}
"""
ASK = "have p1: choose k from 1..3"

STOPS = {
    "a requirement of set-up": f"setup: require round > 0\nplay: '{ASK}'\n",
    "a payment in set-up": f"setup: 'have p1: pay 3 coins'\nplay: '{ASK}'\n",
    "too much in set-up": f"setup: |\n  raise round by 2\n  raise round by 8\nplay: '{ASK}'\n",
    "a draw in set-up": f"setup: draw x from places where x.soil > 0\nplay: '{ASK}'\n",
    "no option can be completed": "play: |\n  have p1:\n    choose y from 0..2\n    pay 1 coin\n",
    "no way of two": "play: |\n  have p1:\n    either p: pay 1 coin\n    or q: pay 2 coins\n",
    "too few to deal": "play: |\n  have p1: deal 5 from pack to my hand\n",
    "a trigger": f'triggers: {{m: "when round > 0: require round > 5"}}\nplay: |\n  raise round by 1\n  {ASK}\n',
    "what a row does": "play: |\n  have p1: perform a.deed\n",
    "below the range": f"play: |\n  set round to round - 1\n  {ASK}\n",
    "above the range": f"play: |\n  repeat 20 times: raise round by 1\n  {ASK}\n",
    "an amount below 0": f"play: |\n  raise round by size(line) - 1\n  {ASK}\n",
    "a depth that is always passed": (
        "effects:\n  e: {depth: 2, do: 'gain up to 1 coin, then perform e'}\nplay: |\n  have p1: perform e\n"
    ),
    "a loop that is never left": f"play: |\n  repeat while round < 10: raise round by up to 1\n  {ASK}\n",
    "a board that fills up": (
        "play: |\n  repeat 3 times:\n    have p1:\n      choose y from places\n      require y.token = nothing\n"
        "      set y.token to me\n"
    ),
}
GOES_ON = {
    "one option of two": "play: |\n  have p1:\n    either p: pay 1 coin\n    or q: gain 1 coin\n",
    "some draw is well": f"setup: |\n  draw x from 0..2\n  raise round by 8\n  raise round by x\nplay: '{ASK}'\n",
    "it stops late": (
        "play: |\n  repeat 20 times:\n    have p1: choose k from 1..3\n  have p1: choose k from places where k.soil > 3\n"
    ),
}


def codes(text: str, folder: Path) -> list[str]:
    """What is found in a game."""
    path = folder / "game.yaml"
    path.write_text(completed(STATE + text), encoding="utf-8")
    return [d.code for d in check_file(path, {}, None).diagnostics]


@pytest.mark.parametrize("name", STOPS)
def test_what_stops_every_game_is_said(name: str, tmp_path: Path) -> None:
    assert codes(STOPS[name], tmp_path) == ["stops-every-game"]


@pytest.mark.parametrize("name", GOES_ON)
def test_what_stops_some_games_is_none(name: str, tmp_path: Path) -> None:
    assert "stops-every-game" not in codes(GOES_ON[name], tmp_path)
