"""Nodes to their one canonical spelling; parsing it gives equal nodes again.

In: nodes of `nodes.py`. Out: text without a line end behind it. Parentheses stand where the grammar needs them, a block of one short
statement stays on its line, everything else has a line of its own, two blanks further in. Comments are no part of the nodes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from interpreter.syntax.nodes import (
    After,
    Allocate,
    Amount,
    Arith,
    Assign,
    At,
    AtOnce,
    Binder,
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
    Stmt,
    TableHas,
    ThingDecl,
    This,
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

# How tightly each kind of expression holds together; an operand that holds less tightly than its place asks stands in parentheses.
_WHOLE, _OR, _AND, _NOT, _COMPARE, _RANGE, _ELSE, _SUM, _PRODUCT, _UNARY, _POSTFIX = range(11)
_WIDTH = 100
_STEP = "  "


# ------------------------------------------------------------------ expressions
def format_expr(node: Expr) -> str:
    """An expression."""
    return _expr(node, _WHOLE)


def _expr(node: Expr, place: int) -> str:
    text, holds = _spelt(node)
    return f"({text})" if holds < place else text


def _spelt(node: Expr) -> tuple[str, int]:
    """The text of an expression and how tightly it holds."""
    if (text := _tight(node)) is not None:
        return text, _POSTFIX
    match node:
        case Int():
            return str(node.value), _UNARY
        case Negate():
            inner = _expr(node.value, _UNARY)
            return f"-({inner})" if inner.startswith("-") else f"-{inner}", _UNARY  # `--` joins places
        case Can():
            return f"can {_expr(node.effect, _POSTFIX)}", _UNARY
        case Arith(op="+" | "-"):
            return f"{_expr(node.left, _SUM)} {node.op} {_expr(node.right, _PRODUCT)}", _SUM
        case Arith():
            return f"{_expr(node.left, _PRODUCT)} {node.op} {_expr(node.right, _UNARY)}", _PRODUCT
        case ElseValue():
            return f"{_expr(node.value, _SUM)} else {_expr(node.fallback, _SUM)}", _ELSE
        case RangeOf():
            return f"{_expr(node.low, _ELSE)}..{_expr(node.high, _ELSE)}", _RANGE
        case Compare():
            return f"{_expr(node.left, _RANGE)} {node.op} {_expr(node.right, _RANGE)}", _COMPARE
        case IsIn():
            word = "not in" if node.negated else "in"
            return f"{_expr(node.item, _RANGE)} {word} {_expr(node.group, _RANGE)}", _COMPARE
        case Not():
            return f"not {_expr(node.value, _NOT)}", _NOT
        case Logic(op="and"):
            return f"{_expr(node.left, _AND)} and {_expr(node.right, _NOT)}", _AND
        case Logic():
            return f"{_expr(node.left, _OR)} or {_expr(node.right, _AND)}", _OR
        case IfElse():
            condition, then = _expr(node.condition, _OR), _expr(node.then, _OR)
            return f"if {condition} then {then} otherwise {_expr(node.otherwise, _WHOLE)}", _WHOLE
        case Query():
            word = "number of" if node.kind == "number" else node.kind
            tail = f" favouring {_expr(node.favouring, _POSTFIX)}" if node.favouring else ""
            return f"{word} {_source(node.source)}{tail}", _WHOLE
        case Fold():
            return f"{node.op} of {_expr(node.value, _SUM)} for {_source(node.source)}", _WHOLE
        case _:
            raise AssertionError(f"no spelling of {type(node).__name__}")


def _tight(node: Expr) -> str | None:
    """The text of what holds together most tightly; None for the others."""
    match node:
        case Name():
            return node.id
        case Int():
            return str(node.value) if node.value >= 0 else None
        case Truth():
            return "true" if node.value else "false"
        case Nothing():
            return "nothing"
        case Me():
            return "me"
        case This():
            return "this"
        case SetOf():
            return "{" + ", ".join(_expr(i, _OR) for i in node.items) + "}"
        case FieldOf():
            owner = "my " if isinstance(node.base, Me) else f"{_expr(node.base, _POSTFIX)}."
            return f"{owner}{node.name}"
        case At():
            return f"{_expr(node.base, _POSTFIX)}[{_expr(node.index, _WHOLE)}]"
        case CallOf():
            place = _WHOLE if len(node.arguments) == 1 else _OR
            return f"{_expr(node.function, _POSTFIX)}({', '.join(_argument(a, place) for a in node.arguments)})"
        case _:
            return None


def _argument(node: Expr | Named, place: int) -> str:
    return f"{node.name} is {_expr(node.value, _OR)}" if isinstance(node, Named) else _expr(node, place)


def _source(node: QuerySource) -> str:
    if node.whole is not None:
        return _expr(node.whole, _POSTFIX)
    return (
        ", ".join(_binder(b) for b in node.binders)
        + _where(node.where)
        + _keys(" with ", node.best)
        + _keys(" by ", node.by)
    )


def _binder(node: Binder) -> str:
    return f"{node.name} in {_expr(node.domain, _RANGE)}"


def _where(node: Expr | None) -> str:
    return f" where {_expr(node, _OR)}" if node else ""


def _keys(word: str, keys: tuple[Key, ...]) -> str:
    return word + ", ".join(_key(k) for k in keys) if keys else ""


def _key(node: Key) -> str:
    return f"{'most' if node.most else 'least'} {_expr(node.value, _SUM)}"


# ------------------------------------------------------------------ types
def format_type(node: TypeText) -> str:
    """A type with its default."""
    return _type(node.type) + _default(node.default)


def _default(node: Expr | None) -> str:
    return f" = {_expr(node, _OR)}" if node else ""


def _type(node: TypeNode) -> str:
    match node:
        case NamedType():
            return node.name
        case RangeType():
            return f"{_expr(node.low, _WHOLE)}..{_expr(node.high, _SUM)}"
        case ChoiceType():
            return " or ".join(node.words)
        case EffectTypeNode():
            return "effect or nothing" if node.optional else "effect"
        case FormulaTypeNode():
            return f"formula({_params(node.params)})"
        case SetTypeNode():
            return f"set of {_type(node.key)}"
        case ZoneTypeNode():
            size = f"{_expr(node.size, _WHOLE)} " if node.size else ""
            return f"{node.kind} of {size}{node.name}"
        case MapTypeNode():
            return f"{_type(node.value)} for each {_type(node.key)}"
        case _:
            assert_never(node)


def _params(params: Iterable[Param]) -> str:
    return ", ".join(f"{p.name}: {_type(p.type)}{_default(p.default)}" for p in params)


# ------------------------------------------------------------------ components, graphs, functions
def _cited(text: str, cite: tuple[str, ...]) -> str:
    return f"{text}  [{', '.join(cite)}]" if cite else text


def format_components(decls: Iterable[Decl]) -> str:
    """Declarations."""
    return "\n".join(line for decl in decls for line in _decl(decl))


def _decl(node: Decl) -> list[str]:
    match node:
        case EnumDecl():
            return [_cited(f"{node.name} is one of {', '.join(node.members)}", node.cite)]
        case ThingDecl():
            plural = f", plural {node.plural}" if node.plural else ""
            tables = f" from {', '.join(node.tables)}" if node.tables else ""
            head, cite = f"{node.name} is a {node.kind}{plural}{tables}", node.cite
        case EachHas():
            head, cite = f"each {node.name} has", ()
        case TableHas():
            head, cite = "the table has", ()
        case _:
            assert_never(node)
    colon = ":" if node.members else ""
    return [_cited(head + colon, cite), *(_STEP + format_member(m) for m in node.members)]


def format_member(node: Member) -> str:
    """One line of a declaration."""
    words = {"seen": "seen by", "gained": "gained by", "paid": "paid from", "refilled": "refilled from"}
    traits = "".join(f", {words[t.kind]} {_expr(t.value, _SUM)}" for t in node.traits)
    printed = "printed " if node.printed else ""
    return _cited(f"{printed}{', '.join(node.names)}: {_type(node.type)}{_default(node.default)}{traits}", node.cite)


def format_graph(lines: Iterable[GraphLine]) -> str:
    """The lines of a graph."""
    return "\n".join(_graph_line(line) for line in lines)


def _graph_line(node: GraphLine) -> str:
    match node:
        case Edges():
            condition = f" while {_expr(node.condition, _WHOLE)}" if node.condition else ""
            arrow = "->" if node.one_way else "--"
            return _cited(f"{node.start} {arrow} {', '.join(node.ends)}{condition}", node.cite)
        case Grid():
            without = f" without {', '.join(node.without)}" if node.without else ""
            slanting = {"none": "", "all": " with diagonals"}.get(node.diagonals, f" with {node.diagonals} diagonals")
            return _cited(f"grid {node.rows} by {node.columns} of {node.thing}{slanting}{without}", node.cite)
        case _:
            assert_never(node)


def format_functions(functions: Iterable[Func]) -> str:
    """Functions."""
    return "\n".join(line for func in functions for line in _func(func))


def _func(node: Func) -> list[str]:
    params = f"({_params(node.params)})" if node.params else ""
    result = f": {_type(node.result)}" if node.result else ""
    head = f"{node.name}{params}{result} ="
    if not node.arms:
        return [_cited(f"{head} {_expr(node.body, _WHOLE)}", node.cite)]
    arms = [_STEP + _cited(f"if {_expr(a.condition, _WHOLE)} then {_expr(a.value, _WHOLE)}", a.cite) for a in node.arms]
    return [_cited(head, node.cite), *arms, f"{_STEP}otherwise {_expr(node.body, _WHOLE)}"]


def format_modifier(node: Modifier) -> str:
    """A modifier."""
    bound = f" to at {_key(node.bound)}" if node.bound else ""
    condition = f" while {_expr(node.condition, _WHOLE)}" if node.condition else ""
    return _cited(
        f"{'raise' if node.up else 'lower'} {node.function} by {_expr(node.by, _SUM)}{bound}{condition}", node.cite
    )


def format_trigger(node: TriggerNode) -> str:
    """A trigger."""
    match node:
        case When():
            binders = f" for each {', '.join(_binder(b) for b in node.binders)}" if node.binders else ""
            head = f"when {_expr(node.condition, _WHOLE)}{binders}{' once' if node.once else ''}"
        case After():
            params = f"({', '.join(node.params)})" if node.params else ""
            condition = f" if {_expr(node.condition, _WHOLE)}" if node.condition else ""
            head = f"after {node.effect}{params}{condition}"
        case _:
            assert_never(node)
    return "\n".join([f"{head}:", *(_STEP + line for line in _lines(node.body))])


# ------------------------------------------------------------------ statements
def format_rules(statements: Iterable[Stmt]) -> str:
    """Statements, one a line."""
    return "\n".join(_lines(statements))


def format_option(option: Option) -> str:
    """An option of an `either`, as it stands behind that word or behind `or`."""
    return "\n".join(_option("", option, ()))


def _lines(statements: Iterable[Stmt]) -> list[str]:
    return [line for s in statements for line in _statement(s)]


def _statement(node: Stmt) -> list[str]:
    simple = _simple(node)
    if simple is not None:
        return [_cited(simple, node.cite)]
    match node:
        case If():
            lines: list[str] = []
            for number, branch in enumerate(node.branches):
                word = "otherwise if" if number else "if"
                lines += _block(f"{word} {_expr(branch.condition, _WHOLE)}", branch.body, () if number else node.cite)
            return lines + (_block("otherwise", node.otherwise, ()) if node.otherwise is not None else [])
        case Either():
            lines = []
            for number, option in enumerate(node.options):
                lines += _option("or" if number else "either", option, () if number else node.cite)
            return lines
        case Try():
            lines = _block("try", node.body, node.cite)
            return lines + (_block("otherwise", node.otherwise, ()) if node.otherwise is not None else [])
        case ForEach() | Have() | May() | Repeat() | RepeatWhile() | AtOnce() | Window() | Allocate() | Turns():
            return _block(_header(node), node.body, node.cite)
        case _:
            raise AssertionError(f"no spelling of {type(node).__name__}")


def _option(word: str, option: Option, cite: tuple[str, ...]) -> list[str]:
    condition = f" if {_expr(option.condition, _WHOLE)}" if option.condition else ""
    return _block(f"{word} {option.label}{_prompt(option.prompt)}{condition}".lstrip(), option.body, cite)


def _block(head: str, body: tuple[Stmt, ...], cite: tuple[str, ...]) -> list[str]:
    """A block of one short statement with the same clauses stays on its line."""
    if len(body) == 1 and body[0].cite == cite and (simple := _simple(body[0])) is not None:
        line = _cited(f"{head}: {simple}", cite)
        if len(line) <= _WIDTH:
            return [line]
    return [_cited(f"{head}:", cite), *(_STEP + line for line in _lines(body))]


def _prompt(text: str | None) -> str:
    return f' "{text}"' if text is not None else ""


def _simple(node: Stmt) -> str | None:
    """A statement without a block; None for the others."""
    match node:
        case Gain():
            return f"gain {_quantities(node.quantities)}"
        case Pay():
            return f"pay {_quantities(node.quantities)}{_part(' from ', node.source)}{_part(' to ', node.target)}"
        case Put():
            return f"put {_quantity(node.quantity)} on {_expr(node.place, _POSTFIX)}"
        case Remove():
            return f"remove {_quantity(node.quantity)} from {_expr(node.place, _POSTFIX)}"
        case MoveCount():
            return f"move {_quantity(node.quantity)}{_part(' from ', node.source)}{_part(' to ', node.target)}"
        case MovePiece():
            pile = f"{node.pile} of " if node.pile else ""
            return f"move {_expr(node.what, _SUM)} to {pile}{_expr(node.target, _POSTFIX)}"
        case Assign():
            return f"set {_expr(node.target, _POSTFIX)} to {_expr(node.value, _WHOLE)}"
        case Change():
            return f"{'raise' if node.up else 'lower'} {_expr(node.target, _POSTFIX)} by {_amount(node.by)}"
        case LetStmt():
            return f"let {node.name} be {_expr(node.value, _WHOLE)}"
        case Choose():
            asking = f" asking{_prompt(node.asking)}" if node.asking is not None else ""
            return f"choose {', '.join(_pick(p) for p in node.picks)}{asking}"
        case Draw():
            weight = f" weight {_expr(node.weight, _SUM)}" if node.weight else ""
            amount = f"{_amount(node.amount)} " if node.amount else ""
            return f"draw {amount}{node.name} from {_expr(node.domain, _RANGE)}{_where(node.where)}{weight}"
        case Deal():
            return f"deal {_amount(node.amount)}{_part(' from ', node.source)}{_part(' to ', node.target)}"
        case Perform():
            return f"perform {_expr(node.what, _POSTFIX)}"
        case Require():
            return f"require {_expr(node.condition, _WHOLE)}"
        case End():
            return f"end {node.what}"
        case _:
            return None


def _header(node: Stmt) -> str:
    """The first line of a statement with one block, without its colon."""
    match node:
        case ForEach():
            return f"for each {_binder(node.binder)}{_where(node.where)}{_keys(' by ', node.by)}"
        case Have():
            return f"have {_expr(node.who, _WHOLE)}"
        case May():
            return f"may {node.label}{_prompt(node.prompt)}"
        case Repeat():
            return f"repeat {_amount(node.amount)} times" if node.amount else "repeat any number of times"
        case RepeatWhile():
            return f"repeat while {_expr(node.condition, _WHOLE)}"
        case AtOnce():
            return f"all at once{_part(' among ', node.among)}"
        case Window():
            return f"with {_expr(node.effect, _POSTFIX)} allowed{_part(' for ', node.who)}"
        case Allocate():
            places = f"{node.place.name} from {_expr(node.place.domain, _RANGE)}"
            return f"assign {node.item.name} from {_expr(node.item.domain, _RANGE)} to {places}{_where(node.where)}"
        case Turns():
            condition = f" while {_expr(node.condition, _WHOLE)}" if node.condition else ""
            return f"take turns in {_expr(node.order, _POSTFIX)}{_part(' from ', node.start)}{condition}"
        case _:
            raise AssertionError(f"{type(node).__name__} has no block of its own")


def _part(word: str, node: Expr | None) -> str:
    return f"{word}{_expr(node, _POSTFIX)}" if node else ""


def _pick(node: Pick) -> str:
    amount = f"{_amount(node.amount)} " if node.amount else ""
    return f"{amount}{node.name} from {_expr(node.domain, _RANGE)}{_where(node.where)}"


def _amount(node: Amount) -> str:
    if node.value is None:
        return "all"
    return f"{'up to ' if node.kind == 'up_to' else ''}{_expr(node.value, _SUM)}"


def _quantities(quantities: tuple[Quantity, ...]) -> str:
    return " and ".join(_quantity(q) for q in quantities)


def _quantity(node: Quantity) -> str:
    return f"{_amount(node.amount)} {_unit(node.unit)}" if node.unit else _amount(node.amount)


def _unit(node: Unit) -> str:
    return f"{node.name}[{_expr(node.index, _WHOLE)}]" if node.index else node.name
