"""The function under construction: its code, the locals of the program in it, room for its sequences.

In: the types of locals, and where those lie that are there already. Out: the locals of the module for each of them, made at the first use;
types of expressions among them. `Evaluator` is what the parts that work expressions out ask of the whole (expressions.py), as each of
them comes upon expressions of every other kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from interpreter.ir.ir_types import IntT, IrType, SeqT, cells
from interpreter.ir.ops import Expr
from interpreter.machine.wasm.encode import Code, Label
from interpreter.machine.wasm.values import CELL, Operand, Words
from interpreter.machine.wasm.world import World, local_words


class Context:
    """`where[n]` are the locals of the module for local n of the program, typed by `scope`."""

    def __init__(self, world: World, code: Code, scope: Sequence[IrType], where: list[list[int]]) -> None:
        self.world = world
        self.code = code
        self.scope = scope
        self.where = where
        self._room = 0
        self._homes: dict[int, int] = {}
        """Where each sequence of the program has room among this function's own."""
        self._base = -1
        """Local that holds where this function's own sequences begin."""

    @contextmanager
    def inside(self, scope: Sequence[IrType], where: list[list[int]]) -> Iterator[None]:
        """While a function is put in place: other locals of the program."""
        outer = self.scope, self.where
        self.scope, self.where = scope, where
        yield
        self.scope, self.where = outer

    # -------------------------------------------------------------- locals

    def words_of(self, n: int) -> Words:
        """A local of the program at hand."""
        return tuple(Operand(self.code.kind(w), w) for w in self.local(n))

    def local(self, n: int) -> list[int]:
        """The locals of the module for a local of the program: the words of its value."""
        if not self.where[n]:
            self.where[n] = local_words(self.code, self.scope[n])
            kind = self.scope[n]
            if isinstance(kind, SeqT):
                self._homes[n] = self.area(cells(kind))
        return self.where[n]

    # -------------------------------------------------------------- room for sequences

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
        code.set(self.local(n)[0])

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


class Evaluator(Protocol):
    """Works out expressions of all kinds."""

    @property
    def context(self) -> Context:
        """Where it works them out."""

    def number(self, expr: Expr) -> None:
        """Push a number."""

    def set(self, expr: Expr) -> Words:
        """A set as words at hand, in the shape of its own type."""

    def put_set(self, locals_: Sequence[int], expr: Expr, size: int) -> None:
        """Put a set into locals that have the shape of a size."""

    def sequence(self, expr: Expr) -> int:
        """A local with the address of a sequence."""

    def push_sequence(self, expr: Expr) -> None:
        """Push the address of a sequence."""

    def test(self, expr: Expr, label: Label, when: bool) -> None:
        """Go to a label if a condition is as `when` says, else go on."""
