"""Which blocks count as steps: those through which every endless run must go again and again.

A machine counts them down from a budget, so that rules that go round without asking anybody end, at the same step in every machine.
Every loop within a procedure has an edge to a block with the same or a lower number; every other loop goes through the beginning of
a procedure.
"""

from __future__ import annotations

from typing import Final

from interpreter.ir.program import Program
from interpreter.ir.walk import targets

STEPS: Final = 100_000
"""Steps that may be taken before somebody is asked."""
QUIET: Final = 1_000
"""Questions that may answer themselves before somebody is asked."""
TRIES: Final = 100_000
"""Options that one look-ahead may try."""
WITHIN: Final = 40
"""Look-aheads that may be under way, each asked for by the one before. A free action whose `try` ends at the choice that offers it again
asks for one after the other without end; and what rules reach in so many takes longer than anybody waits."""
REMEMBER: Final = 16
"""Tried options after which a look-ahead begins to remember rows: most are over before."""


def stepping(program: Program) -> frozenset[int]:
    """The ids of the blocks that count."""
    back = {b for block in program.blocks for b in targets(block.term) if b <= block.id}
    return frozenset(back | {proc.entry for proc in program.procs})
