"""Commands run for tests: in a process of their own, as users have them, or in this one, which is faster.

In: words of a command line, what is typed, a folder to stand in, variables. Out: the exit code, and what was said on both streams.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import cli

ROOT = Path(__file__).resolve().parents[2]
CALLERS = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM", "PYTHONDONTWRITEBYTECODE")


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


def surroundings(folder: Path, env: dict[str, str]) -> dict[str, str]:
    """The environment of a case: saves in its folder, and nothing of the caller's terminal. Compiled modules are kept, as for a person."""
    clean = {k: v for k, v in os.environ.items() if k not in CALLERS}
    return clean | {"XDG_DATA_HOME": str(folder / ".data"), "PYTHONIOENCODING": "utf-8"} | env


def run_process(args: list[str], stdin: str, folder: Path, env: dict[str, str]) -> Done:
    """One command in a process of its own."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "cli.py"), *args],
        cwd=folder, env=surroundings(folder, env), input=stdin, capture_output=True, text=True, encoding="utf-8", check=False,
        timeout=120,
    )  # fmt: skip
    return Done(done.returncode, done.stdout, done.stderr)


def run_here(args: list[str], stdin: str, folder: Path, env: dict[str, str]) -> Done:
    """One command in this process, which has what it imports already."""
    kept = io.BytesIO(), io.BytesIO()
    out, err = (io.TextIOWrapper(stream, encoding="utf-8", write_through=True) for stream in kept)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(os, "environ", surroundings(folder, env))
        for name, value in (
            ("stdin", io.StringIO(stdin)),
            ("stdout", out),
            ("stderr", err),
            ("excepthook", sys.excepthook),
        ):
            patch.setattr(sys, name, value)
        patch.setattr(sys, "argv", ["rulewright", *args])
        with pytest.raises(SystemExit) as left:
            cli.main()
    code = left.value.code
    assert isinstance(code, int)
    return Done(code, *(stream.getvalue().decode("utf-8") for stream in kept))
