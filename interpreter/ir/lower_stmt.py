"""Statements: typed trees to basic blocks.

What cannot be interrupted becomes structured statements inside a block (lower_atomic.py); a decision, chance point, call or leap ends
one. This module has the flow: procedures, loops, turns, calls, simultaneous play.
"""

from __future__ import annotations

from dataclasses import replace

from interpreter.ir.block_builder import Leaps, Windows
from interpreter.ir.effects_of import is_atomic
from interpreter.ir.ir_types import NOTHING, IntT, SeqT
from interpreter.ir.layout import ir_type
from interpreter.ir.lower_chance import ChanceLowering
from interpreter.ir.lower_expr import Env
from interpreter.ir.ops import (
    Binary,
    Branch,
    Call,
    CallEffect,
    Choose,
    Commit,
    Const,
    Emit,
    Expr,
    Extra,
    Fork,
    Halt,
    If,
    Let,
    Load,
    Local,
    Probe,
    Return,
    Select,
    SetConst,
    Sort,
    Store,
    Unary,
)
from interpreter.ir.program import Proc
from interpreter.model import typed as t
from interpreter.model.dsl_types import Member, Num, OrderOf, SetOf, Type
from interpreter.model.walk import inside, parts


class StmtLowering(ChanceLowering):
    """Lowers procedures."""

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

    def _procedure(self, symbol: t.EffectSym, p: int, windows: Windows) -> None:
        address = symbol.address
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
        if symbol.kind in ("phase", "entry") or symbol in self.flow_steps:
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
            if is_atomic(stmt) and not self._several_moments(stmt):
                self.emit(*self.atomic(stmt))
                self.watch((stmt,), stmt.origin)
            elif number == 0 and extras and isinstance(stmt, t.ChooseStmt):
                self._choose(stmt, extras, quiet)
            elif number == 0 and extras and isinstance(stmt, t.EitherStmt):
                self._either(stmt, leaps, extras, quiet)
            else:
                self.interrupted(stmt, leaps)
            self.code.span, self.code.cite = outer

    def _several_moments(self, stmt: t.Stmt) -> bool:
        """Whether a trigger watches what an `if` or `have` writes: each statement in it is then a moment of its own."""
        return isinstance(stmt, t.IfStmt | t.HaveStmt) and self.is_watched((stmt,))

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
        n = env.new(IntT(NOTHING, self.model.seats - 1), stmt.me)
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
        asks = any(isinstance(s, t.ChooseStmt) for s in inside(self.model.code.get(symbol, ())))
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

    # ---------------------------------------------------------------- turns
    def _turns(self, stmt: t.TurnsStmt, leaps: Leaps) -> None:
        """The next to act is the first behind the actor in the order as it now stands; if the actor left it, their place stays."""
        env, outer = self.env, self.env.me
        players = self.model.seats
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
        size = self.model.seats
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
