"""What goes on for ever: effects that perform themselves, loops that nothing ends, loops that players can keep going.

In: a checked model and its calls. Out: diagnostics.
"""

from __future__ import annotations

from interpreter.model import typed as t
from interpreter.model.call_graph import CallGraph
from interpreter.model.game_model import Model
from interpreter.model.walk import (
    certain,
    declinable,
    inside,
    is_quiet,
    own_parts,
    parts,
    state_read,
    state_written,
)
from interpreter.text.diagnostic import Related, Sink
from interpreter.text.source import Span


def check_loops(model: Model, calls: CallGraph, sink: Sink) -> None:
    """Runs every check of this module."""
    Loops(model, calls, sink).run()


class Loops:
    """The checks over one model."""

    def __init__(self, model: Model, calls: CallGraph, sink: Sink) -> None:
        self.model = model
        self.graph = calls
        self.sink = sink

    def run(self) -> None:
        """All checks, each on its own."""
        self._cycles()
        self._never_ending()
        self._declined_for_ever()

    def _cycles(self) -> None:
        """Effects that perform themselves, directly or round about, need a `depth:` on one of them."""
        reported: set[frozenset[t.EffectSym]] = set()
        for start in self.model.code:
            path = self._way_back(start)
            if path is None or any(s.depth for s in path) or frozenset(path) in reported:
                continue
            reported.add(frozenset(path))
            named = " → ".join(s.address for s in (*path, path[0]))
            self.sink.error(
                "effect-cycle",
                self._closing(path[-1], start),
                f"effects go round without a `depth:`: {named}",
                label="leads back",
                help="take this out, or say on one of them how many may be under way at once, as in `depth: 1`",
                related=(Related(start.span, "begins here"),),
                address=path[-1].address,
            )

    def _closing(self, last: t.EffectSym, start: t.EffectSym) -> Span:
        """The rule that leads from the last effect of a round trip back to the first; where a trigger does, the last as a whole."""
        for stmt in inside(self.model.code.get(last, ())):
            if start in self.graph.may_perform(stmt) and stmt.origin.span.text():
                return stmt.origin.span
        return last.span

    def _way_back(self, start: t.EffectSym) -> tuple[t.EffectSym, ...] | None:
        """A shortest round trip from an effect to itself through effects without a declared depth."""
        if start.depth:
            return None
        before: dict[t.EffectSym, t.EffectSym] = {}
        todo = [start]
        while todo:
            here = todo.pop(0)
            for other in self.graph.calls.get(here, ()):
                if other is start:
                    path = [here]
                    while path[0] is not start:
                        path.insert(0, before[path[0]])
                    return tuple(path)
                if other not in before and not other.depth:
                    before[other] = here
                    todo.append(other)
        return None

    def _never_ending(self) -> None:
        """Loops whose condition nothing in the body, nor anything it performs, can change."""
        for symbol, body in self.model.code.items():
            for stmt in inside(body):
                match stmt:
                    case t.TurnsStmt(condition=condition) | t.WhileStmt(condition=condition):
                        if self._leaves(stmt.body):
                            continue
                        if condition is not None and self._may_change(condition, stmt.body):
                            continue
                        self.sink.error(
                            "never-ends",
                            stmt.origin.span,
                            "nothing here can end this loop",
                            label="goes on for ever",
                            help="let something in it change the `while` condition, or use `end loop` or `end game`",
                            address=symbol.address,
                        )

    def _declined_for_ever(self) -> None:
        """Loops that end only by something their players need not do. A loop that `_never_ending` reports is not looked at again."""
        for symbol, body in self.model.code.items():
            if is_quiet(symbol):
                continue
            for stmt in inside(body):
                if isinstance(stmt, t.TurnsStmt | t.WhileStmt) and (offers := self._only_way_out(stmt)) is not None:
                    self.sink.warning(
                        "may-never-end",
                        stmt.origin.span,
                        "this loop ends only if somebody does what nobody has to do",
                        label="may go on for ever",
                        help="let something that must happen change the condition, or count the rounds",
                        related=(Related(offers.origin.span, "may be declined each time"),),
                        address=symbol.address,
                    )

    def _only_way_out(self, loop: t.TurnsStmt | t.WhileStmt) -> t.Stmt | None:
        """The first thing that may be declined in a loop, if without such things it would never end. None where that is not sure."""
        bodies = self._certain_bodies(loop.body)
        offers = [s for b in bodies for s in certain(b) if declinable(s)]
        if not offers or any(
            isinstance(s, t.EndStmt) and s.what in ("loop", "phase", "game") for s in certain(loop.body)
        ):
            return None
        if any(isinstance(s, t.EndStmt) and s.what == "effect" for s in certain(loop.body)):
            return None
        ends = (loop.condition, loop.order) if isinstance(loop, t.TurnsStmt) else (loop.condition,)
        read = state_read(self.model, ends)
        locals_read = {p.symbol for p in parts(ends) if isinstance(p, t.LocalRef)}
        given = {w for b in self._bodies(loop.body) for s in inside(b) for w in state_written(s)}
        for body in bodies:
            for stmt in certain(body):
                match stmt:
                    case t.EndStmt(what="game"):
                        return None
                    case t.AssignStmt(target=t.LocalRef(symbol=local)) if local in locals_read:
                        return None
                    case t.RequireStmt() | t.ChooseStmt() | t.EitherStmt() if (
                        state_read(self.model, own_parts(stmt)) & given
                    ):
                        return None  # what must follow can be such that nobody may decline
                if read & state_written(stmt):
                    return None
        if self._is_endless(loop):
            return None
        return next((o for o in offers if any(read & state_written(s) for s in inside((o,)))), offers[0])

    def _is_endless(self, loop: t.TurnsStmt | t.WhileStmt) -> bool:
        """Nothing at all in it can end it."""
        return not self._leaves(loop.body) and (
            loop.condition is None or not self._may_change(loop.condition, loop.body)
        )

    def _bodies(self, body: tuple[t.Stmt, ...]) -> list[tuple[t.Stmt, ...]]:
        return [body, *(self.model.code.get(e, ()) for e in self.graph.reached(body))]

    def _certain_bodies(self, body: tuple[t.Stmt, ...]) -> list[tuple[t.Stmt, ...]]:
        """A body, and those of the effects that its players cannot decline. What triggers perform counts as certain."""
        found: dict[t.EffectSym, tuple[t.Stmt, ...]] = {}
        bodies = [body]
        todo = [x.body for x in self.model.triggers]
        while bodies or todo:
            for stmt in certain(bodies.pop()) if bodies else ():
                todo.extend(self.graph.performs_itself(stmt))
            while todo:
                here = todo.pop()
                if here not in found:
                    found[here] = self.model.code.get(here, ())
                    bodies.append(found[here])
        return [body, *found.values()]

    def _leaves(self, body: tuple[t.Stmt, ...]) -> bool:
        if any(isinstance(s, t.EndStmt) and s.what != "turn" for s in inside(body)):
            return True
        return any(
            isinstance(s, t.EndStmt) and s.what == "game"
            for e in self.graph.reached(body)
            for s in inside(self.model.code.get(e, ()))
        )

    def _may_change(self, condition: t.Expr, body: tuple[t.Stmt, ...]) -> bool:
        read = state_read(self.model, condition)
        locals_read = {p.symbol for p in parts(condition) if isinstance(p, t.LocalRef)}
        for part_body in (body, *(self.model.code.get(e, ()) for e in self.graph.reached(body))):
            for stmt in inside(part_body):
                if read & state_written(stmt):
                    return True
                if (
                    isinstance(stmt, t.AssignStmt)
                    and isinstance(stmt.target, t.LocalRef)
                    and stmt.target.symbol in locals_read
                ):
                    return True
        return False
