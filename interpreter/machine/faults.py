"""What can go wrong while a game runs, sorted by whose fault it is.

`IllegalAction`: a player asked for something that is not offered. `RuleFault`: well-typed rules cannot go on here.
`BudgetExhausted`: rules or look-ahead go on for too long. `EngineBug`: cannot happen in verified IR. Each carries what its report
needs as plain data; how it looks on a screen is the drivers' business.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from interpreter.text.source import Span

NO_OPTION: Final = -1
"""Why a rule fails that finds nothing to choose or draw; failures of checks are numbered from 0."""
TOO_DEEP: Final = -2
"""Why a call fails that is under way as often as its declared depth allows."""

OTHER: Final = -3
"""Any other failure, such as an index past the end."""


@dataclass(frozen=True, slots=True)
class RuleFrame:
    """One rule under way: its address, and where in the file it stands."""

    address: str
    span: Span | None
    cite: tuple[str, ...] = ()


class MachineFault(Exception):
    """Anything that ends a run; never raised itself.

    `stack` lists the rules under way, innermost first. `seed` and `prefix` (the actions so far, in notation) are filled in by the
    driver that knows them.
    """

    def __init__(self, message: str, stack: tuple[RuleFrame, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.stack = stack
        self.seed: int | str | None = None
        self.prefix: tuple[str, ...] = ()


class RuleFault(MachineFault):
    """The rules cannot go on: a `require` outside a choice, nothing to choose from, an index past the end, a number too large.

    `why` is the check that failed, NO_OPTION, TOO_DEEP, or OTHER; `at` the place of arithmetic that went wrong (see ops.Binary).
    """

    def __init__(self, message: str, stack: tuple[RuleFrame, ...] = (), why: int = OTHER, at: int = 0) -> None:
        super().__init__(message, stack)
        self.why = why
        self.at = at


class BudgetExhausted(MachineFault):
    """More blocks were run, or more options tried, than any sane rule needs. `cycle` names the rules that repeat."""

    def __init__(self, message: str, stack: tuple[RuleFrame, ...] = (), cycle: tuple[str, ...] = ()) -> None:
        super().__init__(message, stack)
        self.cycle = cycle


class EngineBug(MachineFault):
    """Verified IR did something that verified IR cannot do."""


class GivenUp(Exception):
    """Looking ahead takes longer than whoever asked is ready to wait; nothing is said of the rules."""


IllegalKind = Literal["invalid", "illegal", "ambiguous"]


class IllegalAction(Exception):
    """An action that is not offered. invalid: no such option exists at this decision · illegal: it exists, but not now · ambiguous:
    the text fits several. `nearest` are legal ones in notation, the likeliest first."""

    def __init__(self, kind: IllegalKind, message: str, nearest: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.kind: IllegalKind = kind
        self.message = message
        self.nearest = nearest
