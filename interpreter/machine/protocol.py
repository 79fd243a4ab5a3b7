"""The contract between machines and everything that uses them.

`Executor` is what a back end does with rows; `State` is what drivers, bots and embedders see. Few methods, all of them total: each
answers for every state, or raises one of the kinds of faults.py.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Protocol, Self

from interpreter.ir.program import Program
from interpreter.machine.action import CHANCE, Action
from interpreter.machine.events import Event
from interpreter.machine.view import Observation
from interpreter.overlays import ModUsed
from interpreter.text.source import Span

OVER: Final[tuple[int, ...]] = ()
"""What to_act answers when nobody acts: the game is over, or the procedure that was called has returned."""
NATURE: Final[tuple[int, ...]] = (CHANCE,)
"""What to_act answers at a chance node."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an option is not offered. `text` is a sentence; `address`, `span` and `cite` say which rule stands against it. `ahead` is how
    many further choices look-ahead could make before it failed, -1 if the option's own condition does not hold."""

    text: str
    address: str
    span: Span | None
    cite: tuple[str, ...]
    ahead: int


class State(Protocol):
    """One node of the game tree, complete."""

    recording: bool
    """Whether events are kept; playouts in bulk switch it off."""

    @property
    def program(self) -> Program:
        """The rules, for names, places and layout."""

    @property
    def ply(self) -> int:
        """How many actions, chance outcomes among them, have been applied."""

    def to_act(self) -> tuple[int, ...]:
        """The seats that may act now (several in simultaneous play), NATURE or OVER."""

    def is_over(self) -> bool:
        """Whether the game is over by its rules."""

    def decision(self, player: int) -> str:
        """Address of what a player (or CHANCE) is asked."""

    def prompt(self, player: int) -> str:
        """The question in the rules' words; empty if they give none."""

    def legal(self, player: int) -> tuple[Action, ...]:
        """What a player may do now, in the order of the rules; empty if they are not asked. At a chance node, for CHANCE: the outcomes."""

    def apply(self, action: Action) -> None:
        """Take an action or outcome and run on to the next point where somebody is asked. Refused: IllegalAction, and nothing changes;
        a RuleFault changes nothing either."""

    def find(self, player: int, text: str) -> Action:
        """The legal action a text means, or IllegalAction."""

    def why_not(self, player: int, text: str) -> Refusal | None:
        """Why an option is not offered to a player; None if it is. A text that means no option at all: IllegalAction."""

    def chance(self) -> tuple[tuple[Action, Fraction], ...]:
        """The outcomes at a chance node with their exact probabilities; empty elsewhere."""

    def draw(self) -> Action:
        """The outcome that the stream gives at a chance node. Changes nothing."""

    def clone(self) -> Self:
        """An independent copy, with an empty event buffer."""

    def reseed(self, seed: int | str) -> None:
        """Other luck from here on."""

    def observe(self, player: int | None) -> Observation:
        """What a player sees; None sees all but the machinery."""

    def is_veiled(self) -> bool:
        """Whether simultaneous play is under way: until all are through, a player sees the position before it with their own changes,
        and only their own events."""

    def returns(self) -> tuple[Fraction, ...]:
        """What the game is worth to each seat, at its end: the declared payoff, or one point shared by the winners (all players, if
        there is no winner)."""

    def winners(self) -> tuple[int, ...]:
        """The winners as the rules name them; empty if nobody wins or none are declared."""

    def scores(self, player: int) -> tuple[tuple[str, int], ...]:
        """The scoring terms by name, in order."""

    def total(self, player: int) -> int | None:
        """The sum of a player's terms, None where the game has no score."""

    def evaluate(self, f: int, *args: int) -> int:
        """The value of a pure function of the program (a set as a mask)."""

    def call(self, p: int, *args: int) -> None:
        """Leave whatever is under way, and run procedure p instead."""

    def begin(self, p: int, player: int | None, *args: int) -> None:
        """Like call, for a procedure with an acting player (None: nobody), who also begins the first `take turns` it comes to."""

    def aside(self, p: int) -> None:
        """Run a procedure without an acting player, to its end, beside whatever is under way. One that asks somebody, or draws:
        RuleFault."""

    def events(self, since: int = 0) -> tuple[Event, ...]:
        """What has happened in this state (not in what it was cloned from), from event number `since` on."""

    def hash(self) -> int:
        """64 bits that are equal for equal positions: all of the row but seed, stream counters and budget."""

    def key(self) -> bytes:
        """The cells that hash() reads, for tables of positions."""

    def to_bytes(self) -> bytes:
        """The whole state but for its events."""


class Game(Protocol):
    """Rules that can be played: one definition with its options, for any number of players it allows."""

    @property
    def id(self) -> str:
        """What the game is called in saves and on the command line."""

    @property
    def title(self) -> str:
        """What people call it."""

    @property
    def version(self) -> str:
        """The definition's own version."""

    @property
    def hash(self) -> str:
        """Identity of the resolved definition: base, mods and options."""

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """Options and mode it was loaded with."""

    @property
    def mods(self) -> tuple[ModUsed, ...]:
        """The mods it was loaded with, in the order in which they were applied."""

    @property
    def sets(self) -> tuple[str, ...]:
        """The single values that were set over all else, as `ADDRESS=VALUE`."""

    def texts(self, players: int) -> Mapping[str, str]:
        """What the rules say for so many players, by address."""

    def new(self, players: int, seed: int | str) -> State:
        """A game at its beginning."""


class Executor(Protocol):
    """A back end: what it does with rows (ir/row.py). `take`, `start` and `call` change the row, and may leave it useless if they
    raise; all others leave it as it is."""

    program: Program

    def new_row(self, seed: tuple[int, int]) -> list[int]:
        """The row before anything has run."""

    def start(self, row: list[int]) -> None:
        """Run the entry procedure."""

    def call(self, row: list[int], p: int, args: tuple[int, ...]) -> None:
        """Run a procedure on the empty main stack."""

    def waiting(self, row: list[int]) -> list[tuple[int, int]]:
        """(stack, block) wherever somebody is asked."""

    def player(self, row: list[int], stack: int) -> int:
        """Who is asked at a Choose."""

    def options(self, row: list[int], stack: int) -> list[int]:
        """What is offered at a Choose."""

    def outcomes(self, row: list[int], stack: int) -> list[tuple[int, int]]:
        """Outcomes at a Chance, with weights."""

    def take(self, row: list[int], stack: int, choice: int) -> None:
        """Go on with an option or outcome."""

    def prompt(self, row: list[int], stack: int) -> str:
        """The question in words."""

    def refusal(self, row: list[int], stack: int, choice: int) -> Refusal | None:
        """Why an option is not offered."""

    def function(self, row: list[int], f: int, args: tuple[int, ...]) -> int:
        """The value of a pure function."""

    def take_events(self) -> Sequence[tuple[int, tuple[int, ...]]]:
        """The events since the last call, and forget them."""


@dataclass(frozen=True, slots=True)
class Record:
    """One game. Unless it `finished`, nothing else is of use: it is to be played again where it can be looked at; if it finishes there,
    this machine is wrong, unless it was `cramped`: stopped only for want of room. `winners` is a set of seats; `payoffs` and `totals` are
    one a seat (None where the game declares none), `scores` the terms of each seat by name."""

    finished: bool
    cramped: bool
    plies: int
    decisions: int
    winners: int
    payoffs: tuple[int, ...] | None
    totals: tuple[int, ...] | None
    scores: tuple[tuple[tuple[str, int], ...], ...]


class Records(Sequence[Record]):
    """Games in order, each made into a Record when it is asked for; and what they come to together."""

    @property
    @abstractmethod
    def plies(self) -> int:
        """Plies of all games."""

    @property
    @abstractmethod
    def decisions(self) -> int:
        """Plies of all games where a seat had more than one option."""

    @property
    @abstractmethod
    def all_finished(self) -> bool:
        """Whether every game ended by the rules."""


class Playouts(Protocol):
    """Whole games of random bots in bulk, for one thread at a time."""

    def play(self, seeds: Sequence[tuple[int, int]], limit: int) -> Records:
        """A game for each seed (two signed cells, chance.seed_words), of at most `limit` plies; in the order of the seeds."""
