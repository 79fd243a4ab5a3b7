"""Pieces with what is printed on them, on the board and among the options; and what is said of equal ones."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from interpreter.drivers.board import draw
from interpreter.drivers.drawing.sight import Seen
from interpreter.drivers.layout import line_width, plain
from interpreter.drivers.play import Table
from interpreter.drivers.playthrough import Header
from interpreter.drivers.session import Session
from interpreter.drivers.terminal import Look, Screen
from interpreter.pipeline import Game, load

GAME = """\
game: stand
title: Stand
rules: 1
version: 1.0.0
players: 2
components: |
  herb is one of mint, sage
  shed is a thing
  ware is a piece:
    printed price: 0..9 = 0
    printed taste: herb or nothing = nothing
    printed needs: 0..9 for each herb = 0
    printed sheds: set of shed = {}
    printed next: shed or nothing for each shed = nothing
    printed rare: true or false = false
    printed use: effect or nothing = nothing
    printed steps: 0..9 for each 1..2 = 0
    printed worth: formula(p: player) = 0
    sold: true or false = false
  each player has:
    coins: 0..99
    hand: group of ware, seen by owner
    bench: row of shed ware
  the table has:
    shelf: row of 4 ware
    pool: group of ware = wares
    night: true or false = false
    late: true or false for each herb = false
sheds: {a1: {}, a2: {}, b1: {}, b2: {}}
wares:
  tea: {price: 3, taste: sage, needs: {mint: 2, sage: 0}, sheds: [a1, b2], rare: true}
  jam: {price: 1, next: {a1: b1, a2: b2}, use: "gain 1 coin   [ST-JAM-01]", steps: {2: 4}}
  pot:
    use: |
      gain 1 coin
      gain 2 coins
  cup: {copies: 4}
setup: |
  move tea to shelf[1]
  move jam to shelf[2]
  have all p in players where p.seat = 1:
    move cup_1 to my bench[a1]
    move cup_2 to my bench[b2]
play: |
  have players:
    try:
      choose w from shelf asking "Buy what?"
      set w.sold to true
      set night to true
      set late[sage] to true
      choose x from my bench asking "Which cup?"
      move w to my hand
winners: players
show:
  players: [red, blue]
  shelf: {tells: [price, taste, needs, sheds, next, rare, use, steps]}
  hand: {tells: [price]}
  pool: {tells: [use]}
  night: {title: it is night}
  sold: {symbol: "!"}
  price: {title: for}
  taste: {title: ""}
  herb: {mint: {symbol: M}, sage: {symbol: S}}
"""


def stand(folder: Path) -> Game:
    """The small game."""
    path = folder / "stand.yaml"
    path.write_text(GAME, encoding="utf-8")
    return load(str(path))


def drawn(game: Game, room: int, taken: tuple[str, ...] = (), seat: int | None = 0) -> str:
    """The board after some choices of those who are asked."""
    state = game.new(2, 1)
    for text in taken:
        (player, *_) = state.to_act()
        state.apply(state.find(player, text))
    lines = draw(state.program, Seen.of(state, seat), room)
    assert max(line_width(text) for text in lines) <= room
    return plain(lines)


SHELF = """\
shelf
  Tea   for 3   Sage   needs Mint 2   sheds A1, B2   rare
  Jam   for 1   next A1-B1, A2-B2   use gain 1 coin   steps 2: 4
"""
SHORT = """\
shelf
  Tea  for 3  Sage  needs MM  sheds A1 B2  rare
  Jam  for 1  next A1-B1 A2-B2  use gain 1 coin  steps 2: 4
"""
FOLDED = """\
shelf
  Tea  for 3  Sage  needs MM  sheds A1 B2
    rare
  Jam  for 1  next A1-B1 A2-B2
    use gain 1 coin  steps 2: 4
"""


@pytest.mark.parametrize(("room", "wanted"), [(80, SHELF), (59, SHORT), (42, FOLDED)])
def test_each_piece_has_a_line_with_what_is_printed_on_it(tmp_path: Path, room: int, wanted: str) -> None:
    assert wanted in drawn(stand(tmp_path), room)


def test_a_slot_behind_an_empty_one_has_its_number(tmp_path: Path) -> None:
    assert "shelf  2 Jam   for 1   next" in drawn(stand(tmp_path), 80, ("tea", "cup_1"))


def test_what_lies_on_a_piece_stands_behind_its_name(tmp_path: Path) -> None:
    assert "hand  Tea (!)   for 3" in drawn(stand(tmp_path), 80, ("tea", "cup_1"))


def test_equal_pieces_are_counted_and_a_long_rule_is_not_told(tmp_path: Path) -> None:
    assert "pool\n  Pot      use …\n  Cup ×2\n" in drawn(stand(tmp_path), 80)


def test_hidden_pieces_are_counted_only(tmp_path: Path) -> None:
    text = drawn(stand(tmp_path), 80, ("tea", "cup_1"), seat=1)
    assert "hand face down" in text
    assert "Tea" not in text
    assert "for 3" not in text


def test_a_truth_of_the_table_is_its_word_when_true(tmp_path: Path) -> None:
    game = stand(tmp_path)
    assert "night" not in drawn(game, 80)
    assert "late" not in drawn(game, 80)
    assert "it is night   late Sage\n" in drawn(game, 80, ("tea", "cup_1"))


def asked(monkeypatch: pytest.MonkeyPatch, game: Game, text: str, room: int) -> str:
    """What is printed when `text` is typed."""
    session = Session(game, Header.of(game, 2, 1, ("human", "human")))
    out = io.StringIO()
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    Table(session, Screen(out, Look(False, False, room, False)), session.people, "Stand").run()
    return out.getvalue()


def test_an_option_says_what_is_printed_on_it_where_it_fits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    game = stand(tmp_path)
    wide = asked(monkeypatch, game, "\n", 80)
    assert "  1 Tea  for 3  Sage  needs Mint 2  sheds A1, B2  rare\n  2 Jam  for 1  next" in wide
    narrow = asked(monkeypatch, game, "\n", 50)
    assert "  1 Tea  for 3  Sage  needs MM  sheds A1 B2  rare\n  2 Jam\n" in narrow


def test_equal_pieces_say_in_which_slot_they_lie(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = asked(monkeypatch, stand(tmp_path), "\ntea\n", 80)
    assert "  1 Cup (a1) [cup_1]\n  2 Cup (b2) [cup_2]\n" in said
