"""Look-ahead as formulas: whether a compound action can be completed from a block on, as an expression over the row as it stands.

The formula is built backwards over the blocks up to the next commit (weakest precondition, Dijkstra 1975), with `some choice works`
for a decision:

    Check(c); S          c and S
    Let(n, e); S         S with e for local n
    Store(v, i, e); S    S with (e where the index is i, else the old value) for each load of v
    Choose(n, D, w, b)   any n in D where w and S(b), or an extra that can be completed
    Chance               there is an outcome; look-ahead ends there
    Call(p, args); S     can_p(args) and S, where p writes nothing that S reads

`can_p` is a pure function made once for a procedure. A formula is given up (None, so the machine probes) at a loop, at a callee that
writes what is read afterwards, behind simultaneous play and beyond `MOST_NODES`; a procedure whose callers may still fail after its
return has formulas for no choice of its own, as it does not know its caller.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from interpreter.ir.folding import Folder
from interpreter.ir.ir_types import BOOL, IrType
from interpreter.ir.look_ahead import LookAhead
from interpreter.ir.ops import (
    Alike,
    And,
    Best,
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
from interpreter.ir.program import Block, Func, Proc
from interpreter.ir.rewrite import map_block, map_expr
from interpreter.ir.walk import block_exprs, callees, parts_of, walk

MOST_NODES = 3000
SMALL = 12
TRUE, FALSE = Const(1), Const(0)


class GivenUp(Exception):
    """No formula can be built here."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Of an expression: how many nodes it has, the variables it may read, the locals in it, and those that it binds."""

    size: int
    reads: frozenset[int]
    locals: frozenset[int]
    binders: frozenset[int]


EMPTY: Final[frozenset[int]] = frozenset()
NO_FACTS: Final = Facts(1, EMPTY, EMPTY, EMPTY)


class Formulas:
    """Builds formulas over one program under construction. `funcs` and the types of procedures' locals grow."""

    def __init__(self, blocks: Sequence[Block], procs: list[Proc], funcs: list[Func], folder: Folder) -> None:
        self.blocks = blocks
        self.procs = procs
        self.funcs = funcs
        self.folder = folder
        self.reads = self._function_reads()
        self.writes = self._procedure_writes()
        self.can_ids: dict[int, int | None] = {}
        self.under_way: list[int] = []
        self.types: list[IrType] = []
        self.seen: dict[int, tuple[Expr, Facts]] = {}
        self.analysis = LookAhead(blocks, procs)
        self.wanted = _wanted(blocks)
        self._refine()

    def _refine(self) -> None:
        """Procedures whose formula is `true` cannot fail; calls behind which only such things may fail as an earlier choice has
        tested, and the callee does not disturb, are excused. Both make more formulas possible, so this goes round until it settles."""
        infallible: frozenset[int] = frozenset()
        excused: frozenset[int] = frozenset()
        while True:
            more = infallible | {
                p for p in self.wanted if self.analysis.fails[self.procs[p].entry] and self._never_fails(p)
            }
            also = excused | {b.id for b in self.blocks if self._is_excused(b)}
            if (more, also) == (infallible, excused):
                return
            infallible, excused = more, also
            self.analysis = self.analysis.refined(infallible, excused)
            self.can_ids = {p: f for p, f in self.can_ids.items() if f is not None}

    def _never_fails(self, p: int) -> bool:
        try:
            return self.funcs[self._can(p)].body == TRUE
        except GivenUp:
            return False

    def _is_excused(self, block: Block) -> bool:
        term = block.term
        if (
            not isinstance(term, Call | CallEffect)
            or not self.analysis.chosen[block.id]
            or not self.analysis.fails[term.b]
        ):
            return False
        self.types = list(self.procs[block.p].locals)
        try:
            post = self.block(term.b, True, ())
        except GivenUp:
            return False
        callees = (term.p,) if isinstance(term, Call) else term.targets
        return not any(self.writes[p] & self.read_by(post) for p in callees)

    # ---------------------------------------------------------------- what is read and written
    def _function_reads(self) -> list[frozenset[int]]:
        found: list[set[int]] = [{e.v for e in walk(f.body) if isinstance(e, Load)} for f in self.funcs]
        changed = True
        while changed:
            changed = False
            for i, func in enumerate(self.funcs):
                more = set().union(*(found[e.f] for e in walk(func.body) if isinstance(e, Fn)))
                if not more <= found[i]:
                    found[i] |= more
                    changed = True
        return [frozenset(s) for s in found]

    def _procedure_writes(self) -> list[frozenset[int]]:
        found: list[set[int]] = [set() for _ in self.procs]
        calls: list[set[int]] = [set() for _ in self.procs]
        for block in self.blocks:
            found[block.p] |= _stored(block.stmts)
            match block.term:
                case Call(p=p) | Fork(p=p):
                    calls[block.p].add(p)
                case CallEffect(targets=targets):
                    calls[block.p] |= set(targets)
        changed = True
        while changed:
            changed = False
            for p, called in enumerate(calls):
                more = set().union(*(found[c] for c in called))
                if not more <= found[p]:
                    found[p] |= more
                    changed = True
        return [frozenset(s) for s in found]

    def read_by(self, node: Expr) -> frozenset[int]:
        """Variables that an expression may read."""
        return self.facts(node).reads

    def facts(self, node: Expr) -> Facts:
        """What is asked of an expression again and again while it grows."""
        known = self.seen.get(id(node))
        if known is not None:
            return known[1]
        match node:
            case Const() | SetConst() | SeqConst() | Probe():
                return NO_FACTS
            case Local(n):
                return Facts(1, EMPTY, frozenset((n,)), EMPTY)
        parts = [self.facts(part) for part in parts_of(node)]
        reads = EMPTY.union(*[part.reads for part in parts])
        binders = EMPTY.union(*[part.binders for part in parts])
        match node:
            case Load(v):
                reads |= {v}
            case Fn(f):
                reads |= self.reads[f]
            case Query(n=n) | Best(n=n) | Sort(n=n) | Reach(n=n):
                binders |= {n}
        found = Facts(
            1 + sum([part.size for part in parts]), reads, EMPTY.union(*[part.locals for part in parts]), binders
        )
        self.seen[id(node)] = node, found
        return found

    # ---------------------------------------------------------------- entry points
    def look(self, b: int) -> Expr | None:
        """The formula for going on at block b of a procedure; None to probe."""
        p = self.blocks[b].p
        self.types = list(self.procs[p].locals)
        try:
            found = self._fresh(self.block(b, False, ()))
        except GivenUp:
            mixed = self._mixed(b)
            if mixed is None:
                return None
            found = mixed
        found = self.folder.fold(found)
        self.procs[p] = replace(self.procs[p], locals=tuple(self.types))
        return found

    def _mixed(self, b: int) -> Expr | None:
        """Where block b performs an effect value: formulas for those effects that have one, and a probe for the others. The probe goes
        from the beginning of b, so statements before the call do not change what it means."""
        block = self.blocks[b]
        if not isinstance(block.term, CallEffect):
            return None
        effect = block.term.effect
        chain: Expr = TRUE
        formulas = 0
        try:
            post = self.block(block.term.b, False, ())
            _pure(effect)
        except GivenUp:
            return None
        for callee in reversed(block.term.targets):
            try:
                self._undisturbed(callee, post)
                way = self._call(callee, block.term.args, TRUE)
                formulas += 1
            except GivenUp:
                way = Probe(b)
            chain = _select(Binary("eq", effect, Const(callee)), way, chain)
        try:
            return self._fresh(self._through(block.stmts, _and(chain, post))) if formulas else None
        except GivenUp:
            return None

    def _can(self, p: int) -> int:
        """Id of the function that says whether a procedure can be completed up to its return."""
        if p in self.can_ids:
            number = self.can_ids[p]
            if number is None:
                raise GivenUp
            return number
        self.can_ids[p] = None
        proc, outer = self.procs[p], self.types
        self.types = list(proc.locals)
        self.under_way.append(p)
        try:
            body = self.folder.fold(self._fresh(self.block(proc.entry, True, ())))
        finally:
            self.under_way.pop()
            types, self.types = self.types, outer
        number = len(self.funcs)
        self.funcs.append(Func(f"can.{proc.address}", proc.params, tuple(types), BOOL, body, proc.span))
        self.reads.append(frozenset(self.read_by(body)))
        self.can_ids[p] = number
        return number

    # ---------------------------------------------------------------- blocks
    def block(self, b: int, inside: bool, path: tuple[int, ...]) -> Expr:
        """From the beginning of block b to the next commit, or with `inside` to the return."""
        if not (self.analysis.fails[b] if inside else self.analysis.may_fail(b)):
            return TRUE
        if b in path:
            raise GivenUp
        block = self.blocks[b]
        post = self._term(block.term, block.p, inside, (*path, b))
        return self._through(block.stmts, post)

    def _term(self, term: Term, p: int, inside: bool, path: tuple[int, ...]) -> Expr:
        match term:
            case Jump(b=b):
                return self.block(b, inside, path)
            case Branch(condition=Probe(b=tried), then=then, other=other) if tried == then:
                return _or(self.block(then, inside, path), self.block(other, inside, path))
            case Branch(condition=condition, then=then, other=other):
                _pure(condition)
                return _select(condition, self.block(then, inside, path), self.block(other, inside, path))
            case Switch(value=value, blocks=blocks):
                found = self.block(blocks[-1], inside, path)
                for i in range(len(blocks) - 2, -1, -1):
                    found = _select(Binary("eq", value, Const(i)), self.block(blocks[i], inside, path), found)
                return found
            case Choose():
                return self._choose(term, inside, path)
            case Chance(n=n, domain=domain, where=where, weight=weight):
                positive = Binary("gt", weight, Const(0)) if weight is not None else None
                tests = tuple(x for x in (where, positive) if x is not None)
                return Query("any", n, domain, And(tests) if tests else None)
            case Call(p=callee, args=args, b=b):
                return self._call(callee, args, self.block(b, inside, path))
            case CallEffect(effect=effect, args=args, targets=targets, b=b):
                post = self.block(b, inside, path)
                chain: Expr = TRUE
                for callee in reversed(targets):
                    chain = _select(Binary("eq", effect, Const(callee)), self._call(callee, args, TRUE), chain)
                    self._undisturbed(callee, post)
                return _and(chain, post)
            case Commit() | Halt():
                return TRUE
            case Return():
                if not inside and self.analysis.after[p]:
                    raise GivenUp
                return TRUE
            case Fail():
                return FALSE
            case Fork():
                raise GivenUp

    def _choose(self, term: Choose, inside: bool, path: tuple[int, ...]) -> Expr:
        ways: list[Expr] = []
        for extra in term.extras:
            ways.append(self._extra(extra, inside, path))
        if TRUE in ways:
            return TRUE
        after = self.block(term.b, inside, path)
        if term.where is not None:
            _pure(term.where)
            after = _and(term.where, after)
        ways.append(Query("any", term.n, term.domain, None if after == TRUE else after))
        found = ways[-1]
        for way in ways[:-1]:
            found = _or(way, found)
        return found

    def _extra(self, extra: Extra, inside: bool, path: tuple[int, ...]) -> Expr:
        if extra.changes:
            raise GivenUp
        after = self.block(extra.b, inside, path)
        return after if extra.condition is None else _and(extra.condition, after)

    def _call(self, callee: int, args: tuple[Expr, ...], post: Expr) -> Expr:
        self._undisturbed(callee, post)
        entry = self.procs[callee].entry
        if not self.analysis.fails[entry]:
            return post
        if callee in self.under_way:
            depth = self.procs[callee].depth
            if depth and self.under_way.count(callee) >= depth:
                return FALSE  # one more is never offered
            raise GivenUp
        can = self._can(callee)
        body = self.funcs[can].body
        if self.facts(body).size <= SMALL and not self.facts(body).binders:
            renamed = _renumber(body, {i: -1 - i for i in range(self.funcs[can].params)})
            return _and(_with_arguments(renamed, args), post)
        return _and(Fn(can, args), post)

    def _undisturbed(self, callee: int, post: Expr) -> None:
        """A callee may write nothing that is read behind it."""
        if self.writes[callee] & self.read_by(post):
            raise GivenUp

    # ---------------------------------------------------------------- statements
    def _through(self, stmts: tuple[Stmt, ...], post: Expr) -> Expr:
        for stmt in reversed(stmts):
            match stmt:
                case Check(condition=condition):
                    _pure(condition)
                    post = _and(condition, post)
                case Let(n=n, value=value):
                    if n in self.facts(post).locals:
                        _pure(value)
                        self._no_capture(post, n, value)
                        post = map_expr(post, lambda e, n=n, value=value: value if e == Local(n) else e)  # type: ignore[misc]
                case Store(v=v, index=index, value=value):
                    post = self._store(post, v, index, value)
                case If(condition=condition, then=then, other=other):
                    _pure(condition)
                    post = _select(condition, self._through(then, post), self._through(other, post))
                case For(body=body):
                    touched = _stored(body) & self.read_by(post)
                    local = self.facts(post).locals & _let(body)
                    if touched or local or _checks(body):
                        raise GivenUp
                case Emit():
                    pass
            if self.facts(post).size > MOST_NODES:
                raise GivenUp
        return post

    def _store(self, post: Expr, v: int, index: Expr, value: Expr) -> Expr:
        """The expression as it was before element `index` of variable v became `value`."""

        def before(node: Expr) -> Expr:
            if isinstance(node, Load) and node.v == v:
                if node.index == index:
                    return value
                if isinstance(node.index, Const) and isinstance(index, Const):
                    return node
                return Select(Binary("eq", node.index, index), value, node)
            if isinstance(node, Fn) and v in self.reads[node.f]:
                func = self.funcs[node.f]
                body = map_expr(self._renamed(func), before)
                return _with_arguments(body, node.args)
            return node

        if v not in self.read_by(post):
            return post
        self._no_capture(post, -1, index, value)
        return map_expr(post, before)

    # ---------------------------------------------------------------- names
    def _no_capture(self, post: Expr, n: int, *values: Expr) -> None:
        """What is put into `post` for local n may mention no local that is bound there, nor may n be."""
        bound = self.facts(post).binders
        if n in bound or any(self.facts(value).locals & bound for value in values):
            raise GivenUp

    def _renamed(self, func: Func) -> Expr:
        """A function's body with binders that clash with nothing here; its parameters stay the negative numbers -1, -2, …"""
        numbers: dict[int, int] = {i: -1 - i for i in range(func.params)}
        for n in range(func.params, len(func.locals)):
            numbers[n] = len(self.types)
            self.types.append(func.locals[n])
        return _renumber(func.body, numbers)

    def _fresh(self, node: Expr) -> Expr:
        """The formula with binders of its own, so that evaluating it disturbs no local."""
        numbers: dict[int, int] = {}
        for part in walk(node):
            n = getattr(part, "n", None)
            if n is not None and not isinstance(part, Local) and n not in numbers:
                numbers[n] = len(self.types)
                self.types.append(self.types[n])
        return _renumber(node, numbers)


def _renumber(node: Expr, numbers: dict[int, int]) -> Expr:
    def change(part: Expr) -> Expr:
        if isinstance(part, Local | Query | Best | Sort | Reach):
            return replace(part, n=numbers.get(part.n, part.n))
        return part

    return map_expr(node, change)


def _with_arguments(body: Expr, args: tuple[Expr, ...]) -> Expr:
    def change(part: Expr) -> Expr:
        return args[-1 - part.n] if isinstance(part, Local) and part.n < 0 else part

    return map_expr(body, change)


def _pure(node: Expr) -> None:
    if any(isinstance(e, Probe | Alike) for e in walk(node)):
        raise GivenUp


def _stored(stmts: tuple[Stmt, ...]) -> set[int]:
    found: set[int] = set()
    for stmt in stmts:
        match stmt:
            case Store(v=v):
                found.add(v)
            case If(then=then, other=other):
                found |= _stored(then) | _stored(other)
            case For(body=body):
                found |= _stored(body)
    return found


def _let(stmts: tuple[Stmt, ...]) -> set[int]:
    found: set[int] = set()
    for stmt in stmts:
        match stmt:
            case Let(n=n):
                found.add(n)
            case If(then=then, other=other):
                found |= _let(then) | _let(other)
            case For(n=n, body=body):
                found |= {n} | _let(body)
    return found


def _checks(stmts: tuple[Stmt, ...]) -> bool:
    for stmt in stmts:
        match stmt:
            case Check():
                return True
            case If(then=then, other=other) if _checks(then) or _checks(other):
                return True
            case For(body=body) if _checks(body):
                return True
    return False


def _and(a: Expr, b: Expr) -> Expr:
    if a == TRUE or b == FALSE:
        return b
    if b == TRUE or a == FALSE:
        return a
    return And((*(a.parts if isinstance(a, And) else (a,)), *(b.parts if isinstance(b, And) else (b,))))


def _or(a: Expr, b: Expr) -> Expr:
    if TRUE in (a, b):
        return TRUE
    if a == FALSE:
        return b
    return a if b == FALSE else Or((a, b))


def _known(facts: Expr, node: Expr) -> Expr:
    """The condition `node` where `facts` hold: what they say already is left out."""
    known = facts.parts if isinstance(facts, And) else (facts,)
    parts = tuple(p for p in (node.parts if isinstance(node, And) else (node,)) if p not in known)
    return TRUE if not parts else parts[0] if len(parts) == 1 else And(parts)


def _select(condition: Expr, a: Expr, b: Expr) -> Expr:
    a = _known(condition, a)
    if a == b:
        return a
    if a == TRUE and b == FALSE:
        return condition
    if b == FALSE:
        return _and(condition, a)
    if a == FALSE:
        return _and(Unary("not", condition), b)
    if a == TRUE:
        return _or(condition, b)
    return Select(condition, a, b)


def build_formulas(
    blocks: list[Block], procs: list[Proc], funcs: list[Func], folder: Folder
) -> tuple[list[Block], list[Proc]]:
    """Replaces probes by formulas wherever one can be built; `funcs` grows by those that the formulas call."""
    own = len(funcs)
    formulas = Formulas(blocks, procs, funcs, folder)
    found = []
    for block in blocks:
        term = block.term
        if isinstance(term, Choose):
            term = replace(
                term,
                look=_settled(formulas, term.look),
                extras=tuple(replace(e, look=e.look if e.changes else _settled(formulas, e.look)) for e in term.extras),
            )
        elif isinstance(term, Branch) and isinstance(term.condition, Probe):
            condition = _settled(formulas, term.condition)
            term = replace(term, condition=condition if condition is not None else TRUE)
        found.append(block if term is block.term else replace(block, term=term))
    return _keep_called(found, funcs, own), formulas.procs


def _wanted(blocks: Sequence[Block]) -> list[int]:
    """Procedures of which it matters whether they can fail: something calls them, or they look ahead themselves."""
    found: set[int] = set()
    for block in blocks:
        found.update(callees(block.term))
        if isinstance(block.term, Choose) or any(isinstance(e, Probe) for e in block_exprs(block)):
            found.add(block.p)
    return sorted(found)


def _keep_called(blocks: list[Block], funcs: list[Func], own: int) -> list[Block]:
    """Drops functions from number `own` on that nothing calls any more, and renumbers the rest."""
    called: set[int] = set()
    todo = [e.f for b in blocks for e in block_exprs(b) if isinstance(e, Fn)]
    while todo:
        f = todo.pop()
        if f >= own and f not in called:
            called.add(f)
            todo.extend(e.f for e in walk(funcs[f].body) if isinstance(e, Fn))
    number = {f: own + i for i, f in enumerate(sorted(called))}

    def change(node: Expr) -> Expr:
        return Fn(number[node.f], node.args) if isinstance(node, Fn) and node.f in number else node

    kept = [replace(funcs[f], body=map_expr(funcs[f].body, change)) for f in sorted(called)]
    funcs[own:] = kept
    return [map_block(b, change) for b in blocks]


def _settled(formulas: Formulas, look: Expr | None) -> Expr | None:
    if not isinstance(look, Probe):
        return look
    formula = formulas.look(look.b)
    if formula is None:
        return look
    return None if formula == TRUE else formula
