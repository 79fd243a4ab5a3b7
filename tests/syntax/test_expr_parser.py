"""Texts of the rules language to nodes: shapes, places, citations, and what is said about mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from interpreter.syntax import expr_parser
from interpreter.syntax.expr_parser import (
    parse_components,
    parse_formula,
    parse_functions,
    parse_graph,
    parse_modifier,
    parse_rules,
    parse_trigger,
    parse_type,
)
from interpreter.syntax.nodes import (
    Amount,
    Arith,
    Binder,
    ChoiceType,
    Compare,
    Edges,
    EnumDecl,
    FieldOf,
    ForEach,
    Func,
    Gain,
    If,
    Int,
    Logic,
    Me,
    Member,
    Modifier,
    Name,
    Nothing,
    Pay,
    Quantity,
    Query,
    QuerySource,
    RangeType,
    ThingDecl,
    Trait,
    TypeText,
    Unit,
    When,
)
from interpreter.text.diagnostic import Sink
from interpreter.text.source import MappedText, Source
from tests.syntax.texts import mapped, told
from tests.work import calls


def coins(number: int) -> tuple[Quantity, ...]:
    return (Quantity(Amount("exactly", Int(number)), Unit("coin" if number == 1 else "coins")),)


def test_operators_bind_in_the_school_order() -> None:
    found = parse_formula(mapped("a + b * 2 = my soil and not (x or y)"), Sink())
    assert isinstance(found, Logic)
    assert found.op == "and"
    assert found.left == Compare("=", Arith("+", Name("a"), Arith("*", Name("b"), Int(2))), FieldOf(Me(), "soil"))


def test_a_query_reaches_to_the_end() -> None:
    found = parse_formula(mapped("any x in a, y in b where x = y with most x by least y"), Sink())
    assert isinstance(found, Query)
    assert found.kind == "any"
    assert found.source.binders == (Binder("x", Name("a")), Binder("y", Name("b")))
    assert found.source.where == Compare("=", Name("x"), Name("y"))
    assert [key.most for key in found.source.best] == [True]
    assert [key.most for key in found.source.by] == [False]


def test_spans_are_exact() -> None:
    text = "for each n in my  places where n.soil > 0:\n  gain 2 coins"
    found = parse_rules(mapped(text), Sink())
    assert found is not None
    loop = found[0]
    assert isinstance(loop, ForEach)
    assert loop.span.text() == "for each n in my  places where n.soil > 0"
    domain = loop.binder.domain
    assert isinstance(domain, FieldOf)
    assert (domain.base.span.text(), domain.name_span.text()) == ("my", "places")
    assert loop.where is not None
    assert loop.where.span.text() == "n.soil > 0"
    assert loop.body[0].span.text() == "gain 2 coins"


def test_spans_follow_the_map_of_the_text() -> None:
    file = Source("file", '"gain \\u0032 coins"')
    text = MappedText("gain 2 coins", file, (1, 2, 3, 4, 5, 6, 12, 13, 14, 15, 16, 17, 18))
    found = parse_rules(text, Sink())
    assert found is not None
    assert isinstance(found[0], Gain)
    assert found[0].quantities[0].unit is not None
    assert found[0].quantities[0].unit.span.text() == "coins"


def test_a_chain_is_statements_and_its_citation_is_theirs() -> None:
    found = parse_rules(mapped("pay 1 coin, then gain 2 coins [AB-DAY-01, AB-DAY-02]"), Sink())
    cite = ("AB-DAY-01", "AB-DAY-02")
    assert found == (Pay(coins(1), cite=cite), Gain(coins(2), cite=cite))


def test_a_citation_belongs_to_the_statements_of_its_line() -> None:
    text = (
        "if a: for each n in b: gain 1 coin [AB-X-1]\n"
        "otherwise: [AB-X-2]\n"
        "  gain 2 coins [AB-X-3]\n"
        "gain 1 coin, then for each n in b: [AB-X-4]\n"
        "  gain 2 coins\n"
    )
    found = parse_rules(mapped(text), Sink())
    assert found is not None
    first, second, third = found
    assert isinstance(first, If)
    assert first.cite == ("AB-X-1", "AB-X-2")
    inner = first.branches[0].body[0]
    assert isinstance(inner, ForEach)
    assert (inner.cite, inner.body[0].cite) == (("AB-X-1",), ("AB-X-1",))
    assert first.otherwise is not None
    assert first.otherwise[0].cite == ("AB-X-3",)
    assert (second.cite, third.cite) == (("AB-X-4",), ("AB-X-4",))
    assert isinstance(third, ForEach)
    assert third.body[0].cite == ()


def test_lines_go_on_below_and_inside_brackets() -> None:
    one = parse_rules(mapped('choose n from places where a and (b or c) asking "Which?"\n'), Sink())
    two = parse_rules(
        mapped('choose n from places   # a remark\n\n    where a\n    and (b\n or c) asking "Which?"  # and another\n'),
        Sink(),
    )
    assert one is not None
    assert one == two


def test_components() -> None:
    found = parse_components(
        mapped(
            "track is one of a, b [AB-X-1]\n"
            "card is a piece, plural cards from deck, extras:\n"
            "  printed rank, first: 1..3 = 2 [AB-X-2]\n"
            "  owner: player or nothing = nothing, seen by owner\n"
        ),
        Sink(),
    )
    assert found == (
        EnumDecl("track", ("a", "b"), ("AB-X-1",)),
        ThingDecl(
            "card", "piece", "cards", ("deck", "extras"),
            (
                Member(True, ("rank", "first"), RangeType(Int(1), Int(3)), Int(2), (), ("AB-X-2",)),
                Member(False, ("owner",), ChoiceType(("player", "nothing")), Nothing(), (Trait("seen", Name("owner")),)),
            ),
        ),
    )  # fmt: skip


def test_other_texts() -> None:
    assert parse_graph(mapped("a -> b, c while d"), Sink()) == (Edges("a", ("b", "c"), True, Name("d")),)
    assert parse_type(mapped("0..9 = 3"), Sink()) == TypeText(RangeType(Int(0), Int(9)), Int(3))
    assert parse_modifier(mapped("raise f by 1 while a [AB-X-1]"), Sink()) == Modifier(
        True, "f", Int(1), None, Name("a"), ("AB-X-1",)
    )
    assert parse_trigger(mapped("when a for each n in b once: gain 1 coin"), Sink()) == When(
        Name("a"), (Binder("n", Name("b")),), True, (Gain(coins(1)),)
    )
    functions = parse_functions(
        mapped("f(p: player) =\n  if a then 1 [AB-X-1]\n  otherwise 2 [AB-X-2]\ng = all b"), Sink()
    )
    assert functions is not None
    assert [f.name for f in functions] == ["f", "g"]
    assert functions[0].arms[0].cite == ("AB-X-1",)
    assert functions[0].cite == ("AB-X-2",)
    assert functions[1] == Func("g", (), None, (), Query("all", QuerySource(Name("b"))))


@pytest.mark.parametrize("text", ["my first", "n.where.choose", "card.number"])
def test_fields_may_have_any_name(text: str) -> None:
    assert parse_formula(mapped(text), Sink()) is not None


def test_labels_may_be_words_of_the_language() -> None:
    assert parse_rules(mapped("either pay: gain 1 coin\nor draw: end turn\nmay take: end turn"), Sink()) is not None


@pytest.mark.parametrize(
    "text", ["let first be 1", "choose all from cards", "for each any in cards: end turn", "draw where from cards"]
)
def test_words_of_the_language_name_nothing(text: str) -> None:
    sink = Sink()
    assert parse_rules(mapped(text), sink) is None
    assert [d.code for d in sink.diagnostics] == ["word-is-taken"]


def test_several_mistakes_of_one_text_are_told() -> None:
    text = (
        "gain 1 coin\n"
        "gian 1 coin\n"
        "for each n in places:\n"
        "  set n.soil = 2\n"
        "  gain 1 coin\n"
        "  if a:\n"
        "    choose card in market\n"
        "gain (1 coin\n"
        "pay 1 coin\n"
    )
    sink = Sink()
    found = parse_rules(mapped(text), sink)
    assert told(sink) == [
        ("no-such-statement", 2, 1), ("equals-stores", 4, 14), ("syntax", 7, 17), ("syntax", 8, 9),
    ]  # fmt: skip
    assert found == (Gain(coins(1)), Pay(coins(1)))


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "a" + ")" * 5000,
        "not " * 5000 + "a",
        "a" + " + a" * 5000,
        "a" + ".b" * 5000,
        "f(" * 5000,
        "- " * 5000 + "1",
    ],
)
def test_nesting_without_end_is_refused(text: str) -> None:
    sink = Sink()
    assert parse_formula(mapped(text), sink) is None
    assert [d.code for d in sink.diagnostics] == ["too-deep"]


def test_blocks_without_end_are_refused() -> None:
    text = "".join("  " * depth + "if a:\n" for depth in range(500))
    sink = Sink()
    parse_rules(mapped(text), sink)
    assert {d.code for d in sink.diagnostics} <= {"too-deep", "missing-block", "indentation"}
    assert sink.has_errors


def test_a_damaged_table_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expr_parser, "cache_dir", lambda: tmp_path / "cache")
    expr_parser._parser.cache_clear()
    try:
        assert parse_formula(mapped("a + 1"), Sink()) is not None
        (table,) = (tmp_path / "cache").iterdir()
        whole = table.read_bytes()
        for damaged in (b"", whole[:100], whole[:-1], b"x" + whole[1:]):
            table.write_bytes(damaged)
            expr_parser._parser.cache_clear()
            assert parse_formula(mapped("a + 1"), Sink()) is not None
            assert table.read_bytes()[:64] == whole[:64] or len(table.read_bytes()) > 1000
        assert len(list((tmp_path / "cache").iterdir())) == 1
    finally:
        expr_parser._parser.cache_clear()


def test_a_text_twice_as_long_is_twice_the_work() -> None:
    line = "for each n in places where n.soil > 0 and n.token = me: move 1 soil from n to me\n"
    parse_rules(mapped("end turn"), Sink())
    short, long = (calls(lambda: parse_rules(mapped(line * many), Sink())) for many in (50, 100))  # noqa: B023
    assert 1.9 < long / short < 2.1
