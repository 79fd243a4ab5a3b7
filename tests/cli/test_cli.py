"""The command line as its users meet it: cases are data.

A case: `args` (a list, or a line split at blanks), `stdin`, `files` (written first), `env`, `before` (commands that run first, each
a line, with `stdin before`), `process` (true: in a process of its own, as users have it; else in this one, which is faster); then
`exit`, and `stdout`, `stderr`: lists of texts that must occur, in this order; `no stdout`, `no stderr`: texts that must not; `widest`: how
many columns a line of stdout may have. A case
without `stderr` whose exit is not 0 must have said something there. No case may show a traceback.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from interpreter.drivers.layout import width
from tests.cli.running import run_here, run_process


@dataclass(frozen=True)
class Case:
    """One line of a file of cases."""

    file: str
    name: str
    args: list[str]
    exit: int = 0
    stdin: str = ""
    before: list[str] = field(default_factory=list)
    stdin_before: str = ""
    files: dict[str, str] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)
    process: bool = False
    stdout: list[str] = field(default_factory=list)
    stderr: list[str] = field(default_factory=list)
    no_stdout: list[str] = field(default_factory=list)
    no_stderr: list[str] = field(default_factory=list)
    widest: int = 0


def cases() -> list[Case]:
    """All cases of all files beside this one."""
    found = []
    for path in sorted(Path(__file__).parent.glob("*.yaml")):
        for raw in yaml.safe_load(path.read_text(encoding="utf-8")):
            args = raw.pop("args")
            words = shlex.split(args) if isinstance(args, str) else [str(a) for a in args]
            found.append(Case(path.stem, args=words, **{str(k).replace(" ", "_"): v for k, v in raw.items()}))
    return found


def in_order(text: str, wanted: list[str]) -> str | None:
    """The first wanted text that does not occur behind the others."""
    at = 0
    for part in wanted:
        at = text.find(part, at)
        if at < 0:
            return part
        at += len(part)
    return None


LONG = ("mods", "play")
"""Files of cases that play whole games or check them in every configuration."""


@pytest.mark.parametrize(
    "case",
    [pytest.param(c, id=f"{c.file}: {c.name}", marks=[pytest.mark.slow] if c.file in LONG else []) for c in cases()],
)
def test_case(case: Case, tmp_path: Path) -> None:
    for name, content in case.files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    for command in case.before:
        prepared = run_here(shlex.split(command), case.stdin_before, tmp_path, case.env)
        assert prepared.returncode == 0, f"{command}\n{prepared.stdout}{prepared.stderr}"
    run = run_process if case.process else run_here
    done = run(case.args, case.stdin, tmp_path, case.env)
    shown = f"\n--- exit {done.returncode}\n--- stdout\n{done.stdout}\n--- stderr\n{done.stderr}"
    assert done.returncode == case.exit, shown
    assert "Traceback" not in done.stdout + done.stderr, shown
    assert in_order(done.stdout, case.stdout) is None, f"{in_order(done.stdout, case.stdout)!r} is missing{shown}"
    assert in_order(done.stderr, case.stderr) is None, f"{in_order(done.stderr, case.stderr)!r} is missing{shown}"
    assert [t for t in case.no_stdout if t in done.stdout] == [], shown
    assert [t for t in case.no_stderr if t in done.stderr] == [], shown
    if case.widest:
        assert [text for text in done.stdout.split("\n") if width(text) > case.widest] == []
    if case.exit:
        assert done.stderr.strip(), f"exit {case.exit} without a word on stderr"
