"""Look-ahead: whether a compound action can be completed from here, found out by trying.

In: a row, with the stack that acts in its STACK cell, and the block to begin at. Out: yes or no, or a `Trace` of what stood in the way.
The row stays as it is: blocks run on copies of it, through the `run` of the machine around. A search goes depth first in option order,
on the locals at hand; they come into a frame only where rows are compared.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b

from interpreter.ir.program import Program
from interpreter.ir.row import EMPTY, LINK, STACK, fp_cell, pc_cell, stack_base
from interpreter.ir.steps import REMEMBER, TRIES, WITHIN
from interpreter.machine.cells import Items, Locals, Row
from interpreter.machine.code import Code, Codes, Option, Question
from interpreter.machine.faults import NO_OPTION, BudgetExhausted, GivenUp, RuleFault
from interpreter.machine.running import DRAWS, FAILED, RETURNED, WAITS, Running

Run = Callable[[Row, int, int, Locals], int]
"""Runs a stack of a row from the beginning of a block with these locals, and says how that stopped (running.py)."""


@dataclass(slots=True)
class Trace:
    """Why an option is not offered: the first failure on the deepest path that look-ahead takes from it. `depth` is how many further
    choices came before, -1 if there was nothing to try: the option is no part of the domain, or its own condition does not hold."""

    depth: int = -1
    why: int = 0
    """See Running.why."""
    block: int = -1
    row: Row = field(default_factory=list)
    """With `slots` what a sentence about the failure speaks of."""
    slots: Locals = field(default_factory=list)


class Search:
    """Looks ahead in one program."""

    def __init__(self, program: Program, codes: Codes, running: Running, run: Run, patience: int = -1) -> None:
        self.program = program
        self._patience = patience
        self._codes = codes
        self._running = running
        self._run = run

    # -------------------------------------------------------------- questions

    def probe(self, row: Row, slots: Locals, b: int) -> int:
        """See ops.Probe."""
        return 1 if self._search(row, slots, b) else 0

    def offers(self, row: Row, slots: Locals, extra: Option) -> bool:
        """Whether an extra is offered."""
        if extra.condition is not None and not extra.condition(row, slots):
            return False
        if extra.look is not None and not extra.look(row, slots):
            return False
        return not extra.changes or self._search(row, slots, extra.b, changes=True)

    def trace(self, row: Row, stack: int, choice: int) -> Trace | None:
        """Why an option is not offered at the Choose where a stack waits; None if it is."""
        code, slots = self._codes.suspended(row, stack)
        q = code.asked()
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
                if choice >= 0 or self.offers(row, slots, q.extras[-1 - choice]):
                    return None
            else:
                self._search(row, slots, b, trace=found)
            return found
        finally:
            row[STACK] = 0

    def alike(self, row: Row, p: int, args: list[int], items: Items, room: int) -> int:
        """See ops.Alike."""
        if len(items) < 2:
            return 1
        running = self._running
        before = running.looking, running.searching, running.at
        running.looking, running.searching = self._within(), False
        try:
            rising = self._all_in_turn(row[:], p, args, items, room)
            falling = self._all_in_turn(row[:], p, args, items[::-1], room)
        finally:
            running.looking, running.searching, running.at = before
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

    # -------------------------------------------------------------- the search

    def _within(self) -> int:
        """How many look-aheads are under way with one more."""
        found = self._running.looking + 1
        if found > WITHIN:
            raise BudgetExhausted(
                f"{WITHIN} look-aheads were begun, each within the one before, and none came to an end"
            )
        return found

    def _search(self, row: Row, slots: Locals, b: int, *, changes: bool = False, trace: Trace | None = None) -> bool:
        """Is there a way from block b to the end of the compound action?

        Rows met before are not tried again, once some options have been tried: what they lead to is known or being tried.
        With `changes` a way back to the Choose where the stack now waits counts too if state differs, and ends there if it
        does not.
        """
        codes, running, run = self._codes, self._running, self._run
        stack = row[STACK]
        at_fp = fp_cell(stack)
        home = (row[pc_cell(stack)], row[at_fp])
        first, last = self.program.first_var, self.program.first_stack
        before = running.looking, running.searching, running.at
        running.looking, running.searching = self._within(), not changes
        met: set[bytes] = set()
        trail: list[tuple[Row, int, Iterator[tuple[int, Locals]]]] = []
        tries = 0
        here, mine = row[:], slots[:]
        try:
            while True:
                stop = run(here, stack, b, mine)
                if stop == DRAWS:
                    if codes.at(running.at).asked().outcomes(here, running.slots):
                        return True
                    running.why, stop = NO_OPTION, FAILED
                elif stop == WAITS:
                    code = codes.at(running.at)
                    if changes and (code.id, here[at_fp]) == home:
                        if here[first:last] != row[first:last]:
                            return True
                    elif tries < REMEMBER or self._is_new(here, stack, code, met):
                        trail.append((here, code.id, self._ways(here, code.asked(), code.b, running.slots)))
                elif stop != FAILED:
                    return True
                if trace is not None and stop == FAILED and trace.depth < len(trail):
                    trace.depth, trace.why, trace.block = len(trail), running.why, running.at
                    trace.row, trace.slots = here, running.slots
                while trail:
                    begun, asked, ways = trail[-1]
                    way = next(ways, None)
                    if way is not None:
                        break
                    trail.pop()
                    if trace is not None and trace.depth < len(trail):
                        trace.depth, trace.why, trace.block = len(trail), NO_OPTION, asked
                else:
                    return False
                tries += 1
                if self._patience == 0:
                    raise GivenUp
                self._patience -= 1
                if tries > TRIES:
                    raise BudgetExhausted(f"look-ahead tried {TRIES} options and found no end")
                b, mine = way
                here = begun[:]
        finally:
            running.looking, running.searching, running.at = before

    def _is_new(self, row: Row, stack: int, code: Code, met: set[bytes]) -> bool:
        """Whether a row was not met before; it is known by 16 bytes of BLAKE2 then, as whole rows would fill the memory."""
        code.suspend(row, stack, row[fp_cell(stack)], self._running.slots)
        count = len(met)
        met.add(blake2b(array("i", row).tobytes(), digest_size=16).digest())
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
