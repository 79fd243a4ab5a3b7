"""What patches would change that need not be in force: those of options and modes, and parts of mods under a condition.

In: a definition. Out: changes as a trace has them, with the condition in the patch's name. Whether a condition holds is not asked here.
"""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.syntax.definition import Changed, Definition
from interpreter.syntax.located import Located, Mapping, Scalar
from interpreter.syntax.patch_parts import listed


def idle_changes(definition: Definition) -> Iterator[Changed]:
    """The changes: of options, of modes, of mods."""
    for option in definition.options.values():
        if option.patch is not None:
            yield from _changes(definition, option.patch, f"with option {option.name}", True)
    for mode in definition.modes.values():
        yield from _changes(definition, mode.patch, f"with mode {mode.name}", True)
    for name, body in definition.merged.patches if definition.merged is not None else ():
        yield from _changes(definition, body, name, False)


def _changes(definition: Definition, body: Mapping, who: str, conditional: bool) -> Iterator[Changed]:
    """The changes of a patch and of its parts, as far as they are under a condition."""
    when = body.get("when")
    if isinstance(when, Mapping) and not who.startswith("with mode"):
        who, conditional = f"{who}, {_said(when)}", True
    changed = body.get("change")
    for entry in changed.entries if conditional and isinstance(changed, Mapping) else ():
        address = definition.renamed.get(str(entry.key), str(entry.key))
        yield Changed(who, address, entry.key_span.to(entry.value.span), entry.key_span, None, False)
    parts = body.get("parts")
    for part in listed(parts) if parts is not None else ():
        if isinstance(part, Mapping):
            yield from _changes(definition, part, who, conditional)


def _said(when: Mapping) -> str:
    """A condition in words."""
    said: list[str] = []
    for entry in when.entries:
        if entry.key == "players":
            counts = [_word(i) for i in listed(entry.value)]
            said.append(f"with {' or '.join(counts)} player{'s' * (counts != ['1'])}")
        elif entry.key == "options" and isinstance(entry.value, Mapping):
            said += [f"with option {e.key} {_word(e.value)}" for e in entry.value.entries]
        else:
            said += [f"with mod {_word(i)}" for i in listed(entry.value)]
    return " and ".join(said)


def _word(node: Located) -> str:
    value = node.value if isinstance(node, Scalar) else ""
    return str(value).lower() if isinstance(value, bool) else str(value)
