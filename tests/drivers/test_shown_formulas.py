"""Functions on the board: what they come to, for whom, and those that would give away what is hidden, or that nobody can ask."""

from __future__ import annotations

from pathlib import Path

import pytest

from interpreter.drivers.board import draw
from interpreter.drivers.drawing.sight import Seen
from interpreter.drivers.layout import plain
from interpreter.pipeline import check, load

GAME = """\
game: fair
title: Fair
rules: 1
version: 1.0.0
players: 2
components: |
  guild is one of bakers, smiths, weavers
  stall is a thing:
    printed guild: guild
    who: player or nothing = nothing
  card is a piece
  each player has:
    coins: 0..9 = 1
    secret: 0..9, seen by owner
    hand: group of card, seen by owner
stalls: {oven: {guild: bakers}, forge: {guild: smiths}, loom: {guild: weavers}, shed: {guild: smiths}}
cards: {ace: {}}
functions: |
  head(g: guild) = only p in players where (any s in stalls where s.guild = g and s.who = p)
  taken = all s in stalls where s.who != nothing
  many = number of s in stalls where s.who != nothing
  wealth(p: player) = 2 * p.coins
  schemes(p: player) = p.secret + 1
  cards_of(p: player) = size(p.hand)
  all_taken = no s in stalls where s.who = nothing
  early = all s in stalls where s.guild != weavers
  mine = my coins
  share(p: player, g: guild) = p.coins
play: |
  have players:
    choose s from stalls asking "Which?"
    set s.who to me
winners: players
text: {head: ignored}
show:
  players: [red, blue]
  stall: {title: stalls, only: early, empty: true}
  head: {title: at the head}
  taken: {}
  many: {}
  wealth: {}
  schemes: {}
  cards_of: {}
  all_taken: {hide: true}
"""


def drawn(folder: Path, taken: tuple[str, ...], seat: int | None = 0, text: str = GAME) -> str:
    path = folder / "fair.yaml"
    path.write_text(text, encoding="utf-8")
    state = load(str(path)).new(2, 1)
    for word in taken:
        state.apply(state.find(state.to_act()[0], word))
    return plain(draw(state.program, Seen.of(state, seat), 80))


def test_the_board_says_what_functions_come_to_but_nothing_hidden(tmp_path: Path) -> None:
    assert drawn(tmp_path, ()).split("\n\n") == [
        "stalls\n  Oven –    Forge –   Shed –",
        "at the head –   taken –   many 0",
        "●R Red      coins 1  secret 0  wealth 2\n            hand empty\n"
        "▲B Blue     coins 1  secret ?  wealth 2\n            hand face down",
    ]
    later = drawn(tmp_path, ("forge", "loom"))
    assert "at the head Smiths ●R Red, Weavers ▲B Blue   taken Forge, Loom   many 2" in later
    assert "  Oven –     Forge ●R   Loom ▲B    Shed –" in later


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("  mine: {}\n", "shows-unread", "`mine` is about who acts"),
        ("  share: {}\n", "shows-unread", "the board cannot ask `share`"),
        ("  many: {symbol: m}\n", "shows-unread", "the board reads no `symbol` of a function"),
        ("  hed: {}\n", "shows-nothing", "nothing on the board is called `hed`"),
    ],
)
def test_what_the_board_cannot_ask_is_reported(line: str, code: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "fair.yaml"
    path.write_text(GAME.replace("  many: {}\n", line), encoding="utf-8")
    found = check(path).diagnostics
    assert [d.code for d in found if said in d.message] == [code]


def test_nothing_is_said_of_it_in_what_is_fine(tmp_path: Path) -> None:
    path = tmp_path / "fair.yaml"
    path.write_text(GAME, encoding="utf-8")
    assert [d.message for d in check(path).diagnostics if d.code.startswith("shows")] == []
