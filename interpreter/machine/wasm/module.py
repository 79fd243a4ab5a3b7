"""A program as a WebAssembly module.

In: a verified program. Out: the module's bytes, and the map of its memory. The same program gives the same bytes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from interpreter.ir.expr_types import ExprTypes
from interpreter.ir.ir_types import SeqT, SetT, cells
from interpreter.ir.ops import Chance, Choose, Fork
from interpreter.ir.program import Program
from interpreter.ir.row import LINK
from interpreter.machine.wasm.around import wrapper
from interpreter.machine.wasm.bits import copy_words
from interpreter.machine.wasm.encode import Code, FuncType, Module
from interpreter.machine.wasm.entries import Facts, proc_type
from interpreter.machine.wasm.expressions import Emitter
from interpreter.machine.wasm.memory import PAGE, SLOT, Memory, buffered, largest_question
from interpreter.machine.wasm.playouts import Playouts
from interpreter.machine.wasm.procedures import Procedure
from interpreter.machine.wasm.questions import WAYS, Question
from interpreter.machine.wasm.remembered import remembered
from interpreter.machine.wasm.runtime import SIGNATURES, Runtime
from interpreter.machine.wasm.tables import Tables, block_tables, int_table, luck_tables
from interpreter.machine.wasm.values import shape, shaped
from interpreter.machine.wasm.world import Variables, World, param_words

DEEP = 20_000
"""Python frames for walking trees of rules: a procedure of many blocks nests deeply."""


@dataclass(frozen=True, slots=True)
class Built:
    """A module with what its host must know of it."""

    raw: bytes
    memory: Memory


def build(program: Program) -> Built:
    """The module of a program."""
    with _deep():
        return _build(program)


@contextmanager
def _deep() -> Iterator[None]:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, DEEP))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def _build(program: Program) -> Built:
    types = ExprTypes(program)
    results = remembered(program)
    room = max((memo.at + memo.size for memo in results.values()), default=0)
    memory = Memory.of(program, largest_question(program, types), room)
    module = Module()
    variables = Variables.of(module)
    world = World(program, types, module, memory, variables)
    world.remembered = results
    world.names = {name: module.declare(kind) for name, kind in SIGNATURES.items()}
    world.functions = [module.declare(world.func_type(f)) for f in range(len(program.funcs))]
    facts = Facts.of(program)
    procs = [module.declare(proc_type(program, p)) for p in range(len(program.procs))]
    questions = [b for b in program.blocks if isinstance(b.term, Choose | Chance)]
    for f, number in enumerate(world.functions):
        if f in results:
            inner = module.add(_function(world, f))
            module.define(number, wrapper(world, f, inner))
        else:
            module.define(number, _function(world, f))
    for p, number in enumerate(procs):
        module.define(number, Procedure(world, facts, p, procs).function())
    listings = [module.add(Question(world, facts, b).listing()) for b in questions]
    nowhere = module.add(_nowhere())
    ways = [module.add(Question(world, facts, b).ways()) if isinstance(b.term, Choose) else nowhere for b in questions]
    players = [module.add(Question(world, facts, b).player()) for b in questions]
    resumes = [module.add(_resume(program, p, number)) for p, number in enumerate(procs)]
    doors = [module.add(_door(world, f)) for f in range(len(program.funcs))]
    module.add(_setter(variables.listening), "listen")
    module.add(_setter(variables.mode), "play_inside")
    module.elements = [*resumes, *listings, *ways, *players, *doors]
    asked = len(questions)
    tables = Tables(
        **block_tables(program, memory, facts.entries.resume, facts.entries.begin, [b.id for b in questions], LINK),
        **luck_tables(program, memory),
        procs=0,
        listings=len(resumes),
        ways=len(resumes) + asked,
        players=len(resumes) + 2 * asked,
        functions=len(resumes) + 3 * asked,
    )
    world.fork_procs = int_table(memory, [b.term.p if isinstance(b.term, Fork) else -1 for b in program.blocks])
    memory.close()
    Runtime(world, tables).define()
    Playouts(world, tables).define()
    module.data = memory.data
    module.pages = memory.end // PAGE
    return Built(module.encoded(), memory)


def _function(world: World, f: int) -> Code:
    """A pure function."""
    func = world.program.funcs[f]
    code = Code(world.func_type(f), func.address)
    given, types = param_words(func.locals[: func.params], 0)
    emit = Emitter(world, code, func.locals, [*given, *[[] for _ in func.locals[func.params :]]])
    match func.result:
        case SetT(size):
            words = shaped(code, emit.set(func.body), size)
            own = [code.local(kind) for kind in shape(func.result)]
            copy_words(code, own, words)
            emit.context.finish()
            for local in own:
                code.get(local)
        case SeqT():
            source = emit.sequence(func.body)
            emit.sequences.copy(len(types), source, cells(func.result))
            emit.context.finish()
        case _:
            emit.number(func.body)
            emit.context.finish()
    return code


def _setter(variable: int) -> Code:
    """The host sets a variable of the module."""
    code = Code(FuncType(("i32",)), "set")
    code.get(0)
    code.set_global(variable)
    return code


def _nowhere() -> Code:
    code = Code(WAYS, "no ways")
    code.const(-1)
    return code


def _resume(program: Program, p: int, number: int) -> Code:
    """A procedure's function as the trampoline calls it: without arguments."""
    code = Code(FuncType(("i32", "i32"), ("i32",)), f"resume {p}")
    kind = proc_type(program, p)
    code.get(0)
    code.get(1)
    for word in kind.params[2:]:
        code.const(0, word)
    code.call(number)
    return code


def _door(world: World, f: int) -> Code:
    """A function as the host calls it: arguments and result in the buffer. Sequences do not pass."""
    func = world.program.funcs[f]
    code = Code(FuncType((), ()), f"door {f}")
    kinds = func.locals[: func.params]
    if isinstance(func.result, SeqT) or any(isinstance(kind, SeqT) for kind in kinds):
        return code
    offset = 0
    for kind in kinds:
        for k, word in enumerate(shape(kind)):
            code.const(world.memory.buffer)
            code.memory(f"{word}.load", offset + SLOT * k)
        offset += buffered(kind)
    code.call(world.functions[f])
    for k, word in reversed(list(enumerate(shape(func.result)))):
        result = code.temp(word)
        code.set(result)
        code.const(world.memory.buffer)
        code.get(result)
        code.memory(f"{word}.store", SLOT * k)
    return code
