"""Speeds and sizes, printed: nothing here passes or fails.

In: the shipped games. Out: a table on stdout. What can be measured grows with the project; now: start-up of the command line.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def wall(arguments: list[str]) -> float:
    """Seconds that a fresh process takes, the best of three."""
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run([sys.executable, str(ROOT / "cli.py"), *arguments], capture_output=True, check=False, cwd=ROOT)
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    """Print every figure."""
    print(f"--help                     {wall(['--help']):.3f} s")


if __name__ == "__main__":
    main()
