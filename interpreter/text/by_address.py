"""Rules as texts by address: what a thing says that has parts.

In: texts by address, as `syntax/contents.py` makes them. Out: one text.
"""

from __future__ import annotations

from collections.abc import Mapping


def text_at(address: str, rules: Mapping[str, str]) -> str | None:
    """A thing's own text, or the names and texts of its parts; None if it is not there."""
    parts = [f"{a[len(address) + 1 :]}: {text}" for a, text in rules.items() if a.startswith(f"{address}.")]
    own = rules.get(address)
    if own is None and not parts:
        return None
    return "\n".join(([own] if own else []) + [p if "\n" not in p else _hung(p) for p in parts])


def _hung(part: str) -> str:
    """A part of several lines below its name."""
    name, _, text = part.partition(": ")
    return "\n".join([f"{name}:", *(f"  {t}" for t in text.split("\n"))])
