"""Options of an `either` by address: added, changed and taken away without the text around them, told where not meant, and played."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from interpreter.drivers.simulate import Plan, simulate
from interpreter.machine.faults import IllegalAction
from interpreter.overlays import Overlays
from interpreter.pipeline import MachineKind, load
from interpreter.stages import check_file, contents_of, guide_of, reading_of, resolved_text
from interpreter.syntax.canonical import canonical
from interpreter.syntax.contents import addresses
from interpreter.text.diagnostic import Diagnostic

GAME = """
game: town
title: Town
rules: 1
version: 1.0.0
players: 2
components: |
  good is one of ale, wool
  each player has:
    coins: 0..99 = 5
    tricks: 0..99
  the table has:
    round: 0..9
play: |
  take turns in players while round < 6:
    raise round by 1
    perform act
    perform trade
effects:
  act: |
    either work "Work": gain 1 coin
    or sell "Sell a good" if my coins < 50:
      choose g from good where g != wool or my tricks > 0
      if g = ale: gain 2 coins
    or rest "Rest": pay 0 coins
  trade:
    do:
      market: |
        either buy "Buy": pay 1 coin
        or rest: pay 0 coins
      fair: |
        either buy "Buy": pay 2 coins
        or sell "Sell": gain 1 coin
      end: gain 1 coin
scoring: {coins: my coins}
winners: all p in players with most p.coins
"""
BRIBE = "effects.act: {or: 'bribe \"Bribe an official\" if my coins >= 2: pay 2 coins, then gain 1 trick'}"
BEG = "effects.act: {or: 'beg: gain 1 coin'}"


@pytest.fixture
def game(tmp_path: Path) -> Path:
    path = tmp_path / "town.yaml"
    path.write_text(GAME, encoding="utf-8")
    return path


def mods(folder: Path, *changes: str) -> tuple[Path, ...]:
    """Mods of one change each; their ids are `a`, `b`, …"""
    paths = []
    for id, change in zip("abc", changes, strict=False):
        paths.append(folder / f"{id}.yaml")
        lines = "".join(f"  {line}\n" for line in change.split("\n"))
        paths[-1].write_text(f"mod: {{id: {id}, version: 1.0.0, for: town}}\nchange:\n{lines}", encoding="utf-8")
    return tuple(paths)


def found(game: Path, *changes: str) -> Sequence[Diagnostic]:
    return check_file(game, {}, None, Overlays(mods(game.parent, *changes))).diagnostics


def said(game: Path, address: str, *changes: str) -> str:
    """What stands at an address with mods of which nothing is to be said."""
    assert [d.message for d in found(game, *changes)] == []
    definition = reading_of(game, Overlays(mods(game.parent, *changes))).definition
    return contents_of(definition, {}, None).texts[address]


def heads(text: str) -> list[str]:
    """The labels of the options of an `either`, in order."""
    return [line.split()[1].rstrip(":") for line in text.split("\n") if line.startswith(("either ", "or "))]


# ------------------------------------------------------------------ what is done
def test_two_mods_add_to_one_choice_in_any_order(game: Path) -> None:
    assert heads(said(game, "effects.act", BRIBE, BEG)) == ["work", "sell", "rest", "bribe", "beg"]
    assert heads(said(game, "effects.act", BEG, BRIBE)) == ["work", "sell", "rest", "beg", "bribe"]


def test_several_options_join_at_once_and_words_of_the_language_are_free_as_labels(game: Path) -> None:
    both = "effects.act.rest: {before: 'move: gain 1 coin\\nor pay: pay 1 coin'}".replace("'", '"')
    assert heads(said(game, "effects.act", both)) == ["work", "sell", "move", "pay", "rest"]


def test_a_wrapped_option_knows_what_the_old_one_knew(game: Path) -> None:
    wrap = "effects.act.sell: {wrap: 'perform previous, then gain 1 coin'}"
    text = said(game, "effects.act", wrap, BEG)
    assert text.split("\n")[1:5] == [
        'or sell "Sell a good" if my coins < 50:',
        "  choose g from good where g != wool or my tricks > 0",
        "  if g = ale: gain 2 coins",
        "  gain 1 coin",
    ]


def test_a_wrap_may_bind_what_the_old_block_binds_itself(game: Path) -> None:
    text = said(game, "effects.act", "effects.act.sell: {wrap: 'for each g in good: perform previous'}")
    assert text.split("\n")[2] == "  for each g in good:"


def test_what_is_cited_where_the_old_block_is_performed_is_cited_there(game: Path) -> None:
    change = "effects.act.work: {wrap: 'perform previous, then gain 1 trick   [X-1]'}"
    definition = reading_of(game, Overlays(mods(game.parent, change))).definition
    text = contents_of(definition, {}, None).texts["effects.act"]
    assert text.split("\n")[1:3] == ["  gain 1 coin  [X-1]", "  gain 1 trick  [X-1]"]


def test_an_option_added_by_one_mod_is_changed_by_the_next(game: Path) -> None:
    text = said(game, "effects.act", BEG, "effects.act.beg: {wrap: 'perform previous, then perform previous'}")
    assert text.split("\n")[-3:] == ["or beg:", "  gain 1 coin", "  gain 1 coin"]


def test_a_step_comes_before_an_option_of_its_name(game: Path) -> None:
    step = "effects.trade: {last: {sell: gain 2 coins}}"
    assert said(game, "effects.trade.sell", step, "effects.trade.sell: {replace: gain 3 coins}") == "gain 3 coins"
    text = said(game, "effects.trade.fair", step, "effects.trade.fair.sell: {replace: gain 3 coins}")
    assert text.split("\n")[1] == 'or sell "Sell": gain 3 coins'


def test_an_option_keeps_its_address_when_its_text_becomes_a_step(game: Path) -> None:
    first = "effects.act: {first: {pay: pay 1 coin}}"
    assert heads(said(game, "effects.act.main", first, "effects.act.work: {remove: true}", BEG)) == [
        "sell",
        "rest",
        "beg",
    ]


def test_clauses_beside_an_option_are_those_of_its_choice(game: Path) -> None:
    change = "effects.act.rest: {replace: {do: gain 1 coin, cite: X-2}, cite: X-1}"
    definition = reading_of(game, Overlays(mods(game.parent, change))).definition
    text = contents_of(definition, {}, None).texts["effects.act"]
    assert text.split("\n")[0] == 'either work "Work":  [X-1, X-2]'


# ------------------------------------------------------------------ what is told
TOLD = [
    ("effects.trade.buy: {remove: true}", "patch-misses", "`effects.trade.buy` may be any of 2 options",
     "name the step too: `effects.trade.market.buy`, `effects.trade.fair.buy`"),
    ("effects.act.sel: {remove: true}", "patch-misses", "nothing at `effects.act.sel`", "did you mean `effects.act.sell`?"),
    ("effects.act.murder: {remove: true}", "patch-misses", "nothing at `effects.act.murder`",
     "`effects.act` has no named steps; the options in it are `work`, `sell`, `rest`"),
    ("effects.trade.witchcraft: {remove: true}", "patch-misses", "nothing at `effects.trade.witchcraft`",
     "the steps of `effects.trade` are `market`, `fair`, `end`, and options in them `market.buy`, `market.rest`, `fair.buy`, `fair.sell`"),
    ("effects.trade: {or: 'beg: gain 1 coin'}", "patch-verb", "there is more than one `either` in `effects.trade`",
     "say `or` at an option of the one that is meant: `effects.trade.market.buy`, `effects.trade.market.rest`,"
     " `effects.trade.fair.buy`, `effects.trade.fair.sell`"),
    ("effects.trade.end: {or: 'beg: gain 1 coin'}", "patch-verb", "there is no `either` in `effects.trade.end`",
     "say `or` at an option of the one that is meant: `effects.trade.market.buy`, `effects.trade.market.rest`,"
     " `effects.trade.fair.buy`, `effects.trade.fair.sell`"),
    ("effects.act: {or: 'work: gain 1 coin'}", "duplicate-name", "`effects.act.work` exists already", "to change it, use `change:`"),
    ("effects.act.rest: {after: 'work: gain 1 coin'}", "duplicate-name", "`effects.act.work` exists already",
     "to change it, use `change:`"),
    ("effects.act.rest: {inside: if round = 2}", "patch-verb", "`inside` does nothing at `effects.act.rest`",
     "here go `replace`, `wrap`, `or`, `before`, `after` and `remove: true`"),
    ("effects.act: {set: 2}", "patch-verb", "`set` does nothing at `effects.act`",
     "here go `replace`, `wrap`, `inside`, `or`, `first`, `last` and `remove: true`"),
    ("effects.act.rest: {after: {more: gain 1 coin}}", "wrong-kind", "expected a text, found a mapping", ""),
    ("effects.trade.end: {after: 'more: gain 1 coin'}", "wrong-kind", "expected a mapping, found a text",
     'for example `{"extra": "gain 1 coin"}`'),
    ("effects.act: {or: perform trade}", "syntax", "an option begins with a label, and a `:` before what is done",
     'write `label: …`, or `label "What players read" if condition: …`'),
    ("effects.act: {or: 'or beg: gain 1 coin'}", "syntax", "this text stands behind `or` already", "leave this `or` out"),
    ("effects.act.sell: {wrap: perform previous(2)}", "patch-verb",
     "here `previous` is a block, which is performed and takes nothing", "write `perform previous`"),
    ("effects.act.sell: {wrap: 'for each good in players: perform previous'}", "patch-verb",
     "`good` hides what the old block calls `good`", "call it something else, for example `good_2`"),
    ("effects.trade.market.rest: {remove: true}\neffects.trade.market.buy: {remove: true}", "patch-verb",
     "`buy` is the only option left of its `either`", "change `effects.trade.market` instead"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "code", "message", "help"), TOLD, ids=[change[:60] for change, *_ in TOLD])
def test_what_cannot_be_done_is_told(game: Path, change: str, code: str, message: str, help: str) -> None:
    assert [(d.code, d.message, d.help) for d in found(game, change)] == [(code, message, help)]


def test_options_of_one_step_that_share_a_name_have_no_address(game: Path) -> None:
    twice = "effects.act.rest: {replace: \"either sell: gain 1 coin\\nor pray: gain 1 trick\"}"  # fmt: skip
    (told,) = found(game, twice, "effects.act.sell: {remove: true}")
    assert told.message == "`effects.act.sell` may be any of 2 options"
    assert told.help == "where their `either` stand in steps of their own, the step tells them apart"
    definition = reading_of(game, Overlays(mods(game.parent, twice))).definition
    assert "effects.act.sell" not in addresses(definition)
    assert "effects.act.pray" in addresses(definition)


def test_two_mods_that_write_one_option_are_named(game: Path) -> None:
    one, other = "effects.trade.sell: {replace: gain 2 coins}", "effects.trade.fair.sell: {replace: gain 3 coins}"
    (told,) = found(game, one, other)
    assert (told.code, told.address) == ("patch-conflict", "effects.trade.fair.sell")
    one, step = "effects.act.sell: {replace: gain 2 coins}", "effects.act: {first: {pay: pay 1 coin}}"
    (told,) = found(game, one, step, "effects.act.main.sell: {replace: gain 3 coins}")
    assert (told.code, told.address) == ("patch-conflict", "effects.act.sell")


# ------------------------------------------------------------------ files, maps, games
def test_one_file_again_says_where_options_are_from(game: Path) -> None:
    rest = "effects.trade.sell: {replace: gain 2 coins}\neffects.act.sell: {remove: true}\neffects.act.work: {remove: true}"
    definition = reading_of(game, Overlays(mods(game.parent, BRIBE, rest))).definition
    text = resolved_text(definition, None, provenance=True)
    lines = [line.strip() for line in text.split("\n")]
    notes = {lines[n + 1].partition(":")[0]: line for n, line in enumerate(lines) if line.startswith("#")}
    assert notes.keys() == {"act", "fair"}
    assert re.fullmatch(r"# mod a \(.*a\.yaml:3\)", notes["act"])
    assert re.fullmatch(r"# effects\.trade\.fair\.sell: mod b \(.*b\.yaml:3\)", notes["fair"])
    game.write_text(text, encoding="utf-8")
    assert check_file(game, {}, None).diagnostics == ()
    assert canonical(reading_of(game).definition) == canonical(definition)


def test_a_map_of_the_rules_has_the_options(game: Path) -> None:
    change = f"{BRIBE}\neffects.act.sell: {{wrap: 'perform previous, then gain 1 coin'}}"
    atlas = guide_of(reading_of(game, Overlays(mods(game.parent, change))).definition, {}, None).atlas
    places = {p.address: p for p in atlas.places if p.kind.startswith("option of")}
    assert {"effects.act.work", "effects.act.bribe", "effects.trade.market.buy"} <= places.keys()
    sold, bribed, worked = (places[f"effects.act.{name}"] for name in ("sell", "bribe", "work"))
    assert sold.now.split("\n")[-1] == "  gain 1 coin"
    assert [who for who, _ in sold.changed] == ["mod a"]
    assert bribed.now.split("\n")[0] == 'bribe "Bribe an official" if my coins >= 2:'
    assert worked.lines() == ['either work "Work": gain 1 coin']


KINDS: tuple[MachineKind, ...] = ("reference", "wasm")


@pytest.mark.parametrize("kind", KINDS)
def test_options_of_two_mods_are_played(game: Path, kind: MachineKind) -> None:
    overlays = Overlays(mods(game.parent, BRIBE, f"{BEG}\neffects.act.work: {{remove: true}}"))
    state = load(str(game), machine=kind, overlays=overlays).new(2, 1)
    assert len(state.legal(0)) == 4
    with pytest.raises(IllegalAction):
        state.find(0, "work")
    for player, taken in ((0, "bribe"), (0, "buy"), (0, "sell"), (1, "beg"), (1, "rest"), (1, "sell"), (0, "sell")):
        state.apply(state.find(player, taken))
    # Five coins each; two for the bribe, one to buy, one from the fair and one at its end.
    assert [state.scores(player) for player in (0, 1)] == [(("coins", 4),), (("coins", 8),)]


def test_games_with_two_such_mods_end_alike_on_both_machines(game: Path) -> None:
    overlays = Overlays(mods(game.parent, BRIBE, f"{BEG}\neffects.act.work: {{remove: true}}"))
    ends = []
    for kind in KINDS:
        opened = partial(load, str(game), machine=kind, overlays=overlays)
        plan = Plan(2, 20, 7, ("random",) * 2, 2_000, 0, 0)
        ends.append([(r.status, r.plies, r.returns) for r in simulate(opened, plan)])
    assert ends[0] == ends[1]
    assert {status for status, *_ in ends[0]} == {"finished"}
