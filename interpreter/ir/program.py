"""A whole program: code, layout, tables, and the names and places that people need.

One program is made for each player count, mode and set of options. It is immutable, holds no text of the language, and points
back to YAML through spans only. Lists are indexed by the ids that ops.py uses.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from interpreter.ir.ir_types import IrType
from interpreter.ir.ops import Expr, Stmt, Term
from interpreter.text.source import Span

Visibility = Literal["everyone", "owner", "nobody", "size"]


@dataclass(frozen=True, slots=True)
class Var:
    """State: `count` elements of `type`, from cell `base` of the row on (`base` counts from the beginning of the row).

    `initial` has one value per element: an int; a bit mask for a set; a tuple of ints for a sequence.
    Who sees element i follows from `visibility`; its owner is: `player` — player i // (count // players); `piece` — who owns the
    zone piece i // (count // pieces) of `piece_type` lies in, and nobody sees it while that zone hides the piece; `table` — nobody.
    `hidden` variables (bookkeeping of triggers and windows) are never shown.
    `domain` indexes Program.domains and says how a value is named, or is -1 for numbers; `keys` names the elements:
    `domains` of the index dimensions, outermost first (a field of players `workers for each size` has two).
    `truth`: its elements are true (1) or false (0), and no numbers.
    """

    address: str
    base: int
    count: int
    type: IrType
    initial: tuple[int | tuple[int, ...], ...]
    visibility: Visibility = "everyone"
    owner: Literal["table", "player", "piece", "thing"] = "table"
    piece_type: int = -1
    hidden: bool = False
    domain: int = -1
    keys: tuple[int, ...] = ()
    span: Span | None = None
    truth: bool = False


@dataclass(frozen=True, slots=True)
class Domain:
    """A type with named values: `player`, an enum, the rows of a table, the pieces of a kind; or numbers, when `names` is empty.

    `ids` are what notation uses, unique within the domain; `names` are for people, same length.
    `design` gives, for pieces with copies, an equal number to copies of one row (else it equals the index).
    `first` is the number that index 0 stands for, where a key counts from another number (`for each 2..4`: 2).
    `tables` are the tables whose rows the members are, each with its members as a bit mask."""

    name: str
    ids: tuple[str, ...]
    names: tuple[str, ...]
    design: tuple[int, ...] = ()
    first: int = 0
    tables: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Zone:
    """A place pieces can lie in: a group, a deck, or one slot of a row. `owner` is a player or -1; `slot` counts from 1, 0 if none.
    `names` is the domain whose members name the slots of the row, or -1 where they are numbered."""

    address: str
    kind: Literal["box", "group", "deck", "slot"]
    owner: int
    slot: int
    visibility: Visibility
    names: int = -1


@dataclass(frozen=True, slots=True)
class PieceType:
    """A kind of piece: which variable holds where each lies (an index into `zones`), and the zones it can lie in; zone 0 is the box."""

    domain: int
    where: int
    zones: tuple[Zone, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Constants by index: printed columns, topology, folded functions. A set is a bit mask."""

    name: str
    type: IrType
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Func:
    """A pure function: its first `params` locals are the arguments; `locals` types all of them, query binders included."""

    address: str
    params: int
    locals: tuple[IrType, ...]
    result: IrType
    body: Expr
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """Straight code and one terminator. `spill` are the locals that live on in the frame while the terminator suspends or calls:
    liveness analysis fills it; `span` and `cite` say where it comes from."""

    id: int
    p: int
    stmts: tuple[Stmt, ...]
    term: Term
    spill: tuple[int, ...] = ()
    span: Span | None = None
    cite: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proc:
    """A procedure: an effect, a phase, a step with a seat of its own, the text of a table cell. Local 0 is the acting player.

    `slots[n]` is the offset of local n in the frame, or -1 if it never lives across a suspension; `frame` is the frame's size in
    cells, without the two cells of linkage (block to return to, frame of the caller). `depth` bounds how many may be under way (0: no
    bound needed)."""

    address: str
    params: int
    locals: tuple[IrType, ...]
    entry: int
    frame: int = 0
    slots: tuple[int, ...] = ()
    depth: int = 0
    span: Span | None = None
    cite: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckInfo:
    """Why a Check or Fail can fail: a sentence with holes like a Template, its place and clauses."""

    text: Template
    span: Span
    cite: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hole:
    """A value in a sentence: an expression over the locals where it stands, named by a domain (-1: number; a set lists its
    members). `many` and `one` are the noun behind a number, for more than one and for one."""

    value: Expr
    domain: int
    is_set: bool = False
    many: str = ""
    one: str = ""


@dataclass(frozen=True, slots=True)
class Template:
    """A sentence: literal parts and holes. In an event the holes are the Emit's arguments in order, behind the acting player."""

    parts: tuple[str | Hole, ...]

    @property
    def holes(self) -> tuple[Hole, ...]:
        """The holes in order."""
        return tuple(p for p in self.parts if isinstance(p, Hole))


@dataclass(frozen=True, slots=True)
class Decision:
    """What a Choose or Chance asks. `address` names it for messages, streams and tests; `prompt` is for people.

    `kind`: pick (an element of `domain`) · label (`labels[i]`, with `captions[i]` for people) · number.
    `reasons`, if there are any, say why an element is not offered: the first that it is not in the set chosen from, the others that a
    part of `where` does not hold, in the order of the parts.
    """

    address: str
    kind: Literal["pick", "label", "number"]
    domain: int
    labels: tuple[str, ...]
    captions: tuple[str, ...]
    prompt: Template | None
    span: Span
    cite: tuple[str, ...]
    reasons: tuple[CheckInfo, ...] = ()


@dataclass(frozen=True, slots=True)
class EventInfo:
    """A kind of event: its address, the sentence for people, who may see it, clauses and place.

    Argument 0 of its Emit is who acted (NOTHING: nobody). `visible` is everyone, or actor: only that player."""

    address: str
    template: Template
    visible: Literal["everyone", "actor"]
    span: Span
    cite: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Term_:
    """A scoring term: name for people, the function of a player, clauses."""

    name: str
    f: int
    cite: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase for status lines: its name and the procedures that belong to it directly."""

    name: str
    p: int


@dataclass(frozen=True, slots=True)
class Program:
    """Everything a machine needs. `row_cells` is the size of the row: header, streams, variables, frames, in this order.

    `players` seats, of which the last, `scripted`, act by script and are never asked; `entry` the procedure that runs set-up and play;
    `winners` a function without arguments giving a set of players (-1: none declared); `payoff` a function of a player (-1: none);
    `total` the sum of the terms, a function of a player (-1: none).
    `settings` are the options and mode it was made for. `definition_hash` identifies the resolved definition.
    `stack_cells` is the room for frames of one stack; the row has one stack for the game and, if anything forks, one a player.
    `places` is where arithmetic stands in the definition, for what is said where it goes wrong.
    `fields` are what an explanation or scenario can name."""

    game: str
    title: str
    version: str
    players: int
    settings: tuple[tuple[str, str], ...]
    definition_hash: str
    domains: tuple[Domain, ...]
    player_domain: int
    vars: tuple[Var, ...]
    piece_types: tuple[PieceType, ...]
    tables: tuple[Table, ...]
    funcs: tuple[Func, ...]
    procs: tuple[Proc, ...]
    blocks: tuple[Block, ...]
    checks: tuple[CheckInfo, ...]
    decisions: tuple[Decision, ...]
    events: tuple[EventInfo, ...]
    streams: tuple[str, ...]
    entry: int
    winners: int
    payoff: int
    total: int
    terms: tuple[Term_, ...]
    phases: tuple[Phase, ...]
    row_cells: int
    stack_cells: int
    forks: bool
    first_var: int = 0
    first_stack: int = 0
    scripted: tuple[int, ...] = ()
    reconstructed: tuple[str, ...] = ()
    show: object = None
    entries: dict[str, int] = field(default_factory=dict)
    places: tuple[Span, ...] = ()
