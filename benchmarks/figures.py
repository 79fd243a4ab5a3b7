"""What was measured, as figures, aims and tables.

In: samples and costs, round by round. Out: `Run` with its tables for a terminal and for a page, and the same as a JSON document. Of
several rounds the median is shown, and the least and the most. A ratio is taken within each round, between goes that came right after one
another, and then its median: what slows the whole machine down for a while then slows both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from benchmarks.contestants import Sample
from benchmarks.making import Building, Cost, Start
from interpreter.drivers.layout import plain, table

SHARE_OF_CPP: Final = {"connect_four": 11, "tic_tac_toe": 12, "hex": 12, "breakthrough": 25, "othello": 33}
"""Aims: at least one part in so many of the pace of C++ by hand, in plies."""
TIMES_REFERENCE: Final = 300
"""Aim for rulebooks: at least so many times the reference machine's pace."""
PLIES_A_SECOND: Final = {"night_soil": 3_000_000, "night_flowers": 1_000_000, "night_market": 1_000_000}
"""Aims for rulebooks, on one core: so many for the first, the others within a factor of three of it."""
FIRST_DECISION: Final = 0.05
"""Aim: at most so many seconds from a module in the cache to a decision."""
COLD_BUILD: Final = 1.0
"""Aim: at most so many seconds for the largest module."""
SAME_LENGTH: Final = 0.05
ENOUGH: Final = 1000
"""Two contestants whose mean lengths of so many games differ by more than that part do not play the same game."""

NAMES: Final = {
    "fast": "fast machine",
    "reference": "reference machine",
    "openspiel": "OpenSpiel",
    "python": "Python by hand",
    "cpp": "C++ by hand",
}


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of some values, and the ends."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """Of at least one value."""
        found = sorted(values)
        return cls(median(found), found[0], found[-1])

    def json(self) -> dict[str, float]:
        """As a part of the document."""
        return {"median": self.median, "least": self.least, "most": self.most}


@dataclass(frozen=True, slots=True)
class Table:
    """A title, a head, rows of equal length; the first `words` columns are words, the others numbers; what else is to be said."""

    title: str
    head: tuple[str, ...]
    rows: list[list[str]]
    words: int
    note: str = ""

    def plain(self) -> str:
        """For a terminal."""
        numbers = frozenset(range(self.words, len(self.head)))
        text = f"{self.title}\n\n{plain(table(self.head, self.rows, numbers=numbers))}"
        return f"{text}\n{self.note}" if self.note else text

    def markdown(self) -> str:
        """For a page."""
        rules = ["---" if k < self.words else "--:" for k in range(len(self.head))]
        lines = [f"| {' | '.join(row)} |" for row in (self.head, rules, *self.rows)]
        return "\n".join([f"### {self.title}", "", *lines, *(["", self.note] if self.note else [])])


@dataclass(frozen=True, slots=True)
class Aim:
    """Something to be reached. `factor`: how much is missing, 1 or less where it is met."""

    what: str
    measured: str
    aim: str
    factor: float

    @property
    def verdict(self) -> str:
        """In words."""
        return "met" if self.factor <= 1 else f"missed by a factor of {self.factor:.2g}"


@dataclass(slots=True)
class Entry:
    """A game for a number of players, with what came of each round. `rulebook`: it is no classic of a page."""

    game: str
    players: int
    rulebook: bool
    samples: dict[str, list[Sample]] = field(default_factory=dict)
    built: list[Building] = field(default_factory=list)
    started: list[Start] = field(default_factory=list)

    @property
    def label(self) -> str:
        """For tables and aims."""
        return f"{self.game} for {self.players}" if self.rulebook else self.game

    def pace(self, name: str, count: Callable[[Sample], float | None] = lambda sample: sample.plies) -> Spread | None:
        """Plies (or what else is counted) a second."""
        counts = [(count(sample), sample.seconds) for sample in self.samples.get(name, ())]
        paces = [plies / max(seconds, 1e-9) for plies, seconds in counts if plies is not None]
        return Spread.of(paces) if paces else None

    def inside(self) -> Spread | None:
        """Plies a second of the fast machine's module, without what Python does around it."""
        paces = [s.plies / max(s.inside, 1e-9) for s in self.samples.get("fast", ()) if s.inside is not None]
        return Spread.of(paces) if paces else None

    def ratio(self, name: str, *, inside: bool = False) -> Spread | None:
        """How many times as fast as another the fast machine (or its module alone) is."""
        ratios = []
        for ours, theirs in zip(self.samples.get("fast", ()), self.samples.get(name, ()), strict=False):
            seconds = ours.inside if inside and ours.inside is not None else ours.seconds
            ratios.append(ours.plies / max(seconds, 1e-9) * theirs.seconds / theirs.plies)
        return Spread.of(ratios) if ratios else None

    def length(self, name: str) -> tuple[float, int]:
        """Mean plies of a playout, and how many playouts there were."""
        samples = self.samples.get(name, ())
        playouts = sum(sample.playouts for sample in samples)
        return sum(sample.plies for sample in samples) / max(playouts, 1), playouts

    def first_decision(self) -> float:
        """Seconds of the processor's time from the cached module to the first decision taken, the median."""
        return median(one.module.cpu + one.decision.cpu for one in self.started)

    def cold_build(self) -> float:
        """Seconds of the processor's time for lowering and native code, the median."""
        return median(one.lower.cpu + one.native.cpu for one in self.built)


@dataclass(slots=True)
class Run:
    """One run of the command. `machine` says in words on what, `notes` what was left out."""

    machine: dict[str, str]
    rounds: int
    seconds: float
    entries: list[Entry]
    notes: list[str] = field(default_factory=list)

    def strangers(self) -> Iterator[str]:
        """Contestants whose games are of another length than the fast machine's: they cannot have the same rules."""
        for entry in self.entries:
            ours, enough = entry.length("fast")
            for name in entry.samples:
                theirs, playouts = entry.length(name)
                if min(enough, playouts) >= ENOUGH and abs(theirs - ours) > SAME_LENGTH * ours:
                    yield f"{entry.label}: {NAMES[name]} has games of {theirs:.1f} plies, the fast machine of {ours:.1f}"

    # ------------------------------------------------------------------ aims

    def aims(self) -> list[Aim]:
        """Those that this run says something about."""
        return [*self._of_classics(), *self._of_rulebooks(), *self._of_making()]

    def _of_classics(self) -> Iterator[Aim]:
        for entry in self.entries:
            ratio, parts = entry.ratio("cpp"), SHARE_OF_CPP.get(entry.game)
            if ratio is not None and parts is not None:
                what = f"{entry.label}: share of C++ by hand"
                yield Aim(what, share(ratio.median), f"at least 1/{parts}", 1 / (ratio.median * parts))

    def _of_rulebooks(self) -> Iterator[Aim]:
        for entry in self.entries:
            ratio, pace, wanted = entry.ratio("reference"), entry.pace("fast"), PLIES_A_SECOND.get(entry.game)
            if wanted is None or ratio is None or pace is None:
                continue
            what = f"{entry.label}: times the reference machine"
            aim = f"at least {TIMES_REFERENCE}"
            yield Aim(what, times(ratio.median), aim, TIMES_REFERENCE / ratio.median)
            what = f"{entry.label}: plies a second"
            yield Aim(what, short(pace.median), f"at least {short(wanted)}", wanted / pace.median)

    def _of_making(self) -> Iterator[Aim]:
        starts = [(entry.first_decision(), entry) for entry in self.entries if entry.started]
        if starts:
            worst, entry = max(starts, key=lambda pair: pair[0])
            what = f"slowest of all, {entry.label}: from the cached module to the first decision"
            yield Aim(what, milli(worst), f"at most {milli(FIRST_DECISION)}", worst / FIRST_DECISION)
        built = [e for e in self.entries if e.built]
        if built:
            entry = max(built, key=lambda e: e.built[0].module)
            cost = entry.cold_build()
            what = f"largest of all, {entry.label}: module built with nothing in the cache"
            yield Aim(what, milli(cost), f"at most {milli(COLD_BUILD)}", cost / COLD_BUILD)

    # ------------------------------------------------------------------ tables

    def tables(self) -> list[Table]:
        """All of them."""
        made = [self._aims(), self._paces(), self._ratios(), self._starts(), self._builds()]
        return [one for one in made if one.rows]

    def _aims(self) -> Table:
        rows = [[aim.what, aim.measured, aim.aim, aim.verdict] for aim in self.aims()]
        return Table("Aims", ("what", "measured", "aim", ""), rows, 4)

    def _paces(self) -> Table:
        rows = []
        for entry in self.entries:
            others = [entry.pace(name) for name in ("reference", "openspiel", "python", "cpp")]
            figures = [spread(pace, short) for pace in (entry.pace("fast"), entry.inside(), *others)]
            rows.append([entry.game, str(entry.players), f"{entry.length('fast')[0]:.1f}", *figures])
        head = ("game", "players", "plies a game", "fast machine", "its module alone", *list(NAMES.values())[1:])
        note = "A ply is an action or an outcome of chance. In brackets: the slowest and the fastest round."
        return Table(f"Plies a second, median of {self.rounds} rounds", head, rows, 1, note)

    def _ratios(self) -> Table:
        rows = []
        for entry in self.entries:
            counts = [
                entry.pace("fast", lambda sample: sample.playouts),
                entry.pace("fast", lambda sample: sample.decisions),
            ]
            others = [spread(entry.ratio(name), times) for name in ("reference", "openspiel", "python")]
            shares = [spread(entry.ratio("cpp", inside=inside), share) for inside in (False, True)]
            figures = [spread(count, short) for count in counts]
            rows.append([entry.game, str(entry.players), *figures, *others, *shares])
        head = (
            "game", "players", "playouts/s", "decisions/s", "× reference", "× OpenSpiel", "× Python by hand",
            "share of C++ by hand", "module alone, share of C++",
        )  # fmt: skip
        note = "A decision is a ply at which a player had more than one option."
        return Table("The fast machine beside the others", head, rows, 1, note)

    def _starts(self) -> Table:
        rows = []
        for entry in self.entries:
            if entry.started:
                parts = zip(*((one.program, one.module, one.decision) for one in entry.started), strict=True)
                whole = f"{1000 * entry.first_decision():.1f}"
                rows.append([entry.game, str(entry.players), *(both(part) for part in parts), whole])
        head = ("game", "players", "program fetched", "module set to work", "first decision", "module and decision")
        note = "Processor's time, and in brackets time on the wall. The aim is for the last column."
        return Table("From the cache to the first decision, in a running process: milliseconds", head, rows, 1, note)

    def _builds(self) -> Table:
        rows = []
        for entry in self.entries:
            if entry.built:
                parts = zip(*((one.lower, one.native) for one in entry.built), strict=True)
                whole = f"{1000 * entry.cold_build():.0f}"
                last = entry.built[-1]
                sizes = [last.module, last.code, last.reserved, last.touched]
                said = ["" if size is None else kilo(size) for size in sizes]
                rows.append([entry.game, str(entry.players), *(both(part) for part in parts), whole, *said])
        head = (
            "game", "players", "lowering", "native code", "both", "module", "its native code", "memory set aside",
            "of it touched",
        )  # fmt: skip
        note = (
            "Milliseconds of the processor's time (of all threads), and in brackets on the wall; sizes in kilobytes."
            " Memory is for each thread; what is touched was counted after 64 games."
        )
        return Table("A module built with nothing in the cache", head, rows, 1, note)

    # ------------------------------------------------------------------ as a whole

    def plain(self) -> str:
        """For a terminal."""
        parts = [self.about(), *(one.plain() for one in self.tables())]
        return "\n\n".join([*parts, *(f"note: {note}" for note in (*self.notes, *self.strangers()))])

    def markdown(self) -> str:
        """For a page."""
        parts = [self.about() + ".", *(one.markdown() for one in self.tables())]
        return "\n\n".join([*parts, *(f"Note: {note}." for note in (*self.notes, *self.strangers()))])

    def about(self) -> str:
        """Where and how it was measured."""
        facts = ", ".join(f"{name} {value}" if name else value for name, value in self.machine.items() if value)
        return f"{self.rounds} rounds of {self.seconds:g} s for each contestant and game; {facts}"

    def json(self) -> dict[str, object]:
        """As a document: every sample, and the figures made of them. Seconds, bytes, and counts a second."""
        return {
            "schema": "rulewright/machines/1",
            "machine": self.machine,
            "rounds": self.rounds,
            "seconds": self.seconds,
            "games": [_entry_json(entry) for entry in self.entries],
            "aims": [
                {
                    "what": aim.what,
                    "measured": aim.measured,
                    "aim": aim.aim,
                    "factor": aim.factor,
                    "met": aim.factor <= 1,
                }
                for aim in self.aims()
            ],
            "notes": [*self.notes, *self.strangers()],
        }


def _entry_json(entry: Entry) -> dict[str, object]:
    inside = entry.inside()
    return {
        "game": entry.game,
        "players": entry.players,
        "contestants": {name: _samples_json(entry, name, samples) for name, samples in entry.samples.items()},
        "module_alone_plies_per_s": None if inside is None else inside.json(),
        "ratios": {
            name: ratio.json()
            for name in entry.samples
            if name != "fast" and (ratio := entry.ratio(name)) is not None
        },
        "builds": [
            {
                "lower": _cost_json(one.lower),
                "native": _cost_json(one.native),
                "module": one.module,
                "code": one.code,
                "reserved": one.reserved,
                "touched": one.touched,
            }
            for one in entry.built
        ],
        "starts": [
            {"program": _cost_json(one.program), "module": _cost_json(one.module), "decision": _cost_json(one.decision)}
            for one in entry.started
        ],
    }  # fmt: skip


def _samples_json(entry: Entry, name: str, samples: Sequence[Sample]) -> Mapping[str, object]:
    counts: tuple[tuple[str, Callable[[Sample], float | None]], ...] = (
        ("plies_per_s", lambda sample: sample.plies),
        ("playouts_per_s", lambda sample: sample.playouts),
        ("decisions_per_s", lambda sample: sample.decisions),
    )
    paces = {label: pace.json() for label, count in counts if (pace := entry.pace(name, count)) is not None}
    rounds = [
        {
            "plies": sample.plies,
            "playouts": sample.playouts,
            "decisions": sample.decisions,
            "seconds": sample.seconds,
            "inside": sample.inside,
        }
        for sample in samples
    ]
    return {**paces, "plies_per_playout": entry.length(name)[0], "rounds": rounds}


def _cost_json(cost: Cost) -> dict[str, float]:
    return {"wall": cost.wall, "cpu": cost.cpu}


# ---------------------------------------------------------------------- words for numbers


def short(value: float) -> str:
    """Three digits with a word for thousands or millions: `886 k`."""
    for size, unit in ((1e6, " M"), (1e3, " k")):
        if value >= 0.9995 * size:
            return _digits(value / size) + unit
    return _digits(value)


def _digits(value: float) -> str:
    return f"{value:.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def times(ratio: float) -> str:
    """A ratio above 1 as a rule: `252`, `7.3`."""
    return f"{ratio:.0f}" if ratio >= 20 else f"{ratio:.2g}"


def share(ratio: float) -> str:
    """A ratio below 1 as a rule: `1/11`, `1/7.3`."""
    return times(ratio) if ratio > 1 else f"1/{times(1 / ratio)}"


def milli(seconds: float) -> str:
    """As milliseconds."""
    return f"{1000 * seconds:.0f} ms"


def kilo(size: int) -> str:
    """Kilobytes."""
    return f"{size / 1000:,.0f}"


def spread(value: Spread | None, form: Callable[[float], str]) -> str:
    """The median with its ends; empty for nothing."""
    if value is None:
        return ""
    low, high = form(value.least), form(value.most)
    return form(value.median) if low == high else f"{form(value.median)} ({low} to {high})"


def both(costs: Iterable[Cost]) -> str:
    """Medians of processor's time and time on the wall, in milliseconds."""
    known = [*costs]
    return f"{1000 * median(cost.cpu for cost in known):.1f} ({1000 * median(cost.wall for cost in known):.1f})"
