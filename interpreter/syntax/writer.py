"""A definition as a game file again: what reads it finds the same definition.

In: a definition, as a rule one that patches went into, and what they did. Out: the text of a file; on demand with a comment above each
thing that does not come from the base file, saying which patch it is from and where that stands. Comments of the base and `note:` keys are
no part of a definition and are not written.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from interpreter.syntax.definition import (
    Changed,
    Definition,
    Marks,
    ModeDoc,
    OptionDoc,
    Routine,
    Row,
    Step,
    TableDoc,
    TermDoc,
    TextDoc,
    ValueDoc,
)
from interpreter.syntax.either_options import all_offered
from interpreter.syntax.formatter import (
    format_components,
    format_expr,
    format_functions,
    format_graph,
    format_modifier,
    format_rules,
    format_trigger,
    format_type,
)
from interpreter.syntax.located import Entry, Located, Mapping, Scalar, Sequence, plain
from interpreter.syntax.nodes import EnumDecl, ThingDecl, TypeText
from interpreter.syntax.patch_kinds.reading import span_of
from interpreter.syntax.patch_parts import listed
from interpreter.syntax.plain_yaml import yaml_lines
from interpreter.text.source import Span

Data = dict[str, object]


def written_definition(definition: Definition, provenance: bool) -> str:
    """The text of a game file."""
    merged = definition.merged
    notes = _notes(definition, merged.trace) if provenance and merged is not None else {}
    return "\n".join(yaml_lines(file_data(definition), notes)) + "\n"


def file_data(game: Definition) -> Data:
    """The sections of a file as plain data, empty ones left out."""
    low, high = game.players
    counts = range(low, high + 1)
    sections: Data = {
        "seats": dict.fromkeys(game.seats, "scripted"),
        "options": {n: _option(o, counts) for n, o in game.options.items()},
        "values": {n: _value(v, counts) for n, v in game.values.items()},
        "components": _text(format_components(game.components)),
        "graphs": {n: _with({"lines": _text(format_graph(g.lines))}, g.cite) for n, g in game.graphs.items()},
        **{n: _table(t, counts) for n, t in game.tables.items()},
        "functions": _text(format_functions(game.functions.values())),
        "modifiers": {n: _with({"rule": format_modifier(m.rule)}, m.cite) for n, m in game.modifiers.items()},
        "setup": _steps(game.setup),
        "play": _steps(game.play),
        "phases": {n: _routine(r) for n, r in game.phases.items()},
        "effects": {n: _routine(r) for n, r in game.effects.items()},
        "triggers": {
            n: _with({"rule": _text(format_trigger(t.rule)), **_given("depth", t.depth)}, t.cite)
            for n, t in game.triggers.items()
        },
        "scoring": {n: _term("points", t) for n, t in game.scoring.items()},
        "winners": _term("rule", game.winners) if game.winners is not None else {},
        "payoff": _term("rule", game.payoff) if game.payoff is not None else {},
        "modes": {n: _mode(m, counts) for n, m in game.modes.items()},
        "text": {address: _sentence(t) for address, t in game.texts.items()},
        "show": _show(game.show, high),
        "renamed": dict(game.renamed),
    }
    head: Data = {
        "game": game.game,
        "title": game.title,
        "rules": game.rules,
        "version": game.version,
        "players": low if low == high else f"{low}..{high}",
    }
    # A table without rows is a table all the same, and no game is without its play.
    return head | {name: body for name, body in sections.items() if body or name in game.tables or name == "play"}


def _text(text: str) -> str:
    """Rules over several lines end with a line end, as people write them."""
    return text + "\n" if "\n" in text else text


def _given(key: str, value: object) -> Data:
    """A key that stands only where there is something to say."""
    return {} if value is None or value == () else {key: value}


def _cites(cite: tuple[str, ...]) -> object:
    return cite[0] if len(cite) == 1 else list(cite)


def _with(body: Data, cite: tuple[str, ...]) -> Data:
    return body | ({"cite": _cites(cite)} if cite else {})


def _marked(body: Data, marks: Marks) -> Data:
    gap: Data = {"gap": _cites(marks.gap)} if marks.gap else {}
    return _with(body, marks.cite) | _given("data", marks.data) | gap


def _patch(patch: Mapping | None, counts: range) -> Data:
    return {str(e.key): _parts(e.value, counts) if e.key == "parts" else plain(e.value) for e in _entries(patch)}


def _entries(node: Mapping | None) -> tuple[Entry, ...]:
    return node.entries if node is not None else ()


def _parts(node: Located, counts: range) -> object:
    """The parts of a patch that may be taken with so many players."""
    parts = [p for p in listed(node) if isinstance(p, Mapping)]
    whens = [when if isinstance(when := part.get("when"), Mapping) else None for part in parts]
    return [
        {str(e.key): _when(when, counts) if e.key == "when" else plain(e.value) for e in part.entries}
        for part, when in zip(parts, whens, strict=True)
        if when is None or when.get("players") is None or "players" in _when(when, counts)
    ]


def _when(when: Mapping | None, counts: range) -> Data:
    """A condition without the numbers of players that are not played."""
    said: Data = {}
    for entry in _entries(when):
        if entry.key != "players":
            said[str(entry.key)] = plain(entry.value)
        elif played := [i.value for i in listed(entry.value) if isinstance(i, Scalar) and i.value in counts]:
            said["players"] = played if isinstance(entry.value, Sequence) else played[0]
    return said


def _option(option: OptionDoc, counts: range) -> Data:
    return _with(
        {"type": format_type(option.type), "default": plain(option.default)} | _patch(option.patch, counts),
        option.cite,
    )


def _mode(mode: ModeDoc, counts: range) -> Data:
    when = _when(mode.when, counts)
    return _with(({"when": when} if when else {}) | _patch(mode.patch, counts), mode.cite)


def _value(value: ValueDoc, counts: range) -> object:
    if value.by_players is not None:
        return _marked({"by players": _at_counts(value.by_players, counts)}, value.marks)
    held = plain(value.value)
    if isinstance(held, dict):
        return _marked(held, value.marks)
    return _marked({"is": held}, value.marks) if value.marks != Marks() else held


def _show(show: Mapping | None, most: int) -> Data:
    """What is drawn, without names for players that never play."""
    return {
        str(e.key): [plain(i) for i in e.value.items[:most]]
        if e.key == "players" and isinstance(e.value, Sequence)
        else plain(e.value)
        for e in _entries(show)
    }


def _at_counts(node: Mapping, counts: range) -> object:
    """What `by players` says, without the numbers of players that are not played."""
    return {e.key: plain(e.value) for e in node.entries if e.key in counts}


def _table(table: TableDoc, counts: range) -> Data:
    return _marked({}, table.marks) | {row.id: _row(row, counts) for row in table.rows}


def _row(row: Row, counts: range) -> Data:
    cells: Data = {str(c.key): _cell(c.value, counts) for c in row.cells}
    return _marked(cells | _given("copies", _cell(row.copies, counts)), row.marks)


def _cell(node: Located | None, counts: range) -> object:
    if not isinstance(node, Mapping):
        return plain(node)
    return {
        e.key: _at_counts(e.value, counts)
        if e.key == "by players" and isinstance(e.value, Mapping)
        else _cell(e.value, counts)
        for e in node.entries
    }


def _steps(steps: tuple[Step, ...]) -> object:
    """One text, or named texts."""
    if len(steps) == 1 and not steps[0].name:
        return _text(format_rules(steps[0].body))
    return {s.name: _with({"do": _text(format_rules(s.body))}, s.cite) for s in steps}


def _routine(routine: Routine) -> Data:
    takes: Data = {p.name: format_type(TypeText(p.type, p.default)) for p in routine.params}
    head: Data = {"takes": takes} if takes else {}
    return _with(head | {"do": _steps(routine.steps)} | _given("depth", routine.depth), routine.cite)


def _term(key: str, term: TermDoc) -> Data:
    return _with({key: format_expr(term.value)}, term.cite)


def _sentence(text: TextDoc) -> str:
    """A name or sentence with its holes."""
    said = ""
    for part in text.parts:
        said += part.replace("{", "{{").replace("}", "}}") if isinstance(part, str) else "{" + format_expr(part) + "}"
    return said


# ------------------------------------------------------------------ where things come from
_TEXTS: Final = ("components", "functions")
"""Sections that are one text; what changed in it is told above it, with its address."""
_NAMED: Final = (
    "options", "values", "graphs", "functions", "modifiers", "phases", "effects", "triggers", "scoring", "modes",
)  # fmt: skip


def _notes(game: Definition, trace: Iterable[Changed]) -> dict[str, str]:
    """Comments by path: what patches changed, in order, and what lies in their files."""
    said: dict[str, list[str]] = {}
    for change in trace:
        if not change.removes:
            said.setdefault(change.address, []).append(_origin(change.patch, change.at))
    for address in _addresses(game):
        span = span_of(game, address)
        if span is not None and span.source.origin != "base" and address not in said:
            said[address] = [_origin("added", span)]
    options = {one.address: one.text for one in all_offered(game)} if said else {}
    notes: dict[str, list[str]] = {}
    for address, parts in said.items():
        path = _path(options.get(address, address))
        inside = f"{address}: " if path in _TEXTS or address in options else ""
        notes.setdefault(path, []).append(inside + ", then ".join(parts))
    return {path: "\n".join(lines) for path, lines in notes.items()}


def _origin(who: str, span: Span) -> str:
    return f"{who} ({span.source.name}:{span.position()[0]})"


def _path(address: str) -> str:
    """Where an address stands in the file: what lies inside a text is told above the text."""
    parts = address.split(".")
    if parts[0] in _TEXTS:
        return parts[0]
    if parts[0] in ("phases", "effects") and len(parts) > 2:
        return ".".join([*parts[:2], "do", *parts[2:]])
    return address


def _addresses(game: Definition) -> Iterable[str]:
    """The addresses of things that `add:` can bring."""
    yield from (f"components.{d.name}" for d in game.components if isinstance(d, EnumDecl | ThingDecl))
    for section in _NAMED:
        yield from (f"{section}.{name}" for name in getattr(game, section))
    yield from (f"{table.name}.{row.id}" for table in game.tables.values() for row in table.rows)
    yield from (f"text.{address}" for address in game.texts)
