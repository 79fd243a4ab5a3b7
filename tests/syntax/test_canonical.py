"""The identity of a definition: what it says counts, how it is laid out does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from interpreter import paths
from interpreter.pipeline import definition_of
from interpreter.syntax.canonical import canonical

TEXT = paths.shipped_games()["kuhn_poker"].read_text(encoding="utf-8")


def said(text: str, folder: Path) -> str:
    path = folder / "game.yaml"
    path.write_text(text, encoding="utf-8")
    return canonical(definition_of(path))


def test_comments_and_blank_lines_do_not_matter(tmp_path: Path) -> None:
    looser = "# a remark\n" + TEXT.replace("\nplay:", "\n\n# another\nplay:")
    assert said(looser, tmp_path) == said(TEXT, tmp_path)


@pytest.mark.parametrize(
    ("old", "new"), [("rank: 3", "rank: 4"), ("title: Kuhn Poker", "title: Kuhn"), ("1..2", "1..3")]
)
def test_every_word_counts(old: str, new: str, tmp_path: Path) -> None:
    assert old in TEXT
    assert said(TEXT.replace(old, new), tmp_path) != said(TEXT, tmp_path)
