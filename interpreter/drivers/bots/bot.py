"""What a bot gets to see, and what it owes: a choice among the legal actions of its seat.

A bot never holds a state: seeds, streams and what other seats hide are out of its reach.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from interpreter.drivers.bots.random_bot import RandomBot
from interpreter.machine.action import Action
from interpreter.machine.protocol import State
from interpreter.machine.view import Observation

HUMAN: Final = "human"
RANDOM: Final = "random"
SCRIPTED: Final = "scripted"
"""How reports call a seat that acts by script: nobody plays it, and `--bots` does not count it."""
KINDS: Final = (RANDOM,)
"""The kinds of bots there are, by the names that `--bots` takes."""


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat's side of a position. `observe` works the view out only when it is asked for."""

    player: int
    legal: tuple[Action, ...]
    observe: Callable[[], Observation]


class Bot(Protocol):
    """Somebody who plays."""

    counter: int
    """How much of its own luck it has used; a driver that takes a choice back sets it back too."""

    def choose(self, view: SeatView) -> Action:
        """One of the legal actions."""


def make_bot(kind: str, seed: int | str, seat: int) -> Bot:
    """A bot of a kind in KINDS for a seat; its luck depends on seed and seat alone."""
    if kind == RANDOM:
        return RandomBot(seed, seat)
    raise ValueError(f"no bot `{kind}`")


def view_of(state: State, player: int) -> SeatView:
    """A seat's side of a state."""
    return SeatView(player, state.legal(player), lambda: state.observe(player))
