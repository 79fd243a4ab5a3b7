"""Games in bulk between bots, and what they say about the rules.

In: a way to open the game, and a plan. Out: one result a game, and a report over them. Game i and its bots draw from hash(seed, i), so
the results are the same for any number of processes. Games that are stuck, stopped at the cap, or faulted are kept apart and never
scored. Times are not part of a report.
"""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from multiprocessing.queues import Queue
from queue import Empty
from statistics import median
from typing import Final, Literal

from interpreter.drivers.bots.bot import SCRIPTED, make_bot, view_of
from interpreter.drivers.documents import mod_record
from interpreter.machine.chance import derive_seed, seed_words
from interpreter.machine.faults import NO_OPTION, BudgetExhausted, EngineBug, MachineFault, RuleFault
from interpreter.machine.protocol import NATURE, Game, Playouts, Record, State
from interpreter.text.version import TOOL

Status = Literal["finished", "stuck", "capped", "faulted", "budget", "bug"]
CAP: Final = 20_000
Z: Final = 1.959964
"""95 percent."""
WORKER_WAIT: Final = 0.5
PIECE: Final = 256
"""Games that a thread plays in one call, at most."""
UNCONFIRMED: Final = "the fast machine stopped in this game, which the reference machine finishes"


@dataclass(frozen=True, slots=True)
class Plan:
    """What to play. `bots` has one kind a player; `first` is the number of the first game. `scripted` counts the seats behind the
    players' that act by script."""

    players: int
    games: int
    seed: int | str
    bots: tuple[str, ...]
    limit_actions: int = CAP
    first: int = 0
    scripted: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """One game. `decisions` are the plies where a seat had more than one option. Winners, returns and scores are empty unless it finished;
    `scores[seat]` has the terms in order. `message` and `place` say what went wrong otherwise."""

    index: int
    seed: int
    status: Status
    plies: int
    decisions: int
    winners: tuple[int, ...] = ()
    returns: tuple[float, ...] = ()
    totals: tuple[int | None, ...] = ()
    scores: tuple[tuple[tuple[str, int], ...], ...] = ()
    message: str = ""
    place: str = ""


def play_game(game: Game, plan: Plan, index: int) -> Result:
    """Game number `index` of a plan."""
    seed = derive_seed(plan.seed, "game", index)
    bots = [make_bot(kind, seed, seat) for seat, kind in enumerate(plan.bots)]
    plies = decisions = 0
    try:
        state = game.new(plan.players, seed)
        state.recording = False
        while acting := state.to_act():
            if plies >= plan.limit_actions:
                message = f"no end after {plies} actions"
                return Result(index, seed, "capped", plies, decisions, message=message, place=state.decision(acting[0]))
            if acting == NATURE:
                state.apply(state.draw())
            else:
                seat = acting[0]
                decisions += len(state.legal(seat)) > 1
                state.apply(bots[seat].choose(view_of(state, seat)))
            plies += 1
        return _finished(state, index, seed, plies, decisions)  # the scores, too, are rules
    except MachineFault as fault:
        place = fault.stack[0].address if fault.stack else ""
        return Result(index, seed, status_of(fault), plies, decisions, message=fault.message, place=place)


def _finished(state: State, index: int, seed: int, plies: int, decisions: int) -> Result:
    seats = range(state.program.players)
    return Result(
        index,
        seed,
        "finished",
        plies,
        decisions,
        state.winners(),
        tuple(float(value) for value in state.returns()),
        tuple(state.total(seat) for seat in seats),
        tuple(state.scores(seat) for seat in seats),
    )


def status_of(fault: MachineFault) -> Status:
    """Which kind of trouble a fault is."""
    match fault:
        case BudgetExhausted():
            return "budget"
        case RuleFault(why=why):
            return "stuck" if why == NO_OPTION else "faulted"
        case EngineBug():
            return "bug"
        case _:
            return "faulted"


# ------------------------------------------------------------------ many


def simulate(
    open_game: Callable[[], Game],
    plan: Plan,
    jobs: int = 1,
    progress: Callable[[Result], None] | None = None,
    bulk: Callable[[], Playouts | None] | None = None,
) -> tuple[Result, ...]:
    """All games of a plan, in order. `open_game` must be picklable if there are several jobs: each process opens the game once. `bulk`
    gives players of games of random bots to a thread each (None where there is no room for another); only games that do not end by the
    rules are then played here. An interrupt (Ctrl-C) ends early with the games that are through; the caller sees that some are missing."""
    indices = range(plan.first, plan.first + plan.games)
    jobs = max(1, min(jobs, plan.games))
    results: list[Result] = []
    if bulk is not None:
        source = _in_bulk(open_game, bulk, plan, jobs)
    else:
        source = _here(open_game, plan, indices) if jobs == 1 else _spread(open_game, plan, jobs)
    try:
        for result in source:
            results.append(result)
            if progress is not None:
                progress(result)
    except KeyboardInterrupt:
        pass
    return tuple(sorted(results, key=lambda result: result.index))


def _in_bulk(
    open_game: Callable[[], Game], bulk: Callable[[], Playouts | None], plan: Plan, jobs: int
) -> Iterator[Result]:
    """Games in pieces, several pieces at a time; the pieces do not depend on the number of jobs."""
    piece = max(1, min(PIECE, plan.games // 40))
    last = plan.first + plan.games
    pieces = [range(k, min(k + piece, last)) for k in range(plan.first, last, piece)]
    own = threading.local()
    slow: list[Game] = []

    def some(indices: range) -> list[tuple[int, int, Record | None]]:
        if not hasattr(own, "playouts"):
            own.playouts = bulk()
        seeds = [derive_seed(plan.seed, "game", index) for index in indices]
        if own.playouts is None:
            return [(index, seed, None) for index, seed in zip(indices, seeds, strict=True)]
        records = own.playouts.play([seed_words(seed) for seed in seeds], plan.limit_actions)
        return list(zip(indices, seeds, records, strict=True))

    with ThreadPoolExecutor(jobs) as pool:
        try:
            for played in pool.map(some, pieces):
                for index, seed, record in played:
                    if record is not None and record.finished:
                        yield _of_record(plan, index, seed, record)
                        continue
                    if not slow:
                        slow.append(open_game())
                    again = play_game(slow[0], plan, index)
                    if again.status == "finished" and record is not None and not record.cramped:
                        again = Result(index, seed, "bug", again.plies, again.decisions, message=UNCONFIRMED)
                    yield again
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _of_record(plan: Plan, index: int, seed: int, record: Record) -> Result:
    seats = plan.players + plan.scripted
    winners = tuple(seat for seat in range(seats) if record.winners >> seat & 1)
    if record.payoffs is not None:
        returns = tuple(float(payoff) for payoff in record.payoffs)
    else:
        sharing = winners or tuple(range(seats))
        returns = tuple(float(Fraction(seat in sharing, len(sharing))) for seat in range(seats))
    totals: tuple[int | None, ...] = (None,) * seats if record.totals is None else record.totals
    return Result(index, seed, "finished", record.plies, record.decisions, winners, returns, totals, record.scores)


def _here(open_game: Callable[[], Game], plan: Plan, indices: Iterable[int]) -> Iterator[Result]:
    game = open_game()
    for index in indices:
        yield play_game(game, plan, index)


def _spread(open_game: Callable[[], Game], plan: Plan, jobs: int) -> Iterator[Result]:
    context = multiprocessing.get_context("spawn")
    queue: Queue[Result] = context.Queue()
    workers = [
        context.Process(target=work, args=(open_game, plan, job, jobs, queue), daemon=True) for job in range(jobs)
    ]
    for worker in workers:
        worker.start()
    left = plan.games
    try:
        while left:
            try:
                yield queue.get(timeout=WORKER_WAIT)
                left -= 1
            except Empty:
                # A worker that died leaves its games out; the others' results may still be under way.
                if not any(worker.is_alive() for worker in workers) and queue.empty():
                    raise EngineBug(f"{left} games were lost with their process") from None
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.join()


def work(open_game: Callable[[], Game], plan: Plan, job: int, jobs: int, queue: Queue[Result]) -> None:
    """One process's share: every jobs-th game."""
    try:
        for result in _here(open_game, plan, range(plan.first + job, plan.first + plan.games, jobs)):
            queue.put(result)
    except KeyboardInterrupt:
        queue.cancel_join_thread()


# ------------------------------------------------------------------ report


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its 95 percent interval (Wilson)."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SeatReport:
    """`won` alone, `tied` with others; `share` splits a tie evenly. `scores` are the means of the terms, by name."""

    seat: int
    bot: str
    won: int
    tied: int
    share: Share
    mean_return: float
    mean_total: float | None
    scores: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Report:
    """A plan's results, summed up. `counts` has every status; `trouble` are the games that did not finish, with all they say."""

    plan: Plan
    played: int
    counts: tuple[tuple[str, int], ...]
    seats: tuple[SeatReport, ...]
    plies: tuple[int, float, float, int]
    """Least, mean, median, most, of finished games."""
    decisions: float
    histogram: tuple[tuple[int, int], ...]
    """(first number of plies, games) in bins of equal width."""
    trouble: tuple[Result, ...]

    @property
    def finished(self) -> int:
        """How many games ended by the rules."""
        return dict(self.counts)["finished"]

    @property
    def healthy(self) -> bool:
        """Whether every game did."""
        return self.finished == self.played == self.plan.games


def wilson(value: float, n: int) -> Share:
    """The interval of a share out of n."""
    if n == 0:
        return Share(0.0, 0.0, 1.0)
    middle = (value + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * sqrt(value * (1 - value) / n + Z * Z / (4 * n * n))
    return Share(value, max(0.0, middle - half), min(1.0, middle + half))


def summarise(plan: Plan, results: Sequence[Result]) -> Report:
    """Results as a report."""
    finished = [r for r in results if r.status == "finished"]
    statuses: tuple[Status, ...] = ("finished", "stuck", "capped", "faulted", "budget", "bug")
    plies = sorted(r.plies for r in finished)
    return Report(
        plan,
        len(results),
        tuple((status, sum(r.status == status for r in results)) for status in statuses),
        tuple(_seat(plan, finished, seat) for seat in range(plan.players + plan.scripted)),
        (plies[0], mean(plies), median(plies), plies[-1]) if plies else (0, 0.0, 0.0, 0),
        mean([r.decisions for r in finished]),
        histogram(plies),
        tuple(r for r in results if r.status != "finished"),
    )


def mean(values: Sequence[float]) -> float:
    """The mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def histogram(values: Sequence[int], bins: int = 12) -> tuple[tuple[int, int], ...]:
    """(first value, count) of equal bins; fewer for few values, so that most bins hold something."""
    if not values:
        return ()
    low, high = min(values), max(values)
    bins = max(1, min(bins, len(values) // 2))
    width = max(1, -(-(high - low + 1) // bins))
    counts = [0] * ((high - low) // width + 1)
    for value in values:
        counts[(value - low) // width] += 1
    return tuple((low + k * width, count) for k, count in enumerate(counts))


def _seat(plan: Plan, finished: Sequence[Result], seat: int) -> SeatReport:
    wins = [r for r in finished if seat in r.winners]
    share = sum(1 / len(r.winners) for r in wins) / len(finished) if finished else 0.0
    totals = [total for r in finished if (total := r.totals[seat]) is not None]
    names = [name for name, _ in finished[0].scores[seat]] if finished else []
    return SeatReport(
        seat,
        plan.bots[seat] if seat < plan.players else SCRIPTED,
        sum(len(r.winners) == 1 for r in wins),
        sum(len(r.winners) > 1 for r in wins),
        wilson(share, len(finished)),
        mean([r.returns[seat] for r in finished]),
        mean(totals) if totals else None,
        tuple((name, mean([r.scores[seat][k][1] for r in finished])) for k, name in enumerate(names)),
    )


def report_json(game: Game, report: Report, reconstructed: int = 0) -> dict[str, object]:
    """The report as a document of `simulate --format json`."""
    plan = report.plan
    return {
        "schema": "rulewright/simulate/1",
        "tool": TOOL,
        "game": {"id": game.id, "version": game.version, "hash": game.hash},
        "mods": [mod_record(mod) for mod in game.mods],
        **({"set": list(game.sets)} if game.sets else {}),
        "settings": dict(game.settings),
        "reconstructed": reconstructed,
        "players": plan.players,
        "bots": list(plan.bots),
        "seed": plan.seed,
        "limit_actions": plan.limit_actions,
        "games": plan.games,
        "played": report.played,
        "complete": report.played == plan.games,
        "outcomes": dict(report.counts),
        "seats": [_seat_json(seat) for seat in report.seats],
        "plies": dict(zip(("least", "mean", "median", "most"), (_short(x) for x in report.plies), strict=True)),
        "decisions": {"mean": _short(report.decisions)},
        "length_histogram": [{"from": start, "games": count} for start, count in report.histogram],
        "trouble": [
            {
                "game": r.index,
                "seed": r.seed,
                "outcome": r.status,
                "plies": r.plies,
                "message": r.message,
                "place": r.place,
            }
            for r in report.trouble
        ],
    }


def _seat_json(seat: SeatReport) -> dict[str, object]:
    return {
        "seat": seat.seat + 1,
        "bot": seat.bot,
        "won": seat.won,
        "tied": seat.tied,
        "win_share": _short(seat.share.value),
        "interval": [_short(seat.share.low), _short(seat.share.high)],
        "mean_return": _short(seat.mean_return),
        "mean_total": None if seat.mean_total is None else _short(seat.mean_total),
        "mean_scores": {name: _short(value) for name, value in seat.scores},
    }


def _short(value: float) -> float:
    return round(value, 6)
