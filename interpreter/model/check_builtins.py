"""Typing of calls to builtins (library.py has the records; this is what each means for types)."""

from __future__ import annotations

from interpreter.model import topology
from interpreter.model.check_expr import _num, _stand_in
from interpreter.model.check_stmt import StmtChecker
from interpreter.model.declare import describe
from interpreter.model.dsl_types import (
    PLAYER,
    TRUTH,
    UNKNOWN,
    Effect,
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
)
from interpreter.model.game_model import Domain, Topology
from interpreter.model.library import LIBRARY
from interpreter.model.scope import Scope
from interpreter.model.typed import (
    Apply,
    CanDo,
    Const,
    Constants,
    During,
    EffectSym,
    Expr,
    FieldSym,
    GraphReach,
    GraphStep,
    LocalRef,
    LocalSym,
    NothingConst,
    Op,
    Origin,
    PerformStmt,
    Query,
    SetConst,
    Tagged,
    ZoneRef,
)
from interpreter.syntax import nodes as syn
from interpreter.text.limits import STEPS, refuse
from interpreter.text.source import Span
from interpreter.text.suggest import nearest

ARITY = {b.name: b.signature for b in LIBRARY}
NOTHING_INDEX = -1


class BuiltinChecker(StmtChecker):
    """Adds the builtins. `wrapped_total` is the player in a patch of the whole score, where `previous` is the sum of the terms."""

    wrapped_total: LocalSym | None = None

    def builtin_name(self, name: str, scope: Scope) -> Expr | None:
        """A builtin without arguments."""
        match name:
            case "players":
                return self.all_of(PLAYER)
            case "opponents":
                me = self.me_of(scope, syn.Me().span, True) if scope.me is not None else None
                if me is None:
                    return None
                everyone = self.all_of(PLAYER)
                return Op(SetOf(PLAYER), "minus", (everyone, Op(SetOf(PLAYER), "single", (me,))))
            case "player_count":
                count = self.model.config.players
                return Const(Num(count, count), count)
            case "table":
                return Const(Holder(), 0)
            case "box":
                return ZoneRef(ZoneOf("box", Member(0)), None, 0, None)
            case "previous" if self.wrapped_total is not None:
                return self.sum_of_terms(LocalRef(PLAYER, self.wrapped_total))
            case "winners" if self.model.winners is not None:
                return Apply(SetOf(PLAYER), self.model.winners, (), None)
            case _:
                return None

    def builtin_call(  # noqa: C901 - one case a builtin
        self, node: syn.CallOf, name: str, scope: Scope, want: Type | None
    ) -> Expr | None:
        """A call of a builtin."""
        args = [a.value if isinstance(a, syn.Named) else a for a in node.arguments]
        counts = {
            "size": 1,
            "place": 2,
            "next": 1,
            "kinds": 1,
            "reversed": 1,
            "total": 1,
            "neighbours": 2,
            "steps": 1,
            "reach": 4,
            "around": 1,
            "beyond": 2,
            "ray": 2,
            "lines": 2,
            "scan": 2,
            "scan_columns": 2,
            "uses": 2,
            "yields": 2,
            "during": 1,
        }
        if name in ("min", "max"):
            if not args:
                return self._wrong(name, node.span)
            typed = [self.number(a, scope) for a in args]
            total = typed[0]
            for item in typed[1:]:
                x, y = _num(total), _num(item)
                pick = min if name == "min" else max
                total = Op(Num(pick(x.lo, y.lo), pick(x.hi, y.hi)), name, (total, item))
            return total
        if name not in counts:
            return None
        if len(args) != counts[name]:
            return self._wrong(name, node.span)
        match name:
            case "size":
                return self._size(args[0], scope)
            case "place":
                order = self._expr(args[1], scope, None)
                if not isinstance(order.type, OrderOf):
                    return self._not(args[1].span, "an order", order.type)
                item = self.expr(args[0], scope, order.type.of)
                return Op(Num(0, self.model.size_of(order.type.of)), "place", (order, item))
            case "reversed":
                order = self._expr(args[0], scope, None)
                return (
                    Op(order.type, "reverse", (order,))
                    if isinstance(order.type, OrderOf)
                    else self._not(args[0].span, "an order", order.type)
                )
            case "next":
                item = self._expr(args[0], scope, None)
                if not isinstance(item.type, Member):
                    return self._not(args[0].span, "a sure member of a type", item.type)
                size = self.model.size_of(item.type)
                return Constants(Maybe(item.type), "next", (*range(1, size), NOTHING_INDEX), item)
            case "kinds":
                return self._kinds(args[0], scope)
            case "total":
                player = self.expr(args[0], scope, PLAYER)
                return self.total(player)
            case "neighbours":
                graph = self._graph(args[0], scope)
                if graph is None:
                    return _stand_in(UNKNOWN)
                place = self.expr(args[1], scope, Member(graph.domain))
                return GraphStep(
                    SetOf(Member(graph.domain)), graph.name, place, self.me_of(scope, node.span, graph.uses_me)
                )
            case "steps":
                return self._graph_steps(args[0], scope)
            case "reach":
                graph = self._graph(args[0], scope)
                if graph is None:
                    return _stand_in(UNKNOWN)
                member = Member(graph.domain)
                start = self.expr(args[1], scope, member)
                steps = self.expr(args[2], scope, SetOf(Num(0, 4095)))
                through = self.expr(args[3], scope, SetOf(member))
                return GraphReach(
                    SetOf(member), graph.name, start, steps, through, self.me_of(scope, node.span, graph.uses_me)
                )
            case "around" | "beyond" | "ray":
                return self._on_grid(name, args, scope)
            case "lines" | "scan" | "scan_columns":
                return self._of_grid(name, args, scope)
            case "uses" | "yields":
                return self._tagged(name, args, scope)
            case "during":
                symbol = self.effect_named(args[0].id, args[0].span) if isinstance(args[0], syn.Name) else None
                if symbol is None:
                    return self._no_effect(args[0])
                return During(TRUTH, symbol)
        return None

    def total(self, player: Expr) -> Expr:
        """A player's scoring terms added up, or what a patch of `scoring.total` makes of that."""
        if self.model.total is not None:
            return Apply(self.model.total.result, self.model.total, (), player)
        return self.sum_of_terms(player)

    def sum_of_terms(self, player: Expr) -> Expr:
        """A player's scoring terms added up."""
        found: Expr = Const(Num(0, 0), 0)
        for _, function, _ in self.model.terms:
            found = Op(Num(-(2**30), 2**30), "add", (found, Apply(function.result, function, (), player)))
        return found

    def can(self, node: syn.Can, scope: Scope) -> Expr:
        """`can e(…)`."""
        from_effect = self._perform(node.effect, Origin(node.span, ()), scope)
        call = from_effect[0] if from_effect and isinstance(from_effect[0], PerformStmt) else None
        if call is None:
            return Const(TRUTH, 0)
        return CanDo(TRUTH, call)

    def _wrong(self, name: str, span: Span) -> Expr:
        self.sink.error("wrong-arguments", span, f"`{name}` is written `{ARITY[name]}`")
        return _stand_in(UNKNOWN)

    def _not(self, span: Span, wanted: str, kind: Type) -> Expr:
        if not isinstance(kind, Unknown):
            self.sink.error("wrong-type", span, f"expected {wanted}, found {describe(self.model, kind)}")
        return _stand_in(UNKNOWN)

    def _size(self, node: syn.Expr, scope: Scope) -> Expr:
        found = self._expr(node, scope, None)
        if isinstance(found.type, MapOf) and isinstance(found.type.value, Num):
            binder = LocalSym("key", found.type.key, node.span)
            value = self._at_key(found, LocalRef(found.type.key, binder))
            high = found.type.value.hi * max(1, self.model.size_of(found.type.key))
            return Query(
                Num(min(0, found.type.value.lo), min(high, 2**31 - 1)),
                "sum",
                binder,
                self.all_of(found.type.key),
                None,
                value,
            )
        return self.size(self.as_set(found, node.span))

    def _kinds(self, node: syn.Expr, scope: Scope) -> Expr:
        found = self.as_set(self._expr(node, scope, None), node.span)
        match found.type:
            case SetOf(of=Member(domain=domain)) if self.model.domains[domain].design:
                return Op(found.type, "kinds", (found,))
            case _:
                return self._not(node.span, "a set of pieces", found.type)

    # ---------------------------------------------------------------- boards
    def _graph(self, node: syn.Expr, scope: Scope) -> Topology | None:
        if isinstance(node, syn.Name) and node.id in self.model.graphs:
            return self.model.graphs[node.id]
        found = self._expr(node, scope, None)
        if not isinstance(found.type, Graph | Unknown):
            near = nearest(node.id, tuple(self.model.graphs)) if isinstance(node, syn.Name) else None
            self.sink.error(
                "wrong-type",
                node.span,
                f"expected a graph, found {describe(self.model, found.type)}",
                help=f"did you mean `{near}`?" if near else "",
            )
        return None

    def places(self, domain: Domain) -> dict[tuple[int, int], int]:
        """Cells of a grid by (row, column)."""
        return {(r, c): i for i, (r, c) in enumerate(zip(domain.rows, domain.columns, strict=True))}

    def _on_grid(self, name: str, args: list[syn.Expr], scope: Scope) -> Expr:
        first = self._expr(args[0], scope, None)
        domain = self.model.domain_of(first.type)
        if domain is None or not domain.rows or not isinstance(first.type, Member):
            return self._not(args[0].span, "a cell of a grid", first.type)
        places = self.places(domain)
        if name == "around":
            return Constants(
                SetOf(first.type), f"{domain.name}.around", topology.around_masks(places, domain.size), first
            )
        second = self.expr(args[1], scope, first.type)
        if name == "ray":
            return Op(OrderOf(first.type), "ray", (first, second))
        limit = Num(0, domain.size * domain.size)
        index = Op(limit, "add", (Op(limit, "mul", (first, Const(Num(domain.size, domain.size), domain.size))), second))
        return Constants(Maybe(first.type), f"{domain.name}.beyond", topology.beyond_table(places, domain.size), index)

    def _of_grid(self, name: str, args: list[syn.Expr], scope: Scope) -> Expr:
        graph = self._graph(args[0], scope)
        if graph is None:
            return _stand_in(UNKNOWN)
        domain = self.model.domains[graph.domain]
        if graph.grid is None:
            self.sink.error("wrong-type", args[0].span, f"`{graph.name}` is no grid, so it has no {name}")
            return _stand_in(UNKNOWN)
        number = self.number(args[1], scope)
        if name != "lines":
            corners = topology.CORNERS
            low, high = _num(number).lo, _num(number).hi
            if low < corners[0] or high > corners[-1]:
                said = f"{low} is" if low == high else f"{low}..{high} is"
                told = f"{said} not within {corners[0]}..{corners[-1]}"
                self.sink.error("out-of-range", args[1].span, told, label="no corner" if low == high else "a corner")
            return Op(OrderOf(Member(graph.domain)), f"{name}:{graph.name}", (number,))
        if not isinstance(number, Const):
            self.sink.error("wrong-type", args[1].span, "the length of a line must be known from the text alone")
            return _stand_in(UNKNOWN)
        masks = topology.line_masks(self.places(domain), number.value)
        line_name = f"{domain.name}.line{number.value}"
        line = next((d for d in self.model.domains if d.name == line_name), None)
        if line is None:
            count = len(masks)
            ids = tuple(f"line_{i + 1}" for i in range(count))
            line = Domain(
                len(self.model.domains),
                line_name,
                "line",
                ids,
                ids,
                tuple(range(count)),
                (1,) * count,
                (graph.span,) * count,
                line_of=graph.domain,
                line_masks=masks,
            )
            self.model.domains.append(line)
        return SetConst(SetOf(Member(line.index)), line.full)

    def _graph_steps(self, node: syn.Expr, scope: Scope) -> Expr:
        """The steps of a graph; of one with edges under conditions those that can be taken now."""
        graph = self._graph(node, scope)
        if graph is None:
            return _stand_in(UNKNOWN)
        if len(graph.steps) > STEPS.most:
            refuse(self.sink, node.span, STEPS, len(graph.steps))
            return _stand_in(UNKNOWN)
        name = f"{graph.name} step"
        found = next((d for d in self.model.domains if d.kind == "step" and d.name == name), None)
        if found is None:
            found = _step_domain(len(self.model.domains), name, self.model.domains[graph.domain], graph)
            self.model.domains.append(found)
        everything = SetConst(SetOf(Member(found.index)), found.full)
        if sum(mask.bit_count() for mask in graph.static) == len(graph.steps):
            return everything
        place = Member(graph.domain)
        binder = LocalSym("step", Member(found.index), node.span)
        start, end = (
            Constants(place, f"{name}.{word}", tuple(step[i] for step in graph.steps), LocalRef(binder.type, binder))
            for i, word in enumerate(("from", "to"))
        )
        ahead = GraphStep(SetOf(place), graph.name, start, self.me_of(scope, node.span, graph.uses_me))
        return Query(everything.type, "filter", binder, everything, Op(TRUTH, "has", (ahead, end)))

    # ---------------------------------------------------------------- effects as values
    def _tagged(self, name: str, args: list[syn.Expr], scope: Scope) -> Expr:
        value = self._expr(args[0], scope, None)
        kind = value.type.of if isinstance(value.type, Maybe) else value.type
        if not isinstance(kind, Effect | Unknown) or isinstance(value, NothingConst):
            return self._not(args[0].span, "an effect", value.type)
        target: EffectSym | FieldSym | None = None
        if isinstance(args[1], syn.Name):
            word = args[1].id
            if name == "uses":
                target = self.effect_named(word, args[1].span)
            else:
                target = next((s for (_, n), s in self.model.fields.items() if n == word), None)
        if target is None:
            return self._no_effect(args[1])
        return Tagged(TRUTH, value, "uses" if name == "uses" else "yields", target)

    def _no_effect(self, node: syn.Expr) -> Expr:
        word = node.id if isinstance(node, syn.Name) else "this"
        near = nearest(word, (*self.model.definition.effects, *self.model.definition.phases))
        self.sink.error(
            "no-such-name", node.span, f"no effect named `{word}`", help=f"did you mean `{near}`?" if near else ""
        )
        return Const(Truth(), 0)


def _step_domain(number: int, name: str, places: Domain, graph: Topology) -> Domain:
    """The steps of a graph as a type; a step is called after its ends."""
    count = len(graph.steps)
    return Domain(
        number,
        name,
        "step",
        tuple(f"{places.ids[a]}_to_{places.ids[b]}" for a, b in graph.steps),
        tuple(f"{places.names[a]} to {places.names[b]}" for a, b in graph.steps),
        tuple(range(count)),
        (1,) * count,
        (graph.span,) * count,
        steps=graph.steps,
        steps_of=graph.domain,
    )
