"""Names of an old expression that a wrapping text would give another meaning.

In: the text that wraps, and the old expression that will stand where it says `previous`. Out: each name that is bound around `previous` and
free in the old expression: there it would no longer mean what it meant.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from interpreter.syntax.nodes import Binder, Expr, Fold, Name, Node, Query
from interpreter.text.source import Span

_Bound = Mapping[str, Binder]


@dataclass(frozen=True, slots=True)
class Capture:
    """A name that is bound at one place and meant something else at another."""

    name: str
    bound: Span
    meant: Span


def captures(wrapping: Expr, old: Expr) -> Iterator[Capture]:
    """What would change its meaning."""
    free = {name.id: name for name, bound in _names(old, {}) if name.id not in bound}
    told: set[str] = set()
    for name, bound in _names(wrapping, {}):
        if name.id != "previous" or "previous" in bound:
            continue
        for hidden in bound.keys() & free.keys() - told:
            told.add(hidden)
            yield Capture(hidden, bound[hidden].span, free[hidden].span)


def _names(node: object, bound: _Bound) -> Iterator[tuple[Name, _Bound]]:
    """Every name in a tree, with what is bound where it stands."""
    match node:
        case tuple():
            for item in node:
                yield from _names(item, bound)
        case Name():
            yield node, bound
        case Query() | Fold():
            source, inner = node.source, dict(bound)
            yield from _names(source.whole, bound)
            for binder in source.binders:
                yield from _names(binder.domain, dict(inner))
                inner[binder.name] = binder
            value = node.favouring if isinstance(node, Query) else node.value
            yield from _names((source.where, source.best, source.by, value), inner)
        case Node():
            for item in dataclasses.fields(node):
                yield from _names(getattr(node, item.name), bound)
