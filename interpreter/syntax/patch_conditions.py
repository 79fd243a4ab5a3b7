"""Conditions on mods inside the patches of options and modes, settled once it is known which mods are there.

In: a definition and the ids of its mods. Out: the definition, in which what asks for mods that are not there is gone and what asks for
those that are asks no longer: it means the same, and can be written as a file that needs no mods.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from interpreter.syntax.definition import Definition
from interpreter.syntax.located import Mapping, Scalar, Sequence
from interpreter.syntax.patch_parts import listed


def settled(definition: Definition, mods: Collection[str]) -> Definition:
    """The definition with the patches of its options and modes settled."""
    options = {
        name: replace(option, patch=_patch(option.patch, mods)) if option.patch is not None else option
        for name, option in definition.options.items()
    }
    modes = {name: replace(mode, patch=_patch(mode.patch, mods)) for name, mode in definition.modes.items()}
    return replace(definition, options=options, modes=modes)


def _patch(patch: Mapping, mods: Collection[str]) -> Mapping:
    """A patch with its parts settled; one that asks for no mods stays as it is."""
    parts = patch.get("parts")
    if parts is None or not any(_asks(part) for part in listed(parts)):
        return patch
    left = tuple(s for part in listed(parts) if (s := _part(part, mods) if isinstance(part, Mapping) else part))
    entries = (replace(e, value=Sequence(parts.span, left)) if e.key == "parts" else e for e in patch.entries)
    return replace(patch, entries=tuple(e for e in entries if left or e.key != "parts"))


def _asks(part: object) -> bool:
    when = part.get("when") if isinstance(part, Mapping) else None
    return isinstance(when, Mapping) and when.get("mods") is not None


def _part(part: Mapping, mods: Collection[str]) -> Mapping | None:
    """A part without its condition on mods; None if that does not hold."""
    when = part.get("when")
    wanted = when.get("mods") if isinstance(when, Mapping) else None
    if not isinstance(when, Mapping) or wanted is None:
        return part
    if not all(isinstance(i, Scalar) and i.value in mods for i in listed(wanted)):
        return None
    rest = replace(when, entries=tuple(e for e in when.entries if e.key != "mods"))
    entries = (replace(e, value=rest) if e.key == "when" else e for e in part.entries)
    return replace(part, entries=tuple(e for e in entries if rest.entries or e.key != "when"))
