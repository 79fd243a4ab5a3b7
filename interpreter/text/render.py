"""Diagnostics for people and for programs: the full form, one line each, JSON, annotations and SARIF.

In: diagnostics in report order. Out: lines of styled pieces `(text, style)`, plain text, or plain data ready for a JSON writer. A style is
a word (`error`, `warning`, `note`, `strong`, `place`, `dim`), never a colour, and says nothing that the text does not say. Nothing is
printed here.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from interpreter.text.codes import CODES, find_code
from interpreter.text.diagnostic import Diagnostic, Severity
from interpreter.text.source import Source, Span
from interpreter.text.version import VERSION

Piece = tuple[str, str]
Line = tuple[Piece, ...]
Json = dict[str, object]

FINDINGS_SCHEMA: Final = "rulewright/findings/1"
_SHOWN_ALIKE: Final = 5
_ANNOTATIONS: Final = 10
_ORDER: Final = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


# ------------------------------------------------------------------ the full form
def human_lines(diagnostics: Sequence[Diagnostic], width: int = 100) -> list[Line]:
    """The full form as styled lines, an empty line between findings; a finding repeated often is shown a few times and counted."""
    alike = Counter(_likeness(d) for d in diagnostics)
    shown: Counter[tuple[str, str, str]] = Counter()
    lines: list[Line] = []
    for diagnostic in diagnostics:
        kind = _likeness(diagnostic)
        shown[kind] += 1
        folded = alike[kind] > _SHOWN_ALIKE
        if folded and shown[kind] > _SHOWN_ALIKE:
            continue
        if lines:
            lines.append(())
        lines += _finding(diagnostic, width)
        if folded and shown[kind] == _SHOWN_ALIKE:
            lines.append(((f"and {alike[kind] - _SHOWN_ALIKE} more like this", "dim"),))
    return lines


def render_human(diagnostics: Sequence[Diagnostic], width: int = 100) -> str:
    """The full form without styles."""
    return "\n".join("".join(text for text, _ in line).rstrip() for line in human_lines(diagnostics, width))


def summary(diagnostics: Iterable[Diagnostic], files: int = 1) -> str:
    """How many findings there are, and where to read more."""
    found = list(diagnostics)
    count = Counter(d.severity for d in found)
    text = f"{_plural(count[Severity.ERROR], 'error')}, {_plural(count[Severity.WARNING], 'warning')} in {_plural(files, 'file')}"
    worst = next((d.code for severity in _ORDER for d in found if d.severity is severity), None)
    return f"{text} · `explain {worst}` for more" if worst else text


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _likeness(diagnostic: Diagnostic) -> tuple[str, str, str]:
    return (diagnostic.code, diagnostic.message, diagnostic.span.source.name)


def _finding(diagnostic: Diagnostic, width: int) -> list[Line]:
    spans = [diagnostic.span, *(r.span for r in diagnostic.related)]
    gutter = max(len(str(s.position()[0])) for s in spans)
    severity = str(diagnostic.severity)
    lines: list[Line] = [((f"{severity}[{diagnostic.code}]", severity), (f": {diagnostic.message}", "strong"))]
    lines += _snippet(diagnostic.span, diagnostic.label, "-->", gutter, width, "^", severity)
    for related in diagnostic.related:
        lines += _snippet(related.span, related.text, ":::", gutter, width, "-", "place")
    remarks = [("help", diagnostic.help)] if diagnostic.help else []
    remarks += [("note", note) for note in diagnostic.notes]
    if remarks and not diagnostic.related and diagnostic.span.source.text:
        lines.append(((f"{' ' * gutter} |", "place"),))
    for word, text in remarks:
        lines.append(((f"{' ' * gutter} = ", "place"), (f"{word}: ", "strong"), (text, "")))
    return lines


def _snippet(span: Span, label: str, arrow: str, gutter: int, width: int, mark: str, style: str) -> list[Line]:
    """Where a span lies, its first line, and the marks under it; the place alone if there is no text."""
    row, column = span.position()
    blank = " " * gutter
    if not span.source.text:
        return [((f"{blank}{arrow} ", "place"), (span.source.name, ""))]
    text = span.source.line(row)
    last_row, last_column = span.end_position()
    end = last_column if last_row == row else len(text) + 1
    shown, begin, length = _window(text, column - 1, max(column, end - 1), max(20, width - gutter - 3))
    marks: list[Piece] = [(f"{blank} | ", "place"), (" " * begin, ""), (mark * length, style)]
    if label:
        marks.append((f" {label}", style))
    return [
        ((f"{blank}{arrow} ", "place"), (f"{span.source.name}:{row}:{column}", "")),
        ((f"{blank} |", "place"),),
        ((f"{row:>{gutter}} | ", "place"), (shown, "")),
        tuple(marks),
    ]


def _window(text: str, start: int, end: int, room: int) -> tuple[str, int, int]:
    """The part of a line to show, the column where marks begin, and how many there are. `end` is exclusive."""
    text = "".join(" " if unicodedata.category(c).startswith("C") else c for c in text)
    first, last = 0, len(text)
    if _cells(text) > room:
        first = max(0, min(start - room // 3, len(text) - room + 2))
        last = first
        while last < len(text) and _cells(text[first : last + 1]) <= room - 2:
            last += 1
    before = "…" if first > 0 else ""
    after = "…" if last < len(text) else ""
    begin = len(before) + _cells(text[first : min(start, last)])
    length = _cells(text[max(start, first) : min(end, last)])
    return before + text[first:last] + after, begin, max(1, length)


def _cells(text: str) -> int:
    """How many columns a text takes on a screen."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


# ------------------------------------------------------------------ one line each
def render_concise(diagnostics: Iterable[Diagnostic]) -> str:
    """`file:line:column: error[code] message`, one a line."""
    lines = []
    for d in diagnostics:
        row, column = d.span.position()
        lines.append(f"{d.span.source.name}:{row}:{column}: {d.severity}[{d.code}] {d.message}")
    return "\n".join(lines)


def render_github(diagnostics: Sequence[Diagnostic]) -> str:
    """Workflow annotations, the worst first; what a step would not show any more is counted in a last line."""
    words = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
    lines: list[str] = []
    left_out = 0
    for severity in _ORDER:
        alike = [d for d in diagnostics if d.severity is severity]
        left_out += max(0, len(alike) - _ANNOTATIONS)
        for d in alike[:_ANNOTATIONS]:
            place = _place(d.span)
            properties = ",".join(
                f"{key}={_escaped(str(value), properties=True)}"
                for key, value in (
                    ("file", place["file"]),
                    ("line", place["line"]),
                    ("col", place["column"]),
                    ("endLine", place["end_line"]),
                    ("endColumn", place["end_column"]),
                    ("title", d.code),
                )
            )
            text = d.message + (f"\n{d.help}" if d.help else "")
            lines.append(f"::{words[severity]} {properties}::{_escaped(text)}")
    if left_out:
        lines.append(f"::notice::{_plural(left_out, 'finding')} more; the log has them all")
    return "\n".join(lines)


def _escaped(text: str, properties: bool = False) -> str:
    for char, code in (
        ("%", "%25"),
        ("\r", "%0D"),
        ("\n", "%0A"),
        *(((":", "%3A"), (",", "%2C")) if properties else ()),
    ):
        text = text.replace(char, code)
    return text


# ------------------------------------------------------------------ data
def _place(span: Span) -> Json:
    row, column = span.position()
    end_row, end_column = span.end_position()
    return {"file": span.source.name, "line": row, "column": column, "end_line": end_row, "end_column": end_column}


def json_record(diagnostic: Diagnostic) -> Json:
    """One finding as data."""
    return {
        "code": diagnostic.code,
        "severity": str(diagnostic.severity),
        "message": diagnostic.message,
        **_place(diagnostic.span),
        "address": diagnostic.address or None,
        "label": diagnostic.label or None,
        "related": [{**_place(r.span), "text": r.text} for r in diagnostic.related],
        "help": diagnostic.help or None,
        "notes": list(diagnostic.notes),
        "fix": None,
        "origin": diagnostic.span.source.origin,
    }


def findings_document(diagnostics: Iterable[Diagnostic]) -> Json:
    """All findings as one document."""
    found = list(diagnostics)
    count = Counter(d.severity for d in found)
    return {
        "schema": FINDINGS_SCHEMA,
        "tool": f"rulewright {VERSION}",
        "errors": count[Severity.ERROR],
        "warnings": count[Severity.WARNING],
        "findings": [json_record(d) for d in found],
    }


def sarif_document(diagnostics: Iterable[Diagnostic]) -> Json:
    """A SARIF 2.1.0 log with one run."""
    found = list(diagnostics)
    codes = sorted({d.code for d in found})
    return {
        "version": "2.1.0",
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [
            {
                "tool": {
                    "driver": {"name": "rulewright", "version": VERSION, "rules": [_sarif_rule(code) for code in codes]}
                },
                "columnKind": "unicodeCodePoints",
                "results": [_sarif_result(d, codes) for d in found],
            }
        ],
    }


def _sarif_rule(slug: str) -> Json:
    code = find_code(slug)
    if code is None:
        return {"id": slug, "shortDescription": {"text": slug}}
    return {"id": slug, "shortDescription": {"text": code.summary}, "help": {"text": code.why}}


def _sarif_result(diagnostic: Diagnostic, codes: list[str]) -> Json:
    address = diagnostic.address or diagnostic.span.text()
    fingerprint = hashlib.sha256(f"{diagnostic.code}\0{diagnostic.span.source.name}\0{address}".encode()).hexdigest()[
        :32
    ]
    text = diagnostic.message + (f"; {diagnostic.help}" if diagnostic.help else "")
    return {
        "ruleId": diagnostic.code,
        "ruleIndex": codes.index(diagnostic.code),
        "level": str(diagnostic.severity),
        "message": {"text": text},
        "locations": [_sarif_location(diagnostic.span)],
        "relatedLocations": [{**_sarif_location(r.span), "message": {"text": r.text}} for r in diagnostic.related],
        "partialFingerprints": {"codeAndPlace/v1": fingerprint},
    }


def _sarif_location(span: Span) -> Json:
    place = _place(span)
    region = {
        "startLine": place["line"],
        "startColumn": place["column"],
        "endLine": place["end_line"],
        "endColumn": place["end_column"],
    }
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(span.source)}, "region": region}}


def _uri(source: Source) -> str:
    return source.name.replace("\\", "/").replace(" ", "%20")


def explain_code(slug: str) -> str | None:
    """The long text for a code, or None if there is no such code."""
    code = find_code(slug)
    if code is None:
        return None
    example = "\n".join(f"    {line}".rstrip() for line in code.example.strip("\n").split("\n"))
    return f"{code.level}[{code.slug}]: {code.summary}\n\n{code.why}\n\nFor example:\n\n{example}\n"


def known_codes() -> tuple[str, ...]:
    """All codes, for suggestions."""
    return tuple(c.slug for c in CODES)
