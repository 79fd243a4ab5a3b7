"""Where the flow of a game is: what phases do between the compound actions of players.

In: a checked model. Out: the steps that end a compound action. Those of phases, set-up and play always do; those of an effect if
phases alone perform it and nothing that a player does: then its steps are parts of the game as those of a phase are.
"""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.model import typed as t
from interpreter.model.game_model import Model
from interpreter.model.walk import inside


def flow_steps(model: Model) -> frozenset[t.EffectSym]:
    """The steps that end a compound action."""
    own = [symbol for symbol in model.code if _is_flow(symbol)]
    calls = {id(stmt): stmt for symbol in own for stmt in _between(model.code[symbol])}
    everywhere = [stmt for body in model.code.values() for stmt in inside(body)]
    elsewhere = {s.symbol for s in everywhere if isinstance(s, t.PerformStmt) and id(s) not in calls}
    elsewhere |= {s.effect for s in everywhere if isinstance(s, t.WindowStmt)}
    elsewhere |= {s.routed for s in everywhere if isinstance(s, t.AddStmt)}
    from_flow = {s.symbol for s in calls.values()} - elsewhere
    steps = {
        s.symbol
        for effect in from_flow
        if effect is not None and effect.kind == "effect"
        for s in model.code.get(effect, ())
        if isinstance(s, t.PerformStmt) and s.symbol is not None and s.symbol.kind == "step"
    }
    return frozenset(symbol for symbol in own if symbol.kind == "step") | frozenset(steps)


def _is_flow(symbol: t.EffectSym) -> bool:
    return symbol.kind in ("phase", "entry") or (
        symbol.kind == "step" and symbol.address.split(".")[0] in ("phases", "setup", "play")
    )


def _between(body: tuple[t.Stmt, ...]) -> Iterator[t.PerformStmt]:
    """What is performed between compound actions: before anything is chosen."""
    for stmt in body:
        match stmt:
            case t.PerformStmt():
                yield stmt
            case (
                t.HaveStmt(body=inner) | t.AtOnceStmt(body=inner) | t.ForEachStmt(body=inner) | t.WhileStmt(body=inner)
            ):
                yield from _between(inner)
            case t.IfStmt(branches=branches, otherwise=otherwise):
                for block in (*(b for _, b in branches), otherwise):
                    yield from _between(block)
            case t.ChooseStmt() | t.EitherStmt() | t.MayStmt() | t.TryStmt() | t.RepeatStmt() | t.AllocateStmt():
                return
            case _:
                continue
