"""Five games written by hand in Python: what CPython can reach without a rules interpreter.

In: nothing. Out: functions that play one uniformly random game and give its number of plies. The board is a flat list; what depends on
the place alone is in tables, and every ply works out all legal moves. No tricks with bits: this is what a generator of code could
write. by_hand.cpp has the same games in C++.
"""

from __future__ import annotations

from collections.abc import Callable
from random import random
from typing import Final

Playout = Callable[[], int]


def tic_tac_toe() -> Playout:
    """Three by three, three in a row."""
    lines = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
    through = [[tuple(j for j in line if j != i) for line in lines if i in line] for i in range(9)]

    def playout() -> int:
        cells = [0] * 9
        me, plies = 1, 0
        while moves := [i for i in range(9) if not cells[i]]:
            place = moves[int(random() * len(moves))]
            cells[place] = me
            plies += 1
            for i, j in through[place]:
                if cells[i] == me and cells[j] == me:
                    return plies
            me = 3 - me
        return plies

    return playout


def connect_four() -> Playout:
    """Seven columns of six, four in a row."""
    lines = [
        tuple((row + k * up) * 7 + column + k * right for k in range(4))
        for row in range(6)
        for column in range(7)
        for up, right in ((0, 1), (1, 0), (1, 1), (1, -1))
        if row + 3 * up < 6 and 0 <= column + 3 * right < 7
    ]
    through = [[tuple(j for j in line if j != i) for line in lines if i in line] for i in range(42)]

    def playout() -> int:
        cells = [0] * 42
        top = [*range(7)]
        me, plies = 1, 0
        while moves := [c for c in range(7) if top[c] < 42]:
            column = moves[int(random() * len(moves))]
            place = top[column]
            top[column] += 7
            cells[place] = me
            plies += 1
            for i, j, k in through[place]:
                if cells[i] == me and cells[j] == me and cells[k] == me:
                    return plies
            me = 3 - me
        return plies

    return playout


def breakthrough() -> Playout:
    """Eight by eight, two rows of pieces each."""

    def ahead(me: int) -> list[tuple[int, tuple[int, ...]]]:
        """The cell before each cell, and those aslant; the far row has none, as nobody stands there with the game still on."""
        step = 8 if me == 1 else -8
        return [
            (i + step, tuple(i + step + x for x in (-1, 1) if 0 <= i % 8 + x < 8)) if 0 <= i + step < 64 else (i, ())
            for i in range(64)
        ]

    forward = (ahead(1), ahead(2))

    def playout() -> int:
        cells = [1] * 16 + [0] * 32 + [2] * 16
        pieces = (set(range(16)), set(range(48, 64)))
        me, plies = 1, 0
        while True:
            moves = []
            mine, others = pieces[me - 1], pieces[2 - me]
            for i in mine:
                before, aslant = forward[me - 1][i]
                if not cells[before]:
                    moves.append((i, before))
                for place in aslant:
                    if cells[place] != me:
                        moves.append((i, place))
            origin, place = moves[int(random() * len(moves))]
            cells[origin] = 0
            mine.discard(origin)
            mine.add(place)
            plies += 1
            others.discard(place)
            cells[place] = me
            if (place >= 56 if me == 1 else place < 8) or not others:
                return plies
            me = 3 - me

    return playout


def othello() -> Playout:
    """Eight by eight; having to pass is a ply."""
    steps = [(up, right) for up in (-1, 0, 1) for right in (-1, 0, 1) if up or right]
    straight = [
        [
            tuple(
                (i // 8 + k * up) * 8 + i % 8 + k * right
                for k in range(1, 8)
                if 0 <= i // 8 + k * up < 8 and 0 <= i % 8 + k * right < 8
            )
            for up, right in steps
        ]
        for i in range(64)
    ]
    rays = [[ray for ray in around if len(ray) > 1] for around in straight]

    def turned(cells: list[int], place: int, me: int) -> list[int]:
        """The cells that change sides with a move there."""
        found: list[int] = []
        for ray in rays[place]:
            if cells[ray[0]] != 3 - me:
                continue
            for k, cell in enumerate(ray):
                if cells[cell] == me:
                    found += ray[:k]
                if cells[cell] != 3 - me:
                    break
        return found

    def playout() -> int:
        cells = [0] * 64
        cells[28] = cells[35] = 1
        cells[27] = cells[36] = 2
        free = [i for i in range(64) if not cells[i]]
        me, plies, passed = 1, 0, False
        while True:
            moves = [(i, flips) for i in free if (flips := turned(cells, i, me))]
            if moves:
                plies += 1 + passed
                passed = False
                place, flips = moves[int(random() * len(moves))]
                free.remove(place)
                cells[place] = me
                for cell in flips:
                    cells[cell] = me
            elif passed:
                return plies
            else:
                passed = True
            me = 3 - me

    return playout


def hex_eleven() -> Playout:
    """Eleven by eleven, no swap; sides are joined by sets of cells, the four edges being cells of their own."""
    size = 11
    count = size * size
    around = [
        [
            (i // size + up) * size + i % size + right
            for up, right in ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))
            if 0 <= i // size + up < size and 0 <= i % size + right < size
        ]
        for i in range(count)
    ]
    edges = [
        [
            [count + 2 * me + (k > 0) for k in (i // size if me == 0 else i % size,) if k in (0, size - 1)]
            for i in range(count)
        ]
        for me in (0, 1)
    ]

    def playout() -> int:
        cells = [-1] * count
        above = [*range(count + 4)]
        free = [*range(count)]
        me, plies = 0, 0

        def root(i: int) -> int:
            while above[i] != i:
                above[i] = above[above[i]]
                i = above[i]
            return i

        while True:
            k = int(random() * len(free))
            place = free[k]
            free[k] = free[-1]
            free.pop()
            cells[place] = me
            plies += 1
            for i in around[place]:
                if cells[i] == me:
                    above[root(place)] = root(i)
            for edge in edges[me][place]:
                above[root(place)] = root(edge)
            if root(count + 2 * me) == root(count + 2 * me + 1):
                return plies
            me = 1 - me

    return playout


BY_HAND: Final = {
    "tic_tac_toe": tic_tac_toe,
    "connect_four": connect_four,
    "breakthrough": breakthrough,
    "othello": othello,
    "hex": hex_eleven,
}
"""By the id of our definition of the same game."""
