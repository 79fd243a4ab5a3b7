"""Triggers: tests behind the statements that may write what a condition reads, and the procedures that perform the rules.

Nothing listens at run time. A hidden set remembers for which instances a condition held at the last test.
"""

from __future__ import annotations

from interpreter.ir.ir_types import IntT, SetT
from interpreter.ir.layout import ir_type
from interpreter.ir.lower_atomic import AtomicLowering
from interpreter.ir.lower_expr import Env
from interpreter.ir.ops import (
    Alike,
    Binary,
    Branch,
    Call,
    Choose,
    Const,
    Expr,
    Let,
    Load,
    Local,
    Or,
    Probe,
    Query,
    Return,
    Select,
    SetConst,
    Store,
    Unary,
)
from interpreter.ir.program import Decision, Template
from interpreter.model import typed as t
from interpreter.model.dsl_types import Member


class TriggerLowering(AtomicLowering):
    """Lowers triggers."""

    def decision(
        self,
        address: str,
        kind: str,
        domain: int,
        labels: tuple[str, ...],
        captions: tuple[str, ...],
        prompt: str | None,
        origin: t.Origin,
        numbered: bool = True,
    ) -> int:
        """Registers what is asked; an address that stands already gets a number."""
        if numbered:
            known = sum(1 for d in self.decisions if d.address == address or d.address.startswith(f"{address}~"))
            address = f"{address}~{known + 1}" if known else address
        template = Template((prompt,)) if prompt else None
        self.decisions.append(Decision(address, kind, domain, labels, captions, template, origin.span, origin.cite))  # type: ignore[arg-type]
        return len(self.decisions) - 1

    def is_watched(self, stmts: tuple[t.Stmt, ...]) -> bool:
        """Whether a trigger's condition reads what the statements write."""
        assert self.code is not None
        written = self.touches.writes(stmts)
        watching = (x for x in self.model.triggers if x.kind == "when" and not self.code.quiet)
        return any(written & self.touches.reads((x.condition, x.domain)) for x in watching)

    def watch(self, stmts: tuple[t.Stmt, ...], origin: t.Origin) -> None:
        """Tests the triggers that watch what the statements may have written."""
        assert self.code is not None
        if self.code.quiet or self.code.here < 0:
            return
        written = self.touches.writes(stmts)
        if not written:
            return
        for trigger in self.model.triggers:
            if trigger.kind == "when" and written & self.touches.reads((trigger.condition, trigger.domain)):
                self._fire(trigger)

    def _fire(self, trigger: t.Trigger) -> None:
        v = self.trigger_sets[trigger.address]
        size = self._trigger_size(trigger)
        held = self.env.new(SetT(size))
        new = self.env.new(SetT(size))
        self.emit(Let(held, self.trigger_now(trigger, self.env)))
        self.emit(Let(new, Binary("minus", Local(held), Load(v, Const(0)), size)))
        kept: Expr = Binary("union", Local(held), Load(v, Const(0)), size) if trigger.once else Local(held)
        self.emit(Store(v, Const(0), kept))
        fire, after = self.new_block(), self.new_block()
        self.seal(Branch(Binary("gt", Unary("size", Local(new), size), Const(0)), fire, after))
        self.begin(fire)
        self.seal(Call(self.trigger_run(trigger), (self.env.me, Local(new)), after))
        self.begin(after)

    def _trigger_size(self, trigger: t.Trigger) -> int:
        return self.set_size(trigger.domain.type) if trigger.domain is not None else 1

    def trigger_now(self, trigger: t.Trigger, env: Env) -> Expr:
        """The instances for which a trigger's condition holds now."""
        assert trigger.condition is not None
        size = self._trigger_size(trigger)
        if trigger.domain is None or trigger.binder is None:
            return Select(self.expr(trigger.condition, env), SetConst(1, 1), SetConst(0, 1))
        outside = dict(env.numbers)  # the rule that is tested here may be the trigger's own, with the same names
        group = self.expr(trigger.domain, env)
        n = env.new(ir_type(self.model, trigger.binder.type), trigger.binder)
        found = Query("filter", n, group, self.expr(trigger.condition, env), None, size)
        env.numbers = outside
        return found

    def trigger_run(self, trigger: t.Trigger) -> int:
        """The procedure that performs a trigger for each of a set of instances, in an order the actor picks where it matters."""
        if trigger.address in self.trigger_runs:
            return self.trigger_runs[trigger.address]
        outer = self.code
        size = self._trigger_size(trigger)
        body = self.effect_id(trigger.body)
        p = self.extra_procedure(f"{trigger.address}.run", (), None, trigger.body.span)
        self.trigger_runs[trigger.address] = p
        env = self.env
        left = env.new(SetT(size))
        x = env.new(IntT(0, max(0, size - 1)))
        entry, done, some, plain, ask, run = (self.new_block() for _ in range(6))
        args = (Local(x),) if trigger.binder is not None else ()
        self.begin(entry)
        self.seal(Branch(Binary("gt", Unary("size", Local(left), size), Const(0)), some, done))
        self.begin(done)
        self.seal(Return())
        self.begin(some)
        if trigger.binder is None:
            self.jump(plain)
        else:
            one = Binary("eq", Unary("size", Local(left), size), Const(1))
            # A seat that acts by script is not asked: it takes the instances in order.
            by_script = tuple(Binary("eq", env.me, Const(seat)) for seat in self.model.scripted)
            self.seal(Branch(Or((one, *by_script, Alike(body, (env.me,), Local(left)))), plain, ask))
            self.begin(ask)
            kind = trigger.binder.type
            decision = self.decision(
                trigger.address,
                "pick",
                kind.domain if isinstance(kind, Member) else -1,
                (),
                (),
                "what comes first?",
                t.Origin(trigger.body.span, trigger.body.cite),
                False,
            )
            self.seal(Choose(env.me, x, Local(left), None, Probe(run), run, decision, (), False, True))
        self.begin(plain)
        self.emit(Let(x, Unary("first", Local(left))))
        self.jump(run)
        if trigger.binder is None:
            self.begin(ask)
            self.jump(run)
        self.begin(run)
        self.emit(Let(left, Binary("minus", Local(left), Unary("single", Local(x), size), size)))
        self.seal(Call(body, (env.me, *args), entry))
        self.close(p, entry, 2)
        self.code = outer
        return p

    def _after(self, trigger: t.Trigger, symbol: t.EffectSym) -> None:
        for own, param in zip(trigger.params, symbol.params, strict=False):
            self.env.numbers[own] = self.env.numbers[param]
        if trigger.me is not None:
            self.env.numbers[trigger.me] = 0
        fire, after = self.new_block(), self.new_block()
        if trigger.condition is not None:
            self.seal(Branch(self.expr(trigger.condition, self.env), fire, after))
        else:
            self.jump(fire)
        self.begin(fire)
        args = tuple(Local(self.env.numbers[p]) for p in trigger.params)
        self.seal(Call(self.effect_id(trigger.body), (self.env.me, *args), after))
        self.begin(after)
