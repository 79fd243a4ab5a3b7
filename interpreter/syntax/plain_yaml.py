"""Plain data as YAML text that the loader reads back as the same data.

In: dictionaries, lists, texts, whole numbers, truth values, None. Out: lines. What is short stands on one line, texts of several lines
stand below a `|`. Above an entry may stand a comment, looked up by its dotted path. PyYAML's own writer is not used: it folds long lines,
which makes places vague, and knows no comments.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from interpreter.text.yaml_words import NO_TEXT

_WIDTH: Final = 110
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*(?: [A-Za-z0-9_.]+)*|[0-9]+\.[0-9]+\.[0-9]+|[0-9]+\.\.[0-9]+")


class _Word(str):
    """A word that stands without quotes, because only people read it."""

    __slots__ = ()


def yaml_lines(data: Mapping[str, object], notes: Mapping[str, str], for_people: bool = False) -> Iterator[str]:
    """A whole file; `notes` are comments by dotted path, of a line or more. A section of several lines stands apart from the one before.
    For people, words such as `n` and `off` have no quotes."""
    if for_people:
        data = {_unquoted(key): _unquoted(value) for key, value in data.items()}
    for key in data:
        section = list(_entries({key: data[key]}, "", "", notes))
        yield from [""] * (len(section) > 1) + section


def _unquoted(value: Any) -> Any:
    """The same data, with words that only a reader of YAML would take for something else marked as words."""
    match value:
        case dict():
            return {_unquoted(k): _unquoted(v) for k, v in value.items()}
        case list():
            return [_unquoted(v) for v in value]
        case str() if value.lower() in NO_TEXT:
            return _Word(value)
        case _:
            return value


def _entries(data: Mapping[str, object], indent: str, path: str, notes: Mapping[str, str]) -> Iterator[str]:
    for key, value in data.items():
        here = f"{path}.{key}" if path else str(key)
        if here in notes:
            yield from (f"{indent}# {note}" for note in notes[here].split("\n"))
        name = _scalar(key)
        inside = any(note.startswith(f"{here}.") for note in notes)
        short = None if inside else _short(value)
        if short is not None and len(indent) + len(name) + len(short) + 2 <= _WIDTH:
            yield f"{indent}{name}: {short}".rstrip()
        elif isinstance(value, dict) and value:
            yield f"{indent}{name}:"
            yield from _entries(value, indent + "  ", here, notes)
        elif isinstance(value, list) and value:
            yield f"{indent}{name}:"
            for item in value:
                yield from _item(item, indent)
        elif isinstance(value, str) and _can_stand_below(value):
            yield f"{indent}{name}: {'|' if value.endswith(chr(10)) else '|-'}"
            yield from (f"{indent}  {line}" if line else "" for line in value.removesuffix("\n").split("\n"))
        else:
            yield f"{indent}{name}: {_scalar(value) if short is None else short}"


def _item(value: object, indent: str) -> Iterator[str]:
    """An item of a list that does not fit on one line."""
    short = _short(value)
    if isinstance(value, dict) and (short is None or len(indent) + len(short) + 2 > _WIDTH):
        for number, line in enumerate(_entries(value, indent + "  ", "", {})):
            yield f"{indent}- {line[len(indent) + 2 :]}" if number == 0 else line
    else:
        yield f"{indent}- {short if short is not None else json.dumps(value, ensure_ascii=False)}"


def _short(value: object) -> str | None:
    """A value on one line; None where it has a text of several lines in it."""
    match value:
        case dict():
            parts = [(_scalar(k), _short(v)) for k, v in value.items()]
            known = [f"{k}: {v}" for k, v in parts if v is not None]
            return "{" + ", ".join(known) + "}" if len(known) == len(parts) else None
        case list():
            items = [_short(v) for v in value]
            texts = [i for i in items if i is not None]
            return "[" + ", ".join(texts) + "]" if len(texts) == len(items) else None
        case str() if "\n" in value:
            return None
        case _:
            return _scalar(value)


def _scalar(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case None:
            return "null"
        case _:
            text = str(value)
            plain = isinstance(value, _Word) or (_WORD.fullmatch(text) is not None and text.lower() not in NO_TEXT)
            return text if plain else json.dumps(text, ensure_ascii=False)


def _can_stand_below(text: str) -> bool:
    """Whether a text of several lines is the same below a `|`."""
    body = text.removesuffix("\n")
    return "\n" in text and bool(body.strip()) and not body.startswith((" ", "\n")) and not body.endswith("\n")
