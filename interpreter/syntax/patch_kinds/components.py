"""Places in `components`: declarations and their fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from interpreter.syntax.definition import Marks
from interpreter.syntax.expr_parser import parse_type, reserved_words
from interpreter.syntax.located import Entry, Located, Scalar
from interpreter.syntax.nodes import Decl, EnumDecl, Member, TableHas, ThingDecl
from interpreter.syntax.patch_kinds.base import Place
from interpreter.syntax.patch_parts import listed
from interpreter.syntax.schema_check import Schema
from interpreter.text.source import Span

_WORD: Schema = {"type": "string", "pattern": "^[a-z_][a-z0-9_]*$"}


@dataclass(frozen=True, slots=True)
class _Component(Place):
    """What is declared under a name; a player or the table may have several blocks."""

    name: str

    def blocks(self) -> Iterator[Decl]:
        """The declarations of the name."""
        return (d for d in self.work.game.components if _called(d) == self.name)

    def put_instead(self, old: Decl, new: Decl) -> None:
        """One declaration in the stead of another."""
        game = self.work.game
        self.work.game = replace(game, components=tuple(new if d is old else d for d in game.components))


def _called(decl: Decl) -> str:
    return "table" if isinstance(decl, TableHas) else decl.name


@dataclass(frozen=True, slots=True)
class Declaration(_Component):
    """A declaration; the words of an enumeration come and go."""

    def decl(self) -> Decl | None:
        """The first declaration of the name."""
        return next(self.blocks(), None)

    def is_there(self, verbs: Sequence[Entry]) -> bool:
        return self.decl() is not None

    def span(self) -> Span | None:
        decl = self.decl()
        return decl.span if decl is not None else None

    def verbs(self) -> tuple[str, ...]:
        return ("add", "remove") if any(isinstance(d, EnumDecl) for d in self.blocks()) else ()

    def form(self, verb: str, value: Located) -> Schema | None:
        enum = any(isinstance(d, EnumDecl) for d in self.blocks())
        return _WORD | {"type": ["string", "array"], "items": _WORD} if verb == "add" and enum else None

    def remove(self, verb: Entry) -> bool:
        game = self.work.game
        self.work.game = replace(game, components=tuple(d for d in game.components if _called(d) != self.name))
        return True

    def join(self, verb: Entry) -> bool:
        decl = self.decl()
        if not isinstance(decl, EnumDecl):
            return False
        self.put_instead(decl, self.joined_words(decl, verb.value, verb.key == "add"))
        return True

    def joined_words(self, decl: EnumDecl, value: Located, adds: bool) -> EnumDecl:
        """An enumeration with words that join or go."""
        given = [i for i in listed(value) if isinstance(i, Scalar)]
        known = tuple(zip(decl.members, decl.member_spans, strict=True))
        if adds:
            first = dict(known)
            for item in given:
                if str(item.value) in first:
                    self.work.exists(f"{self.address}.{item.value}", item.span, first[str(item.value)])
                elif self.is_free_word(item):
                    first[str(item.value)] = item.span
            known = tuple(first.items())
        else:
            self.tell_missing(value, decl.members)
            known = tuple(pair for pair in known if pair[0] not in [i.value for i in given])
        return replace(decl, members=tuple(word for word, _ in known), member_spans=tuple(at for _, at in known))

    def is_free_word(self, item: Scalar) -> bool:
        """Whether a name is none of the language's words; else that is told."""
        taken = item.value in reserved_words()
        if taken:
            message = f"`{item.value}` is a word of the language"
            self.error("word-is-taken", item.span, message, f"choose another name, for example `{item.value}_one`")
        return not taken


@dataclass(frozen=True, slots=True)
class DeclaredField(_Component):
    """A field of what is declared."""

    field: str

    def decl(self) -> Decl | None:
        """The first declaration of the name that has the field."""
        return next((d for d in self.blocks() if any(self.field in m.names for m in _members(d))), None)

    def is_there(self, verbs: Sequence[Entry]) -> bool:
        return self.decl() is not None

    def span(self) -> Span | None:
        for decl in self.blocks():
            if isinstance(decl, EnumDecl):
                return decl.span
            member = next((m for m in decl.members if self.field in m.names), None)
            if member is not None:
                at = member.names.index(self.field)
                return member.name_spans[at] if at < len(member.name_spans) else member.span
        return None

    def verbs(self) -> tuple[str, ...]:
        return ("set",)

    def remove(self, verb: Entry) -> bool:
        kept: list[Decl] = []
        for decl in self.work.game.components:
            if _called(decl) != self.name:
                kept.append(decl)
            elif not isinstance(decl, EnumDecl):
                left = tuple(_without_name(m, self.field) for m in decl.members)
                new = replace(decl, members=tuple(m for m in left if m.names))
                if new.members or isinstance(new, ThingDecl):
                    kept.append(new)
        self.work.game = replace(self.work.game, components=tuple(kept))
        return True

    def set(self, verb: Entry, marks: Marks) -> bool:
        """A new type, with its default."""
        found, decl = self.parse(parse_type, verb.value), self.decl()
        if found is None or decl is None or isinstance(decl, EnumDecl):
            return found is None
        members = []
        for member in decl.members:
            if self.field not in member.names:
                members.append(member)
                continue
            if (member.type, member.default) == (found.type, found.default):
                return True
            if others := tuple(n for n in member.names if n != self.field):
                members.append(replace(member, names=others, name_spans=()))
            members.append(replace(member, names=(self.field,), name_spans=(), type=found.type, default=found.default))
        self.put_instead(decl, replace(decl, members=tuple(members)))
        return True


def _members(decl: Decl) -> tuple[Member, ...]:
    return () if isinstance(decl, EnumDecl) else decl.members


def _without_name(member: Member, name: str) -> Member:
    """A line of a declaration without one of its names."""
    if name not in member.names:
        return member
    return replace(member, names=tuple(n for n in member.names if n != name), name_spans=())
