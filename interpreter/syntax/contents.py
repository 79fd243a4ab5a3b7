"""What a definition says, by address: each thing's own text, so that two definitions can be compared rule by rule.

In: a definition. Out: texts by address in the order of a file, or the addresses alone, options of `either` among them, whose texts are a
part of that of their routine. Places, comments and layout do not show; numbers,
rules, names, citations and shown texts do. A row is there by its cells, an effect by its steps; what stands beside a thing (`cite`,
`data`, `gap`, `copies`, `takes`, `depth`) is said under the thing's address with that word behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from interpreter.syntax.definition import Definition
from interpreter.syntax.either_options import all_offered
from interpreter.syntax.formatter import format_components, format_functions, format_member, format_option
from interpreter.syntax.nodes import EnumDecl, TableHas, ThingDecl
from interpreter.syntax.plain_yaml import yaml_lines
from interpreter.syntax.writer import Data, file_data

_BESIDE: Final = frozenset(("cite", "data", "gap", "note", "copies", "takes", "depth"))
_MAIN: Final = {"graphs": "lines", "modifiers": "rule", "triggers": "rule", "scoring": "points", "values": "is"}
"""Where the thing itself stands in its entry, if something else stands beside it."""


@dataclass(frozen=True, slots=True)
class _Part:
    """One address. `beside`: it is no address of its own, but what stands beside one."""

    address: str
    text: str
    beside: bool = False


def contents(definition: Definition) -> dict[str, str]:
    """The texts. A thing that is only the sum of its parts has an empty one where it has no parts, else none."""
    return {part.address: part.text for part in _parts(definition)}


def addresses(definition: Definition) -> tuple[str, ...]:
    """Every address that can be named: things, their wholes, their parts."""
    found: dict[str, None] = {}
    for part in _parts(definition):
        if part.beside:
            continue
        section, _, rest = part.address.partition(".")
        if section in definition.tables or section in ("setup", "play"):
            found[section] = None
        # A text is called by the whole address of what it names; whatever else has parts can be named as a whole too.
        if section != "text":
            names = rest.split(".") if rest else []
            for count in range(1, len(names)):
                found[".".join([section, *names[:count]])] = None
        found[part.address] = None
    found |= dict.fromkeys(one.address for one in all_offered(definition))
    return tuple(found)


def option_texts(definition: Definition) -> dict[str, str]:
    """The text of every option of an `either` that has an address."""
    return {one.address: format_option(one.option) for one in all_offered(definition)}


def _parts(game: Definition) -> Iterator[_Part]:
    for section, body in file_data(game).items():
        if section == "components":
            yield from _components(game)
        elif section == "functions":
            for name, func in game.functions.items():
                yield _Part(f"functions.{name}", format_functions((func,)))
        elif section in game.tables:
            yield from _rows(section, body)
        elif section in ("setup", "play"):
            yield from _steps(section, body)
        elif section in ("phases", "effects"):
            for name, routine in _items(body):
                address = f"{section}.{name}"
                yield from _steps(address, routine["do"] if isinstance(routine, dict) else routine)
                yield from _beside(address, routine)
        elif section in _MAIN:
            for name, thing in _items(body):
                yield from _thing(f"{section}.{name}", thing, _MAIN[section])
        elif isinstance(body, dict) and section not in ("winners", "payoff"):
            for name, thing in body.items():
                yield _Part(f"{section}.{name}", _said(thing), beside=section in ("renamed", "seats"))
        elif isinstance(body, dict):
            yield from _thing(section, body, "rule")
        else:
            yield _Part(section, _said(body), beside=section in ("game", "title", "rules", "version"))


def _components(game: Definition) -> Iterator[_Part]:
    """A declaration's first line, then each of its fields."""
    for decl in game.components:
        name = "table" if isinstance(decl, TableHas) else decl.name
        if isinstance(decl, EnumDecl):
            yield _Part(f"components.{name}", format_components((decl,)))
            continue
        if isinstance(decl, ThingDecl):
            yield _Part(f"components.{name}", format_components((replace(decl, members=()),)))
        for member in decl.members:
            for field in member.names:
                said = format_member(replace(member, names=(field,)))
                yield _Part(f"components.{name}.{field}", said.replace(f"{field}: ", "", 1))


def _rows(table: str, body: object) -> Iterator[_Part]:
    rows = [(name, row) for name, row in _items(body) if name not in _BESIDE]
    if not rows:
        yield _Part(table, "")
    for name, row in rows:
        address = f"{table}.{name}"
        cells = [(column, cell) for column, cell in _items(row) if column not in _BESIDE]
        if not cells:
            yield _Part(address, "")
        for column, cell in cells:
            yield _Part(f"{address}.{column}", _said(cell))
        yield from _beside(address, row)
    yield from _beside(table, body)


def _steps(address: str, body: object) -> Iterator[_Part]:
    """One text, or named texts."""
    if not isinstance(body, dict):
        yield _Part(address, _said(body))
        return
    for name, step in body.items():
        yield from _thing(f"{address}.{name}", step, "do")


def _thing(address: str, thing: object, main: str) -> Iterator[_Part]:
    """A thing that may be an entry with something beside it. Of values, all keys that stand for something else are the thing."""
    if isinstance(thing, dict):
        own = {k: v for k, v in thing.items() if k not in _BESIDE}
        yield _Part(address, _said(own[main] if set(own) == {main} else own))
    else:
        yield _Part(address, _said(thing))
    yield from _beside(address, thing)


def _beside(address: str, thing: object) -> Iterator[_Part]:
    for key, value in _items(thing):
        if key in _BESIDE:
            yield _Part(f"{address}.{key}", _said(value), beside=True)


def _items(body: object) -> Iterator[tuple[str, object]]:
    yield from body.items() if isinstance(body, dict) else ()


def _said(value: object) -> str:
    """Plain data as a person would write them."""
    if isinstance(value, str):
        return value.rstrip("\n")
    if isinstance(value, Mapping):
        return "\n".join(yaml_lines(dict(value), {}, for_people=True))
    line = next(iter(yaml_lines(Data(value=value), {}, for_people=True)))
    return line.removeprefix("value:").strip()
