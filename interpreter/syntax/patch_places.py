"""What a message about a thing that patches changed should point at: beside its own place, or instead.

In: diagnostics and the trace of the patches. Out: diagnostics with second places. A message that lies in a patch also shows the line
that the patch changed; one about something that a patch removed shows the removal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from interpreter.syntax.definition import Changed
from interpreter.syntax.patch_blame import Key
from interpreter.text.diagnostic import Diagnostic, Related, Severity


def with_second_places(
    found: Iterable[Diagnostic], trace: tuple[Changed, ...], blame: dict[Key, Changed]
) -> Iterator[Diagnostic]:
    """The same findings; those in a patch also show the line that it changes, those elsewhere the change that they come from, and what
    misses a thing that a patch removed becomes one finding about the removal, with every use."""
    uses: dict[Changed, list[Diagnostic]] = {}
    for diagnostic in found:
        change = blame.get(diagnostic.sort_key())
        if change is not None and (change.removes or change.lessens):
            uses.setdefault(change, []).append(diagnostic)
            continue
        if diagnostic.code == "never-said":
            diagnostic = _silenced(diagnostic, trace)
        more = _changed_line(diagnostic, trace, change)
        if more is None or more.span in {diagnostic.span, *(r.span for r in diagnostic.related)}:
            yield diagnostic
        else:
            yield replace(diagnostic, related=(*diagnostic.related, more))
    for removal, missed in uses.items():
        yield _still_used(removal, missed)


def _silenced(diagnostic: Diagnostic, trace: tuple[Changed, ...]) -> Diagnostic:
    """A sentence that is not said because a patch changed what it belongs to is told at the patch, with what can be done."""
    text = diagnostic.address.removeprefix("text.")
    changes = (c for c in reversed(trace) if text == c.address or text.startswith(f"{c.address}."))
    change = next(changes, None)
    if change is None or diagnostic.span.source is change.at.source:
        return diagnostic
    what = "removes" if change.removes else "changes"
    return replace(
        diagnostic,
        message=f"`{change.patch}` {what} `{change.address}`, and this sentence of it is no longer said",
        span=change.verb,
        label="without its sentence",
        help=f"`remove` it too: `{diagnostic.address}: {{remove: true}}`"
        if change.removes
        else f"`set` another at `{diagnostic.address}` that names only what is known there, or `remove: true`",
        related=(Related(diagnostic.span, diagnostic.message),),
    )


def _still_used(removal: Changed, missed: list[Diagnostic]) -> Diagnostic:
    """The finding about a removal: names of what is gone are uses of it, all else says what is wrong now."""
    gone = set(re.findall(r"\w+", removal.at.text()))
    places = tuple(Related(d.span, "used here" if d.span.text().strip() in gone else d.message) for d in missed)
    return Diagnostic(
        "still-used",
        Severity.ERROR,
        f"`{removal.patch}` removes `{removal.address}`, which is still used"
        if removal.removes
        else f"`{removal.patch}` removes from `{removal.address}` what is still used",
        removal.verb,
        label="removed here",
        help="change what uses it too",
        related=places,
        address=removal.address,
    )


def _changed_line(diagnostic: Diagnostic, trace: tuple[Changed, ...], blamed: Changed | None) -> Related | None:
    """The line that the patch changes in which a finding lies; if it lies in none, the change that it comes from."""
    span = diagnostic.span
    for change in trace:
        if change.at.source is span.source and change.at.start <= span.start < change.at.end:
            return Related(change.old, f"`{change.patch}` changes this") if change.old is not None else None
    return Related(blamed.at, f"`{blamed.patch}` changes this") if blamed is not None else None
