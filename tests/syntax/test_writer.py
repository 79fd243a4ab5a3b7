"""A definition that is written as a file again is the same definition, with mods and without."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from interpreter.overlays import NO_OVERLAYS, Overlays
from interpreter.paths import shipped_games
from interpreter.stages import check_file, reading_of
from interpreter.syntax.canonical import canonical
from interpreter.syntax.located import plain
from interpreter.syntax.plain_yaml import yaml_lines
from interpreter.syntax.writer import written_definition
from interpreter.syntax.yaml_tree import load_yaml
from interpreter.text.diagnostic import Sink
from interpreter.text.source import Source

MODS = Path(__file__).resolve().parents[2] / "mods"
BIG = ("night_flowers", "night_market", "night_soil")
CASES = [
    pytest.param(name, NO_OVERLAYS, id=name, marks=[pytest.mark.slow] if name in BIG else [])
    for name in shipped_games()
] + [
    pytest.param("connect_four", Overlays((MODS / "connect_five" / "mod.yaml",)), id="connect_five"),
    pytest.param(
        "tic_tac_toe", Overlays((MODS / "misere" / "mod.yaml",), ('text.play="{me} {{x}} {cell}"',)), id="misere"
    ),
]


@pytest.mark.parametrize(("name", "overlays"), CASES)
def test_a_written_definition_reads_the_same(name: str, overlays: Overlays, tmp_path: Path) -> None:
    definition = reading_of(shipped_games()[name], overlays).definition
    again = tmp_path / "again.yaml"
    again.write_text(written_definition(definition, provenance=True), encoding="utf-8")
    assert canonical(reading_of(again).definition) == canonical(definition)


def test_everything_changed_inside_one_text_is_told_above_it(tmp_path: Path) -> None:
    mod = tmp_path / "mod.yaml"
    mod.write_text(
        "mod: {id: m, title: M, version: 1.0.0, for: tic_tac_toe}\n"
        "add:\n"
        "  components: place is one of left, right\n"
        '  functions: "two = 2"\n'
        "change:\n"
        "  functions.has_line: {wrap: previous}\n",
        encoding="utf-8",
    )
    text = written_definition(reading_of(shipped_games()["tic_tac_toe"], Overlays((mod,))).definition, provenance=True)
    notes = [line.replace(str(mod), "mod.yaml") for line in text.splitlines() if line.startswith("# ")]
    assert notes == [
        "# components.place: added (mod.yaml:3)",
        "# functions.has_line: mod m (mod.yaml:6)",
        "# functions.two: added (mod.yaml:4)",
    ]


@pytest.mark.parametrize(
    "value",
    ["plain", "yes", "3", "a: b", "# no", "", " a", 'say "x"', "a\nb\n", "a\nb", "a\n\n  b\n\n", "\na", "{a}", "-", "ö • →", -3, True, None,
     [1, "a, b"], {"a": [1]}, [{"a": "b\nc"}], {"x": {"y": "z" * 120}}],
)  # fmt: skip
def test_any_data_reads_the_same(value: object) -> None:
    text = "\n".join(yaml_lines({"key": value, "next": 1}, {"next": "a note"})) + "\n"
    sink = Sink()
    assert plain(load_yaml(Source("data", text), sink)) == {"key": value, "next": 1}, text
    assert not sink.has_errors


def test_conditions_that_a_file_cannot_meet_are_left_out(tmp_path: Path) -> None:
    path, again = tmp_path / "game.yaml", tmp_path / "again.yaml"
    path.write_text(
        "game: t\ntitle: T\nrules: 1\nversion: 1.0.0\nplayers: 1..3\nplay: end game\nvalues: {v: 1}\n"
        "functions: rich = v > 1\nwinners: all p in players where rich\nmodes:\n"
        "  solo: {when: {players: 1}, change: {values.v: {set: 2}}}\n"
        "  more: {when: {players: [2, 3]}, parts: [{when: {players: 1}, change: {values.v: {set: 4}}},"
        " {when: {players: [1, 3]}, change: {values.v: {set: 5}}}, {change: {values.v: {set: 6}}}]}\n",
        encoding="utf-8",
    )
    game = reading_of(path).definition
    again.write_text(written_definition(replace(game, players=(3, 3)), provenance=False), encoding="utf-8")
    modes = yaml.safe_load(again.read_text(encoding="utf-8"))["modes"]
    assert modes["solo"] == {"change": {"values.v": {"set": 2}}}
    assert modes["more"]["when"] == {"players": [3]}
    assert [part.get("when") for part in modes["more"]["parts"]] == [{"players": [3]}, None]
    assert [d.code for d in check_file(again, {}, None).diagnostics if d.code == "never-holds"] == []


def test_numbers_of_players_that_a_file_is_not_for_are_left_out(tmp_path: Path) -> None:
    game = reading_of(shipped_games()["night_soil"]).definition
    assert "{2: 2, 3: 2, 4: 3, 5: 3}" in written_definition(game, provenance=False)
    again = tmp_path / "again.yaml"
    again.write_text(written_definition(replace(game, players=(3, 4)), provenance=False), encoding="utf-8")
    assert "{3: 2, 4: 3}" in again.read_text(encoding="utf-8")
    assert check_file(again, {}, None).diagnostics == ()
