"""The nearest name, if one is near enough to be what the author meant."""

from __future__ import annotations

from collections.abc import Iterable


def _distance(left: str, right: str, limit: int) -> int:
    """Edits that turn `left` into `right`, a swap of neighbours being one; `limit + 1` stands for more than `limit`."""
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    older: list[int] = []
    above = list(range(len(right) + 1))
    for row, char in enumerate(left, start=1):
        here = [row]
        for column, other in enumerate(right, start=1):
            best = min(above[column] + 1, here[column - 1] + 1, above[column - 1] + (char != other))
            if row > 1 and column > 1 and char == right[column - 2] and left[row - 2] == other:
                best = min(best, older[column - 2] + 1)
            here.append(best)
        if min(here) > limit:
            return limit + 1
        older, above = above, here
    return above[-1]


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate that differs least from `word`, or None if none is near. Of equally near ones the first in the alphabet."""
    limit = 1 if len(word) <= 4 else 2 if len(word) <= 8 else 3
    if len(word) < 2 or len(word) > 60:
        return None
    best: tuple[int, str] | None = None
    for candidate in sorted(set(candidates)):
        if candidate == word:
            continue
        distance = _distance(word.lower(), candidate.lower(), limit)
        if distance <= limit and distance < len(candidate) and (best is None or distance < best[0]):
            best = (distance, candidate)
    return best[1] if best else None
