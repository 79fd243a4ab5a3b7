"""Programs by hand, for tests of the layers that take a program.

`Build` gathers variables, functions, procedures and blocks and lays them out; locals that no `spill` mentions get no slot.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from interpreter.ir.ir_types import BOOL, IntT, IrType, cells
from interpreter.ir.ops import Binary, BinaryOp, Const, Expr, Load, SetConst, Stmt, Store, Term
from interpreter.ir.program import (
    Block,
    CheckInfo,
    Decision,
    Domain,
    EventInfo,
    Func,
    Hole,
    PieceType,
    Proc,
    Program,
    Table,
    Template,
    Term_,
    Var,
)
from interpreter.ir.row import first_var, row_size
from interpreter.text.source import nowhere

SMALL = IntT(0, 9)


def op(name: BinaryOp, a: Expr | int, b: Expr | int, size: int = 0) -> Binary:
    """A binary operation; bare numbers are constants."""
    return Binary(name, lift(a), lift(b), size)


def lift(value: Expr | int) -> Expr:
    """A bare number as a constant."""
    return Const(value) if isinstance(value, int) else value


def full(size: int) -> SetConst:
    """The set of 0..size-1."""
    return SetConst((1 << size) - 1, size)


def add(v: int, amount: Expr | int, index: Expr | int = 0) -> Store:
    """Raise an element of a variable."""
    return Store(v, lift(index), op("add", Load(v, lift(index)), amount))


@dataclass
class Build:
    """A program in the making."""

    players: int = 2
    forks: bool = False
    stack_cells: int = 40
    streams: tuple[str, ...] = ()
    vars: list[Var] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    funcs: list[Func] = field(default_factory=list)
    procs: list[Proc] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    checks: list[CheckInfo] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    events: list[EventInfo] = field(default_factory=list)
    domains: list[Domain] = field(default_factory=list)
    pieces: list[PieceType] = field(default_factory=list)
    terms: list[Term_] = field(default_factory=list)

    def __post_init__(self) -> None:
        ids = tuple(f"p{n + 1}" for n in range(self.players))
        self.domains.append(Domain("player", ids, tuple(i.upper() for i in ids)))

    def var(
        self, name: str, kind: IrType = SMALL, count: int = 1, initial: int | tuple[int | tuple[int, ...], ...] = 0
    ) -> int:
        """A variable; `initial` is one number for all elements or a value each."""
        values = (initial,) * count if isinstance(initial, int) else initial
        self.vars.append(Var(name, 0, count, kind, values))
        return len(self.vars) - 1

    def domain(self, name: str, *ids: str) -> int:
        """A domain whose names are its ids in title case."""
        self.domains.append(Domain(name, ids, tuple(i.title() for i in ids)))
        return len(self.domains) - 1

    def table(self, *values: int, kind: IrType = SMALL) -> int:
        """A constant table."""
        self.tables.append(Table("table", kind, values))
        return len(self.tables) - 1

    def func(self, body: Expr, *kinds: IrType, params: int = 0, result: IrType = BOOL) -> int:
        """A pure function."""
        self.funcs.append(Func(f"f{len(self.funcs)}", params, kinds, result, body))
        return len(self.funcs) - 1

    def check(self, *parts: str | Hole) -> int:
        """A reason to fail."""
        self.checks.append(CheckInfo(Template(parts), nowhere(), ("CL-1",)))
        return len(self.checks) - 1

    def decision(
        self, address: str, domain: int = -1, labels: tuple[str, ...] = (), prompt: Template | None = None
    ) -> int:
        """Something to ask: labels if there are some, else elements of a domain, else numbers."""
        kind: Literal["pick", "label", "number"] = "label" if labels else "pick" if domain >= 0 else "number"
        self.decisions.append(Decision(address, kind, domain, labels, labels, prompt, nowhere(), ()))
        return len(self.decisions) - 1

    def event(self, *parts: str | Hole, visible: Literal["everyone", "actor"] = "everyone") -> int:
        """A kind of event."""
        self.events.append(EventInfo(f"e{len(self.events)}", Template(parts), visible, nowhere(), ()))
        return len(self.events) - 1

    def proc(self, *kinds: IrType, params: int = 0, depth: int = 0, address: str = "") -> int:
        """A procedure; its first block of all is its entry."""
        name = address or f"proc{len(self.procs)}"
        self.procs.append(Proc(name, params, kinds, -1, depth=depth))
        return len(self.procs) - 1

    def block(self, p: int, *stmts: Stmt, term: Term, spill: tuple[int, ...] = ()) -> int:
        """A block of procedure p."""
        b = len(self.blocks)
        self.blocks.append(Block(b, p, stmts, term, spill, nowhere()))
        proc = self.procs[p]
        slots = list(proc.slots or [-1] * len(proc.locals))
        frame = proc.frame
        for n in spill:
            if slots[n] < 0:
                slots[n] = frame
                frame += cells(proc.locals[n])
        entry = b if proc.entry < 0 else proc.entry
        self.procs[p] = replace(proc, entry=entry, slots=tuple(slots), frame=frame)
        return b

    def program(self, winners: int = -1, payoff: int = -1, total: int = -1) -> Program:
        """The whole; procedure 0 is the entry."""
        start = cell = first_var(self.players, len(self.streams))
        placed = []
        for var in self.vars:
            placed.append(replace(var, base=cell))
            cell += var.count * cells(var.type)
        procs = tuple(p if p.slots else replace(p, slots=(-1,) * len(p.locals)) for p in self.procs)
        return Program(
            game="small",
            title="Small",
            version="1.0.0",
            players=self.players,
            settings=(),
            definition_hash="0" * 16,
            domains=tuple(self.domains),
            player_domain=0,
            vars=tuple(placed),
            piece_types=tuple(self.pieces),
            tables=tuple(self.tables),
            funcs=tuple(self.funcs),
            procs=procs,
            blocks=tuple(self.blocks),
            checks=tuple(self.checks),
            decisions=tuple(self.decisions),
            events=tuple(self.events),
            streams=self.streams,
            entry=0,
            winners=winners,
            payoff=payoff,
            total=total,
            terms=tuple(self.terms),
            phases=(),
            row_cells=row_size(cell, self.stack_cells, self.players, self.forks),
            stack_cells=self.stack_cells,
            forks=self.forks,
            first_var=start,
            first_stack=cell,
        )


def members(mask: int) -> SetConst:
    """A constant set with room for its greatest member."""
    return SetConst(mask, mask.bit_length())
