"""The builtins of the language: one record each, read by the checker, the lowering and the reference page.

A builtin is added when two unlike games want it. `kind` is pure (a value), or field (of things and pieces, behind a dot).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Builtin:
    """Name, how it is written, what kind it is, what it gives, when it fails, and one example."""

    name: str
    signature: str
    kind: str
    gives: str
    doc: str
    fails: str
    example: str


LIBRARY: Final[tuple[Builtin, ...]] = (
    Builtin(
        "players",
        "players",
        "pure",
        "set of player",
        "all seats, in seat order",
        "never",
        "for each p in players: put 1 coin on p",
    ),
    Builtin(
        "opponents",
        "opponents",
        "pure",
        "set of player",
        "all seats but the acting player's",
        "never",
        "let foe be only opponents",
    ),
    Builtin(
        "player_count",
        "player_count",
        "pure",
        "number",
        "how many play",
        "never",
        "deal player_count from patrons to row",
    ),
    Builtin(
        "table",
        "table",
        "pure",
        "the table",
        "the holder of the table's fields",
        "never",
        "move 1 coin from me to table",
    ),
    Builtin(
        "box", "box", "pure", "zone", "where every piece lies that is out of the game", "never", "move card to box"
    ),
    Builtin(
        "size",
        "size(s)",
        "pure",
        "number",
        "how many members a set, order or zone has; of a map the sum of its numbers",
        "never",
        "require size(my crew) < 5",
    ),
    Builtin("min", "min(a, b, …)", "pure", "number", "the least of the numbers", "never", "let k be min(2, my coins)"),
    Builtin(
        "max", "max(a, b, …)", "pure", "number", "the greatest of the numbers", "never", "pay max(0, price - 1) coins"
    ),
    Builtin(
        "place",
        "place(x, L)",
        "pure",
        "number",
        "the place of x in an order, 1 for the first; 0 where it is not in it",
        "never",
        "place(me, turn_order) = 1",
    ),
    Builtin(
        "next",
        "next(x)",
        "pure",
        "member or nothing",
        "the member after x in its type, or nothing after the last",
        "never",
        "let n be next(season)",
    ),
    Builtin(
        "kinds",
        "kinds(S)",
        "pure",
        "set",
        "one piece of each row, of several copies in S the first: what there is to choose from where copies are alike",
        "never",
        "choose tile from kinds(shop)",
    ),
    Builtin(
        "reversed",
        "reversed(L)",
        "pure",
        "order",
        "the order from its end",
        "never",
        "have reversed(turn_order): perform reap",
    ),
    Builtin(
        "total",
        "total(p)",
        "pure",
        "number",
        "a player's scoring terms added up",
        "never",
        "winners: all p in players with most total(p)",
    ),
    Builtin(
        "neighbours",
        "neighbours(g, n)",
        "pure",
        "set",
        "the places one step from n in graph g",
        "never",
        "choose b from neighbours(map, a)",
    ),
    Builtin(
        "steps",
        "steps(g)",
        "pure",
        "set of steps",
        "every step of a graph, from a place to a neighbour: `.from` and `.to` are its ends; an edge both ways is two",
        "never",
        "choose step from steps(map) where step.from.token = me",
    ),
    Builtin(
        "reach",
        "reach(g, from, steps, through)",
        "pure",
        "set",
        "the ends of walks from a place that have one of the step counts and enter only members of `through`; never the start itself",
        "never",
        "choose goal from reach(map, a, 1..2, open_places)",
    ),
    Builtin(
        "around",
        "around(c)",
        "pure",
        "set",
        "the up to eight cells beside and diagonal to a grid's cell",
        "never",
        "any n in around(c) where n.who = me",
    ),
    Builtin(
        "beyond",
        "beyond(a, b)",
        "pure",
        "cell or nothing",
        "the cell after b, seen from a beside or diagonal to it; nothing off the board",
        "never",
        "beyond(a, b).who = me",
    ),
    Builtin(
        "ray",
        "ray(a, b)",
        "pure",
        "order",
        "the cells from b on, b first, in a straight line away from a; none where b is not beside, above, below or diagonal to a, however far",
        "never",
        "first c in ray(a, b) where c.who = me",
    ),
    Builtin(
        "lines",
        "lines(g, k)",
        "pure",
        "set of lines",
        "every straight run of k cells of a grid; each is a set of cells",
        "never",
        "any l in lines(board, 3) where (no c in l where c.mark != p)",
    ),
    Builtin(
        "scan",
        "scan(g, corner)",
        "pure",
        "order",
        "all cells of a grid row by row, beginning at corner 1 (first row, first column), 2 (first row, last column), 3 (last row, first column) or 4",
        "never",
        "let spot be first scan(board, 1)",
    ),
    Builtin(
        "scan_columns",
        "scan_columns(g, corner)",
        "pure",
        "order",
        "all cells of a grid column by column, beginning at a corner counted as for `scan`: from 3 first the first column from its last row up",
        "never",
        "let spot be first scan_columns(board, 1)",
    ),
    Builtin(
        "uses",
        "uses(e, f)",
        "pure",
        "truth",
        "whether effect value e may perform effect f, directly or through others",
        "never",
        "not uses(n.action, copy_action)",
    ),
    Builtin(
        "yields",
        "yields(e, field)",
        "pure",
        "truth",
        "whether effect value e may gain that field's tokens",
        "never",
        "not yields(g.use, charms)",
    ),
    Builtin(
        "during",
        "during(e)",
        "pure",
        "truth",
        "whether effect or phase e is under way",
        "never",
        "if during(night): pay 1 coin",
    ),
    Builtin("seat", "p.seat", "field", "number", "a player's seat, from 1", "never", "c.copy = me.seat"),
    Builtin("index", "x.index", "field", "number", "place of a row in its table, from 1", "never", "by least s.index"),
    Builtin("row", "c.row", "field", "number", "row of a grid's cell, 1 at the top", "never", "c.row = 1"),
    Builtin("column", "c.column", "field", "number", "column of a grid's cell, from 1", "never", "c.column = 7"),
    Builtin("from", "s.from", "field", "place", "where a step of a graph begins", "never", "step.from.token = me"),
    Builtin("to", "s.to", "field", "place", "where a step of a graph ends", "never", "set step.to.token to me"),
    Builtin(
        "owner", "card.owner", "field", "player or nothing", "in whose zone a piece lies", "never", "card.owner = me"
    ),
    Builtin(
        "slot",
        "card.slot",
        "field",
        "number",
        "slot of its row a piece lies in, from 1; 0 in other zones",
        "never",
        "card.slot = 1",
    ),
    Builtin("copy", "card.copy", "field", "number", "which copy of its row a piece is, from 1", "never", "c.copy = 3"),
    Builtin(
        "design",
        "card.design",
        "field",
        "piece",
        "the first copy of a piece's row: equal for all copies of it",
        "never",
        "s.design = c.design",
    ),
)


def builtin_names() -> tuple[str, ...]:
    """Names that stand without a dot."""
    return tuple(b.name for b in LIBRARY if b.kind == "pure")
