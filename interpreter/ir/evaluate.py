"""The value of an expression that reads no state: for folding, bounds, and what lies where at the start.

In: an expression over constants, tables and functions, with values for its locals. Out: its value (a number, a set as a mask, a
sequence as a tuple), or `NotConstant` where it reads the row or asks for look-ahead. This is a plain walk over the tree; the
machine that plays is elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interpreter.ir.ir_types import LEAST_NUMBER, MOST_NUMBER, NO_NUMBER, NOTHING
from interpreter.ir.ops import (
    Alike,
    And,
    Best,
    BestKey,
    Binary,
    Const,
    Expr,
    Fn,
    Load,
    Local,
    Lookup,
    Or,
    Probe,
    Query,
    Reach,
    Select,
    SeqConst,
    SetConst,
    Sort,
    Unary,
)
from interpreter.ir.program import Func, Table

Value = int | tuple[int, ...]


class NotConstant(Exception):
    """The expression's value depends on the state of a game, or it has none: where working it out is a fault, that is one of the game."""


def elements(group: Value) -> Iterator[int]:
    """Members of a set (rising) or a sequence (in order)."""
    if isinstance(group, tuple):
        yield from group
        return
    index = 0
    while group:
        if group & 1:
            yield index
        group >>= 1
        index += 1


class Evaluator:
    """Evaluates over given tables and functions."""

    def __init__(self, tables: Sequence[Table], funcs: Sequence[Func | None]) -> None:
        self.tables = tables
        self.funcs = funcs

    def number(self, node: Expr, env: dict[int, Value]) -> int:
        """A number or set mask."""
        found = self.value(node, env)
        assert isinstance(found, int)
        return found

    def value(self, node: Expr, env: dict[int, Value]) -> Value:  # noqa: C901 - one case a kind of node
        """Any value. Raises NotConstant."""
        match node:
            case Const(value=value):
                return value
            case SetConst(mask=mask):
                return mask
            case SeqConst(items=items):
                return items
            case Local(n=n):
                if n not in env:
                    raise NotConstant
                return env[n]
            case Load() | Probe() | Alike():
                raise NotConstant
            case Lookup(t=t, index=index):
                at = self.number(index, env)
                values = self.tables[t].values
                if not 0 <= at < len(values):
                    raise NotConstant
                return values[at]
            case Unary(op=op, a=a, size=_):
                return self._unary(op, self.value(a, env))
            case Binary(op=op, a=a, b=b, size=size):
                return binary(op, self.value(a, env), self.value(b, env), size)
            case And(parts=parts):
                return int(all(self.number(p, env) for p in parts))
            case Or(parts=parts):
                return int(any(self.number(p, env) for p in parts))
            case Select(condition=condition, then=then, other=other):
                return self.value(then if self.number(condition, env) else other, env)
            case Fn(f=f, args=args):
                func = self.funcs[f]
                if func is None:
                    raise NotConstant
                return self.value(func.body, dict(enumerate(self.value(a, env) for a in args)))
            case Query():
                return self._query(node, env)
            case Best(n=n, domain=domain, keys=keys):
                group = list(elements(self.value(domain, env)))
                for key in keys:
                    scored = [(self._key(key, n, x, env), x) for x in group]
                    top = max((s for s, _ in scored), default=0)
                    group = [x for s, x in scored if s == top]
                return sum(1 << x for x in group)
            case Sort(n=n, domain=domain, keys=keys):
                group = list(elements(self.value(domain, env)))
                return tuple(sorted(group, key=lambda x: tuple(-self._key(k, n, x, env) for k in keys)))
            case Reach(n=n, step=step, start=start, steps=steps, through=through):
                here, found = 1 << self.number(start, env), 0
                wanted, allowed = self.number(steps, env), self.number(through, env)
                for k in range(wanted.bit_length()):
                    found |= here if wanted >> k & 1 else 0
                    ahead = 0
                    for place in elements(here):
                        ahead |= self.number(step, {**env, n: place})
                    here = ahead & allowed
                return found & ~(1 << self.number(start, env))
        raise NotConstant

    def _key(self, key: BestKey, n: int, x: int, env: dict[int, Value]) -> int:
        value = self.number(key.value, {**env, n: x})
        return value if key.most else -value

    def _unary(self, op: str, a: Value) -> Value:
        if isinstance(a, tuple):
            match op:
                case "length":
                    return len(a)
                case "items":
                    return sum(1 << x for x in a)
                case "reverse":
                    return a[::-1]
                case "first":
                    return a[0] if a else NOTHING
            raise NotConstant
        match op:
            case "neg":
                return -a
            case "not":
                return 1 - a
            case "size":
                return a.bit_count()
            case "single":
                return 1 << a if a >= 0 else 0
            case "first":
                return (a & -a).bit_length() - 1 if a else NOTHING
            case "sole":
                return a.bit_length() - 1 if a.bit_count() == 1 else NOTHING
        raise NotConstant

    def _query(self, node: Query, env: dict[int, Value]) -> Value:
        found = []
        for x in elements(self.value(node.domain, env)):
            inner = {**env, node.n: x}
            if node.where is None or self.number(node.where, inner):
                found.append((x, self.number(node.value, inner) if node.value is not None else 0))
        match node.kind:
            case "any":
                return int(bool(found))
            case "count":
                return len(found)
            case "filter":
                return sum(1 << x for x, _ in found)
            case "first":
                return found[0][0] if found else NOTHING
            case "sum" | "checked_sum":
                return _number(sum(v for _, v in found))
            case "highest":
                return max((v for _, v in found), default=NO_NUMBER)
            case "lowest":
                return min((v for _, v in found if v != NO_NUMBER), default=NO_NUMBER)


def binary(op: str, a: Value, b: Value, size: int) -> Value:  # noqa: C901 - one case an operation
    """One binary operation on plain values."""
    if isinstance(a, tuple):
        match op:
            case "nth" if isinstance(b, int):
                return a[b - 1] if 1 <= b <= len(a) else NOTHING
            case "place" if isinstance(b, int):
                return a.index(b) + 1 if b in a else 0
            case "append" if isinstance(b, int):
                return (*(x for x in a if x != b), b)
            case "prepend" if isinstance(b, int):
                return (b, *(x for x in a if x != b))
            case "drop":
                return tuple(x for x in a if x != b)
            case "seqeq":
                return int(a == b)
            case "keep" if isinstance(b, int):
                return tuple(x for x in a if b >> x & 1)
        raise NotConstant
    assert isinstance(b, int)
    match op:
        case "add" | "checked_add":
            return _number(a + b)
        case "sub" | "checked_sub":
            return _number(a - b)
        case "mul" | "checked_mul":
            return _number(a * b)
        case "div" | "mod":
            if b == 0:
                raise NotConstant
            return a // b if op == "div" else a % b
        case "min":
            return min(a, b)
        case "max":
            return max(a, b)
        case "eq" | "seteq":
            return int(a == b)
        case "ne":
            return int(a != b)
        case "lt":
            return int(a < b)
        case "le":
            return int(a <= b)
        case "gt":
            return int(a > b)
        case "ge":
            return int(a >= b)
        case "union":
            return a | b
        case "inter":
            return a & b
        case "minus":
            return a & ~b
        case "has":
            return a >> b & 1 if b >= 0 else 0
        case "subset":
            return int(a & ~b == 0)
        case "range":
            low, high = max(a, 0), min(b, size - 1)
            return ((1 << (high - low + 1)) - 1) << low if high >= low else 0
    raise NotConstant


def _number(value: int) -> int:
    """The result of arithmetic, which must be a number of the language."""
    if not LEAST_NUMBER <= value <= MOST_NUMBER:
        raise NotConstant
    return value
