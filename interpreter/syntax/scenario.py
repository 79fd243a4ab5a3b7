"""Scenario cases: records of what a scenario file says, its rules and conditions as trees, all names still words.

`scenario_document.py` makes them; the compiler and the driver that runs cases read them. Nothing is computed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from interpreter.syntax.located import Mapping
from interpreter.syntax.nodes import Expr, Stmt
from interpreter.text.source import Source, Span

CheckKind = Literal[
    "holds", "offered", "not offered", "offered only", "events", "winners", "over", "player", "scores", "payoff"
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class EventWanted:
    """An event that must have been written: its sentence or address, and a clause it must cite (empty: any)."""

    words: str
    cite: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """One of the conditions that a test joins by `and`: the name of its function, and names and places of the sides that it compares."""

    name: str
    span: Span
    sides: tuple[tuple[str, Span], ...]


@dataclass(frozen=True, slots=True)
class Check:
    """Something that must hold. `holds`: the condition `name`, compiled with the game. The kinds about options, players, scores
    and payoffs have `words` (for the last two each is `player=number`), `events` has `events`, `over` has `wanted`."""

    kind: CheckKind
    span: Span
    words: tuple[str, ...] = ()
    name: str = ""
    condition: Expr | None = None
    parts: tuple[Part, ...] = ()
    events: tuple[EventWanted, ...] = ()
    wanted: bool = True


@dataclass(frozen=True, slots=True)
class Move:
    """Choices of one player in a row. `illegal`: the last one must be refused, citing these clauses (empty: any, None: it must be
    taken). `fault`: the game must stop there, saying this (None: it must not). `chance` are outcomes from here on."""

    span: Span
    player: str = ""
    choices: tuple[str, ...] = ()
    illegal: tuple[str, ...] | None = None
    fault: str | None = None
    chance: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Round:
    """Moves, and what must hold after them. `given` is the name of rules that run first (empty: none), `rules` are they."""

    given: str = ""
    rules: tuple[Stmt, ...] = ()
    chance: tuple[str, ...] = ()
    moves: tuple[Move, ...] = ()
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True, slots=True)
class Start:
    """Where a case begins: `kind` phase, step or effect, its name, who begins (empty: nobody in particular), arguments by name. An
    argument's first text is the name it is compiled under."""

    kind: Literal["phase", "step", "effect"]
    name: str
    player: str
    arguments: tuple[tuple[str, str, Expr], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Case:
    """One case. `number` is its own among all cases read together; `players` 0 means the game's fewest; `start` None: from the
    beginning of the game. `mods` are files beside the case's own that lie over the game, `patch` changes it for this case alone."""

    number: int
    name: str
    span: Span
    cite: tuple[str, ...]
    players: int
    options: tuple[tuple[str, str], ...]
    mode: str | None
    start: Start | None
    chance: tuple[str, ...]
    rounds: tuple[Round, ...]
    mods: tuple[str, ...] = ()
    patch: Mapping | None = None


@dataclass(frozen=True, slots=True)
class ScenarioFile:
    """The cases of one file, and the game they are about: an id, or a file beside it."""

    source: Source
    game: str
    game_span: Span
    cases: tuple[Case, ...]
