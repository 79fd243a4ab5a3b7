"""How a state's row of int32 cells is laid out.

    header · (pc, fp) of each stack · one counter a stream · variables · frames of each stack

In: the sizes of a game. Out: cell numbers. Nothing here reads or writes a row.

Stack 0 is the game's own, stack 1 + s is seat s's in simultaneous play. `pc` is the block whose terminator the stack waits at (all
statements of that block are done), or EMPTY. `fp` is the cell where its top frame begins, 0 while it is empty. A frame is
`[calling block, caller's fp, slots...]`: the calling block is the one whose Call is under way (the frame of the caller is read
back by its `spill`), EMPTY in the bottom frame. A new frame begins behind its caller's, which is LINK + Proc.frame cells long.
Cells behind the top frame, and slots of locals that are dead, are 0, so that equal positions have equal rows.
"""

from __future__ import annotations

from typing import Final

STATUS: Final = 0
"""One of RUNNING, OVER, FAULTED. A game whose entry procedure has returned is OVER; a row made for a single procedure that has
returned is RUNNING with an empty stack."""
BUDGET: Final = 1
"""Room for a machine to count down the blocks that may be entered before somebody is asked; 0 at rest."""
STACK: Final = 2
"""The stack that runs; 0 at rest."""
SEED_LOW: Final = 3
SEED_HIGH: Final = 4
FAULT: Final = 5
"""1 + index of the check that failed, while FAULTED; else 0."""
HEADER: Final = 8
"""Cells of the header; those not named above are 0."""

RUNNING: Final = 0
OVER: Final = 1
FAULTED: Final = 2

EMPTY: Final = -1
LINK: Final = 2
"""Cells of linkage at the beginning of a frame."""


def pc_cell(stack: int) -> int:
    """Where the block number of a stack is kept."""
    return HEADER + 2 * stack


def fp_cell(stack: int) -> int:
    """Where the frame pointer of a stack is kept."""
    return HEADER + 2 * stack + 1


def first_stream(players: int) -> int:
    """Where the stream counters begin."""
    return HEADER + 2 * (1 + players)


def first_var(players: int, streams: int) -> int:
    """Where the variables begin."""
    return first_stream(players) + streams


def stack_base(first_stack: int, stack_cells: int, stack: int) -> int:
    """Where the frames of a stack begin."""
    return first_stack + stack * stack_cells


def row_size(first_stack: int, stack_cells: int, players: int, forks: bool) -> int:
    """How many cells the whole row has: only a program that forks has room for the seats' stacks."""
    return first_stack + stack_cells * (1 + players if forks else 1)
