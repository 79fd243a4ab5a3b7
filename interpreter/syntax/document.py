"""Located YAML to a definition: every section read, every DSL text in it parsed, names still words.

In: the located tree of a game file (or of a patch's `add:`, which mirrors a file). Out: a `Definition`. The schema has reported keys that
do not exist and values of the wrong kind; here such things are passed over in silence, so that one mistake is told once. Told here are
mistakes inside DSL texts, names declared twice inside one text, and words of the language used as names. Table cells stay YAML: what
one may hold depends on its column, which only the model knows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeVar

from interpreter.syntax.definition import (
    Definition,
    GraphDoc,
    Marks,
    ModeDoc,
    ModifierDoc,
    OptionDoc,
    Routine,
    Row,
    SeatDoc,
    Step,
    TableDoc,
    TermDoc,
    TextDoc,
    TriggerDoc,
    ValueDoc,
)
from interpreter.syntax.expr_parser import (
    parse_cited_formula,
    parse_components,
    parse_formula,
    parse_functions,
    parse_graph,
    parse_modifier,
    parse_rules,
    parse_trigger,
    parse_type,
    reserved_words,
)
from interpreter.syntax.located import Entry, Located, Mapping, Scalar, Sequence
from interpreter.syntax.nodes import (
    After,
    ChoiceType,
    Decl,
    EnumDecl,
    Expr,
    Func,
    Param,
    Stmt,
    ThingDecl,
    TypeText,
    When,
)
from interpreter.text.diagnostic import Related, Sink, with_address
from interpreter.text.limits import PLAYERS
from interpreter.text.source import MappedText, Source, Span
from interpreter.text.yaml_words import NO_TEXT

_T = TypeVar("_T")

SECTIONS = frozenset(
    [
        "game",
        "title",
        "rules",
        "version",
        "players",
        "seats",
        "options",
        "values",
        "components",
        "graphs",
        "functions",
        "modifiers",
        "setup",
        "play",
        "phases",
        "effects",
        "triggers",
        "scoring",
        "winners",
        "payoff",
        "modes",
        "text",
        "show",
        "renamed",
    ]
)
_MARKS = frozenset(("cite", "data", "gap", "note"))
_PATCH = frozenset(("add", "change", "parts", "seats"))
_PLAYERS = re.compile(r"\s*([0-9]+)\s*(?:\.\.\s*([0-9]+)\s*)?")


def read_definition(source: Source, root: Located, sink: Sink) -> Definition | None:
    """The definition that a game file holds; None if it is no game at all."""
    if not isinstance(root, Mapping):
        sink.error("not-a-game", root.span, "a game is a mapping that begins with `game:`")
        return None
    return read_sections(source, root, sink)


def read_sections(source: Source, root: Mapping, sink: Sink) -> Definition:
    """The sections of a file, or of an `add:`; what is missing is empty."""
    return _Reader(source, sink).read(root)


def read_players(node: Located | None, sink: Sink) -> tuple[int, int] | None:
    """The fewest and the most who can play; None for anything else, which is told unless the schema has told it."""
    found = _PLAYERS.fullmatch(node.mapped.text) if isinstance(node, Scalar) else None
    if node is None or found is None:
        return None
    low = int(found[1])
    high = int(found[2] or low)
    if 1 <= low <= high <= PLAYERS.most:
        return low, high
    message, help = f"a game is for 1 to {PLAYERS.most} players", "write one number, or `2..5`"
    sink.error("bad-players", node.span, message, help=help)
    return None


def read_routine(name: str, span: Span, node: Located, address: str, sink: Sink) -> Routine:
    """An effect or a phase."""
    return _Reader(span.source, sink).routine(name, span, node, address)


def read_steps(node: Located, address: str, sink: Sink) -> tuple[Step, ...]:
    """Steps: one text, or a mapping of named texts."""
    return _Reader(node.span.source, sink).steps(node, address)


def read_seats(node: Located, sink: Sink) -> dict[str, SeatDoc]:
    """The seats that join by a patch."""
    return _Reader(node.span.source, sink).seats(node)


def read_cites(node: Located | None) -> tuple[str, ...]:
    """The clause ids of a `cite:` (or the gap ids of a `gap:`): one, or a list."""
    match node:
        case Scalar(value=str() as one):
            return (one,)
        case Sequence():
            return tuple(i.value for i in node.items if isinstance(i, Scalar) and isinstance(i.value, str))
    return ()


def read_marks(node: Mapping) -> Marks:
    """The marks that stand in a mapping."""
    return Marks(read_cites(node.get("cite")), _string(node.get("data")), read_cites(node.get("gap")))


def read_text(address: str, node: Scalar, sink: Sink) -> TextDoc:
    """A name or sentence with holes: `{me} hires {card}`; `{{` stands for a brace."""
    mapped, parts, literal, at = node.mapped, list[str | Expr](), "", 0
    text = mapped.text
    while at < len(text):
        if text.startswith(("{{", "}}"), at):
            literal, at = literal + text[at], at + 2
        elif text[at] == "{":
            end = text.find("}", at)
            if end < 0:
                sink.error(
                    "open-hole",
                    mapped.span(at, at + 1),
                    "this `{` is never closed",
                    help="write `}` behind the expression",
                )
                break
            if literal:
                parts.append(literal)
            hole = parse_formula(cut(mapped, at + 1, end), sink)
            parts.extend([hole] if hole is not None else [])
            literal, at = "", end + 1
        else:
            literal, at = literal + text[at], at + 1
    if literal:
        parts.append(literal)
    return TextDoc(address, node.span, tuple(parts))


def cut(mapped: MappedText, start: int, end: int) -> MappedText:
    """A part of a text, its places kept."""
    return MappedText(mapped.text[start:end], mapped.source, mapped.offsets[start : end + 1])


def _string(node: Located | None) -> str | None:
    return node.value if isinstance(node, Scalar) and isinstance(node.value, str) else None


def _whole(node: Located | None) -> int | None:
    found = node.value if isinstance(node, Scalar) else None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _too_low(node: Located | None) -> bool:
    """Whether the schema has told of a number of players."""
    number = _whole(node)
    return number is not None and number < 1


def _named(node: Located | None) -> Iterator[tuple[str, Entry]]:
    """The entries of a mapping by name."""
    if isinstance(node, Mapping):
        for entry in node.entries:
            yield str(entry.key), entry


def _only(node: Mapping, keys: frozenset[str]) -> Mapping | None:
    entries = tuple(e for e in node.entries if e.key in keys)
    return Mapping(node.span, entries) if entries else None


@dataclass(slots=True)
class _Reader:
    """Reads one source; remembers which names its texts have declared."""

    source: Source
    sink: Sink
    taken: dict[str, dict[str, Span]] = field(default_factory=dict)

    # -------------------------------------------------------------- texts
    def parse(self, parser: Callable[[MappedText, Sink], _T | None], node: Located | None, address: str) -> _T | None:
        """Parses the text of a scalar; what is wrong in it carries the address. Of nothing at all the schema has told."""
        if not isinstance(node, Scalar) or node.value is None:
            return None
        found = Sink()
        tree = parser(node.mapped, found)
        self.sink.extend(with_address(d, address) for d in found.diagnostics)
        return tree

    def rules(self, node: Located | None, address: str) -> tuple[Stmt, ...]:
        return self.parse(parse_rules, node, address) or ()

    def name_is_free(self, name: str, span: Span, kind: str) -> bool:
        """Reports a word of the language, or a second use of a name of one kind."""
        unquoted = span.text() == name
        if name in reserved_words() and not (unquoted and name in NO_TEXT):  # of those YAML's reader has told
            self.sink.error(
                "word-is-taken",
                span,
                f"`{name}` is a word of the language",
                label="taken",
                help=f"choose another name, for example `{name}_one`",
            )
        earlier = self.taken.setdefault(kind, {}).setdefault(name, span)
        if earlier is not span:
            self.sink.error(
                "duplicate-name",
                span,
                f"{kind} `{name}` is defined twice",
                label="second",
                help="remove one, or give it another name",
                related=(Related(earlier, "first"),),
            )
            return False
        return True

    def names(self, node: Located | None, kind: str) -> Iterator[tuple[str, Entry]]:
        """The entries of a section by name, names checked."""
        for name, entry in _named(node):
            if self.name_is_free(name, entry.key_span, kind):
                yield name, entry

    # -------------------------------------------------------------- sections
    def read(self, root: Mapping) -> Definition:
        players = root.get("players")
        return Definition(
            source=self.source,
            game=_string(root.get("game")) or "",
            title=_string(root.get("title")) or _string(root.get("game")) or "",
            rules=_whole(root.get("rules")) or 1,
            version=_string(root.get("version")) or "",
            players=read_players(players, Sink() if _too_low(players) else self.sink) or (1, 1),
            players_span=players.span if players else root.span,
            seats=self.seats(root.get("seats")),
            options={n: self.option(n, e) for n, e in self.names(root.get("options"), "option")},
            values={n: self.value(n, e) for n, e in self.names(root.get("values"), "value")},
            components=self.components(root.get("components")),
            graphs={n: self.graph(n, e) for n, e in self.names(root.get("graphs"), "graph")},
            tables={
                str(e.key): self.table(str(e.key), e)
                for e in root.entries
                if e.key not in SECTIONS
                and isinstance(e.value, Mapping)
                and self.name_is_free(str(e.key), e.key_span, "table")
            },
            functions=self.functions(root.get("functions"), "functions"),
            modifiers={n: m for n, e in _named(root.get("modifiers")) if (m := self.modifier(n, e)) is not None},
            setup=self.steps(root.get("setup"), "setup"),
            play=self.steps(root.get("play"), "play"),
            phases={
                n: self.routine(n, e.key_span, e.value, f"phases.{n}")
                for n, e in self.names(root.get("phases"), "phase")
            },
            effects={
                n: self.routine(n, e.key_span, e.value, f"effects.{n}")
                for n, e in self.names(root.get("effects"), "effect")
            },
            triggers={n: r for n, e in _named(root.get("triggers")) if (r := self.trigger(n, e)) is not None},
            scoring={
                n: t
                for n, e in _named(root.get("scoring"))
                if (t := self.term(n, e, "points", f"scoring.{n}")) is not None
            },
            winners=self.single_term(root, "winners"),
            payoff=self.single_term(root, "payoff"),
            modes={n: self.mode(n, e) for n, e in _named(root.get("modes")) if isinstance(e.value, Mapping)},
            texts=self.texts(root.get("text")),
            show=show if isinstance(show := root.get("show"), Mapping) and show.entries else None,
            renamed={str(e.key): to for _, e in _named(root.get("renamed")) if (to := _string(e.value)) is not None},
        )

    def seats(self, node: Located | None) -> dict[str, SeatDoc]:
        """Seats that act by script; the schema has reported any other kind."""
        return {n: SeatDoc(n, e.key_span) for n, e in self.names(node, "seat")}

    def option(self, name: str, entry: Entry) -> OptionDoc:
        body = entry.value if isinstance(entry.value, Mapping) else Mapping(entry.value.span, ())
        kind = self.parse(parse_type, body.get("type"), f"options.{name}")
        if kind is None:
            kind = TypeText(ChoiceType(("true", "false"), span=entry.key_span), span=entry.key_span)
        patch = _only(body, _PATCH)
        self.option_is_clear(name, entry, kind, patch is not None)
        return OptionDoc(name, entry.key_span, kind, body.get("default"), patch, read_cites(body.get("cite")))

    def option_is_clear(self, name: str, entry: Entry, kind: TypeText, patched: bool) -> None:
        """Reports an option without a default, and a patch whose option has more to say than whether it holds."""
        switch = isinstance(kind.type, ChoiceType) and set(kind.type.words) == {"true", "false"}
        if not isinstance(entry.value, Mapping) or entry.value.get("default") is None:
            self.sink.error(
                "missing-key",
                entry.key_span,
                "key `default` is missing",
                label="belongs here",
                help="say what holds when nobody chooses: `default: false`"
                if switch
                else "say what holds when nobody chooses",
                address=f"options.{name}",
            )
        if patched and not switch:
            self.sink.error(
                "patch-needs-switch",
                kind.span,
                f"option `{name}` changes rules, so it must be true or false",
                label="when would the patch be taken?",
                help="write `type: true or false`; more than two ways are several options, or modes",
                address=f"options.{name}",
            )

    def value(self, name: str, entry: Entry) -> ValueDoc:
        body = entry.value
        if not isinstance(body, Mapping):
            return ValueDoc(name, entry.key_span, body, None, Marks())
        by_players = body.get("by players")
        held = body.get("is") or body.get("list")
        given = [e for e in body.entries if e.key in ("by players", "is", "list")]
        if len(given) > 1:
            self.sink.error(
                "duplicate-key",
                given[1].key_span,
                f"value `{name}` is given twice",
                label="second",
                help="keep one of the two",
                related=(Related(given[0].key_span, "first"),),
                address=f"values.{name}",
            )
        marks = read_marks(body)
        if isinstance(by_players, Mapping):
            return ValueDoc(name, entry.key_span, None, by_players, marks)
        if held is None:
            rest = Mapping(body.span, tuple(e for e in body.entries if e.key not in _MARKS))
            return ValueDoc(name, entry.key_span, rest, None, marks)
        return ValueDoc(name, entry.key_span, held, None, marks)

    def components(self, node: Located | None) -> tuple[Decl, ...]:
        decls = self.parse(parse_components, node, "components") or ()
        for decl in decls:
            if isinstance(decl, EnumDecl | ThingDecl):
                self.name_is_free(decl.name, decl.span, "component")
            if isinstance(decl, EnumDecl):
                for member, span in zip(decl.members, decl.member_spans, strict=True):
                    self.name_is_free(member, span, f"{decl.name} value")
        return decls

    def graph(self, name: str, entry: Entry) -> GraphDoc:
        body, cite = entry.value, tuple[str, ...]()
        if isinstance(body, Mapping):
            cite, body = read_cites(body.get("cite")), body.get("lines") or body
        return GraphDoc(name, entry.key_span, self.parse(parse_graph, body, f"graphs.{name}") or (), cite)

    def table(self, name: str, entry: Entry) -> TableDoc:
        body = entry.value
        assert isinstance(body, Mapping)
        rows = tuple(
            self.row(e)
            for e in body.entries
            if e.key not in _MARKS and self.name_is_free(str(e.key), e.key_span, f"{name} row")
        )
        return TableDoc(name, entry.key_span, rows, read_marks(body))

    def row(self, entry: Entry) -> Row:
        body = entry.value if isinstance(entry.value, Mapping) else Mapping(entry.value.span, ())
        cells = tuple(e for e in body.entries if e.key not in _MARKS and e.key != "copies")
        return Row(str(entry.key), entry.key_span, cells, body.get("copies"), read_marks(body))

    def functions(self, node: Located | None, address: str) -> dict[str, Func]:
        found = self.parse(parse_functions, node, address) or ()
        return {f.name: f for f in found if self.name_is_free(f.name, f.name_span, "function")}

    def modifier(self, name: str, entry: Entry) -> ModifierDoc | None:
        body, cite = self.rule_of(entry.value, "rule")
        rule = self.parse(parse_modifier, body, f"modifiers.{name}")
        return ModifierDoc(name, entry.key_span, rule, cite) if rule else None

    def trigger(self, name: str, entry: Entry) -> TriggerDoc | None:
        body, cite = self.rule_of(entry.value, "rule")
        rule = self.parse(parse_trigger, body, f"triggers.{name}")
        depth = _whole(entry.value.get("depth")) if isinstance(entry.value, Mapping) else None
        return TriggerDoc(name, entry.key_span, rule, depth, cite) if isinstance(rule, When | After) else None

    def rule_of(self, node: Located, key: str) -> tuple[Located | None, tuple[str, ...]]:
        """A text, or the text under a key with the clauses beside it."""
        return (node.get(key), read_cites(node.get("cite"))) if isinstance(node, Mapping) else (node, ())

    def term(self, name: str, entry: Entry, key: str, address: str) -> TermDoc | None:
        body, cite = self.rule_of(entry.value, key)
        found = self.parse(parse_cited_formula, body, address)
        return (
            TermDoc(name, entry.key_span, found[0], (*cite, *(c for c in found[1] if c not in cite))) if found else None
        )

    def single_term(self, root: Mapping, name: str) -> TermDoc | None:
        entry = root.entry(name)
        return self.term(name, entry, "rule", name) if entry else None

    def mode(self, name: str, entry: Entry) -> ModeDoc:
        body = entry.value
        assert isinstance(body, Mapping)
        when = body.get("when")
        patch = _only(body, _PATCH) or Mapping(body.span, ())
        return ModeDoc(
            name, entry.key_span, when if isinstance(when, Mapping) else None, patch, read_cites(body.get("cite"))
        )

    def texts(self, node: Located | None) -> dict[str, TextDoc]:
        found: dict[str, TextDoc] = {}
        for address, entry in _named(node):
            if isinstance(entry.value, Scalar):
                told = Sink()
                found[address] = replace(read_text(address, entry.value, told), key_span=entry.key_span)
                self.sink.extend(with_address(d, f"text.{address}") for d in told.diagnostics)
        return found

    # -------------------------------------------------------------- routines
    def routine(self, name: str, span: Span, node: Located, address: str) -> Routine:
        if not isinstance(node, Mapping):
            return Routine(name, span, (), self.steps(node, address))
        params = tuple(p for n, e in _named(node.get("takes")) if (p := self.param(n, e, f"{address}.{n}")) is not None)
        cite = read_cites(node.get("cite"))
        return Routine(name, span, params, self.steps(node.get("do"), address), _whole(node.get("depth")), cite)

    def param(self, name: str, entry: Entry, address: str) -> Param | None:
        if name in reserved_words():
            self.sink.error(
                "word-is-taken", entry.key_span, f"`{name}` is a word of the language", help="choose another name"
            )
        kind = self.parse(parse_type, entry.value, address)
        return Param(name, kind.type, kind.default, span=entry.key_span) if kind else None

    def steps(self, node: Located | None, address: str) -> tuple[Step, ...]:
        if isinstance(node, Scalar):
            return (Step("", self.rules(node, address), (), node.span),)
        return tuple(self.step(n, e, f"{address}.{n}") for n, e in _named(node))

    def step(self, name: str, entry: Entry, address: str) -> Step:
        body, cite = self.rule_of(entry.value, "do")
        return Step(name, self.rules(body, address), cite, entry.key_span)
