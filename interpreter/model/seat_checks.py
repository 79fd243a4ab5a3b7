"""Seats that act by script are never asked: every question that one of them may come to is refused.

In: a checked model. Out: diagnostics. The rules are gone through from set-up and play on, each effect once for each way in which it is
reached: who may act there, and which players its arguments may be. What a set or a condition tells about who acts is who_acts.py's
business; where nothing is told, anybody may act, and a question is refused. Where several instances of a trigger fall together a
seat that acts by script takes them in order, and chance draws for it; neither is a question.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from interpreter.model import typed as t
from interpreter.model.dsl_types import PLAYER
from interpreter.model.game_model import Model
from interpreter.model.walk import inside, is_quiet, own_parts, parts, state_written, watched
from interpreter.model.who_acts import Env, Seats, Who, is_about_players, joined, one_of
from interpreter.text.diagnostic import Related, Sink
from interpreter.text.source import Span


def check_seats(model: Model, sink: Sink) -> None:
    """Runs the check, if a seat acts by script."""
    if model.scripted:
        _Scripts(model).report(sink)


@dataclass(frozen=True, slots=True)
class _Way:
    """How a rule is reached: where the seat begins to act, and the last effect performed from there."""

    acts: Span | None = None
    call: Span | None = None


@dataclass(frozen=True, slots=True)
class _Question:
    """Something that a seat may be asked: where, by which rule, which seats, whether it is surely one that acts by script."""

    span: Span
    address: str
    seats: int
    surely: bool
    way: _Way


class _Scripts:
    """Goes through the rules of one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        bodies = model.code.values()
        stored = (s.target for body in bodies for s in inside(body) if isinstance(s, t.AssignStmt))
        self.seats = Seats(model, frozenset(r.symbol for r in stored if isinstance(r, t.LocalRef)))
        self.scripted = sum(1 << seat for seat in model.scripted)
        self.watched = watched(model)
        self.after = {x.effect: x for x in model.triggers if x.kind == "after"}
        self.met: set[tuple[object, ...]] = set()
        self.found: dict[Span, _Question] = {}
        self.here: t.EffectSym | None = None

    def report(self, sink: Sink) -> None:
        """Everything that is refused."""
        nobody = one_of(self.seats.nobody)
        for root in (self.model.setup, self.model.play):
            if root is not None:
                self._perform(root, nobody, (), _Way())
        for question in self.found.values():
            ids = [f"`{id}`" for seat, id in enumerate(self.model.domains[0].ids) if question.seats >> seat & 1]
            named, verb = " and ".join(ids), "act" if len(ids) > 1 else "acts"
            asked = "are" if len(ids) > 1 else "is"
            sink.error(
                "asks-scripted-seat",
                question.span,
                f"{named} {verb} by script, and {f'{asked} asked' if question.surely else 'may be asked'} here",
                label="asks whoever acts" if not question.surely else "asks it",
                help="let rules decide for it: `let` with a query, or `draw`"
                if question.surely
                else f"say first who acts: `if me = {ids[0].strip('`')}: …`, and ask in the `otherwise:`",
                related=tuple(
                    Related(span, text)
                    for span, text in ((question.way.acts, "begins to act here"), (question.way.call, "performed here"))
                    if span is not None
                ),
                address=question.address,
            )

    # ---------------------------------------------------------------- effects
    def _perform(self, symbol: t.EffectSym, me: Who, args: tuple[Who, ...], way: _Way) -> None:
        """One effect in one way, unless it was gone through so before."""
        known = {p: a for p, a in zip(symbol.params, args, strict=False) if is_about_players(p.type)}
        key = (symbol, me, *known.values())
        if key in self.met:
            return
        self.met.add(key)
        outer, self.here = self.here, symbol
        self._block(self.model.code.get(symbol, ()), symbol.me, {symbol.me: me, **known}, way)
        trigger = self.after.get(symbol)
        if trigger is not None:
            self._then(trigger, me, args, way)
        self.here = outer

    def _then(self, trigger: t.Trigger, me: Who, args: tuple[Who, ...], way: _Way) -> None:
        """The rule of an `after`."""
        env: Env | None = dict(zip(trigger.params, args, strict=False))
        if trigger.me is not None:
            env = {**(env or {}), trigger.me: me}
        if trigger.condition is not None:
            env = self.seats.narrowed(trigger.condition, env or {}, True)
        if env is not None:
            actor = env.get(trigger.me, me) if trigger.me is not None else me
            known = tuple(env.get(p, self.seats.open(p.type)) for p in trigger.params)
            self._perform(trigger.body, actor, known, _Way(way.acts, trigger.body.span))

    def _set_off(self, stmts: Iterable[t.Stmt], me: Who, env: Env, way: _Way) -> None:
        """The rules of triggers that watch what statements write: they act who acts there."""
        if self.here is None or is_quiet(self.here):
            return
        for stmt in stmts:
            written = state_written(stmt)
            for trigger, read in self.watched if written else ():
                if not written & read:
                    continue
                known = tuple(self.seats.open(p.type) for p in trigger.body.params)
                if trigger.binder is not None and trigger.domain is not None and trigger.binder.type == PLAYER:
                    fits = self.seats.chosen(trigger.binder, trigger.domain, trigger.condition, env)
                    known = (one_of(fits.may),)
                self._perform(trigger.body, me, known, _Way(way.acts, stmt.origin.span))

    def _call(self, stmt: t.PerformStmt, me: t.LocalSym, env: Env, way: _Way) -> None:
        cells = self.model.cells_of(stmt.value) if stmt.value is not None else ()
        targets = (stmt.symbol,) if stmt.symbol is not None else cells
        args = tuple(self.seats.value(a, env) if is_about_players(a.type) else Who(0, 0) for a in stmt.args)
        for target in targets:
            self._perform(target, env[me], args, _Way(way.acts, stmt.origin.span))

    def _ask(self, span: Span, me: t.LocalSym, env: Env, way: _Way) -> None:
        """A question to whoever acts; the surest finding of a place is kept."""
        who = env[me].may & self.seats.all
        if not who & self.scripted or self.here is None:
            return
        question = _Question(span, self.here.address, who & self.scripted, not who & ~self.scripted, way)
        if span not in self.found or (question.surely and not self.found[span].surely):
            self.found[span] = question

    # ---------------------------------------------------------------- statements
    def _block(self, body: tuple[t.Stmt, ...], me: t.LocalSym, env: Env, way: _Way) -> Env | None:
        """Statements in order; gives what is known behind them, None if nothing comes there."""
        known: Env | None = env
        for stmt in body:
            if known is None:
                return None
            for part in parts(own_parts(stmt)):
                if isinstance(part, t.CanDo):
                    self._call(part.call, me, known, way)
            self._set_off((stmt,), known[me], known, way)
            known = self._stmt(stmt, me, known, way)
        return known

    def _stmt(  # noqa: C901 - one case a kind of statement
        self, stmt: t.Stmt, me: t.LocalSym, env: Env, way: _Way
    ) -> Env | None:
        match stmt:
            case t.ChooseStmt(symbol=symbol):
                self._ask(symbol.span, me, env, way)
                return self._bound(stmt, env)
            case t.DrawStmt():
                return self._bound(stmt, env)
            case t.SpendStmt(origin=origin):
                self._ask(origin.span, me, env, way)
            case t.PerformStmt():
                self._call(stmt, me, env, way)
            case t.AddStmt(routed=effect, origin=origin) if effect is not None:
                args = tuple(self.seats.open(p.type) for p in effect.params)
                self._perform(effect, env[me], args, _Way(way.acts, origin.span))
            case t.LetStmt(symbol=symbol, value=value) if is_about_players(symbol.type):
                return {**env, symbol: self.seats.value(value, env)}
            case t.RequireStmt(condition=condition):
                return self.seats.narrowed(condition, env, True)
            case t.EndStmt():
                return None
            case t.IfStmt():
                return self._if(stmt, me, env, way)
            case t.HaveStmt(me=actor, who=who, body=body) | t.AtOnceStmt(me=actor, who=who, body=body):
                self._act(stmt, actor, who, body, env)
            case t.TurnsStmt(me=actor, order=order, body=body):
                self._act(stmt, actor, order, body, env)
            case t.ForEachStmt(symbol=symbol, domain=domain, where=where, body=body):
                self._set_off(inside(body), env[me], env, way)  # what is done for each may be a single moment
                inner: Env | None = env
                if symbol.type == PLAYER:
                    inner = {**env, symbol: one_of(self.seats.value(domain, env).may)}
                if where is not None and inner is not None:
                    inner = self.seats.narrowed(where, inner, True)
                if inner is not None:
                    self._block(body, me, inner, way)
            case t.MayStmt(origin=origin, body=body):
                self._ask(origin.span, me, env, way)
                return joined(env, self._block(body, me, env, way))
            case t.RepeatStmt(origin=origin, body=body):
                if stmt.amount is None or stmt.up_to:
                    self._ask(origin.span, me, env, way)
                self._block(body, me, env, way)
            case t.WhileStmt(condition=condition, body=body):
                inner = self.seats.narrowed(condition, env, True)
                if inner is not None:
                    self._block(body, me, inner, way)
            case t.AllocateStmt(origin=origin, body=body):
                self._ask(origin.span, me, env, way)
                self._block(body, me, env, way)
            case t.WindowStmt(effect=effect, who=who, body=body, origin=origin):
                # Its effect stands beside the options of a choice, and nobody by script comes to one. Behind the body it is offered
                # once more, unless others act in there.
                guests = (self.seats.value(who, env) if who is not None else env[me]).may & ~self.scripted
                self._perform(effect, one_of(guests), (), _Way(way.acts, origin.span))
                after = self._block(body, me, env, way)
                if after is not None and not any(isinstance(s, t.TurnsStmt | t.HaveStmt) for s in body):
                    self._ask(origin.span, me, after, way)
                return after
            case t.EitherStmt(origin=origin, options=options):
                self._ask(origin.span, me, env, way)
                after = None
                for option in options:
                    inner = self.seats.narrowed(option.condition, env, True) if option.condition is not None else env
                    after = joined(after, self._block(option.body, me, inner, way) if inner is not None else None)
                return after
            case t.TryStmt(body=body, otherwise=otherwise):
                return joined(self._block(body, me, env, way), self._block(otherwise, me, env, way))
            case _:
                pass
        return env

    def _bound(self, stmt: t.ChooseStmt | t.DrawStmt, env: Env) -> Env:
        """With what is known of a chosen or drawn player."""
        if stmt.symbol.type != PLAYER or stmt.each is not None:
            return env
        return {**env, stmt.symbol: one_of(self.seats.chosen(stmt.symbol, stmt.domain, stmt.where, env).may)}

    def _if(self, stmt: t.IfStmt, me: t.LocalSym, env: Env, way: _Way) -> Env | None:
        after: Env | None = None
        rest: Env | None = env
        for condition, body in stmt.branches:
            if rest is None:
                break
            inner = self.seats.narrowed(condition, rest, True)
            after = joined(after, self._block(body, me, inner, way) if inner is not None else None)
            rest = self.seats.narrowed(condition, rest, False)
        return joined(after, self._block(stmt.otherwise, me, rest, way) if rest is not None else None)

    def _act(self, stmt: t.Stmt, actor: t.LocalSym, who: t.Expr, body: tuple[t.Stmt, ...], env: Env) -> None:
        """Others act: each of a set in turn, or one."""
        may = self.seats.value(who, env).may & self.seats.all
        if may:
            self._block(body, actor, {**env, actor: one_of(may)}, _Way(stmt.origin.span))
