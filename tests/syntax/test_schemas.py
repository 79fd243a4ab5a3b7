"""The shipped schemas, and what the shape check makes of files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from interpreter.paths import schema_text
from interpreter.syntax.schema_check import check_schema
from interpreter.syntax.yaml_tree import load_yaml, read_source
from interpreter.text.diagnostic import Diagnostic, Sink
from interpreter.text.source import Source

ROOT = Path(__file__).parents[2]
NAMES = ["game", "scenario", "mod"]
HEADER = "game: a\ntitle: A\nrules: 1\nversion: 1.0.0\nplayers: 2\nplay: end game\n"


def schema(name: str) -> dict[str, object]:
    found = json.loads(schema_text(name))
    assert isinstance(found, dict)
    return found


def nodes(node: object, path: str = "") -> Iterator[tuple[str, dict[str, object]]]:
    if isinstance(node, dict):
        yield path, node
        for key, value in node.items():
            if key not in ("examples", "default", "enum"):
                yield from nodes(value, f"{path}/{key}")
    elif isinstance(node, list):
        for number, value in enumerate(node):
            yield from nodes(value, f"{path}/{number}")


def findings(text: str, name: str = "game") -> tuple[Diagnostic, ...]:
    sink = Sink()
    root = load_yaml(Source("file", text), sink)
    assert root is not None
    assert not sink.diagnostics
    check_schema(root, name, sink)
    return sink.diagnostics


@pytest.mark.parametrize("name", NAMES)
def test_no_schema_leaves_open_whom_to_blame(name: str) -> None:
    unions = [path for path, node in nodes(schema(name)) if {"oneOf", "anyOf"} & node.keys()]
    assert unions == []


@pytest.mark.parametrize("name", NAMES)
def test_only_keywords_of_old_and_new_drafts(name: str) -> None:
    late = {
        "prefixItems",
        "unevaluatedProperties",
        "unevaluatedItems",
        "$dynamicRef",
        "dependentSchemas",
        "$defs",
        "minContains",
    }
    assert [path for path, node in nodes(schema(name)) if late & node.keys() and "/properties" not in path[-11:]] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_property_is_described_with_an_example(name: str) -> None:
    whole = schema(name)
    definitions = whole["definitions"]
    assert isinstance(definitions, dict)
    bare = []
    for path, node in nodes(whole):
        properties = node.get("properties")
        for key, value in properties.items() if isinstance(properties, dict) else ():
            assert isinstance(value, dict)
            described = definitions[value["$ref"].split("/")[-1]] if "$ref" in value else value
            if not described.get("description") or not described.get("examples"):
                bare.append(f"{path}/{key}")
    assert bare == []


@pytest.mark.parametrize("path", sorted((ROOT / "games").glob("**/*.yaml")), ids=lambda p: p.stem)
def test_shipped_games_have_the_right_shape(path: Path) -> None:
    if "clauses" in path.parts:
        return
    sink = Sink()
    source = read_source(path, sink)
    assert source is not None
    root = load_yaml(source, sink)
    assert root is not None
    check_schema(root, "game", sink)
    assert [d.message for d in sink.diagnostics] == []


@pytest.mark.parametrize(
    ("text", "code", "line", "column", "help"),
    [
        ("effects:\n  a: {taeks: {n: 0..3}, do: end turn}\n", "unknown-key", 8, 7, "did you mean `takes`?"),
        (
            "triggers:\n  a: {roule: after b: end turn}\n".replace("after b: ", "after b "),
            "unknown-key",
            8,
            7,
            "did you mean `rule`?",
        ),
        ("efects:\n  a: end turn\n", "unknown-key", 7, 1, "did you mean `effects`?"),
        ("functions: [a]\n", "wrong-kind", 7, 1, "for example `full(n: place) = n.soil = 3`"),
        ("cards:\n  data: recon\n  a: {}\n", "wrong-word", 8, 9, ""),
        ("effects:\n  a: {do: end turn, depth: many}\n", "wrong-kind", 8, 28, "for example `1`"),
        ("setup:\n  Deal: end turn\n", "bad-name", 8, 3, "write `deal`"),
        ("options:\n  a: {change: {x: {wrapp: b}}}\n", "unknown-key", 8, 20, "did you mean `wrap`?"),
        ("scoring:\n  a: {cite: X-1}\n", "missing-key", 8, 3, "for example `my coins`"),
    ],
)
def test_each_mistake_has_one_finding_at_its_place(text: str, code: str, line: int, column: int, help: str) -> None:
    (found,) = findings(HEADER + text)
    assert (found.code, *found.span.position(), found.help) == (code, line, column, help)


def test_a_missing_and_a_misspelt_key_are_one_mistake() -> None:
    (found,) = findings(HEADER.replace("title:", "tilte:"))
    assert (found.code, found.help) == ("unknown-key", "did you mean `title`?")


def test_tables_are_sections_of_any_name() -> None:
    assert findings(HEADER + "components: |\n  mode is a thing\nmodes_of_play:\n  a: {b: 1}\n") == ()


def test_several_mistakes_are_told_in_one_run() -> None:
    text = HEADER + "effects:\n  a: {dou: end turn}\n  b: 3\nvalues: []\n"
    assert [(d.code, d.span.position()[0]) for d in findings(text)] == [
        ("unknown-key", 8), ("wrong-kind", 9), ("wrong-kind", 10),
    ]  # fmt: skip


def test_scenarios_and_mods() -> None:
    assert (
        findings(
            "game: a\ncases:\n- name: b\n  when:\n  - red: [a, 1]\n    illegal: X-1\n  then:\n  - offered: [c]\n  - a = 1\n",
            "scenario",
        )
        == ()
    )
    (found,) = findings("game: a\ncases:\n- name: b\n  givn: gain 1 coin\n", "scenario")
    assert (found.code, found.help) == ("unknown-key", "did you mean `given`?")
    assert findings("mod: {id: a, version: 1.0.0, for: b}\nchange: {cards.x: {set: {cost: 1}}}\n", "mod") == ()
    (found,) = findings("mod: {id: a, version: 1.0.0}\n", "mod")
    assert found.code == "missing-key"
