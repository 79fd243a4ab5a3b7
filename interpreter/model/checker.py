"""The game checker: a definition and a configuration to a checked `Model`.

Order: declarations; values and graphs; functions, each when first used (a function that comes back to itself is a cycle); effects,
phases, cells, triggers, modifiers; scoring and the end. Every stage reports what it can and goes on.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from interpreter.model import topology
from interpreter.model.check_builtins import BuiltinChecker
from interpreter.model.check_expr import _num
from interpreter.model.check_stmt import Place, speaks_of_me
from interpreter.model.declare import UNSET, Declarations, PendingCell, declare, describe
from interpreter.model.dsl_types import (
    ANY_NUMBER,
    PLAYER,
    TRUTH,
    UNKNOWN,
    Absent,
    Effect,
    Formula,
    MapOf,
    Maybe,
    Member,
    Num,
    SetOf,
    Truth,
    Type,
    Unknown,
    ZoneOf,
)
from interpreter.model.function_depth import functions_fit
from interpreter.model.game_model import Config, Model, Topology, known_everywhere
from interpreter.model.name_clashes import check_names
from interpreter.model.plurals import with_article
from interpreter.model.scope import Scope, Usage
from interpreter.model.typed import (
    Adjustment,
    Bounds,
    ColumnRef,
    ColumnSym,
    Const,
    Constants,
    EffectSym,
    Expr,
    FieldRef,
    FieldSym,
    FuncSym,
    LetStmt,
    LocalRef,
    LocalSym,
    NothingConst,
    Op,
    Origin,
    PerformStmt,
    Query,
    SetConst,
    Stmt,
    Trigger,
    ZoneSym,
)
from interpreter.model.unacted import unacted_effects
from interpreter.model.walk import parts
from interpreter.syntax import nodes as syn
from interpreter.syntax.definition import Definition, OptionDoc, Routine, Step, TermDoc, TextDoc, TriggerDoc, ValueDoc
from interpreter.syntax.expr_parser import parse_formula, parse_rules
from interpreter.syntax.located import Located, Mapping, Scalar, Sequence
from interpreter.text.diagnostic import Related, Sink
from interpreter.text.limits import PAIRS, refuse
from interpreter.text.source import Span
from interpreter.text.suggest import nearest


@dataclass(frozen=True, slots=True)
class Extras:
    """Rules and tests beside the definition, as scenarios have them: statements to perform and expressions to evaluate, by a name
    that no definition can have. Neither has an acting player; neither fires a trigger. `arguments` are values for an effect's
    argument, named `effect.argument`.

    Each condition that a test joins by `and` is a function of its own, `NAME=OFFSET` by where it stands in its file, and if it
    compares, so are its sides, `NAME<OFFSET` and `NAME>OFFSET`: a failed test can say what it found."""

    rules: dict[str, tuple[syn.Stmt, ...]] = field(default_factory=dict)
    tests: dict[str, syn.Expr] = field(default_factory=dict)
    arguments: dict[str, tuple[str, syn.Expr]] = field(default_factory=dict)


def check_game(definition: Definition, config: Config, sink: Sink, extras: Extras | None = None) -> Model:
    """The checked game for one configuration. If `sink` has errors afterwards, the model must not be lowered."""
    declared = declare(definition, config, sink)
    if not functions_fit(definition, sink):
        return declared.model
    if not declared.sound:  # rules would complain of everything that the components do not say
        return declared.model
    checker = GameChecker(declared, sink)
    checker.run()
    if extras is not None:
        checker.extra(extras)
    return declared.model


class GameChecker(BuiltinChecker):
    """Knows the whole definition."""

    def __init__(self, declared: Declarations, sink: Sink) -> None:
        super().__init__(declared.model, sink)
        self.declared = declared
        self.doc = declared.model.definition
        self.pending = declared.pending
        self.pending_guards: list[tuple[Topology, list[tuple[int, int, syn.Expr, bool]]]] = []
        self.under_way: list[str] = []
        self.value_cache: dict[str, Expr | None] = {}
        self.paid: dict[FieldSym, tuple[syn.Expr, Span]] = {}
        self.used: set[str] = set()
        self.unacted: frozenset[str] = frozenset()
        self.formulas_done: dict[ColumnSym, tuple[FuncSym, ...]] = {}

    def run(self) -> None:
        """Checks everything."""
        check_names(self.model, self.sink)
        self._graphs()
        for option in self.doc.options.values():
            self._default_fits(option)
            self._given_fits(option)
        self._signatures()
        self._members()
        for doc in self.doc.scoring.values():
            if doc.name != "total":
                self.model.terms.append((doc.name, self._term(doc, ANY_NUMBER, True), doc.cite))
        if "total" in self.doc.scoring:
            self._whole_score(self.doc.scoring["total"])
        self._guards()
        for name, func in self.doc.functions.items():
            self.function(name, func.name_span)
        self._modifiers()
        self._effects()
        self._cells()
        self._triggers()
        self._the_end()
        self._flow()
        self._unused_values()

    def extra(self, extras: Extras) -> None:
        """Checks rules and tests that stand beside the definition."""
        span = self.doc.players_span
        for name, body in extras.rules.items():
            symbol = EffectSym(name, (), LocalSym("me", PLAYER, span), "step", span, quiet=True)
            self.model.code[symbol] = self.block(body, Scope(address=name), Place("step", name))
            self.model.effects[name] = symbol
        for name, node in extras.tests.items():
            test = self.truth(node, Scope(address=name))
            self._probe(name, test, node.span)
            self._parts(name, node, test)
        for name, (place, node) in extras.arguments.items():
            effect, _, argument = place.partition(".")
            taker = self.model.effects.get(effect)
            found = next((p for p in taker.params if p.name == argument), None) if taker is not None else None
            if found is None:
                self.sink.error("no-such-name", node.span, f"effect `{effect}` takes no `{argument}`")
            else:
                value = self._argument(node, Scope(address=name), found.type, f"`{argument}` of `{effect}`")
                self._probe(name, value, node.span)

    def _probe(self, name: str, body: Expr, span: Span) -> None:
        """A function of the model that only a test asks for."""
        function = FuncSym(name, (), body.type, False, LocalSym("me", PLAYER, span), span)
        self.model.bodies[function] = body
        self.model.probes[name] = function

    def _parts(self, name: str, node: syn.Expr, body: Expr) -> None:
        """What a test consists of, as functions."""
        match node, body:
            case syn.Logic(op="and", left=left, right=right), Op(op="and", args=(a, b)):
                self._parts(name, left, a)
                self._parts(name, right, b)
                return
            case syn.Compare(left=left, right=right), Op(op="not", args=(Op(args=(a, b)),)) | Op(args=(a, b)):
                # A bare name on the left is typed after the other side, and stands behind it.
                turned = isinstance(left, syn.Name | syn.Nothing) and not isinstance(right, syn.Name | syn.Nothing)
                sides: tuple[Expr, ...] = (b, a) if turned and node.op in ("=", "!=") else (a, b)
            case _:
                sides = ()
        self._probe(f"{name}={node.span.start}", body, node.span)
        for mark, side in zip("<>", sides, strict=False):
            if isinstance(side.type, Truth | Num | Member | Maybe | SetOf):
                self._probe(f"{name}{mark}{node.span.start}", side, node.span)

    # ---------------------------------------------------------------- values and options
    def value_of(self, name: str, want: Type | None) -> Expr | None:
        """A named value or option."""
        if name in self.doc.options:
            return self._option(name)
        doc = self.doc.values.get(name)
        if doc is None:
            return None
        found = self.value_cache.get(name)
        if found is None:
            found = self._read_value(doc)
            self.value_cache[name] = found
        return found

    def _unused_values(self) -> None:
        """Values that nothing reads: what is wrong with them is told all the same; else, if nothing is, that they are idle."""
        for doc in self.doc.values.values():
            if doc.name in self.declared.values_used:
                continue
            self._read_value(doc)
            if not self.sink.has_errors:  # a misspelt use is told already
                self.sink.warning(
                    "unused-value",
                    doc.span,
                    f"nothing uses the value `{doc.name}`",
                    label="never used",
                    address=f"values.{doc.name}",
                )

    def _option(self, name: str) -> Expr:
        option = self.doc.options[name]
        given = dict(self.model.config.options).get(name)
        kind = self._type(option.type.type, f"options.{name}")
        match kind:
            case Truth():
                return Const(TRUTH, int(given) if isinstance(given, int) else 0)
            case Num():
                return Const(Num(given, given), given) if isinstance(given, int) else Const(kind, kind.lo)
            case Member() if isinstance(given, str):
                index = self.member_index(kind.domain, given)
                return Const(kind, index or 0)
            case _:
                return Const(kind, 0)

    def _default_fits(self, option: OptionDoc) -> None:
        """Reports an option's default that is none of its values."""
        kind = self._type(option.type.type, f"options.{option.name}")
        match kind, option.default:
            case Truth(), Scalar(value=bool()):
                return
            case Num(lo, hi), Scalar(value=int(n)) if not isinstance(n, bool) and lo <= n <= hi:
                return
            case Member(index), Scalar(value=str(word)) if self.member_index(index, word) is not None:
                return
            case _, Scalar(value=value, span=span):
                said = str(value).lower() if isinstance(value, bool) else value
                told = f"expected {describe(self.model, kind)}, found `{said}`"
                self.sink.error("wrong-type", span, told, label="the option has no such value")
            case _:
                return

    def _given_fits(self, option: OptionDoc) -> None:
        """Reports a value chosen for an option that it does not have, such as one beyond an end that the number of players decides."""
        kind = self._type(option.type.type, f"options.{option.name}")
        given = dict(self.model.config.options).get(option.name)
        if isinstance(option.default, Scalar) and option.default.value == given:
            return  # told of the default
        match kind, given:
            case Num(lo, hi), int() if not lo <= given <= hi:
                told, near = f"`{option.name}` is {lo}..{hi}, and {given} was chosen", None
            case Member(index), str() if self.member_index(index, given) is None:
                told = f"`{option.name}` is {describe(self.model, kind)}, and `{given}` was chosen"
                near = nearest(given, self.model.domains[index].ids)
            case _:
                return
        self.sink.error("out-of-range", option.span, told, help=f"did you mean `{near}`?" if near else "")

    def _type(self, node: syn.TypeNode, address: str) -> Type:
        return self.declared.type_of(node, address)

    def _read_value(self, doc: ValueDoc) -> Expr:
        node = self.declared.value(doc)
        if node is None:
            return Const(UNKNOWN, 0)
        return self._constant(node, doc.name)

    def _constant(self, node: Located, name: str) -> Expr:
        match node:
            case Scalar(value=bool(b)):
                return Const(TRUTH, int(b))
            case Scalar(value=int(n)):
                return Const(Num(n, n), n)
            case Scalar(value=str(word)):
                homes = [d for d in self.model.domains if self.member_index(d.index, word) is not None]
                if len(homes) == 1:
                    return Const(Member(homes[0].index), self.member_index(homes[0].index, word) or 0)
                if homes:
                    self.sink.error(
                        "two-meanings",
                        node.span,
                        f"`{word}` is a member of several types",
                        help="give one of them another name",
                        related=tuple(
                            Related(
                                d.spans[self.member_index(d.index, word) or 0], f"{with_article(d.name)} of this name"
                            )
                            for d in homes
                        ),
                    )
                else:
                    near = nearest(word, tuple(i for d in self.model.domains for i in d.ids))
                    self.sink.error(
                        "no-such-name",
                        node.span,
                        f"no `{word}` in this game",
                        help=f"did you mean `{near}`?" if near else "",
                    )
                return Const(UNKNOWN, 0)
            case Sequence(items=items):
                parts = [self._constant(i, name) for i in items]
                kinds = {type(p.type) for p in parts}
                if kinds == {Num}:
                    values = tuple(p.value if isinstance(p, Const) else 0 for p in parts)
                    return Constants(
                        MapOf(Num(1, len(values)), Num(min(values), max(values))),
                        f"values.{name}",
                        values,
                        Const(Num(0, 0), 0),
                        1,
                    )
                if kinds == {Member} and len({p.type for p in parts}) == 1 and isinstance(parts[0].type, Member):
                    mask = 0
                    for part in parts:
                        mask |= 1 << part.value if isinstance(part, Const) else 0
                    return SetConst(SetOf(parts[0].type), mask)
                if Unknown not in kinds:
                    self.sink.error("wrong-type", node.span, "a list holds numbers, or members of one type")
                return Const(UNKNOWN, 0)
            case Mapping(entries=entries):
                meant = any(nearest(str(e.key), ("by players",)) for e in entries)
                self.sink.error(
                    "wrong-type",
                    node.span,
                    "a value is a number, a name or a list",
                    help="did you mean `by players`?" if meant else "",
                )
                return Const(UNKNOWN, 0)
            case _:
                return Const(UNKNOWN, 0)

    def other_names(self) -> tuple[str, ...]:
        """For suggestions."""
        return (
            *self.doc.effects,
            *self.doc.phases,
            *self.doc.graphs,
            "players",
            "opponents",
            "player_count",
            "box",
            "table",
        )

    # ---------------------------------------------------------------- members: bounds, defaults, columns
    def _members(self) -> None:
        for symbol, member in self.pending.members:
            match symbol:
                case FieldSym():
                    self._field_bounds(symbol, member)
                case ZoneSym():
                    self._zone_default(symbol, member)
                case ColumnSym():
                    self._column_default(symbol, member)

    def _field_bounds(self, symbol: FieldSym, member: syn.Member) -> None:
        scope = Scope(this=symbol.this, address=symbol.address)
        node = member.type
        while isinstance(node, syn.MapTypeNode):
            node = node.value
        low = high = None
        kind = symbol.type
        if isinstance(node, syn.RangeType):
            low, high = self.number(node.low, scope), self.number(node.high, scope)
            if isinstance(low, Const) and isinstance(high, Const) and high.value < low.value:
                low, high = high, low  # told of as it was declared
            kind = Num(_num(low).lo, _num(high).hi)
        for trait in member.traits:
            if trait.kind == "paid":
                self.paid[symbol] = (trait.value, trait.span)
                self._paid_sum(symbol, trait)
            elif (
                trait.kind == "gained" and isinstance(trait.value, syn.Name) and trait.value.id not in self.doc.effects
            ):
                self._no_effect(trait.value)
        default = None
        if member.default is not None:
            default = self.expr(member.default, scope, symbol.type)
            if isinstance(default, Const) and isinstance(kind, Num) and not kind.lo <= default.value <= kind.hi:
                self.sink.error(
                    "out-of-range", member.default.span, f"{default.value} is not within {kind.lo}..{kind.hi}"
                )
        if (
            isinstance(kind, Member)
            and default is None
            and self.model.domains[kind.domain].kind in ("thing", "piece", "player")
        ):
            self.sink.error(
                "needs-first-value",
                symbol.span,
                f"nothing says what `{symbol.name}` is at the start",
                help=f"give it a first value, or declare it `{self.model.domains[kind.domain].name} or nothing = nothing`",
            )
        if kind != symbol.type:
            object.__setattr__(symbol, "type", kind)
        self.model.bounds[symbol] = Bounds(low, high, default)

    def _paid_sum(self, symbol: FieldSym, trait: syn.Trait) -> None:
        """A field that is paid from elsewhere has no cells of its own: it is the sum over those places."""
        me = LocalSym("me", PLAYER, symbol.span)
        found = self.paid_places(symbol, LocalRef(PLAYER, me), Scope(me=me), trait.span)
        if found is None:
            return
        group, counter = found
        element = self.element(group)
        place = LocalSym("place", element, symbol.span)
        keys = tuple(LocalSym(f"key{i}", k, symbol.span) for i, k in enumerate(symbol.keys))
        there = FieldRef(counter.type, counter, LocalRef(element, place), tuple(LocalRef(k.type, k) for k in keys))
        result = Num(0, _num_hi(counter.type) * max(1, self.model.size_of(element)))
        function = FuncSym(f"paid.{symbol.address}", keys, result, True, me, symbol.span)
        self.model.bodies[function] = Query(result, "sum", place, group, None, there)
        self.model.sums[symbol] = function

    def _zone_default(self, symbol: ZoneSym, member: syn.Member) -> None:
        if member.default is None:
            self.model.zone_defaults[symbol] = None
            return
        me = LocalSym("me", PLAYER, symbol.span)
        scope = Scope(
            me=me if symbol.owner == PLAYER.domain else None,
            this=LocalSym("this", Member(symbol.owner), symbol.span) if symbol.owner is not None else None,
        )
        group = self.as_plain_set(self._expr(member.default, scope, SetOf(Member(symbol.piece))), member.default.span)
        group = self.fit(group, SetOf(Member(symbol.piece)), member.default.span)
        self.model.zone_defaults[symbol] = (scope.me or scope.this or me, group)

    def _column_default(self, symbol: ColumnSym, member: syn.Member) -> None:
        values = list(self.model.column_values.get(symbol, ()))
        if isinstance(symbol.type, Formula) or isinstance(_core(symbol.type), Effect):
            self.model.column_values[symbol] = tuple(values)
            return
        fallback = 0
        if member.default is not None:
            default = self.expr(member.default, Scope(), symbol.type)
            match default:
                case Const(value=value):
                    fallback = value
                case SetConst(mask=mask):
                    fallback = mask
                case NothingConst(type=Maybe(of=Num())):
                    fallback = UNSET
                case NothingConst():
                    fallback = -1
                case _:
                    self.sink.error(
                        "wrong-type", member.default.span, "a column's default must be known from the text alone"
                    )
        self.model.column_values[symbol] = tuple(fallback if v == UNSET else v for v in values)

    def paid_places(self, symbol: FieldSym, holder: Expr, scope: Scope, span: Span) -> tuple[Expr, FieldSym] | None:
        """Where a routed payment comes from."""
        node, _ = self.paid[symbol]
        me = LocalSym("me", PLAYER, span)
        inner = Scope(me=scope.me or me, usage=scope.usage)
        group = self.as_plain_set(self._expr(node, inner, None), node.span)
        element = self.element(group)
        owner = element.domain if isinstance(element, Member) else None
        counter = self.model.fields.get((owner, symbol.name))
        if counter is None or counter.keys != symbol.keys:
            self.sink.error(
                "no-such-count", node.span, f"the places of this payment have no `{symbol.name}` of the same kind"
            )
            return None
        return group, counter

    # ---------------------------------------------------------------- graphs
    def _graphs(self) -> None:
        for doc in self.doc.graphs.values():
            grid = next((line for line in doc.lines if isinstance(line, syn.Grid)), None)
            if grid is not None:
                domain = next((d for d in self.model.domains if d.name == grid.thing), None)
                if domain is None or not domain.rows:
                    continue
                places = self.places(domain)
                edges = topology.grid_edges(places, grid.diagonals)
                graph = topology.build(domain.size, edges)
                self.model.graphs[doc.name] = Topology(
                    doc.name,
                    domain.index,
                    topology.neighbour_masks(graph),
                    (),
                    False,
                    LocalSym("me", PLAYER, doc.span),
                    (grid.rows, grid.columns),
                    edges,
                    topology.steps(edges),
                    doc.span,
                )
                continue
            self._free_graph(doc.name, tuple(line for line in doc.lines if isinstance(line, syn.Edges)), doc.span)

    def _free_graph(self, name: str, lines: tuple[syn.Edges, ...], span: Span) -> None:
        words = [
            (w, s)
            for line in lines
            for w, s in (
                (line.start, line.span),
                *zip(line.ends, line.end_spans or (line.span,) * len(line.ends), strict=True),
            )
        ]
        scores = {
            d.index: sum(self.member_index(d.index, self._place_word(w)) is not None for w, _ in words)
            for d in self.model.domains
            if d.kind in ("thing", "enum", "piece")
        }
        if not scores or not words or max(scores.values()) == 0:
            self.sink.error("no-such-name", span, f"graph `{name}` joins nothing that this game has")
            return
        number = max(scores, key=lambda i: scores[i])
        domain = self.model.domains[number]
        edges: list[tuple[int, int, bool]] = []
        guarded: list[tuple[int, int, syn.Expr, bool]] = []
        seen: dict[tuple[int, int], Span] = {}
        under_condition: set[tuple[int, int]] = set()  # joined twice means: under either condition
        for line in lines:
            first = Span(line.span.source, line.span.start, line.span.start + len(line.start))
            start = self._place(number, line.start, first)
            for word, where in zip(line.ends, line.end_spans or (line.span,) * len(line.ends), strict=True):
                end = self._place(number, word, where)
                if start is None or end is None:
                    continue
                if start == end:
                    self.sink.error("self-edge", where, f"`{word}` is joined to itself")
                    continue
                twice = (start, end) in seen and not (line.condition is not None and (start, end) in under_condition)
                if twice:
                    self.sink.warning(
                        "edge-twice",
                        where,
                        f"`{line.start}` and `{word}` are joined twice",
                        related=(Related(seen[start, end], "first here"),),
                    )
                seen[start, end] = where
                if not line.one_way:
                    seen[end, start] = where
                if line.condition is not None:
                    under_condition |= {(start, end), (start, end) if line.one_way else (end, start)}
                    guarded.append((start, end, line.condition, line.one_way))
                else:
                    edges.append((start, end, line.one_way))
        graph = topology.build(domain.size, edges)
        me = LocalSym("me", PLAYER, span)
        ways = topology.steps((*edges, *((start, end, one_way) for start, end, _, one_way in guarded)))
        masks = topology.neighbour_masks(graph)
        shell = Topology(name, number, masks, (), bool(guarded), me, None, tuple(edges), ways, span)
        self.model.graphs[name] = shell
        self.pending_guards.append((shell, guarded))

    def _place_word(self, word: str) -> str:
        value = self.doc.values.get(word)
        if value is not None:
            node = self.declared.value(value)
            if isinstance(node, Scalar) and isinstance(node.value, str):
                return node.value
        return word

    def _place(self, number: int, word: str, span: Span) -> int | None:
        index = self.member_index(number, self._place_word(word))
        if index is None:
            domain = self.model.domains[number]
            near = nearest(word, domain.ids)
            self.sink.error(
                "no-such-name",
                span,
                f"no {domain.name} named `{word}`",
                label="an edge needs two places",
                help=f"did you mean `{near}`?" if near else "",
            )
        return index

    def _guards(self) -> None:
        for shell, guarded in self.pending_guards:
            found: list[tuple[int, int, Expr]] = []
            usage = Usage()
            for start, end, node, one_way in guarded:
                typed = self.truth(node, Scope(me=shell.me, usage=usage))
                found.append((start, end, typed))
                if not one_way:
                    found.append((end, start, typed))
            object.__setattr__(shell, "uses_me", usage.me)
            object.__setattr__(shell, "guarded", tuple(found))

    # ---------------------------------------------------------------- functions
    def function_node(self, name: str) -> syn.Func | None:
        """The text of a function."""
        return self.doc.functions.get(name)

    def function(self, name: str, span: Span) -> FuncSym | None:
        """The function of that name, checked on first use."""
        node = self.doc.functions.get(name)
        if node is None:
            return None
        if name in self.model.functions:
            return self.model.functions[name]
        if name in self.under_way:
            cycle = " → ".join([*self.under_way[self.under_way.index(name) :], name])
            self.sink.error("cycle", span, f"functions may not go round: {cycle}", label="comes back to itself here")
            params = tuple(LocalSym(p.name, self._type(p.type, f"functions.{name}"), p.span) for p in node.params)
            symbol = FuncSym(name, params, UNKNOWN, False, LocalSym("me", PLAYER, span), node.span)
            self.model.functions[name] = symbol
            self.model.bodies[symbol] = Const(UNKNOWN, 0)
            return symbol
        self.under_way.append(name)
        symbol = self._check_function(node)
        self.under_way.pop()
        self.model.functions.setdefault(name, symbol)
        return self.model.functions[name]

    def _check_function(self, node: syn.Func) -> FuncSym:
        me = LocalSym("me", PLAYER, node.span)
        usage = Usage()
        scope = Scope(me=me, usage=usage, address=f"functions.{node.name}")
        params = []
        for param in node.params:
            kind = self._type(param.type, f"functions.{node.name}")
            scope, local = scope.bind(param.name, kind, param.span)
            params.append(local)
        want = self._type(node.result, f"functions.{node.name}") if node.result is not None else None
        whose = f"`{node.name}`"
        found: Expr | None = None
        arms: list[tuple[Expr, Expr]] = []
        outer = scope
        for arm in node.arms:
            test = self.truth(arm.condition, outer)
            value = self.expr(arm.value, outer.knowing(self.facts(arm.condition, outer, True)), want, whose)
            if want is not None:
                self.within(whose, want, value, arm.value.span)
            arms.append((test, value))
            outer = outer.knowing(self.facts(arm.condition, outer, False))
        hint = (
            want if want is not None else arms[0][1].type if arms and not isinstance(arms[0][1].type, Absent) else None
        )
        found = self._expr(node.body, outer, hint)
        if want is not None:
            found = self.fit(found, want, node.body.span, whose)
            self.within(whose, want, found, node.body.span)
        if isinstance(found.type, ZoneOf | MapOf):
            found = self.as_plain_set(found, node.body.span)
        for (test, value), arm in zip(reversed(arms), reversed(node.arms), strict=True):
            found = self.choice(test, value, found, arm.span)
        if isinstance(found.type, Absent):
            self.sink.error(
                "wrong-type",
                node.body.span,
                "`nothing` alone has no type",
                help="write the function's type behind its name",
            )
        name = node.name
        if any(m.function == name for m in (d.rule for d in self.doc.modifiers.values())):
            usage.me = True
            if isinstance(found.type, Num):
                found = _typed_as(found, ANY_NUMBER)
        symbol = FuncSym(
            name,
            tuple(params),
            want if want is not None and not isinstance(want, Num) else found.type,
            usage.me,
            me,
            node.span,
        )
        self.model.bodies[symbol] = found
        return symbol

    def _modifiers(self) -> None:
        for doc in self.doc.modifiers.values():
            rule = doc.rule
            target = self.function(rule.function, doc.span)
            place = rule.function_span or rule.span
            if target is None and rule.function in (*self.doc.values, *self.doc.options):
                told = f"`{rule.function}` is a value, and only functions are raised and lowered"
                help = f"let the rules ask a function, such as `{rule.function}_now = {rule.function}`, and bend that"
                self.sink.error("wrong-type", place, told, help=help, address=f"modifiers.{doc.name}")
                continue
            if target is None:
                near = nearest(rule.function, tuple(self.doc.functions))
                self.sink.error(
                    "no-such-name",
                    place,
                    f"no function named `{rule.function}`",
                    help=f"did you mean `{near}`?" if near else "",
                )
                continue
            if not isinstance(target.result, Num | Unknown):
                self.sink.error(
                    "wrong-type",
                    place,
                    f"only numbers rise and fall, and `{rule.function}` is {describe(self.model, target.result)}",
                )
                continue
            scope = Scope(me=target.me)
            for param in target.params:
                scope = scope.with_local(param)
            condition = self.truth(rule.condition, scope) if rule.condition is not None else None
            by = self.number(rule.by, scope)
            bound = self.number(rule.bound.value, scope) if rule.bound is not None else None
            self.model.adjustments.setdefault(rule.function, []).append(
                Adjustment(
                    f"modifiers.{doc.name}", rule.up, by, bound, rule.bound is not None and rule.bound.most, condition
                )
            )

    # ---------------------------------------------------------------- effects and phases
    def _signatures(self) -> None:
        for kind, routines in (("phase", self.doc.phases), ("effect", self.doc.effects)):
            for routine in routines.values():
                declared = tuple(
                    LocalSym(p.name, self._type(p.type, f"effects.{routine.name}"), p.span) for p in routine.params
                )
                params = tuple(unit for p in declared for unit in self.units(p))
                address = f"{kind}s.{routine.name}"
                if routine.name in self.model.effects:
                    self.sink.error(
                        "duplicate-id",
                        routine.span,
                        f"`{routine.name}` is both an effect and a phase",
                        related=(Related(self.model.effects[routine.name].span, "the other one"),),
                    )
                symbol = EffectSym(
                    address,
                    params,
                    LocalSym("me", PLAYER, routine.span),
                    "phase" if kind == "phase" else "effect",
                    routine.span,
                    routine.cite,
                    routine.depth or 0,
                    False,
                    declared,
                )
                self.model.effects[routine.name] = symbol

    def effect_named(self, name: str, span: Span) -> EffectSym | None:
        """The effect or phase of that name."""
        self.used.add(name)
        return self.model.effects.get(name)

    def effect_defaults(self, symbol: EffectSym) -> dict[str, syn.Expr]:
        """Defaults of an effect's parameters."""
        routine = self.doc.effects.get(symbol.address.split(".")[-1])
        return {p.name: p.default for p in routine.params if p.default is not None} if routine is not None else {}

    def _effects(self) -> None:
        self.unacted = unacted_effects(self.doc)
        for name, routine in self.doc.phases.items():
            symbol = self.model.effects[name]
            self.model.phases.append(symbol)
            self._routine(symbol, routine, "phase")
        for name, routine in self.doc.effects.items():
            self._routine(self.model.effects[name], routine, "effect")

    def _routine(self, symbol: EffectSym, routine: Routine, kind: str) -> None:
        scope = Scope(me=symbol.me if kind == "effect" else None, address=symbol.address)
        for param in symbol.declared:
            scope = scope.with_local(param)
        ends = frozenset(("game", kind))
        if len(routine.steps) == 1 and not routine.steps[0].name:
            place = self._place_of(kind, symbol.address, ends, kind == "phase")
            place = replace(place, nobody=self._nobody(symbol, place))
            self.model.code[symbol] = (
                *self.opening_log(scope, place),
                *self.block(routine.steps[0].body, scope, place),
            )
            return
        place = self._place_of(kind, symbol.address, ends, kind == "phase")
        calls: list[Stmt] = list(self.opening_log(scope, replace(place, nobody=self._nobody(symbol, place))))
        for step in routine.steps:
            inner = EffectSym(f"{symbol.address}.{step.name}", symbol.params, symbol.me, "step", step.span, step.cite)
            place = self._place_of(
                "step",
                inner.address,
                frozenset(("game", "effect")) if kind == "effect" else frozenset(("game", "phase")),
                kind == "phase",
            )
            place = replace(place, nobody=self._nobody(symbol, place))
            self.model.code[inner] = (*self.opening_log(scope, place), *self.block(step.body, scope, place))
            self.model.effects[f"{symbol.address.split('.')[-1]}.{step.name}"] = inner
            args = self.flat(tuple(self.local(p) for p in symbol.declared))
            calls.append(PerformStmt(Origin(step.span, step.cite), inner, None, args))
        self.model.code[symbol] = tuple(calls)

    def _nobody(self, symbol: EffectSym, place: Place) -> LocalSym | None:
        """The acting player of an effect, if nobody acts where it is performed and its sentence speaks of who does."""
        idle = symbol.address.removeprefix("effects.") in self.unacted
        return symbol.me if idle and place.log is not None and speaks_of_me(place.log.parts) else None

    def _local(self, symbol: LocalSym) -> Expr:
        return self.expr(syn.Name(symbol.name, span=symbol.span), Scope().with_local(symbol))

    def _place_of(self, kind: str, address: str, ends: frozenset[str], commits: bool) -> Place:
        text = self.doc.texts.get(address)
        return Place(kind, address, ends, commits, text, self._hole_names(text) if text is not None else frozenset())

    def _hole_names(self, text: TextDoc) -> frozenset[str]:
        names: set[str] = set()
        for part in text.parts:
            if not isinstance(part, str):
                _collect_names(part, names)
        return frozenset(names - known_everywhere(self.model))

    def _cells(self) -> None:
        for symbol, member in self.pending.members:
            if not isinstance(symbol, ColumnSym):
                continue
            if isinstance(symbol.type, Formula):
                self._formula_column(symbol, member)
            elif isinstance(_core(symbol.type), Effect):
                self._effect_column(symbol, member)

    def _effect_column(self, symbol: ColumnSym, member: syn.Member) -> None:
        """Checks a column's cells. A row with copies has one effect for all of them, unless its text speaks of `this`."""
        values = list(self.model.column_values.get(symbol, ()))
        default = self._cell_default(symbol, member) if UNSET in values else -1
        domain = self.model.domains[symbol.owner]
        width = max(1, len(values) // max(1, domain.size))
        done: dict[tuple[int, int], int] = {}
        found: list[int] = []
        for at, value in enumerate(values):
            if value < 0:
                found.append(default if value == UNSET else -1)
                continue
            cell, row = self.pending.cells[value], at // width
            if (value, -1) in done:
                found.append(done[value, -1])
                continue
            effect, speaks_of_this = self._effect_cell(cell, row)
            if not speaks_of_this:
                done[value, -1] = effect
            found.append(effect)
        self.model.column_values[symbol] = tuple(found)

    def _effect_cell(self, cell: PendingCell, row: int) -> tuple[int, bool]:
        domain = self.model.domains[cell.column.owner]
        name = cell.row_id if row == cell.row else domain.ids[row]
        address = f"{self._table_of(cell)}.{name}.{cell.column.name}"
        span = cell.value.span
        body = parse_rules(cell.value.mapped, self.sink)
        me = LocalSym("me", PLAYER, span)
        symbol = EffectSym(address, (), me, "cell", span)
        this = LocalSym("this", Member(cell.column.owner), span)
        scope = Scope(locals={"this": this}, me=me, this=this, address=address)
        place = self._place_of("effect", address, frozenset(("game", "effect")), False)
        code = (*self.opening_log(scope, place), *self.block(body or (), scope, place))
        self.model.code[symbol] = (_this_is(this, Const(this.type, row), span), *code)
        self.model.cells.append(symbol)
        return len(self.model.cells) - 1, _mentions(code, this)

    def _table_of(self, cell: PendingCell) -> str:
        domain = self.model.domains[cell.column.owner]
        for name, mask in domain.tables.items():
            if mask >> cell.row & 1 and name in self.doc.tables:
                return name
        return domain.name

    def _formula_column(self, symbol: ColumnSym, member: syn.Member) -> None:
        """Checks a column's formulas, on first use."""
        if symbol in self.formulas_done:
            return
        self.formulas_done[symbol] = ()
        values = list(self.model.column_values.get(symbol, ()))
        default = self._cell_default(symbol, member) if UNSET in values else -1
        done: dict[int, int] = {}
        for value in values:
            if value >= 0 and value not in done:
                cell = self.pending.cells[value]
                node = parse_formula(cell.value.mapped, self.sink)
                done[value] = self._formula(symbol, node, f"{cell.row_id}.{symbol.name}", cell.value.span)
        numbers = tuple(default if v == UNSET else -1 if v < 0 else done[v] for v in values)
        self.model.column_values[symbol] = numbers
        self.formulas_done[symbol] = tuple(self.model.formulas[n] for n in dict.fromkeys(numbers) if n >= 0)

    def _formula(self, column: ColumnSym, node: syn.Expr | None, address: str, span: Span) -> int:
        signature = self.pending.formulas[column]
        me = LocalSym("me", PLAYER, span)
        this = LocalSym("this", Member(column.owner), span)
        usage = Usage()
        scope = Scope(me=me, this=this, address=address, usage=usage)
        params = [this]
        for param in signature.params:
            scope, local = scope.bind(param.name, self._type(param.type, address), param.span)
            params.append(local)
        typed = self._expr(node, scope, None) if node is not None else Const(UNKNOWN, 0)
        if node is not None and not isinstance(typed.type, Num | Truth | Unknown):
            typed = self.fit(typed, ANY_NUMBER, node.span)
        symbol = FuncSym(address, tuple(params), typed.type, usage.me, me, span)
        self.model.formulas.append(symbol)
        self.model.bodies[symbol] = typed
        return len(self.model.formulas) - 1

    def _cell_default(self, symbol: ColumnSym, member: syn.Member) -> int:
        if member.default is None or isinstance(member.default, syn.Nothing):
            return -1
        if isinstance(symbol.type, Formula):
            return self._formula(symbol, member.default, symbol.address, member.default.span)
        self.sink.error("wrong-type", member.default.span, "the default of an effect is `nothing`")
        return -1

    def column_formula(self, symbol: ColumnRef) -> Formula | None:
        """Signature of a formula column; its result is a number or a truth value, as its default or first cell says."""
        signature = self.pending.formulas.get(symbol.symbol)
        if signature is None:
            return None
        member = next(m for s, m in self.pending.members if s is symbol.symbol)
        self._formula_column(symbol.symbol, member)
        results = {type(f.result) for f in self.formulas_done[symbol.symbol]}
        truth = Truth in results if results else isinstance(member.default, syn.Truth)
        result: Type = TRUTH if truth else ANY_NUMBER
        return Formula(tuple(self._type(p.type, symbol.symbol.address) for p in signature.params), result)

    def formula_uses_me(self, symbol: ColumnRef) -> bool:
        """Whether a formula of the column speaks of the acting player."""
        return any(f.uses_me for f in self.formulas_done.get(symbol.symbol, ()))

    # ---------------------------------------------------------------- triggers
    def _triggers(self) -> None:
        for doc in self.doc.triggers.values():
            match doc.rule:
                case syn.When():
                    self._when(doc, doc.rule)
                case syn.After():
                    self._after(doc, doc.rule)

    def _when(self, doc: TriggerDoc, rule: syn.When) -> None:
        address = f"triggers.{doc.name}"
        usage = Usage()
        me = LocalSym("me", PLAYER, doc.span)
        scope = Scope(me=me, usage=usage, address=address)
        binder: LocalSym | None = None
        domain: Expr | None = None
        opening: tuple[Stmt, ...] = ()
        if len(rule.binders) > 2:
            told = "a trigger watches one or two kinds of thing"
            self.sink.error(
                "one-binder", rule.binders[2].span, told, help="go through the others in the rule, behind the colon"
            )
        if len(rule.binders) < 2:
            for node in rule.binders:
                domain = self._plain(self.domain(node.domain, scope))
                scope, binder = scope.bind(node.name, self.element(domain), node.span)
            condition = self.truth(rule.condition, scope)
        else:
            scope, binder, domain, condition, opening = self._pairs(rule, scope)
        if usage.me:
            self.sink.error(
                "no-acting-player",
                rule.condition.span,
                "a trigger's condition does not depend on who acts",
                help="test that in the rule, behind the colon",
            )
        params = (binder,) if binder is not None else ()
        body = EffectSym(address, params, me, "trigger", doc.span, doc.cite, doc.depth or 0)
        inner = scope.knowing(self.facts(rule.condition, scope, True))
        place = self._place_of("effect", address, frozenset(("game", "effect")), False)
        self.model.code[body] = (*opening, *self.opening_log(inner, place), *self.block(rule.body, inner, place))
        self.model.triggers.append(
            Trigger(address, "when", condition, binder, domain, rule.once, None, body, params, None, doc.depth or 0)
        )

    def _pairs(self, rule: syn.When, scope: Scope) -> tuple[Scope, LocalSym, Expr, Expr, tuple[Stmt, ...]]:
        """A trigger over two binders watches numbered pairs: pair number = index of the first * size of the second + index of the
        second. The rule begins by taking its pair apart."""
        one, two = rule.binders[:2]
        first_group = self._plain(self.domain(one.domain, scope))
        scope, first = scope.bind(one.name, self.element(first_group), one.span)
        second_group = self._plain(self.domain(two.domain, scope))
        scope, second = scope.bind(two.name, self.element(second_group), two.span)
        width = self.model.size_of(second.type)
        kind = Num(0, max(0, self.model.size_of(first.type) * width - 1))
        if kind.hi >= PAIRS.most:
            refuse(self.sink, rule.span, PAIRS, kind.hi + 1)
            kind = Num(0, PAIRS.most - 1)
        pair = LocalSym("pair", kind, rule.span)
        there, by = LocalRef(kind, pair), Const(Num(width, width), width)
        apart = (Op(first.type, "div", (there, by)), Op(second.type, "mod", (there, by)))
        test = self.truth(rule.condition, scope)
        for symbol, group, part in ((second, second_group, apart[1]), (first, first_group, apart[0])):
            only = Op(group.type, "inter", (group, Op(group.type, "single", (part,))))
            test = Query(TRUTH, "any", symbol, only, test)
        origin = Origin(rule.span, ())
        opening = (LetStmt(origin, first, apart[0]), LetStmt(origin, second, apart[1]))
        return scope, pair, self.all_of(kind), test, opening

    def _after(self, doc: TriggerDoc, rule: syn.After) -> None:
        address = f"triggers.{doc.name}"
        effect = self.effect_named(rule.effect, doc.span)
        if effect is None:
            self._no_effect(syn.Name(rule.effect, span=rule.span))
            return
        me = LocalSym("me", PLAYER, doc.span)
        scope = Scope(me=me, address=address)
        params: list[LocalSym] = []
        for name, param in zip(rule.params, effect.declared, strict=False):
            scope, local = scope.bind(name, param.type, rule.span)
            params.extend(self.units(local))
        if len(rule.params) > len(effect.declared):
            self.sink.error("wrong-arguments", rule.span, f"`{rule.effect}` has only {len(effect.declared)} arguments")
        condition = self.truth(rule.condition, scope) if rule.condition is not None else None
        if rule.condition is not None:
            scope = scope.knowing(self.facts(rule.condition, scope, True))
        body = EffectSym(address, tuple(params), me, "trigger", doc.span, doc.cite, doc.depth or 0)
        place = self._place_of("effect", address, frozenset(("game", "effect")), False)
        self.model.code[body] = self.block(rule.body, scope, place)
        self.model.triggers.append(
            Trigger(address, "after", condition, None, None, False, effect, body, tuple(params), me, doc.depth or 0)
        )

    # ---------------------------------------------------------------- the end and the whole flow
    def _whole_score(self, doc: TermDoc) -> None:
        """A patch of `scoring.total`."""
        me = LocalSym("me", PLAYER, doc.span)
        self.wrapped_total = me
        found = self.expr(doc.value, Scope(me=me), ANY_NUMBER)
        self.wrapped_total = None
        self.model.total = FuncSym("total", (), found.type, True, me, doc.span)
        self.model.bodies[self.model.total] = found

    def _term(self, doc: TermDoc, want: Type, with_me: bool) -> FuncSym:
        me = LocalSym("me", PLAYER, doc.span)
        scope = Scope(me=me if with_me else None)
        nobody_acts = scope.me is None and isinstance(doc.value, syn.Me)
        found = self._expr(doc.value, scope, want)
        if nobody_acts:  # told; what it would be is no second mistake
            found = Const(UNKNOWN, 0)
        if isinstance(want, SetOf):
            found = self.as_plain_set(found, doc.value.span)
        found = self.fit(found, want, doc.value.span)
        symbol = FuncSym(doc.name, (), found.type, with_me, me, doc.span)
        self.model.bodies[symbol] = found
        return symbol

    def _the_end(self) -> None:
        if self.doc.winners is not None:
            self.model.winners = self._term(self.doc.winners, SetOf(PLAYER), False)
        elif self.doc.payoff is None:
            self.sink.error(
                "no-winners",
                self.doc.players_span,
                "nothing says who wins",
                help="add `winners:` with a set of players, or `payoff:` where the game is not about winning",
            )
        if self.doc.payoff is not None:
            self.model.payoff = self._term(self.doc.payoff, ANY_NUMBER, True)

    def _flow(self) -> None:
        span = self.doc.players_span
        setup = EffectSym("setup", (), LocalSym("me", PLAYER, span), "entry", span)
        self.model.code[setup] = self._steps(setup, self.doc.setup, True)
        self.model.setup = setup
        play = EffectSym("play", (), LocalSym("me", PLAYER, span), "entry", span)
        self.model.code[play] = self._steps(play, self.doc.play, False)
        self.model.play = play

    def _steps(self, owner: EffectSym, steps: tuple[Step, ...], quiet: bool) -> tuple[Stmt, ...]:
        if len(steps) == 1 and not steps[0].name:
            return self.block(
                steps[0].body,
                Scope(address=owner.address),
                self._place_of("step", owner.address, frozenset(("game",)), True),
            )
        calls: list[Stmt] = []
        for step in steps:
            inner = EffectSym(
                f"{owner.address}.{step.name}",
                (),
                LocalSym("me", PLAYER, step.span),
                "step",
                step.span,
                step.cite,
                quiet=quiet,
            )
            self.model.code[inner] = self.block(
                step.body,
                Scope(address=inner.address),
                self._place_of("step", inner.address, frozenset(("game",)), True),
            )
            self.model.effects[f"{owner.address}.{step.name}"] = inner
            calls.append(PerformStmt(Origin(step.span, step.cite), inner, None, ()))
        return tuple(calls)


def _this_is(symbol: LocalSym, value: Expr, span: Span) -> Stmt:
    return LetStmt(Origin(span, ()), symbol, value)


def _num_hi(kind: Type) -> int:
    return kind.hi if isinstance(kind, Num) else 0


def _mentions(node: object, symbol: LocalSym) -> bool:
    """Whether a typed tree speaks of a local."""
    return any(isinstance(part, LocalRef) and part.symbol is symbol for part in parts(node))


def _core(kind: Type) -> Type:
    return kind.of if isinstance(kind, Maybe) else kind


def _typed_as(found: Expr, kind: Type) -> Expr:
    return replace(found, type=kind)


def _collect_names(node: object, names: set[str]) -> None:
    if isinstance(node, syn.Name):
        names.add(node.id)
        return
    slots = getattr(type(node), "__dataclass_fields__", None)
    if slots is None:
        if isinstance(node, tuple):
            for item in node:
                _collect_names(item, names)
        return
    if isinstance(node, syn.CallOf):
        for item in node.arguments:
            _collect_names(item, names)
        if not isinstance(node.function, syn.Name):
            _collect_names(node.function, names)
        return
    inner: set[str] = set()
    for name in slots:
        if name not in ("span", "name_span"):
            _collect_names(getattr(node, name), inner)
    if isinstance(node, syn.QuerySource):
        inner -= {b.name for b in node.binders}
    if isinstance(node, syn.Fold):
        inner -= {b.name for b in node.source.binders}
    names |= inner
