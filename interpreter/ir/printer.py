"""A program as text: one line a statement, stable, for tests, for diffs and for eyes.

In: a program, or one procedure or function of it. Out: text that depends on nothing but its argument. It is not read back.
Expressions are written as calls and operators without precedence: every binary operation stands in parentheses.
"""

from __future__ import annotations

from interpreter.ir.ir_types import IntT, IrType, SeqT, SetT
from interpreter.ir.ops import (
    Alike,
    And,
    Best,
    BestKey,
    Binary,
    Branch,
    Call,
    CallEffect,
    Chance,
    Check,
    Choose,
    Commit,
    Const,
    Emit,
    Expr,
    Extra,
    Fail,
    Fn,
    For,
    Fork,
    Halt,
    If,
    Jump,
    Let,
    Load,
    Local,
    Lookup,
    Or,
    Probe,
    Query,
    Reach,
    Return,
    Select,
    SeqConst,
    SetConst,
    Sort,
    Stmt,
    Store,
    Switch,
    Term,
    Unary,
)
from interpreter.ir.program import Block, Program, Var

SYMBOLS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "checked_add": "+?",
    "checked_sub": "-?",
    "checked_mul": "*?",
    "div": "/",
    "mod": "mod",
    "eq": "=",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "union": "|",
    "inter": "&",
    "minus": "\\",
    "has": "has",
    "seteq": "=",
    "subset": "within",
    "seqeq": "=",
}


def print_program(program: Program) -> str:
    """The whole program."""
    lines = [f"game {program.game} players {program.players} cells {program.row_cells}"]
    lines += [f"  {name} = {value}" for name, value in program.settings]
    lines += [f"  by script {' '.join(map(str, program.scripted))}"] if program.scripted else []
    lines += [_variable(v, var) for v, var in enumerate(program.vars)]
    for t, table in enumerate(program.tables):
        values = " ".join(map(str, table.values))
        lines.append(f"table t{t} {table.name}: {print_type(table.type)} = {values}")
    lines += [f"stream {name}" for name in program.streams]
    parts = ["\n".join(lines)]
    parts += [print_function(program, f) for f in range(len(program.funcs))]
    parts += [print_procedure(program, p) for p in range(len(program.procs))]
    return "\n\n".join(parts) + "\n"


def print_function(program: Program, f: int) -> str:
    """One function."""
    func = program.funcs[f]
    kinds = ", ".join(f"n{n}: {print_type(kind)}" for n, kind in enumerate(func.locals))
    head = f"function f{f} {func.address} takes {func.params} ({kinds}) gives {print_type(func.result)}"
    return f"{head}\n  {_Names(program).expr(func.body)}"


def print_procedure(program: Program, p: int) -> str:
    """One procedure with its blocks."""
    proc = program.procs[p]
    kinds = ", ".join(f"n{n}: {print_type(kind)}{_slot(proc.slots, n)}" for n, kind in enumerate(proc.locals))
    depth = f" depth {proc.depth}" if proc.depth else ""
    cite = f" [{', '.join(proc.cite)}]" if proc.cite else ""
    lines = [
        f"procedure p{p} {proc.address} takes {proc.params} ({kinds}) frame {proc.frame}{depth} entry b{proc.entry}{cite}"
    ]
    names = _Names(program)
    for block in program.blocks:
        if block.p == p:
            lines += _block(names, block)
    return "\n".join(lines)


def print_type(kind: IrType) -> str:
    """A type in one word."""
    match kind:
        case IntT(lo, hi):
            return f"{lo}..{hi}"
        case SetT(size):
            return f"set({size})"
        case SeqT(size):
            return f"order({size})"


def _slot(slots: tuple[int, ...], n: int) -> str:
    return f" @{slots[n]}" if n < len(slots) and slots[n] >= 0 else ""


def _variable(v: int, var: Var) -> str:
    first = set(var.initial)
    initial = str(var.initial[0]) if len(first) == 1 else " ".join(map(str, var.initial))
    seen = "hidden" if var.hidden else f"seen by {var.visibility}"
    many = f" x {var.count}" if var.count != 1 else ""
    return f"var v{v} {var.address} @{var.base}: {print_type(var.type)}{many} of {var.owner}, {seen} = {initial}"


def _block(names: _Names, block: Block) -> list[str]:
    cite = f"  [{', '.join(block.cite)}]" if block.cite else ""
    keeps = f" keeps {' '.join(f'n{n}' for n in block.spill)}" if block.spill else ""
    lines = [f"  b{block.id}:{keeps}{cite}"]
    for stmt in block.stmts:
        lines += names.stmt(stmt, "    ")
    return lines + names.term(block.term, "    ")


class _Names:
    """Prints parts of one program; variables and tables get the names they have there."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def expr(self, expr: Expr) -> str:
        """One expression on one line."""
        match expr:
            case Const(value):
                return str(value)
            case SetConst(mask):
                return "{" + ", ".join(str(k) for k in range(mask.bit_length()) if mask >> k & 1) + "}"
            case SeqConst(items):
                return f"<{', '.join(map(str, items))}>"
            case Local(n):
                return f"n{n}"
            case Load(v, index):
                return f"{self.variable(v)}[{self.expr(index)}]"
            case Lookup(t, index):
                return f"t{t}[{self.expr(index)}]"
            case Unary(op, a):
                return f"{op}({self.expr(a)})"
            case Binary(op, a, b):
                if op in SYMBOLS:
                    return f"({self.expr(a)} {SYMBOLS[op]} {self.expr(b)})"
                return f"{op}({self.expr(a)}, {self.expr(b)})"
            case And(parts):
                return f"all({self.several(parts)})"
            case Or(parts):
                return f"some({self.several(parts)})"
            case Select(condition, then, other):
                return f"(if {self.expr(condition)} then {self.expr(then)} else {self.expr(other)})"
            case Fn(f, args):
                return f"f{f}({self.several(args)})"
            case _:
                return self._search(expr)

    def _search(self, expr: Query | Best | Sort | Reach | Probe | Alike) -> str:
        match expr:
            case Query(kind, n, domain, where, value):
                of = f" of {self.expr(value)}" if value is not None else ""
                test = f" where {self.expr(where)}" if where is not None else ""
                return f"({kind}{of} n{n} in {self.expr(domain)}{test})"
            case Best(n, domain, keys):
                return f"(best n{n} in {self.expr(domain)} by {self._keys(keys)})"
            case Sort(n, domain, keys):
                return f"(sort n{n} in {self.expr(domain)} by {self._keys(keys)})"
            case Reach(n, step, start, steps, through):
                return (
                    f"(reach from {self.expr(start)} steps {self.expr(steps)} through {self.expr(through)}"
                    f" where n{n} leads to {self.expr(step)})"
                )
            case Probe(b):
                return f"probe(b{b})"
            case Alike(p, args, items):
                return f"alike(p{p}, {self.several((*args, items))})"

    def _keys(self, keys: tuple[BestKey, ...]) -> str:
        return ", ".join(f"{'most' if key.most else 'least'} {self.expr(key.value)}" for key in keys)

    def several(self, exprs: tuple[Expr, ...]) -> str:
        """Expressions with commas between."""
        return ", ".join(map(self.expr, exprs))

    def variable(self, v: int) -> str:
        """Number and last part of the address, which is enough to read by."""
        count = len(self._program.vars)
        return f"v{v}.{self._program.vars[v].address.rsplit('.', 1)[-1]}" if 0 <= v < count else f"v{v}"

    def stmt(self, stmt: Stmt, indent: str) -> list[str]:
        """One statement and what is in it."""
        match stmt:
            case Store(v, index, value):
                return [f"{indent}{self.variable(v)}[{self.expr(index)}] := {self.expr(value)}"]
            case Let(n, value):
                return [f"{indent}n{n} := {self.expr(value)}"]
            case Check(condition, why):
                return [f"{indent}check {self.expr(condition)} else {why}"]
            case If(condition, then, other):
                lines = [f"{indent}if {self.expr(condition)}", *self._within(then, indent)]
                return [*lines, f"{indent}else", *self._within(other, indent)] if other else lines
            case For(n, domain, body):
                return [f"{indent}for n{n} in {self.expr(domain)}", *self._within(body, indent)]
            case Emit(event, args):
                return [f"{indent}emit {event}({self.several(args)})"]

    def _within(self, stmts: tuple[Stmt, ...], indent: str) -> list[str]:
        return [line for stmt in stmts for line in self.stmt(stmt, indent + "  ")]

    def term(self, term: Term, indent: str) -> list[str]:
        """One terminator; each extra of a choice has a line of its own."""
        match term:
            case Choose():
                return self._choose(term, indent)
            case Chance(n, domain, where, weight, b, stream, decision):
                test = self._maybe(" where ", where) + self._maybe(" weight ", weight)
                drawn = f"draw n{n} from {self.expr(domain)}{test}"
                return [f"{indent}{drawn} stream {stream} decision {decision} -> b{b}"]
            case _:
                return [indent + self._term(term)]

    def _choose(self, term: Choose, indent: str) -> list[str]:
        test = self._maybe(" where ", term.where) + self._maybe(" look ", term.look)
        asked = f"{'quietly ' if term.quiet else ''}ask {self.expr(term.player)} n{term.n} from {self.expr(term.domain)}{test}"
        return [f"{indent}{asked} decision {term.decision} -> b{term.b}"] + [
            f"{indent}  or {self._extra(extra)}" for extra in term.extras
        ]

    def _extra(self, extra: Extra) -> str:
        test = self._maybe(" if ", extra.condition) + self._maybe(" look ", extra.look)
        return f"{extra.label}{test}{' if it changes something' if extra.changes else ''} -> b{extra.b}"

    def _maybe(self, word: str, expr: Expr | None) -> str:
        return "" if expr is None else word + self.expr(expr)

    def _term(self, term: Jump | Branch | Switch | Call | CallEffect | Fork | Commit | Return | Halt | Fail) -> str:
        match term:
            case Jump(b):
                return f"go b{b}"
            case Branch(condition, then, other):
                return f"go b{then} if {self.expr(condition)} else b{other}"
            case Switch(value, blocks):
                return f"go by {self.expr(value)} to {' '.join(f'b{b}' for b in blocks)}"
            case Call(p, args, b):
                return f"call p{p}({self.several(args)}) -> b{b}"
            case CallEffect(effect, args, procs, b):
                among = " ".join(f"p{p}" for p in procs)
                return f"call {self.expr(effect)}({self.several(args)}) among {among} -> b{b}"
            case Fork(players, p, args, b):
                return f"at once for {self.expr(players)} p{p}({self.several(args)}) -> b{b}"
            case Commit(b):
                return f"commit -> b{b}"
            case Return():
                return "return"
            case Halt():
                return "halt"
            case Fail(why):
                return f"fail {why}"
