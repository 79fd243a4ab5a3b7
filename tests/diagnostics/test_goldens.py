"""Each code has a page: why it matters, an example, and what is said about the example. `--update` rewrites the pages.

The page of a code is made from its record and from what the checks say about its example, so this is where wording is looked at.
Codes about files as such are raised here from a file of that kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from interpreter.overlays import Overlays
from interpreter.stages import check_file
from interpreter.syntax.scenario_document import read_scenarios
from interpreter.text.codes import CODES, Code
from interpreter.text.diagnostic import Diagnostic, Sink
from interpreter.text.render import render_human

HERE = Path(__file__).parent
HEADER = (
    "game: example",
    "title: Example",
    "rules: 1",
    "version: 1.0.0",
    "players: 2",
    "winners: players",
    "play: end game",
)
# What an example is about by leaving it out.
LEFT_OUT = {"no-winners": "winners"}


def _folder(path: Path) -> None:
    path.mkdir()


def _beside_its_clauses(path: Path) -> None:
    """A game with a slip in a citation, and its list of clauses."""
    path.write_text(completed("play: |\n  end game   [EX-ROUND-10]\n"), encoding="utf-8")
    (path.parent / "clauses").mkdir()
    clauses = "game: example\nclauses:\n- {id: EX-ROUND-01, kind: turn, rule: The game ends at once.}\n"
    (path.parent / "clauses" / path.name).write_text(clauses, encoding="utf-8")


FILES: dict[str, Callable[[Path], object]] = {
    "no-such-file": lambda path: None,
    "not-a-file": _folder,
    "file-too-big": lambda path: path.write_bytes(b"# \n" * 700_000),
    "not-text": lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n\0\0"),
    "no-such-clause": _beside_its_clauses,
}
# Codes about mods: the example is one, or several with a line between them, laid over a game with `values: {price: 4}`.
MODS = {code.slug for code in CODES if code.slug.startswith("mod-")} | {
    "not-a-mod",
    "declared-under-condition",
    "never-holds",
}
# Codes that no file of ours can raise on every machine.
NOT_SHOWN = {"unreadable-file", "unclear-text"}


def completed(example: str, left_out: str = "") -> str:
    """The example with the sections that it leaves out, below it so that its lines keep their numbers."""
    present = set(re.findall(r"^(\w+):", example, re.MULTILINE))
    if not present or "---" in example:
        return example
    return example + "".join(f"{line}\n" for line in HEADER if line.split(":")[0] not in {*present, left_out})


def findings(code: Code) -> tuple[Diagnostic, ...]:
    """What is said about a code's example, lying in the current folder."""
    path = Path("game.yaml")
    if code.slug in FILES:
        FILES[code.slug](path)
    elif code.slug in MODS:
        path.write_text(completed("values:\n  price: 4\n"), encoding="utf-8")
        mods = [Path(f"mod_{number}.yaml") for number, _ in enumerate(code.example.split("---\n"), 1)]
        for mod, text in zip(mods, code.example.split("---\n"), strict=True):
            mod.write_text(text, encoding="utf-8")
        return check_file(path, {}, None, Overlays(tuple(mods))).diagnostics
    elif code.slug == "not-scenarios":
        path.write_text(code.example, encoding="utf-8")
        sink = Sink()
        read_scenarios(path, sink)
        return sink.diagnostics
    else:
        path.write_text(completed(code.example, LEFT_OUT.get(code.slug, "")), encoding="utf-8")
    return check_file(path, {}, None).diagnostics


def page(code: Code, found: tuple[Diagnostic, ...]) -> str:
    """The page of a code."""
    example = f"```yaml\n{code.example}```\n\n" if code.example else ""
    return f"# {code.slug}\n\n{code.why}\n\n{example}```text\n{render_human(found)}\n```\n"


@pytest.mark.parametrize("code", [c for c in CODES if c.slug not in NOT_SHOWN], ids=lambda c: c.slug)
def test_page(code: Code, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, update: bool) -> None:
    monkeypatch.chdir(tmp_path)
    found = findings(code)
    assert code.slug in {d.code for d in found}, f"the example raises {sorted({d.code for d in found})}"
    assert {d.severity for d in found if d.code == code.slug} == {code.level}
    file = HERE / f"{code.slug}.md"
    seen = page(code, found)
    if update:
        file.write_text(seen, encoding="utf-8")
    assert file.is_file(), f"no page {file.name}; run with --update"
    assert file.read_text(encoding="utf-8") == seen


def test_no_page_without_a_code() -> None:
    slugs = {c.slug for c in CODES}
    assert [p.name for p in HERE.glob("*.md") if p.stem not in slugs] == []


def test_codes_are_unique_and_well_formed() -> None:
    slugs = [c.slug for c in CODES]
    assert len(set(slugs)) == len(slugs)
    assert [s for s in slugs if not re.fullmatch(r"[a-z]+(-[a-z]+)*", s)] == []
