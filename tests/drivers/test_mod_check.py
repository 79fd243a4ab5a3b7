"""A check of a mod tells each thing as soon as it is known, and shows how far it is meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from interpreter.drivers.layout import Line, plain
from interpreter.drivers.mod_check import Listener, check_mod
from interpreter.pipeline import find_game, mod_facts

MOD = "mod: {id: mine, version: 1.0.0, for: tic_tac_toe}\nchange: {}\n"
CASES = (
    "game: tic_tac_toe\nwith: mod.yaml\ncases:\n- {name: a, then: [over: false]}\n- {name: b, then: [over: false]}\n"
)


def test_each_line_is_told_as_soon_as_it_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mod.yaml").write_text(MOD, encoding="utf-8")
    Path("scenarios.yaml").write_text(CASES, encoding="utf-8")
    happened: list[str] = []

    def tell(lines: Iterable[Line]) -> None:
        happened.extend(plain([each]) for each in lines)

    @contextmanager
    def progress(label: str, total: int) -> Iterator[Callable[[int, str], None]]:
        happened.append(f"begins {label}, {total}")
        yield lambda done, words: happened.append(f"done {done}{words}")

    found = check_mod(mod_facts(Path("mod.yaml")), find_game("tic_tac_toe"), (), 3, Listener(tell, progress, 80))
    assert found.sound
    assert happened == [
        "begins rules, 1",
        "mine 1.0.0, for Tic-Tac-Toe",
        "  rules  fine: 1 configuration checked",
        "begins cases, 2",
        "done 1",
        "done 2",
        "  cases  2 passed",
        "begins games, 2 players, 3",
        "done 1",
        "done 2",
        "done 3",
        "  games  2 players: 3 ended by the rules",
    ]
