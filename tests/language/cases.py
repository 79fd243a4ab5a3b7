"""Cases of the language: tiny definitions, one construct each, with what they offer and what comes of it.

A file holds `cases`, and `base`: sections that all of its cases share (a case's own section of the same name replaces it, an empty
one takes it away). A case has `name`; sections of a definition; perhaps `seats` (how many play), `with` (options), `mode`; `script`;
and `xfail` with a reason while it does not work. Instead of a script it may have `says`: codes of the findings that `validate` has, and
with them `told`: texts that must occur in their messages and help, in this order.

Lines of a script, each at the point that the line before led to:

    p1 of a b c takes b      asked is p1, offered is just this, in this order; b is taken
    p1 takes b               the same without looking at what is offered
    chance of a b takes a    the outcomes of a draw, in the order of the set
    asks p1 p2               just these may act
    asked ADDRESS            what is asked
    holds EXPRESSION         it is true here
    events a b               what the log says of the last action, by address
    over                     the game is over
    faults p1 takes b        the rules cannot go on where b is offered or taken
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from interpreter.machine.action import CHANCE
from interpreter.machine.faults import RuleFault
from interpreter.machine.reference import Reference
from interpreter.machine.state import Machine, RowState
from interpreter.model.checker import Extras
from interpreter.model.game_model import Config
from interpreter.stages import check_one, compile_model, mode_of, option_values, read
from interpreter.syntax import nodes as syn
from interpreter.syntax.definition import Definition
from interpreter.syntax.expr_parser import parse_formula
from interpreter.text.diagnostic import Sink
from interpreter.text.source import MappedText, Source

HEADER = {"game": "tiny", "title": "Tiny", "rules": 1, "version": "1.0.0", "players": 2, "winners": "players"}
OWN = ("name", "script", "says", "told", "xfail", "seats", "with", "mode")


@dataclass(frozen=True)
class Case:
    """A case as its file has it. `sections` is the whole definition."""

    file: str
    name: str
    sections: dict[str, object]
    script: list[str] = field(default_factory=list)
    says: list[str] | None = None
    told: list[str] = field(default_factory=list)
    xfail: str = ""
    seats: int = 0
    options: dict[str, str] = field(default_factory=dict)
    mode: str | None = None


def cases_of(folder: Path) -> Iterator[Case]:
    """All cases of all files."""
    for path in sorted(folder.glob("*.yaml")):
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        for raw in document["cases"]:
            own = {k: v for k, v in raw.items() if k not in OWN}
            yield Case(
                path.stem,
                raw["name"],
                HEADER | {"play": "end game"} | document.get("base", {}) | own,
                raw.get("script", []),
                raw.get("says"),
                raw.get("told", []),
                raw.get("xfail", ""),
                raw.get("seats", 0),
                {k: str(v) for k, v in raw.get("with", {}).items()},
                raw.get("mode"),
            )


def marked(case: Case) -> object:
    """The case as a parameter."""
    marks = [pytest.mark.xfail(reason=case.xfail, strict=True)] if case.xfail else []
    return pytest.param(case, id=f"{case.file}: {case.name}", marks=marks)


# ---------------------------------------------------------------------- making
def text_of(sections: dict[str, object], depth: int = 0) -> str:
    """Sections as the text of a file: rules in blocks, tables and values in braces."""
    pad = "  " * depth
    lines = []
    for key, value in sections.items():
        if isinstance(value, dict) and value and depth < 3:
            lines.append(f"{pad}{key}:\n{text_of(value, depth + 1)}")
        elif isinstance(value, str) and " " in value:
            body = "".join(f"{pad}  {line}\n" for line in value.splitlines())
            lines.append(f"{pad}{key}: |\n{body}")
        elif value is not None:
            lines.append(f"{pad}{key}: {yaml.safe_dump(value, default_flow_style=True, width=10**6).splitlines()[0]}\n")
    return "".join(lines)


def definition_of(case: Case, path: Path, sink: Sink) -> Definition | None:
    """The case's definition, from a file."""
    path.write_text(text_of(case.sections), encoding="utf-8")
    return read(path, sink)


def config_of(case: Case, definition: Definition) -> Config:
    """How a case is played."""
    players = case.seats or definition.players[0]
    own = mode_of(definition, players, case.mode)
    return Config(players, option_values(definition, case.options), own.name if own is not None else None)


def conditions_of(case: Case) -> dict[str, syn.Expr]:
    """The expressions of a script, by line."""
    found = {}
    for k, line in enumerate(case.script):
        verb, _, rest = line.partition(" ")
        if verb == "holds":
            sink = Sink()
            node = parse_formula(MappedText(rest, Source("script", rest), tuple(range(len(rest) + 1))), sink)
            assert node is not None, f"{rest}: {messages(sink)}"
            found[f"line_{k}"] = node
    return found


def messages(sink: Sink) -> list[str]:
    """What was found, in short."""
    return [f"{d.code} at {d.span.position()}: {d.message}" for d in sink.diagnostics]


def machine_of(case: Case, path: Path) -> Machine:
    """The case, ready to run."""
    sink = Sink()
    definition = definition_of(case, path, sink)
    assert definition is not None
    assert not sink.diagnostics, messages(sink)
    config = config_of(case, definition)
    model = check_one(definition, config, sink, Extras({}, conditions_of(case)))
    assert model is not None, messages(sink)
    program = compile_model(model, "", sink)
    assert program is not None, messages(sink)
    return Machine(Reference(program))


# ---------------------------------------------------------------------- playing
def play(case: Case, machine: Machine) -> None:
    """Goes through the script."""
    program = machine.program
    seats = program.domains[program.player_domain].ids
    state = machine.new(1)
    seen = 0
    for k, line in enumerate(case.script):
        where = f"line {k + 1}, `{line}`"
        verb, _, rest = line.partition(" ")
        match verb:
            case "over":
                assert state.is_over(), f"{where}: asked is {asked(state, seats)}"
            case "asks":
                assert [seats[p] for p in state.to_act()] == rest.split(), f"{where}: asked is {asked(state, seats)}"
            case "asked":
                assert state.decision(state.to_act()[0]) == rest, f"{where}: {state.decision(state.to_act()[0])}"
            case "holds":
                f = next(i for i, g in enumerate(program.funcs) if g.address == f"functions.line_{k}")
                value = state.evaluate(f, *[0] * program.funcs[f].params)
                assert value == 1, f"{where} does not hold; {asked(state, seats)}"
            case "faults":
                who, _, choice = rest.partition(" ")
                with pytest.raises(RuleFault):
                    take(state, who, choice, seats, where)
            case "events":
                assert [program.events[e.kind].address for e in state.events(seen)] == rest.split(), where
            case _:
                seen = len(state.events())
                take(state, verb, rest, seats, where)


def take(state: RowState, who: str, rest: str, seats: tuple[str, ...], where: str) -> None:
    """A line with `takes`."""
    player = CHANCE if who == "chance" else seats.index(who)
    assert player in state.to_act(), f"{where}: asked is {asked(state, seats)}"
    offered, _, choice = rest.rpartition("takes ")
    legal = [a.text for a in state.legal(player)]
    if offered:
        assert legal == offered.removeprefix("of ").split(), f"{where}: offered is {' '.join(legal)}"
    assert choice in legal, f"{where}: offered is {' '.join(legal)}"
    state.apply(next(a for a in state.legal(player) if a.text == choice))


def asked(state: RowState, seats: tuple[str, ...]) -> str:
    """Who is asked what, for messages."""
    parts = []
    for p in state.to_act():
        name = "chance" if p == CHANCE else seats[p]
        parts.append(f"{name} of {' '.join(a.text for a in state.legal(p))} ({state.decision(p)})")
    return "; ".join(parts) or ("over" if state.is_over() else "nothing")
