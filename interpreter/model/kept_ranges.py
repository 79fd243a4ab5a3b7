"""Which numbers keep to the range of their type.

A parameter is declared with a range, but what is handed over is not held to it: an argument that may be outside is passed as it is.
So what is worked out from such a parameter may lie outside its own type, too, and where that is stored it has to be tested.

In: a model. Out: for an expression, whether it keeps to its type.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from interpreter.model import typed as t
from interpreter.model.dsl_types import Num
from interpreter.model.game_model import Model
from interpreter.model.walk import inside, parts

Handed = tuple[t.LocalSym, t.Expr]


class KeptRanges:
    """What is known of one model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._loose: set[t.LocalSym | t.FuncSym] = set()
        handed = list(self._handed())
        known = -1
        while known != len(self._loose):
            known = len(self._loose)
            self._loose |= {param for param, given in handed if not self._is_kept(param, given)}
            self._loose |= {f for f, body in model.bodies.items() if not self.keeps(body)}

    def keeps(self, node: object) -> bool:
        """Whether nothing in an expression may lie outside the range of its type."""
        for part in parts(node):
            match part:
                case t.LocalRef(symbol=symbol) if symbol in self._loose:
                    return False
                case t.Apply(symbol=function) if function in self._loose:
                    return False
                case t.FormulaApply(symbol=column) if any(f in self._loose for f in self._formulas(column)):
                    return False
        return True

    def _is_kept(self, param: t.LocalSym, given: t.Expr) -> bool:
        wanted, found = param.type, given.type
        if isinstance(wanted, Num) and isinstance(found, Num) and not (wanted.lo <= found.lo and found.hi <= wanted.hi):
            return False
        return self.keeps(given)

    def _handed(self) -> Iterator[Handed]:
        """All that is handed to a parameter, with the parameter."""
        trees: list[object] = [*self._model.code.values(), *self._model.bodies.values()]
        trees += [(x.condition, x.domain) for x in self._model.triggers]
        trees += [(a.by, a.bound, a.condition) for many in self._model.adjustments.values() for a in many]
        trees += [condition for graph in self._model.graphs.values() for _, _, condition in graph.guarded]
        for part in parts(tuple(trees)):
            match part:
                case t.Apply(symbol=function, args=args):
                    yield from zip(function.params, args, strict=False)
                case t.FormulaApply(symbol=column, args=args):
                    for formula in self._formulas(column):
                        yield from zip(formula.params[1:], args, strict=False)
        for stmt in _statements(self._model.code.values()):
            match stmt:
                case t.PerformStmt(symbol=effect, args=args) if effect is not None:
                    yield from zip(effect.params, args, strict=False)
                case t.AddStmt(routed=effect, amount=amount, routed_key=key) if effect is not None:
                    given = [e for e in (key, amount) if e is not None]
                    yield from zip(effect.params, given, strict=False)
        for trigger in self._model.triggers:
            if trigger.effect is not None:  # it is told what the effect was
                for param, told in zip(trigger.params, trigger.effect.params, strict=False):
                    yield param, t.LocalRef(told.type, told)

    def _formulas(self, column: t.ColumnSym) -> tuple[t.FuncSym, ...]:
        return tuple(self._model.formulas[n] for n in set(self._model.column_values[column]) if n >= 0)


def _statements(bodies: Iterable[tuple[t.Stmt, ...]]) -> Iterator[t.Stmt]:
    for body in bodies:
        yield from inside(body)
