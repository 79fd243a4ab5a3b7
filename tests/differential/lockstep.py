"""Two machines side by side: the same walk on both, compared after every decision.

In: two executors of one program, a seed and a number of decisions. Out: None, or the first `Difference`, with the shortest list of
decisions known to lead to it. Choices go by a generator of the walk's own, so that a walk is the same again for the same seed; games
follow each other until the decisions are used up.

Compared are: the whole state as bytes (each cell of the row, and what is held back in simultaneous play); who is asked what; what is
offered, in order, on each stack that waits; outcomes with their weights, and the one that is drawn; why one thing is not offered;
what each seat sees, and somebody who sees all; events; the results at the end; and faults with their texts and the rules under way.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Final

from interpreter.ir.ir_types import IntT, SeqT, cells
from interpreter.ir.ops import Chance
from interpreter.ir.program import Program
from interpreter.ir.row import (
    BUDGET,
    FAULT,
    HEADER,
    SEED_HIGH,
    SEED_LOW,
    STACK,
    STATUS,
    first_stream,
    pc_cell,
)
from interpreter.machine.action import CHANCE, Action, ActionTable
from interpreter.machine.chance import derive_seed
from interpreter.machine.faults import BudgetExhausted, IllegalAction, MachineFault, RuleFault
from interpreter.machine.protocol import NATURE, Executor
from interpreter.machine.state import HEAD, Machine, RowState

MOST_PLIES: Final = 20_000
"""A game that is longer is left for a new one."""
TRIES: Final = 200
"""Shorter walks that are tried to show a difference."""
HEADER_NAMES: Final = {
    STATUS: "status",
    BUDGET: "budget",
    STACK: "running stack",
    SEED_LOW: "seed, low word",
    SEED_HIGH: "seed, high word",
    FAULT: "failed check",
}

Finding = tuple[str, str, str]
"""What differs, and what the first and the second machine say."""
Step = tuple[int, int, bool]
"""One decision: the player or CHANCE, the value taken, and whether the machines changed places before."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first thing that two machines say differently. `walk` is the seed of the whole walk, `seed` that of the game in which it
    happened; `prefix` are that game's decisions up to there, in notation. `alone`: they show the difference by themselves, without
    the games before. `steps` are the same decisions, for a replay."""

    program: str
    what: str
    first: str
    second: str
    machines: tuple[str, str]
    walk: int
    seed: int
    prefix: tuple[str, ...]
    steps: tuple[Step, ...]
    alone: bool = True

    def text(self) -> str:
        """For people: everything that is needed to see it again."""
        lines = [
            f"{self.what}",
            f"  {self.machines[0]}: {self.first}",
            f"  {self.machines[1]}: {self.second}",
            f"program: {self.program}",
            f"game of seed {self.seed}, in the walk of seed {self.walk}, after {len(self.prefix)} decisions"
            + ("" if self.alone else "; this game alone does not show it"),
        ]
        lines += [f"  {n}. {line}" for n, line in enumerate(self.prefix, 1)]
        return "\n".join([*lines, f"steps: {list(self.steps)}", ""])

    def write(self, folder: Path) -> Path:
        """A file of its own in a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        name = "".join(c if c.isalnum() else "-" for c in self.program)
        path = folder / f"{name}-{self.walk}-{len(self.prefix)}.txt"
        path.write_text(self.text(), encoding="utf-8")
        return path


# ---------------------------------------------------------------------- answers
@dataclass(frozen=True, slots=True)
class Answer:
    """What a machine says to one question: a value, or what went wrong in words. `crash`: it was no fault of the kinds in faults.py."""

    value: object = None
    wrong: str = ""
    crash: bool = False

    def __str__(self) -> str:
        return self.wrong or repr(self.value)


def answer(ask: Callable[[], object]) -> Answer:
    """The answer to a question; whatever is raised is an answer too."""
    try:
        return Answer(ask())
    except (MachineFault, IllegalAction) as fault:
        return Answer(None, fault_in_words(fault))
    except Exception as crash:
        return Answer(None, f"{type(crash).__name__}: {crash}", True)


def fault_in_words(fault: MachineFault | IllegalAction) -> str:
    """Kind, message, what else the kind carries, and the rules under way with their places and clauses."""
    lines = [f"{type(fault).__name__}: {fault.message}"]
    match fault:
        case RuleFault():
            lines.append(f"why {fault.why}")
        case BudgetExhausted():
            lines.append(f"cycle {fault.cycle}")
        case IllegalAction():
            return f"{lines[0]}, {fault.kind}, {fault.nearest}"
    for frame in fault.stack:
        at = f" {frame.span.start}-{frame.span.end}" if frame.span is not None else ""
        lines.append(f"in {frame.address}{at} {' '.join(frame.cite)}")
    return "; ".join(lines)


def row_of(data: bytes) -> list[int]:
    """The cells of a saved state."""
    count = (len(data) - HEAD.size) // 4
    return list(struct.unpack_from(f"<{count}i", data, HEAD.size))


def cell_name(program: Program, cell: int) -> str:
    """What a cell of the row holds, as an address if it belongs to a variable."""
    streams = first_stream(program.players)
    if cell < HEADER:
        return HEADER_NAMES.get(cell, "header")
    if cell < streams:
        stack, kind = divmod(cell - pc_cell(0), 2)
        return f"{('pc', 'fp')[kind]} of stack {stack}"
    if cell < program.first_var:
        return f"counter of stream {program.streams[cell - streams]}"
    for var in program.vars:
        width = cells(var.type)
        if var.base <= cell < var.base + var.count * width:
            index, part = divmod(cell - var.base, width)
            if isinstance(var.type, IntT) or width == 1:
                return f"`{var.address}` element {index}"
            if isinstance(var.type, SeqT):
                return f"`{var.address}` element {index}, " + (f"item {part}" if part else "length")
            return f"`{var.address}` element {index}, word {part}"
    if cell >= program.first_stack and program.stack_cells and cell < program.row_cells:
        stack, at = divmod(cell - program.first_stack, program.stack_cells)
        return f"frames of stack {stack}, cell {at}"
    return "what is held back" if cell >= program.row_cells else "between variables and frames"


# ---------------------------------------------------------------------- comparing
@dataclass(slots=True)
class Pair:
    """Two states that should be one, made by two executors; `events` counts what has been compared, `watch` is as in Lockstep."""

    executors: tuple[Executor, Executor]
    machines: tuple[Machine, Machine]
    states: tuple[RowState, RowState]
    watch: int = 1
    events: int = 0

    @property
    def program(self) -> Program:
        """The rules."""
        return self.executors[0].program

    def both(self, what: str, ask: Callable[[int], object]) -> tuple[Answer, Finding | None]:
        """Ask both sides, and say how the answers differ."""
        a, b = answer(lambda: ask(0)), answer(lambda: ask(1))
        if a != b or a.crash:
            return a, (what, str(a), str(b))
        return a, None

    def change_places(self) -> Finding | None:
        """Each machine goes on with the row that the other has made. Events so far stay behind."""
        saved = [state.to_bytes() for state in self.states]
        _, found = self.both("taking over a row", lambda k: self.machines[k].from_bytes(saved[1 - k]).to_bytes())
        if found is None:
            self.states = (self.machines[0].from_bytes(saved[1]), self.machines[1].from_bytes(saved[0]))
            self.events = 0
        return found

    def apply(self, action: Action, k: int) -> None:
        """Let one side take an action."""
        self.states[k].apply(action)

    def compare(self, random: Random | None, table: ActionTable) -> Finding | None:
        """Everything at this point, or the first difference. `random` says which refusal is asked for; None: all are."""
        found = self._cells()
        if found is not None:
            return found
        for what, ask in self._questions():
            _, found = self.both(what, ask)
            if found is not None:
                return found
        self.events = len(self.states[0].events())
        return self._refusals(random, table)

    def _cells(self) -> Finding | None:
        saved, found = self.both("the state as bytes", lambda k: self.states[k].to_bytes())
        if found is None or saved.wrong:
            return found
        rows = [row_of(state.to_bytes()) for state in self.states]
        for cell, (a, b) in enumerate(zip_longest(*rows)):
            if a != b:
                return f"cell {cell}, {cell_name(self.program, cell)}", str(a), str(b)
        return "plies", str(self.states[0].ply), str(self.states[1].ply)

    def _questions(self) -> Iterator[tuple[str, Callable[[int], object]]]:
        """What both are asked, in turn; a question takes the number of a side."""
        states = self.states
        yield "whether it is over", lambda k: states[k].is_over()
        yield "who is asked", lambda k: states[k].to_act()
        for player in states[0].to_act():
            yield f"what player {player} is asked", partial(self._question, player)
            yield f"what is offered to player {player}", partial(self.offered, player)
        yield "what waits on each stack", self._waiting
        if states[0].to_act() == NATURE:
            yield "what is drawn", lambda k: states[k].draw()
        seats = (None, *range(self.program.players)) if states[0].ply % self.watch == 0 or states[0].is_over() else ()
        for seat in seats:
            yield f"what player {seat} sees", partial(self._seen, seat)
        yield "events", lambda k: states[k].events(self.events)
        if states[0].is_over():
            yield "winners", lambda k: states[k].winners()
            yield "returns", lambda k: states[k].returns()
            for seat in range(self.program.players):
                yield f"scores of player {seat}", partial(self._scores, seat)

    def _question(self, player: int, k: int) -> object:
        return self.states[k].decision(player), self.states[k].prompt(player)

    def offered(self, player: int, k: int) -> object:
        """What one side offers to a player, in order."""
        return [(a.decision, a.value, a.text) for a in self.states[k].legal(player)]

    def _seen(self, seat: int | None, k: int) -> object:
        return self.states[k].observe(seat)

    def _scores(self, seat: int, k: int) -> object:
        return self.states[k].scores(seat), self.states[k].total(seat)

    def _waiting(self, k: int) -> list[tuple[int, int, object]]:
        """(stack, block, what there is) for each stack that waits. What players are offered has been compared, but for those who
        have to wait for a draw."""
        executor, row = self.executors[k], row_of(self.states[k].to_bytes())[: self.program.row_cells]
        waiting = executor.waiting(row)
        drawn = any(isinstance(self.program.blocks[b].term, Chance) for _, b in waiting)
        found: list[tuple[int, int, object]] = []
        for stack, b in waiting:
            if isinstance(self.program.blocks[b].term, Chance):
                found.append((stack, b, executor.outcomes(row, stack)))
            elif drawn:
                found.append((stack, b, (executor.player(row, stack), executor.options(row, stack))))
            else:
                found.append((stack, b, executor.player(row, stack)))
        return found

    def _refusals(self, random: Random | None, table: ActionTable) -> Finding | None:
        """Why one thing is not offered, now and then; without `random`, why each is not."""
        waiting = self.states[0].to_act()
        if not waiting or waiting == NATURE or (random is not None and random.random() < 0.8):
            return None
        row = row_of(self.states[0].to_bytes())[: self.program.row_cells]
        for stack, b in self.executors[0].waiting(row):
            if isinstance(self.program.blocks[b].term, Chance):
                continue
            player = self.executors[0].player(row, stack)
            legal = answer(partial(self.offered, player, 0))
            if legal.wrong:
                continue
            offered = {a.value for a in self.states[0].legal(player)}
            values = [a.value for a in table.possible(b, player) if a.value not in offered]
            if random is not None and values:
                values = [random.choice(values)]
            for value in values:
                what = f"why {value} is not offered to player {player}"
                _, found = self.both(what, partial(self._refused, row, stack, value))
                if found is not None:
                    return found
        return None

    def _refused(self, row: list[int], stack: int, value: int, k: int) -> object:
        return self.executors[k].refusal(row[:], stack, value)


# ---------------------------------------------------------------------- walking
@dataclass(slots=True)
class Game:
    """One game of a walk: its seed and what was decided."""

    seed: int
    steps: list[Step] = field(default_factory=list)
    prefix: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Lockstep:
    """Two executors of one program on the same walks."""

    first: Executor
    second: Executor
    change: float = 0.0
    """How often the machines change places before a decision, from 0 to 1."""
    watch: int = 1
    """After every so many decisions it is compared what the seats see: that follows from the state, and takes longest."""
    decisions: int = 0
    """How many have been compared, in all walks."""
    games: int = 0
    faults: int = 0
    _machines: tuple[Machine, Machine] = field(init=False)
    _table: ActionTable = field(init=False)

    def __post_init__(self) -> None:
        self._machines = (Machine(self.first), Machine(self.second))
        self._table = ActionTable(self.first.program)

    def walk(self, seed: int, decisions: int) -> Difference | None:
        """So many decisions in games that follow each other; the beginning of a game counts as one."""
        random = Random(seed)
        left = decisions
        number = 0
        while left > 0:
            game = Game(derive_seed(seed, number))
            number += 1
            found = self._play(game, random, left)
            left -= 1 + len(game.steps)
            if found is not None:
                return self._shortest(seed, game, found)
        return None

    def replay(self, seed: int, steps: Sequence[Step]) -> tuple[Game, Finding] | None:
        """The difference that one game with these decisions comes to, if any, with the decisions up to there. Those that are not
        offered are passed over."""
        game = Game(seed)
        found = self._play(game, Random(seed), len(steps) + 1, steps)
        return None if found is None else (game, found)

    def _play(self, game: Game, random: Random, decisions: int, given: Sequence[Step] | None = None) -> Finding | None:
        """One game, until it is over, faults on both sides alike, or has had so many decisions. Without `given` decisions it goes
        by `random`."""
        self.games += 1
        self.decisions += 1
        states: list[RowState] = []
        wrong, found = self._started(game, states)
        if found is not None:
            return found
        if wrong:
            self.faults += 1
            return None
        pair = Pair((self.first, self.second), self._machines, (states[0], states[1]), self.watch)
        planned = iter(given or ())
        while True:
            found = pair.compare(random if given is None else None, self._table)
            if found is not None:
                return found
            step = self._next(pair, random) if given is None else self._given(pair, planned)
            if step is None or len(game.steps) + 1 >= min(decisions, MOST_PLIES):
                return None
            player, value, changes = step
            game.steps.append(step)
            action = next(a for a in pair.states[0].legal(player) if a.value == value)
            game.prefix.append(in_notation(self.first.program, action, changes))
            if changes:
                found = pair.change_places()
                if found is not None:
                    return found
            self.decisions += 1
            said, found = pair.both("what happens", partial(pair.apply, action))
            if found is not None:
                return found
            if said.wrong:
                self.faults += 1
                return None

    def _started(self, game: Game, states: list[RowState]) -> tuple[str, Finding | None]:
        """A state on each side; or what goes wrong on both; or how they differ."""

        def start(machine: Machine) -> None:
            states.append(machine.new(game.seed))

        a, b = (answer(partial(start, machine)) for machine in self._machines)
        if a != b or a.crash:
            return "", ("the beginning", str(a), str(b))
        return a.wrong, None

    def _next(self, pair: Pair, random: Random) -> Step | None:
        """What to do next, None if the game is over or nothing can be chosen on either side."""
        state = pair.states[0]
        acting = state.to_act()
        if not acting:
            return None
        player = random.choice(acting)
        changes = random.random() < self.change
        said = answer(lambda: state.legal(player))
        if said.wrong:
            self.faults += 1
            return None
        action = state.draw() if player == CHANCE and random.random() < 0.5 else random.choice(state.legal(player))
        return player, action.value, changes

    def _given(self, pair: Pair, planned: Iterator[Step]) -> Step | None:
        """The next planned decision that is offered: to its player, or to whoever else acts where decisions before were left out."""
        state = pair.states[0]
        for player, value, changes in planned:
            acting = state.to_act()
            for other in (player, *acting) if player in acting else acting:
                said = answer(partial(pair.offered, other, 0))
                if not said.wrong and any(a.value == value for a in state.legal(other)):
                    return other, value, changes
        return None

    # ------------------------------------------------------------------ shrinking
    def _shortest(self, walk: int, game: Game, found: Finding) -> Difference:
        """The same kind of difference after as few decisions as are found: by leaving out some, in halves, quarters and so on."""
        best, said, alone = game, found, False
        again = self.replay(game.seed, game.steps)
        if again is not None and _kind(again[1]) == _kind(found):
            best, said = again
            alone = True
        tries, part = TRIES, len(best.steps)
        while alone and part >= 1 and tries > 0:
            start, shorter = 0, False
            while start < len(best.steps) and tries > 0:
                tries -= 1
                steps = [*best.steps[:start], *best.steps[start + part :]]
                again = self.replay(best.seed, steps)
                if again is not None and _kind(again[1]) == _kind(found) and len(again[0].steps) < len(best.steps):
                    best, said = again
                    shorter = True
                else:
                    start += part
            part = part if shorter and part == 1 else part // 2
        program = self.first.program
        settings = "".join(f", {name} {value}" for name, value in program.settings)
        told = f"{program.game}, {program.players} players{settings}"
        names = (type(self.first).__name__, type(self.second).__name__)
        if names[0] == names[1]:
            names = (f"first {names[0]}", f"second {names[1]}")
        what, a, b = said
        return Difference(told, what, a, b, names, walk, best.seed, tuple(best.prefix), tuple(best.steps), alone)


def _kind(found: Finding) -> str:
    """What differs, without numbers: a shorter way to another cell will do as well."""
    return "cell" if found[0].startswith("cell ") else "".join(c for c in found[0] if not c.isdigit())


def in_notation(program: Program, action: Action, changes: bool) -> str:
    """A decision for people."""
    who = "chance" if action.player == CHANCE else program.domains[program.player_domain].ids[action.player]
    return f"{who} at {action.decision}: {action.text}" + (" (machines change places before)" if changes else "")


def agree(
    first: Executor, second: Executor, seed: int, decisions: int, folder: Path, change: float = 0.0, watch: int = 1
) -> Lockstep:
    """Walk, and fail with a file in the folder where the machines differ. Gives the counts."""
    lockstep = Lockstep(first, second, change, watch)
    found = lockstep.walk(seed, decisions)
    if found is not None:
        path = found.write(folder)
        raise AssertionError(f"{found.text()}\nkept in {path}")
    return lockstep
