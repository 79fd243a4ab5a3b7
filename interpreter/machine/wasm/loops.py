"""Going through sets and sequences.

In: a domain, or a query with a condition. Out: a loop, whose body is what is emitted in one round of a Python `for`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interpreter.ir.ir_types import SeqT
from interpreter.ir.ops import Expr, Query, SetConst
from interpreter.machine.wasm.bits import copy_words
from interpreter.machine.wasm.columns import Columns, flat
from interpreter.machine.wasm.context import Evaluator
from interpreter.machine.wasm.encode import Label
from interpreter.machine.wasm.values import CELL, Words


class Loops:
    """Emits loops into one function under construction."""

    def __init__(self, emit: Evaluator, columns: Columns) -> None:
        self.emit = emit
        self.context = emit.context
        self.code = emit.context.code
        self.columns = columns

    def each(self, domain: Expr, n: int) -> Iterator[Label]:
        """Go through a set in rising order or a sequence in its order, with each element in local n of the program: what is emitted
        between is the body; the label it gets leaves the loop. For use as `for label in self.each(...)`: one round."""
        code = self.code
        x = self.context.local(n)[0]
        if isinstance(self.context.kind(domain), SeqT):
            at = self.emit.sequence(domain)
            with code.block() as end:
                for _ in self.along(at, x):
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
            for _ in self.members(self.emit.set(domain), x):
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
        copy_words(code, own, words)
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

    def along(self, at: int, x: int) -> Iterator[None]:
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

    def each_around(self, domain: Expr, n: int, bodies: Sequence[Expr]) -> Iterator[Label]:
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
                            self.emit.test(part, on, False)
                        yield end
                return
            with code.block() as end:
                for _ in self.members(chosen[0], self.context.local(q.n)[0]):
                    with code.block() as on, code.scratch():
                        for part in left:
                            self.emit.test(part, on, False)
                        yield end
