"""What a Choose or Chance offers, as functions over the row at rest.

In: a block that asks or draws. Out: functions that take the address of the frame where it waits: `options` (or `outcomes`) writes the
list and gives its length, `ways` finds the next way that a look-ahead may go, `player` says who is asked.
"""

from __future__ import annotations

from interpreter.ir.ir_types import SeqT
from interpreter.ir.ops import Chance, Choose, Extra, Probe
from interpreter.ir.program import Block
from interpreter.machine.wasm.encode import Code, FuncType, Label
from interpreter.machine.wasm.entries import Facts
from interpreter.machine.wasm.expressions import Emitter
from interpreter.machine.wasm.statements import Statements
from interpreter.machine.wasm.values import CELL
from interpreter.machine.wasm.world import World

LISTING = FuncType(("i32",), ("i32",))
WAYS = FuncType(("i32", "i32"), ("i32",))


class Question:
    """Makes the functions of one block."""

    def __init__(self, world: World, facts: Facts, block: Block) -> None:
        self.world = world
        self.facts = facts
        self.block = block

    def _begin(self, kind: FuncType, name: str) -> tuple[Code, Statements]:
        """The function, with the locals that the block keeps."""
        code = Code(kind, f"{name} {self.block.id}")
        locals_ = self.world.program.procs[self.block.p].locals
        where: list[list[int]] = [[] for _ in locals_]
        statements = Statements(self.world, code, self.block.p, where, 0, self.facts.live, self.facts.entries.buffered)
        statements.frames.load(self.block)
        return code, statements

    def player(self) -> Code:
        """Who is asked."""
        code, statements = self._begin(LISTING, "player")
        emit = statements.emit
        term = self.block.term
        if isinstance(term, Choose):
            emit.number(term.player)
        else:
            code.const(-1)
        emit.context.finish()
        return code

    def listing(self) -> Code:
        """Options, or outcomes with their weights, into the list; how many."""
        code, statements = self._begin(LISTING, "options")
        emit = statements.emit
        term = self.block.term
        count = code.local()
        if isinstance(term, Choose):
            self._options(code, statements, term, count)
        elif isinstance(term, Chance):
            self._outcomes(code, emit, term, count)
        code.get(count)
        emit.context.finish()
        return code

    def _options(self, code: Code, statements: Statements, term: Choose, count: int) -> None:
        emit = statements.emit
        x = emit.context.local(term.n)[0]
        with code.scratch():
            for _ in emit.loops.each_where(emit.offered(term)):
                self._append(code, count, self.world.memory.options, x)
        for e, extra in enumerate(term.extras):
            with code.block() as on, code.scratch():
                emit.unless_all((extra.condition, extra.look), on)
                if extra.changes:
                    statements.search(extra.b, True)
                    code.op("i32.eqz")
                    code.br_if(on)
                value = code.temp()
                code.const(-1 - e)
                code.set(value)
                self._append(code, count, self.world.memory.options, value)

    def _outcomes(self, code: Code, emit: Emitter, term: Chance, count: int) -> None:
        x = emit.context.local(term.n)[0]
        with code.scratch():
            weight = code.temp()
            for _ in emit.loops.each(term.domain, term.n):
                with code.block() as on, code.scratch():
                    emit.unless_all((term.where,), on)
                    if term.weight is None:
                        code.const(1)
                        code.set(weight)
                    else:
                        emit.number(term.weight)
                        code.tee(weight)
                        code.const(0)
                        code.op("i32.le_s")
                        code.br_if(on)
                    self._append(code, count, self.world.memory.outcomes, x, weight)

    def _append(self, code: Code, count: int, start: int, *values: int) -> None:
        with code.scratch():
            at = code.temp()
            code.get(count)
            code.const(CELL * len(values))
            code.op("i32.mul")
            code.set(at)
            for k, value in enumerate(values):
                code.get(at)
                code.get(value)
                code.memory("i32.store", start + CELL * k)
            code.get(count)
            code.const(1)
            code.op("i32.add")
            code.set(count)

    def ways(self) -> Code:
        """The first way from a number on that a look-ahead may go: its number, with the option in the module's variable; or -1.
        First come extras that need change nothing, then the elements, then the other extras."""
        code, statements = self._begin(WAYS, "ways")
        emit = statements.emit
        term = self.block.term
        assert isinstance(term, Choose)
        start, result = 1, code.local()
        scope = self.world.program.procs[self.block.p].locals
        many = self.world.types.many(term.domain, scope)
        first = [(e, x) for e, x in enumerate(term.extras) if not x.changes]
        last = [(e, x) for e, x in enumerate(term.extras) if x.changes]
        with code.block() as out:
            for way, (e, extra) in enumerate(first):
                self._extra(code, emit, out, way, e, extra, result)
            x = emit.context.local(term.n)[0]
            place = code.local()
            code.const(len(first) - 1)
            code.set(place)
            for _ in emit.loops.each(term.domain, term.n):
                with code.block() as on, code.scratch():
                    if isinstance(many, SeqT):
                        code.get(place)
                        code.const(1)
                    else:
                        code.get(x)
                        code.const(len(first))
                    code.op("i32.add")
                    code.tee(place)
                    code.get(start)
                    code.op("i32.lt_s")
                    code.br_if(on)
                    look = None if term.look == Probe(term.b) else term.look
                    emit.unless_all((term.where, look), on)
                    code.get(x)
                    code.set_global(self.world.variables.choice)
                    code.get(place)
                    code.set(result)
                    code.br(out)
            for way, (e, extra) in enumerate(last):
                self._extra(code, emit, out, len(first) + many.size + way, e, extra, result)
            code.const(-1)
            code.set(result)
        code.get(result)
        emit.context.finish()
        return code

    def _extra(self, code: Code, emit: Emitter, out: Label, way: int, e: int, extra: Extra, result: int) -> None:
        with code.block() as on, code.scratch():
            code.get(1)
            code.const(way)
            code.op("i32.gt_s")
            code.br_if(on)
            look = None if extra.look == Probe(extra.b) else extra.look
            emit.unless_all((extra.condition, look), on)
            code.const(-1 - e)
            code.set_global(self.world.variables.choice)
            code.const(way)
            code.set(result)
            code.br(out)
