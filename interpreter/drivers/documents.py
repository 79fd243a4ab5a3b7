"""JSON documents of verbs: what stands at the top of each, and how they are written.

In: a game and plain data. Out: text. Field names are stable; a document never holds what a seat may not see unless its verb says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from interpreter.machine.protocol import Game
from interpreter.overlays import ModUsed
from interpreter.text.version import TOOL


def game_document(kind: str, game: Game, fields: Mapping[str, object]) -> dict[str, object]:
    """A document about a game: schema, tool, game, settings, then its own fields."""
    return {
        "schema": f"rulewright/{kind}/1",
        "tool": TOOL,
        **rules_record(game),
        **fields,
    }


def rules_record(game: Game) -> dict[str, object]:
    """Which rules these are: game, mods, single values, options."""
    return {
        "game": {"id": game.id, "version": game.version, "hash": game.hash},
        "mods": [mod_record(mod) for mod in game.mods],
        **({"set": list(game.sets)} if game.sets else {}),
        "settings": dict(game.settings),
    }


def mod_record(mod: ModUsed) -> dict[str, object]:
    """A mod in a document."""
    return {"id": mod.id, "version": mod.version, "hash": mod.hash}


def written(document: Mapping[str, object]) -> str:
    """The document as text; there are no NaNs in it."""
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
