"""Chance: draws, deals and refilled decks."""

from __future__ import annotations

from interpreter.ir.block_builder import COUNT
from interpreter.ir.ir_types import IntT, SetT
from interpreter.ir.layout import ir_type
from interpreter.ir.lower_choice import ChoiceLowering
from interpreter.ir.ops import (
    And,
    Binary,
    Branch,
    Chance,
    Const,
    Expr,
    For,
    If,
    Let,
    Local,
    Query,
    SetConst,
    Stmt,
    Store,
    Unary,
)
from interpreter.model import typed as t
from interpreter.model.dsl_types import Member


class ChanceLowering(ChoiceLowering):
    """Lowers chance."""

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
        drawn, left = env.new(SetT(size), stmt.symbol), env.new(COUNT)
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
        if isinstance(source, t.ZoneRef) and source.given is not None:
            self._refill_given(source)
            return
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

    def _refill_given(self, source: t.ZoneRef) -> None:
        """The same for a deck that an argument names: whichever it is."""
        assert source.given is not None
        number = self.expr(source.given, self.env)
        for symbol in self.model.zones.values():
            if (
                symbol.piece != source.piece
                or symbol.kind != "deck"
                or symbol.refilled_from is None
                or symbol.owner is not None
            ):
                continue
            one = t.ZoneRef(source.type, symbol, source.piece, None)
            assert self.code is not None
            outer, here = self.code.stmts, self.code.here
            self.code.stmts, self.code.here = [], 0
            self._refill(one)
            inside = tuple(self.code.stmts)
            self.code.stmts, self.code.here = outer, here
            self.emit(If(Binary("eq", number, self.zone_number(one, self.env)), inside))

    def _deal(self, stmt: t.DealStmt) -> None:
        env, source, target = self.env, stmt.source, stmt.target
        size = self.model.domains[source.piece].size
        v = self.layout.where[source.piece]
        left = env.new(COUNT)
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
        if not stmt.up_to and id(stmt) not in self.sure_moves:
            self._room_check(v, target, stmt.origin)
        after = self.new_block()
        decision = self._pick_decision(
            f"deal_to_{target.symbol.name if target.symbol is not None else 'box'}",
            Member(source.piece),
            None,
            stmt.origin,
        )
        stream = source.symbol.address if source.symbol is not None else self.decisions[decision].address
        drawn = self.drawable(source)
        self.seal(Chance(n, drawn, None, None, after, self.stream(stream), decision, sure=stmt.up_to))
        self.begin(after)
        self._move_one(v, Local(n), target, stmt.origin, sure=True)
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
