"""What may an expression tell that not everybody sees?

In: typed expressions, and an `Env` that says of each local what its value rests on. Out: a `Known`. Everything is approximate on the safe
side. What lies open is no secret, whatever was put there: a rule that stores a secret in a field that everyone sees has told it.
Players are numbers: a seat that the rules name by its own, who acts by one below 0. A secret of somebody else has none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from interpreter.model import typed as t
from interpreter.model.dsl_types import PLAYER, Type, sure
from interpreter.model.game_model import Model
from interpreter.model.walk import below, inside, state_written

Hideable = t.FieldSym | t.ZoneSym


@dataclass(frozen=True, slots=True)
class Secret:
    """A field or zone that not everybody sees; `seat` sees it, None: nobody of whom anything is known here."""

    symbol: Hideable
    seat: int | None


Secrets = frozenset[Secret]
NONE: Secrets = frozenset()


@dataclass(frozen=True, slots=True)
class Known:
    """Of a value: the secrets that it rests on; the player that it is, if that is known; of pieces and zones, the secrets that tell where
    they lie, and whose zone that is."""

    secrets: Secrets = NONE
    seat: int | None = None
    place: Secrets = NONE
    holder: int | None = None


OPEN: Final = Known()
"""What everybody may know."""
Env = Mapping[t.LocalSym, Known]


def joined(a: Known, b: Known) -> Known:
    """What holds of either of two values."""
    return Known(
        a.secrets | b.secrets,
        a.seat if a.seat == b.seat else None,
        a.place | b.place,
        a.holder if a.holder == b.holder else None,
    )


def hidden_from(seat: int | None, secrets: Iterable[Secret]) -> Secret | None:
    """A secret that a player does not see; the first by name. None stands for people who look on."""
    unseen = [s for s in secrets if s.seat is None or s.seat != seat]
    return min(unseen, key=lambda s: s.symbol.address) if unseen else None


@dataclass(slots=True)
class Reader:
    """Reads the expressions of one model. `could` tells what it rests on whether a call could be completed."""

    model: Model
    could: Callable[[t.PerformStmt, Env], Secrets]
    _written: frozenset[object] = frozenset()
    _applied: dict[tuple[object, ...], Known] = field(default_factory=dict)
    _anywhere: dict[int, Secrets] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._written = frozenset(
            w for body in self.model.code.values() for s in inside(body) for w in state_written(s)
        )

    def secrets(self, node: t.Expr | None, env: Env) -> Secrets:
        """What an expression rests on; nothing, if there is none."""
        return self.value(node, env).secrets if node is not None else NONE

    def all_of(self, nodes: Iterable[t.Expr | None], env: Env) -> Secrets:
        """What several expressions rest on."""
        return frozenset(s for node in nodes for s in self.secrets(node, env))

    def value(self, node: t.Expr, env: Env) -> Known:
        """What is known of an expression."""
        match node:
            case t.Const(type=kind, value=value):
                fresh = self._fresh(kind)
                return Known(fresh.secrets, value, fresh.place, fresh.holder) if sure(kind) == PLAYER else fresh
            case t.SetConst(type=kind):
                return self._fresh(kind)
            case t.LocalRef(symbol=symbol, type=kind):
                return env.get(symbol) or self._fresh(kind)
            case t.FieldRef():
                return self._field(node, env)
            case t.ZoneRef():
                return self._zone(node, env)
            case t.ZoneNumber(zone=zone):
                return replace(self._zone(zone, env), secrets=NONE)
            case t.Op(op=op, args=args):
                return self._op(op, args, env)
            case t.Query(kind=kind, binder=binder, domain=domain, where=where, value=value):
                among = self.value(domain, env)
                inner = {**env, binder: self.member(among)}
                base = self.count(domain, env) if kind in ("any", "count") and where is None else among.secrets
                told = base | self.all_of((where, value), inner)
                return Known(told, None, among.place, among.holder) if value is None else Known(told)
            case t.Ranked(binder=binder, domain=domain, keys=keys):
                among = self.value(domain, env)
                inner = {**env, binder: self.member(among)}
                return replace(among, secrets=among.secrets | self.all_of((k.value for k in keys), inner), seat=None)
            case t.Apply(symbol=symbol, args=args, me=me):
                return self._apply(symbol, args, me, env)
            case t.FormulaApply(symbol=column, owner=owner, args=args, me=me):
                found = Known(self.secrets(owner, env))
                for number in sorted(set(self.model.column_values[column])):
                    if number >= 0:
                        formula = self.model.formulas[number]
                        found = joined(found, self._apply(formula, (owner, *args), me, env))
                return found
            case t.GraphStep(graph=graph, place=place, me=me):
                return self._graph(graph, (place,), me, env)
            case t.GraphReach(graph=graph, start=start, steps=steps, through=through, me=me):
                return self._graph(graph, (start, steps, through), me, env)
            case t.CanDo(call=call):
                return Known(self.could(call, env))
            case _:
                parts: list[t.Expr] = [part for part in below(node) if isinstance(part, t.Expr)]
                return Known(self.all_of(parts, env))

    def member(self, among: Known) -> Known:
        """One of a set."""
        return among if among.seat is None else replace(among, seat=None)

    def count(self, group: t.Expr, env: Env) -> Secrets:
        """What it rests on how many there are of a set: of a zone people may see so much and no more."""
        match group:
            case t.ZoneRef(slot=None):
                found = self._zone(group, env).secrets
                return frozenset(s for s in found if not self.tells_size(s.symbol))
            case t.Op(op="union", args=args) if all(isinstance(a, t.ZoneRef) for a in args):
                return frozenset(s for a in args for s in self.count(a, env))
            case _:
                return self.secrets(group, env)

    # ---------------------------------------------------------------- what is a secret
    def hides(self, symbol: Hideable) -> bool:
        """Whether not everybody sees a field or zone."""
        return symbol.visibility != "everyone"

    def seer(self, symbol: Hideable, owner: int | None, node: t.FieldRef | t.ZoneRef, env: Env) -> int | None:
        """Who sees what is hidden, of an element that somebody owns."""
        return owner if symbol.visibility in ("owner", "size") else None

    def tells_size(self, symbol: Hideable) -> bool:
        """Whether everybody sees how much lies in a hidden zone."""
        return symbol.visibility == "size"

    # ---------------------------------------------------------------- state
    def _field(self, node: t.FieldRef, env: Env) -> Known:
        symbol, owner = node.symbol, node.owner
        told = self.all_of(node.keys, env)
        if symbol in self.model.sums:
            return joined(Known(told), self._apply(self.model.sums[symbol], (owner, *node.keys), None, env))
        of = self.value(owner, env) if owner is not None else Known()
        told |= of.secrets
        if symbol in self._written:
            told |= of.place  # what a piece bears is seen by those who see the piece
        if self.hides(symbol):
            told |= {
                Secret(symbol, self.seer(symbol, of.seat if symbol.owner == PLAYER.domain else of.holder, node, env))
            }
        return Known(told)

    def _zone(self, node: t.ZoneRef, env: Env) -> Known:
        owner = self.value(node.owner, env) if node.owner is not None else Known()
        told = owner.secrets | self.secrets(node.slot, env)
        if node.given is not None:
            zone = self.value(node.given, env)
            return Known(told | zone.secrets | zone.place, None, zone.place, zone.holder)
        if node.symbol is None or not self.hides(node.symbol):
            return Known(told, None, NONE, owner.seat)
        lies = frozenset({Secret(node.symbol, self.seer(node.symbol, owner.seat, node, env))})
        return Known(told | lies, None, lies, owner.seat)

    def _op(self, op: str, args: tuple[t.Expr, ...], env: Env) -> Known:
        if op in ("size", "length"):
            return Known(self.count(args[0], env))
        found = [self.value(a, env) for a in args]
        told = frozenset(s for k in found for s in k.secrets)
        match op:
            case "owner" | "slot":
                return Known(told | found[0].place, found[0].holder if op == "owner" else None)
            case "select" | "else":
                least = joined(*found[-2:])
                return replace(least, secrets=told)
            case "inter" | "keep" | "minus":
                return Known(told, None, found[0].place, found[0].holder)
            case "union":
                return replace(joined(*found), secrets=told, seat=None)
            case "single" | "items" | "reverse" | "first" | "sole" | "nth":
                return replace(
                    found[0], secrets=told, seat=found[0].seat if op in ("single", "first", "sole") else None
                )
            case _:
                return Known(told)

    def _fresh(self, kind: Type) -> Known:
        """A value that comes from no zone: a piece, or all of a kind, may lie anywhere. What a field or a printed column names lies where
        people see it."""
        domain = self.model.domain_of(sure(kind))
        if domain is None or domain.kind != "piece":
            return OPEN
        if domain.index not in self._anywhere:
            zones = (z for z in self.model.zones.values() if z.piece == domain.index and self.hides(z))
            self._anywhere[domain.index] = frozenset(Secret(z, None) for z in zones)
        return Known(place=self._anywhere[domain.index])

    # ---------------------------------------------------------------- functions
    def _apply(self, symbol: t.FuncSym, args: Iterable[t.Expr | None], me: t.Expr | None, env: Env) -> Known:
        given = {p: self.value(a, env) for p, a in zip(symbol.params, args, strict=False) if a is not None}
        if me is not None:
            given[symbol.me] = self.value(me, env)
        key = (symbol, frozenset(given.items()))
        if key not in self._applied:
            self._applied[key] = Known()
            told = self.value(self.model.bodies[symbol], given)
            if self.model.functions.get(symbol.name) is symbol:
                for bent in self.model.adjustments.get(symbol.name, ()):
                    more = self.all_of((bent.by, bent.bound, bent.condition), given)
                    told = replace(told, secrets=told.secrets | more)
            self._applied[key] = told
        return self._applied[key]

    def _graph(self, name: str, args: tuple[t.Expr, ...], me: t.Expr | None, env: Env) -> Known:
        graph = self.model.graphs[name]
        acts = {graph.me: self.value(me, env)} if me is not None else {}
        guards = self.all_of((c for _, _, c in graph.guarded), acts)
        return Known(self.all_of(args, env) | guards)
