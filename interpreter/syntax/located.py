"""YAML as located data: what `yaml_tree.py` makes of a file and `document.py` reads.

Every value knows its span; a string also carries a `MappedText`, so that rules text inside it can be parsed with exact places.
"""

from __future__ import annotations

from dataclasses import dataclass

from interpreter.text.source import MappedText, Span


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """A number, truth value, null or string. `mapped` is given for every scalar (a number's text as well)."""

    span: Span
    value: str | int | bool | None
    mapped: MappedText


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One key of a mapping with its value. Whole-number keys are ints, all other keys strings."""

    key: str | int
    key_span: Span
    value: Located


@dataclass(frozen=True, slots=True, eq=False)
class Mapping:
    """Entries in file order; keys are unique."""

    span: Span
    entries: tuple[Entry, ...]

    def entry(self, key: str | int) -> Entry | None:
        """The entry of a key, if there."""
        return next((e for e in self.entries if e.key == key), None)

    def get(self, key: str | int) -> Located | None:
        """The value of a key, if there."""
        found = self.entry(key)
        return found.value if found else None


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """Items in order."""

    span: Span
    items: tuple[Located, ...]


Located = Scalar | Mapping | Sequence


def plain(node: Located | None) -> object:
    """The value without places: dicts, lists, numbers, truth values, strings, None."""
    match node:
        case None:
            return None
        case Scalar():
            return node.value
        case Mapping():
            return {e.key: plain(e.value) for e in node.entries}
        case Sequence():
            return [plain(i) for i in node.items]
