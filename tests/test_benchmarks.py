"""The command that compares machines runs and writes what it says; those written by hand play the games that our definitions describe.

How fast anything is, is nobody's business here.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from benchmarks.by_hand import BY_HAND
from benchmarks.contestants import Contestant, HandWrittenCpp, HandWrittenPython, compiled
from benchmarks.machines import BEGIN, END, PAGE, main
from interpreter.drivers.simulate import CAP
from interpreter.machine.chance import seed_words
from interpreter.pipeline import load

NEAR = 0.05
GAMES = {"tic_tac_toe": 1000, "connect_four": 1000, "breakthrough": 200, "othello": 100, "hex": 200}


def test_a_short_run_writes_a_document_and_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    document, page = tmp_path / "figures.json", tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold figures\n{END}\nafter\n", encoding="utf-8")
    short = ("--only", "kuhn_poker", "--rounds", "2", "--seconds", "0.001", "--games", "8")
    main([*short, "--json", str(document), "--markdown", str(page)])
    written = json.loads(document.read_text(encoding="utf-8"))
    (entry,) = written["games"]
    assert (entry["game"], entry["players"]) == ("kuhn_poker", 2)
    for name in ("fast", "reference"):
        contestant = entry["contestants"][name]
        assert len(contestant["rounds"]) == 2
        assert contestant["plies_per_s"]["least"] > 0
    assert entry["ratios"]["reference"]["median"] > 0
    assert all(build["module"] > 0 and build["code"] > 0 for build in entry["builds"])
    assert all(aim["met"] == (aim["factor"] <= 1) for aim in written["aims"])
    assert "kuhn_poker" in capsys.readouterr().out
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"before\n{BEGIN}\n")
    assert text.endswith(f"{END}\nafter\n")
    assert "| kuhn_poker | 2 |" in text
    assert "old figures" not in text


def test_the_page_has_its_markers():
    text = PAGE.read_text(encoding="utf-8")
    assert (text.count(BEGIN), text.count(END)) == (1, 1)


def length(game: str) -> float:
    """Mean plies of random games of our own."""
    bulk = load(game).bulk(2)
    assert bulk is not None
    playouts = bulk()
    assert playouts is not None
    records = playouts.play([seed_words(k) for k in range(GAMES[game])], CAP)
    return sum(record.plies for record in records) / len(records)


@pytest.mark.parametrize("game", BY_HAND)
def test_written_by_hand_in_python_it_is_the_same_game(game: str):
    random.seed(1)
    playout = BY_HAND[game]()
    count = GAMES[game]
    assert sum(playout() for _ in range(count)) / count == pytest.approx(length(game), rel=NEAR)
    contestant: Contestant = HandWrittenPython(playout)
    assert contestant.go(0).playouts > 0


@pytest.mark.slow
def test_written_by_hand_in_cpp_they_are_the_same_games(tmp_path: Path):
    found = compiled(tmp_path)
    if found is None:
        pytest.skip("no C++ compiler")
    lengths = {}
    for game in BY_HAND:
        sample = HandWrittenCpp(found, game).go(0.02)
        lengths[game] = sample.plies / sample.playouts
    assert lengths == pytest.approx({game: length(game) for game in BY_HAND}, rel=NEAR)
