"""Writes docs/reference.md from the interpreter's own records, so that it cannot be out of date.

In: the builtins (model/library.py), the diagnostic codes (text/codes.py), the limits (text/limits.py), the statements
(syntax/nodes.py) and the sections of a file (schema/game.schema.json). Out: the page. `python docs/build_reference.py` writes it; a
test compares.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

from interpreter.model.library import LIBRARY
from interpreter.paths import schema_text
from interpreter.syntax import nodes
from interpreter.text.codes import CODES
from interpreter.text.limits import LIMITS

PAGE = Path(__file__).resolve().parent / "reference.md"

HEAD = """\
# Reference

Made by `python docs/build_reference.py` from the interpreter's own records; do not edit. What the words mean together is told in
[language.md](language.md); [tutorial.md](tutorial.md) is the place to begin.
"""


def cell(text: str) -> str:
    """A text in a table's cell."""
    return re.sub(r"\s+", " ", text).replace("|", "\\|").strip()


def rows(head: tuple[str, ...], body: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """A Markdown table."""
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in body:
        yield "| " + " | ".join(cell(c) for c in row) + " |"


def sections() -> Iterator[str]:
    """The keys of a definition."""
    properties = json.loads(schema_text("game"))["properties"]
    yield "## Sections of a file\n"
    yield "Every other key is a table: rows by id, each a mapping of columns.\n"
    yield from rows(
        ("section", "holds"), [(f"`{key}`", str(value.get("description", ""))) for key, value in properties.items()]
    )


def statements() -> Iterator[str]:
    """The statements, each as it is spelled."""
    yield "## Statements\n"
    for kind in get_args(nodes.Stmt):
        yield f"- {(kind.__doc__ or '').strip().split(chr(10))[0].rstrip('.')}"


def builtins() -> Iterator[str]:
    """Values and fields that are always there."""
    for kind, title in (("pure", "Builtin values and functions"), ("field", "Builtin fields")):
        yield f"\n## {title}\n"
        body = [(f"`{b.signature}`", b.gives, b.doc, b.fails, f"`{b.example}`") for b in LIBRARY if b.kind == kind]
        yield from rows(("written", "gives", "is", "fails", "example"), body)


def codes() -> Iterator[str]:
    """Everything `validate` may find."""
    yield "\n## Diagnostics\n"
    yield "`rulewright explain CODE` shows an example of each.\n"
    yield from rows(("code", "level", "means", "why"), [(f"`{c.slug}`", c.level, c.summary, c.why) for c in CODES])


def limits() -> Iterator[str]:
    """What a definition may ask for at most."""
    yield "\n## Limits\n"
    yield "A definition may be a stranger's, so what it may ask for is limited; each is far above what any game needs.\n"
    yield from rows(("at most", "of"), [(f"{limit.most:,}", limit.of) for limit in LIMITS])


def page() -> str:
    """The whole page."""
    lines = [HEAD, *sections(), "", *statements(), *builtins(), *codes(), *limits()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote docs/{PAGE.name}")
