"""The program's names as people read them, and what its `show:` says, value by value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from interpreter.drivers.layout import Line
from interpreter.ir.program import Domain, Program, Var

GRID_ID: Final = re.compile(r"([a-z])(\d{1,2})")


SLANTS: Final = "slanted grids"


REPEATED: Final = 4


@dataclass(frozen=True, slots=True)
class Place:
    """A box on a map: left edge and width in map units, row from 1."""

    member: int
    x: int
    row: int
    width: int


def show_data(program: Program) -> Mapping[str, object]:
    """The program's `show:` data; empty if it has none."""
    return {str(k): v for k, v in program.show.items()} if isinstance(program.show, dict) else {}


def is_grid(domain: Domain) -> bool:
    """Whether all ids are a letter and a number, so that they lie in columns and rows."""
    return len(domain.ids) > 1 and all(GRID_ID.fullmatch(i) for i in domain.ids)


def spot_of(id_: str) -> tuple[int, str]:
    """Row and column of an id that is a letter and a number."""
    found = GRID_ID.fullmatch(id_)
    return (int(found.group(2)), found.group(1)) if found else (0, id_)


def row_id(domain: Domain, member: int) -> str:
    """The row that a member was made from: its id without the number of the copy."""
    first = domain.design[member] if domain.design else member
    id_ = domain.ids[member]
    return id_.rpartition("_")[0] if domain.design.count(first) > 1 else id_


def read_place(member: int, spot: object) -> Place | None:
    """Coordinates of one place in `show:`."""
    at = spot.get("at") if isinstance(spot, dict) else None
    if not isinstance(spot, dict) or not isinstance(at, list) or len(at) != 2:
        return None
    x, row, wide = at[0], at[1], spot.get("width", 1)
    if not all(isinstance(n, int) for n in (x, row, wide)):
        return None
    return Place(member, x, row, wide)


def face_down(count: int | None) -> str:
    """Pieces that cannot be seen."""
    return "face down" if count is None else f"{count} face down"


def repeated(symbol: str, value: int) -> str:
    """A symbol so many times; with a number where that would be long."""
    return symbol * value if 0 < value <= REPEATED and len(symbol) == 1 else f"{symbol}{value}"


def field_name(var: Var) -> str:
    """The field's own word, without the type it belongs to."""
    return var.address.rpartition(".")[2]


def zone_name(address: str) -> str:
    """The zone's own word, without owner and slot."""
    words = [w for w in re.split(r"[.\[\]]", address) if w and not w.isdigit()]
    return words[-1] if words else address


def words_of(name: str) -> str:
    """An id as words."""
    return name.replace("_", " ")


def fields_of(program: Program, domain: int, owner: str = "") -> list[int]:
    """Variables whose first key is this domain."""
    wheres = {kind.where for kind in program.piece_types}
    return [
        v
        for v, var in enumerate(program.vars)
        if var.keys and var.keys[0] == domain and v not in wheres and var.owner != "table" and owner in ("", var.owner)
    ]


def elements_of(
    program: Program, var: Var, member: int, labels_of: Callable[[Domain], Sequence[str]]
) -> Iterator[tuple[int, str]]:
    """The elements of a field that belong to one member, with the label of the inner key, if it has one."""
    per = var.count // max(1, len(program.domains[var.keys[0]].ids)) if var.keys else var.count
    per = var.count // program.players if var.owner == "player" else per
    if len(var.keys) < 2:
        yield member, ""
        return
    inner = program.domains[var.keys[1]]
    labels = labels_of(inner)
    for offset in range(per):
        yield member * per + offset, labels[offset] if offset < len(labels) else str(offset + inner.first)


def table_elements(program: Program, var: Var) -> Iterator[tuple[int, str]]:
    """The elements of a keyed field of the table, with the names of its first key."""
    domain = program.domains[var.keys[0]]
    for element in range(min(var.count, 40)):
        yield element, domain.names[element] if element < len(domain.names) else str(element + domain.first)


def joined_line(label: str, words: Sequence[str]) -> Line:
    """A label and words with commas."""
    return ((label, "dim"), *((f"{word}, ", "") for word in words[:-1]), (words[-1], ""))


def drawn_domains(program: Program) -> list[int]:
    """Types whose members are drawn as places or in lists: neither players nor pieces."""
    others = {program.player_domain, *(kind.domain for kind in program.piece_types)}
    return [domain for domain in range(len(program.domains)) if domain not in others]
