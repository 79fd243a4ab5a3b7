"""Playouts in bulk: the same for any number of processes, and honest about games that do not end."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from interpreter.drivers.simulate import Plan, Result, histogram, report_json, simulate, summarise, wilson
from interpreter.fast import fast_machine
from interpreter.ir.ir_types import IntT
from interpreter.ir.ops import Branch, Chance, Check, Choose, Const, Halt, Jump, Local, Switch
from interpreter.ir.program import Program
from tests.machine.building import SMALL, Build, full, op
from tests.machine.games import HandMade, open_duel, open_nim

PLAN = Plan(2, 24, 7, ("random", "random"))


def test_any_number_of_jobs_gives_the_same():
    one = simulate(open_duel, PLAN)
    assert len(one) == 24
    assert simulate(open_duel, PLAN, jobs=3) == one
    assert simulate(open_duel, replace(PLAN, seed=8)) != one


def test_a_game_is_the_same_alone():
    alone = simulate(open_nim, replace(PLAN, games=1, first=17))
    assert alone == (simulate(open_nim, PLAN)[17],)


@pytest.mark.parametrize("weight", [1, 2**30, 2**31 - 1])
def test_bulk_draws_as_games_do_however_heavy_the_weights(weight: int):
    b = Build(streams=("bag",))
    p = b.proc(IntT(0, 1), SMALL)
    b.block(p, term=Chance(1, full(5), None, Const(weight), 1, 0, b.decision("draw")))
    b.block(p, term=Branch(op("eq", Local(1), 4), 2, 0))
    b.block(p, term=Halt())
    program = b.program()
    fast = fast_machine(program, lambda make: make(), None)
    alone = simulate(lambda: HandMade(program), PLAN)
    bulk = simulate(lambda: HandMade(program), PLAN, bulk=fast.batch)
    assert bulk == alone
    assert len({result.plies for result in bulk}) > 3


def test_progress_is_told():
    told: list[Result] = []
    results = simulate(open_nim, PLAN, progress=told.append)
    assert tuple(told) == results


def test_an_interrupt_leaves_what_is_through():
    seen: list[int] = []

    def stop(result: Result) -> None:
        seen.append(result.index)
        if len(seen) == 5:
            raise KeyboardInterrupt

    results = simulate(open_nim, PLAN, progress=stop)
    assert len(results) == 5
    report = summarise(PLAN, results)
    assert (report.played, report.healthy) == (5, False)
    assert report_json(open_nim(), report)["complete"] is False


def trouble() -> Program:
    """Seat 1 chooses 0..3: over, stuck, faulted, or for ever."""
    b = Build()
    ask, why = b.decision("ask"), b.check("the well is dry")
    p = b.proc(IntT(0, 1), SMALL, address="play")
    b.block(p, term=Choose(Const(0), 1, full(4), None, None, 1, ask))
    b.block(p, term=Switch(Local(1), (2, 3, 4, 5)))
    b.block(p, term=Halt())
    b.block(p, term=Choose(Const(0), 1, full(4), op("gt", Local(1), 5), None, 2, ask))
    b.block(p, Check(Const(0), why), term=Halt())
    b.block(p, term=Choose(Const(0), 1, full(2), None, None, 6, ask))
    b.block(p, term=Jump(5))
    return b.program()


def test_trouble_is_kept_apart():
    plan = replace(PLAN, games=40, limit_actions=30)
    results = simulate(lambda: HandMade(trouble()), plan)
    report = summarise(plan, results)
    counts = dict(report.counts)
    assert min(counts[kind] for kind in ("finished", "stuck", "faulted", "capped")) > 3
    assert sum(counts.values()) == 40
    assert len(report.trouble) == 40 - counts["finished"]
    assert {r.message for r in results if r.status == "faulted"} == {"the well is dry"}
    assert {r.plies for r in results if r.status == "capped"} == {30}
    assert {r.place for r in results if r.status == "stuck"} == {"play"}
    assert not report.healthy
    # What did not finish has no winner and moves no share.
    assert report.seats[0].share.value == pytest.approx(
        report.seats[0].won / counts["finished"] + report.seats[0].tied / 2 / counts["finished"]
    )


def test_report():
    results = simulate(open_duel, PLAN)
    report = summarise(PLAN, results)
    assert report.healthy
    assert set(report.plies) == {4}
    seats = report.seats
    assert sum(seat.share.value for seat in seats) == pytest.approx(1)
    assert seats[0].tied == seats[1].tied > 0
    assert [seat.scores for seat in seats] == [(("points", 1.0),), (("points", 3.0),)]
    assert [seat.mean_total for seat in seats] == [1, 3]
    document = report_json(open_duel(), report, reconstructed=2)
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    seats_told = document["seats"]
    assert isinstance(seats_told, list)
    assert [seat["seat"] for seat in seats_told] == [1, 2]


def test_wilson():
    # Known values for 95 percent.
    half = wilson(0.5, 100)
    assert (round(half.low, 4), round(half.high, 4)) == (0.4038, 0.5962)
    none = wilson(0.0, 10)
    assert (none.low, round(none.high, 4)) == (0.0, 0.2775)
    assert wilson(0.0, 0) == wilson(0.0, 0)
    assert (wilson(0.0, 0).low, wilson(0.0, 0).high) == (0.0, 1.0)


def test_histogram():
    assert histogram(()) == ()
    assert histogram((5, 5)) == ((5, 2),)
    assert histogram((1, 2, 3, 4, 5, 30), bins=3) == ((1, 5), (11, 0), (21, 1))
    assert histogram((1, 2, 9, 30)) == ((1, 3), (16, 1))
    assert sum(n for _, n in histogram(range(100))) == 100
