"""The diagnostic: one record for everything that can be wrong with an author's file, and the sink that collects them.

Stages record a problem, go on with a usable stand-in, and the pipeline asks at the end of each stage whether there were errors.
Wording lives with the caller; how a diagnostic looks on a screen or in JSON is `render.py`'s business.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from interpreter.text.source import Span


class Severity(StrEnum):
    """How bad it is. A note never makes a file invalid; a warning does only under `--strict`."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that matters, with a few words on why."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem: a stable code, one complete sentence, the narrowest wrong span, and what helps.

    `label` stands under the caret; `help` names the remedy; `address` is the dotted address in the definition, if known.
    """

    code: str
    severity: Severity
    message: str
    span: Span
    label: str = ""
    help: str = ""
    notes: tuple[str, ...] = ()
    related: tuple[Related, ...] = ()
    address: str = ""

    def sort_key(self) -> tuple[str, int, str, str, str]:
        """File, place, severity, code, message: the order in which reports are printed."""
        return (self.span.source.name, self.span.start, self.severity, self.code, self.message)


class Sink:
    """Collects diagnostics; the same finding at the same place is kept once."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, int, str, str, str], Diagnostic] = {}

    def add(self, diagnostic: Diagnostic) -> None:
        """Keep a finding."""
        self._found.setdefault(diagnostic.sort_key(), diagnostic)

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Keep several."""
        for diagnostic in diagnostics:
            self.add(diagnostic)

    def error(
        self,
        code: str,
        span: Span,
        message: str,
        *,
        label: str = "",
        help: str = "",
        notes: tuple[str, ...] = (),
        related: tuple[Related, ...] = (),
        address: str = "",
    ) -> None:
        """Record an error."""
        self.add(Diagnostic(code, Severity.ERROR, message, span, label, help, notes, related, address))

    def warning(
        self,
        code: str,
        span: Span,
        message: str,
        *,
        label: str = "",
        help: str = "",
        notes: tuple[str, ...] = (),
        related: tuple[Related, ...] = (),
        address: str = "",
    ) -> None:
        """Record a warning."""
        self.add(Diagnostic(code, Severity.WARNING, message, span, label, help, notes, related, address))

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything found, in report order."""
        return tuple(self._found[key] for key in sorted(self._found))

    @property
    def has_errors(self) -> bool:
        """Whether any finding is an error."""
        return any(d.severity is Severity.ERROR for d in self._found.values())


def with_address(diagnostic: Diagnostic, address: str) -> Diagnostic:
    """The same finding, naming where in the definition it lies, unless it already does."""
    return diagnostic if diagnostic.address else replace(diagnostic, address=address)
