"""Picking an option in the middle of a procedure, in a playout.

In: a block that asks or draws. Out: code that picks one of its options as a driver's loop would (picks.py has the functions), without
leaving the procedure; where that is not possible, what follows asks as ever.
"""

from __future__ import annotations

from collections.abc import Callable

from interpreter.ir.ir_types import SetT
from interpreter.ir.ops import Alike, Chance, Choose, Probe
from interpreter.ir.program import Block
from interpreter.ir.row import STACK, first_stream
from interpreter.ir.steps import STEPS
from interpreter.ir.walk import term_exprs, walk
from interpreter.machine.chance import stream_number
from interpreter.machine.wasm.bits import push_count
from interpreter.machine.wasm.encode import Code
from interpreter.machine.wasm.expressions import Emitter
from interpreter.machine.wasm.values import Words
from interpreter.machine.wasm.world import World


def plays(world: World, block: Block) -> bool:
    """Whether a playout picks an option right here: nothing is looked ahead for, and the options are a set."""
    term = block.term
    assert isinstance(term, Choose | Chance)
    if isinstance(term, Chance) and term.weight is not None:
        return False
    if isinstance(term, Choose) and any(extra.changes for extra in term.extras):
        return False
    if any(isinstance(part, Probe | Alike) for e in term_exprs(term) for part in walk(e)):
        return False
    scope = world.program.procs[block.p].locals
    return isinstance(world.types.many(term.domain, scope), SetT)


class Picking:
    """Emits into one procedure's function. `chosen` is the local that gets the option."""

    def __init__(self, emit: Emitter, chosen: int) -> None:
        self.emit = emit
        self.context = emit.context
        self.code = emit.context.code
        self.world = emit.context.world
        self.chosen = chosen

    def play(self, block: Block, go: Callable[[], None]) -> None:
        """In a playout, pick an option and go on with it, as `go` emits; else go on below. At the limit of plies too: the game ends
        there."""
        code, emit, variables = self.code, self.emit, self.world.variables
        term = block.term
        assert isinstance(term, Choose | Chance)
        with code.block() as asked, code.scratch():
            code.get_global(variables.mode)
            code.op("i32.eqz")
            code.br_if(asked)
            code.get_global(variables.looking)
            code.br_if(asked)
            code.get_global(variables.plies)
            code.get_global(variables.limit)
            code.op("i32.ge_s")
            code.br_if(asked)
            if self.world.program.forks:
                code.const(0)
                code.memory("i32.load", self.world.memory.cell(STACK))
                code.br_if(asked)
            words = emit.set(emit.offered(term))
            count, elements = code.temp(), code.temp()
            push_count(code, words)
            code.tee(elements)
            code.set(count)
            flags = self._flags(term, count) if isinstance(term, Choose) else []
            code.get(count)
            code.op("i32.eqz")
            code.br_if(asked)
            if isinstance(term, Choose) and term.quiet:
                # All that is offered is the first extra: nobody is asked. Steps count on, so that a question that leads to itself ends.
                code.get(count)
                code.const(1)
                code.op("i32.eq")
                code.get(flags[0])
                code.op("i32.and")
                with code.when():
                    code.const(-1)
                    code.set(self.chosen)
                    go()
            code.const(STEPS)
            code.set_global(variables.left)
            code.get_global(variables.plies)
            code.const(1)
            code.op("i32.add")
            code.set_global(variables.plies)
            k = code.temp()
            if isinstance(term, Choose):
                code.get_global(variables.decisions)
                code.get(count)
                code.const(1)
                code.ops("i32.gt_s", "i32.add")
                code.set_global(variables.decisions)
                emit.number(term.player)
                code.get(count)
                code.call(self.world.names["bot_pick"])
            else:
                stream = self.world.program.streams[term.stream]
                code.const(self.world.memory.cell(first_stream(self.world.program.players) + term.stream))
                code.const(stream_number(stream))
                code.get(count)
                code.call(self.world.names["stream_pick"])
            code.set(k)
            with code.block() as picked:
                if flags:
                    code.get(k)
                    code.get(elements)
                    code.op("i32.sub")
                    code.tee(count)
                    code.const(0)
                    code.op("i32.ge_s")
                    with code.when():
                        for e, flag in enumerate(flags):
                            code.const(-1 - e)
                            code.set(self.chosen)
                            code.get(count)
                            code.get(flag)
                            code.op("i32.sub")
                            code.tee(count)
                            code.const(0)
                            code.op("i32.lt_s")
                            code.br_if(picked)
                _push_nth(self.world, code, words, k)
                code.set(self.chosen)
            go()

    def _flags(self, term: Choose, count: int) -> list[int]:
        """Locals that say which extras are offered, and the count raised by them."""
        code, emit = self.code, self.emit
        flags = []
        for extra in term.extras:
            flag = code.temp()
            code.const(0)
            code.set(flag)
            with code.block() as on, code.scratch():
                emit.unless_all((extra.condition, extra.look), on)
                code.const(1)
                code.set(flag)
            code.get(count)
            code.get(flag)
            code.op("i32.add")
            code.set(count)
            flags.append(flag)
        return flags


def _push_nth(world: World, code: Code, words: Words, k: int) -> None:
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
