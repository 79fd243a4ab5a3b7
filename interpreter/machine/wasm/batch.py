"""Whole games of random bots in bulk.

In: a program, its module and seeds. Out: a record a game, in order. A call runs many games without holding Python's lock, so threads with
an instance each run side by side; what a game comes to depends on its seed alone.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Final, overload

from interpreter.ir.program import Program
from interpreter.machine.protocol import Record, Records
from interpreter.machine.rows import first_row
from interpreter.machine.wasm.host import Compiled, Instance, Trapped
from interpreter.machine.wasm.memory import GAME, GAMES, ROOM, WHY
from interpreter.machine.wasm.module import Built
from interpreter.machine.wasm.playouts import FINISHED, HEAD
from interpreter.machine.wasm.values import CELL

MOST_PLIES: Final = 2**31 - 1
"""The module counts plies in a signed number; no game comes so far."""


class Batch:
    """Plays games of one program; for one thread at a time."""

    def __init__(self, program: Program, built: Built, compiled: Compiled) -> None:
        self._program = program
        self._memory = built.memory
        self._instance = Instance(compiled)
        self._put(built.memory.initial, first_row(program, (0, 0)))
        self._instance.call("play_inside", 1)

    def play(self, seeds: Sequence[tuple[int, int]], limit: int) -> Played:
        """A game for each seed (two signed cells), of at most `limit` plies."""
        records = Played(self._program, self._memory.record // CELL)
        for first in range(0, len(seeds), GAMES):
            self._some(seeds[first : first + GAMES], limit, records)
        return records

    def _put(self, address: int, numbers: Sequence[int]) -> None:
        at = address // CELL
        self._instance.cells[at : at + len(numbers)] = array("i", numbers)

    def _some(self, seeds: Sequence[tuple[int, int]], limit: int, records: Played) -> None:
        self._put(self._memory.games, [word for seed in seeds for word in seed])
        stopped: dict[int, bool] = {}
        at = 0
        while at < len(seeds):
            try:
                self._instance.call("play", at, len(seeds), min(limit, MOST_PLIES))
                break
            except Trapped as trap:
                # The game that stopped is told apart; the next ones go on.
                game = self._instance.cells[GAME // CELL]
                stopped[game] = trap.deep or self._instance.cells[WHY // CELL] == ROOM
                at = game + 1
        first = self._memory.results // CELL
        records.add(self._instance.cells[first : first + len(seeds) * records.width], stopped)


class Played(Records):
    """See protocol.Records."""

    def __init__(self, program: Program, width: int) -> None:
        self._program = program
        self.width = width
        """Cells of a game."""
        self._cells = array("i")
        self._stopped: dict[int, bool] = {}

    def add(self, cells: memoryview, stopped: Mapping[int, bool]) -> None:
        """More games; `stopped` says of those in the middle of which the module stopped whether only room was wanting."""
        first = len(self)
        self._cells.frombytes(cells.tobytes())
        self._stopped.update({first + k: room for k, room in stopped.items()})

    def __len__(self) -> int:
        return len(self._cells) // self.width

    @overload
    def __getitem__(self, k: int) -> Record: ...
    @overload
    def __getitem__(self, k: slice) -> list[Record]: ...
    def __getitem__(self, k: int | slice) -> Record | list[Record]:
        if isinstance(k, slice):
            return [self._record(j) for j in range(*k.indices(len(self)))]
        if not -len(self) <= k < len(self):
            raise IndexError(k)
        return self._record(k % len(self))

    @property
    def plies(self) -> int:
        """Of all games together."""
        return sum(self._cells[1 :: self.width])

    @property
    def decisions(self) -> int:
        """Of all games together."""
        return sum(self._cells[2 :: self.width])

    @property
    def all_finished(self) -> bool:
        """Whether every game ended by the rules."""
        return not self._stopped and not any(self._cells[:: self.width])

    def _record(self, k: int) -> Record:
        numbers = self._cells[k * self.width : (k + 1) * self.width].tolist()
        program = self._program
        names = [term.name for term in program.terms]
        width = 2 + len(names)
        seats = [numbers[HEAD + s * width : HEAD + (s + 1) * width] for s in range(program.players)]
        stopped = self._stopped.get(k)
        return Record(
            numbers[0] == FINISHED and stopped is None,
            stopped is True,
            numbers[1],
            numbers[2],
            numbers[3] if program.winners >= 0 else 0,
            tuple(seat[0] for seat in seats) if program.payoff >= 0 else None,
            tuple(seat[1] for seat in seats) if program.total >= 0 else None,
            tuple(tuple(zip(names, seat[2:], strict=True)) for seat in seats),
        )
