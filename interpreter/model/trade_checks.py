"""Trades that can be made again and again: do some of them together give something for nothing, or lead back to where they began?

In: a checked model. Out: warnings with the trades that go round. A *trade* is one way through what a player may do any number of
times, if all that it does is to raise and lower numbers by fixed amounts; whatever also changes anything else is left out, as that
may limit it. A *round* is a combination of trades (so many of each) after which no number is lower than before. All rounds are sums
of the extreme ones, which the double description method finds: T. S. Motzkin, H. Raiffa, G. L. Thompson, R. M. Thrall, The double
description method, in: Contributions to the Theory of Games II, Princeton University Press, 1953.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import gcd
from typing import Final

from interpreter.model import typed as t
from interpreter.model.dsl_types import Member, Num
from interpreter.model.game_model import Model
from interpreter.model.walk import is_me, is_quiet, state_read, with_actor
from interpreter.text.diagnostic import Related, Sink
from interpreter.text.source import Span

# Beyond these a loop is not judged: ways through one option list, combinations under way, and effects performed inside each other.
MOST_WAYS: Final = 2000
MOST_ROUNDS: Final = 2000
MOST_LEVELS: Final = 12
# A number that has at most this many values is taken for a limit on how often it may be raised.
SHORT_RANGE: Final = 20

# A number of the acting player or of the table: its field and keys.
Holding = tuple[t.FieldSym, tuple[int, ...]]
Values = Mapping[t.LocalSym, int]


@dataclass(frozen=True, slots=True)
class _Way:
    """What one way through a block has done so far. `known` are locals with a fixed value; `asked` are the conditions
    that must hold for it, `place` the option or cell that it leads through, and `sure` says that nothing else is skipped on it."""

    known: tuple[tuple[t.LocalSym, int], ...] = ()
    changes: tuple[tuple[Holding, int], ...] = ()
    asked: tuple[t.Expr, ...] = ()
    place: Span | None = None
    sure: bool = True

    def values(self) -> dict[t.LocalSym, int]:
        return dict(self.known)

    def knowing(self, symbol: t.LocalSym, value: int) -> _Way:
        return replace(self, known=(*self.known, (symbol, value)))

    def changing(self, holding: Holding, by: int) -> _Way:
        total = Counter(dict(self.changes))
        total[holding] += by
        return replace(self, changes=tuple((h, n) for h, n in total.items() if n))

    def asking(self, condition: t.Expr | None) -> _Way:
        return self if condition is None else replace(self, asked=(*self.asked, condition))


@dataclass(frozen=True, slots=True)
class _Trade:
    """One repeatable change: a number for each holding, where it stands, and the conditions on it."""

    change: tuple[tuple[Holding, int], ...]
    place: Span
    asked: tuple[t.Expr, ...]


class _TooMany(Exception):
    """More ways or combinations than are looked at."""


def check_trades(model: Model, sink: Sink) -> None:
    """Looks at whatever players may do any number of times: `repeat any number of times`, and the effects of windows."""
    ways = _Ways(model)
    told: set[frozenset[Span]] = set()
    for symbol, body in model.code.items():
        for actor, stmt in () if is_quiet(symbol) else with_actor(body, symbol.me):
            match stmt:
                case t.RepeatStmt(amount=None, body=offered):
                    me = actor
                case t.WindowStmt(effect=effect, who=None):
                    offered, me = model.code.get(effect, ()), effect.me
                case _:
                    continue
            try:
                rounds = _rounds(ways.trades(offered, me, stmt.origin.span))
            except _TooMany:
                continue
            rounds = [r for r in rounds if _goes_on(model, *r)]
            places = [frozenset(trade.place for trade, _ in parts) for _, parts in rounds]
            new = [n for n, where in enumerate(places) if where not in told]
            told.update(places)
            if new:
                _tell(model, symbol, stmt, *rounds[new[0]], len({places[n] for n in new}) > 1, sink)


class _Ways:
    """The ways through blocks of one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.gainers: dict[t.EffectSym, t.FieldSym] = {}
        for field in model.fields.values():
            effect = model.effects.get(field.gained_by) if field.gained_by else None
            if effect is not None and field.owner == 0:
                self.gainers[effect] = field
        self.followed = {x.effect for x in model.triggers if x.kind == "after"}
        # A trigger that fires but once for each instance limits nothing.
        conditions = [(x.condition, x.domain) for x in model.triggers if x.kind == "when" and not x.once]
        self.watched = state_read(model, tuple(conditions))

    def trades(self, body: tuple[t.Stmt, ...], me: t.LocalSym, span: Span) -> list[_Trade]:
        """Each different trade that a block allows."""
        found: dict[tuple[object, Span], _Trade] = {}
        for way in self._through(body, me, _Way(place=span), 0):
            if any(field in self.watched for (field, _), _ in way.changes) or not (way.changes or way.sure):
                continue
            assert way.place is not None
            found.setdefault((way.changes, way.place), _Trade(way.changes, way.place, way.asked))
        return list(found.values())

    def _through(self, body: tuple[t.Stmt, ...], me: t.LocalSym, way: _Way, level: int) -> list[_Way]:
        ways = [way]
        for stmt in body:
            ways = [after for before in ways for after in self._step(stmt, me, before, level)]
            if len(ways) > MOST_WAYS:
                raise _TooMany
        return ways

    def _step(self, stmt: t.Stmt, me: t.LocalSym, way: _Way, level: int) -> list[_Way]:
        """The ways on from one statement; none where it changes what is not a number, or by what is not known beforehand."""
        values = way.values()
        match stmt:
            case t.LogStmt():
                return [way]
            case t.LetStmt(symbol=local, value=value):
                known = self._value(value, values)
                return [way if known is None else way.knowing(local, known)]
            case t.RequireStmt(condition=condition):
                return self._where(condition, way)
            case t.AddStmt(amount=amount, mode="exactly", minus=minus, plus=plus) if amount is not None:
                return self._moved(self._value(amount, values), ((minus, -1), (plus, 1)), me, way)
            case t.SpendStmt(amount=amount, field=spent, keys=keys, payer=payer) if is_me(payer, me):
                owned = self.model.fields.get((0, spent.name))
                number, at = self._value(amount, values), self._keys(keys, values)
                return [] if owned is None or number is None or at is None else [way.changing((owned, at), -number)]
            case t.PerformStmt():
                return self._performed(stmt, me, way, level)
            case t.ChooseStmt(symbol=chosen, domain=domain, where=where, amount=None):
                way = replace(way, place=way.place if level else stmt.origin.span)
                return [w for v in self._members(chosen, domain) for w in self._chosen(chosen, v, where, way)]
            case t.EitherStmt(options=options):
                return [
                    after
                    for option in options
                    for before in self._where(option.condition, replace(way, place=option.span))
                    for after in self._through(option.body, me, before, level)
                ]
            case t.IfStmt(branches=branches, otherwise=otherwise):
                return self._branches(branches, otherwise, me, way, level)
            case t.MayStmt(body=body):
                return [*self._through(body, me, way, level), replace(way, sure=False)]
            case t.TryStmt(body=body, otherwise=otherwise):
                unsure = replace(way, sure=False)
                return [*self._through(body, me, way, level), *self._through(otherwise, me, unsure, level)]
            case t.WindowStmt(body=body):
                return self._through(body, me, way, level)
            case _:
                return []

    def _where(self, condition: t.Expr | None, way: _Way) -> list[_Way]:
        """The way on where a condition holds."""
        if condition is None:
            return [way]
        value = self._value(condition, way.values())
        return [way.asking(condition)] if value is None else [way] if value else []

    def _branches(
        self,
        branches: tuple[tuple[t.Expr, tuple[t.Stmt, ...]], ...],
        otherwise: tuple[t.Stmt, ...],
        me: t.LocalSym,
        way: _Way,
        level: int,
    ) -> list[_Way]:
        found: list[_Way] = []
        for condition, body in branches:
            value = self._value(condition, way.values())
            if value is None:
                way = replace(way.asking(condition), sure=False)
            if value != 0:
                found += self._through(body, me, way, level)
            if value:
                return found
        return [*found, *self._through(otherwise, me, way, level)]

    def _chosen(self, chosen: t.LocalSym, value: int | None, where: t.Expr | None, way: _Way) -> list[_Way]:
        return self._where(where, way if value is None else way.knowing(chosen, value))

    def _members(self, chosen: t.LocalSym, domain: t.Expr) -> Iterable[int | None]:
        """What may be chosen; None where the values are not listed."""
        if isinstance(domain, t.SetConst):
            return [n for n in range(domain.mask.bit_length()) if domain.mask >> n & 1]
        kind = self.model.domain_of(chosen.type)
        return range(kind.size) if kind is not None else (None,)

    def _moved(
        self, number: int | None, ends: tuple[tuple[t.FieldRef | None, int], ...], me: t.LocalSym, way: _Way
    ) -> list[_Way]:
        """Numbers of the acting player or the table change; those of anybody or anything else are not followed."""
        values = way.values()
        for ref, sign in ends:
            if ref is None:
                continue
            at = self._keys(ref.keys, values)
            if number is None or at is None or not (ref.owner is None or is_me(ref.owner, me)):
                return []
            way = way.changing((ref.symbol, at), sign * number)
        return [way]

    def _performed(self, stmt: t.PerformStmt, me: t.LocalSym, way: _Way, level: int) -> list[_Way]:
        values = way.values()
        numbers = [self._value(a, values) for a in stmt.args]
        target = stmt.symbol
        if target is None:
            owner = stmt.value.owner if isinstance(stmt.value, t.ColumnRef) and not stmt.value.keys else None
            index = self._value(stmt.value, values) if owner is not None and stmt.value is not None else None
            if index is None or index < 0:
                return []
            target = self.model.cells[index]
            way = replace(way, place=target.span)
        if target in self.followed or level >= MOST_LEVELS:
            return []
        if target in self.gainers:
            return self._gained(self.gainers[target], numbers, way)
        for local, number in zip(target.params, numbers, strict=False):
            if number is not None:
                way = way.knowing(local, number)
        return self._through(self.model.code.get(target, ()), target.me, way, level + 1)

    def _gained(self, field: t.FieldSym, numbers: list[int | None], way: _Way) -> list[_Way]:
        """What is gained counts as gained in full, wherever the effect that stands for it may put it."""
        for key, number in enumerate(numbers):
            if number is None:
                return []
            if number:
                way = way.changing((field, (key,) if field.keys else ()), number)
        return [way]

    def _keys(self, keys: tuple[t.Expr, ...], values: Values) -> tuple[int, ...] | None:
        known = [self._value(k, values) for k in keys]
        return None if any(k is None for k in known) else tuple(k for k in known if k is not None)

    def _value(self, node: t.Expr | None, values: Values) -> int | None:
        """The value of an expression that rests on printed things and known locals only, else None. Nothing is -1."""
        match node:
            case t.Const(value=value):
                return value
            case t.NothingConst():
                return -1
            case t.LocalRef(symbol=symbol):
                return values.get(symbol)
            case t.ColumnRef(symbol=column, owner=owner, keys=()) if not column.keys:
                row = self._value(owner, values)
                return None if row is None else self.model.column_values[column][row]
            case t.Op(op="not", args=(inner,)):
                negated = self._value(inner, values)
                return None if negated is None else 1 - negated
            case t.Op(op="and" | "or" as op, args=args):
                decided, known = int(op == "or"), [self._value(a, values) for a in args]
                return decided if decided in known else None if None in known else 1 - decided
            case t.Op(op="eq" | "ne" as op, args=(left, right)):
                a, b = self._value(left, values), self._value(right, values)
                return None if a is None or b is None else int((a == b) == (op == "eq"))
            case _:
                return None


# ---------------------------------------------------------------------- rounds
Net = tuple[tuple[Holding, int], ...]
Parts = tuple[tuple[_Trade, int], ...]


def _rounds(trades: list[_Trade]) -> list[tuple[Net, Parts]]:
    """The extreme combinations of trades after which nothing is lower, simplest first: what each changes in all, and its trades with
    how often each is made."""
    holdings = list(dict.fromkeys(h for trade in trades for h, _ in trade.change))
    rays = [
        (tuple(dict(trade.change).get(h, 0) for h in holdings), tuple(int(n == m) for m in range(len(trades))))
        for n, trade in enumerate(trades)
    ]
    for place in range(len(holdings)):
        lower = [r for r in rays if r[0][place] < 0]
        higher = [r for r in rays if r[0][place] > 0]
        rays = [r for r in rays if r[0][place] >= 0]
        mixed = {_mixed(low, high, place) for low in lower for high in higher}
        # An extreme combination needs no more trades than there are numbers.
        rays += sorted(m for m in mixed if sum(map(bool, m[1])) <= len(holdings))
        if len(rays) > MOST_ROUNDS:
            raise _TooMany
    rays.sort(key=lambda r: (sum(map(bool, r[1])), sum(r[1])))
    return [
        (
            tuple((h, n) for h, n in zip(holdings, net, strict=True) if n),
            tuple((trade, n) for trade, n in zip(trades, counts, strict=True) if n),
        )
        for net, counts in rays
    ]


Ray = tuple[tuple[int, ...], tuple[int, ...]]


def _mixed(low: Ray, high: Ray, place: int) -> Ray:
    """The combination of two that leaves a number as it was, in smallest whole counts."""
    a, b = high[0][place], -low[0][place]
    net = [a * x + b * y for x, y in zip(low[0], high[0], strict=True)]
    counts = [a * x + b * y for x, y in zip(low[1], high[1], strict=True)]
    by = gcd(*net, *counts)
    return tuple(n // by for n in net), tuple(n // by for n in counts)


def _goes_on(model: Model, net: Net, parts: Parts) -> bool:
    """Whether a round can surely go on: what rises is somebody's, has far to go, and no condition looks at it."""
    if not net:
        return True
    asked = state_read(model, tuple(a for trade, _ in parts for a in trade.asked))
    for (field, _), _ in net:
        low, high = (field.type.lo, field.type.hi) if isinstance(field.type, Num) else (0, 0)
        if high - low <= SHORT_RANGE or field in asked:
            return False
    return any(field.owner == 0 for (field, _), _ in net)


def _tell(model: Model, symbol: t.EffectSym, stmt: t.Stmt, net: Net, parts: Parts, more: bool, sink: Sink) -> None:
    """Tells the simplest round of a loop; mending it often mends the others."""
    alone = len(parts) == 1
    if net:
        message = f"what may be done here again and again gives {_told(model, net)} for nothing"
        code, help = "gains-from-nothing", "let it cost more, or limit how often it can be done"
    else:
        message = "this may be done again and again, and changes nothing"
        if not alone:
            message = "what may be done here leads back to where it began, so it can go on for ever"
        code, help = "changes-nothing", "let it cost something, or limit how often it can be done"
    related = tuple(
        Related(trade.place, f"{'once' if n == 1 else f'{n} times'}: {_told(model, trade.change) or 'nothing changes'}")
        for trade, n in parts
    )
    sink.warning(
        code,
        stmt.origin.span,
        message,
        label="any number of times",
        help=help,
        notes=("other trades here can be combined like this too",) if more else (),
        related=related,
        address=symbol.address,
    )


def _told(model: Model, change: Net) -> str:
    """Numbers with their signs, as in `+1 coins, -2 goods[wool]`."""
    said = []
    for (field, keys), n in change:
        ids = [
            model.domains[kind.domain].ids[key] if isinstance(kind, Member) else str(key)
            for kind, key in zip(field.keys, keys, strict=True)
        ]
        said.append(f"{n:+d} {field.name}{''.join(f'[{i}]' for i in ids)}")
    return ", ".join(said)
