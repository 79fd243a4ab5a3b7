"""What is laid over a game's own file: mods by file, and single values from the command line.

Plain records that say what was asked for and what was used; reading and applying it is the compiler's side, keeping it in a save the
drivers'.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True, slots=True)
class Overlays:
    """Mods in the order in which they were named, and `ADDRESS=VALUE` settings, which come after all of them."""

    mods: tuple[Path, ...] = ()
    sets: tuple[str, ...] = ()


NO_OVERLAYS: Final = Overlays()


@dataclass(frozen=True, slots=True)
class ModUsed:
    """A mod that a game was loaded with. `hash` depends on what the mod says, not on its layout; `file` is where it was found."""

    id: str
    version: str
    hash: str
    file: str


@dataclass(frozen=True, slots=True)
class ModFacts:
    """What a mod says of itself, whether or not its game is at hand. `versions` are those of the game; `requires` and `conflicts` hold
    the ids of other mods with a range of versions, or a reason; `mentions` the ids that its conditions ask for. `problem`: why it cannot be
    read, if so; all else may be empty then."""

    file: Path
    id: str = ""
    version: str = ""
    title: str = ""
    game: str = ""
    versions: str = "*"
    requires: tuple[tuple[str, str], ...] = ()
    conflicts: tuple[tuple[str, str], ...] = ()
    mentions: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A mod that nobody named and another one needs."""

    mod: ModFacts
    needed_by: str

    def __str__(self) -> str:
        return f"with {self.mod.id} {self.mod.version}, which {self.needed_by} needs ({self.mod.file.as_posix()})"
