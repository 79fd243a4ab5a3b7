"""Tries that cannot fail.

In: a checked model. Out: warnings. A rule counts as one that may fail as far as it shows: what it needs is not compared with the state.
"""

from __future__ import annotations

from collections.abc import Set

from interpreter.model import typed as t
from interpreter.model.dsl_types import Num
from interpreter.model.game_model import Model
from interpreter.model.walk import blocks_of, inside, least_size, state_read, state_written
from interpreter.text.diagnostic import Sink


def check_tries(model: Model, sink: Sink) -> None:
    """The first block of a `try` must be able to fail."""
    tries = [(x, s) for x, body in model.code.items() for s in inside(body) if isinstance(s, t.TryStmt)]
    if not tries:
        return
    fails = _Failures(model)
    failing = fails.effects()
    for symbol, stmt in tries:
        if not fails.may_fail(stmt.body, failing):
            sink.warning(
                "cannot-fail-here",
                stmt.origin.span,
                "nothing in this `try` can fail",
                label="always succeeds",
                help="write what it does without `try`",
                address=symbol.address,
            )


class _Failures:
    """What may fail in one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.watched = [(x.body, state_read(model, (x.condition, x.domain))) for x in model.triggers]

    def effects(self) -> set[t.EffectSym]:
        """The effects that may."""
        followed = {x.effect for x in self.model.triggers if x.kind == "after"}
        found = {symbol for symbol in self.model.code if symbol.depth or symbol in followed}
        known = -1
        while known != len(found):
            known = len(found)
            for symbol, body in self.model.code.items():
                if symbol not in found and self.may_fail(body, found):
                    found.add(symbol)
        return found

    def may_fail(self, body: tuple[t.Stmt, ...], failing: Set[t.EffectSym]) -> bool:
        """Whether a block may fail, as far as it shows."""
        return any(
            self._itself_fails(s) or self._inside_fails(s, failing) or self._fires_failing(s, failing) for s in body
        )

    def _itself_fails(self, stmt: t.Stmt) -> bool:
        match stmt:
            case t.RequireStmt() | t.SpendStmt() | t.DealStmt(up_to=False) | t.DrawStmt(up_to=False):
                return True
            case t.ChooseStmt(up_to=up_to):
                return not up_to and not finds_enough(stmt)
            case t.AddStmt(mode=mode, plus=plus):
                return mode == "exactly" or (mode == "all" and plus is not None)
            case t.AssignStmt(target=t.FieldRef(symbol=field), value=value) if isinstance(field.type, Num):
                fits = isinstance(value.type, Num) and field.type.lo <= value.type.lo and value.type.hi <= field.type.hi
                return not fits
            case t.MoveStmt(target=target) | t.DealStmt(target=target):
                return target.slot is not None or (target.symbol is not None and target.symbol.size > 0)
            case _:
                return False

    def _inside_fails(self, stmt: t.Stmt, failing: Set[t.EffectSym]) -> bool:
        match stmt:
            case t.AddStmt(routed=target) if target is not None:
                return target in failing
            case t.PerformStmt(symbol=None, value=value) if value is not None:
                return any(cell in failing for cell in self.model.cells_of(value))
            case t.PerformStmt(symbol=target) if target is not None:
                return target in failing
            case t.EitherStmt(options=options):
                return all(o.condition is not None or self.may_fail(o.body, failing) for o in options)
            case t.TryStmt(body=first, otherwise=otherwise):
                return self.may_fail(first, failing) and self.may_fail(otherwise, failing)
            case t.MayStmt() | t.AllocateStmt() | t.RepeatStmt(amount=None) | t.RepeatStmt(up_to=True):
                return False
            case _:
                return any(self.may_fail(block, failing) for block in blocks_of(stmt))

    def _fires_failing(self, stmt: t.Stmt, failing: Set[t.EffectSym]) -> bool:
        """Whether a store may fire a trigger that may fail."""
        written = state_written(stmt)
        return bool(written) and any(rule in failing and written & read for rule, read in self.watched)


def finds_enough(stmt: t.ChooseStmt) -> bool:
    """Whether there is surely as much as is asked for; how many units there are to choose is not known here, and taken to do."""
    if stmt.where is not None:
        return False
    if stmt.units:
        return True
    wanted = 1
    if stmt.amount is not None:
        if not isinstance(stmt.amount.type, Num):
            return False
        wanted = stmt.amount.type.hi
    return least_size(stmt.domain) >= wanted
