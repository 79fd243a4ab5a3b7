"""Where everything lies in the module's one memory, whose size never changes.

In: a program. Out: addresses in bytes. Constants, the row under way, a buffer for locals that enter a procedure in the middle, lists
for the host, a stack for sequences, and behind all of them the arena, where look-ahead keeps its copies of the row.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from interpreter.ir.expr_types import ExprTypes
from interpreter.ir.ir_types import IrType, SeqT, cells
from interpreter.ir.ops import Chance, Choose
from interpreter.ir.program import Program
from interpreter.machine.wasm.values import CELL, in_cells, shape

PAGE: Final = 65536
ARENA: Final = 64 << 20
"""Bytes for look-ahead; pages that are never touched cost nothing."""
EVENTS: Final = 1 << 18
LOG: Final = 16 << 20
"""Bytes for what look-ahead writes over: eight a cell."""
SEQUENCES: Final = 1 << 18
GAMES: Final = 1024
"""Games of one call for playouts."""

WHY: Final = 16
"""Why the module trapped: one of the codes below."""
EVENT_END: Final = 20
"""Where the events of this call end."""
GAME: Final = 24
"""The place of the game that a playout is at."""
RULE, BUDGET, BUG, ROOM = range(1, 5)
"""The rules cannot go on; too many steps; what verified IR cannot do; no room in one of the buffers."""

SLOT: Final = 8
"""Bytes of a word in the buffer for locals."""


@dataclass(slots=True)
class Memory:
    """Addresses, and the constants to put there."""

    buffer: int = 64
    fork_args: int = 0
    options: int = 0
    outcomes: int = 0
    row: int = 0
    row_bytes: int = 0
    """Bytes of the row."""
    copied: int = 0
    """Bytes of the row and the results that are remembered behind it."""
    initial: int = 0
    events: int = 0
    log: int = 0
    sequences: int = 0
    games: int = 0
    counters: int = 0
    results: int = 0
    arena: int = 0
    end: int = 0
    record: int = 0
    """Bytes of one game's result."""
    tables: list[int] = field(default_factory=list)
    data: list[tuple[int, bytes]] = field(default_factory=list)
    _next: int = 0
    _known: dict[bytes, int] = field(default_factory=dict)

    @classmethod
    def of(cls, program: Program, domains: int, remembered: int) -> Memory:
        """The map for a program whose largest domain of a question, extras included, has `domains` elements, and whose functions'
        results take `remembered` bytes."""
        memory = cls()
        widest = max((sum(buffered(kind) for kind in scope) for scope in [p.locals for p in program.procs]), default=0)
        memory._next = memory.buffer + widest + SLOT
        memory.fork_args = memory._take(widest + SLOT)
        memory.options = memory._take(CELL * (domains + 1))
        memory.outcomes = memory._take(2 * CELL * (domains + 1))
        memory.row_bytes = (CELL * program.row_cells + 7) // 8 * 8
        memory.copied = memory.row_bytes + remembered
        memory.row = memory._take(memory.copied)
        memory.initial = memory._take(memory.copied)
        memory.events = memory._take(EVENTS)
        memory.log = memory._take(LOG)
        memory.sequences = memory._take(SEQUENCES)
        seats = program.players
        memory.record = CELL * (5 + seats * (2 + len(program.terms)))
        memory.games = memory._take(2 * CELL * GAMES)
        memory.counters = memory._take(CELL * seats)
        memory.results = memory._take(memory.record * GAMES)
        for table in program.tables:
            raw = b"".join(in_cells(value, table.type) for value in table.values)
            memory.tables.append(memory.constant(raw))
        return memory

    def close(self) -> None:
        """All constants are known: the arena begins."""
        self.arena = self._take(0)
        self.end = (self.arena + ARENA + PAGE - 1) // PAGE * PAGE

    def constant(self, raw: bytes) -> int:
        """The address of constant bytes; equal ones share it."""
        found = self._known.get(raw)
        if found is None:
            found = self._known[raw] = self._take(len(raw))
            if raw:
                self.data.append((found, raw))
        return found

    def cell(self, number: int) -> int:
        """The address of a cell of the row."""
        return self.row + CELL * number

    def _take(self, size: int) -> int:
        at = (self._next + 7) // 8 * 8
        self._next = at + size
        return at


def buffered(kind: IrType) -> int:
    """Bytes that a local takes in the buffer."""
    if isinstance(kind, SeqT):
        return (CELL * cells(kind) + 7) // 8 * 8
    return SLOT * len(shape(kind))


def largest_question(program: Program, types: ExprTypes) -> int:
    """The most options that a question can have, as far as types tell."""
    found = 1
    for block in program.blocks:
        term = block.term
        if isinstance(term, Choose | Chance):
            many = types.many(term.domain, program.procs[block.p].locals)
            extras = len(term.extras) if isinstance(term, Choose) else 0
            found = max(found, many.size + extras)
    return found
