"""The function around one whose results are remembered (remembered.py)."""

from __future__ import annotations

from interpreter.machine.wasm.assembler import Function, const, load, variable
from interpreter.machine.wasm.encode import Code
from interpreter.machine.wasm.remembered import WORD
from interpreter.machine.wasm.world import World


def wrapper(world: World, f: int, inner: int) -> Code:
    """The function around the module's function `inner` for function f of the program. Arguments out of their intervals go straight
    through."""
    kind, memo = world.func_type(f), world.remembered[f]
    code = Code(kind, f"{world.program.funcs[f].address} remembered")
    function = Function(code, world.module, world.names)
    known = world.memory.row + world.memory.row_bytes + memo.at
    results, step = known + WORD, WORD * len(kind.results)
    key, bit = function.local(), function.local("i64")
    own = [function.local(word) for word in kind.results]
    with function.block() as outside:
        # The key is the arguments in mixed radix; then the place of its result.
        for given, low, count in zip(function.params, memo.lows, memo.counts, strict=True):
            function.br_if(outside, (given - low).at_least(count))
            function.set(key, key * count + (given - low))
        function.set(bit, const(1, "i64") << key.wide())
        function.set(key, key * step)
        with function.when((load(known, kind="i64") & bit).is_zero()):
            function.do(inner, *function.params, into=own)
            with function.when(variable(world.module, world.variables.looking)):
                function.do("log_range", known, WORD)
                function.do("log_range", key + results, step)
            for k, word in enumerate(own):
                function.store(key, word, results + WORD * k)
            function.store(known, load(known, kind="i64") | bit)
        function.leave(*[load(key, results + WORD * k, word) for k, word in enumerate(kind.results)])
    function.do(inner, *function.params, into=own)
    function.give(*own)
    return code
