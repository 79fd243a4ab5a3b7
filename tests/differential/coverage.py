"""Which operations a reference machine really carries out.

In: nothing. Out: a context in which every expression, statement and terminator that runs is counted, by name; for operations on sets also
by how many cells such a set takes. Shortcuts that leave parts of expressions out (columns, remembered results) are off in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from interpreter.ir.ir_types import IntT, IrType, SeqT, SetT
from interpreter.ir.ops import Alike, Binary, Chance, Choose, Expr, Probe, Query, Sort, Stmt, Term, Unary
from interpreter.ir.walk import parts_of
from interpreter.machine.cells import Locals, Number, Row, Step
from interpreter.machine.closures import Compiler
from interpreter.machine.code import Code, Codes, Question
from interpreter.machine.columns import Columns
from interpreter.machine.reference import Reference
from interpreter.machine.remember import Memory

Counts = Counter[str]


def room(size: int) -> str:
    """How many cells a set takes: less than one, just one, two, more."""
    return "part of a cell" if size < 32 else "a cell" if size == 32 else "two cells" if size <= 64 else "more cells"


def kept(kind: IrType) -> str:
    """What a local in a frame is."""
    match kind:
        case IntT():
            return "a number"
        case SetT(size):
            return f"a set of {room(size)}"
        case SeqT():
            return "a sequence"


def name(expr: Expr) -> str:
    """What an expression is called: an operator by its own name."""
    match expr:
        case Unary(op) | Binary(op):
            return op
        case Query(kind):
            return f"query {kind}"
        case _:
            return type(expr).__name__


def names(expr: Expr, kinds: Sequence[IrType]) -> list[str]:
    """What is counted for an expression whose result and parts have these types."""
    found = [name(expr)]
    sizes = [kind.size for kind in kinds if isinstance(kind, SetT)]
    if sizes:
        found.append(f"{found[0]}, {room(max(sizes))}")
    if isinstance(expr, Query | Sort) and isinstance(kinds[1], SeqT):
        found.append(f"{found[0]}, sequence")
    return found


def term_names(term: Term) -> list[str]:
    """What is counted for a terminator."""
    found = [type(term).__name__]
    match term:
        case Choose():
            looks = [term.look, *(extra.look for extra in term.extras)]
            features = {
                "where": term.where is not None,
                "probe": any(isinstance(look, Probe) for look in looks),
                "formula": term.look is not None and not isinstance(term.look, Probe),
                "extras": bool(term.extras),
                "condition": any(extra.condition is not None for extra in term.extras),
                "changes": any(extra.changes for extra in term.extras),
                "quiet": term.quiet,
                "sure": term.sure,
            }
            found += [f"Choose {feature}" for feature, there in features.items() if there]
        case Chance():
            features = {"where": term.where is not None, "weight": term.weight is not None, "sure": term.sure}
            found += [f"Chance {feature}" for feature, there in features.items() if there]
    return found


@contextmanager
def counted() -> Iterator[Counts]:
    """Machines made inside count what they carry out."""
    seen: Counts = Counter()
    number, statement, make, silent = Compiler.number, Compiler.statement, Codes.make, Reference._is_silent

    def counting_number(self: Compiler, expr: Expr, scope: Sequence[IrType], room: int = 0) -> Number:
        made = number(self, expr, scope, room)
        parts = [] if isinstance(expr, Probe | Alike) else [self.types.of(part, scope) for part in parts_of(expr)]
        found = names(expr, [self.types.of(expr, scope), *parts])

        def run(row: Row, slots: Locals) -> int:
            seen.update(found)
            return made(row, slots)

        return run

    def counting_statement(self: Compiler, stmt: Stmt, scope: Sequence[IrType], room: int) -> Step:
        made = statement(self, stmt, scope, room)
        found = type(stmt).__name__

        def run(row: Row, slots: Locals) -> int:
            seen[found] += 1
            return made(row, slots)

        return run

    def counting_make(self: Codes, b: int) -> Code:
        code = make(self, b)
        block = self.program.blocks[code.id]
        found = term_names(block.term)
        found += [f"{found[0]} keeps {kept(self.program.procs[block.p].locals[n])}" for n in block.spill]
        if code.id != b:
            found.append("Jump")

        def run(row: Row, slots: Locals) -> int:
            seen.update(found)
            return 0

        code.steps = (*code.steps, run)
        return code

    def counting_silent(self: Reference, row: Row, slots: Locals, q: Question) -> bool:
        found = silent(self, row, slots, q)
        seen["quiet, nobody asked" if found else "quiet, asked"] += 1
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Compiler, "number", counting_number)
        patch.setattr(Compiler, "statement", counting_statement)
        patch.setattr(Codes, "make", counting_make)
        patch.setattr(Reference, "_is_silent", counting_silent)
        patch.setattr(Columns, "query", lambda self, q, scalar: None)
        patch.setattr(Memory, "around", lambda self, expr, made: made)
        yield seen
