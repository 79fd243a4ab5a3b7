"""Expressions as instructions.

In: an Expr of ops.py among locals. Out: code that leaves a number on the stack, or the words of a set, or the address of a sequence; a
condition becomes a branch where it can. The meaning is the docstrings of ops.py. Evaluation order, and what is left out, are the
reference machine's. The `Emitter` owns the parts that do it, each of one kind of expression; a part knows those before it, and comes
upon all kinds through `context.Evaluator`.
"""

from __future__ import annotations

from collections.abc import Sequence

from interpreter.ir.ir_types import IrType
from interpreter.ir.ops import Alike, And, Chance, Choose, Expr, Query
from interpreter.machine.wasm.bits import copy_words
from interpreter.machine.wasm.columns import Columns
from interpreter.machine.wasm.conditions import Conditions
from interpreter.machine.wasm.context import Context
from interpreter.machine.wasm.encode import Code, Label
from interpreter.machine.wasm.functions import Functions
from interpreter.machine.wasm.indexing import Indexing
from interpreter.machine.wasm.loops import Loops
from interpreter.machine.wasm.numeric import Ahead, Numbers
from interpreter.machine.wasm.queries import Queries
from interpreter.machine.wasm.sequences import Sequences
from interpreter.machine.wasm.sets import Sets
from interpreter.machine.wasm.values import Words, shaped
from interpreter.machine.wasm.world import World

LOOK_HERE = "expressions that look ahead stand in procedures"


class Nowhere:
    """Pure functions do not look ahead."""

    def probe(self, b: int) -> None:
        """See ops.Probe."""
        raise TypeError(LOOK_HERE)

    def alike(self, expr: Alike) -> None:
        """See ops.Alike."""
        raise TypeError(LOOK_HERE)


class Emitter:
    """Emits into one function. `where[n]` are the locals of the module for local n of the program, typed by `scope`; `ahead` emits what
    looks ahead."""

    def __init__(
        self, world: World, code: Code, scope: Sequence[IrType], where: list[list[int]], ahead: Ahead | None = None
    ) -> None:
        self.context = Context(world, code, scope, where)
        self.indexing = Indexing(self)
        self.functions = Functions(self)
        self.columns = Columns(self)
        self.loops = Loops(self, self.columns)
        self.queries = Queries(self, self.loops, self.columns)
        self.sets = Sets(self, self.indexing, self.functions, self.queries)
        self.sequences = Sequences(self, self.indexing, self.functions, self.loops)
        self.conditions = Conditions(self, self.functions, self.queries)
        self.numbers = Numbers(self, self.indexing, self.functions, self.queries, self.conditions, ahead or Nowhere())

    def number(self, expr: Expr) -> None:
        """Push a number."""
        self.numbers.number(expr)

    def set(self, expr: Expr) -> Words:
        """A set as words at hand; see Sets."""
        return self.sets.set(expr)

    def put_set(self, locals_: Sequence[int], expr: Expr, size: int) -> None:
        """Put a set into locals that have the shape of a size."""
        code = self.context.code
        copy_words(code, locals_, shaped(code, self.set(expr), size))

    def sequence(self, expr: Expr) -> int:
        """A local with the address of a sequence; see Sequences."""
        return self.sequences.sequence(expr)

    def push_sequence(self, expr: Expr) -> None:
        """Push the address of a sequence."""
        self.context.code.get(self.sequence(expr))

    def test(self, expr: Expr, label: Label, when: bool) -> None:
        """Go to a label if a condition is as `when` says, else go on."""
        self.conditions.test(expr, label, when)

    def unless_all(self, conditions: Sequence[Expr | None], label: Label) -> None:
        """Go to a label unless all conditions hold, of which None does; else go on."""
        for condition in conditions:
            if condition is not None:
                self.test(condition, label, False)

    def offered(self, term: Choose | Chance) -> Query:
        """The elements that a question offers, as a query."""
        size = self.context.size(term.domain)
        conditions = (term.where, term.look) if isinstance(term, Choose) else (term.where,)
        parts = tuple(part for part in conditions if part is not None)
        return Query("filter", term.n, term.domain, And(parts) if parts else None, None, size)
