"""Clause coverage of every shipped game that has a clause list: what is cited, what is excused, what has a scenario.

Reads the files as plain data; nothing of the interpreter takes part.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

# The one in C, where there is one, is ten times as fast.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

ROOT = Path(__file__).parent.parent
CITATION = re.compile(r"\b[A-Z]{2}-[A-Z]+-[0-9]+\b")
TESTED_KINDS = frozenset(
    [
        "setup",
        "turn",
        "action",
        "cost",
        "effect",
        "restriction",
        "trigger",
        "scoring",
        "tie_break",
        "upkeep",
        "variant",
        "clarification",
        "example",
        "solo",
    ]
)
LISTS = sorted((ROOT / "games" / "clauses").glob("*.yaml"))


@cache
def clause_list(path: Path) -> dict[str, Any]:
    """A clause file as data."""
    data: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), LOADER)
    return data


def rule_citations(path: Path) -> Counter[str]:
    """The ids a definition cites, comments left out: a citation behind `#` reaches nobody."""
    text = (path.parent.parent / path.name).read_text(encoding="utf-8")
    return Counter(CITATION.findall("\n".join(re.sub(r"(^|\s)#.*", "", line) for line in text.splitlines())))


def case_citations(path: Path) -> Counter[str]:
    """The ids that the scenario cases of a game cite."""
    found: Counter[str] = Counter()
    for file in sorted((ROOT / "tests" / "scenarios" / path.stem).glob("*.yaml")):
        for case in yaml.load(file.read_text(encoding="utf-8"), LOADER)["cases"]:
            found.update([case["cite"]] if isinstance(case.get("cite"), str) else case.get("cite", []))
    return found


def ids_of(path: Path, *parts: str) -> set[str]:
    """All ids of some lists of a clause file."""
    return {row["id"] for part in parts for row in clause_list(path)[part]}


def test_there_is_a_clause_list() -> None:
    assert LISTS


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_ids_are_unique(path: Path) -> None:
    ids = Counter(row["id"] for part in ("clauses", "gaps", "rulings") for row in clause_list(path)[part])
    assert [name for name, times in ids.items() if times > 1] == []


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_every_clause_has_a_rule_or_a_reason(path: Path) -> None:
    cited = rule_citations(path)
    missing = [row["id"] for row in clause_list(path)["clauses"] if row["id"] not in cited and not row.get("no_rule")]
    needless = [row["id"] for row in clause_list(path)["clauses"] if row["id"] in cited and row.get("no_rule")]
    assert missing == [], "clauses that no rule cites and nothing excuses"
    assert needless == [], "clauses that are excused although a rule cites them"


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_every_clause_that_plays_has_a_case(path: Path) -> None:
    cited = case_citations(path)
    missing = [
        row["id"] for row in clause_list(path)["clauses"] if row["kind"] in TESTED_KINDS and row["id"] not in cited
    ]
    assert missing == [], "clauses without a scenario case"


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_every_citation_exists(path: Path) -> None:
    known = ids_of(path, "clauses", "gaps", "rulings")
    assert sorted(set(rule_citations(path)) - known) == [], "cited by the definition, but in no list"
    assert sorted(set(case_citations(path)) - known) == [], "cited by a scenario, but in no list"
    named = {gap for row in clause_list(path)["clauses"] for gap in row.get("gap", [])}
    assert sorted(named - ids_of(path, "gaps")) == [], "gaps named by a clause, but not described"


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_every_gap_is_marked_in_the_definition(path: Path) -> None:
    inert = {row["id"] for row in clause_list(path)["gaps"] if row.get("no_rule")}
    assert sorted(ids_of(path, "gaps") - inert - set(rule_citations(path))) == []
