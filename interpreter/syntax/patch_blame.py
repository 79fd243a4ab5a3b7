"""Which change of a patch an error comes from, wherever the error lies.

In: the errors of a checked definition, what patches changed in it, and a way to check it with some of the changes only. Out: for an error
the first change with which it is there. What is there without any change is nobody's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from interpreter.syntax.definition import Changed
from interpreter.text.diagnostic import Diagnostic, Severity
from interpreter.text.source import Span

Key = tuple[str, int, str, str, str]
"""What tells a finding from others, as `Diagnostic.sort_key` gives it."""


def blamed(
    found: Iterable[Diagnostic], trace: Sequence[Changed], check: Callable[[frozenset[Span]], frozenset[Key]]
) -> dict[Key, Changed]:
    """The change of each error. `check` tells what is found with those changes only whose verbs stand at some places."""

    @cache
    def found_with(count: int) -> frozenset[Key]:
        return check(frozenset(change.verb for change in trace[:count]))

    blame: dict[Key, Changed] = {}
    for key in (d.sort_key() for d in found if d.severity is Severity.ERROR):
        if not trace or key in found_with(0):
            continue
        without, with_it = 0, len(trace)
        while with_it - without > 1:
            middle = (without + with_it) // 2
            without, with_it = (without, middle) if key in found_with(middle) else (middle, with_it)
        blame[key] = trace[with_it - 1]
    return blame
