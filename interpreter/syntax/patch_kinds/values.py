"""The constants of a game."""

from __future__ import annotations

from dataclasses import dataclass, replace

from interpreter.syntax.definition import Marks, ValueDoc
from interpreter.syntax.located import Entry, Located, Mapping, Scalar
from interpreter.syntax.located import Sequence as Listed
from interpreter.syntax.patch_kinds.base import Named, in_file
from interpreter.syntax.patch_parts import joined_list, listed, marks_over, numbers_through, with_value
from interpreter.syntax.schema_check import Schema


@dataclass(frozen=True, slots=True)
class Value(Named):
    """A constant: one piece of data, or one for each number of players."""

    def value(self) -> ValueDoc:
        """The constant as it is now."""
        return self.work.game.values[self.name]

    def verbs(self) -> tuple[str, ...]:
        doc = self.value()
        held = [e.value for e in doc.by_players.entries] if doc.by_players is not None else [doc.value]
        first = held[0] if held else None
        numbers = first is not None and all(isinstance(i, Scalar) and isinstance(i.value, int) for i in listed(first))
        return ("set", *(("wrap",) if numbers else ()), *(("add", "remove") if isinstance(first, Listed) else ()))

    def form(self, verb: str, value: Located) -> Schema | None:
        told_by_set = self.by_count_misses(value)
        return in_file("value") if verb in ("set", "replace") and not told_by_set else None

    def by_count_misses(self, value: Located) -> bool:
        """Whether new data leaves out `by players` where the old goes by it."""
        goes_by = self.value().by_players is not None
        return goes_by and isinstance(value, Mapping) and value.get("by players") is None

    def mark(self, marks: Marks) -> bool:
        self.put(replace(self.value(), marks=marks_over(marks, self.value().marks)))
        return True

    def set(self, verb: Entry, marks: Marks) -> bool:
        old, value = self.value(), verb.value
        if self.by_count_misses(value):
            message = f"`{self.address}` goes by the number of players"
            self.error("patch-verb", value.span, message, "write `set: {by players: {2: …}}`")
        else:
            self.put(with_value(old, value, marks))
        return True

    def replace(self, verb: Entry, marks: Marks) -> bool:
        return self.set(verb, marks)

    def wrap(self, verb: Entry, marks: Marks) -> bool:
        """A number, each of a list, or each of those by number of players, put through the formula."""
        formula = self.expression(verb.value)
        if formula is None:
            return True
        doc, at = self.value(), verb.value.span
        old = doc.by_players or doc.value
        new = numbers_through(old, formula, at) if old is not None else None
        if new is None:
            self.error("patch-verb", at, f"`{self.address}` is no number that this could change", "use `set`")
            return True
        by_players = new if doc.by_players and isinstance(new, Mapping) else None
        value = None if doc.by_players else new
        self.put(replace(doc, value=value, by_players=by_players, marks=marks_over(marks, doc.marks)))
        return True

    def join(self, verb: Entry) -> bool:
        doc, adds = self.value(), verb.key == "add"
        if doc.by_players is not None:
            return self.join_by_players(doc, doc.by_players, verb.value, adds)
        if not isinstance(doc.value, Listed):
            return False
        self.put(replace(doc, value=self.joined_members(doc.value, verb.value, adds)))
        return True

    def join_by_players(self, doc: ValueDoc, old: Mapping, value: Located, adds: bool) -> bool:
        """Members join or go at every number of players, or below `by players` at those that are named."""
        if not all(isinstance(e.value, Listed) for e in old.entries):
            return False
        named = value.get("by players") if isinstance(value, Mapping) else None
        if isinstance(value, Mapping) and not isinstance(named, Mapping):
            return False
        if named is None and not adds:
            self.tell_missing(value, [i for e in old.entries for i in listed(e.value)])
        entries = []
        for entry in old.entries:
            given = named.get(entry.key) if isinstance(named, Mapping) else None
            if given is not None:
                entry = replace(entry, value=self.joined_members(entry.value, given, adds))
            elif named is None:
                entry = replace(entry, value=joined_list(entry.value, value, adds))
            entries.append(entry)
        for extra in named.entries if isinstance(named, Mapping) else ():
            if old.get(extra.key) is None:
                self.error("patch-misses", extra.key_span, f"`{self.address}` has nothing for `{extra.key}` players")
        self.put(replace(doc, by_players=replace(old, entries=tuple(entries))))
        return True
