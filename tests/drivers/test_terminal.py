"""Who decides about colour and letters, and that nothing is lost when neither is there."""

from __future__ import annotations

import io

import pytest

from interpreter.drivers.layout import clip, fold, line, plain, table, to_ascii, width
from interpreter.drivers.terminal import Screen, When, decide


class Stream(io.TextIOWrapper):
    """A stream that says it is a terminal, or not, in some encoding."""

    def __init__(self, terminal: bool, encoding: str = "utf-8") -> None:
        self._terminal = terminal
        self._bytes = io.BytesIO()
        super().__init__(self._bytes, encoding=encoding)

    def isatty(self) -> bool:
        return self._terminal

    def text(self) -> str:
        self.flush()
        return self._bytes.getvalue().decode(self.encoding)


@pytest.mark.parametrize(
    ("when", "environment", "terminal", "color"),
    [
        ("auto", {}, True, True),
        ("auto", {}, False, False),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"NO_COLOR": ""}, True, True),
        ("auto", {"TERM": "dumb"}, True, False),
        ("auto", {"FORCE_COLOR": "1"}, False, False),
        ("always", {"NO_COLOR": "1"}, False, True),
        ("never", {}, True, False),
    ],
)
def test_colour(when: When, environment: dict[str, str], terminal: bool, color: bool) -> None:
    stream = Stream(terminal)
    look = decide(when, False, environment, stream)
    assert look.color is color
    screen = Screen(stream, look)
    screen.show([line(("mind the gap", "error"))])
    screen.flush()
    assert ("\x1b[" in stream.text()) is color
    assert "mind the gap" in stream.text()


def test_letters_follow_the_encoding() -> None:
    assert decide("auto", False, {}, Stream(False, "cp437")).ascii
    assert not decide("auto", False, {}, Stream(False, "utf-8")).ascii
    assert decide("auto", True, {}, Stream(False, "utf-8")).ascii


def test_width_follows_columns() -> None:
    assert decide("auto", False, {"COLUMNS": "62"}, Stream(False)).width == 62
    assert decide("auto", False, {"COLUMNS": "wide"}, Stream(False)).width == 100


@pytest.mark.parametrize("color", [True, False])
def test_ascii_output_is_ascii_with_and_without_colour(color: bool) -> None:
    stream = Stream(True, "ascii")
    screen = Screen(stream, decide("always" if color else "never", True, {}, stream))
    screen.show([line(("●R ", "red"), "Łódź → 東京")])
    screen.flush()
    assert "=R" in stream.text()


def test_markup_in_texts_is_text() -> None:
    stream = Stream(True)
    screen = Screen(stream, decide("always", False, {}, stream))
    screen.show([line("[bold]x[/bold] :smile: [1]")])
    screen.flush()
    assert "[bold]x[/bold] :smile: [1]" in stream.text()


def test_widths_count_columns() -> None:
    assert width("東京") == 4
    assert clip("東京駅", 5) == "東京…"
    assert to_ascii("naïve – ●") == "naive - ="


def test_tables_line_up_and_cut_nothing() -> None:
    lines = plain(table(["name", "n"], [["a long name", "7"], ["東", "12"]], numbers=frozenset({1}))).split("\n")
    assert lines == ["name          n", "a long name   7", "東           12"]


def test_folding_cuts_no_word() -> None:
    assert fold(["alpha", "beta", "gammagammagamma"], 12) == ["alpha  beta", "gammagammagamma"]
