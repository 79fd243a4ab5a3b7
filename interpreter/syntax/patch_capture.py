"""Names of an old expression, of an old block, or of what is handed to an old effect, that a wrapping text would give another meaning.

In: the text that wraps, and the old expression or block that will stand where it says `previous`, or the parameters that `perform previous`
hands on. Out: each name that is bound around `previous` and free in what is old: there it would no longer mean what it meant.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from interpreter.syntax.nodes import (
    Allocate,
    Binder,
    Choose,
    Draw,
    Expr,
    Fold,
    ForEach,
    LetStmt,
    Name,
    Node,
    Param,
    Perform,
    Query,
    Statement,
    Stmt,
)
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


def block_captures(wrapping: tuple[Stmt, ...], old: tuple[Stmt, ...]) -> Iterator[Capture]:
    """Names of an old block that are called something else where the text says `perform previous`."""
    meant: dict[str, Span] = {}
    for name in _free_names(old, frozenset()):
        meant.setdefault(name.id, name.span)
    yield from _hidden(wrapping, meant)


def handed_captures(wrapping: tuple[Stmt, ...], params: tuple[Param, ...]) -> Iterator[Capture]:
    """Parameters that are called something else where the text says `perform previous`."""
    yield from _hidden(wrapping, {param.name: param.span for param in params})


def _hidden(wrapping: tuple[Stmt, ...], meant: Mapping[str, Span]) -> Iterator[Capture]:
    """Names that mean something and are bound to something else where the text says `perform previous`."""
    told: set[str] = set()
    for bound in _performing(wrapping, {}):
        for hidden in bound.keys() & meant.keys() - told:
            told.add(hidden)
            yield Capture(hidden, bound[hidden], meant[hidden])


def _free_names(node: object, bound: frozenset[str]) -> Iterator[Name]:
    """The names in statements that these do not bind themselves."""
    if isinstance(node, tuple):
        for item in node:
            yield from _free_names(item, bound)
            if isinstance(item, Statement):
                bound |= _bound_behind(item).keys()
    elif isinstance(node, Name | Query | Fold):
        yield from (name for name, inner in _names(node, {}) if name.id not in inner and name.id not in bound)
    elif isinstance(node, Node):
        if isinstance(node, ForEach):
            bound |= {node.binder.name}
        if isinstance(node, Allocate):
            bound |= {node.item.name, node.place.name}
        if isinstance(node, Choose | Draw):
            bound |= _bound_behind(node).keys()
        for item in dataclasses.fields(node):
            yield from _free_names(getattr(node, item.name), bound)


def _performing(node: object, bound: Mapping[str, Span]) -> Iterator[Mapping[str, Span]]:
    """For every `perform previous`, what is bound where it stands."""
    inner = dict(bound)
    if isinstance(node, tuple):
        for item in node:
            yield from _performing(item, dict(inner))
            if isinstance(item, Statement):
                inner.update(_bound_behind(item))
    elif isinstance(node, Perform):
        if isinstance(node.what, Name) and node.what.id == "previous":
            yield inner
    elif isinstance(node, Node):
        if isinstance(node, ForEach):
            inner[node.binder.name] = node.binder.span
        if isinstance(node, Allocate):
            inner.update({binder.name: binder.span for binder in (node.item, node.place)})
        for item in dataclasses.fields(node):
            yield from _performing(getattr(node, item.name), inner)


def _bound_behind(statement: Statement) -> dict[str, Span]:
    """Names that a statement binds for those behind it."""
    match statement:
        case LetStmt() | Draw():
            return {statement.name: statement.span}
        case Choose():
            return {pick.name: pick.name_span for pick in statement.picks}
    return {}
