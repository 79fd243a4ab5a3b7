"""What a game says of itself before any play: its options and modes, and how many can play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from interpreter.syntax.definition import Marks, ModeDoc, OptionDoc
from interpreter.syntax.document import read_players
from interpreter.syntax.located import Entry, Located, Mapping, Scalar
from interpreter.syntax.located import Sequence as Listed
from interpreter.syntax.patch_kinds.base import Named, Place
from interpreter.syntax.patch_parts import is_switch, listed
from interpreter.syntax.schema_check import Schema
from interpreter.text.source import Span


@dataclass(frozen=True, slots=True)
class _Patched(Named):
    """What holds a patch of its own, and is there or not before anybody has chosen."""

    def may_change(self, verbs: Sequence[Entry]) -> bool:
        """It is changed at a time when all see it."""
        inner = self.work.patch.startswith(("option ", "mode "))
        late = next((v for v in verbs if inner or v.key != "add"), None) if self.work.conditional else None
        if late is not None:
            message = f"`{self.address}` is changed under a condition"
            self.error("declared-under-condition", late.key_span, message, "move it out of the condition")
        return late is None

    def extend(self, declared: OptionDoc | ModeDoc, verb: Entry) -> bool:
        """A further patch, which comes behind what is done already; False where that makes no patch."""
        value = verb.value
        if verb.key != "add" or not isinstance(value, Mapping):
            return False
        if any(str(e.key) not in ("seats", "add", "change", "when") for e in value.entries):
            return False
        old = declared.patch or Mapping(value.span, ())
        parts = old.get("parts")
        joined = Listed(value.span, (*(listed(parts) if parts is not None else ()), value))
        kept = tuple(e for e in old.entries if e.key != "parts")
        patch = Mapping(old.span, (*kept, Entry("parts", value.span, joined)))
        self.put(replace(declared, patch=patch))
        return True


@dataclass(frozen=True, slots=True)
class Option(_Patched):
    """An option."""

    def verbs(self) -> tuple[str, ...]:
        option = self.work.game.options.get(self.name)
        return ("set", "add") if option is not None and is_switch(option.type) else ("set",)

    def form(self, verb: str, value: Located) -> Schema | None:
        return {"$ref": "#/definitions/option/properties/default"} if verb == "set" else None

    def set(self, verb: Entry, marks: Marks) -> bool:
        self.put(replace(self.work.game.options[self.name], default=verb.value))
        return True

    def join(self, verb: Entry) -> bool:
        option = self.work.game.options[self.name]
        return is_switch(option.type) and self.extend(option, verb)


@dataclass(frozen=True, slots=True)
class Mode(_Patched):
    """A mode."""

    def verbs(self) -> tuple[str, ...]:
        return ("add",)

    def join(self, verb: Entry) -> bool:
        return self.extend(self.work.game.modes[self.name], verb)


@dataclass(frozen=True, slots=True)
class _OfTheWhole(Place):
    """What is said of the whole game before anybody has chosen how it is played."""

    what = ""
    """What the place is, in words."""

    def is_there(self, verbs: Sequence[Entry]) -> bool:
        return True

    def here_go(self) -> str:
        return "here goes `set`"

    def may_change(self, verbs: Sequence[Entry]) -> bool:
        late = next(iter(verbs), None) if self.work.conditional else None
        if late is not None:
            message = f"{self.what} is changed under a condition"
            self.error("declared-under-condition", late.value.span, message, "move it out of the condition")
        return late is None


@dataclass(frozen=True, slots=True)
class Title(_OfTheWhole):
    """What people call the game."""

    what = "what the game is called"

    def form(self, verb: str, value: Located) -> Schema | None:
        return {"type": "string", "minLength": 1} if verb == "set" else None

    def set(self, verb: Entry, marks: Marks) -> bool:
        if isinstance(verb.value, Scalar):
            self.work.game = replace(self.work.game, title=str(verb.value.value))
        return isinstance(verb.value, Scalar)


@dataclass(frozen=True, slots=True)
class Players(_OfTheWhole):
    """How many can play."""

    what = "how many can play"

    def span(self) -> Span | None:
        return self.work.game.players_span

    def set(self, verb: Entry, marks: Marks) -> bool:
        value, sink = verb.value, self.work.sink
        told = len(sink.diagnostics)
        players = read_players(value, sink)
        if players is not None:
            self.work.game = replace(self.work.game, players=players, players_span=value.span)
        return players is not None or len(sink.diagnostics) > told
