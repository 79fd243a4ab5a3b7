"""The surface trees of the rules language, as the parser makes them: names are still words, nothing is typed.

Every node is frozen and carries the span of the text it came from; equality ignores spans, so trees of two spellings compare.
`cite` is the tuple of clause ids that stand at the end of a line.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from interpreter.text.source import Span, nowhere


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """What all nodes share: where they stand."""

    span: Span = field(default_factory=nowhere, compare=False, repr=False)


# ------------------------------------------------------------------ types
@dataclass(frozen=True, slots=True)
class NamedType(Node):
    """`track`, `player`, `purse`."""

    name: str


@dataclass(frozen=True, slots=True)
class RangeType(Node):
    """`0..9`, `1..limit(this)`. `low` is a number or the name of a value."""

    low: Expr
    high: Expr


@dataclass(frozen=True, slots=True)
class ChoiceType(Node):
    """`ready or spent`, `player or nothing`, `true or false`: the words in order."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EffectTypeNode(Node):
    """`effect` or `effect or nothing`."""

    optional: bool


@dataclass(frozen=True, slots=True)
class FormulaTypeNode(Node):
    """`formula(p: player)`."""

    params: tuple[Param, ...]


@dataclass(frozen=True, slots=True)
class SetTypeNode(Node):
    """`set of track`, `set of 2..5`; `key` is a NamedType or a RangeType."""

    key: NamedType | RangeType


@dataclass(frozen=True, slots=True)
class ZoneTypeNode(Node):
    """`order of player`, `group of card`, `deck of card`, `row of 7 card` (only a row has a size)."""

    kind: Literal["order", "group", "deck", "row"]
    name: str
    size: Expr | None = None


@dataclass(frozen=True, slots=True)
class MapTypeNode(Node):
    """`0..9 for each size`."""

    value: TypeNode
    key: NamedType | RangeType


TypeNode = (
    NamedType | RangeType | ChoiceType | EffectTypeNode | FormulaTypeNode | SetTypeNode | ZoneTypeNode | MapTypeNode
)


@dataclass(frozen=True, slots=True)
class Param(Node):
    """`p: player`, `n: 0..9 = 3`."""

    name: str
    type: TypeNode
    default: Expr | None = None


@dataclass(frozen=True, slots=True)
class TypeText(Node):
    """A type with its default, as `takes:` and `type:` hold it."""

    type: TypeNode
    default: Expr | None = None


# ------------------------------------------------------------------ components
@dataclass(frozen=True, slots=True)
class Trait(Node):
    """`seen by owner`, `gained by store`, `paid from purses(me)`, `refilled from discards`."""

    kind: Literal["seen", "gained", "paid", "refilled"]
    value: Expr


@dataclass(frozen=True, slots=True)
class Member(Node):
    """One line of a declaration: a printed column, or state."""

    printed: bool
    names: tuple[str, ...]
    type: TypeNode
    default: Expr | None = None
    traits: tuple[Trait, ...] = ()
    cite: tuple[str, ...] = ()
    name_spans: tuple[Span, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class EnumDecl(Node):
    """`track is one of brewery, church`."""

    name: str
    members: tuple[str, ...]
    cite: tuple[str, ...] = ()
    member_spans: tuple[Span, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ThingDecl(Node):
    """`seat is a thing:` or `card is a piece from cards, extras:`; `kind` is the word the author wrote."""

    name: str
    kind: str
    plural: str | None
    tables: tuple[str, ...]
    members: tuple[Member, ...]
    cite: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EachHas(Node):
    """`each player has:`, `each quest has:`."""

    name: str
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class TableHas(Node):
    """`the table has:`."""

    members: tuple[Member, ...]


Decl = EnumDecl | ThingDecl | EachHas | TableHas


# ------------------------------------------------------------------ graphs
@dataclass(frozen=True, slots=True)
class Edges(Node):
    """`a -- b, c while cond` (both ways) or `a -> b` (one way)."""

    start: str
    ends: tuple[str, ...]
    one_way: bool
    condition: Expr | None = None
    cite: tuple[str, ...] = ()
    end_spans: tuple[Span, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Grid(Node):
    """`grid 6 by 7 of cell with rising diagonals without a1, b2`; `diagonals` are those along which cells touch as well."""

    rows: int
    columns: int
    thing: str
    without: tuple[str, ...] = ()
    diagonals: Literal["none", "all", "rising", "falling"] = "none"
    cite: tuple[str, ...] = ()
    hole_spans: tuple[Span, ...] = field(default=(), compare=False, repr=False)


GraphLine = Edges | Grid


# ------------------------------------------------------------------ expressions
@dataclass(frozen=True, slots=True)
class Name(Node):
    """A bare word."""

    id: str


@dataclass(frozen=True, slots=True)
class Int(Node):
    """A number."""

    value: int


@dataclass(frozen=True, slots=True)
class Truth(Node):
    """`true` or `false`."""

    value: bool


@dataclass(frozen=True, slots=True)
class Nothing(Node):
    """`nothing`."""


@dataclass(frozen=True, slots=True)
class Me(Node):
    """`me`. `my soil` is `FieldOf(Me(), "soil")`."""


@dataclass(frozen=True, slots=True)
class This(Node):
    """`this`."""


@dataclass(frozen=True, slots=True)
class SetOf(Node):
    """`{a, b}`."""

    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class FieldOf(Node):
    """`n.soil` and `my soil`; `name_span` is the field's word alone."""

    base: Expr
    name: str
    name_span: Span = field(default_factory=nowhere, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class At(Node):
    """`F[k]`."""

    base: Expr
    index: Expr


@dataclass(frozen=True, slots=True)
class Named(Node):
    """`k is 2` among arguments."""

    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class CallOf(Node):
    """`f(a, k is 2)`."""

    function: Expr
    arguments: tuple[Expr | Named, ...]


@dataclass(frozen=True, slots=True)
class Negate(Node):
    """`-x`."""

    value: Expr


@dataclass(frozen=True, slots=True)
class Can(Node):
    """`can e(x)`."""

    effect: Expr


@dataclass(frozen=True, slots=True)
class Arith(Node):
    """`a + b` and the like."""

    op: Literal["+", "-", "*", "/", "mod"]
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class RangeOf(Node):
    """`a..b`."""

    low: Expr
    high: Expr


@dataclass(frozen=True, slots=True)
class Compare(Node):
    """`a = b` and the like."""

    op: Literal["=", "!=", "<", "<=", ">", ">="]
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class IsIn(Node):
    """`a in S`, `a not in S`."""

    negated: bool
    item: Expr
    group: Expr


@dataclass(frozen=True, slots=True)
class Not(Node):
    """`not c`."""

    value: Expr


@dataclass(frozen=True, slots=True)
class Logic(Node):
    """`a and b`, `a or b`."""

    op: Literal["and", "or"]
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class ElseValue(Node):
    """`x else y`."""

    value: Expr
    fallback: Expr


@dataclass(frozen=True, slots=True)
class IfElse(Node):
    """`if c then a otherwise b`."""

    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class Binder(Node):
    """`x in S`."""

    name: str
    domain: Expr


@dataclass(frozen=True, slots=True)
class Key(Node):
    """`most e`, `least e`."""

    most: bool
    value: Expr


@dataclass(frozen=True, slots=True)
class QuerySource(Node):
    """A whole set (`whole`), or binders with `where`, `with` (keep the best) and `by` (sort)."""

    whole: Expr | None
    binders: tuple[Binder, ...] = ()
    where: Expr | None = None
    best: tuple[Key, ...] = ()
    by: tuple[Key, ...] = ()


@dataclass(frozen=True, slots=True)
class Query(Node):
    """`number of S`, `any S`, `no S`, `first S`, `all S`, `only S favouring h`."""

    kind: Literal["number", "any", "no", "first", "all", "only"]
    source: QuerySource
    favouring: Expr | None = None


@dataclass(frozen=True, slots=True)
class Fold(Node):
    """`sum of e for S`, `highest of e for S`, `lowest of e for S`."""

    op: Literal["sum", "highest", "lowest"]
    value: Expr
    source: QuerySource


Expr = (
    Name
    | Int
    | Truth
    | Nothing
    | Me
    | This
    | SetOf
    | FieldOf
    | At
    | CallOf
    | Negate
    | Can
    | Arith
    | RangeOf
    | Compare
    | IsIn
    | Not
    | Logic
    | ElseValue
    | IfElse
    | Query
    | Fold
)


# ------------------------------------------------------------------ functions, triggers, modifiers
@dataclass(frozen=True, slots=True)
class Arm(Node):
    """`if c then e`."""

    condition: Expr
    value: Expr
    cite: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Func(Node):
    """`f(p: player) = e`; with arms, `body` is what stands behind `otherwise`. `name_span` is the name alone."""

    name: str
    params: tuple[Param, ...]
    result: TypeNode | None
    arms: tuple[Arm, ...]
    body: Expr
    cite: tuple[str, ...] = ()
    name_span: Span = field(default_factory=nowhere, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class When(Node):
    """`when c for each x in S once: …`."""

    condition: Expr
    binders: tuple[Binder, ...]
    once: bool
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class After(Node):
    """`after E(a, b) if c: …`."""

    effect: str
    params: tuple[str, ...]
    condition: Expr | None
    body: tuple[Stmt, ...]


TriggerNode = When | After


@dataclass(frozen=True, slots=True)
class Modifier(Node):
    """`raise f by e to at most m while c`."""

    up: bool
    function: str
    by: Expr
    bound: Key | None  # most=True: `to at most`, most=False: `to at least`
    condition: Expr | None
    cite: tuple[str, ...] = ()
    function_span: Span | None = field(default=None, compare=False, repr=False)


# ------------------------------------------------------------------ statements
@dataclass(frozen=True, slots=True)
class Amount(Node):
    """`2`, `up to 2`, `all` (then without value)."""

    kind: Literal["exactly", "up_to", "all"]
    value: Expr | None


@dataclass(frozen=True, slots=True)
class Unit(Node):
    """`coins`, `good[g]`."""

    name: str
    index: Expr | None = None


@dataclass(frozen=True, slots=True)
class Quantity(Node):
    """`2 coins`; without unit a piece, a set of pieces or a whole map."""

    amount: Amount
    unit: Unit | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement(Node):
    """What all statements share: the clauses cited on their line."""

    cite: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Gain(Statement):
    """`gain 2 coins and 1 ale`."""

    quantities: tuple[Quantity, ...]


@dataclass(frozen=True, slots=True)
class Pay(Statement):
    """`pay 2 coins from S to p`."""

    quantities: tuple[Quantity, ...]
    source: Expr | None = None
    target: Expr | None = None


@dataclass(frozen=True, slots=True)
class Put(Statement):
    """`put 1 soil on n`."""

    quantity: Quantity
    place: Expr


@dataclass(frozen=True, slots=True)
class Remove(Statement):
    """`remove 1 soil from n`."""

    quantity: Quantity
    place: Expr


@dataclass(frozen=True, slots=True)
class MoveCount(Statement):
    """`move 2 soil from a to b`."""

    quantity: Quantity
    source: Expr
    target: Expr


@dataclass(frozen=True, slots=True)
class MovePiece(Statement):
    """`move card to my crew`, `move x to top of D`."""

    what: Expr
    target: Expr
    pile: Literal["top", "bottom"] | None = None


@dataclass(frozen=True, slots=True)
class Assign(Statement):
    """`set F to e`."""

    target: Expr
    value: Expr


@dataclass(frozen=True, slots=True)
class Change(Statement):
    """`raise F by e`, `lower F by up to e`."""

    up: bool
    target: Expr
    by: Amount


@dataclass(frozen=True, slots=True)
class LetStmt(Statement):
    """`let x be e`."""

    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Pick(Node):
    """`card from market where c`, `up to 3 n from S`; `name_span` is the binder alone."""

    amount: Amount | None
    name: str
    domain: Expr
    where: Expr | None = None
    name_span: Span = field(default_factory=nowhere, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Choose(Statement):
    """`choose w from A, n from B where c asking "…"`."""

    picks: tuple[Pick, ...]
    asking: str | None = None
    asking_span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Draw(Statement):
    """`draw 2 x from Z where c weight e`."""

    amount: Amount | None
    name: str
    domain: Expr
    where: Expr | None = None
    weight: Expr | None = None


@dataclass(frozen=True, slots=True)
class Deal(Statement):
    """`deal up to 2 from D to Z`."""

    amount: Amount
    source: Expr
    target: Expr


@dataclass(frozen=True, slots=True)
class Perform(Statement):
    """`perform e(x)`, `perform n.action`."""

    what: Expr


@dataclass(frozen=True, slots=True)
class Require(Statement):
    """`require c`."""

    condition: Expr


@dataclass(frozen=True, slots=True)
class End(Statement):
    """`end turn`, `end loop`, `end effect`, `end phase`, `end game`."""

    what: str


@dataclass(frozen=True, slots=True)
class ForEach(Statement):
    """`for each x in S where c by most k: …`."""

    binder: Binder
    where: Expr | None
    by: tuple[Key, ...]
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Have(Statement):
    """`have P: …`."""

    who: Expr
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class May(Statement):
    """`may label "…": …`."""

    label: str
    prompt: str | None
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Repeat(Statement):
    """`repeat n times`, `repeat up to n times`, `repeat any number of times` (no amount)."""

    amount: Amount | None
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class RepeatWhile(Statement):
    """`repeat while c: …`."""

    condition: Expr
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class AtOnce(Statement):
    """`all at once among P: …`."""

    among: Expr | None
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Window(Statement):
    """`with E allowed for P: …`."""

    effect: Expr
    who: Expr | None
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Allocate(Statement):
    """`assign g from S to y from T where c: …`."""

    item: Binder
    place: Binder
    where: Expr | None
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Turns(Statement):
    """`take turns in L from p while c: …`."""

    order: Expr
    start: Expr | None
    condition: Expr | None
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Branch(Node):
    """One condition of an `if` with its block."""

    condition: Expr
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class If(Statement):
    """`if c: … otherwise if d: … otherwise: …`."""

    branches: tuple[Branch, ...]
    otherwise: tuple[Stmt, ...] | None = None


@dataclass(frozen=True, slots=True)
class Option(Node):
    """One branch of `either`."""

    label: str
    prompt: str | None
    condition: Expr | None
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Either(Statement):
    """`either a "…" if c: … or b: …`."""

    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Try(Statement):
    """`try: … otherwise: …`."""

    body: tuple[Stmt, ...]
    otherwise: tuple[Stmt, ...] | None = None


Stmt = (
    Gain
    | Pay
    | Put
    | Remove
    | MoveCount
    | MovePiece
    | Assign
    | Change
    | LetStmt
    | Choose
    | Draw
    | Deal
    | Perform
    | Require
    | End
    | ForEach
    | Have
    | May
    | Repeat
    | RepeatWhile
    | AtOnce
    | Window
    | Allocate
    | Turns
    | If
    | Either
    | Try
)
