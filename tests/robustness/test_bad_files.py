"""Files that are no definitions at all: one clear finding each, soon, and nothing lost but the file."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.robustness.judge import judged

SECONDS = 2.0
DEEP = 5000
HEADER = "game: example\ntitle: Example\nrules: 1\nversion: 1.0.0\nplayers: 2\nwinners: players\n"
PLAY = HEADER + "play: |\n"


def bomb(path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]" for k in range(1, 20)]
    path.write_text("\n".join(lines), encoding="utf-8")


def text(content: str) -> Callable[[Path], None]:
    """Makes a file of a text."""
    return raw(content.encode())


def raw(content: bytes) -> Callable[[Path], None]:
    """Makes a file of bytes."""

    def make(path: Path) -> None:
        path.write_bytes(content)

    return make


def steps(depth: int, word: str) -> str:
    """Blocks within blocks."""
    return "".join(f"{'  ' * (k + 1)}{word}:\n" for k in range(depth)) + "  " * (depth + 1) + "end game\n"


BAD: dict[str, Callable[[Path], None]] = {
    "nothing there": lambda path: None,
    "a folder": lambda path: path.mkdir(),
    "empty": raw(b""),
    "blanks": raw(b" \n\n  \n"),
    "only comments": text("# nothing\n# at all\n"),
    "only a mark": raw(b"\xef\xbb\xbf"),
    "binary": raw(bytes(range(256)) * 40),
    "a picture": raw(b"\x89PNG\r\n\x1a\n" + b"\0" * 100),
    "half a letter": raw(HEADER.encode() + b"play: \xc3"),
    "another alphabet": raw("game: Spiel über Äpfel\n".encode("latin-1")),
    "two bytes a letter": raw((HEADER + "play: end game\n").encode("utf-16")),
    "20 MB of comments": raw(b"# a comment that goes on\n" * 840_000),
    "20 MB in a line": raw(b"game: " + b"x" * 20_000_000),
    "alias bomb": bomb,
    "merge bomb": text("a: &a {b: 1}\nc: {<<: *a}\n"),
    "alias of itself": text("a: &a [*a]\n"),
    "deep brackets in YAML": text("game: " + "[" * DEEP),
    "deep closed brackets in YAML": text("game: " + "[" * DEEP + "]" * DEEP),
    "deep braces in YAML": text("game: " + "{a: " * DEEP + "}" * DEEP),
    "deep blocks in YAML": text("".join(f"{' ' * k}a:\n" for k in range(DEEP))),
    "deep items in YAML": text("- " * DEEP + "a"),
    "deep parentheses": text(PLAY + "  require " + "(" * DEEP + "true" + ")" * DEEP + "\n"),
    "deep open parentheses": text(PLAY + "  require " + "(" * DEEP + "\n"),
    "deep sets": text(PLAY + "  let x be " + "{" * DEEP + "}" * DEEP + "\n"),
    "deep not": text(PLAY + "  require " + "not " * DEEP + "true\n"),
    "deep minus": text(PLAY + "  require 0 = " + "- " * DEEP + "1\n"),
    "deep blocks": text(PLAY + steps(300, "try")),
    "deep blocks in lines": text(PLAY + "  " + "try: " * DEEP + "end game\n"),
    "deep conditions": text(PLAY + "  let x be " + "if true then 1 otherwise (" * DEEP + "2" + ")" * DEEP + "\n"),
    "a long sum": text(PLAY + "  let x be " + " + ".join(["1"] * DEEP) + "\n"),
    "a long condition": text(PLAY + "  require " + " and ".join(["true"] * DEEP) + "\n"),
    "a long chain of fields": text(PLAY + "  require me" + ".a" * DEEP + "\n"),
    "a long number": text(HEADER + "values: {a: " + "9" * DEEP + "}\nplay: end game\n"),
    "a long number in a rule": text(PLAY + "  let x be " + "9" * DEEP + "\n"),
    "a long name": text(PLAY + "  perform " + "a" * 100_000 + "\n"),
    "tabs": text(HEADER + "play:\n\tend game\n"),
    "a zero": text(HEADER + "play: end\0game\n"),
    "a list": text("- game\n- title\n"),
    "a word": text("game\n"),
    "two documents": text(HEADER + "play: end game\n---\ngame: other\n"),
    "a tag": text("game: !!python/object/apply:os.system [ls]\n"),
    "a key that is a list": text("? [a, b]\n: c\n"),
    "keys of numbers": text("1: 2\n3: 4\n"),
    "a value without colon": text(HEADER.replace("title: Example", "title Example")),
    "many mistakes": text(HEADER + "".join(f"mistake_{k}: {k}\n" for k in range(2000)) + "play: end game\n"),
    "many mistakes in rules": text(PLAY + "  perform nonsense_here\n" * 2000),
    "many players": text((HEADER + "play: end game\n").replace("players: 2", "players: 1..1000000")),
    "a huge range": text(PLAY + "  choose x from 0..2000000000\n"),
    "a huge table": text(HEADER + "components: |\n  the table has:\n    x: 0..9 for each 0..1000000\nplay: end game\n"),
    "a huge grid": text(
        HEADER
        + "components: |\n  cell is a thing:\n    x: 0..9\ngraphs:\n  b: grid 3000 by 3000 of cell\nplay: end game\n"
    ),
    "many copies": text(
        HEADER
        + "components: |\n  card is a piece:\n    printed a: 0..1\ncards:\n  c: {a: 1, copies: 100000000}\nplay: end game\n"
    ),
}
GOOD: dict[str, bytes] = {
    "a mark at the beginning": ("\ufeff" + HEADER + "play: end game\n").encode(),
    "lines of Windows": (HEADER + "play: |\n  take turns in players:\n    end game\n").replace("\n", "\r\n").encode(),
    "carriage returns alone": (HEADER + "play: end game\n").replace("\n", "\r").encode(),
    "a tab in the block of a rule": (PLAY + "  take turns in players:\n  \tend game\n").encode(),
    "no last line end": (HEADER + "play: end game").encode(),
    "wide letters": (HEADER + "text: {}\nplay: end game\n").replace("Example", "夜の土 😀").encode(),
    "comments in other letters": ("# 夜の土 é\n" + HEADER + "play: end game   # 😀\n").encode(),
}


@pytest.mark.parametrize("name", BAD)
def test_bad(name: str, tmp_path: Path):
    path = tmp_path / "game.yaml"
    BAD[name](path)
    start = time.process_time()
    found = judged(path)
    took = time.process_time() - start
    assert any(d.severity == "error" for d in found), "nothing was said"
    assert took < SECONDS, f"took {took:.1f} s"


@pytest.mark.parametrize("name", GOOD)
def test_good(name: str, tmp_path: Path):
    path = tmp_path / "game.yaml"
    path.write_bytes(GOOD[name])
    assert [d.message for d in judged(path)] == []


@pytest.mark.parametrize(
    ("before", "column"), [("", 3), ("夜の土 ", 7), ("😀 ", 5), ("é ", 5)], ids=["plain", "wide", "face", "accent"]
)
def test_columns_count_letters(before: str, column: int, tmp_path: Path):
    """A mistake behind letters that take more than one byte, or more than one place on a screen, is pointed at where it is."""
    path = tmp_path / "game.yaml"
    path.write_text(f'{HEADER}play: |\n  choose a from {{1, 2}} asking "{before}", then perfrom x\n', encoding="utf-8")
    first = judged(path)[0]
    line = path.read_text(encoding="utf-8").splitlines()[first.span.position()[0] - 1]
    assert line[first.span.position()[1] - 1 :].startswith("perfrom")
