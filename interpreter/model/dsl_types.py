"""The types of the rules language and how they relate.

Everything is finite: numbers carry an interval, all other values are members of a `Domain` (players, an enum, the rows of a table,
pieces). `Unknown` stands for the type of something already reported as wrong, and agrees with everything, so one mistake is
reported once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Num:
    """A number within lo..hi."""

    lo: int
    hi: int


@dataclass(frozen=True, slots=True)
class Truth:
    """true or false."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of domain number `domain` of the model: a player, a row, a piece, a word of an enum."""

    domain: int


@dataclass(frozen=True, slots=True)
class Maybe:
    """A value or nothing."""

    of: Num | Member | Effect | Truth


@dataclass(frozen=True, slots=True)
class Absent:
    """The type of the word `nothing`."""


@dataclass(frozen=True, slots=True)
class SetOf:
    """A set of members of one domain, or of numbers from 0 up."""

    of: Num | Member


@dataclass(frozen=True, slots=True)
class OrderOf:
    """Distinct members of a domain, or numbers from 0 up, in a row."""

    of: Num | Member


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect as a value."""


@dataclass(frozen=True, slots=True)
class MapOf:
    """A value for each key; nests."""

    key: Num | Member
    value: Type


@dataclass(frozen=True, slots=True)
class ZoneOf:
    """A place for pieces of a domain: group, deck, row or box."""

    kind: str
    piece: Member


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula in a table cell, called with arguments; `column` names it."""

    params: tuple[Type, ...]
    result: Type


@dataclass(frozen=True, slots=True)
class Holder:
    """The word `table`: it holds the table's fields."""


@dataclass(frozen=True, slots=True)
class Graph:
    """A graph's name, as an argument."""

    name: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """Already reported."""


Type = (
    Num
    | Truth
    | Member
    | Maybe
    | Absent
    | SetOf
    | OrderOf
    | Effect
    | MapOf
    | ZoneOf
    | Formula
    | Holder
    | Graph
    | Unknown
)

INT_LO: Final = -(2**31) + 1
INT_HI: Final = 2**31 - 1
ANY_NUMBER: Final = Num(INT_LO, INT_HI)
TRUTH: Final = Truth()
UNKNOWN: Final = Unknown()
PLAYER: Final = Member(0)


def is_sure(kind: Type) -> bool:
    """Whether a value of the type is never nothing."""
    return not isinstance(kind, Maybe | Absent)


def sure(kind: Type) -> Type:
    """The type without nothing."""
    return kind.of if isinstance(kind, Maybe) else kind


def maybe(kind: Type) -> Type:
    """The type with nothing."""
    return Maybe(kind) if isinstance(kind, Num | Member | Effect | Truth) else kind


def fits(found: Type, wanted: Type) -> bool:
    """Whether a value of type `found` can stand where `wanted` is asked for. Intervals do not matter here: a number outside its range
    is refused where it is stored."""
    match found, wanted:
        case (Unknown(), _) | (_, Unknown()):
            return True
        case Num(), Num():
            return True
        case Absent(), Maybe():
            return True
        case Maybe(a), Maybe(b):
            return fits(a, b)
        case _, Maybe(b):
            return fits(found, b)
        case (SetOf(a), SetOf(b)) | (OrderOf(a), SetOf(b)) | (OrderOf(a), OrderOf(b)):
            return fits(a, b)
        case ZoneOf(_, a), SetOf(b):
            return a == b
        case MapOf(a, x), MapOf(b, y):
            return a == b and fits(x, y)
        case _:
            return found == wanted


def join(a: Type, b: Type) -> Type | None:
    """The narrowest type both values have, or None."""
    match a, b:
        case Unknown(), _:
            return b
        case _, Unknown():
            return a
        case Num(l1, h1), Num(l2, h2):
            return Num(min(l1, l2), max(h1, h2))
        case Absent(), Absent():
            return a
        case Absent(), _:
            return maybe(b) if isinstance(b, Num | Member | Effect | Truth | Maybe) else None
        case _, Absent():
            return maybe(a) if isinstance(a, Num | Member | Effect | Truth | Maybe) else None
        case (Maybe(), _) | (_, Maybe()):
            inner = join(sure(a), sure(b))
            return maybe(inner) if inner is not None else None
        case SetOf(x), SetOf(y):
            inner = join(x, y)
            return SetOf(inner) if isinstance(inner, Num | Member) else None
        case (SetOf(), OrderOf() | ZoneOf()) | (OrderOf() | ZoneOf(), SetOf()):
            return a if isinstance(a, SetOf) and fits(b, a) else b if isinstance(b, SetOf) and fits(a, b) else None
        case ZoneOf(_, x), ZoneOf(_, y):
            return SetOf(x) if x == y else None
        case _:
            return a if a == b else None
