"""Sentences of the log go with the texts they were written for, whatever patches make of these; on both machines, and in one file again."""

from __future__ import annotations

from pathlib import Path

import pytest

from interpreter.overlays import Overlays
from interpreter.pipeline import Game, check, load, resolved_text

pytestmark = pytest.mark.slow
GAME = """
game: tiny
title: Tiny
rules: 1
version: 1.0.0
players: 2
options:
  louder: {type: true or false, default: false, change: {text.effects.work: {set: "{me} shouts {k}"}}}
components: |
  place is a thing:
    printed use: effect
  each player has:
    coins: 0..99
places:
  a: {use: "gain 1 coin, then choose x from 1..2"}
effects:
  work: choose k from 1..2, then gain k coins
  rest: {takes: {n: 0..3}, do: {sit: gain n coins, lie: choose k from 1..2}}
  feast: |
    have players: gain 1 coin
phases:
  day: |
    have players: gain 1 coin
  night:
    do:
      dusk: "have players: gain 1 coin"
play: |
  have p1:
    choose go from 1..2
    perform work
    perform rest(2)
    perform a.use
  perform day
  perform night
  perform feast
winners: players
text:
  effects.work: "{me} takes {k}"
  effects.rest: "{me} rests {n}"
  effects.rest.sit: "{me} sits {n}"
  effects.rest.lie: "{me} lies {k}"
  effects.feast: "{me} feasts"
  phases.day: "{me} has a day"
  phases.night.dusk: "{me} has a dusk"
  places.a.use: "{me} uses {this} for {x}"
show:
  players: [p1, p2]
"""
HEADER = "mod: {{id: m{0}, version: 1.0.0, for: tiny, versions: '*'}}\n"
PLAIN = [
    *("p1 takes 1", "p1 rests 2", "p1 sits 2", "p1 lies 1", "p1 uses A for 1"),
    *("p1 has a day", "p2 has a day", "p1 has a dusk", "p2 has a dusk", "p1 feasts", "p2 feasts"),
]


def instead(**other: str) -> list[str]:
    """What is said without a mod, but for some sentences: by the verb of the old one, `/` between several, nothing for none."""
    found: list[str] = []
    for said in PLAIN:
        new = next((text for verb, text in other.items() if said.startswith(f"p1 {verb} ")), said)
        found += [part for part in new.split(" / ") if part]
    return found


def game_of(folder: Path, *mods: str, **more: object) -> Game:
    file = folder / "tiny.yaml"
    file.write_text(GAME, encoding="utf-8")
    files = []
    for number, body in enumerate(mods):
        files.append(folder / f"m{number}.yaml")
        files[-1].write_text(HEADER.format(number) + body, encoding="utf-8")
    return load(str(file), overlays=Overlays(tuple(files)), **more)  # type: ignore[arg-type]


def log_of(game: Game, strict: bool = True) -> list[str]:
    """What is said when everybody takes the first option always."""
    if strict:
        found = check(game.path, overlays=game.overlays).diagnostics
        assert not [d.message for d in found if d.code != "unused-effect"]
    state = game.new(2, 1)
    while not state.is_over():
        state.apply(state.legal(state.to_act()[0])[0])
    said = [event.text(state.program) for event in state.events()]
    return [text[0].lower() + text[1:] for text in said if text]


CASES = {
    "without a mod": ((), PLAIN),
    "steps join": (
        (
            "change:\n  effects.work: {first: {tip: gain 1 coin}, last: {more: gain 1 coin}}\n"
            '  phases.day: {last: {pay: "have players: gain 1 coin"}}\n'
            "  effects.rest: {first: {yawn: gain 1 coin}}\n"
            'add: {text: {effects.work.tip: "{me} gets a tip", effects.rest.yawn: "{me} yawns {n}"}}\n',
        ),
        instead(takes="p1 gets a tip / p1 takes 1", sits="p1 yawns 2 / p1 sits 2"),
    ),
    "texts are wrapped": (
        (
            "change:\n  effects.work: {wrap: 'gain 1 coin, then perform previous'}\n"
            "  effects.rest: {wrap: 'perform previous, then perform previous(1)'}\n"
            "  effects.feast: {wrap: perform previous}\n"
            "  phases.day: {wrap: perform previous}\n"
            "  phases.night.dusk: {wrap: perform previous}\n"
            "  places.a.use: {wrap: 'perform previous, then gain 1 coin'}\n",
        ),
        instead(lies="p1 lies 1 / p1 rests 1 / p1 sits 1 / p1 lies 1"),
    ),
    "the old text is not performed": (
        ("change:\n  effects.work: {wrap: 'if 1 = 2: perform previous'}\n",),
        instead(takes=""),
    ),
    "a step is wrapped and has its arguments": (
        ("change:\n  effects.rest.sit: {wrap: 'perform previous, then gain n coins'}\n",),
        PLAIN,
    ),
    "what joins a wrap": (
        (
            "change:\n  effects.work: {wrap: perform previous}\n",
            "change:\n  effects.work: {last: {more: gain 1 coin}}\n",
        ),
        PLAIN,
    ),
    "a wrap of what steps joined": (
        (
            "change:\n  effects.work: {last: {more: gain 1 coin}}\n",
            "change:\n  effects.work: {wrap: perform previous}\n  effects.rest.sit: {wrap: perform previous}\n",
        ),
        PLAIN,
    ),
    "a wrap of the step that a text became": (
        (
            "change:\n  effects.work: {last: {more: gain 1 coin}}\n",
            "change:\n  effects.work.main: {wrap: perform previous}\n",
        ),
        PLAIN,
    ),
    "a sentence before a wrap is for the new text": (
        (
            'change:\n  text.effects.work: {set: "{me} works {m}"}\n'
            "  effects.work: {wrap: 'choose m from 1..2, then perform previous'}\n",
        ),
        instead(takes="p1 works 1"),
    ),
    "a sentence behind a wrap is for the new text": (
        (
            "change:\n  effects.work: {wrap: 'choose m from 1..2, then perform previous'}\n"
            '  text.effects.work: {set: "{me} works {m}"}\n',
        ),
        instead(takes="p1 works 1"),
    ),
    "a sentence added beside a wrap is for the new text, over an older wrap too": (
        (
            "change:\n  effects.work: {wrap: perform previous}\n",
            "change:\n  effects.work: {wrap: 'choose m from 1..2, then perform previous'}\n"
            'add: {text: {effects.work: "{me} works {m}"}}\n',
        ),
        instead(takes="p1 works 1"),
    ),
    "a sentence of another mod takes the old one's place": (
        (
            "change:\n  effects.work: {wrap: 'choose m from 1..2, then perform previous'}\n",
            'change:\n  text.effects.work: {set: "{me} works {k}"}\n',
        ),
        instead(takes="p1 works 1"),
    ),
    "a replaced text has its sentence again": (
        (
            "change:\n  effects.work: {last: {more: gain 1 coin}}\n  places.a.use: {wrap: 'perform previous'}\n",
            "change:\n  effects.work: {replace: 'choose k from 1..2'}\n"
            "  places.a.use: {set: 'choose x from 1..2, then gain 1 coin'}\n",
        ),
        PLAIN,
    ),
    "a text inside a block": (
        (
            "change:\n  effects.work: {last: {more: gain 1 coin}}\n",
            "change:\n  effects.work: {inside: for each q in places}\n",
        ),
        PLAIN,
    ),
}


@pytest.mark.parametrize("machine", ["reference", "wasm"])
@pytest.mark.parametrize("name", CASES)
def test_a_sentence_goes_with_its_text(name: str, machine: str, tmp_path: Path) -> None:
    mods, said = CASES[name]
    assert log_of(game_of(tmp_path, *mods, machine=machine)) == said


@pytest.mark.parametrize("name", CASES)
def test_one_file_says_the_same(name: str, tmp_path: Path) -> None:
    mods, said = CASES[name]
    game = game_of(tmp_path, *mods)
    file = tmp_path / "one.yaml"
    file.write_text(resolved_text(game.path, game.overlays, None, False), encoding="utf-8")
    again = load(str(file))
    assert again.hash == game.hash
    assert log_of(again) == said


def test_an_option_still_finds_a_sentence_that_went_with_its_text(tmp_path: Path) -> None:
    wrapped = "change:\n  effects.work: {wrap: perform previous}\n"
    joined = "change:\n  effects.work: {last: {more: gain 1 coin}}\n"
    for mod in (wrapped, joined):
        game = game_of(tmp_path, mod, options={"louder": "true"})
        assert log_of(game) == instead(takes="p1 shouts 1")


def test_a_sentence_that_can_not_stay_is_told_at_the_mod(tmp_path: Path) -> None:
    mod = "change:\n  effects.rest.lie: {replace: gain 1 coin}\n"
    game = game_of(tmp_path, mod)
    found = [d for d in check(game.path, overlays=game.overlays).diagnostics if d.code == "never-said"]
    assert [d.span.source.name.rpartition("/")[2] for d in found] == ["m0.yaml"]
    assert "`set` another at `text.effects.rest.lie`" in found[0].help


COUNTED = """
game: tiny
title: Tiny
rules: 1
version: 1.0.0
players: 1
components: |
  place is a thing:
    soil: 0..9
  each player has:
    coins: 0..99, gained by earn
places: {gate: {}, square: {}}
functions: |
  filled = all p in places where p.soil > 0
effects:
  earn: {takes: {n: 0..9}, do: put n coins on me}
phases:
  dawn:
    do:
      rain: "for each p in places: put 1 soil on p"
      look: "for each p in places: put 1 soil on p"
play: |
  perform dawn
  have players: gain 1 coin, then gain 2 coins, then gain 0 coins
winners: players
text:
  effects.earn: "{me} gets {n} coins, {n} isles"
  phases.dawn.rain: "it has rained on {filled}"
  phases.dawn.look: "it has rained on {filled}"
show:
  players: [p1]
"""


def test_a_number_takes_the_noun_behind_it_and_what_names_nobody_is_said_where_nobody_acts(tmp_path: Path) -> None:
    file = tmp_path / "tiny.yaml"
    file.write_text(COUNTED, encoding="utf-8")
    game = load(str(file))
    assert not check(game.path).diagnostics
    state = game.new(1, 1)
    assert [text for event in state.events() if (text := event.text(state.program))] == [
        *("it has rained on nothing", "it has rained on Gate and Square"),
        *("P1 gets 1 coin, 1 isles", "P1 gets 2 coins, 2 isles", "P1 gets 0 coins, 0 isles"),
    ]
