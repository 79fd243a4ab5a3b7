"""The wheel, as a stranger gets it: built from a copy, installed alone into a new environment, used from an empty folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("interpreter", "schema", "games", "mods")
FILES = ("cli.py", "setup.py", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE")

pytestmark = pytest.mark.slow


def run(command: list[str], folder: Path, **environment: str) -> str:
    """The command's standard output; a failure shows everything it said."""
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE")}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=clean | environment, check=False)
    assert done.returncode == 0, f"{' '.join(command)} exited {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command `rulewright` of a new environment that holds the wheel and what it depends on."""
    work = tmp_path_factory.mktemp("wheel")
    source = work / "source"
    source.mkdir()
    for part in PARTS:
        shutil.copytree(ROOT / part, source / part, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for file in FILES:
        shutil.copy(ROOT / file, source / file)
    run([sys.executable, "-m", "build", "--wheel", "--outdir", str(work / "dist"), str(source)], work)
    wheel = next((work / "dist").glob("rulewright-*.whl"))
    home = work / "environment"
    venv.create(home, with_pip=False)
    scripts = home / ("Scripts" if sys.platform == "win32" else "bin")
    # Our own pip installs into it, and compiles nothing before it is used.
    pip = [sys.executable, "-m", "pip", "--python", str(scripts / "python"), "install", "--quiet", "--no-compile"]
    run([*pip, "-c", str(ROOT / "constraints.txt"), str(wheel)], work)
    return scripts / "rulewright"


def test_the_wheel_works_away_from_the_clone(installed: Path, tmp_path: Path) -> None:
    """One test, since the fixture costs half a minute and workers do not share it."""
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_DATA_HOME": str(tmp_path / "data")}
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    command = str(installed)
    assert run([command, "--version"], folder, **home).startswith("rulewright ")
    assert '"$schema"' in run([command, "schema"], folder, **home)
    run([command, "validate", "tic_tac_toe", "--mod", "misere"], folder, **home)
    assert "NS-MOVE-04" in run([command, "explain", "NS-MOVE-04"], folder, **home)
    report = run([command, "simulate", "kalah", "--games", "1", "--seed", "1", "--json"], folder, **home)
    assert '"games": 1' in report
    assert list(folder.iterdir()) == [], "files were left in the working folder"
