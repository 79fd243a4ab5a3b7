"""How deep functions lie within each other: the parts of their sentences, and those of the functions that these name.

In: a definition. Out: whether that is within the limit, else a diagnostic. It is counted before anything is checked, since all that
works on functions goes down into them; a function that comes back to itself is the checker's business and counts once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from interpreter.syntax import nodes as syn
from interpreter.syntax.definition import Definition
from interpreter.text.diagnostic import Sink
from interpreter.text.limits import NESTING, refuse


class _TooDeep(Exception):
    """Going on would pass the limit."""


def functions_fit(definition: Definition, sink: Sink) -> bool:
    """Whether no function lies too deep; the first that does is reported."""
    depths: dict[str, int] = {}
    for name, function in definition.functions.items():
        try:
            _depth_of(name, definition.functions, depths, 0)
        except _TooDeep:
            refuse(sink, function.name_span, NESTING, NESTING.most + 1, at_least=True)
            return False
    return True


def _depth_of(name: str, functions: Mapping[str, syn.Func], depths: dict[str, int], above: int) -> int:
    """How deep a function goes, of which so many parts stand above."""
    if name not in depths:
        depths[name] = 0
        function = functions[name]
        behind = [(arm.condition, arm.value) for arm in function.arms] + [(function.body,)]
        found = 0
        for before, parts in enumerate(behind):
            found = max(found, *(before + _depth(part, functions, depths, above + before) for part in parts))
        depths[name] = found
    if above + depths[name] > NESTING.most:
        raise _TooDeep
    return depths[name]


def _depth(node: syn.Node, functions: Mapping[str, syn.Func], depths: dict[str, int], above: int) -> int:
    """The same of a part of a sentence."""
    if above >= NESTING.most:
        raise _TooDeep
    if isinstance(node, syn.Name):
        return 1 + (_depth_of(node.id, functions, depths, above + 1) if node.id in functions else 0)
    return 1 + max((_depth(inner, functions, depths, above + 1) for inner in _inside(node)), default=0)


def _inside(node: syn.Node) -> Iterator[syn.Node]:
    """The parts right inside a part."""
    todo: list[object] = [getattr(node, name) for name in type(node).__dataclass_fields__]
    while todo:
        here = todo.pop()
        if isinstance(here, syn.Node):
            yield here
        elif isinstance(here, tuple):
            todo.extend(here)
