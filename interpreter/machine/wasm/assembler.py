"""Functions of the module written readably: values with Python's operators, and a statement a line.

In: the code of a function under construction. Out: its instructions. A `Value` is an expression that has not been emitted yet. The
statement that it is given to emits it, there and then, its operands from left to right; one that is given to two statements is
emitted twice. Nothing is kept in locals unless `set` says so. `==` and the like compare bits, `<` and the like signed numbers; the
unsigned comparisons have names. A Python number takes the type of what it is combined with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from interpreter.machine.wasm.encode import Code, FuncType, Label, Module, ValueType


def _binary(op: str, result: ValueType | None = None) -> Callable[[Value, Operand], Value]:
    """An operator whose result is of the operands' type, unless another is given."""

    def make(a: Value, b: Operand) -> Value:
        left, right = _pair(a, b)
        return _made(result or left.kind, (left, right), lambda code: code.op(f"{left.kind}.{op}"))

    return make


def _unary(op: str, result: ValueType | None = None) -> Callable[[Value], Value]:
    return lambda a: _made(result or a.kind, (a,), lambda code: code.op(f"{a.kind}.{op}"))


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A number that `emit` pushes: an Expression or a Place."""

    kind: ValueType
    emit: Callable[[Code], None]

    __add__ = _binary("add")
    __sub__ = _binary("sub")
    __mul__ = _binary("mul")
    __and__ = _binary("and")
    __or__ = _binary("or")
    __xor__ = _binary("xor")
    __lshift__ = _binary("shl")
    # Zeros come in from above.
    __rshift__ = _binary("shr_u")
    # Bits that leave above come in below; i64 only.
    rotated = _binary("rotl")
    # Signed, rounded towards 0, and what that leaves; both trap at 0.
    quotient = _binary("div_s")
    remainder = _binary("rem_s")

    __eq__ = _binary("eq", "i32")  # type: ignore[assignment]  # a comparison in the module, not in Python
    __ne__ = _binary("ne", "i32")  # type: ignore[assignment]
    is_zero = _unary("eqz", "i32")
    # Signed.
    __lt__ = _binary("lt_s", "i32")
    __le__ = _binary("le_s", "i32")
    __gt__ = _binary("gt_s", "i32")
    __ge__ = _binary("ge_s", "i32")
    # The same, unsigned.
    below = _binary("lt_u", "i32")
    at_most = _binary("le_u", "i32")
    above = _binary("gt_u", "i32")
    at_least = _binary("ge_u", "i32")

    # How many bits are 1; how many are 0 below the lowest 1, and above the highest.
    ones = _unary("popcnt")
    zeros_below = _unary("ctz")
    zeros_above = _unary("clz")

    def __rsub__(self, other: int) -> Value:
        return const(other, self.kind) - self

    def wide(self) -> Value:
        """An i32 as an i64, with zeros above."""
        return _made("i64", (self,), lambda code: code.op("i64.extend_i32_u"))

    def low(self) -> Value:
        """The lower half of an i64."""
        return _made("i32", (self,), lambda code: code.op("i32.wrap_i64"))

    def high(self) -> Value:
        """The upper half of an i64."""
        return (self >> 32).low()

    def __bool__(self) -> bool:
        raise TypeError("the module will know this value, Python does not")


Operand = Value | int


@dataclass(frozen=True, slots=True, eq=False)
class Expression(Value):
    """A number that is worked out. (Not Value itself: of two operands Python asks the right one first if its class derives from the left
    one's, and that would emit it first.)"""


@dataclass(frozen=True, slots=True, eq=False)
class Place(Value):
    """A local or a variable of the module: the number it holds, and `pop`, which takes a new one from the stack."""

    pop: Callable[[Code], None]


def variable(module: Module, number: int) -> Place:
    """A variable of the module."""
    return Place(module.globals[number][0], lambda code: code.get_global(number), lambda code: code.set_global(number))


def const(number: int, kind: ValueType = "i32") -> Value:
    """A number."""
    return Expression(kind, lambda code: code.const(number, kind))


def load(at: Operand, offset: int = 0, kind: ValueType = "i32") -> Value:
    """What lies in memory at an address plus a fixed offset."""
    base, offset = _based(at, offset)
    return _made(kind, (base,), lambda code: code.memory(f"{kind}.load", offset))


def select(condition: Value, then: Operand, other: Operand) -> Value:
    """One of two values. Both are worked out, the condition last."""
    a, b = _pair(then, other)
    return _made(a.kind, (a, b, condition), lambda code: code.op("select"))


def _made(kind: ValueType, parts: Sequence[Value], last: Callable[[Code], None]) -> Value:
    """What the last instruction makes of the parts, which are emitted in this order."""

    def emit(code: Code) -> None:
        for part in parts:
            part.emit(code)
        last(code)

    return Expression(kind, emit)


def _value(operand: Operand, kind: ValueType = "i32") -> Value:
    return const(operand, kind) if isinstance(operand, int) else operand


def _pair(a: Operand, b: Operand) -> tuple[Value, Value]:
    kind = a.kind if isinstance(a, Value) else b.kind if isinstance(b, Value) else "i32"
    left, right = _value(a, kind), _value(b, kind)
    if left.kind != right.kind:
        raise TypeError(f"{left.kind} and {right.kind} do not go together")
    return left, right


def _based(at: Operand, offset: int) -> tuple[Value, int]:
    """A fixed address is an offset from 0."""
    return (const(0), at + offset) if isinstance(at, int) else (at, offset)


def _fitting(kind: FuncType, args: Sequence[Operand]) -> list[Value]:
    values = [_value(arg, word) for arg, word in zip(args, kind.params, strict=True)]
    if any(value.kind != word for value, word in zip(values, kind.params, strict=True)):
        raise TypeError(f"arguments of types {[value.kind for value in values]} for a function of type {kind}")
    return values


class Function:
    """One function of the module, written statement by statement. `names` has the functions that can be called by name."""

    def __init__(self, code: Code, module: Module, names: Mapping[str, int]) -> None:
        self.code = code
        self._module = module
        self._names = names
        self.params = tuple(self._local(n) for n in range(len(code.type.params)))
        """The parameters as places."""

    def _local(self, number: int) -> Place:
        return Place(self.code.kind(number), lambda code: code.get(number), lambda code: code.set(number))

    def local(self, kind: ValueType = "i32") -> Place:
        """A new local, 0 at the beginning."""
        return self._local(self.code.local(kind))

    def locals(self, count: int, kind: ValueType = "i32") -> tuple[Place, ...]:
        """Several of them."""
        return tuple(self.local(kind) for _ in range(count))

    # -------------------------------------------------------------- values that need the module

    def call(self, function: str | int, *args: Operand) -> Value:
        """The one result of a function, by name or number. It is called where the value is used."""
        number, kind = self._known(function)
        (result,) = kind.results
        return _made(result, _fitting(kind, args), lambda code: code.call(number))

    def indirect(self, kind: FuncType, entry: Value, *args: Operand) -> Value:
        """The one result of the function that the module's table has at an entry; see `call`."""
        number, (result,) = self._module.type(kind), kind.results
        return _made(result, [*_fitting(kind, args), entry], lambda code: code.call_indirect(number))

    def _known(self, function: str | int) -> tuple[int, FuncType]:
        number = self._names[function] if isinstance(function, str) else function
        return number, self._module.functions[number][0]

    # -------------------------------------------------------------- statements

    def do(self, function: str | int, *args: Operand, into: Sequence[Place] = ()) -> None:
        """Call a function for what it does; its results, if any, go into places."""
        number, kind = self._known(function)
        if kind.results != tuple(place.kind for place in into):
            raise TypeError(f"results of {function} do not fit where they go")
        self.give(*_fitting(kind, args))
        self.code.call(number)
        for place in reversed(into):
            place.pop(self.code)

    def do_indirect(self, kind: FuncType, entry: Value, *args: Operand) -> None:
        """Call a function without results that the module's table has at an entry."""
        self.give(*_fitting(kind, args), entry)
        self.code.call_indirect(self._module.type(kind))

    def set(self, place: Place, value: Operand) -> None:
        """Put a value into a local or variable."""
        _pair(place, value)[1].emit(self.code)
        place.pop(self.code)

    def store(self, at: Operand, value: Operand, offset: int = 0) -> None:
        """Put a value into memory, at an address plus a fixed offset."""
        (base, offset), word = _based(at, offset), _value(value)
        base.emit(self.code)
        word.emit(self.code)
        self.code.memory(f"{word.kind}.store", offset)

    def copy(self, to: Operand, source: Operand, size: Operand) -> None:
        """Copy bytes of memory."""
        self.give(to, source, size)
        self.code.op("memory.copy")

    def clear(self, at: Operand, size: Operand) -> None:
        """Put 0 into bytes of memory."""
        self.give(at, 0, size)
        self.code.op("memory.fill")

    def give(self, *values: Operand) -> None:
        """Push values: the function's results, at its end."""
        for value in values:
            _value(value).emit(self.code)

    def leave(self, *values: Operand) -> None:
        """Leave the function with its results."""
        self.give(*values)
        self.code.op("return")

    def fail(self, why: int) -> None:
        """Trap, for a reason that the host will find (see memory.py)."""
        self.do("fail", why)
        self.unreachable()

    def unreachable(self) -> None:
        """Nothing comes here."""
        self.code.op("unreachable")

    # -------------------------------------------------------------- structure

    @contextmanager
    def when(self, condition: Value) -> Iterator[None]:
        """What runs if a condition holds; `otherwise` inside begins the other way."""
        condition.emit(self.code)
        with self.code.when():
            yield

    def otherwise(self) -> None:
        """The other way of a `when`."""
        self.code.otherwise()

    def block(self) -> AbstractContextManager[Label]:
        """A block; going to its label leaves it."""
        return self.code.block()

    def loop(self) -> AbstractContextManager[Label]:
        """A loop; going to its label begins it again, running off its end leaves it."""
        return self.code.loop()

    @contextmanager
    def until(self, condition: Value) -> Iterator[Label]:
        """A loop that goes on until a condition holds, tested before each round; going to its label begins the next round."""
        with self.block() as out, self.loop() as again:
            self.br_if(out, condition)
            yield again
            self.br(again)

    def br(self, label: Label) -> None:
        """Go to a label."""
        self.code.br(label)

    def br_if(self, label: Label, condition: Value) -> None:
        """Go to a label if a condition holds."""
        condition.emit(self.code)
        self.code.br_if(label)
