"""What is said about a clause, an address of a definition, and the definition as a whole.

In: a game's guide (its addresses) and its clause list. Out: styled lines, or None where nothing has that name. A diagnostic's code is
explained by text/render.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from interpreter.drivers.layout import Line, fold, fold_text, line, width
from interpreter.drivers.narrate import refusal_lines, said, status
from interpreter.machine.protocol import State
from interpreter.text.places import Atlas, Citation, Clause, Clauses, Place
from interpreter.text.source import Span
from interpreter.text.suggest import nearest

SHOWN_LINES: Final = 40


def place_text(span: Span) -> str:
    """File and line."""
    return f"{span.source.name}:{span.position()[0]}"


def source_line(span: Span) -> str:
    """The line of the file where a span begins, without indent and without the clauses at its end."""
    return closed_up(span.source.line(span.position()[0]).strip())


def words_in(text: str) -> frozenset[str]:
    """The words of a line."""
    return frozenset(re.findall(r"\w+", text))


def closed_up(text: str) -> str:
    """A line of rules without the gap in front of its clauses or its comment."""
    return re.sub(r"(?<=\S)\s{3,}(?=[\[#])", "  ", text)


def paragraph(text: str, room: int, indent: str = "") -> list[Line]:
    """Words folded to a width."""
    return [line(t) for t in fold(text.split(), room, indent=indent, joint=" ")]


# ------------------------------------------------------------------ clauses
def clause_lines(clauses: Clauses, atlas: Atlas, clause: Clause, room: int) -> list[Line]:
    """A clause, gap or ruling: its words, and everything that has to do with it."""
    what = {"clause": clause.kind.replace("_", " "), "gap": "gap in the rulebook's text", "ruling": "ruling"}[
        clause.list
    ]
    where = f" · {clause.section}" if clause.section else ""
    made = [line((clause.id, "code"), (f"  {atlas.title}{where} · {what}", "dim")), line()]
    made += paragraph(clause.text, room, "  ")
    if clause.ruling:
        made += [line(), line(("ruling", "strong")), *paragraph(clause.ruling, room, "  ")]
    if clause.gaps:
        made += [line(), line(("not in the rulebook's text", "strong"))]
        made += [t for id in clause.gaps for t in entry_lines(clauses, id, room)]
    about = [c.id for c in clauses.about(clause.id) if c.list == "ruling"]
    if about:
        made += [
            line(),
            line(("rulings about it", "strong")),
            *[t for id in about for t in entry_lines(clauses, id, room)],
        ]
    made += [line(), *_carried_out(atlas, clause, room)]
    return made


def entry_lines(clauses: Clauses, id: str, room: int) -> list[Line]:
    """Another entry in short: what is missing, or how a question is answered."""
    entry = clauses.find(id)
    if entry is None:
        return [line("  ", (id, "code"))]
    text = entry.ruling or entry.text
    folded = fold(text.split(), room, indent=" " * (len(id) + 4), joint=" ")
    first = folded[0].strip() if folded else ""
    return [line("  ", (id, "code"), f"  {first}"), *[line(t) for t in folded[1:]]]


def _carried_out(atlas: Atlas, clause: Clause, room: int) -> list[Line]:
    if clause.list == "gap":
        filled = [p for p in atlas.places if clause.id in p.gap and not _within(p, atlas)]
        if not filled:
            return [line("no data of the definition are marked as filling it")]
        made = [line(("filled by the project's own data", "strong"))]
        return [*made, *[_at(p.address, p.span) for p in filled]]
    citing = list(atlas.citing(clause.id))
    if not citing:
        return paragraph(f"no rule is needed: {clause.no_rule}" if clause.no_rule else "no rule cites it", room)
    made = [line(("carried out by", "strong"))]
    for place, citation in citing:
        made.append(_at(place.address, citation.span))
        rule = _rule_text(place, citation)
        if rule:
            made += [line(t) for t in fold_text("      ", [rule], room)]
    return made


def _within(place: Place, atlas: Atlas) -> bool:
    """Whether a place has its gap from the table it stands in."""
    whole = atlas.find(place.address.rpartition(".")[0])
    return whole is not None and whole.gap == place.gap


def _rule_text(place: Place, citation: Citation) -> str:
    """The line of rules a clause is cited on; empty where it is cited for a whole of several lines."""
    text = source_line(citation.span)
    if text.startswith("cite:") or text == source_line(place.span) == f"{place.address.rpartition('.')[2]}:":
        return ""
    return text.partition("[" + citation.clause)[0].strip() if f"[{citation.clause}" in text else text


def _at(address: str, span: Span) -> Line:
    return line("  ", (address, "code"), (f"  {place_text(span)}", "dim"))


# ------------------------------------------------------------------ addresses
def address_lines(atlas: Atlas, clauses: Clauses | None, address: str, room: int) -> list[Line] | None:
    """An address: where it stands, what the file says there, its clauses, what it uses and what uses it. A label or binder, which has
    no entry of its own, is explained by the rule it stands in. None if there is no such address."""
    place = atlas.find(address)
    part = ""
    while place is None and "." in address:
        address, _, name = address.rpartition(".")
        part = f"{name}.{part}" if part else name
        place = atlas.find(address)
        if place is not None and not any(part.partition(".")[0] in text for text in place.lines()):
            return None
    if place is None:
        return section_lines(atlas, address, room) if not part else None
    made = [line((place.address, "code"), (f"  {place.kind} · {place_text(place.span)}", "dim"))]
    if part:
        made.append(line((f"`{part}` stands in it", "dim")))
    made += [line(), *_said_there(place.now.split("\n") if place.now else place.lines(), room)]
    if place.now and place.was is not None:
        made += [line(), line(("it was", "strong"), (f"  {place_text(place.was)}", "dim"))]
        made += _said_there(replace(place, span=place.was).lines(), room)
    made += _entries("changed by", place.changed, room)
    made += _entries("changed at times", place.at_times, room)
    if place.data:
        gaps = f" ({', '.join(place.gap)})" if place.gap else ""
        made += [line(), line(("data ", "strong"), f"{place.data}{gaps}")]
    made += _worded([c.clause for c in place.cite], clauses, room)
    made += _listed("parts", _parts(atlas, place.address), room)
    made += _listed("uses", place.uses, room)
    made += _listed("used by", atlas.users(place.address), room)
    return made


def _said_there(text: list[str], room: int) -> list[Line]:
    """What stands at an address."""
    made = [line(t) for t in fold_text("  ", map(closed_up, text[:SHOWN_LINES]), room)]
    return made + [line((f"  … {len(text) - SHOWN_LINES} more lines", "dim"))] * (len(text) > SHOWN_LINES)


def _entries(head: str, entries: Sequence[tuple[str, Span]], room: int) -> list[Line]:
    """Entries of patches, each whole, below who made it and where."""
    made = [line(), line((head, "strong"))] if entries else []
    for who, span in entries:
        made.append(line(f"  {who}", (f"  {place_text(span)}", "dim")))
        column = span.position()[1] - 1
        first, *rest = span.text().splitlines()
        # The lines below the first are as far in as they stand to it.
        rows = [first, *(t[min(column, len(t) - len(t.lstrip())) :] for t in rest)]
        made += [line(t) for t in fold_text("    ", map(closed_up, rows), room)]
    return made


def _listed(head: str, names: Sequence[str], room: int) -> list[Line]:
    if not names:
        return []
    return [line(), line((head, "strong")), *[line(t) for t in fold(names, room, indent="  ")]]


def _parts(atlas: Atlas, address: str) -> tuple[str, ...]:
    depth = address.count(".") + 1
    return tuple(
        p.address for p in atlas.places if p.address.startswith(f"{address}.") and p.address.count(".") == depth
    )


# ------------------------------------------------------------------ the whole
def tree_lines(atlas: Atlas, room: int) -> list[Line]:
    """All addresses, section by section, parts behind their whole."""
    sections: dict[str, list[Place]] = {}
    for place in atlas.places:
        sections.setdefault(place.address.partition(".")[0], []).append(place)
    made = [
        line(
            (atlas.title, "strong"), (f"  {len(atlas.places)} addresses; explain {atlas.game} ADDRESS says more", "dim")
        )
    ]
    for section, places in sections.items():
        made += [line(), *_section(section, places, room)]
    return made


def section_lines(atlas: Atlas, section: str, room: int) -> list[Line] | None:
    """The addresses of one section; None if there is no such section."""
    places = [place for place in atlas.places if place.address.startswith(f"{section}.")]
    return _section(section, places, room) if places else None


def _section(section: str, places: Sequence[Place], room: int) -> list[Line]:
    head = places[0] if places[0].address == section else None
    made = [line((section, "code"), (f"  {place_text((head or places[0]).span)}", "dim"))]
    inner: dict[str, list[str]] = {}
    columns = dict.fromkeys(p.address.rpartition(".")[2] for p in places if p.kind == "cell")
    for place in places:
        names = place.address.split(".")[1:]
        if len(names) == 1:
            inner.setdefault(names[0], [])
        elif names and place.kind != "cell":
            inner.setdefault(names[0], []).append(".".join(names[1:]))
    bare = [name for name, parts in inner.items() if not parts]
    made += [line(t) for t in fold(bare, room, indent="  ")]
    for name, parts in inner.items():
        if parts:
            wide = width(name) + 4
            folded = fold(parts, room, indent=" " * wide)
            made.append(line(f"  {name}  ", (folded[0].strip(), "dim")))
            made += [line((t, "dim")) for t in folded[1:]]
    if columns:
        folded = fold(tuple(columns), room, indent="    ")
        made += [line((f"  columns: {section}.ROW.COLUMN", "dim")), *[line((t, "dim")) for t in folded]]
    return made


def nearest_address(atlas: Atlas, address: str) -> str | None:
    """The address that was probably meant: one that differs by a few letters, or that ends in the same word."""
    names = [p.address for p in atlas.places]
    last = address.rpartition(".")[2]
    same = [n for n in names if n.rpartition(".")[2] == last]
    return nearest(address, names) or (same[0] if same else None) or _by_last(names, last)


def _by_last(names: Iterable[str], last: str) -> str | None:
    """The first address whose own word is near."""
    ends = {n.rpartition(".")[2]: n for n in reversed(list(names))}
    near = nearest(last, ends)
    return ends[near] if near else None


# ------------------------------------------------------------------ an action in a position
def action_lines(state: State, player: int, text: str, clauses: Clauses | None, room: int) -> list[Line]:
    """Why an option is offered to a player, or why not, with the line and the clauses of the rule. Raises IllegalAction for a text
    that means no option at all."""
    program = state.program
    refusal = state.why_not(player, text)
    made = [status(state, player)]
    if refusal is not None:
        made += refusal_lines(refusal, text)
        return made + _rule_lines(refusal.span, refusal.cite, clauses, room)
    action = state.find(player, text)
    decision = next(d for d in program.decisions if d.address == action.decision)
    made += [
        line(f"`{text}` is offered: ", (said(action), "strong")),
        line((f"  by {decision.address} ({place_text(decision.span)})", "dim")),
    ]
    return made + _rule_lines(decision.span, decision.cite, clauses, room)


def _rule_lines(span: Span | None, cite: Sequence[str], clauses: Clauses | None, room: int) -> list[Line]:
    """The line of the file, and the words of its clauses."""
    made: list[Line] = []
    if span is not None and span.source.text:
        made += [line(), *paragraph(source_line(span), room, "    ")]
    return [*made, *_worded(cite, clauses, room)]


def _worded(cite: Sequence[str], clauses: Clauses | None, room: int) -> list[Line]:
    """Clauses, each with its text."""
    if not cite:
        return []
    made = [line(), line(("clauses", "strong"))]
    for id in cite:
        entry = clauses.find(id) if clauses is not None else None
        text = f"{entry.text} {entry.ruling}" if entry is not None else ""
        first, *rest = fold(text.split(), room, indent=" " * (len(id) + 4), joint=" ") or [""]
        made += [line("  ", (id, "code"), f"  {first.strip()}"), *[line(t) for t in rest]]
    return made
