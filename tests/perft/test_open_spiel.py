"""The classics beside OpenSpiel's games of the same rules: random games are played on both sides, move by move, and compared.

Compared are whose turn it is, what may be done (at chance points: what may come), when the game is over, and who has won. Needs the
extra `peers` (`pip install -e .[peers]`); without it the tests are left out. OpenSpiel is only asked here: nothing else knows of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from interpreter.drivers.perft import actions
from interpreter.machine.action import CHANCE
from interpreter.machine.protocol import State
from interpreter.overlays import Overlays
from interpreter.pipeline import load

MODS = Path(__file__).parent.parent.parent / "mods"
pyspiel = pytest.importorskip("pyspiel")

CARDS = ("jack_1", "jack_2", "queen_1", "queen_2", "king_1", "king_2")


@dataclass(frozen=True, slots=True)
class Peer:
    """A pair: our game and theirs, what we call an action of theirs (from its number and its name), how many games are played, and a
    mod of ours."""

    ours: str
    theirs: str
    called: Callable[[int, str], str]
    games: int = 20
    mod: str = ""


def square(number: int, name: str) -> str:
    """A cell of three by three, counted row by row."""
    return f"{'abc'[number % 3]}{number // 3 + 1}"


def column(number: int, name: str) -> str:
    """A column, counted from 0 there."""
    return str(number + 1)


def step(number: int, name: str) -> str:
    """`a7a6`, with a `*` behind a capture."""
    return f"{name[:2]}_to_{name[2:4]}"


def same(number: int, name: str) -> str:
    """What is called alike."""
    return name.lower()


def pit(number: int, name: str) -> str:
    """Pits 1 to 6, and 8 to 13 for the other player."""
    return f"a{number}" if number < 7 else f"b{number - 7}"


def card_of_kuhn(number: int, name: str) -> str:
    """A card, or what is said."""
    return ("jack", "queen", "king", "ace")[number] if name.startswith("Deal") else name.lower()


def card_of_six(number: int, name: str) -> str:
    """The same with two cards of each rank."""
    return CARDS[number] if name.startswith("Chance") else name.lower()


PEERS = (
    Peer("tic_tac_toe", "tic_tac_toe", square),
    Peer("connect_four", "connect_four", column),
    Peer("breakthrough", "breakthrough", step, 5),
    Peer("othello", "othello", same, 4),
    Peer("hex", "hex", same, 4),
    Peer("kalah", "mancala", pit),
    Peer("kuhn_poker", "kuhn_poker", card_of_kuhn),
    Peer("kuhn_poker", "kuhn_poker(players=3)", card_of_kuhn, 40, "kuhn_for_three"),
    Peer("leduc_poker", "leduc_poker", card_of_six, 60),
)


def compared(peer: Peer, state: State, other: Any) -> dict[str, int]:
    """Their actions by our names; fails if they are not ours."""
    theirs = {peer.called(a, other.action_to_string(a)): a for a in other.legal_actions()}
    history = [str(x) for x in other.history()]
    assert {a.text for a in actions(state)} == set(theirs), history
    if not other.is_terminal():
        assert state.to_act() == (CHANCE if other.is_chance_node() else other.current_player(),), history
    return theirs


@pytest.mark.slow
@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.mod or peer.ours)
def test_played_side_by_side(peer: Peer):
    game = load(peer.ours, overlays=Overlays((MODS / peer.mod / "mod.yaml",) if peer.mod else ()))
    rival = pyspiel.load_game(peer.theirs)
    for seed in range(peer.games):
        luck = Random(seed)
        state, other = game.new(game.player_counts[0], seed), rival.new_initial_state()
        while theirs := compared(peer, state, other):
            action = luck.choice(actions(state))
            state.apply(action)
            other.apply_action(theirs[action.text])
        assert state.is_over()
        assert other.is_terminal()
        returns = other.returns()
        if "poker" in peer.ours:
            assert [float(x) for x in state.returns()] == returns
        else:
            ahead = tuple(seat for seat, x in enumerate(returns) if x > 0)
            assert state.winners() == ahead if ahead else len(state.winners()) in (0, 2), other.history()
