"""Who performs whom: effects, what they perform, and the triggers' rules that their changes set off.

In: a model. Out: a `CallGraph`, for the checks of a whole game.
"""

from __future__ import annotations

from interpreter.model import typed as t
from interpreter.model.game_model import Model
from interpreter.model.walk import inside, is_quiet, own_parts, parts, state_read, state_written


class CallGraph:
    """The calls of one model. `calls[e]` are the effects that `e` performs or tries and the triggers' rules that it may set off."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.calls = {s: self._performs(s) for s in model.code}
        for symbol, fired in self._sets_off().items():
            self.calls[symbol] = tuple(dict.fromkeys((*self.calls.get(symbol, ()), *fired)))

    def _performs(self, symbol: t.EffectSym) -> tuple[t.EffectSym, ...]:
        found: dict[t.EffectSym, None] = {}
        for stmt in inside(self.model.code.get(symbol, ())):
            found |= dict.fromkeys(self.may_perform(stmt))
            found |= dict.fromkeys(
                p.call.symbol for p in parts(own_parts(stmt)) if isinstance(p, t.CanDo) and p.call.symbol
            )
        return tuple(found)

    def _sets_off(self) -> dict[t.EffectSym, tuple[t.EffectSym, ...]]:
        """Which triggers' rules an effect may set off: those whose condition reads what it writes. A trigger that fires but once for
        each instance cannot go round for ever."""
        found: dict[t.EffectSym, tuple[t.EffectSym, ...]] = {}
        watched = [
            (x.body, state_read(self.model, (x.condition, x.domain)))
            for x in self.model.triggers
            if x.kind == "when" and not x.once
        ]
        after = {x.effect: x.body for x in self.model.triggers if x.kind == "after" and x.effect is not None}
        for symbol, body in self.model.code.items():
            if is_quiet(symbol):
                continue
            written = {w for stmt in inside(body) for w in state_written(stmt)}
            fired = [rule for rule, read in watched if read & written]
            found[symbol] = (*fired, *([after[symbol]] if symbol in after else []))
        return found

    def depths(self) -> dict[t.EffectSym, int]:
        """How many effects perform one another in a row from each effect on at most; one that comes back to itself counts once."""
        begun: set[t.EffectSym] = set()
        done: dict[t.EffectSym, int] = {}
        todo = list(self.calls)
        while todo:
            here = todo.pop()
            if here in done:
                continue
            calls = self.calls.get(here, ())
            if here in begun:
                done[here] = 1 + max((done.get(other, 0) for other in calls), default=0)
            else:
                begun.add(here)
                todo += [here, *(other for other in calls if other not in begun)]
        return done

    def reached(self, body: tuple[t.Stmt, ...]) -> set[t.EffectSym]:
        """All effects that statements may perform, at once or later, with the rules of all triggers."""
        found: set[t.EffectSym] = set()
        todo: list[t.EffectSym] = [x.body for x in self.model.triggers]
        for stmt in inside(body):
            todo.extend(self.may_perform(stmt))
        while todo:
            here = todo.pop()
            if here not in found:
                found.add(here)
                todo.extend(self.calls.get(here, ()))
        return found

    def may_perform(self, stmt: t.Stmt) -> tuple[t.EffectSym, ...]:
        """The effects that one statement performs or offers."""
        return (stmt.effect,) if isinstance(stmt, t.WindowStmt) else self.performs_itself(stmt)

    def performs_itself(self, stmt: t.Stmt) -> tuple[t.EffectSym, ...]:
        """The effects that one statement performs, not counting those inside it and those it merely offers."""
        match stmt:
            case t.PerformStmt(symbol=None, value=value):
                return tuple(self.model.cells_of(value)) if value is not None else ()
            case t.PerformStmt(symbol=target) if target is not None:
                return (target,)
            case t.AddStmt(routed=target) if target is not None:
                return (target,)
            case _:
                return ()
