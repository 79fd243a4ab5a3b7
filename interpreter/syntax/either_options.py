"""The options of every `either` in a routine, by address: `effects.act.sell`, or `effects.act.trade.sell` where the step matters.

In: a definition, or the steps of one routine. Out: options with where they stand. An option has an address where just one `either` of the
text has that name; a step of the same name comes first. The address says the step that the option lies in, unless that is all there is
(`main`, which a text becomes where steps join it).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

from interpreter.syntax.definition import Definition, Step
from interpreter.syntax.nodes import Branch, Either, Option, Statement
from interpreter.syntax.patch_parts import ALONE
from interpreter.text.source import Span


@dataclass(frozen=True, slots=True)
class Offered:
    """An option, the `either` and the step that it stands in, its address and that of the text around it."""

    option: Option
    either: Either
    step: Step
    address: str
    text: str

    def span(self) -> Span:
        """Where the option stands, from the word before it on if that begins its line."""
        at, source = self.option.span, self.option.span.source
        row, column = at.position()
        before = source.line(row)[: column - 1]
        return Span(source, at.start - len(before.lstrip()), at.end) if before.strip() in ("either", "or") else at


def eithers(node: object) -> Iterator[Either]:
    """Every `either` in a text, those in others behind them."""
    if isinstance(node, tuple):
        for item in node:
            yield from eithers(item)
    elif isinstance(node, Statement | Branch | Option):
        if isinstance(node, Either):
            yield node
        for item in fields(node):
            yield from eithers(getattr(node, item.name))


def offered(whole: str, steps: tuple[Step, ...], within: str | None = None) -> Iterator[Offered]:
    """All options of the routine at an address, or of one of its steps. Those that share an address cannot be told apart by it."""
    taken = {step.name for step in steps}
    found = [(step, either, option) for step in steps for either in eithers(step.body) for option in either.options]
    labels = [option.label for _, _, option in found]
    for step, either, option in found:
        name = option.label
        bare = step.name in ("", ALONE) and name not in taken and labels.count(name) == 1
        if within in (None, step.name):
            text = f"{whole}.{step.name}" if step.name else whole
            yield Offered(option, either, step, f"{whole if bare else text}.{name}", text)


def all_offered(definition: Definition) -> Iterator[Offered]:
    """All options of a definition that have an address."""
    for whole, steps in all_steps(definition).items():
        yield from apart(offered(whole, steps))


def all_steps(definition: Definition) -> dict[str, tuple[Step, ...]]:
    """The steps of every routine, by its address."""
    return {
        "setup": definition.setup,
        "play": definition.play,
        **{f"phases.{name}": routine.steps for name, routine in definition.phases.items()},
        **{f"effects.{name}": routine.steps for name, routine in definition.effects.items()},
    }


def apart(found: Iterator[Offered]) -> Iterator[Offered]:
    """Of options those that have an address to themselves."""
    options = list(found)
    shared = [one.address for one in options]
    yield from (one for one in options if shared.count(one.address) == 1)
