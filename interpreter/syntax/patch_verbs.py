"""Which verbs the address of a patch takes.

In: a definition and an address that exists in it. Out: verbs, in the order of docs/modding.md. What they do is `overlay.py`'s business.
"""

from __future__ import annotations

from interpreter.syntax.definition import Definition

_STEPS = ("replace", "wrap", "first", "last", "inside")
_STEP = ("replace", "wrap", "before", "after", "inside")
_BY_SECTION = {
    "players": ("set",),
    "values": ("set", "wrap", "add"),
    "text": ("set",),
    "show": ("set", "add"),
    "options": ("set", "add"),
    "modes": ("add",),
    "graphs": ("replace", "add"),
    "triggers": ("replace",),
    "modifiers": ("replace",),
    "functions": ("replace", "wrap"),
    "scoring": ("replace", "wrap"),
    "winners": ("replace", "wrap"),
    "payoff": ("replace", "wrap"),
}


def verbs_at(definition: Definition, address: str) -> tuple[str, ...]:
    """The verbs that can do something there; `add` stands for `remove` with a list as well, `remove: true` goes almost everywhere."""
    section, *rest = address.split(".")
    if section in definition.tables:
        return {0: (), 1: ("set",)}.get(len(rest), ("set", "wrap", "add"))
    match section:
        case "components":
            return ("add",) if len(rest) == 1 else ("set",)
        case "setup" | "play":
            return _STEP if rest else _STEPS
        case "phases" | "effects":
            return _STEP if len(rest) > 1 else _STEPS
    return _BY_SECTION.get(section, ())
