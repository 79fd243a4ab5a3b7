"""What of an `add:` is new: steps, sentences, results and keys of `show` that are there already are told and left out.

In: a definition, what a patch adds to it, and whom to tell. Out: what it adds without the repeats. Things that `overlay.py` joins by name,
one by one (values, rows, effects, …) are looked at there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from interpreter.syntax.definition import Definition, Step, TermDoc, TextDoc
from interpreter.syntax.located import Mapping
from interpreter.text.source import Span

Tell = Callable[[str, Span, Span], None]
"""Tells that an address is written again: the address, the place in the patch, the place that was first."""


def only_new(game: Definition, added: Definition, tell: Tell) -> Definition:
    """What is added, without what exists already."""
    return replace(
        added,
        setup=_steps("setup", game.setup, added.setup, tell),
        play=_steps("play", game.play, added.play, tell),
        winners=_term("winners", game.winners, added.winners, tell),
        payoff=_term("payoff", game.payoff, added.payoff, tell),
        texts=_texts(game.texts, added.texts, tell),
        show=_shown("show", game.show, added.show, tell),
    )


def _steps(section: str, old: tuple[Step, ...], new: tuple[Step, ...], tell: Tell) -> tuple[Step, ...]:
    known = {step.name: step.span for step in old if step.name}
    for step in new:
        if step.name in known:
            tell(f"{section}.{step.name}", step.span, known[step.name])
    return tuple(step for step in new if step.name not in known)


def _term(section: str, old: TermDoc | None, new: TermDoc | None, tell: Tell) -> TermDoc | None:
    if old is None or new is None:
        return new
    tell(section, new.span, old.span)
    return None


def _texts(old: dict[str, TextDoc], new: dict[str, TextDoc], tell: Tell) -> dict[str, TextDoc]:
    for address, text in new.items():
        if address in old:
            tell(f"text.{address}", text.key_span or text.span, old[address].key_span or old[address].span)
    return {address: text for address, text in new.items() if address not in old}


def _shown(address: str, old: Mapping | None, new: Mapping | None, tell: Tell) -> Mapping | None:
    """Of mappings in mappings the new keys."""
    if old is None or new is None:
        return new
    kept = []
    for entry in new.entries:
        first = old.entry(entry.key)
        if first is None:
            kept.append(entry)
        elif isinstance(first.value, Mapping) and isinstance(entry.value, Mapping):
            inner = _shown(f"{address}.{entry.key}", first.value, entry.value, tell)
            kept.append(entry if inner is None else replace(entry, value=inner))
        else:
            tell(f"{address}.{entry.key}", entry.key_span, first.key_span)
    return replace(new, entries=tuple(kept))
