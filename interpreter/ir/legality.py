"""How each choice of a program is decided, in words: for `validate --explain-legality`.

`always`: whatever passes the choice's own condition can be completed. `formula`: an expression says whether it can. `probe`: the
machine tries it on a copy, because of the named line that may fail behind the choice.
"""

from __future__ import annotations

from collections import deque

from interpreter.ir.ops import Branch, Call, CallEffect, Check, Choose, Commit, Fail, For, Halt, If, Probe, Return, Stmt
from interpreter.ir.program import Program
from interpreter.ir.walk import targets, walk


def legality_lines(program: Program) -> tuple[str, ...]:
    """A line for each decision, in the order of the program."""
    found: dict[str, str] = {}
    for block in program.blocks:
        term = block.term
        if isinstance(term, Choose):
            name = program.decisions[term.decision].address
            if term.look is None:
                found.setdefault(name, "always")
            elif isinstance(term.look, Probe):
                found[name] = f"probe, because of {_reason(program, term.look.b)}"
            elif any(isinstance(e, Probe) for e in walk(term.look)):
                found[name] = f"formula, and for some effects a probe, because of {_reason(program, term.b)}"
            else:
                found.setdefault(name, "formula")
    width = max((len(n) for n in found), default=0)
    return tuple(f"{name:{width}}  {how}" for name, how in found.items())


def _reason(program: Program, start: int) -> str:
    """The nearest thing behind a block that may fail."""
    seen: set[int] = set()
    todo: deque[int] = deque([start])
    while todo:
        b = todo.popleft()
        if b in seen:
            continue
        seen.add(b)
        block = program.blocks[b]
        why = _first_check(block.stmts)
        if why is None and isinstance(block.term, Fail):
            why = block.term.why
        if why is not None:
            span = program.checks[why].span
            return f"line {span.position()[0]}"
        match block.term:
            case Choose():
                return f"the choice {program.decisions[block.term.decision].address}"
            case Call(p=p):
                todo.append(program.procs[p].entry)
            case CallEffect(targets=callees):
                todo.extend(program.procs[p].entry for p in callees)
            case Commit() | Halt() | Return():
                continue
            case Branch():
                pass
        todo.extend(targets(block.term))
    return "what its callers do afterwards"


def _first_check(stmts: tuple[Stmt, ...]) -> int | None:
    for stmt in stmts:
        match stmt:
            case Check(why=why):
                return why
            case If(then=then, other=other):
                found = _first_check(then)
                found = _first_check(other) if found is None else found
                if found is not None:
                    return found
            case For(body=body):
                found = _first_check(body)
                if found is not None:
                    return found
    return None
