"""Two machines agree: on every game, and on random programs. The tools are tried on machines that are wrong on purpose."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from interpreter.fast import fast_machine
from interpreter.ir.ir_types import IntT, SetT
from interpreter.ir.ops import (
    Binary,
    Branch,
    Call,
    Check,
    Choose,
    Const,
    Emit,
    Expr,
    Halt,
    Load,
    Local,
    Query,
    Return,
    SetConst,
)
from interpreter.ir.program import Hole, Program
from interpreter.machine.cells import Number
from interpreter.machine.columns import Scalar
from interpreter.machine.faults import EngineBug, MachineFault, RuleFault
from interpreter.machine.protocol import Executor
from interpreter.machine.reference import Reference
from interpreter.machine.wasm.executor import WasmMachine
from interpreter.model.game_model import Config
from interpreter.paths import shipped_games
from interpreter.pipeline import load
from tests.differential.lockstep import Difference, Lockstep, agree
from tests.differential.random_programs import random_program
from tests.machine.building import SMALL, Build, add, op
from tests.properties.walks import definition_of, program_of, ways_to_play

GAMES = int(os.environ.get("RULEWRIGHT_SOAK_GAMES", "1000"))
SEED = int(os.environ.get("RULEWRIGHT_SOAK_SEED", "1"))
FOUND = Path(__file__).parent / "found"
"""Where `make soak` keeps what it finds."""
DECISIONS = 12
RANDOM_SEEDS = range(30)
RANDOM_DECISIONS = 40
LONG = 100
"""Decisions for each game that `make soak` is asked for; and random programs are as many as tenths of these games."""
CHANGE = 0.2


def machines(program: Program) -> tuple[Executor, Executor]:
    """The two that are compared."""
    return Reference(program), fast_machine(program, lambda make: make(), None)


# ---------------------------------------------------------------------- games
WAYS = {name: ways_to_play(path) for name, path in shipped_games().items()}
CASES = [(name, config) for name, ways in WAYS.items() for config in ways]
PLAIN = [(name, config) for name, ways in WAYS.items() for config in ways if config.options == ways[0].options]
"""Those with the options that a game has by itself."""


def labels(cases: Sequence[tuple[str, Config]]) -> list[str]:
    """Names of cases for people."""
    return [f"{name}, {config.label()}" for name, config in cases]


def asked_for(name: str, config: Config) -> str | None:
    """The mode that has to be named; None where it comes by itself with the number of players, as other tests have it."""
    mode = definition_of(shipped_games()[name]).modes.get(config.mode or "")
    return None if mode is None or mode.when is not None else config.mode


@pytest.mark.slow
@pytest.mark.parametrize(("name", "config"), PLAIN, ids=labels(PLAIN))
def test_games(name: str, config: Config, tmp_path: Path):
    # The fast machine that the front door gives, so that each module is made once for all tests.
    fast = load(name, mode=asked_for(name, config)).machine(config.players)._executor
    assert isinstance(fast, WasmMachine)
    lockstep = agree(Reference(fast.program), fast, SEED, DECISIONS, tmp_path, CHANGE)
    assert lockstep.decisions >= DECISIONS


@pytest.mark.soak
@pytest.mark.parametrize(("name", "config"), CASES, ids=labels(CASES))
def test_games_for_longer(name: str, config: Config):
    program = program_of(definition_of(shipped_games()[name]), config)
    agree(*machines(program), SEED, GAMES * LONG, FOUND, CHANGE / 10, 10)


# ---------------------------------------------------------------------- random programs
@pytest.mark.slow
@pytest.mark.parametrize("seed", RANDOM_SEEDS)
def test_random_programs(seed: int, tmp_path: Path):
    agree(*machines(random_program(seed)), seed, RANDOM_DECISIONS, tmp_path, CHANGE)


@pytest.mark.soak
@pytest.mark.parametrize("part", range(10))
def test_more_random_programs(part: int):
    each = max(1, GAMES // 10)
    for seed in range(1000 * SEED + part * each, 1000 * SEED + (part + 1) * each):
        agree(*machines(random_program(seed)), seed, LONG, FOUND, CHANGE)


@pytest.mark.soak
@pytest.mark.parametrize("part", range(10))
def test_random_programs_that_go_wrong_anywhere(part: int):
    """Only for machines whose look-ahead takes the same shortcuts: whether it comes to what goes wrong depends on them."""
    each = max(1, GAMES // 20)
    for seed in range(1000 * SEED + part * each, 1000 * SEED + (part + 1) * each):
        agree(*machines(random_program(seed, daring=True)), seed, LONG, FOUND, CHANGE)


class Nothing:
    """No columns, and nothing remembered."""

    def query(self, q: Query, scalar: Scalar) -> Number | None:
        """See Columns."""
        return None

    def around(self, expr: Expr, made: Number) -> Number:
        """See Memory."""
        return made


def slow_and_sure(program: Program) -> Reference:
    """The reference machine without its shortcuts."""
    machine = Reference(program)
    plain: Any = Nothing()
    machine._compiler._columns = machine._compiler._memory = plain
    machine._codes.ahead = [None] * len(program.blocks)
    return machine


@pytest.mark.slow
@pytest.mark.parametrize("part", range(2))
def test_shortcuts_change_nothing(part: int, tmp_path: Path):
    for seed in RANDOM_SEEDS[part::6]:
        program = random_program(seed)
        agree(Reference(program), slow_and_sure(program), seed, RANDOM_DECISIONS, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("part", range(10))
def test_shortcuts_change_nothing_for_longer(part: int):
    each = max(1, GAMES // 10)
    for seed in range(1000 * SEED + part * each, 1000 * SEED + (part + 1) * each):
        program = random_program(seed)
        agree(Reference(program), slow_and_sure(program), seed, LONG, FOUND)


# ---------------------------------------------------------------------- machines that are wrong
def adder() -> Program:
    """Seats in turn add 1, 2 or 3, until there are 20; `add 3` fails at 11."""
    b = Build(players=2)
    total = b.var("components.total", IntT(0, 99))
    seat = b.var("components.seat", IntT(0, 1))
    mark = b.var("components.mark", SetT(40), count=2)
    said = b.event("added ", Hole(Const(0), -1))
    wrong = b.check("no three at ", Hole(Load(total, Const(0)), -1))
    kind, inner = b.proc(SMALL, params=0, address="play"), b.proc(IntT(0, 3), params=1, address="effects.add")
    n = 0
    ask = b.block(kind, term=Branch(op("lt", Load(total, Const(0)), 20), 1, 3))
    decision = b.decision("play.n")
    b.block(kind, term=Choose(Load(seat, Const(0)), n, SetConst(14, 4), None, None, 2, decision))
    b.block(kind, term=Call(inner, (Local(n),), 4))
    b.block(kind, term=Halt())
    b.block(kind, add(seat, op("sub", 1, op("mul", 2, Load(seat, Const(0))))), term=Branch(Const(1), ask, ask))
    bad = Binary("eq", Binary("add", Local(0), Load(total, Const(0))), Const(14))
    three = Binary("eq", Local(0), Const(3))
    fails = Check(Binary("eq", Binary("mul", bad, three), Const(0)), wrong)
    b.block(inner, fails, add(total, Local(0)), Emit(said, (Load(seat, Const(0)), Local(0))), term=Return())
    assert mark == 2
    return b.program()


class Counting(Reference):
    """A machine that is right; it counts what it has taken, which no machine should."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.taken = 0

    def take(self, row: list[int], stack: int, choice: int) -> None:
        """See protocol."""
        super().take(row, stack, choice)
        self.taken += 1

    def total(self, row: list[int]) -> int:
        """The first variable."""
        return row[self.program.vars[0].base]


class WrongCell(Counting):
    """At a total of 7 it sets bit 33 of a set."""

    def take(self, row: list[int], stack: int, choice: int) -> None:
        """See protocol."""
        super().take(row, stack, choice)
        if self.total(row) == 7:
            row[self.program.vars[2].base + 3] |= 2


class WrongOrder(Counting):
    """From a total of 5 on the options stand in another order."""

    def options(self, row: list[int], stack: int) -> list[int]:
        """See protocol."""
        found = super().options(row, stack)
        return found if self.total(row) < 5 else found[::-1]


class MissingEvent(Counting):
    """Three is added without a word."""

    def take_events(self) -> list[tuple[int, tuple[int, ...]]]:
        """See protocol."""
        return [event for event in super().take_events() if event[1][1] != 3]


class WrongFault(Counting):
    """It fails in other words."""

    def take(self, row: list[int], stack: int, choice: int) -> None:
        """See protocol."""
        try:
            super().take(row, stack, choice)
        except RuleFault as fault:
            raise self.other(fault) from None

    def other(self, fault: RuleFault) -> MachineFault:
        """The fault that it makes of one."""
        return RuleFault(fault.message.replace("no", "not"), fault.stack, fault.why)


class WrongKind(WrongFault):
    """It takes a failure for a fault of its own."""

    def other(self, fault: RuleFault) -> MachineFault:
        """See WrongFault."""
        return EngineBug(fault.message, fault.stack)


class WrongFrames(WrongFault):
    """It forgets the outermost rule."""

    def other(self, fault: RuleFault) -> MachineFault:
        """See WrongFault."""
        return RuleFault(fault.message, fault.stack[:-1], fault.why)


class Crash(Counting):
    """It falls over."""

    def take(self, row: list[int], stack: int, choice: int) -> None:
        """See protocol."""
        if self.total(row) == 9:
            raise ZeroDivisionError("oh")
        super().take(row, stack, choice)


class Hidden(Counting):
    """The fortieth thing it does is wrong: that is in no row."""

    def take(self, row: list[int], stack: int, choice: int) -> None:
        """See protocol."""
        super().take(row, stack, choice)
        if self.taken == 40:
            row[self.program.vars[0].base] += 1


def difference(wrong: type[Reference], change: float = 0.0) -> Difference:
    """What is found between a right machine and a wrong one."""
    program = adder()
    found = Lockstep(Reference(program), wrong(program), change).walk(1, 400)
    assert found is not None
    return found


def added(found: Difference) -> list[int]:
    """What the players have added up to the difference."""
    return [value for _, value, _ in found.steps]


def test_a_right_machine():
    program = adder()
    lockstep = Lockstep(Reference(program), Counting(program), CHANGE)
    assert lockstep.walk(1, 400) is None
    assert lockstep.decisions == 400
    assert lockstep.faults
    assert lockstep.games > lockstep.faults


def test_a_wrong_cell():
    found = difference(WrongCell)
    assert sum(added(found)) == 7
    assert len(found.steps) <= 4
    cell = adder().vars[2].base + 3
    assert (found.what, found.first, found.second) == (f"cell {cell}, `components.mark` element 1, word 1", "0", "2")
    assert found.machines == ("Reference", "WrongCell")
    assert found.alone


def test_options_in_another_order():
    found = difference(WrongOrder)
    assert found.what == f"what is offered to player {len(found.steps) % 2}"
    assert 5 <= sum(added(found)) < 5 + min(added(found)), "nothing can be left out"


def test_a_missing_event():
    found = difference(MissingEvent)
    assert found.what == "events"
    assert added(found) == [3]
    assert "args=(0, 3)" in found.first
    assert found.second == "()"


@pytest.mark.parametrize(
    ("wrong", "first", "second"),
    [
        (WrongFault, "RuleFault: no three at 11; why 0; in effects.add", "RuleFault: not three at 11; why 0"),
        (WrongKind, "RuleFault: no three at 11", "EngineBug: no three at 11"),
        (WrongFrames, "in effects.add 0-0 CL-1; in play 0-0 ", "in effects.add 0-0 CL-1"),
    ],
)
def test_a_wrong_fault(wrong: type[Reference], first: str, second: str):
    found = difference(wrong)
    assert found.what == "what happens"
    assert first in found.first
    assert second in found.second
    assert added(found)[-1] == 3
    assert sum(added(found)) == 14


def test_a_crash():
    found = difference(Crash)
    assert (found.what, found.first, found.second) == ("what happens", "None", "ZeroDivisionError: oh")
    assert sum(added(found)[:-1]) == 9


def test_a_machine_with_a_memory():
    """What a machine keeps beside the row is found, though the game that shows it does not show it alone."""
    found = difference(Hidden)
    assert found.what.endswith("`components.total` element 0")
    assert not found.alone
    assert "this game alone does not show it" in found.text()


def test_the_record(tmp_path: Path):
    """It says all that is needed, in a file; and its steps lead there again."""
    program = adder()
    with pytest.raises(AssertionError, match=r"cell \d+, `components\.mark` element 1, word 1") as failure:
        agree(Reference(program), WrongCell(program), 1, 400, tmp_path, 1.0)
    (path,) = tmp_path.iterdir()
    text = path.read_text(encoding="utf-8")
    assert str(failure.value).startswith(text)
    assert "program: small, 2 players" in text
    assert "1. p1 at play.n: " in text
    assert "(machines change places before)" in text
    found = difference(WrongCell)
    again = Lockstep(Reference(program), WrongCell(program)).replay(found.seed, found.steps)
    assert again is not None
    assert again[1] == (found.what, found.first, found.second)


def test_walks_are_the_same_again():
    assert difference(WrongCell) == difference(WrongCell)
