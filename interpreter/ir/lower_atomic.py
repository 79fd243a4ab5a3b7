"""Statements that nothing interrupts: stores, counted tokens, pieces, and loops and branches over these.

They become structured code inside one block. A store that could leave its range has a check before it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from interpreter.ir.block_builder import MOST_LEVELS, BlockBuilder
from interpreter.ir.ir_types import NO_NUMBER, NOTHING, IntT
from interpreter.ir.layout import ir_type
from interpreter.ir.ops import (
    And,
    Best,
    BestKey,
    Binary,
    Const,
    Emit,
    Expr,
    For,
    If,
    Let,
    Load,
    Local,
    Lookup,
    Query,
    Select,
    SetConst,
    Stmt,
    Store,
    Unary,
)
from interpreter.ir.program import EventInfo, Hole, Template
from interpreter.model import typed as t
from interpreter.model.dsl_types import Maybe, Member, Num, OrderOf, SetOf
from interpreter.model.plurals import same_noun, singular
from interpreter.model.walk import inside


class AtomicLowering(BlockBuilder):
    """Lowers atomic statements."""

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
        said = self._counting([part if isinstance(part, str) else self.hole(part) for part in stmt.parts])
        visible = "actor" if id(stmt) in self.model.told_to_actor else "everyone"
        holes = [part.value for part in said if isinstance(part, Hole)]
        origin = t.Origin(stmt.origin.span, stmt.origin.cite or self._carried_out(stmt.address))
        event = self._event(stmt.address, tuple(said), visible, origin)
        self.emit(Emit(event, (self.env.me, *holes)))

    def _counting(self, said: list[str | Hole]) -> list[str | Hole]:
        """A sentence where a number takes the noun behind it, if that names something of the game, so that one coin is no `1 coins`."""
        nouns = {name for _, name in self.model.fields} | {domain.name for domain in self.model.domains}
        for at, (number, behind) in enumerate(pairwise(tuple(said))):
            found = re.match(r" ([a-z_]+)", behind) if isinstance(behind, str) else None
            if found is None or not isinstance(number, Hole) or number.domain >= 0 or number.is_set:
                continue
            many = found.group(1)
            one = singular(many)
            if one and any(same_noun(one, noun) for noun in nouns):
                said[at : at + 2] = [replace(number, many=many, one=one), found.string[found.end() :]]
        return said

    def _carried_out(self, address: str) -> tuple[str, ...]:
        """The clauses of the routine that a sentence belongs to: its own, or else those of its lines."""
        symbol = next((s for s in self.model.code if s.address == address), None)
        if symbol is None or symbol.cite:
            return symbol.cite if symbol is not None else ()
        lines = (s.origin.cite for s in inside(self.model.code[symbol]))
        return tuple(dict.fromkeys(clause for cite in lines for clause in cite))

    def _event(self, address: str, said: tuple[str | Hole, ...], visible: str, origin: t.Origin) -> int:
        self.events.append(EventInfo(address, Template(said), visible, origin.span, origin.cite))  # type: ignore[arg-type]
        return len(self.events) - 1

    def _atomic_have(self, me: t.LocalSym, who: t.Expr, body: tuple[t.Stmt, ...]) -> None:
        env, outer = self.env, self.env.me
        group = self.expr(who, env)
        n = env.new(IntT(NOTHING, self.model.seats - 1), me)
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

    def _is_least(self, node: t.Expr, least: int) -> bool:
        """Whether a number is surely so much or more."""
        return isinstance(node.type, Num) and node.type.lo >= least and self.ranges.keeps(node)

    def _assign(self, stmt: t.AssignStmt, target: t.FieldRef, value: t.Expr) -> None:
        v, at = self._cell(target)
        lowered = self.expr(value, self.env)
        kind = target.symbol.type
        if isinstance(kind, Num):
            low, high = self._bound(v, at, True), self._bound(v, at, False)
            known = value.type if isinstance(value.type, Num) else None
            inside = (
                known is not None
                and self.ranges.keeps(value)
                and isinstance(low, Const)
                and isinstance(high, Const)
                and low.value <= known.lo
                and known.hi <= high.value
            )
            if not inside:
                lowered = self.local(lowered)
                fits = And((Binary("ge", lowered, low), Binary("le", lowered, high)))
                said = (f"{target.symbol.name} would be ", Hole(lowered, -1), ", and goes from ", Hole(low, -1), " to ")
                self.check(fits, stmt.origin, *said, Hole(high, -1))
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
            if stmt.amount is not None and not self._is_least(stmt.amount, 0):
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
        self._move_one(v, self.local(what), target, stmt.origin, sure=id(stmt) in self.sure_moves)

    def _captured_move(self, v: int, piece: Expr, target: t.ZoneRef, origin: t.Origin) -> tuple[Stmt, ...]:
        assert self.code is not None
        outer, here = self.code.stmts, self.code.here
        self.code.stmts, self.code.here = [], 0
        self._move_one(v, piece, target, origin)
        found = tuple(self.code.stmts)
        self.code.stmts, self.code.here = outer, here
        return found

    def _move_one(self, v: int, piece: Expr, target: t.ZoneRef, origin: t.Origin, *, sure: bool = False) -> None:
        """Moves one piece; `sure`: there is room."""
        number = self.zone_number(target, self.env)
        self._reset_level(piece, target)
        if target.symbol is not None and target.symbol.kind == "row":
            name = target.symbol.name
            if target.slot is not None:
                number = self.local(number)
                self._is_slot(target, origin)
                if not sure:
                    free = Unary("not", self._taken(v, number, target.piece))
                    self.check(free, origin, f"the slot of {name} is taken")
            else:
                number = self.local(self._first_slot(v, number, target))
                if not sure:
                    self.check(Binary("ge", number, Const(0)), origin, f"{name} is full")
        self.emit(Store(v, piece, number))

    def _is_slot(self, target: t.ZoneRef, origin: t.Origin) -> None:
        """A row has a slot of this number."""
        assert target.symbol is not None
        assert target.slot is not None
        size, slot = target.symbol.size, target.slot
        if self._is_least(slot, 1) and isinstance(slot.type, Num) and slot.type.hi <= size:
            return
        n = self.local(self.expr(slot, self.env))
        there = And((Binary("ge", n, Const(1)), Binary("le", n, Const(size))))
        self.check(there, origin, f"{target.symbol.name} has no slot ", Hole(n, -1), f"; they go from 1 to {size}")

    # A deck keeps order only where the rules make it: every piece has a level, and the highest level is drawn from. What is put on
    # top gets a higher level than all there, at the bottom a lower one; moving into the deck shuffles it, so all get level 0.
    def level(self, piece: int) -> int | None:
        """The variable of the levels of a kind of piece; None where no rule puts one on a deck or below it."""
        if piece not in self.levels:
            self.levels[piece] = None
            moves = [x for body in self.model.code.values() for x in inside(body) if isinstance(x, t.MoveStmt)]
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
        if not isinstance(source, t.ZoneRef):
            return group
        if source.given is None and (source.symbol is None or source.symbol.kind != "deck"):
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
