"""One scenario case on one state: moves taken by their words, chance as the case gives it, conditions tested.

In: a case, and a `Bench` (a machine whose program holds the case's rules and expressions by name). Out: nothing if the case holds, or
`Wrong`, the first difference with its place. What lies around a case (files, groups, seeds) is scenarios.py's business.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from interpreter.ir.ir_types import NO_NUMBER
from interpreter.ir.program import Decision, Domain, Program
from interpreter.machine.action import CHANCE, Action, option_words
from interpreter.machine.events import Event, id_of
from interpreter.machine.faults import IllegalAction, MachineFault
from interpreter.machine.protocol import OVER, Refusal, State
from interpreter.pipeline import ValueKind
from interpreter.syntax.scenario import Case, Check, EventWanted, Move, Part, Round, Start
from interpreter.text.source import Span
from interpreter.text.suggest import nearest

DRAWS: Final = 10_000
"""Outcomes of chance in a row: more mean that the game never asks anybody again."""
DECLINING: Final = ("no", "done", "pass")
NUMBER: Final = re.compile("-?[0-9]+")


class Wrong(Exception):
    """The first difference of a case: a sentence, where the case says otherwise, and what was found."""

    def __init__(self, message: str, span: Span, details: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.details = details


@dataclass(frozen=True, slots=True)
class Bench:
    """A program with what cases need to find in it."""

    program: Program
    kinds: Mapping[str, ValueKind]
    functions: Mapping[str, int] = field(repr=False)
    decisions: Mapping[str, Decision] = field(repr=False)
    vocabulary: frozenset[str] = field(repr=False)
    """All words that some choice of the program offers, and those that decline in any game; numbers left out."""

    @classmethod
    def of(cls, program: Program, kinds: Mapping[str, ValueKind]) -> Bench:
        """The bench of a program."""
        functions = {f.address.removeprefix("functions."): n for n, f in enumerate(program.funcs)}
        return cls(
            program, kinds, functions, {d.address: d for d in program.decisions}, frozenset(_offered_words(program))
        )

    def seat(self, word: str, span: Span) -> int:
        """The seat that a player's id means."""
        ids = self.program.domains[self.program.player_domain].ids
        if word in ids:
            return ids.index(word)
        near = nearest(word, ids)
        hint = f"did you mean `{near}`?" if near else f"with {self.program.players} players there are {', '.join(ids)}"
        raise Wrong(f"no player `{word}`; {hint}", span)

    def heard_of(self, word: str, span: Span) -> None:
        """Raises Wrong for a word that no choice ever offers: that it is not offered now would say nothing."""
        if word in self.vocabulary or NUMBER.fullmatch(word):
            return
        near = nearest(word, tuple(sorted(self.vocabulary)))
        raise Wrong(f"no choice ever offers `{word}`" + (f"; did you mean `{near}`?" if near else ""), span)

    def player(self, seat: int) -> str:
        """A seat's id."""
        return id_of(self.program, self.program.player_domain, seat) if seat >= 0 else "chance"

    def words(self, action: Action) -> tuple[str, ...]:
        """What a case may call an action: its notation, and the design of a copy."""
        decision = self.decisions.get(action.decision)
        if decision is None or decision.kind != "pick" or action.value < 0 or decision.domain < 0:
            return (action.text,)
        return (action.text, _design(self.program.domains[decision.domain], action.value))

    def value(self, state: State, name: str) -> str:
        """The value of a compiled expression, in the words of the language."""
        kind, value = self.kinds[name], state.evaluate(self.functions[name])
        match kind.shape:
            case "truth":
                return "true" if value else "false"
            case "one":
                return "nothing" if value == NO_NUMBER else id_of(self.program, kind.domain, value)
            case "set":
                members = [id_of(self.program, kind.domain, k) for k in range(value.bit_length()) if value >> k & 1]
                return "{" + ", ".join(members) + "}"

    def options(self, state: State) -> tuple[str, ...]:
        """Who is asked what, and what is offered, for messages."""
        said = []
        for player in state.to_act():
            texts = [action.text for action in state.legal(player)]
            question = state.prompt(player) or state.decision(player)
            said.append(f"{self.player(player)} is asked `{question}` and offered {', '.join(texts) or 'nothing'}")
        return tuple(said) or ("nobody is asked anything more",)

    def asked(self, state: State) -> tuple[str, ...]:
        """Who is still asked what, for messages; empty where the game waits for nobody."""
        return tuple(
            f"{self.player(player)} is still asked: {state.prompt(player) or state.decision(player)}"
            for player in state.to_act()
        )


def _offered_words(program: Program) -> Iterator[str]:
    """What the choices of a program can offer, in the words of cases."""
    yield from DECLINING
    yield from option_words(program)
    for k in {d.domain for d in program.decisions if d.kind == "pick" and d.domain >= 0}:
        domain = program.domains[k]
        yield from (_design(domain, index) for index in range(len(domain.ids)))


def _design(domain: Domain, index: int) -> str:
    """The row's id of a copy, where it has several; else its own."""
    own = domain.ids[index] if index < len(domain.ids) else ""
    if not domain.design or domain.design.count(domain.design[index]) < 2:
        return own
    return own.rsplit("_", 1)[0]


class CaseRun:
    """Plays one case on a state after set-up (or at the very beginning, where the case says no start)."""

    def __init__(self, bench: Bench, case: Case, state: State) -> None:
        self.bench = bench
        self.case = case
        self.state = state
        self.given: deque[str] = deque(case.chance)
        self.mark = 0

    def run(self) -> None:
        """Everything the case says. Raises Wrong."""
        first, *others = self.case.rounds
        fault = self._start(first)
        self._round(first, fault)
        for part in others:
            self.given.extend(part.chance)
            self.mark = len(self.state.events())
            if part.given:
                self._guarded(partial(self.state.aside, self._entry(part.given)), self.case.span)
            self._round(part, None)
        if self.given:
            raise Wrong(f"`chance:` gives `{self.given[0]}`, which was never drawn", self.case.span)

    # ------------------------------------------------------------------ the beginning
    def _start(self, first: Round) -> MachineFault | None:
        """Sets everything up and begins; a fault there is handed on only if the case's first move waits for one."""
        state, start = self.state, self.case.start
        # A misspelt name is said before anything runs, which might fail for reasons of its own.
        procedure = self._procedure(start) if start is not None else -1
        if first.given:
            self._guarded(partial(state.aside, self._entry(first.given)), self.case.span)
        if start is None:
            return self._begin(first, self._settle)
        self._guarded(partial(state.aside, self._entry("@refill")), start.span)
        seat = self.bench.seat(start.player, start.span) if start.player else None
        args = self._arguments(start, procedure)

        def begin() -> None:
            state.begin(procedure, seat, *args)
            self._settle()

        return self._begin(first, begin)

    def _begin(self, first: Round, begin: Callable[[], None]) -> MachineFault | None:
        waits = bool(first.moves) and first.moves[0].fault is not None and not first.moves[0].choices
        try:
            begin()
        except MachineFault as fault:
            if waits:
                return fault
            raise Wrong(*_told(fault, self.case.start.span if self.case.start else self.case.span)) from None
        return None

    def _entry(self, name: str) -> int:
        return self.bench.program.entries[name]

    def _procedure(self, start: Start) -> int:
        entries = self.bench.program.entries
        homes = {"phase": ("phases.",), "effect": ("effects.",), "step": ("", "setup.", "play.", "phases.", "effects.")}
        for home in homes[start.kind]:
            if home + start.name in entries:
                return entries[home + start.name]
        known = tuple(e.removeprefix(h) for e in entries for h in homes[start.kind] if e.startswith(h) and "@" not in e)
        near = nearest(start.name, known)
        raise Wrong(f"no {start.kind} `{start.name}`" + (f"; did you mean `{near}`?" if near else ""), start.span)

    def _arguments(self, start: Start, procedure: int) -> list[int]:
        wanted = self.bench.program.procs[procedure].params - 1
        if len(start.arguments) != wanted:
            raise Wrong(
                f"`{start.name}` takes {wanted} arguments, and `with:` gives {len(start.arguments)}", start.span
            )
        return [self.state.evaluate(self.bench.functions[name]) for name, _, _ in start.arguments]

    # ------------------------------------------------------------------ moves
    def _round(self, part: Round, fault: MachineFault | None) -> None:
        for move in part.moves:
            self.given.extend(move.chance)
            if fault is not None:
                self._expect_fault(move, fault)
                fault = None
            elif move.illegal is not None:
                self._refused(move)
            else:
                self._take(move)
        for check in part.checks:
            self._check(check)

    def _take(self, move: Move) -> None:
        seat = self.bench.seat(move.player, move.span) if move.player else CHANCE
        try:
            for word in move.choices:
                action = self._choice(self.state, seat, word, move)
                self.state.apply(action)
                self._settle()
        except MachineFault as fault:
            if move.fault is None:
                raise Wrong(*_told(fault, move.span)) from None
            self._expect_fault(move, fault)
            return
        if move.fault is not None:
            raise Wrong("the game should not be able to go on here, and does", move.span)

    def _expect_fault(self, move: Move, fault: MachineFault) -> None:
        if move.fault and move.fault not in fault.message:
            raise Wrong(f"the game stops as it should, but says: {fault.message}", move.span)

    def _choice(self, state: State, seat: int, word: str, move: Move) -> Action:
        """The legal action that a word means."""
        if seat not in state.to_act():
            raise Wrong(f"`{self.bench.player(seat)}` is not asked for `{word}`", move.span, self.bench.options(state))
        found = [a for a in state.legal(seat) if word in self.bench.words(a)]
        exact = [a for a in found if a.text == word] or found
        if len(exact) == 1:
            return exact[0]
        if exact:
            names = ", ".join(a.text for a in exact)
            raise Wrong(f"`{word}` may be any of {names}", move.span)
        raise Wrong(f"`{word}` is not offered", move.span, (*self.bench.options(state), *self._why_not(seat, word)))

    def _refusals(self, state: State, seat: int, word: str) -> list[Refusal]:
        """Why what a word means is refused, for each option that it may mean; empty if it means none."""
        try:
            refusal = state.why_not(seat, word)
            return [refusal] if refusal is not None else []
        except IllegalAction as problem:
            if problem.kind != "ambiguous":
                return []
            found = [state.why_not(seat, name) for name in problem.nearest]
            return [refusal for refusal in found if refusal is not None]

    def _why_not(self, seat: int, word: str) -> tuple[str, ...]:
        return tuple(_because(refusal) for refusal in self._refusals(self.state, seat, word)[:1])

    def _refused(self, move: Move) -> None:
        """An attempt that must fail: tried on a copy, so that nothing has happened afterwards."""
        wanted = move.illegal or ()
        seat = self.bench.seat(move.player, move.span)
        state = self.state
        if len(move.choices) > 1:
            trial = CaseRun(self.bench, self.case, state.clone())
            trial.given = deque(self.given)
            trial._take(Move(move.span, move.player, move.choices[:-1]))
            state = trial.state
        word = move.choices[-1] if move.choices else ""
        if seat not in state.to_act():
            raise Wrong(f"`{move.player}` is not asked for `{word}`", move.span, self.bench.options(state))
        if any(word in self.bench.words(a) for a in state.legal(seat)):
            raise Wrong(f"`{word}` should be refused and is offered", move.span)
        self.bench.heard_of(word, move.span)
        refusals = self._refusals(state, seat, word)
        if not refusals and wanted:
            raise Wrong(f"there is no `{word}` here that could be refused", move.span, self.bench.options(state))
        for clause in wanted:
            if not any(clause in refusal.cite for refusal in refusals):
                raise Wrong(
                    f"`{word}` is refused, but not by {clause}", move.span, tuple(_because(r) for r in refusals)
                )

    # ------------------------------------------------------------------ chance
    def _settle(self) -> None:
        """Takes outcomes of chance until somebody is asked: those that the case gives, in order, then whatever is drawn."""
        for _ in range(DRAWS):
            if CHANCE not in self.state.to_act():
                return
            self.state.apply(self._outcome() if self.given else self.state.draw())
        raise Wrong(f"chance alone goes on for {DRAWS} outcomes", self.case.span)

    def _outcome(self) -> Action:
        word = self.given.popleft()
        possible = self.state.legal(CHANCE)
        for action in possible:
            if word in self.bench.words(action):
                return action
        texts = ", ".join(action.text for action in possible)
        raise Wrong(f"chance cannot give `{word}` here", self.case.span, (f"it can give {texts}",))

    def _guarded(self, step: Callable[[], None], span: Span) -> None:
        try:
            step()
        except MachineFault as fault:
            raise Wrong(*_told(fault, span)) from None

    # ------------------------------------------------------------------ what must hold
    def _check(self, check: Check) -> None:
        try:
            self._checked(check)
        except MachineFault as fault:
            raise Wrong(*_told(fault, check.span)) from None

    def _checked(self, check: Check) -> None:
        state = self.state
        match check.kind:
            case "holds":
                if not state.evaluate(self.bench.functions[check.name]):
                    raise self._false(check)
            case "offered" | "not offered" | "offered only":
                self._offered(check)
            case "player":
                acting = [self.bench.player(p) for p in state.to_act()]
                self._same(sorted(check.words), sorted(acting), "to act", check)
            case "winners":
                winners = [self.bench.player(p) for p in state.winners()]
                self._same(sorted(check.words), sorted(winners), "the winners", check, self.bench.asked(state))
            case "over":
                if (state.to_act() == OVER) != check.wanted:
                    raise Wrong(
                        f"it is {'not ' if check.wanted else ''}over", check.span, self.bench.options(state)
                    )  # fmt: skip
            case "scores":
                for word in check.words:
                    player, _, wanted = word.partition("=")
                    total = state.total(self.bench.seat(player, check.span))
                    if str(total) != wanted:
                        message = f"the score of {player} is {total}, expected {wanted}"
                        raise Wrong(message, check.span, self.bench.asked(state))
            case "payoff":
                if state.to_act() != OVER:
                    raise Wrong("it is not over, and nothing is paid yet", check.span, self.bench.options(state))
                for word in check.words:
                    player, _, wanted = word.partition("=")
                    paid = state.returns()[self.bench.seat(player, check.span)]
                    if str(paid) != wanted:
                        raise Wrong(f"{player} is paid {paid}, expected {wanted}", check.span)
            case "events":
                self._events(check)

    def _same(
        self, wanted: Sequence[str], found: Sequence[str], what: str, check: Check, details: tuple[str, ...] = ()
    ) -> None:
        if wanted != found:
            message = f"{what}: expected {', '.join(wanted) or 'nobody'}, found {', '.join(found) or 'nobody'}"
            raise Wrong(message, check.span, details)

    def _offered(self, check: Check) -> None:
        actions = [action for player in self.state.to_act() for action in self.state.legal(player)]
        offered = {word for action in actions for word in self.bench.words(action)}
        offers = self.bench.options(self.state)
        if check.kind == "not offered":
            for word in check.words:
                self.bench.heard_of(word, check.span)
            _none(check, "is offered", [w for w in check.words if w in offered], offers)
            return
        _none(check, "is not offered", [w for w in check.words if w not in offered], offers)
        if check.kind == "offered only":
            beside = [a.text for a in actions if not any(w in check.words for w in self.bench.words(a))]
            _none(check, "is offered as well", beside, offers)

    def _false(self, check: Check) -> Wrong:
        """What exactly is wrong with a condition: its first part that does not hold, and the values in it."""
        for part in check.parts:
            index = self.bench.functions.get(part.name)
            if index is not None and not self.state.evaluate(index):
                details = (*self._values(part), *self.bench.asked(self.state))
                return Wrong(f"`{_short(part.span)}` does not hold", part.span, details)
        return Wrong(f"`{_short(check.span)}` does not hold", check.span, self.bench.asked(self.state))

    def _values(self, part: Part) -> tuple[str, ...]:
        said = []
        for name, span in part.sides:
            if name in self.bench.functions and name in self.bench.kinds:
                value, text = self.bench.value(self.state, name), _short(span)
                if value != text:
                    said.append(f"{text} is {value}")
        return tuple(said)

    def _events(self, check: Check) -> None:
        """The events wanted must occur in this order; others may stand between them."""
        happened = self.state.events(self.mark)
        rest = iter(happened)
        for wanted in check.events:
            if not any(self._is_event(event, wanted) for event in rest):
                seen = tuple(f"{e.info(self.bench.program).address}: {e.text(self.bench.program)}" for e in happened)
                cite = f" with {wanted.cite}" if wanted.cite else ""
                details = (*(seen or ("nothing has happened",)), *self.bench.asked(self.state))
                raise Wrong(f"no event `{wanted.words}`{cite}", check.span, details)

    def _is_event(self, event: Event, wanted: EventWanted) -> bool:
        program = self.bench.program
        info = event.info(program)
        named = wanted.words in ("", info.address, event.text(program))
        return named and (not wanted.cite or wanted.cite in info.cite)


def _none(check: Check, what: str, words: Iterable[str], offers: tuple[str, ...]) -> None:
    for word in words:
        raise Wrong(f"`{word}` {what}", check.span, offers)


def _because(refusal: Refusal) -> str:
    cite = f" [{', '.join(refusal.cite)}]" if refusal.cite else ""
    return f"refused because {refusal.text}, at {_place(refusal.span) or refusal.address}{cite}"


def _told(fault: MachineFault, span: Span) -> tuple[str, Span, tuple[str, ...]]:
    known = [frame for frame in fault.stack if not frame.address.startswith("@")]
    stack = tuple(f"in {frame.address} at {_place(frame.span) or 'no line'}" for frame in known[:6])
    return f"the game cannot go on: {fault.message}", span, stack


def _place(span: Span | None) -> str:
    if span is None or not span.source.text:
        return ""
    return f"{span.source.name}:{span.position()[0]}"


def _short(span: Span) -> str:
    return " ".join(span.text().split())
