"""Whether what a verb writes has the form that the same thing has in a game file.

In: a definition, an address in it and a verb with its value. Out: diagnostics at the value; True where it has the form, or where its text
says what it is and is parsed. The forms are those of the game's schema, so that a patched game can be written as a file again.
"""

from __future__ import annotations

from typing import Final

from interpreter.syntax.definition import Definition
from interpreter.syntax.located import Entry, Mapping
from interpreter.syntax.nodes import EnumDecl
from interpreter.syntax.schema_check import Schema, check_part
from interpreter.text.diagnostic import Sink

_MARKS: Final = ("cite", "data", "gap", "note")
_SENTENCE: Final[Schema] = {"type": ["string", "integer"]}
_WORD: Final[Schema] = {"type": "string", "pattern": "^[a-z_][a-z0-9_]*$"}


def has_form(game: Definition, address: str, verb: Entry, sink: Sink) -> bool:
    """Whether a verb's value has its form; what is wrong is told."""
    form = _form(game, address.split("."), str(verb.key), verb.value)
    return form is None or check_part(verb, form, address, sink)


def shown_has_form(show: Mapping, verb: Entry, address: str, sink: Sink) -> bool:
    """The same for `show` as a whole, after a verb has changed it."""
    entry = Entry("show", verb.key_span, show)
    return check_part(entry, {"$ref": "#/game/show"}, address, sink)


def _form(game: Definition, parts: list[str], verb: str, value: object) -> Schema | None:
    section, depth, writes = parts[0], len(parts), verb in ("set", "replace")
    if section in game.tables:
        return _ref("row") if writes and depth == 2 else None
    match section:
        case "values" if writes:
            return _ref("value")
        case "text" if writes:
            return _SENTENCE
        case "options" if verb == "set":
            return {"$ref": "#/definitions/option/properties/default"}
        case "components" if verb == "add" and depth == 2 and _is_enum(game, parts[1]):
            return _WORD | {"type": ["string", "array"], "items": _WORD}
        case "setup" | "play" | "phases" | "effects" if verb == "replace":
            if depth > (1 if section in ("setup", "play") else 2):
                return _ref("step")
            return _whole(value)
    return None


def _whole(value: object) -> Schema:
    """All of a routine: a text, named steps, or either of them below `do` with clauses beside it."""
    if not isinstance(value, Mapping) or value.get("do") is None:
        return _ref("steps") | {"minProperties": 1}
    keys = {"do": _ref("steps"), **{mark: _ref(mark) for mark in _MARKS}}
    return {"type": "object", "properties": keys, "additionalProperties": False}


def _ref(name: str) -> Schema:
    return {"allOf": [{"$ref": f"#/definitions/{name}"}]}


def _is_enum(game: Definition, name: str) -> bool:
    return any(isinstance(d, EnumDecl) and d.name == name for d in game.components)
