"""Procedures as functions.

In: a procedure and its blocks. Out: one function, `(frame address, entry, arguments...) -> status`. Entry -1 begins at the procedure's
first block with the arguments; the others go on where the procedure was left: behind a block that waited, with its locals from the
frame; or at a block that needs all callers in the row, or is looked ahead from, with its locals from the buffer. A procedure called
from another's function runs right away, and its callers' locals come into the row only if it stops on the way (status WAITS to YIELD).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from interpreter.ir.evaluate import elements
from interpreter.ir.frames import live_at_entry
from interpreter.ir.ir_types import SeqT, SetT, cells
from interpreter.ir.look_ahead import LookAhead
from interpreter.ir.ops import (
    Alike,
    And,
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
    Probe,
    Query,
    Return,
    Switch,
)
from interpreter.ir.program import Block, Program
from interpreter.ir.row import HEADER, LINK, STACK, first_stream
from interpreter.ir.steps import STEPS, stepping
from interpreter.ir.walk import callees, stmt_exprs, targets, term_exprs, walk, walk_stmts
from interpreter.machine.chance import stream_number
from interpreter.machine.wasm.bits import push_count
from interpreter.machine.wasm.encode import Code, FuncType, Label
from interpreter.machine.wasm.memory import BUDGET, BUG, RULE, buffered
from interpreter.machine.wasm.picks import push_nth, scaled
from interpreter.machine.wasm.statements import (
    COMMITTED,
    DRAWS,
    FAILED,
    FORKED,
    HALTED,
    LAST_KEPT,
    RETURNED,
    WAITS,
    YIELD,
    Statements,
)
from interpreter.machine.wasm.structure import Graph, Shape, shape_of, with_gates
from interpreter.machine.wasm.values import CELL, shape, shaped
from interpreter.machine.wasm.world import World, param_words


def looks_ahead(block: Block) -> bool:
    """Whether a block needs all callers in the row when it begins: it looks ahead, or counts calls under way."""
    exprs = [e for stmt in walk_stmts(block.stmts) for e in stmt_exprs(stmt)]
    if not isinstance(block.term, Choose | Chance):
        exprs += term_exprs(block.term)
    return any(isinstance(part, Probe | Alike) for e in exprs for part in walk(e))


@dataclass(slots=True)
class Entries:
    """Where procedures can be entered from outside. `begin[p]`: at the beginning of procedure p, with its arguments from the buffer;
    `resume[b]`: behind block b, which waited or called; `buffered[b]`: at block b, with the locals it needs from the buffer. Numbers
    count anew in each procedure, in the order of `lists[p]`, which has the kind of entry and the block."""

    begin: list[int] = field(default_factory=list)
    resume: dict[int, int] = field(default_factory=dict)
    buffered: dict[int, int] = field(default_factory=dict)
    lists: list[list[tuple[str, int]]] = field(default_factory=list)

    @classmethod
    def of(cls, program: Program) -> Entries:
        """The entries of all procedures."""
        entries = cls(lists=[[] for _ in program.procs])
        for p, proc in enumerate(program.procs):
            entries.begin.append(len(entries.lists[p]))
            entries.lists[p].append(("begin", proc.entry))
        wanted: set[int] = set()
        for block in program.blocks:
            if isinstance(block.term, Choose | Chance | Call | CallEffect | Fork):
                entries.resume[block.id] = len(entries.lists[block.p])
                entries.lists[block.p].append(("resume", block.id))
            if looks_ahead(block) or counts_calls(program, block):
                wanted.add(block.id)
            exprs = [e for stmt in walk_stmts(block.stmts) for e in stmt_exprs(stmt)] + list(term_exprs(block.term))
            wanted |= {part.b for e in exprs for part in walk(e) if isinstance(part, Probe)}
            if isinstance(block.term, Choose):
                wanted |= {extra.b for extra in block.term.extras if extra.changes}
        for b in sorted(wanted):
            p = program.blocks[b].p
            entries.buffered[b] = len(entries.lists[p])
            entries.lists[p].append(("buffer", b))
        return entries


def counts_calls(program: Program, block: Block) -> bool:
    """Whether a block calls a procedure that may be under way only so often."""
    return isinstance(block.term, Call | CallEffect) and any(program.procs[p].depth for p in callees(block.term))


@dataclass(slots=True)
class Facts:
    """What the lowering of procedures knows of the whole program."""

    program: Program
    entries: Entries
    live: Mapping[int, frozenset[int]]
    """The locals that each block needs."""
    ends: frozenset[int]
    """Blocks where a look-ahead may end, as nothing behind them can fail."""
    steps: frozenset[int]
    """Blocks that count as a step."""
    recursive: bool
    """Whether a procedure may be under way more than once."""

    @classmethod
    def of(cls, program: Program) -> Facts:
        """Work them out."""
        ahead = LookAhead(program.blocks, program.procs)
        entries = Entries.of(program)
        sure = {b.id for b in program.blocks if not ahead.may_fail(b.id)}
        heads = {proc.entry for proc in program.procs} | set(entries.buffered)
        for block in program.blocks:
            if block.id not in sure or isinstance(block.term, Call | CallEffect | Fork):
                heads |= set(targets(block.term))
        return cls(
            program,
            entries,
            {b: frozenset(elements(mask)) for b, mask in enumerate(live_at_entry(program.blocks))},
            frozenset(sure & heads),
            stepping(program),
            any(proc.depth for proc in program.procs),
        )


def proc_type(program: Program, p: int) -> FuncType:
    """The type of a procedure's function."""
    proc = program.procs[p]
    words = [word for kind in proc.locals[: proc.params] for word in shape(kind)]
    return FuncType(("i32", "i32", *words), ("i32",))


class Procedure:
    """Emits one procedure's function."""

    def __init__(self, world: World, facts: Facts, p: int, functions: Sequence[int]) -> None:
        self.world = world
        self.facts = facts
        self.p = p
        self.functions = functions
        program = world.program
        proc = program.procs[p]
        self.code = Code(proc_type(program, p), proc.address)
        given, _ = param_words(proc.locals[: proc.params], 2)
        where: list[list[int]] = [*given, *[[] for _ in proc.locals[proc.params :]]]
        self.frame, self.entry = 0, 1
        self.statements = Statements(world, self.code, p, where, self.frame, facts.live, facts.entries.buffered)
        self.emit = self.statements.emit
        self.context = self.emit.context
        self.frames = self.statements.frames
        self.status = self.code.local()
        self.chosen = self.code.local()
        self.blocks = [b.id for b in program.blocks if b.p == p]
        self._names: dict[tuple[str, int], int] = {}
        self._nodes: list[tuple[str, int]] = []
        self._labels: dict[int, Label] = {}
        self._gates: dict[int, int] = {}
        self._out = Label(0)

    def function(self) -> Code:
        """The whole function."""
        graph = with_gates(self._graph())
        self.graph = graph
        self.shape: Shape = shape_of(graph)
        for gate in graph.gates:
            self._gates[gate] = self.code.local()
        self._own_sequences()
        with self.code.block() as out:
            self._out = out
            self._tree(0)
            # Every way through has left by now.
            self.code.op("unreachable")
        self.context.finish()
        self.code.get(self.status)
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

    # -------------------------------------------------------------- the graph

    def _node(self, kind: str, number: int) -> int:
        key = (kind, number)
        if key not in self._names:
            self._names[key] = len(self._nodes)
            self._nodes.append(key)
        return self._names[key]

    def _graph(self) -> list[list[int]]:
        program = self.world.program
        proc = program.procs[self.p]
        self._node("root", 0)
        for b in self.blocks:
            self._node("block", b)
        for b in self.blocks:
            if isinstance(program.blocks[b].term, Choose | Chance):
                self._node("chosen", b)
        for entry, b in self.facts.entries.lists[self.p]:
            self._node(entry, b)
        edges: list[list[int]] = []
        for kind, number in self._nodes:
            match kind:
                case "root":
                    stubs = [self._node(entry, b) for entry, b in self.facts.entries.lists[self.p]]
                    edges.append([self._node("block", proc.entry), *stubs])
                case "begin" | "buffer":
                    edges.append([self._node("block", number)])
                case "resume":
                    term = program.blocks[number].term
                    if isinstance(term, Choose | Chance):
                        edges.append([self._node("chosen", number)])
                    else:
                        edges.append([self._node("block", b) for b in targets(term)])
                case "chosen":
                    edges.append([self._node("block", b) for b in targets(program.blocks[number].term)])
                case _:
                    edges.append(self._ways(program.blocks[number]))
        return edges

    def _ways(self, block: Block) -> list[int]:
        match block.term:
            case Choose() | Chance():
                return [self._node("chosen", block.id)] if self.plays(block) else []
            case Fork():
                return []
            case _:
                return [self._node("block", b) for b in targets(block.term)]

    def plays(self, block: Block) -> bool:
        """Whether a playout picks an option right here: nothing is looked ahead for, and the options are a set."""
        term = block.term
        assert isinstance(term, Choose | Chance)
        if isinstance(term, Chance) and term.weight is not None:
            return False
        if isinstance(term, Choose) and any(extra.changes for extra in term.extras):
            return False
        if any(isinstance(part, Probe | Alike) for e in term_exprs(term) for part in walk(e)):
            return False
        scope = self.world.program.procs[self.p].locals
        return isinstance(self.world.types.many(term.domain, scope), SetT)

    def _play(self, v: int, block: Block) -> None:
        """In a playout, pick an option and go on with it; else go on below. At the limit of plies too: the game ends there."""
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
            conditions = [term.where, term.look] if isinstance(term, Choose) else [term.where]
            size = self.world.types.many(term.domain, emit.context.scope).size
            where = tuple(part for part in conditions if part is not None)
            words = emit.set(Query("filter", term.n, term.domain, And(where) if where else None, None, size))
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
                    self._go(v, self._node("chosen", block.id))
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
                code.call(self.world.names["bot_number"])
                scaled(code, count)
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
                push_nth(self.world, code, words, k)
                code.set(self.chosen)
            self._go(v, self._node("chosen", block.id))

    def _flags(self, term: Choose, count: int) -> list[int]:
        """Locals that say which extras are offered, and the count raised by them."""
        code, emit = self.code, self.emit
        flags = []
        for extra in term.extras:
            flag = code.temp()
            code.const(0)
            code.set(flag)
            with code.block() as on, code.scratch():
                for condition in (extra.condition, extra.look):
                    if condition is not None:
                        emit.test(condition, on, False)
                code.const(1)
                code.set(flag)
            code.get(count)
            code.get(flag)
            code.op("i32.add")
            code.set(count)
            flags.append(flag)
        return flags

    # -------------------------------------------------------------- structure

    def _tree(self, v: int) -> None:
        """A node and all that it dominates; where a node has one way on to a node that nothing else leads to, that follows here."""
        code = self.code
        merges = [w for w in self.shape.children[v] if w in self.shape.merges]
        if v in self.shape.loops:
            with code.loop() as again:
                self._labels[v] = again
                self._within(v, merges)
        else:
            self._within(v, merges)

    def _within(self, v: int, merges: list[int]) -> None:
        if not merges:
            self._content(v)
            return
        # The last in order stands outermost.
        *rest, last = merges
        kept = self._labels.get(last)
        with self.code.block() as label:
            self._labels[last] = label
            self._within(v, rest)
        if kept is None:
            del self._labels[last]
        else:
            self._labels[last] = kept
        self._tree(last)

    def _go(self, v: int, w: int) -> None:
        """From node v on to node w."""
        gate = self.graph.through.get((v, w))
        if gate is not None:
            self.code.const(self.graph.gates[gate].index(w))
            self.code.set(self._gates[gate])
            self._go(v, gate)
            return
        if self.shape.number[w] <= self.shape.number[v] or w in self.shape.merges:
            self.code.br(self._labels[w])
        else:
            self._tree(w)

    def _leave(self, status: int) -> None:
        self.code.const(status)
        self.code.set(self.status)
        self.code.br(self._out)

    # -------------------------------------------------------------- nodes

    def _content(self, v: int) -> None:
        if v in self.graph.gates:
            ways = self.graph.gates[v]
            self._switch(v, [partial(self._go, v, w) for w in ways], lambda: self.code.get(self._gates[v]))
            return
        kind, number = self._nodes[v]
        program = self.world.program
        match kind:
            case "root":
                self._root(v)
            case "begin":
                self.frames.from_buffer(range(program.procs[self.p].params))
                self._go(v, self._node("block", number))
            case "buffer":
                self.frames.from_buffer(sorted(self.facts.live[number]))
                self._go(v, self._node("block", number))
            case "resume":
                self._resume(v, program.blocks[number])
            case "chosen":
                self._chosen(v, program.blocks[number])
            case _:
                self._block(v, program.blocks[number])

    def _switch(self, v: int, ways: Sequence[Callable[[], None]], push: Callable[[], None]) -> None:
        """One of several ways by the number that `push` pushes."""
        code = self.code
        if len(ways) == 1:
            ways[0]()
            return
        with code.nested(len(ways)) as labels:
            push()
            code.br_table(labels, labels[-1])
            for way in ways:
                code.end()
                way()

    def _root(self, v: int) -> None:
        code = self.code
        first, *stubs = self.graph.edges[v]
        proc = self.world.program.procs[self.p]
        entry = self._node("block", proc.entry)
        wanted = [self._node(entry, b) for entry, b in self.facts.entries.lists[self.p]]
        del first, stubs

        def push() -> None:
            code.get(self.entry)
            code.const(1)
            code.op("i32.add")

        self._switch(v, [partial(self._go, v, w) for w in (entry, *wanted)], push)

    def _resume(self, v: int, block: Block) -> None:
        self.frames.load(block)
        if isinstance(block.term, Choose | Chance):
            self.code.get_global(self.world.variables.choice)
            self.code.set(self.chosen)
            self._go(v, self._node("chosen", block.id))
        else:
            (b,) = targets(block.term)
            self._go(v, self._node("block", b))

    def _chosen(self, v: int, block: Block) -> None:
        code, term = self.code, block.term
        assert isinstance(term, Choose | Chance)

        def element() -> None:
            code.get(self.chosen)
            code.set(self.context.local(term.n)[0])
            self._go(v, self._node("block", term.b))

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

        self._switch(v, [partial(self._go, v, self._node("block", e.b)) for e in extras], push)

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
                self._leave(COMMITTED)
        if block.id in self.facts.entries.buffered and (looks_ahead(block) or counts_calls(self.world.program, block)):
            self._yield(block)
        self.statements.body(block.stmts, self._out, self.status)
        with code.scratch():
            self._term(v, block)

    def _yield(self, block: Block) -> None:
        """Called from another function: out, until all callers are in the row."""
        code, variables = self.code, self.world.variables
        code.get(self.entry)
        code.const(0)
        code.op("i32.lt_s")
        with code.when():
            self.frames.to_buffer(block.id)
            code.const(self.facts.entries.buffered[block.id])
            code.set_global(variables.at)
            code.get(self.frame)
            code.set_global(variables.frame)
            code.const(self.p)
            code.set_global(variables.proc)
            if block.id in self.facts.steps:
                # It is entered again.
                code.get_global(variables.left)
                code.const(1)
                code.op("i32.add")
                code.set_global(variables.left)
            self._leave(YIELD)

    # -------------------------------------------------------------- terminators

    def _term(self, v: int, block: Block) -> None:
        code, emit, program = self.code, self.emit, self.world.program
        match block.term:
            case Jump(b):
                self._go(v, self._node("block", b))
            case Branch(condition, then, other):
                with code.block() as unless:
                    emit.test(condition, unless, False)
                    self._go(v, self._node("block", then))
                self._go(v, self._node("block", other))
            case Switch(value, blocks):
                self._switch_blocks(v, value, blocks)
            case Choose():
                self._never_ask(block.term)
                if self.plays(block):
                    self._play(v, block)
                self._suspend(block, WAITS)
            case Chance():
                if self.plays(block):
                    self._play(v, block)
                self._suspend(block, DRAWS)
            case Fork(players, p, args):
                (seats,) = shaped(code, emit.set(players), program.players)
                seats.push(code)
                code.set_global(self.world.variables.seats)
                callee = program.procs[p]
                kinds = callee.locals[: callee.params]
                self.frames.args_to(self.world.memory.fork_args, args, kinds[1:], buffered(kinds[0]))
                self._suspend(block, FORKED)
            case Call(p, args, b):
                self._call(block, p, args)
                self._go(v, self._node("block", b))
            case CallEffect(effect, args, procs, b):
                self._call_effect(block, effect, args, procs)
                self._go(v, self._node("block", b))
            case Commit(b):
                code.get_global(self.world.variables.looking)
                with code.when():
                    self._leave(COMMITTED)
                self._go(v, self._node("block", b))
            case Return():
                self._leave(RETURNED)
            case Halt():
                self._leave(HALTED)
            case Fail():
                self._leave(FAILED)

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
            self._go(v, self._node("block", distinct[0]))
            return

        # Several numbers may lead to one block, which stands in one place.
        with code.nested(len(distinct)) as labels:
            at = dict(zip(distinct, labels, strict=True))
            code.get(way)
            code.br_table([at[b] for b in blocks], labels[-1])
            for b in distinct:
                code.end()
                self._go(v, self._node("block", b))

    def _never_ask(self, term: Choose) -> None:
        code = self.code
        if not self.world.program.scripted:
            return
        self.emit.number(term.player)
        code.const(self.world.program.scripted[0])
        code.op("i32.ge_s")
        with code.when():
            self.context.fail(RULE)

    def _suspend(self, block: Block, status: int) -> None:
        code = self.code
        self.frames.save(block)
        at = self._stack_cells()
        code.get(at)
        code.const(block.id)
        code.memory("i32.store", self.world.memory.cell(HEADER))
        code.get(at)
        code.get(self.frame)
        self._as_cell()
        code.memory("i32.store", self.world.memory.cell(HEADER + 1))
        self._leave(status)

    def _stack_cells(self) -> int:
        """A local with the distance of the running stack's cells from the first stack's."""
        code = self.code
        at = code.temp()
        if self.world.program.forks:
            code.const(0)
            code.memory("i32.load", self.world.memory.cell(2))
            code.const(3)
            code.op("i32.shl")
        else:
            code.const(0)
        code.set(at)
        return at

    def _as_cell(self) -> None:
        """An address in the row becomes the number of its cell."""
        self.code.const(self.world.memory.row)
        self.code.op("i32.sub")
        self.code.const(2)
        self.code.op("i32.shr_u")

    def _call(self, block: Block, p: int, args: Sequence[Expr]) -> None:
        code = self.code
        callee = self.world.program.procs[p]
        self._guard(block, p)
        self._above()
        code.const(-1)
        self.emit.functions.push_args(args, callee.locals[: callee.params])
        code.call(self.functions[p])
        self._after_call(block)

    def _guard(self, block: Block, p: int) -> None:
        """Room and depth of a call, where procedures may call themselves."""
        code, program = self.code, self.world.program
        callee = program.procs[p]
        if callee.depth:
            code.get(self.frame)
            code.const(self.p)
            code.const(p)
            code.call(self.world.names["under_way"])
            code.const(callee.depth)
            code.op("i32.ge_s")
            with code.when():
                self._leave(FAILED)
        if self.facts.recursive:
            self._above()
            code.const(CELL * (LINK + callee.frame))
            code.op("i32.add")
            code.call(self.world.names["stack_room"])

    def _above(self) -> None:
        """Push where a called procedure's frame begins."""
        self.code.get(self.frame)
        self.code.const(CELL * (LINK + self.frames.proc.frame))
        self.code.op("i32.add")

    def _after_call(self, block: Block) -> None:
        """Go on if the callee has returned; else out, and if it will go on later, with everything in the row."""
        code = self.code
        code.tee(self.status)
        with code.when():
            code.get(self.status)
            code.const(LAST_KEPT)
            code.op("i32.le_s")
            with code.when():
                self.frames.save(block, LINK)
                self._above()
                code.const(block.id)
                code.memory("i32.store")
                self._above()
                code.get(self.frame)
                self._as_cell()
                code.memory("i32.store", CELL)
            code.br(self._out)

    def _call_effect(self, block: Block, effect: Expr, args: Sequence[Expr], procs: Sequence[int]) -> None:
        code, emit = self.code, self.emit
        emit.number(effect)
        wanted = code.temp()
        code.set(wanted)
        ordered = sorted(set(procs))
        with code.block() as done:
            for p in ordered:
                with code.block() as other:
                    code.get(wanted)
                    code.const(p)
                    code.op("i32.ne")
                    code.br_if(other)
                    callee = self.world.program.procs[p]
                    self._guard(block, p)
                    self._above()
                    code.const(-1)
                    emit.functions.push_args(args, callee.locals[: callee.params])
                    code.call(self.functions[p])
                    code.set(self.status)
                    code.br(done)
            self.context.fail(BUG)
        code.get(self.status)
        self._after_call(block)


def each_choose(program: Program) -> Iterator[Block]:
    """The blocks that ask or draw."""
    for block in program.blocks:
        if isinstance(block.term, Choose | Chance):
            yield block


__all__ = ["Entries", "Facts", "Graph", "Procedure", "each_choose", "proc_type"]
