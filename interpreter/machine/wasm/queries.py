"""Queries over a domain: any, count, first, sum, the highest and the lowest, filter; Best, Reach.

In: a query. Out: a number on the stack, or the words of a set. No loop is emitted where masks (columns.py) settle the condition.
"""

from __future__ import annotations

from typing import Final

from interpreter.ir.ir_types import NO_NUMBER, NOTHING, SeqT
from interpreter.ir.ops import Best, Expr, Query, QueryKind, Reach, SetConst, Unary
from interpreter.machine.wasm.bits import (
    add,
    clear,
    copy_words,
    fresh,
    operands,
    push_count,
    push_empty,
    push_first,
    push_has,
    push_last,
    single,
)
from interpreter.machine.wasm.checked import push_checked
from interpreter.machine.wasm.columns import Columns, flat
from interpreter.machine.wasm.context import Evaluator
from interpreter.machine.wasm.encode import Label
from interpreter.machine.wasm.loops import Loops
from interpreter.machine.wasm.values import Words, shaped

HIGHEST_INT: Final = 2**31 - 1


class Queries:
    """Answers queries in one function under construction."""

    def __init__(self, emit: Evaluator, loops: Loops, columns: Columns) -> None:
        self.emit = emit
        self.context = emit.context
        self.code = emit.context.code
        self.loops = loops
        self.columns = columns

    def number(self, q: Query) -> None:
        """Push what a query that is a number comes to."""
        code = self.code
        with code.scratch():
            if q.kind in ("any", "count", "first") and q.where is not None and self._can_settle(q):
                words = self._settled(q)
                assert words is not None
                self._push_of(q.kind, words)
                return
            match q.kind:
                case "any" | "count" | "first" if q.where is None:
                    self._all(q)
                case "any":
                    result = code.temp()
                    with code.block() as found:
                        code.const(1)
                        code.set(result)
                        self.find(q, found)
                        code.const(0)
                        code.set(result)
                    code.get(result)
                case "first":
                    x = self.context.local(q.n)[0]
                    result = code.temp()
                    code.const(NOTHING)
                    code.set(result)
                    for end in self.loops.each_where(q):
                        code.get(x)
                        code.set(result)
                        code.br(end)
                    code.get(result)
                case "count":
                    total = self._zero()
                    for _ in self.loops.each_where(q):
                        code.get(total)
                        code.const(1)
                        code.op("i32.add")
                        code.set(total)
                    code.get(total)
                case "sum":
                    assert q.value is not None
                    total = self._zero()
                    for _ in self.loops.each_where(q):
                        code.get(total)
                        self.emit.number(q.value)
                        code.op("i32.add")
                        code.set(total)
                    code.get(total)
                case "checked_sum":
                    assert q.value is not None
                    total = code.temp("i64")
                    code.const(0, "i64")
                    code.set(total)
                    for _ in self.loops.each_where(q):
                        code.get(total)
                        self.emit.number(q.value)
                        code.ops("i64.extend_i32_s", "i64.add")
                        code.set(total)
                    code.get(total)
                    push_checked(self.context)
                case "highest" | "lowest":
                    self._extreme(q)
                case _:
                    raise TypeError(f"{q.kind} gives no number")

    def find(self, q: Query, found: Label) -> None:
        """Go to a label if one element is found."""
        with self.code.scratch():
            if self._can_settle(q):
                words = self._settled(q)
                assert words is not None
                push_empty(self.code, words)
                self.code.op("i32.eqz")
                self.code.br_if(found)
                return
            for _ in self.loops.each_where(q):
                self.code.br(found)

    def _settled(self, q: Query) -> Words | None:
        """All elements for which a query's condition holds, where no loop is needed."""
        if q.where is None or isinstance(self.context.kind(q.domain), SeqT):
            return None
        found = self.columns.selected(q, flat(q.where))
        return found[0] if found is not None and not found[1] else None

    def _can_settle(self, q: Query) -> bool:
        """Whether `_settled` gives something; nothing is emitted."""
        return q.where is not None and self.columns.settles(q, flat(q.where))

    def _zero(self) -> int:
        """A temporary local with 0."""
        total = self.code.temp()
        self.code.const(0)
        self.code.set(total)
        return total

    def _all(self, q: Query) -> None:
        """A query without a condition."""
        code = self.code
        if isinstance(self.context.kind(q.domain), SeqT):
            match q.kind:
                case "first":
                    self.emit.number(Unary("first", q.domain))
                case _:
                    self.emit.push_sequence(q.domain)
                    code.memory("i32.load")
                    if q.kind == "any":
                        code.ops("i32.eqz", "i32.eqz")
            return
        self._push_of(q.kind, self.emit.set(q.domain))

    def _push_of(self, kind: QueryKind, words: Words) -> None:
        """Push whether there are elements, how many, or the first of them."""
        code = self.code
        match kind:
            case "any":
                push_empty(code, words)
                code.op("i32.eqz")
            case "count":
                push_count(code, words)
            case _:
                push_first(code, words)

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
        for _ in self.loops.each_where(q):
            self.emit.number(q.value)
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

    def items(self, a: Expr) -> Words:
        """What stands in a sequence."""
        code = self.code
        size = self.context.size(a)
        result = fresh(code, size)
        clear(code, result)
        at = self.emit.sequence(a)
        x = code.temp()
        for _ in self.loops.along(at, x):
            add(code, result, x)
        return operands(code, result)

    def filter(self, q: Query) -> Words:
        """The elements for which the condition holds."""
        code = self.code
        result = fresh(code, q.size)
        if q.where is None:
            if isinstance(self.context.kind(q.domain), SeqT):
                return shaped(code, self.items(q.domain), q.size)
            return shaped(code, self.emit.set(q.domain), q.size)
        if self._can_settle(q):
            words = self._settled(q)
            assert words is not None
            copy_words(code, result, shaped(code, words, q.size))
            return operands(code, result)
        clear(code, result)
        x = self.context.local(q.n)[0]
        with code.scratch():
            for _ in self.loops.each_where(q):
                add(code, result, x)
        return operands(code, result)

    def best(self, expr: Best) -> Words:
        """The elements whose keys no other's are better than."""
        code = self.code
        result = fresh(code, expr.size)
        clear(code, result)
        x = self.context.local(expr.n)[0]
        with code.scratch():
            tops = [code.temp() for _ in expr.keys]
            some = self._zero()
            for _ in self.loops.each_around(expr.domain, expr.n, [key.value for key in expr.keys]):
                with code.scratch(), code.block() as on:
                    keys = []
                    for key in expr.keys:
                        self.emit.number(key.value)
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
                        clear(code, result)
                    add(code, result, x)
        return operands(code, result)

    def reach(self, r: Reach) -> Words:
        """Level by level, as the reference machine goes; where every number of steps up to a last one counts, a place is gone on from
        the first time only."""
        code = self.code
        size = max(r.size, self.context.size(r.step), self.context.size(r.through))
        origin = code.temp()
        self.emit.number(r.start)
        code.set(origin)
        ends = fresh(code, size)
        here = fresh(code, size)
        ahead = fresh(code, size)
        home = fresh(code, size)
        steps = r.steps
        whole = isinstance(steps, SetConst) and (steps.mask | 1) & ((steps.mask | 1) + 1) == 0
        with code.scratch():
            allowed = fresh(code, size)
            wanted = fresh(code, self.context.size(steps))
            copy_words(code, wanted, self.emit.set(steps))
            self.emit.put_set(allowed, r.through, size)
            copy_words(code, home, single(code, origin, size, False))
            copy_words(code, here, operands(code, home))
            clear(code, ends)
            k, last = self._zero(), code.temp()
            push_last(code, operands(code, wanted))
            code.set(last)
            place = self.context.local(r.n)[0]
            kind = code.kind(ends[0])
            with self.columns.around([r.step], r.n), code.block() as end, code.loop() as again:
                push_empty(code, operands(code, here))
                code.br_if(end)
                code.get(k)
                code.get(last)
                code.op("i32.gt_s")
                code.br_if(end)
                push_has(code, operands(code, wanted), k)
                with code.when():
                    for a, b in zip(ends, here, strict=True):
                        code.get(a)
                        code.get(b)
                        code.op(f"{kind}.or")
                        code.set(a)
                clear(code, ahead)
                for _ in self.loops.members(operands(code, here), place):
                    with code.scratch():
                        step = shaped(code, self.emit.set(r.step), size)
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
        return shaped(code, operands(code, ends), r.size)
