"""A long definition with one slip at a time: exactly the finding that helps, under the very characters that are wrong.

Each case in `bad_input.yaml` replaces a passage of Night Soil, or of the `game` it names, by one with a slip; what is wrong stands
between « and ». The codes are all that is found, so that a follow-up error fails as hard as a missing one.
`good_input.yaml` holds sensible changes, of which nothing may be said.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from cli import rulewright
from interpreter.paths import shipped_games
from interpreter.stages import check_one, configurations, read
from interpreter.text.diagnostic import Diagnostic, Sink

TEXT = shipped_games()["night_soil"].read_text(encoding="utf-8")


def original(case: dict[str, str]) -> str:
    """The definition that a case makes a slip in."""
    return shipped_games()[case.get("game", "night_soil")].read_text(encoding="utf-8")


CASES = yaml.safe_load((Path(__file__).parent / "bad_input.yaml").read_text(encoding="utf-8"))
FINE = yaml.safe_load((Path(__file__).parent / "good_input.yaml").read_text(encoding="utf-8"))


def findings(path: Path, players: int | None = None) -> tuple[Diagnostic, ...]:
    """What is said of a file, for the most players or for so many."""
    sink = Sink()
    definition = read(path, sink)
    if definition is not None and not sink.has_errors:
        ways = configurations(definition, {}, None)
        way = ways[-1] if players is None else next(c for c in ways if c.players == players)
        check_one(definition, way, sink)
    return sink.diagnostics


@cache
def idle_in(game: str, players: int | None) -> frozenset[str]:
    """What is said of a game as it is shipped, looked at in one way to play only."""
    return frozenset(d.message for d in findings(shipped_games()[game], players))


def marked(text: str) -> tuple[str, list[tuple[int, str]]]:
    """A text without its marks, and what stood between them."""
    places: list[tuple[int, str]] = []
    plain = ""
    for number, part in enumerate(text.replace("»", "«").split("«")):
        if number % 2:
            places.append((len(plain), part))
        plain += part
    return plain, places


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_one_slip(case: dict[str, str], tmp_path: Path) -> None:
    before = original(case)
    assert before.count(case["passage"]) >= 1, "the passage has changed"
    text, places = marked(before.replace(case["passage"], case["slip"], 1))
    path = tmp_path / "game.yaml"
    path.write_text(text, encoding="utf-8")
    # What one way to play leaves idle is told only if all do; so what is said without the slip is left out.
    players = int(case["players"]) if "players" in case else None
    idle = idle_in(case["game"], players) if "game" in case else frozenset()
    found = [d for d in findings(path, players) if d.message not in idle]
    assert sorted(d.code for d in found) == sorted(case["codes"].split()), [f"{d.code}: {d.message}" for d in found]
    spots = {(d.span.start, d.span.text()) for d in found}
    assert spots >= set(places), spots


@pytest.mark.slow
@pytest.mark.parametrize("case", FINE, ids=lambda case: case["name"])
def test_no_false_alarm(case: dict[str, list[list[str]]], tmp_path: Path) -> None:
    text = TEXT
    for passage, change in case["passages"]:
        assert passage in text, "the passage has changed"
        text = text.replace(passage, change, 1)
    path = tmp_path / "night_soil.yaml"
    path.write_text(text, encoding="utf-8")
    assert [f"{d.code}: {d.message}" for d in findings(path)] == []


def test_several_slips_in_one_run(tmp_path: Path) -> None:
    text, places = TEXT, []
    for name in ("misspelt name in a flow value", "misspelt field behind a dot", "a first value out of range"):
        case = next(c for c in CASES if c["name"] == name)
        plain, marks = marked(case["slip"])
        text = text.replace(case["passage"], plain, 1)
        places.append((text.index(plain) + marks[0][0], case["codes"]))
    path = tmp_path / "night_soil.yaml"
    path.write_text(text, encoding="utf-8")
    done = CliRunner().invoke(rulewright, ["validate", str(path), "--format", "concise"])
    assert done.exit_code == 1
    wanted = []
    for start, code in sorted(places):
        line = text.count("\n", 0, start) + 1
        wanted.append(f"{path}:{line}:{start - text.rfind(chr(10), 0, start)}: error[{code}]")
    assert [line.split("] ")[0] + "]" for line in done.stdout.splitlines() if line.startswith(str(path))] == wanted
