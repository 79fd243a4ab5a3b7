"""What all tests share: the `--update` flag, and sources made of plain text."""

from __future__ import annotations

import gc
import os

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update` writes what is seen into the files of expectations; the difference is then read by a person."""
    parser.addoption("--update", action="store_true", default=False, help="rewrite files of expected output")


LONGEST = ("test_tutorial.py", "test_wheel.py", "test_scenarios.py", "test_mods.py", "test_laws.py")
"""Files with tests of many seconds: they begin first, so that none is left alone at the end of a parallel run."""


def pytest_configure(config: pytest.Config) -> None:
    """What can be made again is kept with pytest's own cache, where that is on: the caller's is left as it is."""
    if config.pluginmanager.hasplugin("cacheprovider") and config.cache is not None:
        os.environ["XDG_CACHE_HOME"] = str(config.cache.mkdir("user"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest first; all else in the usual order."""
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))


def pytest_collection_finish() -> None:
    """What is there before the first test stays till the last: Python need not look through it for lost cycles, and what tests make
    it looks through less often, since programs and positions have none."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether expectations are to be rewritten."""
    return bool(request.config.getoption("--update"))
