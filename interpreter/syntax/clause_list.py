"""Reads a clause list: the numbered clauses of a rulebook in the project's words, its gaps, and rulings.

In: the file beside a game (`clauses/<game>.yaml`). Out: `Clauses` (text/places.py). What the file says of a clause is taken as it is;
whether every clause has a rule is a test's business. An entry without an id is reported and left out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from interpreter.syntax.located import Located, Mapping, Scalar, Sequence
from interpreter.syntax.yaml_tree import load_yaml, read_source
from interpreter.text.diagnostic import Sink
from interpreter.text.places import Clause, Clauses

_LISTS: Final[tuple[tuple[str, Literal["clause", "gap", "ruling"]], ...]] = (
    ("clauses", "clause"),
    ("gaps", "gap"),
    ("rulings", "ruling"),
)


def read_clauses(path: Path, sink: Sink) -> Clauses | None:
    """A clause list from its file; None if it cannot be read at all."""
    source = read_source(path, sink)
    root = load_yaml(source, sink) if source is not None else None
    if not isinstance(root, Mapping):
        return None
    found: list[Clause] = []
    for key, kind in _LISTS:
        rows = root.get(key)
        for item in rows.items if isinstance(rows, Sequence) else ():
            entry = _entry(item, kind)
            if entry is None:
                sink.error("missing-key", item.span, "every entry of a clause list has an `id`", help="add `id:`")
            else:
                found.append(entry)
    return Clauses(_text(root.get("game")), tuple(found))


def _entry(item: Located, kind: Literal["clause", "gap", "ruling"]) -> Clause | None:
    if not isinstance(item, Mapping):
        return None
    id = _text(item.get("id"))
    if not id:
        return None
    said = next((t for key in ("rule", "what", "text") if (t := _text(item.get(key)))), "")
    return Clause(
        id,
        _text(item.get("kind")) or kind,
        kind,
        _text(item.get("section")),
        said,
        _text(item.get("ruling")),
        _words(item.get("gap")),
        _text(item.get("no_rule")),
        item.span,
    )


def _text(node: Located | None) -> str:
    return str(node.value) if isinstance(node, Scalar) and node.value is not None else ""


def _words(node: Located | None) -> tuple[str, ...]:
    if isinstance(node, Sequence):
        return tuple(_text(i) for i in node.items)
    return (_text(node),) if node is not None else ()
