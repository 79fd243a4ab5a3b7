"""Which effects nobody performs: those that only phases come to, and not inside `have` or turns.

In: a definition. Out: names of effects. In them `me` is nobody until they say `have` themselves, as it is in a phase. What is not sure (a
name that stands anywhere else than behind `perform`) counts as acted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from interpreter.syntax import nodes as syn
from interpreter.syntax.definition import Definition, Step
from interpreter.syntax.located import Located, Mapping, Scalar, Sequence

_WORD: Final = re.compile(r"[A-Za-z_]\w*")


def unacted_effects(game: Definition) -> frozenset[str]:
    """The names."""
    calls: dict[str, set[str]] = {}
    acted: set[str] = set()
    flow = [game.setup, game.play, *(phase.steps for phase in game.phases.values())]
    begun = _names(flow, False, acted)
    for name, effect in game.effects.items():
        calls[name] = _names([effect.steps], False, acted)
    for rule in (*game.triggers.values(), *game.functions.values(), *game.modifiers.values(), *game.components):
        acted |= {name for name, _ in _named(getattr(rule, "rule", rule), True)}
    for table in game.tables.values():
        acted |= {word for row in table.rows for cell in row.cells for word in _words(cell.value)}
    acted = _reached(acted, calls)
    return frozenset(_reached(begun, calls) - acted) & frozenset(game.effects)


def _names(texts: list[tuple[Step, ...]], acts: bool, acted: set[str]) -> set[str]:
    """What texts perform where nobody acts; what they name elsewhere joins `acted`."""
    found = {pair for steps in texts for step in steps for pair in _named(step.body, acts)}
    acted |= {name for name, somebody in found if somebody}
    return {name for name, somebody in found if not somebody}


def _reached(names: set[str], calls: dict[str, set[str]]) -> set[str]:
    """The same names, and those of the effects that they come to without anybody else acting."""
    found, todo = set[str](), list(names)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo.extend(calls.get(name, ()))
    return found


def _named(node: object, acts: bool) -> Iterator[tuple[str, bool]]:
    """The words in a tree that may name effects, each with whether somebody acts there."""
    match node:
        case str():
            yield node, True
        case tuple():
            for item in node:
                yield from _named(item, acts)
        case syn.Perform(what=syn.Name(id=name)):
            yield name, acts
        case syn.Perform(what=syn.CallOf(function=syn.Name(id=name), arguments=given)):
            yield name, acts
            yield from _named(given, True)
        case syn.Node():
            inner = acts or isinstance(node, syn.Have | syn.Turns | syn.AtOnce | syn.May | syn.Window)
            for name in type(node).__dataclass_fields__:
                if not name.endswith(("span", "spans")) and name != "cite":
                    yield from _named(getattr(node, name), inner)


def _words(value: Located) -> Iterator[str]:
    """The words of a cell."""
    match value:
        case Scalar():
            yield from _WORD.findall(value.mapped.text)
        case Sequence():
            for item in value.items:
                yield from _words(item)
        case Mapping():
            for entry in value.entries:
                yield from _words(entry.value)
