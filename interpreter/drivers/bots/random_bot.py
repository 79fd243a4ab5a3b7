"""A bot that takes any legal action, each as likely as the others. It draws from a stream of its own."""

from __future__ import annotations

from typing import Protocol

from interpreter.machine.action import Action
from interpreter.machine.chance import Stream


class Options(Protocol):
    """All that this bot looks at."""

    @property
    def legal(self) -> tuple[Action, ...]:
        """What may be done."""


class RandomBot:
    """Uniform choice."""

    def __init__(self, seed: int | str, seat: int) -> None:
        self._stream = Stream(seed, f"bot/{seat}")

    @property
    def counter(self) -> int:
        """How many numbers of its stream it has used."""
        return self._stream.counter

    @counter.setter
    def counter(self, value: int) -> None:
        self._stream.counter = value

    def choose(self, view: Options) -> Action:
        """One of the legal actions."""
        return view.legal[self._stream.pick(len(view.legal))]
