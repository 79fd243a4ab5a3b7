"""Is the shape right? The only user of jsonschema.

In: located YAML and the name of a shipped schema. Out: diagnostics at the narrowest place, several a run. The schemas hold no unions that
would leave a choice of whom to blame, so every finding has one owner; what is left to do here is to find its place, to join a missing
key with an unknown one that is near, and to say it in words. Not done here: what the words and numbers mean.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import cast

from jsonschema import Draft7Validator
from jsonschema.exceptions import ValidationError

from interpreter.paths import schema_text
from interpreter.syntax.located import Entry, Located, Mapping, Scalar, Sequence
from interpreter.text.diagnostic import Sink
from interpreter.text.source import Span
from interpreter.text.suggest import nearest

_KINDS = {
    "string": "a text",
    "integer": "a whole number",
    "boolean": "true or false",
    "object": "a mapping",
    "array": "a list",
    "null": "nothing",
}
# A key that begins so, with more behind it, is a rule whose text has lost its `|`.
_RULE_BEGINS = re.compile(
    r"(?:after|all at once|assign|either|for each|have|if|may|or|otherwise if|repeat|take turns|when|with)\s+\S"
)

Schema = dict[str, object]


def check_schema(root: Located, schema_name: str, sink: Sink) -> None:
    """Reports what in a file is out of shape; `schema_name` is `game`, `scenario` or `mod`."""
    validator = _validator(schema_name)
    if schema_name == "game" and not isinstance(root, Mapping):
        return  # `document.py` says that this is no game
    misspelt = _misspelt_sections(root, cast("dict[str, object]", validator.schema)) if schema_name == "game" else {}
    for entry, near in misspelt.items():
        sink.error(
            "unknown-key",
            entry.key_span,
            f"unknown key `{entry.key}`",
            label="not known here",
            help=f"did you mean `{near}`?",
        )
    passed_over = {str(entry.key) for entry in misspelt} | set(misspelt.values())
    cut_off: set[tuple[str | int, ...]] = set()
    for error in validator.iter_errors(_instance(root)):
        path = list(error.absolute_path)
        beheaded = _beheaded(root, tuple(path)) if schema_name == "game" else None
        if beheaded is not None:
            if beheaded not in cut_off:
                _tell_rule_as_key(root, beheaded, sink)
            cut_off.add(beheaded)
            continue
        if (path and path[0] in passed_over) or (
            not path and error.validator == "required" and _named_in(error) in passed_over
        ):
            continue
        _tell(error, root, sink)


def check_part(entry: Entry, form: Schema, address: str, sink: Sink) -> bool:
    """Whether the value of an entry has a form, which may refer to a game's schema (its sections are below `game`); what is wrong is told,
    with the address of the thing that the value is for."""
    game = cast(Schema, _validator("game").schema)
    root, found = Mapping(entry.value.span, (entry,)), Sink()
    schema = {"properties": {str(entry.key): form}, "definitions": game["definitions"], "game": game["properties"]}
    for error in Draft7Validator(schema).iter_errors(_instance(root)):
        _tell(error, root, found)
    sink.extend(replace(d, address=address) for d in found.diagnostics)
    return not found.has_errors


def _beheaded(root: Located, path: tuple[str | int, ...]) -> tuple[str | int, ...] | None:
    """The first mapping on a path that has a rule for a key."""
    for length in range(1, len(path) + 1):
        if _rule_in(_find(root, path[:length])[0]) is not None:
            return path[:length]
    return None


def _rule_in(node: Located) -> Entry | None:
    """The first key of a mapping that is the beginning of a rule."""
    entries = node.entries if isinstance(node, Mapping) else ()
    return next((e for e in entries if _RULE_BEGINS.match(str(e.key))), None)


def _tell_rule_as_key(root: Located, path: tuple[str | int, ...], sink: Sink) -> None:
    node, holder, address = _find(root, path)
    rule = _rule_in(node)
    assert rule is not None  # that is why it is told
    help = f"write `{holder.key}: |`, and the rule below it" if holder is not None else "put the rule below a `|`"
    sink.error(
        "rule-as-key", rule.key_span, "a rule stands where a key is expected", label="is read as a key",
        help=help, address=address,
    )  # fmt: skip


def _misspelt_sections(root: Located, schema: dict[str, object]) -> dict[Entry, str]:
    """Keys of a game that are near to a section's name and no table of anything declared, with that name."""
    if not isinstance(root, Mapping):
        return {}
    components = root.get("components")
    declared = components.mapped.text if isinstance(components, Scalar) else ""
    known = _known(schema)
    absent = [k for k in known if root.get(k) is None]
    found: dict[Entry, str] = {}
    for entry in root.entries:
        name = str(entry.key)
        near = None if name in known or name.rstrip("s") in declared else nearest(name, absent)
        if near is not None and near not in found.values():
            found[entry] = near
    return found


def _named_in(error: ValidationError) -> str:
    """The key that a `required` error is about."""
    return str(error.message).split("'")[1]


@cache
def _validator(schema_name: str) -> Draft7Validator:
    return Draft7Validator(json.loads(schema_text(schema_name)))


def _instance(node: Located) -> object:
    """Plain data for the validator; all keys are strings there."""
    match node:
        case Scalar():
            return node.value
        case Mapping():
            return {str(e.key): _instance(e.value) for e in node.entries}
        case Sequence():
            return [_instance(i) for i in node.items]


def _find(root: Located, path: Iterable[str | int]) -> tuple[Located, Entry | None, str]:
    """The node at a path, the entry that holds it, and its dotted address."""
    node, holder, address = root, None, list[str]()
    for part in path:
        address.append(str(part))
        if isinstance(node, Mapping):
            holder = next(e for e in node.entries if str(e.key) == part)
            node = holder.value
        elif isinstance(node, Sequence) and isinstance(part, int):
            node = node.items[part]
    return node, holder, ".".join(address)


def _kind_of(node: Located) -> str:
    match node:
        case Mapping():
            return "a mapping"
        case Sequence():
            return "a list"
        case Scalar(value=None):
            return "nothing"
        case Scalar(value=bool()):
            return "a truth value"
        case Scalar(value=int()):
            return "a number"
        case _:
            return "a text"


def _place(node: Located, holder: Entry | None) -> Span:
    """A scalar's own place; of a mapping or list the key that holds it, or its first character."""
    if isinstance(node, Scalar) and node.span.end > node.span.start:
        return node.span
    if holder is not None:
        return holder.key_span
    return Span(node.span.source, node.span.start, min(node.span.start + 1, node.span.end))


def _tell(error: ValidationError, root: Located, sink: Sink) -> None:
    node, holder, address = _find(root, cast("Iterable[str | int]", error.absolute_path))
    schema = cast("dict[str, object]", error.schema)
    match error.validator:
        case "additionalProperties":
            _tell_unknown_keys(node, schema, address, sink)
        case "required":
            _tell_missing_key(error, node, holder, schema, address, sink)
        case "type":
            wanted = error.validator_value
            kinds = [wanted] if isinstance(wanted, str) else cast("list[str]", wanted)
            words = " or ".join(_KINDS[k] for k in kinds if k != "null")
            sink.error(
                "wrong-kind", _place(node, holder), f"expected {words}, found {_kind_of(node)}", address=address,
                label=f"not {words}" if len(kinds) == 1 else "", help=_example(schema),
            )  # fmt: skip
        case "enum":
            _tell_choice(node, holder, cast("list[object]", error.validator_value), address, sink)
        case "pattern":
            if "propertyNames" in list(error.absolute_schema_path)[-2:]:
                _tell_bad_name(str(error.instance), node, address, sink)
                return
            if holder is not None and holder.key in ("cite", "gap"):
                message, help = f"`{error.instance}` is no citation", "a citation looks like `AB-DAY-08`"
                sink.error("bad-citation", _place(node, holder), message, help=help, address=address)
                return
            sink.error(
                "wrong-form",
                _place(node, holder),
                f"`{error.instance}` has not the form wanted here",
                address=address,
                help=_as_range(str(error.instance), str(error.validator_value)) or _example(schema),
            )
        case "minimum" | "maximum":
            word = "least" if error.validator == "minimum" else "most"
            sink.error(
                "wrong-number",
                _place(node, holder),
                f"expected at {word} {error.validator_value}, found {error.instance}",
                address=address,
            )
        case _:
            sink.error(
                "empty-value", _place(node, holder), "nothing is written here", address=address, help=_example(schema)
            )


def _as_range(text: str, pattern: str) -> str:
    """How a range is written, where two numbers are what was meant, and a range fits."""
    said = re.fullmatch(r"\s*([0-9]+)\s*(?:-|–|—|to|until|…|\.+|,|or|and)\s*([0-9]+)(?:\s+[a-z]+)?\s*", text)
    better = f"{said.group(1)}..{said.group(2)}" if said is not None else ""
    return f"write `{better}`" if better and re.search(pattern, better) else ""


def _tell_bad_name(name: str, node: Located, address: str, sink: Sink) -> None:
    assert isinstance(node, Mapping)  # only mappings have keys
    entry = next(e for e in node.entries if str(e.key) == name)
    better = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    help = f"write `{better}`" if better and not better[0].isdigit() else "choose another"
    sink.error(
        "bad-name",
        entry.key_span,
        f"`{name}` is not a name",
        address=address,
        help=help,
        label="a name is made of small letters, digits and `_`, and begins with a letter",
    )


def _example(schema: dict[str, object]) -> str:
    """What a right value looks like, if it is short."""
    examples = cast("list[object]", schema.get("examples") or [])
    shown = next((json.dumps(e, ensure_ascii=False) if isinstance(e, list | dict) else str(e) for e in examples), "")
    return f"for example `{shown}`" if shown and len(shown) <= 60 and "\n" not in shown else ""


def _known(schema: dict[str, object]) -> list[str]:
    return list(cast("dict[str, object]", schema.get("properties") or {}))


def _missing(node: Mapping, schema: dict[str, object]) -> list[str]:
    present = {str(e.key) for e in node.entries}
    return [k for k in cast("list[str]", schema.get("required") or []) if k not in present]


def _tell_unknown_keys(node: Located, schema: dict[str, object], address: str, sink: Sink) -> None:
    assert isinstance(node, Mapping)  # only mappings have keys
    known = _known(schema)
    for entry in node.entries:
        name = str(entry.key)
        if name in known:
            continue
        near = nearest(name, _missing(node, schema)) or nearest(name, known)
        help = (
            f"did you mean `{near}`?" if near else f"known here: {', '.join(f'`{k}`' for k in known)}" if known else ""
        )
        sink.error(
            "unknown-key", entry.key_span, f"unknown key `{name}`", label="not known here", help=help, address=address
        )


def _tell_missing_key(
    error: ValidationError, node: Located, holder: Entry | None, schema: dict[str, object], address: str, sink: Sink
) -> None:
    assert isinstance(node, Mapping)  # only mappings have keys
    known = _known(schema)
    strict = schema.get("additionalProperties") is False
    for name in _missing(node, schema):
        if name != _named_in(error):
            continue
        unknown = {str(e.key): e for e in node.entries if str(e.key) not in known}
        near = nearest(name, unknown)
        if near is not None and strict:
            continue  # told as an unknown key with this name as its suggestion
        if near is not None:
            entry = unknown[near]
            sink.error(
                "unknown-key",
                entry.key_span,
                f"unknown key `{near}`",
                label="not known here",
                help=f"did you mean `{name}`?",
                address=address,
            )
            continue
        span = holder.key_span if holder is not None else node.entries[0].key_span if node.entries else node.span
        described = cast("dict[str, dict[str, object]]", schema.get("properties") or {}).get(name, {})
        sink.error(
            "missing-key",
            span,
            f"key `{name}` is missing",
            label="belongs here",
            help=_example(described),
            address=address,
        )


def _tell_choice(node: Located, holder: Entry | None, choices: list[object], address: str, sink: Sink) -> None:
    value = str(node.value) if isinstance(node, Scalar) else ""
    words = [str(c) for c in choices]
    near = nearest(value, words)
    help = f"did you mean `{near}`?" if near else ""
    sink.error(
        "wrong-word",
        _place(node, holder),
        f"expected {' or '.join(f'`{w}`' for w in words)}, found `{value}`",
        address=address,
        help=help,
    )
