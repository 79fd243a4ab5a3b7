"""The table of codes against the code: nothing is reported without a record, and no record is left over."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from interpreter.text.codes import CODES

ROOT = Path(__file__).parents[2] / "interpreter"


@cache
def _modules() -> tuple[ast.Module, ...]:
    """Every module but the table itself."""
    paths = [path for path in sorted(ROOT.rglob("*.py")) if path.name != "codes.py"]
    return tuple(ast.parse(path.read_text(encoding="utf-8")) for path in paths)


def _reported(module: ast.Module) -> Iterator[str]:
    """Codes given to a sink: the first argument of its methods."""
    for node in ast.walk(module):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="error" | "warning", value=ast.Attribute(attr="sink") | ast.Name(id="sink")),
                args=[ast.Constant(value=str(code)), *_],
            ):
                yield code


def test_every_reported_code_has_a_record() -> None:
    reported = {code for module in _modules() for code in _reported(module)}
    assert len(reported) > 40
    assert reported - {c.slug for c in CODES} == set()


def test_every_record_is_reported_somewhere() -> None:
    said = {
        n.value for m in _modules() for n in ast.walk(m) if isinstance(n, ast.Constant) and isinstance(n.value, str)
    }
    assert {c.slug for c in CODES} - said == set()
