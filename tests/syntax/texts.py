"""Short ways to make texts, for the tests of this folder."""

from __future__ import annotations

from interpreter.text.diagnostic import Diagnostic, Sink
from interpreter.text.source import MappedText, Source


def mapped(text: str) -> MappedText:
    """A text that is its own file."""
    return MappedText(text, Source("text", text), tuple(range(len(text) + 1)))


def told(sink: Sink) -> list[tuple[str, int, int]]:
    """Code, line and column of each finding."""
    return [brief(d) for d in sink.diagnostics]


def brief(diagnostic: Diagnostic) -> tuple[str, int, int]:
    """Code, line and column of a finding."""
    return (diagnostic.code, *diagnostic.span.position())
