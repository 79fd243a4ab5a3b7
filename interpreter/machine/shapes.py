"""Closures for single operations: conditions, comparisons, loops of queries, branches.

In: closures of the parts. Out: a closure of the whole. Which operation gets which shape is decided in closures.py.
"""

from __future__ import annotations

from interpreter.ir.ir_types import INT32, LEAST_NUMBER, MOST_NUMBER, NO_NUMBER, NOTHING, IntT
from interpreter.ir.ops import Binary, Const, Local
from interpreter.ir.program import Var
from interpreter.machine.cells import Items, Locals, Number, Row, Sequenced, Step
from interpreter.machine.faults import EngineBug, RuleFault


def always(row: Row, slots: Locals) -> int:
    """The condition that always holds."""
    return 1


def number(value: int, at: int) -> int:
    """Refuse what is no number of the language; `at` is the place of the arithmetic that comes to it."""
    if LEAST_NUMBER <= value <= MOST_NUMBER:
        return value
    raise RuleFault(f"a number would be {value}, and numbers go from {LEAST_NUMBER} to {MOST_NUMBER}", at=at)


def divisor(value: int, at: int) -> int:
    """Refuse to divide by 0."""
    if value == 0:
        raise RuleFault("a number would be divided by 0", at=at)
    return value


def fallible(op: str, a: Number, b: Number, at: int) -> Number:
    """Arithmetic that may be a fault."""
    match op:
        case "checked_add":
            return lambda row, slots: number(a(row, slots) + b(row, slots), at)
        case "checked_sub":
            return lambda row, slots: number(a(row, slots) - b(row, slots), at)
        case "checked_mul":
            return lambda row, slots: number(a(row, slots) * b(row, slots), at)
        case "div":
            return lambda row, slots: a(row, slots) // divisor(b(row, slots), at)
        case _:
            return lambda row, slots: a(row, slots) % divisor(b(row, slots), at)


def span_mask(lo: int, hi: int, top: int) -> int:
    """The set of lo..hi within 0..top."""
    lo, hi = max(lo, 0), min(hi, top)
    return ((2 << hi) - (1 << lo)) if lo <= hi else 0


def kept(items: Items, mask: int) -> Items:
    """Those of a sequence that are in a set."""
    return tuple([x for x in items if mask >> x & 1])


def conjunction(parts: list[Number]) -> Number:
    """All, from the left."""
    match parts:
        case [a, b]:
            return lambda row, slots: 1 if a(row, slots) and b(row, slots) else 0
        case [a, b, c]:
            return lambda row, slots: 1 if a(row, slots) and b(row, slots) and c(row, slots) else 0

    def all_of(row: Row, slots: Locals) -> int:
        for part in parts:
            if not part(row, slots):
                return 0
        return 1

    return all_of


def disjunction(parts: list[Number]) -> Number:
    """One, from the left."""
    match parts:
        case [a, b]:
            return lambda row, slots: 1 if a(row, slots) or b(row, slots) else 0

    def one_of(row: Row, slots: Locals) -> int:
        for part in parts:
            if part(row, slots):
                return 1
        return 0

    return one_of


def local_and_constant(op: str, n: int, k: int) -> Number | None:
    """A local against a number."""
    match op:
        case "eq":
            return lambda row, slots: 1 if slots[n] == k else 0
        case "ne":
            return lambda row, slots: 1 if slots[n] != k else 0
        case "lt":
            return lambda row, slots: 1 if slots[n] < k else 0
        case "le":
            return lambda row, slots: 1 if slots[n] <= k else 0
        case "gt":
            return lambda row, slots: 1 if slots[n] > k else 0
        case "ge":
            return lambda row, slots: 1 if slots[n] >= k else 0
        case "add":
            return lambda row, slots: slots[n] + k
        case "sub":
            return lambda row, slots: slots[n] - k
        case _:
            return None


def with_constant(op: str, a: Number, k: int) -> Number | None:
    """Anything against a number."""
    match op:
        case "eq":
            return lambda row, slots: 1 if a(row, slots) == k else 0
        case "ne":
            return lambda row, slots: 1 if a(row, slots) != k else 0
        case "lt":
            return lambda row, slots: 1 if a(row, slots) < k else 0
        case "le":
            return lambda row, slots: 1 if a(row, slots) <= k else 0
        case "gt":
            return lambda row, slots: 1 if a(row, slots) > k else 0
        case "ge":
            return lambda row, slots: 1 if a(row, slots) >= k else 0
        case "add":
            return lambda row, slots: a(row, slots) + k
        case "sub":
            return lambda row, slots: a(row, slots) - k
        case "has" if k >= 0:
            return lambda row, slots: a(row, slots) >> k & 1
        case _:
            return None


def compared(op: str, a: Number, b: Number) -> Number:
    """Two numbers or sets against each other."""
    match op:
        case "eq" | "seteq":
            return lambda row, slots: 1 if a(row, slots) == b(row, slots) else 0
        case "ne":
            return lambda row, slots: 1 if a(row, slots) != b(row, slots) else 0
        case "lt":
            return lambda row, slots: 1 if a(row, slots) < b(row, slots) else 0
        case "le":
            return lambda row, slots: 1 if a(row, slots) <= b(row, slots) else 0
        case "gt":
            return lambda row, slots: 1 if a(row, slots) > b(row, slots) else 0
        case _:
            return lambda row, slots: 1 if a(row, slots) >= b(row, slots) else 0


def strided(e: Binary) -> Number | None:
    """The index of an element with two keys: one local times a constant, plus another local."""
    match e.a, e.b:
        case Binary("mul", Local(n), Const(k)), Local(m):
            return lambda row, slots: slots[n] * k + slots[m]
        case Binary("mul", Local(n), Const(k)), Const(c):
            return lambda row, slots: slots[n] * k + c
        case _:
            return None


def store_cell(var: Var, cell: int, value: Number) -> Step:
    """A store to a cell known beforehand, of a variable of numbers."""
    lo, hi = (var.type.lo, var.type.hi) if isinstance(var.type, IntT) else INT32

    def store(row: Row, slots: Locals) -> int:
        v = value(row, slots)
        if not lo <= v <= hi:
            raise EngineBug(f"`{var.address}` would become {v}, outside {lo}..{hi}")
        row[cell] = v
        return 0

    return store


def query_any(n: int, each: Sequenced, test: Number) -> Number:
    """See ops.Query."""

    def found(row: Row, slots: Locals) -> int:
        for x in each(row, slots):
            slots[n] = x
            if test(row, slots):
                return 1
        return 0

    return found


def query_count(n: int, each: Sequenced, test: Number) -> Number:
    """See ops.Query."""

    def count(row: Row, slots: Locals) -> int:
        total = 0
        for x in each(row, slots):
            slots[n] = x
            if test(row, slots):
                total += 1
        return total

    return count


def query_first(n: int, each: Sequenced, test: Number) -> Number:
    """See ops.Query."""

    def first(row: Row, slots: Locals) -> int:
        for x in each(row, slots):
            slots[n] = x
            if test(row, slots):
                return x
        return NOTHING

    return first


def query_filter(n: int, each: Sequenced, test: Number) -> Number:
    """See ops.Query."""

    def chosen(row: Row, slots: Locals) -> int:
        mask = 0
        for x in each(row, slots):
            slots[n] = x
            if test(row, slots):
                mask |= 1 << x
        return mask

    return chosen


def query_sum(n: int, each: Sequenced, where: Number | None, value: Number) -> Number:
    """See ops.Query."""

    def total(row: Row, slots: Locals) -> int:
        result = 0
        for x in each(row, slots):
            slots[n] = x
            if where is None or where(row, slots):
                result += value(row, slots)
        return result

    return total


def checked_sum(n: int, each: Sequenced, where: Number | None, value: Number, at: int) -> Number:
    """See ops.Query."""
    total = query_sum(n, each, where, value)
    return lambda row, slots: number(total(row, slots), at)


def query_extreme(n: int, each: Sequenced, test: Number, value: Number, sign: int) -> Number:
    """See ops.Query; sign 1 finds the highest, -1 the lowest."""

    def extreme(row: Row, slots: Locals) -> int:
        top: int | None = None
        for x in each(row, slots):
            slots[n] = x
            if test(row, slots):
                v = sign * value(row, slots)
                if top is None or v > top:
                    top = v
        return NO_NUMBER if top is None else sign * top

    return extreme


def branch(condition: Number, then: tuple[Step, ...], other: tuple[Step, ...]) -> Step:
    """See ops.If."""

    def run(row: Row, slots: Locals) -> int:
        for step in then if condition(row, slots) else other:
            failed = step(row, slots)
            if failed:
                return failed
        return 0

    return run


def loop(n: int, each: Sequenced, body: tuple[Step, ...]) -> Step:
    """See ops.For."""

    def run(row: Row, slots: Locals) -> int:
        for x in each(row, slots):
            slots[n] = x
            for step in body:
                failed = step(row, slots)
                if failed:
                    return failed
        return 0

    return run
