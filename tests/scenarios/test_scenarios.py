"""Every scenario file of the shipped games: each case holds. Files are found by pattern; one test a file, so that they spread."""

from __future__ import annotations

from pathlib import Path

import pytest

from interpreter.drivers.layout import plain
from interpreter.drivers.scenario_report import case_lines
from interpreter.drivers.scenarios import run_files

HERE = Path(__file__).resolve().parent
FILES = sorted(HERE.glob("*/*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_cases_hold(file: Path) -> None:
    results = list(run_files([file]))
    assert results, "no cases in the file"
    failed = [result for result in results if result.status != "passed"]
    assert not failed, "\n" + "\n".join(plain(case_lines(result)) for result in failed)
