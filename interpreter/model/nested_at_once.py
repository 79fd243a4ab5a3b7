"""Simultaneous play that would begin while other simultaneous play is under way.

In: a checked model and its calls. Out: diagnostics. What is performed counts, and what triggers may perform: whether one fires there is not
asked, only whether its condition reads what is written.
"""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.model import typed as t
from interpreter.model.call_graph import CallGraph
from interpreter.model.game_model import Model
from interpreter.model.walk import inside, is_quiet, state_written, watched
from interpreter.text.diagnostic import Related, Sink
from interpreter.text.source import Span


def check_nesting(model: Model, calls: CallGraph, sink: Sink) -> None:
    """Runs the check."""
    told: set[Span] = set()
    for symbol, body in model.code.items():
        for outer in inside(body):
            if not isinstance(outer, t.AtOnceStmt):
                continue
            for address, inner in _within(model, calls, outer.body, is_quiet(symbol)):
                if inner.origin.span not in told:
                    told.add(inner.origin.span)
                    sink.error(
                        "nested-at-once",
                        inner.origin.span,
                        "this may begin while players already act at the same time",
                        label="begins simultaneous play",
                        help="let it stand before or behind the other `all at once`",
                        related=(Related(outer.origin.span, "the other `all at once`"),),
                        address=address or symbol.address,
                    )


def _within(
    model: Model, calls: CallGraph, body: tuple[t.Stmt, ...], quiet: bool
) -> Iterator[tuple[str, t.AtOnceStmt]]:
    """Simultaneous play in a body and in all that it may lead to, with the address of what that is in ("" for the body itself)."""
    found: set[t.EffectSym] = set()
    yield from (("", s) for s in inside(body) if isinstance(s, t.AtOnceStmt))
    todo = [*(e for s in inside(body) for e in calls.performs_itself(s)), *_fired(model, body, quiet)]
    while todo:
        here = todo.pop()
        if here in found:
            continue
        found.add(here)
        own = model.code.get(here, ())
        yield from ((here.address, s) for s in inside(own) if isinstance(s, t.AtOnceStmt))
        todo += [*calls.calls.get(here, ()), *_fired(model, own, is_quiet(here))]


def _fired(model: Model, body: tuple[t.Stmt, ...], quiet: bool) -> Iterator[t.EffectSym]:
    """The rules of triggers that watch what a body writes."""
    written = set() if quiet else {w for s in inside(body) for w in state_written(s)}
    yield from (trigger.body for trigger, read in watched(model) if written & read)
