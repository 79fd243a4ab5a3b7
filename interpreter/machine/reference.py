"""The reference machine: what a program means, block by block.

In: rows (ir/row.py) and choices. Out: rows that wait at the next decision, chance point or end, the options there, and events.
Expressions and statements are closures (closures.py); here are blocks, frames, simultaneous stacks and look-ahead. A row is only
ever changed by `start`, `take` and `call`, and a call that raises leaves its row useless: the caller hands over a copy.

Locals live in a list while a procedure runs. Where it suspends or calls, those in the block's `spill` go into the frame and the
other slots are zeroed; on the way back they are read again. A block is made into closures when it is first entered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from interpreter.ir.look_ahead import LookAhead
from interpreter.ir.ops import And, Chance, Choose
from interpreter.ir.program import CheckInfo, Program, Template
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
from interpreter.ir.steps import REMEMBER, STEPS, TRIES
from interpreter.machine.cells import Items, Locals, Row, read_value, write_value
from interpreter.machine.closures import Compiler, Recorder
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
    CodeMaker,
    Option,
    Question,
)
from interpreter.machine.events import fill
from interpreter.machine.faults import (
    NO_OPTION,
    TOO_DEEP,
    BudgetExhausted,
    EngineBug,
    MachineFault,
    RuleFault,
    RuleFrame,
)
from interpreter.machine.protocol import Refusal
from interpreter.machine.rows import first_row, waiting

CYCLE: Final = 64
"""Blocks shown when a budget is used up."""

# How a run stops.
WAITS, DRAWS, RETURNED, FORKED, HALTED, COMMITTED, FAILED = range(7)


@dataclass(slots=True)
class Trace:
    """The first failure on the deepest path of a look-ahead: see Reference.trace."""

    depth: int = -1
    why: int = 0
    block: int = -1
    text: str = ""


class Reference:
    """Runs one program. Holds no state of a game, only closures and counters that are set anew for each call."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.recorder = Recorder()
        self._compiler = Compiler(program, self, self.recorder)
        self._maker = CodeMaker(program, self._compiler)
        self._codes: list[Code | None] = [None] * len(program.blocks)
        # As a look-ahead sees them: where nothing can fail any more, the compound action is as good as complete.
        ahead = LookAhead(program.blocks, program.procs)
        self._ahead: list[Code | None] = [
            None if ahead.may_fail(b) else self._maker.end(b) for b in range(len(program.blocks))
        ]
        self._searching = False
        self._stacks = 1 + program.players if program.forks else 1
        self._procs = [
            (proc.entry, [0] * (len(proc.locals) - proc.params), LINK + proc.frame, proc.depth)
            for proc in program.procs
        ]
        self._looking = False
        self._at = 0
        self._why = 0
        self._slots: Locals = []
        self._cycle: list[int] = []

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

    def player(self, row: Row, stack: int) -> int:
        """Who is asked at the Choose where a stack waits."""
        code, slots = self._suspended(row, stack)
        return self._question(code).player(row, slots)

    def function(self, row: Row, f: int, args: tuple[int, ...]) -> int:
        """The value of a pure function (a set as a mask)."""
        blank = len(self.program.funcs[f].locals) - len(args)
        return self._compiler.function(f)(row, [*args, *[0] * blank])

    # -------------------------------------------------------------- choices

    def options(self, row: Row, stack: int) -> list[int]:
        """What is offered at the Choose where a stack waits: elements as they are, extra number e as -1 - e."""
        code, slots = self._suspended(row, stack)
        q = self._question(code)
        row[STACK] = stack
        self._at = row[pc_cell(stack)]
        n, where, look = q.n, q.where, q.look
        found = []
        try:
            for x in q.each(row, slots):
                slots[n] = x
                if (where is None or where(row, slots)) and (look is None or look(row, slots)):
                    found.append(x)
            for e, extra in enumerate(q.extras):
                if self._offers(row, slots, extra):
                    found.append(-1 - e)
        except MachineFault as fault:
            raise self._with_stack(fault, row, stack) from None
        finally:
            row[STACK] = 0
        if not found:
            raise self._with_stack(RuleFault("nothing can be chosen here", (), NO_OPTION), row, stack)
        return found

    def _offers(self, row: Row, slots: Locals, extra: Option) -> bool:
        if extra.condition is not None and not extra.condition(row, slots):
            return False
        if extra.look is not None and not extra.look(row, slots):
            return False
        return not extra.changes or self._search(row, slots, extra.b, changes=True)

    def outcomes(self, row: Row, stack: int) -> list[tuple[int, int]]:
        """The outcomes of the Chance where a stack waits, with their weights (all above 0)."""
        code, slots = self._suspended(row, stack)
        self._at = row[pc_cell(stack)]
        found = self._outcomes(row, slots, self._question(code))
        if not found:
            raise self._with_stack(RuleFault("nothing can be drawn here", (), NO_OPTION), row, stack)
        return found

    def _outcomes(self, row: Row, slots: Locals, q: Question) -> list[tuple[int, int]]:
        found = []
        for x in q.each(row, slots):
            slots[q.n] = x
            if q.where is None or q.where(row, slots):
                weight = 1 if q.weight is None else q.weight(row, slots)
                if weight > 0:
                    found.append((x, weight))
        return found

    def take(self, row: Row, stack: int, choice: int) -> None:
        """Go on with an option or outcome, to the next point where somebody is asked. It must be one that is offered."""
        code, slots = self._suspended(row, stack)
        q = self._question(code)
        if choice < 0:
            b = q.extras[-1 - choice].b
        else:
            slots[q.n] = choice
            b = code.b
        self._guarded(row, stack, b, slots)

    def prompt(self, row: Row, stack: int) -> str:
        """The question in words, where the rules give some; else empty."""
        term = self.program.blocks[row[pc_cell(stack)]].term
        decision = term.decision if isinstance(term, Choose | Chance) else -1
        template = self.program.decisions[decision].prompt if decision >= 0 else None
        if template is None:
            return ""
        code, slots = self._suspended(row, stack)
        return self._sentence(template, row, slots, code)

    def trace(self, row: Row, stack: int, choice: int) -> Trace | None:
        """Why an option is not offered: None if it is; else the first failure on the deepest path that look-ahead takes from it, or
        a Trace of depth -1 if the option is no part of the domain or its `where` or condition does not hold."""
        code, slots = self._suspended(row, stack)
        q = self._question(code)
        row[STACK] = stack
        found = Trace()
        try:
            if choice < 0:
                extra = q.extras[-1 - choice]
                if extra.condition is not None and not extra.condition(row, slots):
                    return found
                b, look = extra.b, extra.look
            else:
                elements = q.each(row, slots)
                slots[q.n] = choice
                if choice not in elements or (q.where is not None and not q.where(row, slots)):
                    return found
                b, look = code.b, q.look
            if look is None or look(row, slots):
                if choice >= 0 or self._offers(row, slots, q.extras[-1 - choice]):
                    return None
            elif self._search(row, slots, b, trace=found):
                return found
            return found
        finally:
            row[STACK] = 0

    def refusal(self, row: Row, stack: int, choice: int) -> Refusal | None:
        """See protocol.Executor."""
        trace = self.trace(row, stack, choice)
        if trace is None:
            return None
        program = self.program
        b = trace.block if trace.block >= 0 else row[pc_cell(stack)]
        block = program.blocks[b]
        address, span, cite = program.procs[block.p].address, block.span, block.cite
        if trace.depth >= 0 and trace.why >= 0:
            check = program.checks[trace.why]
            return Refusal(trace.text, address, check.span, check.cite, trace.depth)
        if isinstance(block.term, Choose):
            decision = program.decisions[block.term.decision]
            address, span, cite = decision.address, decision.span, decision.cite or cite
        if trace.depth < 0:
            reason = self._unmet(row, stack, choice)
            if reason is not None:
                both = tuple(dict.fromkeys((*reason.cite, *cite)))
                return Refusal("".join(str(part) for part in reason.text.parts), address, reason.span, both, -1)
            return Refusal("its condition does not hold", address, span, cite, -1)
        text = "nothing can be chosen there" if trace.why == NO_OPTION else "it is under way as often as it may be"
        return Refusal(text, address, span, cite, trace.depth)

    def _unmet(self, row: Row, stack: int, choice: int) -> CheckInfo | None:
        """Which part of a choice's own condition an element fails, if the program still knows the parts apart."""
        code, slots = self._suspended(row, stack)
        term = self.program.blocks[row[pc_cell(stack)]].term
        if choice < 0 or not isinstance(term, Choose):
            return None
        reasons = self.program.decisions[term.decision].reasons
        question = self._question(code)
        if reasons and choice not in question.each(row, slots):
            return reasons[0]
        parts = term.where.parts if isinstance(term.where, And) else (term.where,)
        slots[term.n] = choice
        scope = self.program.procs[code.p].locals
        if len(parts) == len(reasons) - 1:
            for part, reason in zip(parts, reasons[1:], strict=True):
                if part is not None and not self._compiler.number(part, scope, code.frame)(row, slots[:]):
                    return reason
        return None

    def take_events(self) -> Sequence[tuple[int, tuple[int, ...]]]:
        """See protocol.Executor."""
        events, self.recorder.events = self.recorder.events, []
        return events

    # -------------------------------------------------------------- running

    def _guarded(self, row: Row, stack: int, b: int, slots: Locals) -> None:
        row[STACK] = stack
        self._looking = self._searching = False
        try:
            self._advance(row, stack, b, slots)
        except MachineFault as fault:
            raise self._with_stack(fault, row, row[STACK]) from None
        row[STACK] = 0

    def _advance(self, row: Row, stack: int, b: int, slots: Locals) -> None:
        """Run until every stack waits, or the game is over."""
        while True:
            row[STACK] = stack
            stop = self._ask(row, stack, b, slots)
            if stop == HALTED or (stop == RETURNED and stack == 0 and self._proc_at() == self.program.entry):
                self._clear(row)
                return
            if stop == FORKED:
                if stack:
                    raise EngineBug("simultaneous play inside simultaneous play")
                self._fork(row, self._code(row[pc_cell(0)]), self._slots)
            elif stop != RETURNED or stack == 0:
                return
            if row[STATUS] == OVER or any(row[pc_cell(k)] != EMPTY for k in range(1, self._stacks)):
                return
            # All seats are through: the main stack goes on behind its Fork.
            stack = 0
            code, slots = self._suspended(row, 0)
            b = code.b

    def _ask(self, row: Row, stack: int, b: int, slots: Locals) -> int:
        """Run one stack until it stops where somebody has to be asked: a quiet Choose that offers its first extra alone takes it."""
        while True:
            stop = self._run(row, stack, b, slots)
            if stop == FAILED:
                raise self._failure(row)
            if stop != WAITS:
                return stop
            code, slots = self._suspended(row, stack)
            q = self._question(code)
            if not q.quiet or not self._is_silent(row, slots, q):
                return stop
            b = q.extras[0].b

    def _is_silent(self, row: Row, slots: Locals, q: Question) -> bool:
        trial = slots[:]
        for x in q.each(row, trial):
            trial[q.n] = x
            if (q.where is None or q.where(row, trial)) and (q.look is None or q.look(row, trial)):
                return False
        return self._offers(row, trial, q.extras[0]) and not any(self._offers(row, trial, x) for x in q.extras[1:])

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
        codes = self._ahead if self._searching else self._codes
        looking, procs, scripted = self._looking, self._procs, self.program.scripted
        at_fp = fp_cell(stack)
        fp = row[at_fp]
        top = stack_base(self.program.first_stack, self.program.stack_cells, stack + 1)
        callers: list[tuple[Code, Locals, int]] = []
        left = STEPS
        try:
            while True:
                code = codes[b] or self._made(codes, b)
                self._at = b
                left -= code.steps_taken
                if left < CYCLE:
                    self._used_up(b, left)
                if code.reads_frames and callers:
                    self._settle(row, at_fp, fp, callers)
                for step in code.steps:
                    failed = step(row, slots)
                    if failed:
                        self._why, self._slots = failed - 1, slots
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
                        self._why, self._slots = TOO_DEEP, slots
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
                    code = self._code(b)
                    slots = self._load(row, fp, code)
                    b = code.b
                elif kind == CHOOSE:
                    self._settle(row, at_fp, fp, callers)
                    if scripted:
                        self._never_ask(row, code, slots)
                    if looking:
                        # Look-ahead goes on from the locals at hand; they come into the frame only where rows are compared.
                        self._slots = slots
                    else:
                        self._suspend(row, stack, fp, code, slots)
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
                    self._slots = slots
                    self._suspend(row, stack, fp, code, slots)
                    return DRAWS if kind == CHANCE else FORKED
                elif kind == HALT:
                    return HALTED
                else:
                    self._why, self._slots = code.why, slots
                    return FAILED
        finally:
            # A fault on its way out, or a failure, is told with the rules under way.
            if callers and not looking:
                self._settle(row, at_fp, fp, callers)

    def _never_ask(self, row: Row, code: Code, slots: Locals) -> None:
        """A seat that acts by script has nobody who could answer: rules that ask it are wrong, also where they only look ahead."""
        program = self.program
        player = self._question(code).player(row, slots)
        if player not in program.scripted:
            return
        block = program.blocks[code.id]
        assert isinstance(block.term, Choose)
        decision = program.decisions[block.term.decision]
        name = program.domains[program.player_domain].names[player]
        frame = RuleFrame(program.procs[code.p].address, decision.span, decision.cite or block.cite)
        told = f"{name} acts by script, and `{decision.address}` asks it to choose"
        raise RuleFault(told, (frame,) if self._looking else ())

    def _used_up(self, b: int, left: int) -> None:
        self._cycle = [*self._cycle[-4 * CYCLE :], b]
        if left <= 0:
            names = dict.fromkeys(self.program.procs[self.program.blocks[at].p].address for at in self._cycle)
            raise BudgetExhausted(f"{STEPS} steps were taken and nobody was asked", (), tuple(names))

    # -------------------------------------------------------------- frames

    def _bottom(self, row: Row, stack: int) -> None:
        program = self.program
        base = stack_base(program.first_stack, program.stack_cells, stack)
        row[base], row[base + 1] = EMPTY, 0
        row[fp_cell(stack)] = base

    def _settle(self, row: Row, at_fp: int, fp: int, callers: list[tuple[Code, Locals, int]]) -> None:
        """Bring waiting callers into the row; fp is the frame that runs, above the last of them."""
        for code, slots, base in callers:
            self._save(row, base, code, slots)
            above = base + code.frame
            row[above], row[above + 1] = code.id, base
        callers.clear()
        row[at_fp] = fp

    def _save(self, row: Row, fp: int, code: Code, slots: Locals) -> None:
        for offset, n in code.saved:
            row[fp + offset] = slots[n]
        for offset in code.dead:
            row[fp + offset] = 0
        for offset, n, kind in code.wide:
            write_value(row, fp + offset, kind, slots[n])

    def _load(self, row: Row, fp: int, code: Code) -> Locals:
        slots = [0] * code.size
        for offset, n in code.saved:
            slots[n] = row[fp + offset]
        for offset, n, kind in code.wide:
            slots[n] = read_value(row, fp + offset, kind)
        return slots

    def _suspend(self, row: Row, stack: int, fp: int, code: Code, slots: Locals) -> None:
        row[pc_cell(stack)] = code.id
        self._save(row, fp, code, slots)

    def _suspended(self, row: Row, stack: int) -> tuple[Code, Locals]:
        code = self._code(row[pc_cell(stack)])
        return code, self._load(row, row[fp_cell(stack)], code)

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

    # -------------------------------------------------------------- look-ahead

    def probe(self, row: Row, slots: Locals, b: int) -> int:
        """See ops.Probe."""
        return 1 if self._search(row, slots, b) else 0

    def _search(self, row: Row, slots: Locals, b: int, *, changes: bool = False, trace: Trace | None = None) -> bool:
        """Depth first in option order on copies of the row: is there a way from block b to the end of the compound action?

        Rows met before are not tried again, once some options have been tried: what they lead to is known or being tried.
        With `changes` a way back to the Choose where the stack now waits counts too if state differs, and ends there if it
        does not.
        """
        stack = row[STACK]
        at_fp = fp_cell(stack)
        home = (row[pc_cell(stack)], row[at_fp])
        first, last = self.program.first_var, self.program.first_stack
        was_looking, was_on, was_at, was_searching = self._looking, self.recorder.on, self._at, self._searching
        self._looking, self.recorder.on, self._searching = True, False, not changes
        met: set[tuple[int, ...]] = set()
        trail: list[tuple[Row, int, Iterator[tuple[int, Locals]]]] = []
        tries = 0
        here, mine = row[:], slots[:]
        try:
            while True:
                stop = self._run(here, stack, b, mine)
                if stop == DRAWS:
                    if self._outcomes(here, self._slots, self._question(self._code(self._at))):
                        return True
                    self._why, stop = NO_OPTION, FAILED
                elif stop == WAITS:
                    code = self._code(self._at)
                    if changes and (code.id, here[at_fp]) == home:
                        if here[first:last] != row[first:last]:
                            return True
                    elif tries < REMEMBER or self._is_new(here, stack, code, met):
                        trail.append((here, code.id, self._ways(here, self._question(code), code.b, self._slots)))
                elif stop != FAILED:
                    return True
                if trace is not None and stop == FAILED:
                    self._note(trace, len(trail), here)
                while trail:
                    before, asked, ways = trail[-1]
                    way = next(ways, None)
                    if way is not None:
                        break
                    trail.pop()
                    if trace is not None and trace.depth < len(trail):
                        trace.depth, trace.why, trace.block, trace.text = len(trail), NO_OPTION, asked, ""
                else:
                    return False
                tries += 1
                if tries > TRIES:
                    raise BudgetExhausted(f"look-ahead tried {TRIES} options and found no end")
                b, mine = way
                here = before[:]
        finally:
            self._looking, self.recorder.on, self._at, self._searching = was_looking, was_on, was_at, was_searching

    def _is_new(self, row: Row, stack: int, code: Code, met: set[tuple[int, ...]]) -> bool:
        self._suspend(row, stack, row[fp_cell(stack)], code, self._slots)
        count = len(met)
        met.add(tuple(row))
        return len(met) > count

    def _ways(self, row: Row, q: Question, b: int, slots: Locals) -> Iterator[tuple[int, Locals]]:
        """Where each option of the Choose at hand leads, with the locals it leaves: first ways to stop (extras that need change
        nothing), then the elements, then free actions; so a repeated choice ends as soon as it may. A look-ahead that is just a probe
        of that block is left out: going there finds out the same."""
        n, where = q.n, q.where
        look = None if q.looks else q.look
        for extra in q.extras:
            if not extra.changes and self._may(row, slots, extra):
                yield extra.b, slots[:]
        for x in q.each(row, slots):
            slots[n] = x
            if (where is None or where(row, slots)) and (look is None or look(row, slots)):
                yield b, slots[:]
        for extra in q.extras:
            if extra.changes and self._may(row, slots, extra):
                yield extra.b, slots[:]

    def _may(self, row: Row, slots: Locals, extra: Option) -> bool:
        if extra.condition is not None and not extra.condition(row, slots):
            return False
        return extra.look is None or extra.looks or bool(extra.look(row, slots))

    def _note(self, trace: Trace, depth: int, row: Row) -> None:
        if depth <= trace.depth:
            return
        trace.depth, trace.why, trace.block, trace.text = depth, self._why, self._at, ""
        if self._why >= 0:
            trace.text = self._sentence(self.program.checks[self._why].text, row, self._slots, self._code(self._at))

    def alike(self, row: Row, p: int, args: list[int], items: Items, room: int) -> int:
        """See ops.Alike."""
        if len(items) < 2:
            return 1
        was_looking, was_on, was_at, was_searching = self._looking, self.recorder.on, self._at, self._searching
        self._looking, self.recorder.on, self._searching = True, False, False
        try:
            rising = self._all_in_turn(row[:], p, args, items, room)
            falling = self._all_in_turn(row[:], p, args, items[::-1], room)
        finally:
            self._looking, self.recorder.on, self._at, self._searching = was_looking, was_on, was_at, was_searching
        return 1 if rising is not None and rising == falling else 0

    def _all_in_turn(self, row: Row, p: int, args: list[int], items: Items, room: int) -> Row | None:
        stack = row[STACK]
        proc = self.program.procs[p]
        fp = row[fp_cell(stack)]
        for x in items:
            above = fp + room
            if above + LINK + proc.frame > stack_base(self.program.first_stack, self.program.stack_cells, stack + 1):
                raise RuleFault("rules call each other too deeply; declare a smaller `depth:`")
            row[above], row[above + 1], row[fp_cell(stack)] = EMPTY, fp, above
            given = [*args, x]
            if self._run(row, stack, proc.entry, given + [0] * (len(proc.locals) - len(given))) != RETURNED:
                return None
        return row

    # -------------------------------------------------------------- making ready

    def _code(self, b: int) -> Code:
        code = self._codes[b]
        if code is None:
            code = self._codes[b] = self._maker.make(b)
        return code

    def _made(self, codes: list[Code | None], b: int) -> Code:
        code = codes[b] = self._code(b)
        return code

    def _question(self, code: Code) -> Question:
        if code.question is None:
            raise EngineBug("nobody is asked here")
        return code.question

    # -------------------------------------------------------------- faults

    def _proc_at(self) -> int:
        return self.program.blocks[self._at].p

    def _sentence(self, template: Template, row: Row, slots: Locals, code: Code) -> str:
        scope = self.program.procs[code.p].locals
        values = [self._compiler.number(hole.value, scope, code.frame)(row, slots[:]) for hole in template.holes]
        return fill(self.program, template, tuple(values))

    def _failure(self, row: Row) -> MachineFault:
        why = self._why
        if why == TOO_DEEP:
            return RuleFault("this effect is under way as often as its `depth:` allows", (), why)
        text = self._sentence(self.program.checks[why].text, row, self._slots, self._code(self._at))
        return RuleFault(text, (), why)

    def _with_stack(self, fault: MachineFault, row: Row, stack: int) -> MachineFault:
        """Add the rules under way, innermost first, unless they are known."""
        row[STACK] = 0
        if fault.stack:
            return fault
        b, fp = self._at, row[fp_cell(stack)]
        frames: list[RuleFrame] = []
        while b != EMPTY and len(frames) < CYCLE:
            block = self.program.blocks[b]
            proc = self.program.procs[block.p]
            frames.append(RuleFrame(proc.address, block.span or proc.span, block.cite or proc.cite))
            if not fp:
                break
            b, fp = row[fp], row[fp + 1]
        fault.stack = tuple(frames)
        if isinstance(fault, RuleFault) and fault.why >= 0 and frames:
            check = self.program.checks[fault.why]
            fault.stack = (RuleFrame(frames[0].address, check.span, check.cite), *fault.stack[1:])
        return fault
