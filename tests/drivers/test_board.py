"""What is drawn, and what must never be."""

from __future__ import annotations

from interpreter.drivers.board import draw
from interpreter.drivers.drawing.marks import initials
from interpreter.drivers.layout import line_width, plain, to_ascii
from tests.drivers.small_program import (
    COINS,
    DIRT,
    MARK,
    ORDER,
    OWN_WORKERS,
    SCRATCH,
    STATES,
    TOKEN,
    WORKERS,
    FakeSight,
    program,
)


def sight() -> FakeSight:
    """A position with something everywhere."""
    return FakeSight(
        values={
            (DIRT, 0): 2,
            (DIRT, 2): 7,
            (TOKEN, 1): 1,
            (WORKERS, 2): 3,
            (MARK, 0): 0,
            (MARK, 3): 1,
            (COINS, 0): 5,
            (COINS, 1): None,
            (OWN_WORKERS, 1): 2,
            (ORDER, 0): (1, 0),
            (STATES, 0): 1,
            (SCRATCH, 0): 3,
        },
        zones={1: ((0, 1), 0), 2: ((), 4), 3: ((), 1)},
    )


EXPECTED = """\
┌───────────────┬───────────────┐
│West Gate      │Market Hill    │
│**             │▲B S3          │
├───────────────┴───────────────┤
│the River                      │
│*7                             │
└───────────────────────────────┘
* dirt   S small one   L large one   ●R red   ▲B blue
   a b
 1 R ·
 2 · B

order ▲B blue  ●R red
pile 1 face down

●R red      coins 5  workers 2 large one
            hand Smith (spent), Baker
▲B blue     coins ?  workers none
            hand 4 face down"""


def test_a_whole_position() -> None:
    assert plain(draw(program(), sight(), 80)) == EXPECTED


def test_nothing_is_wider_than_asked() -> None:
    for room in (40, 60, 80, 100):
        assert max(line_width(text) for text in draw(program(), sight(), room)) <= room


def test_ascii_spelling_is_ascii() -> None:
    text = to_ascii(plain(draw(program(), sight(), 80)))
    assert text.isascii()
    assert "?" not in text.replace("coins ?", ""), "a symbol without ASCII spelling"


def test_what_is_kept_off_the_board_is_not_drawn() -> None:
    assert "3" not in plain(draw(program(), FakeSight(values={(SCRATCH, 0): 3}), 80))


def test_initials_are_unique() -> None:
    found = initials(["red", "blue", "black", "rose", "p5"])
    assert found[0] == "R"
    assert found[1] == "B"
    assert found[4] == "5"
    assert len(set(found)) == 5


def test_what_is_higher_than_the_screen_ends_with_the_map() -> None:
    whole = plain(draw(program(), sight(), 80)).split("\n")
    assert plain(draw(program(), sight(), 80, height=len(whole))).split("\n") != whole
    assert plain(draw(program(), sight(), 80, height=len(whole) + 1)).split("\n") == whole
    turned = plain(draw(program(), sight(), 80, height=5)).split("\n")
    assert sorted(turned) == sorted(whole)
    assert turned[0].startswith("order ")
    assert turned[-1] == " 2 · B"


def test_letters_of_seats_keep_clear_of_symbols_behind_the_first() -> None:
    assert initials(("blue", "black"), frozenset("BLA")) == ["B", "C"]
    assert initials(("blue", "black")) == ["B", "L"]
    assert initials(("b", "b"), frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")) == ["B", "A"]


def test_what_no_key_has_is_not_in_the_legend() -> None:
    empty = FakeSight(values={(DIRT, 0): 2})
    assert "* dirt   ●R red   ▲B blue" in plain(draw(program(), empty, 80))
