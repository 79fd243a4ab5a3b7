"""Version numbers, and ranges of them such as `>=1.2,<2`.

In: texts whose form the schema has checked. Out: whether a version lies in a range. A number with fewer than three parts means, alone
or behind `=`, all versions that begin so (`1.2` holds for 1.2.7); behind a comparison its missing parts are zeros.
"""

from __future__ import annotations

import re

_PART = re.compile(r"\s*(>=|<=|>|<|==?|!=)?\s*([0-9]+(?:\.[0-9]+){0,2})\s*")


def lies_in(version: str, wanted: str) -> bool:
    """Whether a version lies in a range; `*` is every version. A text that is no range holds nothing."""
    if wanted.strip() == "*":
        return True
    own = _numbers(version)
    return all(_holds(own, part) for part in wanted.split(","))


def is_range(text: str) -> bool:
    """Whether a text says versions at all."""
    return text.strip() == "*" or all(_PART.fullmatch(part) for part in text.split(","))


def _numbers(text: str) -> tuple[int, ...]:
    """The numbers of a version, made three."""
    found = tuple(int(n) for n in re.findall(r"[0-9]+", text)[:3])
    return found + (0,) * (3 - len(found))


def _holds(own: tuple[int, ...], part: str) -> bool:
    """Whether one comparison holds."""
    found = _PART.fullmatch(part)
    if found is None:
        return False
    there, said = _numbers(found[2]), found[2].count(".") + 1
    match found[1]:
        case ">=":
            return own >= there
        case "<=":
            return own <= there
        case ">":
            return own > there
        case "<":
            return own < there
        case "!=":
            return own[:said] != there[:said]
        case _:
            return own[:said] == there[:said]
