"""What differs between two sets of rules."""

from __future__ import annotations

from interpreter.drivers.differences import (
    Difference,
    changed_things,
    count_line,
    difference_lines,
    differences,
    digests,
)
from interpreter.drivers.layout import plain

OLD = {
    "values.goal": "6",
    "stalls.a.rank": "1",
    "stalls.a.cost": "2",
    "effects.work": "gain 1 coin",
    "effects.rest.sleep": "gain 2 coins\nlose 1 heart",
    "text.effects.work": "{me} works",
    "play": "perform work",
}


def test_what_stays_is_not_named() -> None:
    assert differences(OLD, dict(OLD), {}) == ()
    assert count_line(()) == "no difference in the rules"


def test_a_changed_cell_is_named_alone() -> None:
    assert differences(OLD, OLD | {"stalls.a.cost": "3"}, {}) == (Difference("changed", "stalls.a.cost", "2", "3"),)


def test_a_new_row_is_one_difference_with_its_cells() -> None:
    new = OLD | {"stalls.b.rank": "2", "stalls.b.cost": "2"}
    assert differences(OLD, new, {}) == (Difference("added", "stalls.b", "", "rank: 2\ncost: 2"),)


def test_a_new_table_is_one_difference_and_a_new_section_is_not() -> None:
    new = OLD | {"shops.b.rank": "2", "triggers.tax": "when …"}
    assert [(d.kind, d.address) for d in differences(OLD, new, {})] == [
        ("added", "shops"),
        ("added", "triggers.tax"),
    ]


def test_what_is_gone_comes_where_it_stood() -> None:
    new = {k: v for k, v in OLD.items() if not k.startswith("stalls")} | {"effects.work": "gain 2 coins"}
    assert [(d.kind, d.address) for d in differences(OLD, new, {})] == [
        ("removed", "stalls"),
        ("changed", "effects.work"),
    ]


def test_a_text_that_becomes_steps_is_one_change() -> None:
    new = {k: v for k, v in OLD.items() if k != "effects.work"} | {
        "effects.work.a": "gain 1 coin",
        "effects.work.b": "x",
    }
    assert differences(OLD, new, {}) == (Difference("changed", "effects.work", "gain 1 coin", "a: gain 1 coin\nb: x"),)


def test_a_text_that_only_gets_company_is_no_change() -> None:
    new = {("play.main" if k == "play" else k): v for k, v in OLD.items()} | {"play.last": "end turn"}
    assert differences(OLD, new, {}) == (Difference("added", "play.last", "", "end turn"),)


def test_a_new_name_is_no_other_thing() -> None:
    new = {k.replace("effects.rest", "effects.nap"): v for k, v in OLD.items()}
    assert differences(OLD, new, {"effects.rest": "effects.nap"}) == (
        Difference("renamed", "effects.nap", "effects.rest", "effects.nap"),
    )


def test_lines_show_what_changes_alone() -> None:
    new = OLD | {"values.goal": "7", "effects.rest.sleep": "gain 2 coins\nlose 2 hearts"}
    text = plain(difference_lines(differences(OLD, new, {}), 80))
    assert "  6 → 7" in text
    assert "  − lose 1 heart" in text
    assert "  + lose 2 hearts" in text
    assert "gain 2 coins" not in text


def test_digests_are_told_by_thing() -> None:
    new = OLD | {"stalls.a.cost": "3", "text.effects.rest": "z"}
    del new["values.goal"]
    assert changed_things(digests(OLD), digests(new)) == {
        "changed": ["stalls.a"],
        "added": ["text.effects.rest"],
        "removed": ["values.goal"],
    }
