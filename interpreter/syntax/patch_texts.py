"""Where the sentences of the log go when patches change what they belong to.

In: a definition and the addresses of an old text and of where it is now. Out: the definition with its sentences there. A sentence goes
with the text it was written for: into the step that this becomes where others join it, into the effect that it becomes where it is
wrapped. It is still found under its old address, through `renamed`, so that later patches, options and modes reach it. What a patch says
beside its own wrap belongs to the new text and takes the old sentence's place.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from interpreter.syntax.definition import Definition, TextDoc
from interpreter.syntax.nodes import Expr, LetStmt, Name, Stmt, This
from interpreter.syntax.patch_parts import ALONE, rewrite
from interpreter.text.source import Span

_ROW: Final = "this_row"
"""What `this` is called in the sentence of a cell whose text is an effect now."""


def address_now(game: Definition, address: str) -> str:
    """The address that a sentence has today."""
    if address in game.texts:
        return address
    renamed = {o.removeprefix("text."): n.removeprefix("text.") for o, n in game.renamed.items() if _is_text(o)}
    if address in renamed:
        return renamed[address]
    longer = (n + address[len(o) :] for o, n in renamed.items() if address.startswith(o + "."))
    return next((a for a in longer if a in game.texts), address)


def moved(game: Definition, old: str, new: str) -> Definition:
    """The sentence of one address at another; whoever names the old one means it there."""
    texts = dict(game.texts)
    parts = rewrite(texts[old].parts, lambda n: Name(_ROW, span=n.span) if isinstance(n, This) else None)
    texts[new] = replace(texts.pop(old), address=new, parts=parts)
    renamed = {o: f"text.{new}" if n == f"text.{old}" else n for o, n in game.renamed.items()}
    renamed[f"text.{old}"] = f"text.{new}"
    renamed.pop(f"text.{new}", None)
    return replace(game, texts=texts, renamed=renamed)


def named_row(game: Definition, address: str, row: str, span: Span) -> tuple[Stmt, ...]:
    """What makes the row known that a cell's sentence speaks of, where that is an effect's now; nothing if it does not."""
    text = game.texts.get(address)
    if text is None or _with_this(text.parts) is text.parts:
        return ()
    return (LetStmt(_ROW, Name(row, span=span), span=span),)


def _with_this(parts: tuple[str | Expr, ...]) -> tuple[str | Expr, ...]:
    """A sentence with `this` where its row has a name."""
    return rewrite(parts, lambda n: This(span=n.span) if isinstance(n, Name) and n.id == _ROW else None)


def alone_again(game: Definition, address: str) -> Definition:
    """What joined a text is gone: its sentence has the old address."""
    if game.renamed.get(f"text.{address}") != f"text.{address}.{ALONE}":
        return game
    return _returned(game, address)


def _returned(game: Definition, address: str) -> Definition:
    """The sentence at its old address again, wherever it went."""
    renamed = dict(game.renamed)
    now = renamed.pop(f"text.{address}", "").removeprefix("text.")
    if now not in game.texts or address in game.texts:
        return game
    texts = dict(game.texts)
    parts = _with_this(texts[now].parts)
    texts[address] = replace(texts.pop(now), address=address, parts=parts)
    return replace(game, texts=texts, renamed=renamed)


def _is_text(address: str) -> bool:
    return address.startswith("text.")


@dataclass(slots=True)
class Sentences:
    """What one patch has done to sentences so far: those that it wrote itself, and the addresses whose sentences it sent elsewhere."""

    own: set[str] = field(default_factory=set)
    sent: set[str] = field(default_factory=set)

    def written(self, game: Definition, address: str, text: TextDoc) -> Definition:
        """A patch says a sentence (or a name)."""
        self.own.add(address)
        if address in self.sent:
            game = _returned(game, address)
        now = address_now(game, address)
        return replace(game, texts={**game.texts, now: replace(text, address=now)})

    def carried(self, game: Definition, old: str, new: str) -> Definition:
        """A text is wrapped, and is now at another address with all its steps; what this patch says itself is for the new text."""
        if old in self.own:
            game = _returned(game, old)
        for address in [a for a in game.texts if (a == old and old not in self.own) or a.startswith(old + ".")]:
            game = moved(game, address, new + address[len(old) :])
            self.sent.add(address)
        return game

    def back(self, game: Definition, address: str) -> Definition:
        """A text is replaced: the sentence of its address is there again."""
        return _returned(game, address)
