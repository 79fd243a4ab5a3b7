"""Conditions as branches.

In: a condition. Out: a branch to a label if it holds, or if it does not; a conjunction stops as soon as it is known.
"""

from __future__ import annotations

from interpreter.ir.ops import And, Const, Expr, Fn, Or, Query, Unary
from interpreter.machine.wasm.context import Evaluator
from interpreter.machine.wasm.encode import Label
from interpreter.machine.wasm.functions import Functions
from interpreter.machine.wasm.queries import Queries


class Conditions:
    """Tests conditions in one function under construction."""

    def __init__(self, emit: Evaluator, functions: Functions, queries: Queries) -> None:
        self.emit = emit
        self.context = emit.context
        self.code = emit.context.code
        self.world = emit.context.world
        self.functions = functions
        self.queries = queries

    def test(self, expr: Expr, label: Label, when: bool) -> None:
        """Go to a label if a condition is as `when` says, else go on."""
        code = self.code
        match expr:
            case Const(value):
                if bool(value) == when:
                    code.br(label)
            case Unary("not", a):
                self.test(a, label, not when)
            case And(parts) | Or(parts) if isinstance(expr, And) != when:
                for part in parts:
                    self.test(part, label, when)
                if not parts and not when and isinstance(expr, Or):
                    code.br(label)
            case And(parts) | Or(parts):
                with code.block() as on:
                    for part in parts[:-1]:
                        self.test(part, on, not when)
                    if parts:
                        self.test(parts[-1], label, when)
                    elif isinstance(expr, And) == when:
                        code.br(label)
            case Query(kind="any", where=where) if where is not None:
                if when:
                    self.queries.find(expr, label)
                else:
                    with code.block() as found:
                        self.queries.find(expr, found)
                        code.br(label)
            case Fn(f, args) if self.world.is_small(f):
                self.functions.number(f, args, lambda body: self.test(body, label, when))
            case _:
                self.emit.number(expr)
                if not when:
                    code.op("i32.eqz")
                code.br_if(label)

    def truth(self, expr: And | Or) -> None:
        """Push 1 or 0, stopping as soon as it is known."""
        code = self.code
        parts = expr.parts
        if not parts:
            code.const(1 if isinstance(expr, And) else 0)
            return
        with code.scratch():
            result = code.temp()
            known = 0 if isinstance(expr, And) else 1
            with code.block() as end:
                code.const(known)
                code.set(result)
                for part in parts:
                    self.test(part, end, bool(known))
                code.const(1 - known)
                code.set(result)
            code.get(result)
