"""Expressions and statements as small Python functions, made once when a block is first entered.

In: an Expr or Stmt of ops.py and the types of the locals around it. Out: a closure over (row, locals). The meaning is the docstrings
of ops.py; the shapes that occur most (a cell, a local against a constant, an element at a local) have closures of their own, and
the test of an index is left out where its type already lies in range. Control flow between blocks and frames is not here but in
reference.py, look-ahead in look_ahead.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, cast

from interpreter.ir.expr_types import ExprTypes, within
from interpreter.ir.ir_types import NOTHING, IntT, IrType, SeqT, SetT
from interpreter.ir.ops import (
    Alike,
    And,
    Best,
    BestKey,
    Binary,
    Check,
    Const,
    Emit,
    Expr,
    Fn,
    For,
    If,
    Let,
    Load,
    Local,
    Lookup,
    Or,
    Probe,
    Query,
    Reach,
    Select,
    SeqConst,
    SetConst,
    Sort,
    Stmt,
    Store,
    Unary,
)
from interpreter.ir.program import Program
from interpreter.machine.cells import (
    WORD,
    Items,
    Locals,
    Members,
    Number,
    Row,
    Sequenced,
    Step,
    as_int,
    members,
    read_value,
    write_value,
)
from interpreter.machine.columns import Columns
from interpreter.machine.faults import EngineBug, RuleFault
from interpreter.machine.remember import Memory
from interpreter.machine.running import Running
from interpreter.machine.shapes import (
    always,
    branch,
    checked_sum,
    compared,
    conjunction,
    disjunction,
    fallible,
    kept,
    local_and_constant,
    loop,
    query_any,
    query_count,
    query_extreme,
    query_filter,
    query_first,
    query_sum,
    span_mask,
    store_cell,
    strided,
    with_constant,
)


class Lookahead(Protocol):
    """What expressions need from the machine around them."""

    def probe(self, row: Row, slots: Locals, b: int) -> int:
        """See ops.Probe."""

    def alike(self, row: Row, p: int, args: list[int], items: Items, room: int) -> int:
        """See ops.Alike; `room` is the length of the running procedure's frame with its linkage."""


class Compiler:
    """Makes closures for one program."""

    def __init__(self, program: Program, machine: Lookahead, running: Running) -> None:
        self._program = program
        self._machine = machine
        self._running = running
        self._members = Members()
        self._memory = Memory(program)
        self._columns = Columns(program)
        self._bodies: dict[int, Number] = {}
        self.types = ExprTypes(program)

    # -------------------------------------------------------------- expressions

    def function(self, f: int) -> Number:
        """The body of function f, over a list of its locals."""
        body = self._bodies.get(f)
        if body is None:
            func = self._program.funcs[f]
            body = self._bodies[f] = self.number(func.body, func.locals)
        return body

    def number(self, expr: Expr, scope: Sequence[IrType], room: int = 0) -> Number:
        """Any expression; `room` is the frame length of the procedure around it (none in functions)."""
        return self._memory.around(expr, self._plain(expr, scope, room))

    def _plain(self, expr: Expr, scope: Sequence[IrType], room: int) -> Number:
        match expr:
            case Const(value) | SetConst(mask=value):
                return lambda row, slots: value
            case SeqConst(items):
                return lambda row, slots: as_int(items)
            case Local(n):
                return lambda row, slots: slots[n]
            case Load():
                return self._load(expr, scope, room)
            case Lookup():
                return self._lookup(expr, scope, room)
            case Unary():
                return self._unary(expr, scope, room)
            case Binary():
                return self._binary(expr, scope, room)
            case And(parts):
                return conjunction([self.number(part, scope, room) for part in parts])
            case Or(parts):
                return disjunction([self.number(part, scope, room) for part in parts])
            case Select(condition, then, other):
                c, a, b = (self.number(part, scope, room) for part in (condition, then, other))
                return lambda row, slots: a(row, slots) if c(row, slots) else b(row, slots)
            case Fn(f, args):
                return self._fn(f, args, scope, room)
            case Query():
                return self._query(expr, scope, room)
            case Best(n, domain, keys):
                return self._best(n, self.elements(domain, scope, room), keys, scope, room)
            case Sort(n, domain, keys):
                return self._sort(n, self.elements(domain, scope, room), keys, scope, room)
            case Reach():
                return self._reach(expr, scope, room)
            case Probe(b):
                probe = self._machine.probe
                return lambda row, slots: probe(row, slots, b)
            case Alike(p, args, members_of):
                alike = self._machine.alike
                values = [self.number(arg, scope, room) for arg in args]
                each = self.elements(members_of, scope, room)
                return lambda row, slots: alike(row, p, [v(row, slots) for v in values], each(row, slots), room)

    def elements(self, expr: Expr, scope: Sequence[IrType], room: int) -> Sequenced:
        """A set in rising order, or a sequence in its own."""
        if isinstance(self.types.many(expr, scope), SeqT):
            return self._sequence(expr, scope, room)
        if isinstance(expr, SetConst):
            fixed = members(expr.mask)
            return lambda row, slots: fixed
        find = self._members
        mask = self.number(expr, scope, room)
        return lambda row, slots: find(mask(row, slots))

    def _sequence(self, expr: Expr, scope: Sequence[IrType], room: int) -> Sequenced:
        return cast(Sequenced, self.number(expr, scope, room))

    def _load(self, load: Load, scope: Sequence[IrType], room: int) -> Number:
        var = self._program.vars[load.v]
        base, kind = var.base, var.type
        if isinstance(kind, IntT) or (isinstance(kind, SetT) and kind.size < 32):
            if isinstance(load.index, Const) and 0 <= load.index.value < var.count:
                cell = base + load.index.value
                return lambda row, slots: row[cell]
            if isinstance(load.index, Local) and within(self.types.number(load.index, scope), 0, var.count - 1):
                n = load.index.n
                return lambda row, slots: row[base + slots[n]]
            index = self.index(load.index, scope, var.count, var.address, room)
            return lambda row, slots: row[base + index(row, slots)]
        index = self.index(load.index, scope, var.count, var.address, room)
        if isinstance(kind, SetT) and 32 < kind.size <= 64:
            word = WORD - 1

            def load_two(row: Row, slots: Locals) -> int:
                cell = base + 2 * index(row, slots)
                return (row[cell] & word) | (row[cell + 1] & word) << 32

            return load_two
        width = 1 + kind.size if isinstance(kind, SeqT) else (kind.size + 31) // 32
        return lambda row, slots: read_value(row, base + width * index(row, slots), kind)

    def _lookup(self, lookup: Lookup, scope: Sequence[IrType], room: int) -> Number:
        table = self._program.tables[lookup.t]
        values = table.values
        if isinstance(lookup.index, Local) and within(self.types.number(lookup.index, scope), 0, len(values) - 1):
            n = lookup.index.n
            return lambda row, slots: values[slots[n]]
        index = self.index(lookup.index, scope, len(values), table.name, room)
        return lambda row, slots: values[index(row, slots)]

    def index(self, expr: Expr, scope: Sequence[IrType], count: int, name: str, room: int) -> Number:
        """An index that surely lies in 0..count-1, or raises."""
        value = self.number(expr, scope, room)
        if within(self.types.number(expr, scope), 0, count - 1):
            return value
        # What is counted from another number than 0 is told as the author counts.
        first = expr.b.value if isinstance(expr, Binary) and expr.op == "sub" and isinstance(expr.b, Const) else 0

        def tested(row: Row, slots: Locals) -> int:
            index = value(row, slots)
            if 0 <= index < count:
                return index
            if index < 0 and first == 0:
                raise RuleFault(f"`{name}` of nothing")
            raise RuleFault(f"`{name}` has no element {index + first} (they go from {first} to {first + count - 1})")

        return tested

    def _fn(self, f: int, args: tuple[Expr, ...], scope: Sequence[IrType], room: int) -> Number:
        body = self.function(f)
        match args:
            case (Local(n),) if len(self._program.funcs[f].locals) == 1:
                return lambda row, slots: body(row, [slots[n]])
            case (Local(n), Local(m)) if len(self._program.funcs[f].locals) == 2:
                return lambda row, slots: body(row, [slots[n], slots[m]])
            case _:
                pass
        values = [self.number(arg, scope, room) for arg in args]
        blank = [0] * (len(self._program.funcs[f].locals) - len(values))
        match values:
            case []:
                return lambda row, slots: body(row, blank[:])
            case [a] if not blank:
                return lambda row, slots: body(row, [a(row, slots)])
            case [a, b] if not blank:
                return lambda row, slots: body(row, [a(row, slots), b(row, slots)])
            case [a]:
                return lambda row, slots: body(row, [a(row, slots), *blank])
            case [a, b]:
                return lambda row, slots: body(row, [a(row, slots), b(row, slots), *blank])
        return lambda row, slots: body(row, [v(row, slots) for v in values] + blank)

    def _unary(self, u: Unary, scope: Sequence[IrType], room: int) -> Number:
        if u.op == "reverse":
            seq = self._sequence(u.a, scope, room)
            return lambda row, slots: as_int(seq(row, slots)[::-1])
        if u.op == "length":
            seq = self._sequence(u.a, scope, room)
            return lambda row, slots: len(seq(row, slots))
        if u.op == "items":
            seq = self._sequence(u.a, scope, room)
            return lambda row, slots: sum(1 << x for x in seq(row, slots))
        if u.op == "first":
            each = self.elements(u.a, scope, room)
            return lambda row, slots: next(iter(each(row, slots)), NOTHING)
        a = self.number(u.a, scope, room)
        if u.op == "neg":
            return lambda row, slots: -a(row, slots)
        if u.op == "not":
            return lambda row, slots: 1 - a(row, slots)
        if u.op == "size":
            return lambda row, slots: a(row, slots).bit_count()
        if u.op == "sole":

            def sole(row: Row, slots: Locals) -> int:
                mask = a(row, slots)
                return mask.bit_length() - 1 if mask and not mask & (mask - 1) else NOTHING

            return sole
        size = u.size

        def single(row: Row, slots: Locals) -> int:
            x = a(row, slots)
            return 1 << x if 0 <= x < size else 0

        return single

    def _binary(self, e: Binary, scope: Sequence[IrType], room: int) -> Number:
        if e.op in ("nth", "place", "append", "prepend", "drop", "seqeq", "keep"):
            return self._on_sequence(e, scope, room)
        if e.op == "add" and (stride := strided(e)) is not None:
            return stride
        a = self.number(e.a, scope, room)
        if isinstance(e.b, Const):
            if isinstance(e.a, Local):
                special = local_and_constant(e.op, e.a.n, e.b.value)
            else:
                special = with_constant(e.op, a, e.b.value)
            if special is not None:
                return special
        b = self.number(e.b, scope, room)
        match e.op:
            case "add":
                return lambda row, slots: a(row, slots) + b(row, slots)
            case "sub":
                return lambda row, slots: a(row, slots) - b(row, slots)
            case "mul":
                return lambda row, slots: a(row, slots) * b(row, slots)
            case "checked_add" | "checked_sub" | "checked_mul" | "div" | "mod":
                return fallible(e.op, a, b, e.at)
            case "min":
                return lambda row, slots: min(a(row, slots), b(row, slots))
            case "max":
                return lambda row, slots: max(a(row, slots), b(row, slots))
            case "union":
                return lambda row, slots: a(row, slots) | b(row, slots)
            case "inter":
                return lambda row, slots: a(row, slots) & b(row, slots)
            case "minus":
                return lambda row, slots: a(row, slots) & ~b(row, slots)
            case "subset":
                return lambda row, slots: 0 if a(row, slots) & ~b(row, slots) else 1
            case "range":
                top = e.size - 1
                return lambda row, slots: span_mask(a(row, slots), b(row, slots), top)
            case "has":
                return self._has(e, a, b, scope)
            case _:
                return compared(e.op, a, b)

    def _has(self, e: Binary, a: Number, b: Number, scope: Sequence[IrType]) -> Number:
        if isinstance(e.b, Local) and self.types.number(e.b, scope).lo >= 0:
            n = e.b.n
            return lambda row, slots: a(row, slots) >> slots[n] & 1

        def has(row: Row, slots: Locals) -> int:
            x = b(row, slots)
            return a(row, slots) >> x & 1 if x >= 0 else 0

        return has

    def _on_sequence(self, e: Binary, scope: Sequence[IrType], room: int) -> Number:
        seq = self._sequence(e.a, scope, room)
        if e.op == "seqeq":
            other = self._sequence(e.b, scope, room)
            return lambda row, slots: 1 if seq(row, slots) == other(row, slots) else 0
        b = self.number(e.b, scope, room)
        if e.op == "keep":
            return lambda row, slots: as_int(kept(seq(row, slots), b(row, slots)))

        def nth(row: Row, slots: Locals) -> int:
            items, k = seq(row, slots), b(row, slots)
            return items[k - 1] if 1 <= k <= len(items) else NOTHING

        def place(row: Row, slots: Locals) -> int:
            items, x = seq(row, slots), b(row, slots)
            return items.index(x) + 1 if x in items else 0

        def changed(row: Row, slots: Locals) -> int:
            x = b(row, slots)
            rest = tuple(y for y in seq(row, slots) if y != x)
            if e.op == "drop" or x < 0:
                return as_int(rest)
            return as_int((*rest, x) if e.op == "append" else (x, *rest))

        return nth if e.op == "nth" else place if e.op == "place" else changed

    def _query(self, q: Query, scope: Sequence[IrType], room: int) -> Number:
        whole = self._columns.query(q, lambda expr: self.number(expr, scope, room))
        return whole if whole is not None else self._element_by_element(q, scope, room)

    def _element_by_element(self, q: Query, scope: Sequence[IrType], room: int) -> Number:
        each = self.elements(q.domain, scope, room)
        n = q.n
        where = self.number(q.where, scope, room) if q.where is not None else None
        value = self.number(q.value, scope, room) if q.value is not None else None
        if where is None and value is None and q.kind in ("any", "count", "filter", "first"):
            match q.kind:
                case "any":
                    return lambda row, slots: 1 if each(row, slots) else 0
                case "count":
                    return lambda row, slots: len(each(row, slots))
                case "filter":
                    return lambda row, slots: sum(1 << x for x in each(row, slots))
                case _:
                    return lambda row, slots: next(iter(each(row, slots)), NOTHING)
        test = where if where is not None else always
        if value is None:
            match q.kind:
                case "any":
                    return query_any(n, each, test)
                case "count":
                    return query_count(n, each, test)
                case "first":
                    return query_first(n, each, test)
                case _:
                    return query_filter(n, each, test)
        if q.kind == "sum":
            return query_sum(n, each, where, value)
        if q.kind == "checked_sum":
            return checked_sum(n, each, where, value, q.at)
        return query_extreme(n, each, test, value, 1 if q.kind == "highest" else -1)

    def _keys(self, keys: tuple[BestKey, ...], scope: Sequence[IrType], room: int) -> list[tuple[int, Number]]:
        return [(1 if key.most else -1, self.number(key.value, scope, room)) for key in keys]

    def _best(self, n: int, each: Sequenced, keys: tuple[BestKey, ...], scope: Sequence[IrType], room: int) -> Number:
        signed = self._keys(keys, scope, room)

        def best(row: Row, slots: Locals) -> int:
            found = 0
            top: tuple[int, ...] | None = None
            for x in each(row, slots):
                slots[n] = x
                rank = tuple([sign * key(row, slots) for sign, key in signed])
                if top is None or rank > top:
                    top, found = rank, 1 << x
                elif rank == top:
                    found |= 1 << x
            return found

        return best

    def _sort(self, n: int, each: Sequenced, keys: tuple[BestKey, ...], scope: Sequence[IrType], room: int) -> Number:
        signed = self._keys(keys, scope, room)

        def ordered(row: Row, slots: Locals) -> int:
            ranked = []
            for x in each(row, slots):
                slots[n] = x
                ranked.append((tuple([-sign * key(row, slots) for sign, key in signed]), x))
            # Python's sort is stable, so equal ranks stay in their order.
            ranked.sort(key=lambda pair: pair[0])
            return as_int(tuple([x for _, x in ranked]))

        return ordered

    def _reach(self, r: Reach, scope: Sequence[IrType], room: int) -> Number:
        n, find = r.n, self._members
        step, start = self.number(r.step, scope, room), self.number(r.start, scope, room)
        steps, through = self.number(r.steps, scope, room), self.number(r.through, scope, room)

        def reach(row: Row, slots: Locals) -> int:
            origin, wanted, allowed = start(row, slots), steps(row, slots), through(row, slots)
            at = 1 << origin if origin >= 0 else 0
            home, ends = at, 0
            k = 0
            if (
                wanted & 1 == 0 and wanted & wanted + 2 == 0
            ):  # 1..n steps: whence a walk has gone on, none need go on again
                while at and wanted >> k > 1:
                    ahead = 0
                    for place in find(at):
                        slots[n] = place
                        ahead |= step(row, slots)
                    at = ahead & allowed & ~(ends | home)
                    ends |= at
                    k += 1
                return ends
            while at and wanted >> k:
                if wanted >> k & 1:
                    ends |= at
                ahead = 0
                for place in find(at):
                    slots[n] = place
                    ahead |= step(row, slots)
                at = ahead & allowed
                k += 1
            return ends & ~home

        return reach

    # -------------------------------------------------------------- statements

    def statement(self, stmt: Stmt, scope: Sequence[IrType], room: int) -> Step:
        """One statement."""
        match stmt:
            case Store():
                return self._store(stmt, scope, room)
            case Let(n, value):
                v = self.number(value, scope, room)

                def let(row: Row, slots: Locals) -> int:
                    slots[n] = v(row, slots)
                    return 0

                return let
            case Check(condition, why):
                holds = self.number(condition, scope, room)
                failed = why + 1
                return lambda row, slots: 0 if holds(row, slots) else failed
            case If(condition, then, other):
                return branch(
                    self.number(condition, scope, room), self.body(then, scope, room), self.body(other, scope, room)
                )
            case For(n, domain, body):
                return loop(n, self.elements(domain, scope, room), self.body(body, scope, room))
            case Emit(event, args):
                return self._emit(event, [self.number(arg, scope, room) for arg in args])

    def body(self, stmts: tuple[Stmt, ...], scope: Sequence[IrType], room: int) -> tuple[Step, ...]:
        """Several statements."""
        return tuple([self.statement(stmt, scope, room) for stmt in stmts])

    def _emit(self, event: int, args: list[Number]) -> Step:
        running = self._running

        def emit(row: Row, slots: Locals) -> int:
            if not running.looking:
                running.events.append((event, tuple([arg(row, slots) for arg in args])))
            return 0

        return emit

    def _store(self, store: Store, scope: Sequence[IrType], room: int) -> Step:
        var = self._program.vars[store.v]
        base, kind, address = var.base, var.type, var.address
        value = self.number(store.value, scope, room)
        if isinstance(store.index, Const) and isinstance(kind, IntT) and 0 <= store.index.value < var.count:
            return store_cell(var, base + store.index.value, value)
        index = self.index(store.index, scope, var.count, address, room)
        if isinstance(kind, IntT):
            if within(self.types.number(store.value, scope), kind.lo, kind.hi):

                def store_sure(row: Row, slots: Locals) -> int:
                    row[base + index(row, slots)] = value(row, slots)
                    return 0

                return store_sure
            lo, hi = kind.lo, kind.hi

            def store_tested(row: Row, slots: Locals) -> int:
                v = value(row, slots)
                if not lo <= v <= hi:
                    raise EngineBug(f"`{address}` would become {v}, outside {lo}..{hi}")
                row[base + index(row, slots)] = v
                return 0

            return store_tested
        if isinstance(kind, SetT) and kind.size < 32:

            def store_mask(row: Row, slots: Locals) -> int:
                row[base + index(row, slots)] = value(row, slots)
                return 0

            return store_mask
        width = 1 + kind.size if isinstance(kind, SeqT) else (kind.size + 31) // 32

        def store_wide(row: Row, slots: Locals) -> int:
            write_value(row, base + width * index(row, slots), kind, value(row, slots))
            return 0

        return store_wide
