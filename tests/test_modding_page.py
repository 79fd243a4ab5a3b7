"""The page on mods does what it says: its commands are run and its changes made, in an empty folder; blocks as in test_tutorial.py."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.test_cli import run_here
from tests.test_tutorial import BLOCK, ROOT, change, commands

PAGE = ROOT / "docs" / "modding.md"


@pytest.mark.slow
def test_the_page_does_what_it_says(tmp_path: Path) -> None:
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert {kind for kind, _, _ in blocks} == {"console", "diff", "new"}
    for kind, name, text in blocks:
        match kind:
            case "console":
                for command in commands(text):
                    done = run_here(command.words[1:], command.typed, tmp_path, {})
                    said = done.stdout + done.stderr
                    assert done.returncode == command.exit, said
                    lines = iter(said.split("\n"))
                    for shown in command.shown:
                        pattern = re.compile(re.escape(shown.rstrip()).replace("…", ".*"))
                        found = shown == "…" or any(pattern.fullmatch(line.rstrip()) for line in lines)
                        assert found, f"not said (in this order): {shown}\n\n{said}"
            case "diff":
                change(tmp_path / name, text)
            case _:
                (tmp_path / name).write_text(text, encoding="utf-8")
