"""What happened, who may see it, and the sentence for people.

In: the numbers that an Emit leaves. Out: `Event`, which resolves its clause, its place and its sentence through the program, and
`fill`, which puts values into a template (prompts and failed checks use it too). Nothing is translated or coloured here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from interpreter.ir.ir_types import NO_NUMBER
from interpreter.ir.program import EventInfo, Hole, Program, Template

OPEN: Final = -1


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: a kind of event of the program, and the values of its arguments. `ply` counts the actions applied
    before, so that a log can be cut by actions. `held` is a seat whose simultaneous play it belongs to, until all are through:
    nobody else sees it so long; OPEN: that does not matter."""

    kind: int
    args: tuple[int, ...]
    ply: int
    held: int = OPEN

    def info(self, program: Program) -> EventInfo:
        """Its address, clauses and place."""
        return program.events[self.kind]

    def visible_to(self, program: Program, player: int | None) -> bool:
        """Whether a player sees it; None stands for somebody who sees all."""
        info = program.events[self.kind]
        if self.held != OPEN and player is not None and player != self.held:
            return False
        return player is None or info.visible == "everyone" or (bool(self.args) and self.args[0] == player)

    def text(self, program: Program) -> str:
        """The sentence for people; empty if the kind has none."""
        return fill(program, program.events[self.kind].template, self.args[1:])


def name_of(program: Program, domain: int, value: int) -> str:
    """What people call a value of a domain (-1: numbers)."""
    if domain < 0:
        return "nothing" if value == NO_NUMBER else str(value)
    d = program.domains[domain]
    if not d.names:
        return str(value + d.first)
    return d.names[value] if 0 <= value < len(d.names) else "nothing"


def id_of(program: Program, domain: int, value: int) -> str:
    """What notation calls a value of a domain (-1: numbers)."""
    if domain < 0:
        return "nothing" if value == NO_NUMBER else str(value)
    d = program.domains[domain]
    if not d.ids:
        return str(value + d.first)
    return d.ids[value] if 0 <= value < len(d.ids) else "nothing"


def fill(program: Program, template: Template, values: tuple[int, ...]) -> str:
    """The sentence with values in its holes."""
    parts = []
    rest = iter(values)
    for part in template.parts:
        parts.append(_in_words(program, part, next(rest, 0)) if isinstance(part, Hole) else part)
    return "".join(parts)


def _in_words(program: Program, hole: Hole, value: int) -> str:
    if not hole.is_set:
        noun = hole.one if value == 1 else hole.many
        return name_of(program, hole.domain, value) + (f" {noun}" if noun else "")
    names = [name_of(program, hole.domain, k) for k in range(value.bit_length()) if value >> k & 1]
    if len(names) < 2:
        return names[0] if names else "nothing"
    return f"{', '.join(names[:-1])} and {names[-1]}"
