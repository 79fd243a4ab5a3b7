"""Seeded random walks over any game, and the laws that hold at each of their plies.

In: a machine, a seed, and a prefix of choices. Out: nothing; a law that does not hold is an AssertionError that names it. Knows no
game: what a game keeps constant is data (conservation.yaml, accounts.py). A row is read and made through the bytes of a state, so
nothing here depends on how a state is kept.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from interpreter.drivers.bots.bot import KINDS, make_bot, view_of
from interpreter.ir.ir_types import IntT, cells
from interpreter.ir.program import Program, Zone
from interpreter.ir.row import SEED_HIGH, SEED_LOW, first_stream
from interpreter.machine.action import CHANCE, Action
from interpreter.machine.faults import IllegalAction
from interpreter.machine.protocol import NATURE
from interpreter.machine.state import HEAD, Machine, RowState
from interpreter.machine.view import sees_inside
from interpreter.model.checker import Extras
from interpreter.model.game_model import Config
from interpreter.stages import check_one, compile_model, configurations, identity, read
from interpreter.syntax.definition import Definition
from interpreter.text.diagnostic import Sink

Row = list[int]
Options = dict[bytes, tuple[tuple[Action, ...], ...]]
Law = Callable[["Walk"], None]


# ---------------------------------------------------------------------- games
@cache
def definition_of(path: Path) -> Definition:
    """A definition that is free of faults, read once."""
    sink = Sink()
    definition = read(path, sink)
    assert definition is not None
    assert not sink.diagnostics, [d.message for d in sink.diagnostics]
    return definition


def ways_to_play(path: Path) -> list[Config]:
    """Every player count, each switch on and off, every mode."""
    return configurations(definition_of(path), {}, None)


def program_of(definition: Definition, config: Config, extras: Extras | None = None) -> Program:
    """The program of one configuration."""
    sink = Sink()
    model = check_one(definition, config, sink, extras)
    program = compile_model(model, identity(definition, config), sink) if model is not None else None
    assert program is not None, [d.message for d in sink.diagnostics]
    return program


# ---------------------------------------------------------------------- walks
@dataclass(slots=True)
class Walk:
    """A walk under way. `before` is the state one ply ago; `met` are positions by key, with what was offered there."""

    machine: Machine
    state: RowState
    random: Random
    before: RowState | None = None
    ply: int = 0
    met: Options = field(default_factory=dict)
    drawn: tuple[int, tuple[object, ...]] = (-1, ())
    born: tuple[int, tuple[RowState, ...]] = (-1, ())

    def children(self) -> tuple[RowState, ...]:
        """The states behind all that is offered at this ply, each made from a clone, once."""
        if self.born[0] != self.ply:
            made = []
            for action in self.offered():
                child = self.state.clone()
                child.apply(action)
                made.append(child)
            self.born = (self.ply, tuple(made))
        return self.born[1]

    def picture(self) -> tuple[object, ...]:
        """All that the state answers at this ply, asked once."""
        if self.drawn[0] != self.ply:
            self.drawn = (self.ply, pictures(self.state))
        return self.drawn[1]

    @property
    def program(self) -> Program:
        """The rules."""
        return self.state.program

    def offered(self) -> tuple[Action, ...]:
        """All that may happen next."""
        return tuple(a for player in self.state.to_act() for a in self.state.legal(player))


def walk(
    machine: Machine,
    seed: int,
    prefix: Sequence[int],
    laws: Sequence[Law],
    met: Options | None = None,
    *,
    account: Law | None = None,
    every: int = 1,
) -> Walk:
    """From the start to the end, with `account` at each ply and all laws at every so manyth. `prefix` says what is taken first, later
    plies go by the seed; chance goes by the seed's streams, but in the prefix by the prefix. `met` remembers positions from walk to
    walk."""
    random = Random(seed)
    state = machine.new(seed)
    now = Walk(machine, state, random, met={} if met is None else met)
    while True:
        for law in laws if now.ply % every == 0 else ():
            law(now)
        if account is not None:
            account(now)
        offered = now.offered()
        if not offered:
            return now
        if now.ply < len(prefix):
            action = offered[prefix[now.ply] % len(offered)]
        elif state.to_act() == NATURE:
            action = state.draw()
        else:
            action = random.choice(offered)
        now.before = state.clone()
        state.apply(action)
        now.ply += 1


# ---------------------------------------------------------------------- laws of options
def somebody_acts(w: Walk) -> None:
    """Options are offered to exactly those who act, each once, until the game is over."""
    state = w.state
    acting = state.to_act()
    assert bool(acting) != state.is_over()
    for player in (CHANCE, *range(w.program.players)):
        legal = state.legal(player)
        assert bool(legal) == (player in acting)
        assert all(a.player == player for a in legal)
        assert len({a.text for a in legal}) == len({a.index for a in legal}) == len(legal), (
            "an option stands there twice"
        )
        assert all(0 <= a.index < w.machine.action_count for a in legal)


def chance_adds_up(w: Walk) -> None:
    """The outcomes at a chance node have probabilities above 0 that sum to 1; nowhere else is there chance."""
    outcomes = w.state.chance()
    assert bool(outcomes) == (w.state.to_act() == NATURE)
    if outcomes:
        assert tuple(a for a, _ in outcomes) == w.state.legal(CHANCE)
        assert all(share > 0 for _, share in outcomes)
        assert sum(share for _, share in outcomes) == Fraction(1)
        assert w.state.draw() in w.state.legal(CHANCE)


def offered_applies(w: Walk) -> None:
    """Every option that is offered can be taken, and taking it on a clone leaves the original alone."""
    was = w.state.to_bytes()
    assert all(child.ply == w.state.ply + 1 for child in w.children())
    assert w.state.to_bytes() == was


def clones_part(w: Walk) -> None:
    """A clone made before the last ply still stands where it stood: its options are those a fresh look gives."""
    if w.before is None:
        return
    again = w.machine.from_bytes(w.before.to_bytes())
    assert again.ply == w.ply - 1
    for player in w.before.to_act():
        assert w.before.legal(player) == again.legal(player)


# ---------------------------------------------------------------------- laws of states
def nothing_else_applies(w: Walk) -> None:
    """Whatever is not offered is refused in words, and changes nothing."""
    state = w.state
    was = state.to_bytes()
    for wrong in foreign_actions(w):
        with pytest.raises(IllegalAction) as refused:
            state.apply(wrong)
        assert refused.value.message
    for player in state.to_act():
        with pytest.raises(IllegalAction):
            state.find(player, "no such thing at all")
        for action in state.legal(player):
            assert state.find(player, action.text) == action
            if player != CHANCE:
                assert state.why_not(player, action.text) is None
    assert state.to_bytes() == was


def foreign_actions(w: Walk) -> Iterator[Action]:
    """Actions near those offered: other elements of the domain, numbers past its ends, other seats, another question."""
    legal = {(a.player, a.decision, a.value) for a in w.offered()}
    for player in w.state.to_act():
        first = w.state.legal(player)[0]
        span = max(a.value for a in w.state.legal(player)) + 3
        decision = next(d for d in w.program.decisions if d.address == first.decision)
        if decision.domain >= 0:
            span = max(span, len(w.program.domains[decision.domain].ids) + 1)
        for value in range(-4, span):
            if (player, first.decision, value) not in legal:
                yield replace(first, value=value, text=str(value))
        for other in (CHANCE, *range(w.program.players)):
            if (other, first.decision, first.value) not in legal:
                yield replace(first, player=other)
        yield replace(first, decision="nowhere")


def looking_changes_nothing(w: Walk) -> None:
    """Asking a state anything leaves it as it is, and asking twice gives the same."""
    state = w.state
    was = state.to_bytes()
    for player in state.to_act():
        state.prompt(player)
        if player != CHANCE:
            state.why_not(player, state.legal(player)[0].text)
    assert w.picture() == pictures(state)
    assert state.to_bytes() == was


def bytes_are_the_state(w: Walk) -> None:
    """A state made from bytes is the state: same bytes, same answers, same future."""
    state = w.state
    again = w.machine.from_bytes(state.to_bytes())
    assert again.to_bytes() == state.to_bytes()
    assert pictures(again) == w.picture()
    one, two, random = state.clone(), again, Random(w.ply)
    for _ in range(1 if w.ply % 4 else 4):  # further at each fourth ply: else every step would be taken four times
        offered = [a for player in one.to_act() for a in one.legal(player)]
        if not offered:
            break
        action = one.draw() if one.to_act() == NATURE else random.choice(offered)
        one.apply(action)
        two.apply(action)
        assert one.to_bytes() == two.to_bytes()


def pictures(state: RowState) -> tuple[object, ...]:
    """All that a state answers."""
    seats = range(state.program.players)
    ends = (state.returns(), state.winners()) if state.is_over() else ()
    return (
        state.to_act(),
        tuple((state.legal(p), state.decision(p), state.prompt(p)) for p in state.to_act()),
        tuple(state.observe(p) for p in (None, *seats)),
        tuple((state.scores(p), state.total(p)) for p in seats),
        state.chance(),
        state.hash(),
        state.key(),
        *ends,
    )


def key_tells_all(w: Walk) -> None:
    """Equal keys, equal options: across walks, and for a clone with other luck."""
    state = w.state
    other = state.clone()
    other.reseed(f"other/{w.ply}")
    assert other.key() == state.key()
    assert other.hash() == state.hash()
    fresh = w.machine.from_bytes(other.to_bytes())
    options = tuple(state.legal(p) for p in state.to_act())
    assert tuple(fresh.legal(p) for p in fresh.to_act()) == options
    assert w.met.setdefault(state.key(), options) == options


def children_can_go_on(w: Walk) -> None:
    """After any option somebody is asked something that can be answered, or the game is over: look-ahead was right."""
    for child in w.children():
        assert all(child.legal(p) for p in child.to_act())
        assert child.to_act() or child.is_over()


def order_is_free(w: Walk) -> None:
    """Seats that may act at the same time do not see each other act, and it does not matter who is first."""
    acting = w.state.to_act()
    for one, two in pairwise(acting):
        first, second = w.random.choice(w.state.legal(one)), w.random.choice(w.state.legal(two))
        ahead, behind = w.state.clone(), w.state.clone()
        ahead.apply(first)
        assert ahead.legal(two) == w.state.legal(two)
        assert ahead.observe(two) == w.state.observe(two)
        ahead.apply(second)
        behind.apply(second)
        behind.apply(first)
        assert ahead.key() == behind.key()


def hidden_is_hidden(w: Walk) -> None:
    """What a player cannot see changes nothing they are shown, asked, offered, or do."""
    row = row_of(w.state)
    for player in range(w.program.players):
        other = state_of(w, scrambled(w.program, row, player, w.random))
        assert other.observe(player) == w.state.observe(player)
        if player not in w.state.to_act():
            continue
        assert other.decision(player) == w.state.decision(player)
        assert other.prompt(player) == w.state.prompt(player)
        assert other.legal(player) == w.state.legal(player)
        for kind in KINDS:
            seen, hidden = (make_bot(kind, w.ply, player) for _ in range(2))
            assert seen.choose(view_of(w.state, player)) == hidden.choose(view_of(other, player))


def end_adds_up(w: Walk) -> None:
    """At the end: returns for every seat, winners who share what is to be won, totals that are the sum of their terms
    (unless the rules patch the whole score)."""
    state = w.state
    if not state.is_over():
        return
    seats = range(w.program.players)
    returns, winners = state.returns(), state.winners()
    assert len(returns) == len(seats)
    assert set(winners) <= set(seats)
    if w.program.payoff < 0:
        assert sum(returns) == 1
        best = max(returns)
        assert not winners or winners == tuple(s for s in seats if returns[s] == best)
    for seat in seats:
        patched = w.program.total >= 0 and w.program.funcs[w.program.total].address != "scoring.total"
        if w.program.terms and not patched:
            assert state.total(seat) == sum(value for _, value in state.scores(seat))
    with pytest.raises(IllegalAction):
        state.find(0, "")


LAWS: tuple[Law, ...] = (
    somebody_acts,
    chance_adds_up,
    offered_applies,
    clones_part,
    nothing_else_applies,
    looking_changes_nothing,
    bytes_are_the_state,
    key_tells_all,
    children_can_go_on,
    order_is_free,
    hidden_is_hidden,
    end_adds_up,
)


# ---------------------------------------------------------------------- rows
def row_of(state: RowState) -> Row:
    """The cells of a state."""
    data = state.to_bytes()
    return list(struct.unpack_from(f"<{(len(data) - HEAD.size) // 4}i", data, HEAD.size))


def state_of(w: Walk, row: Row) -> RowState:
    """A state with other cells."""
    return w.machine.from_bytes(w.state.to_bytes()[: HEAD.size] + struct.pack(f"<{len(row)}i", *row))


def scrambled(program: Program, row: Row, player: int, random: Random) -> Row:
    """The same position as far as a player knows: pieces that lie where they see none change places, fields they do not see change
    values, and luck is another. Bookkeeping of triggers and windows stays: it follows from what has happened."""
    other = row[:]
    for kind in program.piece_types:
        base = program.vars[kind.where].base
        unseen = [
            base + i
            for i in range(program.vars[kind.where].count)
            if not sees_inside(_zone(kind.zones, row[base + i]), player)
        ]
        _shuffle(other, unseen, 1, random)
    where = {kind.where for kind in program.piece_types}
    for v, var in enumerate(program.vars):
        if var.hidden or v in where:
            continue
        width = cells(var.type)
        unseen = [var.base + i * width for i in range(var.count) if not _is_seen(program, row, v, i, player)]
        if len(unseen) > 1:
            _shuffle(other, unseen, width, random)
        elif unseen and isinstance(var.type, IntT):
            other[unseen[0]] = random.randint(var.type.lo, var.type.hi)
    other[SEED_LOW], other[SEED_HIGH] = random.getrandbits(31), random.getrandbits(31)
    first = first_stream(program.players)
    for cell in range(first, first + len(program.streams)):
        other[cell] = random.randrange(1000)
    return other


def _zone(zones: tuple[Zone, ...], number: int) -> Zone:
    return zones[number]


def _shuffle(row: Row, places: list[int], width: int, random: Random) -> None:
    values = [row[cell : cell + width] for cell in places]
    random.shuffle(values)
    for cell, value in zip(places, values, strict=True):
        row[cell : cell + width] = value


def _is_seen(program: Program, row: Row, v: int, i: int, player: int) -> bool:
    """Said again in other words than view.py, so that a mistake there shows."""
    var = program.vars[v]
    if var.owner == "piece":
        kind = program.piece_types[var.piece_type]
        place = program.vars[kind.where]
        zone = kind.zones[row[place.base + i * place.count // var.count]]
        if zone.visibility == "nobody" or (zone.visibility != "everyone" and zone.owner != player):
            return False
        return var.visibility == "everyone" or (var.visibility in ("owner", "size") and zone.owner == player)
    if var.owner == "player":
        mine = i * program.players // var.count == player
        return var.visibility == "everyone" or (mine and var.visibility in ("owner", "size"))
    return var.visibility == "everyone"
