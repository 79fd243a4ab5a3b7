"""A command whose streams are closed or full, and files that cannot hold what is written: said in a line, and nothing half done."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMAND = f"{sys.executable} {ROOT / 'cli.py'}"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix closes the streams"),
]


def shell(command: str, folder: Path) -> tuple[int, str]:
    """The exit code of a command, in which RW is ours, and what it says on both streams. It keeps no compiled modules: where files cannot
    grow, Python would keep half of one."""
    text = f"set -o pipefail\n{command.replace('RW', COMMAND)}"
    done = subprocess.run(
        ["bash", "-c", text], cwd=folder, capture_output=True, text=True, check=False, timeout=60,
        stdin=subprocess.DEVNULL, env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("RW validate tic_tac_toe >&-", 0, "Tic-Tac-Toe is fine: 1 configuration checked\n"),
        ("RW explain no-such-name 2>&- | tail -n 1", 0, None),
        ("RW play tic_tac_toe --no-save <&-", 0, None),
        ("RW show tic_tac_toe cards | head -c 0", 0, ""),
        (
            "RW explain no-such-name >/dev/full",
            2,
            "error: the output cannot be read or written: No space left on device\n",
        ),
    ],
)
def test_streams_that_are_closed_or_full(command: str, code: int, said: str | None, tmp_path: Path):
    found, text = shell(command, tmp_path)
    assert found == code, text
    assert "engine-bug" not in text
    assert said in (None, text)


def test_a_file_that_cannot_grow_leaves_nothing_half_done(tmp_path: Path):
    assert shell("(ulimit -f 1; RW new abc 2>&1) | cat", tmp_path) == (
        2,
        "error: cannot write into `abc`: File too large\nhow it is used: rulewright new --help\n",
    )
    assert list((tmp_path / "abc").iterdir()) == []


def test_a_save_that_cannot_grow_is_said(tmp_path: Path):
    play = "RW play tic_tac_toe --bots human --machine reference --save X"
    code, text = shell(f"printf 'a1\\nb1\\nc1\\na2\\nb2\\n' | (ulimit -f 1; {play} 2>&1) | cat", tmp_path)
    assert code == 1
    assert "error: cannot write `X`: File too large" in text


def test_a_pipe_is_no_file(tmp_path: Path):
    code, text = shell("mkfifo game.yaml; timeout 20 RW validate game.yaml", tmp_path)
    assert code == 1
    assert "`game.yaml` is a device or a pipe, not a file" in text
