"""Each limit refuses what passes it, with the count, soon and without the memory that it would cost; what just fits passes.

What is said stands in `limits.txt`; `--update` rewrites it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from interpreter.stages import check_file
from interpreter.text import limits
from interpreter.text.limits import LIMITS, Limit
from interpreter.text.render import render_concise
from tests.diagnostics.test_goldens import completed
from tests.work import calls

GOLDEN = Path(__file__).parent / "limits.txt"
CALLS = 3_000_000
"""The most that a refusal may cost, in calls of functions; the longest takes a third. Without limits most would take minutes, or all
memory."""
CARD = "components: |\n  card is a piece:\n    printed cost: 0..9\n"


def fields(*kinds: str) -> str:
    """A table with fields of these types."""
    return "components: |\n  the table has:\n" + "".join(f"    f{n}: {kind}\n" for n, kind in enumerate(kinds))


def nested(depth: int) -> str:
    """Blocks within blocks."""
    return (
        "play: |\n" + "".join(f"{'  ' * (n + 1)}if true:\n" for n in range(depth)) + "  " * (depth + 1) + "end game\n"
    )


def watched(one: int, two: int) -> str:
    """A trigger over pairs of the members of two kinds."""
    tables = "".join(
        f"{kind}s:\n" + "".join(f"  {kind}{n}: {{}}\n" for n in range(many))
        for kind, many in (("ant", one), ("bee", two))
    )
    things = "".join(f"  {kind} is a thing:\n    size: 0..9\n" for kind in ("ant", "bee"))
    test = "triggers:\n  meet: |\n    when a.size = b.size for each a in ants, b in bees: set n to 1\n"
    return f"components: |\n{things}  the table has:\n    n: 0..9\n{tables}{test}"


def statements(many: int, triggers: int) -> str:
    """Statements that each call every trigger."""
    watching = "".join(f"  t{n}: 'when f0 = {n % 10}: set f1 to {n % 10}'\n" for n in range(triggers))
    going = "".join(f"  set f0 to {n % 9}\n" for n in range(many))
    return fields("0..9", "0..9") + "triggers:\n" + watching + "play: |\n" + going + "  end game\n"


def pieces(many: int, copies: int) -> str:
    """A table of pieces."""
    return CARD + "cards:\n" + "".join(f"  c{n}: {{cost: 1, copies: {copies}}}\n" for n in range(many))


def grids(many: int, rows: int) -> str:
    """Grids with rays."""
    things = "".join(f"  cell{n} is a thing:\n    h: 0..9\n" for n in range(many))
    boards = "".join(f"  board{n}: grid {rows} by 44 of cell{n}\n" for n in range(many))
    play = "".join(f"  if any a in cell{n}s, b in cell{n}s where size(ray(a, b)) > 7: end game\n" for n in range(many))
    return f"components: |\n{things}graphs:\n{boards}play: |\n{play}  end game\n"


def sentence(text: str) -> str:
    """One condition."""
    return f"play: |\n  if {text}: end game\n  end game\n"


def market(owner: str, slots: int) -> str:
    """A row, or one for each player."""
    return f"{CARD}  {owner} has:\n    market: row of {slots} card\ncards: {{knight: {{cost: 3}}}}\n"


def placed(row: int, width: int = 4) -> str:
    """A map with one place."""
    things = "components: |\n  pit is a thing:\n    seeds: 0..9\n"
    return f"{things}pits: {{a: {{}}}}\nshow: {{pits: {{map: [{width}, 4], a: {{at: [1, {row}]}}}}}}\n"


def chain(many: int, link: str = "min(9, f{0} + n)") -> str:
    """Functions that each name the one before."""
    links = "".join(f"  f{k} = {link.format(k - 1)}\n" for k in range(many, 0, -1))
    rules = "play: |\n  have players:\n    choose m from 0..9\n    choose k from 0..9 where k <= f0 + f%d\n    set n to k\n  end game\n"
    return f"{fields('0..9').replace('f0', 'n')}functions: |\n{links}  f0 = n\n{rules % many}"


def row_of_effects(many: int, link: str = "perform e{0}") -> str:
    """Effects that each perform the one before."""
    links = "".join(f"  e{k}: {link.format(k - 1)}\n" for k in range(1, many))
    return (
        f"{fields('0..9')}effects:\n  e0: set f0 to 1\n{links}play: |\n  if f0 > 5: perform e{many - 1}\n  end game\n"
    )


# What passes each limit, and what just fits; empty where that is no small file.
CASES: dict[str, tuple[Limit, str, str]] = {
    "a large file": (limits.BYTES, "# \n" * 700_000, ""),
    "deep YAML": (limits.LEVELS, f"values: {'[' * 70}{']' * 70}\n", ""),
    "a long number": (limits.DIGITS, "values: {price: 1234567890}\n", "values: {price: 123456789}\n"),
    "many brackets": (limits.BRACKETS, sentence(f"{'(' * 41}true{')' * 41}"), sentence(f"{'(' * 40}true{')' * 40}")),
    "a deep sentence": (limits.DEEPENING, sentence("not " * 151 + "true"), sentence("not " * 140 + "true")),
    "deep blocks": (limits.INDENTS, nested(25), nested(20)),
    "many players": (limits.PLAYERS, "players: 2..17\n", "players: 2..16\n"),
    "a large grid": (
        limits.MEMBERS,
        "components: |\n  cell is a thing:\n    h: 0..9\ngraphs: {board: grid 99999 by 99999 of cell}\n",
        "components: |\n  cell is a thing:\n    h: 0..9\ngraphs: {board: grid 50 by 40 of cell}\n",
    ),
    "many copies": (limits.MEMBERS, pieces(1000, 200), pieces(10, 200)),
    "many values": (limits.VALUES, fields("0..9 for each 0..50000"), fields("0..9 for each 0..49999")),
    "values without number": (limits.VALUES, fields("0..9 for each 0..999999999"), ""),
    "a long row": (limits.ZONES, market("the table", 999_999_999), market("the table", 9999)),
    "many rows": (limits.ZONES, market("each player", 9999), market("each player", 5000)),
    "many pairs": (limits.PAIRS, watched(65, 64), ""),
    "many steps": (
        limits.STEPS,
        grids(1, 40).split("play:")[0] + "play: |\n  let n be size(steps(board0))\n  end game\n",
        "",
    ),
    "deep functions": (limits.NESTING, chain(70), chain(60)),
    "effects in a row": (limits.CALLS, row_of_effects(100), row_of_effects(99)),
    "many fields": (limits.CELLS, fields(*["0..9 for each 0..49999"] * 1000), ""),
    "a large set": (limits.CELLS, fields("set of 0..999999999"), ""),
    "large tables": (limits.ENTRIES, grids(3, 45), ""),
    "a far place": (limits.SPREAD, placed(201), placed(200)),
    "a wide map": (limits.SPREAD, placed(1, 201), placed(1, 200)),
    "statements times triggers": (limits.BLOCKS, statements(1000, 100), ""),
}


def said(text: str) -> str:
    """What is found in a definition, a line each."""
    Path("game.yaml").write_text(completed(text), encoding="utf-8")
    return render_concise(check_file(Path("game.yaml"), {}, None).diagnostics)


@pytest.mark.slow
def test_what_passes_a_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, update: bool) -> None:
    monkeypatch.chdir(tmp_path)
    page, much = "", {}
    for name, (_, over, _) in CASES.items():
        found: list[str] = []
        much[name] = calls(lambda: found.append(said(over)))  # noqa: B023
        page += f"{name}:\n  {found[0]}\n"
    if update:
        GOLDEN.write_text(page, encoding="utf-8")
    assert GOLDEN.read_text(encoding="utf-8") == page
    assert {name: work for name, work in much.items() if work > CALLS} == {}


@pytest.mark.parametrize("name", [name for name, (_, _, fits) in CASES.items() if fits])
def test_what_just_fits_passes(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert [line for line in said(CASES[name][2]).splitlines() if "error" in line] == []


def test_every_limit_has_a_case() -> None:
    assert {limit for limit, _, _ in CASES.values()} == set(LIMITS)


DOUBLING = {
    "effects": lambda many: row_of_effects(many, "perform e{0}, then perform e{0}"),
    "effects in a try": lambda many: row_of_effects(many, '"try: perform e{0}, then perform e{0}"'),
    "functions": lambda many: chain(many, "min(9, f{0} + f{0})"),
    "functions at once": lambda many: chain(many, "min(9, f{0} + f{0})").replace("have players:", "all at once:"),
}


@pytest.mark.parametrize("kind", DOUBLING)
def test_what_each_names_twice_is_looked_at_once(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row twice as long takes a few times the work, not its square."""
    monkeypatch.chdir(tmp_path)
    few, many = (calls(lambda: said(DOUBLING[kind](n))) for n in (8, 16))  # noqa: B023
    assert many < 4 * few
