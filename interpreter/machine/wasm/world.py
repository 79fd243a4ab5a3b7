"""What all parts of the lowering share: the program, where things lie, and the numbers of functions and variables of the module."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from interpreter.ir.expr_types import ExprTypes
from interpreter.ir.ir_types import IrType, SeqT
from interpreter.ir.ops import Expr, Fn
from interpreter.ir.program import Program
from interpreter.ir.walk import walk
from interpreter.machine.wasm.encode import Code, FuncType, Module, ValueType
from interpreter.machine.wasm.memory import Memory
from interpreter.machine.wasm.remembered import Remembered
from interpreter.machine.wasm.values import shape

INLINE = 48
"""Nodes up to which a function's body is put where it is called."""


@dataclass(slots=True)
class Variables:
    """Numbers of the module's own variables."""

    mode: int
    """1 if procedures pick options themselves, as playouts do."""
    looking: int
    """How many look-aheads are under way, each within the one before."""
    ending: int
    """1 while a look-ahead ends where nothing can fail any more."""
    left: int
    """Steps that may still be taken before somebody is asked."""
    choice: int
    """The option with which a procedure goes on."""
    at: int
    """The entry with which the trampoline goes on, and the frame there (`frame`), and the procedure (`proc`)."""
    frame: int
    proc: int
    seats: int
    """Who plays, at a Fork (words of a set of seats)."""
    listening: int
    """1 if events are wanted."""
    sequences: int
    """Where the stack of sequences ends."""
    arena: int
    """Where the copies of rows end, and where the remembered rows begin (`ceiling`)."""
    ceiling: int
    plies: int
    """Plies of the playout's game, those with more than one option (`decisions`), and how many there may be (`limit`)."""
    decisions: int
    limit: int
    buckets: int
    """The address of what a look-ahead remembers, 0 if there is nothing yet."""
    bottom: int
    """The procedure that returned last to nobody."""
    logged: int
    """The end of the log."""
    top: int
    """The address up to which frames may have been written."""
    kept: int
    """The address up to which frames belong to a level of look-ahead."""

    @classmethod
    def of(cls, module: Module) -> Variables:
        """All of them, made in a module."""
        return cls(**{each.name: module.global_() for each in fields(cls)})


@dataclass(slots=True)
class World:
    """One module under construction."""

    program: Program
    types: ExprTypes
    module: Module
    memory: Memory
    variables: Variables
    names: dict[str, int] = field(default_factory=dict)
    """Functions of the runtime by name."""
    functions: list[int] = field(default_factory=list)
    """The module's function for each function of the program."""
    fork_procs: int = 0
    """The address of the table with the procedure that each block forks."""
    remembered: dict[int, Remembered] = field(default_factory=dict)
    """The functions whose results are remembered."""
    reads: dict[int, tuple[Expr, frozenset[int]]] = field(default_factory=dict)
    """The locals that expressions read, by the expression's identity."""
    _sizes: dict[int, int] = field(default_factory=dict)

    def func_type(self, f: int) -> FuncType:
        """The type of a pure function: words of its arguments, and for a sequence the address for the result."""
        func = self.program.funcs[f]
        params = [word for kind in func.locals[: func.params] for word in shape(kind)]
        if isinstance(func.result, SeqT):
            return FuncType((*params, "i32"))
        return FuncType(tuple(params), shape(func.result))

    def is_small(self, f: int) -> bool:
        """Whether a function is put where it is called."""
        return f not in self.remembered and self._size(f) <= INLINE

    def _size(self, f: int) -> int:
        found = self._sizes.get(f)
        if found is None:
            found = 0
            for part in walk(self.program.funcs[f].body):
                found += 1 + (self._size(part.f) if isinstance(part, Fn) and self.is_small(part.f) else 0)
            self._sizes[f] = found
        return found


def local_words(code: Code, kind: IrType) -> list[int]:
    """Locals of the module for a local of the program."""
    return [code.local(word) for word in shape(kind)]


def param_words(kinds: tuple[IrType, ...], first: int) -> tuple[list[list[int]], tuple[ValueType, ...]]:
    """Parameters of the module for parameters of the program, from number `first` on, and their types."""
    found: list[list[int]] = []
    types: list[ValueType] = []
    for kind in kinds:
        words = shape(kind)
        found.append([first + len(types) + k for k in range(len(words))])
        types += words
    return found, tuple(types)
