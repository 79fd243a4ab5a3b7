"""What a game keeps, counted at every ply: tokens come from nowhere only where a rule says so.

In: a definition and its part of conservation.yaml. Out: a law for walks.py. Which rules may bring tokens into play or take them out
is read from the statements as they are written: `gain`, `put` and `raise` bring, `pay`, `remove` and `lower` take, `set` may do both,
`move` does neither. Which rules ran is told by the program itself: each of its procedures is made to say when it begins.
So a sum may rise over a ply only if one of the procedures that ran then, or were under way, has a statement that brings that token.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace

from interpreter.ir.ir_types import NOTHING
from interpreter.ir.ops import Const, Emit
from interpreter.ir.program import EventInfo, Program, Template
from interpreter.ir.row import EMPTY, fp_cell, pc_cell
from interpreter.model.checker import Extras
from interpreter.syntax import nodes as syn
from interpreter.syntax.definition import Definition
from interpreter.syntax.expr_parser import parse_formula, parse_rules
from interpreter.syntax.located import Mapping as Nested
from interpreter.syntax.located import Scalar
from interpreter.text.diagnostic import Sink
from interpreter.text.source import MappedText, Source, Span
from tests.properties.walks import Row, Walk, row_of

ENTER = "@enter."
ANY = "*"
UP, DOWN = 1, -1


@dataclass(frozen=True, slots=True)
class Sum:
    """Variables that together hold all of a kind of token, as cells of the row; `words` are the names rules give it."""

    name: str
    cells: tuple[int, ...]
    words: frozenset[str]

    def of(self, row: Row) -> int:
        """How many there are."""
        return sum(row[cell] for cell in self.cells)


@dataclass(slots=True)
class Accounts:
    """The law of one program; `rows` remembers the last count."""

    program: Program
    sums: tuple[Sum, ...]
    may: Mapping[int, frozenset[tuple[str, int]]]
    always: tuple[tuple[str, int], ...]
    read: int = 0
    last: tuple[int, ...] = ()

    def open(self, row: Row) -> None:
        """Begin with the first values of everything."""
        self.read, self.last = 0, tuple(s.of(row) for s in self.sums)

    def law(self, w: Walk) -> None:
        """Sums change only where a rule says so, and what always holds holds."""
        row = row_of(w.state)
        events = w.state.events(self.read)
        self.read += len(events)
        ran = {self.program.events[e.kind].address for e in events}
        running = set(under_way(self.program, row_of(w.before))) if w.before is not None else set()
        running |= {int(address.removeprefix(ENTER)) for address in ran if address.startswith(ENTER)}
        allowed = frozenset().union(*(self.may[p] for p in running)) if running else frozenset()
        now = tuple(s.of(row) for s in self.sums)
        for s, was, value in zip(self.sums, self.last, now, strict=True):
            if was != value:
                sign = UP if value > was else DOWN
                rules = ", ".join(sorted(self.program.procs[p].address for p in running))
                assert any((word, sign) in allowed for word in (*s.words, ANY)), (
                    f"{s.name}: {was} became {value} at ply {w.ply}, and no rule that ran says so: {rules}"
                )
        self.last = now
        for text, f in self.always:
            blank = (0,) * self.program.funcs[f].params
            assert w.state.evaluate(f, *blank), f"does not hold at ply {w.ply}: {text}"


def under_way(program: Program, row: Row) -> Iterator[int]:
    """The procedures on all stacks."""
    for stack in range(1 + program.players if program.forks else 1):
        b, fp = row[pc_cell(stack)], row[fp_cell(stack)]
        while b != EMPTY:
            yield program.blocks[b].p
            if not fp:
                break
            b, fp = row[fp], row[fp + 1]


# ---------------------------------------------------------------------- making ready
def extras_of(always: list[str]) -> Extras:
    """What always holds, as tests to compile beside a definition."""
    found: dict[str, syn.Expr] = {}
    for k, text in enumerate(always):
        sink = Sink()
        node = parse_formula(MappedText(text, Source("always", text), tuple(range(len(text) + 1))), sink)
        assert node is not None, f"{text}: {[d.message for d in sink.diagnostics]}"
        found[f"always_{k}"] = node
    return Extras({}, found)


def accounts_of(
    program: Program, definition: Definition, sums: Mapping[str, Mapping[str, object]], always: list[str]
) -> Accounts:
    """The law of a program that `announced` made."""
    may = {p: changes_of(definition, proc.address, program) for p, proc in enumerate(program.procs)}
    found = {func.address: f for f, func in enumerate(program.funcs)}
    holds = tuple(
        (text, next(f for a, f in found.items() if a.endswith(f"always_{k}"))) for k, text in enumerate(always)
    )
    return Accounts(program, tuple(_sum(program, name, spec) for name, spec in sums.items()), may, holds)


def _sum(program: Program, name: str, spec: Mapping[str, object]) -> Sum:
    wanted, words, key = spec["fields"], spec["words"], spec.get("key")
    assert isinstance(wanted, list)
    assert isinstance(words, list)
    cells: list[int] = []
    for address in wanted:
        var = next(v for v in program.vars if v.address == f"components.{address}")
        keys = program.domains[var.keys[-1]].ids if key is not None else ("",)
        at = keys.index(str(key)) if key is not None else 0
        cells += [var.base + i for i in range(var.count) if i % len(keys) == at]
    return Sum(name, tuple(cells), frozenset(words))


def announced(program: Program) -> Program:
    """The same program, but each procedure emits an event when it begins."""
    first = len(program.events)
    blank = program.procs[program.entry]
    events = tuple(
        EventInfo(f"{ENTER}{p}", Template(()), "everyone", proc.span or program.decisions[0].span, blank.cite)
        for p, proc in enumerate(program.procs)
    )
    entries = {proc.entry: p for p, proc in enumerate(program.procs)}
    blocks = tuple(
        replace(b, stmts=(Emit(first + entries[b.id], (Const(NOTHING),)), *b.stmts)) if b.id in entries else b
        for b in program.blocks
    )
    return replace(program, events=program.events + events, blocks=blocks)


# ---------------------------------------------------------------------- what the statements say
def changes_of(definition: Definition, address: str, program: Program) -> frozenset[tuple[str, int]]:
    """Which tokens the rule at an address may bring into play or take out, by the statements written there."""
    if address.startswith("@"):
        return frozenset()
    if address.startswith("triggers.") and any(p.address == f"{address}.run" for p in program.procs):
        return frozenset()  # only the test whether it fires
    body = body_at(definition, address.partition("+")[0])  # `+`: as it is performed in a window
    assert body is not None, f"no rule at {address}"
    return frozenset(_changes(body))


def body_at(definition: Definition, address: str) -> tuple[syn.Stmt, ...] | None:
    """The statements that stand at an address itself, those of named steps left out where they have addresses of their own."""
    match address.split("."):
        case ["play"]:
            return tuple(s for step in definition.play if not step.name for s in step.body)
        case ["setup"]:
            return tuple(s for step in definition.setup if not step.name for s in step.body)
        case ["setup" | "play" as part, name, *_]:
            steps = definition.setup if part == "setup" else definition.play
            return next((step.body for step in steps if step.name == name), None)
        case ["effects" | "phases" as part, name, *rest]:
            routine = (definition.effects if part == "effects" else definition.phases).get(name)
            if routine is None:
                return None
            named = next((step.body for step in routine.steps if rest and step.name == rest[0]), None)
            return (
                named if named is not None else tuple(s for step in routine.steps if not step.name for s in step.body)
            )
        case ["triggers", name, *_]:
            return definition.triggers[name].rule.body
        case [table, row, column, *_]:
            rows = definition.tables[table].rows
            cell = next(e.value for r in rows if r.id == row for e in r.cells if e.key == column)
            texts = [e.value for e in cell.entries] if isinstance(cell, Nested) else [cell]  # an effect for each key
            return tuple(
                s for text in texts if isinstance(text, Scalar) for s in parse_rules(text.mapped, Sink()) or ()
            )
        case _:
            return None


def _changes(node: object) -> Iterator[tuple[str, int]]:
    match node:
        case syn.Gain(quantities=quantities):
            yield from ((_word(q), UP) for q in quantities)
        case syn.Pay(quantities=quantities, target=None):
            yield from ((_word(q), DOWN) for q in quantities)
        case syn.Put(quantity=q):
            yield _word(q), UP
        case syn.Remove(quantity=q):
            yield _word(q), DOWN
        case syn.Change(up=up, target=target):
            yield _field(target), UP if up else DOWN
        case syn.Assign(target=target):
            yield from ((_field(target), sign) for sign in (UP, DOWN))
        case Span():
            return  # leads to the whole text
        case tuple():
            for part in node:
                yield from _changes(part)
        case _ if is_dataclass(node):
            for part in fields(node):
                yield from _changes(getattr(node, part.name))


def _word(quantity: syn.Quantity) -> str:
    return ANY if quantity.unit is None else quantity.unit.name


def _field(target: syn.Expr) -> str:
    match target:
        case syn.At(base=base):
            return _field(base)
        case syn.FieldOf(name=name) | syn.Name(id=name):
            return name
        case _:
            return ANY
