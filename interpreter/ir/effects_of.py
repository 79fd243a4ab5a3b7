"""What typed statements and expressions touch: which state they read and write, what they perform, whether they can be interrupted.

These are may-analyses over the typed tree, through functions and effects. State is named by field symbols and, for the place of
pieces, by `("zone", domain)`.
"""

from __future__ import annotations

from interpreter.model import typed as t
from interpreter.model.game_model import Model
from interpreter.model.walk import inside, parts

Cell = t.FieldSym | tuple[str, int]


class Touches:
    """Analyses of one model, remembered."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._reads: dict[t.FuncSym, frozenset[Cell]] = {}
        self._uses: dict[t.EffectSym, frozenset[t.EffectSym]] = {}

    # ---------------------------------------------------------------- reading
    def reads(self, node: object) -> frozenset[Cell]:
        """State that an expression may read."""
        found: set[Cell] = set()
        for part in parts(node):
            match part:
                case t.FieldRef(symbol=symbol):
                    found.add(symbol)
                    if symbol in self.model.sums:
                        found |= self.function_reads(self.model.sums[symbol])
                case t.ZoneRef(piece=piece):
                    found.add(("zone", piece))
                case t.Op(op="owner" | "slot", args=args):
                    inner = getattr(args[0].type, "domain", None)
                    if inner is not None:
                        found.add(("zone", inner))
                case t.Apply(symbol=symbol):
                    found |= self.function_reads(symbol)
                case t.FormulaApply():
                    for formula in self.model.formulas:
                        found |= self.function_reads(formula)
                case t.GraphStep(graph=graph) | t.GraphReach(graph=graph):
                    for _, _, condition in self.model.graphs[graph].guarded:
                        found |= self.reads(condition)
        return frozenset(found)

    def function_reads(self, symbol: t.FuncSym) -> frozenset[Cell]:
        """State that a function may read."""
        if symbol not in self._reads:
            self._reads[symbol] = frozenset()
            found = self.reads(self.model.bodies[symbol])
            for adjustment in self.model.adjustments.get(symbol.name, ()):
                found |= self.reads((adjustment.by, adjustment.bound, adjustment.condition))
            self._reads[symbol] = found
        return self._reads[symbol]

    # ---------------------------------------------------------------- writing
    def writes(self, stmts: tuple[t.Stmt, ...]) -> frozenset[Cell]:
        """State that statements themselves may write, performed effects left out."""
        found: set[Cell] = set()
        for stmt in inside(stmts):
            match stmt:
                case t.AssignStmt(target=t.FieldRef(symbol=symbol)) | t.OrderStmt(target=t.FieldRef(symbol=symbol)):
                    found.add(symbol)
                case t.AddStmt(minus=minus, plus=plus):
                    found |= {ref.symbol for ref in (minus, plus) if ref is not None}
                case t.SpendStmt(field=symbol):
                    found.add(symbol)
                case t.MoveStmt(target=target) | t.DealStmt(target=target):
                    found.add(("zone", target.piece))
        return frozenset(found)

    # ---------------------------------------------------------------- performing
    def performs(self, symbol: t.EffectSym) -> frozenset[t.EffectSym]:
        """Effects that the body of one names or may reach through an effect value, not further."""
        found: set[t.EffectSym] = set()
        for stmt in inside(self.model.code.get(symbol, ())):
            match stmt:
                case t.PerformStmt(symbol=None, value=value) if value is not None:
                    found |= set(self.model.cells_of(value))
                case t.PerformStmt(symbol=target) if target is not None:
                    found.add(target)
                case t.AddStmt(routed=target) if target is not None:
                    found.add(target)
                case t.WindowStmt(effect=target):
                    found.add(target)
        return frozenset(found)

    def uses(self, symbol: t.EffectSym) -> frozenset[t.EffectSym]:
        """Effects that one may perform, directly or through others, itself included."""
        if symbol not in self._uses:
            seen: set[t.EffectSym] = set()
            todo = [symbol]
            while todo:
                here = todo.pop()
                if here not in seen:
                    seen.add(here)
                    todo.extend(self.performs(here))
            self._uses[symbol] = frozenset(seen)
        return self._uses[symbol]

    def uses_by_name(self, symbol: t.EffectSym, target: t.EffectSym) -> bool:
        """Whether an effect performs `target`, directly or through named effects (what it may copy is not its own)."""
        seen: set[t.EffectSym] = set()
        todo = [symbol]
        while todo:
            here = todo.pop()
            if here is target:
                return True
            if here in seen:
                continue
            seen.add(here)
            for stmt in inside(self.model.code.get(here, ())):
                if isinstance(stmt, t.PerformStmt) and stmt.symbol is not None:
                    todo.append(stmt.symbol)
        return False

    def yields(self, symbol: t.EffectSym, field: t.FieldSym) -> bool:
        """Whether an effect, or one it performs by name, gains the field's tokens: itself, or through the effect that takes a gain in."""
        takers = {
            self.model.effects.get(f.gained_by)
            for f in self.model.fields.values()
            if f.name == field.name and f.gained_by
        }
        seen: set[t.EffectSym] = set()
        todo = [symbol]
        while todo:
            here = todo.pop()
            if here in seen:
                continue
            seen.add(here)
            for stmt in inside(self.model.code.get(here, ())):
                if (
                    isinstance(stmt, t.AddStmt)
                    and stmt.word == "gain"
                    and stmt.plus is not None
                    and stmt.plus.symbol.name == field.name
                ):
                    return True
                if isinstance(stmt, t.PerformStmt) and stmt.symbol is not None:
                    if stmt.symbol in takers:
                        return True
                    todo.append(stmt.symbol)
        return False


INTERRUPTS = (
    t.ChooseStmt,
    t.DrawStmt,
    t.DealStmt,
    t.PerformStmt,
    t.EndStmt,
    t.MayStmt,
    t.WhileStmt,
    t.AtOnceStmt,
    t.WindowStmt,
    t.AllocateStmt,
    t.TurnsStmt,
    t.EitherStmt,
    t.TryStmt,
    t.SpendStmt,
)


def is_atomic(stmt: t.Stmt) -> bool:
    """Whether a statement runs through without a decision, chance, call or leap."""
    for inner in inside((stmt,)):
        if isinstance(inner, INTERRUPTS):
            return False
        if isinstance(inner, t.RepeatStmt) and (inner.amount is None or inner.up_to):
            return False
        if isinstance(inner, t.HaveStmt) and inner.commits:
            return False
        if isinstance(inner, t.AddStmt) and inner.routed is not None:
            return False
        if isinstance(inner, t.RepeatStmt):
            return False
    return True
