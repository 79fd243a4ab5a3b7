"""Every diagnostic code: what it means, why it matters, and a small file that raises it.

A literal table. A code names the problem, never the remedy; once given out it keeps its meaning. `example` is a whole file, so that a test
can run it; the same text stands in `tests/diagnostics/<slug>.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from interpreter.text.diagnostic import Severity

_ERROR: Final = Severity.ERROR


@dataclass(frozen=True, slots=True)
class Code:
    """One code. `summary` is a sentence, `why` a short paragraph, `level` how bad it is."""

    slug: str
    summary: str
    why: str
    example: str
    level: Severity = Severity.ERROR


CODES: Final[tuple[Code, ...]] = ()


def find_code(slug: str) -> Code | None:
    """The record of a code, if there is one."""
    return next((c for c in CODES if c.slug == slug), None)
