"""What is said about a game under way: who is asked what, which options there are, what happened, how it ended.

In: a state (through its contract). Out: styled lines. Play, replay and `show` say the same things in the same words because they ask
here. Whoever calls says for which seat the lines are; nothing hidden from it is mentioned.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from interpreter.drivers.drawing.marks import Mark, seat_marks
from interpreter.drivers.drawing.words import words_of
from interpreter.drivers.layout import Line, Piece, line, line_width, pad_line, table
from interpreter.drivers.told_lines import Word, told_beside
from interpreter.ir.program import Decision, Program
from interpreter.machine.action import CHANCE, Action
from interpreter.machine.events import Event
from interpreter.machine.protocol import Refusal, State

ONE_A_LINE: Final = 6
MANY: Final = 20
SPOKEN: Final = 3
SPOKEN_WIDTH: Final = 60
NOTHING_DONE: Final = ("no", "done", "again")


@dataclass(frozen=True, slots=True)
class Note:
    """What may be said of an option behind its name: `words` always, the slot it lies in where others are called alike, what is printed on
    it where it fits in the line."""

    words: str = ""
    slot: str = ""
    printed: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class Move:
    """An action or outcome, the position before it, and what came of it. `forced`: a person had nothing else to choose."""

    action: Action
    before: State
    events: tuple[Event, ...]
    forced: bool = False


def seat_name(program: Program, seat: int) -> str:
    """What a seat is called."""
    names = program.domains[program.player_domain].names
    return names[seat] if 0 <= seat < len(names) else f"seat {seat + 1}"


def question(state: State, player: int) -> str:
    """What a player is asked: the rules' own words, or some made of the decision's address."""
    asked = state.prompt(player)
    if asked:
        return asked
    address = state.decision(player)
    asking = next((d for d in state.program.decisions if d.address == address), None)
    if asking is not None and asking.kind == "label":
        if len(asking.labels) == 1:
            return f"{words_of(asking.labels[0]).capitalize()}?"
        legal = [action.caption for action in state.legal(player) if action.value >= 0]
        captions = legal if len(legal) > 1 else asking.captions
        named = one_of(state.program, captions)
        return named if len(captions) <= SPOKEN and len(named) <= SPOKEN_WIDTH else "Which?"
    words = words_of(address.rpartition(".")[2])
    return f"Choose {words}" if words else "Choose"


def one_of(program: Program, captions: Sequence[str]) -> str:
    """Options as one question: "Flip it, pay overtime or dismiss it?" What begins with a name keeps its capital."""
    names = {word for domain in program.domains for name in domain.names for word in name.split()}
    first, *others = (
        text if text.partition(" ")[0] in names or text[1:2].isupper() else text[:1].lower() + text[1:]
        for text in captions
    )
    spoken = [first[:1].upper() + first[1:], *others]
    return " or ".join(filter(None, (", ".join(spoken[:-1]), spoken[-1]))) + "?"


def status(state: State, player: int, phase: str = "") -> Line:
    """One sentence: who, in which phase, is asked what, among how many options."""
    mark = seat_marks(state.program)[player]
    count = len(state.legal(player))
    where = f" ({phase})" if phase else ""
    options = "1 option" if count == 1 else f"{count} options"
    asked = question(state, player)
    joint = "" if asked.endswith(("?", "!", ".")) else ":"
    return line(
        *mark.pieces(),
        (mark.named(seat_name(state.program, player)), "strong"),
        f"{where}: {asked}{joint} ({options})",
    )


def phase_of(program: Program, address: str) -> str | None:
    """The phase a decision or event belongs to by its address, if that tells."""
    section, _, rest = address.partition(".")
    name = rest.partition(".")[0]
    return name.replace("_", " ") if section == "phases" and any(p.name == name for p in program.phases) else None


def said(action: Action) -> str:
    """An option in words, with its notation where that is another word."""
    return action.caption + _notation(action)


def _notation(action: Action, bare: bool = False) -> str:
    """What to type for an option where that is another word than its caption."""
    same = action.caption.casefold().replace(" ", "_").replace("-", "_") == action.text.casefold()
    return "" if same or bare else f" [{action.text}]"


def labels(actions: Sequence[Action]) -> list[str]:
    """What to type for each option: its number in the list; where options are numbers themselves, these alone, and no others."""
    if any(action.text.isdigit() for action in actions):
        return [action.text if action.text.isdigit() else "" for action in actions]
    return [str(number) for number in range(1, len(actions) + 1)]


def option_lines(
    program: Program,
    actions: Sequence[Action],
    room: int,
    only: Sequence[Action] | None = None,
    notes: Mapping[str, Note] | None = None,
) -> list[Line]:
    """The options with their labels: one a line while they are few, in columns otherwise. Beyond twenty they come in groups, by the table
    whose rows they are if these are several, and behind them those that stand beside the main choice (done, no, free actions).
    `only` limits what is shown, not how it is numbered; `notes` are words to be said of options, by their notation; what is printed on
    them is told only where they stand one a line."""
    chosen = [pair for pair in zip(labels(actions), actions, strict=True) if only is None or pair[1] in only]
    many = len(chosen) > MANY
    captions = Counter(action.caption for action in actions)
    noted = {action: (notes or {}).get(action.text, Note()) for _, action in chosen}
    lines = {
        action: _option(label, action, noted[action], alone=captions[action.caption] == 1, bare=many)
        for label, action in chosen
    }
    if len(chosen) <= ONE_A_LINE:
        told = told_beside([(line_width(text), noted[action].printed) for action, text in lines.items()], room)
        return [
            (*text, ("  " + words, "dim")) if words else text for text, words in zip(lines.values(), told, strict=True)
        ]
    wide = max(line_width(text) for text in lines.values()) + 2
    if not many:
        return _columns(list(lines.values()), wide, room)
    made: list[Line] = []
    for heading, group in _groups(program, [action for _, action in chosen]):
        made += [line((heading, "dim"))] if heading else []
        made += _columns([lines[action] for action in group], wide, room)
    return [*made, line(("type the beginning of a name to see only those", "dim"))]


def _groups(program: Program, actions: Sequence[Action]) -> list[tuple[str, list[Action]]]:
    """Many options by kind, each kind with a heading."""
    main = [action for action in actions if action.value >= 0]
    beside = [action for action in actions if action.value < 0]
    domain = next(
        (d.domain for d in program.decisions if main and d.address == main[0].decision and d.kind == "pick"), -1
    )
    tables = program.domains[domain].tables if domain >= 0 else ()
    by_table = [(words_of(name), [a for a in main if mask >> a.value & 1]) for name, mask in tables]
    by_table = [(heading, group) for heading, group in by_table if group]
    kinds = by_table if len(by_table) > 1 else [("", main)]
    return [*kinds, *([("or", beside)] if beside else [])]


def _option(label: str, action: Action, note: Note, *, alone: bool, bare: bool) -> Line:
    """An option as it is listed; if it is `alone` in being called so, then without its slot, and if `bare` without its notation."""
    if label == action.text:
        return line("  ", (action.caption, "strong"))
    slot = f" ({note.slot})" if note.slot and not alone else ""
    tail = (f": {note.words}", "") if note.words else ("", "")
    return line((f"{label:>3} ", "dim"), action.caption + slot, tail, (_notation(action, bare and alone), ""))


def _columns(entries: Sequence[Line], wide: int, room: int) -> list[Line]:
    """Entries in columns, to be read downwards."""
    rows = -(-len(entries) // max(1, room // wide))
    return [tuple(p for entry in entries[r::rows] for p in pad_line(entry, wide)) for r in range(rows)]


def log_lines(program: Program, events: Iterable[Event], viewer: int | None, *, clauses: bool = False) -> list[Line]:
    """What happened, as far as a seat saw it, with the phases as headings; with clauses if asked."""
    made: list[Line] = []
    for event in events:
        if not event.visible_to(program, viewer):
            continue
        text = event.text(program)
        if not text:
            address = event.info(program).address
            if address.count(".") == 1 and (phase := phase_of(program, address)):
                made.append(line((f"— {phase}", "dim")))
            continue
        cite = event.info(program).cite
        tail: tuple[Piece, ...] = ((f"  [{', '.join(cite)}]", "dim"),) if clauses and cite else ()
        made.append((("  ", ""), (text, ""), *tail))
    return made


def action_line(before: State, action: Action, *, asked: bool = False) -> Line:
    """An action of a game's record: who, and what; with the question if `asked`, and where the answer says nothing without it."""
    program = before.program
    if action.player == CHANCE:
        return line(("  chance: ", "dim"), action.caption)
    told = action.caption if asked else said(action)
    if asked or _is_yes_or_no(program, action):
        told = f"{question(before, action.player)} {told}"
    mark = seat_marks(program)[action.player]
    return line("  ", *mark.pieces(), f"{mark.named(seat_name(program, action.player))}: {told}")


def _is_yes_or_no(program: Program, action: Action) -> bool:
    return any(d.address == action.decision and len(d.labels) == 1 for d in program.decisions)


def move_lines(moves: Sequence[Move], viewer: int | None, *, own: bool = False, clauses: bool = False) -> list[Line]:
    """What happened in some moves, as far as a seat may know: what was taken for it with its question, what the log says, and choices
    that the log says nothing of; of the viewer's choices these only if `own`."""
    made: list[Line] = []
    for at, move in enumerate(moves):
        program = move.before.program
        if move.forced and move.action.player == viewer:
            made.append(line(*action_line(move.before, move.action, asked=True), (" (the only choice)", "dim")))
        elif (own or move.action.player != viewer) and is_unsaid(move, moves[at + 1 :], viewer):
            made.append(action_line(move.before, move.action))
        made += log_lines(program, move.events, viewer, clauses=clauses)
    return made


def is_unsaid(move: Move, later: Iterable[Move], viewer: int | None) -> bool:
    """Whether nothing in the log tells a choice that a seat may know of, be it in the sentences of `later` moves of the same player. An
    option in words is told by any sentence that follows, a thing or number by one that names it. Nothing is told of simultaneous play,
    of what may be hidden, and of choosing not, or no more."""
    program, action = move.before.program, move.action
    if action.player == CHANCE or move.before.is_veiled() or action.text in NOTHING_DONE:
        return False
    asked = next((d for d in program.decisions if d.address == action.decision), None)
    in_words = asked is None or asked.kind == "label" or action.value < 0
    if not in_words and not (asked is not None and _is_open(move, asked, viewer)):
        return False
    named = re.compile("" if in_words else rf"\b{re.escape(action.caption)}\b")
    for other in (move, *later):
        if other is not move and (
            other.action.player not in (action.player, CHANCE) or other.action.decision == action.decision
        ):
            break
        said = (event.text(program) for event in other.events if event.visible_to(program, viewer))
        if any(text and named.search(text) for text in said):
            return False
    return True


def _is_open(move: Move, asked: Decision, viewer: int | None) -> bool:
    """Whether a seat may know which thing or number was chosen: it saw the thing, and nothing is kept from anybody but pieces."""
    program = move.before.program
    where = {kind.where for kind in program.piece_types}
    if any(var.visibility != "everyone" and not var.hidden for v, var in enumerate(program.vars) if v not in where):
        return False
    seen = move.before.observe(viewer).values
    return None not in [
        seen[kind.where][move.action.value] for kind in program.piece_types if kind.domain == asked.domain
    ]


def refusal_lines(refusal: Refusal, option: str, verb: str = "is") -> list[Line]:
    """Why an option is not offered (or `was`): the sentence, the rule and its clauses, and where it stands."""
    cite = f" [{', '.join(refusal.cite)}]" if refusal.cite else ""
    made = [line((f"`{option}` {verb} not offered: ", "warning"), refusal.text)]
    place = ""
    if refusal.span is not None and refusal.span.source.text:
        row, column = refusal.span.position()
        place = f" ({refusal.span.source.name}:{row}:{column})"
    if refusal.address:
        made.append(line((f"  by {refusal.address}{cite}{place}", "dim")))
    if refusal.ahead > 0:
        steps = "1 more choice" if refusal.ahead == 1 else f"{refusal.ahead} more choices"
        made.append(line((f"  {steps} would have been possible before that", "dim")))
    return made


def end_lines(state: State, room: int = 0) -> list[Line]:
    """How a game ended: winners, and scores by term; a line for each term where a line for each seat is wider than the room there is."""
    program = state.program
    winners = state.winners()
    if winners:
        names = " and ".join(seat_name(program, seat) for seat in winners)
        verdict = f"{names} wins" if len(winners) == 1 else f"{names} win together"
    else:
        verdict = "nobody wins"
    made = [line(("The game is over: ", "strong"), (verdict, "strong"))]
    seats = range(program.players)
    if program.terms:
        scores = {seat: state.scores(seat) for seat in seats}
        totals = {seat: state.total(seat) for seat in seats}
        order = sorted(seats, key=lambda seat: (seat not in winners, -(totals[seat] or 0), seat))
        names_of_terms = [name.replace("_", " ") for name, _ in scores[0]]
        more = len(names_of_terms) > 1
        head = ["points", *names_of_terms, *(["total"] if more else [])]
        rows = [
            [
                _winner_name(program, seat, winners),
                *(str(n) for _, n in scores[seat]),
                *([str(totals[seat])] if more else []),
            ]
            for seat in order
        ]
        told = table(head, rows, numbers=frozenset(range(1, len(head))))
        if room and max(map(line_width, told)) > room:
            top, *turned = zip(head, *rows, strict=True)
            told = table(top, turned, numbers=frozenset(range(1, len(top))))
        made += told
    elif program.payoff >= 0:
        made += table(
            ["", "payoff"], [[seat_name(program, s), str(state.returns()[s])] for s in seats], numbers=frozenset({1})
        )
    return made


def _winner_name(program: Program, seat: int, winners: Sequence[int]) -> str:
    mark: Mark = seat_marks(program)[seat]
    return f"{mark.shape}{mark.letter}{mark.named(seat_name(program, seat))}{' *' if seat in winners else ''}"


def reconstructed_text(count: int, name: str) -> str:
    """One line for games whose data are partly reconstructed; empty otherwise. `name` is how the game was called for."""
    tables = "1 table or value is" if count == 1 else f"{count} tables and values are"
    return f"{tables} reconstructed: rulewright show {name} --data" if count else ""
