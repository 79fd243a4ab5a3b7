"""Sense of a whole game: what is well typed and still cannot be meant.

In: a checked model. Out: diagnostics for phases that nothing reaches, effects and functions that nothing uses, choices that may find
nothing where no earlier choice answers for them, and stores that may not fit there. Tries that cannot fail are found by try_checks.py, what
goes on for ever by loop_checks.py, who is asked and must not be by seat_checks.py, what a choice would give away by secret_checks.py, what
players may not do at once by at_once_checks.py.
"""

from __future__ import annotations

from interpreter.model import typed as t
from interpreter.model.actor_checks import check_actors
from interpreter.model.at_once_checks import check_at_once
from interpreter.model.call_graph import CallGraph
from interpreter.model.dsl_types import Num
from interpreter.model.flow import flow_steps
from interpreter.model.game_model import Model, known_everywhere
from interpreter.model.loop_checks import check_loops
from interpreter.model.nested_at_once import check_nesting
from interpreter.model.range_checks import check_ranges
from interpreter.model.seat_checks import check_seats
from interpreter.model.secret_checks import check_secrets
from interpreter.model.trade_checks import check_trades
from interpreter.model.try_checks import check_tries, finds_enough
from interpreter.model.walk import (
    inside,
    is_quiet,
    parts,
    state_read,
    state_written,
)
from interpreter.syntax import nodes as syn
from interpreter.syntax.definition import TextDoc
from interpreter.text.diagnostic import Related, Sink
from interpreter.text.limits import CALLS, refuse
from interpreter.text.source import Span
from interpreter.text.suggest import nearest

# A gain that is less than this part of what there is room for is taken to have room.
SMALL_STEP = 8
# In how many different ways an effect may be reached, as far as conditions on the way go, before no more are looked at.
MOST_WAYS = 50


def check_rules(model: Model, sink: Sink) -> None:
    """Runs every check."""
    if sink.has_errors:
        return
    Sense(model, sink).run()


class Sense:
    """The checks over one model."""

    def __init__(self, model: Model, sink: Sink) -> None:
        self.model = model
        self.sink = sink
        self.graph = CallGraph(model)
        self.walked: dict[t.EffectSym, dict[tuple[bool, frozenset[object]], bool]] = {}

    def run(self) -> None:
        """All checks, each on its own, unless effects perform one another so deep that no check follows them."""
        depths = self.graph.depths()
        if first := next((symbol for symbol, depth in depths.items() if depth == CALLS.most + 1), None):
            refuse(self.sink, first.span, CALLS, max(depths.values()))
            return
        check_actors(self.model, self.sink)
        check_nesting(self.model, self.graph, self.sink)
        check_loops(self.model, self.graph, self.sink)
        check_trades(self.model, self.sink)
        check_seats(self.model, self.sink)
        check_ranges(self.model, self.sink)
        check_tries(self.model, self.sink)
        self._unused()
        check_secrets(self.model, self.sink)
        self._stuck()
        self._dead_triggers()
        check_at_once(self.model, self.sink)
        self._texts()

    # ---------------------------------------------------------------- what nothing uses
    def _unused(self) -> None:
        roots = [s for s in (self.model.setup, self.model.play) if s is not None]
        roots += [x.body for x in self.model.triggers]
        roots += [s for s in self.model.code if s.kind == "cell" or s.address.startswith("@")]
        roots += [
            s
            for f in self.model.fields.values()
            if f.gained_by
            for s in (self.model.effects.get(f.gained_by),)
            if s is not None
        ]
        reached: set[t.EffectSym] = set()
        todo = list(roots)
        while todo:
            here = todo.pop()
            if here not in reached:
                reached.add(here)
                todo.extend(self.graph.calls.get(here, ()))
        for name, symbol in self.model.effects.items():
            if symbol in reached or symbol.kind == "step" or name.startswith("@"):
                continue
            if symbol.kind == "phase":
                self.sink.error(
                    "phase-unreached",
                    symbol.span,
                    f"nothing performs the phase `{name}`",
                    label="never begins",
                    help=f"write `perform {name}` in `play:`, or take the phase out",
                    address=symbol.address,
                )
            else:
                self.sink.warning(
                    "unused-effect",
                    symbol.span,
                    f"nothing performs the effect `{name}`",
                    label="never performed",
                    address=symbol.address,
                )
        used = self._functions_used()
        for name in self.model.functions:
            if name not in used:
                self.sink.warning(
                    "unused-function",
                    self.model.definition.functions[name].name_span,
                    f"nothing uses the function `{name}`",
                    label="never used",
                    address=f"functions.{name}",
                )

    def _functions_used(self) -> set[str]:
        names: set[str] = set()
        todo: list[object] = [*self.model.code.values()]
        todo += [(x.condition, x.domain) for x in self.model.triggers]
        todo += [(b.low, b.high, b.default) for b in self.model.bounds.values()]
        todo += [d[1] for d in self.model.zone_defaults.values() if d is not None]
        todo += [c for g in self.model.graphs.values() for _, _, c in g.guarded]
        todo += [self.model.bodies[f] for f in self.model.formulas]
        todo += [self.model.bodies[f] for _, f, _ in self.model.terms]
        todo += [
            self.model.bodies[f] for f in (self.model.winners, self.model.payoff, self.model.total) if f is not None
        ]
        todo += [(a.by, a.bound, a.condition) for many in self.model.adjustments.values() for a in many]
        todo += [self.model.bodies[f] for f in self.model.probes.values()]
        while todo:
            for part in parts(todo.pop()):
                if isinstance(part, t.Apply) and part.symbol.name not in names:
                    names.add(part.symbol.name)
                    if self.model.functions.get(part.symbol.name) is part.symbol:
                        todo.append(self.model.bodies[part.symbol])
        return names

    # ---------------------------------------------------------------- triggers that never fire
    def _dead_triggers(self) -> None:
        """A trigger's condition must read something that a rule outside set-up can write."""
        setup = {s for s in self.model.code if s.address.split(".")[0] == "setup"}
        written: set[object] = set()
        for symbol, body in self.model.code.items():
            if symbol not in setup:
                for stmt in inside(body):
                    written |= state_written(stmt)
        for trigger in self.model.triggers:
            if trigger.kind == "when" and not state_read(self.model, (trigger.condition, trigger.domain)) & written:
                self.sink.error(
                    "never-changes",
                    trigger.body.span,
                    "nothing after set-up can make this condition true",
                    label="never fires",
                    help="let a rule change what it reads, or take the trigger out",
                    address=trigger.address,
                )

    # ---------------------------------------------------------------- sentences
    def _texts(self) -> None:
        """A sentence must belong to something that is performed, and all its names must be known there at some moment; what has no holes
        may be the name of a thing instead."""
        said = {s.address for body in self.model.code.values() for s in inside(body) if isinstance(s, t.LogStmt)}
        performed = {s.address for s in self.model.code}
        named = {id_ for domain in self.model.domains for id_ in domain.ids}
        named |= {row.id for table in self.model.definition.tables.values() for row in table.rows}
        for text in self.model.definition.texts.values():
            plain = all(isinstance(p, str) for p in text.parts)
            if text.address in said or (plain and (text.address in named or text.address in performed)):
                continue
            if text.address in performed:
                hole = self._unknown_hole(text)
                told = f"this sentence names what `{text.address}` never knows"
                self.sink.warning(
                    "never-said",
                    hole.span if hole is not None else text.span,
                    told
                    if hole is None
                    else f"`{text.address}` never knows `{hole.id}`, so this sentence is never said",
                    label="is never said" if hole is None else "nothing is called so there",
                    help="name only who acts, arguments, and what the rule itself chooses, draws or lets be",
                    address=f"text.{text.address}",
                )
                continue
            near = nearest(text.address, performed | named if plain else performed)
            what = "nothing has the name or the address" if plain else "nothing that is performed has the address"
            self.sink.warning(
                "never-said",
                text.key_span or text.span,
                f"{what} `{text.address}`",
                label="is never said",
                help=f"did you mean `{near}`?" if near else "",
                address=f"text.{text.address}",
            )

    def _unknown_hole(self, text: TextDoc) -> syn.Name | None:
        """The first name in a sentence's holes that nothing in its routine has."""
        bound = known_everywhere(self.model) | {"me"}
        for symbol, body in self.model.code.items():
            if symbol.address == text.address:
                bound |= {p.name for p in (*symbol.params, *symbol.declared)}
                for stmt in inside(body):
                    held = (getattr(stmt, f) for f in type(stmt).__dataclass_fields__)
                    bound |= {v.name for v in held if isinstance(v, t.LocalSym)}
        names = (n for part in text.parts for n in parts(part) if isinstance(n, syn.Name))
        return next((n for n in names if n.id not in bound), None)

    # ---------------------------------------------------------------- stuck
    def _stuck(self) -> None:
        """A choice that may find nothing needs an earlier choice of its compound action, or a `try`, to answer for it."""
        steps = flow_steps(self.model)
        for symbol, body in self.model.code.items():
            if symbol.kind in ("phase", "entry") or symbol in steps:
                self._stuck_in(symbol, body, False)

    def _stuck_in(
        self,
        symbol: t.EffectSym,
        body: tuple[t.Stmt, ...],
        covered: bool,
        seen: frozenset[t.EffectSym] = frozenset(),
        tested: frozenset[object] = frozenset(),
        via: Span | None = None,
    ) -> bool:
        """Walks a block; gives whether a choice that answers for what follows has been made. `tested` is the state that conditions
        on the way here have asked for, `put` what the block itself has put somewhere, which is there then, `via` the first statement on
        the way that performs an effect."""
        put: set[object] = set()
        for stmt in body:
            put |= _surely_put(stmt)
            match stmt:
                case t.AddStmt() if not covered:
                    self._misfit(symbol, stmt, tested)
                case t.RequireStmt(condition=condition):
                    if not covered and not is_quiet(symbol):
                        self.sink.warning(
                            "may-not-hold",
                            stmt.origin.span,
                            "this may not hold, and no option leads here",
                            label="would stop the game",
                            help="test it with `if`, or let it follow a choice",
                            address=symbol.address,
                        )
                    tested |= state_read(self.model, condition)
                case t.ChooseStmt(domain=domain, where=where, stock=stock):
                    wanted = state_read(self.model, (domain, where, stock))
                    excused = bool(wanted & (tested | put))
                    tested |= wanted
                    if excused and not covered:
                        continue  # it finds something, but that does not answer for what follows
                    if not covered and not stmt.up_to and not finds_enough(stmt):
                        self.sink.error(
                            "may-find-nothing",
                            stmt.symbol.span,
                            f"there may be nothing to choose for `{stmt.symbol.name}`",
                            label="no earlier choice and no `try` answers for it",
                            help=_asked_first(stmt),
                            related=(Related(via, "performed here without a choice before it"),) if via else (),
                            address=symbol.address,
                        )
                    covered = True
                case t.EitherStmt(options=options):
                    covered = covered or bool(options)
                case t.TryStmt(otherwise=otherwise):
                    covered = self._stuck_in(symbol, otherwise, covered, seen, tested, via) or covered
                case t.RepeatStmt(amount=amount, up_to=up_to) if amount is not None and not up_to:
                    covered = self._stuck_in(symbol, stmt.body, covered, seen, tested, via) or covered
                case t.MayStmt() | t.RepeatStmt():
                    continue
                case t.IfStmt(branches=branches, otherwise=otherwise):
                    for condition, inner in branches:
                        asked = tested = tested | state_read(self.model, condition)
                        self._stuck_in(symbol, inner, covered, seen, asked, via)
                    self._stuck_in(symbol, otherwise, covered, seen, tested, via)
                case t.TurnsStmt(condition=condition):
                    asked = tested | state_read(self.model, condition)
                    self._stuck_in(symbol, stmt.body, False, seen, asked, via)
                case t.WhileStmt(condition=condition):
                    asked = tested | state_read(self.model, condition)
                    self._stuck_in(symbol, stmt.body, covered, seen, asked, via)
                case t.HaveStmt(who=who):
                    asked = tested | state_read(self.model, who)
                    self._stuck_in(symbol, stmt.body, covered and not stmt.commits, seen, asked, via)
                case t.ForEachStmt(domain=domain, where=where):
                    asked = tested | state_read(self.model, (domain, where))
                    self._stuck_in(symbol, stmt.body, covered, seen, asked, via)
                case t.AtOnceStmt() | t.WindowStmt():
                    self._stuck_in(symbol, stmt.body, covered, seen, tested, via)
                case t.PerformStmt(symbol=target) if target is not None and target.kind == "effect":
                    covered = self._stuck_within(target, covered, seen, tested, via or stmt.origin.span) or covered
                case _:
                    continue
        return covered

    def _stuck_within(
        self, target: t.EffectSym, covered: bool, seen: frozenset[t.EffectSym], tested: frozenset[object], via: Span
    ) -> bool:
        """The same of an effect that is performed; what was found out of it before is not found out again, however often it is
        performed."""
        if target in seen:
            return covered
        known = self.walked.setdefault(target, {})
        if (covered, tested) not in known:
            if len(known) == MOST_WAYS:
                return covered
            known[covered, tested] = covered
            body = self.model.code.get(target, ())
            known[covered, tested] = self._stuck_in(target, body, covered, seen | {target}, tested, via)
        return known[covered, tested]

    def _misfit(self, symbol: t.EffectSym, stmt: t.AddStmt, tested: frozenset[object]) -> None:
        """Warns of tokens that may not be there, or for which there may be no room, where nobody has asked.

        What is counted up to a generous bound (`coins: 0..999`) is not meant to get there, and tokens that only move are as many as
        before; so only what comes from nowhere in large steps is taken for a slip. Set-up goes wrong at once, if it does."""
        if is_quiet(symbol) or stmt.mode != "exactly" or stmt.amount is None or not isinstance(stmt.amount.type, Num):
            return
        most = stmt.amount.type.hi
        for ref, told in ((stmt.minus, "may not suffice"), (stmt.plus, "may have no room for this")):
            if ref is None or ref.symbol in tested or most == 0 or not isinstance(ref.symbol.type, Num):
                continue
            if ref is stmt.plus and (
                stmt.minus is not None or most * SMALL_STEP <= ref.symbol.type.hi - ref.symbol.type.lo
            ):
                continue
            self.sink.warning(
                "may-overflow",
                stmt.origin.span,
                f"`{ref.symbol.name}` {told}, and no option leads here",
                label="would stop the game",
                help="write `up to`, test it with `if`, or let it follow a choice",
                related=(Related(ref.symbol.span, "its range"),),
                address=symbol.address,
            )


def _surely_put(stmt: t.Stmt) -> set[object]:
    """The fields and kinds of pieces of which a statement puts some somewhere."""
    match stmt:
        case t.AddStmt(mode="exactly", plus=plus) if plus is not None:
            return {plus.symbol}
        case t.MoveStmt() | t.DealStmt(up_to=False):
            return state_written(stmt)
        case _:
            return set()


def _asked_first(stmt: t.ChooseStmt) -> str:
    """The ways to answer for a choice, the simplest in the words of the rule."""
    others = "put it into a `try:`, or offer another way"
    said = " ".join(stmt.reasons[0].span.text().split()) if stmt.reasons else ""
    if not said or len(said) > 40 or stmt.where is not None:
        return f"test it with `if`, {others}"
    return f"test it with `if any {stmt.symbol.name} in {said}: …`, {others}"
