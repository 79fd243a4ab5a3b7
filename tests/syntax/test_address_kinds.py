"""Every kind of address can be changed: for each, a patch of one entry and what the definition says then.

The base has one thing of each kind. What is compared is the whole of what a definition says (syntax/contents.py), so that a patch that
also does something else is found.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interpreter.paths import shipped_games
from interpreter.pipeline import definition_of
from interpreter.syntax.canonical import canonical
from interpreter.syntax.contents import addresses, contents, option_texts
from interpreter.syntax.definition import Definition
from interpreter.syntax.document import read_definition
from interpreter.syntax.located import Mapping
from interpreter.syntax.mod_document import ModDoc
from interpreter.syntax.mod_merge import merge
from interpreter.syntax.overlay import apply_patches
from interpreter.syntax.patch_kinds.base import Work
from interpreter.syntax.patch_kinds.reading import place_at
from interpreter.syntax.yaml_tree import load_yaml
from interpreter.text.diagnostic import Sink
from interpreter.text.source import Source

BASE = """
game: base
title: Base
rules: 1
version: 1.0.0
players: 2..3
options:
  quick: {default: false, change: {values.goal: {set: 3}}}
values:
  goal: 6
  prices: [1, 2]
  start: {by players: {2: 4, 3: 5}}
components: |
  kind is one of red, blue
  place is a thing:
    printed rank: 1..3
    soil: 0..3
  card is a piece from cards
  each player has:
    coins: 0..9
  the table has:
    open: true or false = true
graphs:
  map: |
    a -- b, c
    b -> c
places: {a: {rank: 1}, b: {rank: 2}, c: {rank: 3}}
cards:
  knight: {cost: 2, traits: [brave], use: gain 1 coin}
functions: |
  limit(n: place) = 2
modifiers:
  cheap: lower limit by 1 to at least 0 while open
setup:
  deal: "have players: gain 1 coin"
  rest: set open to false
  begin: |
    have players:
      either rich: gain 2 coins
      or poor: gain 1 coin
play: |
  either go: perform turn(1)
  or stay: perform turn(0)
phases:
  day: {do: {dawn: gain 1 coin, dusk: pay 1 coin, night: "either sleep: gain 1 coin\\nor wake: pay 1 coin"}}
effects:
  turn: {takes: {m: 0..3}, do: gain m coins}
  work: {do: {first_step: gain 1 coin, last_step: pay 1 coin}}
  trade: |
    either buy "Buy": pay 1 coin
    or sell "Sell" if open: gain 1 coin
    or rest: end effect
triggers:
  fine: "when full(n) for each n in places: pay up to 1 coin"
scoring:
  coins: my coins
winners: all p in players with most p.coins
payoff: my coins
modes:
  rich: {change: {values.goal: {set: 5}}}
text: {effects.turn: "{me} acts"}
show: {players: [x, o]}
"""


def located(name: str, text: str) -> tuple[Source, Mapping]:
    source = Source(name, text)
    root = load_yaml(source, Sink())
    assert isinstance(root, Mapping)
    return source, root


@pytest.fixture(scope="module")
def base() -> Definition:
    sink = Sink()
    definition = read_definition(*located("base.yaml", BASE), sink)
    assert definition is not None
    assert [d.message for d in sink.diagnostics] == []
    return definition


def said_after(base: Definition, change: str) -> tuple[dict[str, str], Sink]:
    sink = Sink()
    patch = located("mod.yaml", f"change:\n  {change}\n")[1]
    return contents(apply_patches(base, [("mod m", patch)], sink)), sink


BUY, SELL = 'either buy "Buy": pay 1 coin', 'or sell "Sell" if open: gain 1 coin'

# What is different then: an address and its text, None where it is gone.
CASES: list[tuple[str, dict[str, str | None]]] = [
    ("values.goal: {set: 8}", {"values.goal": "8"}),
    ("values.goal: {wrap: previous + 1}", {"values.goal": "7"}),
    ("values.prices: {wrap: previous * 2}", {"values.prices": "[2, 4]"}),
    ("values.prices: {add: 9}", {"values.prices": "[1, 2, 9]"}),
    ("values.start: {set: {by players: {3: 9}}}", {"values.start": "by players: {2: 4, 3: 9}"}),
    ("values.goal: {cite: X-01}", {"values.goal.cite": "X-01"}),
    ("values.goal: {remove: true}", {"values.goal": None}),
    ("options.quick: {set: true}", {"options.quick": "type: true or false\ndefault: true\nchange: {values.goal: {set: 3}}"}),
    ("modes.rich: {remove: true}", {"modes.rich": None}),
    ("components.kind: {add: green}", {"components.kind": "kind is one of red, blue, green"}),
    ("components.kind: {remove: red}", {"components.kind": "kind is one of blue"}),
    ("components.place.soil: {set: 0..5}", {"components.place.soil": "0..5"}),
    ("components.player.coins: {set: 0..20 = 3}", {"components.player.coins": "0..20 = 3"}),
    ("components.table.open: {remove: true}", {"components.table.open": None}),
    ("components.card: {remove: true}", {"components.card": None}),
    ("graphs.map: {add: c -> a}", {"graphs.map": "a -- b, c\nb -> c\nc -> a"}),
    ("graphs.map: {remove: a -- c}", {"graphs.map": "a -- b\nb -> c"}),
    ("graphs.map: {replace: a -- b}", {"graphs.map": "a -- b"}),
    ("cards: {remove: true}", {"cards.knight.cost": None, "cards.knight.traits": None, "cards.knight.use": None}),
    ("cards.knight: {set: {cost: 4}}", {"cards.knight.cost": "4"}),
    ("cards.knight: {data: reconstructed}", {"cards.knight.data": "reconstructed"}),
    ("cards.knight.cost: {set: 4}", {"cards.knight.cost": "4"}),
    ("cards.knight.cost: {wrap: previous - 1}", {"cards.knight.cost": "1"}),
    ("cards.knight.traits: {add: loud}", {"cards.knight.traits": "[brave, loud]"}),
    ("cards.knight.traits: {remove: brave}", {"cards.knight.traits": "[]"}),
    (
        "cards.knight.use: {wrap: 'perform previous, then pay 1 coin'}",
        {
            "cards.knight.use": "perform knight_use_before_m, then pay 1 coin",
            "effects.knight_use_before_m": "gain 1 coin",
        },
    ),
    ("functions.limit: {replace: 'limit(n: place) = n.soil'}", {"functions.limit": "limit(n: place) = n.soil"}),
    ("functions.limit: {wrap: previous + 1}", {"functions.limit": "limit(n: place) = 2 + 1"}),
    (
        "modifiers.cheap: {replace: raise limit by 1}",
        {"modifiers.cheap": "raise limit by 1"},
    ),
    ("triggers.fine: {remove: true}", {"triggers.fine": None}),
    ("scoring.coins: {wrap: 2 * previous}", {"scoring.coins": "2 * my coins"}),
    ("winners: {replace: all p in players}", {"winners": "all p in players"}),
    ("payoff: {wrap: previous - 1}", {"payoff": "my coins - 1"}),
    ("text.effects.turn: {set: '{me} waits'}", {"text.effects.turn": "{me} waits"}),
    ("show.players: {set: [red, blue]}", {"show.players": "[red, blue]"}),
    ("setup.deal: {replace: 'have players: gain 2 coins'}", {"setup.deal": "have players: gain 2 coins"}),
    ("setup: {last: {more: set open to true}}", {"setup.more": "set open to true"}),
    ("effects.work.first_step: {cite: X-01}", {"effects.work.first_step.cite": "X-01"}),
    ("show.players: {remove: true}", {"show.players": None}),
    ("show.players: {add: z}", {"show.players": "[x, o, z]"}),
    ("players: {set: 2..4}", {"players": "2..4"}),
    ("title: {set: Another}", {"title": "Another"}),
    (
        "play: {inside: repeat 2 times}",
        {"play": "repeat 2 times:\n  either go: perform turn(1)\n  or stay: perform turn(0)"},
    ),
    ("phases.day: {first: {wake: set open to true}}", {"phases.day.wake": "set open to true"}),
    ("phases.day.dawn: {after: {noon: gain 2 coins}}", {"phases.day.noon": "gain 2 coins"}),
    ("phases.day.dusk: {remove: true}", {"phases.day.dusk": None}),
    ("effects.turn: {replace: gain 2 coins}", {"effects.turn": "gain 2 coins"}),
    (
        "effects.turn: {wrap: 'perform previous, then pay 1 coin'}",
        {
            "effects.turn": "perform turn_before_m(m)\npay 1 coin",
            "effects.turn_before_m": "gain m coins",
            "effects.turn_before_m.takes": "m: 0..3",
            "text.effects.turn": None,
            "text.effects.turn_before_m": "{me} acts",
            "renamed.text.effects.turn": "text.effects.turn_before_m",
        },
    ),
    ("effects.work.first_step: {before: {zero: gain 2 coins}}", {"effects.work.zero": "gain 2 coins"}),
    ("effects.work.last_step: {replace: pay 2 coins}", {"effects.work.last_step": "pay 2 coins"}),
    (
        "effects.trade: {or: 'beg \"Beg\" if not open: gain 2 coins'}",
        {"effects.trade": f'{BUY}\n{SELL}\nor rest: end effect\nor beg "Beg" if not open: gain 2 coins'},
    ),
    (
        "effects.trade.sell: {or: 'beg: gain 2 coins'}",
        {"effects.trade": f"{BUY}\n{SELL}\nor rest: end effect\nor beg: gain 2 coins"},
    ),
    (
        "effects.trade.sell: {before: 'beg: gain 2 coins', after: 'steal: gain 3 coins'}",
        {"effects.trade": f"{BUY}\nor beg: gain 2 coins\n{SELL}\nor steal: gain 3 coins\nor rest: end effect"},
    ),
    (
        "effects.trade.sell: {replace: 'gain 2 coins'}",
        {"effects.trade": f'{BUY}\nor sell "Sell" if open: gain 2 coins\nor rest: end effect'},
    ),
    (
        "effects.trade.sell: {wrap: 'pay 1 coin, then perform previous'}",
        {"effects.trade": f'{BUY}\nor sell "Sell" if open:\n  pay 1 coin\n  gain 1 coin\nor rest: end effect'},
    ),
    ("effects.trade.buy: {remove: true}", {"effects.trade": 'either sell "Sell" if open: gain 1 coin\nor rest: end effect'}),
    (
        "effects.trade.buy: {cite: X-01}",
        {"effects.trade": f'either buy "Buy":  [X-01]\n  pay 1 coin\n{SELL}\nor rest: end effect'},
    ),
    (
        "phases.day.night: {or: 'dream: end turn'}",
        {"phases.day.night": "either sleep: gain 1 coin\nor wake: pay 1 coin\nor dream: end turn"},
    ),
    ("phases.day.night.wake: {remove: true}", {"phases.day.night": "either sleep: gain 1 coin"}),
    ("phases.day.wake: {remove: true}", {"phases.day.night": "either sleep: gain 1 coin"}),
    ("play: {or: 'run: end game'}", {"play": "either go: perform turn(1)\nor stay: perform turn(0)\nor run: end game"}),
    ("play.stay: {remove: true}", {"play": "either go: perform turn(1)"}),
    (
        "setup: {or: 'lost: pay 0 coins'}",
        {"setup.begin": "have players:\n  either rich: gain 2 coins\n  or poor: gain 1 coin\n  or lost: pay 0 coins"},
    ),
    ("setup.begin.rich: {remove: true}", {"setup.begin": "have players:\n  either poor: gain 1 coin"}),
]  # fmt: skip


@pytest.mark.parametrize(("change", "expected"), CASES, ids=[change for change, _ in CASES])
def test_a_patch_changes_its_address_and_nothing_else(
    base: Definition, change: str, expected: dict[str, str | None]
) -> None:
    before = contents(base)
    after, sink = said_after(base, change)
    assert [d.message for d in sink.diagnostics] == []
    different = {a for a in before.keys() | after.keys() if before.get(a) != after.get(a)}
    assert {a: after.get(a) for a in different} == expected


def kind(base: Definition, address: str) -> tuple[str, int, bool]:
    """The section (all tables are alike), how deep in it, and whether it is the option of an `either`."""
    section, *rest = address.split(".")
    name = "a table" if section in ("places", "cards") else section
    return name, 1 if section == "text" else len(rest), address in option_texts(base)


def test_every_kind_of_address_has_a_case(base: Definition) -> None:
    covered = {kind(base, change.partition(":")[0]) for change, _ in CASES}
    assert {kind(base, address) for address in addresses(base)} - covered == set()


@pytest.mark.parametrize("name", ["night_soil", "connect_four"])
def test_whatever_is_listed_is_found(name: str) -> None:
    definition = definition_of(shipped_games()[name])
    for address in addresses(definition):
        sink = Sink()
        change = located("mod.yaml", f"change: {{{address}: {{remove: true}}}}")[1]
        apply_patches(definition, [("mod m", change)], sink)
        # How many can play, and all of what is played, are the two things that cannot go.
        stays = address == "players" or (address.startswith("play") and len(definition.play) == 1)
        assert [(address, d.code) for d in sink.diagnostics] == [(address, "patch-verb")] * stays


def test_what_is_near_is_suggested_for_every_kind_of_address(base: Definition) -> None:
    for address in addresses(base):
        if "." not in address:
            continue
        _, sink = said_after(base, f"{address}s: {{remove: true}}")
        assert [(d.code, d.help) for d in sink.diagnostics] == [("patch-misses", f"did you mean `{address}`?")], address


VERBS = ("set", "replace", "wrap", "first", "last", "before", "after", "inside", "or", "add", "remove")
VALUES = (
    "true",
    "3",
    "gain 1 coin",
    "'rest: gain 1 coin'",
    "previous + 1",
    "[1, 2]",
    "{a: gain 1 coin}",
    "{cost: 4}",
    "a -- b",
    "null",
)


@pytest.mark.slow
def test_no_verb_breaks_at_any_address(base: Definition) -> None:
    whole = {address.partition(".")[0] for address in addresses(base)}
    odd = (
        "values.",
        ".",
        "values.goal.more",
        "cards.knight.cost.more",
        "setup.deal.more",
        "show.players.more",
        "nowhere",
    )
    for verb in VERBS:
        for value in VALUES:
            body = located("mod.yaml", f"change: {{x: {{{verb}: {value}}}}}")[1]
            changed = body.get("change")
            assert isinstance(changed, Mapping)
            for address in (*addresses(base), *whole, *odd):
                there = replace(changed, entries=(replace(changed.entries[0], key=address),))
                patch = replace(body, entries=(replace(body.entries[0], value=there),))
                apply_patches(base, [("mod m", patch)], Sink())


# ------------------------------------------------------------------ independent mods
ADDS = (
    "values: {other_VALUE: 1}",
    "functions: 'plus_VALUE = 1'",
    "effects: {rest_VALUE: gain 1 coin}",
    'components: "each player has:\\n  spare_VALUE: 0..3"',
    "text: {effects.work: '{me} works'}",
)


@dataclass(frozen=True)
class Small:
    """A mod: what it changes, and what it adds."""

    id: str
    changes: tuple[str, ...]
    added: str

    def text(self) -> str:
        added = self.added.replace("VALUE", self.id)
        lines = ["change:", *(f"  {change}" for change in self.changes)] if self.changes else []
        return "\n".join([*lines, "add:", f"  {added}", ""])


def merged_text(base: Definition, mods: list[Small]) -> str:
    """All that the rules say with mods, applied in this order."""
    sink = Sink()
    read = [
        ModDoc(mod.id, base.players_span, "1.0.0", "", "base", base.players_span, None, (), (), {}, body, "", "")
        for mod in mods
        for body in [located(f"{mod.id}.yaml", mod.text())[1]]
    ]
    merged = merge(base, read, (), sink)
    assert [d.message for d in sink.diagnostics] == []
    return canonical(merged)


@cache
def changed_by(change: str) -> str:
    """The whole address of what a change is of: an option of an `either` may be named without its step."""
    definition = read_definition(*located("base.yaml", BASE), Sink())
    assert definition is not None
    return place_at(Work(definition, Sink()), change.partition(":")[0]).address


def apart(one: str, other: str) -> bool:
    """Whether two changes are of different things, neither a part of the other."""
    a, b = (f"{changed_by(change)}." for change in (one, other))
    return not (a.startswith(b) or b.startswith(a))


@st.composite
def independent(draw: st.DrawFn) -> list[Small]:
    """Two to five mods, no two of which touch one thing."""
    mods: list[Small] = []
    taken: list[str] = []
    for number in range(draw(st.integers(2, 5))):
        own: list[str] = []
        for change in draw(st.lists(st.sampled_from([change for change, _ in CASES]), max_size=3)):
            if all(apart(change, other) for other in (*taken, *own)):
                own.append(change)
        added = draw(st.sampled_from(ADDS))
        if added.startswith("text") and any("text" in mod.added for mod in mods):
            added = ADDS[0]
        taken += own
        mods.append(Small(f"m{number}", tuple(own), added))
    return mods


@given(data=st.data(), mods=independent())
@settings(max_examples=60, deadline=None)
def test_independent_mods_give_the_same_rules_in_any_order(data: st.DataObject, mods: list[Small]) -> None:
    sink = Sink()
    base = read_definition(*located("base.yaml", BASE), sink)
    assert base is not None
    assert merged_text(base, mods) == merged_text(base, data.draw(st.permutations(mods)))
