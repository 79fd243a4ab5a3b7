"""Procedures as functions.

In: a procedure and its blocks. Out: one function, `(frame address, entry, arguments...) -> status`. Entry -1 begins at the procedure's
first block with the arguments; the others go on where the procedure was left: behind a block that waited, with its locals from the
frame; or at a block that needs all callers in the row, or is looked ahead from, with its locals from the buffer. A procedure called
from another's function runs right away, and its callers' locals come into the row only if it stops on the way (status WAITS to YIELD).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from interpreter.ir.ir_types import SeqT, cells
from interpreter.ir.ops import (
    Branch,
    Call,
    CallEffect,
    Chance,
    Choose,
    Commit,
    Expr,
    Fail,
    Fork,
    Halt,
    Jump,
    Return,
    Switch,
)
from interpreter.ir.program import Block
from interpreter.ir.walk import targets
from interpreter.machine.wasm.encode import Code
from interpreter.machine.wasm.entries import Facts, counts_calls, looks_ahead, proc_type
from interpreter.machine.wasm.flow import Flow, Kind
from interpreter.machine.wasm.leaving import Leaving
from interpreter.machine.wasm.memory import BUDGET, BUG, RULE, buffered
from interpreter.machine.wasm.picking import Picking, plays
from interpreter.machine.wasm.statements import COMMITTED, DRAWS, FAILED, FORKED, HALTED, RETURNED, WAITS, Statements
from interpreter.machine.wasm.values import shaped
from interpreter.machine.wasm.world import World, param_words


class Procedure:
    """Emits one procedure's function."""

    def __init__(self, world: World, facts: Facts, p: int, functions: Sequence[int]) -> None:
        self.world = world
        self.facts = facts
        self.p = p
        program = world.program
        proc = program.procs[p]
        self.code = Code(proc_type(program, p), proc.address)
        given, _ = param_words(proc.locals[: proc.params], 2)
        where: list[list[int]] = [*given, *[[] for _ in proc.locals[proc.params :]]]
        frame, self.entry = 0, 1
        self.statements = Statements(world, self.code, p, where, frame, facts.live, facts.entries.buffered)
        self.emit = self.statements.emit
        self.context = self.statements.context
        self.frames = self.statements.frames
        self.leaving = Leaving(self.statements, facts, self.entry, functions)
        self.chosen = self.code.local()
        self.picking = Picking(self.emit, self.chosen)
        self.flow = Flow(world, facts, p, self.code, self._content)

    def function(self) -> Code:
        """The whole function."""
        self._own_sequences()
        with self.code.block() as out:
            self.leaving.out = out
            self.flow.emit()
            # Every way through has left by now.
            self.code.op("unreachable")
        self.context.finish()
        self.code.get(self.leaving.status)
        return self.code

    def _own_sequences(self) -> None:
        """A sequence given by address may be the caller's variable: it is copied before anything changes it."""
        proc = self.world.program.procs[self.p]
        for n in range(proc.params):
            kind = proc.locals[n]
            if isinstance(kind, SeqT):
                given = self.context.where[n][0]
                self.context.where[n] = []
                own = self.context.local(n)[0]
                self.code.get(self.entry)
                self.code.const(-1)
                self.code.op("i32.eq")
                with self.code.when():
                    self.emit.sequences.copy(own, given, cells(kind))

    # -------------------------------------------------------------- nodes

    def _content(self, v: int, kind: Kind, number: int) -> None:
        program = self.world.program
        match kind:
            case "root":
                self._root(v)
            case "begin":
                self.frames.from_buffer(range(program.procs[self.p].params))
                self.flow.go(v, "block", number)
            case "buffer":
                self.frames.from_buffer(sorted(self.facts.live[number]))
                self.flow.go(v, "block", number)
            case "resume":
                self._resume(v, program.blocks[number])
            case "chosen":
                self._chosen(v, program.blocks[number])
            case "block":
                self._block(v, program.blocks[number])

    def _root(self, v: int) -> None:
        code = self.code
        proc = self.world.program.procs[self.p]
        ways: list[tuple[Kind, int]] = [("block", proc.entry), *self.facts.entries.lists[self.p]]

        def push() -> None:
            code.get(self.entry)
            code.const(1)
            code.op("i32.add")

        self.flow.switch([partial(self.flow.go, v, kind, b) for kind, b in ways], push)

    def _resume(self, v: int, block: Block) -> None:
        self.frames.load(block)
        if isinstance(block.term, Choose | Chance):
            self.code.get_global(self.world.variables.choice)
            self.code.set(self.chosen)
            self.flow.go(v, "chosen", block.id)
        else:
            (b,) = targets(block.term)
            self.flow.go(v, "block", b)

    def _chosen(self, v: int, block: Block) -> None:
        code, term = self.code, block.term
        assert isinstance(term, Choose | Chance)

        def element() -> None:
            code.get(self.chosen)
            code.set(self.context.local(term.n)[0])
            self.flow.go(v, "block", term.b)

        extras = term.extras if isinstance(term, Choose) else ()
        if not extras:
            element()
            return
        with code.block() as other:
            code.get(self.chosen)
            code.const(0)
            code.op("i32.lt_s")
            code.br_if(other)
            element()

        def push() -> None:
            code.const(-1)
            code.get(self.chosen)
            code.op("i32.sub")

        self.flow.switch([partial(self.flow.go, v, "block", e.b) for e in extras], push)

    def _block(self, v: int, block: Block) -> None:
        code, variables = self.code, self.world.variables
        if block.id in self.facts.steps:
            code.get_global(variables.left)
            code.const(1)
            code.op("i32.sub")
            code.set_global(variables.left)
            code.get_global(variables.left)
            code.op("i32.eqz")
            with code.when():
                self.context.fail(BUDGET)
        if block.id in self.facts.ends:
            code.get_global(variables.ending)
            with code.when():
                self.leaving.leave(COMMITTED)
        if block.id in self.facts.entries.buffered and (looks_ahead(block) or counts_calls(self.world.program, block)):
            self.leaving.yield_(block)
        self.statements.body(block.stmts, self.leaving.out, self.leaving.status)
        with code.scratch():
            self._term(v, block)

    # -------------------------------------------------------------- terminators

    def _term(self, v: int, block: Block) -> None:
        code, emit, program = self.code, self.emit, self.world.program
        match block.term:
            case Jump(b):
                self.flow.go(v, "block", b)
            case Branch(condition, then, other):
                with code.block() as unless:
                    emit.test(condition, unless, False)
                    self.flow.go(v, "block", then)
                self.flow.go(v, "block", other)
            case Switch(value, blocks):
                self._switch_blocks(v, value, blocks)
            case Choose():
                self._never_ask(block.term)
                if plays(self.world, block):
                    self.picking.play(block, partial(self.flow.go, v, "chosen", block.id))
                self.leaving.suspend(block, WAITS)
            case Chance():
                if plays(self.world, block):
                    self.picking.play(block, partial(self.flow.go, v, "chosen", block.id))
                self.leaving.suspend(block, DRAWS)
            case Fork(players, p, args):
                (seats,) = shaped(code, emit.set(players), program.players)
                seats.push(code)
                code.set_global(self.world.variables.seats)
                callee = program.procs[p]
                kinds = callee.locals[: callee.params]
                self.frames.args_to(self.world.memory.fork_args, args, kinds[1:], buffered(kinds[0]))
                self.leaving.suspend(block, FORKED)
            case Call(p, args, b):
                self.leaving.call(block, p, args)
                self.flow.go(v, "block", b)
            case CallEffect(effect, args, procs, b):
                self.leaving.call_effect(block, effect, args, procs)
                self.flow.go(v, "block", b)
            case Commit(b):
                code.get_global(self.world.variables.looking)
                with code.when():
                    self.leaving.leave(COMMITTED)
                self.flow.go(v, "block", b)
            case Return():
                self.leaving.leave(RETURNED)
            case Halt():
                self.leaving.leave(HALTED)
            case Fail():
                self.leaving.leave(FAILED)

    def _switch_blocks(self, v: int, value: Expr, blocks: Sequence[int]) -> None:
        code, emit = self.code, self.emit
        emit.number(value)
        way = code.temp()
        code.tee(way)
        code.const(len(blocks))
        code.op("i32.ge_u")
        with code.when():
            self.context.fail(BUG)
        distinct = list(dict.fromkeys(blocks))
        if len(distinct) == 1:
            self.flow.go(v, "block", distinct[0])
            return

        # Several numbers may lead to one block, which stands in one place.
        with code.nested(len(distinct)) as labels:
            at = dict(zip(distinct, labels, strict=True))
            code.get(way)
            code.br_table([at[b] for b in blocks], labels[-1])
            for b in distinct:
                code.end()
                self.flow.go(v, "block", b)

    def _never_ask(self, term: Choose) -> None:
        code = self.code
        if not self.world.program.scripted:
            return
        self.emit.number(term.player)
        code.const(self.world.program.scripted[0])
        code.op("i32.ge_s")
        with code.when():
            self.context.fail(RULE)
