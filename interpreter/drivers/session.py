"""A game under way with people and bots by seat, kept in a save as it goes.

In: a game, who sits where, and perhaps a save file. Out: positions, and the people's choices carried out. Chance follows the state's
streams, bots draw from their own. Nothing is printed here. A choice can be taken back until something has been seen since that
somebody did not know: a chance outcome, or a card or field that was hidden from a seat.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Self

from interpreter.drivers.bots.bot import HUMAN, Bot, make_bot, view_of
from interpreter.drivers.narrate import Move
from interpreter.drivers.playthrough import Entry, Header, Save, SaveFile, replay, told
from interpreter.machine.action import CHANCE, Action
from interpreter.machine.events import OPEN, Event
from interpreter.machine.faults import IllegalAction
from interpreter.machine.protocol import NATURE, Game, State


@dataclass(frozen=True, slots=True)
class Step:
    """An action taken, the position after it, and how much luck each seat's bot had used by then. `forced`: a person had nothing else
    to choose, and was not asked."""

    action: Action
    after: State
    luck: tuple[int, ...]
    forced: bool = False


class Session:
    """One game. `file` None: it is kept nowhere. `ask_forced`: people are also asked where they have one option alone; otherwise that
    is taken for them, and taking back goes to their last choice between several."""

    def __init__(self, game: Game, header: Header, file: SaveFile | None = None, ask_forced: bool = True) -> None:
        self.header = header
        self._file = file
        self._ask_forced = ask_forced
        self._bots: dict[int, Bot] = {
            seat: make_bot(kind, header.seed, seat) for seat, kind in enumerate(header.seats) if kind != HUMAN
        }
        self._steps: list[Step] = []
        self._undone: list[Action] = []
        self._ended = False
        self.source = ""
        """The definition's file as a person would name it, if it is not a game that ships with the tool."""
        with self.told():
            self._first = game.new(header.players, header.seed)

    @classmethod
    def resume(cls, game: Game, save: Save, file: SaveFile | None = None, ask_forced: bool = True) -> Self:
        """Go on where a save stops; raises SaveProblem if its actions do not fit the rules."""
        session = cls(game, save.header, None, ask_forced)
        for entry, state in replay(game, save):
            if entry is None:
                continue
            if entry.seat in session._bots:
                session._bots[entry.seat].counter += 1
            before = session.state
            legal = before.legal(entry.seat)
            action = next(a for a in legal if a.text == entry.text and a.decision == entry.decision)
            forced = not ask_forced and session._by_person(action) and len(legal) == 1
            session._steps.append(Step(action, state, session._luck(), forced))
        session._file = file
        session._ended = not session.state.to_act() and any(e.kind == "end" for e in save.entries[-1:])
        return session

    # -------------------------------------------------------------- where it stands

    @property
    def state(self) -> State:
        """The position now."""
        return self._steps[-1].after if self._steps else self._first

    @property
    def people(self) -> tuple[int, ...]:
        """The seats with a person."""
        return tuple(seat for seat, kind in enumerate(self.header.seats) if kind == HUMAN)

    def opening(self) -> tuple[Event, ...]:
        """What happened before anybody chose or drew."""
        return self._told(self._first.events())

    def moves(self) -> tuple[Move, ...]:
        """The actions and outcomes that led here, and what came of each, as the position now has it."""
        before = [self._first, *(step.after for step in self._steps)]
        return tuple(
            Move(step.action, was, self._told(step.after.events()), step.forced)
            for was, step in zip(before, self._steps, strict=False)
        )

    def log(self) -> tuple[Event, ...]:
        """Everything that happened since the game began."""
        return (*self.opening(), *(event for move in self.moves() for event in move.events))

    def _told(self, events: tuple[Event, ...]) -> tuple[Event, ...]:
        """What was held back in simultaneous play is open once all are through."""
        return events if self.state.is_veiled() else tuple(replace(event, held=OPEN) for event in events)

    def actions(self) -> tuple[Action, ...]:
        """The actions and outcomes that led here."""
        return tuple(step.action for step in self._steps)

    def kept(self, name: str = "") -> tuple[str, ...]:
        """Where the game is kept as it goes, and how to go on with it by a `name` for the save; nothing if it is kept nowhere."""
        if self._file is None:
            return ()
        return (f"kept as it goes in {self._file.path}", self._resumed(name or str(self._file.path)))

    def _resumed(self, save: str) -> str:
        return f"go on: rulewright play {f'{self.source} ' if self.source else ''}--resume {save}"

    def farewell(self) -> tuple[str, ...]:
        """Where the game is kept and how to go on, or to see it again."""
        lines = [f"seed {self.header.seed}"]
        if self._file is not None:
            path = self._file.path
            if not self._file.is_there():
                return (*lines, f"the save {path} is gone: it was removed or replaced while the game was played")
            lines.append(f"saved in {path}")
            if self.state.to_act():
                lines.append(self._resumed(str(path)))
            else:
                lines.append(f"see it again: rulewright replay {path}{f' --game {self.source}' if self.source else ''}")
        return tuple(lines)

    # -------------------------------------------------------------- going on

    def advance(self) -> int | None:
        """Let chance and bots act, and people who have no choice, until a person is asked, and say who; None when the game is over."""
        with self.told():
            while True:
                acting = self.state.to_act()
                if not acting:
                    self._end()
                    return None
                if acting == NATURE:
                    self._apply(self.state.draw())
                    continue
                bot = next((seat for seat in acting if seat in self._bots), None)
                if bot is None:
                    legal = self.state.legal(acting[0])
                    if self._ask_forced or len(legal) != 1:
                        return acting[0]
                    self._apply(legal[0], True)
                    continue
                self._apply(self._bots[bot].choose(view_of(self.state, bot)))

    def take(self, action: Action) -> None:
        """A person's choice. Raises IllegalAction, and nothing has happened."""
        with self.told():
            self._apply(action)
        self._undone.clear()

    def undo(self) -> str | None:
        """Take the last choice of a person back, with what followed of itself; a sentence if that cannot be."""
        chosen = (n for n, step in enumerate(self._steps) if self._by_person(step.action) and not step.forced)
        last = max(chosen, default=None)
        if last is None:
            return "there is no choice to take back"
        for n in range(last, len(self._steps)):
            reason = self._shown(n)
            if reason:
                return f"that cannot be taken back: {reason}"
        self._undone.append(self._steps[last].action)
        del self._steps[last:]
        luck = self._steps[-1].luck if self._steps else (0,) * len(self._bots)
        for bot, counter in zip(self._bots.values(), luck, strict=True):
            bot.counter = counter
        self._ended = False
        if self._file is not None:
            self._file.write(Entry("undo", last))
        return None

    def redo(self) -> str | None:
        """Do again what was taken back last; a sentence if there is nothing, or it is no longer possible."""
        if not self._undone:
            return "there is nothing to do again"
        action = self._undone.pop()
        try:
            with self.told():
                self._apply(action)
        except IllegalAction as illegal:
            return f"that cannot be done again: {illegal.message}"
        return None

    def close(self) -> None:
        """Stop writing."""
        if self._file is not None:
            self._file.close()

    def _apply(self, action: Action, forced: bool = False) -> None:
        state = self.state.clone()
        state.apply(action)
        self._steps.append(Step(action, state, self._luck(), forced))
        if self._file is not None:
            self._file.write(Entry.of(action, state))

    def _end(self) -> None:
        if not self._ended and self._file is not None:
            self._file.write(Entry("end", self.state.ply))
        self._ended = True

    def _luck(self) -> tuple[int, ...]:
        return tuple(bot.counter for bot in self._bots.values())

    def _by_person(self, action: Action) -> bool:
        return action.player != CHANCE and action.player not in self._bots

    def told(self) -> AbstractContextManager[None]:
        """A fault on its way out learns how to see it again."""
        return told(self.header.seed, lambda: [action.text for action in self.actions()])

    # -------------------------------------------------------------- what was shown

    def _shown(self, n: int) -> str | None:
        """What step n showed somebody who did not know it, in words."""
        step = self._steps[n]
        before = self._steps[n - 1].after if n else self._first
        drawn = step.action.player == CHANCE
        if not drawn and not any(reveals(before, step.after, seat) for seat in range(self.header.players)):
            return None
        program = step.after.program
        told = [e.text(program) for e in step.after.events() if e.visible_to(program, None)]
        said = next((text for text in reversed(told) if text), "")
        if drawn:
            return f"chance has decided since ({said or step.action.decision})"
        return f"something hidden has been shown since ({said or step.action.decision})"


def reveals(before: State, after: State, seat: int) -> bool:
    """Whether a seat sees something afterwards that was hidden from it before."""
    was, now = before.observe(seat), after.observe(seat)
    return any(
        old is None and new is not None
        for olds, news in zip(was.values, now.values, strict=True)
        for old, new in zip(olds, news, strict=True)
    )
