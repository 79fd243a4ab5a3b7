"""Results of arithmetic that may be no numbers of the language.

In: a result on the stack, as a wide number. Out: the number; what is none is a fault, which the reference machine words.
"""

from __future__ import annotations

from interpreter.ir.ir_types import LEAST_NUMBER, MOST_NUMBER
from interpreter.machine.wasm.context import Context
from interpreter.machine.wasm.memory import RULE


def push_checked(context: Context) -> None:
    """Take an i64 from the stack, push it as an i32."""
    code = context.code
    with code.scratch():
        wide = code.temp("i64")
        code.tee(wide)
        # From 0 on all numbers lie in a row.
        code.const(-LEAST_NUMBER, "i64")
        code.op("i64.add")
        code.const(MOST_NUMBER - LEAST_NUMBER, "i64")
        code.op("i64.gt_u")
        with code.when():
            context.fail(RULE)
        code.get(wide)
        code.op("i32.wrap_i64")
