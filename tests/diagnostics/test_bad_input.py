"""A long definition with one slip at a time: exactly the finding that helps, under the very characters that are wrong.

Each case in `bad_input.yaml` replaces a passage of Night Soil by one with a slip; what is wrong stands between « and ». The codes are all
that is found, so that a follow-up error fails as hard as a missing one.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from interpreter.paths import shipped_games
from interpreter.stages import check_one, configurations, read
from interpreter.text.diagnostic import Diagnostic, Sink

TEXT = shipped_games()["night_soil"].read_text(encoding="utf-8")

CASES = yaml.safe_load((Path(__file__).parent / "bad_input.yaml").read_text(encoding="utf-8"))


def findings(path: Path) -> tuple[Diagnostic, ...]:
    """What is said of a file, for the most players."""
    sink = Sink()
    definition = read(path, sink)
    if definition is not None and not sink.has_errors:
        check_one(definition, configurations(definition, {}, None)[-1], sink)
    return sink.diagnostics


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
    assert TEXT.count(case["passage"]) >= 1, "the passage has changed"
    text, places = marked(TEXT.replace(case["passage"], case["slip"], 1))
    path = tmp_path / "night_soil.yaml"
    path.write_text(text, encoding="utf-8")
    found = findings(path)
    assert sorted(d.code for d in found) == sorted(case["codes"].split()), [f"{d.code}: {d.message}" for d in found]
    spots = {(d.span.start, d.span.text()) for d in found}
    assert spots >= set(places), spots
