"""Mods of random words: the check says what is wrong with them, or they can be written as a game file that says the same."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from interpreter.outcome import DefinitionError
from interpreter.overlays import Overlays
from interpreter.paths import shipped_games
from interpreter.stages import check_file, contents_of, reading_of, resolved_text
from interpreter.syntax.canonical import canonical
from interpreter.syntax.contents import option_texts
from interpreter.text.diagnostic import Severity

pytestmark = pytest.mark.slow
MODS = 100
VERBS = ("set", "replace", "wrap", "first", "last", "before", "after", "inside", "or", "add", "remove", "remove")
MORE = "more: end game"
"""A further option of an `either`."""
VALUES: tuple[object, ...] = (
    0, 3, -1, 300, True, None, "", [], {}, [1, 2], "1", "previous", "previous + 1", "perform previous", "end game",
    "if true: perform previous",
    MORE, 'more "More" if true: end game\nor less: end turn',
    "sum of previous for p in players", "0..3 = 1", "a1 -- b1", "{me} says", "true", "it's", "[x, o]",
    ["x", "o"], {"x": {"y": "end game"}}, {"x": "end game"}, {"do": "end game", "cite": "X-1"}, {"by players": {"2": 3}},
    {"change": {"play": {"wrap": "perform previous"}}},
)  # fmt: skip
ADDS = (
    {"setup": {"more": "end game"}}, {"play": "end game"}, {"values": {"more": 1}}, {"winners": "players"}, {"text": {"play": "x"}},
    {"show": {"players": ["a", "b"]}}, {"scoring": {"more": "1"}}, {"functions": "more(p: player) = 1"},
    {"components": "more is one of some, others"},
    {"options": {"more": {"default": True, "change": {"play": {"first": {"more": "end turn"}}}}}},
)  # fmt: skip
FITTING = {"values": 2, "text": "{me} says", "functions": "previous", "winners": "previous", "payoff": "previous + 1"}
"""For some sections what goes there, so that not all mods are refused."""


def a_change(random_: random.Random, texts: dict[str, str]) -> dict[str, object]:
    """One or two verbs at an address; half the time one that may go there."""
    address = random_.choice(list(texts))
    section = address.partition(".")[0]
    if random_.random() < 0.5:
        fitting = FITTING.get(section, texts[address])
        verb = "wrap" if "previous" in str(fitting) else "or" if fitting == MORE else "replace"
        return {address: {verb: fitting}}
    verbs = dict.fromkeys(random_.choices(VERBS, k=random_.choice((1, 1, 2))))
    return {address: {verb: True if verb == "remove" else a_value(random_, texts) for verb in verbs}}


def a_value(random_: random.Random, texts: dict[str, str]) -> object:
    return random_.choice((*VALUES, *random_.sample(list(texts.values()), 3), *random_.choice(list(texts)).split(".")))


def a_mod(random_: random.Random, game: str, texts: dict[str, str]) -> dict[str, object]:
    body: dict[str, object] = {"mod": {"id": "m", "version": "1.0.0", "for": game}}
    body["change"] = {k: v for _ in range(random_.choice((1, 1, 2))) for k, v in a_change(random_, texts).items()}
    if random_.random() < 0.3:
        body["add"] = random_.choice(ADDS)
    if random_.random() < 0.1:
        when = random_.choice(({"players": 2}, {"mods": ["m"]}, {"options": {"more": True}}))
        body["parts"] = [{"when": when, "change": a_change(random_, texts)}]
    return body


def said_of(path: Path) -> dict[str, str]:
    """What stands at each address, and for the options of an `either` what may stand beside them."""
    definition = reading_of(path).definition
    return {**contents_of(definition, {}, None).texts, **dict.fromkeys(option_texts(definition), MORE)}


@pytest.mark.parametrize("game", ["tic_tac_toe", "kuhn_poker", "kalah"])
def test_whatever_a_mod_says_is_told_or_can_be_written(game: str, tmp_path: Path) -> None:
    path, file, again = shipped_games()[game], tmp_path / "mod.yaml", tmp_path / "again.yaml"
    texts = said_of(path)
    random_, sound, refused = random.Random(3), 0, 0
    for _ in range(MODS):
        said = json.dumps(a_mod(random_, game, texts), ensure_ascii=False)
        file.write_text(said, encoding="utf-8")
        overlays = Overlays((file,))
        found = check_file(path, {}, None, overlays)
        if not found.ok:
            assert any(d.severity is Severity.ERROR for d in found.diagnostics), said
            refused += 1
            continue
        try:
            definition = reading_of(path, overlays).definition
        except DefinitionError:
            pytest.fail(said)
        sound += 1
        depends = definition.merged is not None and definition.merged.depends
        again.write_text(resolved_text(definition, 2 if depends else None, provenance=True), encoding="utf-8")
        assert check_file(again, {}, None).ok, said
        assert depends or canonical(reading_of(again).definition) == canonical(definition), said
    assert sound > 3
    assert refused > 10
