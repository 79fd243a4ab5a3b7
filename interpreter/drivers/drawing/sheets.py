"""What belongs to each player and to the table as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from interpreter.drivers.drawing.words import elements_of, field_name, fields_of, joined_line, repeated, table_elements
from interpreter.drivers.drawing.zones import Zones
from interpreter.drivers.layout import Line, Piece, fold_line, fold_pieces, line_width, pad_line, width
from interpreter.ir.ir_types import BOOL, NO_NUMBER, NOTHING


@dataclass(frozen=True, slots=True)
class Sheets(Zones):
    """Draws players and the table."""

    def player_entries(self, seat: int) -> list[tuple[Piece, ...]]:
        """One player's fields, each with its word."""
        entries: list[tuple[Piece, ...]] = []
        for v in self.in_order(fields_of(self.program, self.program.player_domain, owner="player")):
            var = self.program.vars[v]
            if self.is_hidden(var):
                continue
            label = self.label(field_name(var))
            if len(var.keys) > 1:
                entries.append((((f"{label} ", "dim")), (self._keyed(v, seat) or "none", "")))
                continue
            value = self.sight.value(v, seat)
            if var.domain >= 0 and value in (NOTHING, var.initial[seat]):
                continue
            if var.type == BOOL and value is not None:
                entries += [((label, ""),)] if value else []
                continue
            entries.append(((f"{label} ", "dim"), *self.painted(var, value)))
        return [*entries, *self.formula_entries(self.program.player_domain, seat)]

    def formula_entries(self, of: int, seat: int = -1) -> list[tuple[Piece, ...]]:
        """What functions that `show:` names come to: those of nothing (-1), of a player, or of each member of another type."""
        found: list[tuple[Piece, ...]] = []
        for name, entry in self.show.items():
            formula = entry.get("formula") if isinstance(entry, dict) else None
            if not isinstance(formula, dict) or self.is_off(name):
                continue
            label: Piece = (f"{self.label(name)} ", "dim")
            if formula["of"] == of:
                told = self._told(formula, () if of < 0 else (seat,))
                found += [((label, *told) if told else (label, ("–", "")))] if told is not None else []
            elif of < 0 and formula["of"] != self.program.player_domain:
                found += self._told_of_each(formula, label)
        return found

    def _told_of_each(self, formula: Mapping[str, int], label: Piece) -> list[tuple[Piece, ...]]:
        """A function's values for the members of a type that have one."""
        of = formula["of"]
        pieces: list[Piece] = []
        for member in range(len(self.program.domains[of].ids)):
            told = self._told(formula, (member,))
            if told is None:
                return []
            if told and told != (("0", ""),):
                name = self.name(of, member)
                pieces += [(", ", ""), (f"{name} ", ""), *told] if pieces else [(f"{name} ", ""), *told]
        return [(label, *(pieces or [("–", "")]))]

    def _told(self, formula: Mapping[str, int], args: tuple[int, ...]) -> tuple[Piece, ...] | None:
        """What a function comes to, in words; no words for nothing and false, None if it cannot be told."""
        value = self.sight.result(formula["f"], args)
        domain = formula["domain"]
        if value is None:
            return None
        if formula["set"]:
            members = [m for m in range(value.bit_length()) if value >> m & 1]
            return ((", ".join(self.name(domain, m) for m in members), ""),) if members else ()
        if domain == self.program.player_domain and 0 <= value < len(self.marks):
            return (*self.marks[value].pieces(), (f" {self.name(domain, value)}", ""))
        if domain >= 0:
            return ((self.name(domain, value), ""),) if value >= 0 else ()
        if formula["truth"]:
            return (("yes", ""),) if value else ()
        return ((str(value), ""),) if value != NO_NUMBER else ()

    def _keyed(self, v: int, seat: int) -> str:
        """A field with a key: in the letters of the board where `show:` gives the key symbols, else in names."""
        var = self.program.vars[v]
        inner = self.program.domains[var.keys[1]]
        letters = self.letters(inner)
        drawn = self.has_symbols(var.keys[1])
        found = [(key, self.sight.value(v, e)) for e, key in elements_of(self.program, var, seat, lambda d: d.names)]
        by_name = dict(zip(inner.names, letters, strict=True))
        if drawn:
            return " ".join(
                repeated(by_name.get(key, key), value) if isinstance(value, int) else f"{key}?"
                for key, value in found
                if value != 0
            )
        return ", ".join(f"{self.words(var, value)} {key}" for key, value in found if value != 0)

    def player_lines(self, room: int) -> list[Line]:
        """Each player's fields, below each other where all have the same, and cards."""
        domain = self.program.player_domain
        entries = [self.player_entries(seat) for seat in range(len(self.marks))]
        if len({len(e) for e in entries}) == 1:
            for column in range(len(entries[0])):
                wide = max(line_width(e[column]) for e in entries)
                for e in entries:
                    e[column] = pad_line(e[column], wide)
        names = [self.name(domain, seat) for seat in range(len(self.marks))]
        indent = max(12, *(width(n) + 5 for n in names))
        made: list[Line] = []
        for seat, mark in enumerate(self.marks):
            head = pad_line((*mark.pieces(), (mark.named(names[seat]), "strong")), indent)
            folded = fold_pieces(entries[seat], room - indent, "  ") + self.zone_lines(seat, room - indent) or [()]
            made += [(*head, *folded[0]), *[((" " * indent, ""), *rest) for rest in folded[1:]]]
        return made

    def table_lines(self, room: int) -> list[Line]:
        """Global fields and zones."""
        entries: list[tuple[Piece, ...]] = []
        for v in self.in_order(range(len(self.program.vars))):
            var = self.program.vars[v]
            if var.owner != "table" or self.is_hidden(var) or self._is_where(v):
                continue
            if var.truth:
                entries += self._truths(v)
            elif var.keys:
                shown = [
                    f"{key} {self.words(var, self.sight.value(v, e))}" for e, key in table_elements(self.program, var)
                ]
                entries.append(joined_line(f"{self.label(field_name(var))} ", shown))
            else:
                entries.append(((f"{self.label(field_name(var))} ", "dim"), *self.painted(var, self.sight.value(v, 0))))
        entries += self.formula_entries(-1)
        made = [part for text in fold_pieces(entries, room, "   ") for part in fold_line(text, room)]
        return made + self.zone_lines(-1, room)

    def _truths(self, v: int) -> list[tuple[Piece, ...]]:
        """A truth of the table as its word, and of several those that are true; nothing where none is."""
        var = self.program.vars[v]
        label = self.label(field_name(var))
        if not var.keys:
            value = self.sight.value(v, 0)
            return [((f"{label} ", "dim"), ("?", ""))] if value is None else [((label, ""),)] if value else []
        true = [key for e, key in table_elements(self.program, var) if self.sight.value(v, e)]
        return [((f"{label} ", "dim"), (", ".join(true), ""))] if true else []

    def _is_where(self, v: int) -> bool:
        return any(kind.where == v for kind in self.program.piece_types)
