"""Sense of numbers: amounts and ranges that what is handed over turns round, and draws from too little.

In: a checked model. Out: findings. Only what the text itself says counts; what a game may come to is not guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from interpreter.model import typed as t
from interpreter.model.dsl_types import Num
from interpreter.model.game_model import Model
from interpreter.model.walk import inside, least_size, own_parts, parts
from interpreter.text.diagnostic import Related, Sink
from interpreter.text.source import Span

Given = Mapping[t.LocalSym, t.Expr]
Called = tuple[str, tuple[t.LocalSym, ...], tuple[t.Expr, ...], object]


def check_ranges(model: Model, sink: Sink) -> None:
    """Runs every check."""
    for symbol, body in model.code.items():
        for stmt in inside(body):
            if isinstance(stmt, t.DrawStmt):
                _too_little(sink, symbol.address, stmt)
            for name, params, args, rules in _calls(model, stmt):
                given = dict(zip(params, args, strict=False))
                for told, label, at in _turned(name, given, rules):
                    sink.warning(
                        "empty-range",
                        stmt.origin.span,
                        told,
                        label=label,
                        help="the smaller number stands first",
                        related=(Related(at, "declared here"),),
                        address=symbol.address,
                    )


def _calls(model: Model, stmt: t.Stmt) -> Iterator[Called]:
    """What a statement itself performs and asks for: name, parameters, arguments, and what is done with them."""
    if isinstance(stmt, t.PerformStmt) and stmt.symbol is not None:
        yield stmt.symbol.address.split(".")[-1], stmt.symbol.params, stmt.args, model.code.get(stmt.symbol, ())
    for part in parts(own_parts(stmt)):
        if isinstance(part, t.Apply):
            yield part.symbol.name, part.symbol.params, part.args, model.bodies[part.symbol]


def _turned(name: str, given: Given, rules: object) -> Iterator[tuple[str, str, Span]]:
    """What is said of a range from one parameter to another, or an amount that is the one less the other, where the first of them is handed
    more than the second; with the place of the first."""
    for part in parts(rules):
        match part:
            case t.Op(op="range", args=(t.LocalRef(symbol=low), t.LocalRef(symbol=high))):
                text, rest = f"the range `{low.name}..{high.name}` of `{name}` is empty here", "from {} to {}"
            case t.RepeatStmt(amount=t.Op(op="sub", args=(t.LocalRef(symbol=high), t.LocalRef(symbol=low)))) | (
                t.ChooseStmt(amount=t.Op(op="sub", args=(t.LocalRef(symbol=high), t.LocalRef(symbol=low))))
            ):
                text, rest = f"`{high.name} - {low.name}` of `{name}` is below 0 here", "{1} less {0}"
            case _:
                continue
        first, last = given.get(low), given.get(high)
        if isinstance(first, t.Const) and isinstance(last, t.Const) and last.value < first.value:
            yield text, rest.format(first.value, last.value), low.span


def _too_little(sink: Sink, address: str, stmt: t.DrawStmt) -> None:
    """A draw from a written set that has less than is drawn."""
    wanted = 1 if stmt.amount is None else stmt.amount.type.lo if isinstance(stmt.amount.type, Num) else 0
    if isinstance(stmt.domain, t.SetConst) and not stmt.up_to and least_size(stmt.domain) < wanted:
        told = f"there is not enough to draw for `{stmt.symbol.name}`"
        sink.error("may-find-nothing", stmt.symbol.span, told, label="never drawn", address=address)
