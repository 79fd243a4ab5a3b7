"""Typing of expressions: surface trees to typed trees.

A bare name means, in this order: a local; a member of the expected type; a field of the table; a value, option, function, set of
all, or builtin; a member of any type. Optional values must be shown to be there before they are used: `!= nothing` in a condition,
`x in S`, and `else` do that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence as Seq
from dataclasses import replace

from interpreter.model.declare import describe
from interpreter.model.dsl_types import (
    ANY_NUMBER,
    INT_HI,
    INT_LO,
    PLAYER,
    TRUTH,
    UNKNOWN,
    Absent,
    Effect,
    Formula,
    Graph,
    Holder,
    MapOf,
    Maybe,
    Member,
    Num,
    OrderOf,
    SetOf,
    Truth,
    Type,
    Unknown,
    ZoneOf,
    fits,
    join,
    maybe,
    sure,
)
from interpreter.model.game_model import Domain, Model
from interpreter.model.plurals import plural_forms, with_article
from interpreter.model.scope import Scope, spelling
from interpreter.model.typed import (
    Apply,
    Bundle,
    ColumnRef,
    Const,
    Constants,
    Expr,
    FieldRef,
    FormulaApply,
    FuncSym,
    Key,
    LocalRef,
    LocalSym,
    NothingConst,
    Op,
    Query,
    QueryKind,
    Ranked,
    SetConst,
    ZoneRef,
)
from interpreter.syntax import nodes as syn
from interpreter.syntax.located import Scalar, Sequence
from interpreter.text.diagnostic import Sink
from interpreter.text.source import Span
from interpreter.text.suggest import nearest

OPEN = 2**29  # a number that may be this large is one whose bounds nothing has said
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_AMOUNT_DUE = re.compile(r"\b(?:gain|pay|put|remove|move|and)[ \t]+$")
PIECE_FIELDS = ("owner", "slot", "copy", "design")


class ExprChecker:
    """Types expressions of one model. Subclasses know functions and effects."""

    def __init__(self, model: Model, sink: Sink) -> None:
        self.model = model
        self.sink = sink
        self.bundles: dict[LocalSym, tuple[LocalSym, ...]] = {}

    # ---------------------------------------------------------------- services that the game checker provides
    def function(self, name: str, span: Span) -> FuncSym | None:
        """The function of that name, its body checked; None if there is none."""
        raise NotImplementedError

    def function_node(self, name: str) -> syn.Func | None:
        """The text of a function."""
        raise NotImplementedError

    def value_of(self, name: str, want: Type | None) -> Expr | None:
        """A named value or option as an expression."""
        raise NotImplementedError

    def builtin_call(self, node: syn.CallOf, name: str, scope: Scope, want: Type | None) -> Expr | None:
        """A call of a builtin; None if there is none of that name."""
        raise NotImplementedError

    def builtin_name(self, name: str, scope: Scope) -> Expr | None:
        """A builtin without arguments."""
        raise NotImplementedError

    def can(self, node: syn.Can, scope: Scope) -> Expr:
        """`can e(…)`."""
        raise NotImplementedError

    def column_formula(self, symbol: ColumnRef) -> Formula | None:
        """The signature of a formula column."""
        raise NotImplementedError

    def formula_uses_me(self, symbol: ColumnRef) -> bool:
        """Whether a formula of the column speaks of the acting player."""
        raise NotImplementedError

    def other_names(self) -> tuple[str, ...]:
        """Names that only suggestions need."""
        raise NotImplementedError

    # ---------------------------------------------------------------- entry points
    def expr(self, node: syn.Expr, scope: Scope, want: Type | None = None, whose: str = "") -> Expr:
        """Types an expression. With `want`, bare names are looked up there first and a mismatch is reported; `whose` says what wants it."""
        found = self._expr(node, scope, want)
        if want is not None:
            found = self.fit(found, want, node.span, whose)
        return found

    def fit(self, found: Expr, want: Type, span: Span, whose: str = "") -> Expr:
        """The expression as type `want`; reported where it is not one."""
        kind = found.type
        if isinstance(found, NothingConst) and isinstance(want, Maybe):
            return NothingConst(want)
        if isinstance(want, SetOf) and (isinstance(kind, ZoneOf | OrderOf | MapOf) or self._is_line(kind)):
            found = self.as_plain_set(found, span)
            kind = found.type
        if fits(kind, want):
            return self._held(found, want, span, whose)
        if isinstance(kind, Maybe) and fits(kind.of, want):
            self.sink.error(
                "maybe-nothing",
                span,
                f"{_quote(span)} may be nothing here",
                label="not sure to be there",
                help="test it with `!= nothing`, give it an `else`, or use `have`",
            )
        else:
            self.sink.error(
                "wrong-type",
                span,
                f"expected {describe(self.model, want)}, found {describe(self.model, kind)}",
                label=f"this is {describe(self.model, kind)}",
                help=_turned_into(kind, want, span),
            )
        return _stand_in(want)

    def _held(self, found: Expr, want: Type, span: Span, whose: str) -> Expr:
        """A set of numbers where one within a range is wanted: it must not hold others. Only what is known from the text counts, as sets
        have room for just what they are declared with."""
        kind = found.type
        if not isinstance(want, SetOf | OrderOf) or not isinstance(kind, SetOf | OrderOf):
            return found
        room, given = want.of, kind.of
        if not isinstance(room, Num) or not isinstance(given, Num):
            return found
        if isinstance(found, SetConst):
            others = [i for i in range(found.mask.bit_length()) if found.mask >> i & 1 and not room.lo <= i <= room.hi]
            if not others:
                return SetConst(want, found.mask)
            holds = f"holds {_listed(others)}"
        elif room.lo <= given.lo and given.hi <= room.hi:
            return found
        else:
            holds = f"{'is' if _is_settled(found) else 'may hold'} {given.lo}..{given.hi}"
        name = f"{whose} is" if whose else "this should be"
        self.sink.error(
            "out-of-range",
            span,
            f"{name} a set of {room.lo}..{room.hi}, and this {holds}",
            help=_kept_within(found, room),
        )
        return _stand_in(want)

    def truth(self, node: syn.Expr, scope: Scope) -> Expr:
        """Types a condition."""
        return self.expr(node, scope, TRUTH)

    def number(self, node: syn.Expr, scope: Scope) -> Expr:
        """Types a number."""
        return self.expr(node, scope, ANY_NUMBER)

    # ---------------------------------------------------------------- facts
    def facts(self, node: syn.Expr, scope: Scope, holds: bool) -> frozenset[str]:
        """Spellings of optional expressions that are sure when the condition holds (or, with `holds` false, when it does not)."""
        match node:
            case syn.Compare(op="!=", left=left, right=syn.Nothing()) if holds:
                return frozenset((spelling(left),))
            case syn.Compare(op="=", left=left, right=syn.Nothing()) if not holds:
                return frozenset((spelling(left),))
            case syn.Compare(op="=", left=left, right=right) if holds and not isinstance(right, syn.Nothing):
                return frozenset((spelling(left),)) if not self._optional(right, scope) else frozenset()
            case syn.IsIn(negated=negated, item=item) if holds != negated:
                return frozenset((spelling(item),))
            case syn.Logic(op="and", left=left, right=right) if holds:
                return self.facts(left, scope, True) | self.facts(right, scope, True)
            case syn.Logic(op="or", left=left, right=right) if not holds:
                return self.facts(left, scope, False) | self.facts(right, scope, False)
            case syn.Not(value=value):
                return self.facts(value, scope, not holds)
            case syn.CallOf(function=syn.Name(id=name), arguments=arguments) if holds:
                return self._facts_of_call(name, arguments)
            case syn.Query(kind="any", source=syn.QuerySource(whole=None)) if holds:
                return frozenset()
            case _:
                return frozenset()

    def _optional(self, node: syn.Expr, scope: Scope) -> bool:
        match node:
            case syn.Me() | syn.Int() | syn.Truth():
                return False
            case syn.Name(id=name) if name in scope.locals:
                return isinstance(scope.locals[name].type, Maybe)
            case syn.Name(id=name):
                return self.function_node(name) is not None or (None, name) in self.model.fields
            case _:
                return True

    def _facts_of_call(self, name: str, arguments: Seq[syn.Expr | syn.Named]) -> frozenset[str]:
        """A test narrows through a function whose body begins with `p != nothing and …`."""
        func = self.function_node(name)
        if func is None or func.arms:
            return frozenset()
        inside = self.facts(func.body, Scope(), True)
        found = set()
        for param, argument in zip(func.params, arguments, strict=False):
            if not isinstance(argument, syn.Named) and spelling(syn.Name(param.name)) in inside:
                found.add(spelling(argument))
        return frozenset(found)

    # ---------------------------------------------------------------- expressions
    def _expr(self, node: syn.Expr, scope: Scope, want: Type | None) -> Expr:  # noqa: C901 - one case a kind of node
        match node:
            case syn.Int(value=value):
                if not INT_LO <= value <= INT_HI:
                    self.sink.error("out-of-range", node.span, "the number does not fit 32 bits")
                    value = 0
                return Const(Num(value, value), value)
            case syn.Truth(value=truth):
                return Const(TRUTH, int(truth))
            case syn.Nothing():
                return NothingConst(Absent())
            case syn.Me():
                return self._me(node, scope)
            case syn.This():
                if scope.this is None:
                    self.sink.error("no-such-name", node.span, "`this` stands only in the rules of a row")
                    return _stand_in(UNKNOWN)
                return LocalRef(scope.this.type, scope.this)
            case syn.Name():
                return self._narrowed(node, self._name(node, scope, want), scope)
            case syn.FieldOf():
                return self._narrowed(node, self._field(node, scope), scope)
            case syn.At():
                return self._narrowed(node, self._at(node, scope), scope)
            case syn.CallOf():
                return self._narrowed(node, self._call(node, scope, want), scope)
            case syn.SetOf(items=items):
                return self._set(items, node.span, scope, want)
            case syn.Negate(value=value):
                inner = self.number(value, scope)
                if isinstance(inner, Const):
                    return Const(Num(-inner.value, -inner.value), -inner.value)
                kind = _num(inner)
                return Op(self._checked(Num(-kind.hi, -kind.lo), node.span), "neg", (inner,))
            case syn.Can():
                return self.can(node, scope)
            case syn.Arith():
                return self._arith(node, scope, want)
            case syn.RangeOf(low=low, high=high):
                return self._range(node, self.number(low, scope), self.number(high, scope))
            case syn.Compare():
                return self._compare(node, scope)
            case syn.IsIn(negated=negated, item=item, group=group):
                return self._is_in(item, group, negated, scope, node.span)
            case syn.Not(value=value):
                return Op(TRUTH, "not", (self.truth(value, scope),))
            case syn.Logic(op=op, left=left, right=right):
                a = self.truth(left, scope)
                b = self.truth(right, scope.knowing(self.facts(left, scope, op == "and")))
                return Op(TRUTH, op, (a, b))
            case syn.ElseValue(value=value, fallback=fallback):
                first = self._expr(value, scope, maybe(want) if want is not None else None)
                there = sure(first.type)
                second = self._expr(fallback, scope, there if want is None else want)
                if isinstance(second, NothingConst):
                    second = NothingConst(maybe(there))
                result = join(there, second.type)
                if result is None:
                    self._mismatch(fallback.span, there, second.type)
                    return first
                return Op(result, "else", (first, second))
            case syn.IfElse(condition=condition, then=then, otherwise=otherwise):
                test = self.truth(condition, scope)
                a = self._expr(then, scope.knowing(self.facts(condition, scope, True)), want)
                b = self._expr(
                    otherwise, scope.knowing(self.facts(condition, scope, False)), want if want is not None else a.type
                )
                return self.choice(test, a, b, otherwise.span)
            case syn.Query():
                return self._query(node, scope, want)
            case syn.Fold():
                return self._fold(node, scope)
        raise AssertionError(node)

    def _range(self, node: syn.RangeOf, low: Expr, high: Expr) -> Expr:
        """A set of all numbers from one to another. One that ends before it begins has no members, and where both ends are written there
        that is a slip; a count that comes to 0 (`1..n`) is none."""
        lo, hi = _num(low).lo, min(_num(high).hi, 4095)
        if isinstance(high, Const) and high.value > 4095:
            self.sink.error("out-of-range", node.high.span, "a set of numbers ends at 4095 or below")
        if lo < 0:
            self.sink.error("out-of-range", node.span, "a set of numbers begins at 0 or above")
            lo = 0
        if hi < lo:
            told = f"the range {_quote(node.span)} is empty"
            if isinstance(node.low, syn.Int) and isinstance(node.high, syn.Int):
                turned = f"{node.high.value}..{node.low.value}"
                self.sink.error("empty-range", node.span, told, help=f"write `{turned}`")
            elif hi < lo - 1:
                self.sink.warning("empty-range", node.span, told, label="ends before it begins")
            lo = min(lo, 4095)
            return SetConst(SetOf(Num(lo, lo)), 0)
        return Op(SetOf(Num(lo, hi)), "range", (low, high))

    def choice(self, test: Expr, a: Expr, b: Expr, span: Span) -> Expr:
        """`if test then a otherwise b`, with the join of both types."""
        if isinstance(a.type, MapOf | ZoneOf):
            a = self.as_set(a, span)
        if isinstance(b.type, MapOf | ZoneOf):
            b = self.as_set(b, span)
        kind = join(a.type, b.type)
        if kind is None:
            self._mismatch(span, a.type, b.type)
            return a
        return Op(kind, "select", (test, self._as(a, kind), self._as(b, kind)))

    def _as(self, found: Expr, kind: Type) -> Expr:
        if isinstance(found, NothingConst):
            return NothingConst(kind)
        if isinstance(kind, SetOf) and isinstance(found.type, OrderOf):
            return Op(kind, "items", (found,))
        return found

    def _mismatch(self, span: Span, wanted: Type, found: Type) -> None:
        self.sink.error(
            "wrong-type",
            span,
            f"expected {describe(self.model, wanted)}, found {describe(self.model, found)}",
            label=f"this is {describe(self.model, found)}",
        )

    def _narrowed(self, node: syn.Expr, found: Expr, scope: Scope) -> Expr:
        if isinstance(found.type, Maybe) and spelling(node) in scope.sure:
            return _retyped(found, found.type.of)
        return found

    def _me(self, node: syn.Expr, scope: Scope) -> Expr:
        if scope.me is None:
            if node.span.text() in ("me", "my"):
                told, cure = "nobody acts here, so there is no `me`", "use `have`, or a binder such as `p in players`"
            elif node.span.text() == "opponents":
                told, cure = "nobody acts here, so there are no `opponents`", "write of whom: `players - {p}`"
            else:
                told, cure = "nobody acts here, so it is open who does this", "say who, as in `have players: …`"
            self.sink.error("no-acting-player", node.span, told, help=cure)
            return _stand_in(PLAYER)
        scope.usage.me = True
        return LocalRef(PLAYER, scope.me)

    def me_of(self, scope: Scope, span: Span, needed: bool) -> Expr | None:
        """The acting player as a hidden argument, where one is needed."""
        if not needed:
            return None
        return self._me(syn.Me(span=span), scope)

    # ---------------------------------------------------------------- names
    def member(self, word: str, kind: Type) -> Expr | None:
        """The member of a type that a word names."""
        inner = kind.of if isinstance(kind, Maybe | SetOf | OrderOf) else kind
        if not isinstance(inner, Member):
            return None
        index = self.member_index(inner.domain, word)
        return None if index is None else Const(inner, index)

    def member_index(self, number: int, word: str) -> int | None:
        """Index of the member a word names, by id, or by row id for pieces with copies (the first)."""
        domain = self.model.domains[number]
        if word in domain.ids:
            return domain.ids.index(word)
        if domain.kind == "piece":
            copied = f"{word}_1"
            if copied in domain.ids and domain.copy[domain.ids.index(copied)] == 1:
                index = domain.ids.index(copied)
                return index if index + 1 < domain.size and domain.design[index + 1] == index else None
        return None

    def _name(self, node: syn.Name, scope: Scope, want: Type | None) -> Expr:
        word = node.id
        if word in scope.locals:
            return self.local(scope.locals[word])
        if want is not None:
            named = self.member(word, want)
            if named is not None:
                return named
        found = self._global(word, node.span, scope, want)
        if found is not None:
            return found
        homes = [d.index for d in self.model.domains if self.member_index(d.index, word) is not None]
        if len(homes) > 1:
            kinds = " and of ".join(f"`{self.model.domains[h].name}`" for h in homes[:3])
            self.sink.error(
                "two-meanings",
                node.span,
                f"`{word}` is a member of {kinds}",
                help="use it where only one of them can stand",
            )
            return _stand_in(UNKNOWN)
        if homes:
            index = self.member_index(homes[0], word)
            return Const(Member(homes[0]), index or 0)
        self.no_name(word, node.span, scope, want)
        return _stand_in(want if want is not None else UNKNOWN)

    def no_name(self, word: str, span: Span, scope: Scope, want: Type | None = None) -> None:
        """Reports an unknown name with the nearest known one."""
        known = [
            *scope.locals,
            *self.model.definition.functions,
            *self.model.definition.values,
            *self.model.definition.options,
            *self.other_names(),
        ]
        known += [n for o, n in self.model.fields if o is None] + [n for o, n in self.model.zones if o is None]
        known += [t for d in self.model.domains for t in d.tables] + [i for d in self.model.domains for i in d.ids]
        domain = self.model.domain_of(want) if want is not None else None
        near = nearest(word, domain.ids) if domain is not None else None
        near = near or nearest(word, tuple(known))
        kind = f"{domain.name} named " if domain is not None and domain.kind != "choice" else ""
        text = span.source.text
        amount = _AMOUNT_DUE.search(text[max(0, span.start - 40) : span.start])
        thing = re.match(r"[ \t]+([a-z_][a-z0-9_]*)", text[span.end : span.end + 60])
        if word in ("a", "an"):
            if amount and thing:
                help = f"write `1 {thing.group(1)}`"
                self.sink.error("article", span, f"an amount is a number, and `{word}` is none", help=help)
            else:
                self.sink.error("article", span, f"there are no articles in a rule; leave out `{word}`")
            return
        self.sink.error(
            "no-such-name",
            span,
            f"no {kind}`{word}` here",
            label="not known",
            help=self._player_meant(word, scope, domain, near)
            or (f"write the number: `{NUMBERS.index(word)}`" if word in NUMBERS else "")
            or self._with_owner(word, scope)
            or (f"did you mean `{near}`?" if near else ""),
        )

    def _player_meant(self, word: str, scope: Scope, domain: Domain | None, near: str | None) -> str:
        """Where a player is wanted: whom there is with so many, unless something else may be meant."""
        if domain is None or domain.index != PLAYER.domain:
            return ""
        low, high = self.model.definition.players
        there = f"there are {', '.join(domain.ids)}"
        if low < high:
            there = f"with {self.model.config.players} players {there}"
        if near and not self._is_seat(word):
            return f"did you mean `{near}`?"
        return "" if self._with_owner(word, scope).startswith("did you mean") else there

    def _is_seat(self, word: str) -> bool:
        """Whether a word is the name of a player of some number of players."""
        shown = self.model.definition.show.get("players") if self.model.definition.show else None
        names = (
            [str(i.value).lower() for i in shown.items if isinstance(i, Scalar)] if isinstance(shown, Sequence) else []
        )
        return word in names

    def _with_owner(self, word: str, scope: Scope) -> str:
        """Where a bare word is a field of something: how to write it."""
        owners = {
            o for table in (self.model.fields, self.model.zones, self.model.columns) for o, n in table if n == word
        }
        holder = next(
            (n for n, s in scope.locals.items() if isinstance(s.type, Member) and s.type.domain in owners), ""
        )
        if PLAYER.domain in owners and scope.me is not None:
            return f"did you mean `my {word}`?"
        if holder:
            return f"did you mean `{holder}.{word}`?"
        owner = next((o for o in owners if o is not None), None)
        return (
            f"it is a field of {with_article(self.model.domains[owner].name)}; say of which"
            if owner is not None
            else ""
        )

    def _global(self, word: str, span: Span, scope: Scope, want: Type | None) -> Expr | None:
        symbol = self.model.fields.get((None, word))
        if symbol is not None:
            return FieldRef(_map_type(symbol.keys, symbol.type), symbol, None)
        zone = self.model.zones.get((None, word))
        if zone is not None:
            return ZoneRef(_zone_type(zone.kind, zone.piece, zone.keys), zone, zone.piece, None)
        value = self.value_of(word, want)
        if value is not None:
            return value
        function = self.function(word, span)
        if function is not None:
            if function.params:
                self.sink.error(
                    "wrong-arguments",
                    span,
                    f"`{word}` needs {_count(len(function.params), 'argument')}",
                    help=f"write `{word}({', '.join(p.name for p in function.params)})`",
                )
                return _stand_in(function.result)
            return Apply(function.result, function, (), self.me_of(scope, span, function.uses_me))
        for domain in self.model.domains:
            if word in domain.tables:
                return SetConst(SetOf(Member(domain.index)), domain.tables[word])
        for domain in self.model.domains:
            if domain.kind == "enum" and (domain.name == word or word in plural_forms(domain.name)):
                return SetConst(SetOf(Member(domain.index)), domain.full)
        if word in self.model.definition.graphs:
            return Const(Graph(word), 0)
        if word == "opponents" and scope.me is None:
            self._me(syn.Me(span=span), scope)
            return _stand_in(SetOf(PLAYER))
        return self.builtin_name(word, scope)

    # ---------------------------------------------------------------- fields
    def _field(self, node: syn.FieldOf, scope: Scope) -> Expr:
        base = self._expr(node.base, scope, self._home_of(node, scope))
        return self.field_of(base, node.name, node.name_span, node.base.span)

    def _home_of(self, node: syn.FieldOf, scope: Scope) -> Type | None:
        """Of a name that several types have, the one that has the field behind it."""
        if not isinstance(node.base, syn.Name) or node.base.id in scope.locals:
            return None
        homes = [d.index for d in self.model.domains if self.member_index(d.index, node.base.id) is not None]
        tables = (self.model.fields, self.model.zones, self.model.columns)
        if not homes and node.base.id not in self.model.definition.values:
            # A word that names nothing, before a field that only players have, is a player's name gone wrong.
            owners = {o for table in tables for o, n in table if n == node.name}
            return PLAYER if owners == {PLAYER.domain} else None
        having = [h for h in homes if any((h, node.name) in table for table in tables)]
        return Member(having[0]) if len(homes) > 1 and len(having) == 1 else None

    def field_of(self, base: Expr, name: str, span: Span, base_span: Span) -> Expr:
        """Field, column, zone or builtin field `name` of a typed base."""
        kind = base.type
        if isinstance(kind, Unknown):
            return _stand_in(UNKNOWN)
        if isinstance(kind, Holder):
            owner: int | None = None
        elif isinstance(sure(kind), Member):
            inner = sure(kind)
            assert isinstance(inner, Member)
            owner = inner.domain
        else:
            self.sink.error(
                "no-such-field", span, f"{describe(self.model, kind)} has no fields", label="nothing to look into"
            )
            return _stand_in(UNKNOWN)
        optional = isinstance(kind, Maybe)
        found = self._field_of(base, owner, name)
        if found is None:
            who = "the table" if owner is None else with_article(self.model.domains[owner].name)
            names = tuple(
                n for table in (self.model.fields, self.model.zones, self.model.columns) for o, n in table if o == owner
            )
            near = nearest(name, (*names, *PIECE_FIELDS))
            self.sink.error(
                "no-such-field",
                span,
                f"{who} has no `{name}`",
                label="no such field",
                help=f"did you mean `{near}`?" if near else "",
            )
            return _stand_in(UNKNOWN)
        if optional:
            if isinstance(found.type, Num | Member | Effect | Truth | Maybe):
                return _retyped(found, maybe(found.type))
            if isinstance(found.type, MapOf | Formula):
                return found  # what is looked up there may be nothing
            self.sink.error(
                "maybe-nothing",
                base_span,
                f"{_quote(base_span)} may be nothing here",
                label="not sure to be there",
                help="test it with `!= nothing`, give it an `else`, or use `have`",
            )
        return found

    def _field_of(self, base: Expr, owner: int | None, name: str) -> Expr | None:
        target = None if owner is None else base
        symbol = self.model.fields.get((owner, name))
        if symbol is not None:
            return FieldRef(_map_type(symbol.keys, symbol.type), symbol, target)
        zone = self.model.zones.get((owner, name))
        if zone is not None:
            return ZoneRef(_zone_type(zone.kind, zone.piece, zone.keys), zone, zone.piece, target)
        if owner is None:
            return None
        column = self.model.columns.get((owner, name))
        if column is not None:
            return ColumnRef(_map_type(column.keys, column.type), column, base)
        domain = self.model.domains[owner]
        match name:
            case "seat" if owner == PLAYER.domain:
                return Op(Num(1, domain.size), "add", (base, Const(Num(1, 1), 1)))
            case "index" if domain.kind != "player":
                return Op(Num(1, domain.size), "add", (base, Const(Num(1, 1), 1)))
            case "row" if domain.rows:
                return Constants(Num(1, max(domain.rows)), f"{domain.name}.row", domain.rows, base)
            case "column" if domain.columns:
                return Constants(Num(1, max(domain.columns)), f"{domain.name}.column", domain.columns, base)
            case "from" | "to" if domain.kind == "step":
                ends = tuple(step[0 if name == "from" else 1] for step in domain.steps)
                return Constants(Member(domain.steps_of), f"{domain.name}.{name}", ends, base)
            case "copy" if domain.kind == "piece":
                return Constants(Num(1, max(domain.copy, default=1)), f"{domain.name}.copy", domain.copy, base)
            case "design" if domain.kind == "piece":
                return Constants(Member(owner), f"{domain.name}.design", domain.design, base)
            case "owner" if domain.kind == "piece":
                return Op(Maybe(PLAYER), "owner", (base,))
            case "slot" if domain.kind == "piece":
                return Op(Num(0, 64), "slot", (base,))
            case _:
                return None

    def _at(self, node: syn.At, scope: Scope) -> Expr:
        base = self._expr(node.base, scope, None)
        kind = base.type
        match base:
            case FieldRef(type=MapOf(key, value)):
                index = self.key(node.index, key, scope)
                kind = _through(value, base.owner)
                return FieldRef(kind, base.symbol, base.owner, (*base.keys, index))
            case ColumnRef(type=MapOf(key, value)):
                index = self.key(node.index, key, scope)
                return ColumnRef(_through(value, base.owner), base.symbol, base.owner, (*base.keys, index))
            case ZoneRef(symbol=symbol, slot=None) if symbol is not None and symbol.kind == "row":
                if symbol.slot_key is not None:
                    place = self.expr(node.index, scope, symbol.slot_key)
                    index = Op(Num(1, symbol.size), "add", (place, Const(Num(1, 1), 1)))
                else:
                    index = self._numbered(node.index, symbol.size, scope, "slot", "slots")
                return ZoneRef(Maybe(Member(base.piece)), symbol, base.piece, base.owner, index)
            case Bundle(type=MapOf(key, value)):
                return self._at_key(base, self.key(node.index, key, scope))
            case Constants(type=MapOf(key, value), name=name, values=values, base=first):
                index = self.key(node.index, key, scope)
                return Constants(value, name, values, index, first)
        if isinstance(kind, OrderOf):
            index = self.number(node.index, scope)
            if isinstance(index, Const) and index.value < 1:
                self.sink.error("out-of-range", node.index.span, "the first of an order is number 1")
            return Op(Maybe(kind.of), "nth", (base, index))
        if isinstance(base, SetConst) and isinstance(kind, SetOf) and isinstance(kind.of, Member):
            rows = tuple(i for i in range(base.mask.bit_length()) if base.mask >> i & 1)
            index = self._numbered(node.index, max(1, len(rows)), scope, "row", "rows")
            return Constants(kind.of, node.base.span.text(), rows, index, 1)
        if not isinstance(kind, Unknown):
            self.sink.error(
                "wrong-type", node.base.span, f"{describe(self.model, kind)} has nothing to look up in `[ ]`"
            )
        self._expr(node.index, scope, None)
        return _stand_in(UNKNOWN)

    def key(self, node: syn.Expr, key: Type, scope: Scope) -> Expr:
        """A map key; a constant number outside the map's keys is reported."""
        found = self.expr(node, scope, key)
        return self._one_of(found, key, node.span, "key", "keys") if isinstance(key, Num) else found

    def _numbered(self, node: syn.Expr, count: int, scope: Scope, noun: str, nouns: str) -> Expr:
        """The number of one of so many, from 1."""
        return self._one_of(self.number(node, scope), Num(1, count), node.span, noun, nouns)

    def _one_of(self, found: Expr, wanted: Num, span: Span, noun: str, nouns: str) -> Expr:
        """A number that names one of several; one that never does is reported."""
        given = _num(found)
        if wanted.lo <= given.hi and given.lo <= wanted.hi:
            return found
        here = str(given.lo) if given.lo == given.hi else f"{given.lo}..{given.hi}"
        self.sink.error("out-of-range", span, f"there is no {noun} {here}; {nouns} go from {wanted.lo} to {wanted.hi}")
        return Const(wanted, wanted.lo)

    # ---------------------------------------------------------------- calls
    def _call(self, node: syn.CallOf, scope: Scope, want: Type | None) -> Expr:
        if isinstance(node.function, syn.Name):
            name = node.function.id
            function = self.function(name, node.function.span)
            if function is not None:
                args = self.arguments(name, function.params, self._defaults(name), node.arguments, scope, node.span)
                return Apply(function.result, function, args, self.me_of(scope, node.span, function.uses_me))
            built = self.builtin_call(node, name, scope, want)
            if built is not None:
                return built
            self.no_name(name, node.function.span, scope)
            for argument in node.arguments:
                self._expr(argument.value if isinstance(argument, syn.Named) else argument, scope, None)
            return _stand_in(UNKNOWN)
        target = self._expr(node.function, scope, None)
        if isinstance(target, ColumnRef):
            signature = self.column_formula(target)
            if signature is not None:
                args = tuple(
                    self._argument(
                        a.value if isinstance(a, syn.Named) else a, scope, p, f"what `{target.symbol.name}` takes"
                    )
                    for a, p in zip(node.arguments, signature.params, strict=False)
                )
                if len(node.arguments) != len(signature.params):
                    self.sink.error(
                        "wrong-arguments",
                        node.span,
                        f"`{target.symbol.name}` needs {_count(len(signature.params), 'argument')}, found {len(node.arguments)}",
                    )
                return FormulaApply(
                    _through(signature.result, target.owner),
                    target.symbol,
                    target.owner,
                    args,
                    self.me_of(scope, node.span, self.formula_uses_me(target)),
                )
        if not isinstance(target.type, Unknown):
            self.sink.error("wrong-type", node.function.span, f"{describe(self.model, target.type)} cannot be called")
        return _stand_in(UNKNOWN)

    def _defaults(self, name: str) -> dict[str, syn.Expr]:
        func = self.function_node(name)
        return {p.name: p.default for p in func.params if p.default is not None} if func is not None else {}

    def arguments(
        self,
        name: str,
        params: tuple[LocalSym, ...],
        defaults: dict[str, syn.Expr],
        given: Seq[syn.Expr | syn.Named],
        scope: Scope,
        span: Span,
    ) -> tuple[Expr, ...]:
        """Arguments of a function or effect in the order of its parameters; missing, surplus and misspelt ones are reported."""
        found: dict[str, Expr] = {}
        by_name = {p.name: p for p in params}
        position = 0
        for argument in given:
            if isinstance(argument, syn.Named):
                target = by_name.get(argument.name)
                if target is None:
                    near = nearest(argument.name, tuple(by_name))
                    self.sink.error(
                        "wrong-arguments",
                        argument.span,
                        f"`{name}` has no parameter `{argument.name}`",
                        help=f"did you mean `{near}`?" if near else "",
                    )
                    self._expr(argument.value, scope, None)
                    continue
                found[target.name] = self._argument(argument.value, scope, target.type, f"`{target.name}` of `{name}`")
            elif position < len(params):
                target = params[position]
                position += 1
                found[target.name] = self._argument(argument, scope, target.type, f"`{target.name}` of `{name}`")
            else:
                self.sink.error(
                    "wrong-arguments",
                    argument.span,
                    f"`{name}` needs {_count(len(params), 'argument')}, found {len(given)}",
                )
                self._expr(argument, scope, None)
        for param in params:
            if param.name not in found:
                if param.name in defaults:
                    inner = Scope(me=scope.me, usage=scope.usage)
                    whose = f"`{param.name}` of `{name}`"
                    found[param.name] = self._argument(defaults[param.name], inner, param.type, whose)
                else:
                    self.sink.error("wrong-arguments", span, f"`{name}` needs a value for `{param.name}`")
                    found[param.name] = _stand_in(param.type)
        return tuple(found[p.name] for p in params)

    def _argument(self, node: syn.Expr, scope: Scope, kind: Type, whose: str) -> Expr:
        """An argument of a type that says what it must be within."""
        found = self.expr(node, scope, kind, whose)
        self.within(whose, kind, found, node.span)
        return found

    def within(self, whose: str, kind: Type, value: Expr, span: Span) -> None:
        """Reports a number that is never in the range of what it is for. One that is at times outside is not told: the bounds of a formula
        are often wider than what it comes to."""
        wanted, given = sure(kind), sure(value.type)
        if not isinstance(wanted, Num) or not isinstance(given, Num) or _is_open(wanted) or _is_open(given):
            return
        if given.hi < wanted.lo or wanted.hi < given.lo:
            here = str(given.lo) if given.lo == given.hi else f"{given.lo}..{given.hi}"
            self.sink.error("out-of-range", span, f"{whose} is {wanted.lo}..{wanted.hi}, and this is {here}")

    # ---------------------------------------------------------------- operators
    def _set(self, items: tuple[syn.Expr, ...], span: Span, scope: Scope, want: Type | None) -> Expr:
        inner = want.of if isinstance(want, SetOf | OrderOf) else None
        typed = [self._expr(i, scope, inner) for i in items]
        kind: Type = inner if inner is not None else UNKNOWN
        for item, node in zip(typed, items, strict=True):
            if isinstance(item.type, Maybe):
                self.fit(item, item.type.of, node.span)
            joined = join(kind, sure(item.type))
            if joined is None:
                self._mismatch(node.span, kind, item.type)
            else:
                kind = joined
        if not isinstance(kind, Num | Member):
            if items and not isinstance(kind, Unknown):
                self.sink.error("wrong-type", span, f"no set can hold {describe(self.model, kind)}")
            return SetConst(SetOf(Num(0, 0)) if want is None or not isinstance(want, SetOf) else want, 0)
        if isinstance(kind, Num) and (kind.lo < 0 or kind.hi > 4095):
            self.sink.error("out-of-range", span, "a set holds numbers from 0 to 4095")
            kind = Num(0, 4095)
        result = SetOf(kind)
        if all(isinstance(i, Const) for i in typed):
            mask = 0
            for item in typed:
                if isinstance(item, Const) and item.value >= 0:
                    mask |= 1 << item.value
            return SetConst(result, mask)
        total: Expr = SetConst(result, 0)
        for item in typed:
            single = Op(result, "single", (item,))
            total = single if isinstance(total, SetConst) and total.mask == 0 else Op(result, "union", (total, single))
        return total

    def _arith(self, node: syn.Arith, scope: Scope, want: Type | None) -> Expr:
        if node.op in ("+", "-") and not isinstance(want, Num):
            left = self._expr(node.left, scope, want if isinstance(want, SetOf) else None)
            if isinstance(left.type, MapOf):
                return self._bundle_arith(node, left, self._expr(node.right, scope, None))
            if isinstance(left.type, SetOf | OrderOf | ZoneOf):
                first = self.as_plain_set(left, node.left.span)
                second = self.as_plain_set(self._expr(node.right, scope, first.type), node.right.span)
                kind = join(first.type, second.type)
                if kind is None:
                    self._mismatch(node.right.span, first.type, second.type)
                    return first
                return Op(
                    kind if node.op == "+" else first.type, "union" if node.op == "+" else "minus", (first, second)
                )
            a = self.fit(left, ANY_NUMBER, node.left.span)
        else:
            a = self.number(node.left, scope)
        b = self.number(node.right, scope)
        x, y = _num(a), _num(b)
        match node.op:
            case "+":
                kind_, op = Num(x.lo + y.lo, x.hi + y.hi), "add"
            case "-":
                kind_, op = Num(x.lo - y.hi, x.hi - y.lo), "sub"
            case "*":
                corners = [p * q for p in (x.lo, x.hi) for q in (y.lo, y.hi)]
                kind_, op = Num(min(corners), max(corners)), "mul"
            case "/":
                kind_, op = _quotient(x, y), "div"
            case "mod":
                kind_, op = Num(0, max(0, y.hi - 1)) if y.lo > 0 else ANY_NUMBER, "mod"
        if node.op in ("/", "mod") and y.lo == y.hi == 0:
            self.sink.error("division-by-zero", node.right.span, "this divides by zero")
        if _is_open(x) or _is_open(y):
            return Op(self._cut(kind_, node.span), op, (a, b), node.span)
        return Op(self._checked(kind_, node.span), op, (a, b), node.span)

    def _bundle_arith(self, node: syn.Arith, left: Expr, right: Expr) -> Expr:
        """Maps of one kind of key add and take away key by key."""
        a, b = left.type, right.type
        if not (
            isinstance(a, MapOf)
            and isinstance(b, MapOf)
            and a.key == b.key
            and isinstance(a.value, Num)
            and isinstance(b.value, Num)
        ):
            self._mismatch(node.right.span, a, b)
            return left
        x, y = a.value, b.value
        kind = Num(x.lo + y.lo, x.hi + y.hi) if node.op == "+" else Num(x.lo - y.hi, x.hi - y.lo)
        kind = self._cut(kind, node.span)
        op = "add" if node.op == "+" else "sub"
        pairs = zip(self.items(left), self.items(right), strict=True)
        return Bundle(MapOf(a.key, kind), tuple(Op(kind, op, pair, node.span) for pair in pairs))

    def _cut(self, kind: Num, span: Span) -> Num:
        """What arithmetic on open numbers comes to; whether that is a number is found out as it is worked out, unless it never is."""
        if kind.lo > INT_HI or kind.hi < INT_LO:
            return self._checked(kind, span)
        return Num(max(kind.lo, INT_LO), min(kind.hi, INT_HI))

    def _checked(self, kind: Num, span: Span) -> Num:
        """Arithmetic on what is not open must fit 32 bits."""
        if kind.lo < INT_LO or kind.hi > INT_HI:
            self.sink.error(
                "out-of-range",
                span,
                f"the result may lie anywhere in {kind.lo}..{kind.hi}, which does not fit 32 bits",
            )
            return Num(min(max(kind.lo, INT_LO), INT_HI), max(min(kind.hi, INT_HI), INT_LO))
        return kind

    def _compare(self, node: syn.Compare, scope: Scope) -> Expr:
        if node.op not in ("=", "!="):
            a, b = self.number(node.left, scope), self.number(node.right, scope)
            return Op(TRUTH, {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}[node.op], (a, b))
        first, second = node.left, node.right
        for empty, other in ((second, first), (first, second)):
            if isinstance(empty, syn.SetOf) and not empty.items:  # of whatever the other side holds
                group = self._plain(self.domain(other, scope))
                return self._maybe_not(Op(TRUTH, "seteq", (group, SetConst(group.type, 0))), node.op)
        if isinstance(first, syn.Nothing) or (
            isinstance(first, syn.Name)
            and first.id not in scope.locals
            and not isinstance(second, syn.Name | syn.Nothing)
        ):
            first, second = second, first
        a = self._expr(first, scope, None)
        if isinstance(a.type, Member) and self.model.domains[a.type.domain].kind == "line":
            a = self.as_set(a, first.span)
        b = self._expr(second, scope, a.type if not isinstance(a.type, Absent | Unknown) else None)
        if isinstance(b, NothingConst):
            if not isinstance(a.type, Maybe | Unknown | Absent):
                if spelling(first) in scope.sure:
                    a = _retyped(a, maybe(a.type))
                else:
                    self.sink.warning(
                        "never-nothing",
                        node.span,
                        f"{_quote(first.span)} is never nothing, so this is always {'true' if node.op == '!=' else 'false'}",
                        help="ask `any c in …`, or `no c in …`" if isinstance(a.type, ZoneOf | SetOf | OrderOf) else "",
                    )
                    return Const(TRUTH, int(node.op == "!="))
            b = NothingConst(maybe(sure(a.type)) if not isinstance(a.type, Absent) else a.type)
        elif isinstance(a, NothingConst):
            a = NothingConst(b.type)
        kind = join(a.type, b.type)
        if kind is None or (isinstance(kind, MapOf | Holder | Graph)):
            self._mismatch(second.span, a.type, b.type)
            return Const(TRUTH, 0)
        if isinstance(kind, SetOf | ZoneOf):
            return self._maybe_not(
                Op(TRUTH, "seteq", (self.as_plain_set(a, first.span), self.as_plain_set(b, second.span))), node.op
            )
        if isinstance(kind, OrderOf):
            return self._maybe_not(Op(TRUTH, "seqeq", (a, b)), node.op)
        return Op(TRUTH, "eq" if node.op == "=" else "ne", (a, b))

    def _maybe_not(self, test: Expr, op: str) -> Expr:
        return test if op == "=" else Op(TRUTH, "not", (test,))

    def _is_in(self, item: syn.Expr, group: syn.Expr, negated: bool, scope: Scope, span: Span) -> Expr:
        typed = self._expr(group, scope, None)
        if isinstance(typed, ZoneRef) and typed.symbol is None and typed.given is None:
            piece = sure(self._expr(item, scope, None).type)
            if isinstance(piece, Member) and self.model.domains[piece.domain].kind == "piece":
                typed = replace(typed, piece=piece.domain, type=ZoneOf("box", piece))
        found = self.as_set(typed, group.span)
        inner = found.type.of if isinstance(found.type, SetOf | OrderOf) else UNKNOWN
        element = self._expr(item, scope, inner if not isinstance(inner, Unknown) else None)
        if not fits(sure(element.type), inner):
            self._mismatch(item.span, inner, element.type)
            return Const(TRUTH, 0)
        if isinstance(found.type, OrderOf):
            test: Expr = Op(TRUTH, "gt", (Op(Num(0, 4095), "place", (found, element)), Const(Num(0, 0), 0)))
        else:
            test = Op(TRUTH, "has", (found, element))
        return Op(TRUTH, "not", (test,)) if negated else test

    # ---------------------------------------------------------------- sets and queries
    def as_set(self, found: Expr, span: Span) -> Expr:
        """Anything that can be gone through, as a set or an order: zones, counted maps (keys with more than none), lines."""
        kind = found.type
        match kind:
            case SetOf() | OrderOf() | Unknown():
                return found
            case ZoneOf(kind="box", piece=Member(0)):
                self.sink.error(
                    "wrong-type",
                    span,
                    "pieces of every kind lie in the box",
                    help="go through one kind, and test `in box`, as in `all c in cards where c in box`",
                )
                return SetConst(SetOf(PLAYER), 0)
            case ZoneOf(piece=piece):
                return _retyped(found, SetOf(piece))
            case MapOf(key, Num()) if isinstance(key, Member | Num):
                binder = LocalSym("key", key, span)
                value = self._at_key(found, LocalRef(key, binder))
                full = self.all_of(key)
                return Query(SetOf(key), "filter", binder, full, Op(TRUTH, "gt", (value, Const(Num(0, 0), 0))))
            case Member(index) if self._is_line(kind):
                line = self.model.domains[index]
                return Constants(SetOf(Member(line.line_of)), line.name, line.line_masks, found)
            case _:
                self.sink.error(
                    "wrong-type",
                    span,
                    f"expected a set, found {describe(self.model, kind)}",
                    label=f"this is {describe(self.model, kind)}",
                    help=_in_braces(span) if isinstance(kind, Member | Num) else "",
                )
                return _stand_in(UNKNOWN)

    def _is_line(self, kind: Type) -> bool:
        """Whether something is a line of a board, which can stand for the set of its cells."""
        return isinstance(kind, Member) and self.model.domains[kind.domain].kind == "line"

    def as_plain_set(self, found: Expr, span: Span) -> Expr:
        """As `as_set`, but an order becomes the set of its members."""
        group = self.as_set(found, span)
        return Op(SetOf(group.type.of), "items", (group,)) if isinstance(group.type, OrderOf) else group

    def all_of(self, kind: Type) -> Expr:
        """The set of all values of a key type."""
        match kind:
            case Member(index):
                return SetConst(SetOf(kind), self.model.domains[index].full)
            case Num(lo, hi):
                return SetConst(SetOf(kind), ((1 << (hi + 1)) - 1) & ~((1 << lo) - 1))
            case _:
                return SetConst(SetOf(Num(0, 0)), 0)

    def local(self, symbol: LocalSym) -> Expr:
        """The value of a local: a map is a bundle of its numbers, a zone is looked up by its number."""
        if symbol in self.bundles:
            return Bundle(symbol.type, tuple(LocalRef(u.type, u) for u in self.bundles[symbol]))
        if isinstance(symbol.type, ZoneOf):
            number = LocalRef(Num(0, 10_000), symbol)
            return ZoneRef(symbol.type, None, symbol.type.piece.domain, None, None, number)
        return LocalRef(symbol.type, symbol)

    def units(self, symbol: LocalSym) -> tuple[LocalSym, ...]:
        """Locals for the numbers of a map local, made on first use; of any other local itself."""
        kind = symbol.type
        if not isinstance(kind, MapOf):
            return (symbol,)
        if symbol not in self.bundles:
            keys = self.keys_of(kind.key)
            self.bundles[symbol] = tuple(
                LocalSym(f"{symbol.name}.{i}", kind.value, symbol.span) for i in range(len(keys))
            )
        return self.bundles[symbol]

    def keys_of(self, kind: Type) -> list[Expr]:
        """All keys of a map as constants."""
        match kind:
            case Member(index):
                return [Const(kind, i) for i in range(self.model.domains[index].size)]
            case Num(lo, hi):
                return [Const(kind, i) for i in range(lo, hi + 1)]
            case _:
                return []

    def items(self, found: Expr) -> tuple[Expr, ...]:
        """The numbers of a map, in the order of its keys."""
        if isinstance(found, Bundle):
            return found.items
        return (
            tuple(self._at_key(found, key) for key in self.keys_of(found.type.key))
            if isinstance(found.type, MapOf)
            else ()
        )

    def _at_key(self, found: Expr, key: Expr) -> Expr:
        match found:
            case Bundle(type=MapOf(kind, value), items=items):
                keys = self.keys_of(kind)
                if isinstance(key, Const):
                    return next(
                        (item for k, item in zip(keys, items, strict=True) if k == key or _same(k, key)),
                        _stand_in(value),
                    )
                chosen = items[-1] if items else _stand_in(value)
                for k, item in list(zip(keys, items, strict=True))[-2::-1]:
                    chosen = Op(value, "select", (Op(TRUTH, "eq", (key, k)), item, chosen))
                return chosen
            case FieldRef(type=MapOf(_, value)):
                return FieldRef(value, found.symbol, found.owner, (*found.keys, key))
            case ColumnRef(type=MapOf(_, value)):
                return ColumnRef(value, found.symbol, found.owner, (*found.keys, key))
            case Constants(type=MapOf(_, value)):
                return Constants(value, found.name, found.values, key, found.base)
            case _:
                return _stand_in(ANY_NUMBER)

    def domain(self, node: syn.Expr, scope: Scope, want: Type | None = None) -> Expr:
        """What a binder goes through."""
        return self.as_set(self._expr(node, scope, want), node.span)

    def element(self, group: Expr) -> Type:
        """The type of a set's or order's elements."""
        return group.type.of if isinstance(group.type, SetOf | OrderOf) else UNKNOWN

    def group(self, source: syn.QuerySource, scope: Scope, span: Span) -> Expr:
        """A query's source as one set or order."""
        if source.whole is not None:
            return self.domain(source.whole, scope)
        if len(source.binders) != 1:
            self.sink.error(
                "one-binder",
                source.binders[1].span,
                "only `any`, `no`, `number of` and `sum of` go through several binders at once",
            )
            for surplus in source.binders[1:]:
                scope, _ = scope.bind(surplus.name, UNKNOWN, surplus.span)
        binder = source.binders[0]
        base = self.domain(binder.domain, scope)
        inner, symbol = scope.bind(binder.name, self.element(base), binder.span)
        group = base
        if source.where is not None:
            where = self.truth(source.where, inner)
            kind = base.type if isinstance(base.type, SetOf | OrderOf) else SetOf(Num(0, 0))
            plain = SetOf(kind.of)
            filtered = Query(
                plain, "filter", symbol, Op(plain, "items", (base,)) if isinstance(kind, OrderOf) else base, where
            )
            group = filtered
            inner = inner.knowing(self.facts(source.where, inner, True))
            if isinstance(kind, OrderOf):
                group = Op(kind, "keep", (base, filtered))
        if source.best:
            keys = tuple(Key(k.most, self.number(k.value, inner)) for k in source.best)
            best = Ranked(SetOf(self._sure_element(group)), "best", symbol, self._plain(group), keys)
            # Those of an order stay in its order, so that `first` gives a tie to the foremost.
            group = Op(group.type, "keep", (group, best)) if isinstance(group.type, OrderOf) else best
        if source.by:
            keys = tuple(Key(k.most, self.number(k.value, inner)) for k in source.by)
            element = self._sure_element(group)
            group = Ranked(OrderOf(element), "sort", symbol, group, keys)
        return group

    def _plain(self, group: Expr) -> Expr:
        return Op(SetOf(group.type.of), "items", (group,)) if isinstance(group.type, OrderOf) else group

    def _sure_element(self, group: Expr) -> Num | Member:
        kind = self.element(group)
        return kind if isinstance(kind, Num | Member) else Num(0, 0)

    def _nested(
        self, kind: QueryKind, result: Type, source: syn.QuerySource, value: syn.Expr | None, scope: Scope
    ) -> Expr:
        """any, count, sum, highest, lowest over one or several binders."""
        head, rest = source.binders[0], source.binders[1:]
        base = self.domain(head.domain, scope)
        inner, symbol = scope.bind(head.name, self.element(base), head.span)
        if rest:
            deeper = self._nested(
                kind, result, syn.QuerySource(None, rest, source.where, span=source.span), value, inner
            )
            if kind == "any":
                return Query(TRUTH, "any", symbol, base, deeper)
            return Query(deeper.type, "sum" if kind == "count" else kind, symbol, base, None, deeper)
        where = self.truth(source.where, inner) if source.where is not None else None
        if source.where is not None:
            inner = inner.knowing(self.facts(source.where, inner, True))
        amount = self.number(value, inner) if value is not None else None
        return Query(result, kind, symbol, base, where, amount)

    def _query(self, node: syn.Query, scope: Scope, want: Type | None) -> Expr:
        source = node.source
        simple = source.whole is None and not source.best and not source.by
        size = Num(0, 4096)
        match node.kind:
            case "any" | "no" | "number" if simple:
                found = self._nested(
                    "count" if node.kind == "number" else "any",
                    size if node.kind == "number" else TRUTH,
                    source,
                    None,
                    scope,
                )
                return Op(TRUTH, "not", (found,)) if node.kind == "no" else found
            case "any" | "no" | "number":
                count = self.size(self.group(source, scope, node.span))
                if node.kind == "number":
                    return count
                return Op(TRUTH, "gt" if node.kind == "any" else "eq", (count, Const(Num(0, 0), 0)))
        group = self.group(source, scope, node.span)
        element = self._sure_element(group)
        match node.kind:
            case "all":
                return group
            case "first":
                least, _ = self.sizes(group)
                return Op(element if least else Maybe(element), "first", (group,))
            case "only":
                group = self._plain(group)
                if self.sizes(group) == (1, 1):
                    return Op(element, "first", (group,))
                only: Expr = Op(Maybe(element), "sole", (group,))
                if node.favouring is not None:
                    favoured = self._expr(node.favouring, scope, maybe(element))
                    if not fits(sure(favoured.type), element):
                        self._mismatch(node.favouring.span, element, favoured.type)
                        return only
                    only = Op(
                        Maybe(element),
                        "select",
                        (Op(TRUTH, "has", (group, favoured)), _retyped(favoured, Maybe(element)), only),
                    )
                return only
        raise AssertionError(node.kind)

    def sizes(self, group: Expr) -> tuple[int, int]:
        """Least and greatest number of elements a set can have, as far as it shows."""
        match group:
            case SetConst(mask=mask):
                return (mask.bit_count(), mask.bit_count())
            case Op(op="minus", args=(SetConst(mask=mask, type=kind), Op(op="single"))):
                count = mask.bit_count()
                whole = (
                    isinstance(kind, SetOf)
                    and isinstance(kind.of, Member)
                    and mask == self.model.domains[kind.of.domain].full
                )
                return (count - 1, count - 1 if whole else count)
            case Ranked(kind="best", domain=domain):
                least, most = self.sizes(domain)
                return (min(1, least), most)
            case Ranked(domain=domain):
                return self.sizes(domain)
            case Op(op="items", args=(inner,)) | Op(op="keep", args=(_, Ranked() as inner)):
                return self.sizes(inner)
            case _:
                return (0, self.model.size_of(self.element(group)))

    def size(self, group: Expr) -> Expr:
        """How many elements."""
        limit = self.model.size_of(self.element(group))
        return Op(Num(0, limit), "length" if isinstance(group.type, OrderOf) else "size", (group,))

    def _fold(self, node: syn.Fold, scope: Scope) -> Expr:
        source = node.source
        if source.whole is not None or source.best or source.by:
            if source.whole is not None:
                self.sink.error(
                    "needs-binder",
                    source.span,
                    f"`{node.op} of` needs a name for each thing, as in `{node.op} of x.coins for x in …`",
                )
                return _stand_in(ANY_NUMBER)
            group = self.group(source, scope, node.span)
            head = source.binders[0]
            inner, symbol = scope.bind(head.name, self.element(group), head.span)
            value = self.number(node.value, inner)
            return self._folded(node, Query(_num(value), node.op, symbol, group, None, value))
        found = self._nested(node.op, ANY_NUMBER, source, node.value, scope)
        return self._folded(node, found)

    def _folded(self, node: syn.Fold, found: Expr) -> Expr:
        inner, scale = found, 1
        while isinstance(inner, Query):
            scale *= max(1, self.model.size_of(self.element(inner.domain)))
            if not isinstance(inner.value, Query) or inner.value.kind != inner.kind:
                break
            inner = inner.value
        value = _num(inner.value) if isinstance(inner, Query) and inner.value is not None else ANY_NUMBER
        if node.op == "sum":
            kind = Num(min(0, value.lo * scale), max(0, value.hi * scale))
            kind = self._cut(kind, node.span) if _is_open(value) else self._checked(kind, node.span)
            return _retyped(_placed(found, node.span), kind)
        simple = isinstance(found, Query) and found.where is None and not isinstance(found.value, Query)
        if simple and isinstance(found, Query) and self.sizes(found.domain)[0] > 0:
            return _retyped(found, value)
        return _retyped(found, Maybe(value))


def _same(a: Expr, b: Expr) -> bool:
    return isinstance(a, Const) and isinstance(b, Const) and a.value == b.value


def _stand_in(kind: Type) -> Expr:
    match kind:
        case SetOf():
            return SetConst(kind, 0)
        case Maybe():
            return NothingConst(kind)
        case _:
            return Const(kind if not isinstance(kind, Absent) else UNKNOWN, 0)


def _retyped(found: Expr, kind: Type) -> Expr:
    """The same expression as another type."""
    return replace(found, type=kind)


def _placed(found: Expr, span: Span) -> Expr:
    """A sum, and the sums within it that it is made of, with the place where it stands."""
    if not isinstance(found, Query):
        return found
    inner = found.value
    if isinstance(inner, Query) and inner.kind == found.kind and inner.span is None:
        return replace(found, value=_placed(inner, span), span=span)
    return replace(found, span=span)


def _is_settled(found: Expr) -> bool:
    """Whether a range is known to its ends from the text."""
    return isinstance(found, Op) and found.op == "range" and all(isinstance(a, Const) for a in found.args)


def _kept_within(found: Expr, room: Num) -> str:
    """How to keep a set within a range, if it is one whose members only a game can tell."""
    match found:
        case Op(op="range", args=(low, high)) if not _is_settled(found):
            ends = [f"`max({room.lo}, …)`"] if _num(low).lo < room.lo else []
            ends += [f"`min({room.hi}, …)`"] if _num(high).hi > room.hi else []
            return f"let it end there, with {' and '.join(ends)}"
        case SetConst() | Op(op="range"):
            return ""
        case _:
            return f"keep only what fits, as in `all n in {room.lo}..{room.hi} where n in …`, or let the range be wider"


def _listed(numbers: Seq[int]) -> str:
    """A few numbers in a row."""
    few = [str(n) for n in numbers[:3]]
    if len(numbers) > len(few):
        return f"{', '.join(few)} and more"
    return " and ".join(filter(None, (", ".join(few[:-1]), few[-1])))


def _is_open(kind: Num) -> bool:
    """Whether nothing is known of a number's bounds, as of a name made by `let`; what it comes to is tested where it is stored."""
    return kind.lo <= -OPEN or kind.hi >= OPEN


def _in_braces(span: Span) -> str:
    """How one thing is written as a set."""
    text = " ".join(span.text().split())
    return f"a set of one stands in braces, as in `{{{text}}}`" if text and len(text) <= 40 else ""


def _turned_into(found: Type, want: Type, span: Span) -> str:
    """How to make what was found into what is wanted, in the commonest cases."""
    match want, found:
        case Truth(), Num():
            return "compare it, as in `… > 0`"
        case Truth(), SetOf() | OrderOf() | ZoneOf():
            return "ask whether there is one, as in `any c in …`"
        case Num(), SetOf() | OrderOf() | ZoneOf() | MapOf():
            return "write `size(…)`, or `number of c in …`"
        case SetOf(of=inner), Num() | Member() if type(inner) is type(found):
            return _in_braces(span) if isinstance(inner, Num) or inner == found else ""
        case Member() | Maybe(of=Member()), SetOf() | OrderOf() | ZoneOf():
            return "take one, as in `first …`, `only …` or `choose`"
        case _:
            return ""


def _num(found: Expr) -> Num:
    return found.type if isinstance(found.type, Num) else ANY_NUMBER


def _quotient(x: Num, y: Num) -> Num:
    if y.lo <= 0 <= y.hi:
        bound = max(abs(x.lo), abs(x.hi))
        return Num(-bound, bound)
    corners = [p // q for p in (x.lo, x.hi) for q in (y.lo, y.hi)]
    return Num(min(corners), max(corners))


def _through(value: Type, owner: Expr | None) -> Type:
    """The type of what is read from an owner that may be nothing."""
    return maybe(value) if owner is not None and isinstance(owner.type, Maybe) else value


def _map_type(keys: tuple[Type, ...], value: Type) -> Type:
    for key in reversed(keys):
        if isinstance(key, Num | Member):
            value = MapOf(key, value)
    return value


def _zone_type(kind: str, piece: int, keys: tuple[Type, ...]) -> Type:
    found: Type = ZoneOf(kind, Member(piece))
    for key in reversed(keys):
        if isinstance(key, Num | Member):
            found = MapOf(key, found)
    return found


def _count(number: int, noun: str) -> str:
    return f"no {noun}" if number == 0 else f"1 {noun}" if number == 1 else f"{number} {noun}s"


def _quote(span: Span) -> str:
    text = " ".join(span.text().split())
    return f"`{text}`" if 0 < len(text) <= 40 else "this"
