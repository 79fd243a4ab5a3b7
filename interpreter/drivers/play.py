"""A game in the terminal, line by line: the board, a question, numbered options, an answer.

In: a `Sitting` (the game under way, which runs chance and bots and keeps the save) and a screen. Out: an exit code, always 0 here: what
goes wrong with rules is a fault and passes through. Answers are lines of standard input, from a person or a file alike; at its end
the game is saved and the way to go on is printed.

What is shown is what the person at the keyboard may see. Where several people share it and hands are hidden, the screen is
cleared and handed over first. An option's own notation always wins over a command of the same letters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from interpreter.drivers.board import cards_at, draw, printed_on
from interpreter.drivers.drawing.sight import Seen
from interpreter.drivers.handbook import Handbook
from interpreter.drivers.layout import Line, line, wrap_line
from interpreter.drivers.narrate import (
    Move,
    Note,
    end_lines,
    labels,
    log_lines,
    move_lines,
    option_lines,
    phase_of,
    question,
    refusal_lines,
    seat_name,
    status,
)
from interpreter.drivers.terminal import Screen
from interpreter.ir.program import Program
from interpreter.machine.action import Action
from interpreter.machine.events import Event
from interpreter.machine.faults import IllegalAction
from interpreter.machine.protocol import State

HELP: Final = """\
  7            take option number 7
  name         take the option of that name; its beginning is enough if no
               other begins so, and shows those that do if there are several
  u, r         take back your last choice; do it again
  why name     why an option is not offered: the rule that stands against it
  ? name       what a place, a card, an option is, in the rules' words
  b            draw the board again
  log          what happened lately; `log clauses` with the rulebook's clauses
  q            save and leave
  What has no other option beside it is taken for you, and said;
  `play --ask-forced` asks you all the same."""
WITH_NAMES: Final = ("?", "help", "explain", "why", "log")
RECENT: Final = 20


class Sitting(Protocol):
    """A game under way."""

    @property
    def state(self) -> State:
        """Where it stands."""

    def advance(self) -> int | None:
        """Let chance and bots act until a person is asked, and say who; None when the game is over."""

    def take(self, action: Action) -> None:
        """A person's choice."""

    def undo(self) -> str | None:
        """Take a person's last choice back; a sentence if that cannot be."""

    def redo(self) -> str | None:
        """Do it again; a sentence if there is nothing to do."""

    def opening(self) -> tuple[Event, ...]:
        """What happened before anybody chose or drew."""

    def moves(self) -> tuple[Move, ...]:
        """The actions and outcomes that led here, and what came of each, as the position now has it."""

    def log(self) -> tuple[Event, ...]:
        """Everything that happened since the game began."""

    def farewell(self) -> tuple[str, ...]:
        """Where the game is kept and how to go on, or to see it again."""


@dataclass(slots=True)
class Table:
    """The person's side of a game: what was shown last, and to whom."""

    sitting: Sitting
    screen: Screen
    people: tuple[int, ...]
    title: str
    notes: tuple[str, ...] = ()
    book: Handbook | None = None
    phase: str = ""
    seen: int = -1
    viewer: int | None = None
    drawn: tuple[int, int | None] = (-1, None)
    own: int = -1

    @property
    def program(self) -> Program:
        """The rules."""
        return self.sitting.state.program

    def run(self) -> int:
        """To the end of the game, of the input, or of the person's patience."""
        self._greet()
        while (player := self.sitting.advance()) is not None:
            match self._hand_over(player):
                case "leave":
                    return self._leave()
                case "again":
                    continue
                case _:
                    pass
            self._news()
            self._ask(player)
            answer = self.screen.ask("> ")
            if answer is None or not self._answer(player, answer.strip()):
                return self._leave()
        self._finish()
        return 0

    # -------------------------------------------------------------- what is shown
    def _greet(self) -> None:
        notes = (*self.notes, *["a number or a name takes an option; ? lists commands"] * bool(self.people))
        self._tell([line((self.title, "strong"))])
        self.screen.show(line((text, "dim")) for text in notes)  # paths and commands are kept whole
        if len(self.people) == 1:
            self.viewer = self.people[0]

    def _hand_over(self, player: int) -> Literal["go on", "again", "leave"]:
        """Another person's turn at the same keyboard; before it is handed over, the last choice can still be taken back."""
        if player == self.viewer:
            return "go on"
        if len(self.people) > 1 and hides_something(self.program):
            self.screen.clear()
            name = seat_name(self.program, player)
            answer = self.screen.ask(f"seat {player + 1} ({name}), press Enter when nobody else looks ")
            if answer is None or answer.strip().casefold() in ("q", "quit"):
                return "leave"
            if answer.strip().casefold() in ("u", "undo"):
                self._complain(self.sitting.undo())
                return "again"
        self.viewer = player
        return "go on"

    def _news(self) -> None:
        if self.seen < 0:
            self._tell(log_lines(self.program, self.sitting.opening(), self.viewer))
        moves = self.sitting.moves()
        self.seen = min(max(self.seen, 0), len(moves))
        self._tell(move_lines(moves[self.seen :], self.viewer))
        self.seen = len(moves)

    def _ask(self, player: int) -> None:
        state = self.sitting.state
        begun = (phase_of(self.program, e.info(self.program).address) for e in reversed(self.sitting.log()))
        self.phase = next((name for name in begun if name), "")
        # In the middle of one's own action the board need not be drawn again after every choice.
        since = self.sitting.moves()[max(self.own, 0) :]
        going_on = (
            self.drawn[1] == player
            and 0 <= self.own <= state.ply
            and all(move.forced and move.action.player == player for move in since)
        )
        if self.drawn != (state.ply, player) and not going_on:
            self._draw()
        self.drawn = (state.ply, player)
        self._tell([line(), status(state, player, self.phase)])
        self._options(state.legal(player))

    def _options(self, legal: tuple[Action, ...], only: Sequence[Action] | None = None) -> None:
        """The options, those that are places with what is drawn in them, and those that are pieces with what is told of them."""
        sight = Seen.of(self.sitting.state, self.viewer)
        notes = {
            a.text: Note(
                cards_at(self.program, sight, a.decision, a.value),
                *printed_on(self.program, sight, a.decision, a.value),
            )
            for a in only or legal
        }
        self.screen.show(option_lines(self.program, legal, self.screen.look.width, only, notes))

    def _draw(self) -> None:
        look = self.screen.look
        sight = Seen.of(self.sitting.state, self.viewer)
        self.screen.say()
        self.screen.show(draw(self.program, sight, min(look.width, 100), height=look.height))

    # -------------------------------------------------------------- what is answered
    def _answer(self, player: int, text: str) -> bool:
        """Carry out one line of input; False to leave."""
        state = self.sitting.state
        legal = state.legal(player)
        if not any(text == action.text for action in legal):
            word, _, rest = text.partition(" ")
            rest = rest.strip()
            match word.casefold() if not rest or word.casefold() in WITH_NAMES else "":
                case "" if not text:
                    if len(legal) == 1:
                        self._take(player, legal[0].text, legal)
                    return True
                case "?" | "help" | "explain":
                    self._explain(rest, legal)
                    return True
                case "q" | "quit" | "exit":
                    return False
                case "u" | "undo":
                    self._complain(self.sitting.undo())
                    return True
                case "r" | "redo":
                    self._complain(self.sitting.redo())
                    return True
                case "b" | "board":
                    self._draw()
                    return True
                case "log" if "clauses".startswith(rest):
                    self._log(bool(rest))
                    return True
                case "why":
                    self._why(player, rest)
                    return True
                case _:
                    pass
        self._take(player, text, legal)
        return True

    def _take(self, player: int, text: str, legal: tuple[Action, ...]) -> None:
        state = self.sitting.state
        numbered = labels(legal)
        if text in numbered:
            action = legal[numbered.index(text)]
        elif text.isdigit() and all(numbered):
            self._complain(f"there is no option {text}; they go from 1 to {len(legal)}")
            return
        else:
            try:
                action = state.find(player, text)
            except IllegalAction as fault:
                self._refuse(player, text, fault)
                return
        self.sitting.take(action)
        self.own = self.sitting.state.ply

    def _refuse(self, player: int, text: str, fault: IllegalAction) -> None:
        state = self.sitting.state
        if fault.kind == "ambiguous":
            legal = state.legal(player)
            near = [a for a in legal if a.text in fault.nearest]
            self.screen.show([line(("several options begin so:", "warning"))])
            self._options(legal, near)
            return
        if fault.kind == "illegal":
            self._why(player, text)
        else:
            self._complain(fault.message)
        if fault.nearest:
            self.screen.show([line(("  nearest: ", "dim"), ", ".join(fault.nearest))])

    def _why(self, player: int, text: str) -> None:
        if not text:
            self._complain("why what? name an option, such as `why " + self.sitting.state.legal(player)[0].text + "`")
            return
        legal = self.sitting.state.legal(player)
        numbered = labels(legal)
        if text in numbered:
            text = legal[numbered.index(text)].text
        elif text.isdigit() and not any(action.text.isdigit() for action in legal):
            self._complain(f"there is no option {text}; they go from 1 to {len(legal)}")
            return
        try:
            refusal = self.sitting.state.why_not(player, text)
        except IllegalAction as fault:
            if not self._why_then(player, text):
                self._complain(fault.message)
            return
        self._tell([line(f"`{text}` is offered")] if refusal is None else refusal_lines(refusal, text))

    def _why_then(self, player: int, text: str) -> bool:
        """Whether a text means an option of a choice that was not asked, behind the last one that was; and why it was not offered there."""
        for move in reversed(self.sitting.moves()):
            if move.action.player != player:
                continue
            if not move.forced:
                return False
            try:
                refusal = move.before.why_not(player, text)
            except IllegalAction:
                continue
            asked = line((f"at the question `{question(move.before, player)}`, which had one option alone:", "dim"))
            taken = line(f"`{text}` was taken for you")
            self._tell([asked, *([taken] if refusal is None else refusal_lines(refusal, text, "was"))])
            return True
        return False

    def _explain(self, name: str, legal: tuple[Action, ...]) -> None:
        """What the rules say of a thing by its name, or the commands."""
        if not name:
            self.screen.say(HELP)
            return
        numbered = labels(legal)
        asked = legal[numbered.index(name)].text if name in numbered else name
        found = self.book.about(asked) if self.book is not None else None
        if found is not None:
            self._tell(found)
            return
        near = self.book.near(asked) if self.book is not None else None
        self._complain(f"the rules know no `{name}`" + (f"; did you mean `{near}`?" if near else ""))

    def _log(self, clauses: bool) -> None:
        opening = log_lines(self.program, self.sitting.opening(), self.viewer, clauses=clauses)
        lines = opening + move_lines(self.sitting.moves(), self.viewer, own=True, clauses=clauses)
        self._tell(lines[-RECENT:] or [line(("nothing has happened yet", "dim"))])

    def _tell(self, lines: Iterable[Line]) -> None:
        """Lines that may be longer than the screen is wide."""
        self.screen.show(part for text in lines for part in wrap_line(text, self.screen.look.width))

    def _complain(self, text: str | None) -> None:
        if text:
            self._tell([line((text, "warning"))])

    # -------------------------------------------------------------- how it ends
    def _leave(self) -> int:
        self.screen.show([line(text) for text in self.sitting.farewell()])
        return 0

    def _finish(self) -> None:
        if not self.people:
            self.viewer = None
        self._news()
        self._draw()
        self.screen.show([line(), *end_lines(self.sitting.state, self.screen.look.width)])
        self.screen.show([line(text) for text in self.sitting.farewell()])


def hides_something(program: Program) -> bool:
    """Whether there is anything that one seat sees and another does not."""
    zones = any(z.owner >= 0 and z.visibility != "everyone" for kind in program.piece_types for z in kind.zones)
    return zones or any(var.visibility in ("owner", "size") and not var.hidden for var in program.vars)
