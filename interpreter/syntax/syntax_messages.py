"""Malformed DSL text to a sentence for its author."""

from __future__ import annotations

from dataclasses import dataclass, field

from interpreter.syntax.tree_builder import Word
from interpreter.text.diagnostic import Diagnostic, Severity


@dataclass(frozen=True, slots=True)
class Mistake:
    """Where a text stopped making sense: what was being read, the words up to there, the word in the way, and what could have stood."""

    start: str
    kind: str
    words: list[Word] = field(repr=False)
    word: Word
    expected: frozenset[str]


def explain_mistake(mistake: Mistake) -> Diagnostic:
    """The diagnostic for a mistake."""
    return Diagnostic("syntax", Severity.ERROR, f"`{mistake.word.value}` does not fit here", mistake.word.span)
