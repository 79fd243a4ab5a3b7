"""What players do at the same time must come out the same in whatever order it is carried out.

In: a checked model. Out: diagnostics. What a player does in there may change what is their own: fields of the player, of the pieces in
their zones, and whatever is kept for each player. What is shared may only grow by tokens and pieces that nothing in there looks at. So
nothing is read, by an expression, a condition of a trigger or the range of a number, that another player may write.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from interpreter.model import typed as t
from interpreter.model.dsl_types import Num
from interpreter.model.game_model import Model
from interpreter.model.secrets import Env, Hideable, Known, Reader, Secrets, hidden_from
from interpreter.model.walk import blocks_of, inside, own_parts, shallow, state_written, watched
from interpreter.text.diagnostic import Related, Sink
from interpreter.text.source import Span

ME = -1
# A number from nowhere that all players together may add so often is taken to have room.
SMALL_STEP = 8


def check_at_once(model: Model, sink: Sink) -> None:
    """Looks at all simultaneous play."""
    for symbol, body in model.code.items():
        for stmt in inside(body):
            if isinstance(stmt, t.AtOnceStmt):
                _Alone(model).report(symbol, stmt, sink)


@dataclass(slots=True)
class _Others(Reader):
    """Reads expressions for what other players may write: `own` each their own, `shared` anybody's. `kept` are fields of one's own that
    name pieces in zones of one's own, as nothing else is ever put there."""

    own: frozenset[Hideable] = frozenset()
    shared: frozenset[Hideable] = frozenset()
    kept: frozenset[t.FieldSym] = frozenset()

    def value(self, node: t.Expr, env: Env) -> Known:
        found = Reader.value(self, node, env)
        if isinstance(node, t.FieldRef) and node.symbol in self.kept and node.owner is not None:
            owner = self.value(node.owner, env)
            return replace(found, holder=ME if ME in (owner.seat, owner.holder) else None)
        return found

    def hides(self, symbol: Hideable) -> bool:
        return symbol in self.own or symbol in self.shared

    def seer(self, symbol: Hideable, owner: int | None, node: t.FieldRef | t.ZoneRef, env: Env) -> int | None:
        keys = node.keys if isinstance(node, t.FieldRef) else ()
        mine = owner == ME or any(self.value(k, env).seat == ME for k in keys)
        return ME if mine and symbol not in self.shared else None

    def tells_size(self, symbol: Hideable) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class _Clash:
    """Something that depends on who acts first."""

    span: Span
    address: str
    text: str
    label: str
    help: str
    by: Span | None


class _Alone:
    """Goes through what one player does, first for what is written, then for what is read of it."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.own: set[Hideable] = set()
        self.shared: set[Hideable] = set()
        self.kept: set[int] = set()
        self.found: dict[tuple[Span, str], _Clash] = {}
        self.met: set[tuple[object, ...]] = set()
        self.reader = _Others(model, self._could)
        self.watched = watched(model)
        self.here: t.EffectSym | None = None
        self.by: Span | None = None
        self.env: Env = {}

    def report(self, symbol: t.EffectSym, stmt: t.AtOnceStmt, sink: Sink) -> None:
        """Everything that is refused."""
        stores: dict[t.FieldSym, set[int]] = {}
        for routine, body in self.model.code.items():
            for s in inside(body) if not routine.quiet else ():
                if isinstance(s, t.AssignStmt) and isinstance(s.target, t.FieldRef):
                    stores.setdefault(s.target.symbol, set()).add(id(s))
        known = -1
        while known != len(self.own) + len(self.shared) + len(self.kept):
            known = len(self.own) + len(self.shared) + len(self.kept)
            kept = frozenset(f for f, ids in stores.items() if ids <= self.kept)
            self.reader = _Others(
                self.model, self._could, own=frozenset(self.own), shared=frozenset(self.shared), kept=kept
            )
            self.met.clear()
            self.found.clear()
            self.here, self.by = symbol, None
            self._block(stmt.body, stmt.me, {stmt.me: Known(seat=ME)})
        for clash in self.found.values():
            sink.error(
                "shared-in-all-at-once",
                clash.span,
                clash.text,
                label=clash.label,
                help=clash.help,
                related=(Related(clash.by, "performed here"),) if clash.by is not None else (),
                address=clash.address,
            )

    # ---------------------------------------------------------------- findings
    def _clash(self, span: Span, text: str, label: str, help_: str) -> None:
        if self.here is not None:
            self.found.setdefault((span, label), _Clash(span, self.here.address, text, label, help_, self.by))

    def _changed(self, span: Span, what: str) -> None:
        self._clash(
            span,
            f"several players may change {what} at the same time",
            "shared",
            "name an order instead, as in `have turn_order:`",
        )

    def _reads(self, span: Span, told: Secrets) -> None:
        """Something that is read; what others may write is refused."""
        secret = hidden_from(ME, told)
        if secret is None:
            return
        symbol = secret.symbol
        foreign = isinstance(symbol, t.FieldSym) and symbol.owner == 0
        self._clash(
            span,
            f"another player may change {'their ' if foreign else ''}`{symbol.name}` at the same time",
            "reads what others write",
            "read it before or after `all at once`, or name an order, as in `have turn_order:`",
        )

    def _could(self, call: t.PerformStmt, env: Env) -> Secrets:
        """Looking ahead reads what the effect reads."""
        me = next((s for s in reversed(tuple(env)) if s.name == "me"), None)
        self._call(call, me, env)
        return frozenset()

    # ---------------------------------------------------------------- what is whose
    def _is_mine(self, target: t.FieldRef, env: Env) -> bool:
        if any(self.reader.value(k, env).seat == ME for k in target.keys):
            return True
        if target.owner is None:
            return False
        owner = self.reader.value(target.owner, env)
        return ME in (owner.seat, owner.holder)

    def _write(self, span: Span, target: t.FieldRef, env: Env) -> None:
        symbol = target.symbol
        if self._is_mine(target, env):
            self.own.add(symbol)
        else:
            of = " of another player" if symbol.owner == 0 else ""
            self._changed(span, f"`{symbol.name}`{of}")

    def _grow(self, span: Span, stmt: t.AddStmt, target: t.FieldRef, env: Env) -> None:
        """Shared tokens may become more, if there is room for them."""
        symbol, kind = target.symbol, target.symbol.type
        if self._is_mine(target, env):
            self.own.add(symbol)
            return
        self.shared.add(symbol)
        if stmt.minus is not None or stmt.mode == "up_to" or stmt.amount is None:
            return
        most, seats = stmt.amount.type, self.model.seats
        if not (isinstance(kind, Num) and isinstance(most, Num) and most.hi * seats * SMALL_STEP <= kind.hi - kind.lo):
            self._changed(span, f"`{symbol.name}`, which may have no room for all of it,")

    def _into(self, span: Span, target: t.ZoneRef, env: Env) -> None:
        """Pieces come to a zone."""
        owner = self.reader.value(target.owner, env).seat if target.owner is not None else None
        symbol = target.symbol
        if symbol is None:
            if target.given is not None and self.reader.value(target.given, env).holder != ME:
                self._changed(span, "what lies there")
        elif owner == ME:
            self.own.add(symbol)
        elif symbol.kind == "row":
            self._changed(span, f"`{symbol.name}`")
        else:
            self.shared.add(symbol)

    # ---------------------------------------------------------------- effects
    def _perform(self, symbol: t.EffectSym, env: Env, by: Span) -> None:
        key = (symbol, frozenset(env.items()))
        if key in self.met:
            return
        self.met.add(key)
        outer, self.here, self.by = (self.here, self.by), symbol, by
        self._block(self.model.code.get(symbol, ()), symbol.me, env)
        for trigger in self.model.triggers:
            if trigger.kind == "after" and trigger.effect is symbol:
                told = dict(zip(trigger.params, (env.get(p, Known()) for p in symbol.params), strict=False))
                if trigger.me is not None and symbol.me in env:
                    told[trigger.me] = env[symbol.me]
                self._reads(trigger.body.span, self.reader.secrets(trigger.condition, told))
                given = dict(zip(trigger.body.params, told.values(), strict=False))
                self._perform(trigger.body, {**given, trigger.body.me: env.get(symbol.me, Known())}, trigger.body.span)
        self.here, self.by = outer

    def _call(self, stmt: t.PerformStmt, me: t.LocalSym | None, env: Env) -> None:
        cells = self.model.cells_of(stmt.value) if stmt.value is not None else ()
        acts = env.get(me, Known()) if me is not None else Known()
        for target in (stmt.symbol,) if stmt.symbol is not None else cells:
            args = (self.reader.value(a, env) for a in stmt.args)
            self._perform(target, {**dict(zip(target.params, args, strict=False)), target.me: acts}, stmt.origin.span)

    def _set_off(self, stmt: t.Stmt, me: t.LocalSym, env: Env) -> None:
        """The rules of triggers that watch what a statement writes."""
        written = state_written(stmt)
        for trigger, read in self.watched:
            if not written & read:
                continue
            told: dict[t.LocalSym, Known] = {}
            if trigger.binder is not None and trigger.domain is not None:
                told[trigger.binder] = self.reader.member(self.reader.value(trigger.domain, told))
            by, self.by = self.by, stmt.origin.span
            self._reads(trigger.body.span, self.reader.all_of((trigger.condition, trigger.domain), told))
            self.by = by
            self._perform(trigger.body, {trigger.body.me: env.get(me, Known())}, stmt.origin.span)

    # ---------------------------------------------------------------- statements
    def _block(self, body: tuple[t.Stmt, ...], me: t.LocalSym, env: Env) -> Env:
        for stmt in body:
            env = self._stmt(stmt, me, env)
            self._set_off(stmt, me, env)
        return env

    def _stmt(self, stmt: t.Stmt, me: t.LocalSym, env: Env) -> Env:
        read, span = self.reader, stmt.origin.span
        env, actor, inner = self._bound(stmt, me, env)
        self._changes(stmt, env)
        if not isinstance(stmt, t.LogStmt):
            self._reads(span, read.all_of(_read_by(stmt), env))
        if isinstance(stmt, t.PerformStmt):
            self._call(stmt, me, env)
        for block in blocks_of(stmt):
            self._block(block, actor, {**env, **inner})
        return env

    def _bound(self, stmt: t.Stmt, me: t.LocalSym, env: Env) -> tuple[Env, t.LocalSym, dict[t.LocalSym, Known]]:
        """What is known with the names that a statement gives; who acts inside it, and what is known only there."""
        read = self.reader
        match stmt:
            case t.LetStmt(symbol=symbol, value=value):
                return {**env, symbol: read.value(value, env)}, me, {}
            case t.AssignStmt(target=t.LocalRef(symbol=symbol), value=value):
                same = env.get(symbol) == read.value(value, env)
                return {**env, symbol: env[symbol] if same else Known()}, me, {}
            case (
                t.ChooseStmt(symbol=symbol, domain=domain, each=each)
                | t.DrawStmt(symbol=symbol, domain=domain, each=each)
            ):
                one = read.member(read.value(domain, env))
                return {**env, symbol: one} | ({each: one} if each is not None else {}), me, {}
            case t.ForEachStmt(symbol=symbol, domain=domain):
                return {**env, symbol: read.member(read.value(domain, env))}, me, {}
            case t.AllocateStmt(item=item, items=items, place=place, places=places):
                at, to = read.member(read.value(items, env)), read.member(read.value(places, env))
                return {**env, item: at, place: to}, me, {}
            case t.HaveStmt(me=actor, who=who) | t.AtOnceStmt(me=actor, who=who):
                return env, actor, {actor: Known(seat=read.value(who, env).seat)}
            case t.TurnsStmt(me=actor):
                return env, actor, {actor: Known()}
            case _:
                return env, me, {}

    def _changes(self, stmt: t.Stmt, env: Env) -> None:
        """What a statement writes."""
        read, span = self.reader, stmt.origin.span
        match stmt:
            case t.AssignStmt(target=t.FieldRef() as target) | t.OrderStmt(target=target):
                self._write(span, target, env)
                if isinstance(stmt, t.AssignStmt) and read.value(stmt.value, env).holder == ME:
                    self.kept.add(id(stmt))
            case t.AddStmt(minus=minus, plus=plus, routed=routed):
                if minus is not None:
                    self._write(span, minus, env)
                if plus is not None and routed is None:
                    self._grow(span, stmt, plus, env)
                if routed is not None:
                    args = (read.value(e, env) for e in (stmt.routed_key, stmt.amount) if e is not None)
                    owner = read.value(plus.owner, env) if plus is not None and plus.owner is not None else Known()
                    given = dict(zip(routed.params, args, strict=False))
                    self._perform(routed, {**given, routed.me: owner}, span)
            case t.SpendStmt(field=field, places=places):
                if read.value(places, env).holder == ME:
                    self.own.add(field)
                else:
                    self._changed(span, f"`{field.name}`")
            case t.MoveStmt(what=what, target=target):
                if read.value(what, env).holder != ME and not isinstance(what, t.NothingConst):
                    self._changed(span, "where this lies")
                self._into(span, target, env)
            case t.DealStmt(source=source, target=target):
                if source.symbol is not None and source.owner is not None and read.value(source.owner, env).seat == ME:
                    self.own.add(source.symbol)
                else:
                    self._changed(span, f"`{source.symbol.name}`" if source.symbol is not None else "the box")
                self._into(span, target, env)
            case t.EndStmt(what="game"):
                self._clash(
                    span,
                    "the game may end while others still act",
                    "ends it for all",
                    "remember it, and end the game behind `all at once`",
                )


def _read_by(stmt: t.Stmt) -> Iterable[t.Expr]:
    """The expressions that a statement reads. What is written to is read by nobody, but for the owner and keys that tell where it is."""
    match stmt:
        case t.AssignStmt(target=t.FieldRef(owner=owner, keys=keys), value=value):
            told: tuple[object, ...] = (owner, keys, value)
        case t.OrderStmt(target=t.FieldRef(owner=owner, keys=keys), what=what):
            told = (owner, keys, what)
        case t.AddStmt(amount=amount, minus=minus, plus=plus):
            ends = tuple((r.owner, r.keys) for r in (plus,) if r is not None)
            told = (amount, minus, ends)
        case t.MoveStmt(what=what, target=t.ZoneRef(owner=owner, slot=slot)):
            told = (what, owner, slot)
        case t.DealStmt(amount=amount, source=source, target=t.ZoneRef(owner=owner, slot=slot)):
            told = (amount, source, owner, slot)
        case t.PerformStmt(value=value, args=args):
            told = (value, args)
        case _:
            told = own_parts(stmt)
    for part in shallow(told):
        if isinstance(part, t.Expr):
            yield part
