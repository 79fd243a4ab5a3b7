"""Who may it be? Which seats an expression may mean, and what a condition tells about that.

In: typed expressions, and an `Env` that says which seats each local may be. Out: a `Who`, or a narrowed Env. Everything is
approximate on the safe side: `may` holds every seat that is possible, `must` only seats that are sure to be in a set. State is never
looked into: what a field or an order holds is open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from interpreter.model import typed as t
from interpreter.model.dsl_types import PLAYER, Maybe, OrderOf, SetOf, Type, sure
from interpreter.model.game_model import Model


@dataclass(frozen=True, slots=True)
class Who:
    """Seats as masks: those that are surely in a set (or the one that a value surely is), and those that are possible. The bit above
    the last seat stands for nobody."""

    must: int
    may: int


Env = Mapping[t.LocalSym, Who]


def one_of(may: int) -> Who:
    """A single seat among some."""
    return Who(may if may.bit_count() == 1 else 0, may)


def joined(a: Env | None, b: Env | None) -> Env | None:
    """What holds whichever of two ways led here."""
    if a is None or b is None:
        return b if a is None else a
    return {s: Who(a[s].must & b[s].must, a[s].may | b[s].may) for s in a if s in b}


def is_about_players(kind: Type) -> bool:
    """Whether values of a type are players, or sets or orders of them."""
    kind = sure(kind)
    return (kind.of if isinstance(kind, SetOf | OrderOf) else kind) == PLAYER


class Seats:
    """Answers for one model. Locals that are ever set anew are not followed."""

    def __init__(self, model: Model, fixed_locals_only: frozenset[t.LocalSym] = frozenset()) -> None:
        self.model = model
        self.all = (1 << model.seats) - 1
        self.nobody = 1 << model.seats
        self._loose = fixed_locals_only
        self._known: dict[tuple[object, ...], tuple[Who, ...] | None] = {}

    def open(self, kind: Type) -> Who:
        """Anybody of whom nothing is known."""
        return Who(0, self.all | self.nobody if isinstance(kind, Maybe) else self.all)

    # ---------------------------------------------------------------- values
    def value(self, node: t.Expr, env: Env) -> Who:
        """The seats that an expression may mean."""
        match node:
            case t.Const(value=value):
                return one_of(1 << value if value >= 0 else self.nobody)
            case t.NothingConst():
                return one_of(self.nobody)
            case t.SetConst(mask=mask):
                return Who(mask, mask)
            case t.LocalRef(symbol=symbol, type=kind):
                found = self.open(kind) if symbol in self._loose else env.get(symbol, self.open(kind))
                return found if isinstance(kind, Maybe | SetOf | OrderOf) else one_of(found.may & ~self.nobody)
            case t.Op(op=op, args=args):
                return self._op(op, args, node.type, env)
            case t.Query(kind="filter" | "first" as kind, binder=binder, domain=domain, where=where) if (
                binder.type == PLAYER
            ):
                found = self.chosen(binder, domain, where, env)
                return found if kind == "filter" else self._out_of(found)
            case t.Ranked(kind=kind, domain=domain) if is_about_players(domain.type):
                found = self.value(domain, env)
                return found if kind == "sort" or found.may.bit_count() == 1 else Who(0, found.may)
            case t.Apply(symbol=symbol):
                return self.value(self.model.bodies[symbol], self._inside(node, env))
            case _:
                return self.open(node.type)

    def _out_of(self, group: Who) -> Who:
        """Somebody of a set; nobody, if it may be empty."""
        return one_of(group.may if group.must else group.may | self.nobody)

    def _op(self, op: str, args: tuple[t.Expr, ...], kind: Type, env: Env) -> Who:
        match op, args:
            case "union", (left, right):
                a, b = self.value(left, env), self.value(right, env)
                return Who(a.must | b.must, a.may | b.may)
            case "inter" | "keep", (left, right):
                a, b = self.value(left, env), self.value(right, env)
                return Who(a.must & b.must, a.may & b.may)
            case "minus", (left, right):
                a, b = self.value(left, env), self.value(right, env)
                return Who(a.must & ~b.may, a.may & ~b.must)
            case "single" | "items" | "reverse", (inner,):
                return self.value(inner, env)
            case "first", (group,) if is_about_players(group.type):
                return self._out_of(self.value(group, env))
            case "sole", (group,) if is_about_players(group.type):
                return one_of(self.value(group, env).may | self.nobody)
            case "else", (first, second):
                a = self.value(first, env)
                rest = self.value(second, env).may if a.may & self.nobody else 0
                return one_of((a.may & ~self.nobody) | rest)
            case "select", (condition, then, other):
                ways = ((then, self.narrowed(condition, env, True)), (other, self.narrowed(condition, env, False)))
                found = [self.value(way, inner) for way, inner in ways if inner is not None]
                return Who(_all(w.must for w in found), _any(w.may for w in found)) if found else self.open(kind)
            case _:
                return self.open(kind)

    def chosen(self, binder: t.LocalSym, domain: t.Expr, where: t.Expr | None, env: Env) -> Who:
        """The players of a set for whom a condition may hold, and those for whom it surely does."""
        group = self.value(domain, env)
        if where is None:
            return group
        may = must = 0
        for seat in self._bits(group.may & self.all):
            inner = {**env, binder: one_of(seat)}
            may |= seat if self.narrowed(where, inner, True) is not None else 0
            must |= seat if group.must & seat and self.narrowed(where, inner, False) is None else 0
        return Who(must, may)

    def _bits(self, mask: int) -> Iterator[int]:
        return (1 << k for k in range(self.model.seats) if mask >> k & 1)

    def _inside(self, call: t.Apply, env: Env) -> Env:
        """What is known of the parameters of a function that is called."""
        found = {
            param: self.value(arg, env)
            for param, arg in zip(call.symbol.params, call.args, strict=True)
            if is_about_players(param.type)
        }
        if call.me is not None:
            found[call.symbol.me] = self.value(call.me, env)
        return found

    # ---------------------------------------------------------------- conditions
    def narrowed(self, node: t.Expr, env: Env, holds: bool) -> Env | None:
        """What is known where a condition holds (or does not); None where that cannot be."""
        match node:
            case t.Const(value=value):
                return env if bool(value) == holds else None
            case t.Op(op="not", args=(inner,)):
                return self.narrowed(inner, env, not holds)
            case t.Op(op="and" | "or" as op, args=(left, right)):
                if (op == "and") == holds:
                    first = self.narrowed(left, env, holds)
                    return None if first is None else self.narrowed(right, first, holds)
                return joined(self.narrowed(left, env, holds), self.narrowed(right, env, holds))
            case t.Op(op="eq" | "ne" as op, args=(t.Const() as left, t.Const() as right)):
                return env if (left.value == right.value) == ((op == "eq") == holds) else None
            case t.Op(op="eq" | "ne" as op, args=(left, right)):
                if sure(left.type) != PLAYER or sure(right.type) != PLAYER:
                    return env
                a, b = self.value(left, env), self.value(right, env)
                if (op == "eq") == holds:
                    met = self._within(left, env, b.may)
                    return None if met is None else self._within(right, met, a.may)
                met = self._within(left, env, ~b.must)
                return None if met is None else self._within(right, met, ~a.must)
            case t.Op(op="has", args=(group, item)) if is_about_players(group.type):
                among = self.value(group, env)
                return self._within(item, env, among.may if holds else ~among.must)
            case t.Op(op="select", args=(condition, then, other)):
                ways = ((then, self.narrowed(condition, env, True)), (other, self.narrowed(condition, env, False)))
                first, second = (self.narrowed(way, met, holds) if met is not None else None for way, met in ways)
                return joined(first, second)
            case t.Query(kind="any", binder=binder, domain=domain, where=where) if binder.type == PLAYER:
                found = self.chosen(binder, domain, where, env)
                possible = found.may if holds else not found.must
                return env if possible else None
            case t.Apply():
                return self._through(node, env, holds)
            case _:
                return env

    def _through(self, call: t.Apply, env: Env, holds: bool) -> Env | None:
        """A test narrows through the function that makes it."""
        inside = self._inside(call, env)
        symbols = (*call.symbol.params, call.symbol.me)
        key = (call.symbol, holds, *(inside.get(s) for s in symbols))
        if key not in self._known:
            met = self.narrowed(self.model.bodies[call.symbol], inside, holds)
            self._known[key] = None if met is None else tuple(met.get(s, Who(0, -1)) for s in symbols)
        found = self._known[key]
        if found is None:
            return None
        result: Env | None = env
        for arg, who in zip((*call.args, call.me), found, strict=True):
            if arg is not None and result is not None and sure(arg.type) == PLAYER:
                result = self._within(arg, result, who.may)
        return result

    def _within(self, node: t.Expr, env: Env, mask: int) -> Env | None:
        """What is known once a value is one of some; None if it cannot be."""
        left = self.value(node, env).may & mask
        if not left:
            return None
        return {**env, node.symbol: one_of(left)} if isinstance(node, t.LocalRef) else env


def _all(masks: Iterator[int]) -> int:
    found = -1
    for mask in masks:
        found &= mask
    return found


def _any(masks: Iterator[int]) -> int:
    found = 0
    for mask in masks:
        found |= mask
    return found
