"""The reference machine: what a program means, block by block.

In: rows (ir/row.py) and choices. Out: rows that wait at the next decision, chance point or end, the options there, and events. A row is
only ever changed by `start`, `take` and `call`, and a call that raises leaves its row useless: the caller hands over a copy.

Read on from top to bottom: rows; choices; how a run goes on over simultaneous stacks, then over blocks; frames. What statements and
expressions do is closures.py, made into blocks by code.py. Whether an option can be completed is look_ahead.py, which runs the same blocks
on copies. What is said of questions, refusals and faults is words.py.

Locals live in a list while a procedure runs. Where it suspends or calls, those in the block's `spill` go into the frame and the
other slots are zeroed; on the way back they are read again. A block is made into closures when it is first entered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from interpreter.ir.program import Program
from interpreter.ir.row import (
    EMPTY,
    LINK,
    OVER,
    RUNNING,
    STACK,
    STATUS,
    fp_cell,
    pc_cell,
    stack_base,
)
from interpreter.ir.steps import QUIET, STEPS
from interpreter.machine.cells import Items, Locals, Row
from interpreter.machine.closures import Compiler
from interpreter.machine.code import (
    BRANCH,
    CALL,
    CHANCE,
    CHOOSE,
    COMMIT,
    EFFECT,
    FORK,
    HALT,
    JUMP,
    RETURN,
    SWITCH,
    Code,
    Codes,
    Question,
)
from interpreter.machine.faults import NO_OPTION, TOO_DEEP, BudgetExhausted, EngineBug, MachineFault, RuleFault
from interpreter.machine.look_ahead import Search
from interpreter.machine.protocol import Refusal
from interpreter.machine.rows import first_row, waiting
from interpreter.machine.running import COMMITTED, DRAWS, FAILED, FORKED, HALTED, RETURNED, WAITS, Running
from interpreter.machine.words import Words

CYCLE: Final = 64
"""Steps before the budget ends from which the blocks are noted, to show what repeats."""


class Reference:
    """Runs one program. Holds no state of a game, only closures and what the run at hand leaves (running.py)."""

    def __init__(self, program: Program, patience: int = -1) -> None:
        """With `patience` look-aheads may try so many options in all, and then raise GivenUp."""
        self.program = program
        self._running = Running()
        self._compiler = Compiler(program, self, self._running)
        self._codes = Codes(program, self._compiler)
        self._ahead = Search(program, self._codes, self._running, self._run, patience)
        self._words = Words(program, self._compiler, self._codes, self._running)
        self._stacks = 1 + program.players if program.forks else 1
        self._procs = [
            (proc.entry, [0] * (len(proc.locals) - proc.params), LINK + proc.frame, proc.depth)
            for proc in program.procs
        ]

    # -------------------------------------------------------------- rows

    def new_row(self, seed: tuple[int, int]) -> Row:
        """The row before the first block; `seed` as two signed cells."""
        return first_row(self.program, seed)

    def start(self, row: Row) -> None:
        """Run from the entry to the first point where somebody is asked."""
        self.call(row, self.program.entry, ())

    def call(self, row: Row, p: int, args: tuple[int, ...]) -> None:
        """Run procedure p on the empty main stack, to the first point where somebody is asked. All other stacks must be empty."""
        proc = self.program.procs[p]
        row[STATUS] = RUNNING
        self._bottom(row, 0)
        self._guarded(row, 0, proc.entry, [*args, *[0] * (len(proc.locals) - len(args))])

    def waiting(self, row: Row) -> list[tuple[int, int]]:
        """(stack, block) of each stack that waits at a Choose or Chance."""
        return waiting(self.program, row)

    def function(self, row: Row, f: int, args: tuple[int, ...]) -> int:
        """The value of a pure function (a set as a mask)."""
        blank = len(self.program.funcs[f].locals) - len(args)
        return self._compiler.function(f)(row, [*args, *[0] * blank])

    def take_events(self) -> Sequence[tuple[int, tuple[int, ...]]]:
        """The events since the last call, and forget them."""
        events, self._running.events = self._running.events, []
        return events

    # -------------------------------------------------------------- choices

    def player(self, row: Row, stack: int) -> int:
        """Who is asked at the Choose where a stack waits."""
        code, slots = self._codes.suspended(row, stack)
        return code.asked().player(row, slots)

    def options(self, row: Row, stack: int) -> list[int]:
        """What is offered at the Choose where a stack waits: elements as they are, extra number e as -1 - e."""
        code, slots = self._codes.suspended(row, stack)
        q = code.asked()
        row[STACK] = stack
        self._running.at = row[pc_cell(stack)]
        n, where, look = q.n, q.where, q.look
        found = []
        try:
            for x in q.each(row, slots):
                slots[n] = x
                if (where is None or where(row, slots)) and (look is None or look(row, slots)):
                    found.append(x)
            for e, extra in enumerate(q.extras):
                if self._ahead.offers(row, slots, extra):
                    found.append(-1 - e)
            if not found:
                raise RuleFault("nothing can be chosen here", (), NO_OPTION)
        except MachineFault as fault:
            raise self._words.with_stack(fault, row, stack) from None
        finally:
            row[STACK] = 0
        return found

    def outcomes(self, row: Row, stack: int) -> list[tuple[int, int]]:
        """The outcomes of the Chance where a stack waits, with their weights (all above 0)."""
        code, slots = self._codes.suspended(row, stack)
        self._running.at = row[pc_cell(stack)]
        found = code.asked().outcomes(row, slots)
        if not found:
            raise self._words.with_stack(RuleFault("nothing can be drawn here", (), NO_OPTION), row, stack)
        return found

    def take(self, row: Row, stack: int, choice: int) -> None:
        """Go on with an option or outcome, to the next point where somebody is asked. It must be one that is offered."""
        code, slots = self._codes.suspended(row, stack)
        q = code.asked()
        if choice < 0:
            b = q.extras[-1 - choice].b
        else:
            slots[q.n] = choice
            b = code.b
        self._guarded(row, stack, b, slots)

    def prompt(self, row: Row, stack: int) -> str:
        """The question in words, where the rules give some; else empty."""
        return self._words.prompt(row, stack)

    def refusal(self, row: Row, stack: int, choice: int) -> Refusal | None:
        """Why an option is not offered; None if it is."""
        trace = self._ahead.trace(row, stack, choice)
        return None if trace is None else self._words.refusal(row, stack, choice, trace)

    def probe(self, row: Row, slots: Locals, b: int) -> int:
        """See ops.Probe."""
        return self._ahead.probe(row, slots, b)

    def alike(self, row: Row, p: int, args: list[int], items: Items, room: int) -> int:
        """See ops.Alike."""
        return self._ahead.alike(row, p, args, items, room)

    # -------------------------------------------------------------- running

    def _guarded(self, row: Row, stack: int, b: int, slots: Locals) -> None:
        row[STACK] = stack
        self._running.looking, self._running.searching = 0, False
        try:
            self._advance(row, stack, b, slots)
        except MachineFault as fault:
            raise self._words.with_stack(fault, row, row[STACK]) from None
        finally:
            row[STACK] = 0

    def _advance(self, row: Row, stack: int, b: int, slots: Locals) -> None:
        """Run until every stack waits, or the game is over."""
        while True:
            row[STACK] = stack
            stop = self._ask(row, stack, b, slots)
            ended = stop == RETURNED and stack == 0 and self.program.blocks[self._running.at].p == self.program.entry
            if ended or stop == HALTED:
                self._clear(row)
                return
            if stop == FORKED:
                if stack:
                    raise EngineBug("simultaneous play inside simultaneous play")
                self._fork(row, self._codes.at(row[pc_cell(0)]), self._running.slots)
            elif stop != RETURNED or stack == 0:
                return
            if row[STATUS] == OVER or any(row[pc_cell(k)] != EMPTY for k in range(1, self._stacks)):
                return
            # All seats are through: the main stack goes on behind its Fork.
            stack = 0
            code, slots = self._codes.suspended(row, 0)
            b = code.b

    def _ask(self, row: Row, stack: int, b: int, slots: Locals) -> int:
        """Run one stack until it stops where somebody has to be asked: a quiet Choose that offers its first extra alone takes it."""
        for _ in range(1 + QUIET):
            stop = self._run(row, stack, b, slots)
            if stop == FAILED:
                raise self._words.failure(row)
            if stop != WAITS:
                return stop
            code, slots = self._codes.suspended(row, stack)
            q = code.asked()
            if not q.quiet or not self._is_silent(row, slots, q):
                return stop
            b = q.extras[0].b
        raise BudgetExhausted(f"{QUIET} questions answered themselves and nobody was asked")

    def _is_silent(self, row: Row, slots: Locals, q: Question) -> bool:
        trial = slots[:]
        for x in q.each(row, trial):
            trial[q.n] = x
            if (q.where is None or q.where(row, trial)) and (q.look is None or q.look(row, trial)):
                return False
        offers = self._ahead.offers
        return offers(row, trial, q.extras[0]) and not any(offers(row, trial, x) for x in q.extras[1:])

    def _fork(self, row: Row, code: Code, slots: Locals) -> None:
        seats = code.value(row, slots)
        args = [arg(row, slots) for arg in code.args]
        proc = self.program.procs[code.callee]
        for seat in range(self.program.players):
            if not seats >> seat & 1:
                continue
            stack = 1 + seat
            row[STACK] = stack
            self._bottom(row, stack)
            given = [seat, *args]
            stop = self._ask(row, stack, proc.entry, given + [0] * (len(proc.locals) - len(given)))
            if stop == FORKED:
                raise EngineBug("simultaneous play inside simultaneous play")
            if stop == HALTED:
                self._clear(row)
                return

    def _run(self, row: Row, stack: int, b: int, slots: Locals) -> int:  # noqa: C901 - the machine's dispatch
        """Run one stack from the beginning of block b until it stops, and say how.

        Callers wait in `callers` and come into the row only where something reads frames there: most calls return before.
        """
        running, words, procs, scripted = self._running, self._words, self._procs, self.program.scripted
        looking = running.looking
        codes = self._codes.ahead if running.searching else self._codes.plain
        at_fp = fp_cell(stack)
        fp = row[at_fp]
        top = stack_base(self.program.first_stack, self.program.stack_cells, stack + 1)
        callers: list[tuple[Code, Locals, int]] = []
        left = STEPS
        last: list[int] = []
        try:
            while True:
                code = codes[b] or self._codes.enter(codes, b)
                running.at = b
                left -= code.steps_taken
                if left < CYCLE:
                    last.append(b)
                    if left <= 0:
                        raise words.used_up(last)
                if code.reads_frames and callers:
                    self._settle(row, at_fp, fp, callers)
                for step in code.steps:
                    failed = step(row, slots)
                    if failed:
                        running.why, running.slots = failed - 1, slots
                        return FAILED
                kind = code.kind
                if kind == BRANCH:
                    b = code.targets[code.value(row, slots)]
                elif kind == CALL or kind == EFFECT:  # noqa: SIM109 - twice as fast as a test of membership
                    callee = code.callee
                    if kind == EFFECT:
                        callee = code.value(row, slots)
                        if callee not in code.targets:
                            raise EngineBug(f"no effect {callee} here")
                    entry, blank, size, depth = procs[callee]
                    given = [arg(row, slots) for arg in code.args]
                    if depth and self._under_way(row, at_fp, fp, callers, code.p, callee) >= depth:
                        running.why, running.slots = TOO_DEEP, slots
                        return FAILED
                    if fp + code.frame + size > top:
                        raise RuleFault("rules call each other too deeply; declare a smaller `depth:`")
                    callers.append((code, slots, fp))
                    fp += code.frame
                    slots = given + blank
                    b = entry
                elif kind == RETURN:
                    if callers:
                        code, slots, fp = callers.pop()
                        b = code.b
                        continue
                    b, caller = row[fp], row[fp + 1]
                    row[fp : fp + code.frame] = [0] * code.frame
                    row[at_fp] = fp = caller
                    if b == EMPTY:
                        if not caller:
                            row[pc_cell(stack)] = EMPTY
                        return RETURNED
                    code = self._codes.at(b)
                    slots = code.load(row, fp)
                    b = code.b
                elif kind == CHOOSE:
                    self._settle(row, at_fp, fp, callers)
                    if scripted and (player := code.asked().player(row, slots)) in scripted:
                        raise words.asks_script(code, player)
                    if looking:
                        # Look-ahead goes on from the locals at hand; they come into the frame only where rows are compared.
                        running.slots = slots
                    else:
                        code.suspend(row, stack, fp, slots)
                    return WAITS
                elif kind == COMMIT:
                    if looking:
                        return COMMITTED
                    b = code.b
                elif kind == JUMP:
                    b = code.b
                elif kind == SWITCH:
                    way = code.value(row, slots)
                    if not 0 <= way < len(code.targets):
                        raise EngineBug(f"no way {way} at a switch of {len(code.targets)}")
                    b = code.targets[way]
                elif kind == CHANCE or kind == FORK:  # noqa: SIM109 - as above
                    self._settle(row, at_fp, fp, callers)
                    running.slots = slots
                    code.suspend(row, stack, fp, slots)
                    return DRAWS if kind == CHANCE else FORKED
                elif kind == HALT:
                    return HALTED
                else:
                    running.why, running.slots = code.why, slots
                    return FAILED
        finally:
            # A fault on its way out, or a failure, is told with the rules under way.
            if callers and not looking:
                self._settle(row, at_fp, fp, callers)

    # -------------------------------------------------------------- frames

    def _bottom(self, row: Row, stack: int) -> None:
        program = self.program
        base = stack_base(program.first_stack, program.stack_cells, stack)
        row[base], row[base + 1] = EMPTY, 0
        row[fp_cell(stack)] = base

    def _settle(self, row: Row, at_fp: int, fp: int, callers: list[tuple[Code, Locals, int]]) -> None:
        """Bring waiting callers into the row; fp is the frame that runs, above the last of them."""
        for code, slots, base in callers:
            code.save(row, base, slots)
            above = base + code.frame
            row[above], row[above + 1] = code.id, base
        callers.clear()
        row[at_fp] = fp

    def _under_way(
        self, row: Row, at_fp: int, fp: int, callers: list[tuple[Code, Locals, int]], p: int, callee: int
    ) -> int:
        """How many calls of a procedure are under way, from the frame at fp, which runs p, down."""
        self._settle(row, at_fp, fp, callers)
        count = 0
        while True:
            count += p == callee
            b = row[fp]
            if b == EMPTY:
                return count
            fp, p = row[fp + 1], self.program.blocks[b].p

    def _clear(self, row: Row) -> None:
        """The game is over: nothing is under way."""
        program = self.program
        row[STATUS], row[STACK] = OVER, 0
        for k in range(self._stacks):
            row[pc_cell(k)], row[fp_cell(k)] = EMPTY, 0
        row[program.first_stack :] = [0] * (program.row_cells - program.first_stack)
