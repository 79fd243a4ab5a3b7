"""Sections of a game file as a definition: all forms in which an author may write them."""

from __future__ import annotations

from interpreter.syntax.definition import Definition, Marks
from interpreter.syntax.document import read_definition
from interpreter.syntax.located import Mapping, plain
from interpreter.syntax.nodes import After, ChoiceType, Gain, Int, Me, Name, NamedType, RangeType
from interpreter.syntax.yaml_tree import load_yaml
from interpreter.text.diagnostic import Sink
from interpreter.text.source import Source
from tests.syntax.texts import told


def read(text: str) -> tuple[Definition, Sink]:
    sink = Sink()
    source = Source("game.yaml", text)
    root = load_yaml(source, sink)
    assert root is not None
    definition = read_definition(source, root, sink)
    assert definition is not None
    return definition, sink


def clean(text: str) -> Definition:
    definition, sink = read(text)
    assert told(sink) == []
    return definition


def test_header() -> None:
    game = clean("{game: a, title: A Game, rules: 1, version: 1.2.0, players: 2..4}")
    assert (game.game, game.title, game.rules, game.version, game.players) == ("a", "A Game", 1, "1.2.0", (2, 4))
    assert clean("{game: a, players: 3}").players == (3, 3)


def test_values_in_all_forms() -> None:
    values = clean(
        "values:\n"
        "  a: 3\n"
        "  b: [1, 2]\n"
        "  c: {by players: {2: 1, 3: 2}, cite: X-1}\n"
        "  d: {is: mill, data: reconstructed, gap: G-1}\n"
        "  e: {list: [1], cite: [X-1, X-2]}\n"
        "  f: {ale: 2}\n"
    ).values
    assert {n: plain(v.value) for n, v in values.items()} == {
        "a": 3, "b": [1, 2], "c": None, "d": "mill", "e": [1], "f": {"ale": 2},
    }  # fmt: skip
    assert plain(values["c"].by_players) == {2: 1, 3: 2}
    assert values["d"].marks == Marks((), "reconstructed", ("G-1",))
    assert values["e"].marks.cite == ("X-1", "X-2")


def test_routines_in_all_forms() -> None:
    game = clean(
        "effects:\n"
        "  a: gain 1 coin\n"
        "  b: {takes: {n: 0..3, t: track = brass}, do: gain n coins, depth: 2, cite: X-1}\n"
        "phases:\n"
        "  p:\n"
        "    do:\n"
        "      one: gain 1 coin [X-2]\n"
        "      two: {cite: X-3, do: gain 2 coins}\n"
    )
    assert [s.name for s in game.effects["a"].steps] == [""]
    b = game.effects["b"]
    assert [(p.name, p.type, p.default) for p in b.params] == [
        ("n", RangeType(Int(0), Int(3)), None), ("t", NamedType("track"), Name("brass")),
    ]  # fmt: skip
    assert (b.depth, b.cite) == (2, ("X-1",))
    one, two = game.phases["p"].steps
    assert (one.name, one.cite, one.body[0].cite) == ("one", (), ("X-2",))
    assert (two.name, two.cite) == ("two", ("X-3",))
    assert isinstance(two.body[0], Gain)
    assert one.span.text() == "one"


def test_tables_keep_their_cells() -> None:
    table = clean(
        "cards:\n"
        "  data: reconstructed\n"
        "  gap: [G-1]\n"
        "  ace: {rank: 1, copies: each player, cite: X-1, data: stated}\n"
        "  king:\n"
    ).tables["cards"]
    ace, king = table.rows
    assert table.marks == Marks((), "reconstructed", ("G-1",))
    assert [(c.key, plain(c.value)) for c in ace.cells] == [("rank", 1)]
    assert (plain(ace.copies), ace.marks) == ("each player", Marks(("X-1",), "stated"))
    assert (king.id, king.cells) == ("king", ())


def test_rules_with_and_without_marks() -> None:
    game = clean(
        "triggers:\n"
        '  a: "after b: gain 1 coin"\n'
        '  c: {rule: "after d: gain 1 coin", depth: 1, cite: X-1}\n'
        "scoring:\n"
        "  a: 3\n"
        "  b: {points: my coins, cite: X-2}\n"
        'winners: {rule: "players [X-4]", cite: X-3}\n'
        "payoff: my coins\n"
        "options:\n"
        "  o: {default: true, change: {values.x: {set: 1}}}\n"
        "modes:\n"
        "  m: {when: {players: 1}, add: {values: {y: 1}}, cite: X-5}\n"
    )
    assert isinstance(game.triggers["a"].rule, After)
    assert (game.triggers["c"].depth, game.triggers["c"].cite) == (1, ("X-1",))
    assert (game.scoring["a"].value, game.scoring["b"].cite) == (Int(3), ("X-2",))
    assert game.winners is not None
    assert game.winners.cite == ("X-3", "X-4")
    assert game.options["o"].type.type == ChoiceType(("true", "false"))
    assert isinstance(game.options["o"].patch, Mapping)
    assert plain(game.modes["m"].when) == {"players": 1}
    assert [e.key for e in game.modes["m"].patch.entries] == ["add"]


def test_sentences_have_holes() -> None:
    game = clean('text: {effects.a: "{me} takes {n + 1} of {{these}}", mill: The Mill}')
    parts = game.texts["effects.a"].parts
    assert parts[0] == Me()
    assert [p for p in parts if isinstance(p, str)] == [" takes ", " of {these}"]
    assert game.texts["mill"].parts == ("The Mill",)


def test_mistakes_in_texts_stand_where_they_are_and_carry_their_address() -> None:
    _, sink = read(
        "effects:\n"
        '  a: {do: "gain 1\\u0020coin, then gian 2"}\n'
        "  b:\n"
        "    do: |\n"
        "      gain 1 coin\n"
        "      set x = 3\n"
        'text: {effects.a: "{me} and {n b}"}\n'
        "triggers:\n"
        '  c: "when x gain 1"\n'
    )
    assert [(d.code, *d.span.position(), d.address) for d in sink.diagnostics] == [
        ("no-such-statement", 2, 35, "effects.a"),
        ("equals-stores", 6, 13, "effects.b"),
        ("syntax", 7, 32, "text.effects.a"),
        ("missing-block", 9, 14, "triggers.c"),
    ]


def test_names_are_free_and_unique() -> None:
    _, sink = read("values: {first: 1, ok: 2}\ncards: {choose: {rank: 1}}\nfunctions: |\n  f = 1\n  f = 2\n")
    assert told(sink) == [("word-is-taken", 1, 10), ("word-is-taken", 2, 9), ("duplicate-name", 5, 3)]


def test_junk_is_passed_over() -> None:
    _, sink = read(
        "{game: [1], players: {a: b}, values: 3, effects: [x], text: {a: [b]}, modes: 7, cards: 9, setup: [1]}"
    )
    assert told(sink) == []
