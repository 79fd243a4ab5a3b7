"""A definition as one text that depends on what it says and not on how it is laid out.

In: a `Definition`. Out: text for a hash: equal for two files that differ in comments, white space, quoting or the place of a citation
in a line, different as soon as a rule, number, name, citation or shown text differs.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache

from interpreter.syntax.definition import Definition
from interpreter.syntax.located import Mapping, Scalar, Sequence, plain
from interpreter.text.source import MappedText, Source, Span


def canonical(definition: Definition) -> str:
    """The text."""
    said: list[str] = []
    _say(definition, said)
    merged = definition.merged
    if merged is not None and merged.depends:
        # What these patches do is known only for a number of players, so their own words count.
        _say(tuple(body for _, body in merged.patches), said)
    return "".join(said)


def _say(node: object, said: list[str]) -> None:
    """Adds what a part says."""
    match node:
        case Span() | Source() | MappedText():
            return
        case str() | int() | None:
            said.append(repr(node))
        case Scalar() | Mapping() | Sequence():
            said.append(repr(plain(node)))
        case tuple() | list():
            said.append("(")
            for item in node:
                _say(item, said)
                said.append(",")
            said.append(")")
        case dict():
            said.append("{")
            for key, value in node.items():
                said.append(f"{key!r}:")
                _say(value, said)
                said.append(",")
            said.append("}")
        case _ if is_dataclass(node):
            kind: type = type(node)
            said.append(f"{kind.__name__}(")
            for name in _fields(kind):
                value = getattr(node, name)
                if not isinstance(value, Span | Source):
                    said.append(f"{name}=")
                    _say(value, said)
                    said.append(",")
            said.append(")")
        case _:
            said.append(repr(node))


@cache
def _fields(kind: type) -> tuple[str, ...]:
    """The fields of a class that say anything but where something stands, or how it came about."""
    return tuple(f.name for f in fields(kind) if not f.name.endswith(("span", "spans")) and f.name != "merged")
