"""Every expression and statement, one fact a line. A program is made of one function or one block around it."""

from __future__ import annotations

import pytest

from interpreter.ir.ir_types import NO_NUMBER, NOTHING, IntT, IrType, SeqT, SetT
from interpreter.ir.ops import (
    And,
    Best,
    BestKey,
    Binary,
    BinaryOp,
    Check,
    Choose,
    Const,
    Emit,
    Expr,
    Fn,
    For,
    Halt,
    If,
    Let,
    Load,
    Local,
    Lookup,
    Or,
    Query,
    QueryKind,
    Reach,
    Select,
    SeqConst,
    SetConst,
    Sort,
    Stmt,
    Store,
    Unary,
    UnaryOp,
)
from interpreter.ir.verify import verify
from interpreter.machine.faults import EngineBug, RuleFault
from interpreter.machine.reference import Reference
from interpreter.machine.state import Machine
from tests.machine.building import Build, full, members, op

WIDE = IntT(-100, 100)
SEQ = SeqConst((3, 0, 2), 5)


def value(expr: Expr, *kinds: IrType, build: Build | None = None, args: tuple[int, ...] = ()) -> int:
    """What an expression comes to in a function with these locals (the first ones are arguments)."""
    b = build or Build()
    f = b.func(expr, *kinds, params=len(args), result=WIDE)
    p = b.proc()
    b.block(p, term=Halt())
    program = b.program()
    machine = Reference(program)
    return machine.function(machine.new_row((0, 0)), f, args)


@pytest.mark.parametrize(
    ("name", "a", "b", "want"),
    [
        ("add", 3, 4, 7),
        ("sub", 3, 4, -1),
        ("mul", -3, 4, -12),
        ("div", -7, 2, -4),
        ("div", 7, -2, -4),
        ("mod", -7, 2, 1),
        ("min", 3, 4, 3),
        ("max", 3, 4, 4),
        ("eq", 3, 3, 1),
        ("ne", 3, 3, 0),
        ("lt", 3, 3, 0),
        ("le", 3, 3, 1),
        ("gt", 3, 3, 0),
        ("ge", 3, 3, 1),
        ("lt", 2, 3, 1),
        ("gt", 4, 3, 1),
    ],
)
def test_numbers(name: BinaryOp, a: int, b: int, want: int):
    # Constants, locals and other expressions have closures of their own.
    assert value(op(name, a, b)) == want
    assert value(op(name, Local(0), b), WIDE, args=(a,)) == want
    assert value(op(name, Local(0), Local(1)), WIDE, WIDE, args=(a, b)) == want
    assert value(op(name, op("add", Local(0), 0), b), WIDE, args=(a,)) == want
    assert value(op(name, op("add", Local(0), 0), op("add", Local(1), 0)), WIDE, WIDE, args=(a, b)) == want


@pytest.mark.parametrize("name", ["div", "mod"])
def test_nothing_is_divided_by_0(name: BinaryOp):
    with pytest.raises(RuleFault, match="divided by 0"):
        value(op(name, 1, 0))


@pytest.mark.parametrize(
    ("index", "said"),
    [
        (op("sub", Local(0), 1), "`table` has no element 3 (they go from 1 to 2)"),
        (Local(0), "`table` has no element 3 (they go from 0 to 1)"),
        (op("sub", Local(0), 4), "`table` has no element 3 (they go from 4 to 5)"),
        (op("sub", 2, Local(0)), "`table` of nothing"),
    ],
)
def test_what_is_looked_up_is_told_as_it_is_counted(index: Expr, said: str):
    b = Build()
    with pytest.raises(RuleFault) as fault:
        value(Lookup(b.table(5, 6), index), WIDE, build=b, args=(3,))
    assert said in str(fault.value)


MOST = 2**31 - 1


@pytest.mark.parametrize(
    ("name", "a", "b", "want"),
    [
        ("checked_add", MOST - 1, 1, MOST),
        ("checked_add", MOST, 1, None),
        ("checked_add", -MOST, -1, None),
        ("checked_sub", 1 - MOST, 1, -MOST),
        ("checked_sub", -MOST, 1, None),
        ("checked_sub", 0, -MOST, MOST),
        ("checked_mul", 46340, 46340, 46340**2),
        ("checked_mul", 46341, 46341, None),
        ("checked_mul", 65536, -65536, None),
        ("checked_mul", 65536, 65536, None),
    ],
)
def test_checked_arithmetic(name: BinaryOp, a: int, b: int, want: int | None):
    forms: list[tuple[Expr, tuple[IrType, ...]]] = [
        (op(name, a, b), ()),
        (op(name, Local(0), b), (WIDE,)),
        (op(name, Local(0), Local(1)), (WIDE, WIDE)),
    ]
    for expr, kinds in forms:
        args = (a, b)[: len(kinds)]
        if want is None:
            with pytest.raises(RuleFault, match="numbers go from -2147483647 to 2147483647"):
                value(expr, *kinds, args=args)
        else:
            assert value(expr, *kinds, args=args) == want


@pytest.mark.parametrize("domain", [full(4), op("union", full(4), full(2), 4)], ids=["constant", "computed"])
def test_a_checked_sum_is_of_all_together(domain: Expr):
    """What it comes to on the way does not matter."""
    sign = op("sub", 1, op("mul", 2, op("div", Local(0), 2)))
    assert value(Query("checked_sum", 0, domain, None, op("mul", sign, MOST)), WIDE) == 0
    assert value(Query("checked_sum", 0, domain, op("lt", Local(0), 3), op("mul", sign, MOST)), WIDE) == MOST
    with pytest.raises(RuleFault, match="a number would be 8589934588"):
        value(Query("checked_sum", 0, domain, None, Const(MOST)), WIDE)


A, B = members(0b1011), members(0b0110)


@pytest.mark.parametrize(
    ("name", "a", "b", "want"),
    [
        ("union", A, B, 0b1111),
        ("inter", A, B, 0b0010),
        ("minus", A, B, 0b1001),
        ("seteq", A, A, 1),
        ("seteq", A, B, 0),
        ("subset", members(0b11), A, 1),
        ("subset", A, B, 0),
        ("has", A, Const(3), 1),
        ("has", A, Const(2), 0),
        ("has", A, Const(NOTHING), 0),
    ],
)
def test_sets(name: BinaryOp, a: Expr, b: Expr, want: int):
    assert value(op(name, a, b)) == want


@pytest.mark.parametrize(("lo", "hi", "want"), [(1, 3, 0b1110), (-5, 1, 0b11), (3, 99, 0b11000), (3, 2, 0), (9, 9, 0)])
def test_range_is_cut_to_its_size(lo: int, hi: int, want: int):
    assert value(op("range", lo, hi, 5)) == want


def test_has_of_a_local_that_may_be_nothing():
    assert value(op("has", A, Local(0)), IntT(-1, 3), args=(-1,)) == 0
    assert value(op("has", A, Local(0)), IntT(0, 3), args=(1,)) == 1


@pytest.mark.parametrize(
    ("name", "a", "size", "want"),
    [
        ("neg", Const(4), 0, -4),
        ("not", Const(1), 0, 0),
        ("not", Const(0), 0, 1),
        ("size", A, 0, 3),
        ("length", SEQ, 0, 3),
        ("single", Const(2), 4, 0b100),
        ("single", Const(NOTHING), 4, 0),
        ("items", SEQ, 0, 0b1101),
        ("first", A, 0, 0),
        ("first", SEQ, 0, 3),
        ("first", members(0), 0, NOTHING),
        ("sole", members(0b100), 0, 2),
        ("sole", A, 0, NOTHING),
        ("sole", members(0), 0, NOTHING),
    ],
)
def test_unary(name: UnaryOp, a: Expr, size: int, want: int):
    assert value(Unary(name, a, size)) == want


def as_list(seq: Expr) -> list[int]:
    """A sequence's elements, by nth."""
    found = []
    for k in range(1, 9):
        x = value(op("nth", seq, k))
        if x == NOTHING:
            break
        found.append(x)
    return found


def test_sequences():
    assert as_list(SEQ) == [3, 0, 2]
    assert value(op("nth", SEQ, 0)) == NOTHING
    assert value(op("nth", SEQ, 4)) == NOTHING
    assert as_list(Unary("reverse", SEQ)) == [2, 0, 3]
    assert value(op("place", SEQ, 2)) == 3
    assert value(op("place", SEQ, 1)) == 0
    assert as_list(op("append", SEQ, 4)) == [3, 0, 2, 4]
    assert as_list(op("append", SEQ, 3)) == [0, 2, 3]
    assert as_list(op("prepend", SEQ, 4)) == [4, 3, 0, 2]
    assert as_list(op("prepend", SEQ, 2)) == [2, 3, 0]
    assert as_list(op("drop", SEQ, 0)) == [3, 2]
    assert as_list(op("drop", SEQ, 1)) == [3, 0, 2]
    assert as_list(Binary("keep", SEQ, members(0b1001))) == [3, 0]
    assert value(op("seqeq", SEQ, SEQ)) == 1
    assert value(op("seqeq", SEQ, Unary("reverse", SEQ))) == 0


def test_and_or_select_stop_early():
    # A division by 0 shows if the rest is evaluated.
    bad = op("eq", op("div", 1, 0), 1)
    for filler in ((), (Const(1),), (Const(1), Const(1))):
        assert value(And((*filler, Const(0), bad))) == 0
    for filler in ((), (Const(0),), (Const(0), Const(0))):
        assert value(Or((*filler, Const(1), bad))) == 1
    assert value(And((Const(1), Const(1)))) == 1
    assert value(Or((Const(0), Const(0)))) == 0
    assert value(Select(Const(1), Const(5), bad)) == 5
    assert value(Select(Const(0), bad, Const(6))) == 6


@pytest.mark.parametrize(
    ("kind", "want"),
    [("any", 1), ("count", 2), ("filter", 0b1010), ("first", 1), ("sum", 40), ("highest", 30), ("lowest", 10)],
)
def test_queries(kind: QueryKind, want: int):
    odd = op("eq", op("mod", Local(0), 2), 1)
    ten = op("mul", Local(0), 10) if kind in ("sum", "highest", "lowest") else None
    assert value(Query(kind, 0, full(4), odd, ten, 4), WIDE) == want


@pytest.mark.parametrize(
    ("kind", "want"),
    [
        ("any", 0),
        ("count", 0),
        ("filter", 0),
        ("first", NOTHING),
        ("sum", 0),
        ("highest", NO_NUMBER),
        ("lowest", NO_NUMBER),
    ],
)
@pytest.mark.parametrize("where", [None, Const(1)])
def test_queries_over_nothing(kind: QueryKind, want: int, where: Expr | None):
    of = Local(0) if kind in ("sum", "highest", "lowest") else None
    assert value(Query(kind, 0, members(0), where, of, 4), WIDE) == want


def test_queries_without_a_condition():
    assert value(Query("any", 0, A, None), WIDE) == 1
    assert value(Query("count", 0, A, None), WIDE) == 3
    assert value(Query("filter", 0, SEQ, None, size=5), WIDE) == 0b1101
    assert value(Query("first", 0, SEQ, None), WIDE) == 3
    assert value(Query("sum", 0, A, None, Local(0)), WIDE) == 4


def test_first_follows_the_order_of_a_sequence():
    assert value(Query("first", 0, SEQ, op("lt", Local(0), 3)), WIDE) == 0


def test_best_by_keys_in_turn():
    b = Build()
    size, price = b.table(2, 5, 5, 5), b.table(1, 3, 1, 1)
    keys = (BestKey(True, Lookup(size, Local(0))), BestKey(False, Lookup(price, Local(0))))
    assert value(Best(0, full(4), keys, 4), IntT(0, 3), build=b) == 0b1100
    assert value(Best(0, members(0), keys, 4), IntT(0, 3), build=b) == 0


def test_sort_keeps_equal_ones_in_their_order():
    b = Build()
    price = b.table(4, 1, 4, 9, 1)
    order = Sort(0, SeqConst((2, 4, 0, 1, 3), 5), (BestKey(False, Lookup(price, Local(0))),), 5)
    got = [value(op("nth", order, k), IntT(0, 4), build=b) for k in range(1, 6)]
    assert got == [4, 1, 2, 0, 3]


def test_reach():
    # A path 0 - 1 - 2 - 3, and 1 - 4.
    b = Build()
    near = b.table(0b00010, 0b10101, 0b01010, 0b00100, 0b00010, kind=SetT(5))

    def ends(steps: int, through: int) -> int:
        walk = Reach(0, Lookup(near, Local(0)), Const(0), members(steps), members(through), 5)
        return value(walk, IntT(0, 4), build=b)

    assert ends(0b10, 0b11111) == 0b00010
    assert ends(0b100, 0b11111) == 0b10100  # going back to the start is no end
    assert ends(0b110, 0b11111) == 0b10110
    assert ends(0b100, 0b11101) == 0  # through a closed place
    assert ends(0b1000, 0b01111) == 0b01010  # back and forth, or straight on
    assert ends(0b1, 0b11111) == 0  # no step is no walk
    assert ends(0, 0b11111) == 0
    for through in (0b11111, 0b11110, 0b01101):  # up to three steps: as one, two and three
        assert ends(0b1110, through) == ends(0b10, through) | ends(0b100, through) | ends(0b1000, through)


def test_functions_have_locals_of_their_own():
    b = Build()
    double = b.func(op("add", Local(0), Local(0)), WIDE, params=1, result=WIDE)
    count = b.func(Query("count", 1, full(4), op("lt", Local(1), Local(0))), WIDE, WIDE, params=1, result=WIDE)
    three = b.func(op("sub", Local(0), op("add", Local(1), Local(2))), WIDE, WIDE, WIDE, params=3, result=WIDE)
    assert value(op("add", Fn(double, (Const(4),)), Local(0)), WIDE, build=b, args=(1,)) == 9
    assert value(op("add", Fn(count, (Const(3),)), Local(0)), WIDE, build=b, args=(1,)) == 4
    assert value(Fn(three, (Const(9), Const(2), Const(3))), build=b) == 4


# ------------------------------------------------------------------ the row


def after(build: Build, *stmts: Stmt, kinds: tuple[IrType, ...] = ()) -> Machine:
    """A machine whose entry runs statements and then asks something."""
    ask = build.decision("ask")
    p = build.proc(IntT(0, 1), *kinds, IntT(0, 9))
    n = 1 + len(kinds)
    build.block(p, *stmts, term=Choose(Const(0), n, full(2), None, None, 1, ask))
    build.block(p, term=Halt())
    program = build.program()
    assert verify(program) == ()
    return Machine(Reference(program))


@pytest.mark.parametrize("size", [1, 31, 32, 33, 64, 65, 100])
def test_sets_of_any_size_survive_the_row(size: int):
    b = Build()
    v = b.var("s", SetT(size), 2)
    mask = (1 << size - 1) | 1
    has_last = b.func(op("has", Load(v, Const(1)), size - 1))
    same = b.func(op("seteq", Load(v, Const(1)), SetConst(mask, size)))
    index = b.func(op("seteq", Load(v, Local(0)), SetConst(mask, size)), IntT(0, 9), params=1)
    state = after(b, Store(v, Const(1), SetConst(mask, size))).new(1)
    assert state.evaluate(has_last) == 1
    assert state.evaluate(same) == 1
    assert state.evaluate(index, 1) == 1
    assert state.evaluate(index, 0) == 0
    assert state.observe(None).values[v] == (0, mask)


def test_sequences_survive_the_row():
    b = Build()
    v = b.var("s", SeqT(4), 2, ((2, 0), ()))
    nth = b.func(op("nth", Load(v, Local(0)), Local(1)), IntT(0, 1), IntT(0, 9), params=2, result=WIDE)
    state = after(b, Store(v, Const(1), op("append", Load(v, Const(0)), 3)), Store(v, Const(0), SeqConst((), 4))).new(1)
    assert [state.evaluate(nth, 1, k) for k in (1, 2, 3, 4)] == [2, 0, 3, NOTHING]
    assert state.observe(None).values[v] == ((), (2, 0, 3))


def test_an_index_past_the_end_is_a_fault_of_the_rules():
    b = Build()
    v = b.var("components.n.soil", count=3)
    f = b.func(Load(v, Local(0)), IntT(-1, 9), params=1, result=WIDE)
    state = after(b).new(1)
    assert state.evaluate(f, 2) == 0
    for index in (-1, 3):
        with pytest.raises(RuleFault, match=r"components\.n\.soil"):
            state.evaluate(f, index)


def test_a_value_out_of_range_is_our_bug():
    b = Build()
    v = b.var("n")
    with pytest.raises(EngineBug, match="10, outside"):
        after(b, Store(v, Const(0), Const(10))).new(1)


def test_statements():
    b = Build()
    v = b.var("n", IntT(-1, 999), 3)
    body = (
        If(op("eq", Local(1), 1), (Store(v, Const(0), Local(1)),), (Store(v, Const(1), Local(1)),)),
        Store(v, Const(2), op("add", op("mul", Load(v, Const(2)), 10), Local(1))),
    )
    state = after(
        b, For(1, SeqConst((3, 1, 2), 4), body), For(1, members(0), (Store(v, Const(2), Const(-1)),)), kinds=(WIDE,)
    ).new(1)
    assert state.observe(None).values[v] == (1, 2, 312)


def test_for_goes_through_the_set_as_it_was():
    b = Build()
    v, s = b.var("n", WIDE), b.var("s", SetT(4), initial=(0b0011,))
    grow = Store(s, Const(0), full(4))
    count = Store(v, Const(0), op("add", Load(v, Const(0)), 1))
    state = after(b, For(1, Load(s, Const(0)), (grow, count)), kinds=(WIDE,)).new(1)
    assert state.observe(None).values[v] == (2,)


def test_let_and_emit():
    b = Build()
    e = b.event("it is ")
    state = after(b, Let(1, Const(7)), Emit(e, (Local(1), A)), kinds=(WIDE,)).new(1)
    assert [(event.kind, event.args) for event in state.events()] == [(e, (7, A.mask))]


def test_a_check_that_does_not_hold_names_itself():
    b = Build()
    good, bad = b.check("never"), b.check("there are too few coins")
    with pytest.raises(RuleFault, match="too few coins") as caught:
        after(b, Check(Const(1), good), If(Const(1), (Check(Const(0), bad),))).new(1)
    assert caught.value.why == bad
    assert caught.value.stack[0].address == "proc0"
    assert caught.value.stack[0].cite == ("CL-1",)
