"""What helps where a patch names an address that does not exist.

In: a definition and the address. Out: a sentence for a message, or nothing. Which verbs an address has, its kind says (`patch_kinds/`).
"""

from __future__ import annotations

from typing import Final

from interpreter.syntax.contents import addresses
from interpreter.syntax.definition import Definition
from interpreter.syntax.either_options import all_steps, apart, offered
from interpreter.text.suggest import nearest

_SHOWN: Final = 8


def help_for_miss(definition: Definition, address: str) -> str:
    """What may be meant by an address that does not exist: the nearest one, or the nearest whole that there is."""
    known = addresses(definition)
    near = nearest(address, known)
    if near:
        return f"did you mean `{near}`?"
    parts = address.split(".")
    ends = [a for a in known if a.endswith(f".{address}")]
    if len(ends) == 1:
        return f"did you mean `{ends[0]}`?"
    wholes = (".".join(parts[:count]) for count in range(len(parts) - 1, 0, -1))
    whole = next((w for w in wholes if w in known), None)
    if whole is None:
        return ""
    steps = all_steps(definition).get(whole)
    if steps is not None:
        options = [f"`{one.address.removeprefix(whole + '.')}`" for one in apart(offered(whole, steps))]
        names = [f"`{step.name}`" for step in steps if step.name]
        if not names:
            has = f"the options in it are {_some(options)}" if options else "replace or wrap it whole"
            return f"`{whole}` has no named steps; {has}"
        return f"the steps of `{whole}` are {_some(names)}" + (
            f", and options in them {_some(options)}" if options else ""
        )
    return f"did you mean `{whole}`?" if "." in whole else f"`{whole}` has no such row"


def _some(names: list[str]) -> str:
    return ", ".join(names[:_SHOWN]) + ", …" * (len(names) > _SHOWN)
