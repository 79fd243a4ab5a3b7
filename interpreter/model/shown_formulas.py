"""Functions that `show:` names, so that the board says what they come to.

In: a model and a name. Out: the function, or why the board cannot ask it: only one without parameters, or of one thing or player, can be
asked by somebody who looks on, and only one that nobody acts in. Whether everybody may see what it reads is the lowering's question.
"""

from __future__ import annotations

from interpreter.model.dsl_types import Maybe, Member, Num, SetOf, Truth, Type
from interpreter.model.game_model import Model
from interpreter.model.shown_zones import NotShown
from interpreter.model.typed import FuncSym


def read_formula(model: Model, name: str) -> FuncSym | NotShown | None:
    """The function of that name; None if there is none."""
    found = model.functions.get(name)
    if found is None:
        return None
    if found.uses_me:
        return NotShown(
            "shows-unread", f"`{name}` is about who acts, and who looks at the board does not", "hand it a player", 0, 0
        )
    if len(found.params) > 1 or any(not isinstance(p.type, Member) for p in found.params):
        return NotShown(
            "shows-unread",
            f"the board cannot ask `{name}`",
            "name a function of one thing or player, or of nothing",
            0,
            0,
        )
    if not _told(found.result):
        return NotShown(
            "shows-unread",
            f"the board has no words for what `{name}` gives",
            "it says numbers, truths, things and sets",
            0,
            0,
        )
    return found


def shown_names(model: Model) -> set[str]:
    """What a key of `show:` means before it means a function: fields, zones, columns, types and tables."""
    named = {name for _, name in (*model.fields, *model.zones, *model.columns)}
    for domain in model.domains:
        named |= {domain.name, *domain.tables}
    return named | set(model.definition.tables)


def _told(result: Type) -> bool:
    match result:
        case Num() | Truth() | Member() | SetOf(of=Member()) | Maybe(of=Num() | Member()):
            return True
        case _:
            return False
