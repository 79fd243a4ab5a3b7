"""What all tests share: the `--update` flag, and sources made of plain text."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update` writes what is seen into the files of expectations; the difference is then read by a person."""
    parser.addoption("--update", action="store_true", default=False, help="rewrite files of expected output")


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether expectations are to be rewritten."""
    return bool(request.config.getoption("--update"))
