"""The checked game for one configuration (player count, options, mode): what the checker fills in and the lowering reads.

`Model` is a record of finished tables; while it is being made, only the checker's own modules write to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from interpreter.model.dsl_types import Member, Num, SetOf, Type
from interpreter.model.typed import (
    Adjustment,
    Bounds,
    ColumnRef,
    ColumnSym,
    EffectSym,
    Expr,
    FieldSym,
    FuncSym,
    LocalSym,
    NothingConst,
    Op,
    Stmt,
    Trigger,
    ZoneSym,
)
from interpreter.syntax.definition import Definition
from interpreter.text.source import Span, nowhere

BUILTIN_NAMES: Final = ("players", "opponents", "player_count", "table", "box")
"""What stands alone in the rules of any game."""


@dataclass(frozen=True, slots=True)
class Config:
    """One way to play the game: how many players are asked (seats that act by script join them), option values (0 or 1, a number, or a
    member's id), and the mode."""

    players: int
    options: tuple[tuple[str, int | str], ...] = ()
    mode: str | None = None

    def label(self) -> str:
        """For messages: `4 players, tie_variant`."""
        extra = [name if value == 1 else f"{name}={value}" for name, value in self.options if value not in (0, "")]
        return ", ".join([f"{self.players} players", *([self.mode] if self.mode else []), *extra])


@dataclass(frozen=True, slots=True, eq=False)
class Domain:
    """A type with finitely many members. `design[i]` is the index of the first copy of member i's row; `copy[i]` counts from 1.
    `kind`: player, enum, choice (an enum made in place), thing, piece, line (members stand for sets of `line_of`), step
    (members stand for the pairs in `steps`)."""

    index: int
    name: str
    kind: str
    ids: tuple[str, ...]
    names: tuple[str, ...]
    design: tuple[int, ...]
    copy: tuple[int, ...]
    spans: tuple[Span, ...]
    tables: dict[str, int] = field(default_factory=dict)
    line_of: int = -1
    line_masks: tuple[int, ...] = ()
    steps: tuple[tuple[int, int], ...] = ()
    steps_of: int = -1
    span: Span = field(default_factory=nowhere)
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """How many members."""
        return len(self.ids)

    @property
    def full(self) -> int:
        """The set of all, as a mask."""
        return (1 << len(self.ids)) - 1


@dataclass(frozen=True, slots=True, eq=False)
class Topology:
    """A graph as tables: `static[i]` the neighbours of member i of the domain that no condition guards; `guarded` edges with theirs;
    `steps` all ways from a place to the next, guarded or not, in order."""

    name: str
    domain: int
    static: tuple[int, ...]
    guarded: tuple[tuple[int, int, Expr], ...]
    uses_me: bool
    me: LocalSym
    grid: tuple[int, int] | None
    edges: tuple[tuple[int, int, bool], ...]
    steps: tuple[tuple[int, int], ...]
    span: Span


@dataclass(slots=True)
class Model:
    """Everything the checker found out."""

    definition: Definition
    config: Config
    domains: list[Domain] = field(default_factory=list)
    fields: dict[tuple[int | None, str], FieldSym] = field(default_factory=dict)
    bounds: dict[FieldSym, Bounds] = field(default_factory=dict)
    zones: dict[tuple[int | None, str], ZoneSym] = field(default_factory=dict)
    zone_defaults: dict[ZoneSym, tuple[LocalSym, Expr] | None] = field(default_factory=dict)
    columns: dict[tuple[int, str], ColumnSym] = field(default_factory=dict)
    column_values: dict[ColumnSym, tuple[int, ...]] = field(default_factory=dict)
    cells: list[EffectSym] = field(default_factory=list)
    formulas: list[FuncSym] = field(default_factory=list)
    functions: dict[str, FuncSym] = field(default_factory=dict)
    bodies: dict[FuncSym, Expr] = field(default_factory=dict)
    adjustments: dict[str, list[Adjustment]] = field(default_factory=dict)
    sums: dict[FieldSym, FuncSym] = field(default_factory=dict)
    effects: dict[str, EffectSym] = field(default_factory=dict)
    code: dict[EffectSym, tuple[Stmt, ...]] = field(default_factory=dict)
    triggers: list[Trigger] = field(default_factory=list)
    graphs: dict[str, Topology] = field(default_factory=dict)
    terms: list[tuple[str, FuncSym, tuple[str, ...]]] = field(default_factory=list)
    total: FuncSym | None = None
    winners: FuncSym | None = None
    payoff: FuncSym | None = None
    probes: dict[str, FuncSym] = field(default_factory=dict)
    setup: EffectSym | None = None
    play: EffectSym | None = None
    phases: list[EffectSym] = field(default_factory=list)
    told_to_actor: set[int] = field(default_factory=set)
    """The identities of the log sentences that only who acts may read."""

    @property
    def seats(self) -> int:
        """How many sit at the table: the players that are asked, and behind them those that act by script."""
        return self.config.players + len(self.definition.seats)

    @property
    def scripted(self) -> tuple[int, ...]:
        """The seats that act by script."""
        return tuple(range(self.config.players, self.seats))

    def cells_of(self, value: Expr) -> tuple[EffectSym, ...]:
        """The cells whose rules an effect value may be: those of its column, or all where that cannot be told."""
        match value:
            case ColumnRef(symbol=symbol):
                return tuple(dict.fromkeys(self.cells[v] for v in self.column_values[symbol] if v >= 0))
            case Op(op="select" | "else", args=args):
                return tuple(dict.fromkeys(c for a in args[-2:] for c in self.cells_of(a)))
            case NothingConst():
                return ()
            case _:
                return tuple(self.cells)

    def domain_of(self, kind: Type) -> Domain | None:
        """The domain of a member type (also inside Maybe or a set)."""
        match kind:
            case Member(index):
                return self.domains[index]
            case SetOf(of=Member(index)):
                return self.domains[index]
            case _:
                inner = getattr(kind, "of", None)
                return self.domains[inner.domain] if isinstance(inner, Member) else None

    def size_of(self, kind: Type) -> int:
        """How many values a key or element type has; for numbers, how many from 0 to its highest."""
        match kind:
            case Member(index):
                return self.domains[index].size
            case Num(_, hi):
                return max(1, hi + 1)
            case _:
                return 1


def known_everywhere(model: Model) -> set[str]:
    """Names that mean something wherever they stand: state of the table, functions, values, options and tables."""
    doc = model.definition
    state = {name for owner, name in (*model.fields, *model.zones) if owner is None}
    tables = {t for d in model.domains for t in d.tables}
    return state | tables | {*doc.functions, *doc.values, *doc.options, *BUILTIN_NAMES}
