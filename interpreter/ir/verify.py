"""What must hold for every program, whoever made it.

In: a program. Out: a text for each thing that is wrong, none if all is well. A failure is a bug of ours, never the author's, so the
texts speak of blocks and locals. The machines rely on what is tested here: ids in range, shapes of types, frames that keep what is
needed later, and locals that are set before they are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from interpreter.ir.expr_types import ExprTypes, Misfit, fits
from interpreter.ir.ir_types import IntT, IrType, SeqT, SetT, cells
from interpreter.ir.ops import (
    Alike,
    Binary,
    Branch,
    Call,
    CallEffect,
    Chance,
    Check,
    Choose,
    Emit,
    Expr,
    Fail,
    Fn,
    For,
    Fork,
    If,
    Let,
    Probe,
    Query,
    Stmt,
    Store,
    Switch,
    Term,
)
from interpreter.ir.program import Block, Func, Program
from interpreter.ir.row import LINK, first_var, row_size
from interpreter.ir.walk import block_exprs, kept_locals, live_locals, suspends, targets, walk, walk_stmts

Predicate = Callable[[Program], Iterator[str]]


def verify(program: Program) -> tuple[str, ...]:
    """Everything that is wrong with a program. The later predicates rely on ids and then on types, so they are left out while those
    are wrong."""
    for predicates in (FIRST, THEN, LAST):
        found = tuple(text for predicate in predicates for text in predicate(program))
        if found:
            return found
    return ()


# ------------------------------------------------------------------ ids


def blocks_in_order(program: Program) -> Iterator[str]:
    """Block ids are 0, 1, 2, ..., and each belongs to a procedure."""
    for place, block in enumerate(program.blocks):
        if block.id != place:
            yield f"block {place} calls itself {block.id}"
        if not 0 <= block.p < len(program.procs):
            yield f"block {place}: no procedure {block.p}"


def procs_have_entries(program: Program) -> Iterator[str]:
    """A procedure begins at a block of its own."""
    for p, proc in enumerate(program.procs):
        if not 0 <= proc.entry < len(program.blocks) or program.blocks[proc.entry].p != p:
            yield f"procedure {p} ({proc.address}): its entry {proc.entry} is no block of its own"
        if proc.params > len(proc.locals):
            yield f"procedure {p} ({proc.address}): {proc.params} parameters but {len(proc.locals)} locals"
    if not 0 <= program.entry < len(program.procs):
        yield f"no entry procedure {program.entry}"


def targets_exist(program: Program) -> Iterator[str]:
    """Jumps and probes stay within their procedure; calls name procedures and give as many arguments as these take."""
    for block in program.blocks:
        where = f"block {block.id}"
        exprs = [e for e in block_exprs(block) if isinstance(e, Probe | Alike)]
        probes = [e.b for e in exprs if isinstance(e, Probe)]
        for b in (*targets(block.term), *probes):
            if not 0 <= b < len(program.blocks):
                yield f"{where}: no block {b}"
            elif program.blocks[b].p != block.p:
                yield f"{where}: goes on at block {b} of another procedure"
        for p, given in _calls(block.term, exprs):
            if not 0 <= p < len(program.procs):
                yield f"{where}: no procedure {p}"
            elif program.procs[p].params != given:
                yield f"{where}: {given} arguments for procedure {p}, which takes {program.procs[p].params}"
        if isinstance(block.term, Switch) and not block.term.blocks:
            yield f"{where}: a switch without ways"


def numbers_exist(program: Program) -> Iterator[str]:
    """Checks, events, decisions and streams that blocks name are there."""
    for block in program.blocks:
        for kind, number, count in _numbers(program, block):
            if not 0 <= number < count:
                yield f"block {block.id}: no {kind} {number}"


def functions_end(program: Program) -> Iterator[str]:
    """Functions do not go round, and do not probe: nobody is asked in them."""
    state: dict[int, int] = {}

    def visit(f: int) -> Iterator[str]:
        state[f] = 1
        for part in walk(program.funcs[f].body):
            if isinstance(part, Probe | Alike):
                yield f"function {f} ({program.funcs[f].address}) looks ahead"
            if isinstance(part, Fn) and 0 <= part.f < len(program.funcs):
                if state.get(part.f) == 1:
                    yield f"function {f} ({program.funcs[f].address}) goes round through function {part.f}"
                elif part.f not in state:
                    yield from visit(part.f)
        state[f] = 2

    for f in range(len(program.funcs)):
        if f not in state:
            yield from visit(f)


# ------------------------------------------------------------------ layout


def layout_fits(program: Program) -> Iterator[str]:
    """Variables follow each other from first_var to first_stack without overlap, and hold their first values."""
    cell = first_var(program.players, len(program.streams))
    if program.first_var != cell:
        yield f"variables begin at cell {program.first_var}, not {cell}"
    for var in sorted(program.vars, key=lambda v: v.base):
        if var.base < cell:
            yield f"variable {var.address} begins at cell {var.base}, inside what ends at {cell}"
        cell = var.base + var.count * cells(var.type)
        if len(var.initial) != var.count:
            yield f"variable {var.address}: {len(var.initial)} first values for {var.count} elements"
        for value in var.initial:
            if not _value_fits(value, var.type):
                yield f"variable {var.address}: first value {value} is no {var.type}"
    if program.first_stack < cell:
        yield f"frames begin at cell {program.first_stack}, inside the variables, which end at {cell}"
    size = row_size(program.first_stack, program.stack_cells, program.players, program.forks)
    if program.row_cells != size:
        yield f"the row has {program.row_cells} cells, not {size}"


def frames_fit(program: Program) -> Iterator[str]:
    """Slots lie inside the frame, do not overlap, and every spilled local has one; a frame fits on its stack."""
    for p, proc in enumerate(program.procs):
        where = f"procedure {p} ({proc.address})"
        if len(proc.slots) != len(proc.locals):
            yield f"{where}: {len(proc.slots)} slots for {len(proc.locals)} locals"
            continue
        used: set[int] = set()
        for n, slot in enumerate(proc.slots):
            if slot < 0:
                continue
            here = set(range(slot, slot + cells(proc.locals[n])))
            if max(here) >= proc.frame:
                yield f"{where}: local {n} lies outside its frame of {proc.frame} cells"
            used |= here
        if LINK + proc.frame > program.stack_cells:
            yield f"{where}: a frame of {LINK + proc.frame} cells on a stack of {program.stack_cells}"
    for block in program.blocks:
        proc = program.procs[block.p]
        taken: set[int] = set()
        for n in block.spill:
            if not 0 <= n < len(proc.slots) or proc.slots[n] < 0:
                yield f"block {block.id}: spills local {n}, which has no slot"
                continue
            here = set(range(proc.slots[n], proc.slots[n] + cells(proc.locals[n])))
            if here & taken:
                yield f"block {block.id}: spills local {n} over another"
            taken |= here


def frames_keep(program: Program) -> Iterator[str]:
    """What is read after a pause or call is spilled before it, and only parameters and local 0, the acting player,
    are read before they are set."""
    live = live_locals(program)
    for block in program.blocks:
        if suspends(block.term):
            lost = kept_locals(block.term, live) - set(block.spill)
            if lost:
                yield f"block {block.id}: locals {sorted(lost)} are needed later but not spilled"
    for p, proc in enumerate(program.procs):
        unset = {n for n in live[proc.entry] if n >= max(1, proc.params)}
        if unset:
            yield f"procedure {p} ({proc.address}): locals {sorted(unset)} may be read before they are set"


# ------------------------------------------------------------------ types


def types_agree(program: Program) -> Iterator[str]:
    """Every expression has a type, and it fits where it stands."""
    types = ExprTypes(program)
    for f, func in enumerate(program.funcs):
        yield from _about(f"function {f} ({func.address})", _function_fits(types, func))
    for block in program.blocks:
        scope = program.procs[block.p].locals
        for stmt in walk_stmts(block.stmts):
            text = f"block {block.id}: {type(stmt).__name__}"
            yield from _about(text, _stmt_fits(program, types, stmt, scope))
        text = f"block {block.id}: {type(block.term).__name__}"
        yield from _about(text, _term_fits(program, types, block.term, scope))


def arithmetic_stays(program: Program) -> Iterator[str]:
    """What is not checked as it is worked out cannot leave the numbers that there are."""
    types = ExprTypes(program)
    for f, func in enumerate(program.funcs):
        for part in walk(func.body):
            if _is_unchecked(part) and types.may_leave(part, func.locals):
                yield f"function {f} ({func.address}): {_named(part)} may come to what is no number"
    for block in program.blocks:
        scope = program.procs[block.p].locals
        for part in block_exprs(block):
            if _is_unchecked(part) and types.may_leave(part, scope):
                yield f"block {block.id}: {_named(part)} may come to what is no number"


def _is_unchecked(expr: Expr) -> bool:
    return (isinstance(expr, Binary) and expr.op in ("add", "sub", "mul")) or (
        isinstance(expr, Query) and expr.kind == "sum"
    )


def _named(expr: Expr) -> str:
    return expr.op if isinstance(expr, Binary) else "sum"


def scripts_sit_last(program: Program) -> Iterator[str]:
    """The seats that act by script are the last, and are not all."""
    first = program.players - len(program.scripted)
    if first < 1 or program.scripted != tuple(range(first, program.players)):
        yield f"seats {program.scripted} act by script, which are not the last of {program.players}"


def results_fit(program: Program) -> Iterator[str]:
    """What the end of a game asks for has the right shape."""
    seats: IrType = SetT(program.players)
    number: IrType = IntT(0, 0)
    wanted: tuple[tuple[str, int, int, IrType], ...] = (
        ("winners", program.winners, 0, seats),
        ("payoff", program.payoff, 1, number),
        ("total", program.total, 1, number),
        *(("scoring term", term.f, 1, number) for term in program.terms),
    )
    for name, f, params, want in wanted:
        if f == -1 and name != "scoring term":
            continue
        if not 0 <= f < len(program.funcs):
            yield f"{name}: no function {f}"
        elif program.funcs[f].params != params or not fits(program.funcs[f].result, want):
            yield f"{name}: function {f} does not take {params} players and give {want}"


FIRST: tuple[Predicate, ...] = (blocks_in_order, procs_have_entries, targets_exist, numbers_exist, functions_end)
THEN: tuple[Predicate, ...] = (layout_fits, frames_fit, frames_keep, types_agree, scripts_sit_last, results_fit)
LAST: tuple[Predicate, ...] = (arithmetic_stays,)


# ------------------------------------------------------------------ parts


def _calls(term: Term, exprs: Sequence[Expr]) -> Iterator[tuple[int, int]]:
    """(procedure, number of arguments) of every call in a block."""
    match term:
        case Call(p, args):
            yield p, len(args)
        case CallEffect(_, args, procs):
            for p in procs:
                yield p, len(args)
        case Fork(_, p, args):
            yield p, 1 + len(args)
    for expr in exprs:
        if isinstance(expr, Alike):
            yield expr.p, len(expr.args) + 1


def _numbers(program: Program, block: Block) -> Iterator[tuple[str, int, int]]:
    for stmt in walk_stmts(block.stmts):
        match stmt:
            case Check(_, why):
                yield "check", why, len(program.checks)
            case Emit(event):
                yield "event", event, len(program.events)
            case Store(v):
                yield "variable", v, len(program.vars)
    match block.term:
        case Fail(why):
            yield "check", why, len(program.checks)
        case Choose(decision=decision):
            yield "decision", decision, len(program.decisions)
        case Chance(decision=decision, stream=stream):
            yield "decision", decision, len(program.decisions)
            yield "stream", stream, len(program.streams)


def _value_fits(value: int | tuple[int, ...], kind: IrType) -> bool:
    match kind, value:
        case IntT(lo, hi), int():
            return lo <= value <= hi
        case SetT(size), int():
            return 0 <= value < 1 << size
        case SeqT(size), tuple():
            return len(set(value)) == len(value) and all(0 <= x < size for x in value)
        case _:
            return False


def _about(where: str, found: Iterator[str]) -> Iterator[str]:
    try:
        for text in found:
            yield f"{where}: {text}"
    except Misfit as misfit:
        yield f"{where}: {misfit}"


def _function_fits(types: ExprTypes, func: Func) -> Iterator[str]:
    if func.params > len(func.locals):
        yield f"{func.params} parameters but {len(func.locals)} locals"
    found = types.of(func.body, func.locals)
    if not fits(found, func.result):
        yield f"gives {found}, not {func.result}"


def _stmt_fits(program: Program, types: ExprTypes, stmt: Stmt, scope: Sequence[IrType]) -> Iterator[str]:
    match stmt:
        case Store(v, index, value):
            types.number(index, scope)
            found = types.of(value, scope)
            if not fits(found, program.vars[v].type):
                yield f"{found} into {program.vars[v].address}, which is {program.vars[v].type}"
        case Let(n, value):
            found = types.of(value, scope)
            if not 0 <= n < len(scope) or not fits(found, scope[n]):
                yield f"{found} into local {n}"
        case Check(condition) | If(condition):
            types.truth(condition, scope)
        case For(n, domain):
            types.many(domain, scope)
            if not 0 <= n < len(scope) or not isinstance(scope[n], IntT):
                yield f"local {n} cannot hold the elements of a set"
        case Emit(_, args):
            for arg in args:
                if isinstance(types.of(arg, scope), SeqT):
                    yield "an event cannot carry a sequence"


def _term_fits(program: Program, types: ExprTypes, term: Term, scope: Sequence[IrType]) -> Iterator[str]:
    match term:
        case Branch(condition):
            types.truth(condition, scope)
        case Switch(value):
            types.number(value, scope)
        case Choose(player, n, domain, where, look, extras=extras):
            types.number(player, scope)
            if term.quiet and not extras:
                yield "quiet without an extra to take"
            yield from _asks(types, n, domain, scope)
            truths = [where, look, *(x.condition for x in extras), *(x.look for x in extras)]
            for truth in truths:
                if truth is not None:
                    types.truth(truth, scope)
        case Chance(n, domain, where, weight):
            yield from _asks(types, n, domain, scope)
            if where is not None:
                types.truth(where, scope)
            if weight is not None:
                types.number(weight, scope)
        case Call(p, args):
            yield from _args_fit(program, types, p, args, scope)
        case CallEffect(effect, args, procs):
            types.number(effect, scope)
            for p in procs:
                yield from _args_fit(program, types, p, args, scope)
        case Fork(players, _, args):
            types.set_of(players, scope)
            for arg in args:
                types.of(arg, scope)
            if not program.forks:
                yield "simultaneous play in a program that has no stacks for it"


def _asks(types: ExprTypes, n: int, domain: Expr, scope: Sequence[IrType]) -> Iterator[str]:
    types.many(domain, scope)
    if not 0 <= n < len(scope) or not isinstance(scope[n], IntT):
        yield f"local {n} cannot hold the choice"


def _args_fit(
    program: Program, types: ExprTypes, p: int, args: tuple[Expr, ...], scope: Sequence[IrType]
) -> Iterator[str]:
    for n, arg in enumerate(args):
        found = types.of(arg, scope)
        if not fits(found, program.procs[p].locals[n]):
            yield f"argument {n} of procedure {p} is {found}, not {program.procs[p].locals[n]}"
