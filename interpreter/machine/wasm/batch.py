"""Whole games of random bots in bulk.

In: a program, its module and seeds. Out: a record a game, in order. A call runs many games without holding Python's lock, so threads with
an instance each run side by side; what a game comes to depends on its seed alone.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from interpreter.ir.program import Program
from interpreter.machine.protocol import Record
from interpreter.machine.rows import first_row
from interpreter.machine.wasm.host import Compiled, Instance, Trapped
from interpreter.machine.wasm.memory import GAME, GAMES, ROOM, WHY
from interpreter.machine.wasm.module import Built
from interpreter.machine.wasm.playouts import FINISHED, HEAD
from interpreter.machine.wasm.values import CELL


class Batch:
    """Plays games of one program; for one thread at a time."""

    def __init__(self, program: Program, built: Built, compiled: Compiled) -> None:
        self._program = program
        self._memory = built.memory
        self._instance = Instance(compiled)
        self._put(built.memory.initial, first_row(program, (0, 0)))
        self._instance.call("play_inside", 1)

    def play(self, seeds: Sequence[tuple[int, int]], limit: int) -> list[Record]:
        """A game for each seed (two signed cells), of at most `limit` plies."""
        found: list[Record] = []
        for first in range(0, len(seeds), GAMES):
            found += self._some(seeds[first : first + GAMES], limit)
        return found

    def _put(self, address: int, numbers: Sequence[int]) -> None:
        at = address // CELL
        self._instance.cells[at : at + len(numbers)] = array("i", numbers)

    def _some(self, seeds: Sequence[tuple[int, int]], limit: int) -> list[Record]:
        self._put(self._memory.games, [word for seed in seeds for word in seed])
        stopped: dict[int, bool] = {}
        at = 0
        while at < len(seeds):
            try:
                self._instance.call("play", at, len(seeds), limit)
                break
            except Trapped as trap:
                # The game that stopped is told apart; the next ones go on.
                game = self._instance.cells[GAME // CELL]
                stopped[game] = trap.deep or self._instance.cells[WHY // CELL] == ROOM
                at = game + 1
        return [self._record(k, stopped.get(k)) for k in range(len(seeds))]

    def _record(self, k: int, stopped: bool | None) -> Record:
        """Game k; `stopped` says of one in the middle of which the module stopped whether only room was wanting."""
        size = self._memory.record // CELL
        at = self._memory.results // CELL + k * size
        numbers = self._instance.cells[at : at + size].tolist()
        program = self._program
        names = [term.name for term in program.terms]
        width = 2 + len(names)
        seats = [numbers[HEAD + s * width : HEAD + (s + 1) * width] for s in range(program.players)]
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
