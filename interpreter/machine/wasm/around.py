"""The function around one whose results are remembered (remembered.py)."""

from __future__ import annotations

from interpreter.machine.wasm.encode import Code
from interpreter.machine.wasm.remembered import WORD
from interpreter.machine.wasm.world import World


def wrapper(world: World, f: int, inner: int) -> Code:
    """The function around the module's function `inner` for function f of the program. Arguments out of their intervals go straight
    through."""
    kind, memo = world.func_type(f), world.remembered[f]
    base = world.memory.row + world.memory.row_bytes
    code = Code(kind, f"{world.program.funcs[f].address} remembered")
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
            code.get_global(world.variables.looking)
            with code.when():
                code.const(at)
                code.const(WORD)
                code.call(world.names["log_range"])
                code.get(key)
                code.const(at + WORD)
                code.op("i32.add")
                code.const(step)
                code.call(world.names["log_range"])
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
