"""Writes docs/coverage.md: how far each rulebook is carried out, from the files of the games.

In: the clause lists (games/clauses/), the definitions (games/) and the scenario cases (tests/scenarios/), read as plain data. Out: the
page. `python docs/build_coverage.py` writes it; a test compares.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

# The one in C, where there is one, is ten times as fast.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "coverage.md"
CITATION = re.compile(r"\b[A-Z]{2}-[A-Z]+-[0-9]+\b")
RULES = ("functions", "modifiers", "setup", "play", "phases", "effects", "triggers", "scoring", "winners", "modes")

HEAD = """\
# Coverage

Made by `python docs/build_coverage.py` from the clause lists, definitions and scenario cases; do not edit.

A *clause* is a rule of the rulebook in our own words, with a number. It is carried out where a rule of the definition cites it, or
needs no rule, and then the list says why. A *case* is a scenario that cites it. A *ruling* settles what the rulebook leaves open.
What the rulebook's text does not give, such as the numbers on cards that it only pictures, is reconstructed and marked so wherever it
shows.
"""


def table(head: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> Iterator[str]:
    """A Markdown table; all columns but the first hold numbers."""
    yield "| " + " | ".join(head) + " |"
    yield "|---|" + "--:|" * (len(head) - 1)
    for row in rows:
        yield "| " + " | ".join(str(c).replace("|", "\\|") for c in row) + " |"


class Book:
    """What the files say about one rulebook."""

    def __init__(self, path: Path) -> None:
        self.list: dict[str, Any] = _read(path.read_text(encoding="utf-8"))
        text = (ROOT / "games" / path.name).read_text(encoding="utf-8")
        self.definition: dict[str, Any] = _read(text)
        self.title = str(self.definition["title"])
        bare = "\n".join(re.sub(r"(^|\s)#.*", "", line) for line in text.splitlines())
        self.cited = Counter(CITATION.findall(bare))
        self.cases: list[dict[str, Any]] = []
        for file in sorted((ROOT / "tests" / "scenarios" / path.stem).glob("*.yaml")):
            self.cases += _read(file.read_text(encoding="utf-8"))["cases"]
        self.tested = Counter(c for case in self.cases for c in _listed(case.get("cite")))

    @property
    def clauses(self) -> list[dict[str, Any]]:
        """The clauses in order."""
        rows: list[dict[str, Any]] = self.list["clauses"]
        return rows

    def counted(self, clauses: Sequence[Mapping[str, Any]]) -> tuple[int, int, int, int]:
        """How many clauses there are, and how many of them have a rule, need none, have a case."""
        return (
            len(clauses),
            sum(row["id"] in self.cited for row in clauses),
            sum(bool(row.get("no_rule")) for row in clauses),
            sum(row["id"] in self.tested for row in clauses),
        )

    def rebuilt(self) -> list[tuple[str, list[str]]]:
        """Tables, rows and values that are marked as reconstructed: their addresses and gaps."""
        return list(_marked(self.definition, ""))

    def rule_lines(self) -> int:
        """Lines of rules in the definition, citations and blank lines left out."""
        return sum(_lines(self.definition[key]) for key in RULES if key in self.definition)


def _read(text: str) -> dict[str, Any]:
    data: dict[str, Any] = yaml.load(text, Loader=LOADER)
    return data


def _listed(cite: object) -> list[str]:
    return [cite] if isinstance(cite, str) else [str(c) for c in cite] if isinstance(cite, list) else []


def _marked(node: object, address: str) -> Iterator[tuple[str, list[str]]]:
    if not isinstance(node, dict):
        return
    if node.get("data") == "reconstructed":
        yield address, _listed(node.get("gap"))
    for key, value in node.items():
        yield from _marked(value, f"{address}.{key}" if address else str(key))


def _lines(node: object) -> int:
    match node:
        case str():
            return sum(1 for line in node.splitlines() if line.strip() and not line.strip().startswith("#"))
        case dict():
            return sum(_lines(v) for k, v in node.items() if k not in ("cite", "takes", "data", "gap", "text"))
        case _:
            return 0


def overview(books: Sequence[Book]) -> Iterator[str]:
    """One line a rulebook."""
    head = (
        "rulebook",
        "clauses",
        "with a rule",
        "need none",
        "with a case",
        "rulings cited",
        "cases",
        "lines of rules",
    )
    rows = []
    for book in books:
        rulings = book.list["rulings"]
        cited = sum(row["id"] in book.cited or row["id"] in book.tested for row in rulings)
        counts = (*book.counted(book.clauses), f"{cited} of {len(rulings)}", len(book.cases), book.rule_lines())
        rows.append((book.title, *counts))
    yield from table(head, rows)


def chapter(book: Book) -> Iterator[str]:
    """A rulebook by section, and what is reconstructed."""
    yield f"\n## {book.title}\n"
    sections: dict[str, list[dict[str, Any]]] = {}
    for row in book.clauses:
        sections.setdefault(str(row["section"]), []).append(row)
    head = ("section", "clauses", "with a rule", "need none", "with a case")
    yield from table(head, [(name, *book.counted(rows)) for name, rows in sections.items()])
    yield "\nClauses that need no rule:\n"
    yield from (f"- {row['id']}: {row['no_rule']}" for row in book.clauses if row.get("no_rule"))
    yield "\nReconstructed:\n"
    what = {row["id"]: str(row["what"]) for row in book.list["gaps"]}
    filling: dict[str, list[str]] = {}
    for address, gaps in book.rebuilt():
        for gap in gaps or ["without a gap's id"]:
            filling.setdefault(gap, []).append(f"`{address}`")
    for gap in sorted(filling):
        told = f" ({what[gap]})" if gap in what else ""
        yield f"- {gap}{told}: {', '.join(filling[gap])}"


def page() -> str:
    """The whole page."""
    books = [Book(path) for path in sorted((ROOT / "games" / "clauses").glob("*.yaml"))]
    lines = [HEAD, *overview(books)]
    for book in books:
        lines += chapter(book)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
