"""The programs that machines are compared on are valid, the same for the same seed, and carry out every operation there is."""

from __future__ import annotations

from functools import cache
from itertools import product
from random import Random
from typing import get_args

import pytest

from interpreter.ir import ops
from interpreter.ir.printer import print_program
from interpreter.ir.program import Program
from interpreter.ir.verify import verify
from interpreter.machine.faults import MachineFault
from interpreter.machine.protocol import NATURE
from interpreter.machine.reference import Reference
from interpreter.machine.state import Machine
from tests.differential.coverage import Counts, counted
from tests.differential.random_programs import random_program

SEEDS = range(16)
MANY_SEEDS = range(150)
PLIES = 40
OPERATORS = ("Unary", "Binary", "Query")
OPS = [kind.__name__ for union in (ops.Expr, ops.Stmt, ops.Term) for kind in get_args(union)]
NAMES = [name for name in OPS if name not in OPERATORS]
NAMES += [*get_args(ops.UnaryOp), *get_args(ops.BinaryOp), *(f"query {kind}" for kind in get_args(ops.QueryKind))]
FEATURES = [
    *(f"Choose {name}" for name in ("where", "probe", "formula", "extras", "condition", "changes", "quiet")),
    *(f"Chance {name}" for name in ("where", "weight", "sure")),
    "quiet, asked",
    "quiet, nobody asked",
    *(f"query {name}, sequence" for name in ("any", "count", "filter", "first", "sum", "highest", "lowest")),
    "Sort, sequence",
]
ROOMS = ("part of a cell", "a cell", "two cells", "more cells")
ON_SETS = ["SetConst", "Local", "Load", "Lookup", "Select", "Fn", "Best", "Sort", "Reach", "size", "single", "items"]
ON_SETS += ["first", "sole", "union", "inter", "minus", "has", "seteq", "subset", "range", "keep"]
ON_SETS += [f"query {kind}" for kind in get_args(ops.QueryKind)]
KEPT = ["a number", "a sequence", *(f"a set of {room}" for room in ROOMS)]
FAULTS = [
    "RuleFault: has no element",
    "RuleFault: of nothing",
    "RuleFault: a number would be",
    "RuleFault: reason",
    "RuleFault: nothing can be chosen here",
    "RuleFault: nothing can be drawn here",
    "RuleFault: rules call each other too deeply",
    "RuleFault: this effect is under way as often as",
    "RuleFault: acts by script",
]


@cache
def program(seed: int) -> Program:
    """A program, made once; every fourth goes wrong where a look-ahead comes, too."""
    return random_program(seed, daring=seed % 4 == 3)


def play(seed: int, plies: int) -> str:
    """Play one game of a program, at most so long; what went wrong, if anything did."""
    random = Random(seed)
    try:
        state = Machine(Reference(program(seed))).new(seed)
        while state.to_act() and state.ply < plies:
            who = state.to_act()
            state.apply(state.draw() if who == NATURE else random.choice(state.legal(random.choice(who))))
    except MachineFault as fault:
        return f"{type(fault).__name__}: {fault.message}"
    return ""


def carried_out(seeds: range) -> Counts:
    """What is carried out in some games."""
    with counted() as seen:
        for seed in seeds:
            play(seed, PLIES)
    return seen


@pytest.mark.slow
def test_programs_verify():
    for seed in SEEDS[::2]:
        assert verify(program(seed)) == (), f"seed {seed}"


def test_the_same_seed_gives_the_same_program():
    first, second = random_program(2), random_program(2)
    assert first == second
    assert print_program(first) == print_program(second)
    assert first != program(0)


@pytest.mark.slow
def test_every_operation_is_carried_out():
    seen = carried_out(SEEDS)
    missing = [name for name in (*NAMES, *FEATURES) if not seen[name]]
    assert missing == []


@pytest.mark.soak
def test_every_operation_on_every_kind_of_set():
    seen = carried_out(MANY_SEEDS)
    assert [f"{name}, {room}" for name, room in product(ON_SETS, ROOMS) if not seen[f"{name}, {room}"]] == []
    keeping = [f"{term} keeps {kind}" for term in ("Choose", "Chance", "Call", "CallEffect") for kind in KEPT]
    assert [name for name in keeping if not seen[name]] == []


@pytest.mark.soak
def test_every_way_to_go_wrong():
    said = [wrong for seed in range(400) if (wrong := play(seed, 200))]
    missing = [fault for fault in FAULTS if not any(all(part in one for part in fault.split(": ")) for one in said)]
    assert missing == []
    assert len(said) < 200, "most games end by their rules"


@pytest.mark.soak
def test_many_programs_verify():
    for seed in MANY_SEEDS:
        assert verify(program(seed)) == (), f"seed {seed}"
