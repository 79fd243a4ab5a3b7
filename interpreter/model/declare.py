"""Declarations: domains, fields, zones and columns out of a definition's `components`, `graphs` and tables.

In: a `Definition` and a `Config`. Out: a `Model` whose symbols exist and whose printed data is read; expressions (bounds, defaults,
cells with rules) are left to the checker, in `Pending`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from interpreter.model.dsl_types import (
    ANY_NUMBER,
    TRUTH,
    UNKNOWN,
    Effect,
    Formula,
    MapOf,
    Maybe,
    Member,
    Num,
    OrderOf,
    SetOf,
    Truth,
    Type,
    ZoneOf,
)
from interpreter.model.game_model import Config, Domain, Model, known_everywhere
from interpreter.model.grid_cells import cells_of
from interpreter.model.plurals import plural_forms, with_article
from interpreter.model.typed import ColumnSym, FieldSym, LocalSym, Visibility, ZoneSym
from interpreter.syntax import nodes as syn
from interpreter.syntax.definition import Definition, Row, TableDoc, ValueDoc
from interpreter.syntax.expr_parser import reserved_words
from interpreter.syntax.located import Entry, Located, Mapping, Scalar, Sequence
from interpreter.text.diagnostic import Related, Sink
from interpreter.text.limits import MEMBERS, PLAYERS, VALUES, ZONES, refuse
from interpreter.text.source import Span
from interpreter.text.suggest import nearest

IDENTIFIER = re.compile(r"[a-z_][a-z0-9_]*\Z")
BUILTIN_TYPES = ("player",)


@dataclass(frozen=True, slots=True)
class PendingCell:
    """A cell with rules or a formula: column, owner's row index (first copy), its YAML."""

    column: ColumnSym
    row: int
    row_id: str
    value: Scalar


@dataclass(slots=True)
class Pending:
    """What the expression checker still has to do."""

    members: list[tuple[FieldSym | ZoneSym | ColumnSym, syn.Member]] = field(default_factory=list)
    cells: list[PendingCell] = field(default_factory=list)
    value_types: dict[str, Type] = field(default_factory=dict)
    formulas: dict[ColumnSym, syn.FormulaTypeNode] = field(default_factory=dict)


def declare(definition: Definition, config: Config, sink: Sink) -> Declarations:
    """Makes the model's symbols. Problems go to `sink`; what could be understood is there all the same."""
    work = Declarations(definition, config, sink)
    work.run()
    return work


class Declarations:
    """Makes `model`; `pending` is what is left to do. Also reads types and values for the checker."""

    def __init__(self, definition: Definition, config: Config, sink: Sink) -> None:
        self.doc = definition
        self.config = config
        self.sink = sink
        self.model = Model(definition, config)
        self.pending = Pending()
        self.things: dict[str, syn.ThingDecl] = {}
        self.by_name: dict[str, int] = {}
        self.values_used: set[str] = set()
        self.sound = True

    def run(self) -> None:
        """Declares everything."""
        self._players()
        grids = self._grids()
        for decl in self.doc.components:
            if isinstance(decl, syn.EnumDecl):
                self._enum(decl)
            elif isinstance(decl, syn.ThingDecl):
                self._thing(decl, grids.get(decl.name))
        for thing, line in grids.items():
            if thing not in self.things:
                self._no_name(thing, line.span, "thing", tuple(self.things))
        for decl in self.doc.components:
            self._members(decl)
        self._seats_are_new()
        self.sound = not self.sink.has_errors
        used = {t for d in self.things.values() for t in self._table_names(d)}
        for name, table in self.doc.tables.items():
            if name not in used:
                wanted = (f for d in self.things.values() if not self._table_names(d) for f in _table_forms(d)[:1])
                self._no_name(name, table.span, "section or table", tuple(sorted({*used, *wanted})))
        for domain in list(self.model.domains):
            if domain.kind in ("thing", "piece"):
                self._rows(domain)

    # -------------------------------------------------------------- domains
    def _add(self, domain: Domain) -> Domain:
        self.model.domains.append(domain)
        if domain.kind not in ("choice", "line"):
            self.by_name[domain.name] = domain.index
        return domain

    def _players(self) -> None:
        count, names = self.config.players, []
        shown = self.doc.show.get("players") if self.doc.show else None
        if isinstance(shown, Sequence):
            names = [str(i.value) for i in shown.items if isinstance(i, Scalar)]
            self._names_fit(shown)
        ids = [
            n.lower() if i < len(names) and IDENTIFIER.match((n := names[i]).lower()) else f"p{i + 1}"
            for i in range(count)
        ]
        shown_names = [names[i].capitalize() if i < len(names) else f"Player {i + 1}" for i in range(count)]
        span = self.doc.players_span
        spans = [span] * count
        for seat in self.doc.seats.values():
            ids.append(seat.name)
            shown_names.append(self._text(seat.name))
            spans.append(seat.span)
        most = self.doc.players[1]
        if most + len(self.doc.seats) > PLAYERS.most:
            refuse(self.sink, spans[count + PLAYERS.most - most], PLAYERS, most + len(self.doc.seats))
        self._add(_domain(0, "player", "player", ids, shown_names, spans, span))

    def _names_fit(self, shown: Sequence) -> None:
        """Reports names of players that say nothing, stand twice, or are words of the language: each is a name of the rules as well."""
        seen: dict[str, Span] = {}
        for item in shown.items:
            if not isinstance(item, Scalar):
                continue
            name = str(item.value).lower()
            if not name.strip():
                self.sink.error("empty-value", item.span, "a player's name is empty")
            elif name in reserved_words():
                self.sink.error(
                    "word-is-taken",
                    item.span,
                    f"`{name}` is a word of the language",
                    label="taken",
                    help="choose another name for the player",
                )
            elif name in seen:
                self._twice(name, item.span, seen[name])
            seen.setdefault(name, item.span)

    def _seats_are_new(self) -> None:
        """Reports seats by script that bear the name of something else: bare names would mean that."""
        for seat in self.doc.seats.values():
            first = self._other_bearer(seat.name)
            if first is not None:
                span, what = first
                self.sink.error(
                    "duplicate-id",
                    seat.span,
                    f"`{seat.name}` is {what} already",
                    label="no name for a seat",
                    help="choose another name for the seat",
                    related=(Related(span, "has this name"),) if span is not None else (),
                )

    def _other_bearer(self, name: str) -> tuple[Span | None, str] | None:
        """What else a bare name means, and where that stands."""
        doc = self.doc
        if name in self.model.domains[0].ids[: self.config.players]:
            return doc.players_span, "a player"
        for domain in self.model.domains[1:]:
            if name in domain.ids:
                return domain.spans[domain.ids.index(name)], with_article(domain.name)
        for section, word in ((doc.functions, "a function"), (doc.values, "a value"), (doc.options, "an option")):
            if name in section:
                return section[name].span, word
        for symbol in (self.model.fields.get((None, name)), self.model.zones.get((None, name))):
            if symbol is not None:
                return symbol.span, "a field of the table"
        return (None, "a name of the language") if name in known_everywhere(self.model) else None

    def _text(self, name: str) -> str:
        text = self.doc.texts.get(name)
        if text is not None and all(isinstance(p, str) for p in text.parts):
            return "".join(str(p) for p in text.parts)
        return name.replace("_", " ").title()

    def _enum(self, decl: syn.EnumDecl) -> None:
        if not self._fresh(decl.name, decl.span):
            return
        spans = list(decl.member_spans) or [decl.span] * len(decl.members)
        self._unique(decl.members, spans, decl.name)
        self._add(
            _domain(
                len(self.model.domains),
                decl.name,
                "enum",
                list(decl.members),
                [self._text(m) for m in decl.members],
                spans,
                decl.span,
            )
        )

    def _fresh(self, name: str, span: Span) -> bool:
        if name in self.by_name:
            first = self.model.domains[self.by_name[name]].span
            self.sink.error(
                "duplicate-id",
                span,
                f"`{name}` is declared twice",
                label="second declaration",
                related=(Related(first, "first declaration"),),
            )
            return False
        return True

    def _unique(self, ids: tuple[str, ...], spans: list[Span], where: str) -> None:
        seen: dict[str, Span] = {}
        for name, span in zip(ids, spans, strict=True):
            if name in seen:
                self.sink.error(
                    "duplicate-id",
                    span,
                    f"`{name}` stands twice in `{where}`",
                    label="again here",
                    related=(Related(seen[name], "first here"),),
                )
            seen.setdefault(name, span)

    def _grids(self) -> dict[str, syn.Grid]:
        lines = (line for graph in self.doc.graphs.values() for line in graph.lines)
        return {line.thing: line for line in lines if isinstance(line, syn.Grid)}

    def _table_names(self, decl: syn.ThingDecl) -> tuple[str, ...]:
        if decl.tables:
            return decl.tables
        found = [n for n in _table_forms(decl) if n in self.doc.tables]
        return tuple(found[:1])

    def _thing(self, decl: syn.ThingDecl, grid: syn.Grid | None) -> None:
        if decl.kind not in ("thing", "piece"):
            self.sink.error(
                "no-such-name",
                decl.span,
                f"a component is a thing or a piece, not a `{decl.kind}`",
                help=_did_you_mean(nearest(decl.kind, ("thing", "piece"))),
            )
        if not self._fresh(decl.name, decl.span):
            return
        self.things[decl.name] = decl
        ids: list[str] = []
        names: list[str] = []
        design: list[int] = []
        copy: list[int] = []
        spans: list[Span] = []
        tables: dict[str, int] = {}
        filled: dict[str, Span] = {}
        count = 0
        cells = cells_of(grid, self.sink) if grid is not None else ()
        no_grid = grid is not None and not cells
        grid = grid if cells else None
        for cell in cells:
            ids.append(cell.id)
            names.append(self._text(cell.id) if cell.id in self.doc.texts else cell.id)
            design.append(len(design))
            copy.append(1)
            spans.append(grid.span if grid is not None else decl.span)
        for table_name in self._table_names(decl):
            table = self.doc.tables.get(table_name)
            if table is None:
                self._no_name(table_name, decl.span, "table", tuple(self.doc.tables))
                continue
            if grid is not None:
                self._rows_are_cells(table, grid, tuple(ids), filled)
                if decl.tables:
                    tables[table_name] = sum(1 << ids.index(row.id) for row in table.rows if row.id in ids)
                continue
            first_of_table = len(ids)
            for row in table.rows:
                copies = self._copies(row)
                count += copies
                if count > MEMBERS.most:
                    continue
                first = len(ids)
                for k in range(copies):
                    ids.append(row.id if copies == 1 else f"{row.id}_{k + 1}")
                    names.append(self._text(row.id))
                    design.append(first)
                    copy.append(k + 1)
                    spans.append(row.span)
            tables[table_name] = ((1 << len(ids)) - 1) ^ ((1 << first_of_table) - 1)
        if not ids and not no_grid:
            plural = decl.plural or plural_forms(decl.name)[0]
            self.sink.error(
                "no-rows",
                decl.span,
                f"nothing says which {plural} there are",
                help=f"add a table `{plural}:` with a row for each",
            )
        plural = decl.plural or plural_forms(decl.name)[0]
        full = (1 << len(ids)) - 1
        tables.setdefault(plural, full)
        if count > MEMBERS.most:
            refuse(self.sink, decl.span, MEMBERS, count)
            return
        self._unique_rows(ids, spans)
        self._add(
            Domain(
                len(self.model.domains),
                decl.name,
                decl.kind if decl.kind in ("thing", "piece") else "thing",
                tuple(ids),
                tuple(names),
                tuple(design),
                tuple(copy),
                tuple(spans),
                tables,
                span=decl.span,
                rows=tuple(cell.row for cell in cells),
                columns=tuple(cell.column for cell in cells),
            )
        )

    def _rows_are_cells(self, table: TableDoc, grid: syn.Grid, ids: tuple[str, ...], filled: dict[str, Span]) -> None:
        """Reports the rows of a grid's table that are none of its cells, and cells with copies: what a grid's table can do is to print
        something on its cells."""
        strange = [row for row in table.rows if row.id not in ids]
        if strange:
            first = strange[0]
            rest = len(strange) - 1
            more = f", nor {'is 1 other row' if rest == 1 else f'are {rest} other rows'}" if rest else ""
            near = nearest(first.id, ids)
            self.sink.error(
                "no-such-name",
                first.span,
                f"`{first.id}` is no cell of this grid{more}",
                help=f"did you mean `{near}`?"
                if near
                else f"a row here prints something on a cell, `{ids[0]}` to `{ids[-1]}`; what is no cell is another type",
                related=(Related(grid.span, "the grid names the cells"),),
                address=table.name,
            )
        for row in table.rows:
            if row.copies is not None:
                self.sink.error("bad-copies", row.copies.span, "a cell of a grid has no copies")
            if row.id in filled:
                self._twice(row.id, row.span, filled[row.id])
            filled[row.id] = row.span

    def _unique_rows(self, ids: list[str], spans: list[Span]) -> None:
        seen: dict[str, Span] = {}
        for name, span in zip(ids, spans, strict=True):
            if name in seen and seen[name] is not span:
                self._twice(name, span, seen[name])
            seen.setdefault(name, span)

    def _twice(self, name: str, span: Span, first: Span) -> None:
        self.sink.error(
            "duplicate-id",
            span,
            f"`{name}` is defined twice",
            label="second definition",
            related=(Related(first, "first definition"),),
        )

    def _copies(self, row: Row) -> int:
        match row.copies:
            case None:
                return 1
            case Scalar(value="each player"):
                return self.model.seats
            case Scalar(value=bool()):
                pass
            case Scalar(value=int(n)) if 1 <= n <= 200:
                return n
            case Mapping() as node:
                value = self._by_players(node)
                if isinstance(value, Scalar) and isinstance(value.value, int):
                    return max(1, value.value)
        self.sink.error(
            "bad-copies",
            row.copies.span,
            "copies are a number from 1 to 200, or `each player`",
        )
        return 1

    # -------------------------------------------------------------- types
    def type_of(self, node: syn.TypeNode, address: str) -> Type:
        """The type a type text means; unknown names are reported."""
        match node:
            case syn.NamedType(name=name):
                return self._named(name, node.span)
            case syn.RangeType():
                low, high = self.constant(node.low), self.constant(node.high)
                if low is not None and high is not None and low > high:
                    self.sink.error(
                        "empty-range", node.span, f"the range {low}..{high} is empty", help=f"write `{high}..{low}`"
                    )
                    low, high = high, low  # as it is meant, for what follows
                return Num(low if low is not None else ANY_NUMBER.lo, high if high is not None else ANY_NUMBER.hi)
            case syn.ChoiceType(words=words):
                return self._choice(words, node.span, address)
            case syn.EffectTypeNode(optional=optional):
                return Maybe(Effect()) if optional else Effect()
            case syn.FormulaTypeNode():
                return Formula(tuple(self.type_of(p.type, address) for p in node.params), UNKNOWN)
            case syn.SetTypeNode(key=key):
                kind = self.type_of(key, address)
                return SetOf(kind) if isinstance(kind, Num | Member) else UNKNOWN
            case syn.ZoneTypeNode(kind="order", name=name):
                kind = self._named(name, node.span)
                return OrderOf(kind) if isinstance(kind, Member) else UNKNOWN
            case syn.ZoneTypeNode():
                kind = self._named(node.name, node.span)
                return ZoneOf(node.kind, kind) if isinstance(kind, Member) else UNKNOWN
            case syn.MapTypeNode(value=value, key=key):
                inner, outer = self.type_of(value, address), self.type_of(key, address)
                return MapOf(outer, inner) if isinstance(outer, Num | Member) else UNKNOWN

    def _named(self, name: str, span: Span) -> Type:
        if name in self.by_name:
            return Member(self.by_name[name])
        self._no_name(name, span, "type", tuple(self.by_name))
        return UNKNOWN

    def _choice(self, words: tuple[str, ...], span: Span, address: str) -> Type:
        if set(words) == {"true", "false"}:
            return TRUTH
        if words[-1] == "nothing" and len(words) == 2 and words[0] in self.by_name:
            return Maybe(Member(self.by_name[words[0]]))
        plain = tuple(w for w in words if w != "nothing")
        if len(plain) == 1:
            self._no_name(plain[0], span, "type", tuple(self.by_name))
            return UNKNOWN
        twice = next((w for i, w in enumerate(words) if w in words[:i]), None)
        if twice is not None:
            self.sink.error("duplicate-id", span, f"`{twice}` stands twice in this type", label="the same word again")
        for domain in self.model.domains:
            if domain.kind == "choice" and domain.ids == plain:
                break
        else:
            index = len(self.model.domains)
            domain = self._add(
                _domain(
                    index, address, "choice", list(plain), [self._text(w) for w in plain], [span] * len(plain), span
                )
            )
        return Maybe(Member(domain.index)) if "nothing" in words else Member(domain.index)

    def constant(self, node: syn.Expr) -> int | None:
        """A number known from the text alone: a literal or the name of a value; else None."""
        match node:
            case syn.Int(value=value):
                return value
            case syn.Negate(value=inner):
                positive = self.constant(inner)
                return None if positive is None else -positive
            case syn.Name(id="player_count"):
                return self.config.players
            case syn.Name(id=name) if name in self.doc.values:
                found = self.value(self.doc.values[name])
                return (
                    found.value
                    if isinstance(found, Scalar) and isinstance(found.value, int) and not isinstance(found.value, bool)
                    else None
                )
            case _:
                return None

    def value(self, doc: ValueDoc) -> Located | None:
        """What a named value is at this player count; it is used from now on."""
        self.values_used.add(doc.name)
        if doc.by_players is None:
            return doc.value
        return self._pick_count(doc.by_players, doc.span)

    def _by_players(self, node: Mapping) -> Located | None:
        inner = node.get("by players")
        return self._pick_count(inner, node.span) if isinstance(inner, Mapping) else None

    def _pick_count(self, node: Mapping, span: Span) -> Located | None:
        for entry in node.entries:
            self._count_fits(entry)
        found = node.get(self.config.players)
        if found is None:
            self.sink.error(
                "no-value-for-count",
                span,
                f"no value for {self.config.players} players",
                help=f"add `{self.config.players}:` to `by players`",
            )
        return found

    def _count_fits(self, entry: Entry) -> None:
        """Reports a key of `by players` that is no number of players of this game. What a mod leaves over by changing how many play is
        no slip."""
        merged = self.doc.merged
        ranges = (self.doc.players, merged.base.players if merged is not None else self.doc.players)
        if not isinstance(entry.key, int):
            self.sink.error(
                "bad-players",
                entry.key_span,
                f"`{entry.key}` is no number of players",
                help="take the quotes away"
                if entry.key.isdigit()
                else "the keys of `by players` are plain numbers, as in `{2: 5, 3: 4}`",
            )
        elif not any(low <= entry.key <= high for low, high in ranges):
            low, high = self.doc.players
            told = f"{low}" if low == high else f"{low}..{high}"
            self.sink.warning(
                "bad-players",
                entry.key_span,
                f"`{entry.key}` is never the number of players, which is {told}",
                label="never used",
            )

    # -------------------------------------------------------------- members
    def _members(self, decl: syn.Decl) -> None:
        match decl:
            case syn.ThingDecl(name=name) | syn.EachHas(name=name):
                if name not in self.by_name:
                    if isinstance(decl, syn.EachHas):
                        self._no_name(name, decl.span, "type", tuple(self.by_name))
                    return
                owner: int | None = self.by_name[name]
                prefix = f"components.{name}"
            case syn.TableHas():
                owner, prefix = None, "components.table"
            case syn.EnumDecl():
                return
        for member in decl.members:
            spans = member.name_spans or (member.span,) * len(member.names)
            for name, span in zip(member.names, spans, strict=True):
                self._member(owner, prefix, name, member, span)

    def _member(self, owner: int | None, prefix: str, name: str, member: syn.Member, span: Span) -> None:
        address = f"{prefix}.{name}"
        for known in (
            self.model.fields.get((owner, name)),
            self.model.zones.get((owner, name)),
            self.model.columns.get((owner, name)) if owner is not None else None,
        ):
            if known is not None:
                self.sink.error(
                    "duplicate-id",
                    span,
                    f"`{name}` is declared twice here",
                    label="second declaration",
                    related=(Related(known.span, "first declaration"),),
                )
                return
        traits = {t.kind: t for t in member.traits}
        visibility = self._visibility(traits.get("seen"))
        kind_node, keys = _peel(member.type)
        key_types = tuple(self.type_of(k, address) for k in keys)
        width = _product(self._key_count(k) for k in key_types)
        width *= 1 if owner is None else self.model.domains[owner].size
        if width > VALUES.most:
            refuse(self.sink, member.type.span, VALUES, width)
            return
        if member.printed:
            self._column(owner, address, name, member, span)
            return
        if isinstance(kind_node, syn.ZoneTypeNode) and kind_node.kind != "order":
            piece = self._named(kind_node.name, kind_node.span)
            if not isinstance(piece, Member):
                return
            if self.model.domains[piece.domain].kind != "piece":
                self.sink.error(
                    "not-a-piece",
                    kind_node.span,
                    f"a {kind_node.kind} holds pieces, and `{kind_node.name}` is a {self.model.domains[piece.domain].kind}",
                    help=f"declare `{kind_node.name} is a piece`",
                )
                return
            size, slot_key = self._slots(kind_node)
            refilled = traits.get("refilled")
            zone = ZoneSym(
                address,
                name,
                owner,
                kind_node.kind,
                piece.domain,
                size,
                visibility if visibility is not None else "size" if kind_node.kind == "deck" else "everyone",
                span,
                refilled.value.id if refilled is not None and isinstance(refilled.value, syn.Name) else None,
                key_types,
                slot_key,
            )
            self.model.zones[owner, name] = zone
            self.pending.members.append((zone, member))
            return
        kind = self.type_of(kind_node, address)
        if isinstance(kind, Formula):
            self.sink.error("bad-type", span, "a formula stands in a printed column", help="write `printed` before it")
            return
        this = None if owner is None else LocalSym("this", Member(owner), span)
        gained, paid = traits.get("gained"), traits.get("paid")
        symbol = FieldSym(
            address,
            name,
            owner,
            key_types,
            kind,
            visibility if visibility is not None else "everyone",
            span,
            this,
            gained.value.id if gained is not None and isinstance(gained.value, syn.Name) else None,
            paid is not None,
            member.cite,
        )
        self.model.fields[owner, name] = symbol
        self.pending.members.append((symbol, member))

    def _slots(self, node: syn.ZoneTypeNode) -> tuple[int, Type | None]:
        """How many slots a row has, and the type whose members name them."""
        if node.size is None:
            return 0, None
        if isinstance(node.size, syn.Name) and node.size.id in self.by_name:
            index = self.by_name[node.size.id]
            return self.model.domains[index].size, Member(index)
        size = self.constant(node.size)
        if size is None or size < 1:
            self.sink.error("bad-type", node.size.span, "a row has a number of slots, or one for each member of a type")
        elif size > ZONES.most:
            refuse(self.sink, node.size.span, ZONES, size)
            return 1, None
        return size or 1, None

    def _visibility(self, trait: syn.Trait | None) -> Visibility | None:
        """What `seen by` says; None where nothing is said."""
        if trait is None:
            return None
        word = trait.value.id if isinstance(trait.value, syn.Name) else ""
        match word:
            case "everyone" | "owner" | "nobody" | "size":
                return word
        near = nearest(word, ("everyone", "owner", "nobody", "size"))
        self.sink.error("no-such-name", trait.span, f"no audience named `{word}`", help=_did_you_mean(near))
        return None

    def _column(self, owner: int | None, address: str, name: str, member: syn.Member, span: Span) -> None:
        if owner is None or self.model.domains[owner].kind == "player":
            self.sink.error(
                "bad-type",
                span,
                "only the rows of a table have printed columns",
                help="write the value under `values:` instead",
            )
            return
        kind_node, keys = _peel(member.type)
        kind = self.type_of(kind_node, address)
        symbol = ColumnSym(address, name, owner, tuple(self.type_of(k, address) for k in keys), kind, span)
        if isinstance(kind_node, syn.FormulaTypeNode):
            self.pending.formulas[symbol] = kind_node
        self.model.columns[owner, name] = symbol
        self.pending.members.append((symbol, member))

    # -------------------------------------------------------------- rows
    def _table_rows(self, domain: Domain) -> Iterator[tuple[TableDoc, Row]]:
        for name in self._table_names(self.things[domain.name]):
            table = self.doc.tables.get(name)
            if table is not None:
                for row in table.rows:
                    yield table, row

    def _rows(self, domain: Domain) -> None:
        columns = {name: c for (owner, name), c in self.model.columns.items() if owner == domain.index}
        defaults = {c: m for c, m in self.pending.members if isinstance(c, ColumnSym)}
        widths = {c: _product(self._key_count(k) for k in c.keys) for c in columns.values()}
        values = {c: [UNSET] * (domain.size * width) for c, width in widths.items()}
        index = 0
        for table, row in self._table_rows(domain):
            if domain.rows:
                if row.id not in domain.ids:
                    continue  # told already
                index = domain.ids.index(row.id)
            copies = 1 if domain.rows else self._copies(row)
            cells = {str(e.key): e for e in row.cells}
            for key, entry in cells.items():
                if key not in columns:
                    kinds = "a field of state, which is no column" if (domain.index, key) in self.model.fields else ""
                    self.sink.error(
                        "no-such-column",
                        entry.key_span,
                        f"`{domain.name}` has no column `{key}`",
                        label=kinds or "not a column",
                        help=_did_you_mean(nearest(key, tuple(columns))),
                        address=f"{table.name}.{row.id}",
                    )
            for name, column in columns.items():
                filled = cells.get(name)
                member = defaults[column]
                misspelt = any(k not in columns and nearest(k, tuple(columns)) == name for k in cells)
                if filled is None and member.default is None and not misspelt:
                    self.sink.error(
                        "missing-column",
                        row.span,
                        f"row `{row.id}` does not fill the column `{name}`",
                        label="missing here",
                        help=f"add `{name}: …`, or give the column a default",
                        related=(Related(column.span, "the column is declared here"),),
                        address=f"{table.name}.{row.id}",
                    )
                cell = self._cell(column, index, row.id, filled.value if filled is not None else None)
                width = widths[column]
                values[column][index * width : (index + copies) * width] = cell * copies
            index += copies
        if domain.rows:
            self._bare_cells(domain, [c for c in columns.values() if defaults[c].default is None])
        for column, found in values.items():
            self.model.column_values[column] = tuple(found)

    def _bare_cells(self, domain: Domain, columns: list[ColumnSym]) -> None:
        """Reports columns without a default that some cells of a grid have no row to fill."""
        filled = {row.id for _, row in self._table_rows(domain)}
        bare = [id_ for id_ in domain.ids if id_ not in filled]
        for column in columns if bare else ():
            rest = len(bare) - 1
            others = " has" if not rest else f" and {rest} other cell{'s' if rest > 1 else ''} have"
            table = self.things[domain.name].plural or plural_forms(domain.name)[0]
            self.sink.error(
                "missing-column",
                column.span,
                f"`{bare[0]}`{others} no `{column.name}`",
                help=f"give the column a default, or each cell a row in `{table}:`",
            )

    def _cell(self, column: ColumnSym, row: int, row_id: str, node: Located | None) -> list[int]:
        """Values of one cell, one for each combination of keys; UNSET where the default is to be used."""
        width = _product(self._key_count(k) for k in column.keys)
        if node is None:
            return [UNSET] * width
        if isinstance(node, Mapping) and "by players" in {e.key for e in node.entries}:
            chosen = self._by_players(node)
            return [UNSET] * width if chosen is None else self._cell(column, row, row_id, chosen)
        if not column.keys:
            return [self.cell_value(column, column.type, row, row_id, node)]
        found = [UNSET] * width
        key, rest = column.keys[0], column.keys[1:]
        inner = ColumnSym(column.address, column.name, column.owner, rest, column.type, column.span)
        step = width // max(1, self._key_count(key))
        match node:
            case Mapping():
                for entry in node.entries:
                    at = self.key_index(key, entry.key, entry.key_span)
                    if at is not None:
                        found[at * step : (at + 1) * step] = self._cell(
                            inner if rest else _without_keys(column), row, row_id, entry.value
                        )
            case Sequence():
                if len(node.items) != self._key_count(key):
                    self.sink.error(
                        "wrong-count",
                        node.span,
                        f"expected {self._key_count(key)} values, found {len(node.items)}",
                        address=f"{row_id}.{column.name}",
                    )
                for at, item in enumerate(node.items[: self._key_count(key)]):
                    found[at * step : (at + 1) * step] = self._cell(
                        inner if rest else _without_keys(column), row, row_id, item
                    )
            case Scalar():
                value = self._cell(inner if rest else _without_keys(column), row, row_id, node)
                found = value * self._key_count(key)
        return found

    def _key_count(self, key: Type) -> int:
        return key.hi - key.lo + 1 if isinstance(key, Num) else self.model.size_of(key)

    def key_index(self, key: Type, word: str | int, span: Span) -> int | None:
        """Position of a written key among the keys of a map; reported and None if there is none."""
        match key:
            case Num(lo, hi):
                if isinstance(word, int) and lo <= word <= hi:
                    return word - lo
                self.sink.error("out-of-range", span, f"the key {word} is not within {lo}..{hi}")
                return None
            case Member(index):
                domain = self.model.domains[index]
                if word in domain.ids:
                    return domain.ids.index(str(word))
                self._no_name(str(word), span, domain.name, domain.ids)
                return None
            case _:
                return None

    def cell_value(self, column: ColumnSym, kind: Type, row: int, row_id: str, node: Located) -> int:
        """One printed value as a number (a set as a mask); mistakes are reported and give a harmless value."""
        where = f"{row_id}.{column.name}"
        if isinstance(kind, Effect | Formula) or (isinstance(kind, Maybe) and isinstance(kind.of, Effect)):
            if isinstance(node, Scalar) and node.value == "nothing":
                return -1
            if isinstance(node, Scalar):
                self.pending.cells.append(PendingCell(column, row, row_id, node))
                return len(self.pending.cells) - 1
            self.sink.error("wrong-type", node.span, "expected a rule as text", address=where)
            return -1
        match kind, node:
            case Maybe(of=inner), Scalar(value="nothing") if not isinstance(inner, Num):
                return -1
            case Maybe(of=inner), _:
                return self.cell_value(column, inner, row, row_id, node)
            case Truth(), Scalar(value=bool(b)):
                return int(b)
            case Num(lo, hi), Scalar(value=int(n)) if not isinstance(n, bool):
                if not lo <= n <= hi:
                    self.sink.error(
                        "out-of-range",
                        node.span,
                        f"{n} is not within {lo}..{hi}",
                        label=f"`{column.name}` goes from {lo} to {hi}",
                        related=(Related(column.span, "declared here"),),
                        address=where,
                    )
                    return lo
                return n
            case Num(), Scalar(value=str(word)) if word in self.doc.values:
                found = self.value(self.doc.values[word])
                return self.cell_value(column, kind, row, row_id, found) if found is not None else 0
            case Member(index), Scalar(value=str(word)):
                return self._member_index(index, word, node.span, where)
            case SetOf(of=inner), Sequence():
                mask = 0
                for item in node.items:
                    value = self.cell_value(column, inner, row, row_id, item)
                    mask |= 1 << value if value >= 0 else 0
                self._unique_items(node, where)
                return mask
            case SetOf(of=inner), Scalar(value=str(word)) if word not in ("{}",):
                value = self.cell_value(column, inner, row, row_id, node)
                return 1 << value if value >= 0 else 0
            case SetOf(), Mapping() if not node.entries:
                return 0
            case _, _ if kind == UNKNOWN:
                return 0
        self.sink.error(
            "wrong-type",
            node.span,
            f"expected {describe(self.model, kind)}, found {_found(node)}",
            label=f"`{column.name}` is {describe(self.model, kind)}",
            help="take the quotes away"
            if kind == TRUTH and isinstance(node, Scalar) and node.value in ("true", "false")
            else "",
            related=(Related(column.span, "declared here"),),
            address=where,
        )
        return 0

    def _unique_items(self, node: Sequence, where: str) -> None:
        seen: set[object] = set()
        for item in node.items:
            if isinstance(item, Scalar):
                if item.value in seen:
                    told = f"`{item.value}` stands twice in the set"
                    self.sink.warning("duplicate-id", item.span, told, address=where)
                seen.add(item.value)

    def _member_index(self, index: int, word: str, span: Span, where: str) -> int:
        domain = self.model.domains[index]
        if word in domain.ids:
            return domain.ids.index(word)
        for i, design in enumerate(domain.design):
            if i == design and domain.ids[i].rsplit("_", 1)[0] == word and domain.copy[i] == 1:
                return i
        self._no_name(word, span, domain.name if domain.kind != "choice" else "word", domain.ids, where)
        return 0

    def _no_name(self, name: str, span: Span, kind: str, near: tuple[str, ...], address: str = "") -> None:
        self.sink.error(
            "no-such-name", span, f"no {kind} named `{name}`", help=_did_you_mean(nearest(name, near)), address=address
        )


UNSET = -(2**31)


def _table_forms(decl: syn.ThingDecl) -> tuple[str, ...]:
    """What the table of a thing may be called, likeliest first."""
    return (decl.plural,) if decl.plural else plural_forms(decl.name)


def _did_you_mean(word: str | None) -> str:
    return f"did you mean `{word}`?" if word else ""


def _without_keys(column: ColumnSym) -> ColumnSym:
    return ColumnSym(column.address, column.name, column.owner, (), column.type, column.span)


def _peel(node: syn.TypeNode) -> tuple[syn.TypeNode, tuple[syn.NamedType | syn.RangeType, ...]]:
    """A map type's value type and its keys, outermost first."""
    keys: list[syn.NamedType | syn.RangeType] = []
    while isinstance(node, syn.MapTypeNode):
        keys.insert(0, node.key)
        node = node.value
    return node, tuple(keys)


def _product(sizes: Iterator[int]) -> int:
    total = 1
    for size in sizes:
        total *= size
    return total


def _domain(
    index: int, name: str, kind: str, ids: list[str], names: list[str], spans: list[Span], span: Span
) -> Domain:
    count = len(ids)
    return Domain(
        index, name, kind, tuple(ids), tuple(names), tuple(range(count)), (1,) * count, tuple(spans), span=span
    )


def _found(node: Located) -> str:
    match node:
        case Scalar(value=bool(b)):
            return f"`{str(b).lower()}`"
        case Scalar(value=None):
            return "nothing at all"
        case Scalar(value=value):
            return f"`{value}`"
        case Sequence():
            return "a list"
        case Mapping():
            return "a mapping"


def describe(model: Model, kind: Type) -> str:
    """A type in words, for messages."""
    match kind:
        case Num(lo, hi):
            if lo == hi:
                return f"the number {lo}"
            return "a number" if lo <= ANY_NUMBER.lo or hi >= ANY_NUMBER.hi else f"a number within {lo}..{hi}"
        case Truth():
            return "true or false"
        case Member(index):
            domain = model.domains[index]
            return " or ".join(f"`{i}`" for i in domain.ids) if domain.kind == "choice" else with_article(domain.name)
        case Maybe(of=inner):
            return f"{describe(model, inner)} or nothing"
        case SetOf(of=inner):
            return f"a set of {_plural(model, inner)}"
        case OrderOf(of=inner):
            return f"an order of {_plural(model, inner)}"
        case Effect():
            return "an effect"
        case MapOf(key, value):
            return f"{describe(model, value)} for each {_noun(model, key)}"
        case Formula():
            return "a formula"
        case _ if kind.__class__.__name__ == "ZoneOf":
            return f"a {getattr(kind, 'kind', 'zone')}"
        case _ if kind.__class__.__name__ == "Holder":
            return "the table"
        case _ if kind.__class__.__name__ == "Graph":
            return "a graph"
        case _ if kind.__class__.__name__ == "Absent":
            return "nothing"
        case _:
            return "something unknown"


def _noun(model: Model, kind: Type) -> str:
    return model.domains[kind.domain].name if isinstance(kind, Member) else "number"


def _plural(model: Model, kind: Type) -> str:
    noun = _noun(model, kind)
    return plural_forms(noun)[0]
