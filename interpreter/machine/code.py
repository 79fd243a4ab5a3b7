"""Blocks made ready to run: closures for their statements and terminator, and how locals go to the frame and back.

In: a program and the maker of closures. Out: `Codes`, a `Code` for each block, made when the block is first entered. What the
terminators do is reference.py's business.
"""

from __future__ import annotations

from dataclasses import dataclass

from interpreter.ir.ir_types import IntT, IrType, SetT, cells
from interpreter.ir.look_ahead import LookAhead
from interpreter.ir.ops import (
    Alike,
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
    Return,
    Switch,
)
from interpreter.ir.program import Program
from interpreter.ir.row import LINK, fp_cell, pc_cell
from interpreter.ir.steps import stepping
from interpreter.ir.walk import stmt_exprs, term_exprs, walk, walk_stmts
from interpreter.machine.cells import Locals, Number, Row, Sequenced, Step, read_value, write_value
from interpreter.machine.closures import Compiler
from interpreter.machine.faults import EngineBug
from interpreter.machine.shapes import always


@dataclass(slots=True)
class Option:
    """An extra of a Choose: condition and look-ahead as closures; `looks` says that the look-ahead is just a probe of `b`."""

    condition: Number | None
    look: Number | None
    looks: bool
    changes: bool
    b: int


@dataclass(slots=True)
class Question:
    """What a Choose or Chance offers."""

    player: Number
    n: int
    each: Sequenced
    where: Number | None
    look: Number | None
    looks: bool
    weight: Number | None
    stream: int
    extras: tuple[Option, ...]
    quiet: bool = False

    def outcomes(self, row: Row, slots: Locals) -> list[tuple[int, int]]:
        """What a Chance can come to, with weights (all above 0)."""
        found = []
        for x in self.each(row, slots):
            slots[self.n] = x
            if self.where is None or self.where(row, slots):
                weight = 1 if self.weight is None else self.weight(row, slots)
                if weight > 0:
                    found.append((x, weight))
        return found


# What a terminator does; its operands are in Code.
JUMP, BRANCH, CHOOSE, CALL, RETURN, COMMIT, CHANCE, FORK, FAIL, HALT, EFFECT, SWITCH = range(12)


@dataclass(slots=True)
class Code:
    """A block made ready: statements, terminator, and how locals go to the frame and back."""

    kind: int
    id: int
    """The block whose terminator this is: a block that only jumps is run together with the next."""
    p: int
    steps: tuple[Step, ...]
    size: int
    """How many locals the procedure has."""
    frame: int
    """Length of its frame with linkage."""
    saved: tuple[tuple[int, int], ...]
    """(offset from the frame's beginning, local) of spilled locals that take one cell and need no conversion."""
    wide: tuple[tuple[int, int, IrType], ...]
    """The other spilled locals."""
    dead: tuple[int, ...]
    """Offsets of the cells that hold nothing here."""
    b: int = -1
    value: Number = always
    targets: tuple[int, ...] = ()
    callee: int = -1
    args: tuple[Number, ...] = ()
    why: int = 0
    question: Question | None = None
    steps_taken: int = 0
    """How much of the budget of steps it takes (ir/steps.py)."""
    reads_frames: bool = False
    """Whether its statements or its branch look ahead."""

    def asked(self) -> Question:
        """What is offered where this block ends."""
        if self.question is None:
            raise EngineBug("nobody is asked here")
        return self.question

    def suspend(self, row: Row, stack: int, fp: int, slots: Locals) -> None:
        """Leave a stack waiting at the end of this block, with its locals in the frame at fp."""
        row[pc_cell(stack)] = self.id
        self.save(row, fp, slots)

    def save(self, row: Row, fp: int, slots: Locals) -> None:
        """Locals into the frame at fp; its other cells are zeroed."""
        for offset, n in self.saved:
            row[fp + offset] = slots[n]
        for offset in self.dead:
            row[fp + offset] = 0
        for offset, n, kind in self.wide:
            write_value(row, fp + offset, kind, slots[n])

    def load(self, row: Row, fp: int) -> Locals:
        """The locals that the frame at fp keeps; the others are 0."""
        slots = [0] * self.size
        for offset, n in self.saved:
            slots[n] = row[fp + offset]
        for offset, n, kind in self.wide:
            slots[n] = read_value(row, fp + offset, kind)
        return slots


class Codes:
    """The blocks of one program, made ready when they are first entered."""

    def __init__(self, program: Program, compiler: Compiler) -> None:
        self.program = program
        self._compiler = compiler
        self._steps = stepping(program)
        self.plain: list[Code | None] = [None] * len(program.blocks)
        """By block; None where it was not entered yet (see `enter`)."""
        ahead = LookAhead(program.blocks, program.procs)
        self.ahead: list[Code | None] = [
            None if ahead.may_fail(b) else self._end(b) for b in range(len(program.blocks))
        ]
        """The same as a search sees them: where nothing can fail any more, the compound action is as good as complete."""

    def at(self, b: int) -> Code:
        """The code of a block, run together with those it jumps to."""
        code = self.plain[b]
        if code is None:
            code = self.plain[b] = self.make(b)
        return code

    def enter(self, codes: list[Code | None], b: int) -> Code:
        """The same, put into `plain` or `ahead`, where it is missing."""
        code = codes[b] = self.at(b)
        return code

    def suspended(self, row: Row, stack: int) -> tuple[Code, Locals]:
        """The block where a stack waits, and its locals."""
        code = self.at(row[pc_cell(stack)])
        return code, code.load(row, row[fp_cell(stack)])

    def _end(self, b: int) -> Code:
        """A block that does nothing but complete the compound action."""
        p = self.program.blocks[b].p
        proc = self.program.procs[p]
        return Code(COMMIT, b, p, (), len(proc.locals), LINK + proc.frame, (), (), ())

    def make(self, b: int) -> Code:
        """The code of a block, made anew."""
        chain = self._chain(b)
        block = self.program.blocks[chain[-1]]
        proc = self.program.procs[block.p]
        scope, room = proc.locals, LINK + proc.frame
        saved: list[tuple[int, int]] = []
        wide: list[tuple[int, int, IrType]] = []
        used: set[int] = set()
        for n in block.spill:
            kind, offset = scope[n], LINK + proc.slots[n]
            used.update(range(offset, offset + cells(kind)))
            if isinstance(kind, IntT) or (isinstance(kind, SetT) and kind.size < 32):
                saved.append((offset, n))
            else:
                wide.append((offset, n, kind))
        dead = tuple(offset for offset in range(LINK, room) if offset not in used)
        stmts = tuple(stmt for at in chain for stmt in self.program.blocks[at].stmts)
        exprs = [e for stmt in walk_stmts(stmts) for e in stmt_exprs(stmt)]
        exprs += term_exprs(block.term) if not isinstance(block.term, Choose | Chance) else ()
        looks = any(isinstance(part, Probe | Alike) for e in exprs for part in walk(e))
        steps = self._compiler.body(stmts, scope, room)
        code = Code(
            JUMP, block.id, block.p, steps, len(scope), room, tuple(saved), tuple(wide), dead, reads_frames=looks
        )
        code.steps_taken = sum(at in self._steps for at in chain)

        def number(expr: Expr) -> Number:
            return self._compiler.number(expr, scope, room)

        match block.term:
            case Jump(target):
                code.b = target
            case Branch(condition, then, other):
                code.kind, code.value, code.targets = BRANCH, number(condition), (other, then)
            case Switch(value, blocks):
                code.kind, code.value, code.targets = SWITCH, number(value), blocks
            case Choose():
                code.kind, code.b = CHOOSE, block.term.b
                code.question = self._choose(block.term, scope, room)
            case Chance():
                code.kind, code.b = CHANCE, block.term.b
                code.question = self._chance(block.term, scope, room)
            case Call(p, args, target):
                code.kind, code.callee, code.args, code.b = CALL, p, tuple(map(number, args)), target
            case CallEffect(effect, args, targets, target):
                code.kind, code.value, code.targets, code.b = EFFECT, number(effect), targets, target
                code.args = tuple(map(number, args))
            case Fork(players, p, args, target):
                code.kind, code.value, code.callee, code.b = FORK, number(players), p, target
                code.args = tuple(map(number, args))
            case Commit(target):
                code.kind, code.b = COMMIT, target
            case Return():
                code.kind = RETURN
            case Halt():
                code.kind = HALT
            case Fail(why):
                code.kind, code.why = FAIL, why
        return code

    def _chain(self, b: int) -> list[int]:
        """A block and those that follow it by bare jumps; one that jumps round ends at the jump."""
        chain = [b]
        while isinstance(term := self.program.blocks[chain[-1]].term, Jump) and term.b not in chain:
            chain.append(term.b)
        return chain

    def _choose(self, c: Choose, scope: tuple[IrType, ...], room: int) -> Question:
        def maybe(expr: Expr | None) -> Number | None:
            return None if expr is None else self._compiler.number(expr, scope, room)

        return Question(
            player=self._compiler.number(c.player, scope, room),
            n=c.n,
            each=self._compiler.elements(c.domain, scope, room),
            where=maybe(c.where),
            look=maybe(c.look),
            looks=c.look == Probe(c.b),
            weight=None,
            stream=-1,
            extras=tuple(
                Option(maybe(x.condition), maybe(x.look), x.look == Probe(x.b), x.changes, x.b) for x in c.extras
            ),
            quiet=c.quiet,
        )

    def _chance(self, c: Chance, scope: tuple[IrType, ...], room: int) -> Question:
        number = self._compiler.number
        return Question(
            player=lambda row, slots: -1,
            n=c.n,
            each=self._compiler.elements(c.domain, scope, room),
            where=None if c.where is None else number(c.where, scope, room),
            look=None,
            looks=False,
            weight=None if c.weight is None else number(c.weight, scope, room),
            stream=c.stream,
            extras=(),
        )
