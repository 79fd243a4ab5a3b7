"""What people see: sentences and names, and how things are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from interpreter.syntax.definition import Marks
from interpreter.syntax.document import read_text
from interpreter.syntax.located import Entry, Located, Mapping, Scalar
from interpreter.syntax.located import Sequence as Listed
from interpreter.syntax.patch_kinds.base import Place, fills
from interpreter.syntax.patch_parts import found_in, merged_through, put_in
from interpreter.syntax.schema_check import Schema, check_part
from interpreter.text.source import Span

_SENTENCE: Final[Schema] = {"type": ["string", "integer"]}


@dataclass(frozen=True, slots=True)
class Sentence(Place):
    """The name or the sentence of an address."""

    of: str

    def is_there(self, verbs: Sequence[Entry]) -> bool:
        return self.of in self.work.game.texts

    def span(self) -> Span | None:
        text = self.work.game.texts.get(self.of)
        return (text.key_span or text.span) if text is not None else None

    def verbs(self) -> tuple[str, ...]:
        return ("set",)

    def form(self, verb: str, value: Located) -> Schema | None:
        return _SENTENCE if verb in ("set", "replace") else None

    def remove(self, verb: Entry) -> bool:
        self.work.put("texts", self.of, None)
        return True

    def set(self, verb: Entry, marks: Marks) -> bool:
        work, value = self.work, verb.value
        if not isinstance(value, Scalar):
            return False
        address = work.named.removeprefix("text.")
        work.game = work.sentences.written(work.game, address, read_text(address, value, work.sink))
        return True

    def replace(self, verb: Entry, marks: Marks) -> bool:
        return self.set(verb, marks)


@dataclass(frozen=True, slots=True)
class Shown(Place):
    """`show`, or what stands below it at a path of keys."""

    path: tuple[str, ...]

    def found(self) -> Located | None:
        """What stands there now."""
        return found_in(self.work.game.show, self.path)

    def is_there(self, verbs: Sequence[Entry]) -> bool:
        return fills(verbs) or self.found() is not None

    def span(self) -> Span | None:
        held: Located | None = self.work.game.show
        entry = None
        for name in self.path:
            entry = held.entry(name) if isinstance(held, Mapping) else None
            held = entry.value if entry is not None else None
        return entry.key_span if entry is not None else None

    def verbs(self) -> tuple[str, ...]:
        return ("set", "add", "remove") if isinstance(self.found(), Listed) else ("set",)

    def put(self, show: Mapping | None, verb: Entry) -> None:
        """`show` as a verb leaves it; where it would not have the form it has in a file, that is told, and it stays as it was."""
        entry = Entry("show", verb.key_span, show) if show is not None else None
        if entry is None or check_part(entry, {"$ref": "#/game/show"}, self.address, self.work.sink):
            self.work.game = replace(self.work.game, show=show)

    def remove(self, verb: Entry) -> bool:
        show = self.work.game.show
        left = put_in(show, self.path, None) if show is not None and self.path else None
        self.put(left if left is not None and left.entries else None, verb)
        return True

    def set(self, verb: Entry, marks: Marks) -> bool:
        return self.merge(verb.value, verb)

    def join(self, verb: Entry) -> bool:
        old = self.found() or Listed(verb.value.span, ())
        if not self.path or isinstance(old, Mapping):
            return False
        return self.merge(self.joined_members(old, verb.value, verb.key == "add"), verb)

    def merge(self, value: Located, verb: Entry) -> bool:
        """How something is drawn: of mappings only the keys named."""
        for name in reversed(self.path):
            value = Mapping(value.span, (Entry(name, value.span, value),))
        if isinstance(value, Mapping):
            self.put(merged_through(self.work.game.show, value), verb)
        return isinstance(value, Mapping)
