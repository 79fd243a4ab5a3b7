"""What a run of blocks leaves for whoever started it: where it is, how it stopped, and what happened on the way.

One `Running` for each machine, shared by its parts: reference.py writes it, statements put their events into it, look_ahead.py asks how
a run stopped, and words.py says so. Nothing of a game is kept here; every call sets anew what it reads.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from interpreter.machine.cells import Locals

# How a run stops: at a Choose, at a Chance, behind the last frame, at a Fork, at a Halt, at a Commit of a look-ahead, at a failure.
WAITS, DRAWS, RETURNED, FORKED, HALTED, COMMITTED, FAILED = range(7)


@dataclass(slots=True)
class Running:
    """Where a run is, and how it stopped."""

    at: int = 0
    """The block that runs, or ran last."""
    why: int = 0
    """After FAILED: the check, or TOO_DEEP or NO_OPTION of faults.py."""
    slots: Locals = field(default_factory=list)
    """The locals where it stopped: at a failure, a Chance or a Fork, and at a Choose of a look-ahead."""
    looking: int = 0
    """How many look-aheads are under way, each within the one before. In one, a Commit ends a run, nothing is recorded, and locals stay out
    of frames as long as possible."""
    searching: bool = False
    """Whether, besides, any end will do: where nothing can fail any more, it is found."""
    events: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    """What happened, and was not taken yet: kinds of events with their arguments."""
