"""Whatever is wrong because of a patch names the patch, wherever it is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from interpreter.text.diagnostic import Diagnostic
from tests.syntax.test_patch_refusals import errors

REMOVALS = [
    ("kuhn_poker", "components.card: {remove: true}", 3),
    ("kuhn_poker", "components.player: {remove: true}", 12),
    ("kuhn_poker", "cards: {remove: true}", 1),
    ("kuhn_poker", "{winners: {remove: true}, payoff: {remove: true}}", 1),
    ("connect_four", "components.cell: {remove: true}", 1),
    ("connect_four", "graphs.board: {remove: true}", 1),
    ("kalah", "pits.a3: {remove: true}", 1),
    ("kalah", "components.pit.across: {remove: true}", 14),
    ("othello", "components.answer: {remove: pass}", 1),
]


@pytest.mark.parametrize(("game", "change", "uses"), REMOVALS, ids=[c for _, c, _ in REMOVALS])
def test_a_removal_lists_all_that_misses_what_is_gone(game: str, change: str, uses: int, tmp_path: Path) -> None:
    (found,) = errors(game, tmp_path, "change: " + (change if change.startswith("{") else f"{{{change}}}"))
    assert (found.code, found.span.text()) == ("still-used", "remove")
    assert len(found.related) == uses


def places(found: Diagnostic) -> list[tuple[str, str]]:
    return [(Path(r.span.source.name).name, r.span.text()) for r in found.related]


@pytest.mark.parametrize(
    ("game", "change"),
    [
        ("kalah", "values.seeds_in_each: {set: -1}"),
        ("kalah", "values.seeds_in_each: {set: [1, 2]}"),
        ("kalah", "values.seeds_in_each: {set: {by players: {3: 2}}}"),
        ("kalah", "functions.houses: {replace: 'houses(z: pit) = pits'}"),
        ("connect_four", "components.cell.disc: {set: 0..3}"),
    ],
)
def test_what_a_change_breaks_elsewhere_shows_the_change(game: str, change: str, tmp_path: Path) -> None:
    other = "values.more: {set: 3}" if game == "kalah" else "values.length: {set: 3}"
    body = f"add: {{values: {{more: 1}}}}\nchange:\n  {other}\n  {change}\n  values.more: {{set: 2}}"
    found = errors(game, tmp_path, body.replace("\n  values.more: {set: 2}", ""), "change: {values.more: {set: 4}}")
    assert found
    for one in found:
        assert ("m0.yaml", change) in places(one)
