"""Printed columns that `show:` tells of the pieces in a zone: `tells: [cost, use]`.

In: a checked model and the word of a column. Out: what a board says of each piece, or what is wrong with the word, as a finding says it.
The check of `show:` reports it; the lowering passes over what is wrong. What is empty (0, nothing, no member, not true) is not said.
A formula has no value of its own, and a rule is told only where it is short; neither is carried out here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from interpreter.model.dsl_types import Effect, Formula, Maybe, Member, Num, SetOf, Truth, Type
from interpreter.model.game_model import Model
from interpreter.model.shown_zones import NotShown
from interpreter.model.typed import ColumnSym, ZoneSym
from interpreter.syntax.located import Located, Scalar
from interpreter.syntax.located import Mapping as YamlMapping
from interpreter.text.source import Span
from interpreter.text.suggest import nearest

_LONGEST_RULE: Final = 80
_REPEATED: Final = 4  # as many units are drawn by repeating their symbol
_NO_NUMBER: Final = -(2**31)
_BESIDE_RULES: Final = re.compile(r"\s*\[[A-Z][A-Z0-9]*-[^\]]*\]|\s*(?:^|\s)#.*$", re.MULTILINE)  # clauses and comments

Shown = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Told:
    """A value in words: all of them, and in the letters and short names of the board."""

    long: str
    short: str


def telling_zones(model: Model, name: str) -> tuple[ZoneSym, ...]:
    """The zones of that name whose pieces can be told: the table's and the players'."""
    return tuple(symbol for (owner, zone), symbol in model.zones.items() if zone == name and owner in (None, 0))


def read_column(model: Model, pieces: Sequence[int], name: str) -> ColumnSym | NotShown:
    """The column of a word, of the first of these types that has one."""
    names = " or ".join(f"`{model.domains[piece].name}`" for piece in pieces)
    column = next((model.columns[piece, name] for piece in pieces if (piece, name) in model.columns), None)
    if column is None:
        if any((piece, name) in model.fields for piece in pieces):
            return _wrong("shows-unread", f"`{name}` is a field of state, and drawn as such", "name a printed column")
        near = nearest(name, [column for owner, column in model.columns if owner in pieces])
        help = f"did you mean `{near}`?" if near else "name a printed column of what lies in the zone"
        return _wrong("shows-nothing", f"{names} has no column `{name}`", help)
    if isinstance(column.type, Formula):
        return _wrong("shows-unread", f"`{name}` holds formulas, which have no value of their own", "leave it out")
    if _is_rule(column.type) and not any(_rules(model, column)):
        longest = f"a rule is told if it is one line of at most {_LONGEST_RULE} letters"
        return _wrong("shows-unread", f"no rule in `{name}` is short enough to be told", longest)
    return column


def _wrong(code: str, message: str, help: str) -> NotShown:
    return NotShown(code, message, help, 0, 0)


def told_pieces(model: Model, piece: int, names: Sequence[str], shown: Shown) -> list[list[list[str]]]:
    """Of each piece of a type the columns that are told: title, value, and the value where there is little room."""
    domain = model.domains[piece]
    made: list[list[list[str]]] = [[] for _ in domain.ids]
    for name in names:
        column = read_column(model, (piece,), name)
        if isinstance(column, NotShown):
            continue
        title = _said_of(shown, name, "title")
        title = name.replace("_", " ") if title is None else title
        words = _Words(model, shown, column)
        for member in range(domain.size):
            told = words.of(member)
            if told is not None:
                made[member].append([title, told.long, told.short])
    return made


def _said_of(shown: Shown, name: str, key: str) -> str | None:
    entry = shown.get(name)
    return str(entry[key]) if isinstance(entry, Mapping) and key in entry else None


# ------------------------------------------------------------------ values in words
class _Words:
    """The values of one column in words."""

    def __init__(self, model: Model, shown: Shown, column: ColumnSym) -> None:
        self.model = model
        self.rows = [entry for entry in shown.values() if isinstance(entry, Mapping)]
        self.column = column
        self.values = model.column_values[column]
        self.rules = _rule_texts(model) if _is_rule(column.type) else {}
        self.keys = tuple(product(*(self._members(key) for key in column.keys)))
        self.symbols = {i: s for key in column.keys if isinstance(key, Member) for i, s in self._symbols(key).items()}

    def of(self, member: int) -> Told | None:
        """What is said of one piece; None if there is nothing to say."""
        wide = len(self.keys)
        values = self.values[member * wide : (member + 1) * wide]
        if not self.column.keys:
            return self._value(self.column.type, values[0])
        entries = [
            self._entry(key, value)
            for key, number in zip(self.keys, values, strict=True)
            if (value := self._value(self.column.type, number)) is not None
        ]
        if not entries:
            return None
        return Told(", ".join(e.long for e in entries), _close([e.short for e in entries]))

    def _members(self, key: Type) -> range:
        """The keys of a map in order."""
        return range(key.lo, key.hi + 1) if isinstance(key, Num) else range(self.model.size_of(key))

    def _entry(self, keys: tuple[int, ...], value: Told) -> Told:
        """An entry of a map: `Honey 2`, `north-south` of things, `3: pay 1 coin` of a number or a rule."""
        names = [self._name(kind, key) for kind, key in zip(self.column.keys, keys, strict=True)]
        long, short = ("-".join(n.long for n in names), "-".join(n.short for n in names))
        kind = self.column.type.of if isinstance(self.column.type, Maybe) else self.column.type
        match kind:
            case Truth() if not value.long:
                return Told(long, short)
            case Num() if all(isinstance(key, Member) for key in self.column.keys):
                symbol = self.symbols.get(keys[0], "") if len(keys) == 1 else ""
                brief = _units(symbol, int(value.long)) if symbol else f"{short} {value.long}"
                return Told(f"{long} {value.long}", brief)
            case Member():
                return Told(f"{long}-{value.long}", f"{short}-{value.short}")
            case _:
                return Told(f"{long}: {value.long}", f"{short}: {value.short}")

    def _value(self, kind: Type, value: int) -> Told | None:
        match kind:
            case Maybe(of=Num()):
                return None if value == _NO_NUMBER else Told(str(value), str(value))
            case Maybe(of=Truth()):
                return None if value < 0 else Told("", "") if value else Told("no", "no")
            case Maybe(of=inner):
                return self._value(inner, value)
            case Truth():
                return Told("", "") if value else None
            case Num():
                return Told(str(value), str(value)) if value else None
            case Member():
                return self._name(kind, value) if value >= 0 else None
            case SetOf(of=inner):
                names = [self._name(inner, m) for m in range(value.bit_length()) if value >> m & 1]
                return Told(", ".join(n.long for n in names), _close([n.short for n in names])) if names else None
            case Effect():
                text = self.rules.get(self.model.cells[value].span, "") if value >= 0 else ""
                return None if value < 0 else Told(text or "…", text or "…")
            case _:
                return None

    def _name(self, kind: Type, member: int) -> Told:
        """A member, or a number as itself."""
        if not isinstance(kind, Member):
            return Told(str(member), str(member))
        domain = self.model.domains[kind.domain]
        name = domain.ids[member].replace("_", " ") if domain.kind == "choice" else domain.names[member]
        first = domain.ids[member].rpartition("_")[0] if domain.design.count(domain.design[member]) > 1 else ""
        short = self._of_row(domain.ids[member], "short") or self._of_row(first, "short")
        return Told(name, short or name)

    def _symbols(self, key: Member) -> dict[int, str]:
        """The symbols that `show:` gives to the members of a type, if it gives one to each."""
        found = [self._of_row(id_, "symbol") for id_ in self.model.domains[key.domain].ids]
        return dict(enumerate(found)) if all(found) else {}

    def _of_row(self, id_: str, key: str) -> str:
        """What `show:` says of a row, wherever it stands there."""
        rows = [entry[id_] for entry in self.rows if id_ in entry]
        return next((str(row[key]) for row in rows if isinstance(row, Mapping) and key in row), "")


def _close(words: Sequence[str]) -> str:
    """Words as close as can be: without commas where none of them has a blank."""
    return (", " if any(" " in word for word in words) else " ").join(words)


def _units(symbol: str, count: int) -> str:
    """A symbol so many times, with a number where that would be long: as the board draws counters."""
    return symbol * count if 0 < count <= _REPEATED and len(symbol) == 1 else f"{symbol}{count}"


# ------------------------------------------------------------------ rules in cells
def _is_rule(kind: Type) -> bool:
    return isinstance(kind.of if isinstance(kind, Maybe) else kind, Effect)


def _rules(model: Model, column: ColumnSym) -> Iterator[str]:
    """The rules of a column that are short enough to be told."""
    texts = _rule_texts(model)
    return (text for v in model.column_values[column] if v >= 0 and (text := texts.get(model.cells[v].span, "")))


def _rule_texts(model: Model) -> dict[Span, str]:
    """Every text of a table's cell that is one short line, by its place, without the clauses it cites."""
    found: dict[Span, str] = {}
    for table in model.definition.tables.values():
        for row in table.rows:
            for cell in row.cells:
                for scalar in _scalars(cell.value):
                    text = _BESIDE_RULES.sub("", scalar.mapped.text).strip()
                    if "\n" not in text and len(text) <= _LONGEST_RULE:
                        found[scalar.span] = text.replace("_", " ")
    return found


def _scalars(node: Located) -> Iterator[Scalar]:
    match node:
        case Scalar():
            yield node
        case YamlMapping():
            for entry in node.entries:
                yield from _scalars(entry.value)
        case _:
            for item in node.items:
                yield from _scalars(item)
