"""A definition as one text that depends on what it says and not on how it is laid out.

In: a `Definition`. Out: text for a hash: equal for two files that differ in comments, white space, quoting or the place of a citation
in a line, different as soon as a rule, number, name, citation or shown text differs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from interpreter.syntax.definition import Definition
from interpreter.syntax.located import Mapping, Scalar, Sequence, plain
from interpreter.text.source import MappedText, Source, Span


def canonical(definition: Definition) -> str:
    """The text."""
    return "".join(_said(definition))


def _said(node: object) -> Iterator[str]:
    match node:
        case Span() | Source() | MappedText():
            return
        case Scalar() | Mapping() | Sequence():
            yield repr(plain(node))
        case tuple() | list():
            yield "("
            for item in node:
                yield from _said(item)
                yield ","
            yield ")"
        case dict():
            yield "{"
            for key, value in node.items():
                yield f"{key!r}:"
                yield from _said(value)
                yield ","
            yield "}"
        case _ if is_dataclass(node):
            yield f"{type(node).__name__}("
            for field in fields(node):
                value = getattr(node, field.name)
                if (
                    not isinstance(value, Span | Source)
                    and not field.name.endswith("span")
                    and not field.name.endswith("spans")
                ):
                    yield f"{field.name}="
                    yield from _said(value)
                    yield ","
            yield ")"
        case _:
            yield repr(node)
