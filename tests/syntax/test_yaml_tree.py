"""Located YAML: each character of each scalar knows its place, whatever the style; what is dangerous or ambiguous is refused at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from interpreter.syntax.located import Located, Mapping, Scalar, Sequence, plain
from interpreter.syntax.yaml_tree import load_yaml, read_source
from interpreter.text.diagnostic import Sink
from interpreter.text.source import MappedText, Source
from tests.syntax.texts import told
from tests.work import calls

ESCAPES = {"\n": "n", "\t": "t", '"': '"', "\\": "\\", "\0": "0", " ": " "}


def load(text: str) -> Located:
    sink = Sink()
    root = load_yaml(Source("file", text), sink)
    assert not sink.diagnostics, told(sink)
    assert root is not None
    return root


def refused(text: str) -> list[tuple[str, int, int]]:
    sink = Sink()
    load_yaml(Source("file", text), sink)
    return told(sink)


def scalars(node: Located) -> Iterator[Scalar]:
    match node:
        case Scalar():
            yield node
        case Mapping():
            for entry in node.entries:
                yield from scalars(entry.value)
        case Sequence():
            for item in node.items:
                yield from scalars(item)


def stands_there(mapped: MappedText) -> bool:
    """Whether every character stands where the map says, or begins the escape or the line end that made it."""
    raw = mapped.source.text
    for char, at in zip(mapped.text, mapped.offsets, strict=False):
        here = raw[at : at + 1]
        if here == char:
            continue
        escaped = here == "\\" and (ESCAPES.get(char) == raw[at + 1] or raw[at + 1] in "xuU")
        folded = here in ("\n", "\r") and char in (" ", "\n")
        if not (escaped or folded):
            return False
    return list(mapped.offsets) == sorted(mapped.offsets) and len(mapped.offsets) == len(mapped.text) + 1


letters = st.text(alphabet="ab :#'\"\\,{}[]|>-é木\t\n", max_size=30)


@given(
    st.lists(letters, min_size=1, max_size=4),
    st.sampled_from(["'", '"', None]),
    st.sampled_from([20, 1000]),
    st.booleans(),
)
def test_every_character_of_every_string_has_its_place(
    texts: list[str], style: str | None, width: int, unicode: bool
) -> None:
    data = {f"key{number}": text for number, text in enumerate(texts)}
    text = yaml.safe_dump(data, default_style=style, width=width, allow_unicode=unicode)
    sink = Sink()
    root = load_yaml(Source("file", text), sink)
    if root is None:  # a text that looks like a truth value or begins with a tab is written in a way that is refused
        assert sink.has_errors
        return
    assert plain(root) == data or sink.has_errors
    for scalar in scalars(root):
        assert stands_there(scalar.mapped), (text, scalar.mapped.text, scalar.mapped.offsets)


line = st.text(alphabet="ab :#'\"\\{}é木\t", min_size=1, max_size=12).filter(lambda s: s.strip() and s[0] not in " \t")


@given(
    st.lists(st.tuples(st.integers(0, 3), line) | st.none(), min_size=1, max_size=6),
    st.sampled_from(["|", "|-", "|+", "|2", "|2-", "|  # remark"]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_blocks_of_lines_keep_their_places(
    lines: list[tuple[int, str] | None], header: str, end: str, last_end: bool
) -> None:
    first = next((number for number, entry in enumerate(lines) if entry is not None), None)
    if first is not None and lines[first] is not None:
        lines[first] = (0, lines[first][1])  # type: ignore[index]  # without an indicator the first line sets the indentation
    body = [("  " + " " * entry[0] + entry[1]) if entry else "" for entry in lines]
    text = end.join([f"key: {header}", *body]) + (end if last_end else "")
    found = load(text)
    assert plain(found) == yaml.safe_load(text)
    for scalar in scalars(found):
        assert stands_there(scalar.mapped)


@pytest.mark.parametrize(
    "text",
    [
        "a: 'it''s'\nb: \"tab\\there \\u00e9 \\x41\"\n",
        "a: one\n  two\n\n  three\n",
        "a: 'one\n  two\n\n\n  three'\n",
        'a: "one \\\n  two\\n\n   three"\n',
        "a: |2\n    further in\n  out\n",
        "a: |\n  木\tb\n\n  c",
        "a: [plain, 'b', \"c\"]\n",
        "a: |+\n  x\n\n\nb: 1\n",
    ],
)
def test_layouts(text: str) -> None:
    found = load(text)
    assert plain(found) == yaml.safe_load(text)
    assert all(stands_there(s.mapped) for s in scalars(found))


@pytest.mark.parametrize("name", ["night_soil", "classics/kuhn_poker"])
def test_both_parsers_give_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (Path(__file__).parents[2] / "games" / f"{name}.yaml").read_text(encoding="utf-8")
    fast = [(s.value, s.span.start, s.span.end, s.mapped.offsets) for s in scalars(load(text))]
    monkeypatch.delattr(yaml, "CSafeLoader")
    slow = [(s.value, s.span.start, s.span.end, s.mapped.offsets) for s in scalars(load(text))]
    assert fast == slow


def test_only_whole_numbers_and_truth_are_special() -> None:
    text = "{a: 12, b: 010, c: 1.5, d: 2024-01-01, e: true, f: null, g: 1:30, h: 0x10, i: -3, 7: x}"
    assert plain(load(text)) == {
        "a": 12, "b": 10, "c": "1.5", "d": "2024-01-01", "e": True, "f": None, "g": "1:30", "h": "0x10", "i": -3, 7: "x",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nb: 2\na: 3\n", [("duplicate-key", 3, 1)]),
        ("a: no\nyes: 1\nc: 'no'\n", [("surprising-truth", 1, 4), ("surprising-truth", 2, 1)]),
        ("a: &b 1\n", [("yaml-alias", 1, 4)]),
        ("a: !x 1\n", [("yaml-tag", 1, 4)]),
        ("a: {do: pay 1 ale, then gain 1 coin}\n", [("quote-this", 1, 18)]),
        ("a: {me} wins\n", [("quote-this", 1, 4)]),
        ("a: b: c\n", [("quote-this", 1, 5)]),
        ("a: \"b\" c\n", [("quote-this", 1, 8)]),
        ("a:\n\tb: 1\n", [("tab", 2, 1)]),
        ("", [("empty-file", 1, 1)]),
        ("a: b\x07\n", [("bad-character", 1, 5)]),
        ("a: b\u202e\n", [("bad-character", 1, 5)]),
        ('a: "b\\e[31m"\n', [("bad-character", 1, 6)]),
        ('a: "b\\u202e"\n', [("bad-character", 1, 6)]),
        ("[a]: 1\n", [("bad-key", 1, 1)]),
    ],
)  # fmt: skip
def test_refusals(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert refused(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "[" * 5000,
        "{a: " * 5000,
        "- " * 5000,
        "\n".join(" " * depth + "a:" for depth in range(1500)),
        "a: &a [x]\n" + "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)),
    ],
)
def test_traps_are_refused_with_little_work(text: str) -> None:
    assert {code for code, _, _ in refused(text)} <= {"too-deep", "yaml-alias"}
    assert refused(text)
    assert calls(lambda: refused(text)) < 100_000


def test_files_that_are_no_text(tmp_path: Path) -> None:
    def code_of(path: Path) -> list[str]:
        sink = Sink()
        assert read_source(path, sink, "game.yaml") is None
        return [d.code for d in sink.diagnostics]

    (tmp_path / "big").write_bytes(b"a" * 20_000_000)
    (tmp_path / "binary").write_bytes(b"\x7fELF\0\0\1")
    (tmp_path / "old").write_bytes("é".encode("latin-1"))
    assert code_of(tmp_path) == ["not-a-file"]
    assert code_of(tmp_path / "none") == ["no-such-file"]
    assert code_of(tmp_path / "big") == ["file-too-big"]
    assert code_of(tmp_path / "binary") == ["not-text"]
    assert code_of(tmp_path / "old") == ["not-text"]


def test_marks_and_line_ends_of_other_systems_are_read(tmp_path: Path) -> None:
    path = tmp_path / "game.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: |\r\n  e\xcc\x81\r\n  b\r\n")
    source = read_source(path, Sink(), "game.yaml")
    assert source is not None
    root = load_yaml(source, Sink())
    assert plain(root) == {"a": "\u00e9\nb\n"}
