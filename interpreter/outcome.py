"""What loading and checking give and how they fail: shared by the compiler's side and the cached front door.

Plain records and two exceptions; nothing is computed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from interpreter.overlays import ModUsed
from interpreter.text.diagnostic import Diagnostic, Severity


class DefinitionError(Exception):
    """A definition that cannot be played; `diagnostics` say why."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(diagnostics[0].message if diagnostics else "the definition cannot be played")
        self.diagnostics = diagnostics

    def __reduce__(self) -> tuple[type[DefinitionError], tuple[tuple[Diagnostic, ...]]]:
        return (DefinitionError, (self.diagnostics,))


class MissingGame(Exception):
    """No such file and no such shipped game, or a setting it does not have; the text is for people."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What `check` found. `configurations` counts the player counts, modes and switches that were tried."""

    diagnostics: tuple[Diagnostic, ...]
    game: str
    title: str
    configurations: int
    legality: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether the definition can be played."""
        return not any(d.severity is Severity.ERROR for d in self.diagnostics)


@dataclass(frozen=True, slots=True)
class Facts:
    """What can be said of a definition before a player count is known."""

    id: str
    title: str
    version: str
    hash: str
    settings: tuple[tuple[str, str], ...]
    player_counts: tuple[int, ...]
    options: tuple[str, ...]
    modes: tuple[str, ...]
    mods: tuple[ModUsed, ...] = ()
    conflicts: tuple[str, ...] = ()
    """Where two mods write the same thing, and which of them wins."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a definition says, by address (syntax/contents.py), and under which name each thing is found that had another name once."""

    id: str
    title: str
    version: str
    mods: tuple[ModUsed, ...]
    texts: dict[str, str]
    renamed: dict[str, str]
    depends: bool = False
    """Whether some mod asks how many play or for options, and what it says then is not in the texts."""


@dataclass(frozen=True, slots=True)
class ValueKind:
    """How the value of an expression is said in words: `domain` of the program (-1: numbers), and whether it is a truth value, one
    thing, or a set."""

    domain: int
    shape: Literal["truth", "one", "set"]
