"""Scenario files: located YAML to cases, with their rules and conditions parsed and all names still words.

In: the located tree of a scenario file. Out: a `ScenarioFile`. The schema has told of keys that do not exist; here they are passed
over. What the words mean is known only together with a game: rules and conditions are compiled with its definition, choices are
looked up among what a position offers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

from interpreter.syntax.document import read_cites
from interpreter.syntax.expr_parser import parse_formula, parse_rules
from interpreter.syntax.file_kind import is_other
from interpreter.syntax.located import Located, Mapping, Scalar, Sequence
from interpreter.syntax.nodes import Compare, Expr, Logic
from interpreter.syntax.scenario import Case, Check, CheckKind, EventWanted, Move, Part, Round, ScenarioFile, Start
from interpreter.syntax.schema_check import check_schema
from interpreter.syntax.yaml_tree import load_yaml, read_source
from interpreter.text.diagnostic import Diagnostic, Sink

_CHECKS: tuple[CheckKind, ...] = (
    "player", "offered", "not offered", "offered only", "events", "winners", "over", "scores", "payoff",
)  # fmt: skip
_MOVE_KEYS = frozenset(("illegal", "fault", "chance"))


def read_scenarios(path: Path, sink: Sink, first: int = 0) -> ScenarioFile | None:
    """A scenario file, its cases numbered from `first`; None, with diagnostics, where it cannot be read."""
    source = read_source(path, sink)
    told = Sink()
    root = load_yaml(source, told) if source is not None else None
    sink.extend(_for_choices(d) for d in told.diagnostics)
    if source is None or root is None or is_other(root, "scenarios", "not-scenarios", sink):
        return None
    check_schema(root, "scenario", sink)
    if sink.has_errors or not isinstance(root, Mapping):
        return None
    game, cases = root.get("game"), root.get("cases")
    if not isinstance(game, Scalar) or not isinstance(cases, Sequence):
        return None
    mods = _words(root.get("with"))
    found = [
        _Reader(n, mods, sink).case(node) for n, node in enumerate(cases.items, first) if isinstance(node, Mapping)
    ]
    return ScenarioFile(source, str(game.value), game.span, tuple(found))


def _for_choices(found: Diagnostic) -> Diagnostic:
    """In a scenario a word like `no` is most often a choice (`"no"` declines a `may`), and a truth value is no choice."""
    if found.code != "surprising-truth":
        return found
    word = found.span.text()
    truth = "true" if word.lower() in ("yes", "y", "on", "true") else "false"
    return replace(
        found, help=f'where it is chosen, write `"{word.lower()}"` in quotes; for the value of an option, `{truth}`'
    )


def _word(node: Located | None) -> str:
    """A scalar as it is written; truth values as the language spells them."""
    match node:
        case Scalar(value=bool(truth)):
            return "true" if truth else "false"
        case Scalar(value=str() | int() as value):
            return str(value)
        case _:
            return ""


def _words(node: Located | None) -> tuple[str, ...]:
    """One word, or several."""
    match node:
        case Sequence(items=items):
            return tuple(_word(i) for i in items)
        case None:
            return ()
        case _:
            return (_word(node),)


def _items(node: Located | None) -> Iterator[Located]:
    if isinstance(node, Sequence):
        yield from node.items


class _Reader:
    """Reads one case; names of rules and conditions are `@case/part`, which no definition can have."""

    def __init__(self, number: int, mods: tuple[str, ...], sink: Sink) -> None:
        self.number = number
        self.mods = mods
        self.sink = sink
        self.parts = 0

    def name(self) -> str:
        self.parts += 1
        return f"@{self.number}/{self.parts}"

    def case(self, node: Mapping) -> Case:
        players, options = node.get("players"), node.get("options")
        own = self.round(node, with_chance=False)
        rounds = tuple(self.round(part) for part in _items(node.get("steps")) if isinstance(part, Mapping))
        at, own_with = node.get("at"), node.get("with")
        return Case(
            number=self.number,
            name=_word(node.get("name")),
            span=node.span,
            cite=read_cites(node.get("cite")),
            players=players.value if isinstance(players, Scalar) and isinstance(players.value, int) else 0,
            options=tuple((str(e.key), _word(e.value)) for e in options.entries)
            if isinstance(options, Mapping)
            else (),
            mode=_word(node.get("mode")) or None,
            start=self.start(at) if isinstance(at, Mapping) else None,
            chance=_words(node.get("chance")),
            rounds=(own, *rounds),
            mods=(*self.mods, *(() if isinstance(own_with, Mapping) else _words(own_with))),
            patch=own_with if isinstance(own_with, Mapping) else None,
        )

    def start(self, node: Mapping) -> Start | None:
        kinds: tuple[Literal["phase", "step", "effect"], ...] = ("phase", "step", "effect")
        named = [kind for kind in kinds if node.get(kind) is not None]
        if len(named) != 1:
            self.sink.error("wrong-form", node.span, "`at` names one phase, step or effect")
            return None
        arguments, given = [], node.get("with")
        for entry in given.entries if isinstance(given, Mapping) else ():
            formula = parse_formula(entry.value.mapped, self.sink) if isinstance(entry.value, Scalar) else None
            if formula is not None:
                arguments.append((self.name(), str(entry.key), formula))
        return Start(named[0], _word(node.get(named[0])), _word(node.get("player")), tuple(arguments), node.span)

    def round(self, node: Mapping, *, with_chance: bool = True) -> Round:
        given = node.get("given")
        rules = parse_rules(given.mapped, self.sink) if isinstance(given, Scalar) else None
        return Round(
            given=self.name() if rules else "",
            rules=rules or (),
            chance=_words(node.get("chance")) if with_chance else (),
            moves=tuple(self.move(m) for m in _items(node.get("when")) if isinstance(m, Mapping)),
            checks=tuple(check for c in _items(node.get("then")) for check in self.checks(c)),
        )

    def move(self, node: Mapping) -> Move:
        entries = [e for e in node.entries if e.key not in _MOVE_KEYS]
        if len(entries) > 1:
            self.sink.error("wrong-form", entries[1].key_span, "each item of `when` is about one player")
        illegal, fault = node.get("illegal"), node.get("fault")
        return Move(
            span=node.span,
            player=str(entries[0].key) if entries else "",
            choices=_words(entries[0].value) if entries else (),
            illegal=None if illegal is None else tuple(w for w in _words(illegal) if w != "true"),
            fault=None if fault is None else _word(fault).removeprefix("true"),
            chance=_words(node.get("chance")),
        )

    def checks(self, node: Located) -> Iterator[Check]:
        if isinstance(node, Scalar):
            condition = parse_formula(node.mapped, self.sink)
            if condition is not None:
                name = self.name()
                yield Check("holds", node.span, name=name, condition=condition, parts=tuple(_parts(name, condition)))
        if not isinstance(node, Mapping):
            return
        for kind in _CHECKS:
            value = node.get(kind)
            match kind, value:
                case _, None:
                    pass
                case "events", _:
                    yield Check("events", node.span, events=tuple(_event(e) for e in _items(value)))
                case "over", Scalar(value=wanted):
                    yield Check("over", node.span, wanted=bool(wanted))
                case "scores" | "payoff", Mapping(entries=entries):
                    yield Check(kind, node.span, tuple(f"{e.key}={_word(e.value)}" for e in entries))
                case _:
                    yield Check(kind, node.span, _words(value))


def _parts(name: str, node: Expr) -> Iterator[Part]:
    match node:
        case Logic(op="and", left=left, right=right):
            yield from _parts(name, left)
            yield from _parts(name, right)
        case Compare(left=left, right=right):
            at = node.span.start
            yield Part(f"{name}={at}", node.span, ((f"{name}<{at}", left.span), (f"{name}>{at}", right.span)))
        case _:
            yield Part(f"{name}={node.span.start}", node.span, ())


def _event(node: Located) -> EventWanted:
    if isinstance(node, Mapping):
        return EventWanted(_word(node.get("event")) or _word(node.get("text")), _word(node.get("cite")))
    return EventWanted(_word(node))
