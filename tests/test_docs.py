"""Pages that are made from the interpreter's records are as the records are, and pages that people write point to what exists."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("reference", "coverage")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_that_is_made_is_up_to_date(name: str) -> None:
    spec = importlib.util.spec_from_file_location(f"build_{name}", ROOT / "docs" / f"build_{name}.py")
    assert spec is not None
    assert spec.loader is not None
    builder = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(builder)
    shown = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    assert shown == builder.page(), f"docs/{name}.md is stale; run: .venv/bin/python docs/build_{name}.py"


def test_pages_point_to_files_that_exist() -> None:
    missing = []
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        # Blocks show what somebody types and is told, of files of their own.
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        for target in re.findall(r"\]\(([^)#:]+)\)", text):
            if not (page.parent / target).exists():
                missing.append(f"{page.name}: {target}")
        for target in re.findall(r"`((?:docs|games|mods|tests|interpreter|schema|benchmarks)/[\w./]+\.\w+)`", text):
            if not (ROOT / target).exists():
                missing.append(f"{page.name}: {target}")
    assert missing == []


def test_contributing_is_short() -> None:
    assert len((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines()) <= 150
