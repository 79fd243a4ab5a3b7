"""How findings look: columns under the right characters, long lines, many alike, and the forms for programs."""

from __future__ import annotations

import json

from interpreter.text.diagnostic import Diagnostic, Related, Severity
from interpreter.text.render import (
    findings_document,
    human_lines,
    render_concise,
    render_github,
    render_human,
    sarif_document,
    summary,
)
from interpreter.text.source import Source, Span
from interpreter.text.suggest import nearest


def finding(text: str, word: str, **more: object) -> Diagnostic:
    start = text.index(word)
    span = Span(Source("games/a b.yaml", text), start, start + len(word))
    return Diagnostic("no-such-name", Severity.ERROR, "no zone", span, **more)  # type: ignore[arg-type]


def marked(found: Diagnostic, width: int = 100) -> tuple[str, str]:
    """The source line and the line of marks, without the gutter."""
    lines = render_human([found], width).split("\n")
    return lines[3].split("| ", 1)[1], lines[4].split("| ", 1)[1]


def test_the_whole_form() -> None:
    text = "one: 1\ntwo: deal 2 from dekc\n"
    related = Related(Span(Source("b.yaml", "\n" * 11 + "deck: 3"), 11, 15), "declared here")
    found = finding(
        text, "dekc", label="not a zone", help="did you mean `deck`?", notes=("zones are pieces",), related=(related,)
    )
    assert render_human([found]) == (
        "error[no-such-name]: no zone\n"
        "  --> games/a b.yaml:2:18\n"
        "   |\n"
        " 2 | two: deal 2 from dekc\n"
        "   |                  ^^^^ not a zone\n"
        "  ::: b.yaml:12:1\n"
        "   |\n"
        "12 | deck: 3\n"
        "   | ---- declared here\n"
        "   = help: did you mean `deck`?\n"
        "   = note: zones are pieces"
    )


def test_tabs_and_wide_characters_take_their_columns() -> None:
    assert marked(finding("a\tb dekc", "dekc")) == ("a b dekc", "    ^^^^")
    assert marked(finding("木木 dekc", "dekc")) == ("木木 dekc", "     ^^^^")
    assert marked(finding("e\u0301 木b x", "木b")) == ("e\u0301 木b x", "  ^^^")


def test_long_lines_are_cut_around_the_place() -> None:
    shown, marks = marked(finding("x" * 300 + " dekc " + "y" * 300, "dekc"), width=60)
    assert len(shown) <= 60
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert shown[marks.index("^") : marks.rindex("^") + 1] == "dekc"


def test_a_place_of_several_lines_is_marked_to_the_end_of_its_first() -> None:
    assert marked(finding("one two\nthree", "two\nthree")) == ("one two", "    ^^^")


def test_many_alike_are_folded() -> None:
    text = render_human([finding("dekc", "dekc")] * 8)
    assert text.count("error[no-such-name]") == 5
    assert text.endswith("and 3 more like this")
    assert (
        summary([finding("dekc", "dekc")] * 8, 2) == "8 errors, 0 warnings in 2 files · `explain no-such-name` for more"
    )


def test_styles_say_nothing_that_the_text_does_not() -> None:
    lines = human_lines([finding("dekc", "dekc", help="x")])
    assert "\n".join("".join(t for t, _ in line).rstrip() for line in lines) == render_human(
        [finding("dekc", "dekc", help="x")]
    )
    assert {style for line in lines for _, style in line} >= {"error", "place", "strong"}


def test_one_line_each() -> None:
    assert render_concise([finding("a dekc", "dekc")]) == "games/a b.yaml:1:3: error[no-such-name] no zone"


def test_annotations_escape_and_are_limited() -> None:
    text = render_github([finding("dekc", "dekc", help="100%: a,\nb")] * 12)
    lines = text.split("\n")
    assert lines[0] == (
        "::error file=games/a b.yaml,line=1,col=1,endLine=1,endColumn=5,title=no-such-name::no zone%0A100%25: a,%0Ab"
    )
    assert len(lines) == 11
    assert lines[-1] == "::notice::2 findings more; the log has them all"


def test_data() -> None:
    found = finding("a: dekc", "dekc", address="effects.x")
    document = json.loads(json.dumps(findings_document([found])))
    (record,) = document["findings"]
    assert (record["line"], record["column"], record["end_column"], record["address"]) == (1, 4, 8, "effects.x")
    assert (document["schema"], document["errors"], record["origin"]) == ("rulewright/findings/1", 1, "base")


def test_sarif() -> None:
    here, there = finding("a: dekc", "dekc", address="x"), finding("\n\na: dekc", "dekc", address="x")
    log = json.loads(json.dumps(sarif_document([here, there])))
    (run,) = log["runs"]
    assert (log["version"], run["columnKind"]) == ("2.1.0", "unicodeCodePoints")
    assert [r["id"] for r in run["tool"]["driver"]["rules"]] == ["no-such-name"]
    first, second = run["results"]
    assert first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "games/a%20b.yaml"
    assert first["partialFingerprints"] == second["partialFingerprints"]
    assert first["locations"] != second["locations"]


def test_only_near_names_are_suggested() -> None:
    names = ["deck", "desk", "discard", "hand"]
    assert nearest("dekc", names) == "deck"
    assert nearest("discrad", names) == "discard"
    assert nearest("purse", names) is None
    assert nearest("deck", ["deck"]) is None
    assert nearest("x", ["y"]) is None
