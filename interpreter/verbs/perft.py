"""The verb `perft`."""

from __future__ import annotations

import click

from interpreter.drivers import perft as counting
from interpreter.drivers.documents import game_document, written
from interpreter.drivers.layout import plain, table
from interpreter.pipeline import MachineKind
from interpreter.verbs.answers import answering
from interpreter.verbs.family import verb
from interpreter.verbs.flags import MACHINE, PLAYERS, Chosen, Whole, form_of, rule_flags
from interpreter.verbs.games import loaded, seats_of


@verb
@click.argument("game")
@click.argument("depth", type=Whole(0, 100))
@click.option("--divide", is_flag=True, help="Apart for each first action.")
@PLAYERS
@rule_flags
@MACHINE
@form_of("json")
def perft(
    game: str,
    depth: int,
    divide: bool,
    players: int | None,
    chosen: Chosen,
    machine: MachineKind,
    form: str,
) -> None:
    """Count the sequences of DEPTH actions from the start, chance outcomes among them, each for itself.

    Games that ended at DEPTH or before are counted too: a game that is over has no longer sequences.
    """
    with answering():
        rules = loaded(game, chosen, machine)
        state = rules.new(seats_of(rules, players), 0)
        parts = counting.divide(state, depth) if divide and depth else ()
        whole = counting.perft(state, depth)
    if form == "json":
        fields: dict[str, object] = {"depth": depth, "sequences": whole.sequences, "finished": whole.finished}
        if divide:
            fields["divide"] = [{"action": a.text, "sequences": c.sequences, "finished": c.finished} for a, c in parts]
        click.echo(written(game_document("perft", rules, fields)))
        return
    rows = [[action.text, str(count.sequences), str(count.finished)] for action, count in parts]
    rows.append(["all", str(whole.sequences), str(whole.finished)])
    click.echo(plain(table([f"depth {depth}", "sequences", "games finished so far"], rows, numbers=frozenset({1, 2}))))
