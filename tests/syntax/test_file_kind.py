"""What a file is for is told by how it begins; where another kind is wanted, one diagnostic says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from interpreter.paths import clauses_path, shipped_games, shipped_mods
from interpreter.stages import read
from interpreter.syntax.file_kind import kind_of
from interpreter.syntax.mod_document import read_mod
from interpreter.syntax.scenario_document import read_scenarios
from interpreter.syntax.yaml_tree import load_yaml, read_source
from interpreter.text.diagnostic import Sink

SCENARIOS = sorted((Path(__file__).parents[1] / "scenarios").rglob("*.yaml"))
FILES = [
    *(("game", path) for path in shipped_games().values()),
    *(("mod", path) for path in shipped_mods().values()),
    *(("scenarios", path) for path in SCENARIOS),
    *(("clauses", path) for game in shipped_games().values() if (path := clauses_path(game)) is not None),
]
READERS = {
    "game": (lambda path, sink: read(path, sink), "not-a-game"),
    "mod": (lambda path, sink: read_mod(path, sink), "not-a-mod"),
    "scenarios": (lambda path, sink: read_scenarios(path, sink), "not-scenarios"),
}
TEXTS = {
    "game": "title: T\ngame: g\nplayers: 2\n",
    "mod": "mod: {id: m, version: 1.0.0, for: g}\nadd: {}\n",
    "scenarios": "game: g\nwith: [m]\ncases: []\n",
    "clauses": "game: g\nrulings: []\nclauses: []\n",
}


def test_every_file_of_ours_is_known() -> None:
    found = []
    for kind, path in FILES:
        source = read_source(path, Sink())
        assert source is not None
        root = load_yaml(source, Sink())
        assert root is not None
        found += [(path.name, kind_of(root))] if kind_of(root) != kind else []
    assert found == []
    assert {kind for kind, _ in FILES} == set(TEXTS)


@pytest.mark.parametrize("wanted", READERS)
@pytest.mark.parametrize("kind", TEXTS)
def test_another_kind_is_told_once(kind: str, wanted: str, tmp_path: Path) -> None:
    reader, code = READERS[wanted]
    path = tmp_path / "file.yaml"
    path.write_text(TEXTS[kind], encoding="utf-8")
    sink = Sink()
    reader(path, sink)
    if kind == wanted:
        assert code not in [d.code for d in sink.diagnostics]
    else:
        assert [d.code for d in sink.diagnostics] == [code]
