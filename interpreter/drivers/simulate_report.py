"""A report of simulated games for people: the verdict first, then whether the games were healthy, shares, lengths, how to repeat it.

In: a report of simulate.py. Out: styled lines. Shares come with their interval, games that did not end come apart and in words.
"""

from __future__ import annotations

from typing import Final

from interpreter.drivers.layout import Line, line, table, wrap_line
from interpreter.drivers.narrate import reconstructed_text
from interpreter.drivers.simulate import Report, Result, SeatReport
from interpreter.machine.protocol import Game

BAR: Final = 40
ENOUGH: Final = 1000
TROUBLE: Final = {
    "stuck": "stuck: somebody had to choose and nothing was offered",
    "capped": "stopped at the cap on actions",
    "faulted": "ended by a rule fault",
    "budget": "went round without an end",
    "bug": "ended by a fault of the interpreter",
}  # fmt: skip
SHOWN_TROUBLE: Final = 5


def report_lines(
    game: Game, report: Report, names: tuple[str, ...], command: str, reconstructed: int, called: str, room: int
) -> list[Line]:
    """The whole report, sentences at most as wide as asked; `names` are the seats', `called` is how the game was called for."""
    count = report.plan.players
    many = "1 player" if count == 1 else f"{count} players"
    made = wrap_line(line((f"{game.title}, {many}: ", "strong"), (verdict(report, names), "strong")), room)
    made += _health(report)
    if report.finished:
        lengths, *bars = _lengths(report)
        made += [line(), *_shares(report, names), line(), *wrap_line(lengths, room), *bars]
        if report.finished < ENOUGH:
            made.append(line(("for shares to within 1 % about 9,600 games are needed", "dim")))
    if reconstructed:
        made.append(line((reconstructed_text(reconstructed, called), "dim")))
    made += [line(), line((f"rules {game.hash[:12]}, version {game.version}, seed {report.plan.seed}", "dim"))]
    made.append(line((f"again: {command}", "dim")))
    return made


def verdict(report: Report, names: tuple[str, ...]) -> str:
    """One sentence on whether a seat is better off."""
    if not report.finished:
        return "no game ended by the rules"
    best = max(report.seats, key=lambda s: s.share.value)
    if report.finished == 1 and len(report.seats) > 1:
        won = [names[seat.seat] for seat in report.seats if seat.share.value > 0]
        return f"one game, won by {' and '.join(won) or 'nobody'}; it takes many to tell whether a seat is better off"
    fair = 1 / len(report.seats)
    if len(report.seats) == 1:
        points = f", with {best.mean_total:.1f} points on average" if best.mean_total is not None else ""
        return f"{names[best.seat]} plays alone, and wins {best.won} of {report.finished} games{points}"
    share = _percent(best.share.value)
    interval = f"95 % interval {_percent(best.share.low)} to {_percent(best.share.high)}, n = {report.finished}"
    if best.share.low > fair:
        return f"{names[best.seat]} wins {share} % ({interval}), more than its share of {_percent(fair)} %"
    return f"no seat is clearly better off; most wins has {names[best.seat]} with {share} % ({interval})"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _health(report: Report) -> list[Line]:
    counts = dict(report.counts)
    missing = report.plan.games - report.played
    made = []
    if report.healthy:
        ended = "the game" if report.finished == 1 else f"all {report.finished} games"
        made.append(line((f"{ended} ended by the rules", "good")))
    else:
        made.append(line((f"{report.finished} of {report.plan.games} games ended by the rules", "warning")))
    if missing:
        made.append(line((f"  {missing} were not played: interrupted, this report is partial", "warning")))
    for status, words in TROUBLE.items():
        if counts.get(status):
            made.append(line((f"  {counts[status]} {words}", "error")))
    made += [trouble_line(result) for result in report.trouble[:SHOWN_TROUBLE]]
    if len(report.trouble) > SHOWN_TROUBLE:
        made.append(line(f"    and {len(report.trouble) - SHOWN_TROUBLE} more; --json has them all"))
    return made


def trouble_line(result: Result) -> Line:
    """What is known of a game that did not end by the rules."""
    place = f" in {result.place}" if result.place else ""
    return line(f"    game {result.index}, seed {result.seed}, after {result.plies} actions{place}: {result.message}")


def _shares(report: Report, names: tuple[str, ...]) -> list[Line]:
    terms = [name.replace("_", " ") for name, _ in report.seats[0].scores]
    scored = report.seats[0].mean_total is not None
    head = [
        "seat",
        "bot",
        "won",
        "tied",
        "share %",
        "interval",
        *terms,
        *(["total"] if scored and len(terms) > 1 else []),
    ]
    rows = [_seat_row(seat, names[seat.seat], len(head) - 6 - len(terms) > 0) for seat in report.seats]
    return table(head, rows, numbers=frozenset({2, 3, 4, *range(6, len(head))}))


def _seat_row(seat: SeatReport, name: str, with_total: bool) -> list[str]:
    row = [name, seat.bot, str(seat.won), str(seat.tied), _percent(seat.share.value)]
    row.append(f"{_percent(seat.share.low)}–{_percent(seat.share.high)}")
    row += [f"{value:.1f}" for _, value in seat.scores]
    return [*row, f"{seat.mean_total:.1f}"] if with_total and seat.mean_total is not None else row


def _lengths(report: Report) -> list[Line]:
    least, mean, median, most = report.plies
    made = [
        line(
            f"length in actions: {least} to {most}, mean {mean:.0f}, median {median:.0f}; "
            f"{report.decisions:.0f} of them a choice between several options"
        )
    ]
    top = max([count for _, count in report.histogram], default=1)
    for start, count in report.histogram:
        bar = "█" * max(1 if count else 0, round(BAR * count / top))
        made.append(line(f"{start:>7} ", (bar, "good"), f" {count}"))
    return made
