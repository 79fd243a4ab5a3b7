"""Whether what `renamed:` says leads somewhere.

In: the mapping as the file has it, and the definition. Reported: old addresses that lead to nothing, or back to themselves. Not done here:
following them, which patches do.
"""

from __future__ import annotations

from interpreter.syntax.definition import Definition
from interpreter.syntax.located import Located, Mapping, Scalar
from interpreter.syntax.patch_kinds.base import Work
from interpreter.syntax.patch_kinds.reading import place_at
from interpreter.syntax.patch_parts import found_in
from interpreter.text.diagnostic import Sink


def check_renamed(node: Located | None, definition: Definition, sink: Sink) -> None:
    """Reports what leads nowhere."""
    round_about: set[str] = set()
    for entry in node.entries if isinstance(node, Mapping) else ():
        if not isinstance(entry.value, Scalar):
            continue
        met, address = [str(entry.key)], str(entry.value.value)
        while not _is_there(definition, address) and address in definition.renamed and address not in met:
            met.append(address)
            address = definition.renamed[address]
        if address in round_about:
            continue
        if address in met:
            round_about.update(met)
            chain = " → ".join([*met, address])
            sink.error("cycle", entry.key_span, f"renamed in a circle: {chain}", help="name what there is today")
        elif not _is_there(definition, address):
            sink.warning(
                "patch-misses",
                entry.value.span,
                f"there is no `{address}`, so nothing can have been renamed to it",
                help="write the address of today: section, name and part, as in `effects.haul`",
                address=f"renamed.{entry.key}",
            )


def _is_there(definition: Definition, address: str) -> bool:
    """Whether something stands at an address, at least with an option or in a mode."""
    if place_at(Work(definition, Sink()), address).is_there(()):
        return True
    patches = [*(o.patch for o in definition.options.values()), *(m.patch for m in definition.modes.values())]
    added = (patch.get("add") for patch in patches if patch is not None)
    return any(found_in(body, tuple(address.split("."))) is not None for body in added)
