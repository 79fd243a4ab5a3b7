"""From reductions of the grammar to the nodes of `nodes.py`.

In: for each rule of `grammar.lark` the list of its parts, all words included, an absent `[...]` as holes. Out: nodes with exact spans.
The parser calls the method named like the rule (or its alias) with that list, bottom up, so nothing here is recursive. A method returns
a node, a tuple of nodes, or one of the small records below for parts that are no node of their own. The span of a statement that
opens a block ends before the block. Nothing is checked here but the shape.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal, cast

from interpreter.syntax.nodes import (
    After,
    Allocate,
    Amount,
    Arith,
    Arm,
    Assign,
    At,
    AtOnce,
    Binder,
    Branch,
    CallOf,
    Can,
    Change,
    ChoiceType,
    Choose,
    Compare,
    Deal,
    Decl,
    Draw,
    EachHas,
    Edges,
    EffectTypeNode,
    Either,
    ElseValue,
    End,
    EnumDecl,
    Expr,
    FieldOf,
    Fold,
    ForEach,
    FormulaTypeNode,
    Func,
    Gain,
    GraphLine,
    Grid,
    Have,
    If,
    IfElse,
    Int,
    IsIn,
    Key,
    LetStmt,
    Logic,
    MapTypeNode,
    May,
    Me,
    Member,
    Modifier,
    MoveCount,
    MovePiece,
    Name,
    Named,
    NamedType,
    Negate,
    Node,
    Not,
    Nothing,
    Option,
    Param,
    Pay,
    Perform,
    Pick,
    Put,
    Quantity,
    Query,
    QuerySource,
    RangeOf,
    RangeType,
    Remove,
    Repeat,
    RepeatWhile,
    Require,
    SetOf,
    SetTypeNode,
    Statement,
    Stmt,
    TableHas,
    ThingDecl,
    This,
    Trait,
    TriggerNode,
    Truth,
    Try,
    Turns,
    TypeNode,
    TypeText,
    Unit,
    When,
    Window,
    ZoneTypeNode,
)
from interpreter.text.source import MappedText, Span


@dataclass(frozen=True, slots=True, eq=False)
class Word:
    """One word of a DSL text: its terminal's name, its letters, and where it begins and ends in that text.

    `line` and `column` are what the parser's library wants to copy; nobody reads them.
    """

    type: str
    value: str
    start_pos: int
    end_pos: int
    text: MappedText = field(repr=False)
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1

    @property
    def span(self) -> Span:
        """Where the word stands in the file."""
        return self.text.span(self.start_pos, self.end_pos)

    def part(self, start: int) -> Span:
        """The span of the word from its character `start` on."""
        return self.text.span(self.start_pos + start, self.end_pos)


Cites = tuple[str, ...]


class Misshapen(Exception):
    """A sentence that the grammar lets pass although it says nothing: code, place, message and remedy."""

    def __init__(self, code: str, span: Span, message: str, help: str) -> None:
        super().__init__(message)
        self.code = code
        self.span = span
        self.message = message
        self.help = help


@dataclass(frozen=True, slots=True)
class Names:
    """A list of names with their words."""

    words: tuple[Word, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The names alone."""
        return tuple(w.value for w in self.words)

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where each stands."""
        return tuple(w.span for w in self.words)


@dataclass(frozen=True, slots=True)
class Block:
    """What follows a colon, and the clauses cited on the line of the colon."""

    body: tuple[Stmt, ...]
    cite: Cites


@dataclass(frozen=True, slots=True)
class FuncBody:
    """What follows a function's `=`."""

    arms: tuple[Arm, ...]
    value: Expr
    cite: Cites


@dataclass(frozen=True, slots=True)
class Members:
    """The lines of a declaration, and the clauses cited on its first line."""

    members: tuple[Member, ...]
    cite: Cites


@dataclass(frozen=True, slots=True)
class CitedExpr:
    """A formula with the clauses behind it."""

    value: Expr
    cite: Cites


Part = Word | Node | Names | Block | FuncBody | Members | CitedExpr | tuple["Part", ...] | Cites | None
Parts = list[Part]


def _first(part: object) -> Span | None:
    match part:
        case Word() | Node():
            return part.span
        case Names():
            return part.words[0].span
        case tuple():
            for item in part:
                if (found := _first(item)) is not None:
                    return found
    return None


def _last(part: object) -> Span | None:
    match part:
        case Word() | Node():
            return part.span
        case Names():
            return part.words[-1].span
        case tuple():
            for item in reversed(part):
                if (found := _last(item)) is not None:
                    return found
    return None


def _span(parts: Parts) -> Span:
    """From the first part with a place to the last; blocks, citations and holes have none."""
    first = next(s for p in parts if (s := _first(p)) is not None)
    last = next(s for p in reversed(parts) if (s := _last(p)) is not None)
    return Span(first.source, first.start, last.end)


def _expr(part: Part) -> Expr:
    return cast(Expr, part)


def _expr_or_none(part: Part) -> Expr | None:
    return cast("Expr | None", part)


def _text(part: Part) -> str:
    return cast(Word, part).value


def _prompt(part: Part) -> str | None:
    return None if part is None else cast(Word, part).value[1:-1]


def _cites(part: Part) -> Cites:
    return cast(Cites, part)


def _block(part: Part) -> Block:
    return cast(Block, part)


def _joined(*cites: Cites) -> Cites:
    """All clauses in order, each once."""
    return tuple(dict.fromkeys(c for group in cites for c in group))


def _cited(statement: Stmt, cite: Cites) -> Stmt:
    return replace(statement, cite=_joined(statement.cite, cite)) if cite else statement


def _statements(parts: Iterable[Part]) -> tuple[Stmt, ...]:
    """Statements and tuples of them, flat; words between them are left out."""
    flat: list[Stmt] = []
    for part in parts:
        if isinstance(part, tuple):
            flat.extend(cast("tuple[Stmt, ...]", part))
        elif isinstance(part, Statement):
            flat.append(cast(Stmt, part))
    return tuple(flat)


class TreeBuilder:
    """One method a rule of the grammar. It has no state."""

    # -------------------------------------------------------------- whole texts
    def components(self, parts: Parts) -> tuple[Decl, ...]:
        return cast("tuple[Decl, ...]", tuple(parts))

    def graph(self, parts: Parts) -> tuple[GraphLine, ...]:
        return cast("tuple[GraphLine, ...]", tuple(parts))

    def functions(self, parts: Parts) -> tuple[Func, ...]:
        return cast("tuple[Func, ...]", tuple(parts))

    def rules(self, parts: Parts) -> tuple[Stmt, ...]:
        return _statements(parts)

    def formula(self, parts: Parts) -> CitedExpr:
        return CitedExpr(_expr(parts[0]), _cites(parts[1]))

    def taken(self, parts: Parts) -> TypeText:
        return TypeText(cast(TypeNode, parts[0]), _expr_or_none(parts[2]), span=_span(parts[:-1]))

    def trigger(self, parts: Parts) -> TriggerNode:
        return cast(TriggerNode, parts[0])

    def modifier(self, parts: Parts) -> Modifier:
        return replace(cast(Modifier, parts[0]), cite=_cites(parts[1]))

    def options(self, parts: Parts) -> Either:
        return self._choice(parts[::2], _span([cast("tuple[Option, Cites]", parts[0])[0]]))

    # -------------------------------------------------------------- components
    def enum_decl(self, parts: Parts) -> EnumDecl:
        names = cast(Names, parts[4])
        return EnumDecl(_text(parts[0]), names.texts, _cites(parts[5]), names.spans, span=_span(parts[:5]))

    def thing_decl(self, parts: Parts) -> ThingDecl:
        name, _, _, kind, _, _, plural, _, tables, members = parts
        lines = cast(Members, members)
        return ThingDecl(
            _text(name),
            _text(kind),
            _text(plural) if plural else None,
            cast(Names, tables).texts if tables else (),
            lines.members,
            lines.cite,
            span=_span(parts),
        )

    def each_has(self, parts: Parts) -> EachHas:
        return EachHas(_text(parts[1]), self._with_header(cast(Members, parts[3])), span=_span(parts))

    def table_has(self, parts: Parts) -> TableHas:
        return TableHas(self._with_header(cast(Members, parts[3])), span=_span(parts))

    def _with_header(self, lines: Members) -> tuple[Member, ...]:
        """These declarations have no clauses of their own: what is cited on their first line goes to each member."""
        if not lines.cite:
            return lines.members
        return tuple(replace(m, cite=_joined(m.cite, lines.cite)) for m in lines.members)

    def members(self, parts: Parts) -> Members:
        if isinstance(parts[0], Word):
            return Members(
                cast("tuple[Member, ...]", tuple(p for p in parts if isinstance(p, Member))), _cites(parts[1])
            )
        return Members((), _cites(parts[0]))

    def printed(self, parts: Parts) -> Member:
        _, part, _, kind, _, default, cite, _ = parts
        names = cast(Names, part)
        return Member(
            True,
            names.texts,
            cast(TypeNode, kind),
            _expr_or_none(default),
            (),
            _cites(cite),
            names.spans,
            span=_span(parts[:6]),
        )

    def kept(self, parts: Parts) -> Member:
        names = cast(Names, parts[0])
        traits = tuple(p for p in parts[5:] if isinstance(p, Trait))
        return Member(
            False,
            names.texts,
            cast(TypeNode, parts[2]),
            _expr_or_none(parts[4]),
            traits,
            _cites(parts[-2]),
            names.spans,
            span=_span(parts[:-2]),
        )

    def trait(self, parts: Parts) -> Trait:
        value = parts[3]
        wanted = Name(value.value, span=value.span) if isinstance(value, Word) else _expr(value)
        return Trait(
            cast("Literal['seen', 'gained', 'paid', 'refilled']", _text(parts[1])), wanted, span=_span(parts[1:])
        )

    def names(self, parts: Parts) -> Names:
        return Names(cast("tuple[Word, ...]", tuple(parts[::2])))

    def cite(self, parts: Parts) -> Cites:
        if parts[0] is None:
            return ()
        return tuple(c.strip() for c in _text(parts[0])[1:-1].split(","))

    # -------------------------------------------------------------- types
    def t_map(self, parts: Parts) -> MapTypeNode:
        return MapTypeNode(cast(TypeNode, parts[0]), cast("NamedType | RangeType", parts[3]), span=_span(parts))

    def t_choice(self, parts: Parts) -> ChoiceType:
        return ChoiceType(tuple(_text(p) for p in parts[::2]), span=_span(parts))

    def t_effect(self, parts: Parts) -> EffectTypeNode:
        return EffectTypeNode(parts[1] is not None, span=_span(parts))

    def t_formula(self, parts: Parts) -> FormulaTypeNode:
        return FormulaTypeNode(cast("tuple[Param, ...]", parts[2]), span=_span(parts))

    def t_set(self, parts: Parts) -> SetTypeNode:
        return SetTypeNode(cast("NamedType | RangeType", parts[2]), span=_span(parts))

    def t_zone(self, parts: Parts) -> ZoneTypeNode:
        return ZoneTypeNode(
            cast("Literal['order', 'group', 'deck']", _text(parts[0])), _text(parts[2]), span=_span(parts)
        )

    def t_row(self, parts: Parts) -> ZoneTypeNode:
        return ZoneTypeNode("row", _text(parts[3]), _expr(parts[2]), span=_span(parts))

    def t_name(self, parts: Parts) -> NamedType:
        return NamedType(_text(parts[0]), span=_span(parts))

    def t_range(self, parts: Parts) -> RangeType:
        return RangeType(_expr(parts[0]), _expr(parts[2]), span=_span(parts))

    def bound(self, parts: Parts) -> Int | Name:
        word = cast(Word, parts[-1])
        if word.type == "INT":
            return Int(-int(word.value) if len(parts) == 2 else int(word.value), span=_span(parts))
        return Name(word.value, span=word.span)

    def params(self, parts: Parts) -> tuple[Param, ...]:
        return cast("tuple[Param, ...]", tuple(parts[::2]))

    def param(self, parts: Parts) -> Param:
        return Param(_text(parts[0]), cast(TypeNode, parts[2]), _expr_or_none(parts[4]), span=_span(parts))

    # -------------------------------------------------------------- graphs, functions, triggers, modifiers
    def edges(self, parts: Parts) -> Edges:
        start, arrow, ends, _, condition, cite, _ = parts
        names = cast(Names, ends)
        return Edges(
            _text(start),
            names.texts,
            _text(arrow) == "->",
            _expr_or_none(condition),
            _cites(cite),
            names.spans,
            span=_span(parts[:5]),
        )

    def grid(self, parts: Parts) -> Grid:
        _, rows, _, columns, _, thing, _, slant, diagonals, _, without, cite, _ = parts
        holes = cast(Names, without) if without else None
        lean = "none" if diagonals is None else "all" if slant is None else _text(slant)
        return Grid(
            int(_text(rows)),
            int(_text(columns)),
            _text(thing),
            holes.texts if holes is not None else (),
            cast("Literal['none', 'all', 'rising', 'falling']", lean),
            _cites(cite),
            holes.spans if holes is not None else (),
            span=_span(parts[:11]),
        )

    def func(self, parts: Parts) -> Func:
        name, _, params, _, _, result, _, part = parts
        body = cast(FuncBody, part)
        word = cast(Word, name)
        return Func(
            word.value,
            cast("tuple[Param, ...]", params or ()),
            cast("TypeNode | None", result),
            body.arms,
            body.value,
            body.cite,
            word.span,
            span=_span([*parts[:7], body.value]),
        )

    def plain_body(self, parts: Parts) -> FuncBody:
        return FuncBody((), _expr(parts[0]), _cites(parts[1]))

    def arms(self, parts: Parts) -> FuncBody:
        arms = tuple(p for p in parts if isinstance(p, Arm))
        return FuncBody(arms, _expr(parts[-4]), _joined(_cites(parts[0]), _cites(parts[-3])))

    def arm(self, parts: Parts) -> Arm:
        return Arm(_expr(parts[1]), _expr(parts[3]), _cites(parts[4]), span=_span(parts[:4]))

    def when(self, parts: Parts) -> When:
        _, condition, _, _, binders, once, part = parts
        block = _block(part)
        return When(
            _expr(condition),
            cast("tuple[Binder, ...]", binders or ()),
            once is not None,
            tuple(_cited(s, block.cite) for s in block.body),
            span=_span(parts),
        )

    def after(self, parts: Parts) -> After:
        _, effect, _, names, _, _, condition, part = parts
        block = _block(part)
        return After(
            _text(effect),
            cast(Names, names).texts if names else (),
            _expr_or_none(condition),
            tuple(_cited(s, block.cite) for s in block.body),
            span=_span(parts),
        )

    def mod(self, parts: Parts) -> Modifier:
        updown, function, _, by, _, _, most, limit, _, condition = parts
        bound = Key(_text(most) == "most", _expr(limit), span=_span([most, limit])) if most else None
        return Modifier(
            _text(updown) == "raise",
            _text(function),
            _expr(by),
            bound,
            _expr_or_none(condition),
            function_span=_span([function]),
            span=_span(parts),
        )

    # -------------------------------------------------------------- lines and blocks
    def plain_line(self, parts: Parts) -> tuple[Stmt, ...]:
        return tuple(_cited(s, _cites(parts[1])) for s in _statements([parts[0]]))

    def chain(self, parts: Parts) -> tuple[Stmt, ...]:
        last = cast(Stmt, parts[2])
        return (*(_cited(s, last.cite) for s in _statements([parts[0]])), last)

    def line(self, parts: Parts) -> tuple[Stmt, ...]:
        return _statements(parts)

    def block(self, parts: Parts) -> Block:
        if len(parts) == 2:  # `: for each …`
            inner = cast(Stmt, parts[1])
            return Block((inner,), inner.cite)
        if len(parts) == 4:  # `: gain 1 coin`
            cite = _cites(parts[2])
            return Block(tuple(_cited(s, cite) for s in _statements([parts[1]])), cite)
        return Block(_statements(parts[3:]), _cites(parts[1]))

    # -------------------------------------------------------------- simple statements
    def gain(self, parts: Parts) -> Gain:
        return Gain(cast("tuple[Quantity, ...]", parts[1]), span=_span(parts))

    def pay(self, parts: Parts) -> Pay:
        _, what, _, source, _, target = parts
        return Pay(cast("tuple[Quantity, ...]", what), _expr_or_none(source), _expr_or_none(target), span=_span(parts))

    def put(self, parts: Parts) -> Put:
        return Put(cast(Quantity, parts[1]), _expr(parts[3]), span=_span(parts))

    def remove(self, parts: Parts) -> Remove:
        return Remove(cast(Quantity, parts[1]), _expr(parts[3]), span=_span(parts))

    def move_count(self, parts: Parts) -> MoveCount:
        return MoveCount(cast(Quantity, parts[1]), _expr(parts[3]), _expr(parts[5]), span=_span(parts))

    def move_piece(self, parts: Parts) -> MovePiece:
        _, part, _, pile, _, target = parts
        what = cast(Quantity, part)
        place: Literal["top", "bottom"] | None = None if pile is None else "top" if _text(pile) == "top" else "bottom"
        value = what.amount.value
        if what.unit is not None or what.amount.kind != "exactly" or value is None:
            raise Misshapen(
                "move-needs-from",
                what.span,
                "a count is moved from somewhere to somewhere",
                "write `move … from … to …`; to take it from the supply, write `put … on …`",
            )
        return MovePiece(value, _expr(target), place, span=_span(parts))

    def assignment(self, parts: Parts) -> Assign:
        return Assign(_expr(parts[1]), _expr(parts[3]), span=_span(parts))

    def change(self, parts: Parts) -> Change:
        return Change(_text(parts[0]) == "raise", _expr(parts[1]), cast(Amount, parts[3]), span=_span(parts))

    def let(self, parts: Parts) -> LetStmt:
        return LetStmt(_text(parts[1]), _expr(parts[3]), span=_span(parts))

    def choose(self, parts: Parts) -> Choose:
        picks = tuple(p for p in parts if isinstance(p, Pick))
        prompt = parts[-1]
        return Choose(picks, _prompt(prompt), cast(Word, prompt).span if prompt else None, span=_span(parts))

    def pick(self, parts: Parts) -> Pick:
        amount, name, _, domain, _, where = parts
        word = cast(Word, name)
        return Pick(
            cast("Amount | None", amount), word.value, _expr(domain), _expr_or_none(where), word.span, span=_span(parts)
        )

    def draw(self, parts: Parts) -> Draw:
        _, amount, name, _, domain, _, where, _, weight = parts
        return Draw(
            cast("Amount | None", amount),
            _text(name),
            _expr(domain),
            _expr_or_none(where),
            _expr_or_none(weight),
            span=_span(parts),
        )

    def deal(self, parts: Parts) -> Deal:
        return Deal(cast(Amount, parts[1]), _expr(parts[3]), _expr(parts[5]), span=_span(parts))

    def perform(self, parts: Parts) -> Perform:
        return Perform(_expr(parts[1]), span=_span(parts))

    def require(self, parts: Parts) -> Require:
        return Require(_expr(parts[1]), span=_span(parts))

    def end(self, parts: Parts) -> End:
        return End(_text(parts[1]), span=_span(parts))

    def quantities(self, parts: Parts) -> tuple[Quantity, ...]:
        return cast("tuple[Quantity, ...]", tuple(parts[::2]))

    def quantity(self, parts: Parts) -> Quantity:
        return Quantity(cast(Amount, parts[0]), cast("Unit | None", parts[1]), span=_span(parts))

    def unit(self, parts: Parts) -> Unit:
        return Unit(_text(parts[0]), _expr_or_none(parts[2]), span=_span(parts))

    def exactly(self, parts: Parts) -> Amount:
        return Amount("exactly", _expr(parts[0]), span=_span(parts))

    def up_to(self, parts: Parts) -> Amount:
        return Amount("up_to", _expr(parts[2]), span=_span(parts))

    def everything(self, parts: Parts) -> Amount:
        return Amount("all", None, span=_span(parts))

    # -------------------------------------------------------------- statements with blocks
    def for_each(self, parts: Parts) -> ForEach:
        _, _, binder, _, where, _, by, part = parts
        block = _block(part)
        return ForEach(
            cast(Binder, binder),
            _expr_or_none(where),
            cast("tuple[Key, ...]", by or ()),
            block.body,
            cite=block.cite,
            span=_span(parts),
        )

    def have(self, parts: Parts) -> Have:
        block = _block(parts[2])
        return Have(_expr(parts[1]), block.body, cite=block.cite, span=_span(parts))

    def may(self, parts: Parts) -> May:
        block = _block(parts[3])
        return May(_text(parts[1]), _prompt(parts[2]), block.body, cite=block.cite, span=_span(parts))

    def repeat(self, parts: Parts) -> Repeat:
        block = _block(parts[3])
        return Repeat(cast(Amount, parts[1]), block.body, cite=block.cite, span=_span(parts))

    def repeat_any(self, parts: Parts) -> Repeat:
        block = _block(parts[5])
        return Repeat(None, block.body, cite=block.cite, span=_span(parts))

    def repeat_while(self, parts: Parts) -> RepeatWhile:
        block = _block(parts[3])
        return RepeatWhile(_expr(parts[2]), block.body, cite=block.cite, span=_span(parts))

    def at_once(self, parts: Parts) -> AtOnce:
        block = _block(parts[5])
        return AtOnce(_expr_or_none(parts[4]), block.body, cite=block.cite, span=_span(parts))

    def window(self, parts: Parts) -> Window:
        _, effect, _, _, who, part = parts
        block = _block(part)
        return Window(_expr(effect), _expr_or_none(who), block.body, cite=block.cite, span=_span(parts))

    def allocate(self, parts: Parts) -> Allocate:
        _, item, _, items, _, place, _, places, _, where, part = parts
        block = _block(part)
        return Allocate(
            Binder(_text(item), _expr(items), span=_span([item, items])),
            Binder(_text(place), _expr(places), span=_span([place, places])),
            _expr_or_none(where),
            block.body,
            cite=block.cite,
            span=_span(parts),
        )

    def turns(self, parts: Parts) -> Turns:
        _, _, _, order, _, start, _, condition, part = parts
        block = _block(part)
        return Turns(
            _expr(order), _expr_or_none(start), _expr_or_none(condition), block.body, cite=block.cite, span=_span(parts)
        )

    def if_statement(self, parts: Parts) -> If:
        # if c B (otherwise if c B)* otherwise B: each branch is a condition followed by its block
        branches: list[Branch] = []
        cites: list[Cites] = []
        for index, part in enumerate(parts):
            if not isinstance(part, Block):
                continue
            cites.append(part.cite)
            before = parts[index - 1]
            if not isinstance(before, Word):
                branches.append(Branch(_expr(before), part.body, span=_span([parts[index - 2], before])))
        last = parts[-1]
        otherwise = last.body if isinstance(last, Block) else None
        return If(tuple(branches), otherwise, cite=_joined(*cites), span=_span(parts[:2]))

    def either(self, parts: Parts) -> Either:
        return self._choice(parts[1::2], _span([parts[0], cast("tuple[Option, Cites]", parts[1])[0]]))

    def _choice(self, parts: Parts, span: Span) -> Either:
        options = [cast("tuple[Option, Cites]", p) for p in parts]
        return Either(tuple(o for o, _ in options), cite=_joined(*(c for _, c in options)), span=span)

    def option(self, parts: Parts) -> tuple[Option, Cites]:
        label, prompt, _, condition, part = parts
        block = _block(part)
        return Option(
            _text(label), _prompt(prompt), _expr_or_none(condition), block.body, span=_span(parts)
        ), block.cite

    def try_statement(self, parts: Parts) -> Try:
        _, first, _, second = parts
        body = _block(first)
        other = _block(second) if second else None
        cite = _joined(body.cite, other.cite) if other else body.cite
        return Try(body.body, other.body if other else None, cite=cite, span=_span(parts[:1]))

    # -------------------------------------------------------------- queries
    def if_else(self, parts: Parts) -> IfElse:
        return IfElse(_expr(parts[1]), _expr(parts[3]), _expr(parts[5]), span=_span(parts))

    def query(self, parts: Parts) -> Query:
        kind = cast("Literal['number', 'any', 'no', 'first', 'all', 'only']", _text(parts[0]))
        source = cast(QuerySource, parts[2] if kind == "number" else parts[1])
        return Query(kind, source, _expr_or_none(parts[3]) if kind == "only" else None, span=_span(parts))

    def fold_of(self, parts: Parts) -> Fold:
        op = cast("Literal['sum', 'highest', 'lowest']", _text(parts[0]))
        return Fold(op, _expr(parts[2]), cast(QuerySource, parts[4]), span=_span(parts))

    def source(self, parts: Parts) -> QuerySource:
        if len(parts) == 1:
            return QuerySource(_expr(parts[0]), span=_span(parts))
        binders, _, where, _, best, _, by = parts
        return QuerySource(
            None,
            cast("tuple[Binder, ...]", binders),
            _expr_or_none(where),
            cast("tuple[Key, ...]", best or ()),
            cast("tuple[Key, ...]", by or ()),
            span=_span(parts),
        )

    def binders(self, parts: Parts) -> tuple[Binder, ...]:
        return cast("tuple[Binder, ...]", tuple(parts[::2]))

    def binder(self, parts: Parts) -> Binder:
        return Binder(_text(parts[0]), _expr(parts[2]), span=_span(parts))

    def best(self, parts: Parts) -> tuple[Key, ...]:
        return cast("tuple[Key, ...]", tuple(parts[::2]))

    def bestkey(self, parts: Parts) -> Key:
        return Key(_text(parts[0]) == "most", _expr(parts[1]), span=_span(parts))

    # -------------------------------------------------------------- operators
    def logic(self, parts: Parts) -> Logic:
        return Logic("and" if _text(parts[1]) == "and" else "or", _expr(parts[0]), _expr(parts[2]), span=_span(parts))

    def negation(self, parts: Parts) -> Not:
        return Not(_expr(parts[1]), span=_span(parts))

    def comparison(self, parts: Parts) -> Compare:
        op = cast("Literal['=', '!=', '<', '<=', '>', '>=']", _text(parts[1]))
        return Compare(op, _expr(parts[0]), _expr(parts[2]), span=_span(parts))

    def is_in(self, parts: Parts) -> IsIn:
        return IsIn(len(parts) == 4, _expr(parts[0]), _expr(parts[-1]), span=_span(parts))

    def range_of(self, parts: Parts) -> RangeOf:
        return RangeOf(_expr(parts[0]), _expr(parts[2]), span=_span(parts))

    def else_value(self, parts: Parts) -> ElseValue:
        return ElseValue(_expr(parts[0]), _expr(parts[2]), span=_span(parts))

    def arith(self, parts: Parts) -> Arith:
        op = cast("Literal['+', '-', '*', '/', 'mod']", _text(parts[1]))
        return Arith(op, _expr(parts[0]), _expr(parts[2]), span=_span(parts))

    def negative(self, parts: Parts) -> Negate:
        return Negate(_expr(parts[1]), span=_span(parts))

    def can(self, parts: Parts) -> Can:
        return Can(_expr(parts[1]), span=_span(parts))

    # -------------------------------------------------------------- small expressions
    def field(self, parts: Parts) -> FieldOf:
        word = cast(Word, parts[1])
        return FieldOf(_expr(parts[0]), word.value[1:], word.part(1), span=_span(parts))

    def at(self, parts: Parts) -> At:
        return At(_expr(parts[0]), _expr(parts[2]), span=_span(parts))

    def call(self, parts: Parts) -> CallOf:
        given = parts[2]
        arguments = () if given is None else given if isinstance(given, tuple) else (given,)
        return CallOf(_expr(parts[0]), cast("tuple[Expr | Named, ...]", arguments), span=_span(parts))

    def args(self, parts: Parts) -> tuple[Expr | Named, ...]:
        return cast("tuple[Expr | Named, ...]", tuple(parts[::2]))

    def named(self, parts: Parts) -> Named:
        return Named(_text(parts[0]), _expr(parts[2]), span=_span(parts))

    def name(self, parts: Parts) -> Name:
        return Name(_text(parts[0]), span=_span(parts))

    def number(self, parts: Parts) -> Int:
        return Int(int(_text(parts[0])), span=_span(parts))

    def mine(self, parts: Parts) -> FieldOf:
        word = cast(Word, parts[0])
        name = word.value[2:].strip()
        me = word.text.span(word.start_pos, word.start_pos + 2)
        return FieldOf(Me(span=me), name, word.part(len(word.value) - len(name)), span=word.span)

    def truth(self, parts: Parts) -> Truth:
        return Truth(_text(parts[0]) == "true", span=_span(parts))

    def nothing(self, parts: Parts) -> Nothing:
        return Nothing(span=_span(parts))

    def me(self, parts: Parts) -> Me:
        return Me(span=_span(parts))

    def this(self, parts: Parts) -> This:
        return This(span=_span(parts))

    def parenthesis(self, parts: Parts) -> Expr:
        return cast(Expr, replace(cast(Node, parts[1]), span=_span(parts)))

    def set_of(self, parts: Parts) -> SetOf:
        items = tuple(_expr(p) for p in parts[1:-1:2] if p is not None)
        return SetOf(items, span=_span(parts))
