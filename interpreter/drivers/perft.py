"""perft(n): the number of sequences of exactly n actions from a position, chance outcomes counted as actions.

In: a state. Out: counts. A finished game has no continuation, so it adds to `finished` and not to longer sequences. Equal positions at
equal depth are counted once and remembered.
"""

from __future__ import annotations

from dataclasses import dataclass

from interpreter.machine.action import Action
from interpreter.machine.protocol import State


@dataclass(frozen=True, slots=True)
class Count:
    """`sequences` have exactly the depth asked for; `finished` games ended at that depth or before."""

    sequences: int
    finished: int


Known = dict[tuple[bytes, int], Count]


def perft(state: State, depth: int) -> Count:
    """How many sequences of `depth` actions there are from a state."""
    return _count(state, depth, {})


def divide(state: State, depth: int) -> tuple[tuple[Action, Count], ...]:
    """The same, apart for each first action; `depth` is at least 1."""
    known: Known = {}
    parts = []
    for action in actions(state):
        child = state.clone()
        child.apply(action)
        parts.append((action, _count(child, depth - 1, known)))
    return tuple(parts)


def actions(state: State) -> tuple[Action, ...]:
    """Everything that may happen next: what each seat that may act can do, or what chance can bring."""
    return tuple(action for player in state.to_act() for action in state.legal(player))


def _count(state: State, depth: int, known: Known) -> Count:
    if depth == 0:
        return Count(1, int(state.to_act() == ()))
    key = (state.key(), depth)
    found = known.get(key)
    if found is not None:
        return found
    if not state.to_act():
        return Count(0, 1)
    sequences = finished = 0
    for action in actions(state):
        child = state.clone()
        child.apply(action)
        count = _count(child, depth - 1, known)
        sequences += count.sequences
        finished += count.finished
    found = known[key] = Count(sequences, finished)
    return found
