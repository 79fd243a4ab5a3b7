"""What a definition with mistakes is owed, whatever the mistakes are.

In: the path of a file. Out: its findings, or an AssertionError that says what was wrong with one.
"""

from __future__ import annotations

import re
from pathlib import Path

from interpreter.stages import build, check_one, configurations, read
from interpreter.text.diagnostic import Diagnostic, Sink
from interpreter.text.render import render_concise, render_human

LONGEST = 100
# A small letter, a number, something quoted, a proper name, or the id of a clause.
BEGINS = re.compile(r"[a-z`]|-?\d|YAML|[A-Z]+-[A-Z0-9-]+ ")
# What a message must never show: names of Python and of tools inside.
INSIDE = re.compile(
    r"\b(None|Traceback|NoneType|Error|Exception|dict|tuple|frozenset|object at|UNKNOWN|Lark|jsonschema|NAME|INT|DOTTED|MINE|TEXT|CITE)\b"
    r"|__|<class|_NL|_INDENT|_DEDENT|\bself\.|Scalar\(|Span\("
)
QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"")


def findings(path: Path) -> tuple[Diagnostic, ...]:
    """What is said of a file: all stages, for the fewest players only, since all counts take the same road."""
    sink = Sink()
    definition = read(path, sink)
    if definition is not None and not sink.has_errors:
        first, *others = configurations(definition, {}, None)
        if build(definition, first, sink) is not None and others:
            check_one(definition, others[-1], sink)
    return sink.diagnostics


def judged(path: Path) -> tuple[Diagnostic, ...]:
    """The findings, each of them looked at."""
    found = findings(path)
    for d in found:
        in_place(d, path)
        well_said(d)
    assert ("-->" in render_human(found)) == bool(found)
    assert len(render_concise(found).splitlines()) >= len(found)
    return found


def in_place(d: Diagnostic, path: Path) -> None:
    """A finding points into the file that was given."""
    spans = [d.span, *(r.span for r in d.related)]
    for span in spans:
        assert span.source.name == str(path), f"{d.code} points into {span.source.name}: {d.message}"
        assert 0 <= span.start <= span.end <= len(span.source.text), f"{d.code} points outside: {d.message}"
        line, column = span.position()
        assert 1 <= line <= span.source.text.count("\n") + 1
        assert column >= 1


def well_said(d: Diagnostic) -> None:
    """A message is one sentence of the usual form; what it quotes from the file does not count."""
    assert d.code
    for text in (d.message, d.label, d.help, *d.notes, *(r.text for r in d.related)):
        own = QUOTED.sub("``", text)
        assert not INSIDE.search(own), f"{d.code} shows the inside: {text}"
        assert not own.endswith("."), f"{d.code} ends with a full stop: {text}"
        assert "\n" not in own, f"{d.code} takes several lines: {text}"
    own = QUOTED.sub("``", d.message)
    assert len(own) <= LONGEST, f"{d.code} is long: {d.message}"
    assert BEGINS.match(own), f"{d.code} begins oddly: {d.message}"
