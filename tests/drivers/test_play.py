"""A game played line by line, on a hand-built game of taking stones: what is said, what is understood, what is kept."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import pytest

from interpreter.drivers.play import Table
from interpreter.drivers.playthrough import Header, SaveFile, read_save
from interpreter.drivers.session import Session
from interpreter.drivers.terminal import Look, Screen
from interpreter.machine.action import ActionTable
from interpreter.machine.reference import Reference
from interpreter.machine.state import RowState
from interpreter.overlays import ModUsed
from tests.machine.games import nim


@dataclass(frozen=True)
class Stones:
    """A game that asks which of 1..3 stones to take from five."""

    id: str = "stones"
    title: str = "Stones"
    version: str = "1.0.0"
    hash: str = "0" * 16
    settings: tuple[tuple[str, str], ...] = ()
    mods: tuple[ModUsed, ...] = ()
    sets: tuple[str, ...] = ()

    def texts(self, players: int) -> dict[str, str]:
        """Nothing."""
        return {}

    def new(self, players: int, seed: int | str) -> RowState:
        """From the beginning."""
        program = nim()
        return RowState.new(Reference(program), ActionTable(program), seed)


def play(monkeypatch: pytest.MonkeyPatch, path: Path, text: str, *seats: str) -> str:
    """What is printed when `text` is typed."""
    header = Header.of(Stones(), 2, 1, seats or ("human", "human"))
    session = Session(Stones(), header, SaveFile.create(path, header))
    out = io.StringIO()
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert Table(session, Screen(out, Look(False, False, 80, False)), session.people, "Stones").run() == 0
    session.close()
    return out.getvalue()


def test_a_whole_game(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = play(monkeypatch, tmp_path / "s", "3\n2\n")
    assert "(3 options)" in said
    assert "takes 3" in said
    assert "The game is over" in said
    assert "wins" in said
    assert "rulewright replay" in said
    assert read_save(tmp_path / "s").entries[-1].kind == "end"


def test_end_of_input_keeps_the_game(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = play(monkeypatch, tmp_path / "s", "3\n")
    assert f"go on: rulewright play --resume {tmp_path / 's'}" in said
    assert len(read_save(tmp_path / "s").steps()) == 1


def test_wrong_answers_change_nothing_and_say_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = play(monkeypatch, tmp_path / "s", "3\nseven\n3\n\nwhy 3\nwhy 2\nq\n")
    assert "there is no `seven` to choose here" in said
    assert "nearest" not in said
    assert "`3` is not offered" in said
    assert "`2` is offered" in said
    assert len(read_save(tmp_path / "s").steps()) == 1


def test_undo_and_redo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = play(monkeypatch, tmp_path / "s", "u\n3\nu\nr\nr\nu\n1\nlog\nq\n")
    assert "there is no choice to take back" in said
    assert "there is nothing to do again" in said
    assert [entry.text for entry in read_save(tmp_path / "s").steps()] == ["1"]


def test_bots_alone_play_to_the_end(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = play(monkeypatch, tmp_path / "s", "", "random", "random")
    assert "The game is over" in said
    assert "takes" in said


def test_enter_takes_the_only_option(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = play(monkeypatch, tmp_path / "s", "3\n1\n\n")
    assert "(1 option)" in said
    assert "The game is over" in said
