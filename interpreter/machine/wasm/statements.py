"""Statements as instructions, and how locals go to the frame, to the buffer, and back.

In: statements of ops.py in a function for a procedure. A Check that does not hold leaves the function with FAILED.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from interpreter.ir.expr_types import within
from interpreter.ir.ir_types import IntT, IrType, SeqT, SetT, cells
from interpreter.ir.ops import Alike, Check, Const, Emit, Expr, For, If, Let, Load, Local, Select, Stmt, Store
from interpreter.ir.program import Block, Proc
from interpreter.ir.row import LINK
from interpreter.machine.wasm.encode import Code, Label
from interpreter.machine.wasm.expressions import Emitter
from interpreter.machine.wasm.memory import BUG, SLOT, buffered
from interpreter.machine.wasm.values import CELL, Operand, load_set, shaped, store_set
from interpreter.machine.wasm.world import World

RETURNED, WAITS, DRAWS, FORKED, YIELD, HALTED, COMMITTED, FAILED = range(8)
"""How a procedure's function ends. From WAITS to YIELD its callers put their locals into the row on the way out. YIELD: everything
must be in the row before the procedure goes on, at the entry that the module's variables name."""
LAST_KEPT = YIELD


class Statements(Emitter):
    """Emits statements of one procedure. `frame` is the local with the address of its frame."""

    def __init__(
        self,
        world: World,
        code: Code,
        p: int,
        where: list[list[int]],
        frame: int,
        live: Mapping[int, frozenset[int]],
        entries: dict[int, int],
    ) -> None:
        super().__init__(world, code, world.program.procs[p].locals, where)
        self.p = p
        self.proc: Proc = world.program.procs[p]
        self.frame = frame
        self._live = live
        self._entries = entries
        """Block to the number of the procedure's entry that takes its locals from the buffer."""

    # -------------------------------------------------------------- the frame

    def logged(self, push: Callable[[], None], size: int) -> None:
        """Log bytes of the row, at the address that `push` pushes, before they are written while looking ahead."""
        code = self.code
        code.get_global(self.world.variables.looking)
        with code.when():
            push()
            if size == CELL:
                code.call(self.world.names["log"])
            else:
                code.const(size)
                code.call(self.world.names["log_range"])

    def save_frame(self, block: Block, more: int = 0) -> None:
        """Put the locals that a block keeps into the frame, and 0 into the rest of it; `more` cells behind it will be written too."""
        code = self.code

        code.get_global(self.world.variables.looking)
        with code.when():
            code.get(self.frame)
            code.const(CELL * LINK)
            code.op("i32.add")
            code.get(self.frame)
            code.const(CELL * (LINK + self.proc.frame + more))
            code.op("i32.add")
            code.call(self.world.names["touch"])
        used: set[int] = set()
        for n in block.spill:
            kind, offset = self.scope[n], LINK + self.proc.slots[n]
            used.update(range(offset, offset + cells(kind)))
            self.put(self.frame, CELL * offset, kind, n)
        for offset in range(LINK, LINK + self.proc.frame):
            if offset not in used:
                code.get(self.frame)
                code.const(0)
                code.memory("i32.store", CELL * offset)

    def load_frame(self, block: Block) -> None:
        """Get the locals that a block keeps from the frame."""
        for n in block.spill:
            self.fetch(self.frame, CELL * (LINK + self.proc.slots[n]), self.scope[n], n)

    def put(self, address: int, offset: int, kind: IrType, n: int) -> None:
        """Put a local where its cells begin behind an address."""
        code = self.code
        local = self._local(n)
        match kind:
            case IntT():
                code.get(address)
                code.get(local[0])
                code.memory("i32.store", offset)
            case SetT(size):
                store_set(code, address, offset, size, self.words_of(n))
            case SeqT():
                with code.scratch():
                    to = code.temp()
                    code.get(address)
                    code.const(offset)
                    code.op("i32.add")
                    code.set(to)
                    self._copy_cells(to, local[0], cells(kind))

    def fetch(self, address: int, offset: int, kind: IrType, n: int) -> None:
        """Get a local from where its cells begin behind an address."""
        code = self.code
        local = self._local(n)
        match kind:
            case IntT():
                code.get(address)
                code.memory("i32.load", offset)
                code.set(local[0])
            case SetT(size):
                with code.scratch():
                    self.copy_words(local, load_set(code, address, offset, size))
            case SeqT():
                with code.scratch():
                    source = code.temp()
                    code.get(address)
                    code.const(offset)
                    code.op("i32.add")
                    code.set(source)
                    self.at_home(n)
                    self._copy_cells(local[0], source, cells(kind))

    # -------------------------------------------------------------- the buffer

    def to_buffer(self, b: int) -> None:
        """Put the locals that block b needs into the buffer."""
        code = self.code
        with code.scratch():
            start = code.temp()
            code.const(self.world.memory.buffer)
            code.set(start)
            offset = 0
            for n in sorted(self._live[b]):
                kind = self.scope[n]
                self.put_buffered(start, offset, kind, n)
                offset += buffered(kind)

    def from_buffer(self, names: Sequence[int]) -> None:
        """Get locals from the buffer, in this order."""
        code = self.code
        with code.scratch():
            start = code.temp()
            code.const(self.world.memory.buffer)
            code.set(start)
            offset = 0
            for n in names:
                kind = self.scope[n]
                self.fetch_buffered(start, offset, kind, n)
                offset += buffered(kind)

    def put_buffered(self, address: int, offset: int, kind: IrType, n: int) -> None:
        """A local into the buffer: words of a set take a slot each."""
        code = self.code
        if isinstance(kind, SeqT):
            self.put(address, offset, kind, n)
            return
        for k, word in enumerate(self._local(n)):
            code.get(address)
            code.get(word)
            code.memory(f"{code.kind(word)}.store", offset + SLOT * k)

    def fetch_buffered(self, address: int, offset: int, kind: IrType, n: int) -> None:
        """A local from the buffer."""
        code = self.code
        if isinstance(kind, SeqT):
            self.fetch(address, offset, kind, n)
            return
        for k, word in enumerate(self._local(n)):
            code.get(address)
            code.memory(f"{code.kind(word)}.load", offset + SLOT * k)
            code.set(word)

    def args_to(self, start: int, args: Sequence[Expr], kinds: Sequence[IrType], first: int = 0) -> int:
        """Arguments into a buffer that begins at a fixed address, from offset `first` on; the offset behind them."""
        code = self.code
        offset = first
        # All are worked out before the first is put there: working one out may use the buffer.
        ready: list[tuple[IrType, tuple[Operand, ...]]] = []
        for arg, kind in zip(args, kinds, strict=True):
            match kind:
                case IntT():
                    self.number(arg)
                    local = code.temp()
                    code.set(local)
                    ready.append((kind, (Operand("i32", local),)))
                case SetT(size):
                    own = self._fresh(size)
                    self._into(own, arg, size)
                    ready.append((kind, self._operands(own)))
                case SeqT():
                    own_place = self.fresh_area(cells(kind))
                    self._copy_sequence(own_place, self.sequence(arg), cells(kind))
                    ready.append((kind, (Operand("i32", own_place),)))
        at = code.temp()
        code.const(start)
        code.set(at)
        for kind, words in ready:
            if isinstance(kind, SeqT):
                to = code.temp()
                code.const(start + offset)
                code.set(to)
                self._copy_cells(to, words[0].value, cells(kind))
            else:
                for k, word in enumerate(words):
                    code.get(at)
                    word.push(code)
                    code.memory(f"{word.kind}.store", offset + SLOT * k)
            offset += buffered(kind)
        return offset

    # -------------------------------------------------------------- looking ahead

    def probe(self, b: int) -> None:
        """Push 1 if the compound action can be completed from block b on."""
        self.search(b, False)

    def search(self, b: int, changes: bool) -> None:
        """Push whether a look-ahead from block b finds an end."""
        code = self.code
        self.to_buffer(b)
        code.const(self.p)
        code.get(self.frame)
        code.const(self._entries[b])
        code.const(1 if changes else 0)
        code.call(self.world.names["search"])

    def alike(self, expr: Alike) -> None:
        """See ops.Alike."""
        code = self.code
        callee = self.program.procs[expr.p]
        given = callee.locals[: callee.params - 1]
        with code.scratch():
            members = self.set(expr.items)
            words = shaped(code, members, max(64, self.size(expr.items)))
            if words[0].kind == "i32":
                words = shaped(code, members, 64)
            own = [code.temp("i64") for _ in words]
            self.copy_words(own, words)
            end = self.args_to(self.world.memory.buffer, expr.args, given)
            for k, word in enumerate(own):
                code.const(self.world.memory.buffer + end)
                code.get(word)
                code.memory("i64.store", SLOT * k)
            code.const(expr.p)
            code.get(self.frame)
            code.const(CELL * (LINK + self.proc.frame))
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
                self.let(n, value)
            case Check(condition):
                with code.block() as holds:
                    self.test(condition, holds, True)
                    code.const(FAILED)
                    code.set(status)
                    code.br(out)
            case If(condition, then, other):
                with code.block() as end:
                    with code.block() as unless:
                        self.test(condition, unless, False)
                        self.body(then, out, status)
                        if other:
                            code.br(end)
                    self.body(other, out, status)
            case For(n, domain, body):
                self._for(n, domain, body, out, status)
            case Emit(event, args):
                self._emit(event, args)

    def _for(self, n: int, domain: Expr, body: Sequence[Stmt], out: Label, status: int) -> None:
        if isinstance(domain, Local | Load | Select) and isinstance(kind := self.kind(domain), SeqT):
            # It may be a variable's own, and is fixed at entry, whatever the body does to the variable.
            copy = self.fresh_area(cells(kind))
            self._copy_cells(copy, self.sequence(domain), cells(kind))
            x = self._local(n)[0]
            with self.code.scratch():
                for _ in self._along(copy, x):
                    self.body(body, out, status)
            return
        for _ in self.each(domain, n):
            self.body(body, out, status)

    def _store(self, store: Store) -> None:
        self._put_value(store)
        memory = self.world.memory
        for memo in self.world.remembered.values():
            if store.v in memo.reads:
                self.code.const(memory.row + memory.row_bytes + memo.at)
                self.code.call(self.world.names["forget"])

    def _put_value(self, store: Store) -> None:
        var = self.program.vars[store.v]
        code, kind = self.code, var.type
        match kind:
            case SetT():
                self.store_set(var.base, store.index, var.count, kind, store.value)
            case SeqT():
                self.store_sequence(var.base, store.index, var.count, kind, store.value)
            case IntT(lo, hi):
                sure = within(self.interval(store.value), lo, hi)
                if sure and isinstance(store.index, Const) and 0 <= store.index.value < var.count:
                    cell = self.world.memory.cell(var.base + store.index.value)
                    self.logged(lambda: code.const(cell), CELL)
                    code.const(0)
                    self.number(store.value)
                    code.memory("i32.store", cell)
                    return
                # The value is worked out first, as the reference machine does where it tests it.
                self.number(store.value)
                value = code.temp()
                code.set(value)
                if not sure:
                    self._test_range(value, lo, hi)
                at = self.address(var.base, 1, store.index, var.count)
                self.logged(lambda: code.get(at), CELL)
                code.get(at)
                code.get(value)
                code.memory("i32.store")

    def store_sequence(self, base: int, index: Expr, count: int, kind: SeqT, value: Expr) -> None:
        """Put a sequence into an element of a variable."""
        source = self.sequence(value)
        to = self.address(base, cells(kind), index, count)
        self.logged(lambda: self.code.get(to), CELL * cells(kind))
        self._copy_sequence(to, source, cells(kind))

    def store_set(self, base: int, index: Expr, count: int, kind: SetT, value: Expr) -> None:
        """Put a set into an element of a variable."""
        words = self.set(value)
        to = self.address(base, cells(kind), index, count)
        self.logged(lambda: self.code.get(to), CELL * cells(kind))
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
            self.fail(BUG)

    def _emit(self, event: int, args: Sequence[Expr]) -> None:
        code, names = self.code, self.world.names
        code.get_global(self.world.variables.listening)
        with code.when():
            code.const(event)
            code.const(len(args))
            code.call(names["event"])
            for arg in args:
                with code.scratch():
                    match self.kind(arg):
                        case SetT():
                            words = self.set(arg)
                            code.const(sum(2 if word.kind == "i64" else 1 for word in words))
                            code.call(names["event_word"])
                            for word in words:
                                word.push(code)
                                code.call(names["event_word" if word.kind == "i32" else "event_long"])
                        case _:
                            code.const(0)
                            code.call(names["event_word"])
                            self.number(arg)
                            code.call(names["event_word"])
