"""A definition as a map for explanations: every address with its place, its clauses and what it uses; graphs and tables as pictures.

In: a definition and the checked model of one configuration. Out: the plain records of text/places.py. Nothing is checked here. Fields,
functions, effects and graphs are followed exactly, through the model's symbols; values, options and rows, which the checker folds
into numbers, by the words of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Final

from interpreter.model import typed
from interpreter.model.game_model import Model, Topology
from interpreter.model.walk import parts
from interpreter.syntax import nodes as syn
from interpreter.syntax.definition import Definition, Marks, Routine, Row, Step, TableDoc
from interpreter.syntax.either_options import all_offered
from interpreter.syntax.formatter import format_option
from interpreter.syntax.located import Entry, Located, Mapping, Scalar, Sequence
from interpreter.text.places import Arc, Atlas, Citation, Picture, Place, Sheet
from interpreter.text.source import Span

_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_QUOTED: Final = re.compile(r'"[^"]*"|\[[A-Z][A-Z0-9]*-[^\]]*\]')
# Parts of a typed tree that say who or where, not what is used; symbols of the game are named where they occur.
_LEAVES: Final = (
    Span,
    typed.Origin,
    typed.LocalSym,
    typed.FieldSym,
    typed.ZoneSym,
    typed.ColumnSym,
    typed.EffectSym,
    typed.FuncSym,
)


# ------------------------------------------------------------------ citations
def citation(clause: str, span: Span) -> Citation:
    """Where the id itself stands: the first place from the beginning of a span on (or the span, if there is none)."""
    text = span.source.text
    found = re.compile(rf"(?<![\w-]){re.escape(clause)}(?![\w-])").search(text, span.start)
    return Citation(clause, Span(span.source, found.start(), found.end()) if found else span)


def _cited(part: object) -> Iterator[Citation]:
    """All clauses cited in a tree, in order."""
    if isinstance(part, tuple):
        for item in part:
            yield from _cited(item)
    elif isinstance(part, syn.Node):
        for clause in getattr(part, "cite", ()):
            yield citation(clause, part.span)
        for f in fields(part):
            if f.name != "cite":
                yield from _cited(getattr(part, f.name))


def _marked(marks: tuple[str, ...], span: Span) -> tuple[Citation, ...]:
    return tuple(citation(c, span) for c in marks)


# ------------------------------------------------------------------ the map
def addresses(definition: Definition, model: Model) -> Atlas:
    """All addresses of a definition, in the order of the file."""
    return Atlas(definition.game, definition.title, tuple(_Cartographer(definition, model).places()))


def citations(definition: Definition) -> Iterator[Citation]:
    """Every citation of a definition, the gaps that fill its data among them. Needs no model."""
    for place in _Cartographer(definition, None).places():
        yield from place.cite
        for gap in place.gap:
            yield citation(gap, place.span)


class _Cartographer:
    def __init__(self, definition: Definition, model: Model | None) -> None:
        self.doc = definition
        self.uses = _uses_of(model) if model is not None else {}
        self.bound = _bound_in(model) if model is not None else {}
        self.words = (
            {name: f"options.{name}" for name in definition.options}
            | {row.id: f"{table.name}.{row.id}" for table in definition.tables.values() for row in table.rows}
            | {name: f"values.{name}" for name in definition.values}
        )

    def place(
        self, address: str, kind: str, span: Span, cite: tuple[Citation, ...] = (), marks: Marks | None = None
    ) -> Place:
        """One address. What its text names is found in the words of its lines, as far as the model does not know better."""
        bare = Place(address, kind, span)
        used = dict.fromkeys(u for u in self.uses.get(address, ()) if not u.startswith(f"{address}."))
        if kind not in ("table", "option"):
            text = "\n".join(_QUOTED.sub(" ", line.partition(" # ")[0]) for line in bare.lines())
            own = address.rpartition(".")[2]
            hidden = {own, *self.bound.get(address, ())}
            named = (self.words[w] for w in _WORD.findall(text) if w in self.words and w not in hidden)
            used |= dict.fromkeys(named)
        cite = tuple({c.clause: c for c in reversed(cite)}.values())[::-1]
        marks = marks or Marks()
        return Place(address, kind, span, cite, tuple(used), marks.data, marks.gap)

    def places(self) -> Iterator[Place]:
        """In the order of the file, parts behind their whole."""
        found = [
            *self._declared(), *self._components(), *self._tables(), *self._rules(), *self._routines(), *self._options(),
            *self._end(), *self._shown(),
        ]  # fmt: skip
        # What mods bring stands behind what the file has.
        yield from sorted(found, key=lambda p: (p.span.source is not self.doc.source, p.span.source.name, p.span.start))

    def _declared(self) -> Iterator[Place]:
        yield self.place("players", "number of players", _line_of(self.doc.players_span))
        for option in self.doc.options.values():
            yield self.place(f"options.{option.name}", "option", option.span, _marked(option.cite, option.span))
        for mode in self.doc.modes.values():
            yield self.place(f"modes.{mode.name}", "mode", mode.span, _marked(mode.cite, mode.span))
        for value in self.doc.values.values():
            cite = _marked(value.marks.cite, value.span)
            yield self.place(f"values.{value.name}", "value", value.span, cite, value.marks)
        for graph in self.doc.graphs.values():
            cite = (*_marked(graph.cite, graph.span), *_cited(graph.lines))
            yield self.place(f"graphs.{graph.name}", "graph", graph.span, cite)

    def _components(self) -> Iterator[Place]:
        for decl in self.doc.components:
            match decl:
                case syn.EnumDecl():
                    yield self.place(f"components.{decl.name}", "type", decl.span, _marked(decl.cite, decl.span))
                    continue
                case syn.ThingDecl():
                    yield self.place(f"components.{decl.name}", "type", decl.span, _marked(decl.cite, decl.span))
                    owner = decl.name
                case syn.EachHas():
                    owner = decl.name
                case syn.TableHas():
                    owner = "table"
            for member in decl.members:
                spans = member.name_spans or (member.span,) * len(member.names)
                for name, span in zip(member.names, spans, strict=True):
                    kind = "column" if member.printed else "field"
                    if isinstance(member.type, syn.ZoneTypeNode) and member.type.kind != "order":
                        kind = "zone"
                    # The line begins before the name where several names or `printed` share it.
                    whole = member.span if span.position()[0] == member.span.position()[0] else span
                    yield self.place(f"components.{owner}.{name}", kind, whole, _marked(member.cite, member.span))

    def _tables(self) -> Iterator[Place]:
        for table in self.doc.tables.values():
            yield self.place(table.name, "table", table.span, _marked(table.marks.cite, table.span), table.marks)
            for row in table.rows:
                address = f"{table.name}.{row.id}"
                yield self.place(address, "row", row.span, _marked(row.marks.cite, row.span), _inherited(table, row))
                for cell in row.cells:
                    name = f"{address}.{cell.key}"
                    # What a cell with rules names is known; the words of all others count for their row.
                    place = self.place(name, "cell", cell.key_span) if name in self.uses else None
                    yield place or Place(name, "cell", cell.key_span)

    def _rules(self) -> Iterator[Place]:
        for func in self.doc.functions.values():
            yield self.place(f"functions.{func.name}", "function", func.span, tuple(_cited(func)))
        for modifier in self.doc.modifiers.values():
            cite = (*_marked(modifier.cite, modifier.span), *_cited(modifier.rule))
            yield self.place(f"modifiers.{modifier.name}", "modifier", modifier.span, cite)
        for trigger in self.doc.triggers.values():
            cite = (*_marked(trigger.cite, trigger.span), *_cited(trigger.rule))
            yield self.place(f"triggers.{trigger.name}", "trigger", trigger.span, cite)

    def _routines(self) -> Iterator[Place]:
        yield from self._steps("setup", self.doc.setup)
        yield from self._steps("play", self.doc.play)
        for kind, routines in (("phase", self.doc.phases), ("effect", self.doc.effects)):
            for routine in routines.values():
                yield from self._routine(kind, routine)

    def _routine(self, kind: str, routine: Routine) -> Iterator[Place]:
        address = f"{kind}s.{routine.name}"
        own = [
            c for step in routine.steps if not step.name for c in (*_marked(step.cite, step.span), *_cited(step.body))
        ]
        yield self.place(address, kind, routine.span, (*_marked(routine.cite, routine.span), *own))
        yield from self._steps(address, tuple(s for s in routine.steps if s.name))

    def _steps(self, address: str, steps: tuple[Step, ...]) -> Iterator[Place]:
        head = re.compile(rf"^{address}:", re.MULTILINE).search(self.doc.source.text) if "." not in address else None
        if head is not None and any(step.name for step in steps):
            yield self.place(address, "steps", Span(self.doc.source, head.start(), head.end() - 1))
        for step in steps:
            cite = (*_marked(step.cite, step.span), *_cited(step.body))
            span = step.span if step.name else _line_of(step.span)
            yield self.place(f"{address}.{step.name}" if step.name else address, "step", span, cite)

    def _options(self) -> Iterator[Place]:
        """The options of every `either`, which are told with the text that they stand in; only the words of their lines are theirs."""
        for one in all_offered(self.doc):
            span = one.span()
            # One that stands in the middle of a line has no lines of its own to show.
            now = format_option(one.option) if span == one.option.span else ""
            yield Place(one.address, "option of `either`", span, now=now)

    def _end(self) -> Iterator[Place]:
        for term in self.doc.scoring.values():
            yield self.place(f"scoring.{term.name}", "scoring term", term.span, _marked(term.cite, term.span))
        for name, single in (("winners", self.doc.winners), ("payoff", self.doc.payoff)):
            if single is not None:
                yield self.place(name, "formula", single.span, _marked(single.cite, single.span))

    def _shown(self) -> Iterator[Place]:
        for address, text in self.doc.texts.items():
            yield Place(f"text.{address}", "text", text.key_span or text.span)
        for entry in self.doc.show.entries if self.doc.show is not None else ():
            yield Place(f"show.{entry.key}", "drawing", entry.key_span)


def _inherited(table: TableDoc, row: Row) -> Marks:
    """A row's own word on its data, else the table's."""
    if row.marks.data is not None:
        return row.marks
    return Marks(row.marks.cite, table.marks.data, row.marks.gap or table.marks.gap)


def _line_of(span: Span) -> Span:
    """The line where a span begins, from its first word on."""
    row, column = span.position()
    text = span.source.line(row)
    return Span(span.source, span.start - column + 1 + len(text) - len(text.lstrip()), span.end)


# ------------------------------------------------------------------ what uses what
def _uses_of(model: Model) -> dict[str, tuple[str, ...]]:
    """For each address with rules of its own, the addresses those rules name, in order."""
    terms = {function: f"scoring.{name}" for name, function, _ in model.terms}
    terms |= {f: name for name, f in (("winners", model.winners), ("payoff", model.payoff)) if f is not None}
    found: dict[str, list[object]] = {}
    for symbol, body in model.code.items():
        found.setdefault(symbol.address, []).append(body)
    for function, value in model.bodies.items():
        found.setdefault(terms.get(function, f"functions.{function.name}"), []).append(value)
    for target, adjustments in model.adjustments.items():
        for adjustment in adjustments:
            trees = found.setdefault(adjustment.address, [])
            trees += [adjustment.by, adjustment.bound, adjustment.condition, model.functions.get(target)]
    for trigger in model.triggers:
        found.setdefault(trigger.address, []).extend((trigger.condition, trigger.domain, trigger.effect))
    for name, graph in model.graphs.items():
        found.setdefault(f"graphs.{name}", []).extend(condition for _, _, condition in graph.guarded)
    for field, bounds in model.bounds.items():
        found.setdefault(field.address, []).extend((bounds.low, bounds.high, bounds.default))
    return {a: tuple(dict.fromkeys(n for part in trees for n in _named(part, terms))) for a, trees in found.items()}


def _bound_in(model: Model) -> dict[str, set[str]]:
    """For each address with rules of its own, the names that those rules make: there they mean nothing else."""
    found: dict[str, set[str]] = {}
    for effect, body in model.code.items():
        made = found.setdefault(effect.address, set())
        made |= {p.name for p in effect.declared} | set(_made(body))
    for function, value in model.bodies.items():
        made = found.setdefault(f"functions.{function.name}", set())
        made |= {p.name for p in function.params} | set(_made(value))
    return found


def _made(tree: object) -> Iterator[str]:
    """The names that a typed tree binds."""
    for part in parts(tree):
        if not isinstance(part, typed.LocalRef):
            held = (getattr(part, name) for name in getattr(type(part), "__dataclass_fields__", ()))
            yield from (symbol.name for symbol in held if isinstance(symbol, typed.LocalSym))


def _named(part: object, terms: dict[typed.FuncSym, str]) -> Iterator[str]:
    """The addresses that a typed tree names; `terms` are the functions that stand elsewhere than under `functions`."""
    match part:
        case typed.FieldSym() | typed.ZoneSym() | typed.ColumnSym() | typed.EffectSym():
            yield part.address
        case typed.FuncSym():
            yield terms.get(part, f"functions.{part.name}")
        case typed.GraphStep(graph=graph) | typed.GraphReach(graph=graph):
            yield f"graphs.{graph}"
        case _:
            pass
    if isinstance(part, tuple):
        for item in part:
            yield from _named(item, terms)
    elif is_dataclass(part) and not isinstance(part, _LEAVES):
        for f in fields(part):
            if f.name not in ("type", "reasons"):
                yield from _named(getattr(part, f.name), terms)


# ------------------------------------------------------------------ graphs and tables
def pictures(definition: Definition, model: Model) -> tuple[Picture, ...]:
    """The graphs of a checked game."""
    found = []
    for name, graph in model.graphs.items():
        domain = model.domains[graph.domain]
        arcs = [Arc(start, end, one_way) for start, end, one_way in graph.edges]
        arcs += _guarded(definition, graph)
        found.append(Picture(name, domain.name, domain.ids, domain.names, tuple(arcs), graph.grid))
    return tuple(found)


def _guarded(definition: Definition, graph: Topology) -> Iterator[Arc]:
    """Edges under a condition, with its words; the model holds them in the order of the lines, both ways apart."""
    left = iter(graph.guarded)
    for line in definition.graphs[graph.name].lines:
        if isinstance(line, syn.Edges) and line.condition is not None:
            for _ in line.ends:
                start, end, _condition = next(left)
                if not line.one_way:
                    next(left)
                yield Arc(start, end, line.one_way, " ".join(line.condition.span.text().split()))


def sheets(definition: Definition) -> tuple[Sheet, ...]:
    """The tables as their author wrote them."""
    found = []
    for table in definition.tables.values():
        columns = tuple(dict.fromkeys(str(c.key) for row in table.rows for c in row.cells))
        marks = [_inherited(table, row) for row in table.rows]
        found.append(
            Sheet(
                table.name,
                columns,
                tuple(tuple(_cell(row.cells, column) for column in columns) for row in table.rows),
                tuple(row.id for row in table.rows),
                tuple(_title(definition, row.id) for row in table.rows),
                tuple(m.data or "" for m in marks),
                tuple(m.gap for m in marks),
            )
        )
    return tuple(found)


def _title(definition: Definition, id: str) -> str:
    text = definition.texts.get(id)
    if text is not None and all(isinstance(p, str) for p in text.parts):
        return "".join(str(p) for p in text.parts)
    return id.replace("_", " ").title()


def _cell(cells: tuple[Entry, ...], column: str) -> str:
    return next((_written(c.value) for c in cells if c.key == column), "")


def _written(node: Located) -> str:
    match node:
        case Scalar():
            return " ".join(node.mapped.text.split()) if node.value is not None else ""
        case Sequence():
            return ", ".join(_written(i) for i in node.items)
        case Mapping():
            return ", ".join(f"{e.key} {_written(e.value)}" for e in node.entries)
