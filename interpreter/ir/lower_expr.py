"""Expressions: typed trees to IR expressions.

Functions become IR functions, fields loads, columns constant tables, zones queries over where the pieces lie.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from interpreter.ir.evaluate import Evaluator, NotConstant, Value
from interpreter.ir.ir_types import BOOL, NO_NUMBER, NOTHING, IntT, IrType, SetT, cells
from interpreter.ir.layout import Layout, ir_type, key_count
from interpreter.ir.ops import (
    And,
    Best,
    BestKey,
    Binary,
    Const,
    Expr,
    Fn,
    Load,
    Local,
    Lookup,
    Or,
    Query,
    Reach,
    Select,
    SeqConst,
    SetConst,
    Sort,
    Unary,
)
from interpreter.ir.program import Func, Table
from interpreter.model import topology
from interpreter.model import typed as t
from interpreter.model.dsl_types import Effect, Maybe, Member, Num, OrderOf, SetOf, Type
from interpreter.model.flow import flow_steps
from interpreter.model.free_slots import sure_moves
from interpreter.model.game_model import Model, Topology
from interpreter.model.kept_ranges import KeptRanges
from interpreter.text.limits import ENTRIES, TooLarge
from interpreter.text.source import Span

UNARY = {"neg", "not", "size", "length", "single", "items", "reverse", "first", "sole"}
PURE_TWO = {
    "add",
    "sub",
    "mul",
    "div",
    "mod",
    "min",
    "max",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "union",
    "inter",
    "minus",
    "seteq",
    "subset",
    "range",
    "nth",
    "place",
    "append",
    "prepend",
    "drop",
    "seqeq",
    "keep",
}


SCANS = ("scan:", "scan_columns:")


@dataclass(slots=True)
class Env:
    """Locals of one procedure or function while it is lowered: their numbers by symbol, and the type of each number."""

    numbers: dict[t.LocalSym, int] = field(default_factory=dict)
    types: list[IrType] = field(default_factory=list)
    me: Expr = field(default_factory=lambda: Const(NOTHING))

    def new(self, kind: IrType, symbol: t.LocalSym | None = None) -> int:
        """A new local, for a symbol if given."""
        self.types.append(kind)
        if symbol is not None:
            self.numbers[symbol] = len(self.types) - 1
        return len(self.types) - 1


class ExprLowering:
    """Lowers the expressions of one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.tables: list[Table] = []
        self.entries = 0
        self.funcs: list[Func | None] = []
        self.func_ids: dict[t.FuncSym, int] = {}
        self.step_ids: dict[str, int] = {}
        self.kinds_ids: dict[int, int] = {}
        self.flow_steps = flow_steps(model)
        self.sure_moves = sure_moves(model)
        self.ranges = KeptRanges(model)
        self.table_ids: dict[object, int] = {}
        self.places: dict[Span, int] = {}
        self.layout = Layout()
        self.counters: dict[t.EffectSym, int] = {}
        self.tags: list[tuple[int, str, t.EffectSym | t.FieldSym]] = []

    def place(self, span: Span | None) -> int:
        """The number of a place in the definition, from 1; 0 for none."""
        return self.places.setdefault(span, len(self.places) + 1) if span is not None else 0

    # ---------------------------------------------------------------- constants
    def constant(self, node: t.Expr, given: dict[t.LocalSym, Value]) -> Value:
        """The value of a formula that reads no state. Raises NotConstant."""
        env = Env()
        values: dict[int, Value] = {}
        for symbol, value in given.items():
            values[env.new(ir_type(self.model, symbol.type), symbol)] = value
            if symbol.name == "me":
                env.me = Local(len(env.types) - 1)
        lowered = self.expr(node, env)
        return Evaluator(self.tables, self.funcs).value(lowered, values)

    def table(self, name: str, kind: IrType, values: tuple[int, ...], key: object = None) -> int:
        """A table's id; one that exists already under the key is shared."""
        key = key if key is not None else (name, values)
        if key not in self.table_ids:
            self.room(len(values) * cells(kind))
            self.entries += len(values) * cells(kind)
            self.tables.append(Table(name, kind, values))
            self.table_ids[key] = len(self.tables) - 1
        return self.table_ids[key]

    def room(self, entries: int) -> None:
        """Raises TooLarge where tables have no room for so many cells more."""
        if self.entries + entries > ENTRIES.most:
            raise TooLarge(ENTRIES, self.entries + entries)

    # ---------------------------------------------------------------- functions
    def function(self, symbol: t.FuncSym) -> int:
        """Id of a function, lowered on first use."""
        if symbol not in self.func_ids:
            self.func_ids[symbol] = len(self.funcs)
            self.funcs.append(None)
        if self.funcs[self.func_ids[symbol]] is None:
            env = Env()
            if symbol.uses_me:
                env.me = Local(env.new(ir_type(self.model, symbol.me.type), symbol.me))
            for param in symbol.params:
                env.new(ir_type(self.model, param.type), param)
            params = len(env.types)
            body = self.expr(self.model.bodies[symbol], env)
            body = self._adjusted(symbol, body, env)
            self.funcs[self.func_ids[symbol]] = Func(
                f"functions.{symbol.name}",
                params,
                tuple(env.types),
                ir_type(self.model, symbol.result),
                body,
                symbol.span,
            )
        return self.func_ids[symbol]

    def _adjusted(self, symbol: t.FuncSym, body: Expr, env: Env) -> Expr:
        """All sums first, then the tightest bounds; a bound holds while its modifier's condition does."""
        adjustments = (
            self.model.adjustments.get(symbol.name, ()) if self.model.functions.get(symbol.name) is symbol else ()
        )
        conditions = [self.expr(a.condition, env) if a.condition is not None else None for a in adjustments]
        for adjustment, condition in zip(adjustments, conditions, strict=True):
            by = self.expr(adjustment.by, env)
            by = by if condition is None else Select(condition, by, Const(0))
            body = Binary("add" if adjustment.up else "sub", body, by, 0, self.place(symbol.span))
        for adjustment, condition in zip(adjustments, conditions, strict=True):
            if adjustment.bound is not None:
                bounded = Binary("min" if adjustment.at_most else "max", body, self.expr(adjustment.bound, env))
                body = bounded if condition is None else Select(condition, bounded, body)
        return body

    # ---------------------------------------------------------------- expressions
    def expr(self, node: t.Expr, env: Env) -> Expr:  # noqa: C901 - one case a kind of node
        """Lowers an expression."""
        match node:
            case t.Const(value=value):
                return Const(value)
            case t.NothingConst(type=kind):
                return Const(nothing_of(kind))
            case t.SetConst(type=kind, mask=mask):
                return SetConst(mask, self.set_size(kind))
            case t.LocalRef(symbol=symbol):
                return Local(env.numbers[symbol])
            case t.FieldRef():
                return self._field(node, env)
            case t.ColumnRef():
                return self._column(node, env)
            case t.ZoneRef():
                return self._zone(node, env)
            case t.EffectRef(symbol=symbol):
                return Const(self.effect_id(symbol))
            case t.Apply(symbol=symbol, args=args, me=me):
                lowered = tuple(self.expr(a, env) for a in args)
                if symbol.uses_me:
                    lowered = (self.expr(me, env) if me is not None else Const(NOTHING), *lowered)
                return Fn(self.function(symbol), lowered)
            case t.FormulaApply():
                return self._formula(node, env)
            case t.Op():
                return self._op(node, env)
            case t.Query(kind=kind, binder=binder, domain=domain, where=where, value=value, span=span):
                group = self._in_any_order(domain, env)
                n = env.new(ir_type(self.model, binder.type), binder)
                return Query(
                    kind,
                    n,
                    group,
                    self.expr(where, env) if where is not None else None,
                    self.expr(value, env) if value is not None else None,
                    self.set_size(node.type),
                    self.place(span),
                )
            case t.Ranked(kind=kind, binder=binder, domain=domain, keys=keys):
                group = self.expr(domain, env)
                n = env.new(ir_type(self.model, binder.type), binder)
                best = tuple(BestKey(k.most, self.expr(k.value, env)) for k in keys)
                size = self.set_size(node.type)
                return Best(n, group, best, size) if kind == "best" else Sort(n, group, best, size)
            case t.GraphStep(graph=graph, place=place, me=me):
                return self._step(graph, self.expr(place, env), self.expr(me, env) if me is not None else None)
            case t.GraphReach(graph=graph, start=start, steps=steps, through=through, me=me):
                domain_size = self.model.domains[self.model.graphs[graph].domain].size
                n = env.new(IntT(0, domain_size - 1))
                step = self._step(graph, Local(n), self.expr(me, env) if me is not None else None)
                return Reach(
                    n, step, self.expr(start, env), self.expr(steps, env), self.expr(through, env), domain_size
                )
            case t.Constants(name=name, values=values, index=index, base=base, type=kind):
                at = self.expr(index, env)
                if base:
                    at = Binary("sub", at, Const(base))
                found = Lookup(self.table(name, self._table_type(kind, values), values), at)
                return self._guarded(index, found, kind, env)
            case t.ZoneNumber(zone=zone):
                return self.zone_number(zone, env)
            case t.Bundle():
                raise AssertionError("a bundle is taken apart by the checker")
            case t.Tagged(effect=effect, word=word, target=target):
                what = self.expr(effect, env)
                lookup = Lookup(self.tagged(word, target), what)
                return (
                    Select(Binary("lt", what, Const(0)), Const(0), lookup) if isinstance(effect.type, Maybe) else lookup
                )
            case t.During(symbol=symbol):
                return Binary("gt", Load(self.counter(symbol), Const(0)), Const(0))
            case t.CanDo():
                return self.can(node, env)

    def can(self, node: t.CanDo, env: Env) -> Expr:
        """`can e(…)`: only procedures can look ahead."""
        raise NotImplementedError

    def effect_id(self, symbol: t.EffectSym) -> int:
        """The procedure of an effect."""
        raise NotImplementedError

    def counter(self, symbol: t.EffectSym) -> int:
        """The hidden counter of how often an effect is under way."""
        if symbol not in self.counters:
            self.counters[symbol] = self.layout.hidden(f"@during.{symbol.address}", IntT(0, 1000), 0)
        return self.counters[symbol]

    def tagged(self, word: str, target: t.EffectSym | t.FieldSym) -> int:
        """A table over procedures, filled in when all of them are known."""
        key = ("tag", word, target)
        if key not in self.table_ids:
            number = self.table(f"{word}.{target.address}", BOOL, (), key)
            self.tags.append((number, word, target))
        return self.table_ids[key]

    def set_size(self, kind: Type) -> int:
        """Size of the set or sequence type of a value."""
        match kind:
            case SetOf(of=inner) | OrderOf(of=inner):
                return self.model.size_of(inner)
            case _:
                return 0

    def _table_type(self, kind: Type, values: tuple[int, ...]) -> IrType:
        if isinstance(kind, SetOf):
            return SetT(self.model.size_of(kind.of))
        return IntT(min(values, default=0), max(values, default=0))

    def _guarded(self, owner: t.Expr, found: Expr, kind: Type, env: Env) -> Expr:
        """What is read through nothing is nothing."""
        if isinstance(owner.type, Maybe):
            return Select(Binary("lt", self.expr(owner, env), Const(0)), Const(nothing_of(kind)), found)
        return found

    def index(self, owner: t.Expr | None, keys: tuple[t.Expr, ...], key_types: tuple[Type, ...], env: Env) -> Expr:
        """The element of a field or column."""
        at: Expr = self.expr(owner, env) if owner is not None else Const(0)
        for key, kind in zip(keys, key_types, strict=True):
            count = key_count(self.model, kind)
            position = self.expr(key, env)
            if isinstance(kind, Num) and kind.lo:
                position = Binary("sub", position, Const(kind.lo))
            at = position if at == Const(0) else Binary("add", Binary("mul", at, Const(count)), position)
        return at

    def _field(self, node: t.FieldRef, env: Env) -> Expr:
        symbol = node.symbol
        if symbol in self.model.sums and node.owner is not None:
            args = (self.expr(node.owner, env), *(self.expr(k, env) for k in node.keys))
            return Fn(self.function(self.model.sums[symbol]), args)
        if symbol not in self.layout.of_field:
            raise NotConstant  # asked for before the game begins: a bound or a first value
        found = Load(self.layout.of_field[symbol], self.index(node.owner, node.keys, symbol.keys, env))
        return self._guarded(node.owner, found, node.type, env) if node.owner is not None else found

    def _column(self, node: t.ColumnRef, env: Env) -> Expr:
        symbol = node.symbol
        values = self.model.column_values[symbol]
        kind = ir_type(self.model, symbol.type)
        core = symbol.type.of if isinstance(symbol.type, Maybe) else symbol.type
        if isinstance(core, Effect):
            values = tuple(-1 if v < 0 else self.effect_id(self.model.cells[v]) for v in values)
        found = Lookup(
            self.table(symbol.address, kind, values, symbol), self.index(node.owner, node.keys, symbol.keys, env)
        )
        return self._guarded(node.owner, found, node.type, env)

    def zone_number(self, node: t.ZoneRef, env: Env) -> Expr:
        """The number of the zone (of a row without slot: of its first slot)."""
        if node.given is not None:
            return self.expr(node.given, env)
        if node.symbol is None:
            return Const(0)
        first = self.layout.first_zone[node.symbol]
        width = node.symbol.size if node.symbol.kind == "row" else 1
        number: Expr = Const(first)
        if node.owner is not None:
            owner = self.expr(node.owner, env)
            owner = Binary("mul", owner, Const(width)) if width != 1 else owner
            number = Binary("add", owner, Const(first))
        if node.slot is not None:
            number = Binary("add", number, Binary("sub", self.expr(node.slot, env), Const(1)))
        return number

    def _zone(self, node: t.ZoneRef, env: Env) -> Expr:
        pieces = self.model.domains[node.piece]
        if node.piece not in self.layout.where:
            raise NotConstant
        where = self.layout.where[node.piece]
        n = env.new(IntT(0, max(0, pieces.size - 1)))
        place = Load(where, Local(n))
        everything = SetConst(pieces.full, pieces.size)
        number = self.zone_number(node, env)
        if node.symbol is not None and node.symbol.kind == "row" and node.slot is None:
            test: Expr = And(
                (Binary("ge", place, number), Binary("lt", place, Binary("add", number, Const(node.symbol.size))))
            )
            return Query("filter", n, everything, test, None, pieces.size)
        if node.slot is not None:
            return Query("first", n, everything, Binary("eq", place, number))
        return Query("filter", n, everything, Binary("eq", place, number), None, pieces.size)

    def _formula(self, node: t.FormulaApply, env: Env) -> Expr:
        owner = self.expr(node.owner, env)
        args = (owner, *(self.expr(a, env) for a in node.args))
        me = self.expr(node.me, env) if node.me is not None else Const(NOTHING)
        values = self.model.column_values[node.symbol]
        found: Expr = Const(0)
        for number in sorted({v for v in values if v >= 0}, reverse=True):
            rows = sum(1 << i for i, v in enumerate(values) if v == number)
            formula = self.model.formulas[number]
            call = Fn(self.function(formula), (me, *args) if formula.uses_me else args)
            found = Select(Binary("has", SetConst(rows, len(values)), owner), call, found)
        return self._guarded(node.owner, found, node.type, env)

    def _step(self, name: str, place: Expr, me: Expr | None) -> Expr:
        graph = self.model.graphs[name]
        if not graph.guarded:
            size = self.model.domains[graph.domain].size
            return Lookup(self.table(f"graphs.{name}", SetT(size), graph.static), place)
        return Fn(self._step_function(graph), ((me if me is not None else Const(NOTHING)), place))

    def _step_function(self, graph: Topology) -> int:
        if graph.name not in self.step_ids:
            self.step_ids[graph.name] = len(self.funcs)
            self.funcs.append(None)
            size = self.model.domains[graph.domain].size
            env = Env()
            env.me = Local(env.new(ir_type(self.model, graph.me.type), graph.me))
            place = Local(env.new(IntT(0, size - 1)))
            body: Expr = Lookup(self.table(f"graphs.{graph.name}", SetT(size), graph.static), place)
            for start, end, condition in graph.guarded:
                open_ = And((Binary("eq", place, Const(start)), self.expr(condition, env)))
                body = Binary("union", body, Select(open_, SetConst(1 << end, size), SetConst(0, size)))
            self.funcs[self.step_ids[graph.name]] = Func(
                f"graphs.{graph.name}", 2, tuple(env.types), SetT(size), body, graph.span
            )
        return self.step_ids[graph.name]

    def _op(self, node: t.Op, env: Env) -> Expr:
        op = node.op
        if op in ("and", "or"):
            parts: list[Expr] = []
            for arg in node.args:
                lowered = self.expr(arg, env)
                same = And if op == "and" else Or
                parts.extend(lowered.parts if isinstance(lowered, same) else (lowered,))
            return And(tuple(parts)) if op == "and" else Or(tuple(parts))
        if op == "select":
            test, a, b = node.args
            return Select(self.expr(test, env), self.expr(a, env), self.expr(b, env))
        if op == "else":
            value = self.expr(node.args[0], env)
            missing = Binary("eq", value, Const(nothing_of(node.args[0].type)))
            return Select(missing, self.expr(node.args[1], env), value)
        if op == "kinds":
            return Fn(self._kinds_function(_pieces_of(node)), (self.expr(node.args[0], env),))
        if op == "owner":
            return self._owner(node.args[0], env)
        if op == "slot":
            return self._slot(node.args[0], env)
        if op.startswith(SCANS):
            corner, orders, size = self._scan(node, env)
            found: Expr = SeqConst((), size)
            for number, order in reversed(list(zip(topology.CORNERS, orders, strict=True))):
                found = Select(Binary("eq", corner, Const(number)), SeqConst(order, size), found)
            return found
        if op == "place" and isinstance(scan := node.args[0], t.Op) and scan.op.startswith(SCANS):
            return self._place_in_scan(scan, node.args[1], env)
        if op == "ray":
            return self._ray_in_order(node, env)
        if op == "items":
            return self._in_any_order(node, env)
        if op == "first":
            return _number_or_nothing(node, self._first(node.args[0], env))
        args = [self.expr(a, env) for a in node.args]
        size = self.set_size(node.type)
        if op == "has":
            member = node.args[1]
            inside = Binary("has", args[0], args[1])
            return And((Binary("ge", args[1], Const(0)), inside)) if isinstance(member.type, Maybe | Num) else inside
        if op in UNARY:
            return _number_or_nothing(node, Unary(op, args[0], size))  # type: ignore[arg-type]
        assert op in PURE_TWO, op
        return _number_or_nothing(node, Binary(op, args[0], args[1], size, self.place(node.span)))  # type: ignore[arg-type]

    def _kinds_function(self, number: int) -> int:
        """Of a set of pieces those of which no earlier copy is in it."""
        domain = self.model.domains[number]
        if number not in self.kinds_ids:
            self.kinds_ids[number] = len(self.funcs)
            env = Env()
            given = Local(env.new(SetT(domain.size)))
            n = env.new(IntT(0, max(0, domain.size - 1)))
            earlier = tuple(sum(1 << j for j in range(design, i)) for i, design in enumerate(domain.design))
            copies = Lookup(self.table(f"{domain.name}.earlier", SetT(domain.size), earlier), Local(n))
            none_of_them = Binary("seteq", Binary("inter", copies, given, domain.size), SetConst(0, domain.size))
            body = Query("filter", n, given, none_of_them, None, domain.size)
            span = self.model.definition.players_span
            self.funcs.append(Func(f"{domain.name}.kinds", 1, tuple(env.types), SetT(domain.size), body, span))
        return self.kinds_ids[number]

    def _scan(self, node: t.Op, env: Env) -> tuple[Expr, tuple[tuple[int, ...], ...], int]:
        """The corner a grid is read from, the order from each, and how many cells there are."""
        name, _, graph = node.op.partition(":")
        domain = self.model.domains[self.model.graphs[graph].domain]
        places = {(r, c): i for i, (r, c) in enumerate(zip(domain.rows, domain.columns, strict=True))}
        return self.expr(node.args[0], env), topology.scan_orders(places, name == "scan_columns"), domain.size

    def _place_in_scan(self, scan: t.Op, cell: t.Expr, env: Env) -> Expr:
        """A cell's place in a reading order, from a table."""
        corner, orders, size = self._scan(scan, env)
        places = tuple(order.index(i) + 1 for order in orders for i in range(size))
        table = self.table(scan.op, IntT(1, size), places)
        first = Binary("mul", Binary("sub", corner, Const(1)), Const(size))
        return Lookup(table, Binary("add", first, self.expr(cell, env)))

    def _in_any_order(self, node: t.Expr, env: Env) -> Expr:
        """What a query goes through, or the members of an order as a set: for a ray without its order."""
        match node:
            case t.Op(op="ray"):
                return self._ray(node, env)
            case t.Op(op="items", args=(t.Op(op="ray") as ray,)):
                return self._ray(ray, env)
            case t.Op(op="items", args=(order,), type=kind):
                return Unary("items", self.expr(order, env), self.set_size(kind))
            case _:
                return self.expr(node, env)

    # Of a ray the cells are looked up as a set; along it they rise or fall, as cells are counted row by row.
    def _ray(self, node: t.Op, env: Env) -> Expr:
        """The cells of a ray, as a set."""
        start, through = node.args
        domain = self.model.domain_of(start.type)
        assert domain is not None
        size = domain.size
        places = {(r, c): i for i, (r, c) in enumerate(zip(domain.rows, domain.columns, strict=True))}
        key = ("rays", domain.name)
        if key not in self.table_ids:
            self.room(size * size + 9 * size * cells(SetT(size)))
            seen, masks = topology.rays(places, size)
            self.table(f"{domain.name}.way", IntT(0, 8), seen, key)
            self.table(f"{domain.name}.ray", SetT(size), masks, (*key, "masks"))
        at = Binary("add", Binary("mul", self.expr(start, env), Const(size)), self.expr(through, env))
        way = Lookup(self.table_ids[key], at)
        behind = Binary("add", Binary("mul", self.expr(through, env), Const(9)), way)
        return Lookup(self.table_ids[*key, "masks"], behind)

    def _ray_in_order(self, node: t.Op, env: Env) -> Expr:
        """The cells of a ray, as a sequence."""
        size = self.set_size(node.type)
        n = env.new(IntT(0, size - 1))
        rising = Sort(n, self._ray(node, env), (), size)
        return Select(self._rises(node, env), rising, Unary("reverse", rising, size))

    def _rises(self, node: t.Op, env: Env) -> Expr:
        start, through = node.args
        return Binary("gt", self.expr(through, env), self.expr(start, env))

    def _first(self, group: t.Expr, env: Env) -> Expr:
        """The first member of a set or an order. Where only those that meet a condition count, nothing behind the first is looked at."""
        match group:
            case t.Query(kind="filter", binder=binder, domain=base, where=where):
                order: t.Expr = base
            case t.Op(op="keep", args=(order, t.Query(kind="filter", binder=binder, where=where))):
                pass
            case _:
                return Unary("first", self.expr(group, env), self.set_size(group.type))
        members = self._in_any_order(order, env)
        n = env.new(ir_type(self.model, binder.type), binder)
        test = self.expr(where, env) if where is not None else None
        found = Query("first", n, members, test)
        if isinstance(order, t.Op) and order.op == "ray":
            last = Binary("max", Query("highest", n, members, test, Local(n)), Const(NOTHING))
            return Select(self._rises(order, env), found, last)
        return found

    def _owner(self, piece: t.Expr, env: Env) -> Expr:
        number = _piece_of(piece)
        zones = self.layout.zones[number]
        owners = self.table(
            f"{self.model.domains[number].name}.owner",
            IntT(-1, self.model.seats - 1),
            tuple(z.owner for z in zones),
        )
        found = Lookup(owners, Load(self.layout.where[number], self.expr(piece, env)))
        return self._guarded(piece, found, Maybe(Member(0)), env)

    def _slot(self, piece: t.Expr, env: Env) -> Expr:
        number = _piece_of(piece)
        slots = tuple(z.slot for z in self.layout.zones[number])
        found = Lookup(
            self.table(f"{self.model.domains[number].name}.slot", IntT(0, max(slots)), slots),
            Load(self.layout.where[number], self.expr(piece, env)),
        )
        return self._guarded(piece, found, Maybe(Num(0, 64)), env)


def _number_or_nothing(node: t.Op, found: Expr) -> Expr:
    """`first`, `only` and places of an order give NOTHING where there is none; where numbers are meant, that is NO_NUMBER."""
    if node.op in ("first", "sole", "nth") and isinstance(node.type, Maybe) and isinstance(node.type.of, Num):
        return Select(Binary("lt", found, Const(0)), Const(NO_NUMBER), found)
    return found


def _piece_of(node: t.Expr) -> int:
    """The kind of a piece that may be nothing."""
    kind = node.type.of if isinstance(node.type, Maybe) else node.type
    return kind.domain if isinstance(kind, Member) else 0


def _pieces_of(node: t.Expr) -> int:
    """The kind of the pieces in a set."""
    kind = node.type.of if isinstance(node.type, SetOf) else node.type
    return kind.domain if isinstance(kind, Member) else 0


def nothing_of(kind: Type) -> int:
    """How nothing is written where a value of the type could be."""
    core = kind.of if isinstance(kind, Maybe) else kind
    return NO_NUMBER if isinstance(core, Num) else NOTHING
