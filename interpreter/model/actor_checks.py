"""Who acts where effects are performed and tried: `can` where nobody could try anything, and effects that speak of who acts where nobody
does.

In: a checked model. Out: diagnostics. A phase, set-up and play have no acting player until `have`, turns or `all at once` name one; an
effect that they perform has none either, and so on. What triggers perform is left out: it is not known here who acts when they fire.
"""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.model import typed as t
from interpreter.model.game_model import Model
from interpreter.model.walk import declinable, own_parts, parts, with_actor
from interpreter.text.diagnostic import Related, Sink
from interpreter.text.source import Span

ASKS = t.ChooseStmt | t.EitherStmt | t.AllocateStmt


def check_actors(model: Model, sink: Sink) -> None:
    """Runs both checks."""
    _in_formulas(model, sink)
    _Unacted(model, sink).run()


def _in_formulas(model: Model, sink: Sink) -> None:
    """`can` asks what the rules would do, and only rules can try that: what is worked out elsewhere cannot."""
    trees: list[object] = [*model.bodies.values()]
    trees += [(b.low, b.high, b.default) for b in model.bounds.values()]
    trees += [(a.by, a.bound, a.condition) for many in model.adjustments.values() for a in many]
    trees += [condition for graph in model.graphs.values() for _, _, condition in graph.guarded]
    trees += [default for _, default in filter(None, model.zone_defaults.values())]
    for part in parts(tuple(trees)):
        if isinstance(part, t.CanDo):
            sink.error(
                "can-in-formula",
                part.call.origin.span,
                "`can` stands in rules alone, where it can be tried what an effect would do",
                label="worked out apart from the rules",
                help="ask it in the rule itself, as in `if can e(): …`",
            )


class _Unacted:
    """Finds effects that nobody performs though they speak of who does."""

    def __init__(self, model: Model, sink: Sink) -> None:
        self.model = model
        self.sink = sink
        self.known: dict[t.EffectSym, Span | None] = {}

    def run(self) -> None:
        """Goes through what phases, set-up and play perform themselves."""
        for symbol, body in self.model.code.items():
            if not _is_unacted(symbol):
                continue
            for actor, stmt in with_actor(body, symbol.me):
                for call in self._calls(stmt) if actor is symbol.me else ():
                    self._perform(symbol, call)

    def _perform(self, symbol: t.EffectSym, call: t.PerformStmt) -> None:
        spoken = self._called(call)
        if spoken is not None and (call.symbol is None or call.symbol.kind not in ("phase", "step")):
            named = f"`{call.symbol.address.split('.')[-1]}`" if call.symbol is not None else "what is performed"
            self.sink.error(
                "no-acting-player",
                call.origin.span,
                f"nobody acts here, and {named} speaks of who does",
                help="say who, as in `have players: …`",
                related=(Related(spoken, "of the one who acts"),),
                address=symbol.address,
            )

    def _called(self, call: t.PerformStmt) -> Span | None:
        """The same of what is performed; of the rules of rows, if all do that may be meant."""
        cells = self.model.cells_of(call.value) if call.value is not None else ()
        spoken = [self._speaks(target) for target in (cells if call.symbol is None else (call.symbol,))]
        return spoken[0] if spoken and None not in spoken else None

    def _speaks(self, symbol: t.EffectSym) -> Span | None:
        """Where an effect speaks of the one who acts, or asks something, itself or through what it performs."""
        if symbol not in self.known:
            self.known[symbol] = None  # an effect that performs itself
            own = (s for me, s in with_actor(self.model.code.get(symbol, ()), symbol.me) if me is symbol.me)
            self.known[symbol] = next((at for s in own if (at := self._spoken(s, symbol.me)) is not None), None)
        return self.known[symbol]

    def _spoken(self, stmt: t.Stmt, me: t.LocalSym) -> Span | None:
        if isinstance(stmt, t.LogStmt):
            return None  # a sentence that names nobody is left unsaid
        if isinstance(stmt, ASKS) or declinable(stmt) or isinstance(stmt, t.MayStmt):
            return stmt.origin.span
        if any(isinstance(p, t.LocalRef) and p.symbol is me for p in parts(own_parts(stmt))):
            return stmt.origin.span
        called = (self._called(call) for call in self._calls(stmt))
        return next((at for at in called if at is not None), None)

    def _calls(self, stmt: t.Stmt) -> Iterator[t.PerformStmt]:
        """What a statement performs and what it tries."""
        if isinstance(stmt, t.PerformStmt):
            yield stmt
        for part in parts(own_parts(stmt)):
            if isinstance(part, t.CanDo):
                yield part.call


def _is_unacted(symbol: t.EffectSym) -> bool:
    """A phase, set-up, play, or a step of them."""
    return symbol.kind in ("phase", "entry", "step") and symbol.address.split(".")[0] in ("phases", "setup", "play")
