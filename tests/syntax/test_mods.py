"""Mods: which go together and in which order, and what a game with mods is."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from interpreter.model.game_model import Config
from interpreter.overlays import Overlays
from interpreter.pipeline import check
from interpreter.stages import check_file, identity, option_values, reading_of, resolve
from interpreter.syntax.canonical import canonical
from interpreter.syntax.definition import Definition
from interpreter.syntax.located import plain
from interpreter.syntax.writer import written_definition
from interpreter.text.diagnostic import Diagnostic, Severity, Sink
from interpreter.text.versions import lies_in

GAME = """\
game: fair
title: Fair
rules: 1
version: 1.2.0
players: 2..3
options:
  quick: {default: false, change: {values.goal: {set: 3}}}
values: {goal: 6, wages: 1}
components: |
  stall is a thing:
    printed rank: 1..9
  each player has:
    coins: 0..99
stalls: {a: {rank: 1}, b: {rank: 2}}
functions: |
  wage = wages
effects:
  work: gain wage coins
play: |
  take turns in players while (no p in players where p.coins >= goal):
    choose s from stalls asking "Where?"
    gain s.rank coins
    perform work
winners: all p in players with most p.coins
modes:
  rich: {change: {values.wages: {set: 5}}}
renamed: {values.salary: values.wages}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("fair.yaml").write_text(GAME, encoding="utf-8")
    return tmp_path


def mod(id: str, body: str = "", header: str = "") -> Path:
    path = Path(f"{id}.yaml")
    path.write_text(f"mod: {{id: {id}, version: 1.0.0, for: fair{header}}}\n{body}\n", encoding="utf-8")
    return path


def found(*mods: Path, sets: tuple[str, ...] = ()) -> tuple[Diagnostic, ...]:
    return check_file(Path("fair.yaml"), {}, None, Overlays(mods, sets)).diagnostics


def merged(*mods: Path, sets: tuple[str, ...] = ()) -> Definition:
    return reading_of(Path("fair.yaml"), Overlays(mods, sets)).definition


def value(definition: Definition, name: str, players: int = 2, mode: str | None = None, **options: str) -> object:
    sink = Sink()
    whole = resolve(definition, Config(players, option_values(definition, options), mode), sink)
    assert not sink.diagnostics
    return plain(whole.values[name].value)


@pytest.mark.parametrize(
    ("version", "wanted", "holds"),
    [
        ("1.2.0", ">=1.2,<2", True),
        ("2.0.0", ">=1.2,<2", False),
        ("1.2.7", "1.2", True),
        ("1.3.0", "1.2", False),
        ("1.2.7", "!=1.2.7", False),
        ("1.2.7", "==1", True),
        ("0.9.0", "*", True),
        ("1.0.1", ">1", True),
        ("1.0.0", "<=1.0.0", True),
    ],
)
def test_ranges_of_versions(version: str, wanted: str, holds: bool) -> None:
    assert lies_in(version, wanted) is holds


def test_a_mod_comes_behind_those_it_needs_else_as_named(folder: Path) -> None:
    ten = mod("ten", "change: {values.wages: {wrap: previous * 10}}", ', requires: {one: ">=1"}')
    one = mod("one", "change: {values.wages: {wrap: previous + 1}}")
    two = mod("two", "change: {values.wages: {wrap: previous + 2}}")
    assert value(merged(ten, one), "wages") == 20
    assert value(merged(ten, two, one), "wages") == 22
    assert [used.id for used in merged(two, ten, one).merged.mods] == ["two", "one", "ten"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("header", "body", "code", "place"),
    [
        (', requires: {ghost: ">=1"}', "", "mod-missing", (1, 59)),
        (', versions: ">=2"', "", "mod-version", (1, 58)),
        (", requires: {x: '>=1'}", "", "mod-cycle", (1, 59)),
        (", requires: {x: soon}", "", "wrong-form", (1, 62)),
        ("", "chnage: {}", "unknown-key", (2, 1)),
        ("", "change: {values.goaal: {set: 1}}", "patch-misses", (2, 10)),
        ("", "change: {values.goal: {first: {a: end turn}}}", "patch-verb", (2, 24)),
        ("", "when: {players: 2}\nadd: {modes: {odd: {}}}", "declared-under-condition", (3, 7)),
    ],
)
def test_what_is_wrong_with_a_mod_is_told_at_its_place(
    folder: Path, header: str, body: str, code: str, place: tuple[int, int]
) -> None:
    told = [d for d in found(mod("x", body, header)) if d.code == code]
    assert [(d.span.source.name, d.code) for d in told] == [("x.yaml", code)]
    assert told[0].span.position()[0] == place[0]


def test_mods_that_do_not_go_together(folder: Path) -> None:
    other = mod("other").rename("other_file.yaml")
    assert [d.code for d in found(other, mod("other"))] == ["mod-twice"]
    (conflict,) = found(mod("a", "", ", conflicts: {other: both change the pay}"), other)
    assert conflict.code == "mod-conflict"
    assert "both change the pay" in conflict.message
    (circle,) = found(mod("a", "", ", requires: {b: '*'}"), mod("b", "", ", requires: {a: '*'}"))
    assert circle.code == "mod-cycle"
    assert "`a` → `b` → `a`" in circle.message


def test_a_mod_for_another_game_and_a_game_for_a_mod(folder: Path) -> None:
    path = mod("x")
    path.write_text("mod: {id: x, version: 1.0.0, for: fairy}\n", encoding="utf-8")
    (told,) = found(path)
    assert (told.code, told.help) == ("mod-other-game", "did you mean `fair`?")
    assert [d.code for d in found(Path("fair.yaml"))] == ["not-a-mod"]
    assert [d.code for d in found(Path("gone.yaml"))] == ["no-such-file"]


def test_a_mod_adds_changes_and_extends_options_and_modes(folder: Path) -> None:
    game = merged(
        mod(
            "x",
            "add:\n"
            "  options: {slow: {default: false, change: {values.goal: {set: 12}}}}\n"
            "  modes: {poor: {change: {values.wages: {set: 0}}}}\n"
            "change:\n"
            "  options.quick: {set: true}\n"
            "  modes.rich: {add: {change: {values.goal: {set: 50}}}}",
        )
    )
    assert value(game, "goal") == 3
    assert value(game, "goal", quick="false", slow="true") == 12
    assert value(game, "wages", mode="poor") == 0
    assert (value(game, "wages", mode="rich", quick="false"), value(game, "goal", mode="rich", quick="false")) == (
        5,
        50,
    )


def test_a_mod_for_more_players(folder: Path) -> None:
    assert merged(mod("x", "change: {players: {set: 2..4}}")).players == (2, 4)
    (told,) = found(mod("y", "change: {modes.rich: {add: {change: {players: {set: 5}}}}}"))
    assert (told.code, told.span.source.name) == ("declared-under-condition", "y.yaml")


def test_what_a_mod_brings_into_marked_data_is_in_no_rulebook(folder: Path) -> None:
    marked = GAME.replace("stalls: {", "stalls: {data: reconstructed, gap: FA-GAP-01, ")
    marked = marked.replace("goal: 6", "goal: {is: 6, data: stated, cite: FA-END-01}")
    Path("fair.yaml").write_text(marked, encoding="utf-8")
    game = merged(
        mod(
            "x",
            "add: {stalls: {c: {rank: 3}, d: {rank: 4, data: stated}}}\n"
            "change: {stalls.a.rank: {set: 5}, values.goal: {set: 7}, values.wages: {set: 2}}",
        )
    )
    assert [row.marks.data for row in game.tables["stalls"].rows] == [None, None, "invented", "stated"]
    assert (game.values["goal"].marks.data, game.values["wages"].marks.data) == ("invented", None)
    assert game.values["goal"].marks.cite == ("FA-END-01",)


def test_conditions_by_players_options_and_mods(folder: Path) -> None:
    conditional = mod(
        "x",
        "parts:\n"
        "- {when: {players: 3}, change: {values.goal: {set: 9}}}\n"
        "- {when: {options: {quick: true}}, change: {values.wages: {set: 4}}}\n"
        "- {when: {mods: [y]}, change: {values.wages: {wrap: previous + 1}}}",
    )
    alone, both = merged(conditional), merged(conditional, mod("y"))
    assert (value(alone, "goal"), value(alone, "goal", 3)) == (6, 9)
    assert (value(alone, "wages"), value(alone, "wages", quick="true")) == (1, 4)
    assert value(both, "wages") == 2
    assert not [d.code for d in found(conditional)]


def test_what_goes_wrong_after_merging_shows_both_lines(folder: Path) -> None:
    told = found(mod("x", "change:\n  stalls.a.rank: {set: 0}"))
    assert [(d.code, d.span.source.name, d.span.position()[0]) for d in told] == [("out-of-range", "x.yaml", 3)]
    assert ("fair.yaml", 14) in [(r.span.source.name, r.span.position()[0]) for r in told[0].related]
    told = found(mod("x", "change: {functions.wage: {remove: true}}"))
    assert [(d.code, d.span.source.name) for d in told] == [("still-used", "x.yaml")]
    assert [(r.span.source.name, r.span.position()[0]) for r in told[0].related] == [("fair.yaml", 18)]


def test_two_mods_that_set_one_thing_are_named_with_the_winner(folder: Path) -> None:
    a, b = (mod(id, f"change: {{values.goal: {{set: {goal}}}}}") for id, goal in (("a", 4), ("b", 5)))
    (told,) = found(a, b)
    assert (told.code, told.severity, told.span.source.name) == ("patch-conflict", Severity.WARNING, "b.yaml")
    assert "`mod b` wins" in told.message
    assert value(merged(a, b), "goal") == 5
    assert found(a, sets=("values.goal=8",)) == ()


def test_values_of_the_command_line_come_last(folder: Path) -> None:
    a = mod("a", "change: {values.goal: {set: 4}}")
    assert value(merged(a, sets=("values.goal=8", "values.salary = 3")), "goal") == 8
    (told,) = found(sets=("values.golf=8",))
    assert (told.code, told.span.source.name, told.help) == (
        "patch-misses",
        "command line",
        "did you mean `values.goal`?",
    )


def test_renamed_addresses_are_found(folder: Path) -> None:
    a = mod("a", "renamed: {values.end: values.target}\nadd: {values: {target: 1}}")
    b = mod("b", "change: {values.end: {set: 2}, values.salary: {set: 7}}", ", requires: {a: '*'}")
    game = merged(b, a)
    assert (value(game, "target"), value(game, "wages")) == (2, 7)
    gone = mod("c", "renamed: {values.old: values.new}\nchange: {values.old: {set: 2}}")
    (told,) = [d for d in found(gone) if d.code == "patch-misses"]
    assert "`values.new`" in told.message


def test_the_hash_is_that_of_the_merged_rules(folder: Path) -> None:
    def hash_with(*mods: Path, sets: tuple[str, ...] = ()) -> str:
        game = merged(*mods, sets=sets)
        return identity(game, Config(2, option_values(game, {}), None))

    a = mod("a", "change: {values.goal: {set: 4}}")
    split = mod("p", "parts: [{when: {players: 3}, change: {values.goal: {set: 4}}}]")
    other = mod("q", "parts: [{when: {players: 3}, change: {values.goal: {set: 5}}}]")
    found_ = [hash_with(), hash_with(a), hash_with(split), hash_with(other), hash_with(sets=("values.goal=5",))]
    assert len(set(found_)) == len(found_)
    assert hash_with(a) == hash_with(sets=("values.goal=4",))


def test_independent_mods_give_the_same_in_any_order(folder: Path) -> None:
    mods = [
        mod("a", "change: {values.goal: {set: 4}}"),
        mod("b", "change: {effects.work: {last: {more: gain 1 coin}}}"),
        mod("c", "change: {stalls.b: {set: {rank: 5}}}\nadd: {values: {other: 3}}"),
        mod("d", "change: {modes.rich: {add: {change: {values.goal: {set: 9}}}}}", ", requires: {a: '*'}"),
    ]
    config = Config(2, (("quick", 0),), "rich")
    assert len({identity(merged(*order), config) for order in permutations(mods)}) == 1


LEVELS = "\n  level: {type: easy or hard, default: easy}\n  bonus: {type: 0..3, default: 0}"


@pytest.mark.parametrize(
    ("when", "message", "help"),
    [
        ("options: {quik: true}", "Fair has no option `quik`", "did you mean `quick`?"),
        ("options: {first_round: true}", "Fair has no option `first_round`", "there are `quick`, `level`, `bonus`"),
        ("options: {quick: ture}", "option `quick` is true or false, never `ture`", "did you mean `true`?"),
        ("options: {quick: 'true'}", "option `quick` is true or false, never `'true'`", "did you mean `true`?"),
        ("options: {quick: 1}", "option `quick` is true or false, never `1`", ""),
        ("options: {level: hrad}", "option `level` is easy or hard, never `hrad`", "did you mean `hard`?"),
        ("options: {bonus: 4}", "option `bonus` is 0 to 3, never `4`", ""),
        ("options: {bonus: [1, 2]}", "option `bonus` is 0 to 3, never `[1, 2]`", ""),
        ("players: 7", "Fair is for 2 to 3 players, never 7", "name a number from 2 to 3"),
        ("players: [2, 4]", "Fair is for 2 to 3 players, never 4", "name a number from 2 to 3"),
    ],
)
def test_a_condition_that_never_holds_is_told(folder: Path, when: str, message: str, help: str) -> None:
    Path("fair.yaml").write_text(GAME.replace("\nvalues:", LEVELS + "\nvalues:", 1), encoding="utf-8")
    for body in (
        f"when: {{{when}}}\nchange: {{values.goal: {{set: 9}}}}",
        f"parts: [{{when: {{{when}}}, change: {{values.goal: {{set: 9}}}}}}]",
        f"change: {{modes.rich: {{add: {{when: {{{when}}}, change: {{values.goal: {{set: 9}}}}}}}}}}",
    ):
        (told,) = found(mod("x", body))
        assert (told.code, told.severity, told.message, told.help) == ("never-holds", Severity.ERROR, message, help)
        assert told.span.source.name == "x.yaml"


def test_what_another_mod_takes_away_is_no_fault(folder: Path) -> None:
    asks = mod(
        "x",
        "parts:\n"
        "- {when: {players: 3}, change: {values.goal: {set: 9}}}\n"
        "- {when: {options: {quick: true}}, change: {values.goal: {set: 8}}}",
    )
    few = mod("y", "change: {players: {set: 2}, options.quick: {remove: true}}")
    more = mod("z", "change: {players: {set: 2..4}}\nparts: [{when: {players: 4}, change: {values.goal: {set: 9}}}]")
    assert not found(asks, few)
    assert not found(more)
    own = mod("w", "change: {players: {set: 2}}\nparts: [{when: {players: 3}, change: {values.goal: {set: 9}}}]")
    assert [d.message for d in found(own)] == ["Fair is for 2 players, never 3"]


def test_a_mod_in_a_condition_that_is_nearly_called_like_one_is_a_warning(folder: Path) -> None:
    body = "parts: [{when: {mods: [%s]}, change: {values.goal: {set: 9}}}]"
    (told,) = found(mod("x", body % "meadou"), mod("meadow"))
    assert (told.code, told.severity, told.help) == ("never-holds", Severity.WARNING, "did you mean `meadow`?")
    (told,) = found(mod("x", body % "misre"))
    assert told.help == "did you mean `misere`?"
    assert not found(mod("x", body % "elsewhere"))


@pytest.mark.parametrize(
    "when",
    [
        "players: 3",
        "options: {quick: true}",
        "options: {level: hard}",
        "options: {quick: true, bonus: 2}",
        "players: 2, options: {quick: true, level: hard}",
        "mods: [elsewhere]",
    ],
)
@pytest.mark.parametrize(
    ("change", "code"),
    [
        ("values.nope: {set: 1}", "patch-misses"),
        ("effects.work: {replace: gain coins coins coins}", "syntax"),
        ("stalls.a: {first: {x: end turn}}", "patch-verb"),
    ],
)
def test_every_part_is_tried(folder: Path, when: str, change: str, code: str) -> None:
    Path("fair.yaml").write_text(GAME.replace("\nvalues:", LEVELS + "\nvalues:", 1), encoding="utf-8")
    told = found(mod("x", f"parts:\n- when: {{{when}}}\n  change: {{{change}}}"))
    away = "mods" in when and code == "patch-misses"
    assert [(d.code, d.severity) for d in told] == [(code, Severity.NOTE if away else Severity.ERROR)]
    assert ("unless `elsewhere` brings it" in told[0].message) == away
    whole = found(mod("x", f"when: {{{when}}}\nchange: {{{change}}}"))
    assert [d.message for d in whole] == [d.message for d in told]


def test_rules_under_options_that_go_together_are_checked_whole(folder: Path) -> None:
    Path("fair.yaml").write_text(GAME.replace("\nvalues:", LEVELS + "\nvalues:", 1), encoding="utf-8")
    part = mod("x", "parts: [{when: {options: {quick: true, level: hard}}, change: {values.wages: {set: many}}}]")
    assert found(part)
    assert check_file(Path("fair.yaml"), {}, None, Overlays((part,))).configurations == 7


def test_a_part_for_another_mod_is_tried_with_it_where_it_is_at_hand(folder: Path) -> None:
    part = mod("x", "parts: [{when: {mods: [other]}, change: {values.gifts: {set: 1}}}]")
    place = folder / "mods" / "other" / "mod.yaml"
    place.parent.mkdir(parents=True)
    place.write_text("mod: {id: other, version: 1.0.0, for: fair}\nadd: {values: {gifts: 2}}\n", encoding="utf-8")
    overlays = Overlays((part,))
    assert not check(Path("fair.yaml"), overlays=overlays).diagnostics
    place.write_text("mod: {id: other, version: 1.0.0, for: fair}\nadd: {values: {gift: 2}}\n", encoding="utf-8")
    (told,) = check(Path("fair.yaml"), overlays=overlays).diagnostics
    assert (told.code, told.severity, told.help) == ("patch-misses", Severity.ERROR, "did you mean `values.gift`?")
    place.unlink()
    (told,) = check(Path("fair.yaml"), overlays=overlays).diagnostics
    assert told.severity is Severity.NOTE


@pytest.mark.parametrize(
    "body",
    [
        "parts: [{when: {players: 2}, change: {options.quick: {remove: true}}}]",
        "parts: [{when: {players: 2}, change: {options.quick: {set: true}}}]",
        "parts: [{when: {options: {quick: false}}, change: {modes.rich: {remove: true}}}]",
        "parts: [{when: {players: 9}, add: {options: {odd: {default: false}}}}]",
        "when: {options: {quick: true}}\nparts: [{add: {modes: {odd: {change: {values.goal: {set: 5}}}}}}]",
        "change: {options.quick: {add: {change: {modes.rich: {remove: true}}}}}",
        "change: {options.quick: {add: {change: {modes.rich: {add: {change: {values.goal: {set: 5}}}}}}}}",
        "change: {modes.rich: {add: {add: {options: {odd: {default: false}}}}}}",
    ],
)
def test_options_and_modes_have_no_conditions(folder: Path, body: str) -> None:
    assert {d.code for d in found(mod("x", body))} == {"declared-under-condition"}


def test_a_condition_on_mods_says_nothing_against_options(folder: Path) -> None:
    parts = "- {change: {values.wages: {set: 2}}, when: {players: 2}}\n- {when: {mods: [y]}, add: {options: {odd: {default: false}}}}"
    both = (mod("x", f"parts:\n{parts}"), mod("y"))
    assert found(*both) == ()
    assert "odd" in merged(*both).options


def test_conditions_on_mods_in_options_and_modes_are_settled(folder: Path) -> None:
    text = (
        "change:\n"
        "  options.quick: {add: {when: {mods: [y]}, change: {values.goal: {set: 2}}}}\n"
        "  modes.rich: {add: {when: {mods: [y], players: 3}, change: {values.wages: {set: 9}}}}"
    )
    for others, goal, wages in (((), 3, 5), ((mod("y"),), 2, 9)):
        game = merged(mod("x", text), *others)
        assert (value(game, "goal", quick="true"), value(game, "wages", 3, "rich")) == (goal, wages)
        assert value(game, "wages", 2, "rich") == 5
        again = Path("again.yaml")
        again.write_text(written_definition(game, provenance=False), encoding="utf-8")
        read = reading_of(again).definition
        assert (value(read, "goal", quick="true"), value(read, "wages", 3, "rich")) == (goal, wages)
        assert canonical(read) == canonical(game)


def test_an_address_that_is_there_wins_over_an_old_name(folder: Path) -> None:
    renames = "renamed: {values.wages: values.goal, values.one: values.two, values.two: values.wages}\n"
    a = mod("a", renames + "change: {values.wages: {set: 4}}")
    assert (value(merged(a), "goal"), value(merged(a), "wages")) == (6, 4)
    b = mod("b", renames + "change: {values.one: {set: 8}}")
    assert value(merged(b), "wages") == 8
    for renamed in ("values.one: values.two, values.two: values.one", "values.one: values.one.more"):
        circle = mod("c", f"renamed: {{{renamed}}}\nchange: {{values.one: {{set: 8}}}}")
        assert [d.code for d in found(circle)] == ["patch-misses"]
    shown = mod("d", "add: {show: {stalls: {a: {short: A}}}}\nrenamed: {show.booths: show.stalls}")
    blank = mod("e", "change: {show.booths.a: {set: {short: B}}}", ", requires: {d: '*'}")
    assert plain(merged(shown, blank).show) == {"stalls": {"a": {"short": "B"}}}


def test_the_order_of_the_keys_of_a_mod_says_nothing(folder: Path) -> None:
    parts = "parts: [{when: {players: 3}, change: {values.goal: {set: 4}}}]"
    change = "change: {values.wages: {set: 4}}"
    one, other = (merged(mod("a", f"{first}\n{second}")) for first, second in ((parts, change), (change, parts)))
    assert one.merged is not None
    assert other.merged is not None
    assert one.merged.mods[0].hash == other.merged.mods[0].hash
    assert canonical(one) == canonical(other)
