"""Ctrl-C is said in a word, also where there is no command yet that could take it, or none any more."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("moment", ["click.py", "traceback.py"])
def test_while_it_starts(moment: str, tmp_path: Path):
    """A module that the command imports is interrupted in the middle."""
    (tmp_path / moment).write_text("raise KeyboardInterrupt", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(ROOT / "cli.py"), "--version"],
        env=os.environ | {"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


def test_while_it_ends():
    """Behind everything that a command takes care of."""
    program = (
        "import sys, cli\n"
        "def stopped(code): raise KeyboardInterrupt\n"
        "sys.exit, sys.argv = stopped, ['rulewright', '--version']\n"
        "cli.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (130, "interrupted\n")


def is_left(group: int) -> bool:
    """Whether a process of a group is still there, after a moment in which the last may end."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    time.sleep(0.1)
    return True


def test_workers_end_with_the_command(tmp_path: Path):
    """Asked to stop, `simulate` leaves no process behind that plays on."""
    args = ["simulate", "tic_tac_toe", "--machine", "reference", "--jobs", "2", "--games", "1000000", "-q"]
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "cli.py"), *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    time.sleep(2)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.startswith("interrupted after")
    assert not all(is_left(process.pid) for _ in range(100))
