"""Functions whose results are remembered until something they read is written.

In: a program. Out: which of its functions are worth it, where their results lie, and code around their bodies. Results lie right behind
the row, each function's beginning with a word that says for which arguments there is one; they are copied with the row, so that a row
that is put back brings its own. A store to a variable forgets the results that depend on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from interpreter.ir.cost import Weights
from interpreter.ir.ir_types import IntT, SeqT
from interpreter.ir.program import Program
from interpreter.machine.wasm.encode import Code, FuncType
from interpreter.machine.wasm.values import shape

WORTH: Final = 24
"""Operations from which remembering pays."""
KEYS: Final = 64
"""Combinations of arguments: the bits of one word."""
ROOM: Final = 512
"""Bytes that one function's results may take."""
WORD: Final = 8


@dataclass(frozen=True, slots=True)
class Remembered:
    """One function: `at` is the offset of its word behind the row, its results follow; `size` bytes in all. The key is the arguments in
    mixed radix: `lows` and `counts` of their intervals."""

    at: int
    size: int
    lows: tuple[int, ...]
    counts: tuple[int, ...]
    reads: frozenset[int]


def remembered(program: Program) -> dict[int, Remembered]:
    """The functions that are worth it."""
    weights = Weights(program)
    found: dict[int, Remembered] = {}
    at = 0
    for f, func in enumerate(program.funcs):
        kinds = func.locals[: func.params]
        numbers = [kind for kind in kinds if isinstance(kind, IntT)]
        weight = weights.function(f)
        if len(numbers) < len(kinds) or isinstance(func.result, SeqT) or not weight.known or weight.cost < WORTH:
            continue
        keys = 1
        for kind in numbers:
            keys *= kind.hi - kind.lo + 1
        size = WORD + WORD * len(shape(func.result)) * keys
        if keys > KEYS or size > ROOM:
            continue
        lows, counts = tuple(k.lo for k in numbers), tuple(k.hi - k.lo + 1 for k in numbers)
        found[f] = Remembered(at, size, lows, counts, weight.reads)
        at += size
    return found


def wrapper(kind: FuncType, inner: int, memo: Remembered, base: int) -> Code:
    """The function around the one numbered `inner`: `base` is the address behind the row. Arguments out of their intervals go
    straight through."""
    code = Code(kind, "remembered")
    key, bit = code.local(), code.local("i64")
    at = base + memo.at
    step = WORD * len(kind.results)
    with code.block() as outside:
        for k, (low, count) in enumerate(zip(memo.lows, memo.counts, strict=True)):
            code.get(k)
            code.const(low)
            code.op("i32.sub")
            code.const(count)
            code.op("i32.ge_u")
            code.br_if(outside)
            code.get(key)
            code.const(count)
            code.op("i32.mul")
            code.get(k)
            code.const(low)
            code.ops("i32.sub", "i32.add")
            code.set(key)
        code.const(1, "i64")
        code.get(key)
        code.ops("i64.extend_i32_u", "i64.shl")
        code.set(bit)
        code.get(key)
        code.const(step)
        code.op("i32.mul")
        code.set(key)
        code.const(0)
        code.memory("i64.load", at)
        code.get(bit)
        code.ops("i64.and", "i64.eqz")
        with code.when():
            for k in range(len(kind.params)):
                code.get(k)
            code.call(inner)
            own = [code.local(word) for word in kind.results]
            for local in reversed(own):
                code.set(local)
            for k, (local, word) in enumerate(zip(own, kind.results, strict=True)):
                code.get(key)
                code.get(local)
                code.memory(f"{word}.store", at + WORD + WORD * k)
            code.const(0)
            code.const(0)
            code.memory("i64.load", at)
            code.get(bit)
            code.op("i64.or")
            code.memory("i64.store", at)
        for k, word in enumerate(kind.results):
            code.get(key)
            code.memory(f"{word}.load", at + WORD + WORD * k)
        code.op("return")
    for k in range(len(kind.params)):
        code.get(k)
    code.call(inner)
    return code
