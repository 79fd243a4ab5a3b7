"""Random programs that verify, for comparing machines: every operation of ops.py, in games that go on for a while and end.

In: a seed. Out: a program, the same one for the same seed. What two machines may answer differently is not generated; see
random_exprs.py, and:

- An extra or element is offered with a `look` only where that is the probe of its block, or a formula that answers the same, or right
  behind a Commit, where no look-ahead comes.
- Rules fail where an earlier choice has looked ahead; elsewhere, and where an index goes past the end, right behind a Commit, so that
  it does not matter whether a look-ahead goes there. With `daring` they do so anywhere.
- Look-aheads are small: no budget is used up.

A procedure is made of steps, each a piece of control flow with one way in and one way out. `guarded` says of a place that on every way
there a choice has looked ahead since the last commit, so that it may fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final, Literal, TypeVar

from interpreter.ir.bounds import bounded
from interpreter.ir.frames import drop_unreached, live_locals, stack_room, thread_jumps
from interpreter.ir.ir_types import BOOL, INT32, NO_NUMBER, NOTHING, IntT, IrType, SeqT, SetT, cells
from interpreter.ir.look_ahead import look_ahead
from interpreter.ir.ops import (
    Alike,
    And,
    Best,
    Binary,
    Branch,
    Call,
    CallEffect,
    Chance,
    Check,
    Choose,
    Commit,
    Const,
    Emit,
    Expr,
    Extra,
    Fail,
    Fn,
    For,
    Fork,
    Halt,
    If,
    Jump,
    Let,
    Load,
    Local,
    Lookup,
    Or,
    Probe,
    Query,
    Reach,
    Return,
    Select,
    SeqConst,
    SetConst,
    Sort,
    Stmt,
    Store,
    Switch,
    Term,
    Unary,
)
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
    Visibility,
    Zone,
)
from interpreter.ir.row import LINK, first_var, row_size
from interpreter.ir.walk import free_locals
from interpreter.text.source import Source, Span
from tests.differential.random_exprs import Exprs, Many, Parts, Scope

T = TypeVar("T")
CLOCK: Final = 0
"""The variable that counts rounds; the game ends by it."""
SMALL: Final = IntT(0, 7)
"""The second parameter of an effect."""
MOST_WAYS: Final = 150
"""Leaves of one look-ahead, more or less."""
FEW: Final = 8
"""The largest domain of a choice that looks ahead."""
SOURCE: Final = Source("random", "." * 10_000)


@dataclass(slots=True)
class Made:
    """A procedure that can be called. `fallible`: it may fail before it commits. `commits`: it may commit. `plain`: it neither asks,
    draws nor commits. `tame`: it may run in simultaneous play. `ways`: leaves of its part of a look-ahead; `asks`: decisions."""

    p: int
    params: tuple[IrType, ...]
    fallible: bool
    commits: bool
    plain: bool
    tame: bool
    ways: int
    asks: int


@dataclass(slots=True)
class Maker:
    """One program in the making."""

    random: Random
    players: int
    scripted: tuple[int, ...]
    limit: int
    risky: bool
    daring: bool
    sizes: tuple[int, ...]
    lengths: tuple[int, ...]
    scale: float
    parts: Parts = field(default_factory=Parts)
    blocks: list[Block | None] = field(default_factory=list)
    procs: list[Proc | None] = field(default_factory=list)
    made: list[Made] = field(default_factory=list)
    checks: list[CheckInfo] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    events: list[EventInfo] = field(default_factory=list)
    domains: list[Domain] = field(default_factory=list)
    pieces: list[PieceType] = field(default_factory=list)
    streams: tuple[str, ...] = ()
    reserved: set[int] = field(default_factory=lambda: {CLOCK})
    """Variables that only what needs them changes."""
    endless: int = -1
    """A procedure that calls itself for good, if there is one."""
    deep: Made | None = None
    """One that calls itself as deep as its argument says, which may be more than its depth."""

    @property
    def askable(self) -> int:
        """How many seats can be asked."""
        return self.players - len(self.scripted)

    def span(self) -> Span:
        """A place of its own, so that stacks of faults can be told apart."""
        start = self.random.randrange(9_000)
        return Span(SOURCE, start, start + 5)

    # -------------------------------------------------------------- state and tables
    def declare(self) -> None:
        """Domains, pieces, variables and tables."""
        random = self.random
        ids = tuple(f"p{n + 1}" for n in range(self.players))
        self.domains.append(Domain("player", ids, tuple(i.upper() for i in ids)))
        things = tuple(f"thing{n}" for n in range(max(self.sizes)))
        self.domains.append(Domain("thing", things, tuple(t.title() for t in things)))
        self.domains.append(Domain("number", (), (), first=random.randrange(5)))
        self.var("clock", IntT(0, 99), 1, (0,))
        if random.random() < 0.7:
            self._pieces()
        kinds: list[IrType] = [BOOL, IntT(0, 9), IntT(NOTHING, self.players - 1), IntT(-5, 40), IntT(*INT32)]
        kinds += [IntT(NO_NUMBER, 20), SMALL]
        kinds += [SetT(size) for size in self.sizes] + [SeqT(length) for length in self.lengths]
        for i, kind in enumerate(kinds):
            count = random.choice([1, 1, self.players, random.randint(2, 6)])
            self.var(f"v{i}", kind, count, tuple(self._first(kind) for _ in range(count)))
        for size in self.sizes:
            graph = tuple(self._neighbours(size) for _ in range(size))
            self.parts.tables.append(Table(f"graph{size}", SetT(size), graph))
        for i in range(2):
            values = tuple(random.choice([random.randint(-9, 30), INT32[1], INT32[0]]) for _ in range(3 + 9 * i))
            kind = IntT(min(values), max(values))
            self.parts.tables.append(Table(f"numbers{i}", kind, values))
        self.parts.tables.append(Table("digits", IntT(0, 9), tuple(random.randint(0, 9) for _ in range(20))))
        self.streams = tuple(f"stream{n}" for n in range(random.randint(1, 3)))

    def _neighbours(self, size: int) -> int:
        return sum({1 << self.random.randrange(size) for _ in range(self.random.choice([0, 1, 2, 3]))})

    def var(self, name: str, kind: IrType, count: int, initial: tuple[int | tuple[int, ...], ...]) -> int:
        """A variable; who sees it is left to chance."""
        random = self.random
        owner: Literal["table", "player", "piece"] = "table"
        pieces = self.parts.vars[self.pieces[0].where].count if self.pieces else 0
        if count % self.players == 0 and random.random() < 0.6:
            owner = "player"
        elif pieces and count % pieces == 0:
            owner = "piece"
        seen: Visibility = random.choice(["everyone", "everyone", "owner", "nobody", "size"])
        piece_type = 0 if owner == "piece" else -1
        var = Var(name, 0, count, kind, initial, seen, owner, piece_type, random.random() < 0.1)
        self.parts.vars.append(var)
        return len(self.parts.vars) - 1

    def _pieces(self) -> None:
        seen: tuple[Visibility, ...] = ("everyone", "owner", "nobody", "size")
        zones = tuple(
            Zone(f"zone{z}", "group" if z else "box", self.random.randint(-1, self.players - 1), 0, seen[z % 4])
            for z in range(self.random.randint(2, 6))
        )
        count = self.random.randint(2, 6)
        first = tuple(self.random.randrange(len(zones)) for _ in range(count))
        where = self.var("where", IntT(0, len(zones) - 1), count, first)
        self.parts.vars[where] = replace(self.parts.vars[where], owner="table", piece_type=-1, hidden=False)
        self.pieces.append(PieceType(1, where, zones))

    def _first(self, kind: IrType) -> int | tuple[int, ...]:
        exprs = self.exprs(Scope())
        match kind:
            case IntT(lo, hi):
                return max(lo, min(hi, self.random.randint(-2, 9)))
            case SetT(size):
                return exprs.mask(size)
            case SeqT(size):
                return exprs.items(size)

    def exprs(self, scope: Scope) -> Exprs:
        """Expressions over a scope."""
        return Exprs(self.random, self.parts, scope, self.sizes, self.lengths, self.scale)

    # -------------------------------------------------------------- functions
    def functions(self) -> None:
        """Functions of every shape; each may call those before it."""
        kinds: list[IrType] = [BOOL, SMALL, IntT(-50, 200), IntT(*INT32)]
        kinds += [SetT(size) for size in self.sizes] + [SeqT(length) for length in self.lengths]
        for result in (BOOL, IntT(-20, 99), *self.random.sample(kinds, 6)):
            self._function(result, tuple(self.random.choice(kinds) for _ in range(self.random.randint(0, 3))))

    def _function(self, result: IrType, params: tuple[IrType, ...], address: str = "") -> int:
        scope = Scope(list(params), list(range(len(params))))
        exprs = self.exprs(scope)
        exprs.left = self.random.choice([5, 15, 30])
        body = exprs.value(result)
        f = len(self.parts.funcs)
        name = address or f"functions.f{f}"
        self.parts.funcs.append(Func(name, len(params), tuple(scope.types), result, body))
        self.parts.costs.append(exprs.spent + 2)
        return f

    # -------------------------------------------------------------- texts
    def check(self, holes: Sequence[Expr]) -> int:
        """A reason to fail, with values in its text."""
        parts: list[str | Hole] = [f"reason {len(self.checks)}"]
        for hole in holes:
            parts += [", ", Hole(hole, self.random.choice([-1, -1, 0, 1]))]
        self.checks.append(CheckInfo(Template(tuple(parts)), self.span(), (f"C-{len(self.checks)}",)))
        return len(self.checks) - 1

    def decision(self, size: int) -> int:
        """Something to ask, about elements 0..size-1."""
        number = len(self.decisions)
        prompt = Template((f"question {number}, ", Hole(Load(CLOCK, Const(0)), -1)))
        kind: Literal["pick", "label", "number"] = self.random.choice(["pick", "label", "number"])
        labels = tuple(f"way{k}" for k in range(size)) if kind == "label" else ()
        domain = {"pick": 1, "label": -1, "number": self.random.choice([-1, 2])}[kind]
        decision = Decision(
            f"d{number}", kind, domain, labels, (), self.random.choice([None, prompt]), self.span(), (f"D-{number}",)
        )
        self.decisions.append(decision)
        return number

    def event(self, sets: Sequence[bool]) -> int:
        """A kind of event with so many arguments behind the actor."""
        parts: list[str | Hole] = [f"event {len(self.events)}"]
        for is_set in sets:
            parts += [" ", Hole(Const(0), -1 if not is_set else 1, is_set)]
        visible: Literal["everyone", "actor"] = self.random.choice(["everyone", "actor"])
        self.events.append(EventInfo(f"e{len(self.events)}", Template(tuple(parts)), visible, self.span(), ()))
        return len(self.events) - 1

    # -------------------------------------------------------------- the whole
    def program(self, seed: int) -> Program:
        """Everything, laid out as lowering does it."""
        self.declare()
        self.functions()
        entry = self._procedures()
        seat = IntT(0, self.players - 1)
        winners = self._function(SetT(self.players), (), "winners") if self.random.random() < 0.7 else -1
        payoff = self._function(IntT(-9, 99), (seat,), "payoff") if self.random.random() < 0.4 else -1
        terms = tuple(
            Term_(f"term {n}", self._function(IntT(-9, 99), (seat,), f"term{n}"), ())
            for n in range(self.random.randrange(3))
        )
        total = self._function(IntT(-999, 999), (seat,), "total") if self.random.random() < 0.5 else -1

        blocks = [b for b in self.blocks if b is not None]
        procs = [p for p in self.procs if p is not None]
        assert (len(blocks), len(procs)) == (len(self.blocks), len(self.procs))
        blocks, procs = thread_jumps(blocks, procs)
        if self.random.random() < 0.7:
            # Else probes stay where nothing can fail.
            blocks = look_ahead(blocks, procs)
        blocks, procs = drop_unreached(blocks, procs)
        blocks, procs = live_locals(blocks, procs)
        forks = any(isinstance(b.term, Fork) for b in blocks)
        start = cell = first_var(self.players, len(self.streams))
        placed = []
        for var in self.parts.vars:
            placed.append(replace(var, base=cell))
            cell += var.count * cells(var.type)
        room = stack_room(blocks, procs, LINK)
        program = Program(
            game=f"random{seed}",
            title=f"Random {seed}",
            version="1.0.0",
            players=self.players,
            settings=(),
            definition_hash=f"{seed:032x}",
            domains=tuple(self.domains),
            player_domain=0,
            vars=tuple(placed),
            piece_types=tuple(self.pieces),
            tables=tuple(self.parts.tables),
            funcs=tuple(self.parts.funcs),
            procs=tuple(procs),
            blocks=tuple(blocks),
            checks=tuple(self.checks),
            decisions=tuple(self.decisions),
            events=tuple(self.events),
            streams=self.streams,
            entry=entry,
            winners=winners,
            payoff=payoff,
            total=total,
            terms=terms,
            phases=(),
            row_cells=row_size(cell, room, self.players, forks),
            stack_cells=room,
            forks=forks,
            first_var=start,
            first_stack=cell,
            scripted=self.scripted,
            places=(self.span(),),
        )
        return bounded(program)

    def _procedures(self) -> int:
        """Procedures from the innermost outwards; the last is the entry."""
        random = self.random
        effect = (IntT(0, self.players - 1), SMALL)
        for n in range(2):
            self._procedure(effect, plain=True, fallible=n == 1, tame=True, room=2, asks=0)
        for n in range(random.randint(1, 2)):
            self._procedure(effect, fallible=n == 1, tame=True, room=3, asks=3)
        if random.random() < 0.5:
            self._recursions()
        if self.risky:
            self._endless()
        for n in range(random.randint(1, 2)):
            kinds = self.any_kinds(random.randint(0, 3))
            self._procedure((effect[0], *kinds), fallible=n == 1, tame=random.random() < 0.4, room=3, asks=4)
        if random.random() < 0.5:
            self._chain(random.randint(2, 6))
        forker = random.random() < 0.6
        for n in range(random.randint(1, 2)):
            self._procedure(effect, fallible=False, tame=False, room=4, asks=6, forker=forker and n == 0, outer=True)
        return self._entry()

    def any_kinds(self, count: int) -> tuple[IrType, ...]:
        """Types of locals and parameters."""
        kinds: list[IrType] = [BOOL, SMALL, IntT(-50, 200), IntT(*INT32)]
        kinds += [SetT(size) for size in self.sizes] + [SeqT(length) for length in self.lengths]
        return tuple(self.random.choice(kinds) for _ in range(count))

    def _procedure(
        self,
        params: tuple[IrType, ...],
        *,
        room: int,
        asks: int,
        plain: bool = False,
        fallible: bool = False,
        tame: bool = False,
        forker: bool = False,
        outer: bool = False,
    ) -> Made:
        body = Body(self, params, guarded=fallible, plain=plain, tame=tame, asks=asks)
        body.remember()
        if outer:
            body.choose()
        if forker:
            body.fork()
        body.steps(self.random.randint(1, room))
        if not plain and not body.asked:
            body.choose()
        if outer and self.risky:
            body.risk()
        body.recall()
        return body.close(fallible)

    def _recursions(self) -> None:
        """Procedures that call themselves, or each other, as deep as their second parameter says."""
        depth = self.random.randint(2, 4)
        seat = IntT(0, self.players - 1)
        for safe in (True, False):
            kind = IntT(0, depth - 1) if safe else IntT(0, depth + 1)
            tame = self.random.random() < 0.5
            asks = 1 if safe or depth == 2 else 0
            first = Body(self, (seat, kind), guarded=not safe, tame=tame, asks=asks)
            bodies = [first]
            if self.random.random() < 0.4:
                bodies.append(Body(self, (seat, kind), guarded=not safe, tame=tame, asks=asks))
                bodies[1].round(first)
            first.round(bodies[-1])
            made = [body.close(not safe, depth=depth) for body in reversed(bodies)][-1]
            del self.made[len(self.made) - len(bodies) : -1]
            made.ways = 4 ** (depth + 1) if asks and not safe else 1
            made.asks, made.commits, made.plain = (depth + 2) * asks, True, False
            if not safe:
                self.deep = made

    def _endless(self) -> None:
        """A procedure that calls itself for good, and no depth is declared: the frames run out."""
        body = Body(self, (IntT(0, self.players - 1), SMALL), guarded=False, tame=False, asks=0)
        body.round(body, 0)
        self.endless = body.close(False).p
        self.made.pop()

    def _chain(self, length: int) -> None:
        """Procedures that call each other many deep, with locals of every type alive in each."""
        inner = self._procedure((IntT(0, self.players - 1),), fallible=False, tame=False, room=1, asks=2)
        for _ in range(length):
            body = Body(self, inner.params, guarded=False, tame=inner.tame, asks=inner.asks)
            body.remember()
            body.call(inner)
            body.recall()
            inner = body.close(False)

    def _entry(self) -> int:
        """Set-up, then rounds in which the seats take turns, each with one of the outer procedures."""
        random = self.random
        clock = Load(CLOCK, Const(0))
        body = Body(self, (IntT(0, self.players - 1),), guarded=False, tame=False, asks=4)
        body.statements(random.randint(1, 3))
        if random.random() < 0.5:
            body.chance()
        turns = [m for m in self.made if not m.fallible and not m.plain and m.asks][-random.randint(2, 4) :]
        head, turn, end, after = (body.new_block() for _ in range(4))
        body.seal(Commit(head))
        body.begin(head)
        body.seal(Branch(Binary("lt", clock, Const(self.limit)), turn, end))
        body.begin(turn)
        seat = body.scope.new(IntT(0, self.players - 1))
        body.emit(Let(seat, Binary("mod", clock, Const(self.players))))
        if self.scripted:
            script, asked = body.new_block(), body.new_block()
            body.seal(Branch(Binary("ge", Local(seat), Const(self.askable)), script, asked))
            body.begin(script)
            plain = next(m for m in self.made if m.plain and not m.fallible)
            body.seal(Call(plain.p, (Local(seat), body.exprs.int_in(0, 7)), after))
            body.begin(asked)
        ways = [body.new_block() for _ in turns]
        body.seal(Switch(Binary("mod", clock, Const(len(ways))), tuple(ways)))
        for b, made in zip(ways, turns, strict=True):
            body.begin(b)
            body.call(made, Binary("min", Local(seat), Const(self.askable - 1)))
            body.seal(Jump(after))
        body.begin(after)
        body.emit(Store(CLOCK, Const(0), Binary("add", clock, Const(1))))
        body.seal(Commit(head))
        body.begin(end)
        body.statements(1)
        if random.random() < 0.5:
            body.seal(Halt())
        return body.close(False).p


class Body:
    """One procedure in the making."""

    def __init__(
        self,
        maker: Maker,
        params: tuple[IrType, ...],
        *,
        guarded: bool,
        tame: bool,
        asks: int,
        plain: bool = False,
    ) -> None:
        self.maker = maker
        self.random = maker.random
        self.params = params
        self.scope = Scope(list(params), list(range(len(params))))
        self.exprs = maker.exprs(self.scope)
        maker.procs.append(None)
        self.p = len(maker.procs) - 1
        self.here = self.entry = self.new_block()
        self.stmts: list[Stmt] = []
        self.guarded = guarded
        self.tame = tame
        self.plain = plain
        self.asks_left = asks
        self.ways = self.most_ways = 1
        self.asked = 0
        self.commits = False
        self.depth = 0
        self.kept: list[int] = []

    # -------------------------------------------------------------- blocks
    def new_block(self) -> int:
        """A block's id, to be filled later."""
        self.maker.blocks.append(None)
        return len(self.maker.blocks) - 1

    def begin(self, b: int) -> None:
        """Go on writing into block b."""
        self.here, self.stmts = b, []

    def emit(self, *stmts: Stmt) -> None:
        """Add statements, unless nothing comes here."""
        if self.here >= 0:
            self.stmts.extend(stmts)

    def seal(self, term: Term) -> None:
        """End the current block."""
        if self.here >= 0:
            span = self.maker.span() if self.random.random() < 0.8 else None
            self.maker.blocks[self.here] = Block(
                self.here, self.p, tuple(self.stmts), term, (), span, (f"B-{self.here}",)
            )
        self.here, self.stmts = -1, []

    def close(self, fallible: bool, depth: int = 0) -> Made:
        """End the procedure."""
        self.seal(Return())
        proc = Proc(
            f"procs.p{self.p}",
            len(self.params),
            tuple(self.scope.types),
            self.entry,
            depth=depth,
            span=self.maker.span(),
            cite=(f"P-{self.p}",),
        )
        self.maker.procs[self.p] = proc
        plain = not self.asked and not self.commits
        made = Made(
            self.p, self.params, fallible, self.commits, plain, self.tame, max(self.most_ways, self.ways), self.asked
        )
        self.maker.made.append(made)
        return made

    @contextmanager
    def keep(self) -> Iterator[None]:
        """What is set inside is not known behind; commits and ways inside are the caller's business."""
        known, guarded, ways = self.scope.known[:], self.guarded, self.ways
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1
            self.scope.known[:] = known
            self.guarded, self.ways = guarded, ways

    def arms(self, blocks: Sequence[int], write: Sequence[Callable[[], None]], join: int) -> None:
        """Several ways from here that come together at `join`: each may be guarded or not, and so is the place behind."""
        states = []
        for b, arm in zip(blocks, write, strict=True):
            with self.keep():
                self.begin(b)
                arm()
                if self.here >= 0:
                    states.append((self.guarded, self.ways))
                self.seal(Jump(join))
        self.begin(join)
        if states:
            self.guarded = all(guarded for guarded, _ in states)
            self.ways = max(ways for _, ways in states)
        self.most_ways = max(self.most_ways, self.ways)

    # -------------------------------------------------------------- statements
    def let(self, kind: IrType) -> int:
        """A new local, set."""
        with self.exprs.fresh(25):
            value = self.exprs.value(kind)
        n = self.scope.new(kind)
        self.emit(Let(n, value))
        self.scope.known.append(n)
        return n

    def remember(self) -> None:
        """Locals that are read again at the end, so that they live in the frame all along."""
        for kind in self.random.sample(self.maker.any_kinds(8), self.random.randint(0, 3)):
            self.kept.append(self.let(kind))

    def recall(self) -> None:
        """Put what was remembered where it is seen."""
        for n in self.kept:
            if n in self.scope.known:
                self.emit(*self._shown(n))

    def _shown(self, n: int) -> list[Stmt]:
        kind = self.scope.types[n]
        for v, var in enumerate(self.maker.parts.vars):
            fits = var.type == kind and not isinstance(kind, IntT)
            if fits and self._may_write(v):
                return [Store(v, Const(self.random.randrange(var.count)), Local(n))]
        if isinstance(kind, SeqT):
            return []
        event = self.maker.event([isinstance(kind, SetT)])
        return [Emit(event, (Local(0), Local(n)))]

    def _may_write(self, v: int) -> bool:
        """In simultaneous play a seat's changes are kept as sums of differences of cells; those have to fit a cell."""
        if v in self.maker.reserved:
            return False
        if not self.tame:
            return True
        kind = self.maker.parts.vars[v].type
        if any(piece.where == v for piece in self.maker.pieces):
            return False
        match kind:
            case IntT(lo, hi):
                return hi - lo <= 1000
            case SetT(size):
                return size <= 20
            case SeqT():
                return True

    def statements(self, count: int) -> None:
        """So many statements."""
        for _ in range(count):
            self.emit(*self._statement(0))

    def _statement(self, depth: int) -> list[Stmt]:
        random = self.random
        kinds = ["let", "again", "store", "store", "store", "emit"]
        kinds += ["if", "for", "for"] if depth < 2 else []
        kinds += ["check"] if self.guarded else []
        with self.exprs.fresh(random.choice([10, 20, 60])):
            match random.choice(kinds):
                case "let":
                    kind = random.choice(self.maker.any_kinds(1))
                    value = self.exprs.value(kind)
                    n = self.scope.new(kind)
                    self.scope.known.append(n)
                    return [Let(n, value)]
                case "again":
                    mine = [n for n in self.scope.known if n >= len(self.params) and n not in self.scope.binders]
                    if not mine:
                        return []
                    n = random.choice(mine)
                    return [Let(n, self.exprs.value(self.scope.types[n]))]
                case "store":
                    return [self._store()]
                case "emit":
                    return [self._emit()]
                case "if":
                    condition = self.exprs.truth()
                    then = self._inner(depth)
                    return [If(condition, then, self._inner(depth) if random.random() < 0.5 else ())]
                case "for":
                    return self._for(depth)
                case _:
                    return [self._check()]

    def _inner(self, depth: int) -> tuple[Stmt, ...]:
        """Statements inside another; the locals set there are not known behind it."""
        known = self.scope.known[:]
        found = [s for _ in range(self.random.randint(1, 2)) for s in self._statement(depth + 1)]
        self.scope.known[:] = known
        return tuple(found)

    def _store(self) -> Store:
        v = self.random.choice([v for v in range(len(self.maker.parts.vars)) if self._may_write(v)])
        var = self.maker.parts.vars[v]
        return Store(v, self.exprs.index(var.count), self.exprs.value(var.type))

    def _emit(self) -> Emit:
        sets = [self.random.random() < 0.4 for _ in range(self.random.randint(0, 3))]
        actors: list[Expr] = [Local(0), Const(NOTHING), Const(0)]
        actor = self.random.choice(actors)
        args: list[Expr] = [self.exprs.any_set().expr if is_set else self.exprs.number().expr for is_set in sets]
        return Emit(self.maker.event(sets), (actor, *args))

    def _for(self, depth: int) -> list[Stmt]:
        domain = self.exprs.many()
        rounds = self.exprs.rounds
        if rounds * domain.size > 250:
            return []
        with self.scope.binder(domain.size, self.random) as n:
            self.exprs.rounds = rounds * domain.size
            body = self._inner(depth)
            self.exprs.rounds = rounds
        return [For(n, domain.expr, body)]

    def _check(self) -> Check:
        """A condition that must hold; its text tells of locals that it reads, which are alive here."""
        condition = self.exprs.truth()
        if self.random.random() < 0.6:
            condition = Or((condition, self.exprs.truth()))
        return Check(condition, self._reason(condition))

    def _reason(self, condition: Expr) -> int:
        read = [n for n in sorted(free_locals(condition, {})) if isinstance(self.scope.types[n], IntT)]
        holes: list[Expr] = [Local(n) for n in read[:2]]
        if self.random.random() < 0.5:
            holes.append(Load(CLOCK, Const(0)))
        return self.maker.check(holes)

    # -------------------------------------------------------------- steps
    def steps(self, count: int) -> None:
        """So many steps."""
        for _ in range(count):
            if self.here < 0:
                return
            self.statements(self.random.randint(0, 2))
            self._step()

    def _step(self) -> None:
        ways: list[tuple[int, Callable[[], None]]] = [
            (2, self._branch),
            (1, self._switch),
            (3, self._call_any),
            (1, self._alike),
            (1, self._fail_perhaps),
        ]
        if not self.plain:
            ways += [
                (4, self.choose),
                (2, self._loop),
                (2, self._effect),
                (2, self.chance),
                (1, self._commit),
                (2, self._try),
                (1, self._halt_perhaps),
            ]
            if self.maker.risky:
                ways.append((4, self.risk))
        if self.depth >= 3:
            ways = [(1, lambda: self.statements(1)), (1, self._call_any)]
        self._one(ways)()

    def _one(self, ways: Sequence[tuple[int, T]]) -> T:
        return self.random.choices([way for _, way in ways], [weight for weight, _ in ways])[0]

    def _commit(self) -> None:
        if self.plain:
            return
        b = self.new_block()
        self.seal(Commit(b))
        self.begin(b)
        self.most_ways = max(self.most_ways, self.ways)
        self.guarded, self.ways, self.commits = False, 1, True

    def _branch(self) -> None:
        then, other, join = (self.new_block() for _ in range(3))
        self.seal(Branch(self._truth(), then, other))
        self.arms((then, other), (self._few_steps, self._few_steps), join)

    def _truth(self) -> Expr:
        with self.exprs.fresh(20):
            return self.exprs.truth()

    def _few_steps(self) -> None:
        self.steps(self.random.choice([0, 1, 1, 2]))

    def _switch(self) -> None:
        count = self.random.randint(1, 4)
        ways = [self.new_block() for _ in range(count)]
        join = self.new_block()
        with self.exprs.fresh(15):
            value = self.exprs.int_in(0, count - 1)
        self.seal(Switch(value, tuple(ways)))
        self.arms(ways, [lambda: self.steps(self.random.randint(0, 1))] * count, join)

    def _loop(self) -> None:
        """A few rounds, counted down; a local that is set before it lives through."""
        rounds = self.random.randint(1, 3)
        if not self.guarded:
            self._commit()
        elif self.ways > 8:
            return
        left = self.let(IntT(0, 3))
        self.emit(Let(left, Binary("min", Local(left), Const(rounds))))
        head, body, after = (self.new_block() for _ in range(3))
        self.seal(Jump(head))
        self.begin(head)
        condition = Binary("gt", Local(left), Const(0))
        self.seal(Branch(condition, body, after))
        before, was_guarded = self.ways, self.guarded
        self.scope.known.remove(left)  # nothing else sets the counter
        with self.keep():
            self.begin(body)
            self.emit(Let(left, Binary("sub", Local(left), Const(1))))
            self.asks_left //= 3
            self.statements(1)
            if was_guarded:
                self.emit(self._check())
                if self.random.random() < 0.5:
                    self.choose(2)
            else:
                self.steps(self.random.randint(1, 2))
                self._commit()
            self.seal(Jump(head))
            inside = max(1, self.ways // max(1, before))
            guarded = self.guarded
        self.begin(after)
        self.guarded = was_guarded and guarded
        self.ways = before * inside**rounds if was_guarded else 1
        self.asked *= 2

    def _call_any(self) -> None:
        made = [m for m in self.maker.made if self._may_call(m)]
        if made:
            self.call(self.random.choice(made[-6:] if self.random.random() < 0.7 else made))

    def _may_call(self, m: Made) -> bool:
        return (
            (m.plain or not self.plain)
            and (m.tame or not self.tame)
            and (self.guarded or not m.fallible)
            and m.asks <= self.asks_left
            and (m.ways * self.ways <= MOST_WAYS or not self.guarded)
        )

    def call(self, m: Made, acting: Expr | None = None) -> None:
        """Call a procedure; `acting` is who acts in it."""
        if not self.guarded and self.ways * m.ways > MOST_WAYS:
            self._commit()
        after = self.new_block()
        self.seal(Call(m.p, self._args(m.params, acting), after))
        self.begin(after)
        self._called(m)

    def _args(self, params: tuple[IrType, ...], acting: Expr | None = None) -> tuple[Expr, ...]:
        args: list[Expr] = [Local(0) if acting is None else acting]
        for kind in params[1:]:
            with self.exprs.fresh(12):
                args.append(self.exprs.value(kind))
        return tuple(args)

    def _called(self, m: Made) -> None:
        self.asked += m.asks
        self.asks_left -= m.asks
        self.ways *= m.ways
        self.most_ways = max(self.most_ways, self.ways)
        self.commits |= m.commits
        self.guarded &= not m.commits

    def round(self, other: Body, less: int = 1) -> None:
        """The body of a procedure that calls `other` as often as its second parameter says, which gets less each time."""
        self.statements(1)
        self.remember()
        again, stop = self.new_block(), self.new_block()
        self.seal(Branch(Binary("gt", Local(1), Const(0)), again, stop))
        self.begin(again)
        with self.keep():
            if self.asks_left and self.random.random() < 0.7:
                self.choose(2)
            after = self.new_block()
            self.seal(Call(other.p, (Local(0), Binary("sub", Local(1), Const(less))), after))
            self.begin(after)
            self.recall()
            self.statements(1)
            self.seal(Jump(stop))
        self.guarded = False
        self.begin(stop)

    def _effect(self) -> None:
        """One of several procedures of one shape, by the number in a table, a variable or an expression."""
        made = [m for m in self.maker.made if self._may_call(m) and m.params == (self.params[0], SMALL)]
        if len(made) < 2:
            return
        chosen = self.random.sample(made, self.random.randint(2, min(4, len(made))))
        if not self.guarded and self.ways * max(m.ways for m in chosen) > MOST_WAYS:
            self._commit()
        values = tuple(m.p for m in chosen)
        self.maker.parts.tables.append(Table(f"effects{len(self.maker.parts.tables)}", IntT(0, 99), values))
        t = len(self.maker.parts.tables) - 1
        with self.exprs.fresh(10):
            effect: Expr = Lookup(t, self.exprs.int_in(0, len(values) - 1))
        if self.random.random() < 0.4:
            v = self.maker.var(f"effect{t}", IntT(0, 99), 1, (values[0],))
            self.maker.reserved.add(v)
            self.emit(If(self._truth(), (Store(v, Const(0), effect),)))
            effect = Load(v, Const(0))
        after = self.new_block()
        args = self._args(chosen[0].params)
        self.seal(CallEffect(effect, args, tuple(sorted(values)), after))
        self.begin(after)
        whole = Made(
            -1,
            (),
            any(m.fallible for m in chosen),
            any(m.commits for m in chosen),
            all(m.plain for m in chosen),
            True,
            max(m.ways for m in chosen),
            max(m.asks for m in chosen),
        )
        self._called(whole)

    def fork(self) -> None:
        """Simultaneous play of some seats."""
        made = [m for m in self.maker.made if m.tame and not m.fallible and not m.plain and len(m.params) <= 3]
        if not made:
            return
        m = self.random.choice(made)
        after = self.new_block()
        askable = self.maker.askable
        seats: Expr = SetConst((1 << askable) - 1, askable)
        with self.exprs.fresh(20):
            if self.random.random() < 0.4:
                seats = Binary("inter", seats, self.exprs.any_set().expr)
            args = tuple(self.exprs.value(kind) for kind in m.params[1:])
        self.seal(Fork(seats, m.p, args, after))
        self.begin(after)
        self.asked += m.asks
        self.most_ways = max(self.most_ways, self.ways)
        self.ways, self.guarded, self.commits = 1, False, True

    # -------------------------------------------------------------- choices
    def choose(self, most: int = FEW) -> None:
        """A seat decides; then this or that happens, and all comes together again."""
        random = self.random
        if self.plain or self.asks_left <= 0:
            return
        own_commit = not self.guarded and (random.random() < 0.7 or self.ways > 6)
        if own_commit:
            self._commit()
        elif self.ways * most > MOST_WAYS:
            return
        self.asks_left -= 1
        self.asked += 1
        before, guarded = self.ways, self.guarded
        if guarded:
            modes = ["probe"] * 9 + ["formula"] * 4 + ["none"] * self.maker.risky
        else:
            modes = ["none", "probe", "probe", "formula", *(["odd"] if own_commit else [])]
        mode = random.choice(modes)
        ends = not guarded and mode == "none" and random.random() < 0.4
        wide = own_commit and mode in ("none", "odd")
        with self.exprs.fresh(20):
            domain = self._few(most) if not wide else self.exprs.any_set() if ends else self.exprs.many()
            if ends and not wide:
                domain = self.exprs.set_in(most)
        if ends:
            domain = Many(Binary("union", SetConst(1, domain.size), domain.expr), domain.size)
        n = self.scope.new(IntT(0, domain.size - 1))
        self.scope.known.append(n)
        where = self._truth() if random.random() < 0.6 and not ends else None
        formula = self._truth() if mode in ("formula", "odd") else None
        self.scope.known.remove(n)
        ask, chosen, join = (self.new_block() for _ in range(3))
        # Behind an element that is offered only because going there works, things may fail.
        look: Expr | None = Probe(chosen) if mode == "probe" else formula
        passes = mode == "odd" or (not ends and random.random() < (0.5 if guarded else 0.95))
        extras, write = self._extras(ask, passes, not guarded)
        quiet = passes and random.random() < 0.35
        if quiet and random.random() < 0.5:
            even = Binary("eq", Binary("mod", Load(CLOCK, Const(0)), Const(2)), Const(0))
            where = And((even,)) if where is None else And((even, where))
        sure = ends and random.random() < 0.5
        decision = self.maker.decision(domain.size)
        self.seal(Jump(ask))
        self.begin(ask)
        self.seal(Choose(Local(0), n, domain.expr, where, look, chosen, decision, tuple(extras), quiet, sure))
        self.ways = before * (1 if wide else max(2, min(most, domain.size)) + len(extras))

        def arm() -> None:
            self.scope.known.append(n)
            if mode == "formula" and formula is not None:
                # Nothing behind it may fail, as the formula does not know of it.
                self.emit(Check(formula, self._reason(formula)))
                self.guarded = False
            elif mode == "probe":
                self._may_fail()
            self._few_steps()

        self.arms((chosen, *(e.b for e in extras)), (arm, *write), join)
        if own_commit and (self.guarded or random.random() < 0.7):
            self._commit()

    def _few(self, most: int) -> Many:
        """A small domain."""
        size = self.random.randint(2, most)
        return self.exprs.seq_in(size) if self.random.random() < 0.3 else self.exprs.set_in(size)

    def _extras(self, ask: int, passes: bool, free: bool) -> tuple[list[Extra], list[Callable[[], None]]]:
        """Options beside the domain, and what happens at each; `free`: actions that lead back to the question at `ask` may be among
        them."""
        extras: list[Extra] = []
        write: list[Callable[[], None]] = []
        guarded = self.guarded
        if passes:
            b = self.new_block()
            extras.append(Extra("pass", None, b, Probe(b) if guarded else None))
            write.append(lambda: self.statements(self.random.randint(0, 1)))
        for k in range(self.random.choice([0, 0, 1, 1, 2])):
            b = self.new_block()
            condition = self._truth() if self.random.random() < 0.6 else None
            if free and self.random.random() < 0.5:
                extras.append(Extra(f"free{k}", condition, b, None, self.random.random() < 0.8))
                write.append(lambda: self._free_action(ask))
            elif guarded or self.random.random() < 0.5:
                extras.append(Extra(f"extra{k}", condition, b, Probe(b), self.random.random() < 0.2))
                write.append(self._looked_at)
            else:
                extras.append(Extra(f"extra{k}", condition, b, None, self.random.random() < 0.2))
                write.append(self._few_steps)
        return extras, write

    def _looked_at(self) -> None:
        """What may fail, as the option that leads here has looked ahead."""
        self._may_fail()
        self._few_steps()

    def _may_fail(self) -> None:
        """A check, or a way that fails, as something has looked ahead."""
        self.guarded = True
        if self.random.random() < 0.7:
            self.emit(self._check())
        else:
            self._fail_perhaps()

    def _free_action(self, ask: int) -> None:
        """Raises something, and asks again; where no more can be raised nothing changes."""
        fitting = [
            v
            for v, var in enumerate(self.maker.parts.vars)
            if isinstance(var.type, IntT) and var.type.hi - var.type.lo < 12 and self._may_write(v)
        ]
        v = self.random.choice(fitting)
        kind = self.maker.parts.vars[v].type
        assert isinstance(kind, IntT)
        with self.exprs.fresh(4):
            at = self.exprs.index(self.maker.parts.vars[v].count)
        self.emit(Store(v, at, Binary("min", Binary("add", Load(v, at), Const(1)), Const(kind.hi))))
        if self.random.random() < 0.8:
            self.seal(Jump(ask))

    def chance(self) -> None:
        """Nature decides. Where no choice has looked ahead there is an outcome for sure."""
        random = self.random
        if self.plain or self.asks_left <= 0:
            return
        self.asks_left -= 1
        self.asked += 1
        sure = not self.guarded or random.random() < 0.5
        with self.exprs.fresh(15):
            domain = self.exprs.many()
            as_set = self._is_set(domain.expr)
        if sure and as_set:
            domain = Many(Binary("union", SetConst(1, domain.size), domain.expr), domain.size)
            if random.random() < 0.3:
                domain = Many(SetConst(self.exprs.mask(domain.size) | 1, domain.size), domain.size)
        elif sure:
            domain = Many(Binary("prepend", domain.expr, Const(0)), domain.size)
        n = self.scope.new(IntT(0, domain.size - 1))
        self.scope.known.append(n)
        where = self._truth() if random.random() < 0.5 else None
        if sure and where is not None:
            where = Or((Binary("eq", Local(n), Const(0)), where))
        weight: Expr | None = None
        if random.random() < 0.6:
            with self.exprs.fresh(10):
                weight = self.exprs.int_in(1 if sure else -3, random.choice([1, 5, 1000]) + 1)
        self.scope.known.remove(n)
        b = self.new_block()
        stream = random.randrange(len(self.maker.streams))
        told = sure and random.random() < 0.4
        self.seal(Chance(n, domain.expr, where, weight, b, stream, self.maker.decision(domain.size), told))
        self.begin(b)
        self.scope.known.append(n)
        self.most_ways = max(self.most_ways, self.ways)
        self.guarded, self.ways, self.commits = False, 1, True

    def _is_set(self, expr: Expr) -> bool:
        kinds = {SetConst: True, SeqConst: False, Sort: False, Best: True, Reach: True, Query: True}
        match expr:
            case Local(n):
                return isinstance(self.scope.types[n], SetT)
            case Load(v):
                return isinstance(self.maker.parts.vars[v].type, SetT)
            case Lookup():
                return True
            case Fn(f):
                return isinstance(self.maker.parts.funcs[f].result, SetT)
            case Unary(op):
                return op != "reverse"
            case Binary(op):
                return op in ("union", "inter", "minus", "range")
            case Select(_, then):
                return self._is_set(then)
            case _:
                return kinds[type(expr)]

    # -------------------------------------------------------------- look-ahead
    def _try(self) -> None:
        """If going on at a place works, go there; else elsewhere."""
        if self.ways > 6 or self.plain:
            return
        then, other, join = (self.new_block() for _ in range(3))
        condition: Expr = Probe(then)
        way = self.random.randrange(4)
        if way == 0:
            condition = And((self._truth(), condition))
        elif way == 1:
            found = self.scope.new(BOOL)
            self.emit(Let(found, condition))
            condition = Local(found)
        self.seal(Branch(condition, then, other))
        self.arms((then, other), (self._works, self._few_steps), join)

    def _works(self) -> None:
        self._looked_at()
        if self.random.random() < 0.7:
            self._commit()

    def _alike(self) -> None:
        """If the order of several calls does not matter, make one of them."""
        made = [m for m in self.maker.made if m.params == (self.params[0], SMALL) and self._may_call(m)]
        if not made:
            return
        m = self.random.choice(made)
        then, other, join = (self.new_block() for _ in range(3))
        with self.exprs.fresh(10):
            items = self.exprs.set_in(8).expr
        condition: Expr = Alike(m.p, (Local(0),), items)
        if self.random.random() < 0.4:
            found = self.scope.new(BOOL)
            self.emit(Let(found, condition))
            condition = Local(found)
        self.seal(Branch(condition, then, other))
        self.arms((then, other), (lambda: self.call(m), lambda: self.statements(1)), join)

    # -------------------------------------------------------------- ends and failures
    def _fail_perhaps(self) -> None:
        """A failure, where something has looked ahead."""
        if not self.guarded:
            return
        fails, on = self.new_block(), self.new_block()
        self.seal(Branch(And((self._truth(), self._truth())), fails, on))
        self.begin(fails)
        self.seal(Fail(self._reason(Const(0))))
        self.begin(on)

    def _halt_perhaps(self) -> None:
        """The end of the game, late."""
        ends, on = self.new_block(), self.new_block()
        self.seal(Branch(self._late(), ends, on))
        self.begin(ends)
        self.seal(Halt())
        self.begin(on)

    def _late(self) -> Expr:
        limit = self.maker.limit
        late = Binary("ge", Load(CLOCK, Const(0)), Const(self.random.randint(limit // 2, limit - 1)))
        return late if self.random.random() < 0.3 else And((late, self._truth()))

    def risk(self) -> None:
        """Something that goes wrong, late in the game."""
        risk, join = self.new_block(), self.new_block()
        self.seal(Branch(self._late(), risk, join))
        with self.keep():
            self.begin(risk)
            if not self.maker.daring:
                self._commit()
            self._one(
                ((5, self._wrong_index), (2, self._wrong_choice), (1, self._wrong_failure), (3, self._wrong_call))
            )()
            self.seal(Jump(join))
        self.begin(join)
        self.guarded = False
        self.commits = True

    def _wrong_index(self) -> None:
        """Perhaps an index past the end, or a number that is none."""
        self.exprs.dare = 1
        self.statements(self.random.randint(1, 3))
        self.exprs.dare = 0

    def _wrong_choice(self) -> None:
        """Nothing to choose or draw, or the wrong seat asked, or an index past the end in what is offered."""
        b = self.new_block()
        n = self.scope.new(IntT(0, 4))
        decision = self.maker.decision(5)
        nothing = SetConst(0, 5)
        match self.random.choice([0, 1, 2, 2, 2, 3]):
            case 0:
                self.seal(Choose(Local(0), n, nothing, None, None, b, decision))
            case 1:
                self.seal(Chance(n, nothing, None, None, b, 0, decision))
            case 2 if self.maker.scripted:
                self.seal(Choose(Const(self.maker.scripted[0]), n, SetConst(31, 5), None, None, b, decision))
            case _:
                self.scope.known.append(n)
                self.exprs.dare = 1
                where = self._truth()
                self.exprs.dare = 0
                self.seal(Choose(Local(0), n, SetConst(31, 5), where, None, b, decision))
        self.begin(b)

    def _wrong_failure(self) -> None:
        if self.random.random() < 0.5:
            self.emit(self._check())
        else:
            self.seal(Fail(self._reason(Const(0))))

    def _wrong_call(self) -> None:
        """Calls that go too deep, or that fail."""
        made = [m for m in self.maker.made if m.fallible and not m.plain and (m.tame or not self.tame)]
        deep, after = self.maker.deep, self.new_block()
        ways: list[Term] = [Call(m.p, self._args(m.params), after) for m in made[-1:]]
        if self.maker.endless >= 0 and not self.tame:
            ways.append(Call(self.maker.endless, (Local(0), Const(7)), after))
        if deep is not None and (deep.tame or not self.tame):
            kind = deep.params[1]
            assert isinstance(kind, IntT)
            ways += [Call(deep.p, (Local(0), Const(kind.hi)), after)] * 2
        self.seal(self.random.choice(ways) if ways else Jump(after))
        self.begin(after)


def random_program(seed: int, *, daring: bool = False) -> Program:
    """The program of a seed. With `daring`, rules go wrong where a look-ahead may come, too."""
    random = Random(seed)
    players = random.randint(1, 4)
    scripted = (players - 1,) if players > 1 and random.random() < 0.35 else ()
    sizes = (random.randint(4, 8), random.randint(9, 31), 32, random.randint(33, 64), random.randint(65, 200))
    lengths = (random.randint(3, 8), random.randint(9, 40))
    limit, risky = random.randint(15, 45), random.random() < 0.4
    # Most programs are small: what matters is which operations meet, and many seeds say more than large expressions.
    scale = random.choice([0.2, 0.3, 0.4, 0.6])
    return Maker(random, players, scripted, limit, risky, daring, sizes, lengths, scale).program(seed)
