"""What patches do to single trees, values and marks: pure functions, used by `overlay.py`.

In: a piece of a definition and what a patch says about it. Out: the new piece. Places are kept: what a patch writes lies in the patch.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar, cast

from interpreter.syntax.definition import Marks, Step, ValueDoc
from interpreter.syntax.located import Entry, Located, Mapping, Scalar, Sequence
from interpreter.syntax.nodes import (
    Arith,
    CallOf,
    ChoiceType,
    Expr,
    Func,
    IfElse,
    Int,
    Name,
    Negate,
    Node,
    Perform,
    Stmt,
    TypeText,
)
from interpreter.text.source import MappedText

_T = TypeVar("_T")


# ------------------------------------------------------------------ trees
def rewrite(node: _T, change: Callable[[Node], Node | None]) -> _T:
    """The tree with each node replaced for which `change` gives another; nodes without difference stay the same objects."""
    if isinstance(node, tuple):
        items = tuple(rewrite(i, change) for i in node)
        return cast(_T, items) if any(a is not b for a, b in zip(items, node, strict=True)) else node
    if not isinstance(node, Node):
        return node
    other = change(node)
    if other is not None:
        return cast(_T, other)
    new: dict[str, object] = {}
    for item in dataclasses.fields(node):
        old = getattr(node, item.name)
        if isinstance(old, Node | tuple) and (changed := rewrite(old, change)) is not old:
            new[item.name] = changed
    return cast(_T, replace(node, **new)) if new else node  # type: ignore[arg-type]  # fields of the node's own class


def one_expression(func: Func) -> Expr:
    """A function's body as one expression."""
    value = func.body
    for arm in reversed(func.arms):
        value = IfElse(arm.condition, arm.value, value, span=arm.span)
    return value


def folded_number(value: Expr) -> int | None:
    """The number that an expression of numbers is."""
    match value:
        case Int():
            return value.value
        case Negate():
            inner = folded_number(value.value)
            return None if inner is None else -inner
        case Arith():
            left, right = folded_number(value.left), folded_number(value.right)
            if left is None or right is None or (right == 0 and value.op in ("/", "mod")):
                return None
            return {
                "+": left + right,
                "-": left - right,
                "*": left * right,
                "/": left // (right or 1),
                "mod": left % (right or 1),
            }[value.op]
    return None


# ------------------------------------------------------------------ values and marks
def together(*cites: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(c for group in cites for c in group))


def marks_over(new: Marks, old: Marks) -> Marks:
    """New marks over old ones: clauses join, the rest is replaced where it is said again."""
    return Marks(together(old.cite, new.cite), new.data or old.data, new.gap or old.gap)


def marks_filled(own: Marks, table: Marks) -> Marks:
    """A row's marks with those of the table that it came in."""
    return Marks(own.cite or table.cite, own.data or table.data, own.gap or table.gap)


def merged(old: Mapping | None, new: Mapping | None) -> Mapping | None:
    """A mapping with the keys of another over its own."""
    if old is None or new is None:
        return new or old
    fresh = {e.key: e for e in new.entries}
    return Mapping(old.span, (*(fresh.pop(e.key, e) for e in old.entries), *fresh.values()))


def overlaid(old: Mapping | None, new: Mapping) -> Mapping:
    """A mapping with another laid over it, and so are mappings inside it: only what is named changes."""
    if old is None:
        return new
    fresh = {e.key: e for e in new.entries}
    kept: list[Entry] = []
    for entry in old.entries:
        over = fresh.pop(entry.key, entry)
        if over is not entry and isinstance(entry.value, Mapping) and isinstance(over.value, Mapping):
            over = replace(entry, value=overlaid(entry.value, over.value))
        kept.append(over)
    return Mapping(old.span, (*kept, *fresh.values()))


def without(old: Mapping, path: list[str]) -> Mapping | None:
    """A mapping without what stands at a path of keys in it; None if nothing stands there."""
    entry = old.entry(path[0])
    if entry is None:
        return None
    if len(path) == 1:
        return Mapping(old.span, tuple(e for e in old.entries if e is not entry))
    inner = without(entry.value, path[1:]) if isinstance(entry.value, Mapping) else None
    if inner is None:
        return None
    return Mapping(old.span, tuple(replace(e, value=inner) if e is entry else e for e in old.entries))


def with_value(old: ValueDoc, value: Located, marks: Marks) -> ValueDoc:
    """New data for a constant; of a map or of values by number of players only the keys named."""
    over = marks_over(marks, old.marks)
    if not isinstance(value, Mapping):
        return replace(old, value=value, by_players=None, marks=over)
    by_players = value.get("by players")
    if isinstance(by_players, Mapping):
        return replace(old, value=None, by_players=merged(old.by_players, by_players), marks=over)
    base = old.value if isinstance(old.value, Mapping) else None
    return replace(old, value=merged(base, value), by_players=None, marks=over)


def with_previous(formula: Expr, old: Expr) -> Expr:
    return rewrite(formula, lambda n: old if isinstance(n, Name) and n.id == "previous" else None)


def performs_previous(rules: tuple[Stmt, ...], effect: str, params: tuple[str, ...]) -> tuple[Stmt, ...]:
    """`perform previous` performs the old effect with what was handed to the new one; `perform previous(x)` with something else."""

    def change(node: Node) -> Node | None:
        if isinstance(node, Perform) and isinstance(node.what, Name) and node.what.id == "previous":
            name = Name(effect, span=node.what.span)
            given = tuple(Name(p, span=node.what.span) for p in params)
            return replace(node, what=CallOf(name, given, span=node.what.span) if given else name)
        if isinstance(node, Name) and node.id == "previous":
            return replace(node, id=effect)
        return None

    return rewrite(rules, change)


def written(at: Scalar, text: str, value: str | int) -> Scalar:
    return Scalar(at.span, value, MappedText(text, at.mapped.source, (at.span.start,) * (len(text) + 1)))


def spliced(value: Scalar, old: str, bare: bool = False) -> Scalar:
    """The patch's text with an old text for the word `previous`; the old text stands, for messages, where that word stood."""
    text, offsets = "", list[int]()
    mapped, at = value.mapped, 0
    while at < len(mapped.text):
        found = mapped.text.find("previous", at)
        stop = len(mapped.text) if found < 0 else found
        text += mapped.text[at:stop]
        offsets.extend(mapped.offsets[at:stop])
        if found < 0:
            break
        inner = old if bare else f"({old})"
        text += inner
        offsets.extend([mapped.offsets[found]] * len(inner))
        at = found + len("previous")
    return Scalar(value.span, text, MappedText(text, mapped.source, (*offsets, mapped.offsets[-1])))


def joined_list(old: Located, value: Located, adds: bool) -> Sequence:
    items = listed(value)
    if adds:
        return Sequence(old.span, (*listed(old), *items))
    gone = {i.value for i in items if isinstance(i, Scalar)}
    return Sequence(old.span, tuple(i for i in listed(old) if not (isinstance(i, Scalar) and i.value in gone)))


def listed(node: Located) -> tuple[Located, ...]:
    return node.items if isinstance(node, Sequence) else (node,)


def is_switch(kind: TypeText) -> bool:
    """Whether an option's type is `true or false`."""
    return isinstance(kind.type, ChoiceType) and set(kind.type.words) == {"true", "false"}


def named_apart(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Steps that can stand together in a file: a text without a name is called `main` where it has company or clauses of its own."""
    if len(steps) == 1 and not steps[0].cite:
        return steps
    taken = {s.name for s in steps}
    named: list[Step] = []
    for step in steps:
        name, count = step.name or "main", 1
        while not step.name and name in taken:
            count += 1
            name = f"main_{count}"
        taken.add(name)
        named.append(replace(step, name=name))
    return tuple(named)
