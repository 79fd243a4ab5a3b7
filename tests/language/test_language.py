"""Every construct of the language does what its page says; the cases are the YAML files beside."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import get_args

import pytest

from interpreter.model.library import LIBRARY
from interpreter.stages import check_one, compile_model
from interpreter.syntax import nodes as syn
from interpreter.text.diagnostic import Sink
from interpreter.text.source import Source, Span
from tests.language.cases import Case, cases_of, conditions_of, config_of, definition_of, machine_of, marked, play

CASES = list(cases_of(Path(__file__).parent))


@pytest.mark.parametrize("case", [marked(case) for case in CASES])
def test_case(case: Case, tmp_path: Path):
    path = tmp_path / "tiny.yaml"
    if case.says is not None:
        sink = Sink()
        definition = definition_of(case, path, sink)
        if definition is not None and not sink.has_errors:
            model = check_one(definition, config_of(case, definition), sink)
            if model is not None:
                compile_model(model, "", sink)
        assert [d.code for d in sink.diagnostics] == case.says, [d.message for d in sink.diagnostics]
        rest = "\n".join(text for d in sink.diagnostics for text in (d.message, d.label, d.help))
        for told in case.told:
            assert told in rest, (told, rest)
            rest = rest[rest.index(told) + len(told) :]
        return
    assert case.script, "a case without script tests nothing"
    play(case, machine_of(case, path))


def test_nothing_is_left_out(tmp_path: Path):
    """Each form of statement and expression and each builtin stands in some case."""
    met: set[str] = set()
    words: set[str] = set()
    for case in CASES:
        if case.says is None:
            definition = definition_of(case, tmp_path / "tiny.yaml", Sink())
            for tree in (definition, *conditions_of(case).values()):
                collect(tree, met, words)
    forms = {
        form.__name__
        for union in (syn.Stmt, syn.Expr, syn.TriggerNode, syn.GraphLine, syn.Decl)
        for form in get_args(union)
    }
    assert forms - met == set()
    assert {builtin.name for builtin in LIBRARY} - words == set()


def collect(node: object, met: set[str], words: set[str]) -> None:
    """Kinds of nodes and names in a tree."""
    match node:
        case tuple() | list():
            for part in node:
                collect(part, met, words)
        case dict():
            for part in node.values():
                collect(part, met, words)
        case syn.Name(id=name):
            met.add("Name")
            words.add(name)
        case _ if is_dataclass(node) and not isinstance(node, type):
            met.add(type(node).__name__)
            if isinstance(node, syn.FieldOf):
                words.add(node.name)
            for part in fields(node):
                if not isinstance(value := getattr(node, part.name), Source | Span):
                    collect(value, met, words)
