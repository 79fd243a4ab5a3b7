"""A checked model to a program.

In: a `Model` without errors. Out: a verified-shape `Program`, or None with diagnostics where a bound or first value turned out to
depend on the state. The order of passes is the plain sequence at the end of `lower`.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

from interpreter.ir import row
from interpreter.ir.bounds import bounded, hopeless
from interpreter.ir.effects_of import Cell
from interpreter.ir.folding import fold_functions
from interpreter.ir.formula import build_formulas
from interpreter.ir.frames import drop_unreached, live_locals, stack_room, thread_jumps
from interpreter.ir.ir_types import NOTHING, IntT, SetT, cells
from interpreter.ir.layout import lay_out
from interpreter.ir.look_ahead import look_ahead
from interpreter.ir.lower_stmt import StmtLowering
from interpreter.ir.ops import Binary, Call, Commit, Const, Expr, Fn, Fork, Halt, Local, Return, SetConst, Store
from interpreter.ir.program import Block, Domain, Func, Phase, Program, Term_, Var
from interpreter.model import typed as t
from interpreter.model.dsl_types import Maybe, Member, Num, SetOf, Truth
from interpreter.model.game_model import Model
from interpreter.model.shown_columns import telling_zones, told_pieces
from interpreter.model.shown_formulas import read_formula, shown_names
from interpreter.model.shown_links import ways_apart
from interpreter.model.shown_zones import ShownZone, read_zone
from interpreter.model.walk import parts
from interpreter.syntax import nodes as syn
from interpreter.syntax.located import plain
from interpreter.text.diagnostic import Sink
from interpreter.text.limits import CELLS, TooLarge, refuse
from interpreter.text.source import Span


def lower(model: Model, sink: Sink, definition_hash: str = "", formulas: bool = True) -> Program | None:
    """The program of a checked model; None if something was reported. Without `formulas` every look-ahead that may fail is a probe:
    slower, and the same game, which is how the formulas are tested."""
    try:
        return _Lowering(model, sink, formulas).run(definition_hash)
    except TooLarge as problem:
        _refuse(model, sink, problem)
        return None


def _refuse(model: Model, sink: Sink, problem: TooLarge) -> None:
    """What is too large as a whole is said of the number of players; of blocks and tables no more are made than there may be."""
    refuse(sink, model.definition.players_span, problem.limit, problem.found, at_least=problem.limit is not CELLS)


def check_layout(model: Model, sink: Sink) -> None:
    """What `lower` would report of a checked model's bounds and first values, without making the program."""
    try:
        _Lowering(model, sink, False).lay_out()
    except TooLarge as problem:
        _refuse(model, sink, problem)


class _Lowering(StmtLowering):
    def __init__(self, model: Model, sink: Sink, formulas: bool) -> None:
        super().__init__(model)
        self.sink = sink
        self.formulas = formulas
        written = model.definition.tables
        self.domains: list[Domain] = [
            Domain(d.name, d.ids, d.names, d.design, tables=tuple((t, m) for t, m in d.tables.items() if t in written))
            for d in model.domains
        ]
        self.number_domains: dict[int, int] = {}

    def number_domain(self, first: int) -> int:
        """A domain of numbers that begins at `first`."""
        if first not in self.number_domains:
            self.number_domains[first] = len(self.domains)
            self.domains.append(Domain("number", (), (), (), first))
        return self.number_domains[first]

    def lay_out(self) -> None:
        """Where all state lies."""
        self.layout = lay_out(self.model, self.constant, self.number_domain, self.sink)

    def run(self, definition_hash: str) -> Program | None:
        model = self.model
        self.lay_out()
        if self.sink.has_errors:
            return None
        self.starter = self.layout.hidden("@starter", IntT(NOTHING, model.seats - 1), NOTHING)
        self.leave = self.layout.hidden("@leave", IntT(0, 1), 0)
        self._counters()
        for trigger in model.triggers:
            if trigger.kind == "when":
                size = self.set_size(trigger.domain.type) if trigger.domain is not None else 1
                self.trigger_sets[trigger.address] = self.layout.hidden(f"@{trigger.address}", SetT(size), 0)
        assert model.setup is not None
        assert model.play is not None
        entry = self._entry(model.setup, model.play)
        for symbol in model.effects.values():
            self.effect_id(symbol)
        self.finish()
        for function in (*model.functions.values(), *model.probes.values()):
            self.function(function)
        terms = tuple(Term_(name, self._player_function(symbol), cite) for name, symbol, cite in model.terms)
        spans = tuple(symbol.span for _, symbol, _ in model.terms)
        winners = self.function(model.winners) if model.winners is not None else -1
        payoff = self._player_function(model.payoff) if model.payoff is not None else -1
        total = self.function(model.total) if model.total is not None else self._total(terms, spans)
        self._fill_tags()
        return self._program(entry, terms, winners, payoff, total, definition_hash)

    # ---------------------------------------------------------------- parts
    def _counters(self) -> None:
        """Counters of effects that something asks about with `during`, or that bound their depth."""
        everything: list[object] = [*self.model.bodies.values(), *self.model.code.values()]
        everything += [(a.by, a.bound, a.condition) for many in self.model.adjustments.values() for a in many]
        everything += [(x.condition, x.domain) for x in self.model.triggers]
        everything += [c for g in self.model.graphs.values() for _, _, c in g.guarded]
        for tree in everything:
            for part in parts(tree):
                if isinstance(part, t.During):
                    self.counter(part.symbol)
        for symbol in self.model.code:
            if symbol.depth:
                self.counter(symbol)

    def _entry(self, setup: t.EffectSym, play: t.EffectSym) -> int:
        refill = self._refill_triggers()
        p = self.extra_procedure("@game", (), None)
        first, second, third, last = (self.new_block() for _ in range(4))
        nobody = (Const(NOTHING),)
        self.begin(first)
        self.seal(Call(self.effect_id(setup), nobody, second))
        self.begin(second)
        self.seal(Call(refill, nobody, third))
        self.begin(third)
        self.seal(Call(self.effect_id(play), nobody, last))
        self.begin(last)
        self.seal(Halt())
        self.close(p, first, 1)
        return p

    def _refill_triggers(self) -> int:
        """Sets what every trigger has last seen to how things stand, silently."""
        p = self.extra_procedure("@refill", (), None)
        b, after = self.new_block(), self.new_block()
        self.begin(b)
        for trigger in self.model.triggers:
            if trigger.kind == "when":
                self.emit(Store(self.trigger_sets[trigger.address], Const(0), self.trigger_now(trigger, self.env)))
        self.seal(Commit(after))
        self.begin(after)
        self.seal(Return())
        self.close(p, b, 1)
        return p

    def _player_function(self, symbol: t.FuncSym) -> int:
        return self.function(symbol)

    def _total(self, terms: tuple[Term_, ...], spans: tuple[Span, ...]) -> int:
        """The sum of the scoring terms."""
        if not terms:
            return -1
        body: Expr = Const(0)
        for term, span in zip(terms, spans, strict=True):
            call = Fn(term.f, (Local(0),))
            body = call if body == Const(0) else Binary("add", body, call, at=self.place(span))
        seat = IntT(0, self.model.seats - 1)
        self.funcs.append(Func("scoring.total", 1, (seat,), IntT(-(2**31), 2**31 - 1), body))
        return len(self.funcs) - 1

    def _fill_tags(self) -> None:
        """Tables of `uses` and `yields` over all procedures."""
        symbols = {p: s for s, p in self.proc_ids.items()}
        for number, _, target in self.tags:
            values = []
            for p in range(len(self.procs)):
                symbol = symbols.get(p)
                if symbol is None:
                    values.append(0)
                elif isinstance(target, t.EffectSym):
                    values.append(int(self.touches.uses_by_name(symbol, target)))
                else:
                    values.append(int(self.touches.yields(symbol, target)))
            self.tables[number] = replace(self.tables[number], values=tuple(values))

    def _show(self, funcs: list[Func]) -> object:
        """The `show:` data. A table's `only: FUNCTION` becomes `only_ids`, the members of that set, if it is known beforehand, else
        `inside`, the function; to a row's `zone: ZONE` come `zones`, the pairs of piece type and zone that it means; to a zone's
        `tells: COLUMNS` comes `told`, by piece type what is said of each piece; to a `map` come `ways`, those between places that do not
        lie side by side; to a function's name comes `formula`, if everybody may know all that it reads. Beside the author's names stands
        `slanted grids`: the types whose cells touch along one diagonal, and which way each row leans."""
        shown = plain(self.model.definition.show) if self.model.definition.show is not None else None
        slants = {
            line.thing: 1 if line.diagonals == "rising" else -1
            for graph in self.model.definition.graphs.values()
            for line in graph.lines
            if isinstance(line, syn.Grid) and line.diagonals in ("rising", "falling")
        }
        if slants and shown is None:
            shown = {}
        if not isinstance(shown, dict):
            return shown
        named = shown_names(self.model)
        for name, entry in shown.items():
            if isinstance(entry, dict) and isinstance(entry.get("tells"), list):
                names = [str(column) for column in entry["tells"]]
                pieces = dict.fromkeys(symbol.piece for symbol in telling_zones(self.model, str(name)))
                entry["told"] = {
                    self.model.domains[piece].name: told_pieces(self.model, piece, names, shown) for piece in pieces
                }
            if isinstance(entry, dict) and str(name) not in named:
                entry.update(self._shown_formula(str(name)))
            function = self.model.functions.get(str(entry.get("only", ""))) if isinstance(entry, dict) else None
            body = funcs[self.func_ids[function]].body if function is not None else None
            domain = self.model.domain_of(function.result) if function is not None else None
            if isinstance(body, SetConst) and domain is not None:
                entry["only_ids"] = [id_ for i, id_ in enumerate(domain.ids) if body.mask >> i & 1]
            elif isinstance(entry, dict) and function is not None:
                entry["inside"] = self._shown_formula(function.name).get("formula")
            if isinstance(entry, dict) and (ways := ways_apart(self.model, entry)):
                entry["ways"] = ways
            for spot in entry.values() if isinstance(entry, dict) else ():
                if isinstance(spot, dict) and isinstance(spot.get("zone"), str):
                    spot["zones"] = self._shown_zones(spot["zone"])
        return shown | {"slanted grids": slants}

    def _shown_formula(self, name: str) -> dict[str, object]:
        """A function, the domain of its parameter, and the domain and shape of what it gives; -1 stands for none."""
        found = read_formula(self.model, name)
        if not isinstance(found, t.FuncSym) or not all(map(self._is_open, self.touches.function_reads(found))):
            return {}
        of = [p.type.domain for p in found.params if isinstance(p.type, Member)]
        given = found.result.of if isinstance(found.result, Maybe | SetOf) else found.result
        return {
            "formula": {
                "f": self.func_ids[found],
                "of": of[0] if of else -1,
                "domain": given.domain if isinstance(given, Member) else -1,
                "truth": isinstance(given, Truth),
                "set": isinstance(found.result, SetOf),
            }
        }

    def _is_open(self, cell: Cell) -> bool:
        """Whether everybody sees a field, or all zones in which pieces of a type lie."""
        if isinstance(cell, t.FieldSym):
            return cell.visibility == "everyone"
        return all(zone.visibility == "everyone" for zone in self.model.zones.values() if zone.piece == cell[1])

    def _shown_zones(self, said: str) -> list[list[int]]:
        """Piece type and number of each zone that is drawn in a place; none if the text names none."""
        found = read_zone(self.model, said)
        if not isinstance(found, ShownZone):
            return []
        kinds = [kind.domain for kind in self.layout.piece_types]
        first = self.layout.first_zone[found.symbol]
        return [[kinds.index(found.symbol.piece), first + slot] for slot in found.slots]

    # ---------------------------------------------------------------- the whole
    def _program(
        self, entry: int, terms: tuple[Term_, ...], winners: int, payoff: int, total: int, definition_hash: str
    ) -> Program | None:
        model, players = self.model, self.model.seats
        procs = [p for p in self.procs if p is not None]
        funcs = [f for f in self.funcs if f is not None]
        assert len(procs) == len(self.procs)
        assert len(funcs) == len(self.funcs)
        blocks = [b if b is not None else _dead(i) for i, b in enumerate(self.blocks)]
        tabled = frozenset(
            i
            for s, i in self.func_ids.items()
            if all(
                isinstance(p.type, Member | Truth | Maybe)
                and not (isinstance(p.type, Maybe) and isinstance(p.type.of, Num))
                for p in s.params
            )
        )

        tabled |= frozenset(self.step_ids.values())
        blocks, funcs, folder = fold_functions(blocks, funcs, self.tables, tabled)
        blocks, procs = thread_jumps(blocks, procs)
        blocks, procs = drop_unreached(blocks, procs)
        blocks = look_ahead(blocks, procs)
        if self.formulas:
            blocks, procs = build_formulas(blocks, procs, funcs, folder)
        blocks, procs = drop_unreached(blocks, procs)
        blocks, procs = live_locals(blocks, procs)

        forks = any(isinstance(b.term, Fork) for b in blocks)
        base = row.first_var(players, len(self.streams))
        first_var = base
        variables: list[Var] = []
        for var in self.layout.vars:
            variables.append(replace(var, base=base))
            base += var.count * cells(var.type)
        room = stack_room(blocks, procs, row.LINK)
        total_cells = row.row_size(base, room, players, forks)
        if total_cells > CELLS.most:
            raise TooLarge(CELLS, total_cells)
        entries = {symbol.address: p for symbol, p in self.proc_ids.items()}
        for i, proc in enumerate(procs):
            entries.setdefault(proc.address, i)  # an effect in a window has procedures of its own beside the effect's
        program = Program(
            game=model.definition.game,
            title=model.definition.title,
            version=model.definition.version,
            players=players,
            settings=tuple((k, str(v)) for k, v in model.config.options)
            + ((("mode", model.config.mode),) if model.config.mode else ()),
            definition_hash=definition_hash
            or hashlib.blake2b(model.definition.source.text.encode(), digest_size=16).hexdigest(),
            domains=tuple(self.domains),
            player_domain=0,
            vars=tuple(variables),
            piece_types=tuple(self.layout.piece_types),
            tables=tuple(self.tables),
            funcs=tuple(funcs),
            procs=tuple(procs),
            blocks=tuple(blocks),
            checks=tuple(self.checks),
            decisions=tuple(self.decisions),
            events=tuple(self.events),
            streams=tuple(self.streams),
            entry=entry,
            winners=winners,
            payoff=payoff,
            total=total,
            terms=terms,
            phases=tuple(Phase(s.address.split(".")[-1], self.proc_ids[s]) for s in model.phases),
            row_cells=total_cells,
            stack_cells=room,
            forks=forks,
            first_var=first_var,
            first_stack=base,
            scripted=model.scripted,
            reconstructed=reconstructed(model),
            show=self._show(funcs),
            entries=entries,
            places=tuple(self.places),
        )
        return self._with_bounds(program)

    def _with_bounds(self, program: Program) -> Program | None:
        """The program with its arithmetic checked where that is needed; None if some of it never comes to a number."""
        found = bounded(program)
        for at, lo, hi in hopeless(found):
            told = f"this always comes to {lo}" if lo == hi else f"this always lies in {lo}..{hi}"
            self.sink.error("out-of-range", found.places[at - 1], f"{told}, which does not fit 32 bits")
        return None if self.sink.has_errors else found


def _dead(number: int) -> Block:
    return Block(number, 0, (), Halt())


def reconstructed(model: Model) -> tuple[str, ...]:
    """Addresses of tables and values marked as reconstructed."""
    found = [f"{name}" for name, table in model.definition.tables.items() if table.marks.data == "reconstructed"]
    found += [
        f"values.{name}" for name, value in model.definition.values.items() if value.marks.data == "reconstructed"
    ]
    for name, table in model.definition.tables.items():
        if table.marks.data != "reconstructed":
            found += [f"{name}.{r.id}" for r in table.rows if r.marks.data == "reconstructed"]
    return tuple(found)
