"""Statements: typed trees to basic blocks.

What cannot be interrupted becomes structured statements inside a block; a decision, chance point, call or leap ends one. Watched
state is tested behind each statement that may write it: that is how `when` triggers fire without anything listening.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from interpreter.ir.effects_of import Touches, is_atomic, parts, statements
from interpreter.ir.ir_types import NO_NUMBER, NOTHING, IntT, SeqT, SetT
from interpreter.ir.layout import ir_type
from interpreter.ir.lower_expr import Env, ExprLowering
from interpreter.ir.ops import (
    Alike,
    And,
    Best,
    BestKey,
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
    Return,
    Select,
    SetConst,
    Sort,
    Stmt,
    Store,
    Switch,
    Term,
    Unary,
)
from interpreter.ir.program import Block, CheckInfo, Decision, EventInfo, Hole, Proc, Template
from interpreter.model import typed as t
from interpreter.model.dsl_types import Maybe, Member, Num, OrderOf, SetOf, Type
from interpreter.model.game_model import Model
from interpreter.text.source import Span

NUMBER = IntT(-(2**31), 2**31 - 1)


MOST_LEVELS = 30_000
Windows = tuple[tuple[t.EffectSym, t.Expr | None], ...]


@dataclass(slots=True)
class Leaps:
    """Where `end` leads from here: block numbers, -1 where it may not stand."""

    turn: int = -1
    loop: int = -1
    effect: int = -1


@dataclass(slots=True)
class Code:
    """One procedure under construction."""

    p: int
    env: Env
    address: str
    quiet: bool
    here: int = -1
    stmts: list[Stmt] = field(default_factory=list)
    span: Span | None = None
    cite: tuple[str, ...] = ()
    names: list[str] = field(default_factory=list)
    windows: Windows = ()
    fresh: bool = True


class StmtLowering(ExprLowering):
    """Lowers procedures."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.touches = Touches(model)
        self.blocks: list[Block | None] = []
        self.procs: list[Proc | None] = []
        self.proc_ids: dict[t.EffectSym, int] = {}
        self.todo: list[t.EffectSym] = []
        self.checks: list[CheckInfo] = []
        self.decisions: list[Decision] = []
        self.events: list[EventInfo] = []
        self.streams: list[str] = []
        self.trigger_sets: dict[str, int] = {}
        self.trigger_runs: dict[str, int] = {}
        self.code: Code | None = None
        self.levels: dict[int, int | None] = {}
        self.variants: dict[tuple[t.EffectSym, Windows], int] = {}
        self.starter = -1
        self.leave = -1

    # ---------------------------------------------------------------- building blocks
    @property
    def env(self) -> Env:
        """Locals of the procedure being made."""
        assert self.code is not None
        return self.code.env

    def new_block(self) -> int:
        """A block's id, to be filled later."""
        self.blocks.append(None)
        return len(self.blocks) - 1

    def begin(self, b: int) -> None:
        """Goes on writing into block b."""
        assert self.code is not None
        self.code.here, self.code.stmts = b, []

    def emit(self, *stmts: Stmt) -> None:
        """Adds statements, unless nothing reaches this point."""
        assert self.code is not None
        if self.code.here >= 0:
            self.code.stmts.extend(stmts)

    def seal(self, term: Term) -> None:
        """Ends the current block."""
        assert self.code is not None
        if self.code.here >= 0:
            self.blocks[self.code.here] = Block(
                self.code.here, self.code.p, tuple(self.code.stmts), term, (), self.code.span, self.code.cite
            )
        self.code.here = -1
        self.code.stmts = []

    def jump(self, b: int) -> None:
        """Ends the current block with a jump, if anything reaches its end."""
        self.seal(Jump(b))

    def check_info(self, span: Span, cite: tuple[str, ...], *said: str | Hole) -> int:
        """Registers why something can fail."""
        self.checks.append(CheckInfo(Template(said), span, cite))
        return len(self.checks) - 1

    def check(self, condition: Expr, origin: t.Origin, *said: str | Hole) -> None:
        """A condition that must hold here."""
        self.emit(Check(condition, self.check_info(origin.span, origin.cite, *said)))

    def local(self, value: Expr, kind: IntT | SetT | SeqT = NUMBER) -> Expr:
        """The value in a new local; constants and locals stay as they are."""
        if isinstance(value, Const | Local | SetConst):
            return value
        n = self.env.new(kind)
        self.emit(Let(n, value))
        return Local(n)

    def hole(self, node: t.Expr) -> Hole:
        """A value in a sentence."""
        kind = node.type.of if isinstance(node.type, Maybe) else node.type
        is_set = isinstance(kind, SetOf | OrderOf)
        inner = kind.of if isinstance(kind, SetOf | OrderOf) else kind
        value = self.expr(node, self.env)
        if isinstance(kind, OrderOf):
            value = Unary("items", value, self.set_size(kind))
        return Hole(value, inner.domain if isinstance(inner, Member) else -1, is_set)

    # ---------------------------------------------------------------- procedures
    def effect_id(self, symbol: t.EffectSym) -> int:
        """The procedure of an effect, to be made if it was not asked for yet."""
        if symbol not in self.proc_ids:
            self.proc_ids[symbol] = len(self.procs)
            self.procs.append(None)
            self.todo.append(symbol)
        return self.proc_ids[symbol]

    def finish(self) -> None:
        """Makes all procedures that were asked for."""
        while self.todo:
            symbol = self.todo.pop(0)
            self._procedure(symbol, self.proc_ids[symbol], ())

    def _open(self, p: int, address: str, params: tuple[t.LocalSym, ...], me: t.LocalSym | None, quiet: bool) -> Env:
        env = Env()
        players = self.model.config.players
        env.me = Local(env.new(IntT(NOTHING, players - 1), me))
        for param in params:
            env.new(ir_type(self.model, param.type), param)
        self.code = Code(p, env, address, quiet)
        return env

    def _procedure(self, symbol: t.EffectSym, p: int, windows: Windows) -> None:
        address = symbol.address if not windows else f"{symbol.address}+{'+'.join(e.address for e, _ in windows)}"
        env = self._open(p, address, symbol.params, symbol.me, symbol.quiet or symbol.address == "setup")
        assert self.code is not None
        self.code.windows = windows
        self.code.span, self.code.cite = symbol.span, symbol.cite
        entry, leave = self.new_block(), self.new_block()
        self.begin(entry)
        origin = t.Origin(symbol.span, symbol.cite)
        counter = self.counters.get(symbol)
        if symbol.depth and counter is None:
            counter = self.counter(symbol)
        if counter is not None:
            if symbol.depth:
                self.check(
                    Binary("lt", Load(counter, Const(0)), Const(symbol.depth)),
                    origin,
                    f"{symbol.address.split('.')[-1]} may be under way only {_times(symbol.depth)} at once",
                )
            self.emit(Store(counter, Const(0), Binary("add", Load(counter, Const(0)), Const(1))))
        if symbol.kind in ("effect", "phase", "trigger"):
            args = tuple(Local(i) for i in range(1 + len(symbol.params)) if isinstance(env.types[i], IntT))
            self.emit(Emit(self._event(symbol.address, (), "everyone", origin), args))
        self.block(self.model.code[symbol], Leaps(effect=leave))
        self.jump(leave)
        self.begin(leave)
        if counter is not None:
            self.emit(Store(counter, Const(0), Binary("sub", Load(counter, Const(0)), Const(1))))
        for trigger in self.model.triggers:
            if trigger.kind == "after" and trigger.effect is symbol:
                self._after(trigger, symbol)
        if symbol.kind in ("phase", "entry") or self._is_phase_step(symbol):
            then = self.new_block()
            self.seal(Commit(then))
            self.begin(then)
        self.seal(Return())
        self.procs[p] = Proc(
            address,
            1 + len(symbol.params),
            tuple(env.types),
            entry,
            0,
            (),
            symbol.depth,
            symbol.span,
            symbol.cite,
        )

    def _is_phase_step(self, symbol: t.EffectSym) -> bool:
        return symbol.kind == "step" and symbol.address.split(".")[0] in ("phases", "setup", "play")

    def extra_procedure(
        self, address: str, params: tuple[t.LocalSym, ...], me: t.LocalSym | None, span: Span | None = None
    ) -> int:
        """Opens a procedure that no effect declares; close it with `close`."""
        self.procs.append(None)
        p = len(self.procs) - 1
        self._open(p, address, params, me, True)
        assert self.code is not None
        self.code.span = span
        return p

    def close(self, p: int, entry: int, params: int) -> None:
        """Ends a procedure begun by `extra_procedure`."""
        assert self.code is not None
        self.procs[p] = Proc(
            self.code.address, params, tuple(self.code.env.types), entry, 0, (), 0, self.code.span, self.code.cite
        )

    # ---------------------------------------------------------------- blocks of statements
    def block(
        self, stmts: tuple[t.Stmt, ...], leaps: Leaps, extras: tuple[Extra, ...] = (), quiet: bool = False
    ) -> None:
        """Lowers statements in order. `extras` stand beside the options of the first one, which is then a choice."""
        assert self.code is not None
        for number, stmt in enumerate(stmts):
            if self.code.here < 0:
                return
            outer = self.code.span, self.code.cite
            if stmt.origin.span.end > stmt.origin.span.start:
                self.code.span = stmt.origin.span
            self.code.cite = stmt.origin.cite or outer[1]
            if is_atomic(stmt):
                self.emit(*self.atomic(stmt))
                self.watch((stmt,), stmt.origin)
            elif number == 0 and extras and isinstance(stmt, t.ChooseStmt):
                self._choose(stmt, extras, quiet)
            else:
                self.interrupted(stmt, leaps)
            self.code.span, self.code.cite = outer

    def captured(self, stmts: tuple[t.Stmt, ...]) -> tuple[Stmt, ...]:
        """Atomic statements as structured code."""
        assert self.code is not None
        outer, here = self.code.stmts, self.code.here
        self.code.stmts, self.code.here = [], 0
        for stmt in stmts:
            self.emit(*self.atomic(stmt))
        found = tuple(self.code.stmts)
        self.code.stmts, self.code.here = outer, here
        return found

    # ---------------------------------------------------------------- atomic statements
    def atomic(self, stmt: t.Stmt) -> tuple[Stmt, ...]:
        """Lowers a statement that nothing interrupts."""
        assert self.code is not None
        outer, here = self.code.stmts, self.code.here
        self.code.stmts, self.code.here = [], 0
        self._atomic(stmt)
        found = tuple(self.code.stmts)
        self.code.stmts, self.code.here = outer, here
        return found

    def _atomic(self, stmt: t.Stmt) -> None:
        env = self.env
        match stmt:
            case t.AssignStmt(target=t.LocalRef(symbol=symbol), value=value):
                self.emit(Let(env.numbers[symbol], self.expr(value, env)))
            case t.AssignStmt(target=t.FieldRef() as target, value=value):
                self._assign(stmt, target, value)
            case t.AddStmt():
                self._add(stmt)
            case t.MoveStmt():
                self._move(stmt)
            case t.OrderStmt(what=what, target=target, pile=pile):
                v = self.layout.of_field[target.symbol]
                at = self.index(target.owner, target.keys, target.symbol.keys, env)
                self.emit(
                    Store(
                        v,
                        at,
                        Binary(
                            "append" if pile == "bottom" else "prepend",
                            Load(v, at),
                            self.expr(what, env),
                            self.set_size(target.type),
                        ),
                    )
                )
            case t.LetStmt(symbol=symbol, value=value):
                lowered = self.expr(value, env)
                self.emit(Let(env.new(ir_type(self.model, symbol.type), symbol), lowered))
            case t.RequireStmt(origin=origin, condition=condition):
                self.check(self.expr(condition, env), origin, *self._said(origin))
            case t.LogStmt():
                self._log(stmt)
            case t.IfStmt(branches=branches, otherwise=otherwise):
                other = self.captured(otherwise)
                for condition, body in reversed(branches):
                    other = (If(self.expr(condition, env), self.captured(body), other),)
                self.emit(*other)
            case t.ForEachStmt(symbol=symbol, domain=domain, where=where, body=body):
                group = self.expr(domain, env)
                n = env.new(ir_type(self.model, symbol.type), symbol)
                test = self.expr(where, env) if where is not None else None
                inside = self.captured(body)
                self.emit(For(n, group, (If(test, inside),) if test is not None else inside))
            case t.HaveStmt(me=me, who=who, body=body):
                self._atomic_have(me, who, body)
            case _:
                raise AssertionError(stmt)

    def _said(self, origin: t.Origin) -> tuple[str, ...]:
        text = " ".join(origin.span.text().split())
        return (f"`{text[:80]}` does not hold" if text else "a condition does not hold",)

    def _log(self, stmt: t.LogStmt) -> None:
        said: list[str | Hole] = [part if isinstance(part, str) else self.hole(part) for part in stmt.parts]
        visible = (
            "actor" if any(self._is_secret(part) for part in stmt.parts if not isinstance(part, str)) else "everyone"
        )
        holes = [part.value for part in said if isinstance(part, Hole)]
        event = self._event(stmt.address, tuple(said), visible, stmt.origin)
        self.emit(Emit(event, (self.env.me, *holes)))

    def _is_secret(self, node: t.Expr) -> bool:
        return any(
            isinstance(part, t.ZoneRef) and part.symbol is not None and part.symbol.visibility == "owner"
            for part in parts(node)
        ) or any(isinstance(part, t.FieldRef) and part.symbol.visibility == "owner" for part in parts(node))

    def _event(self, address: str, said: tuple[str | Hole, ...], visible: str, origin: t.Origin) -> int:
        self.events.append(EventInfo(address, Template(said), visible, origin.span, origin.cite))  # type: ignore[arg-type]
        return len(self.events) - 1

    def _atomic_have(self, me: t.LocalSym, who: t.Expr, body: tuple[t.Stmt, ...]) -> None:
        env, outer = self.env, self.env.me
        group = self.expr(who, env)
        n = env.new(IntT(NOTHING, self.model.config.players - 1), me)
        env.me = Local(n)
        inside = self.captured(body)
        env.me = outer
        if isinstance(who.type, SetOf | OrderOf):
            self.emit(For(n, group, inside))
        elif isinstance(who.type, Maybe):
            self.emit(Let(n, group), If(Binary("ge", Local(n), Const(0)), inside))
        else:
            self.emit(Let(n, group), *inside)

    # ---------------------------------------------------------------- numbers
    def _bound(self, v: int, at: Expr, low: bool) -> Expr:
        ranges = self.layout.ranges[v]
        values = tuple(r[0] if low else r[1] for r in ranges)
        if len(set(values)) == 1:
            return Const(values[0])
        from_table = self.table(
            f"{self.layout.vars[v].address}.{'low' if low else 'high'}", IntT(min(values), max(values)), values
        )
        return Lookup(from_table, at)

    def _cell(self, ref: t.FieldRef) -> tuple[int, Expr]:
        symbol = ref.symbol
        at = self.index(ref.owner, ref.keys, symbol.keys, self.env)
        return self.layout.of_field[symbol], self.local(at)

    def _assign(self, stmt: t.AssignStmt, target: t.FieldRef, value: t.Expr) -> None:
        v, at = self._cell(target)
        lowered = self.expr(value, self.env)
        kind = target.symbol.type
        if isinstance(kind, Num):
            low, high = self._bound(v, at, True), self._bound(v, at, False)
            known = value.type if isinstance(value.type, Num) else None
            inside = (
                known is not None
                and isinstance(low, Const)
                and isinstance(high, Const)
                and low.value <= known.lo
                and known.hi <= high.value
            )
            if not inside:
                lowered = self.local(lowered)
                fits = And((Binary("ge", lowered, low), Binary("le", lowered, high)))
                self.check(fits, stmt.origin, f"{target.symbol.name} would leave its range")
        elif (
            isinstance(kind, SetOf)
            and isinstance(value.type, SetOf)
            and self.set_size(value.type) > self.set_size(kind)
        ):
            lowered = Binary(
                "inter", lowered, SetConst((1 << self.set_size(kind)) - 1, self.set_size(kind)), self.set_size(kind)
            )
        self.emit(Store(v, at, lowered))

    def _add(self, stmt: t.AddStmt) -> None:
        minus = self._cell(stmt.minus) if stmt.minus is not None else None
        plus = self._cell(stmt.plus) if stmt.plus is not None else None
        if stmt.amount is None:
            assert minus is not None
            low = self._bound(*minus, True)
            amount: Expr = Load(*minus) if low == Const(0) else Binary("sub", Load(*minus), low)
        else:
            amount = self.expr(stmt.amount, self.env)
        names = (stmt.minus or stmt.plus).symbol.name if (stmt.minus or stmt.plus) is not None else ""  # type: ignore[union-attr]
        if stmt.mode == "up_to":
            if minus is not None:
                low = self._bound(*minus, True)
                amount = Binary("min", amount, Load(*minus) if low == Const(0) else Binary("sub", Load(*minus), low))
            if plus is not None:
                amount = Binary("min", amount, Binary("sub", self._bound(*plus, False), Load(*plus)))
            amount = self.local(Binary("max", amount, Const(0)))
        else:
            amount = self.local(amount)
            kind = stmt.amount.type if stmt.amount is not None else None
            if isinstance(kind, Num) and kind.lo < 0:
                self.check(Binary("ge", amount, Const(0)), stmt.origin, "an amount is below 0")
        if minus is not None:
            if stmt.mode == "exactly":
                low = self._bound(*minus, True)
                there = Load(*minus) if low == Const(0) else Binary("sub", Load(*minus), low)
                self.check(
                    Binary("ge", there, amount),
                    stmt.origin,
                    f"not enough {names}: ",
                    Hole(amount, -1),
                    " needed, ",
                    Hole(Load(*minus), -1),
                    " there",
                )
            self.emit(Store(*minus, Binary("sub", Load(*minus), amount)))
        if plus is not None:
            if stmt.mode != "up_to":
                high = self._bound(*plus, False)
                self.check(
                    Binary("le", Binary("add", Load(*plus), amount), high),
                    stmt.origin,
                    f"no room for {names}: ",
                    Hole(Load(*plus), -1),
                    " there, ",
                    Hole(amount, -1),
                    " more, at most ",
                    Hole(high, -1),
                )
            self.emit(Store(*plus, Binary("add", Load(*plus), amount)))

    # ---------------------------------------------------------------- pieces
    def _move(self, stmt: t.MoveStmt) -> None:
        env, target = self.env, stmt.target
        v = self.layout.where[target.piece]
        what = self.expr(stmt.what, env)
        if stmt.pile is not None and target.symbol is not None and target.symbol.kind == "deck":
            self._move_on_deck(stmt, v, what)
            return
        if isinstance(stmt.what.type, SetOf | OrderOf):
            n = env.new(IntT(0, self.model.domains[target.piece].size - 1))
            inner = self._captured_move(v, Local(n), target, stmt.origin)
            self.emit(For(n, what, inner))
            return
        self._move_one(v, self.local(what), target, stmt.origin)

    def _captured_move(self, v: int, piece: Expr, target: t.ZoneRef, origin: t.Origin) -> tuple[Stmt, ...]:
        assert self.code is not None
        outer, here = self.code.stmts, self.code.here
        self.code.stmts, self.code.here = [], 0
        self._move_one(v, piece, target, origin)
        found = tuple(self.code.stmts)
        self.code.stmts, self.code.here = outer, here
        return found

    def _move_one(self, v: int, piece: Expr, target: t.ZoneRef, origin: t.Origin) -> None:
        number = self.zone_number(target, self.env)
        self._reset_level(piece, target)
        if target.symbol is not None and target.symbol.kind == "row":
            name = target.symbol.name
            if target.slot is not None:
                number = self.local(number)
                self.check(Unary("not", self._taken(v, number, target.piece)), origin, f"the slot of {name} is taken")
            else:
                number = self.local(self._first_slot(v, number, target))
                self.check(Binary("ge", number, Const(0)), origin, f"{name} is full")
        self.emit(Store(v, piece, number))

    # A deck keeps order only where the rules make it: every piece has a level, and the highest level is drawn from. What is put on
    # top gets a higher level than all there, at the bottom a lower one; moving into the deck shuffles it, so all get level 0.
    def level(self, piece: int) -> int | None:
        """The variable of the levels of a kind of piece; None where no rule puts one on a deck or below it."""
        if piece not in self.levels:
            self.levels[piece] = None
            moves = [x for body in self.model.code.values() for x in statements(body) if isinstance(x, t.MoveStmt)]
            if any(m.pile is not None and m.target.piece == piece and m.target.symbol is not None for m in moves):
                size = self.model.domains[piece].size
                name = f"@level.{self.model.domains[piece].name}"
                self.levels[piece] = self.layout.hidden(name, IntT(-MOST_LEVELS, MOST_LEVELS), 0, size)
        return self.levels[piece]

    def _in_deck(self, target: t.ZoneRef) -> Expr:
        return self.expr(replace(target, type=SetOf(Member(target.piece))), self.env)

    def _reset_level(self, piece: Expr, target: t.ZoneRef) -> None:
        level = self.level(target.piece)
        if level is None:
            return
        self.emit(Store(level, piece, Const(0)))
        if target.symbol is not None and target.symbol.kind == "deck":
            n = self.env.new(IntT(0, self.model.domains[target.piece].size - 1))
            self.emit(For(n, self._in_deck(target), (Store(level, Local(n), Const(0)),)))

    def _move_on_deck(self, stmt: t.MoveStmt, v: int, what: Expr) -> None:
        level = self.level(stmt.target.piece)
        assert level is not None
        size = self.model.domains[stmt.target.piece].size
        n = self.env.new(IntT(0, size - 1))
        deck = self._in_deck(stmt.target)
        top = stmt.pile == "top"
        edge = self.local(Query("highest" if top else "lowest", n, deck, None, Load(level, Local(n))))
        new = self.local(
            Select(Binary("eq", edge, Const(NO_NUMBER)), Const(0), Binary("add" if top else "sub", edge, Const(1)))
        )
        inside = And((Binary("le", new, Const(MOST_LEVELS)), Binary("ge", new, Const(-MOST_LEVELS))))
        self.check(inside, stmt.origin, "too many layers in this deck")
        pieces = what if isinstance(stmt.what.type, SetOf | OrderOf) else Unary("single", what, size)
        m = self.env.new(IntT(0, size - 1))
        self.emit(
            For(m, pieces, (Store(v, Local(m), self.zone_number(stmt.target, self.env)), Store(level, Local(m), new)))
        )

    def drawable(self, source: t.Expr) -> Expr:
        """What chance may take: of a deck with layers, the pieces of the highest one."""
        group = self.expr(source, self.env)
        if not isinstance(source, t.ZoneRef) or source.symbol is None or source.symbol.kind != "deck":
            return group
        level = self.level(source.piece)
        if level is None:
            return group
        size = self.model.domains[source.piece].size
        n = self.env.new(IntT(0, size - 1))
        return Best(n, group, (BestKey(True, Load(level, Local(n))),), size)

    def _taken(self, v: int, number: Expr, piece: int) -> Expr:
        domain = self.model.domains[piece]
        n = self.env.new(IntT(0, max(0, domain.size - 1)))
        return Query("any", n, SetConst(domain.full, domain.size), Binary("eq", Load(v, Local(n)), number))

    def _first_slot(self, v: int, first: Expr, target: t.ZoneRef) -> Expr:
        """Number of the first empty slot of a row, or NOTHING."""
        assert target.symbol is not None
        size = target.symbol.size
        slot = self.env.new(IntT(0, size))
        empty = Unary("not", self._taken(v, Binary("add", first, Local(slot)), target.piece))
        found = Query("first", slot, SetConst((1 << size) - 1, size), empty)
        kept = self.local(found)
        return Select(Binary("lt", kept, Const(0)), Const(NOTHING), Binary("add", first, kept))

    # ---------------------------------------------------------------- triggers
    def watch(self, stmts: tuple[t.Stmt, ...], origin: t.Origin) -> None:
        """Tests the triggers that watch what the statements may have written."""
        assert self.code is not None
        if self.code.quiet or self.code.here < 0:
            return
        written = self.touches.writes(stmts)
        if not written:
            return
        for trigger in self.model.triggers:
            if trigger.kind == "when" and written & self.touches.reads((trigger.condition, trigger.domain)):
                self._fire(trigger)

    def _fire(self, trigger: t.Trigger) -> None:
        v = self.trigger_sets[trigger.address]
        size = self._trigger_size(trigger)
        held = self.env.new(SetT(size))
        new = self.env.new(SetT(size))
        self.emit(Let(held, self.trigger_now(trigger, self.env)))
        self.emit(Let(new, Binary("minus", Local(held), Load(v, Const(0)), size)))
        kept: Expr = Binary("union", Local(held), Load(v, Const(0)), size) if trigger.once else Local(held)
        self.emit(Store(v, Const(0), kept))
        fire, after = self.new_block(), self.new_block()
        self.seal(Branch(Binary("gt", Unary("size", Local(new), size), Const(0)), fire, after))
        self.begin(fire)
        self.seal(Call(self.trigger_run(trigger), (self.env.me, Local(new)), after))
        self.begin(after)

    def _trigger_size(self, trigger: t.Trigger) -> int:
        return self.set_size(trigger.domain.type) if trigger.domain is not None else 1

    def trigger_now(self, trigger: t.Trigger, env: Env) -> Expr:
        """The instances for which a trigger's condition holds now."""
        assert trigger.condition is not None
        size = self._trigger_size(trigger)
        if trigger.domain is None or trigger.binder is None:
            return Select(self.expr(trigger.condition, env), SetConst(1, 1), SetConst(0, 1))
        outside = dict(env.numbers)  # the rule that is tested here may be the trigger's own, with the same names
        group = self.expr(trigger.domain, env)
        n = env.new(ir_type(self.model, trigger.binder.type), trigger.binder)
        found = Query("filter", n, group, self.expr(trigger.condition, env), None, size)
        env.numbers = outside
        return found

    def trigger_run(self, trigger: t.Trigger) -> int:
        """The procedure that performs a trigger for each of a set of instances, in an order the actor picks where it matters."""
        if trigger.address in self.trigger_runs:
            return self.trigger_runs[trigger.address]
        outer = self.code
        size = self._trigger_size(trigger)
        body = self.effect_id(trigger.body)
        p = self.extra_procedure(f"{trigger.address}.run", (), None, trigger.body.span)
        self.trigger_runs[trigger.address] = p
        env = self.env
        left = env.new(SetT(size))
        x = env.new(IntT(0, max(0, size - 1)))
        entry, done, some, plain, ask, run = (self.new_block() for _ in range(6))
        args = (Local(x),) if trigger.binder is not None else ()
        self.begin(entry)
        self.seal(Branch(Binary("gt", Unary("size", Local(left), size), Const(0)), some, done))
        self.begin(done)
        self.seal(Return())
        self.begin(some)
        if trigger.binder is None:
            self.jump(plain)
        else:
            one = Binary("eq", Unary("size", Local(left), size), Const(1))
            self.seal(Branch(Or((one, Alike(body, (env.me,), Local(left)))), plain, ask))
            self.begin(ask)
            kind = trigger.binder.type
            decision = self.decision(
                trigger.address,
                "pick",
                kind.domain if isinstance(kind, Member) else -1,
                (),
                (),
                "what comes first?",
                t.Origin(trigger.body.span, trigger.body.cite),
                False,
            )
            self.seal(Choose(env.me, x, Local(left), None, Probe(run), run, decision, (), False, True))
        self.begin(plain)
        self.emit(Let(x, Unary("first", Local(left))))
        self.jump(run)
        if trigger.binder is None:
            self.begin(ask)
            self.jump(run)
        self.begin(run)
        self.emit(Let(left, Binary("minus", Local(left), Unary("single", Local(x), size), size)))
        self.seal(Call(body, (env.me, *args), entry))
        self.close(p, entry, 2)
        self.code = outer
        return p

    def _after(self, trigger: t.Trigger, symbol: t.EffectSym) -> None:
        for own, param in zip(trigger.params, symbol.params, strict=False):
            self.env.numbers[own] = self.env.numbers[param]
        if trigger.me is not None:
            self.env.numbers[trigger.me] = 0
        fire, after = self.new_block(), self.new_block()
        if trigger.condition is not None:
            self.seal(Branch(self.expr(trigger.condition, self.env), fire, after))
        else:
            self.jump(fire)
        self.begin(fire)
        args = tuple(Local(self.env.numbers[p]) for p in trigger.params)
        self.seal(Call(self.effect_id(trigger.body), (self.env.me, *args), after))
        self.begin(after)

    # ---------------------------------------------------------------- decisions
    def decision(
        self,
        address: str,
        kind: str,
        domain: int,
        labels: tuple[str, ...],
        captions: tuple[str, ...],
        prompt: str | None,
        origin: t.Origin,
        numbered: bool = True,
    ) -> int:
        """Registers what is asked; an address that stands already gets a number."""
        if numbered:
            known = sum(1 for d in self.decisions if d.address == address or d.address.startswith(f"{address}~"))
            address = f"{address}~{known + 1}" if known else address
        template = Template((prompt,)) if prompt else None
        self.decisions.append(Decision(address, kind, domain, labels, captions, template, origin.span, origin.cite))  # type: ignore[arg-type]
        return len(self.decisions) - 1

    def _pick_decision(self, name: str, kind: Type, prompt: str | None, origin: t.Origin) -> int:
        assert self.code is not None
        domain = kind.domain if isinstance(kind, Member) else -1
        return self.decision(
            f"{self.code.address}.{name}", "pick" if domain >= 0 else "number", domain, (), (), prompt, origin
        )

    def _window_extras(self, back: int) -> tuple[Extra, ...]:
        assert self.code is not None
        found = []
        for effect, who in self.code.windows:
            b = self.new_block()
            outer = self.code.here, self.code.stmts
            self.begin(b)
            self.seal(Call(self.effect_id(effect), (self.env.me,), back))
            self.code.here, self.code.stmts = outer
            allowed = Binary("has", self.expr(who, self.env), self.env.me) if who is not None else None
            found.append(Extra(effect.address.split(".")[-1], allowed, b, Probe(b), True))
        return tuple(found)

    def _choose(self, stmt: t.ChooseStmt, extras: tuple[Extra, ...] = (), quiet: bool = False) -> None:
        if stmt.amount is not None and stmt.each is not None:
            self._choose_set(stmt, extras)
            return
        env = self.env
        assert self.code is not None
        if self.code.windows and self.code.fresh:
            here = self.new_block()
            self.jump(here)
            self.begin(here)
            extras = (*extras, *self._window_extras(here))
            self.code.fresh = False
        group = self.expr(stmt.domain, env)
        n = env.new(ir_type(self.model, stmt.symbol.type), stmt.symbol)
        where = self.expr(stmt.where, env) if stmt.where is not None else None
        after = self.new_block()
        decision = self._pick_decision(stmt.symbol.name, stmt.symbol.type, stmt.prompt, stmt.origin)
        if stmt.reasons:
            reasons = tuple(CheckInfo(Template((r.text,)), r.span, r.cite) for r in stmt.reasons)
            self.decisions[decision] = replace(self.decisions[decision], reasons=reasons)
        self.seal(Choose(env.me, n, group, where, Probe(after), after, decision, extras, quiet))
        self.begin(after)

    def _choose_set(self, stmt: t.ChooseStmt, extras: tuple[Extra, ...]) -> None:
        """A set of a given size, asked in rising order so that each set is one path."""
        env, each = self.env, stmt.each
        assert each is not None
        assert stmt.amount is not None
        size = self.set_size(stmt.symbol.type)
        kind = ir_type(self.model, each.type)
        amount = self.expr(stmt.amount, env)
        left, last = env.new(NUMBER), env.new(NUMBER)
        chosen = env.new(SetT(size), stmt.symbol)
        self.emit(Let(left, amount), Let(last, Const(-1)), Let(chosen, SetConst(0, size)))
        head, pick, taken, done = (self.new_block() for _ in range(4))
        self.jump(head)
        self.begin(head)
        self.seal(Branch(Binary("gt", Local(left), Const(0)), pick, done))
        self.begin(pick)
        group = self.expr(stmt.domain, env)
        behind = Binary("minus", group, Binary("range", Const(0), Local(last), size), size)
        n = env.new(kind, each)
        where = self.expr(stmt.where, env) if stmt.where is not None else None
        options = (*extras, Extra("done", None, done, Probe(done))) if stmt.up_to else extras
        decision = self._pick_decision(each.name, each.type, stmt.prompt, stmt.origin)
        self.seal(Choose(env.me, n, behind, where, Probe(taken), taken, decision, options, stmt.up_to and not extras))
        self.begin(taken)
        self.emit(
            Let(chosen, Binary("union", Local(chosen), Unary("single", Local(n), size), size)),
            Let(last, Local(n)),
            Let(left, Binary("sub", Local(left), Const(1))),
        )
        self.jump(head)
        self.begin(done)

    # ---------------------------------------------------------------- everything that is interrupted
    def interrupted(self, stmt: t.Stmt, leaps: Leaps) -> None:  # noqa: C901 - one case a kind of node
        """Lowers a statement that needs blocks of its own."""
        env = self.env
        match stmt:
            case t.ChooseStmt():
                self._choose(stmt)
            case t.DrawStmt():
                self._draw(stmt)
            case t.DealStmt():
                self._deal(stmt)
            case t.PerformStmt():
                self._perform(stmt)
            case t.AddStmt(routed=effect) if effect is not None:
                amount = self.expr(stmt.amount, env) if stmt.amount is not None else Const(0)
                args = [env.me, amount]
                if stmt.routed_key is not None:
                    args.insert(1, self.expr(stmt.routed_key, env))
                after = self.new_block()
                self.seal(Call(self.effect_id(effect), tuple(args[: 1 + len(effect.params)]), after))
                self.begin(after)
            case t.SpendStmt():
                self._spend(stmt)
            case t.EndStmt(what=what):
                self._end(what, leaps)
            case t.IfStmt():
                self._if(stmt, leaps)
            case t.ForEachStmt(symbol=symbol, domain=domain, where=where, body=body):
                n = env.new(ir_type(self.model, symbol.type), symbol)
                self._loop(n, self.expr(domain, env), domain.type, where, body, leaps, False)
            case t.HaveStmt():
                self._have(stmt, leaps)
            case t.MayStmt():
                self._may(stmt, leaps)
            case t.RepeatStmt():
                self._repeat(stmt, leaps)
            case t.WhileStmt(condition=condition, body=body):
                head, inside, done = (self.new_block() for _ in range(3))
                self.jump(head)
                self.begin(head)
                self.seal(Branch(self.expr(condition, env), inside, done))
                self.begin(inside)
                self.block(body, replace(leaps, loop=done))
                self.jump(head)
                self.begin(done)
            case t.AtOnceStmt():
                self._at_once(stmt)
            case t.WindowStmt():
                self._window(stmt, leaps)
            case t.AllocateStmt():
                self._allocate(stmt, leaps)
            case t.TurnsStmt():
                self._turns(stmt, leaps)
            case t.EitherStmt():
                self._either(stmt, leaps)
            case t.TryStmt(body=body, otherwise=otherwise):
                first, second, done = (self.new_block() for _ in range(3))
                self.seal(Branch(Probe(first), first, second))
                self.begin(first)
                self.block(body, leaps)
                self.jump(done)
                self.begin(second)
                self.block(otherwise, leaps)
                self.jump(done)
                self.begin(done)
            case _:
                raise AssertionError(stmt)

    def _end(self, what: str, leaps: Leaps) -> None:
        match what:
            case "game":
                self.seal(Halt())
            case "turn":
                self.jump(leaps.turn)
            case "loop":
                self.jump(leaps.loop)
            case _:
                assert self.code is not None
                if self._in_step():
                    self.emit(Store(self.leave, Const(0), Const(1)))
                self.jump(leaps.effect)

    def _in_step(self) -> bool:
        assert self.code is not None
        words = self.code.address.split(".")
        return words[0] in ("phases", "effects") and len(words) > 2

    def _if(self, stmt: t.IfStmt, leaps: Leaps) -> None:
        done = self.new_block()
        for condition, body in stmt.branches:
            then, other = self.new_block(), self.new_block()
            self.seal(Branch(self.expr(condition, self.env), then, other))
            self.begin(then)
            self.block(body, leaps)
            self.jump(done)
            self.begin(other)
        self.block(stmt.otherwise, leaps)
        self.jump(done)
        self.begin(done)

    def _loop(
        self,
        n: int,
        group: Expr,
        kind: Type,
        where: t.Expr | None,
        body: tuple[t.Stmt, ...],
        leaps: Leaps,
        commits: bool,
    ) -> None:
        """Goes through a set or order fixed at entry, with local n as its element."""
        env = self.env
        rest_type = ir_type(self.model, kind)
        rest = env.new(rest_type)
        is_order = isinstance(kind, OrderOf)
        size = self.set_size(kind)
        self.emit(Let(rest, group))
        head, inside, done = (self.new_block() for _ in range(3))
        self.jump(head)
        self.begin(head)
        some = Binary("gt", Unary("length" if is_order else "size", Local(rest), size), Const(0))
        self.seal(Branch(some, inside, done))
        self.begin(inside)
        self.emit(Let(n, Unary("first", Local(rest))))
        less = (
            Binary("drop", Local(rest), Local(n), size)
            if is_order
            else Binary("minus", Local(rest), Unary("single", Local(n), size), size)
        )
        self.emit(Let(rest, less))
        if where is not None:
            go = self.new_block()
            self.seal(Branch(self.expr(where, env), go, head))
            self.begin(go)
        self.block(body, replace(leaps, loop=done))
        if commits and self.code is not None and self.code.here >= 0:
            self.seal(Commit(head))
        self.jump(head)
        self.begin(done)

    def _have(self, stmt: t.HaveStmt, leaps: Leaps) -> None:
        env, outer = self.env, self.env.me
        group = self.expr(stmt.who, env)
        n = env.new(IntT(NOTHING, self.model.config.players - 1), stmt.me)
        if isinstance(stmt.who.type, SetOf | OrderOf):
            env.me = Local(n)
            self._loop(n, group, stmt.who.type, None, stmt.body, leaps, stmt.commits)
            env.me = outer
            return
        self.emit(Let(n, group))
        inside, done = self.new_block(), self.new_block()
        self.seal(Branch(Binary("ge", Local(n), Const(0)), inside, done))
        self.begin(inside)
        env.me = Local(n)
        self.block(stmt.body, replace(leaps, loop=done))
        env.me = outer
        if stmt.commits and self.code is not None and self.code.here >= 0:
            self.seal(Commit(done))
        self.jump(done)
        self.begin(done)

    def _labels(
        self, labels: tuple[str, ...], captions: tuple[str | None, ...], prompt: str | None, origin: t.Origin
    ) -> int:
        assert self.code is not None
        shown = tuple(
            c if c is not None else label.replace("_", " ") for c, label in zip(captions, labels, strict=True)
        )
        return self.decision(f"{self.code.address}.{'_or_'.join(labels)}", "label", -1, labels, shown, prompt, origin)

    def _may(self, stmt: t.MayStmt, leaps: Leaps) -> None:
        env = self.env
        n = env.new(IntT(0, 2**21))
        inside, done = self.new_block(), self.new_block()
        decision = self._labels((stmt.label,), (None,), stmt.prompt, stmt.origin)
        self.seal(
            Choose(
                env.me,
                n,
                SetConst(1, 1),
                None,
                Probe(inside),
                inside,
                decision,
                (Extra("no", None, done, Probe(done)),),
                True,
            )
        )
        self.begin(inside)
        self.block(stmt.body, leaps)
        self.jump(done)
        self.begin(done)

    def _either(self, stmt: t.EitherStmt, leaps: Leaps) -> None:
        env = self.env
        n = env.new(IntT(0, max(0, len(stmt.options) - 1)))
        count = len(stmt.options)
        where: Expr | None = None
        if any(o.condition is not None for o in stmt.options):
            where = Const(1)
            for number, option in reversed(list(enumerate(stmt.options))):
                test = self.expr(option.condition, env) if option.condition is not None else Const(1)
                where = Select(Binary("eq", Local(n), Const(number)), test, where)
        switch, done = self.new_block(), self.new_block()
        bodies = [self.new_block() for _ in stmt.options]
        decision = self._labels(
            tuple(o.label for o in stmt.options), tuple(o.prompt for o in stmt.options), None, stmt.origin
        )
        self.seal(Choose(env.me, n, SetConst((1 << count) - 1, count), where, Probe(switch), switch, decision))
        self.begin(switch)
        self.seal(Switch(Local(n), tuple(bodies)))
        for option, b in zip(stmt.options, bodies, strict=True):
            self.begin(b)
            self.block(option.body, leaps)
            self.jump(done)
        self.begin(done)

    def _repeat(self, stmt: t.RepeatStmt, leaps: Leaps) -> None:
        env = self.env
        head, inside, done = (self.new_block() for _ in range(3))
        left = -1
        if stmt.amount is not None:
            left = env.new(NUMBER)
            self.emit(Let(left, self.expr(stmt.amount, env)))
        self.jump(head)
        self.begin(head)
        if left >= 0:
            self.seal(Branch(Binary("gt", Local(left), Const(0)), inside, done))
        else:
            self.jump(inside)
        self.begin(inside)
        optional = stmt.amount is None or stmt.up_to
        extras = (Extra("done", None, done, Probe(done)),) if optional else ()
        if left >= 0:
            self.emit(Let(left, Binary("sub", Local(left), Const(1))))
        first = stmt.body[0] if stmt.body else None
        if optional and not (isinstance(first, t.ChooseStmt) and first.amount is None):
            n, body = env.new(IntT(0, 2**21)), self.new_block()
            decision = self._labels(("again",), (None,), None, stmt.origin)
            self.seal(Choose(env.me, n, SetConst(1, 1), None, Probe(body), body, decision, extras, True))
            self.begin(body)
            extras = ()
        self.block(stmt.body, replace(leaps, loop=done), extras, optional)
        self.jump(head)
        self.begin(done)

    # ---------------------------------------------------------------- calls
    def _perform(self, stmt: t.PerformStmt) -> None:
        env = self.env
        args = (env.me, *(self.expr(a, env) for a in stmt.args))
        after = self.new_block()
        if stmt.symbol is not None:
            self.seal(Call(self._variant(stmt.symbol), args, after))
            self.begin(after)
            if stmt.symbol.kind == "step" and not self._is_entry_step(stmt.symbol):
                gone, stay = self.new_block(), self.new_block()
                self.seal(Branch(Binary("eq", Load(self.leave, Const(0)), Const(1)), gone, stay))
                self.begin(gone)
                self.emit(Store(self.leave, Const(0), Const(0)))
                self.seal(Return())
                self.begin(stay)
            return
        assert stmt.value is not None
        targets = tuple(sorted(self.effect_id(c) for c in self.model.cells_of(stmt.value)))
        self.seal(CallEffect(self.expr(stmt.value, env), args, targets, after))
        self.begin(after)

    def _is_entry_step(self, symbol: t.EffectSym) -> bool:
        return symbol.address.split(".")[0] in ("setup", "play")

    def can(self, node: t.CanDo, env: Env) -> Expr:
        """A block that calls the effect and commits: if it can be completed, so can the effect."""
        assert self.code is not None
        outer = self.code.here, self.code.stmts
        b = self.new_block()
        self.begin(b)
        self._perform(node.call)
        end = self.new_block()
        self.seal(Commit(end))
        self.begin(end)
        self.seal(Return())
        self.code.here, self.code.stmts = outer
        return Probe(b)

    def _at_once(self, stmt: t.AtOnceStmt) -> None:
        env, outer = self.env, self.code
        assert outer is not None
        who = self.expr(stmt.who, env)
        used = [
            s for s in env.numbers if any(isinstance(p, t.LocalRef) and p.symbol is s for p in parts(_exprs(stmt.body)))
        ]
        inner_used = tuple(s for s in used if s is not stmt.me)
        given = tuple(Local(env.numbers[s]) for s in inner_used)
        p = self.extra_procedure(f"{outer.address}.at_once", inner_used, stmt.me, stmt.origin.span)
        assert self.code is not None
        self.code.quiet = outer.quiet
        entry, leave = self.new_block(), self.new_block()
        self.begin(entry)
        self.block(stmt.body, Leaps(effect=leave))
        self.jump(leave)
        self.begin(leave)
        self.seal(Return())
        self.close(p, entry, 1 + len(inner_used))
        self.code = outer
        after = self.new_block()
        self.seal(Fork(who, p, given, after))
        self.begin(after)

    def _window(self, stmt: t.WindowStmt, leaps: Leaps) -> None:
        """At each choice of the body that starts an action the effect's options stand beside; at its end they are offered once more."""
        assert self.code is not None
        outer, fresh, env = self.code.windows, self.code.fresh, self.env
        self.code.windows, self.code.fresh = (*outer, (stmt.effect, stmt.who)), True
        self.block(stmt.body, leaps)
        self.code.windows, self.code.fresh = outer, fresh
        if self.code.here < 0 or any(isinstance(s, t.TurnsStmt | t.HaveStmt) for s in stmt.body):
            return
        head, done, call = (self.new_block() for _ in range(3))
        self.jump(head)
        self.begin(head)
        n = env.new(IntT(0, 2**21))
        label = stmt.effect.address.split(".")[-1]
        address = f"{self.code.address}.{label}"
        decision = self.decision(
            address, "label", -1, (), (), f"anything more with {label.replace('_', ' ')}?", stmt.origin
        )
        allowed = Binary("has", self.expr(stmt.who, env), env.me) if stmt.who is not None else None
        free = Extra(label, allowed, call, Probe(call), True)
        self.seal(
            Choose(
                env.me,
                n,
                SetConst(0, 1),
                None,
                None,
                done,
                decision,
                (Extra("done", None, done, Probe(done)), free),
                True,
            )
        )
        self.begin(call)
        self.seal(Call(self.effect_id(stmt.effect), (env.me,), head))
        self.begin(done)

    def _variant(self, symbol: t.EffectSym) -> int:
        """An effect whose first choice stands in a window: a procedure of its own, so that the window's options are there."""
        assert self.code is not None
        windows = self.code.windows
        asks = any(isinstance(s, t.ChooseStmt) for s in statements(self.model.code.get(symbol, ())))
        if not windows or not self.code.fresh or not asks or any(who is not None for _, who in windows):
            return self.effect_id(symbol)
        self.code.fresh = False
        key = (symbol, windows)
        if key not in self.variants:
            self.procs.append(None)
            self.variants[key] = len(self.procs) - 1
            outer = self.code
            self._procedure(symbol, self.variants[key], windows)
            self.code = outer
        return self.variants[key]

    def _allocate(self, stmt: t.AllocateStmt, leaps: Leaps) -> None:
        """Each item in turn goes to one place or none; of a counted map each unit is an item."""
        env = self.env
        item_type = ir_type(self.model, stmt.item.type)
        n = env.new(item_type, stmt.item)
        choice = t.ChooseStmt(stmt.origin, stmt.place, stmt.places, stmt.where, None)
        body: tuple[t.Stmt, ...] = (choice, *stmt.body)
        repeat = t.RepeatStmt(stmt.origin, None, True, body)
        kind = stmt.items.type
        if not isinstance(kind, SetOf | OrderOf):
            group = self.expr(_keys_with_some(stmt.items, stmt.item), env)
            rest_kind: Type = SetOf(stmt.item.type) if isinstance(stmt.item.type, Num | Member) else kind
            self._loop(n, group, rest_kind, None, (repeat,), leaps, False)
            return
        once = t.RepeatStmt(stmt.origin, t.Const(Num(1, 1), 1), True, body)
        self._loop(n, self.expr(stmt.items, env), kind, None, (once,), leaps, False)

    def _spend(self, stmt: t.SpendStmt) -> None:
        """Unit by unit the payer chooses the place, in rising order; nothing is asked where one way is left."""
        env = self.env
        element = stmt.place_type
        size = self.model.size_of(element)
        left, last = env.new(NUMBER), env.new(NUMBER)
        n = env.new(ir_type(self.model, element))
        place = t.LocalSym("place", element, stmt.origin.span)
        env.numbers[place] = n
        self.emit(Let(left, self.expr(stmt.amount, env)), Let(last, Const(0)))
        there = self._spend_sum(stmt, place, self.expr(stmt.places, env))
        name = stmt.field.name
        self.check(
            Binary("ge", there, Local(left)),
            stmt.origin,
            f"not enough {name}: ",
            Hole(Local(left), -1),
            " needed, ",
            Hole(there, -1),
            " there",
        )
        head, pick, ask, only, taken, done = (self.new_block() for _ in range(6))
        self.jump(head)
        self.begin(head)
        self.seal(Branch(Binary("gt", Local(left), Const(0)), pick, done))
        self.begin(pick)
        group = env.new(SetT(size))
        counter = self._spend_cell(stmt, place)
        self.emit(
            Let(
                group,
                Binary(
                    "minus",
                    Query("filter", n, self.expr(stmt.places, env), Binary("gt", Load(*counter), Const(0)), None, size),
                    Binary("range", Const(0), Binary("sub", Local(last), Const(1)), size),
                    size,
                ),
            )
        )
        one = Binary("eq", Unary("size", Local(group), size), Const(1))
        self.seal(Branch(one, only, ask))
        self.begin(ask)
        decision = self._pick_decision(f"pay_{name}", element, "pay from where?", stmt.origin)
        behind = Binary("minus", Local(group), Binary("range", Const(0), Binary("sub", Local(n), Const(1)), size), size)
        other = t.LocalSym("place", element, stmt.origin.span)
        env.new(ir_type(self.model, element), other)
        enough = Binary("ge", self._spend_sum(stmt, other, behind), Local(left))
        self.seal(Choose(env.me, n, Local(group), enough, Probe(taken), taken, decision))
        self.begin(only)
        self.emit(Let(n, Unary("first", Local(group))))
        self.jump(taken)
        self.begin(taken)
        counter = self._spend_cell(stmt, place)
        self.emit(
            Store(*counter, Binary("sub", Load(*counter), Const(1))),
            Let(last, Local(n)),
            Let(left, Binary("sub", Local(left), Const(1))),
        )
        self.jump(head)
        self.begin(done)
        self.watch((stmt,), stmt.origin)

    def _spend_sum(self, stmt: t.SpendStmt, place: t.LocalSym, group: Expr) -> Expr:
        """What lies on the places of a set."""
        return Query("sum", self.env.numbers[place], group, None, Load(*self._spend_cell(stmt, place)))

    def _spend_cell(self, stmt: t.SpendStmt, place: t.LocalSym) -> tuple[int, Expr]:
        at = self.index(t.LocalRef(place.type, place), stmt.keys, stmt.field.keys, self.env)
        return self.layout.of_field[stmt.field], at

    # ---------------------------------------------------------------- chance
    def stream(self, name: str) -> int:
        """Number of a named source of chance."""
        if name not in self.streams:
            self.streams.append(name)
        return self.streams.index(name)

    def _draw(self, stmt: t.DrawStmt) -> None:
        env = self.env
        if stmt.amount is None or stmt.each is None:
            self._refill(stmt.domain)
            group = self.drawable(stmt.domain)
            n = env.new(ir_type(self.model, stmt.symbol.type), stmt.symbol)
            self._chance(n, group, stmt, stmt.symbol)
            return
        size = self.set_size(stmt.symbol.type)
        n = env.new(ir_type(self.model, stmt.each.type), stmt.each)
        drawn, left = env.new(SetT(size), stmt.symbol), env.new(NUMBER)
        self.emit(Let(left, self.expr(stmt.amount, env)), Let(drawn, SetConst(0, size)))
        head, pick, done = (self.new_block() for _ in range(3))
        self.jump(head)
        self.begin(head)
        group = Binary("minus", self.expr(stmt.domain, env), Local(drawn), size)
        more: Expr = Binary("gt", Local(left), Const(0))
        if stmt.up_to:
            more = And((more, Binary("gt", Unary("size", group, size), Const(0))))
        self.seal(Branch(more, pick, done))
        self.begin(pick)
        self._refill(stmt.domain)
        self._chance(n, Binary("minus", self.drawable(stmt.domain), Local(drawn), size), stmt, stmt.each)
        self.emit(
            Let(drawn, Binary("union", Local(drawn), Unary("single", Local(n), size), size)),
            Let(left, Binary("sub", Local(left), Const(1))),
        )
        self.jump(head)
        self.begin(done)

    def _chance(self, n: int, group: Expr, stmt: t.DrawStmt, symbol: t.LocalSym) -> None:
        env = self.env
        where = self.expr(stmt.where, env) if stmt.where is not None else None
        weight = self.expr(stmt.weight, env) if stmt.weight is not None else None
        after = self.new_block()
        decision = self._pick_decision(symbol.name, symbol.type, None, stmt.origin)
        self.seal(Chance(n, group, where, weight, after, self.stream(stmt.stream), decision))
        self.begin(after)

    def _refill(self, source: t.Expr) -> None:
        """An empty deck that is refilled takes the pieces of its other zone first."""
        if not isinstance(source, t.ZoneRef) or source.symbol is None or source.symbol.refilled_from is None:
            return
        other = next(
            (z for z in self.model.zones.values() if z.name == source.symbol.refilled_from and z.piece == source.piece),
            None,
        )
        if other is None:
            return
        env, size = self.env, self.model.domains[source.piece].size
        v = self.layout.where[source.piece]
        spare = t.ZoneRef(source.type, other, source.piece, source.owner if other.owner is not None else None)
        n = env.new(IntT(0, max(0, size - 1)))
        here = self.expr(source, env)
        move = For(n, self.expr(spare, env), (Store(v, Local(n), self.zone_number(source, env)),))
        self.emit(If(Binary("eq", Unary("size", here, size), Const(0)), (move,)))

    def _deal(self, stmt: t.DealStmt) -> None:
        env, source, target = self.env, stmt.source, stmt.target
        size = self.model.domains[source.piece].size
        v = self.layout.where[source.piece]
        assert source.symbol is not None
        left = env.new(NUMBER)
        self.emit(Let(left, self.expr(stmt.amount, env) if stmt.amount is not None else Const(2**30)))
        n = env.new(IntT(0, max(0, size - 1)))
        head, pick, done = (self.new_block() for _ in range(3))
        self.jump(head)
        self.begin(head)
        self.emit(*self._captured_refill(source, left))
        group = self.expr(source, env)
        more: Expr = Binary("gt", Local(left), Const(0))
        if stmt.up_to:
            more = And((more, Binary("gt", Unary("size", group, size), Const(0)), *self._has_room(v, target)))
        self.seal(Branch(more, pick, done))
        self.begin(pick)
        self._room_check(v, target, stmt.origin)
        after = self.new_block()
        decision = self._pick_decision(
            f"deal_to_{target.symbol.name if target.symbol is not None else 'box'}",
            Member(source.piece),
            None,
            stmt.origin,
        )
        self.seal(Chance(n, self.drawable(source), None, None, after, self.stream(source.symbol.address), decision))
        self.begin(after)
        self._move_one(v, Local(n), target, stmt.origin)
        move = t.MoveStmt(stmt.origin, t.Const(Member(source.piece), 0), target, None)
        self.emit(Let(left, Binary("sub", Local(left), Const(1))))
        self.watch((move,), stmt.origin)
        self.jump(head)
        self.begin(done)

    def _captured_refill(self, source: t.ZoneRef, left: int) -> tuple[Stmt, ...]:
        assert self.code is not None
        outer, here = self.code.stmts, self.code.here
        self.code.stmts, self.code.here = [], 0
        self._refill(source)
        found = tuple(self.code.stmts)
        self.code.stmts, self.code.here = outer, here
        return (If(Binary("gt", Local(left), Const(0)), found),) if found else ()

    def _has_room(self, v: int, target: t.ZoneRef) -> tuple[Expr, ...]:
        if target.symbol is None or target.symbol.kind != "row":
            return ()
        number = self.zone_number(target, self.env)
        if target.slot is not None:
            return (Unary("not", self._taken(v, number, target.piece)),)
        size = target.symbol.size
        slot = self.env.new(IntT(0, size))
        empty = Unary("not", self._taken(v, Binary("add", number, Local(slot)), target.piece))
        return (Query("any", slot, SetConst((1 << size) - 1, size), empty),)

    def _room_check(self, v: int, target: t.ZoneRef, origin: t.Origin) -> None:
        for test in self._has_room(v, target):
            self.check(test, origin, "no room left there")

    # ---------------------------------------------------------------- turns
    def _turns(self, stmt: t.TurnsStmt, leaps: Leaps) -> None:
        """The next to act is the first behind the actor in the order as it now stands; if the actor left it, their place stays."""
        env, outer = self.env, self.env.me
        players = self.model.config.players
        seat = IntT(NOTHING, players - 1)
        last, place = env.new(seat), env.new(IntT(0, players + 1))
        order, at = env.new(SeqT(players)), env.new(IntT(0, players + 1))
        n = env.new(seat, stmt.me)
        head, test, step, inside, over, done = (self.new_block() for _ in range(6))
        self.emit(Let(last, Const(NOTHING)), Let(place, Const(1)))
        if stmt.start is not None:
            start = self.local(self.expr(stmt.start, env), seat)
            self.emit(
                If(
                    Binary("ge", start, Const(0)),
                    (Let(place, Binary("max", Const(1), Binary("place", self._order(stmt.order), start))),),
                )
            )
        starter = Load(self.starter, Const(0))
        self.emit(
            If(
                Binary("ge", starter, Const(0)),
                (
                    Let(place, Binary("max", Const(1), Binary("place", self._order(stmt.order), starter))),
                    Store(self.starter, Const(0), Const(NOTHING)),
                ),
            )
        )
        self.jump(head)
        self.begin(head)
        if stmt.condition is not None:
            self.seal(Branch(self.expr(stmt.condition, env), test, done))
            self.begin(test)
        else:
            self.jump(test)
            self.begin(test)
        self.emit(Let(order, self._order(stmt.order)))
        self.seal(Branch(Binary("gt", Unary("length", Local(order)), Const(0)), step, done))
        self.begin(step)
        position = Binary("place", Local(order), Local(last))
        following = Select(Binary("gt", position, Const(0)), Binary("add", position, Const(1)), Local(place))
        self.emit(Let(at, Select(Binary("ge", Local(last), Const(0)), following, Local(place))))
        length = Unary("length", Local(order))
        self.emit(Let(at, Binary("add", Binary("mod", Binary("sub", Local(at), Const(1)), length), Const(1))))
        self.emit(Let(n, Binary("nth", Local(order), Local(at))), Let(last, Local(n)), Let(place, Local(at)))
        self.jump(inside)
        self.begin(inside)
        env.me = Local(n)
        assert self.code is not None
        self.code.fresh = True
        self.block(stmt.body, replace(leaps, turn=over, loop=done))
        env.me = outer
        self.jump(over)
        self.begin(over)
        self.seal(Commit(head))
        self.begin(done)

    def _order(self, node: t.Expr) -> Expr:
        lowered = self.expr(node, self.env)
        if isinstance(node.type, OrderOf):
            return lowered
        size = self.model.config.players
        n = self.env.new(IntT(0, size - 1))
        return Sort(n, lowered, (), size)


def _exprs(stmts: tuple[t.Stmt, ...]) -> tuple[t.Stmt, ...]:
    return stmts


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _keys_with_some(items: t.Expr, item: t.LocalSym) -> t.Expr:
    binder = t.LocalSym("key", item.type, item.span)
    ref = t.LocalRef(item.type, binder)
    kind = items.type
    value = getattr(kind, "value", Num(0, 0))
    assert isinstance(items, t.FieldRef)
    assert isinstance(item.type, Num | Member)
    inner = t.FieldRef(value, items.symbol, items.owner, (*items.keys, ref))
    low = item.type.lo if isinstance(item.type, Num) else 0
    high = item.type.hi + 1 if isinstance(item.type, Num) else 4096
    mask = (1 << min(high, 64)) - (1 << low)
    everything = t.SetConst(SetOf(item.type), mask)
    return t.Query(
        SetOf(item.type), "filter", binder, everything, t.Op(inner.type, "gt", (inner, t.Const(Num(0, 0), 0)))
    )
