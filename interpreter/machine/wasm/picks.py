"""Picking one of several options in the middle of a playout.

In: the words of a set of options, a number for each extra that is offered. Out: functions, and code in a procedure, that count them and
take the one that a driver would have taken.
"""

from __future__ import annotations

from typing import Final

from interpreter.ir.row import SEED_HIGH, SEED_LOW
from interpreter.machine.wasm.encode import Code, FuncType
from interpreter.machine.wasm.values import Words
from interpreter.machine.wasm.world import World

SIGNATURES: Final = {
    "bot_number": FuncType(("i32",), ("i32",)),
    "stream_pick": FuncType(("i32", "i32", "i32"), ("i32",)),
    "nth": FuncType(("i64", "i32"), ("i32",)),
}
BYTE: Final = 8


def define(world: World, bot_of: int, counters: int) -> None:
    """`bot_of` is the address of the numbers of the bots' streams, `counters` of how many each bot has used."""
    module, names = world.module, world.names
    module.define(names["bot_number"], _bot_number(world, bot_of, counters))
    module.define(names["stream_pick"], _stream_pick(world))
    module.define(names["nth"], nth())


def _seeded(world: World, code: Code) -> None:
    """Push the number of a stream whose place and number are on the stack."""
    for cell in (SEED_LOW, SEED_HIGH):
        code.const(0)
        code.memory("i32.load", world.memory.cell(cell))
    code.call(world.names["philox"])


def _bot_number(world: World, bot_of: int, counters: int) -> Code:
    """(seat): the next number of its bot's stream."""
    code = Code(SIGNATURES["bot_number"], "bot_number")
    at, counter = code.local(), code.local()
    code.get(0)
    code.const(2)
    code.op("i32.shl")
    code.tee(at)
    code.memory("i32.load", counters)
    code.set(counter)
    code.get(at)
    code.get(counter)
    code.const(1)
    code.op("i32.add")
    code.memory("i32.store", counters)
    code.get(counter)
    code.get(at)
    code.memory("i32.load", bot_of)
    _seeded(world, code)
    return code


def _stream_pick(world: World) -> Code:
    """(address of a stream's counter, number of the stream, count): one of 0..count-1, and the counter moves on."""
    code = Code(SIGNATURES["stream_pick"], "stream_pick")
    counter = code.local()
    code.get(0)
    code.memory("i32.load")
    code.set(counter)
    code.get(0)
    code.get(counter)
    code.const(1)
    code.op("i32.add")
    code.memory("i32.store")
    code.get(counter)
    code.get(1)
    _seeded(world, code)
    scaled(code, 2)
    return code


def nth() -> Code:
    """(word, k): the element that has k others before it."""
    code = Code(SIGNATURES["nth"], "nth")
    base, count = code.local(), code.local()
    with code.loop() as again:
        code.get(0)
        code.const(0xFF, "i64")
        code.ops("i64.and", "i64.popcnt", "i32.wrap_i64")
        code.tee(count)
        code.get(1)
        code.op("i32.le_s")
        with code.when():
            code.get(1)
            code.get(count)
            code.op("i32.sub")
            code.set(1)
            code.get(0)
            code.const(BYTE, "i64")
            code.op("i64.shr_u")
            code.set(0)
            code.get(base)
            code.const(BYTE)
            code.op("i32.add")
            code.set(base)
            code.br(again)
    with code.block() as found, code.loop() as again:
        code.get(1)
        code.op("i32.eqz")
        code.br_if(found)
        code.get(0)
        code.get(0)
        code.const(1, "i64")
        code.ops("i64.sub", "i64.and")
        code.set(0)
        code.get(1)
        code.const(1)
        code.op("i32.sub")
        code.set(1)
        code.br(again)
    code.get(base)
    code.get(0)
    code.ops("i64.ctz", "i32.wrap_i64", "i32.add")
    return code


def scaled(code: Code, count: int) -> None:
    """The 32-bit number on top becomes one of 0..count-1 (a local)."""
    code.op("i64.extend_i32_u")
    code.get(count)
    code.ops("i64.extend_i32_u", "i64.mul")
    code.const(32, "i64")
    code.ops("i64.shr_u", "i32.wrap_i64")


def push_nth(world: World, code: Code, words: Words, k: int) -> None:
    """Push the element of a set with as many others before it as a local says, which loses its value. There is one."""
    result = code.temp()
    with code.block() as found:
        for number, word in enumerate(words):
            wide = code.temp("i64")
            word.push(code)
            if word.kind == "i32":
                code.op("i64.extend_i32_u")
            code.set(wide)
            last = number == len(words) - 1
            if not last:
                count = code.temp()
                code.get(wide)
                code.ops("i64.popcnt", "i32.wrap_i64")
                code.set(count)
                code.get(k)
                code.get(count)
                code.op("i32.lt_s")
            with code.when() if not last else code.block():
                code.get(wide)
                code.get(k)
                code.call(world.names["nth"])
                if number:
                    code.const(64 * number)
                    code.op("i32.add")
                code.set(result)
                code.br(found)
            if not last:
                code.get(k)
                code.get(count)
                code.op("i32.sub")
                code.set(k)
    code.get(result)
