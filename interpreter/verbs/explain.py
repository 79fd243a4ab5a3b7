"""The verb `explain`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from interpreter.drivers import explain as explaining
from interpreter.drivers.explain import clause_lines
from interpreter.drivers.layout import Line
from interpreter.drivers.terminal import When
from interpreter.machine.faults import IllegalAction
from interpreter.paths import shipped_games
from interpreter.pipeline import DefinitionError, MissingGame, clause_list, load
from interpreter.text.render import explain_code, known_codes
from interpreter.text.suggest import nearest
from interpreter.verbs.answers import answering, screen
from interpreter.verbs.family import verb
from interpreter.verbs.flags import LOOK, Chosen, rule_flags
from interpreter.verbs.games import from_here, games_at_hand, loaded, open_save, state_of


@verb
@click.argument("what", metavar="CODE|CLAUSE|GAME")
@click.argument("address", required=False, metavar="[ADDRESS|CLAUSE|ACTION]")
@click.option(
    "--at", type=click.Path(path_type=Path), metavar="SAVE", help="Explain an action where a saved game stands."
)
@rule_flags
@LOOK
def explain(
    what: str,
    address: str | None,
    at: Path | None,
    chosen: Chosen,
    color: When,
    no_color: bool,
    ascii_only: bool,
) -> None:
    """Explain a diagnostic's code, a clause, an address in a definition, or an action in a position.

    A game alone gives the tree of its addresses. With --at the last word is an option by name: why it is offered, or why not.
    """
    shown = screen(color, no_color, ascii_only)
    room = min(shown.look.width, 100)
    code = explain_code(what)
    if code is not None and address is None:
        click.echo(code)
        return
    with answering():
        if address is None and what not in games_at_hand() and not Path(what).exists():
            shown.show(clause_of(what, room))
            return
        rules = loaded(what, chosen)
        clauses = rules.clauses()
        if at is not None:
            save, rules = open_save(at, what if Path(what).exists() else None, chosen.mods)
            if save.header.game != rules.id:
                raise click.UsageError(f"`{at}` is no game of {rules.title}")
            state = state_of(save, rules)
            acting = [seat for seat in state.to_act() if seat >= 0]
            if address is None or not acting:
                raise click.UsageError("name an option to explain" if acting else "nobody is asked in that position")
            try:
                shown.show(explaining.action_lines(state, acting[0], address, clauses, room))
            except IllegalAction as problem:
                others = "" if problem.kind == "ambiguous" else ", ".join(problem.nearest)
                raise click.UsageError(problem.message + (f"; nearest: {others}" if others else "")) from None
            return
        atlas = rules.guide().atlas
        if address is None:
            shown.show(explaining.tree_lines(atlas, room))
            return
        entry = clauses.find(address) if clauses is not None else None
        if clauses is not None and entry is not None:
            shown.show(explaining.clause_lines(clauses, atlas, entry, room))
            return
        lines = explaining.address_lines(atlas, clauses, address, room)
        if lines is None:
            under = option_with(what, address, chosen)
            if under is not None:
                raise click.UsageError(f"`{address}` exists only with `--option {under}`: say that too")
            near = explaining.nearest_address(atlas, address) or nearest(address, clauses.ids if clauses else ())
            hint = f"did you mean `{near}`?" if near else f"`explain {what}` lists them"
            raise click.UsageError(f"{rules.title} has no address `{address}`; {hint}")
        shown.show(lines)


def option_with(name: str, address: str, chosen: Chosen) -> str | None:
    """The setting `option=true` under which a game has an address that it does not have otherwise."""
    for option in loaded(name, chosen).options:
        if option in chosen.settings():
            continue
        try:
            with_it = replace(chosen, options=(*chosen.options, f"{option}=true"))
            atlas = loaded(name, with_it).guide().atlas
        except (DefinitionError, MissingGame):
            continue
        if atlas.find(address) is not None:
            return f"{option}=true"
    return None


def clause_of(id: str, room: int) -> list[Line]:
    """A clause of any game that ships with the tool; whatever else was meant is guessed at."""
    known = [*known_codes(), *games_at_hand()]
    for path in map(from_here, shipped_games().values()):
        clauses = clause_list(path)
        if clauses is not None:
            entry = clauses.find(id) or clauses.find(id.upper())
            if entry is not None:
                return clause_lines(clauses, load(str(path)).guide().atlas, entry, room)
            known += sorted(clauses.ids)
    near = nearest(id, known)
    hint = f"did you mean `{near}`?" if near else "name a code, a clause, or a game and one of its addresses"
    raise click.UsageError(f"no diagnostic code, clause or game `{id}`; {hint}")
