"""Places that hold one expression: functions, scoring terms, the winners, the payoff."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from interpreter.syntax.definition import Marks, TermDoc
from interpreter.syntax.expr_parser import parse_functions
from interpreter.syntax.formatter import format_functions
from interpreter.syntax.located import Entry, Scalar
from interpreter.syntax.nodes import Expr, Func
from interpreter.syntax.patch_kinds.base import Named, Place, removes
from interpreter.syntax.patch_parts import one_expression, together, with_previous
from interpreter.text.source import MappedText, Span

_HEAD: Final = re.compile(r"\s*[a-z_]\w*\s*(\([^)]*\)\s*)?(:[^=\n]*)?=(?!=)")


@dataclass(frozen=True, slots=True)
class Function(Named):
    """A function."""

    def function(self) -> Func:
        """The function as it is now."""
        return self.work.game.functions[self.name]

    def span(self) -> Span | None:
        func = self.work.game.functions.get(self.name)
        return func.name_span if func is not None else None

    def verbs(self) -> tuple[str, ...]:
        return "replace", "wrap"

    def replace(self, verb: Entry, marks: Marks) -> bool:
        value, head = verb.value, _head(self.function())
        if isinstance(value, Scalar) and not _begins_like_function(value.mapped):
            message = "the text of a function begins with the function's head"
            self.error("patch-verb", value.span, message, f"write `{head} …`")
            return True
        for func in self.parse(parse_functions, value) or ():
            if func.name != self.name:
                message = f"this text defines `{func.name}`, not `{self.name}`"
                self.error("patch-verb", func.name_span, message, f"write `{head} …`")
            else:
                self.put(replace(func, cite=together(func.cite, marks.cite)))
        return True

    def wrap(self, verb: Entry, marks: Marks) -> bool:
        formula = self.expression(verb.value)
        if formula is not None:
            old = self.function()
            self.tell_captures(formula, one_expression(old))
            body = with_previous(formula, one_expression(old))
            cite = together(old.cite, *(a.cite for a in old.arms), marks.cite)
            self.put(replace(old, arms=(), body=body, cite=cite))
        return True


def _head(func: Func) -> str:
    """How the text of a function begins: `limit(p: player) =`."""
    text = format_functions((func,))
    found = _HEAD.match(text)
    return found.group().strip() if found else f"{func.name} ="


def _begins_like_function(text: MappedText) -> bool:
    return _HEAD.match(text.text) is not None


@dataclass(frozen=True, slots=True)
class _Formula(Place):
    """A formula with clauses beside it."""

    def term(self) -> TermDoc | None:
        """The formula as it is now."""
        raise NotImplementedError

    def put(self, term: TermDoc | None) -> None:
        """Another formula in its stead, or none."""
        raise NotImplementedError

    def is_there(self, verbs: Sequence[Entry]) -> bool:
        return self.term() is not None

    def span(self) -> Span | None:
        term = self.term()
        return term.span if term is not None else None

    def verbs(self) -> tuple[str, ...]:
        return "replace", "wrap"

    def remove(self, verb: Entry) -> bool:
        self.put(None)
        return True

    def replace(self, verb: Entry, marks: Marks) -> bool:
        formula = self.expression(verb.value)
        if formula is not None:
            self.put(self.written(verb, formula, marks.cite))
        return True

    def wrap(self, verb: Entry, marks: Marks) -> bool:
        formula, old = self.expression(verb.value), self.term()
        if formula is None:
            return True
        # The sum of all terms has no entry of its own: there `previous` stays, for the model to read as that sum.
        if old is not None:
            self.tell_captures(formula, old.value)
            formula = with_previous(formula, old.value)
        self.put(self.written(verb, formula, together(old.cite if old else (), marks.cite)))
        return True

    def written(self, verb: Entry, formula: Expr, cite: tuple[str, ...]) -> TermDoc:
        """The formula as the patch has it."""
        return TermDoc(self.address.rpartition(".")[2], verb.value.span, formula, cite)


@dataclass(frozen=True, slots=True)
class ScoringTerm(_Formula):
    """A scoring term; `total` is the sum of all and can be written though it has no entry."""

    name: str

    def term(self) -> TermDoc | None:
        return self.work.game.scoring.get(self.name)

    def put(self, term: TermDoc | None) -> None:
        self.work.put("scoring", self.name, term)

    def is_there(self, verbs: Sequence[Entry]) -> bool:
        return self.term() is not None or (self.name == "total" and any(not removes(v) for v in verbs))

    def mark(self, marks: Marks) -> bool:
        term = self.work.game.scoring[self.name]
        self.put(replace(term, cite=together(term.cite, marks.cite)))
        return True


@dataclass(frozen=True, slots=True)
class Outcome(_Formula):
    """The winners, or the payoff."""

    def term(self) -> TermDoc | None:
        return self.work.game.winners if self.address == "winners" else self.work.game.payoff

    def put(self, term: TermDoc | None) -> None:
        changes: dict[str, object] = {self.address: term}
        self.work.game = replace(self.work.game, **changes)  # type: ignore[arg-type]  # a term each, which may be absent
