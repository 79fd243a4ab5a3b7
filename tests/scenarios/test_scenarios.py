"""Every scenario of the shipped games: each case holds. Files are found by pattern; one test a game, so that it is compiled once."""

from __future__ import annotations

from pathlib import Path

import pytest

from interpreter.drivers.layout import plain
from interpreter.drivers.scenario_report import case_lines
from interpreter.drivers.scenarios import run_files

HERE = Path(__file__).resolve().parent
FOLDERS = sorted({path.parent for path in HERE.glob("*/*.yaml")})


LONG = ("night_soil", "night_flowers", "night_market")
"""Rulebooks whose cases take seconds to compile."""


@pytest.mark.parametrize(
    "folder",
    [pytest.param(f, id=f.name, marks=[pytest.mark.slow] if f.name in LONG else []) for f in FOLDERS],
)
def test_cases_hold(folder: Path) -> None:
    files = sorted(folder.glob("*.yaml"))
    results = list(run_files(files))
    assert len(results) >= len(files), "a file has no cases"
    failed = [result for result in results if result.status != "passed"]
    assert not failed, "\n" + "\n".join(plain(case_lines(result)) for result in failed)
