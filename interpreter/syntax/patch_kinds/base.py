"""What all kinds of places share: the definition under work, and a place at which no verb does anything yet.

In: a definition, whom to tell, an address. Out: `Work`, which the places of one patch change together, and `Place`, whose methods the kinds
write over. A verb gives back whether it does anything at such a place; what is wrong with its value is told by the place itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar, cast

from interpreter.syntax.definition import Definition, Marks
from interpreter.syntax.expr_parser import parse_formula
from interpreter.syntax.located import Entry, Located, Scalar
from interpreter.syntax.located import Sequence as Listed
from interpreter.syntax.nodes import Expr
from interpreter.syntax.patch_capture import Capture, captures
from interpreter.syntax.patch_parts import joined_list, listed, together
from interpreter.syntax.patch_texts import Sentences
from interpreter.syntax.schema_check import Schema
from interpreter.text.diagnostic import Related, Sink, with_address
from interpreter.text.source import MappedText, Span
from interpreter.text.suggest import nearest

_T = TypeVar("_T")
TEXT: Final[Schema] = {"type": "string"}


@dataclass(slots=True)
class Work:
    """The definition under work. `patch` is what messages call the patch that is at work."""

    game: Definition
    sink: Sink
    patch: str = ""
    named: str = ""
    """The address as the patch names it."""
    conditional: bool = False
    """Whether the number of players or options decide that this part of a patch is there at all."""
    sentences: Sentences = field(default_factory=Sentences)

    @property
    def id(self) -> str:
        """The patch's own name, without the word for its kind."""
        return self.patch.split()[-1]

    def put(self, section: str, name: str, item: object) -> None:
        """Puts an item into a section, or takes it out (None)."""
        old = dict(getattr(self.game, section))
        if item is None:
            old.pop(name, None)
        else:
            old[name] = item
        changes: dict[str, object] = {section: old}
        self.game = replace(self.game, **changes)  # type: ignore[arg-type]  # the section's own kind

    def fresh_effect(self, name: str) -> str:
        """A name for an effect that has none yet."""
        count, free = 1, name
        while free in self.game.effects:
            count += 1
            free = f"{name}_{count}"
        return free

    def exists(self, address: str, span: Span, first: Span) -> None:
        """Tells that what is new is there already."""
        self.sink.error(
            "duplicate-name",
            span,
            f"`{address}` exists already",
            label=f"again, in `{self.patch}`",
            help="to change it, use `change:`",
            related=(Related(first, "first"),),
            address=address,
        )


@dataclass(frozen=True, slots=True)
class Place:
    """What an address leads to; this one leads nowhere."""

    work: Work
    address: str

    # -------------------------------------------------------------- what it is
    def is_there(self, verbs: Sequence[Entry]) -> bool:
        """Whether something stands there, or these verbs can make it."""
        return False

    def span(self) -> Span | None:
        """Where it stands; None for a whole section."""
        return None

    def verbs(self) -> tuple[str, ...]:
        """The verbs it has, beside `remove: true`."""
        return ()

    def here_go(self) -> str:
        """Its verbs, in words for a message."""
        verbs = self.verbs()
        return (
            f"here go {', '.join(f'`{v}`' for v in verbs)} and `remove: true`" if verbs else "here goes `remove: true`"
        )

    def form(self, verb: str, value: Located) -> Schema | None:
        """The form of what a verb writes, as in a game file; None where its text says what it is and is parsed."""
        return None

    def missing(self) -> str:
        """What is said if it is not there."""
        return f"nothing at `{self.address}`"

    def help_where_missing(self) -> str:
        """What helps if nothing stands there; empty where nothing does but a nearer address."""
        return ""

    def may_change(self, verbs: Sequence[Entry]) -> bool:
        """Whether it may be changed by this part of the patch; if not, that is told."""
        return True

    # -------------------------------------------------------------- verbs
    def mark(self, marks: Marks) -> bool:
        """Marks without a verb join it."""
        return False

    def remove(self, verb: Entry) -> bool:
        """It goes."""
        return False

    def set(self, verb: Entry, marks: Marks) -> bool:
        """New data."""
        return False

    def replace(self, verb: Entry, marks: Marks) -> bool:
        """A new text."""
        return False

    def wrap(self, verb: Entry, marks: Marks) -> bool:
        """A text in which `previous` is the old one."""
        return False

    def insert(self, verb: Entry, marks: Marks) -> bool:
        """Something new at its beginning or end, or beside it."""
        return False

    def inside(self, verb: Entry, marks: Marks) -> bool:
        """The old text in a block whose first line is given."""
        return False

    def offer(self, verb: Entry, marks: Marks) -> bool:
        """Further options of an `either`."""
        return False

    def join(self, verb: Entry) -> bool:
        """Members join (`add`) or go (`remove`)."""
        return False

    # -------------------------------------------------------------- what kinds are made with
    def error(self, code: str, span: Span, message: str, help: str = "", related: tuple[Related, ...] = ()) -> None:
        self.work.sink.error(code, span, message, help=help, related=related, address=self.address)

    def parse(self, parser: Callable[[MappedText, Sink], _T | None], node: Located) -> _T | None:
        """Parses a text of the patch; what is wrong in it carries the address that it is for."""
        if not isinstance(node, Scalar):
            self.error("patch-verb", node.span, f"`{self.address}` wants a text")
            return None
        found = Sink()
        tree = parser(node.mapped, found)
        self.work.sink.extend(with_address(d, self.address) for d in found.diagnostics)
        return tree

    def expression(self, node: Located) -> Expr | None:
        """Parses an expression of the patch."""
        return cast("Expr | None", self.parse(parse_formula, node))

    def tell_captures(self, wrapping: Expr, old: Expr | None) -> None:
        """Names of the old expression that would mean something else where the new text says `previous`."""
        if old is not None:
            self.tell_hidden(captures(wrapping, old), "what the old expression calls")

    def tell_hidden(self, found: Iterable[Capture], what: str) -> None:
        for one in found:
            help = f"call it something else, for example `{one.name}_2`"
            related = (Related(one.meant, "this is meant there"),)
            self.error("patch-verb", one.bound, f"`{one.name}` hides {what} `{one.name}`", help, related)

    def joined_members(self, old: Located, value: Located, adds: bool) -> Listed:
        """A list with members that join or go; one that is to go and is not there is told."""
        if not adds:
            self.tell_missing(value, listed(old))
        return joined_list(old, value, adds)

    def tell_missing(self, gone: Located, known: Sequence[Located | str]) -> None:
        """What is to go and is not there."""
        words = [k.value if isinstance(k, Scalar) else k for k in known]
        for item in listed(gone):
            if isinstance(item, Scalar) and item.value not in words:
                near = nearest(str(item.value), [str(w) for w in words])
                help = f"did you mean `{near}`?" if near else ""
                self.error("patch-misses", item.span, f"`{item.value}` is not in `{self.address}`", help)


@dataclass(frozen=True, slots=True)
class Named(Place):
    """One thing of a section in which each has a name, a place, and clauses beside it."""

    section: str
    name: str

    def is_there(self, verbs: Sequence[Entry]) -> bool:
        return self.name in getattr(self.work.game, self.section)

    def span(self) -> Span | None:
        item = getattr(self.work.game, self.section).get(self.name)
        span = getattr(item, "span", None)
        return span if isinstance(span, Span) else None

    def mark(self, marks: Marks) -> bool:
        item = getattr(self.work.game, self.section)[self.name]
        self.put(replace(item, cite=together(item.cite, marks.cite)))
        return True

    def remove(self, verb: Entry) -> bool:
        self.put(None)
        return True

    def put(self, item: object) -> None:
        """Another thing in its stead, or none."""
        self.work.put(self.section, self.name, item)


def removes(verb: Entry) -> bool:
    """Whether a verb is `remove: true`."""
    return verb.key == "remove" and isinstance(verb.value, Scalar) and verb.value.value is True


def fills(verbs: Sequence[Entry]) -> bool:
    """Whether the verbs can fill what is blank."""
    return all(v.key in ("set", "add") for v in verbs) and bool(verbs)


def in_file(definition: str) -> Schema:
    """The form that something has in a game file."""
    return {"allOf": [{"$ref": f"#/definitions/{definition}"}]}
