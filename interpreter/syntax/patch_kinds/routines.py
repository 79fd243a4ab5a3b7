"""Routines (setup, play, phases, effects), and their named steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from interpreter.syntax.definition import Marks, Routine, Step
from interpreter.syntax.document import read_steps
from interpreter.syntax.either_options import Offered, offered
from interpreter.syntax.expr_parser import parse_formula, parse_rules
from interpreter.syntax.located import Entry, Located, Mapping, Scalar
from interpreter.syntax.nodes import Stmt
from interpreter.syntax.patch_blocks import BLOCK_HELP, filled_block, is_block, with_block
from interpreter.syntax.patch_capture import handed_captures
from interpreter.syntax.patch_kinds.base import TEXT, in_file
from interpreter.syntax.patch_kinds.routine import InRoutine, text_and_cites
from interpreter.syntax.patch_parts import ALONE, performs_previous, together
from interpreter.syntax.schema_check import Schema
from interpreter.text.diagnostic import Sink, with_address
from interpreter.text.source import Span

_MARKS: Final = ("cite", "data", "gap", "note")


@dataclass(frozen=True, slots=True)
class _Text(InRoutine):
    """All of a routine, or one of its steps."""

    def meant(self) -> tuple[Step, ...]:
        """The steps that the address means."""
        raise NotImplementedError

    def put_one(self, body: tuple[Stmt, ...], cite: tuple[str, ...], span: Span) -> None:
        """One text in the stead of what the address means."""
        raise NotImplementedError

    def tell_all_of_play(self, verb: Entry) -> bool:
        """Whether nothing of the game itself would be left without what is at the address; then that is told."""
        whole = self.section == "play" and len(self.meant()) == len(self.steps())
        if whole:
            self.error("patch-verb", verb.key_span, "a game has a `play`", "use `replace`")
        return whole

    # -------------------------------------------------------------- verbs
    def inside(self, verb: Entry, marks: Marks) -> bool:
        if not isinstance(verb.value, Scalar):
            return False
        header = self.block_header(verb.value)
        if header is not None:
            old = self.meant()
            block = filled_block(header, tuple(statement for s in old for statement in s.body), marks.cite)
            self.put_one((block,), together(*(s.cite for s in old)), verb.value.span)
        return True

    def block_header(self, value: Scalar) -> Stmt | None:
        """The statement that a block's first line begins, with or without its colon; None, with a diagnostic, where it is none."""
        found = Sink()
        header = parse_rules(with_block(value.mapped), found)
        if header is not None and len(header) == 1 and is_block(header[0]):
            return header[0]
        quiet = Sink()
        if not found.has_errors or parse_rules(value.mapped, quiet) or parse_formula(value.mapped, quiet):
            self.error("patch-verb", value.span, "this is not the first line of a block", BLOCK_HELP)
        else:
            self.work.sink.extend(with_address(d, self.address) for d in found.diagnostics)
        return None

    def as_effect(
        self, value: Located, rules: tuple[Stmt, ...], steps: tuple[Step, ...], cite: tuple[str, ...]
    ) -> tuple[Stmt, ...]:
        """Old steps as an effect of their own, with clauses; the new rules as they perform it, saying `previous`."""
        work, routine = self.work, self.routine()
        params = routine.params if routine else ()
        self.tell_hidden(handed_captures(rules, params), "what was handed over as")
        name = work.fresh_effect(f"{self.address.split('.')[-1]}_before_{work.id}")
        work.put("effects", name, Routine(name, steps[0].span if steps else value.span, params, steps, None, cite))
        call = performs_previous(rules, name, tuple(p.name for p in params))
        if call is not rules:
            work.game = work.sentences.carried(work.game, self.address, f"effects.{name}")
        return call

    def new_steps(self, verb: Entry) -> tuple[Step, ...]:
        """The steps that a verb brings; those that are there already are told."""
        new = read_steps(verb.value, self.address, self.work.sink)
        taken = {s.name or ALONE: s.span for s in self.steps()}
        for step in new:
            if step.name in taken:
                self.work.exists(f"{self.address}.{step.name}", step.span, taken[step.name])
        return tuple(s for s in new if s.name not in taken)


@dataclass(frozen=True, slots=True)
class WholeRoutine(_Text):
    """All of a routine."""

    def is_there(self, verbs: Sequence[Entry]) -> bool:
        return self.name is None or self.routine() is not None

    def span(self) -> Span | None:
        routine = self.routine()
        if routine is not None:
            return routine.span
        return self.steps()[0].span if self.steps() else None

    def verbs(self) -> tuple[str, ...]:
        return ("replace", "wrap", "inside", *(("or",) if self.options() else ()), "first", "last")

    def form(self, verb: str, value: Located) -> Schema | None:
        if verb == "or":
            return TEXT
        if verb != "replace":
            return None
        if not isinstance(value, Mapping) or value.get("do") is None:
            return in_file("steps") | {"minProperties": 1}
        keys = {"do": in_file("steps"), **{mark: in_file(mark) for mark in _MARKS}}
        return {"type": "object", "properties": keys, "additionalProperties": False}

    def meant(self) -> tuple[Step, ...]:
        return self.steps()

    def options(self) -> tuple[Offered, ...]:
        return tuple(offered(self.whole(), self.steps()))

    def put_one(self, body: tuple[Stmt, ...], cite: tuple[str, ...], span: Span) -> None:
        self.put_steps((Step("", body, cite, span),))

    def mark(self, marks: Marks) -> bool:
        if self.name is not None:
            self.put_steps(self.steps(), marks.cite)
        return self.name is not None

    def remove(self, verb: Entry) -> bool:
        if self.name is not None:
            self.work.put(self.section, self.name, None)
        elif not self.tell_all_of_play(verb):
            self.put_steps(())
        return True

    def replace(self, verb: Entry, marks: Marks) -> bool:
        body, own = text_and_cites(verb.value)
        steps = read_steps(body, self.address, self.work.sink)
        self.work.game = self.work.sentences.back(self.work.game, self.address)
        self.put_steps(steps, together(marks.cite, own))
        return True

    def wrap(self, verb: Entry, marks: Marks) -> bool:
        rules = self.parse(parse_rules, verb.value)
        if rules is not None:
            routine = self.routine()
            cite = routine.cite if routine else tuple(c for s in self.steps() for c in s.cite)
            self.put_one(self.as_effect(verb.value, rules, self.steps(), cite), marks.cite, verb.value.span)
        return True

    def insert(self, verb: Entry, marks: Marks) -> bool:
        if verb.key not in ("first", "last") or not isinstance(verb.value, Mapping):
            return False
        new, old = self.new_steps(verb), self.steps()
        self.put_steps((*new, *old) if verb.key == "first" else (*old, *new), marks.cite)
        return True


@dataclass(frozen=True, slots=True)
class NamedStep(_Text):
    """One step of a routine."""

    step: str

    def is_there(self, verbs: Sequence[Entry]) -> bool:
        return bool(self.step and self.meant())

    def span(self) -> Span | None:
        found = self.meant()
        return found[0].span if found else None

    def verbs(self) -> tuple[str, ...]:
        return ("replace", "wrap", "inside", *(("or",) if self.options() else ()), "before", "after")

    def form(self, verb: str, value: Located) -> Schema | None:
        match verb:
            case "replace":
                return in_file("step")
            case "or":
                return TEXT
            case "before" | "after":
                return in_file("named_steps")
        return None

    def meant(self) -> tuple[Step, ...]:
        return tuple(s for s in self.steps() if s.name == self.step)

    def options(self) -> tuple[Offered, ...]:
        return tuple(offered(self.whole(), self.steps(), self.step))

    def put(self, step: Step) -> None:
        """Another step in its stead."""
        self.put_steps(tuple(step if s.name == self.step else s for s in self.steps()))

    def put_one(self, body: tuple[Stmt, ...], cite: tuple[str, ...], span: Span) -> None:
        old = self.meant()[0]
        self.put(Step(self.step, body, cite, old.span))

    def mark(self, marks: Marks) -> bool:
        step = self.meant()[0]
        self.put(replace(step, cite=together(step.cite, marks.cite)))
        return True

    def remove(self, verb: Entry) -> bool:
        if not self.tell_all_of_play(verb):
            self.put_steps(tuple(s for s in self.steps() if s.name != self.step))
        return True

    def replace(self, verb: Entry, marks: Marks) -> bool:
        body, own = text_and_cites(verb.value)
        steps = read_steps(body, self.address, self.work.sink)
        self.work.game = self.work.sentences.back(self.work.game, self.address)
        rules = tuple(statement for step in steps for statement in step.body)
        self.put(Step(self.step, rules, together(marks.cite, own), verb.value.span))
        return True

    def wrap(self, verb: Entry, marks: Marks) -> bool:
        rules = self.parse(parse_rules, verb.value)
        if rules is not None:
            old = self.meant()
            cite = tuple(c for s in old for c in s.cite)
            unnamed = tuple(replace(s, name="") for s in old)
            call = self.as_effect(verb.value, rules, unnamed, cite)
            self.put(Step(self.step, call, together(old[0].cite, marks.cite), verb.value.span))
        return True

    def insert(self, verb: Entry, marks: Marks) -> bool:
        if verb.key not in ("before", "after") or not isinstance(verb.value, Mapping):
            return False
        new, old = self.new_steps(verb), self.steps()
        at = next(i for i, s in enumerate(old) if s.name == self.step) + (verb.key == "after")
        self.put_steps((*old[:at], *new, *old[at:]), marks.cite)
        return True
