"""The options of an `either`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from interpreter.syntax.definition import Marks
from interpreter.syntax.document import read_steps
from interpreter.syntax.either_options import Offered, offered
from interpreter.syntax.expr_parser import parse_rules
from interpreter.syntax.located import Entry, Located
from interpreter.syntax.nodes import Stmt
from interpreter.syntax.patch_capture import block_captures
from interpreter.syntax.patch_kinds.base import TEXT, in_file
from interpreter.syntax.patch_kinds.routine import InRoutine, text_and_cites
from interpreter.syntax.patch_parts import performs_block, places_of_previous, together
from interpreter.syntax.schema_check import Schema
from interpreter.text.source import Span


@dataclass(frozen=True, slots=True)
class EitherOption(InRoutine):
    """An option of an `either` in a routine, or in one of its steps."""

    step: str | None
    label: str

    # -------------------------------------------------------------- what it is
    def options(self) -> tuple[Offered, ...]:
        found = offered(self.whole(), self.steps(), self.step)
        return tuple(one for one in found if one.option.label == self.label)

    def is_there(self, verbs: Sequence[Entry]) -> bool:
        return len(self.options()) == 1

    def it(self) -> Offered:
        """The option with where it stands."""
        return self.options()[0]  # verbs come only where it is there

    def text(self) -> str:
        return self.address.rpartition(".")[0]

    def span(self) -> Span | None:
        return self.it().span() if self.options() else None

    def verbs(self) -> tuple[str, ...]:
        return "replace", "wrap", "or", "before", "after"

    def form(self, verb: str, value: Located) -> Schema | None:
        return in_file("step") if verb == "replace" else TEXT if verb in ("or", "before", "after") else None

    def missing(self) -> str:
        found = len(self.options())
        return f"`{self.address}` may be any of {found} options" if found else f"nothing at `{self.address}`"

    def help_where_missing(self) -> str:
        known = dict.fromkeys(one.address for one in self.options())
        if len(known) > 1:
            return f"name the step too: {', '.join(f'`{address}`' for address in known)}"
        return "where their `either` stand in steps of their own, the step tells them apart" if known else ""

    # -------------------------------------------------------------- verbs
    def put(self, body: tuple[Stmt, ...], cite: tuple[str, ...]) -> None:
        """Another block; clauses beside it are those of the whole choice."""
        one = self.it()
        options = tuple(replace(o, body=body) if o is one.option else o for o in one.either.options)
        self.put_either(one.either, replace(one.either, options=options, cite=together(one.either.cite, cite)))

    def mark(self, marks: Marks) -> bool:
        self.put(self.it().option.body, marks.cite)
        return True

    def remove(self, verb: Entry) -> bool:
        one = self.it()
        left = tuple(o for o in one.either.options if o is not one.option)
        if left:
            self.put_either(one.either, replace(one.either, options=left))
        else:
            message = f"`{self.label}` is the only option left of its `either`"
            self.error("patch-verb", verb.key_span, message, f"change `{self.text()}` instead")
        return True

    def replace(self, verb: Entry, marks: Marks) -> bool:
        body, own = text_and_cites(verb.value)
        steps = read_steps(body, self.address, self.work.sink)
        self.put(tuple(statement for step in steps for statement in step.body), together(marks.cite, own))
        return True

    def wrap(self, verb: Entry, marks: Marks) -> bool:
        """The old block stands where the new one says `perform previous`: it may use what is known only there."""
        rules = self.parse(parse_rules, verb.value)
        if rules is None:
            return True
        for at in sorted(places_of_previous(performs_block(rules, ())), key=lambda span: span.start):
            message = "here `previous` is a block, which is performed and takes nothing"
            self.error("patch-verb", at, message, "write `perform previous`")
        old = self.it().option.body
        self.tell_hidden(block_captures(rules, old), "what the old block calls")
        self.put(performs_block(rules, old), marks.cite)
        return True

    def insert(self, verb: Entry, marks: Marks) -> bool:
        if verb.key not in ("before", "after"):
            return False
        one = self.it()
        at = next(n for n, o in enumerate(one.either.options) if o is one.option) + (verb.key == "after")
        self.join_options(one.either, at, verb, marks)
        return True
