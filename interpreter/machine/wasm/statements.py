"""Statements as instructions.

In: statements of ops.py in a function for a procedure. A Check that does not hold leaves the function with FAILED. Expressions that
look ahead are worked out here too: where a search begins, the locals go into the buffer (frames.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from interpreter.ir.expr_types import within
from interpreter.ir.ir_types import IntT, SeqT, SetT, cells
from interpreter.ir.ops import Alike, Check, Const, Emit, Expr, For, If, Let, Load, Local, Select, SeqConst, Stmt, Store
from interpreter.ir.row import LINK
from interpreter.machine.wasm.bits import copy_words
from interpreter.machine.wasm.encode import Code, Label
from interpreter.machine.wasm.expressions import Emitter
from interpreter.machine.wasm.frames import Frames
from interpreter.machine.wasm.memory import BUG, SLOT
from interpreter.machine.wasm.values import CELL, in_cells, shaped, store_set
from interpreter.machine.wasm.world import World

RETURNED, WAITS, DRAWS, FORKED, YIELD, HALTED, COMMITTED, FAILED = range(8)
"""How a procedure's function ends. From WAITS to YIELD its callers put their locals into the row on the way out. YIELD: everything
must be in the row before the procedure goes on, at the entry that the module's variables name."""
LAST_KEPT = YIELD


class Statements:
    """Emits statements of one procedure. `frame` is the local with the address of its frame."""

    def __init__(
        self,
        world: World,
        code: Code,
        p: int,
        where: list[list[int]],
        frame: int,
        live: Mapping[int, frozenset[int]],
        entries: Mapping[int, int],
    ) -> None:
        self.world = world
        self.code = code
        self.p = p
        self.emit = Emitter(world, code, world.program.procs[p].locals, where, self)
        self.context = self.emit.context
        self.frames = Frames(self.emit, p, frame, live)
        self._entries = entries
        """Block to the number of the procedure's entry that takes its locals from the buffer."""

    # -------------------------------------------------------------- looking ahead

    def probe(self, b: int) -> None:
        """Push 1 if the compound action can be completed from block b on."""
        self.search(b, False)

    def search(self, b: int, changes: bool) -> None:
        """Push whether a look-ahead from block b finds an end."""
        code = self.code
        self.frames.to_buffer(b)
        code.const(self.p)
        code.get(self.frames.address)
        code.const(self._entries[b])
        code.const(1 if changes else 0)
        code.call(self.world.names["search"])

    def alike(self, expr: Alike) -> None:
        """See ops.Alike."""
        code = self.code
        callee = self.world.program.procs[expr.p]
        given = callee.locals[: callee.params - 1]
        with code.scratch():
            members = self.emit.set(expr.items)
            words = shaped(code, members, max(64, self.context.size(expr.items)))
            if words[0].kind == "i32":
                words = shaped(code, members, 64)
            own = [code.temp("i64") for _ in words]
            copy_words(code, own, words)
            end = self.frames.args_to(self.world.memory.buffer, expr.args, given)
            for k, word in enumerate(own):
                code.const(self.world.memory.buffer + end)
                code.get(word)
                code.memory("i64.store", SLOT * k)
            code.const(expr.p)
            code.get(self.frames.address)
            code.const(CELL * (LINK + self.frames.proc.frame))
            code.const(end)
            code.const(len(own))
            code.call(self.world.names["alike"])

    # -------------------------------------------------------------- statements

    def body(self, stmts: Sequence[Stmt], out: Label, status: int) -> None:
        """Statements in turn; a Check that fails puts FAILED into a local and goes to a label."""
        for stmt in stmts:
            with self.code.scratch():
                self.statement(stmt, out, status)

    def statement(self, stmt: Stmt, out: Label, status: int) -> None:
        """One statement."""
        code = self.code
        match stmt:
            case Store():
                self._store(stmt)
            case Let(n, value):
                self._let(n, value)
            case Check(condition):
                with code.block() as holds:
                    self.emit.test(condition, holds, True)
                    code.const(FAILED)
                    code.set(status)
                    code.br(out)
            case If(condition, then, other):
                with code.block() as end:
                    with code.block() as unless:
                        self.emit.test(condition, unless, False)
                        self.body(then, out, status)
                        if other:
                            code.br(end)
                    self.body(other, out, status)
            case For(n, domain, body):
                self._for(n, domain, body, out, status)
            case Emit(event, args):
                self._emit(event, args)

    def _let(self, n: int, value: Expr) -> None:
        """Put a value into a local of the program."""
        kind = self.context.scope[n]
        words = self.context.local(n)
        if isinstance(kind, SeqT):
            if isinstance(value, SeqConst):
                # Nothing changes the cells of a local but another Let, which begins at home.
                self.code.const(self.world.memory.constant(in_cells(value.items, kind)))
                self.code.set(words[0])
                return
            with self.code.scratch():
                source = self.code.temp()
                self.code.get(self.emit.sequence(value))
                self.code.set(source)
                self.context.at_home(n)
                self.emit.sequences.copy(words[0], source, cells(kind))
            return
        self.emit.functions.assign(words, kind, value)

    def _for(self, n: int, domain: Expr, body: Sequence[Stmt], out: Label, status: int) -> None:
        if isinstance(domain, Local | Load | Select) and isinstance(kind := self.context.kind(domain), SeqT):
            # It may be a variable's own, and is fixed at entry, whatever the body does to the variable.
            copy = self.context.fresh_area(cells(kind))
            self.emit.sequences.copy(copy, self.emit.sequence(domain), cells(kind))
            x = self.context.local(n)[0]
            with self.code.scratch():
                for _ in self.emit.loops.along(copy, x):
                    self.body(body, out, status)
            return
        for _ in self.emit.loops.each(domain, n):
            self.body(body, out, status)

    def _store(self, store: Store) -> None:
        self._put_value(store)
        memory = self.world.memory
        for memo in self.world.remembered.values():
            if store.v in memo.reads:
                self.code.const(memory.row + memory.row_bytes + memo.at)
                self.code.call(self.world.names["forget"])

    def _put_value(self, store: Store) -> None:
        var = self.world.program.vars[store.v]
        code, kind = self.code, var.type
        match kind:
            case SetT():
                self._store_set(var.base, store.index, var.count, kind, store.value)
            case SeqT():
                self._store_sequence(var.base, store.index, var.count, kind, store.value)
            case IntT(lo, hi):
                sure = within(self.context.interval(store.value), lo, hi)
                if sure and isinstance(store.index, Const) and 0 <= store.index.value < var.count:
                    cell = self.world.memory.cell(var.base + store.index.value)
                    self.frames.logged(lambda: code.const(cell), CELL)
                    code.const(0)
                    self.emit.number(store.value)
                    code.memory("i32.store", cell)
                    return
                # The value is worked out first, as the reference machine does where it tests it.
                self.emit.number(store.value)
                value = code.temp()
                code.set(value)
                if not sure:
                    self._test_range(value, lo, hi)
                at = self.emit.indexing.address(var.base, 1, store.index, var.count)
                self.frames.logged(lambda: code.get(at), CELL)
                code.get(at)
                code.get(value)
                code.memory("i32.store")

    def _store_sequence(self, base: int, index: Expr, count: int, kind: SeqT, value: Expr) -> None:
        """Put a sequence into an element of a variable."""
        source = self.emit.sequence(value)
        to = self.emit.indexing.address(base, cells(kind), index, count)
        self.frames.logged(lambda: self.code.get(to), CELL * cells(kind))
        self.emit.sequences.copy(to, source, cells(kind))

    def _store_set(self, base: int, index: Expr, count: int, kind: SetT, value: Expr) -> None:
        """Put a set into an element of a variable."""
        words = self.emit.set(value)
        to = self.emit.indexing.address(base, cells(kind), index, count)
        self.frames.logged(lambda: self.code.get(to), CELL * cells(kind))
        store_set(self.code, to, 0, kind.size, words)

    def _test_range(self, value: int, lo: int, hi: int) -> None:
        code = self.code
        code.get(value)
        code.const(lo)
        code.op("i32.lt_s")
        code.get(value)
        code.const(hi)
        code.ops("i32.gt_s", "i32.or")
        with code.when():
            self.context.fail(BUG)

    def _emit(self, event: int, args: Sequence[Expr]) -> None:
        code, names = self.code, self.world.names
        code.get_global(self.world.variables.listening)
        with code.when():
            code.const(event)
            code.const(len(args))
            code.call(names["event"])
            for arg in args:
                with code.scratch():
                    match self.context.kind(arg):
                        case SetT():
                            words = self.emit.set(arg)
                            code.const(sum(2 if word.kind == "i64" else 1 for word in words))
                            code.call(names["event_word"])
                            for word in words:
                                word.push(code)
                                code.call(names["event_word" if word.kind == "i32" else "event_long"])
                        case _:
                            code.const(0)
                            code.call(names["event_word"])
                            self.emit.number(arg)
                            code.call(names["event_word"])
            self._unheard(args)

    def _unheard(self, args: Sequence[Expr]) -> None:
        """Where nobody wants events, what one of them says may still be a fault; a look-ahead does not come to it."""
        risky = [arg for arg in args if not self.emit.columns.lanes.is_total(arg, self.context.scope)]
        if not risky:
            return
        code = self.code
        code.otherwise()
        code.get_global(self.world.variables.looking)
        code.op("i32.eqz")
        with code.when():
            for arg in risky:
                with code.scratch():
                    if isinstance(self.context.kind(arg), SetT):
                        self.emit.set(arg)
                    else:
                        self.emit.number(arg)
                        code.set(code.temp())
