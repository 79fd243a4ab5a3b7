"""The folder of what can be made again does not grow for ever."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from interpreter import sealed


def filled(folder: Path, count: int, size: int) -> list[Path]:
    """So many files, the first the oldest."""
    places = [folder / f"kept-{k}" for k in range(count)]
    for k, place in enumerate(places):
        place.write_bytes(bytes(size))
        os.utime(place, (1000 + k, 1000 + k))
    return places


def test_the_oldest_files_go_until_half_of_the_room_is_left(tmp_path: Path):
    places = filled(tmp_path, 10, 100)
    sealed.prune(tmp_path, 900)
    assert sorted(tmp_path.iterdir()) == places[6:]


def test_a_folder_with_room_keeps_all(tmp_path: Path):
    places = filled(tmp_path, 10, 100)
    sealed.prune(tmp_path, 1000)
    assert sorted(tmp_path.iterdir()) == places


def test_a_full_folder_is_looked_through_now_and_then_and_what_was_just_kept_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sealed, "MOST", 250)
    filled(tmp_path, 3, 100)
    for number in range(100):
        place = tmp_path / f"new-{number}"
        sealed.write(place, b"new")
        assert sealed.read(place) == b"new"
    assert not (tmp_path / "kept-0").exists()
