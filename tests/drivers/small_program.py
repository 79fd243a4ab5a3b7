"""A hand-built program for tests of drawing: a map of three places, a grid of four cells, two seats, some cards. It has no code."""

from __future__ import annotations

from dataclasses import dataclass, field

from interpreter.drivers.drawing.sight import Value
from interpreter.ir.ir_types import NOTHING, IntT, SeqT
from interpreter.ir.program import Domain, PieceType, Program, Var, Zone

PLAYER, PLACE, SIZE, CELL, CARD, STATE, TRUTH = range(7)

DOMAINS = (
    Domain("player", ("red", "blue"), ("red", "blue")),
    Domain("place", ("west_gate", "market_hill", "river"), ("West Gate", "Market Hill", "the River")),
    Domain("size", ("small", "large"), ("small one", "large one")),
    Domain("cell", ("a1", "b1", "a2", "b2"), ("a1", "b1", "a2", "b2")),
    Domain("card", ("smith", "baker", "guest"), ("Smith", "Baker", "Guest")),
    Domain("state", ("ready", "spent"), ("ready", "spent")),
    Domain("truth", ("false", "true"), ("false", "true")),
)

VARS = (
    Var("components.place.dirt", 0, 3, IntT(0, 9), (0, 0, 0), owner="thing", keys=(PLACE,)),
    Var("components.place.token", 3, 3, IntT(-1, 1), (NOTHING,) * 3, owner="thing", keys=(PLACE,), domain=PLAYER),
    Var("components.place.workers", 6, 6, IntT(0, 9), (0,) * 6, owner="thing", keys=(PLACE, SIZE)),
    Var("components.cell.mark", 12, 4, IntT(-1, 1), (NOTHING,) * 4, owner="thing", keys=(CELL,), domain=PLAYER),
    Var("components.player.coins", 16, 2, IntT(0, 99), (0, 0), owner="player", keys=(PLAYER,)),
    Var("components.player.workers", 18, 4, IntT(0, 9), (0,) * 4, owner="player", keys=(PLAYER, SIZE)),
    Var("components.table.order", 22, 1, SeqT(2), ((),), domain=PLAYER),
    Var("components.card.state", 25, 3, IntT(0, 1), (0, 0, 0), owner="piece", keys=(CARD,), domain=STATE, piece_type=0),
    Var("components.card.where", 28, 3, IntT(0, 4), (0, 0, 0), owner="piece", keys=(CARD,), hidden=True, piece_type=0),
    Var("components.place.scratch", 31, 3, IntT(0, 4), (0, 0, 0), owner="thing", keys=(PLACE,)),
)
DIRT, TOKEN, WORKERS, MARK, COINS, OWN_WORKERS, ORDER, STATES, WHERE, SCRATCH = range(10)

ZONES = (
    Zone("box", "box", -1, 0, "nobody"),
    Zone("components.player.hand", "group", 0, 0, "owner"),
    Zone("components.player.hand", "group", 1, 0, "owner"),
    Zone("components.table.pile", "deck", -1, 0, "nobody"),
)

SHOW: dict[str, object] = {
    "players": ["red", "blue"],
    "hide": ["scratch"],
    "dirt": {"symbol": "*", "colour": "brown"},
    "place": {
        "map": [6, 2],
        "west_gate": {"at": [0, 1], "width": 2},
        "market_hill": {"at": [2, 1], "width": 2},
        "river": {"at": [0, 2], "width": 4},
    },
}


def program() -> Program:
    """The program."""
    return Program(
        game="toy",
        title="Toy",
        version="1.0.0",
        players=2,
        settings=(),
        definition_hash="0",
        domains=DOMAINS,
        player_domain=PLAYER,
        vars=VARS,
        piece_types=(PieceType(CARD, WHERE, ZONES),),
        tables=(),
        funcs=(),
        procs=(),
        blocks=(),
        checks=(),
        decisions=(),
        events=(),
        streams=(),
        entry=0,
        winners=-1,
        payoff=-1,
        total=-1,
        terms=(),
        phases=(),
        row_cells=0,
        stack_cells=0,
        forks=False,
        show=SHOW,
    )


@dataclass
class FakeSight:
    """What a test wants to be seen: values by (variable, element), else first values; zones by number."""

    values: dict[tuple[int, int], Value | None] = field(default_factory=dict)
    zones: dict[int, tuple[tuple[int, ...], int | None]] = field(default_factory=dict)

    def value(self, var: int, element: int) -> Value | None:
        """As given, else the first value."""
        return self.values.get((var, element), VARS[var].initial[element])

    def zone(self, piece_type: int, zone: int) -> tuple[tuple[int, ...], int | None]:
        """As given, else empty."""
        return self.zones.get(zone, ((), 0))

    def result(self, f: int, args: tuple[int, ...]) -> int | None:
        """A function gives its own number behind its arguments."""
        return None if f < 0 else sum(args) + f
