"""Places in tables: a whole table, a row, a cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from interpreter.syntax.definition import Marks, Routine, Row, Step
from interpreter.syntax.expr_parser import parse_formula, parse_rules
from interpreter.syntax.located import Entry, Located, Mapping, Scalar
from interpreter.syntax.located import Sequence as Listed
from interpreter.syntax.nodes import Int, Name, This
from interpreter.syntax.patch_kinds.base import Place, fills, in_file
from interpreter.syntax.patch_parts import (
    folded_number,
    marks_over,
    numbers_through,
    rewrite,
    spliced,
    with_previous,
    written,
)
from interpreter.syntax.patch_texts import named_row
from interpreter.syntax.schema_check import Schema
from interpreter.text.diagnostic import Sink
from interpreter.text.source import Span

_BESIDE: Final = frozenset(("cite", "data", "gap", "note", "optional"))
"""What may stand among the cells that a patch sets and is none."""


@dataclass(frozen=True, slots=True)
class Table(Place):
    """All of a table. New rows stand below `add:`."""

    table: str

    def is_there(self, verbs: Sequence[Entry]) -> bool:
        return True

    def span(self) -> Span | None:
        return self.work.game.tables[self.table].span

    def here_go(self) -> str:
        return "new rows stand below `add:`"

    def mark(self, marks: Marks) -> bool:
        old = self.work.game.tables[self.table]
        self.work.put("tables", self.table, replace(old, marks=marks_over(marks, old.marks)))
        return True

    def remove(self, verb: Entry) -> bool:
        self.work.put("tables", self.table, None)
        return True


@dataclass(frozen=True, slots=True)
class _InRow(Place):
    """A row, or what lies in one."""

    table: str
    id: str

    def found(self) -> Row | None:
        """The row, if it is there."""
        return next((r for r in self.work.game.tables[self.table].rows if r.id == self.id), None)

    def row(self) -> Row:
        """The row."""
        row = self.found()
        assert row is not None  # verbs come only where it is there
        return row

    def put_row(self, row: Row | None) -> None:
        """Another row in its stead, or none."""
        table = self.work.game.tables[self.table]
        rows = (row if r.id == self.id else r for r in table.rows)
        self.work.put("tables", self.table, replace(table, rows=tuple(r for r in rows if r is not None)))

    def mark(self, marks: Marks) -> bool:
        row = self.row()
        self.put_row(replace(row, marks=marks_over(marks, row.marks)))
        return True

    def replace(self, verb: Entry, marks: Marks) -> bool:
        return self.set(verb, marks)


@dataclass(frozen=True, slots=True)
class TableRow(_InRow):
    """A row."""

    def is_there(self, verbs: Sequence[Entry]) -> bool:
        return self.found() is not None

    def span(self) -> Span | None:
        row = self.found()
        return row.span if row is not None else None

    def verbs(self) -> tuple[str, ...]:
        return ("set",)

    def form(self, verb: str, value: Located) -> Schema | None:
        return in_file("row") if verb in ("set", "replace") else None

    def remove(self, verb: Entry) -> bool:
        self.put_row(None)
        return True

    def set(self, verb: Entry, marks: Marks) -> bool:
        row = self.row()
        if not isinstance(verb.value, Mapping):
            return False
        new = {str(e.key): e for e in verb.value.entries if e.key not in _BESIDE}
        copies = new.pop("copies", None)
        cells = (*(new.pop(str(c.key), c) for c in row.cells), *new.values())
        marked = marks_over(marks, row.marks)
        self.put_row(replace(row, cells=cells, copies=copies.value if copies else row.copies, marks=marked))
        return True


@dataclass(frozen=True, slots=True)
class Cell(_InRow):
    """A cell of a row; a blank one can be filled."""

    column: str

    def is_there(self, verbs: Sequence[Entry]) -> bool:
        return self.found() is not None and (self.cell() is not None or fills(verbs))

    def span(self) -> Span | None:
        row = self.found()
        cell = self.cell()
        return cell.key_span if cell is not None else row.span if row is not None else None

    def cell(self) -> Entry | None:
        """The cell with its column, unless it is blank."""
        row = self.found()
        return next((c for c in row.cells if str(c.key) == self.column), None) if row is not None else None

    def verbs(self) -> tuple[str, ...]:
        cell = self.cell()
        if cell is not None and isinstance(cell.value, Listed):
            return "set", "add", "remove"
        wraps = cell is not None and isinstance(cell.value, Scalar) and not isinstance(cell.value.value, bool)
        return ("set", "wrap") if wraps else ("set",)

    def help_where_missing(self) -> str:
        columns = {str(c.key) for r in self.work.game.tables[self.table].rows for c in r.cells}
        return "the cell is blank; `set` fills it" if self.found() is not None and self.column in columns else ""

    def put(self, value: Located, marks: Marks) -> None:
        """Other data in the cell; what stands beside them stands beside the row."""
        row = self.row()
        known = any(str(c.key) == self.column for c in row.cells)
        cells = tuple(replace(c, value=value) if str(c.key) == self.column else c for c in row.cells)
        if not known:
            cells = (*cells, Entry(self.column, value.span, value))
        self.put_row(replace(row, cells=cells, marks=marks_over(marks, row.marks)))

    def remove(self, verb: Entry) -> bool:
        row = self.row()
        self.put_row(replace(row, cells=tuple(c for c in row.cells if str(c.key) != self.column)))
        return True

    def set(self, verb: Entry, marks: Marks) -> bool:
        self.work.game = self.work.sentences.back(self.work.game, self.address)
        self.put(verb.value, marks)
        return True

    def join(self, verb: Entry) -> bool:
        cell = self.cell()
        old = cell.value if cell is not None else Listed(verb.value.span, ())
        if isinstance(old, Mapping) or (isinstance(old, Scalar) and not isinstance(old.value, str)):
            return False
        self.put(self.joined_members(old, verb.value, verb.key == "add"), Marks())
        return True

    def wrap(self, verb: Entry, marks: Marks) -> bool:
        """Numbers and a formula are put into the text; a text of rules becomes an effect."""
        cell, value = self.cell(), verb.value
        if cell is None or not isinstance(value, Scalar):
            return False
        quiet = Sink()
        formula = parse_formula(value.mapped, quiet)
        if not isinstance(cell.value, Scalar):
            numbers = numbers_through(cell.value, formula, value.span) if formula is not None else None
            if numbers is not None:
                self.put(numbers, marks)
            return numbers is not None
        if formula is None:
            self.wrap_rules(cell.value, value, marks)
            return True
        old = cell.value.value
        number = folded_number(with_previous(formula, Int(old))) if isinstance(old, int) else None
        if number is not None:
            self.put(written(value, str(number), number), marks)
        else:
            self.tell_captures(formula, parse_formula(cell.value.mapped, quiet))
            self.put(spliced(value, formula, cell.value.mapped.text), marks)
        return True

    def wrap_rules(self, cell: Scalar, value: Scalar, marks: Marks) -> None:
        """The old text becomes an effect, in which the row is called by its name."""
        work = self.work
        rules, old = self.parse(parse_rules, value), self.parse(parse_rules, cell)
        if rules is None or old is None:
            return
        name = work.fresh_effect(f"{self.id}_{self.column}_before_{work.id}")
        body = rewrite(old, lambda n: Name(self.id, span=n.span) if isinstance(n, This) else None)
        text = spliced(value, rules, name, bare=True)
        if text.mapped.text != value.mapped.text:
            work.game = work.sentences.carried(work.game, self.address, f"effects.{name}")
            body = (*named_row(work.game, f"effects.{name}", self.id, cell.span), *body)
        work.put("effects", name, Routine(name, cell.span, (), (Step("", body, (), cell.span),)))
        self.put(text, marks)
