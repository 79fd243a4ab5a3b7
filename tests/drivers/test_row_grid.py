"""Grids of cards: how they lie side by side, what is shortened, and that the width is kept to."""

from __future__ import annotations

import pytest

from interpreter.drivers.layout import line, line_width, plain
from interpreter.drivers.row_grid import Cell, Grid, grid_lines


def grid(name: str, cells: dict[str, Cell | None]) -> Grid:
    """A grid of two columns and two rows; ids that are not given are empty."""
    spots = {id_: (int(id_[1]), id_[0]) for id_ in ("a1", "b1", "a2", "b2")}
    return Grid(line(name), {spot: cells.get(id_) for id_, spot in spots.items()})


ROBE = Cell("Silk Robe", "robe", (line("ss"), line("k")))
PEPPER = Cell("Pepper", "Pepper")
HIDDEN = Cell("?", "?", style="dim")
PAIR = [grid("Red", {"a1": ROBE, "b2": PEPPER}), grid("Blue", {"a2": HIDDEN, "b1": PEPPER})]
NAMES = (9, 6)

BESIDE = """\
Red                      Blue
   a         b              a         b
 1 Silk Robe ·            1 ·         Pepper
   ss k
 2 ·         Pepper       2 ?         ·"""

BELOW = """\
Red
   a       b
 1 robe    ·
   ss k
 2 ·       Pepper

Blue
   a       b
 1 ·       Pepper
 2 ?       ·"""


def test_beside_each_other_where_there_is_room() -> None:
    assert plain(grid_lines(PAIR, NAMES, 1, 80)) == BESIDE


def test_below_each_other_with_short_names_where_there_is_none() -> None:
    assert plain(grid_lines(PAIR, NAMES, 1, 18)) == BELOW


def test_rows_keep_their_height_while_things_come_and_go() -> None:
    empty = grid_lines([grid("Red", {})], NAMES, 2, 80)
    full = grid_lines(
        [grid("Red", dict.fromkeys(("a1", "b1", "a2", "b2"), Cell("Pepper", "Pepper", (line("s"),))))], NAMES, 2, 80
    )
    assert len(empty) == len(full) == 6


def test_a_long_name_without_a_short_one_is_folded_and_cut() -> None:
    long = Cell("Very Extraordinarily Old Candlestick", "Very Extraordinarily Old Candlestick")
    (_, _, first, second, *_) = plain(grid_lines([grid("Red", {"a1": long})], (36, 36), 1, 24)).split("\n")
    assert first.split() == ["1", "Very", "·"]
    assert second.strip() == "Extraordi…"


def test_a_slot_that_is_drawn_elsewhere_is_left_blank() -> None:
    part = Grid((), {(1, "a"): None, (2, "b"): PEPPER})
    assert plain(grid_lines([part], NAMES, 1, 80)).split("\n") == [
        "   a         b", " 1 ·", " 2           Pepper",
    ]  # fmt: skip


@pytest.mark.parametrize("room", [20, 33, 46, 80, 100])
def test_nothing_is_wider_than_asked(room: int) -> None:
    assert max(line_width(text) for text in grid_lines([*PAIR, *PAIR], NAMES, 2, room)) <= room
