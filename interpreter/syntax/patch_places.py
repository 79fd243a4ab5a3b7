"""Where things stand that patches change, and what a message about a changed thing should point at: beside its own place, or instead.

In: a definition and an address, or diagnostics and the trace of the patches. Out: spans; diagnostics with second places. A message that
lies in a patch also shows the line that the patch changed; one about something that a patch removed shows the removal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from interpreter.syntax.definition import Changed, Definition, Step
from interpreter.syntax.located import Located, Mapping
from interpreter.syntax.nodes import EnumDecl, TableHas
from interpreter.syntax.patch_blame import Key
from interpreter.text.diagnostic import Diagnostic, Related, Severity
from interpreter.text.source import Span


def place_of(definition: Definition, address: str) -> Span | None:
    """Where the thing at an address stands; None for a whole section."""
    section, *rest = address.split(".")
    if section == "players":
        return definition.players_span
    if section in ("winners", "payoff"):
        term = definition.winners if section == "winners" else definition.payoff
        return term.span if term is not None else None
    if section in definition.tables:
        return _in_table(definition, section, rest)
    if section in ("setup", "play"):
        return _step(definition.setup if section == "setup" else definition.play, ".".join(rest))
    if not rest:
        return None
    match section:
        case "phases" | "effects":
            routine = (definition.phases if section == "phases" else definition.effects).get(rest[0])
            if routine is None or len(rest) == 1:
                return routine.span if routine is not None else None
            return _step(routine.steps, ".".join(rest[1:]))
        case "components":
            return _component(definition, rest)
        case "functions":
            func = definition.functions.get(rest[0])
            return func.name_span if func is not None else None
        case "text":
            text = definition.texts.get(".".join(rest))
            return (text.key_span or text.span) if text is not None else None
        case "show":
            held: Located | None = definition.show
            entry = None
            for name in rest:
                entry = held.entry(name) if isinstance(held, Mapping) else None
                held = entry.value if entry is not None else None
            return entry.key_span if entry is not None else None
        case "values" | "options" | "modes" | "graphs" | "modifiers" | "triggers" | "scoring":
            item = getattr(definition, section).get(rest[0])
            span = getattr(item, "span", None)
            return span if isinstance(span, Span) else None
    return None


def _in_table(definition: Definition, table: str, rest: list[str]) -> Span | None:
    if not rest:
        return definition.tables[table].span
    row = next((r for r in definition.tables[table].rows if r.id == rest[0]), None)
    if row is None:
        return None
    cell = next((c for c in row.cells if len(rest) > 1 and str(c.key) == rest[1]), None)
    return cell.key_span if cell is not None else row.span


def _step(steps: tuple[Step, ...], name: str) -> Span | None:
    found = [s for s in steps if name in ("", s.name)]
    return found[0].span if found else None


def _component(definition: Definition, rest: list[str]) -> Span | None:
    for decl in definition.components:
        if ("table" if isinstance(decl, TableHas) else decl.name) != rest[0]:
            continue
        if len(rest) == 1 or isinstance(decl, EnumDecl):
            return decl.span
        member = next((m for m in decl.members if rest[1] in m.names), None)
        if member is not None:
            at = member.names.index(rest[1])
            return member.name_spans[at] if at < len(member.name_spans) else member.span
    return None


# ------------------------------------------------------------------ second places
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
