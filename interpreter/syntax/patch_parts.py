"""What patches do to single trees, values and marks: pure functions, used by the kinds of places (`patch_kinds/`).

In: a piece of a definition and what a patch says about it. Out: the new piece. Places are kept: what a patch writes lies in the patch.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeVar, cast

from interpreter.syntax.definition import Marks, Step, ValueDoc
from interpreter.syntax.located import Located, Mapping, Scalar, Sequence
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
from interpreter.text.source import MappedText, Span

_T = TypeVar("_T")
ALONE: Final = "main"
"""What a text without a name is called where steps join it."""


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


def marks_invented(marks: Marks, old: Marks, at: Span) -> Marks:
    """The marks of what stands whole in a mod, where the game says of its own data where they are from: it is in no rulebook."""
    if marks.data is not None or old.data is None or at.source.origin == "base":
        return marks
    return replace(marks, data="invented")


def merged(old: Mapping | None, new: Mapping | None) -> Mapping | None:
    """A mapping with the keys of another over its own."""
    if old is None or new is None:
        return new or old
    fresh = {e.key: e for e in new.entries}
    return Mapping(old.span, (*(fresh.pop(e.key, e) for e in old.entries), *fresh.values()))


def merged_through(old: Mapping | None, new: Mapping | None) -> Mapping | None:
    """The same for mappings in mappings: of each only the keys named change."""
    if old is None or new is None:
        return new or old
    both = {e.key: e.value for e in old.entries if isinstance(e.value, Mapping)}
    entries = []
    for e in new.entries:
        inner = merged_through(both.get(e.key), e.value) if isinstance(e.value, Mapping) else None
        entries.append(e if inner is None else replace(e, value=inner))
    return merged(old, replace(new, entries=tuple(entries)))


def put_in(old: Mapping, path: tuple[str, ...], value: Located | None) -> Mapping:
    """A mapping with a value at a path, or without what is there (None)."""
    key, rest = path[0], path[1:]
    inner = old.get(key)
    if rest and isinstance(inner, Mapping):
        value = put_in(inner, rest, value)
    elif rest:
        return old
    entries = [e if e.key != key else None if value is None else replace(e, value=value) for e in old.entries]
    return replace(old, entries=tuple(e for e in entries if e is not None))


def found_in(old: Located | None, path: tuple[str, ...]) -> Located | None:
    """What is at a path of keys."""
    for key in path:
        old = old.get(key) if isinstance(old, Mapping) else None
    return old


def with_value(old: ValueDoc, value: Located, marks: Marks) -> ValueDoc:
    """New data for a constant; of a map or of values by number of players only the keys named."""
    over = marks_over(marks, old.marks)
    if not isinstance(value, Mapping):
        own = marks_invented(replace(marks, cite=over.cite), old.marks, value.span)
        return replace(old, value=value, by_players=None, marks=own if own.data == "invented" else over)
    by_players = value.get("by players")
    if isinstance(by_players, Mapping):
        return replace(old, value=None, by_players=merged(old.by_players, by_players), marks=over)
    base = old.value if isinstance(old.value, Mapping) else None
    return replace(old, value=merged(base, value), by_players=None, marks=over)


def with_previous(formula: Expr, old: Expr) -> Expr:
    return rewrite(formula, lambda n: old if isinstance(n, Name) and n.id == "previous" else None)


def numbers_through(node: Located, formula: Expr, at: Span) -> Located | None:
    """A number, or each of a list or a mapping, put through a formula that stands at a place; None where something else is there."""
    if isinstance(node, Sequence):
        items = [numbers_through(i, formula, at) for i in node.items]
        return None if None in items else replace(node, items=tuple(i for i in items if i is not None))
    if isinstance(node, Mapping):
        values = [(e, numbers_through(e.value, formula, at)) for e in node.entries]
        if any(v is None for _, v in values):
            return None
        return replace(node, entries=tuple(replace(e, value=v) for e, v in values if v is not None))
    number = node.value if isinstance(node.value, int) else None
    result = None if number is None else folded_number(with_previous(formula, Int(number)))
    if result is None:
        return None
    text = str(result)
    return Scalar(at, result, MappedText(text, at.source, (at.start,) * (len(text) + 1)))


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


def performs_block(rules: _T, old: tuple[Stmt, ...]) -> _T:
    """The old block in the stead of each `perform previous`."""
    if isinstance(rules, tuple):
        items: list[object] = []
        for item in rules:
            if isinstance(item, Perform) and isinstance(item.what, Name) and item.what.id == "previous":
                # What is cited on the line is cited where the block begins.
                items += [replace(s, cite=together(s.cite, item.cite)) for s in old[:1]]
                items += old[1:]
            else:
                items.append(performs_block(item, old))
        return cast(_T, tuple(items))
    if not isinstance(rules, Node):
        return rules
    inner = {f.name: getattr(rules, f.name) for f in dataclasses.fields(rules)}
    new = {name: performs_block(part, old) for name, part in inner.items() if isinstance(part, Node | tuple)}
    return cast(_T, replace(rules, **new))  # type: ignore[arg-type]  # fields of the node's own class


def written(at: Scalar, text: str, value: str | int) -> Scalar:
    return Scalar(at.span, value, MappedText(text, at.mapped.source, (at.span.start,) * (len(text) + 1)))


def spliced(value: Scalar, tree: Expr | tuple[Stmt, ...], old: str, bare: bool = False) -> Scalar:
    """The patch's text, which a tree was made of, with an old text for the name `previous`; the old text stands, for messages, where that
    name stood."""
    mapped, offsets, text, at = value.mapped, list[int](), "", 0
    inner = old if bare else f"({old})"
    for found in sorted(mapped.offsets.index(span.start) for span in places_of_previous(tree)):
        text += mapped.text[at:found] + inner
        offsets += (*mapped.offsets[at:found], *(mapped.offsets[found],) * len(inner))
        at = found + len("previous")
    text += mapped.text[at:]
    return Scalar(value.span, text, MappedText(text, mapped.source, (*offsets, *mapped.offsets[at:])))


def places_of_previous(tree: Expr | tuple[Stmt, ...]) -> set[Span]:
    """Where a tree says the name `previous`; text in quotes and longer words do not."""
    found: set[Span] = set()

    def look(node: Node) -> None:
        if isinstance(node, Name) and node.id == "previous":
            found.add(node.span)

    rewrite(tree, look)
    return found


def joined_list(old: Located, value: Located, adds: bool) -> Sequence:
    items = listed(value)
    if adds:
        return Sequence(value.span if isinstance(old, Scalar) else old.span, (*listed(old), *items))
    gone = {i.value for i in items if isinstance(i, Scalar)}
    return Sequence(old.span, tuple(i for i in listed(old) if not (isinstance(i, Scalar) and i.value in gone)))


def listed(node: Located) -> tuple[Located, ...]:
    return node.items if isinstance(node, Sequence) else (node,)


def is_switch(kind: TypeText) -> bool:
    """Whether an option's type is `true or false`."""
    return isinstance(kind.type, ChoiceType) and set(kind.type.words) == {"true", "false"}


def named_apart(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Steps that can stand together in a file, in the same order: a text without a name is called `main` where it has company or clauses of
    its own."""
    if len(steps) == 1 and not steps[0].cite:
        return steps
    taken = {s.name for s in steps}
    named: list[Step] = []
    for step in steps:
        name, count = step.name or ALONE, 1
        while not step.name and name in taken:
            count += 1
            name = f"{ALONE}_{count}"
        taken.add(name)
        named.append(replace(step, name=name))
    return tuple(named)
