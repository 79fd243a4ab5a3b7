"""Constants are computed where they are numbers; what is none is left to the game."""

from __future__ import annotations

import pytest

from interpreter.ir.folding import Folder
from interpreter.ir.ir_types import INT32, IntT
from interpreter.ir.ops import BinaryOp, Const, Expr, Fn, Local, Query
from interpreter.ir.program import Func
from tests.machine.building import full, op

MOST = INT32[1]


def folded(expr: Expr) -> Expr:
    """An expression with its constant parts computed."""
    return Folder([], [], frozenset()).fold(expr)


@pytest.mark.parametrize(
    ("name", "a", "b", "want"),
    [("add", MOST - 1, 1, MOST), ("sub", -MOST, 0, -MOST), ("mul", 46340, 46340, 46340**2), ("div", 7, 2, 3)],
)
def test_numbers_are_computed(name: BinaryOp, a: int, b: int, want: int):
    assert folded(op(name, a, b)) == Const(want)


@pytest.mark.parametrize(
    ("name", "a", "b"), [("add", MOST, 1), ("sub", -MOST, 1), ("mul", 65536, 65536), ("div", 1, 0), ("mod", 1, 0)]
)
def test_what_is_no_number_is_left(name: BinaryOp, a: int, b: int):
    assert folded(op(name, a, b)) == op(name, a, b)


def test_sums():
    two, three = (Query("sum", 0, full(n), None, Const(10**9)) for n in (2, 3))
    assert (folded(two), folded(three)) == (Const(2 * 10**9), three)


def test_a_function_that_has_no_value_somewhere_is_no_table():
    sizes = (3, 50_000)
    funcs = [Func("f", 1, (IntT(0, 2),), IntT(0, MOST), op("mul", op("mul", Local(0), n), n)) for n in sizes]
    folder = Folder([], funcs, frozenset((0, 1)))
    assert folder.fold(Fn(0, (Const(2),))) == Const(18)
    assert folder.fold(Fn(1, (Const(2),))) == Fn(1, (Const(2),))


def test_comparisons_with_the_ends():
    """There is nothing beyond them to compare with."""
    assert folded(op("gt", Local(0), 4)) == op("ge", Local(0), 5)
    assert folded(op("gt", Local(0), MOST)) == op("gt", Local(0), MOST)
    assert folded(op("lt", Local(0), INT32[0])) == op("lt", Local(0), INT32[0])
