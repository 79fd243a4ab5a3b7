"""What a file is for, by how it begins: a game, a mod, scenarios, a clause list.

In: the located tree of a file that was named where one kind is wanted. Out: whether it is of another kind, which is told in one diagnostic
instead of one for each key that does not fit.
"""

from __future__ import annotations

from collections.abc import Mapping as Map
from typing import Final, Literal

from interpreter.syntax.located import Located, Mapping, Scalar
from interpreter.syntax.yaml_tree import MOD_BEGINS
from interpreter.text.diagnostic import Sink

Kind = Literal["game", "mod", "scenarios", "clauses"]

_BEGINS: Final[Map[Kind, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "mod": (("mod",), ("game",)),
    "scenarios": (("cases",), ("rules", "title")),
    "clauses": (("clauses",), ("rules", "title")),
    "game": (("game", "title"), ("mod", "cases", "clauses")),
}
"""Keys that a file of a kind has, and those that it has not."""
_CALLED: Final[Map[Kind, str]] = {
    "game": "a game", "mod": "a mod", "scenarios": "a scenario file", "clauses": "a clause list",
}  # fmt: skip


def kind_of(root: Located) -> Kind | None:
    """What a file is for, as far as its keys say."""
    if not isinstance(root, Mapping):
        return None
    keys = {str(entry.key) for entry in root.entries}
    return next((kind for kind, (has, hasnot) in _BEGINS.items() if keys >= set(has) and not keys & set(hasnot)), None)


def is_other(root: Located, wanted: Kind, code: str, sink: Sink) -> bool:
    """Whether a file is of another kind than wanted; that is told under the code given."""
    found = kind_of(root)
    if found is None or found == wanted or not isinstance(root, Mapping):
        return False
    key = root.entry(_BEGINS[found][0][0])
    header = root.get("mod")
    game = header.get("for") if isinstance(header, Mapping) else root.get("game")
    id = str(game.value) if isinstance(game, Scalar) else ""
    whose = f" for `{id}`" if id and found != "game" else ""
    sink.error(
        code,
        key.key_span if key is not None else root.span,
        f"this is {_CALLED[found]}{whose}, not {_CALLED[wanted]}",
        label=f"begins like {_CALLED[found]}",
        help=MOD_BEGINS if wanted == "mod" else _what_to_do(found, root.span.source.name, id or "GAME"),
    )
    return True


def _what_to_do(kind: Kind, file: str, id: str) -> str:
    """Which command takes a file."""
    match kind:
        case "game":
            return f"it is checked by `rulewright validate {file}`"
        case "mod":
            return f"name the game, and the mod with it: `{id} --mod {file}`"
        case "scenarios":
            return f"its cases are run by `rulewright test {file}`"
        case "clauses":
            return f"it is read with the game that it is for: `rulewright validate {id}`"
