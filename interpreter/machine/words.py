"""What the reference machine says: questions, why something is not offered, and what is told with a fault.

In: a row, where a run stopped (running.py), and the trace of a look-ahead. Out: sentences of the rules with their holes filled, `Refusal`s,
and faults that name the rules under way. Nothing here changes a row, and no rule depends on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from interpreter.ir.ops import And, Chance, Choose
from interpreter.ir.program import CheckInfo, Program, Template
from interpreter.ir.row import EMPTY, LINK, fp_cell, pc_cell
from interpreter.ir.steps import STEPS
from interpreter.machine.cells import Locals, Row
from interpreter.machine.closures import Compiler
from interpreter.machine.code import Code, Codes
from interpreter.machine.events import fill
from interpreter.machine.faults import (
    NO_OPTION,
    TOO_DEEP,
    BudgetExhausted,
    MachineFault,
    RuleFault,
    RuleFrame,
)
from interpreter.machine.look_ahead import Trace
from interpreter.machine.protocol import Refusal
from interpreter.machine.running import Running

FRAMES: Final = 64
"""Rules under way that are named."""


class Words:
    """Speaks for one program."""

    def __init__(self, program: Program, compiler: Compiler, codes: Codes, running: Running) -> None:
        self.program = program
        self._compiler = compiler
        self._codes = codes
        self._running = running

    def _sentence(self, template: Template, row: Row, slots: Locals, b: int) -> str:
        """A template filled with what its holes come to at block b."""
        proc = self.program.procs[self.program.blocks[b].p]
        holes = [self._compiler.number(hole.value, proc.locals, LINK + proc.frame) for hole in template.holes]
        return fill(self.program, template, tuple(value(row, slots[:]) for value in holes))

    # -------------------------------------------------------------- questions and refusals

    def prompt(self, row: Row, stack: int) -> str:
        """The question where a stack waits, if the rules give one; else empty."""
        b = row[pc_cell(stack)]
        term = self.program.blocks[b].term
        decision = term.decision if isinstance(term, Choose | Chance) else -1
        template = self.program.decisions[decision].prompt if decision >= 0 else None
        return "" if template is None else self._sentence(template, row, self._codes.suspended(row, stack)[1], b)

    def refusal(self, row: Row, stack: int, choice: int, trace: Trace) -> Refusal:
        """Why an option is not offered at the Choose where a stack waits."""
        program = self.program
        block = program.blocks[trace.block if trace.block >= 0 else row[pc_cell(stack)]]
        address, span, cite = program.procs[block.p].address, block.span, block.cite
        if trace.depth >= 0 and trace.why >= 0:
            check = program.checks[trace.why]
            text = self._sentence(check.text, trace.row, trace.slots, trace.block)
            return Refusal(text, address, check.span, check.cite, trace.depth)
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
        code, slots = self._codes.suspended(row, stack)
        term = self.program.blocks[row[pc_cell(stack)]].term
        if choice < 0 or not isinstance(term, Choose):
            return None
        reasons = self.program.decisions[term.decision].reasons
        if reasons and choice not in code.asked().each(row, slots):
            return reasons[0]
        parts = term.where.parts if isinstance(term.where, And) else (term.where,)
        slots[term.n] = choice
        scope = self.program.procs[code.p].locals
        if len(parts) == len(reasons) - 1:
            for part, reason in zip(parts, reasons[1:], strict=True):
                if part is not None and not self._compiler.number(part, scope, code.frame)(row, slots[:]):
                    return reason
        return None

    # -------------------------------------------------------------- faults

    def failure(self, row: Row) -> RuleFault:
        """The fault of a run that FAILED where no other way is left."""
        running = self._running
        if running.why == TOO_DEEP:
            return RuleFault("this effect is under way as often as its `depth:` allows", (), TOO_DEEP)
        text = self._sentence(self.program.checks[running.why].text, row, running.slots, running.at)
        return RuleFault(text, (), running.why)

    def used_up(self, blocks: Sequence[int]) -> BudgetExhausted:
        """The fault of a run that takes too many steps; `blocks` are the last ones."""
        names = dict.fromkeys(self.program.procs[self.program.blocks[b].p].address for b in blocks)
        return BudgetExhausted(f"{STEPS} steps were taken and nobody was asked", (), tuple(names))

    def asks_script(self, code: Code, player: int) -> RuleFault:
        """The fault of rules that ask a seat that acts by script, also where they only look ahead."""
        program = self.program
        block = program.blocks[code.id]
        assert isinstance(block.term, Choose)
        decision = program.decisions[block.term.decision]
        name = program.domains[program.player_domain].names[player]
        frame = RuleFrame(program.procs[code.p].address, decision.span, decision.cite or block.cite)
        told = f"{name} acts by script, and `{decision.address}` asks it to choose"
        return RuleFault(told, (frame,) if self._running.looking else ())

    def with_stack(self, fault: MachineFault, row: Row, stack: int) -> MachineFault:
        """A fault with the rules under way in a stack, innermost first, unless it has them."""
        if fault.stack:
            return fault
        b, fp = self._running.at, row[fp_cell(stack)]
        frames: list[RuleFrame] = []
        while b != EMPTY and len(frames) < FRAMES:
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
        elif isinstance(fault, RuleFault) and fault.at and frames:
            inner = RuleFrame(frames[0].address, self.program.places[fault.at - 1], frames[0].cite)
            fault.stack = (inner, *fault.stack[1:])
        return fault
