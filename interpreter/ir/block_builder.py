"""Basic blocks under construction: the machinery that all statements share.

A `Code` is one procedure being made; statements are added to its current block until a terminator seals it. Code behind a terminator
that nothing reaches is dropped silently.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from interpreter.ir.effects_of import Touches
from interpreter.ir.ir_types import INT32, MOST_NUMBER, NOTHING, IntT, SeqT, SetT
from interpreter.ir.layout import ir_type
from interpreter.ir.lower_expr import Env, ExprLowering
from interpreter.ir.ops import (
    Check,
    Const,
    Expr,
    Extra,
    Jump,
    Let,
    Local,
    SetConst,
    Stmt,
    Term,
    Unary,
)
from interpreter.ir.program import Block, CheckInfo, Decision, EventInfo, Hole, Proc, Template
from interpreter.model import typed as t
from interpreter.model.dsl_types import Maybe, Member, OrderOf, SetOf
from interpreter.model.game_model import Model
from interpreter.text.limits import BLOCKS, TooLarge
from interpreter.text.source import Span

NUMBER = IntT(*INT32)
COUNT = IntT(0, MOST_NUMBER)
"""What is left to be done, counted down while it is above 0."""

MOST_LEVELS = 30_000
Windows = tuple[tuple[t.EffectSym, t.Expr | None], ...]


@dataclass(slots=True)
class Leaps:
    """Where `end` leads from here: block numbers, -1 where it may not stand."""

    turn: int = -1
    loop: int = -1
    effect: int = -1


@dataclass(slots=True)
class Code:
    """One procedure under construction."""

    p: int
    env: Env
    address: str
    quiet: bool
    here: int = -1
    stmts: list[Stmt] = field(default_factory=list)
    span: Span | None = None
    cite: tuple[str, ...] = ()
    names: list[str] = field(default_factory=list)
    windows: Windows = ()
    fresh: bool = True


class BlockBuilder(ExprLowering):
    """Blocks, procedures, checks and locals."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.touches = Touches(model)
        self.blocks: list[Block | None] = []
        self.procs: list[Proc | None] = []
        self.proc_ids: dict[t.EffectSym, int] = {}
        self.todo: list[t.EffectSym] = []
        self.checks: list[CheckInfo] = []
        self.decisions: list[Decision] = []
        self.events: list[EventInfo] = []
        self.streams: list[str] = []
        self.trigger_sets: dict[str, int] = {}
        self.trigger_runs: dict[str, int] = {}
        self.code: Code | None = None
        self.levels: dict[int, int | None] = {}
        self.variants: dict[tuple[t.EffectSym, Windows], int] = {}
        self.starter = -1
        self.leave = -1

    # ---------------------------------------------------------------- building blocks
    @property
    def env(self) -> Env:
        """Locals of the procedure being made."""
        assert self.code is not None
        return self.code.env

    def new_block(self) -> int:
        """A block's id, to be filled later."""
        if len(self.blocks) >= BLOCKS.most:
            raise TooLarge(BLOCKS, len(self.blocks) + 1)
        self.blocks.append(None)
        return len(self.blocks) - 1

    def begin(self, b: int) -> None:
        """Goes on writing into block b."""
        assert self.code is not None
        self.code.here, self.code.stmts = b, []

    def emit(self, *stmts: Stmt) -> None:
        """Adds statements, unless nothing reaches this point."""
        assert self.code is not None
        if self.code.here >= 0:
            self.code.stmts.extend(stmts)

    def seal(self, term: Term) -> None:
        """Ends the current block."""
        assert self.code is not None
        if self.code.here >= 0:
            self.blocks[self.code.here] = Block(
                self.code.here, self.code.p, tuple(self.code.stmts), term, (), self.code.span, self.code.cite
            )
        self.code.here = -1
        self.code.stmts = []

    def jump(self, b: int) -> None:
        """Ends the current block with a jump, if anything reaches its end."""
        self.seal(Jump(b))

    def check_info(self, span: Span, cite: tuple[str, ...], *said: str | Hole) -> int:
        """Registers why something can fail."""
        self.checks.append(CheckInfo(Template(said), span, cite))
        return len(self.checks) - 1

    def check(self, condition: Expr, origin: t.Origin, *said: str | Hole) -> None:
        """A condition that must hold here."""
        self.emit(Check(condition, self.check_info(origin.span, origin.cite, *said)))

    def local(self, value: Expr, kind: IntT | SetT | SeqT = NUMBER) -> Expr:
        """The value in a new local; constants and locals stay as they are."""
        if isinstance(value, Const | Local | SetConst):
            return value
        n = self.env.new(kind)
        self.emit(Let(n, value))
        return Local(n)

    def hole(self, node: t.Expr) -> Hole:
        """A value in a sentence."""
        kind = node.type.of if isinstance(node.type, Maybe) else node.type
        is_set = isinstance(kind, SetOf | OrderOf)
        inner = kind.of if isinstance(kind, SetOf | OrderOf) else kind
        value = self.expr(node, self.env)
        if isinstance(kind, OrderOf):
            value = Unary("items", value, self.set_size(kind))
        return Hole(value, inner.domain if isinstance(inner, Member) else -1, is_set)

    # ---------------------------------------------------------------- procedures beside the declared ones
    def _open(self, p: int, address: str, params: tuple[t.LocalSym, ...], me: t.LocalSym | None, quiet: bool) -> Env:
        env = Env()
        players = self.model.seats
        env.me = Local(env.new(IntT(NOTHING, players - 1), me))
        for param in params:
            env.new(ir_type(self.model, param.type), param)
        self.code = Code(p, env, address, quiet)
        return env

    def extra_procedure(
        self, address: str, params: tuple[t.LocalSym, ...], me: t.LocalSym | None, span: Span | None = None
    ) -> int:
        """Opens a procedure that no effect declares; close it with `close`."""
        self.procs.append(None)
        p = len(self.procs) - 1
        self._open(p, address, params, me, True)
        assert self.code is not None
        self.code.span = span
        return p

    def close(self, p: int, entry: int, params: int) -> None:
        """Ends a procedure begun by `extra_procedure`."""
        assert self.code is not None
        self.procs[p] = Proc(
            self.code.address, params, tuple(self.code.env.types), entry, 0, (), 0, self.code.span, self.code.cite
        )

    # ---------------------------------------------------------------- what the layers above provide
    def block(
        self, stmts: tuple[t.Stmt, ...], leaps: Leaps, extras: tuple[Extra, ...] = (), quiet: bool = False
    ) -> None:
        """Lowers statements in order. `extras` stand beside the options of the first one, which is then a choice."""
        raise NotImplementedError
