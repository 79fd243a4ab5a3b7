"""Places that hold one rule of their own, or the lines of a graph: triggers, modifiers, graphs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar, cast

from interpreter.syntax.definition import Marks
from interpreter.syntax.expr_parser import parse_graph, parse_modifier, parse_trigger
from interpreter.syntax.located import Entry
from interpreter.syntax.nodes import After, Grid, Node, When
from interpreter.syntax.patch_kinds.base import Named

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Trigger(Named):
    """A trigger."""

    def verbs(self) -> tuple[str, ...]:
        return ("replace",)

    def replace(self, verb: Entry, marks: Marks) -> bool:
        rule = self.parse(parse_trigger, verb.value)
        if isinstance(rule, When | After):
            old = self.work.game.triggers[self.name]
            self.put(replace(old, rule=rule, cite=marks.cite, span=verb.value.span))
        return True


@dataclass(frozen=True, slots=True)
class Modifier(Named):
    """A modifier of a function."""

    def verbs(self) -> tuple[str, ...]:
        return ("replace",)

    def replace(self, verb: Entry, marks: Marks) -> bool:
        rule = self.parse(parse_modifier, verb.value)
        if rule is not None:
            old = self.work.game.modifiers[self.name]
            self.put(replace(old, rule=rule, cite=marks.cite, span=verb.value.span))
        return True


@dataclass(frozen=True, slots=True)
class Graph(Named):
    """A graph, whose edges come and go."""

    def verbs(self) -> tuple[str, ...]:
        return "replace", "add", "remove"

    def replace(self, verb: Entry, marks: Marks) -> bool:
        lines = self.parse(parse_graph, verb.value)
        if lines is not None:
            self.put(replace(self.work.game.graphs[self.name], lines=lines, cite=marks.cite))
        return True

    def join(self, verb: Entry) -> bool:
        lines = self.parse(parse_graph, verb.value)
        if lines is None:
            return True
        graph = self.work.game.graphs[self.name]
        if verb.key == "add":
            self.put(replace(graph, lines=(*graph.lines, *lines)))
            return True
        for line in lines:
            if isinstance(line, Grid):
                message = "only edges go from a graph one by one"
                self.error("patch-verb", line.span, message, "use `replace`: a grid can leave out places")
        self.put(replace(graph, lines=self.without_edges(graph.lines, lines)))
        return True

    def without_edges(self, old: tuple[_T, ...], gone: tuple[_T, ...]) -> tuple[_T, ...]:
        """The lines without the edges named; an edge that is not there is told."""
        wanted = {(getattr(g, "start", ""), end): g for g in gone for end in getattr(g, "ends", ())}
        missed = dict(wanted)
        kept: list[_T] = []
        for item in old:
            start, ends = getattr(item, "start", ""), getattr(item, "ends", ())
            left = []
            for end in ends:
                both = ((start, end), (end, start)) if not getattr(item, "one_way", False) else ((start, end),)
                hit = next((pair for pair in both if pair in wanted), None)
                if hit is None:
                    left.append(end)
                else:
                    missed.pop(hit, None)
            if len(left) == len(ends):
                kept.append(item)
            elif left:
                changes: dict[str, object] = {"ends": tuple(left), "end_spans": ()}
                kept.append(replace(item, **changes))  # type: ignore[type-var]  # a line of edges
        for (start, end), line in missed.items():
            self.error("patch-misses", cast(Node, line).span, f"there is no edge from `{start}` to `{end}`")
        return tuple(kept)
