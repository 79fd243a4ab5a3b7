"""What the runtime looks up of blocks and procedures by their numbers.

In: a program, and the entries of its procedures. Out: addresses of constant tables in the module's memory.
"""

from __future__ import annotations

from dataclasses import dataclass

from interpreter.ir.ops import Chance, Choose
from interpreter.ir.program import Program
from interpreter.ir.row import first_stream
from interpreter.machine.chance import stream_number
from interpreter.machine.wasm.memory import Memory
from interpreter.machine.wasm.values import CELL


@dataclass(frozen=True, slots=True)
class Tables:
    """Addresses of what is known of each block (its procedure, its entry behind it, whether it is quiet, its question's number), of the
    first entry of each procedure and the size of its frame in bytes; of each block that draws the number of its stream, and the address of
    the stream's counter; of the number of the stream of each seat's bot; and where in the module's table procedures, listings, ways,
    players and functions begin."""

    proc_of: int
    entry_of: int
    quiet: int
    question: int
    draws: int
    begin_of: int
    size_of: int
    stream_of: int
    place_of: int
    bot_of: int
    procs: int
    listings: int
    ways: int
    players: int
    functions: int


def int_table(memory: Memory, values: list[int]) -> int:
    """The address of constant numbers."""
    return memory.constant(b"".join((v & 0xFFFFFFFF).to_bytes(4, "little") for v in values))


def block_tables(
    program: Program, memory: Memory, resume: dict[int, int], begin: list[int], questions: list[int], link: int
) -> dict[str, int]:
    """Addresses of the tables over blocks and procedures."""
    number = {b: k for k, b in enumerate(questions)}
    blocks = program.blocks
    return {
        "proc_of": int_table(memory, [b.p for b in blocks]),
        "entry_of": int_table(memory, [resume.get(b.id, -1) for b in blocks]),
        "quiet": int_table(memory, [int(isinstance(b.term, Choose) and b.term.quiet) for b in blocks]),
        "question": int_table(memory, [number.get(b.id, -1) for b in blocks]),
        "draws": int_table(memory, [int(isinstance(b.term, Chance)) for b in blocks]),
        "begin_of": int_table(memory, begin),
        "size_of": int_table(memory, [CELL * (link + p.frame) for p in program.procs]),
    }


def luck_tables(program: Program, memory: Memory) -> dict[str, int]:
    """Addresses of the tables over streams of random numbers: by the block that draws, by the seat of a bot."""
    streams = [b.term.stream if isinstance(b.term, Chance) else 0 for b in program.blocks]
    names = [stream_number(name) for name in program.streams] or [0]
    first = first_stream(program.players)
    return {
        "stream_of": int_table(memory, [names[s] for s in streams]),
        "place_of": int_table(memory, [memory.cell(first + s) for s in streams]),
        "bot_of": int_table(memory, [stream_number(f"bot/{seat}") for seat in range(program.players)]),
    }
