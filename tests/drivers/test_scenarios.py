"""The runner of scenario cases on a small game: what a case can say holds, and each kind of difference is told with its place."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from xml.etree import ElementTree

import pytest

from interpreter.drivers.documents import written
from interpreter.drivers.layout import plain
from interpreter.drivers.scenario_report import case_lines, junit, report_json, verdict
from interpreter.drivers.scenarios import NoScenarios, Result, run_files, scenario_files
from interpreter.syntax.scenario_document import read_scenarios
from interpreter.text.diagnostic import Sink

GAME = """\
game: beads
title: Beads
rules: 1
version: 1.0.0
players: 2..3
options:
  rich: {type: true or false, default: false, change: {values.wealth: {set: 5}}}
values: {wealth: 2}
components: |
  bead is a piece:
    printed worth: 1..9
  each player has:
    coins: 0..9 = wealth
    hand: group of bead
    bonus: 0..9
  the table has:
    bag: deck of bead = beads
    shop: group of bead
    calls: 0..99
beads:
  glass: {worth: 1, copies: 2}
  jade: {worth: 2}
  ruby: {worth: 4}
setup:
  deal: deal 2 from bag to shop
play: perform market, then perform luck
phases:
  market:
    do: |
      take turns in players while any shop:
        either buy "Buy a bead": perform purchase
        or take "Take a coin": gain 1 coin
  luck:
    do: "have players: draw b from bag, then move b to my hand"
effects:
  purchase:
    do: |
      choose b from shop asking "Which bead?"
      pay b.worth coins                                    [BD-PAY-01]
      move b to my hand
  stipend:
    takes: {n: 0..5, who: player}
    do: move n coins from me to who
  audit:
    do: |
      require calls < 3
      raise calls by 1
triggers:
  richer: "when (any p in players where p.coins >= 4): raise calls by 10"
text:
  effects.purchase: "{me} buys {b}"
scoring:
  worth: sum of b.worth for b in my hand
winners: all p in players with most total(p)
show:
  players: [Red, Blue, Green]
"""


def run(folder: Path, cases: str) -> list[Result]:
    """The results of some cases about the small game."""
    (folder / "beads.yaml").write_text(GAME, encoding="utf-8")
    file = folder / "cases.yaml"
    file.write_text("game: beads.yaml\ncases:\n" + dedent(cases).strip("\n"), encoding="utf-8")
    return list(run_files([file]))


HOLDING = """
- name: a bead is bought for what it is worth
  cite: BD-PAY-01
  players: 2
  at: {phase: market, player: blue}
  given: |
    move glass_1 to shop
    for each b in shop where b != glass_1: move b to bag
    set blue.coins to 3
  steps:
  - then:
    - player: blue
    - offered only: [buy, take]
  - when:
    - blue: [buy]
    then:
    - offered only: [glass]
    - over: false
  - when:
    - blue: [glass]
    then:
    - events: [Blue buys Glass]
    - events: [{event: effects.purchase}]
    - glass_1 in blue.hand and blue.coins = 2 and size(red.hand) = 0
    - over: true
    - winners: blue
    - scores: {blue: 1, red: 0}
    - payoff: {blue: 1, red: 0}
- name: an attempt that is refused changes nothing, and the clause is named
  players: 2
  at: {phase: market, player: red}
  given: |
    for each b in shop: move b to bag
    move ruby to shop
    move jade to shop
  when:
  - red: [buy, ruby]
    illegal: BD-PAY-01
  - red: [take]
  then:
  - red.coins = 3
- name: an effect begins with its arguments
  players: 3
  at: {effect: stipend, player: green, with: {n: 1 + 1, who: red}}
  then:
  - green.coins = 0 and red.coins = 4
- name: chance gives what the case says, and the rest is drawn
  players: 2
  at: {phase: luck}
  given: |
    for each b in shop: move b to bag
  chance: [ruby]
  then:
  - ruby in red.hand and size(blue.hand) = 1
- name: a whole game is played, set-up first
  players: 2
  options: {rich: true}
  chance: [jade, ruby]
  when:
  - red: [buy, jade]
  - blue: [buy, ruby]
  then:
  - jade in red.hand and ruby in blue.hand and red.coins = 3 and blue.coins = 1
- name: rules that cannot go on
  players: 2
  at: {effect: audit, player: red}
  given: set calls to 3
  when:
  - fault: calls
- name: a trigger remembers what held before the case
  players: 2
  at: {phase: market, player: red}
  given: set red.coins to 4
  steps:
  - when:
    - red: [take]
    then:
    - calls = 0
  - given: |
      set red.coins to 0
      set blue.coins to 3
    when:
    - blue: [take]
    then:
    - blue.coins = 4
"""


def test_all_that_a_case_can_say(tmp_path: Path) -> None:
    results = run(tmp_path, HOLDING)
    assert [(r.name, r.difference) for r in results if r.status != "passed"] == []
    assert [r.setting for r in results][2:5] == ["3 players", "2 players", "2 players, rich=true"]
    assert results[0].cite == ("BD-PAY-01",)


START = """\
  players: 2
  at: {phase: market, player: red}
  given: |
    for each p in players: set p.coins to 0
    for each b in shop: move b to bag
    move ruby to shop
"""
DIFFERENCES = {
    "a value": (START + "  then:\n  - calls = 0 and red.coins = 1 + 2", "`red.coins = 1 + 2` does not hold", 11, 19),
    "offered": (START + "  then:\n  - offered: [take, steal]", "`steal` is not offered", 11, 5),
    "not offered": (START + "  then:\n  - not offered: [buy, take]", "`take` is offered", 11, 5),
    "not offered and misspelt": (
        START + "  then:\n  - not offered: [done, 3, tak]",
        "no choice ever offers `tak`; did you mean `take`?",
        11,
        5,
    ),
    "illegal and misspelt": (
        START + "  when:\n  - red: [bui]\n    illegal: true",
        "no choice ever offers `bui`; did you mean `buy`?",
        11,
        5,
    ),
    "offered only": (START + "  when:\n  - red: [take]\n  then:\n  - offered only: []", "`take` is offered as well", 13, 5),
    "choice": (START + "  when:\n  - red: [buy]", "`buy` is not offered", 11, 5),
    "seat": (START + "  when:\n  - blue: [take]", "`blue` is not asked for `take`", 11, 5),
    "player": (START + "  then:\n  - player: blue", "to act: expected blue, found red", 11, 5),
    "name": (START + "  when:\n  - bleu: [take]", "no player `bleu`; did you mean `blue`?", 11, 5),
    "payoff": (START + "  then:\n  - payoff: {red: 1}", "it is not over, and nothing is paid yet", 11, 5),
    "paid": (
        START + "    set red.coins to 4\n  when:\n  - red: [buy, ruby]\n  chance: [jade]\n  then:\n  - payoff: {red: 2}",
        "red is paid 1, expected 2",
        15,
        5,
    ),
    "event": (
        START + "  when:\n  - red: [take]\n  then:\n  - events: [{event: phases.market, cite: BD-PAY-02}]",
        "no event `phases.market` with BD-PAY-02",
        13,
        5,
    ),
    "clause": (
        START + "  when:\n  - red: [buy]\n    illegal: BD-PAY-02",
        "`buy` is refused, but not by BD-PAY-02",
        11,
        5,
    ),
    "legal": (START + "  when:\n  - red: [take]\n    illegal: true", "`take` should be refused and is offered", 11, 5),
    "no fault": (START + "  when:\n  - red: [take]\n    fault: true", "the game should not be able to go on", 11, 5),
    "chance": (
        "  players: 2\n  at: {phase: luck}\n  given: move ruby to shop\n  chance: [ruby]",
        "chance cannot give `ruby` here",
        3,
        3,
    ),
    "chance left": (START + "  chance: [jade]", "`chance:` gives `jade`, which was never drawn", 3, 3),
    "fault": (
        "  players: 2\n  at: {effect: audit, player: red}\n  given: set calls to 3",
        "the game cannot go on: `require calls < 3` does not hold",
        5,
        7,
    ),
    "start": ("  players: 2\n  at: {phase: markte}", "no phase `markte`; did you mean `market`?", 5, 7),
    "asks": (
        "  players: 2\n  at: {phase: luck}\n  given: draw b from bag, then move b to shop",
        "these rules may not ask anybody, nor draw",
        3,
        3,
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", DIFFERENCES)
def test_first_difference_is_told_with_its_place(what: str, tmp_path: Path) -> None:
    case, message, line, column = DIFFERENCES[what]
    (result,) = run(tmp_path, f"- name: {what}\n{case}\n")
    assert result.status == "failed"
    assert result.difference is not None
    found = result.difference
    assert message in found.message
    assert (Path(found.file).name, found.line, found.column) == ("cases.yaml", line, column)


def test_a_difference_says_what_was_found(tmp_path: Path) -> None:
    (value,) = run(tmp_path, f"- name: a\n{START}  then:\n  - red.coins + 1 = 3 and ruby in shop\n")
    assert value.difference is not None
    assert value.difference.details == ("red.coins + 1 is 1", "red is still asked: phases.market.buy_or_take")
    (sets,) = run(tmp_path, f"- name: a\n{START}  then:\n  - (all b in shop) = {{jade}}\n")
    assert sets.difference is not None
    assert sets.difference.details[0] == "(all b in shop) is {ruby}"
    for check in ("scores: {red: 5}", "winners: [blue]", "events: [anything]", "no p in players"):
        (other,) = run(tmp_path, f"- name: a\n{START}  then:\n  - {check}\n")
        assert other.difference is not None
        assert other.difference.details[-1].startswith("red is still asked: ")
    (choice,) = run(tmp_path, f"- name: a\n{START}  when:\n  - red: [buy]\n")
    assert choice.difference is not None
    assert choice.difference.details[0].endswith("offered take")
    assert choice.difference.details[1].startswith("refused because not enough coins: 4 needed, 0 there")
    assert choice.difference.details[1].endswith("[BD-PAY-01]")


def test_a_case_may_not_lean_on_luck(tmp_path: Path) -> None:
    """Two of four beads lie in the shop, others in each run: a bead that lies there in the first run is missed in a later one."""
    cases = [f"- name: {b}\n  players: 2\n  at: {{phase: market}}\n  then:\n  - {b} in shop\n" for b in BEADS]
    late = [r for r in run(tmp_path, "".join(cases)) if r.difference is not None and r.difference.run > 1]
    assert late
    assert "it held with other luck" in plain(case_lines(late[0]))


BEADS = ("glass_1", "glass_2", "jade", "ruby")


def test_a_case_that_cannot_be_run_leaves_the_others(tmp_path: Path) -> None:
    cases = """
    - name: misspelt
      players: 2
      at: {phase: market}
      given: set red.coin to 1
    - name: a number as a condition
      players: 2
      then: [red.coins]
    - name: too many
      players: 7
    - name: no such option
      players: 2
      options: {ritch: true}
    - name: a patch
      players: 2
      with: {change: {values.weelth: {set: 3}}}
    - name: sound
      players: 2
      then: [red.coins = 2]
    """
    results = run(tmp_path, cases)
    assert [r.status for r in results] == ["wrong"] * 5 + ["passed"]
    told = [r.difference.message for r in results if r.difference]
    assert "no-such" in told[0]
    assert "wrong-type" in told[1]
    assert told[2:] == [
        "Beads is not for 7 players",
        "Beads has no option `ritch`; did you mean `rich`?",
        "[patch-misses] nothing at `values.weelth`",
    ]


def test_cases_with_mods_and_with_patches_of_their_own(tmp_path: Path) -> None:
    mod = "mod: {id: rich, version: 1.0.0, for: beads}\nchange: {values.wealth: {wrap: previous + 1}}\n"
    (tmp_path / "mod.yaml").write_text(mod, encoding="utf-8")
    cases = """
    - name: as it is
      then: [red.coins = 2]
    - name: a mod
      with: mod.yaml
      then: [red.coins = 3]
    - name: a patch
      with: {change: {values.wealth: {set: 5}}}
      then: [red.coins = 5]
    - name: another
      with: {change: {values.wealth: {set: 6}}}
      then: [red.coins = 6]
    """
    assert [(r.name, r.status) for r in run(tmp_path, cases) if r.status != "passed"] == []


def test_reports_for_programs(tmp_path: Path) -> None:
    case = "- name: <three> & more\n  players: 2\n  then: [red.coins = 3]\n- name: two\n  players: 2\n  then: [red.coins = 2]\n"
    results = run(tmp_path, case)
    suites = ElementTree.fromstring(junit(results))
    assert (suites.attrib["tests"], suites.attrib["failures"], suites.attrib["errors"]) == ("2", "1", "0")
    bad, good = suites.iter("testcase")
    assert bad.attrib["name"] == "<three> & more (2 players)"
    assert len(good) == 0
    failure = bad.find("failure")
    assert failure is not None
    assert failure.attrib["message"] == "`red.coins = 3` does not hold"
    assert "red.coins is 2" in (failure.text or "")
    document = json.loads(written(report_json(results)))
    assert (document["cases"], document["passed"], document["failed"], document["wrong"]) == (2, 1, 1, 0)
    assert document["results"][0]["difference"]["details"][0] == "red.coins is 2"
    assert verdict(results) == "2 cases in 1 file: 1 failed"
    assert verdict(results[1:]) == "1 case in 1 file, all hold"


def test_folders_and_what_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    file = tmp_path / "deep" / "er" / "cases.yaml"
    file.touch()
    assert scenario_files([tmp_path, file]) == (file,)
    with pytest.raises(NoScenarios, match="no file or folder"):
        scenario_files([tmp_path / "nowhere"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(NoScenarios, match="no scenario files"):
        scenario_files([tmp_path / "empty"])


def test_a_word_that_yaml_may_take_for_a_truth_is_told_how_to_be_a_choice(tmp_path: Path) -> None:
    file = tmp_path / "cases.yaml"
    file.write_text("game: a\ncases:\n- name: b\n  when:\n  - red: [no]\n", encoding="utf-8")
    sink = Sink()
    assert read_scenarios(file, sink) is None
    (found,) = sink.diagnostics
    assert (found.code, found.span.text()) == ("surprising-truth", "no")
    assert 'where it is chosen, write `"no"` in quotes' in found.help


@pytest.mark.parametrize(
    ("test", "help"),
    [
        ("blu.coins = 3", "did you mean `blue`?"),
        ("calls = 0 and worth.coins = 3", "with 2 players there are red, blue"),
        ("any p in players where p = worth", "with 2 players there are red, blue"),
        ("any p in players where p = reed", "did you mean `red`?"),
    ],
)
def test_a_player_whom_there_is_not_is_told_with_those_there_are(test: str, help: str, tmp_path: Path) -> None:
    (result,) = run(tmp_path, f"- name: a\n{START}  then:\n  - {test}\n")
    assert result.difference is not None
    assert "no player named" in result.difference.message
    assert result.difference.details == (f"help: {help}",)
