"""A game definition as the file says it: sections parsed, names unresolved. `document.py` makes it, overlays patch it, `model` checks it.

Table cells stay located YAML: what a cell may hold depends on its column's type, which only the model knows.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from interpreter.overlays import ModUsed
from interpreter.syntax.located import Entry, Located, Mapping
from interpreter.syntax.nodes import Decl, Expr, Func, GraphLine, Modifier, Param, Stmt, TriggerNode, TypeText
from interpreter.text.source import Source, Span


@dataclass(frozen=True, slots=True)
class Marks:
    """What may stand beside any piece of data: clauses, gaps, and whether it is `stated`, `reconstructed` or
    `invented`."""

    cite: tuple[str, ...] = ()
    data: str | None = None
    gap: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """A named part of an effect or phase; the name is empty where the whole is one text."""

    name: str
    body: tuple[Stmt, ...]
    cite: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Routine:
    """An effect or a phase. `depth` is how many may be under way at once, if the author said so."""

    name: str
    span: Span
    params: tuple[Param, ...]
    steps: tuple[Step, ...]
    depth: int | None = None
    cite: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OptionDoc:
    """A declared switch of the game. `patch` holds its `add:`/`change:`, taken when the option is true."""

    name: str
    span: Span
    type: TypeText
    default: Located | None
    patch: Mapping | None
    cite: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModeDoc:
    """A declared patch that changes the game; `when` chooses it by itself (`players: 1`)."""

    name: str
    span: Span
    when: Mapping | None
    patch: Mapping
    cite: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ValueDoc:
    """A named constant. Just one of `value` and `by_players` is given."""

    name: str
    span: Span
    value: Located | None
    by_players: Mapping | None
    marks: Marks


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: its columns as they stand, without the keys `cite`, `data`, `gap`, `copies`."""

    id: str
    span: Span
    cells: tuple[Entry, ...]
    copies: Located | None
    marks: Marks


@dataclass(frozen=True, slots=True)
class TableDoc:
    """The rows of one table. `marks` hold for every row that does not say otherwise."""

    name: str
    span: Span
    rows: tuple[Row, ...]
    marks: Marks


@dataclass(frozen=True, slots=True)
class GraphDoc:
    """A graph's lines."""

    name: str
    span: Span
    lines: tuple[GraphLine, ...]
    cite: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TriggerDoc:
    """A trigger."""

    name: str
    span: Span
    rule: TriggerNode
    depth: int | None = None
    cite: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModifierDoc:
    """A modifier of a function."""

    name: str
    span: Span
    rule: Modifier
    cite: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SeatDoc:
    """A seat beside the players' own that acts by script: its id."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class TermDoc:
    """A named formula: a scoring term, the winners, the payoff."""

    name: str
    span: Span
    value: Expr
    cite: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TextDoc:
    """The name or log sentence of an address: literal parts and holes."""

    address: str
    span: Span
    parts: tuple[str | Expr, ...]
    key_span: Span | None = None


@dataclass(frozen=True, slots=True)
class Changed:
    """What one patch did at one address: the whole entry in the patch, its verb, and where the thing stood before (None: a section).
    `removes`: the thing is gone; `lessens`: members of it are."""

    patch: str
    address: str
    at: Span
    verb: Span
    old: Span | None
    removes: bool
    lessens: bool = False


@dataclass(frozen=True, slots=True)
class Merged:
    """How a definition came about from a base, by patches in order (each a name for messages and a body).

    `depends`: some patch asks for the number of players or for options, so that the base and the patches are merged again for each
    setting; the definition that holds this is then what is common to all."""

    base: Definition
    patches: tuple[tuple[str, Mapping], ...]
    mods: tuple[ModUsed, ...]
    depends: bool
    trace: tuple[Changed, ...]


@dataclass(frozen=True, slots=True)
class Definition:
    """A whole game file. Mappings keep the file's order. `merged` is there where mods had a part in it."""

    source: Source
    game: str
    title: str
    rules: int
    version: str
    players: tuple[int, int]
    players_span: Span
    seats: dict[str, SeatDoc] = field(default_factory=dict)
    options: dict[str, OptionDoc] = field(default_factory=dict)
    values: dict[str, ValueDoc] = field(default_factory=dict)
    components: tuple[Decl, ...] = ()
    graphs: dict[str, GraphDoc] = field(default_factory=dict)
    tables: dict[str, TableDoc] = field(default_factory=dict)
    functions: dict[str, Func] = field(default_factory=dict)
    modifiers: dict[str, ModifierDoc] = field(default_factory=dict)
    setup: tuple[Step, ...] = ()
    play: tuple[Step, ...] = ()
    phases: dict[str, Routine] = field(default_factory=dict)
    effects: dict[str, Routine] = field(default_factory=dict)
    triggers: dict[str, TriggerDoc] = field(default_factory=dict)
    scoring: dict[str, TermDoc] = field(default_factory=dict)
    winners: TermDoc | None = None
    payoff: TermDoc | None = None
    modes: dict[str, ModeDoc] = field(default_factory=dict)
    texts: dict[str, TextDoc] = field(default_factory=dict)
    show: Mapping | None = None
    renamed: dict[str, str] = field(default_factory=dict)
    merged: Merged | None = None
