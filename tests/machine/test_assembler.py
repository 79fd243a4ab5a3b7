"""The assembler, on functions that are compiled and called."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from interpreter.machine.wasm.assembler import Function, Value, const, load, select, variable
from interpreter.machine.wasm.encode import Code, FuncType, Module
from interpreter.machine.wasm.host import Compiled, Instance, Trapped

TWO = FuncType(("i32", "i32"), ("i32",))
AT = 64
"""An address nobody else uses."""


def called(write: Callable[[Function], Value], a: int = 0, b: int = 0) -> int:
    """The result of a function of two numbers, beside one named `note` that notes its second and gives its first."""
    module = Module()
    note = Function(Code(TWO), module, {})
    note.store(AT, load(AT) * 10 + note.params[1])
    note.give(note.params[0])
    names = {"note": module.add(note.code)}
    f = Function(Code(TWO), module, names)
    f.give(write(f))
    module.elements = [names["note"]]
    module.add(f.code, "f")
    return Instance(Compiled(module.encoded())).call("f", a, b)


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda a, b: a + b, -4),
        (lambda a, b: a - b, -10),
        (lambda a, b: 3 - b, 0),
        (lambda a, b: a * b, -21),
        (lambda a, b: a & b, 1),
        (lambda a, b: a | b, -5),
        (lambda a, b: a ^ b, -6),
        (lambda a, b: b << 2, 12),
        (lambda a, b: a >> 28, 15),
        (lambda a, b: a.quotient(b), -2),
        (lambda a, b: a.remainder(b), -1),
        (lambda a, b: (a < b) + (a <= a) * 2 + (a > b) * 4 + (b >= a) * 8, 11),
        (lambda a, b: a.below(b) + a.at_most(a) * 2 + a.above(b) * 4 + b.at_least(a) * 8, 6),
        (lambda a, b: (a == -7) + (b != 3) * 2 + b.is_zero() * 4, 1),
        (lambda a, b: b.ones() * 100 + (b << 4).zeros_below() * 10 + (b << 28).zeros_above(), 242),
        (lambda a, b: (a.wide() * 2).high() * 10 + (b.wide() << 32).high(), 13),
        (lambda a, b: (const(1, "i64") << 63).rotated(4).low(), 8),
        (lambda a, b: select(a < b, a, 5), -7),
    ],
)
def test_values(make: Callable[[Value, Value], Value], expected: int) -> None:
    assert called(lambda f: make(*f.params), -7, 3) == expected


@pytest.mark.parametrize(
    "make",
    [
        lambda f, x, y: x + y,
        lambda f, x, y: x == y,
        lambda f, x, y: x < y,
        lambda f, x, y: x.above(y),
        lambda f, x, y: select(y, x, 0),
        lambda f, x, y: f.call("note", x, y),
        lambda f, x, y: f.indirect(TWO, const(0), x, y),
    ],
)
def test_operands_are_emitted_from_left_to_right(make: Callable[[Function, Value, Value], Value]) -> None:
    def write(f: Function) -> Value:
        f.set(f.params[0], make(f, f.call("note", 1, 1), f.call("note", 2, 2)))
        return load(AT)

    assert str(called(write)).startswith("12")


def test_a_place_on_the_right_is_emitted_on_the_right() -> None:
    """Python would ask first a class that derives from the left operand's."""
    module = Module()
    f = Function(Code(TWO), module, {})
    x = variable(module, module.global_())
    f.give((f.params[0] + 1) == x)
    assert bytes(f.code.body) == b"\x20\x00\x41\x01\x6a\x23\x00\x46"


def test_a_value_is_emitted_where_it_is_used_and_each_time() -> None:
    def write(f: Function) -> Value:
        x = f.call("note", 1, 3)
        f.set(f.params[0], load(AT))
        f.set(f.params[1], x + x)
        return f.params[0] * 1000 + load(AT)

    assert called(write) == 33


def test_structure() -> None:
    def write(f: Function) -> Value:
        total, k = f.params
        with f.until(k >= 10) as again:
            f.set(k, k + 1)
            f.br_if(again, (k & 1).is_zero())
            with f.when(k == 5):
                f.set(total, total + 100)
                f.otherwise()
                f.set(total, total + k)
        with f.block() as out, f.loop() as more:
            f.set(k, k - 1)
            f.br_if(out, k == 3)
            f.br(more)
        return total * 10 + k

    assert called(write) == 1203


def test_memory() -> None:
    def write(f: Function) -> Value:
        f.store(AT, const(-1, "i64"))
        f.store(f.params[0], 5, AT + 8)
        f.copy(AT + 16, AT, 16)
        f.clear(AT, 4)
        return load(AT) + load(AT + 4) + load(f.params[0] + 16, AT) + load(AT + 24)

    assert called(write) == 3


def test_what_does_not_fit_is_refused() -> None:
    f = Function(Code(TWO), Module(), {})
    wide = f.local("i64")
    with pytest.raises(TypeError):
        _ = wide + f.params[0]
    with pytest.raises(TypeError):
        f.set(wide, f.params[0])
    with pytest.raises(TypeError):
        f.indirect(TWO, const(0), wide, 0)
    with pytest.raises(TypeError):
        _ = 1 if f.params[0] < 3 else 2


def test_division_by_zero_traps() -> None:
    with pytest.raises(Trapped):
        called(lambda f: f.params[0].quotient(0))
