"""Sets as words of bits.

In: the words of sets, elements in locals. Out: code that leaves a number on the stack, or changes a set in locals. Nothing here knows
expressions; what is a set of the program is in sets.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from interpreter.ir.ir_types import NOTHING
from interpreter.machine.wasm.encode import Code, ValueType
from interpreter.machine.wasm.values import Operand, Words, set_shape


def fresh(code: Code, size: int) -> list[int]:
    """Temporary locals for a set of a size."""
    return [code.temp(kind) for kind in set_shape(size)]


def operands(code: Code, locals_: Sequence[int]) -> Words:
    """The words in locals, at hand."""
    return tuple(Operand(code.kind(n), n) for n in locals_)


def copy_words(code: Code, locals_: Sequence[int], words: Words) -> None:
    """Put words into locals."""
    for word in words:
        word.push(code)
    for local in reversed(locals_):
        code.set(local)


def clear(code: Code, locals_: Sequence[int]) -> None:
    """Make a set in locals empty."""
    for local in locals_:
        code.const(0, code.kind(local))
        code.set(local)


def push_count(code: Code, words: Words) -> None:
    """Push how many elements a set has."""
    for k, word in enumerate(words):
        word.push(code)
        code.op(f"{word.kind}.popcnt")
        if word.kind == "i64":
            code.op("i32.wrap_i64")
        if k:
            code.op("i32.add")


def push_first(code: Code, words: Words) -> None:
    """Push the least member, NOTHING of none."""
    code.const(NOTHING)
    for k in range(len(words) - 1, -1, -1):
        # The value so far is for when this word and those before are empty.
        word, rest = words[k], code.temp()
        code.set(rest)
        word.push(code)
        code.op(f"{word.kind}.ctz")
        if word.kind == "i64":
            code.op("i32.wrap_i64")
        if k:
            code.const(64 * k)
            code.op("i32.add")
        code.get(rest)
        word.push(code)
        code.ops(f"{word.kind}.eqz", "i32.eqz", "select")


def push_last(code: Code, words: Words) -> None:
    """Push the greatest member, NOTHING of none."""
    code.const(NOTHING)
    for k, word in enumerate(words):
        bits = 32 if word.kind == "i32" else 64
        rest = code.temp()
        code.set(rest)
        code.const(bits * k + bits - 1)
        word.push(code)
        code.op(f"{word.kind}.clz")
        if word.kind == "i64":
            code.op("i32.wrap_i64")
        code.op("i32.sub")
        code.get(rest)
        word.push(code)
        code.ops(f"{word.kind}.eqz", "i32.eqz", "select")


def push_empty(code: Code, words: Words) -> None:
    """Push whether a set is empty."""
    for k, word in enumerate(words):
        word.push(code)
        if k:
            code.op(f"{word.kind}.or")
    code.op(f"{words[0].kind}.eqz")


def push_has(code: Code, words: Words, x: int) -> None:
    """Push whether the element in a local is in a set; right where it lies within the words."""
    _push_word(code, words, x)
    code.get(x)
    if words[0].kind == "i64":
        code.ops("i64.extend_i32_u", "i64.shr_u", "i32.wrap_i64")
    else:
        code.op("i32.shr_u")
    code.const(1)
    code.op("i32.and")


def _push_word(code: Code, words: Words, x: int) -> None:
    """Push the word in which the element in a local lies."""
    words[0].push(code)
    for k in range(1, len(words)):
        so_far = code.temp("i64")
        code.set(so_far)
        words[k].push(code)
        code.get(so_far)
        code.get(x)
        code.const(64 * k)
        code.ops("i32.ge_s", "select")


def _push_bit(code: Code, x: int, k: int, result: Sequence[int]) -> None:
    """Push word k of the set of just the element in a local, in the shape of a set in locals; the element lies within."""
    kind = code.kind(result[k])
    code.const(1, kind)
    code.get(x)
    if kind == "i64":
        code.op("i64.extend_i32_u")
    code.op(f"{kind}.shl")
    if len(result) > 1:
        code.const(0, kind)
        code.get(x)
        code.const(6)
        code.op("i32.shr_u")
        code.const(k)
        code.ops("i32.eq", "select")


def single(code: Code, x: int, size: int, sure: bool) -> Words:
    """The set of just the element in a local; of nothing where that is outside, which `sure` rules out."""
    result = fresh(code, size)
    first = code.kind(result[0])
    for k, local in enumerate(result):
        _push_bit(code, x, k, result)
        if not sure:
            code.const(0, first)
            code.get(x)
            code.const(size)
            code.ops("i32.lt_u", "select")
        code.set(local)
    return operands(code, result)


def add(code: Code, result: Sequence[int], x: int) -> None:
    """Put the element in a local into a set of locals; it lies within."""
    kind = code.kind(result[0])
    for k, local in enumerate(result):
        code.get(local)
        _push_bit(code, x, k, result)
        code.op(f"{kind}.or")
        code.set(local)


def clamp(code: Code, x: int, top: int) -> None:
    """Bring the number in a local into 0..top."""
    code.get(x)
    code.const(0)
    code.get(x)
    code.const(0)
    code.ops("i32.gt_s", "select")
    code.tee(x)
    code.const(top)
    code.get(x)
    code.const(top)
    code.ops("i32.lt_s", "select")
    code.set(x)


def push_below(code: Code, x: int, k: int, kind: ValueType) -> None:
    """Push word k of the set of what lies below the number (from 0) in a local."""
    bits = 32 if kind == "i32" else 64
    # (1 << (x - 64k)) - 1 where x - 64k is in 0..bits-1; all where it is more; none where it is less
    rest = code.temp()
    code.get(x)
    code.const(bits * k)
    code.op("i32.sub")
    code.set(rest)
    code.const(-1, kind)
    code.const(1, kind)
    code.get(rest)
    if kind == "i64":
        code.op("i64.extend_i32_u")
    code.op(f"{kind}.shl")
    code.const(1, kind)
    code.op(f"{kind}.sub")
    code.get(rest)
    code.const(bits)
    code.ops("i32.ge_s", "select")
    code.const(0, kind)
    code.get(rest)
    code.const(0)
    code.ops("i32.ge_s", "select")
