"""The intermediate representation: expressions, statements and terminators as flat, final, frozen classes.

Letters used everywhere: b block id, p procedure id, f function id, t table id, v variable id, n local index.

Control flow that cannot suspend stays structured (`If`, `For`); only what contains a decision, a chance point or a call is made
of basic blocks. Expressions are pure: they read the row, locals and tables, and write nothing.

Design rule: no subclasses of concrete classes. A new need is a new attribute or a new sibling, so that a `match` over a union
stays complete.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

# ------------------------------------------------------------------ expressions


@dataclass(frozen=True, slots=True)
class Const:
    """A number."""

    value: int


@dataclass(frozen=True, slots=True)
class SetConst:
    """A constant set; bit k of `mask` says whether k is in it."""

    mask: int
    size: int


@dataclass(frozen=True, slots=True)
class SeqConst:
    """A constant sequence."""

    items: tuple[int, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Local:
    """Local number n of the running procedure or function."""

    n: int


@dataclass(frozen=True, slots=True)
class Load:
    """Element `index` (0..count-1) of variable v. An index out of range is a fault."""

    v: int
    index: Expr


@dataclass(frozen=True, slots=True)
class Lookup:
    """Element `index` of constant table t: a number, or a set where the table's type is a set."""

    t: int
    index: Expr


UnaryOp = Literal["neg", "not", "size", "length", "single", "items", "reverse", "first", "sole"]


@dataclass(frozen=True, slots=True)
class Unary:
    """neg: -a · not: 1 - a · size: elements in a set · length: of a sequence · single: the set of just a, empty where a is not in
    0..size-1 (`size` says how large the set type is) · items: a sequence as a set · reverse: of a sequence · first: the least element of
    a set or the first of a sequence, NOTHING if empty · sole: the element of a set that has just one, else NOTHING."""

    op: UnaryOp
    a: Expr
    size: int = 0


BinaryOp = Literal[
    "add",
    "sub",
    "mul",
    "checked_add",
    "checked_sub",
    "checked_mul",
    "div",
    "mod",
    "min",
    "max",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "union",
    "inter",
    "minus",
    "has",
    "seteq",
    "subset",
    "range",
    "nth",
    "place",
    "append",
    "prepend",
    "drop",
    "seqeq",
    "keep",
]


@dataclass(frozen=True, slots=True)
class Binary:
    """add sub mul: what they come to surely is a number (`LEAST_NUMBER` to `MOST_NUMBER`), as the verifier tests · checked_add
    checked_sub checked_mul: the same where that is not sure; a result that is no number is a fault · div (floor) mod (of floor): by 0 is
    a fault · min max · eq ne lt le gt ge: 1 or 0 · union inter minus of sets · has: a is a set, b an element; what is not in 0..size-1 of
    its type is in no set · seteq, subset (a within b), seqeq: 1 or 0 · range: the set of a..b (`size` says how large the set type is;
    numbers outside 0..size-1 are left out) · on a sequence a: nth: its element number b from 1, NOTHING past the end · place: position of
    b from 1, 0 if absent · append, prepend, drop: with b at the end, at the front (moved there if present), without b · keep: sequence a
    without what is not in set b. `at`: arithmetic stands at this number of Program.places, counted from 1; 0: nobody knows."""

    op: BinaryOp
    a: Expr
    b: Expr
    size: int = 0
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class And:
    """1 if all are 1, tested from the left; the rest is not evaluated."""

    parts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """1 if one is 1, tested from the left."""

    parts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Select:
    """`then` if the condition is 1, else `other`; only one of them is evaluated."""

    condition: Expr
    then: Expr
    other: Expr


@dataclass(frozen=True, slots=True)
class Fn:
    """Result of pure function f."""

    f: int
    args: tuple[Expr, ...]


QueryKind = Literal["any", "count", "filter", "first", "sum", "checked_sum", "highest", "lowest"]


@dataclass(frozen=True, slots=True)
class Query:
    """Goes through `domain` (a set in rising order, or a sequence in its order), with each element in local n.

    any: 1 if `where` holds for one · count · filter: the set of those for which it holds (`size`) · first: the first of them or
    NOTHING · sum, highest, lowest: of `value` over those (highest and lowest of none: NO_NUMBER) · checked_sum: a sum that may be no
    number, which is a fault; what it comes to on the way does not matter. `where` None means all.
    `at` is as in Binary, for sums.
    """

    kind: QueryKind
    n: int
    domain: Expr
    where: Expr | None
    value: Expr | None = None
    size: int = 0
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class BestKey:
    """A key to maximise (`most`) or minimise."""

    most: bool
    value: Expr


@dataclass(frozen=True, slots=True)
class Best:
    """Those elements of set `domain` (each tried in local n) whose keys, compared in turn, are best; a set."""

    n: int
    domain: Expr
    keys: tuple[BestKey, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Sort:
    """The elements of set or sequence `domain` as a sequence, best keys first; equal ones stay in their order."""

    n: int
    domain: Expr
    keys: tuple[BestKey, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Reach:
    """Ends of walks on a graph. `step` is the set of neighbours of the place in local n. A walk begins at `start`, has k steps for
    some k in set `steps`, and each of its steps leads into a member of set `through`; `start` itself is never an end."""

    n: int
    step: Expr
    start: Expr
    steps: Expr
    through: Expr
    size: int


@dataclass(frozen=True, slots=True)
class Probe:
    """1 if the compound action can be completed when the running procedure goes on at block b: on a copy of the row, depth first,
    some sequence of choices reaches a commit, a chance point or the end of the game. At a Choose the extras that need change nothing
    are tried first, then the elements in order, then the other extras. Where a way that is tried comes to a fault, the probe is one."""

    b: int


@dataclass(frozen=True, slots=True)
class Alike:
    """1 if calling procedure p for each element of set `items` (argument after `args`) on a copy of the row, once in rising and once
    in falling order, ends both times without a decision or failure and with equal rows: the order does not matter. A fault on the way is
    one here."""

    p: int
    args: tuple[Expr, ...]
    items: Expr


Expr = (
    Const
    | SetConst
    | SeqConst
    | Local
    | Load
    | Lookup
    | Unary
    | Binary
    | And
    | Or
    | Select
    | Fn
    | Query
    | Best
    | Sort
    | Reach
    | Probe
    | Alike
)

# ------------------------------------------------------------------ statements


@dataclass(frozen=True, slots=True)
class Store:
    """Element `index` of variable v becomes `value`. Out of the variable's range is an engine bug: lowering puts a Check before."""

    v: int
    index: Expr
    value: Expr


@dataclass(frozen=True, slots=True)
class Let:
    """Local n becomes `value`."""

    n: int
    value: Expr


@dataclass(frozen=True, slots=True)
class Check:
    """If the condition is 0 the compound action fails here; `why` is an index into Program.checks. Outside look-ahead that is a
    RuleFault."""

    condition: Expr
    why: int


@dataclass(frozen=True, slots=True)
class If:
    """Structured branch without suspension."""

    condition: Expr
    then: tuple[Stmt, ...]
    other: tuple[Stmt, ...] = ()


@dataclass(frozen=True, slots=True)
class For:
    """Local n takes each element of `domain` (fixed at entry; a set in rising order or a sequence in its order)."""

    n: int
    domain: Expr
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Emit:
    """Event number `event` of Program.events, with the values of its arguments (numbers or sets)."""

    event: int
    args: tuple[Expr, ...]


Stmt = Store | Let | Check | If | For | Emit

# ------------------------------------------------------------------ terminators


@dataclass(frozen=True, slots=True)
class Jump:
    """Go on at block b of the same procedure."""

    b: int


@dataclass(frozen=True, slots=True)
class Branch:
    """Two ways."""

    condition: Expr
    then: int
    other: int


@dataclass(frozen=True, slots=True)
class Switch:
    """Block number `value` of `blocks` (0-based); outside the list is an engine bug."""

    value: Expr
    blocks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Extra:
    """An option beside the domain of a Choose, such as `done`, or an effect allowed by a window: its label, its condition
    (None: always) and the block it leads to. `decision` indexes Program.decisions for its text, or is -1 for a plain label.
    `look` is as in Choose. `changes`: it must change the row (a free action that would leave the state as it was is not offered)."""

    label: str
    condition: Expr | None
    b: int
    look: Expr | None = None
    changes: bool = False


@dataclass(frozen=True, slots=True)
class Choose:
    """A seat decides. Offered are the elements x of set or sequence `domain` (each tried in local n) for which `where` holds and
    `look` holds (both see x in local n; None means always; `look` is usually Probe(b)), then the extras likewise. The choice stays in
    local n; the procedure goes on at block b, or at the extra's block. No option at all is a failure like a Check that does not
    hold. `quiet`: where the first extra is the only option it is taken and nobody is asked. `sure`: the domain is never empty here,
    and nothing behind can fail for want of another element. `decision` indexes Program.decisions."""

    player: Expr
    n: int
    domain: Expr
    where: Expr | None
    look: Expr | None
    b: int
    decision: int
    extras: tuple[Extra, ...] = ()
    quiet: bool = False
    sure: bool = False


@dataclass(frozen=True, slots=True)
class Chance:
    """Nature decides: x from set or sequence `domain` where `where` holds, with probability in proportion to `weight` (None: equal;
    negative weights count as 0). The outcome stays in local n. `stream` indexes Program.streams. No outcome at all is a failure.
    Reaching a Chance commits: look-ahead ends here. `decision` indexes Program.decisions. `sure`: there is an outcome, as has been
    tested on the way here."""

    n: int
    domain: Expr
    where: Expr | None
    weight: Expr | None
    b: int
    stream: int
    decision: int
    sure: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """Run procedure p with `args` in its first locals, then go on at block b."""

    p: int
    args: tuple[Expr, ...]
    b: int


@dataclass(frozen=True, slots=True)
class CallEffect:
    """Run the procedure whose id is the value of `effect` (one of `targets`), with `args`, then go on at block b."""

    effect: Expr
    args: tuple[Expr, ...]
    targets: tuple[int, ...]
    b: int


@dataclass(frozen=True, slots=True)
class Fork:
    """Simultaneous play: for each player in set `players`, procedure p runs in a frame stack of its own, with the player as first
    argument and `args` behind. When all have returned the procedure goes on at block b."""

    players: Expr
    p: int
    args: tuple[Expr, ...]
    b: int


@dataclass(frozen=True, slots=True)
class Commit:
    """The compound action is complete; go on at block b."""

    b: int


@dataclass(frozen=True, slots=True)
class Return:
    """Back to the caller."""


@dataclass(frozen=True, slots=True)
class Halt:
    """The game is over."""


@dataclass(frozen=True, slots=True)
class Fail:
    """The compound action fails here (see Check)."""

    why: int


Term = Jump | Branch | Switch | Choose | Chance | Call | CallEffect | Fork | Commit | Return | Halt | Fail
