"""Expressions as instructions.

In: an Expr of ops.py among locals. Out: code that leaves a number on the stack, or the words of a set, or the address of a
sequence. A condition becomes a branch where it can (`test`). The meaning is the docstrings of ops.py; an index that may lie outside is
tested, as the reference machine tests it. Evaluation order, and what is left out, are the reference machine's too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from interpreter.ir.expr_types import within
from interpreter.ir.ir_types import NO_NUMBER, NOTHING, IntT, IrType, SeqT, SetT, cells
from interpreter.ir.ops import (
    Alike,
    And,
    Best,
    Binary,
    Const,
    Expr,
    Fn,
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
    Unary,
)
from interpreter.machine.wasm.columns import Columns, flat
from interpreter.machine.wasm.encode import Code, Label
from interpreter.machine.wasm.memory import BUG, RULE
from interpreter.machine.wasm.values import (
    CELL,
    SMALL,
    Operand,
    Words,
    fixed,
    in_cells,
    load_set,
    set_shape,
    shape,
    shaped,
)
from interpreter.machine.wasm.world import World, local_words

COMPARE = {"eq": "i32.eq", "ne": "i32.ne", "lt": "i32.lt_s", "le": "i32.le_s", "gt": "i32.gt_s", "ge": "i32.ge_s"}
ARITHMETIC = {"add": "i32.add", "sub": "i32.sub", "mul": "i32.mul"}
HIGHEST_INT = 2**31 - 1
LOOK_HERE = "expressions that look ahead stand in procedures"


class Emitter:
    """Emits into one function. `where[n]` are the locals of the module for local n of the program, typed by `scope`."""

    def __init__(self, world: World, code: Code, scope: Sequence[IrType], where: list[list[int]]) -> None:
        self.world = world
        self.program = world.program
        self.code = code
        self.scope = scope
        self.where = where
        self.columns = Columns(self)
        self._room = 0
        self._homes: dict[int, int] = {}
        """Where each sequence of the program has room among this function's own."""
        self._base = -1
        """Local that holds where this function's own sequences begin."""

    # -------------------------------------------------------------- locals

    def words_of(self, n: int) -> Words:
        """A local of the program at hand."""
        return tuple(Operand(self.code.kind(w), w) for w in self._local(n))

    def _local(self, n: int) -> list[int]:
        if not self.where[n]:
            self.where[n] = local_words(self.code, self.scope[n])
            kind = self.scope[n]
            if isinstance(kind, SeqT):
                self._homes[n] = self.area(cells(kind))
        return self.where[n]

    def area(self, count: int) -> int:
        """Room for `count` cells among this function's sequences; its offset."""
        if self._base < 0:
            self._base = self.code.local()
        at = self._room
        self._room += (CELL * count + 7) // 8 * 8
        return at

    def fresh_area(self, count: int) -> int:
        """A temporary local with the address of room for `count` cells."""
        at, local = self.area(count), self.code.temp()
        self.code.get(self._base)
        self.code.const(at)
        self.code.op("i32.add")
        self.code.set(local)
        return local

    def at_home(self, n: int) -> None:
        """Let a sequence of the program lie among this function's own: where it is, so far, holds one that must not change."""
        code = self.code
        code.get(self._base)
        code.const(self._homes[n])
        code.op("i32.add")
        code.set(self._local(n)[0])

    def finish(self) -> None:
        """Put the making of room for sequences before everything, and its release behind. The code must end here."""
        if self._base < 0:
            return
        variables, whole = self.world.variables, bytes(self.code.body)
        self.code.body.clear()
        code = self.code
        code.get_global(variables.sequences)
        code.tee(self._base)
        code.const(self._room)
        code.op("i32.add")
        code.set_global(variables.sequences)
        code.get_global(variables.sequences)
        code.call(self.world.names["sequence_room"])
        for n in self._homes:
            self.at_home(n)
        code.body += whole
        code.get(self._base)
        code.set_global(variables.sequences)

    # -------------------------------------------------------------- kinds

    def kind(self, expr: Expr) -> IrType:
        """The type of an expression here."""
        return self.world.types.of(expr, self.scope)

    def interval(self, expr: Expr) -> IntT:
        """The interval of a number."""
        return self.world.types.number(expr, self.scope)

    def size(self, expr: Expr) -> int:
        """How many members a set or sequence may have."""
        return self.world.types.many(expr, self.scope).size

    def fail(self, why: int) -> None:
        """The end: the host finds out what is wrong."""
        self.code.const(why)
        self.code.call(self.world.names["fail"])
        self.code.op("unreachable")

    # -------------------------------------------------------------- numbers

    def number(self, expr: Expr) -> None:
        """Push a number."""
        code = self.code
        match expr:
            case Const(value):
                code.const(value)
            case Local(n):
                code.get(self._local(n)[0])
            case Load(v, index):
                var = self.program.vars[v]
                self.cell(var.base, 1, index, var.count, "i32.load")
            case Lookup(t, index):
                table = self.program.tables[t]
                self._indexed(index, len(table.values), CELL)
                code.memory("i32.load", self.world.memory.tables[t])
            case Unary():
                self._unary(expr)
            case Binary():
                self._binary(expr)
            case And() | Or():
                self._truth(expr)
            case Select(condition, then, other):
                self._select(condition, then, other)
            case Fn(f, args):
                self._fn(f, args, self.number)
            case Query():
                self._query_number(expr)
            case Probe(b):
                self.probe(b)
            case Alike():
                self.alike(expr)
            case _:
                raise TypeError(f"{type(expr).__name__} is no number")

    def probe(self, b: int) -> None:
        """See ops.Probe; only procedures can."""
        raise TypeError(LOOK_HERE)

    def alike(self, expr: Alike) -> None:
        """See ops.Alike; only procedures can."""
        raise TypeError(LOOK_HERE)

    def cell(self, base: int, width: int, index: Expr, count: int, name: str) -> None:
        """Load from a variable's element."""
        if isinstance(index, Const) and 0 <= index.value < count:
            self.code.const(0)
            self.code.memory(name, self.world.memory.cell(base + width * index.value))
            return
        self._indexed(index, count, CELL * width)
        self.code.memory(name, self.world.memory.cell(base))

    def address(self, base: int, width: int, index: Expr, count: int) -> int:
        """A temporary local with the address of a variable's element, counted from the row's beginning as memory has it."""
        local = self.code.temp()
        if isinstance(index, Const) and 0 <= index.value < count:
            self.code.const(self.world.memory.cell(base + width * index.value))
        else:
            self._indexed(index, count, CELL * width)
            self.code.const(self.world.memory.cell(base))
            self.code.op("i32.add")
        self.code.set(local)
        return local

    def _indexed(self, index: Expr, count: int, stride: int) -> None:
        """Push an index times a stride; one out of 0..count-1 is a fault."""
        code = self.code
        self.number(index)
        if not within(self.interval(index), 0, count - 1):
            with code.scratch():
                at = code.temp()
                code.tee(at)
                code.const(count)
                code.op("i32.ge_u")
                with code.when():
                    self.fail(RULE)
                code.get(at)
        if stride & (stride - 1):
            code.const(stride)
            code.op("i32.mul")
        elif stride > 1:
            code.const(stride.bit_length() - 1)
            code.op("i32.shl")

    def _unary(self, expr: Unary) -> None:
        code = self.code
        match expr.op:
            case "neg":
                code.const(0)
                self.number(expr.a)
                code.op("i32.sub")
            case "not":
                self.number(expr.a)
                code.op("i32.eqz")
            case "size":
                with code.scratch():
                    self.push_count(self.set(expr.a))
            case "length":
                self.push_sequence(expr.a)
                code.memory("i32.load")
            case "first" if isinstance(self.kind(expr.a), SeqT):
                with code.scratch():
                    at = self.sequence(expr.a)
                    code.get(at)
                    code.memory("i32.load", CELL)
                    code.const(NOTHING)
                    code.get(at)
                    code.memory("i32.load")
                    code.op("select")
            case "first":
                with code.scratch():
                    self._first(self.set(expr.a))
            case "sole":
                with code.scratch():
                    words = self.set(expr.a)
                    self._first(words)
                    code.const(NOTHING)
                    self.push_count(words)
                    code.const(1)
                    code.ops("i32.eq", "select")
            case _:
                raise TypeError(f"{expr.op} gives no number")

    def push_count(self, words: Words) -> None:
        """Push how many elements a set has."""
        code = self.code
        for k, word in enumerate(words):
            word.push(code)
            code.op(f"{word.kind}.popcnt")
            if word.kind == "i64":
                code.op("i32.wrap_i64")
            if k:
                code.op("i32.add")

    def _first(self, words: Words) -> None:
        """Push the least member, NOTHING of none."""
        code = self.code
        code.const(NOTHING)
        for k in range(len(words) - 1, -1, -1):
            # The value so far is for when this word and those before are empty.
            word, rest = words[k], code.temp()
            code.set(rest)
            word.push(code)
            code.op(f"{word.kind}.ctz")
            if word.kind == "i64":
                code.op("i32.wrap_i64")
            if k:
                code.const(64 * k)
                code.op("i32.add")
            code.get(rest)
            word.push(code)
            code.ops(f"{word.kind}.eqz", "i32.eqz", "select")

    def _binary(self, expr: Binary) -> None:
        code, op = self.code, expr.op
        match op:
            case "add" | "sub" | "mul":
                self.number(expr.a)
                self.number(expr.b)
                code.op(ARITHMETIC[op])
            case "eq" | "ne" | "lt" | "le" | "gt" | "ge":
                self.number(expr.a)
                self.number(expr.b)
                code.op(COMPARE[op])
            case "min" | "max":
                with code.scratch():
                    self.number(expr.a)
                    a = code.temp()
                    code.set(a)
                    self.number(expr.b)
                    b = code.temp()
                    code.set(b)
                    code.get(a)
                    code.get(b)
                    code.get(a)
                    code.get(b)
                    code.ops("i32.lt_s" if op == "min" else "i32.gt_s", "select")
            case "div" | "mod":
                a_kind, b_kind = self.interval(expr.a), self.interval(expr.b)
                self.number(expr.a)
                self.number(expr.b)
                if a_kind.lo >= 0 and b_kind.lo > 0:
                    code.op("i32.div_u" if op == "div" else "i32.rem_u")
                else:
                    code.call(self.world.names["floor_div" if op == "div" else "floor_mod"])
            case "has":
                self._has(expr)
            case "seteq" | "subset":
                self._compare_sets(expr)
            case "nth":
                with code.scratch():
                    self.push_sequence(expr.a)
                    self.number(expr.b)
                    code.call(self.world.names["seq_nth"])
            case "place":
                self.push_sequence(expr.a)
                self.number(expr.b)
                code.call(self.world.names["seq_place"])
            case "seqeq":
                self.push_sequence(expr.a)
                self.push_sequence(expr.b)
                code.call(self.world.names["seq_eq"])
            case _:
                raise TypeError(f"{op} gives no number")

    def _has(self, expr: Binary) -> None:
        code = self.code
        with code.scratch():
            words = self.set(expr.a)
            kind = self.interval(expr.b)
            top = SMALL if words[0].kind == "i32" else 64 * len(words)
            if isinstance(expr.b, Const):
                x = expr.b.value
                if not 0 <= x < top:
                    code.const(0)
                    return
                word = words[x // 64]
                word.push(code)
                code.const(x % 64, word.kind)
                code.op(f"{word.kind}.shr_u")
                if word.kind == "i64":
                    code.op("i32.wrap_i64")
                code.const(1)
                code.op("i32.and")
                return
            self.number(expr.b)
            x = code.temp()
            code.set(x)
            self._bit_of(words, x)
            if not within(kind, 0, top - 1):
                code.const(0)
                code.get(x)
                code.const(top)
                code.ops("i32.lt_u", "select")

    def _bit_of(self, words: Words, x: int) -> None:
        """Push whether the element in a local is in a set; right where it lies within the words."""
        code = self.code
        self._word_at(words, x)
        code.get(x)
        if words[0].kind == "i64":
            code.ops("i64.extend_i32_u", "i64.shr_u", "i32.wrap_i64")
        else:
            code.op("i32.shr_u")
        code.const(1)
        code.op("i32.and")

    def _word_at(self, words: Words, x: int) -> None:
        """Push the word in which the element in a local lies."""
        code = self.code
        words[0].push(code)
        for k in range(1, len(words)):
            so_far = code.temp("i64")
            code.set(so_far)
            words[k].push(code)
            code.get(so_far)
            code.get(x)
            code.const(64 * k)
            code.ops("i32.ge_s", "select")

    def _compare_sets(self, expr: Binary) -> None:
        code = self.code
        with code.scratch():
            size = max(self.size(expr.a), self.size(expr.b))
            a = shaped(code, self.set(expr.a), size)
            b = shaped(code, self.set(expr.b), size)
            kind = a[0].kind
            for k, (left, right) in enumerate(zip(a, b, strict=True)):
                left.push(code)
                right.push(code)
                if expr.op == "seteq":
                    code.op(f"{kind}.xor")
                else:
                    code.const(-1, kind)
                    code.ops(f"{kind}.xor", f"{kind}.and")
                if k:
                    code.op(f"{kind}.or")
            code.op(f"{kind}.eqz")

    def _truth(self, expr: And | Or) -> None:
        """Push 1 or 0, stopping as soon as it is known."""
        code = self.code
        parts = expr.parts
        if not parts:
            code.const(1 if isinstance(expr, And) else 0)
            return
        with code.scratch():
            result = code.temp()
            known = 0 if isinstance(expr, And) else 1
            with code.block() as end:
                code.const(known)
                code.set(result)
                for part in parts:
                    self.test(part, end, bool(known))
                code.const(1 - known)
                code.set(result)
            code.get(result)

    def _select(self, condition: Expr, then: Expr, other: Expr) -> None:
        code = self.code
        if is_free(then) and is_free(other):
            self.number(then)
            self.number(other)
            self.number(condition)
            code.op("select")
            return
        self.number(condition)
        with code.when("i32"):
            self.number(then)
            code.otherwise()
            self.number(other)

    def test(self, expr: Expr, label: Label, when: bool) -> None:
        """Go to a label if a condition is as `when` says, else go on."""
        code = self.code
        match expr:
            case Const(value):
                if bool(value) == when:
                    code.br(label)
            case Unary("not", a):
                self.test(a, label, not when)
            case And(parts) | Or(parts) if isinstance(expr, And) != when:
                for part in parts:
                    self.test(part, label, when)
                if not parts and not when and isinstance(expr, Or):
                    code.br(label)
            case And(parts) | Or(parts):
                with code.block() as on:
                    for part in parts[:-1]:
                        self.test(part, on, not when)
                    if parts:
                        self.test(parts[-1], label, when)
                    elif isinstance(expr, And) == when:
                        code.br(label)
            case Query(kind="any", where=where) if where is not None:
                if when:
                    self._any(expr, label)
                else:
                    with code.block() as found:
                        self._any(expr, found)
                        code.br(label)
            case Fn(f, args) if self.world.is_small(f):
                self._fn(f, args, lambda body: self.test(body, label, when))
            case _:
                self.number(expr)
                if not when:
                    code.op("i32.eqz")
                code.br_if(label)

    # -------------------------------------------------------------- functions

    @contextmanager
    def _inlined(self, f: int, args: Sequence[Expr]) -> Iterator[Expr]:
        """The body of a function among locals of its own, its arguments worked out before."""
        func = self.program.funcs[f]
        code = self.code
        where: list[list[int]] = []
        for arg, kind in zip(args, func.locals, strict=False):
            if isinstance(kind, SeqT):
                where.append([self.sequence(arg)])
                continue
            if isinstance(arg, Local) and shape(self.scope[arg.n]) == shape(kind):
                # A function changes no local, so the caller's own will do.
                where.append(self._local(arg.n))
                continue
            words = [code.temp(word) for word in shape(kind)]
            self.assign(words, kind, arg)
            where.append(words)
        for kind in func.locals[func.params :]:
            where.append([code.temp(word) for word in shape(kind)])
        outer = self.scope, self.where
        self.scope, self.where = func.locals, where
        yield func.body
        self.scope, self.where = outer

    def _fn(self, f: int, args: Sequence[Expr], put: Callable[[Expr], None]) -> None:
        """The result of a function with a number for its result; `put` takes its body where that stands in place."""
        code = self.code
        if self.world.is_small(f):
            with code.scratch(), self._inlined(f, args) as body:
                put(body)
            return
        self.push_args(args, self.program.funcs[f].locals)
        code.call(self.world.functions[f])

    def push_args(self, args: Sequence[Expr], kinds: Sequence[IrType]) -> None:
        """Push the words of arguments."""
        code = self.code
        for arg, kind in zip(args, kinds, strict=False):
            match kind:
                case IntT():
                    self.number(arg)
                case SetT(size):
                    for word in shaped(code, self.set(arg), size):
                        word.push(code)
                case SeqT():
                    self.push_sequence(arg)

    def assign(self, words: Sequence[int], kind: IrType, value: Expr) -> None:
        """Put a number or set into locals."""
        code = self.code
        if isinstance(kind, IntT):
            self.number(value)
            code.set(words[0])
            return
        assert isinstance(kind, SetT)
        with code.scratch():
            for word in shaped(code, self.set(value), kind.size):
                word.push(code)
            for local in reversed(words):
                code.set(local)

    def let(self, n: int, value: Expr) -> None:
        """Put a value into a local of the program."""
        kind = self.scope[n]
        words = self._local(n)
        if isinstance(kind, SeqT):
            if isinstance(value, SeqConst):
                # Nothing changes the cells of a local but another Let, which begins at home.
                self.code.const(self.world.memory.constant(in_cells(value.items, kind)))
                self.code.set(words[0])
                return
            with self.code.scratch():
                source = self.code.temp()
                self.code.get(self.sequence(value))
                self.code.set(source)
                self.at_home(n)
                self._copy_sequence(words[0], source, cells(kind))
            return
        self.assign(words, kind, value)

    # -------------------------------------------------------------- sets

    def set(self, expr: Expr) -> Words:
        """A set as words at hand, in the shape of its own type. They are the locals of variables of the program where that suffices,
        so they must be used before anything is assigned."""
        code = self.code
        match expr:
            case SetConst(mask, size):
                return fixed(mask, size)
            case Local(n):
                return self.words_of(n)
            case Load(v, index):
                var = self.program.vars[v]
                size = self.size(expr)
                with self._kept() as keep:
                    at = self.address(var.base, cells(var.type), index, var.count)
                    keep(load_set(code, at, 0, size))
                return keep.words
            case Lookup(t, index):
                table = self.program.tables[t]
                size = self.size(expr)
                with self._kept() as keep:
                    self._indexed(index, len(table.values), CELL * cells(table.type))
                    at = code.temp()
                    code.set(at)
                    keep(load_set(code, at, self.world.memory.tables[t], size))
                return keep.words
            case Unary("single", a, size):
                return self._single(a, size)
            case Unary("items", a):
                return self._items(a)
            case Binary("union" | "inter" | "minus"):
                return self._combine(expr)
            case Binary("range"):
                return self._range(expr)
            case Select(condition, then, other):
                size = self.size(expr)
                result = self._fresh(size)
                self.number(condition)
                with code.when():
                    self._into(result, then, size)
                    code.otherwise()
                    self._into(result, other, size)
                return self._operands(result)
            case Fn(f, args):
                return self._set_of_function(f, args)
            case Query("filter"):
                return self._filter(expr)
            case Best():
                return self._best(expr)
            case Reach():
                return self._reach(expr)
            case _:
                raise TypeError(f"{type(expr).__name__} is no set")

    @contextmanager
    def _kept(self) -> Iterator[_Keep]:
        keep = _Keep()
        yield keep

    def _fresh(self, size: int) -> list[int]:
        return [self.code.temp(kind) for kind in set_shape(size)]

    def _operands(self, locals_: Sequence[int]) -> Words:
        return tuple(Operand(self.code.kind(n), n) for n in locals_)

    def _into(self, locals_: Sequence[int], expr: Expr, size: int) -> None:
        self.copy_words(locals_, shaped(self.code, self.set(expr), size))

    def copy_words(self, locals_: Sequence[int], words: Words) -> None:
        """Put words into locals."""
        for word in words:
            word.push(self.code)
        for local in reversed(locals_):
            self.code.set(local)

    def _single(self, a: Expr, size: int) -> Words:
        code = self.code
        kind = self.interval(a)
        self.number(a)
        x = code.temp()
        code.set(x)
        return self.bit(x, size, within(kind, 0, size - 1))

    def bit(self, x: int, size: int, sure: bool) -> Words:
        """The set of just the element in a local; of nothing where that is outside, which `sure` rules out."""
        code = self.code
        result = self._fresh(size)
        first = code.kind(result[0])
        for k, local in enumerate(result):
            code.const(1, first)
            code.get(x)
            if first == "i64":
                code.op("i64.extend_i32_u")
            code.op(f"{first}.shl")
            if len(result) > 1:
                code.const(0, "i64")
                code.get(x)
                code.const(6)
                code.op("i32.shr_u")
                code.const(k)
                code.ops("i32.eq", "select")
            if not sure:
                code.const(0, first)
                code.get(x)
                code.const(size)
                code.ops("i32.lt_u", "select")
            code.set(local)
        return self._operands(result)

    def _items(self, a: Expr) -> Words:
        code = self.code
        size = self.size(a)
        result = self._fresh(size)
        for local in result:
            code.const(0, code.kind(local))
            code.set(local)
        at = self.sequence(a)
        x = code.temp()
        for _ in self._along(at, x):
            self._add(result, x)
        return self._operands(result)

    def _add(self, result: Sequence[int], x: int) -> None:
        """Put the element in a local into a set of locals; it lies within."""
        code = self.code
        kind = code.kind(result[0])
        for k, local in enumerate(result):
            code.get(local)
            code.const(1, kind)
            code.get(x)
            if kind == "i64":
                code.op("i64.extend_i32_u")
            code.op(f"{kind}.shl")
            if len(result) > 1:
                code.const(0, "i64")
                code.get(x)
                code.const(6)
                code.op("i32.shr_u")
                code.const(k)
                code.ops("i32.eq", "select")
            code.op(f"{kind}.or")
            code.set(local)

    def _combine(self, expr: Binary) -> Words:
        code = self.code
        size = max(self.size(expr.a), self.size(expr.b))
        a = shaped(code, self.set(expr.a), size)
        b = shaped(code, self.set(expr.b), size)
        result = self._fresh(size)
        for left, right, local in zip(a, b, result, strict=True):
            left.push(code)
            right.push(code)
            kind = left.kind
            match expr.op:
                case "union":
                    code.op(f"{kind}.or")
                case "inter":
                    code.op(f"{kind}.and")
                case _:
                    code.const(-1, kind)
                    code.ops(f"{kind}.xor", f"{kind}.and")
            code.set(local)
        return self._operands(result)

    def _range(self, expr: Binary) -> Words:
        """Members lo..hi: what lies below hi + 1 and not below lo, word by word."""
        code, size = self.code, expr.size
        lo, hi = code.temp(), code.temp()
        self.number(expr.a)
        code.set(lo)
        self.number(expr.b)
        code.set(hi)
        result = self._fresh(size)
        kind = code.kind(result[0])
        if size == 0:
            code.const(0, kind)
            code.set(result[0])
            return self._operands(result)
        # lo within 0..size, hi + 1 within 0..size
        self._clamp(lo, size)
        code.get(hi)
        code.const(size - 1)
        code.get(hi)
        code.const(size - 1)
        code.ops("i32.lt_s", "select")
        code.const(1)
        code.op("i32.add")
        code.set(hi)
        self._clamp(hi, size)
        for k, local in enumerate(result):
            self._below(hi, k, kind)
            self._below(lo, k, kind)
            code.const(-1, kind)
            code.ops(f"{kind}.xor", f"{kind}.and")
            code.set(local)
        return self._operands(result)

    def _clamp(self, x: int, top: int) -> None:
        code = self.code
        code.get(x)
        code.const(0)
        code.get(x)
        code.const(0)
        code.ops("i32.gt_s", "select")
        code.tee(x)
        code.const(top)
        code.get(x)
        code.const(top)
        code.ops("i32.lt_s", "select")
        code.set(x)

    def _below(self, x: int, k: int, kind: str) -> None:
        """Push word k of the set of what lies below the number (from 0) in a local."""
        code = self.code
        bits = 32 if kind == "i32" else 64
        word = "i32" if kind == "i32" else "i64"
        # (1 << (x - 64k)) - 1 where x - 64k is in 0..bits-1; all where it is more; none where it is less
        rest = code.temp()
        code.get(x)
        code.const(bits * k)
        code.op("i32.sub")
        code.set(rest)
        code.const(-1, "i64" if word == "i64" else "i32")
        code.const(1, "i64" if word == "i64" else "i32")
        code.get(rest)
        if word == "i64":
            code.op("i64.extend_i32_u")
        code.op(f"{word}.shl")
        code.const(1, "i64" if word == "i64" else "i32")
        code.op(f"{word}.sub")
        code.get(rest)
        code.const(bits)
        code.ops("i32.ge_s", "select")
        code.const(0, "i64" if word == "i64" else "i32")
        code.get(rest)
        code.const(0)
        code.ops("i32.ge_s", "select")

    def _set_of_function(self, f: int, args: Sequence[Expr]) -> Words:
        code = self.code
        func = self.program.funcs[f]
        assert isinstance(func.result, SetT)
        result = self._fresh(func.result.size)
        if self.world.is_small(f):
            with self._inlined(f, args) as body:
                self._into(result, body, func.result.size)
        else:
            self.push_args(args, func.locals)
            code.call(self.world.functions[f])
            for local in reversed(result):
                code.set(local)
        return self._operands(result)

    # -------------------------------------------------------------- loops

    def each(self, domain: Expr, n: int) -> Iterator[Label]:
        """Go through a set in rising order or a sequence in its order, with each element in local n of the program: what is emitted
        between is the body; the label it gets leaves the loop. For use as `for label in self.each(...)`: one round."""
        code = self.code
        x = self._local(n)[0]
        if isinstance(self.kind(domain), SeqT):
            at = self.sequence(domain)
            with code.block() as end:
                for _ in self._along(at, x):
                    yield end
            return
        if isinstance(domain, SetConst):
            low, count = (domain.mask & -domain.mask).bit_length() - 1, domain.mask.bit_count()
            if not count:
                return
            if domain.mask >> low == (1 << count) - 1:
                with code.block() as end:
                    code.const(low)
                    code.set(x)
                    with code.loop() as again:
                        with code.block() as _:
                            yield end
                        code.get(x)
                        code.const(1)
                        code.op("i32.add")
                        code.tee(x)
                        code.const(low + count)
                        code.op("i32.lt_s")
                        code.br_if(again)
                return
        with code.block() as end:
            for _ in self.members(self.set(domain), x):
                yield end

    def members(self, words: Words, x: int) -> Iterator[None]:
        """Go through words' members in rising order, each in local x of the module; one round of emitting the body."""
        code = self.code
        kind = words[0].kind
        current = code.temp(kind)
        if len(words) == 1:
            with code.block() as none:
                words[0].push(code)
                code.tee(current)
                code.op(f"{kind}.eqz")
                code.br_if(none)
                with code.loop() as again:
                    code.get(current)
                    code.op(f"{kind}.ctz")
                    if kind == "i64":
                        code.op("i32.wrap_i64")
                    code.set(x)
                    yield None
                    code.get(current)
                    code.get(current)
                    code.const(1, kind)
                    code.ops(f"{kind}.sub", f"{kind}.and")
                    code.tee(current)
                    code.ops(f"{kind}.eqz", "i32.eqz")
                    code.br_if(again)
            return
        # The words may be variables that the body changes.
        own = [code.temp("i64") for _ in words]
        self.copy_words(own, words)
        k = code.temp()
        code.const(0)
        code.set(k)
        code.get(own[0])
        code.set(current)
        with code.block() as end, code.loop() as again:
            code.get(current)
            code.op("i64.eqz")
            with code.when():
                code.get(k)
                code.const(1)
                code.op("i32.add")
                code.tee(k)
                code.const(len(words))
                code.op("i32.ge_s")
                code.br_if(end)
                code.get(own[1])
                for j in range(2, len(words)):
                    code.get(own[j])
                    code.get(k)
                    code.const(j)
                    code.op("i32.lt_s")
                    code.op("select")
                code.set(current)
                code.br(again)
            code.get(current)
            code.ops("i64.ctz", "i32.wrap_i64")
            code.get(k)
            code.const(6)
            code.ops("i32.shl", "i32.add")
            code.set(x)
            code.get(current)
            code.get(current)
            code.const(1, "i64")
            code.ops("i64.sub", "i64.and")
            code.set(current)
            yield None
            code.br(again)

    def _along(self, at: int, x: int) -> Iterator[None]:
        """Go along the sequence whose address is in a local."""
        code = self.code
        place, end = code.temp(), code.temp()
        code.get(at)
        code.set(place)
        code.get(at)
        code.get(at)
        code.memory("i32.load")
        code.const(2)
        code.ops("i32.shl", "i32.add")
        code.set(end)
        with code.block() as out, code.loop() as again:
            code.get(place)
            code.get(end)
            code.op("i32.ge_u")
            code.br_if(out)
            code.get(place)
            code.const(CELL)
            code.op("i32.add")
            code.tee(place)
            code.memory("i32.load")
            code.set(x)
            yield None
            code.br(again)

    # -------------------------------------------------------------- queries

    def _each_around(self, domain: Expr, n: int, bodies: Sequence[Expr]) -> Iterator[Label]:
        """`each`, with the masks ready that what is worked out in it needs."""
        with self.columns.around(bodies, n):
            yield from self.each(domain, n)

    def each_where(self, q: Query) -> Iterator[Label]:
        """Go through the elements of a query for which its condition holds; see `each`."""
        code = self.code
        chosen = self.columns.selected(q, flat(q.where)) if q.where is not None else None
        left = flat(q.where) if chosen is None else chosen[1]
        with self.columns.around((*left, q.value), q.n):
            if chosen is None:
                for end in self.each(q.domain, q.n):
                    with code.block() as on, code.scratch():
                        for part in left:
                            self.test(part, on, False)
                        yield end
                return
            with code.block() as end:
                for _ in self.members(chosen[0], self._local(q.n)[0]):
                    with code.block() as on, code.scratch():
                        for part in left:
                            self.test(part, on, False)
                        yield end

    def _settled(self, q: Query) -> Words | None:
        """All elements for which a query's condition holds, where no loop is needed."""
        if q.where is None or isinstance(self.kind(q.domain), SeqT):
            return None
        found = self.columns.selected(q, flat(q.where))
        return found[0] if found is not None and not found[1] else None

    def _any(self, q: Query, found: Label) -> None:
        """Go to a label if one element is found."""
        with self.code.scratch():
            if self._can_settle(q):
                words = self._settled(q)
                assert words is not None
                self.empty(words)
                self.code.op("i32.eqz")
                self.code.br_if(found)
                return
            for _ in self.each_where(q):
                self.code.br(found)

    def _can_settle(self, q: Query) -> bool:
        """Whether `_settled` gives something; nothing is emitted."""
        return q.where is not None and self.columns.settles(q, flat(q.where))

    def _query_number(self, q: Query) -> None:
        code = self.code
        with code.scratch():
            if q.kind in ("any", "count", "first") and q.where is not None and self._can_settle(q):
                words = self._settled(q)
                assert words is not None
                match q.kind:
                    case "any":
                        self.empty(words)
                        code.op("i32.eqz")
                    case "count":
                        self.push_count(words)
                    case _:
                        self._first(words)
                return
            match q.kind:
                case "any" | "count" | "first" if q.where is None:
                    self._query_all(q)
                case "any":
                    result = code.temp()
                    with code.block() as found:
                        code.const(1)
                        code.set(result)
                        self._any(q, found)
                        code.const(0)
                        code.set(result)
                    code.get(result)
                case "first":
                    x = self._local(q.n)[0]
                    result = code.temp()
                    code.const(NOTHING)
                    code.set(result)
                    for end in self.each_where(q):
                        code.get(x)
                        code.set(result)
                        code.br(end)
                    code.get(result)
                case "count":
                    total = self._zero()
                    for _ in self.each_where(q):
                        code.get(total)
                        code.const(1)
                        code.op("i32.add")
                        code.set(total)
                    code.get(total)
                case "sum":
                    assert q.value is not None
                    total = self._zero()
                    for _ in self.each_where(q):
                        code.get(total)
                        self.number(q.value)
                        code.op("i32.add")
                        code.set(total)
                    code.get(total)
                case "highest" | "lowest":
                    self._extreme(q)
                case _:
                    raise TypeError(f"{q.kind} gives no number")

    def _zero(self) -> int:
        total = self.code.temp()
        self.code.const(0)
        self.code.set(total)
        return total

    def _query_all(self, q: Query) -> None:
        code = self.code
        if isinstance(self.kind(q.domain), SeqT):
            match q.kind:
                case "first":
                    self.number(Unary("first", q.domain))
                case _:
                    self.push_sequence(q.domain)
                    code.memory("i32.load")
                    if q.kind == "any":
                        code.ops("i32.eqz", "i32.eqz")
            return
        words = self.set(q.domain)
        match q.kind:
            case "any":
                self.empty(words)
                code.op("i32.eqz")
            case "count":
                self.push_count(words)
            case _:
                self._first(words)

    def empty(self, words: Words) -> None:
        """Push whether a set is empty."""
        code = self.code
        for k, word in enumerate(words):
            word.push(code)
            if k:
                code.op(f"{word.kind}.or")
        code.op(f"{words[0].kind}.eqz")

    def _extreme(self, q: Query) -> None:
        code = self.code
        assert q.value is not None
        highest = q.kind == "highest"
        top, value = code.temp(), code.temp()
        some = code.temp()
        code.const(NO_NUMBER if highest else HIGHEST_INT)
        code.set(top)
        code.const(0)
        code.set(some)
        for _ in self.each_where(q):
            self.number(q.value)
            code.tee(value)
            code.get(top)
            code.get(value)
            code.get(top)
            code.ops("i32.gt_s" if highest else "i32.lt_s", "select")
            code.set(top)
            code.const(1)
            code.set(some)
        code.get(top)
        code.const(NO_NUMBER)
        code.get(some)
        code.op("select")

    def _filter(self, q: Query) -> Words:
        code = self.code
        result = self._fresh(q.size)
        if q.where is None:
            if isinstance(self.kind(q.domain), SeqT):
                return shaped(code, self._items(q.domain), q.size)
            return shaped(code, self.set(q.domain), q.size)
        if self._can_settle(q):
            words = self._settled(q)
            assert words is not None
            self.copy_words(result, shaped(code, words, q.size))
            return self._operands(result)
        for local in result:
            code.const(0, code.kind(local))
            code.set(local)
        x = self._local(q.n)[0]
        with code.scratch():
            for _ in self.each_where(q):
                self._add(result, x)
        return self._operands(result)

    def _best(self, expr: Best) -> Words:
        code = self.code
        result = self._fresh(expr.size)
        for local in result:
            code.const(0, code.kind(local))
            code.set(local)
        x = self._local(expr.n)[0]
        with code.scratch():
            tops = [code.temp() for _ in expr.keys]
            some = self._zero()
            for _ in self._each_around(expr.domain, expr.n, [key.value for key in expr.keys]):
                with code.scratch(), code.block() as on:
                    keys = []
                    for key in expr.keys:
                        self.number(key.value)
                        keys.append(code.temp())
                        code.set(keys[-1])
                    with code.block() as equal:
                        with code.block() as better:
                            code.get(some)
                            code.op("i32.eqz")
                            code.br_if(better)
                            for key, value, top in zip(expr.keys, keys, tops, strict=True):
                                code.get(value)
                                code.get(top)
                                code.op("i32.gt_s" if key.most else "i32.lt_s")
                                code.br_if(better)
                                code.get(value)
                                code.get(top)
                                code.op("i32.ne")
                                code.br_if(on)
                            code.br(equal)
                        for value, top in zip(keys, tops, strict=True):
                            code.get(value)
                            code.set(top)
                        code.const(1)
                        code.set(some)
                        for local in result:
                            code.const(0, code.kind(local))
                            code.set(local)
                    self._add(result, x)
        return self._operands(result)

    def _reach(self, r: Reach) -> Words:
        """Level by level, as the reference machine goes; where every number of steps up to a last one counts, a place is gone on from
        the first time only."""
        code = self.code
        size = max(r.size, self.size(r.step), self.size(r.through))
        origin = code.temp()
        self.number(r.start)
        code.set(origin)
        ends = self._fresh(size)
        here = self._fresh(size)
        ahead = self._fresh(size)
        home = self._fresh(size)
        steps = r.steps
        whole = isinstance(steps, SetConst) and (steps.mask | 1) & ((steps.mask | 1) + 1) == 0
        with code.scratch():
            allowed = self._fresh(size)
            wanted = self._fresh(self.size(steps))
            self.copy_words(wanted, self.set(steps))
            self._into(allowed, r.through, size)
            self.copy_words(home, self.bit(origin, size, False))
            self.copy_words(here, self._operands(home))
            for local in ends:
                code.const(0, code.kind(local))
                code.set(local)
            k, last = self._zero(), code.temp()
            self._last(self._operands(wanted))
            code.set(last)
            place = self._local(r.n)[0]
            kind = code.kind(ends[0])
            with self.columns.around([r.step], r.n), code.block() as end, code.loop() as again:
                self.empty(self._operands(here))
                code.br_if(end)
                code.get(k)
                code.get(last)
                code.op("i32.gt_s")
                code.br_if(end)
                self._bit_of(self._operands(wanted), k)
                with code.when():
                    for a, b in zip(ends, here, strict=True):
                        code.get(a)
                        code.get(b)
                        code.op(f"{kind}.or")
                        code.set(a)
                for local in ahead:
                    code.const(0, kind)
                    code.set(local)
                for _ in self.members(self._operands(here), place):
                    with code.scratch():
                        step = shaped(code, self.set(r.step), size)
                        for local, word in zip(ahead, step, strict=True):
                            code.get(local)
                            word.push(code)
                            code.op(f"{kind}.or")
                            code.set(local)
                for j, (a, b) in enumerate(zip(here, ahead, strict=True)):
                    code.get(b)
                    code.get(allowed[j])
                    code.op(f"{kind}.and")
                    if whole:
                        # What has been reached, or is the beginning, leads to nothing new.
                        code.get(ends[j])
                        code.get(home[j])
                        code.op(f"{kind}.or")
                        code.const(-1, kind)
                        code.ops(f"{kind}.xor", f"{kind}.and")
                    code.set(a)
                code.get(k)
                code.const(1)
                code.op("i32.add")
                code.set(k)
                code.br(again)
            for a, b in zip(ends, home, strict=True):
                code.get(a)
                code.get(b)
                code.const(-1, kind)
                code.ops(f"{kind}.xor", f"{kind}.and")
                code.set(a)
        return shaped(code, self._operands(ends), r.size)

    def _last(self, words: Words) -> None:
        """Push the greatest member, NOTHING of none."""
        code = self.code
        code.const(NOTHING)
        for k, word in enumerate(words):
            bits = 32 if word.kind == "i32" else 64
            rest = code.temp()
            code.set(rest)
            code.const(bits * k + bits - 1)
            word.push(code)
            code.op(f"{word.kind}.clz")
            if word.kind == "i64":
                code.op("i32.wrap_i64")
            code.op("i32.sub")
            code.get(rest)
            word.push(code)
            code.ops(f"{word.kind}.eqz", "i32.eqz", "select")

    # -------------------------------------------------------------- sequences

    def push_sequence(self, expr: Expr) -> None:
        """Push the address of a sequence."""
        self.code.get(self.sequence(expr))

    def sequence(self, expr: Expr) -> int:
        """A local with the address of a sequence. Where it is a variable, the address is the variable's own."""
        code = self.code
        match expr:
            case SeqConst(items):
                kind = self.kind(expr)
                at = code.temp()
                code.const(self.world.memory.constant(in_cells(items, kind)))
                code.set(at)
                return at
            case Local(n):
                return self._local(n)[0]
            case Load(v, index):
                var = self.program.vars[v]
                return self.address(var.base, cells(var.type), index, var.count)
            case Select(condition, then, other):
                at = code.temp()
                self.number(condition)
                with code.when():
                    code.get(self.sequence(then))
                    code.set(at)
                    code.otherwise()
                    code.get(self.sequence(other))
                    code.set(at)
                return at
            case Fn(f, args):
                return self._sequence_of_function(f, args)
            case Unary("reverse", a):
                return self._changed(expr, a, "seq_reverse", None)
            case Binary("append" | "prepend" | "drop" as op, a, b):
                return self._changed(expr, a, f"seq_{op}", b)
            case Binary("keep", a, b):
                return self._keep_members(expr, a, b)
            case Sort():
                return self._sort(expr)
            case _:
                raise TypeError(f"{type(expr).__name__} is no sequence")

    def _sequence_of_function(self, f: int, args: Sequence[Expr]) -> int:
        code = self.code
        func = self.program.funcs[f]
        result = self.fresh_area(cells(func.result))
        if self.world.is_small(f):
            with self._inlined(f, args) as body:
                self._copy_sequence(result, self.sequence(body), cells(func.result))
        else:
            self.push_args(args, func.locals)
            code.get(result)
            code.call(self.world.functions[f])
        return result

    def _changed(self, expr: Expr, a: Expr, name: str, b: Expr | None) -> int:
        code = self.code
        source = self.sequence(a)
        if b is not None:
            self.number(b)
            x = code.temp()
            code.set(x)
        result = self.fresh_area(cells(self.kind(expr)))
        code.get(result)
        code.get(source)
        code.const(cells(self.kind(expr)))
        if b is not None:
            code.get(x)
        code.call(self.world.names[name])
        return result

    def _keep_members(self, expr: Expr, a: Expr, b: Expr) -> int:
        code = self.code
        count = cells(self.kind(expr))
        source = self.sequence(a)
        words = self.set(b)
        result = self.fresh_area(count)
        self._clear(result, count)
        top = SMALL if words[0].kind == "i32" else 64 * len(words)
        x = code.temp()
        for _ in self._along(source, x):
            with code.block() as on:
                if self.size(a) > top:
                    code.get(x)
                    code.const(top)
                    code.op("i32.ge_u")
                    code.br_if(on)
                self._bit_of(words, x)
                code.op("i32.eqz")
                code.br_if(on)
                self._push_back(result, x)
        return result

    def _push_back(self, at: int, x: int) -> None:
        """Lengthen the sequence at an address by the element in a local."""
        code = self.code
        length = code.temp()
        code.get(at)
        code.get(at)
        code.memory("i32.load")
        code.const(1)
        code.op("i32.add")
        code.tee(length)
        code.memory("i32.store")
        code.get(length)
        code.const(2)
        code.op("i32.shl")
        code.get(at)
        code.op("i32.add")
        code.get(x)
        code.memory("i32.store")

    def _clear(self, at: int, count: int) -> None:
        code = self.code
        code.get(at)
        code.const(0)
        code.const(CELL * count)
        code.op("memory.fill")

    def _copy_sequence(self, to: int, source: int, count: int) -> None:
        """Copy a sequence into cells for one of its own type or a larger one; unused cells become 0."""
        code = self.code
        code.get(to)
        code.get(source)
        code.const(count)
        code.call(self.world.names["seq_copy"])

    def _copy_cells(self, to: int, source: int, count: int) -> None:
        code = self.code
        if count > 8:
            code.get(to)
            code.get(source)
            code.const(CELL * count)
            code.op("memory.copy")
            return
        for k in range(count):
            code.get(to)
            code.get(source)
            code.memory("i32.load", CELL * k)
            code.memory("i32.store", CELL * k)

    def _sort(self, expr: Sort) -> int:
        """Insertion: an element goes before those that are worse, behind those as good."""
        code = self.code
        count = cells(SeqT(expr.size))
        keys = len(expr.keys)
        result = self.fresh_area(count)
        ranks = self.fresh_area(max(1, keys * expr.size))
        self._clear(result, count)
        x = self._local(expr.n)[0]
        with code.scratch():
            values = [code.temp() for _ in expr.keys]
            place, slot, rank = code.temp(), code.temp(), code.temp()
            for _ in self._each_around(expr.domain, expr.n, [key.value for key in expr.keys]):
                with code.scratch():
                    for key, value in zip(expr.keys, values, strict=True):
                        self.number(key.value)
                        code.set(value)
                    code.get(result)
                    code.memory("i32.load")
                    code.set(place)
                    code.get(result)
                    code.get(place)
                    code.const(1)
                    code.op("i32.add")
                    code.memory("i32.store")
                    with code.block() as found, code.loop() as again:
                        code.get(place)
                        code.op("i32.eqz")
                        code.br_if(found)
                        # rank: address of the keys of the element before
                        code.get(ranks)
                        code.get(place)
                        code.const(1)
                        code.op("i32.sub")
                        code.const(CELL * keys)
                        code.ops("i32.mul", "i32.add")
                        code.set(rank)
                        with code.block() as better:
                            for k, (key, value) in enumerate(zip(expr.keys, values, strict=True)):
                                code.get(value)
                                code.get(rank)
                                code.memory("i32.load", CELL * k)
                                code.op("i32.gt_s" if key.most else "i32.lt_s")
                                code.br_if(better)
                                code.get(value)
                                code.get(rank)
                                code.memory("i32.load", CELL * k)
                                code.op("i32.ne")
                                code.br_if(found)
                            code.br(found)
                        for k in range(keys):
                            code.get(rank)
                            code.get(rank)
                            code.memory("i32.load", CELL * k)
                            code.memory("i32.store", CELL * (k + keys))
                        code.get(result)
                        code.get(place)
                        code.const(2)
                        code.ops("i32.shl", "i32.add")
                        code.tee(slot)
                        code.get(slot)
                        code.memory("i32.load")
                        code.memory("i32.store", CELL)
                        code.get(place)
                        code.const(1)
                        code.op("i32.sub")
                        code.set(place)
                        code.br(again)
                    code.get(result)
                    code.get(place)
                    code.const(2)
                    code.ops("i32.shl", "i32.add")
                    code.get(x)
                    code.memory("i32.store", CELL)
                    code.get(ranks)
                    code.get(place)
                    code.const(CELL * keys)
                    code.ops("i32.mul", "i32.add")
                    code.set(rank)
                    for k, value in enumerate(values):
                        code.get(rank)
                        code.get(value)
                        code.memory("i32.store", CELL * k)
        return result


class _Keep:
    """Words made inside a `with`, for use behind it."""

    words: Words = ()

    def __call__(self, words: Words) -> None:
        self.words = words


def is_free(expr: Expr) -> bool:
    """Whether working an expression out costs next to nothing and cannot fail."""
    match expr:
        case Const() | Local():
            return True
        case Binary("add" | "sub", a, b):
            return is_free(a) and is_free(b)
        case _:
            return False


__all__ = ["BUG", "RULE", "Emitter"]
