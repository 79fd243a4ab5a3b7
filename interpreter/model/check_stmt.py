"""Typing of statements: surface statements to typed ones, block by block.

A block is checked in order, each statement in the scope that the ones before it left behind. One surface statement may become
several typed ones (`choose a, b`; a whole map moved key by key).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from interpreter.model.check_expr import ExprChecker, _num, _stand_in
from interpreter.model.declare import _noun, describe
from interpreter.model.dsl_types import (
    ANY_NUMBER,
    PLAYER,
    TRUTH,
    Absent,
    Effect,
    Holder,
    MapOf,
    Maybe,
    Member,
    Num,
    OrderOf,
    SetOf,
    Type,
    Unknown,
    ZoneOf,
    sure,
)
from interpreter.model.plurals import same_noun, singular_forms, with_article
from interpreter.model.scope import Scope, spelling
from interpreter.model.typed import (
    AddStmt,
    AllocateStmt,
    AssignStmt,
    AtOnceStmt,
    ChooseStmt,
    ColumnRef,
    Const,
    DealStmt,
    DrawStmt,
    EffectSym,
    EitherStmt,
    EndStmt,
    Expr,
    FieldRef,
    FieldSym,
    ForEachStmt,
    HaveStmt,
    IfStmt,
    Key,
    LetStmt,
    LocalRef,
    LocalSym,
    LogStmt,
    MayStmt,
    MoveStmt,
    Op,
    OptionBody,
    OrderStmt,
    Origin,
    PerformStmt,
    Ranked,
    Reason,
    RepeatStmt,
    RequireStmt,
    SpendStmt,
    Stmt,
    TryStmt,
    TurnsStmt,
    WhileStmt,
    WindowStmt,
    ZoneNumber,
    ZoneRef,
)
from interpreter.syntax import nodes as syn
from interpreter.syntax.definition import TextDoc
from interpreter.text.diagnostic import Related
from interpreter.text.source import Span
from interpreter.text.suggest import nearest


@dataclass(frozen=True, slots=True)
class Place:
    """Where a block stands: the kind of routine, what `end` may leave, and the log sentence to be placed."""

    kind: str
    address: str
    ends: frozenset[str] = frozenset(("game",))
    commits: bool = False
    log: TextDoc | None = None
    log_names: frozenset[str] = frozenset()
    nobody: LocalSym | None = None
    """The acting player of an effect that only phases perform: nobody, so that a sentence about `me` waits for a `have`."""
    simultaneous: bool = False
    streams: list[str] = field(default_factory=list)

    def inside(self, *ends: str) -> Place:
        """The place within something that `end` can leave."""
        return replace(self, ends=self.ends | frozenset(ends))


class StmtChecker(ExprChecker):
    """Types statements."""

    def effect_named(self, name: str, span: Span) -> EffectSym | None:
        """The effect or phase of that name."""
        raise NotImplementedError

    def effect_defaults(self, symbol: EffectSym) -> dict[str, syn.Expr]:
        """Defaults of an effect's parameters."""
        raise NotImplementedError

    def paid_places(self, symbol: FieldSym, holder: Expr, scope: Scope, span: Span) -> tuple[Expr, FieldSym] | None:
        """The places a payment of a `paid from` field may come from, and the counter there."""
        raise NotImplementedError

    # ---------------------------------------------------------------- blocks
    def block(self, body: tuple[syn.Stmt, ...], scope: Scope, place: Place) -> tuple[Stmt, ...]:
        """Checks a block."""
        found: list[Stmt] = []
        for index, node in enumerate(body):
            if found and isinstance(found[-1], EndStmt) and index:
                self.sink.warning("never-reached", node.span, "nothing behind `end` on the same level is ever reached")
                break
            scope, typed = self.statement(node, scope, place)
            found.extend(typed)
        return tuple(found)

    def opening_log(self, scope: Scope, place: Place) -> tuple[Stmt, ...]:
        """The log sentence, if all it speaks of is known at the routine's beginning."""
        known = place.log is not None and place.log_names <= set(scope.locals)
        return (self._log(scope, place),) if known and not self._waits(scope, place) else ()

    def _waits(self, scope: Scope, place: Place) -> bool:
        """Whether a sentence about who acts waits for somebody to act."""
        nobody = scope.me is None or scope.me is place.nobody
        return nobody and place.log is not None and speaks_of_me(place.log.parts)

    def _log(self, scope: Scope, place: Place) -> Stmt:
        text = place.log
        assert text is not None
        parts: list[str | Expr] = []
        for part in text.parts:
            parts.append(part if isinstance(part, str) else self._hole(part, scope))
        return LogStmt(Origin(text.span, ()), text.address, tuple(parts))

    def _hole(self, node: syn.Expr, scope: Scope) -> Expr:
        found = self._expr(node, scope, None)
        if isinstance(found.type, ZoneOf | MapOf | Holder):
            return self.as_plain_set(found, node.span)
        return found

    def _after_binding(self, scope: Scope, place: Place, *names: str) -> tuple[Stmt, ...]:
        if place.log is None or not any(n in place.log_names for n in names):
            return ()
        if place.nobody is not None and self._waits(scope, place):
            return ()
        return (self._log(scope, place),) if place.log_names <= set(scope.locals) else ()

    # ---------------------------------------------------------------- statements
    def statement(  # noqa: C901 - one case a kind of statement
        self, node: syn.Stmt, scope: Scope, place: Place
    ) -> tuple[Scope, tuple[Stmt, ...]]:
        """One statement: the scope behind it and what it became."""
        origin = Origin(node.span, node.cite)
        match node:
            case syn.Gain(quantities=quantities):
                me = self._me(syn.Me(span=node.span), scope)
                out: list[Stmt] = []
                for q in quantities:
                    out += self._counted(origin, q, None, me, scope, "gain")
                return self._stored(scope, out), self._bundled(tuple(out))
            case syn.Pay():
                return self._pay(node, origin, scope)
            case syn.Put(quantity=quantity, place=where):
                out = self._counted(origin, quantity, None, self._holder(where, scope), scope, "put")
                return self._stored(scope, out), tuple(out)
            case syn.Remove(quantity=quantity, place=where):
                out = self._counted(origin, quantity, self._holder(where, scope), None, scope, "remove")
                return self._stored(scope, out), tuple(out)
            case syn.MoveCount(quantity=quantity, source=source, target=target):
                out = self._counted(
                    origin, quantity, self._holder(source, scope), self._holder(target, scope), scope, "move"
                )
                return self._stored(scope, out), tuple(out)
            case syn.MovePiece():
                return scope.forgetting("slot"), self._move(node, origin, scope)
            case syn.Assign(target=target, value=value):
                return self._assign(origin, target, value, scope)
            case syn.Change():
                return self._change(node, origin, scope)
            case syn.LetStmt(name=name, value=value):
                typed = self._expr(value, scope, None)
                if isinstance(typed.type, MapOf) and isinstance(typed.type.value, Num):
                    scope, symbol = scope.bind(name, typed.type, node.span)
                    parts = zip(self.units(symbol), self.items(typed), strict=True)
                    return scope, (*(LetStmt(origin, u, i) for u, i in parts), *self._after_binding(scope, place, name))
                if isinstance(typed.type, MapOf | ZoneOf):
                    typed = self.as_plain_set(typed, value.span)
                if isinstance(typed.type, Absent):
                    self.sink.error(
                        "wrong-type",
                        value.span,
                        "`nothing` alone has no type",
                        help="let it be something that may be nothing",
                    )
                kind = typed.type if not isinstance(typed.type, Num) else ANY_NUMBER
                scope, symbol = scope.bind(name, kind, node.span)
                scope = self._implications(name, value, scope)
                return scope, (LetStmt(origin, symbol, typed), *self._after_binding(scope, place, name))
            case syn.Choose():
                return self._choose(node, origin, scope, place)
            case syn.Draw():
                return self._draw(node, origin, scope, place)
            case syn.Deal():
                return scope, self._deal(node, origin, scope)
            case syn.Perform(what=what):
                return scope, self._perform(what, origin, scope)
            case syn.Require(condition=condition):
                typed = self.truth(condition, scope)
                return scope.knowing(self.facts(condition, scope, True)), (RequireStmt(origin, typed),)
            case syn.End(what=what):
                return scope, self._end(node, origin, place)
            case syn.ForEach():
                return scope, self._for_each(node, origin, scope, place)
            case syn.Have():
                return scope, self._have(node, origin, scope, place)
            case syn.May(label=label, prompt=prompt, body=body):
                self._me(syn.Me(span=node.span), scope)
                return scope, (MayStmt(origin, label, prompt, self.block(body, scope, place)),)
            case syn.Repeat(amount=amount, body=body):
                count = self._how_many(amount, scope)
                inside = self.block(body, scope, place.inside("loop"))
                return scope, (RepeatStmt(origin, count, amount is not None and amount.kind == "up_to", inside),)
            case syn.RepeatWhile(condition=condition, body=body):
                typed = self.truth(condition, scope)
                inner = scope.knowing(self.facts(condition, scope, True))
                return scope, (WhileStmt(origin, typed, self.block(body, inner, place.inside("loop"))),)
            case syn.AtOnce(among=among, body=body):
                who = (
                    self.as_plain_set(self._expr(among, scope, SetOf(PLAYER)), among.span)
                    if among is not None
                    else self.all_of(PLAYER)
                )
                self.fit(who, SetOf(PLAYER), among.span if among is not None else node.span)
                actor = LocalSym("me", PLAYER, node.span)
                inner_place = replace(place, simultaneous=True, ends=frozenset(("game",)), commits=False)
                return scope, (AtOnceStmt(origin, actor, who, self.block(body, scope.with_me(actor), inner_place)),)
            case syn.Window():
                return scope, self._window(node, origin, scope, place)
            case syn.Allocate():
                return scope, self._allocate(node, origin, scope, place)
            case syn.Turns():
                return scope, self._turns(node, origin, scope, place)
            case syn.If():
                return self._if(node, origin, scope, place)
            case syn.Either():
                return scope, (self._either(node, origin, scope, place),)
            case syn.Try(body=body, otherwise=otherwise):
                first = self.block(body, scope, place)
                second = self.block(otherwise or (), scope, place)
                return scope, (TryStmt(origin, first, second),)
        raise AssertionError(node)

    def _implications(self, name: str, value: syn.Expr, scope: Scope) -> Scope:
        """What is known once `let name be first x in S where c` has found something: c, of what was found."""
        if not isinstance(value, syn.Query) or value.kind not in ("first", "only") or value.source.where is None:
            return scope
        binder = value.source.binders[0].name
        facts = self.facts(value.source.where, scope, True)
        old, new = f"Name(id={binder!r})", f"Name(id={name!r})"
        return scope.implying(name, frozenset(f.replace(old, new) for f in facts))

    def _stored(self, scope: Scope, out: list[Stmt]) -> Scope:
        for stmt in out:
            for ref in (stmt.plus, stmt.minus) if isinstance(stmt, AddStmt) else ():
                if ref is not None:
                    scope = scope.forgetting(ref.symbol.name)
        return scope

    # ---------------------------------------------------------------- counts
    def _holder(self, node: syn.Expr, scope: Scope) -> Expr:
        found = self._expr(node, scope, None)
        if isinstance(found.type, Maybe):
            return self.fit(found, found.type.of, node.span)
        if not isinstance(found.type, Member | Holder | Unknown):
            self.sink.error(
                "wrong-type",
                node.span,
                f"tokens lie on players, rows, pieces or the table, not on {describe(self.model, found.type)}",
            )
            return _stand_in(Unknown())
        return found

    def counter(self, holder: Expr, unit: syn.Unit, scope: Scope) -> FieldRef | None:
        """The field of a holder that a unit counts."""
        if isinstance(holder.type, Unknown):
            return None
        owner = holder.type.domain if isinstance(holder.type, Member) else None
        target = None if owner is None else holder
        fields = {name: s for (o, name), s in self.model.fields.items() if o == owner}
        symbol = fields.get(unit.name) or next((s for name, s in fields.items() if same_noun(unit.name, name)), None)
        if symbol is not None:
            kind = _as_map(symbol)
            if unit.index is None:
                return FieldRef(kind, symbol, target)
            if not isinstance(kind, MapOf):
                self.sink.error("wrong-type", unit.span, f"`{symbol.name}` is one number, so nothing stands in `[ ]`")
                return None
            return FieldRef(kind.value, symbol, target, (self.key(unit.index, kind.key, scope),))
        hits: list[FieldRef] = []
        for symbol in fields.values():
            kind = _as_map(symbol)
            if isinstance(kind, MapOf) and isinstance(kind.key, Member):
                ids = self.model.domains[kind.key.domain].ids
                word = next((w for w in singular_forms(unit.name) if w in ids), None)
                if word is not None:
                    hits.append(FieldRef(kind.value, symbol, target, (Const(kind.key, ids.index(word)),)))
        if len(hits) == 1:
            return hits[0]
        who = "the table" if owner is None else with_article(self.model.domains[owner].name)
        if hits:
            fields_named = " and of ".join(f"`{h.symbol.name}`" for h in hits)
            self.sink.error(
                "two-meanings",
                unit.span,
                f"`{unit.name}` is a key of {fields_named}",
                help=f"write `{singular_forms(hits[0].symbol.name)[-1]}[{unit.name}]`",
            )
            return None
        near = nearest(unit.name, tuple(fields))
        counted = ", ".join(n for n, s in fields.items() if isinstance(s.type, Num)) or "nothing that is counted"
        self.sink.error(
            "no-such-count",
            unit.span,
            f"{who} has no `{unit.name}`; it has {counted}",
            label="not counted here",
            help=f"did you mean `{near}`?" if near else _instead(fields),
        )
        return None

    def _counted(
        self, origin: Origin, quantity: syn.Quantity, source: Expr | None, target: Expr | None, scope: Scope, word: str
    ) -> list[Stmt]:
        """gain, put, remove, move, and pay where it is not routed."""
        amount_node = quantity.amount
        if quantity.unit is None:
            return self._bundle(origin, quantity, source, target, scope, word)
        minus = self.counter(source, quantity.unit, scope) if source is not None else None
        plus = self.counter(target, quantity.unit, scope) if target is not None else None
        amount = self.number(amount_node.value, scope) if amount_node.value is not None else None
        if (source is not None and minus is None) or (target is not None and plus is None):
            return []
        if amount is None and minus is None:
            self.sink.error("wrong-type", quantity.span, "`all` needs a place to take from", help="write a number")
            return []
        return self._adds(origin, amount, amount_node.kind, minus, plus, word, quantity.span)

    def _adds(
        self,
        origin: Origin,
        amount: Expr | None,
        mode: Literal["exactly", "up_to", "all"],
        minus: FieldRef | None,
        plus: FieldRef | None,
        word: str,
        span: Span,
    ) -> list[Stmt]:
        kind = (minus or plus).type if (minus or plus) is not None else None  # type: ignore[union-attr]
        if isinstance(kind, MapOf):
            if amount is not None:
                named = next(r.symbol.name for r in (minus, plus) if r is not None)
                word = self.model.domains[kind.key.domain].ids[0] if isinstance(kind.key, Member) else f"{named}[1]"
                self.sink.error(
                    "missing-unit",
                    span,
                    f"which of the {named} is not said",
                    label=f"counted for each {_noun(self.model, kind.key)}",
                    help=f"name it as the unit, as in `1 {word}`",
                )
                return []
            out: list[Stmt] = []
            for key in self.keys_of(kind.key):
                out += self._adds(origin, None, mode, _at(minus, key), _at(plus, key), word, span)
            return out
        for ref in (minus, plus):
            if ref is not None and not isinstance(ref.type, Num | Unknown):
                self.sink.error(
                    "wrong-type",
                    span,
                    f"`{ref.symbol.name}` is {describe(self.model, ref.type)}, and is not counted",
                    help=f"write `set ….{ref.symbol.name} to …`",
                )
                return []
        for ref, raw, said in (
            (minus, word != "pay", "only `pay` takes from it"),
            (
                plus,
                word != "gain" or plus is None or plus.symbol.gained_by is None,
                "only a `gain` that is `gained by` an effect adds to it",
            ),
        ):
            if ref is not None and ref.symbol.paid_from and raw:
                self.sink.error(
                    "no-cells-of-its-own",
                    span,
                    f"`{ref.symbol.name}` is the sum of what lies elsewhere",
                    label=said,
                    help="name the place itself",
                )
                return []
        if isinstance(amount, Const):
            self._amount_fits(amount.value, mode, minus or plus, span)
        routed: EffectSym | None = None
        routed_key: Expr | None = None
        if word == "gain" and plus is not None and plus.symbol.gained_by is not None:
            routed = self.effect_named(plus.symbol.gained_by, plus.symbol.span)
            routed_key = plus.keys[-1] if plus.keys else None
        return [AddStmt(origin, amount, mode, minus, plus, word, routed, routed_key)]

    def _how_many(self, amount: syn.Amount | None, scope: Scope, *, some: bool = False) -> Expr | None:
        """How many there are to be, or how often; with `some` 0 is none either, if that is what is written."""
        if amount is None or amount.value is None:
            return None
        found = self.number(amount.value, scope)
        if _num(found).hi < 0:
            self.sink.error("out-of-range", amount.value.span, "an amount is never below 0")
        elif some and isinstance(amount.value, syn.Int) and amount.value.value == 0:
            self.sink.error("out-of-range", amount.value.span, "nobody chooses 0 of them", help="write 1 or more")
        return found

    def _amount_fits(self, amount: int, mode: str, ref: FieldRef | None, span: Span) -> None:
        """Reports an amount that no value of a field has room for."""
        if amount < 0:
            self.sink.error("out-of-range", span, "an amount is never below 0")
        elif ref is not None and isinstance(ref.type, Num) and mode == "exactly" and amount > ref.type.hi - ref.type.lo:
            self.sink.error(
                "out-of-range",
                span,
                f"{amount} is more than `{ref.symbol.name}` can ever change by",
                label=f"`{ref.symbol.name}` goes from {ref.type.lo} to {ref.type.hi}",
                related=(Related(ref.symbol.span, "declared here"),),
            )

    def _bundle(
        self, origin: Origin, quantity: syn.Quantity, source: Expr | None, target: Expr | None, scope: Scope, word: str
    ) -> list[Stmt]:
        """A whole map as amount: `gain g.cost`."""
        node = quantity.amount.value
        if node is None:
            self.sink.error(
                "missing-unit",
                quantity.span,
                "`all` of what is not said",
                help="name what is counted, as in `all coins`",
            )
            return []
        if isinstance(node, syn.Name) and self._is_counted(node, source or target, scope):
            self.sink.error(
                "missing-amount",
                node.span,
                f"how many `{node.id}` is not said",
                help=f"write a number before it, as in `1 {singular_forms(node.id)[-1]}`",
            )
            return []
        bundle = self._expr(node, scope, None)
        if not isinstance(bundle.type, MapOf) or not isinstance(bundle.type.value, Num):
            if not isinstance(bundle.type, Unknown):
                self.sink.error(
                    "missing-unit",
                    quantity.span,
                    "what is counted is not said"
                    if isinstance(bundle.type, Num)
                    else f"{describe(self.model, bundle.type)} is no amount",
                    help="name what is counted, as in `2 coins`",
                )
            return []
        out: list[Stmt] = []
        named = bundle.symbol.name if isinstance(bundle, FieldRef | ColumnRef) else ""
        for key in self.keys_of(bundle.type.key):
            amount = self._at_key(bundle, key)
            minus = (
                self._bundle_field(source, named, bundle.type.key, key, quantity.span) if source is not None else None
            )
            plus = (
                self._bundle_field(target, named, bundle.type.key, key, quantity.span) if target is not None else None
            )
            if (source is not None and minus is None) or (target is not None and plus is None):
                return out
            out += self._adds(origin, amount, quantity.amount.kind, minus, plus, word, quantity.span)
        return out

    def _is_counted(self, node: syn.Name, holder: Expr | None, scope: Scope) -> bool:
        """Whether a bare word is no amount but what a holder counts."""
        owner = holder.type.domain if holder is not None and isinstance(holder.type, Member) else None
        if node.id in scope.locals or (None, node.id) in self.model.fields:
            return False
        return any(
            o == owner and same_noun(node.id, n) and isinstance(s.type, Num) for (o, n), s in self.model.fields.items()
        )

    def _bundle_field(self, holder: Expr, named: str, key_type: Type, key: Expr, span: Span) -> FieldRef | None:
        """The holder's field that counts by these keys: the one called as the amount is, or the only one."""
        owner = holder.type.domain if isinstance(holder.type, Member) else None
        hits = [
            s
            for (o, _), s in self.model.fields.items()
            if o == owner and s.keys == (key_type,) and isinstance(s.type, Num)
        ]
        hits = [s for s in hits if s.name == named] or hits
        if len(hits) != 1:
            self.sink.error(
                "no-such-count",
                span,
                "no field here counts the same kinds" if not hits else "several fields here count these kinds",
            )
            return None
        return FieldRef(hits[0].type, hits[0], None if owner is None else holder, (key,))

    def _pay(self, node: syn.Pay, origin: Origin, scope: Scope) -> tuple[Scope, tuple[Stmt, ...]]:
        payer = self._me(syn.Me(span=node.span), scope) if node.source is None else None
        target = self._holder(node.target, scope) if node.target is not None else None
        source = payer if payer is not None else self._pay_source(node.source, scope)
        if isinstance(node.target, syn.Me) and isinstance(node.source, syn.Me | None):
            self._pays_oneself(node.target.span)
        out: list[Stmt] = []
        for quantity in node.quantities:
            for stmt in self._counted(origin, quantity, source, target, scope, "pay"):
                out.append(self._spend(stmt, scope) if isinstance(stmt, AddStmt) else stmt)
        return self._stored(scope, out), tuple(out)

    def _pays_oneself(self, span: Span) -> None:
        self.sink.warning(
            "pays-oneself", span, "whoever pays here is paid by this, and nothing changes",
            label="is the one who acts here",
            help="inside `have`, `me` is who acts there; to name who acted before, begin with `let payee be me`",
        )  # fmt: skip

    def _pay_source(self, node: syn.Expr | None, scope: Scope) -> Expr:
        assert node is not None
        return self._holder(node, scope)

    def _spend(self, stmt: AddStmt, scope: Scope) -> Stmt:
        minus = stmt.minus
        if minus is None or not minus.symbol.paid_from or minus.owner is None:
            return stmt
        places = self.paid_places(minus.symbol, minus.owner, scope, stmt.origin.span)
        if places is None:
            return stmt
        group, counter = places
        amount = stmt.amount if stmt.amount is not None else minus
        return SpendStmt(stmt.origin, amount, counter, minus.keys, group, self.element(group), minus.owner)

    def _bundled(self, out: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """What one `gain` brings of a field that an effect takes in as a map comes to that effect in one bundle."""
        found: list[Stmt] = []
        sums: dict[EffectSym, tuple[Origin, MapOf, dict[int, Expr]]] = {}
        for stmt in out:
            effect = stmt.routed if isinstance(stmt, AddStmt) else None
            takes = effect.declared[0].type if effect is not None and effect.declared else None
            if not isinstance(stmt, AddStmt) or effect is None or not isinstance(takes, MapOf) or stmt.amount is None:
                found.append(stmt)
                continue
            amounts = sums.setdefault(effect, (stmt.origin, takes, {}))[2]
            key = stmt.routed_key.value if isinstance(stmt.routed_key, Const) else -1
            if key < 0:
                for i, k in enumerate(self.keys_of(takes.key)):
                    amounts[i] = self._plus(amounts.get(i), self._where(stmt.routed_key, k, stmt.amount))
            else:
                low = takes.key.lo if isinstance(takes.key, Num) else 0
                amounts[key - low] = self._plus(amounts.get(key - low), stmt.amount)
        for effect, (origin, takes, amounts) in sums.items():
            zero = Const(Num(0, 0), 0)
            items = tuple(amounts.get(i, zero) for i in range(len(self.keys_of(takes.key))))
            found.append(PerformStmt(origin, effect, None, items))
        return tuple(found)

    def _plus(self, a: Expr | None, b: Expr) -> Expr:
        return b if a is None else Op(ANY_NUMBER, "add", (a, b))

    def _where(self, key: Expr | None, wanted: Expr, amount: Expr) -> Expr:
        """The amount where the key is the wanted one, else 0."""
        assert key is not None
        return Op(ANY_NUMBER, "select", (Op(TRUTH, "eq", (key, wanted)), amount, Const(Num(0, 0), 0)))

    # ---------------------------------------------------------------- moves and stores
    def _move(self, node: syn.MovePiece, origin: Origin, scope: Scope) -> tuple[Stmt, ...]:
        target = self._expr(node.target, scope, None)
        if isinstance(target, FieldRef) and isinstance(target.type, OrderOf):
            what = self.expr(node.what, scope, target.type.of)
            if node.pile is None:
                self.sink.error(
                    "missing-end",
                    node.span,
                    "to which end of the order is not said",
                    help="write `to top of` or `to bottom of`",
                )
            return (OrderStmt(origin, what, target, node.pile or "bottom"),)
        if not isinstance(target, ZoneRef):
            what = self._expr(node.what, scope, None)
            if isinstance(what.type, Num):
                self.sink.error(
                    "move-needs-from",
                    node.what.span,
                    "a count is moved from somewhere to somewhere",
                    help="write `move … from … to …`, with the unit behind the number",
                )
            elif not isinstance(target.type, Unknown):
                self.sink.error(
                    "wrong-type",
                    node.target.span,
                    f"a piece moves to a zone, and this is {describe(self.model, target.type)}",
                    help=self._zone_of(target.type),
                )
            return ()
        piece = Member(target.piece)
        what = self._expr(node.what, scope, piece)
        if target.symbol is None and isinstance(sure(_element_or_self(what.type)), Member):
            inner = sure(_element_or_self(what.type))
            assert isinstance(inner, Member)
            target = replace(target, piece=inner.domain, type=ZoneOf("box", inner))
            piece = inner
        if isinstance(what.type, SetOf | ZoneOf | OrderOf | MapOf):
            group = self.as_plain_set(what, node.what.span)
            self.fit(group, SetOf(piece), node.what.span)
            return (MoveStmt(origin, group, target, node.pile),)
        return (MoveStmt(origin, self.fit(what, piece, node.what.span), target, node.pile),)

    def _zone_of(self, kind: Type) -> str:
        """Names a zone of something that is taken for one."""
        owner = kind.domain if isinstance(kind, Member) else None
        zone = next((n for o, n in self.model.zones if owner is not None and o == owner), None)
        return f"name the zone, such as its `{zone}`" if zone is not None else ""

    def _target(self, node: syn.Expr, scope: Scope) -> FieldRef | LocalRef | None:
        called = node.function if isinstance(node, syn.CallOf) else node
        if isinstance(called, syn.Name) and called.id not in scope.locals and self.function_node(called.id) is not None:
            self.sink.error(
                "not-state",
                node.span,
                f"`{called.id}` is a function, which is computed and never set",
                label="not state",
                help="change what it reads, or bend it from outside by a rule under `modifiers:`",
            )
            return None
        found = self._expr(node, replace(scope, sure=scope.sure - {spelling(node)}), None)
        if isinstance(found, FieldRef):
            if isinstance(found.type, MapOf):
                self.sink.error(
                    "wrong-type",
                    node.span,
                    f"`{found.symbol.name}` has a value for each key; say which",
                    help="add the key in `[ ]`",
                )
                return None
            return found
        if isinstance(found, LocalRef) and found.symbol.name not in ("me", "this"):
            return found
        if not isinstance(found.type, Unknown):
            self.sink.error("not-state", node.span, "only fields and names made by `let` can be set", label="not state")
        return None

    def _assign(
        self, origin: Origin, target: syn.Expr, value: syn.Expr, scope: Scope
    ) -> tuple[Scope, tuple[Stmt, ...]]:
        ref = self._target(target, scope)
        if ref is None:
            self._expr(value, scope, None)
            return scope, ()
        name = ref.symbol.name
        typed = self.expr(value, scope, ref.type, f"`{name}`")
        if isinstance(typed, Const) and isinstance(ref, FieldRef) and isinstance(ref.type, Num):
            low, high = ref.type.lo, ref.type.hi
            if not low <= typed.value <= high:
                self.sink.error(
                    "out-of-range",
                    value.span,
                    f"{typed.value} is not within {low}..{high}",
                    label=f"`{name}` goes from {low} to {high}",
                    related=(Related(ref.symbol.span, "declared here"),),
                )
        scope = scope.forgetting(name)
        if not isinstance(typed.type, Maybe | Absent) and isinstance(ref.type, Maybe):
            scope = scope.knowing(frozenset((repr(target),)))
        return scope, (AssignStmt(origin, ref, typed),)

    def _change(self, node: syn.Change, origin: Origin, scope: Scope) -> tuple[Scope, tuple[Stmt, ...]]:
        ref = self._target(node.target, scope)
        amount = self.number(node.by.value, scope) if node.by.value is not None else None
        if ref is None:
            return scope, ()
        if isinstance(ref, LocalRef):
            if amount is None:
                self.sink.error("wrong-type", node.span, "a name made by `let` has no bound to go to; write a number")
                return scope, ()
            ref_value = self.fit(ref, ANY_NUMBER, node.target.span)
            return scope, (
                AssignStmt(origin, ref, Op(ANY_NUMBER, "add" if node.up else "sub", (ref_value, amount), node.span)),
            )
        if not isinstance(ref.type, Num):
            self.sink.error(
                "wrong-type",
                node.target.span,
                f"only numbers rise and fall, and this is {describe(self.model, ref.type)}",
            )
            return scope, ()
        minus, plus = (None, ref) if node.up else (ref, None)
        if amount is None and node.up:
            self.sink.error("wrong-type", node.span, "`all` has no meaning here; write a number")
            return scope, ()
        if isinstance(amount, Const):
            self._amount_fits(amount.value, node.by.kind, ref, node.span)
        return scope.forgetting(ref.symbol.name), (
            AddStmt(origin, amount, node.by.kind, minus, plus, "raise" if node.up else "lower"),
        )

    # ---------------------------------------------------------------- decisions and chance
    def _choose(self, node: syn.Choose, origin: Origin, scope: Scope, place: Place) -> tuple[Scope, tuple[Stmt, ...]]:
        self._me(syn.Me(span=node.span), scope)
        out: list[Stmt] = []
        for index, pick in enumerate(node.picks):
            group = self.domain(pick.domain, scope)
            element = self.element(group)
            span = pick.name_span if pick.name_span.end > pick.name_span.start else pick.span
            inner, symbol = scope.bind(pick.name, element, span)
            where = self.truth(pick.where, inner) if pick.where is not None else None
            prompt = node.asking if index == len(node.picks) - 1 or len(node.picks) == 1 else None
            prompt = node.asking if node.asking is not None else prompt
            counted = self._counted_pick(pick, scope)
            if counted is not None and pick.amount is not None and pick.amount.value is not None:
                scope, stmt = self._choose_units(pick, counted, origin, prompt, scope, span)
                out.append(stmt)
            elif pick.amount is not None and pick.amount.value is not None and isinstance(element, Num | Member):
                amount = self._how_many(pick.amount, scope, some=True)
                scope, chosen = scope.bind(pick.name, SetOf(element), span)
                out.append(
                    ChooseStmt(
                        origin, chosen, self._plain(group), where, prompt, amount, pick.amount.kind == "up_to", symbol
                    )
                )
            else:
                if pick.amount is not None:
                    self.sink.error("wrong-type", pick.span, "write how many are chosen as a number")
                scope = inner
                if pick.where is not None:
                    scope = scope.knowing(self.facts(pick.where, inner, True))
                out.append(ChooseStmt(origin, symbol, group, where, prompt, reasons=self._reasons(pick)))
            out.extend(self._after_binding(scope, place, pick.name))
        return scope, tuple(out)

    def _counted_pick(self, pick: syn.Pick, scope: Scope) -> Expr | None:
        """The map that several are chosen from, if it is one: `choose 2 kept from my charms`."""
        if pick.amount is None:
            return None
        found = self._expr(pick.domain, scope, None)
        return found if isinstance(found.type, MapOf) and isinstance(found.type.value, Num) else None

    def _choose_units(
        self, pick: syn.Pick, stock: Expr, origin: Origin, prompt: str | None, scope: Scope, span: Span
    ) -> tuple[Scope, Stmt]:
        """Choosing several of a counted map gives a map: how many of each key."""
        assert isinstance(stock.type, MapOf)
        assert pick.amount is not None
        assert pick.amount.value is not None
        if pick.where is not None:
            self.sink.error("wrong-type", pick.where.span, "units that are counted alike have no `where`")
        amount = self._how_many(pick.amount, scope, some=True)
        each = LocalSym(pick.name, stock.type.key, span)
        scope, chosen = scope.bind(pick.name, stock.type, span)
        group = self.all_of(stock.type.key)
        units, items = self.units(chosen), self.items(stock)
        return scope, ChooseStmt(
            origin, chosen, group, None, prompt, amount, pick.amount.kind == "up_to", each, units, items
        )

    def _reasons(self, pick: syn.Pick) -> tuple[Reason, ...]:
        """What is said of something that is not in the set, or fails a part of the condition; a function speaks with its clauses."""
        parts = _joined_parts(pick.where) if pick.where is not None else []
        found = [Reason(f"it is not in {_quoted(pick.domain)}", pick.domain.span, self._clauses_of(pick.domain))]
        return (
            *found,
            *(Reason(f"{_quoted(part)} does not hold", part.span, self._clauses_of(part)) for part in parts),
        )

    def _clauses_of(self, node: syn.Expr) -> tuple[str, ...]:
        match node:
            case syn.Name(id=name) | syn.CallOf(function=syn.Name(id=name)):
                function = self.function_node(name)
            case syn.Not(value=inner):
                return self._clauses_of(inner)
            case _:
                function = None
        if function is None:
            return ()
        return tuple(dict.fromkeys([*function.cite, *(c for arm in function.arms for c in arm.cite)]))

    def _stream(self, place: Place, group: Expr, name: str) -> str:
        if isinstance(group, ZoneRef) and group.symbol is not None and group.symbol.kind == "deck":
            return group.symbol.address
        base = f"{place.address}.{name}"
        place.streams.append(base)
        again = place.streams.count(base)
        return base if again == 1 else f"{base}.{again}"

    def _draw(self, node: syn.Draw, origin: Origin, scope: Scope, place: Place) -> tuple[Scope, tuple[Stmt, ...]]:
        found = self._expr(node.domain, scope, None)
        stream = self._stream(place, found, node.name)
        group = self.as_set(found, node.domain.span)
        inner, symbol = scope.bind(node.name, self.element(group), node.span)
        where = self.truth(node.where, inner) if node.where is not None else None
        weight = self.number(node.weight, inner) if node.weight is not None else None
        element = self.element(group)
        if node.amount is None or not isinstance(element, Num | Member):
            if node.where is not None:
                inner = inner.knowing(self.facts(node.where, inner, True))
            return inner, (
                DrawStmt(origin, symbol, self._plain(group), where, weight, stream),
                *self._after_binding(inner, place, node.name),
            )
        amount = self._how_many(node.amount, scope)
        scope, drawn = scope.bind(node.name, SetOf(element), node.span)
        return scope, (
            DrawStmt(
                origin, drawn, self._plain(group), where, weight, stream, amount, node.amount.kind != "exactly", symbol
            ),
        )

    def _deal(self, node: syn.Deal, origin: Origin, scope: Scope) -> tuple[Stmt, ...]:
        source, target = self._expr(node.source, scope, None), self._expr(node.target, scope, None)
        for found, where in ((source, node.source), (target, node.target)):
            if not isinstance(found, ZoneRef):
                if not isinstance(found.type, Unknown):
                    self.sink.error(
                        "wrong-type",
                        where.span,
                        f"expected a zone, found {describe(self.model, found.type)}",
                        help=self._zone_of(found.type),
                    )
                return ()
        assert isinstance(source, ZoneRef)
        assert isinstance(target, ZoneRef)
        given = source.given is not None and isinstance(source.type, ZoneOf) and source.type.kind == "deck"
        if not given and (source.symbol is None or source.symbol.kind != "deck"):
            self.sink.error(
                "wrong-type",
                node.source.span,
                "cards are dealt from a deck",
                help="use `draw` and `move` for other zones",
            )
            return ()
        if target.symbol is not None and target.piece != source.piece:
            self.sink.error(
                "wrong-type",
                node.target.span,
                f"this zone holds {self.model.domains[target.piece].name} pieces, "
                f"and the deck {self.model.domains[source.piece].name} pieces",
            )
            return ()
        amount = self._how_many(node.amount, scope)
        return (DealStmt(origin, amount, node.amount.kind != "exactly", source, replace(target, piece=source.piece)),)

    # ---------------------------------------------------------------- flow
    def _perform(self, what: syn.Expr, origin: Origin, scope: Scope) -> tuple[Stmt, ...]:
        name = (
            what.id
            if isinstance(what, syn.Name)
            else what.function.id
            if isinstance(what, syn.CallOf) and isinstance(what.function, syn.Name)
            else None
        )
        if name is not None and name not in scope.locals:
            symbol = self.effect_named(name, what.span)
            if symbol is not None:
                given = what.arguments if isinstance(what, syn.CallOf) else ()
                declared = symbol.declared or symbol.params
                args = self.flat(self.arguments(name, declared, self.effect_defaults(symbol), given, scope, what.span))
                self._me(syn.Me(span=what.span), scope) if scope.me is not None else None
                return (PerformStmt(origin, symbol, None, args),)
            if isinstance(what, syn.CallOf) or (None, name) not in self.model.fields:
                known = (*self.model.definition.effects, *self.model.definition.phases)
                near = nearest(name, known)
                self.sink.error(
                    "no-such-name",
                    what.function.span if isinstance(what, syn.CallOf) else what.span,
                    f"no effect named `{name}`",
                    label="not an effect or phase",
                    help=f"did you mean `{near}`?" if near else "",
                )
                return ()
        value = self.expr(what, scope, Effect())
        return (PerformStmt(origin, None, value, ()),)

    def flat(self, args: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """Arguments as they are passed: maps number by number, zones by their numbers."""
        found: list[Expr] = []
        for arg in args:
            if isinstance(arg.type, MapOf):
                found.extend(self.items(arg))
            elif isinstance(arg, ZoneRef) and isinstance(arg.type, ZoneOf):
                found.append(ZoneNumber(arg.type, arg))
            else:
                found.append(arg)
        return tuple(found)

    def _end(self, node: syn.End, origin: Origin, place: Place) -> tuple[Stmt, ...]:
        if node.what not in ("turn", "loop", "effect", "phase", "game"):
            near = nearest(node.what, ("turn", "loop", "effect", "phase", "game"))
            self.sink.error(
                "no-such-name",
                node.span,
                f"`end {node.what}` ends nothing",
                help=f"did you mean `end {near}`?"
                if near
                else "write `end turn`, `end loop`, `end effect`, `end phase` or `end game`",
            )
            return ()
        if node.what not in place.ends:
            told = f"`end {node.what}` does not stand in {with_article(node.what)} here"
            self.sink.error("misplaced-end", node.span, told)
            return ()
        return (EndStmt(origin, node.what),)  # type: ignore[arg-type]

    def _for_each(self, node: syn.ForEach, origin: Origin, scope: Scope, place: Place) -> tuple[Stmt, ...]:
        group = self.domain(node.binder.domain, scope)
        element = self.element(group)
        inner, symbol = scope.bind(node.binder.name, element, node.binder.span)
        if node.by and isinstance(element, Member | Num):
            keys = tuple(Key(k.most, self.number(k.value, inner)) for k in node.by)
            key_symbol = symbol
            group = Ranked(OrderOf(element), "sort", key_symbol, group, keys)
            inner, symbol = scope.bind(node.binder.name, element, node.binder.span)
        where = self.truth(node.where, inner) if node.where is not None else None
        if node.where is not None:
            inner = inner.knowing(self.facts(node.where, inner, True))
        log = self._after_binding(inner, place, node.binder.name)
        body = self.block(node.body, inner, place.inside("loop"))
        return (ForEachStmt(origin, symbol, group, where, (*log, *body)),)

    def _have(self, node: syn.Have, origin: Origin, scope: Scope, place: Place) -> tuple[Stmt, ...]:
        who = self._expr(node.who, scope, PLAYER)
        if isinstance(who.type, ZoneOf | MapOf):
            who = self.as_set(who, node.who.span)
        element = sure(_element_or_self(who.type))
        if element != PLAYER and not isinstance(element, Unknown):
            self.sink.error(
                "wrong-type", node.who.span, f"`have` names players, and this is {describe(self.model, who.type)}"
            )
            return ()
        me = LocalSym("me", PLAYER, node.span)
        inner = scope.with_me(me)
        # What is chosen first is waited for.
        named = place.log is not None and place.log_names <= (set(scope.locals) if place.nobody else set())
        log = self.opening_log(inner, place) if named and self._waits(scope, place) else ()
        inside = replace(place, log=None) if log else place
        body = self.block(node.body, inner, inside.inside("loop"))
        return (HaveStmt(origin, me, who, (*log, *body), place.commits),)

    def _window(self, node: syn.Window, origin: Origin, scope: Scope, place: Place) -> tuple[Stmt, ...]:
        if place.simultaneous:
            self.sink.error("window-at-once", node.span, "a window cannot stand inside `all at once`")
        symbol = self.effect_named(node.effect.id, node.effect.span) if isinstance(node.effect, syn.Name) else None
        if symbol is None or symbol.declared or symbol.params:
            near = (
                nearest(node.effect.id, tuple(self.model.definition.effects))
                if isinstance(node.effect, syn.Name)
                else None
            )
            self.sink.error(
                "no-such-name",
                node.effect.span,
                "a window allows an effect without arguments, by its name",
                help=f"did you mean `{near}`?" if near else "",
            )
            return self.block(node.body, scope, place)
        who = None
        if node.who is not None:
            who = self.as_plain_set(self._expr(node.who, scope, SetOf(PLAYER)), node.who.span)
        return (WindowStmt(origin, symbol, who, self.block(node.body, scope, place)),)

    def _allocate(self, node: syn.Allocate, origin: Origin, scope: Scope, place: Place) -> tuple[Stmt, ...]:
        self._me(syn.Me(span=node.span), scope)
        found = self._expr(node.item.domain, scope, None)
        items = self.as_set(found, node.item.domain.span) if not isinstance(found.type, MapOf) else found
        element = found.type.key if isinstance(found.type, MapOf) else self.element(items)
        inner, item = scope.bind(node.item.name, element, node.item.span)
        places = self.domain(node.place.domain, inner)
        inner, spot = inner.bind(node.place.name, self.element(places), node.place.span)
        where = self.truth(node.where, inner) if node.where is not None else None
        if node.where is not None:
            inner = inner.knowing(self.facts(node.where, inner, True))
        body = self.block(node.body, inner, place.inside("loop"))
        return (AllocateStmt(origin, item, items, spot, places, where, body),)

    def _turns(self, node: syn.Turns, origin: Origin, scope: Scope, place: Place) -> tuple[Stmt, ...]:
        order = self._expr(node.order, scope, None)
        if isinstance(order.type, ZoneOf | MapOf):
            order = self.as_set(order, node.order.span)
        if sure(_element_or_self(order.type)) != PLAYER and not isinstance(order.type, Unknown):
            self.sink.error(
                "wrong-type", node.order.span, f"players take turns, and this is {describe(self.model, order.type)}"
            )
            return ()
        start = self.expr(node.start, scope, Maybe(PLAYER)) if node.start is not None else None
        condition = self.truth(node.condition, scope) if node.condition is not None else None
        me = LocalSym("me", PLAYER, node.span)
        inner = scope.with_me(me)
        inside = replace(place.inside("turn", "loop"), commits=False)
        log = () if place.log is None or place.log_names or scope.me is not None else (self._log(inner, place),)
        return (TurnsStmt(origin, me, order, start, condition, (*log, *self.block(node.body, inner, inside))),)

    def _if(self, node: syn.If, origin: Origin, scope: Scope, place: Place) -> tuple[Scope, tuple[Stmt, ...]]:
        branches: list[tuple[Expr, tuple[Stmt, ...]]] = []
        outer = scope
        for branch in node.branches:
            test = self.truth(branch.condition, outer)
            inner = outer.knowing(self.facts(branch.condition, outer, True))
            branches.append((test, self.block(branch.body, inner, place)))
            outer = outer.knowing(self.facts(branch.condition, outer, False))
        otherwise = self.block(node.otherwise or (), outer, place)
        behind = scope
        if node.otherwise is None and all(body and isinstance(body[-1], EndStmt) for _, body in branches):
            behind = outer
        return behind, (IfStmt(origin, tuple(branches), otherwise),)

    def _either(self, node: syn.Either, origin: Origin, scope: Scope, place: Place) -> Stmt:
        self._me(syn.Me(span=node.span), scope)
        options = []
        labels: set[str] = set()
        for option in node.options:
            if option.label in labels:
                self.sink.error("duplicate-id", option.span, f"the label `{option.label}` stands twice in this choice")
            labels.add(option.label)
            test = self.truth(option.condition, scope) if option.condition is not None else None
            inner = scope.knowing(self.facts(option.condition, scope, True)) if option.condition is not None else scope
            options.append(
                OptionBody(option.label, option.prompt, test, self.block(option.body, inner, place), option.span)
            )
        return EitherStmt(origin, tuple(options))


def _element_or_self(kind: Type) -> Type:
    return kind.of if isinstance(kind, SetOf | OrderOf) else kind.piece if isinstance(kind, ZoneOf) else kind


def _as_map(symbol: FieldSym) -> Type:
    kind: Type = symbol.type
    for key in reversed(symbol.keys):
        if isinstance(key, Num | Member):
            kind = MapOf(key, kind)
    return kind


def _instead(fields: dict[str, FieldSym]) -> str:
    """What may have been meant where something is not counted."""
    counted = next((n for n, s in fields.items() if isinstance(s.type, Num) and not s.keys), None)
    return f"name one of these, as in `2 {counted}`, or declare the other under `components:`" if counted else ""


def _at(ref: FieldRef | None, key: Expr) -> FieldRef | None:
    if ref is None or not isinstance(ref.type, MapOf):
        return ref
    return FieldRef(ref.type.value, ref.symbol, ref.owner, (*ref.keys, key))


def _joined_parts(node: syn.Expr) -> list[syn.Expr]:
    """The conditions that `and` joins, from left to right."""
    if isinstance(node, syn.Logic) and node.op == "and":
        return [*_joined_parts(node.left), *_joined_parts(node.right)]
    return [node]


def _quoted(node: syn.Expr) -> str:
    """The text of an expression, on one line."""
    return f"`{' '.join(node.span.text().split())}`"


def speaks_of_me(node: object) -> bool:
    """Whether a tree of the language names the acting player."""
    if isinstance(node, tuple):
        return any(speaks_of_me(part) for part in node)
    held = getattr(type(node), "__dataclass_fields__", ())
    return isinstance(node, syn.Me) or any(speaks_of_me(getattr(node, name)) for name in held)
