"""A state of a game: a row, the executor that runs it, and what has happened.

In: a program's executor and a seed, or bytes. Out: the contract of protocol.py. Options are worked out once a position and kept
beside the row. `apply` runs on a copy of the row, so that an action that ends in a fault changes nothing.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import blake2b
from typing import Final, Self

from interpreter.ir.ir_types import NOTHING
from interpreter.ir.ops import Chance
from interpreter.ir.program import Program
from interpreter.ir.row import BUDGET, EMPTY, OVER, RUNNING, SEED_HIGH, SEED_LOW, STATUS, first_stream, fp_cell, pc_cell
from interpreter.machine import chance, view
from interpreter.machine.action import CHANCE, Action, ActionTable, find_action, nearest_actions
from interpreter.machine.cells import as_cell
from interpreter.machine.events import OPEN, Event
from interpreter.machine.faults import IllegalAction, RuleFault, RuleFrame
from interpreter.machine.protocol import Executor, Refusal

MAGIC: Final = b"RWS1"
HEAD: Final = struct.Struct("<4s8sII")


class ForeignState(ValueError):
    """Bytes that are no state of this program; the text says why."""


@dataclass(frozen=True, slots=True)
class Veil:
    """Simultaneous play under way: the row as it was when somebody was first asked, and by how much each seat has changed which cells.

    No seat writes what another reads, and what two may write they only raise and lower; so the row plus one seat's changes is
    that seat's view. Changes are counted as cells are, in 32 bits: those of a large set go round."""

    row: tuple[int, ...]
    changes: tuple[tuple[tuple[int, int], ...], ...]

    def seen_by(self, player: int) -> list[int]:
        """The row as a seat knows it."""
        row = list(self.row)
        for cell, change in self.changes[player]:
            row[cell] = as_cell(row[cell] + change)
        return row

    def after(self, seat: int, before: list[int], row: list[int], first: int, last: int) -> Veil:
        """With what a seat has changed among cells first to last."""
        changes = dict(self.changes[seat])
        for cell in range(first, last):
            if before[cell] != row[cell]:
                changes[cell] = as_cell(changes.get(cell, 0) + row[cell] - before[cell])
        mine = tuple(sorted(changes.items()))
        return Veil(self.row, (*self.changes[:seat], mine, *self.changes[seat + 1 :]))


class RowState:
    """See protocol.State."""

    __slots__ = ("_actions", "_asked", "_events", "_executor", "_legal", "_ply", "_row", "_veil", "recording")

    def __init__(self, executor: Executor, actions: ActionTable, row: list[int], ply: int = 0) -> None:
        self._executor = executor
        self._actions = actions
        self._row = row
        self._ply = ply
        self._veil: Veil | None = None
        self._events: list[Event] = []
        self._asked: dict[int, tuple[int, int]] | None = None
        self._legal: dict[int, tuple[Action, ...]] = {}
        self.recording = True
        """Whether events are kept; playouts in bulk switch it off."""

    # -------------------------------------------------------------- making

    @classmethod
    def new(cls, executor: Executor, actions: ActionTable, seed: int | str) -> Self:
        """A game at its beginning."""
        state = cls.blank(executor, actions, seed)
        state._run(state._row, lambda: executor.start(state._row), OPEN)
        return state

    @classmethod
    def blank(cls, executor: Executor, actions: ActionTable, seed: int | str) -> Self:
        """The first values of everything, before any rule has run."""
        return cls(executor, actions, executor.new_row(chance.seed_words(seed)))

    @classmethod
    def from_bytes(cls, executor: Executor, actions: ActionTable, data: bytes) -> Self:
        """A state from what `to_bytes` gave."""
        program = executor.program
        if len(data) < HEAD.size:
            raise ForeignState("these bytes are no saved state")
        magic, digest, ply, count = HEAD.unpack_from(data)
        if magic != MAGIC:
            raise ForeignState("these bytes are no saved state")
        if digest != program_digest(program) or count != program.row_cells:
            raise ForeignState("this state belongs to other rules, or another number of players")
        size = HEAD.size + 4 * count
        if len(data) not in (size, size + 4 * count * (1 + program.players)):
            raise ForeignState("this state is cut off")
        rows = [list(row) for row in struct.iter_unpack(f"<{count}i", data[HEAD.size :])]
        state = cls(executor, actions, rows[0], ply)
        if len(rows) > 1:
            changes = [tuple((cell, n) for cell, n in enumerate(row) if n) for row in rows[2:]]
            state._veil = Veil(tuple(rows[1]), tuple(changes))
        return state

    def clone(self) -> Self:
        """See protocol."""
        copy = type(self)(self._executor, self._actions, self._row[:], self._ply)
        copy.recording = self.recording
        copy._veil = self._veil
        copy._asked = self._asked
        copy._legal = self._legal.copy()
        return copy

    def to_bytes(self) -> bytes:
        """See protocol."""
        head = HEAD.pack(MAGIC, program_digest(self.program), self._ply, len(self._row))
        rows = [self._row]
        if self._veil is not None:
            rows.append(list(self._veil.row))
            for changes in self._veil.changes:
                row = [0] * len(self._row)
                for cell, change in changes:
                    row[cell] = change
                rows.append(row)
        return head + b"".join(struct.pack(f"<{len(row)}i", *row) for row in rows)

    # -------------------------------------------------------------- who and what

    @property
    def program(self) -> Program:
        """See protocol."""
        return self._executor.program

    @property
    def ply(self) -> int:
        """See protocol."""
        return self._ply

    def _who(self) -> dict[int, tuple[int, int]]:
        """Player, or CHANCE, to the stack and block where they are asked. Chance goes before players: of several draws the lowest
        stack's is first."""
        if self._asked is None:
            blocks = self.program.blocks
            asked: dict[int, tuple[int, int]] = {}
            waiting = self._executor.waiting(self._row)
            draws = [place for place in waiting if isinstance(blocks[place[1]].term, Chance)]
            if draws:
                asked[CHANCE] = draws[0]
            else:
                for place in waiting:
                    asked.setdefault(self._executor.player(self._row, place[0]), place)
            self._asked = asked
        return self._asked

    def to_act(self) -> tuple[int, ...]:
        """See protocol."""
        return tuple(self._who())

    def is_over(self) -> bool:
        """See protocol."""
        return self._row[STATUS] == OVER

    def decision(self, player: int) -> str:
        """See protocol."""
        if player not in self._who():
            raise IllegalAction("invalid", "this player is not asked now")
        block = self._who()[player][1]
        return self._actions.possible(block, player)[0].decision

    def prompt(self, player: int) -> str:
        """See protocol."""
        place = self._who().get(player)
        return "" if place is None else self._executor.prompt(self._row, place[0])

    def legal(self, player: int) -> tuple[Action, ...]:
        """See protocol."""
        found = self._legal.get(player)
        if found is None:
            place = self._who().get(player)
            if place is None:
                return ()
            stack, block = place
            if player == CHANCE:
                choices = [x for x, _ in self._executor.outcomes(self._row, stack)]
            else:
                choices = self._executor.options(self._row, stack)
            action = self._actions.action
            found = self._legal[player] = tuple([action(block, player, choice) for choice in choices])
        return found

    def find(self, player: int, text: str) -> Action:
        """See protocol."""
        place = self._who().get(player)
        if place is None:
            raise IllegalAction("invalid", "this player is not asked now")
        return self._meant(text, self.legal(player), self._actions.possible(place[1], player))

    def _meant(self, text: str, legal: Sequence[Action], possible: Sequence[Action] = ()) -> Action:
        """The action that a text means; one that only other choices offer is refused in words of its own."""
        try:
            return find_action(text, legal, possible)
        except IllegalAction as fault:
            if fault.kind != "invalid" or not self._actions.is_word(text):
                raise
            raise IllegalAction("invalid", f"`{text.strip()}` is not asked for here, but in another choice") from None

    def why_not(self, player: int, text: str) -> Refusal | None:
        """See protocol."""
        place = self._who().get(player)
        if place is None:
            raise IllegalAction("invalid", "this player is not asked now")
        stack, block = place
        legal, possible = self.legal(player), self._actions.possible(block, player)
        try:
            meant: list[Action] = [self._meant(text, possible)]
        except IllegalAction as fault:
            meant = [a for a in possible if a.text in fault.nearest]
            # Copies of one thing bear one name: it means the one that is offered, or else the one that comes nearest to it.
            if fault.kind != "ambiguous" or len({a.caption for a in meant}) != 1:
                raise
        if any(a in legal for a in meant):
            return None
        refusals = [r for a in meant if (r := self._executor.refusal(self._row, stack, a.value)) is not None]
        decision = next(d for d in self.program.decisions if d.address == meant[0].decision)
        outside = decision.reasons[0].span if decision.reasons else None
        return max(refusals, key=lambda r: (r.ahead, r.span != outside), default=None)

    # -------------------------------------------------------------- going on

    def apply(self, action: Action) -> None:
        """See protocol."""
        legal = self.legal(action.player)
        if action not in legal:
            if not legal:
                raise IllegalAction("invalid", "this player is not asked now")
            raise IllegalAction("illegal", f"`{action.text}` is not offered now", nearest_actions(action.text, legal))
        stack, block = self._who()[action.player]
        row = self._row[:]
        if action.player == CHANCE:
            term = self.program.blocks[block].term
            if isinstance(term, Chance):
                row[first_stream(self.program.players) + term.stream] += 1
        self._run(row, lambda: self._executor.take(row, stack, action.value), stack - 1)
        self._ply += 1

    def call(self, p: int, *args: int) -> None:
        """See protocol."""
        row = self._row[:]
        program = self.program
        for k in range(1 + program.players):
            row[pc_cell(k)], row[fp_cell(k)] = EMPTY, 0
        row[program.first_stack :] = [0] * (program.row_cells - program.first_stack)
        row[STATUS] = RUNNING
        self._run(row, lambda: self._executor.call(row, p, args), OPEN)

    def begin(self, p: int, player: int | None, *args: int) -> None:
        """See protocol."""
        seat = NOTHING if player is None else player
        starter = next((var.base for var in self.program.vars if var.address == "@starter"), None)
        if starter is not None:
            self._row[starter] = seat
        self.call(p, seat, *args)

    def aside(self, p: int) -> None:
        """See protocol."""
        program = self.program
        other = self.clone()
        other.call(p, NOTHING)
        if other._executor.waiting(other._row):
            raise RuleFault("these rules may not ask anybody, nor draw")
        first, last = program.first_var, program.first_stack
        row = self._row[:]
        row[first:last] = other._row[first:last]
        self._row, self._asked, self._legal = row, None, {}
        self._events += other.events()

    def reseed(self, seed: int | str) -> None:
        """See protocol."""
        self._row[SEED_LOW], self._row[SEED_HIGH] = chance.seed_words(seed)

    def chance(self) -> tuple[tuple[Action, Fraction], ...]:
        """See protocol."""
        place = self._who().get(CHANCE)
        if place is None:
            return ()
        weights = [weight for _, weight in self._executor.outcomes(self._row, place[0])]
        return tuple(zip(self.legal(CHANCE), chance.probabilities(weights), strict=True))

    def draw(self) -> Action:
        """See protocol."""
        place = self._who().get(CHANCE)
        if place is None:
            raise IllegalAction("invalid", "nothing is drawn now")
        stack, block = place
        term = self.program.blocks[block].term
        stream = term.stream if isinstance(term, Chance) else 0
        weights = [weight for _, weight in self._executor.outcomes(self._row, stack)]
        counter = self._row[first_stream(self.program.players) + stream]
        name = chance.stream_number(self.program.streams[stream])
        value = chance.number((self._row[SEED_LOW], self._row[SEED_HIGH]), name, counter)
        return self.legal(CHANCE)[chance.pick_weighted(value, weights)]

    def events(self, since: int = 0) -> tuple[Event, ...]:
        """See protocol."""
        return tuple(self._events[since:])

    def _run(self, row: list[int], step: Callable[[], None], seat: int) -> None:
        """Let the executor change the row; `seat` is whose simultaneous play goes on, or OPEN."""
        try:
            step()
        finally:
            happened = self._executor.take_events()
        before, self._row = self._row, row
        self._asked = None
        self._legal = {}
        self._draw_veil(before, seat)
        if self.recording:
            held = seat if self._veil is not None else OPEN
            self._events += [Event(kind, args, self._ply, held) for kind, args in happened]

    def _draw_veil(self, before: list[int], seat: int) -> None:
        program = self.program
        together = program.forks and any(self._row[pc_cell(1 + s)] != EMPTY for s in range(program.players))
        if not together:
            if self._veil is not None:
                self._events = [replace(event, held=OPEN) for event in self._events]
            self._veil = None
        elif self._veil is None:
            self._veil = Veil(tuple(self._row), ((),) * program.players)
        elif seat != OPEN:
            self._veil = self._veil.after(seat, before, self._row, program.first_var, program.first_stack)

    # -------------------------------------------------------------- looking

    def observe(self, player: int | None) -> view.Observation:
        """See protocol."""
        row = self._row if self._veil is None or player is None else self._veil.seen_by(player)
        return view.observe(self.program, row, player)

    def is_veiled(self) -> bool:
        """See protocol."""
        return self._veil is not None

    def evaluate(self, f: int, *args: int) -> int:
        """See protocol."""
        try:
            return self._executor.function(self._row, f, args)
        except RuleFault as fault:
            if not fault.stack:  # no rule is under way: what goes wrong is the function
                function, places = self.program.funcs[f], self.program.places
                span = places[fault.at - 1] if fault.at else function.span
                fault.stack = (RuleFrame(function.address, span),)
            raise

    def winners(self) -> tuple[int, ...]:
        """See protocol."""
        if self.program.winners < 0:
            return ()
        mask = self.evaluate(self.program.winners)
        return tuple(seat for seat in range(self.program.players) if mask >> seat & 1)

    def returns(self) -> tuple[Fraction, ...]:
        """See protocol."""
        seats = range(self.program.players)
        if self.program.payoff >= 0:
            return tuple(Fraction(self.evaluate(self.program.payoff, seat)) for seat in seats)
        winners = self.winners() or tuple(seats)
        return tuple(Fraction(seat in winners, len(winners)) for seat in seats)

    def scores(self, player: int) -> tuple[tuple[str, int], ...]:
        """See protocol."""
        return tuple((term.name, self.evaluate(term.f, player)) for term in self.program.terms)

    def total(self, player: int) -> int | None:
        """See protocol."""
        return None if self.program.total < 0 else self.evaluate(self.program.total, player)

    def hash(self) -> int:
        """See protocol."""
        return int.from_bytes(blake2b(self.key(), digest_size=8).digest(), "little")

    def key(self) -> bytes:
        """See protocol."""
        row = self._row[:]
        row[BUDGET] = row[SEED_LOW] = row[SEED_HIGH] = 0
        first = first_stream(self.program.players)
        for cell in range(first, first + len(self.program.streams)):
            row[cell] = 0
        cells = array("i", row)
        if sys.byteorder == "big":
            cells.byteswap()
        return cells.tobytes()


class Machine:
    """One program with its executor: makes states. The executor and the table of actions are shared by all of them."""

    def __init__(self, executor: Executor) -> None:
        self.program = executor.program
        self._executor = executor
        self._actions = ActionTable(executor.program)

    @property
    def action_count(self) -> int:
        """How many dense indices actions have."""
        return self._actions.count

    def new(self, seed: int | str) -> RowState:
        """A game at its beginning, set up and run to the first point where somebody is asked."""
        return RowState.new(self._executor, self._actions, seed)

    def blank(self, seed: int | str) -> RowState:
        """First values of everything; no rule has run. `call` then runs a procedure of choice."""
        return RowState.blank(self._executor, self._actions, seed)

    def from_bytes(self, data: bytes) -> RowState:
        """A state from what `to_bytes` gave; raises ForeignState."""
        return RowState.from_bytes(self._executor, self._actions, data)


def program_digest(program: Program) -> bytes:
    """Eight bytes that tell programs apart: rules, settings and number of players."""
    text = f"{program.definition_hash}/{program.players}/{program.settings}"
    return blake2b(text.encode(), digest_size=8).digest()
