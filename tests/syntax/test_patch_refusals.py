"""What patches cannot do is told at the patch, and nothing is lost in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from interpreter.overlays import Overlays
from interpreter.paths import shipped_games
from interpreter.stages import check_file
from interpreter.text.diagnostic import Diagnostic, Severity

Told = list[tuple[str, str]]


def laid_over(game: str, folder: Path, *bodies: str) -> tuple[Path, ...]:
    """Mods of a game, one for each body."""
    paths = []
    for number, body in enumerate(bodies):
        path = folder / f"m{number}.yaml"
        path.write_text(f"mod: {{id: m{number}, version: 1.0.0, for: {game}}}\n{body}\n", encoding="utf-8")
        paths.append(path)
    return tuple(paths)


def errors(game: str, folder: Path, *bodies: str, sets: tuple[str, ...] = ()) -> list[Diagnostic]:
    found = check_file(shipped_games()[game], {}, None, Overlays(laid_over(game, folder, *bodies), sets)).diagnostics
    return [d for d in found if d.severity is Severity.ERROR]


def told(game: str, folder: Path, *bodies: str) -> Told:
    """The code of each error, and the text at its place; all of them lie in the last mod."""
    found = errors(game, folder, *bodies)
    assert {Path(d.span.source.name).name for d in found} <= {f"m{len(bodies) - 1}.yaml"}
    return [(d.code, d.span.text()) for d in found]


CASES: list[tuple[str, str, Told]] = [
    # a removal with something else
    ("connect_four", "values.length: {remove: true, set: 3}", [("patch-verb", "set")]),
    ("connect_four", "values.length: {set: 3, remove: true}", [("patch-verb", "set")]),
    ("connect_four", "functions.has_line: {remove: true, wrap: previous}", [("patch-verb", "wrap")]),
    ("connect_four", 'graphs.board: {remove: true, add: "a1 -- c1"}', [("patch-verb", "add")]),
    ("kalah", "setup.seeds: {remove: true, after: {x: put 1 seed on a1}}", [("patch-verb", "after")]),
    ("kuhn_poker", "setup.deal: {remove: true, replace: end game}", [("patch-verb", "replace")]),
    # what is not there
    ("kuhn_poker", "scoring.total: {cite: X-1}", [("patch-misses", "scoring.total")]),
    ("kuhn_poker", "scoring.total: {remove: true}", [("patch-misses", "scoring.total")]),
    ("kalah", "show.players: {remove: nobody}", [("patch-misses", "nobody")]),
    ("connect_four", "graphs.board: {remove: grid 6 by 7 of cell}", [("patch-verb", "grid 6 by 7 of cell")]),
    ("kuhn_poker", "cards.jack.rank: {add: 2}", [("patch-verb", "add")]),
    # the form that the same thing has in a game file
    ("connect_four", "values.length: {set: null}", [("wrong-kind", "null")]),
    ("connect_four", "play: {remove: true}", [("patch-verb", "remove")]),
    ("connect_four", "play: {replace: {x: {y: end game}}}", [("missing-key", "x"), ("unknown-key", "y")]),
    ("connect_four", "play: {replace: [a]}", [("wrong-kind", "replace")]),
    ("connect_four", "play: {replace: {}}", [("empty-value", "replace")]),
    ("connect_four", "text.play: {set: true}", [("wrong-kind", "true")]),
    ("kuhn_poker", "cards.jack: {set: {copies: [1]}}", [("wrong-kind", "copies")]),
    ("kalah", "setup.seeds: {replace: {do: {a: {b: c}}}}", [("wrong-kind", "do")]),
    ("othello", "components.answer: {add: 300}", [("wrong-kind", "300")]),
    ("othello", "components.answer: {add: [if]}", [("word-is-taken", "if")]),
    ("kalah", "show.players: {set: true}", [("wrong-kind", "true")]),
    ("kalah", "show.players: {add: 2}", [("wrong-kind", "2")]),
    ("kalah", 'show.players: {set: "[x, o]"}', [("wrong-kind", '"[x, o]"')]),
    # names that would mean something else
    ("kuhn_poker", "functions.strength: {wrap: sum of previous for p in players}", [("patch-verb", "p in players")]),
    ("kuhn_poker", "payoff: {wrap: sum of previous for opponents in players}", [("patch-verb", "opponents in players")]),
]  # fmt: skip


@pytest.mark.parametrize(("game", "change", "wanted"), CASES, ids=[f"{g}: {c}"[:70] for g, c, _ in CASES])
def test_what_a_patch_cannot_do_is_told_at_its_place(game: str, change: str, wanted: Told, tmp_path: Path) -> None:
    assert told(game, tmp_path, f"change:\n  {change}") == wanted


def test_what_is_added_and_there_already_is_told(tmp_path: Path) -> None:
    assert told("kalah", tmp_path, "add: {setup: {seeds: end game}}") == [("duplicate-name", "seeds")]
    both = "add: {setup: {more: end game}}"
    assert told("kalah", tmp_path, both, both) == [("duplicate-name", "more")]
    assert told("kuhn_poker", tmp_path, "add: {payoff: '1'}") == [("duplicate-name", "payoff")]
    show = "show: {players: [a, b], pits: {a1: {at: [1, 1], width: 2}, map: [3, 4]}}"
    found = told("kalah", tmp_path, f"add: {{text: {{play: x}}, winners: players, {show}}}")
    assert found == [("duplicate-name", key) for key in ("play", "winners", "players", "at", "map")]
    assert told("othello", tmp_path, "change: {components.answer: {add: [passes, passes]}}") == [
        ("duplicate-name", "passes")
    ]
    assert told("kalah", tmp_path, "add: {show: {pits: {a1: {width: 2}}}, text: {a1: First}}") == []


@pytest.mark.parametrize("text", ["values.length=3\nvalues.columns: 5", "- a=1", "values.length="])
def test_a_setting_that_is_none_is_told(text: str, tmp_path: Path) -> None:
    (found,) = errors("connect_four", tmp_path, sets=(text,))
    assert (found.code, found.span.source.name) == (
        "wrong-kind" if text.endswith("=") else "wrong-form",
        "command line",
    )


def test_a_wrap_may_bind_names_that_the_old_expression_does_not_use(tmp_path: Path) -> None:
    wraps = "functions.strength: {wrap: sum of previous for q in players}"
    inner = "winners: {wrap: all p in previous where p.stake > 0}"
    assert told("kuhn_poker", tmp_path, f"change:\n  {wraps}\n  {inner}") == []


def test_an_address_without_its_section_is_meant_where_there_is_one(tmp_path: Path) -> None:
    (found,) = errors("connect_four", tmp_path, sets=("length=5",))
    assert (found.code, found.help) == ("patch-misses", "did you mean `values.length`?")
