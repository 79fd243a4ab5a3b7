"""Where procedures can be entered, and what else their lowering knows of the whole program.

In: a program. Out: `Entries`, the ways into each procedure's function from outside; `Facts`, with the locals that blocks need and the
blocks where a step counts or a look-ahead ends. Nothing is emitted here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from interpreter.ir.evaluate import elements
from interpreter.ir.frames import live_at_entry
from interpreter.ir.look_ahead import LookAhead
from interpreter.ir.ops import Alike, Call, CallEffect, Chance, Choose, Fork, Probe
from interpreter.ir.program import Block, Program
from interpreter.ir.steps import stepping
from interpreter.ir.walk import callees, stmt_exprs, targets, term_exprs, walk, walk_stmts
from interpreter.machine.wasm.encode import FuncType
from interpreter.machine.wasm.values import shape

EntryKind = Literal["begin", "resume", "buffer"]


def looks_ahead(block: Block) -> bool:
    """Whether a block needs all callers in the row when it begins: it looks ahead, or counts calls under way."""
    exprs = [e for stmt in walk_stmts(block.stmts) for e in stmt_exprs(stmt)]
    if not isinstance(block.term, Choose | Chance):
        exprs += term_exprs(block.term)
    return any(isinstance(part, Probe | Alike) for e in exprs for part in walk(e))


def counts_calls(program: Program, block: Block) -> bool:
    """Whether a block calls a procedure that may be under way only so often."""
    return isinstance(block.term, Call | CallEffect) and any(program.procs[p].depth for p in callees(block.term))


@dataclass(slots=True)
class Entries:
    """Where procedures can be entered from outside. `begin[p]`: at the beginning of procedure p, with its arguments from the buffer;
    `resume[b]`: behind block b, which waited or called; `buffered[b]`: at block b, with the locals it needs from the buffer. Numbers
    count anew in each procedure, in the order of `lists[p]`, which has the kind of entry and the block."""

    begin: list[int] = field(default_factory=list)
    resume: dict[int, int] = field(default_factory=dict)
    buffered: dict[int, int] = field(default_factory=dict)
    lists: list[list[tuple[EntryKind, int]]] = field(default_factory=list)

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
