"""Counting action sequences."""

from __future__ import annotations

from interpreter.drivers.perft import Count, divide, perft
from interpreter.machine.protocol import State
from tests.machine.games import HandMade, dig, nim, open_duel


def by_hand(state: State, depth: int) -> int:
    """The definition, without remembering anything."""
    if depth == 0:
        return 1
    total = 0
    for player in state.to_act():
        for action in state.legal(player):
            child = state.clone()
            child.apply(action)
            total += by_hand(child, depth - 1)
    return total


def test_against_the_definition():
    for program in (nim(7), dig()):
        state = HandMade(program).new(2, 1)
        for depth in range(6):
            assert perft(state, depth).sequences == by_hand(state, depth)


def test_nim_is_the_ways_to_write_a_sum():
    """Compositions of 10 from parts 1..3: tribonacci."""
    assert perft(HandMade(nim(10)).new(2, 1), 10) == Count(1, 274)


def test_chance_outcomes_are_children():
    assert perft(open_duel().new(2, 1), 2) == Count(6, 0)
    assert perft(open_duel().new(2, 1), 4) == Count(24, 24)
    assert perft(open_duel().new(2, 1), 5) == Count(0, 24)


def test_divide_adds_up():
    state = HandMade(nim(6)).new(2, 1)
    parts = divide(state, 4)
    assert [a.text for a, _ in parts] == ["1", "2", "3"]
    assert sum(c.sequences for _, c in parts) == perft(state, 4).sequences
    assert sum(c.finished for _, c in parts) == perft(state, 4).finished
