"""Patches by address: each verb does what it says, keeps places, and what misses or clashes is told."""

from __future__ import annotations

import pytest

from interpreter.syntax.canonical import canonical
from interpreter.syntax.definition import Definition
from interpreter.syntax.document import read_definition
from interpreter.syntax.located import Mapping, plain
from interpreter.syntax.nodes import Arith, CallOf, Edges, EnumDecl, IfElse, Int, Name, Perform
from interpreter.syntax.overlay import Setting, apply_patches
from interpreter.syntax.patch_blocks import BLOCK_HELP
from interpreter.syntax.yaml_tree import load_yaml
from interpreter.text.diagnostic import Severity, Sink
from interpreter.text.source import Source

BASE = """
game: base
title: Base
rules: 1
version: 1.0.0
players: 2..3
values:
  price: 3
  prices: [1, 2]
  start: {by players: {2: 4, 3: 5}}
  open: {by players: {2: [a], 3: [a, b]}}
components: |
  place is a thing:
    soil: 0..3
  kind is one of red, blue
cards:
  knight: {cost: 2, traits: [brave], prizes: [5, 3], prices: {a: 1, b: 2}, use: gain 1 coin}
  spy: {cost: 3}
graphs:
  map: |
    a -- b, c
    b -> c
functions: |
  limit(n: place) =
    if n.soil = 0 then 1
    otherwise 2
setup:
  deal: gain 1 coin
  rest: end phase
play: perform turn(1)
effects:
  turn: {takes: {n: 0..3}, do: gain n coins}
scoring:
  coins: my coins
text: {effects.turn: "{me} acts"}
show:
  hide: [soil]
  places: {map: [4, 2], a: {at: [0, 1], width: 2}, b: {at: [2, 1]}}
  cards: {spy: {short: S, symbol: s}, knight: {short: K}}
renamed: {functions.bound: functions.limit}
"""


def load(name: str, text: str) -> tuple[Source, Mapping]:
    source = Source(name, text)
    root = load_yaml(source, Sink())
    assert isinstance(root, Mapping)
    return source, root


def base() -> Definition:
    sink = Sink()
    definition = read_definition(*load("base.yaml", BASE), sink)
    assert not sink.diagnostics
    assert definition is not None
    return definition


def patched(*texts: str, setting: Setting | None = None) -> tuple[Definition, Sink]:
    sink = Sink()
    patches = [(f"mod m{number}", load(f"m{number}.yaml", text)[1]) for number, text in enumerate(texts)]
    return apply_patches(base(), patches, sink, setting), sink


def clean(*texts: str, setting: Setting | None = None) -> Definition:
    definition, sink = patched(*texts, setting=setting)
    assert [d.message for d in sink.diagnostics] == []
    return definition


def test_set_changes_only_what_is_named() -> None:
    game = clean(
        "change: {values.start: {set: {by players: {3: 9}}}, cards.knight: {set: {cost: 7}, gap: G-1}, values.price: {set: 8}}"
    )
    assert plain(game.values["start"].by_players) == {2: 4, 3: 9}
    assert plain(game.values["price"].value) == 8
    knight = game.tables["cards"].rows[0]
    assert [(c.key, plain(c.value)) for c in knight.cells][:2] == [("cost", 7), ("traits", ["brave"])]
    assert knight.cells[0].value.span.source.name == "m0.yaml"
    assert knight.marks.gap == ("G-1",)


def test_wrap_puts_the_old_expression_for_previous() -> None:
    game = clean("change: {functions.limit: {wrap: previous + 1}, scoring.coins: {wrap: 2 * previous}}")
    body = game.functions["limit"].body
    assert isinstance(body, Arith)
    assert isinstance(body.left, IfElse)
    assert (body.left.then, body.left.otherwise, body.right) == (Int(1), Int(2), Int(1))
    assert body.right.span.source.name == "m0.yaml"
    assert body.left.then.span.source.name == "base.yaml"
    assert isinstance(game.scoring["coins"].value, Arith)


def test_wrap_of_numbers_is_computed() -> None:
    game = clean(
        "change: {values.price: {wrap: previous * 2}, values.prices: {wrap: previous + 1}, values.start: {wrap: previous - 1}}"
    )
    assert plain(game.values["price"].value) == 6
    assert plain(game.values["prices"].value) == [2, 3]
    assert plain(game.values["start"].by_players) == {2: 3, 3: 4}


def test_wraps_compose_in_order() -> None:
    game = clean("change: {values.price: {wrap: previous + 1}}", "change: {values.price: {wrap: previous * 10}}")
    assert plain(game.values["price"].value) == 40


def test_a_wrapped_effect_stands_under_a_name_of_its_own() -> None:
    game = clean(
        'change: {effects.turn: {wrap: "perform previous, then gain 1 coin"}, setup.deal: {wrap: perform previous}}'
    )
    old, new = game.effects["turn_before_m0"], game.effects["turn"]
    assert old.params == new.params
    assert old.steps[0].body == base().effects["turn"].steps[0].body
    assert new.steps[0].body[0] == Perform(CallOf(Name("turn_before_m0"), (Name("n"),)))
    assert game.setup[0].body == (Perform(Name("deal_before_m0")),)
    assert [s.name for s in game.setup] == ["deal", "rest"]


def test_steps_are_put_in_their_places() -> None:
    game = clean(
        "change:\n"
        "  setup: {first: {a: end phase}, last: {z: end phase}}\n"
        "  setup.rest: {before: {x: end phase}, after: {y: end phase}}\n"
        "  setup.deal: {remove: true}\n"
        "  effects.turn: {first: {more: gain 2 coins}}\n"
    )
    assert [s.name for s in game.setup] == ["a", "x", "rest", "y", "z"]
    assert [s.name for s in game.effects["turn"].steps] == ["more", "main"]


def test_inside_puts_the_old_text_in_a_block() -> None:
    game = clean("change: {effects.turn: {inside: for each p in players}}")
    (block,) = game.effects["turn"].steps[0].body
    assert getattr(block, "body") == base().effects["turn"].steps[0].body  # noqa: B009 - only blocks have one


def test_members_and_edges_join_and_go() -> None:
    game = clean(
        "change:\n"
        "  graphs.map: {add: c -- d, remove: b -- a}\n"
        "  cards.knight.traits: {add: swift}\n"
        "  cards.spy.traits: {add: [sly]}\n"
        "  values.prices: {remove: 1}\n"
        "  components.kind: {add: green}\n"
    )
    assert game.graphs["map"].lines == (Edges("a", ("c",), False), Edges("b", ("c",), True), Edges("c", ("d",), False))
    cells = {(r.id, c.key): plain(c.value) for r in game.tables["cards"].rows for c in r.cells}
    assert cells["knight", "traits"] == ["brave", "swift"]
    assert cells["spy", "traits"] == ["sly"]
    assert plain(game.values["prices"].value) == [2]
    assert [getattr(d, "members", None) for d in game.components][1] == ("red", "blue", "green")


def test_members_join_and_go_in_lists_by_number_of_players() -> None:
    everywhere = clean("change: {values.open: {add: [c], remove: a}}")
    assert plain(everywhere.values["open"].by_players) == {2: ["c"], 3: ["b", "c"]}
    assert plain(clean("change: {values.open: {remove: b}}").values["open"].by_players) == {2: ["a"], 3: ["a"]}
    named = clean("change: {values.open: {add: {by players: {2: [c, d]}}}}")
    assert plain(named.values["open"].by_players) == {2: ["a", "c", "d"], 3: ["a", "b"]}


def test_a_word_that_joins_an_enumeration_stands_where_the_patch_says_it() -> None:
    kind = clean("change: {components.kind: {add: [green], remove: red}}").components[1]
    assert isinstance(kind, EnumDecl)
    assert [(word, at.source.name) for word, at in zip(kind.members, kind.member_spans, strict=True)] == [
        ("blue", "base.yaml"),
        ("green", "m0.yaml"),
    ]


def shown(game: Definition, but: str) -> dict[str, object]:
    """How things are drawn, without one of them."""
    found = plain(game.show)
    assert isinstance(found, dict)
    return {name: value for name, value in found.items() if name != but}


def test_what_is_shown_changes_only_where_it_is_named() -> None:
    game = clean(
        "change: {show.places: {set: {map: [4, 3]}}, show.places.a: {set: {width: 1}}, show.hide: {set: [coins]}}\n"
        "add: {show: {places: {c: {at: [0, 2]}}, soil: {symbol: s}}}\n"
    )
    places = {"map": [4, 3], "a": {"at": [0, 1], "width": 1}, "b": {"at": [2, 1]}, "c": {"at": [0, 2]}}
    assert shown(game, "cards") == {"hide": ["coins"], "places": places, "soil": {"symbol": "s"}}


def test_what_is_shown_can_go() -> None:
    game = clean(
        "change: {show.places.a.width: {remove: true}, show.places.b: {remove: true}, show.hide: {remove: true}}"
    )
    assert shown(game, "cards") == {"places": {"map": [4, 2], "a": {"at": [0, 1]}}}


def test_add_brings_what_is_new() -> None:
    game = clean("add: {cards: {ram: {cost: 4}}, effects: {rest: end turn}, functions: g = 3, values: {more: 1}}")
    assert [r.id for r in game.tables["cards"].rows] == ["knight", "spy", "ram"]
    assert "rest" in game.effects
    assert "g" in game.functions


def test_what_is_shown_changes_at_the_keys_named() -> None:
    game = clean("{add: {show: {soil: {symbol: x}}}, change: {show.cards: {set: {spy: {short: Y}}}}}")
    assert shown(game, "places") == {
        "hide": ["soil"],
        "cards": {"spy": {"short": "Y", "symbol": "s"}, "knight": {"short": "K"}},
        "soil": {"symbol": "x"},
    }
    game = clean(
        "change: {show.cards.ram: {set: {short: R}}, show.cards.spy.symbol: {remove: true}, show.hide: {add: cost}}",
        "change: {show.cards.knight: {remove: true}, show.hide: {remove: soil}, show.first: {add: [cost]}}",
    )
    assert shown(game, "places") == {
        "hide": ["cost"],
        "cards": {"spy": {"short": "S"}, "ram": {"short": "R"}},
        "first": ["cost"],
    }
    assert clean("change: {show: {remove: true}}").show is None


def test_how_many_can_play_is_set() -> None:
    assert clean("change: {players: {set: 4}}").players == (4, 4)
    assert clean("change: {players: {set: 2..5}}").players == (2, 5)
    assert clean("when: {mods: [x]}\nchange: {players: {set: 4}}", setting=Setting(None, (), ("x",))).players == (4, 4)


@pytest.mark.parametrize("condition", ["when: {players: 2}", "when: {options: {quick: true}}"])
def test_how_many_can_play_is_no_matter_of_a_condition(condition: str) -> None:
    setting = Setting(2, (("quick", True),))
    change = "change: {players: {set: 4}}"
    for patch in (f"{condition}\n{change}", f"parts: [{{{condition}, {change}}}]"):
        game, sink = patched(patch, setting=setting)
        assert [d.code for d in sink.diagnostics] == ["declared-under-condition"]
        assert game.players == (2, 3)


@pytest.mark.parametrize("condition", ["when: {players: 2}", "when: {options: {quick: true}}"])
def test_what_a_game_is_called_is_no_matter_of_a_condition(condition: str) -> None:
    game, sink = patched(f"{condition}\nchange: {{title: {{set: Other}}}}", setting=Setting(2, (("quick", True),)))
    assert [d.code for d in sink.diagnostics] == ["declared-under-condition"]
    assert game.title != "Other"


def test_cells_of_rules_are_wrapped_too() -> None:
    game = clean(
        'change: {cards.knight.use: {wrap: "perform previous, then gain 1 coin"}, cards.knight.cost: {wrap: previous + 1},'
        " cards.knight.prizes: {wrap: 2 * previous}, cards.knight.prices: {wrap: 2 * previous}}"
    )
    cells = {c.key: plain(c.value) for c in game.tables["cards"].rows[0].cells}
    assert cells["cost"] == 3
    assert (cells["prizes"], cells["prices"]) == ([10, 6], {"a": 2, "b": 4})
    assert cells["use"] == "perform knight_use_before_m0, then gain 1 coin"
    assert "knight_use_before_m0" in game.effects


def test_old_names_lead_to_new_ones() -> None:
    assert isinstance(clean("change: {functions.bound: {wrap: previous + 1}}").functions["limit"].body, Arith)


def test_parts_hold_where_their_condition_does() -> None:
    patch = (
        "parts:\n"
        "- {when: {players: 2}, change: {values.price: {set: 1}}}\n"
        "- {when: {players: [3, 4]}, change: {values.price: {set: 2}}}\n"
    )
    assert plain(clean(patch, setting=Setting(2)).values["price"].value) == 1
    assert plain(clean(patch, setting=Setting(3)).values["price"].value) == 2


@pytest.mark.parametrize(
    ("patch", "code"),
    [
        ("change: {functions.limmit: {wrap: previous}}", "patch-misses"),
        ("change: {cards.knigth: {remove: true}}", "patch-misses"),
        ("change: {setup.del: {after: {x: end turn}}}", "patch-misses"),
        ("add: {effects: {turn: end turn}}", "duplicate-name"),
        ("change: {graphs.map: {wrap: a}}", "patch-verb"),
        ("change: {functions.limit: {first: {x: end turn}}}", "patch-verb"),
        ("change: {functions.limit: {wrap: previous +}}", "ends-early"),
        ("change: {graphs.map: {remove: a -- d}}", "patch-misses"),
        ("change: {components.kind: {remove: green}}", "patch-misses"),
        ("change: {values.prices: {remove: [9]}}", "patch-misses"),
        ("change: {cards.knight.traits: {remove: [sly]}}", "patch-misses"),
        ("change: {values.open: {remove: c}}", "patch-misses"),
        ("change: {values.open: {remove: {by players: {3: [a, c]}}}}", "patch-misses"),
        ("change: {values.open: {add: {by players: {4: [c]}}}}", "patch-misses"),
        ("change: {values.open: {add: {4: [c]}}}", "patch-verb"),
        ("change: {values.price: {add: 4}}", "patch-verb"),
        ("change: {show.places.c: {remove: true}}", "patch-misses"),
        ("change: {values.start: {add: 4}}", "patch-verb"),
        ("change: {values.start: {set: {2: 4}}}", "patch-verb"),
        ("change: {cards.knight.traits: {wrap: previous + 1}}", "patch-verb"),
        ("change: {show.cards.rma: {remove: true}}", "patch-misses"),
        ("change: {show.cards: {add: ram}}", "patch-verb"),
        ("change: {players: {set: 5..2}}", "bad-players"),
        ("change: {players: {set: many}}", "patch-verb"),
        ("change: {players: {wrap: previous + 1}}", "patch-verb"),
        ("change: {players: {remove: true}}", "patch-verb"),
        ("change: {players.most: {set: 4}}", "patch-misses"),
    ],
)
def test_what_misses_is_told(patch: str, code: str) -> None:
    game, sink = patched(patch)
    assert [d.code for d in sink.diagnostics] == [code]
    assert sink.diagnostics[0].span.source.name == "m0.yaml"
    assert game.functions.keys() == base().functions.keys()


@pytest.mark.parametrize(
    ("patch", "help"),
    [
        ("values.price: {first: {x: end turn}}", "here go `set`, `wrap` and `remove: true`"),
        ("values.open: {wrap: previous}", "use `set`"),
        ("values.open: {before: {x: end turn}}", "here go `set`, `add`, `remove` and `remove: true`"),
        ("values.prices: {before: {x: end turn}}", "here go `set`, `wrap`, `add`, `remove` and `remove: true`"),
        ("cards: {add: {x: {cost: 1}}}", "new rows stand below `add:`"),
        ("cards.knight: {wrap: previous}", "here go `set` and `remove: true`"),
        ("cards.knight.cost: {first: {x: end turn}}", "here go `set`, `wrap` and `remove: true`"),
        ("cards.knight.traits: {first: {x: end turn}}", "here go `set`, `add`, `remove` and `remove: true`"),
        ("cards.spy.use: {wrap: perform previous}", "the cell is blank; `set` fills it"),
        (
            "setup.deal: {first: {x: end turn}}",
            "here go `replace`, `wrap`, `inside`, `before`, `after` and `remove: true`",
        ),
        (
            "effects.turn: {after: {x: end turn}}",
            "here go `replace`, `wrap`, `inside`, `first`, `last` and `remove: true`",
        ),
        ("components.kind: {wrap: previous}", "here go `add`, `remove` and `remove: true`"),
        ("components.place.soil: {wrap: previous}", "here go `set` and `remove: true`"),
        ("functions.limit: {set: 3}", "here go `replace`, `wrap` and `remove: true`"),
    ],
)
def test_what_a_verb_cannot_do_says_which_can(patch: str, help: str) -> None:
    _, sink = patched(f"change: {{{patch}}}")
    assert [d.help for d in sink.diagnostics] == [help]


@pytest.mark.parametrize(
    ("patch", "help"),
    [
        ("scoring.coins.points: {set: 2}", "did you mean `scoring.coins`?"),
        ("play.drop: {after: {x: end turn}}", "`play` has no named steps; replace or wrap it whole"),
        ("effects.turn.pay: {remove: true}", "`effects.turn` has no named steps; replace or wrap it whole"),
        ("setup.shuffling: {remove: true}", "the steps of `setup` are `deal`, `rest`"),
        ("cards.wanderer: {remove: true}", "`cards` has no such row"),
        ("nothing.at_all: {remove: true}", ""),
        ("effects.turn.: {remove: true}", "did you mean `effects.turn`?"),
        ('functions.limit: {replace: "any c in places"}', "write `limit(n: place) = …`"),
        ("functions.limit: {replace: 'bound(n: place) = 3'}", "write `limit(n: place) = …`"),
        ('effects.turn: {wrap: "previous, then gain 1 coin"}', "did you mean `perform previous`?"),
        ("effects.turn: {inside: gain 1 coin}", BLOCK_HELP),
        ('effects.turn: {inside: "n >= 2"}', BLOCK_HELP),
    ],
)
def test_a_wrong_form_says_how_it_is_written(patch: str, help: str) -> None:
    _, sink = patched(f"change: {{{patch}}}")
    assert [d.help for d in sink.diagnostics] == [help]


@pytest.mark.parametrize(
    "line",
    [
        "if n >= 2",
        "if n >= 2:",
        "have players: ",
        "may rest",
        "try:",
        "repeat 2 times",
        "repeat while n > 2:",
        "all at once among players",
        "for each p in players where p = me",
        "take turns in players:",
    ],
)
def test_every_line_that_opens_a_block_stands_around_the_old_text(line: str) -> None:
    block = clean(f"change: {{effects.turn: {{inside: '{line}'}}}}").effects["turn"].steps[0].body[0]
    (holder,) = getattr(block, "branches", (block,))
    assert getattr(holder, "body", None) == base().effects["turn"].steps[0].body


def test_a_near_address_is_suggested_and_optional_ones_are_notes() -> None:
    _, sink = patched("change: {functions.limmit: {wrap: previous, optional: true}}")
    assert sink.diagnostics[0].help == "did you mean `functions.limit`?"
    assert sink.diagnostics[0].severity is Severity.NOTE


def test_two_patches_that_write_the_same_are_named() -> None:
    game, sink = patched("change: {values.price: {set: 1}}", "change: {values.price: {set: 2}}")
    (found,) = sink.diagnostics
    assert (found.code, found.severity) == ("patch-conflict", Severity.WARNING)
    assert plain(game.values["price"].value) == 2
    assert [r.span.source.name for r in found.related] == ["m0.yaml"]
    assert not patched("change: {cards.spy: {set: {cost: 1}}}", "change: {cards.spy: {set: {use: end turn}}}")[
        1
    ].diagnostics


def cell(game: Definition, row: str, column: str) -> object:
    return plain(next(c.value for r in game.tables["cards"].rows if r.id == row for c in r.cells if c.key == column))


def test_only_the_name_previous_stands_for_the_old_text_of_a_cell() -> None:
    text = 'may go "As previous, or (previous)": perform previous'
    game = clean(f"change: {{cards.knight.use: {{wrap: '{text}'}}}}")
    assert cell(game, "knight", "use") == text.replace("perform previous", "perform knight_use_before_m0")
    game = clean(
        "change: {cards.spy: {set: {worth: 1 + my soil}}}", "change: {cards.spy.worth: {wrap: previous * previous_one}}"
    )
    assert cell(game, "spy", "worth") == "(1 + my soil) * previous_one"


@pytest.mark.parametrize(
    ("change", "bound"),
    [
        ("functions.limit: {wrap: sum of previous for n in places}", "n in places"),
        ("functions.limit: {wrap: 'first n in places with most previous'}", "n in places"),
        ("functions.limit: {wrap: 'number of n in places where n.soil < previous'}", "n in places"),
        ("effects.turn: {wrap: 'for each n in 0..3: perform previous'}", "n in 0..3"),
        ("effects.turn: {wrap: \"let n be 2\\nperform previous\"}", "let n be 2"),
        ("effects.turn: {wrap: \"choose n from 0..3\\nif n > 1: perform previous\"}", "n"),
    ],
)  # fmt: skip
def test_a_wrap_that_hides_a_name_of_what_is_old_is_told(change: str, bound: str) -> None:
    found = patched(f"change:\n  {change}")[1].diagnostics
    assert [(d.code, d.span.text().replace("\\n", "")) for d in found] == [("patch-verb", bound)]
    assert [r.span.source.name for r in found[0].related] == ["base.yaml"]


@pytest.mark.parametrize(
    "change",
    [
        "functions.limit: {wrap: 'previous + (number of n in places)'}",
        "functions.limit: {wrap: sum of previous for other in places}",
        "effects.turn: {wrap: 'for each n in 0..3: perform previous(n)'}",
        "effects.turn: {wrap: \"perform previous\\nlet n be 2\"}",
    ],
)  # fmt: skip
def test_a_wrap_that_hides_nothing_is_fine(change: str) -> None:
    clean(f"change:\n  {change}")


def test_a_cell_whose_text_would_change_its_meaning_is_told() -> None:
    worth = "change: {cards.spy: {set: {worth: n.soil}}}"
    _, sink = patched(worth, "change: {cards.spy.worth: {wrap: sum of previous for n in places}}")
    assert [(d.code, d.span.text()) for d in sink.diagnostics] == [("patch-verb", "n in places")]


def test_what_says_the_same_leaves_no_trace_in_the_rules() -> None:
    fields = "add: {components: \"each player has:\\n  acted, folded: true or false = false\\n\"}"  # fmt: skip
    before = clean(fields)
    assert canonical(clean(fields, "change: {components.player.acted: {set: true or false = false}}")) == canonical(
        before
    )
    everything = ", ".join(f"show.{key}: {{remove: true}}" for key in ("hide", "places", "cards"))
    assert clean(f"change: {{{everything}}}").show is None
    assert read_definition(*load("empty.yaml", "game: x\nshow: {}\n"), Sink()).show is None  # type: ignore[union-attr]


def test_a_declaration_goes_with_all_its_blocks() -> None:
    fields = "add: {components: \"each player has:\\n  coins: 0..9\\neach player has:\\n  hats: 0..9\\n\"}"  # fmt: skip
    names = [getattr(d, "name", "") for d in clean(fields, "change: {components.player: {remove: true}}").components]
    assert names == ["place", "kind"]
    names = [
        getattr(d, "name", "") for d in clean(fields, "change: {components.player.hats: {remove: true}}").components
    ]
    assert names == ["place", "kind", "player"]
