"""Typed trees: what the checker makes of surface trees. Names are symbols, every expression has a type, and sugar is gone.

The trees still speak of fields, zones, rows and effects; where those lie in a row of cells is the next layer's business.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from interpreter.model.dsl_types import Type
from interpreter.text.source import Span

Visibility = Literal["everyone", "owner", "nobody", "size"]
QueryKind = Literal["any", "count", "filter", "first", "sum", "highest", "lowest"]


# ------------------------------------------------------------------ symbols
@dataclass(frozen=True, slots=True, eq=False)
class LocalSym:
    """A name bound in a rule: an argument, a `let`, a chosen thing, a query's binder, or the acting player (`me`)."""

    name: str
    type: Type
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class FieldSym:
    """State. `owner` is a domain number, or None for the table; `keys` are the map keys behind it; `type` is one element's.

    `low` and `high` are typed formulas over `this` for numbers (both None otherwise); `default` likewise, None: the least value."""

    address: str
    name: str
    owner: int | None
    keys: tuple[Type, ...]
    type: Type
    visibility: Visibility
    span: Span
    this: LocalSym | None
    gained_by: str | None = None
    paid_from: bool = False
    cite: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ZoneSym:
    """A declared zone: one for the table, or one for each member of `owner`. A row has `size` slots, numbered from 1 or, with `slot_key`,
    named by the members of a type."""

    address: str
    name: str
    owner: int | None
    kind: Literal["group", "deck", "row"]
    piece: int
    size: int
    visibility: Visibility
    span: Span
    refilled_from: str | None = None
    keys: tuple[Type, ...] = ()
    slot_key: Type | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ColumnSym:
    """A printed column. `values` has one entry for each member of the owner, map keys innermost: ints, or for a set a bit mask."""

    address: str
    name: str
    owner: int
    keys: tuple[Type, ...]
    type: Type
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class FuncSym:
    """A pure function; its body is looked up in the model by `name`. `uses_me`: the acting player is a hidden first argument."""

    name: str
    params: tuple[LocalSym, ...]
    result: Type
    uses_me: bool
    me: LocalSym
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class EffectSym:
    """An effect, a phase, a step or the text of a cell: something that is performed. Its body is looked up by `address`. `declared` are
    its parameters as the author wrote them; in `params` a map is taken apart into a number for each key."""

    address: str
    params: tuple[LocalSym, ...]
    me: LocalSym
    kind: Literal["effect", "phase", "step", "cell", "trigger", "entry"]
    span: Span
    cite: tuple[str, ...] = ()
    depth: int = 0
    quiet: bool = False
    declared: tuple[LocalSym, ...] = ()


# ------------------------------------------------------------------ expressions
@dataclass(frozen=True, slots=True)
class Const:
    """A number, truth value (0 or 1), or the index of a member."""

    type: Type
    value: int


@dataclass(frozen=True, slots=True)
class NothingConst:
    """Nothing, of the type it is needed as."""

    type: Type


@dataclass(frozen=True, slots=True)
class SetConst:
    """A constant set as a bit mask of indices."""

    type: Type
    mask: int


@dataclass(frozen=True, slots=True)
class LocalRef:
    """A local."""

    type: Type
    symbol: LocalSym


@dataclass(frozen=True, slots=True)
class FieldRef:
    """A field of `owner` (None: the table), at as many keys as are given; fewer than it has: a map of the rest."""

    type: Type
    symbol: FieldSym
    owner: Expr | None
    keys: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class ColumnRef:
    """A printed value."""

    type: Type
    symbol: ColumnSym
    owner: Expr
    keys: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class ZoneRef:
    """A zone, or with `slot` one slot of a row (whose value is the piece there or nothing). `given`: which zone is known only when
    the rule is carried out, from an argument."""

    type: Type
    symbol: ZoneSym | None  # None: the box of the piece's kind
    piece: int
    owner: Expr | None
    slot: Expr | None = None
    given: Expr | None = None


@dataclass(frozen=True, slots=True)
class EffectRef:
    """An effect as a value."""

    type: Type
    symbol: EffectSym


@dataclass(frozen=True, slots=True)
class Apply:
    """A pure function's result. `me` is given where the function uses it."""

    type: Type
    symbol: FuncSym
    args: tuple[Expr, ...]
    me: Expr | None


@dataclass(frozen=True, slots=True)
class FormulaApply:
    """The formula in a cell of `column` in row `owner`, called."""

    type: Type
    symbol: ColumnSym
    owner: Expr
    args: tuple[Expr, ...]
    me: Expr | None


@dataclass(frozen=True, slots=True)
class Op:
    """An operator of the machine (ir/ops.py, Unary and Binary) or `and`, `or`, `select`; `size` where a set or sequence results. `span` is
    where arithmetic stands."""

    type: Type
    op: str
    args: tuple[Expr, ...]
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Query:
    """any, count, filter, first, sum, highest, lowest over one binder; `span` is where a sum stands."""

    type: Type
    kind: QueryKind
    binder: LocalSym
    domain: Expr
    where: Expr | None
    value: Expr | None = None
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Key:
    """A key to sort or to choose the best by."""

    most: bool
    value: Expr


@dataclass(frozen=True, slots=True)
class Ranked:
    """The best of a set (`best`), or all of it in order (`sort`)."""

    type: Type
    kind: Literal["best", "sort"]
    binder: LocalSym
    domain: Expr
    keys: tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class GraphStep:
    """The neighbours of a place in a graph. `me` is who its conditions speak of."""

    type: Type
    graph: str
    place: Expr
    me: Expr | None


@dataclass(frozen=True, slots=True)
class GraphReach:
    """Ends of walks (ir/ops.py, Reach)."""

    type: Type
    graph: str
    start: Expr
    steps: Expr
    through: Expr
    me: Expr | None


@dataclass(frozen=True, slots=True)
class Bundle:
    """A map as a value: one number for each key, in the order of the keys. It is taken apart before anything is lowered."""

    type: Type
    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class ZoneNumber:
    """A zone as a value: an argument of a zone's type."""

    type: Type
    zone: ZoneRef


@dataclass(frozen=True, slots=True)
class Constants:
    """A constant table by index: `values` as in ColumnSym. `base` is the number the first entry stands for."""

    type: Type
    name: str
    values: tuple[int, ...]
    index: Expr
    base: int = 0


@dataclass(frozen=True, slots=True)
class Tagged:
    """`uses(e, f)`, `yields(e, field)`: whether effect value e is one of `effects`."""

    type: Type
    effect: Expr
    word: Literal["uses", "yields"]
    target: EffectSym | FieldSym


@dataclass(frozen=True, slots=True)
class During:
    """Whether effect `symbol` is under way."""

    type: Type
    symbol: EffectSym


@dataclass(frozen=True, slots=True)
class CanDo:
    """Whether an effect could be completed now."""

    type: Type
    call: PerformStmt


Expr = (
    Const
    | NothingConst
    | SetConst
    | LocalRef
    | FieldRef
    | ColumnRef
    | ZoneRef
    | EffectRef
    | Apply
    | FormulaApply
    | Op
    | Query
    | Ranked
    | GraphStep
    | GraphReach
    | Bundle
    | ZoneNumber
    | Constants
    | Tagged
    | During
    | CanDo
)


# ------------------------------------------------------------------ statements
@dataclass(frozen=True, slots=True)
class Origin:
    """Where a statement stands and what it carries out."""

    span: Span
    cite: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AssignStmt:
    """A field element, or a local, gets a value."""

    origin: Origin
    target: FieldRef | LocalRef
    value: Expr


@dataclass(frozen=True, slots=True)
class AddStmt:
    """Numbers grow or shrink. `fields` all change by `amount` (None: all there is of `source`): each of `plus` up, each of `minus`
    down. `mode`: exactly fails where it does not fit; up_to takes what fits. `routed` is an effect to call instead of raising."""

    origin: Origin
    amount: Expr | None
    mode: Literal["exactly", "up_to", "all"]
    minus: FieldRef | None
    plus: FieldRef | None
    word: str
    routed: EffectSym | None = None
    routed_key: Expr | None = None


@dataclass(frozen=True, slots=True)
class SpendStmt:
    """A payment from several places, unit by unit: the payer chooses the place of each. `places` is the set to choose from, `field`
    (with `keys`) the counter there."""

    origin: Origin
    amount: Expr
    field: FieldSym
    keys: tuple[Expr, ...]
    places: Expr
    place_type: Type
    payer: Expr


@dataclass(frozen=True, slots=True)
class MoveStmt:
    """A piece, or each piece of a set, goes to a zone."""

    origin: Origin
    what: Expr
    target: ZoneRef
    pile: Literal["top", "bottom"] | None


@dataclass(frozen=True, slots=True)
class OrderStmt:
    """A member goes to the end or the front of an order (or there if already in it)."""

    origin: Origin
    what: Expr
    target: FieldRef
    pile: Literal["top", "bottom"]


@dataclass(frozen=True, slots=True)
class LetStmt:
    """A local begins."""

    origin: Origin
    symbol: LocalSym
    value: Expr


@dataclass(frozen=True, slots=True)
class Reason:
    """What is said where something cannot be chosen: a sentence, the text it speaks of, and that text's clauses."""

    text: str
    span: Span
    cite: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChooseStmt:
    """One pick. With `amount` a set of that many is chosen: `each` is one element in `where`, `symbol` the set. `reasons`, where there
    are any: for the set chosen from, then for each part of `where`."""

    origin: Origin
    symbol: LocalSym
    domain: Expr
    where: Expr | None
    prompt: str | None
    amount: Expr | None = None
    up_to: bool = False
    each: LocalSym | None = None
    units: tuple[LocalSym, ...] = ()
    stock: tuple[Expr, ...] = ()
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class DrawStmt:
    """Chance picks; with `amount` a set (`each` is one element in `where` and `weight`)."""

    origin: Origin
    symbol: LocalSym
    domain: Expr
    where: Expr | None
    weight: Expr | None
    stream: str
    amount: Expr | None = None
    up_to: bool = False
    each: LocalSym | None = None


@dataclass(frozen=True, slots=True)
class DealStmt:
    """Pieces go from a deck, drawn by chance, to a zone; `amount` None: all."""

    origin: Origin
    amount: Expr | None
    up_to: bool
    source: ZoneRef
    target: ZoneRef


@dataclass(frozen=True, slots=True)
class PerformStmt:
    """An effect by name with its arguments, or (`symbol` None) an effect value."""

    origin: Origin
    symbol: EffectSym | None
    value: Expr | None
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class RequireStmt:
    """Fails where the condition is false."""

    origin: Origin
    condition: Expr


@dataclass(frozen=True, slots=True)
class EndStmt:
    """Leaves a turn, loop, effect, phase or the game."""

    origin: Origin
    what: Literal["turn", "loop", "effect", "phase", "game"]


@dataclass(frozen=True, slots=True)
class ForEachStmt:
    """For each element of `domain` (fixed at entry, already sorted) for which `where` holds when its turn comes."""

    origin: Origin
    symbol: LocalSym
    domain: Expr
    where: Expr | None
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class HaveStmt:
    """Each of `who` (a player, a player or nothing, a set, an order) acts as `me`; `commits`: each body is a compound action."""

    origin: Origin
    me: LocalSym
    who: Expr
    body: tuple[Stmt, ...]
    commits: bool


@dataclass(frozen=True, slots=True)
class MayStmt:
    """The actor may do it."""

    origin: Origin
    label: str
    prompt: str | None
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class RepeatStmt:
    """`amount` None: any number of times; `up_to`: the actor may stop before."""

    origin: Origin
    amount: Expr | None
    up_to: bool
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class WhileStmt:
    """As long as the condition holds."""

    origin: Origin
    condition: Expr
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class AtOnceStmt:
    """All players of a set act at the same time."""

    origin: Origin
    me: LocalSym
    who: Expr
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class WindowStmt:
    """At each choice of the body that starts an action, the options of `effect` stand beside; for `who`, or the actor alone."""

    origin: Origin
    effect: EffectSym
    who: Expr | None
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class AllocateStmt:
    """For each item in turn one place or none; the body carries it out."""

    origin: Origin
    item: LocalSym
    items: Expr
    place: LocalSym
    places: Expr
    where: Expr | None
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class TurnsStmt:
    """Players take turns in an order as it stands at each turn."""

    origin: Origin
    me: LocalSym
    order: Expr
    start: Expr | None
    condition: Expr | None
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class IfStmt:
    """Conditions in turn; `otherwise` may be empty."""

    origin: Origin
    branches: tuple[tuple[Expr, tuple[Stmt, ...]], ...]
    otherwise: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class OptionBody:
    """One branch of an `either`."""

    label: str
    prompt: str | None
    condition: Expr | None
    body: tuple[Stmt, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class EitherStmt:
    """The actor chooses a branch."""

    origin: Origin
    options: tuple[OptionBody, ...]


@dataclass(frozen=True, slots=True)
class TryStmt:
    """The first block where it can be completed, else the second."""

    origin: Origin
    body: tuple[Stmt, ...]
    otherwise: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class LogStmt:
    """A log sentence, placed by the checker where its last hole is bound."""

    origin: Origin
    address: str
    parts: tuple[str | Expr, ...]


Stmt = (
    AssignStmt
    | AddStmt
    | SpendStmt
    | MoveStmt
    | OrderStmt
    | LetStmt
    | ChooseStmt
    | DrawStmt
    | DealStmt
    | PerformStmt
    | RequireStmt
    | EndStmt
    | ForEachStmt
    | HaveStmt
    | MayStmt
    | RepeatStmt
    | WhileStmt
    | AtOnceStmt
    | WindowStmt
    | AllocateStmt
    | TurnsStmt
    | IfStmt
    | EitherStmt
    | TryStmt
    | LogStmt
)


@dataclass(frozen=True, slots=True)
class Trigger:
    """`when` (condition, optional binder, `once`) or `after` (effect); the body is performed as effect `body`."""

    address: str
    kind: Literal["when", "after"]
    condition: Expr | None
    binder: LocalSym | None
    domain: Expr | None
    once: bool
    effect: EffectSym | None
    body: EffectSym
    params: tuple[LocalSym, ...] = ()
    me: LocalSym | None = None
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Adjustment:
    """A checked modifier of a number-valued function, in terms of that function's parameters."""

    address: str
    up: bool
    by: Expr
    bound: Expr | None
    at_most: bool
    condition: Expr | None


@dataclass(frozen=True, slots=True)
class Bounds:
    """Range formulas and first value of a field over its `this`; any may be None."""

    low: Expr | None
    high: Expr | None
    default: Expr | None
