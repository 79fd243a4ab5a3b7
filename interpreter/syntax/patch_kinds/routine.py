"""What places in routines share: the routine that an address lies in, and the options of its choices."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from interpreter.syntax.definition import Marks, Routine, Step
from interpreter.syntax.document import read_cites
from interpreter.syntax.either_options import Offered, all_offered, apart, offered
from interpreter.syntax.expr_parser import parse_options
from interpreter.syntax.located import Entry, Located, Mapping
from interpreter.syntax.nodes import Either, Node
from interpreter.syntax.patch_kinds.base import Place
from interpreter.syntax.patch_parts import named_apart, rewrite, together
from interpreter.syntax.patch_texts import alone_again, moved

_SHOWN: Final = 8


@dataclass(frozen=True, slots=True)
class InRoutine(Place):
    """All of a routine, or a part of it. `setup` and `play` are one routine each and have no `name`."""

    section: str
    name: str | None

    # -------------------------------------------------------------- the routine
    def whole(self) -> str:
        """The address of the routine."""
        return self.section if self.name is None else f"{self.section}.{self.name}"

    def routine(self) -> Routine | None:
        """The effect or the phase, if it is one that is there."""
        if self.name is None:
            return None
        return (self.work.game.phases if self.section == "phases" else self.work.game.effects).get(self.name)

    def steps(self) -> tuple[Step, ...]:
        """The steps of the whole routine."""
        if self.name is None:
            return self.work.game.setup if self.section == "setup" else self.work.game.play
        routine = self.routine()
        return routine.steps if routine is not None else ()

    def put_steps(self, given: tuple[Step, ...], cite: tuple[str, ...] = ()) -> None:
        """Other steps for the whole routine."""
        work, steps, whole = self.work, named_apart(given), self.whole()
        # A text that gets a name, or is alone again, keeps its sentence.
        if len(steps) == 1 and not steps[0].name:
            work.game = alone_again(work.game, whole)
        for before, after in zip(given, steps, strict=True):
            if not before.name and after.name and whole in work.game.texts:
                work.game = moved(work.game, whole, f"{whole}.{after.name}")
        if self.name is None:
            changes: dict[str, object] = {self.section: steps}
            work.game = replace(work.game, **changes)  # type: ignore[arg-type]  # steps both
        elif (routine := self.routine()) is not None:
            work.put(self.section, self.name, replace(routine, steps=steps, cite=together(routine.cite, cite)))

    # -------------------------------------------------------------- the options of its choices
    def options(self) -> tuple[Offered, ...]:
        """The options that the address is of, or that stand in what it is of."""
        raise NotImplementedError

    def put_either(self, old: Either, new: Either) -> None:
        """One `either` in the stead of another."""
        change = partial(_instead, old, new)
        self.put_steps(tuple(replace(s, body=rewrite(s.body, change)) for s in self.steps()))

    def join_options(self, either: Either, at: int, verb: Entry, marks: Marks) -> None:
        """Further options in an `either`, before the one with a number; those that are there already are told."""
        new = self.parse(parse_options, verb.value)
        if new is None:
            return
        known, joining = {o.label: o for o in either.options}, []
        for option in new.options:
            first = known.setdefault(option.label, option)
            if first is option:
                joining.append(option)
            else:
                self.work.exists(f"{self.text()}.{option.label}", option.span, first.span)
        options = (*either.options[:at], *joining, *either.options[at:])
        self.put_either(either, replace(either, options=options, cite=together(either.cite, new.cite, marks.cite)))

    def text(self) -> str:
        """The address of the text that the options stand in."""
        return self.address

    def offer(self, verb: Entry, marks: Marks) -> bool:
        """Further options, where there is just one `either` that they can belong to."""
        found = list({id(one.either): one.either for one in self.options()}.values())
        if len(found) == 1:
            self.join_options(found[0], len(found[0].options), verb, marks)
        else:
            here = offered(self.whole(), self.steps()) if not found else iter(self.options())
            known = [f"`{one.address}`" for one in apart(here)] or [
                f"`{o.address}`" for o in all_offered(self.work.game)
            ]
            message = f"there is {'more than one' if found else 'no'} `either` in `{self.address}`"
            some = ", ".join(known[:_SHOWN]) + ", …" * (len(known) > _SHOWN)
            help = f"say `or` at an option of the one that is meant: {some}" if some else ""
            self.error("patch-verb", verb.key_span, message, help)
        return True


def _instead(old: Node, new: Node, node: Node) -> Node | None:
    """The new node for the old one itself, nothing for others like it."""
    return new if node is old else None


def text_and_cites(value: Located) -> tuple[Located, tuple[str, ...]]:
    """A text, or the text below `do` with the clauses beside it."""
    return (value.get("do") or value, read_cites(value.get("cite"))) if isinstance(value, Mapping) else (value, ())
