"""Actions: what a player, or chance, may do; their notation both ways; their dense index.

In: the program and a block that asks, with what it offers. Out: `Action` records, made once and shared. Notation is one word: the id
of an element, a number, a label. `find_action` reads it back among the legal ones and says what is wrong otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Final

from interpreter.ir.expr_types import ExprTypes
from interpreter.ir.ops import Chance, Choose, Extra
from interpreter.ir.program import Decision, Program
from interpreter.machine.events import id_of, name_of
from interpreter.machine.faults import IllegalAction

CHANCE: Final = -1
NEAREST: Final = 3
NEAR: Final = 0.6


@dataclass(frozen=True, slots=True)
class Action:
    """One option taken. `player` is a seat from 0, or CHANCE. `decision` is the address of what was asked. `value` is the element
    chosen, or -1 - e for extra number e. `text` is the notation, `caption` what people read, `index` a number of its own among
    all actions of the program (the same for all players)."""

    player: int
    decision: str
    value: int
    text: str = field(compare=False)
    caption: str = field(compare=False)
    index: int = field(compare=False)


class ActionTable:
    """The actions of one program, by block, player and choice."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[tuple[int, int, int], Action] = {}
        self._sizes: dict[int, int] = {}
        types = ExprTypes(program)
        extras: dict[int, int] = {}
        for block in program.blocks:
            term = block.term
            if isinstance(term, Choose | Chance):
                size = types.many(term.domain, program.procs[block.p].locals).size
                self._sizes[term.decision] = max(self._sizes.get(term.decision, 0), size)
                if isinstance(term, Choose):
                    extras[term.decision] = max(extras.get(term.decision, 0), len(term.extras))
        self._bases: dict[int, int] = {}
        count = 0
        for decision in sorted(self._sizes):
            self._bases[decision] = count
            count += self._sizes[decision] + extras.get(decision, 0)
        self.count = count
        """How many indices there are."""

    def action(self, b: int, player: int, choice: int) -> Action:
        """The action that takes a choice at block b."""
        key = (b, player, choice)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._make(b, player, choice)
        return found

    def possible(self, b: int, player: int) -> tuple[Action, ...]:
        """All that the block could ever offer, legal or not."""
        term = self._term(b)
        extras = len(term.extras) if isinstance(term, Choose) else 0
        choices = [*range(self._sizes[term.decision]), *(-1 - e for e in range(extras))]
        return tuple(self.action(b, player, choice) for choice in choices if self._exists(term, choice))

    def is_word(self, text: str) -> bool:
        """Whether a text names an option of any choice of the program."""
        word = _fold(text)
        labels = (w for d in self._program.decisions for w in (*d.labels, *d.captions))
        asked = {d.domain for d in self._program.decisions if d.kind == "pick"}
        things = (w for k in sorted(asked) for d in [self._program.domains[k]] for w in (*d.ids, *d.names))
        return any(_fold(w) == word for w in (*labels, *things))

    def _exists(self, term: Choose | Chance, choice: int) -> bool:
        decision = self._program.decisions[term.decision]
        if choice < 0 or decision.kind == "number":
            return True
        if decision.kind == "label":
            return choice < len(decision.labels)
        ids = self._program.domains[decision.domain].ids
        return not ids or choice < len(ids)

    def _term(self, b: int) -> Choose | Chance:
        term = self._program.blocks[b].term
        if not isinstance(term, Choose | Chance):
            raise TypeError(f"block {b} asks nobody")
        return term

    def _make(self, b: int, player: int, choice: int) -> Action:
        term = self._term(b)
        decision = self._program.decisions[term.decision]
        base = self._bases[term.decision]
        if choice >= 0:
            text, caption = self._words(decision, choice)
            return Action(player, decision.address, choice, text, caption, base + choice)
        e = -1 - choice
        extras = term.extras if isinstance(term, Choose) else ()
        extra = extras[e]
        text = extra.label
        # Two extras, or an extra and an element, may bear one word: the later is told apart by a number.
        taken = {self._words(decision, x)[0] for x in range(self._sizes[term.decision]) if self._exists(term, x)}
        same = sum(other.label == text for other in extras[:e]) + (text in taken)
        if same:
            text = f"{text}~{same + 1}"
        return Action(
            player,
            decision.address,
            choice,
            text,
            self._caption(decision, extra),
            base + self._sizes[term.decision] + e,
        )

    def _words(self, decision: Decision, choice: int) -> tuple[str, str]:
        if decision.kind == "label":
            label = decision.labels[choice]
            caption = decision.captions[choice] if choice < len(decision.captions) else ""
            return label, caption or label.replace("_", " ")
        domain = -1 if decision.kind == "number" and decision.domain < 0 else decision.domain
        return id_of(self._program, domain, choice), name_of(self._program, domain, choice)

    def _caption(self, decision: Decision, extra: Extra) -> str:
        at = decision.labels.index(extra.label) if extra.label in decision.labels else len(decision.captions)
        caption = decision.captions[at] if at < len(decision.captions) else ""
        return caption or extra.label.replace("_", " ")


def option_words(program: Program) -> Iterator[str]:
    """The notation of all that the choices of a program may offer, numbers left out."""
    for decision in program.decisions:
        yield from decision.labels
        if decision.kind == "pick" and decision.domain >= 0:
            yield from program.domains[decision.domain].ids
    for block in program.blocks:
        if isinstance(block.term, Choose):
            yield from (extra.label for extra in block.term.extras)


def find_action(text: str, legal: Sequence[Action], possible: Iterable[Action] = ()) -> Action:
    """The legal action that a text means: its notation, the words people read, or a prefix that fits one of them only."""
    word = _fold(text)
    exact = [a for a in legal if a.text == text.strip()] or [
        a for a in legal if word in (_fold(a.text), _fold(a.caption))
    ]
    if len(exact) == 1:
        return exact[0]
    begins = exact or [
        a for a in legal if word and (_fold(a.text).startswith(word) or _fold(a.caption).startswith(word))
    ]
    if len(begins) == 1:
        return begins[0]
    if begins:
        names = tuple(a.text for a in begins)
        raise IllegalAction("ambiguous", f"`{text.strip()}` may be {', '.join(names[:-1])} or {names[-1]}", names)
    nearest = nearest_actions(word, legal)
    if any(word in (_fold(a.text), _fold(a.caption)) for a in possible):
        raise IllegalAction("illegal", f"`{text.strip()}` is not offered now", nearest)
    raise IllegalAction("invalid", f"there is no `{text.strip()}` to choose here", nearest)


def nearest_actions(word: str, legal: Sequence[Action]) -> tuple[str, ...]:
    """Notation of the legal actions that look like a word, the likeliest first; empty if none does."""
    by_word = {_fold(a.text): a.text for a in legal} | {_fold(a.caption): a.text for a in legal}
    close = get_close_matches(word, by_word, n=NEAREST, cutoff=NEAR)
    return tuple(dict.fromkeys(by_word[c] for c in close))


def _fold(text: str) -> str:
    return text.strip().casefold().replace(" ", "_").replace("-", "_")
