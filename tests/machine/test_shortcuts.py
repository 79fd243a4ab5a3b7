"""Ways that are only faster: columns and remembered results agree with going through the elements one by one."""

from __future__ import annotations

from random import Random

import pytest

from interpreter.ir.ir_types import IntT, SetT
from interpreter.ir.ops import (
    And,
    Const,
    Expr,
    Fn,
    Halt,
    Load,
    Local,
    Lookup,
    Or,
    Query,
    QueryKind,
    Select,
    SetConst,
    Unary,
)
from interpreter.ir.program import Program
from interpreter.machine.closures import Compiler
from interpreter.machine.reference import Reference
from interpreter.machine.running import Running
from tests.machine.building import Build, op

N, OTHER = Local(0), Local(1)
SCOPE = (IntT(0, 11), IntT(-1, 11))
DOMAINS = (0b111111111111, 0b101101110110, 0b000011110000)


def world() -> Program:
    """A dozen elements with two fields and two columns, and functions of one element."""
    b = Build()
    b.var("a", IntT(0, 3), 12), b.var("s", SetT(12), 12), b.var("scalar", IntT(0, 3))
    b.table(*(k % 4 for k in range(12))), b.table(*(1 << k | 5 for k in range(12)), kind=SetT(12))
    b.func(op("eq", Load(0, Local(0)), Lookup(0, Local(0))), IntT(0, 11), params=1)
    b.func(op("add", Load(0, Local(0)), Local(1)), IntT(0, 11), IntT(-1, 11), params=2, result=IntT(0, 99))
    b.func(Query("any", 1, SetConst(7, 3), op("eq", Local(1), Local(0))), IntT(0, 11), IntT(0, 2), params=1)
    p = b.proc()
    b.block(p, term=Halt())
    return b.program()


A, S, T, U = Load(0, N), Load(1, N), Lookup(0, N), Lookup(1, N)
CONDITIONS: tuple[Expr, ...] = (
    op("eq", A, 2),
    op("eq", A, OTHER),
    op("le", op("add", A, OTHER), T),
    op("ne", A, Load(2, Const(0))),
    op("gt", op("max", A, 1), op("min", T, 2)),
    op("has", S, OTHER),
    op("has", U, OTHER),
    op("has", SetConst(0b110010101, 9), N),
    op("has", Load(1, Const(4)), N),
    op("subset", S, U),
    op("seteq", op("inter", S, U), op("union", S, U)),
    And((op("eq", A, 1), op("lt", N, 7), op("has", U, OTHER))),
    Or((op("eq", A, 1), Unary("not", op("lt", N, 7)))),
    Unary("not", Fn(0, (N,))),
    op("lt", Fn(1, (N, OTHER)), 3),
    Fn(2, (N,)),
    op("eq", op("div", A, 2), 1),
    Select(op("eq", A, 1), op("lt", N, 3), op("gt", N, 3)),
    op("ge", OTHER, 2),
)


@pytest.mark.parametrize("kind", ["any", "count", "filter", "first", "sum", "highest", "lowest"])
@pytest.mark.parametrize("where", range(len(CONDITIONS)))
def test_columns(kind: QueryKind, where: int):
    program = world()
    reference = Reference(program)
    compiler = Compiler(program, reference, Running())
    dice = Random(where)
    value = op("sub", op("mul", A, 3), T) if kind in ("sum", "highest", "lowest") else None
    columned = 0
    for domain in DOMAINS:
        query = Query(kind, 0, SetConst(domain, 12), CONDITIONS[where], value, 12)
        slow = compiler._element_by_element(query, SCOPE, 0)
        for fast in (compiler._query(query, SCOPE, 0), compiler.number(query, SCOPE)):
            for _ in range(12):
                row = reference.new_row((0, 0))
                for v, top in ((0, 4), (1, 2**12), (2, 4)):
                    base = program.vars[v].base
                    row[base : base + program.vars[v].count] = [
                        dice.randrange(top) for _ in range(program.vars[v].count)
                    ]
                other = dice.randrange(-1, 12)
                assert fast(row, [0, other]) == slow(row, [0, other])
                columned += 1
    assert columned == 72


def test_the_common_shapes_are_columns():
    """So that a change which turns them off is noticed."""
    compiler = Compiler(world(), Reference(world()), Running())
    made = [
        compiler._columns.query(
            Query("filter", 0, SetConst(0xFFF, 12), c, None, 12), lambda e: compiler.number(e, SCOPE)
        )
        for c in CONDITIONS
    ]
    assert [k for k, closure in enumerate(made) if closure is None] == [9, 15, 16, 17]


def test_remembered_results_follow_the_row():
    """The same question on a changed row is answered anew."""
    program = world()
    reference = Reference(program)
    compiler = Compiler(program, reference, Running())
    count = compiler.number(Query("count", 0, SetConst(0xFFF, 12), Fn(0, (N,)), None), SCOPE)
    row = reference.new_row((0, 0))
    base = program.vars[0].base
    assert count(row, [0, 0]) == 3
    row[base + 1] = 1
    assert count(row, [0, 0]) == 4
    row[base + 1] = 0
    assert count(row, [0, 0]) == 3
