"""A game with its mods and the values of the command line as one definition.

In: the base definition and what is laid over it. Out: a definition in which all of that has been applied, as far as it can be before
players and options are known, with a record of how it came about; `for_setting` does the rest. What is wrong goes to the sink.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from interpreter.overlays import ModUsed, Overlays
from interpreter.syntax.definition import Changed, Definition, Merged
from interpreter.syntax.located import Mapping
from interpreter.syntax.mod_conditions import check_conditions
from interpreter.syntax.mod_document import ModDoc, depends_on_setting, read_mod, read_setting
from interpreter.syntax.mod_order import in_order
from interpreter.syntax.nodes import Decl
from interpreter.syntax.overlay import COMMAND_LINE, Setting, apply_patches
from interpreter.syntax.patch_conditions import settled
from interpreter.text.diagnostic import Sink
from interpreter.text.source import Span


def with_overlays(definition: Definition, overlays: Overlays, sink: Sink, patch: Mapping | None = None) -> Definition:
    """The definition with mods and single values applied, and last of all a patch that belongs to nobody but a scenario case."""
    if not overlays.mods and not overlays.sets and patch is None:
        return definition
    read = [mod for path in overlays.mods if (mod := read_mod(path, sink)) is not None]
    mods = in_order(read, definition, sink)
    values = [value for text in overlays.sets if (value := read_setting(text, sink)) is not None]
    if sink.has_errors:
        return definition  # half a set of mods would raise findings that are none
    rest = [(COMMAND_LINE, value) for value in values] + ([("this case", patch)] if patch is not None else [])
    return merge(definition, mods, rest, sink)


def merge(
    definition: Definition, mods: Sequence[ModDoc], rest: Sequence[tuple[str, Mapping]], sink: Sink
) -> Definition:
    """The definition with mods applied in order, then patches that have no header."""
    for mod in mods:
        definition = replace(definition, renamed={**definition.renamed, **mod.renamed})
    patches = (*((f"mod {mod.id}", mod.body) for mod in mods), *rest)
    used = tuple(ModUsed(mod.id, mod.version, mod.hash, mod.file) for mod in mods)
    trace: list[Changed] = []
    setting = Setting(None, (), tuple(mod.id for mod in mods))
    common = settled(_in_order(apply_patches(definition, patches, sink, setting, trace), definition), setting.mods)
    check_conditions(definition, common, patches, trace, setting.mods, sink)
    depends = any(depends_on_setting(body) for _, body in patches)
    return replace(common, merged=Merged(definition, patches, used, depends, tuple(trace)))


def for_setting(
    definition: Definition, setting: Setting, sink: Sink, only: Collection[Span] | None = None
) -> tuple[Definition, tuple[Changed, ...]]:
    """A merged definition for one number of players and set of options, and what was changed in it; with `only`, of all verbs those are
    taken that stand at these places. What the options and the mode themselves change is not in it yet."""
    merged = definition.merged
    if merged is None:
        return definition, ()
    if not merged.depends and only is None:
        return definition, merged.trace
    trace: list[Changed] = []
    patched = apply_patches(merged.base, merged.patches, sink, setting, trace, only)
    return settled(_in_order(patched, merged.base), setting.mods), tuple(trace)


_ANY_ORDER: Final = ("options", "values", "graphs", "tables", "functions", "phases", "effects", "texts")
"""Sections in which the order says nothing. Where it does (rows, triggers, modifiers, terms, modes) it is that of the mods."""


def _in_order(merged: Definition, base: Definition) -> Definition:
    """The same definition, with what mods brought behind what the base has, by name: in which order mods that have nothing to do with each
    other were named does not show."""
    changes: dict[str, object] = {}
    for section in _ANY_ORDER:
        old, new = getattr(base, section), getattr(merged, section)
        changes[section] = {n: new[n] for n in (*(n for n in old if n in new), *sorted(n for n in new if n not in old))}
    known = {_called(decl) for decl in base.components}
    kept = [decl for decl in merged.components if _called(decl) in known]
    brought = sorted((decl for decl in merged.components if _called(decl) not in known), key=_called)
    changes["components"] = (*kept, *brought)
    return replace(merged, **changes)  # type: ignore[arg-type]  # each section keeps its kind


def _called(decl: Decl) -> tuple[str, str, tuple[str, ...]]:
    """What tells a declaration from others: its kind, its name, and of those that add fields to something their first line of names."""
    members = getattr(decl, "members", ())
    first = members[0] if members else ()
    return type(decl).__name__, getattr(decl, "name", ""), getattr(first, "names", ())
