"""Mod files and settings of the command line: located YAML to patches with a header.

In: a mod's file, or an `ADDRESS=VALUE`. Out: a `ModDoc`, or None with diagnostics where there is nothing usable. Whether mods go with
the game and with each other is `mod_order.py`'s business, what their patches do `overlay.py`'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final

from interpreter.syntax.file_kind import is_other
from interpreter.syntax.located import Entry, Located, Mapping, Scalar, plain
from interpreter.syntax.overlay import COMMAND_LINE, tell_added_under_condition
from interpreter.syntax.patch_parts import listed
from interpreter.syntax.schema_check import check_schema
from interpreter.syntax.yaml_tree import load_yaml, read_source
from interpreter.text.diagnostic import Sink
from interpreter.text.source import Source, Span

_WHOLE: Final = ("when", "seats", "add", "change", "parts")


@dataclass(frozen=True, slots=True)
class Wish:
    """Another mod that a header names: a range of its versions, or why the two do not go together."""

    id: str
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class ModDoc:
    """A mod as its file says it. `span` is its id, `file` its path as named; `body` holds the patch (`when`, `add`, `change`, …)."""

    id: str
    span: Span
    version: str
    title: str
    game: str
    game_span: Span
    versions: Wish | None
    requires: tuple[Wish, ...]
    conflicts: tuple[Wish, ...]
    renamed: dict[str, str]
    body: Mapping
    hash: str
    file: str


def read_mod(path: Path, sink: Sink) -> ModDoc | None:
    """A mod's file; None, with diagnostics, where it cannot be read or has no header."""
    source = read_source(path, sink, origin="mod")
    root = load_yaml(source, sink) if source is not None else None
    if source is None or root is None:
        return None
    if is_other(root, "mod", "not-a-mod", sink):
        return None
    told = Sink()
    check_schema(root, "mod", told)
    sink.extend(told.diagnostics)
    header = root.get("mod") if isinstance(root, Mapping) else None
    if not isinstance(root, Mapping) or not isinstance(header, Mapping):
        return None
    id, version, game_ = header.get("id"), header.get("version"), header.get("for")
    if not (isinstance(id, Scalar) and isinstance(version, Scalar) and isinstance(game_, Scalar)):
        return None
    # In which order the keys of a mod stand says nothing.
    body = Mapping(root.span, tuple(e for key in _WHOLE if (e := root.entry(key)) is not None))
    said = sorted((str(e.key), plain(e.value)) for e in root.entries)
    _check_declarations(body, sink)
    wanted = header.entry("versions")
    renamed = root.get("renamed")
    return ModDoc(
        id=str(id.value),
        span=id.span,
        version=str(version.value),
        title=_text(title) if (title := header.get("title")) is not None else "",
        game=str(game_.value),
        game_span=game_.span,
        versions=_wish(wanted) if wanted is not None else None,
        requires=_wishes(header.get("requires")),
        conflicts=_wishes(header.get("conflicts")),
        renamed={str(e.key): _text(e.value) for e in renamed.entries} if isinstance(renamed, Mapping) else {},
        body=body,
        hash=blake2b(repr(said).encode(), digest_size=16).hexdigest(),
        file=str(path),
    )


def read_setting(text: str, sink: Sink) -> Mapping | None:
    """The patch that an `ADDRESS=VALUE` is: `set` at the address. None, with diagnostics, where it is something else."""
    address, _, value = text.partition("=")
    source = Source(COMMAND_LINE, f"{address.strip()}: {value.strip()}\n", COMMAND_LINE)
    root = load_yaml(source, sink)
    if not isinstance(root, Mapping) or len(root.entries) != 1:
        if not sink.has_errors:
            sink.error(
                "wrong-form", Span(source, 0, len(source.text) - 1), f"`{text}` is not one address and its value",
                help="write `--set values.goal=12`, and `--set` again for another value",
            )  # fmt: skip
        return None
    entry = root.entries[0]
    verbs = Mapping(entry.value.span, (Entry("set", entry.key_span, entry.value),))
    change = Mapping(root.span, (Entry(entry.key, entry.key_span, verbs),))
    return Mapping(root.span, (Entry("change", entry.key_span, change),))


def depends_on_setting(body: Mapping) -> bool:
    """Whether a patch asks in a `when` for the number of players or an option, which are known only when a game is set up."""
    return any(_asks(part) for part in (body, *listed_parts(body)))


def mods_asked_for(body: Mapping) -> tuple[str, ...]:
    """The ids of the mods that a patch asks for in a `when`."""
    conditions = [body.get("when"), *(p.get("when") for p in listed_parts(body))]
    asked = [c.get("mods") for c in conditions if isinstance(c, Mapping)]
    return tuple(
        dict.fromkeys(str(i.value) for a in asked if a is not None for i in listed(a) if isinstance(i, Scalar))
    )


def listed_parts(body: Mapping) -> tuple[Mapping, ...]:
    """The `parts` of a patch."""
    parts = body.get("parts")
    return tuple(p for p in listed(parts) if isinstance(p, Mapping)) if parts is not None else ()


def _check_declarations(body: Mapping, sink: Sink) -> None:
    """Options and modes are added without a condition, by the whole mod and by its parts."""
    for part in (body, *listed_parts(body)):
        added = part.get("add")
        if isinstance(added, Mapping) and (_asks(body) or _asks(part)):
            for entry in added.entries:
                if entry.key in ("options", "modes"):
                    tell_added_under_condition(entry, sink)


def _asks(body: Mapping) -> bool:
    """Whether a body has a condition of its own that is settled only when a game is set up."""
    when = body.get("when")
    return isinstance(when, Mapping) and any(e.key in ("players", "options") for e in when.entries)


def _text(node: Located) -> str:
    return str(node.value) if isinstance(node, Scalar) else ""


def _wish(entry: Entry) -> Wish:
    span = entry.value.span if entry.key == "versions" else entry.key_span
    return Wish(str(entry.key), _text(entry.value), span)


def _wishes(node: Located | None) -> tuple[Wish, ...]:
    return tuple(_wish(e) for e in node.entries) if isinstance(node, Mapping) else ()
