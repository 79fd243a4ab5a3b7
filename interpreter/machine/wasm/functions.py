"""Calls of pure functions.

In: a function of the program and its arguments. Out: its body among locals of its own, where it is small; else a call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from interpreter.ir.ir_types import IntT, IrType, SeqT, SetT
from interpreter.ir.ops import Expr, Local
from interpreter.machine.wasm.context import Evaluator
from interpreter.machine.wasm.values import shape, shaped


class Functions:
    """Emits calls into one function under construction."""

    def __init__(self, emit: Evaluator) -> None:
        self.emit = emit
        self.context = emit.context
        self.code = emit.context.code
        self.world = emit.context.world

    @contextmanager
    def inlined(self, f: int, args: Sequence[Expr]) -> Iterator[Expr]:
        """The body of a function among locals of its own, its arguments worked out before."""
        func = self.world.program.funcs[f]
        code = self.code
        where: list[list[int]] = []
        for arg, kind in zip(args, func.locals, strict=False):
            if isinstance(kind, SeqT):
                where.append([self.emit.sequence(arg)])
                continue
            if isinstance(arg, Local) and shape(self.context.scope[arg.n]) == shape(kind):
                # A function changes no local, so the caller's own will do.
                where.append(self.context.local(arg.n))
                continue
            words = [code.temp(word) for word in shape(kind)]
            self.assign(words, kind, arg)
            where.append(words)
        for kind in func.locals[func.params :]:
            where.append([code.temp(word) for word in shape(kind)])
        with self.context.inside(func.locals, where):
            yield func.body

    def number(self, f: int, args: Sequence[Expr], put: Callable[[Expr], None]) -> None:
        """The result of a function with a number for its result; `put` takes its body where that stands in place."""
        code = self.code
        if self.world.is_small(f):
            with code.scratch(), self.inlined(f, args) as body:
                put(body)
            return
        self.push_args(args, self.world.program.funcs[f].locals)
        code.call(self.world.functions[f])

    def push_args(self, args: Sequence[Expr], kinds: Sequence[IrType]) -> None:
        """Push the words of arguments."""
        code = self.code
        for arg, kind in zip(args, kinds, strict=False):
            match kind:
                case IntT():
                    self.emit.number(arg)
                case SetT(size):
                    for word in shaped(code, self.emit.set(arg), size):
                        word.push(code)
                case SeqT():
                    self.emit.push_sequence(arg)

    def assign(self, words: Sequence[int], kind: IrType, value: Expr) -> None:
        """Put a number or set into locals."""
        code = self.code
        if isinstance(kind, IntT):
            self.emit.number(value)
            code.set(words[0])
            return
        assert isinstance(kind, SetT)
        with code.scratch():
            for word in shaped(code, self.emit.set(value), kind.size):
                word.push(code)
            for local in reversed(words):
                code.set(local)
