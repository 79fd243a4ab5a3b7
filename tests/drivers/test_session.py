"""Sessions: people, bots, undo and its limits."""

from __future__ import annotations

import pytest

from interpreter.drivers.playthrough import Header, SaveFile, read_save, verify_save
from interpreter.drivers.session import Session
from interpreter.machine.faults import IllegalAction
from tests.machine.games import HandMade, dig, open_duel, open_nim


def sit(game: HandMade, *seats: str, seed: int = 7) -> Session:
    return Session(game, Header.of(game, 2, seed, seats))


def take(session: Session, word: str) -> None:
    player = session.advance()
    assert player is not None
    session.take(session.state.find(player, word))


def test_bots_and_chance_play_on_their_own():
    session = sit(open_duel(), "random", "random")
    assert session.people == ()
    assert session.advance() is None
    assert session.state.is_over()
    assert [a.player for a in session.actions()] == [-1, -1, 0, 1]
    assert session.advance() is None


def test_a_person_is_asked_and_refused():
    session = sit(open_nim(), "human", "random")
    assert session.advance() == 0
    before = session.state.to_bytes()
    taken = session.state.legal(0)[2]
    session.take(taken)
    with pytest.raises(IllegalAction):
        session.take(taken)
    assert session.undo() is None
    assert session.state.to_bytes() == before


def test_undo_takes_bots_back_and_redo_brings_them_again():
    session = sit(open_nim(), "human", "random")
    take(session, "2")
    session.advance()
    there = session.state.to_bytes()
    assert len(session.actions()) == 2
    assert session.undo() is None
    assert session.actions() == ()
    assert session.log() == ()
    assert session.redo() is None
    session.advance()
    assert session.state.to_bytes() == there
    assert session.redo() is not None  # nothing more


def test_what_has_no_other_is_taken_unasked():
    game = open_nim()
    session = Session(game, Header.of(game, 2, 7, ("human", "human")), None, False)
    for stones in ("3", "3", "2"):
        take(session, stones)
    assert session.advance() is None
    assert [move.forced for move in session.moves()] == [False, False, False, True]
    assert session.undo() is None
    assert [a.text for a in session.actions()] == ["3", "3"]
    assert session.advance() == 0
    assert session.redo() is None
    assert session.advance() is None
    assert session.undo() is None


def test_another_choice_forgets_what_was_undone():
    session = sit(open_nim(), "human", "human")
    take(session, "1")
    take(session, "1")
    session.undo()
    session.undo()
    take(session, "2")
    assert session.redo() is not None


def test_redo_goes_forward_in_order():
    session = sit(open_nim(), "human", "human")
    for word in ("1", "2", "3"):
        take(session, word)
    for _ in range(3):
        assert session.undo() is None
    assert session.undo() is not None
    for _ in range(3):
        assert session.redo() is None
    assert [a.text for a in session.actions()] == ["1", "2", "3"]


def test_nothing_shown_can_be_taken_back_and_the_event_is_named():
    session = sit(open_duel(), "human", "human")
    take(session, "play")
    refusal = session.undo()
    assert refusal is not None
    assert "P1 plays" in refusal
    assert [a.text for a in session.actions()][2:] == ["play"]


def test_what_shows_nothing_can_be_taken_back():
    session = sit(open_duel(), "human", "human")
    take(session, "fold")
    take(session, "fold")
    assert session.advance() is None
    assert session.undo() is None
    assert session.advance() == 1
    assert session.undo() is None
    assert session.advance() == 0
    refusal = session.undo()
    assert refusal == "there is no choice to take back"


def test_a_draw_cannot_be_taken_back(tmp_path):
    """Chance decides behind a choice."""
    session = Session(HandMade(dig()), Header.of(HandMade(dig()), 2, 7, ("human", "human")))
    take(session, "0")
    session.advance()
    refusal = session.undo()
    assert refusal is not None
    assert "chance has decided" in refusal
    assert "dig.find" in refusal


def test_the_log_follows_the_position():
    session = sit(open_nim(), "human", "human")
    take(session, "1")
    take(session, "2")
    program = session.state.program
    assert [e.text(program) for e in session.log()] == ["P1 takes 1", "P2 takes 2"]
    session.undo()
    assert [e.text(program) for e in session.log()] == ["P1 takes 1"]


def test_going_on_is_as_if_never_left(tmp_path):
    game = open_nim()
    header = Header.of(game, 2, 11, ("human", "random"))
    straight = Session(game, header)
    left = Session(game, header, SaveFile.create(tmp_path / "a.jsonl", header))
    for session in (straight, left):
        take(session, "2")
        session.advance()
    left.close()
    save = read_save(tmp_path / "a.jsonl")
    again = Session.resume(game, save, SaveFile.resume(tmp_path / "a.jsonl", save))
    for session in (straight, again):
        while (player := session.advance()) is not None:
            session.take(session.state.legal(player)[0])
    assert [a.text for a in again.actions()] == [a.text for a in straight.actions()]
    again.close()
    assert verify_save(game, read_save(tmp_path / "a.jsonl")) is None
    assert "replay" in again.farewell()[-1]
