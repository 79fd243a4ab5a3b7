"""Where shipped games, schemas and clause lists lie, and where the user's caches and saves go.

In a clone the data folders stand beside the package; in a wheel they lie inside it. Nobody else asks the platform for folders.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import platformdirs

_PACKAGE = Path(__file__).resolve().parent
_APP = "rulewright"


def _data(folder: str) -> Path:
    """The data folder of that name: inside the package where a wheel put it, else beside the package."""
    inside = _PACKAGE / folder
    return inside if inside.is_dir() else _PACKAGE.parent / folder


def schema_text(name: str) -> str:
    """The text of a shipped JSON Schema: `game`, `scenario` or `mod`."""
    return (_data("schema") / f"{name}.schema.json").read_text(encoding="utf-8")


def grammar_text() -> str:
    """The text of the DSL's grammar."""
    return (_PACKAGE / "syntax" / "grammar.lark").read_text(encoding="utf-8")


def shipped_games() -> dict[str, Path]:
    """The games that come with the tool, by id, in the order of their ids."""
    games = _data("games")
    found = [*games.glob("*.yaml"), *games.glob("classics/*.yaml")]
    return {path.stem: path for path in sorted(found, key=lambda p: p.stem)}


def shipped_mods() -> dict[str, Path]:
    """The mods that come with the tool, by the names of their folders."""
    return {path.parent.name: path for path in sorted(_data("mods").glob("*/mod.yaml"))}


def mods_here() -> dict[str, Path]:
    """The mods of the folder `mods` below the current one, by the names of their folders."""
    return {path.parent.name: path for path in sorted(Path("mods").glob("*/mod.yaml"))}


def places_of_mod(id: str, beside: Path) -> tuple[Path, ...]:
    """Where a mod of that id may lie for another's sake, nearest first: beside the other's file or folder, below `mods` here, and where the
    shipped ones are. Whether there is such a file is not asked."""
    around = beside.parent / ".." if beside.name == "mod.yaml" else beside.parent
    near = [around / id / "mod.yaml", around / f"{id}.yaml"]
    return (
        *(Path(os.path.normpath(place)) for place in near),
        Path("mods") / id / "mod.yaml",
        _data("mods") / id / "mod.yaml",
    )


def known_mods() -> dict[str, Path]:
    """All of both, by the names of their folders; one that lies here comes before a shipped one of that name."""
    return {**shipped_mods(), **mods_here()}


def own_scenarios() -> Path | None:
    """The folder of the shipped games' scenarios; only a clone has it."""
    folder = _PACKAGE.parent / "tests" / "scenarios"
    return folder if folder.is_dir() else None


def clauses_path(game_file: Path) -> Path | None:
    """The clause list that belongs to a game file, if there is one: in the folder `clauses` beside it, called like the file, or like the
    game where the file is a copy under another name."""
    folder = game_file.parent / "clauses"
    if not folder.is_dir() or not game_file.is_file():
        return None
    called = re.search(rb"^game:\s*([a-z0-9_]+)", game_file.read_bytes(), re.MULTILINE)
    names = [game_file.name, *([f"{called[1].decode()}.yaml"] if called else [])]
    return next((folder / name for name in names if (folder / name).is_file()), None)


def cache_dir() -> Path:
    """Where things lie that can be made again. The folder need not exist."""
    return Path(platformdirs.user_cache_dir(_APP, appauthor=False))


def saves_dir() -> Path:
    """Where games under way are kept. The folder need not exist."""
    return Path(platformdirs.user_data_dir(_APP, appauthor=False)) / "saves"
