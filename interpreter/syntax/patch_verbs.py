"""Which verbs an address has, in words for a message.

In: a definition and an address in it. Out: a sentence. What each verb does is `overlay.py`'s business.
"""

from __future__ import annotations

from typing import Final

from interpreter.syntax.definition import Definition, OptionDoc
from interpreter.syntax.located import Located, Scalar, Sequence
from interpreter.syntax.nodes import EnumDecl
from interpreter.syntax.patch_parts import found_in, is_switch, listed

_BY_SECTION: Final = {
    "functions": ("replace", "wrap"),
    "scoring": ("replace", "wrap"),
    "winners": ("replace", "wrap"),
    "payoff": ("replace", "wrap"),
    "triggers": ("replace",),
    "modifiers": ("replace",),
    "graphs": ("replace", "add", "remove"),
    "text": ("set",),
    "modes": ("add",),
}


def verbs_at(definition: Definition, address: str) -> str:
    """What can be done at an address."""
    section, *rest = address.split(".")
    if section in definition.tables and not rest:
        return "new rows stand below `add:`"
    verbs = _verbs(definition, section, rest)
    if section == "players":
        return "here goes `set`"
    return (
        "here go " + ", ".join(f"`{v}`" for v in verbs) + " and `remove: true`" if verbs else "here goes `remove: true`"
    )


def _verbs(definition: Definition, section: str, rest: list[str]) -> tuple[str, ...]:
    if section in definition.tables:
        row = next((r for r in definition.tables[section].rows if r.id == rest[0]), None)
        cell = next((c.value for c in row.cells if c.key == rest[1]), None) if row is not None and rest[1:] else None
        return ("set", *_of_cell(cell)) if rest[1:] else ("set",)
    match section:
        case "values":
            doc = definition.values[rest[0]]
            by_players = [e.value for e in doc.by_players.entries] if doc.by_players is not None else [doc.value]
            return ("set", *_of_value(by_players[0] if by_players else None))
        case "setup" | "play" | "phases" | "effects":
            depth = 0 if section in ("setup", "play") else 1
            return ("replace", "wrap", "inside", *(("before", "after") if len(rest) > depth else ("first", "last")))
        case "components":
            if len(rest) > 1:
                return ("set",)
            enums = {d.name for d in definition.components if isinstance(d, EnumDecl)}
            return ("add", "remove") if rest and rest[0] in enums else ()
        case "show":
            shown = found_in(definition.show, tuple(rest))
            return ("set", "add", "remove") if isinstance(shown, Sequence) else ("set",)
        case "options":
            option: OptionDoc | None = definition.options.get(rest[0])
            return ("set", "add") if option is not None and is_switch(option.type) else ("set",)
    return _BY_SECTION.get(section, ())


def _of_cell(value: Located | None) -> tuple[str, ...]:
    """The verbs of a cell, by what stands there: a list, or a number or text."""
    if isinstance(value, Sequence):
        return ("add", "remove")
    return ("wrap",) if isinstance(value, Scalar) and not isinstance(value.value, bool) else ()


def _of_value(value: Located | None) -> tuple[str, ...]:
    """The verbs of a value: a list has members, numbers can be changed by a formula."""
    numbers = value is not None and all(isinstance(i, Scalar) and isinstance(i.value, int) for i in listed(value))
    return (*(("wrap",) if numbers else ()), *(("add", "remove") if isinstance(value, Sequence) else ()))
