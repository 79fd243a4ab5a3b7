"""An address, read once into a place of its kind.

In: the definition under work and an address. Out: the place; whether anything stands there, the place itself says.
"""

from __future__ import annotations

from dataclasses import replace

from interpreter.syntax.definition import Definition
from interpreter.syntax.patch_kinds.base import Place, Work
from interpreter.syntax.patch_kinds.components import Declaration, DeclaredField
from interpreter.syntax.patch_kinds.declared import Mode, Option, Players, Title
from interpreter.syntax.patch_kinds.either import EitherOption
from interpreter.syntax.patch_kinds.formulas import Function, Outcome, ScoringTerm
from interpreter.syntax.patch_kinds.routines import NamedStep, WholeRoutine
from interpreter.syntax.patch_kinds.rules import Graph, Modifier, Trigger
from interpreter.syntax.patch_kinds.shown import Sentence, Shown
from interpreter.syntax.patch_kinds.tables import Cell, Table, TableRow
from interpreter.syntax.patch_kinds.values import Value
from interpreter.text.diagnostic import Sink
from interpreter.text.source import Span


def place_at(work: Work, address: str) -> Place:
    """The place that an address leads to."""
    section, *rest = address.split(".")
    if section in work.game.tables:
        return _in_table(work, address, section, rest)
    match section, rest:
        case "title" | "players", []:
            return Title(work, address) if section == "title" else Players(work, address)
        case "values", [name]:
            return Value(work, address, section, name)
        case "functions", [name]:
            return Function(work, address, section, name)
        case "graphs", [name]:
            return Graph(work, address, section, name)
        case "modifiers", [name]:
            return Modifier(work, address, section, name)
        case "triggers", [name]:
            return Trigger(work, address, section, name)
        case "options", [name]:
            return Option(work, address, section, name)
        case "modes", [name]:
            return Mode(work, address, section, name)
        case "scoring", [name]:
            return ScoringTerm(work, address, name)
        case "winners" | "payoff", []:
            return Outcome(work, address)
        case "components", [name]:
            return Declaration(work, address, name)
        case "components", [name, field]:
            return DeclaredField(work, address, name, field)
        case "setup" | "play", []:
            return WholeRoutine(work, address, section, None)
        case "setup" | "play", [*names]:
            return _in_routine(WholeRoutine(work, section, section, None), address, names)
        case "phases" | "effects", [name]:
            return WholeRoutine(work, address, section, name)
        case "phases" | "effects", [name, *names]:
            return _in_routine(WholeRoutine(work, f"{section}.{name}", section, name), address, names)
        case "text", _:
            return Sentence(work, address, ".".join(rest))
        case "show", _:
            return Shown(work, address, tuple(rest))
    return Place(work, address)


def _in_table(work: Work, address: str, table: str, rest: list[str]) -> Place:
    match rest:
        case []:
            return Table(work, address, table)
        case [row]:
            return TableRow(work, address, table, row)
        case [row, column]:
            return Cell(work, address, table, row, column)
    return Place(work, address)


def _in_routine(whole: WholeRoutine, address: str, names: list[str]) -> Place:
    """A step, which comes first, or an option of an `either` in one step or in any."""
    work, section, name = whole.work, whole.section, whole.name
    step = NamedStep(work, address, section, name, ".".join(names))
    if step.is_there(()):
        return step
    option = EitherOption(work, address, section, name, ".".join(names[:-1]) or None, names[-1])
    return replace(option, address=option.it().address) if option.is_there(()) else option


def span_of(definition: Definition, address: str) -> Span | None:
    """Where the thing at an address stands; None for a whole section."""
    return place_at(Work(definition, Sink()), address).span()
