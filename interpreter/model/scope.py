"""What names mean at one place in a rule: locals, the acting player, `this`, and which optional values are known to be there."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from interpreter.model.dsl_types import Type
from interpreter.model.typed import LocalSym
from interpreter.syntax import nodes as syn
from interpreter.text.source import Span


@dataclass(slots=True)
class Usage:
    """What a function body turned out to use; written while it is checked."""

    me: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """Immutable; binding a name gives a new scope. `sure` holds the spellings of optional expressions known not to be nothing, `implied`
    what is sure as well once a local turns out not to be nothing (`let k be first j in S where f[j] != nothing`)."""

    locals: dict[str, LocalSym] = field(default_factory=dict)
    me: LocalSym | None = None
    this: LocalSym | None = None
    sure: frozenset[str] = frozenset()
    implied: dict[str, frozenset[str]] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    address: str = ""

    def bind(self, name: str, kind: Type, span: Span) -> tuple[Scope, LocalSym]:
        """The scope with a new local."""
        symbol = LocalSym(name, kind, span)
        return self.with_local(symbol), symbol

    def with_local(self, symbol: LocalSym) -> Scope:
        """The scope with a given local; what was known of an older one of that name is forgotten."""
        mark = f"Name(id={symbol.name!r})"
        kept = frozenset(k for k in self.sure if mark not in k)
        return replace(self, locals={**self.locals, symbol.name: symbol}, sure=kept)

    def with_me(self, symbol: LocalSym) -> Scope:
        """The scope with another acting player."""
        return replace(self, me=symbol, sure=frozenset(k for k in self.sure if "Me()" not in k))

    def knowing(self, facts: frozenset[str]) -> Scope:
        """The scope in which these optional expressions are sure, and what follows from that."""
        if not facts:
            return self
        more = frozenset().union(*(self.implied.get(f, frozenset()) for f in facts))
        return replace(self, sure=self.sure | facts | more)

    def implying(self, name: str, facts: frozenset[str]) -> Scope:
        """The scope in which `facts` are sure as soon as the local `name` is."""
        return replace(self, implied={**self.implied, spelling(syn.Name(name)): facts}) if facts else self

    def forgetting(self, name: str) -> Scope:
        """The scope after a store to a field or local called `name`."""
        marks = (f"name={name!r}", f"Name(id={name!r})")
        kept = frozenset(k for k in self.sure if not any(m in k for m in marks))
        return self if len(kept) == len(self.sure) else replace(self, sure=kept)


def spelling(node: syn.Expr) -> str:
    """One text for equal expressions, whatever their place."""
    return repr(node)
