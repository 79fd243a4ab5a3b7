"""Who reads a log sentence: everybody, only who acts, or nobody, by what it tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from interpreter.stages import IDLE, check_one, compile_model, configurations, read
from interpreter.text.diagnostic import Sink

GAME = """
game: tiny
title: Tiny
rules: 1
version: 1.0.0
players: 2
winners: players
components: |
  card is a piece:
    printed cost: 0..4
  each player has:
    coins: 0..9
    bid: 0..9, seen by owner
    hand: group of card, seen by owner
    shown: group of card
  the table has:
    hid: 0..9, seen by nobody
cards: {k1: {cost: 1}, k2: {cost: 2}}
functions: |
  best = highest of p.bid for p in players
effects:
  told:
    takes: {n: 0..9, c: card}
    do: |
      let m be my bid
      BODY
play: |
  have players:
    try:
      choose c from my hand
      perform told(my bid, c)
  end game
text:
  effects.told: "TEXT"
"""
EVERYBODY, ACTOR, NOBODY = "everyone", "actor", "tells-secret"


@pytest.mark.parametrize(
    ("text", "body", "heard"),
    [
        ("{me} has {my coins}", "gain up to 1 coin", EVERYBODY),
        ("{me} bids {my bid}", "gain up to 1 coin", ACTOR),
        ("{me} bids {m}", "gain up to 1 coin", ACTOR),
        ("{me} bids {n}", "gain up to 1 coin", ACTOR),
        ("{me} holds {c}", "gain up to 1 coin", ACTOR),
        ("{me} holds {c.cost}", "gain up to 1 coin", ACTOR),
        ("{me} shows {c}", "move c to my shown", EVERYBODY),
        ("{me} hides {c}", "move c to my hand", ACTOR),
        ("{me} pays {n}", "gain up to n coins", EVERYBODY),
        ("{me} pays {m}", "gain up to m coins", EVERYBODY),
        ("{me} finds {hid}", "gain up to 1 coin", NOBODY),
        ("{me} hears of {best}", "gain up to 1 coin", NOBODY),
    ],
)
def test_who_reads_it(text: str, body: str, heard: str, tmp_path: Path):
    path = tmp_path / "tiny.yaml"
    path.write_text(GAME.replace("TEXT", text).replace("BODY", body), encoding="utf-8")
    sink = Sink()
    tree = read(path, sink)
    assert tree is not None, [d.message for d in sink.diagnostics]
    model = check_one(tree, configurations(tree, {}, None)[0], sink)
    codes = {d.code for d in sink.diagnostics} - IDLE
    if heard == NOBODY:
        assert NOBODY in codes
        return
    assert model is not None, [d.message for d in sink.diagnostics]
    program = compile_model(model, "", sink)
    assert program is not None
    said = {e.visible for e in program.events if e.address == "effects.told" and e.template.parts}
    assert said == {heard}
