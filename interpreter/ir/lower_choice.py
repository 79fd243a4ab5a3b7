"""Decisions: choices of one or several, optional and repeated blocks, alternatives, payments from several places, windows."""

from __future__ import annotations

from dataclasses import replace

from interpreter.ir.block_builder import COUNT, NUMBER, Leaps
from interpreter.ir.ir_types import IntT, SetT
from interpreter.ir.layout import ir_type
from interpreter.ir.lower_trigger import TriggerLowering
from interpreter.ir.ops import (
    And,
    Binary,
    Branch,
    Call,
    Choose,
    Const,
    Expr,
    Extra,
    Let,
    Load,
    Local,
    Probe,
    Query,
    Select,
    SetConst,
    Store,
    Switch,
    Unary,
)
from interpreter.ir.program import CheckInfo, Hole, Template
from interpreter.model import typed as t
from interpreter.model.dsl_types import Member, Num, Type


class ChoiceLowering(TriggerLowering):
    """Lowers decisions."""

    def _pick_decision(self, name: str, kind: Type, prompt: str | None, origin: t.Origin) -> int:
        assert self.code is not None
        domain = kind.domain if isinstance(kind, Member) else -1
        return self.decision(
            f"{self.code.address}.{name}", "pick" if domain >= 0 else "number", domain, (), (), prompt, origin
        )

    def _labels(
        self, labels: tuple[str, ...], captions: tuple[str | None, ...], prompt: str | None, origin: t.Origin
    ) -> int:
        assert self.code is not None
        shown = tuple(
            c if c is not None else label.replace("_", " ") for c, label in zip(captions, labels, strict=True)
        )
        return self.decision(f"{self.code.address}.{'_or_'.join(labels)}", "label", -1, labels, shown, prompt, origin)

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
        if stmt.units:
            self._choose_units(stmt, extras)
            return
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
        left, last = env.new(COUNT), env.new(NUMBER)
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

    def _choose_units(self, stmt: t.ChooseStmt, extras: tuple[Extra, ...]) -> None:
        """Several of what is only counted, in rising order of the keys; what is left of each key bounds it."""
        env, each = self.env, stmt.each
        assert each is not None
        assert stmt.amount is not None
        size = self.model.size_of(each.type)
        low = each.type.lo if isinstance(each.type, Num) else 0
        left, last = env.new(COUNT), env.new(NUMBER)
        taken = [env.new(ir_type(self.model, unit.type), unit) for unit in stmt.units]
        self.emit(Let(left, self.expr(stmt.amount, env)), Let(last, Const(low)), *(Let(n, Const(0)) for n in taken))
        stock = [self.local(self.expr(item, env)) for item in stmt.stock]
        head, pick, more, done = (self.new_block() for _ in range(4))
        self.jump(head)
        self.begin(head)
        self.seal(Branch(Binary("gt", Local(left), Const(0)), pick, done))
        self.begin(pick)
        n = env.new(IntT(low, size - 1), each)
        room: Expr = Const(0)
        behind: Expr = Const(0)
        for i in range(len(stock) - 1, -1, -1):
            spare = Binary("sub", stock[i], Local(taken[i]))
            behind = Binary("add", spare, behind)
            fits = And((Binary("gt", spare, Const(0)), Const(1) if stmt.up_to else Binary("ge", behind, Local(left))))
            room = Select(Binary("eq", Local(n), Const(low + i)), fits, room)
        keys = ((1 << len(stock)) - 1) << low
        from_here = Binary(
            "minus", SetConst(keys, size), Binary("range", Const(0), Binary("sub", Local(last), Const(1)), size), size
        )
        options = (*extras, Extra("done", None, done, Probe(done))) if stmt.up_to else extras
        decision = self._pick_decision(each.name, each.type, stmt.prompt, stmt.origin)
        self.seal(Choose(env.me, n, from_here, room, Probe(more), more, decision, options, stmt.up_to and not extras))
        self.begin(more)
        for i, unit in enumerate(taken):
            self.emit(Let(unit, Binary("add", Local(unit), Binary("eq", Local(n), Const(low + i)))))
        self.emit(Let(last, Local(n)), Let(left, Binary("sub", Local(left), Const(1))))
        self.jump(head)
        self.begin(done)

    def _may(self, stmt: t.MayStmt, leaps: Leaps) -> None:
        env = self.env
        n = env.new(IntT(0, 2**21))
        inside, done = self.new_block(), self.new_block()
        decision = self._labels((stmt.label,), ("yes",), stmt.prompt, stmt.origin)
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

    def _either(self, stmt: t.EitherStmt, leaps: Leaps, extras: tuple[Extra, ...] = (), quiet: bool = False) -> None:
        env = self.env
        assert self.code is not None
        if self.code.windows and self.code.fresh:
            here = self.new_block()
            self.jump(here)
            self.begin(here)
            extras = (*extras, *self._window_extras(here))
            self.code.fresh = False
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
        labels = SetConst((1 << count) - 1, count)
        self.seal(Choose(env.me, n, labels, where, Probe(switch), switch, decision, extras, quiet))
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
            left = env.new(COUNT)
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
        joined = isinstance(first, t.EitherStmt) or (isinstance(first, t.ChooseStmt) and first.amount is None)
        if optional and not joined:
            n, body = env.new(IntT(0, 2**21)), self.new_block()
            decision = self._labels(("again",), (None,), None, stmt.origin)
            self.seal(Choose(env.me, n, SetConst(1, 1), None, Probe(body), body, decision, extras, True))
            self.begin(body)
            extras = ()
        self.block(stmt.body, replace(leaps, loop=done), extras, optional)
        self.jump(head)
        self.begin(done)

    # ---------------------------------------------------------------- payments
    def _spend(self, stmt: t.SpendStmt) -> None:
        """Unit by unit the payer chooses the place, in rising order; nothing is asked where one way is left."""
        env = self.env
        element = stmt.place_type
        size = self.model.size_of(element)
        left, last = env.new(COUNT), env.new(NUMBER)
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
