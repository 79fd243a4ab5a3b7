"""Saves: written, cut off anywhere, read back, verified, exported."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from interpreter.drivers.playthrough import (
    Header,
    SaveFile,
    SaveProblem,
    export_seat,
    mods_of,
    parse_save,
    read_save,
    replay,
    same_rules,
    verify_save,
)
from interpreter.drivers.session import Session
from interpreter.overlays import ModUsed
from tests.machine.games import HandMade, open_duel, open_nim


def header(game: HandMade, *seats: str) -> Header:
    return Header.of(game, 2, 7, seats or ("human", "human"), "2026-01-01T00:00:00Z")


def play(path: Path, game: HandMade, *words: str) -> Session:
    """A session that takes these choices; `undo` and `redo` among them."""
    session = Session(game, header(game), SaveFile.create(path, header(game)))
    for word in words:
        player = session.advance()
        if word == "undo":
            assert session.undo() is None
        elif word == "redo":
            assert session.redo() is None
        else:
            assert player is not None
            session.take(session.state.find(player, word))
    session.advance()
    session.close()
    return session


def test_a_save_holds_the_game(tmp_path):
    path = tmp_path / "deep" / "a.jsonl"
    game = open_nim()
    session = play(path, game, "3", "1", "undo", "2", "1", "3")
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line["kind"] for line in lines] == [
        "header",
        "action",
        "action",
        "undo",
        "action",
        "action",
        "action",
        "end",
    ]
    assert lines[0]["contains"] == "all-hands"
    assert lines[0]["seed"] == 7
    assert lines[0]["rng"] == "philox4x32-10/1"
    assert [line.get("seat") for line in lines[1:3]] == [1, 2]
    assert lines[3] == {"kind": "undo", "ply": 1}
    save = read_save(path)
    assert (save.cut, save.good) == (False, path.stat().st_size)
    assert [entry.text for entry in save.steps()] == ["3", "2", "1", "3"]
    assert verify_save(game, save) is None
    *_, (_, last) = replay(game, save)
    assert last.to_bytes() == session.state.to_bytes()


def test_nothing_is_overwritten(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("precious", encoding="utf-8")
    with pytest.raises(SaveProblem, match="never overwritten"):
        SaveFile.create(path, header(open_nim()))
    assert path.read_text(encoding="utf-8") == "precious"


def test_chance_is_recorded_and_not_drawn_again(tmp_path):
    path = tmp_path / "a.jsonl"
    game = open_duel()
    play(path, game, "play", "fold")
    save = read_save(path)
    assert [entry.kind for entry in save.entries] == ["chance", "chance", "action", "action", "end"]
    # The outcomes hold under any seed, so that a save outlives the generator.
    other = replace(save, header=replace(save.header, seed=8))
    assert verify_save(game, other) is None


def test_killed_after_any_byte_of_the_last_line(tmp_path):
    path = tmp_path / "a.jsonl"
    game = open_nim()
    play(path, game, "3", "1")
    data = path.read_bytes()
    whole = read_save(path)
    last = data.rstrip(b"\n").rfind(b"\n") + 1
    for end in range(last, len(data) + 1):
        path.write_bytes(data[:end])
        save = read_save(path)
        complete = end >= len(data) - 1
        assert save.entries == (whole.entries if complete else whole.entries[:-1])
        assert save.cut == (last < end and not complete)
        # Going on drops the piece of a line, and nothing else.
        session = Session.resume(game, save, SaveFile.resume(path, save))
        player = session.advance()
        assert player is not None
        session.take(session.state.find(player, "2"))
        session.close()
        again = read_save(path)
        assert not again.cut
        assert again.entries[: len(save.entries)] == save.entries
        assert again.entries[-1].text == "2"
        assert verify_save(game, again) is None


def test_a_cut_header_is_no_save():
    with pytest.raises(SaveProblem, match="no header"):
        parse_save(b'{"kind": "hea')
    with pytest.raises(SaveProblem, match="no header"):
        parse_save(b"")


@pytest.mark.skipif(sys.platform == "win32", reason="files are claimed by locks of Unix")
def test_a_save_is_played_in_one_place_at_a_time(tmp_path):
    path, game = tmp_path / "a.jsonl", open_nim()
    first = SaveFile.create(path, header(game))
    with pytest.raises(SaveProblem, match="is being played somewhere else"):
        SaveFile.resume(path, read_save(path))
    first.close()
    SaveFile.resume(path, read_save(path)).close()


def test_a_save_that_grew_since_it_was_read_is_not_written_over(tmp_path):
    path = tmp_path / "a.jsonl"
    play(path, open_nim(), "3")
    save = read_save(path)
    path.write_bytes(path.read_bytes() + b"more")
    with pytest.raises(SaveProblem, match="has changed since it was read"):
        SaveFile.resume(path, save)
    assert path.read_bytes().endswith(b"more")


def test_a_save_that_is_gone_is_not_said_to_be_kept(tmp_path):
    path, game = tmp_path / "a.jsonl", open_nim()
    session = Session(game, header(game), SaveFile.create(path, header(game)))
    assert f"saved in {path}" in session.farewell()
    path.rename(tmp_path / "b.jsonl")
    path.write_text("another", encoding="utf-8")
    assert any("is gone" in line for line in session.farewell())
    session.close()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"kind": "header"', '"kind": "action"', "begins with its header"),
        ('"format": 1', '"format": 9', "format is 9"),
        ('"seed": 7', '"seed": null', "seed"),
        ('"seed": 7', r'"seed": "\ud800"', "seed|surrogates"),
        ('"players": 2', '"players": "2"', "players"),
        ('"players": 2', '"players": 3', "its seats are 2, its players 3"),
        ('["human", "human"]', '["human", "oracle"]', "`oracle` plays in it"),
        ('["human", "human"]', '["human", 1]', "`1` plays in it"),
        ('["human", "human"]', "[]", "its seats are 0"),
        ('"contains": "all-hands"', '"contains": "seat-1"', "one seat's view"),
        ('"kind": "action", "ply": 0', '"kind": "actoin", "ply": 0', "2: no kind of line"),
        ('"kind": "action", "ply": 0', '"kind": "action"', "`ply` is missing"),
        ('{"kind": "action", "ply": 0', '{"kind": "action", "ply": 0,,', "2: this line is no JSON"),
        ('{"kind": "action", "ply": 0', "[", "2: this line is no JSON"),
    ],
)
def test_damaged_saves_are_refused_with_their_line(tmp_path, old: str, new: str, words: str):
    path = tmp_path / "a.jsonl"
    play(path, open_nim(), "3", "1")
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(SaveProblem, match=words):
        read_save(path)


@pytest.mark.parametrize(
    ("old", "new", "ply", "words"),
    [
        ('"action": "1"', '"action": "8"', 1, "`8` is not offered to seat 2"),
        ('"seat": 2', '"seat": 1', 1, "seat 1 is not asked"),
        ('"kind": "undo", "ply": 1', '"kind": "undo", "ply": 6', 6, "cannot go back"),
        ('"ply": 2', '"ply": 5', 5, "stands where ply 2"),
    ],
)
def test_verify_names_the_first_difference(tmp_path, old: str, new: str, ply: int, words: str):
    path = tmp_path / "a.jsonl"
    game = open_nim()
    play(path, game, "3", "1", "undo", "1", "2")
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    found = verify_save(game, read_save(path))
    assert found is not None
    assert found.ply == ply
    assert words in found.text


def test_verify_compares_states(tmp_path):
    path = tmp_path / "a.jsonl"
    play(path, open_nim(), "3", "1")
    save = read_save(path)
    entries = (save.entries[0], replace(save.entries[1], hash="0" * 16))
    found = verify_save(open_nim(), replace(save, entries=entries))
    assert found is not None
    assert (found.ply, found.line) == (1, 3)


def test_other_rules_are_noticed(tmp_path):
    path = tmp_path / "a.jsonl"
    game = open_nim()
    play(path, game, "3")
    save = read_save(path)
    assert same_rules(game, save) is None
    changed = same_rules(replace(game, hash="f" * 16, version="1.1.0"), save)
    assert changed is not None
    assert "version 1.0.0" in changed
    other = same_rules(replace(game, id="other"), save)
    assert other is not None
    assert "other" in other


def test_a_save_knows_its_mods_and_says_what_became_of_them(tmp_path):
    path, file = tmp_path / "a.jsonl", tmp_path / "mod.yaml"
    file.write_text("mod", encoding="utf-8")
    used = ModUsed("extra", "1.0.0", "ab", str(file))
    game = replace(open_nim(), mods=(used,), sets=("values.x=3",))
    play(path, game, "3")
    save = read_save(path)
    assert (save.header.mods, save.header.sets) == ((used,), ("values.x=3",))
    assert mods_of(save) == (str(file),)
    assert same_rules(game, save) is None
    changed = same_rules(replace(game, mods=(replace(used, hash="cd", version="1.1.0"),)), save)
    assert changed is not None
    assert "from version 1.0.0 to 1.1.0" in changed
    without = same_rules(replace(game, mods=()), save)
    assert without is not None
    assert "`extra` 1.0.0" in without
    more = same_rules(replace(game, mods=(used, replace(used, id="other"))), save)
    assert more is not None
    assert "without the mod `other`" in more
    file.unlink()
    with pytest.raises(SaveProblem, match="no longer there"):
        mods_of(save)


def test_a_seat_exports_what_it_saw(tmp_path):
    path = tmp_path / "a.jsonl"
    game = open_duel()
    session = play(path, game, "fold", "play")
    save = read_save(path)
    cards = [e.text for e in save.entries if e.kind == "chance"]
    for seat in (0, 1):
        text = "\n".join(export_seat(game, save, seat))
        lines = [json.loads(line) for line in text.splitlines()]
        assert lines[0]["contains"] == f"seat-{seat + 1}"
        assert "seed" not in lines[0]
        own = [line["action"] for line in lines if "action" in line]
        assert own == [["fold", "play"][seat]]
        # The card that was folded is in no line; the one that was played is seen by both.
        assert cards[0] not in text
        assert cards[1] in text.lower()
        with pytest.raises(SaveProblem, match="one seat's view"):
            parse_save(text.encode())
    assert session.state.is_over()
