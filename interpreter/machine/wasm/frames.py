"""How locals of a procedure go to its frame, to the buffer, and back.

In: a block, whose locals a stack keeps while it waits (the frame) or which another entry takes (the buffer). Out: loads and stores.
While looking ahead, what is written over in the row is logged before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from interpreter.ir.ir_types import IntT, IrType, SeqT, SetT, cells
from interpreter.ir.ops import Expr
from interpreter.ir.program import Block, Proc
from interpreter.ir.row import LINK
from interpreter.machine.wasm.bits import copy_words, fresh, operands
from interpreter.machine.wasm.expressions import Emitter
from interpreter.machine.wasm.memory import SLOT, buffered
from interpreter.machine.wasm.values import CELL, Operand, load_set, store_set


class Frames:
    """Emits into one function of procedure p. `address` is the local with the address of its frame; `live` are the locals that each
    block needs."""

    def __init__(self, emit: Emitter, p: int, address: int, live: Mapping[int, frozenset[int]]) -> None:
        self.emit = emit
        self.context = emit.context
        self.code = emit.context.code
        self.world = emit.context.world
        self.proc: Proc = emit.context.world.program.procs[p]
        self.address = address
        self.live = live

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

    def save(self, block: Block, more: int = 0) -> None:
        """Put the locals that a block keeps into the frame, and 0 into the rest of it; `more` cells behind it will be written too."""
        code = self.code
        code.get_global(self.world.variables.looking)
        with code.when():
            code.get(self.address)
            code.const(CELL * LINK)
            code.op("i32.add")
            code.get(self.address)
            code.const(CELL * (LINK + self.proc.frame + more))
            code.op("i32.add")
            code.call(self.world.names["touch"])
        used: set[int] = set()
        for n in block.spill:
            kind, offset = self.context.scope[n], LINK + self.proc.slots[n]
            used.update(range(offset, offset + cells(kind)))
            self._put(self.address, CELL * offset, kind, n)
        for offset in range(LINK, LINK + self.proc.frame):
            if offset not in used:
                code.get(self.address)
                code.const(0)
                code.memory("i32.store", CELL * offset)

    def load(self, block: Block) -> None:
        """Get the locals that a block keeps from the frame."""
        for n in block.spill:
            self._fetch(self.address, CELL * (LINK + self.proc.slots[n]), self.context.scope[n], n)

    def _behind(self, address: int, offset: int) -> int:
        """A temporary local with the address so many bytes behind the one in a local."""
        code = self.code
        at = code.temp()
        code.get(address)
        code.const(offset)
        code.op("i32.add")
        code.set(at)
        return at

    def _put(self, address: int, offset: int, kind: IrType, n: int) -> None:
        """Put a local where its cells begin behind an address."""
        code = self.code
        local = self.context.local(n)
        match kind:
            case IntT():
                code.get(address)
                code.get(local[0])
                code.memory("i32.store", offset)
            case SetT(size):
                store_set(code, address, offset, size, self.context.words_of(n))
            case SeqT():
                with code.scratch():
                    to = self._behind(address, offset)
                    self.emit.sequences.copy_cells(to, local[0], cells(kind))

    def _fetch(self, address: int, offset: int, kind: IrType, n: int) -> None:
        """Get a local from where its cells begin behind an address."""
        code = self.code
        local = self.context.local(n)
        match kind:
            case IntT():
                code.get(address)
                code.memory("i32.load", offset)
                code.set(local[0])
            case SetT(size):
                with code.scratch():
                    copy_words(code, local, load_set(code, address, offset, size))
            case SeqT():
                with code.scratch():
                    source = self._behind(address, offset)
                    self.context.at_home(n)
                    self.emit.sequences.copy_cells(local[0], source, cells(kind))

    # -------------------------------------------------------------- the buffer

    def to_buffer(self, b: int) -> None:
        """Put the locals that block b needs into the buffer."""
        code = self.code
        with code.scratch():
            start = code.temp()
            code.const(self.world.memory.buffer)
            code.set(start)
            offset = 0
            for n in sorted(self.live[b]):
                kind = self.context.scope[n]
                self._put_buffered(start, offset, kind, n)
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
                kind = self.context.scope[n]
                self._fetch_buffered(start, offset, kind, n)
                offset += buffered(kind)

    def _put_buffered(self, address: int, offset: int, kind: IrType, n: int) -> None:
        """A local into the buffer: words of a set take a slot each."""
        code = self.code
        if isinstance(kind, SeqT):
            self._put(address, offset, kind, n)
            return
        for k, word in enumerate(self.context.local(n)):
            code.get(address)
            code.get(word)
            code.memory(f"{code.kind(word)}.store", offset + SLOT * k)

    def _fetch_buffered(self, address: int, offset: int, kind: IrType, n: int) -> None:
        """A local from the buffer."""
        code = self.code
        if isinstance(kind, SeqT):
            self._fetch(address, offset, kind, n)
            return
        for k, word in enumerate(self.context.local(n)):
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
                    self.emit.number(arg)
                    local = code.temp()
                    code.set(local)
                    ready.append((kind, (Operand("i32", local),)))
                case SetT(size):
                    own = fresh(code, size)
                    self.emit.put_set(own, arg, size)
                    ready.append((kind, operands(code, own)))
                case SeqT():
                    own_place = self.context.fresh_area(cells(kind))
                    self.emit.sequences.copy(own_place, self.emit.sequence(arg), cells(kind))
                    ready.append((kind, (Operand("i32", own_place),)))
        at = code.temp()
        code.const(start)
        code.set(at)
        for kind, words in ready:
            if isinstance(kind, SeqT):
                to = code.temp()
                code.const(start + offset)
                code.set(to)
                self.emit.sequences.copy_cells(to, words[0].value, cells(kind))
            else:
                for k, word in enumerate(words):
                    code.get(at)
                    word.push(code)
                    code.memory(f"{word.kind}.store", offset + SLOT * k)
            offset += buffered(kind)
        return offset
