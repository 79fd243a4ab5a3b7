"""Printing and parsing again gives the same nodes, for the shipped games' texts and for drawn expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interpreter.syntax.document import read_definition
from interpreter.syntax.expr_parser import (
    parse_components,
    parse_formula,
    parse_functions,
    parse_graph,
    parse_modifier,
    parse_rules,
    parse_trigger,
    parse_type,
)
from interpreter.syntax.formatter import (
    format_components,
    format_expr,
    format_functions,
    format_graph,
    format_modifier,
    format_rules,
    format_trigger,
    format_type,
)
from interpreter.syntax.nodes import (
    Arith,
    At,
    Binder,
    CallOf,
    Can,
    Compare,
    ElseValue,
    Expr,
    FieldOf,
    Fold,
    IfElse,
    Int,
    IsIn,
    Key,
    Logic,
    Me,
    Name,
    Named,
    Negate,
    Not,
    Nothing,
    Query,
    QuerySource,
    RangeOf,
    SetOf,
    This,
    Truth,
)
from interpreter.syntax.yaml_tree import load_yaml, read_source
from interpreter.text.diagnostic import Sink
from tests.syntax.texts import mapped, told

GAMES = sorted((Path(__file__).parents[2] / "games").rglob("*.yaml"))
Law = tuple[str, Any, Callable[[Any], str], Callable[..., object]]


def texts_of(path: Path) -> Iterator[Law]:
    """Each text of a game as nodes, with its printer and its parser."""
    sink = Sink()
    source = read_source(path, sink)
    assert source is not None
    root = load_yaml(source, sink)
    assert root is not None
    game = read_definition(source, root, sink)
    assert game is not None
    assert told(sink) == []
    yield "components", game.components, format_components, parse_components
    yield "functions", tuple(game.functions.values()), format_functions, parse_functions
    for graph in game.graphs.values():
        yield graph.name, graph.lines, format_graph, parse_graph
    for modifier in game.modifiers.values():
        yield modifier.name, modifier.rule, format_modifier, parse_modifier
    for trigger in game.triggers.values():
        yield trigger.name, trigger.rule, format_trigger, parse_trigger
    for term in (*game.scoring.values(), game.winners, game.payoff):
        if term is not None:
            yield term.name, term.value, format_expr, parse_formula
    for option in game.options.values():
        yield option.name, option.type, format_type, parse_type
    for routine in (*game.phases.values(), *game.effects.values()):
        for step in routine.steps:
            yield f"{routine.name}.{step.name}", step.body, format_rules, parse_rules
    for step in (*game.setup, *game.play):
        yield step.name, step.body, format_rules, parse_rules


@pytest.mark.parametrize("path", [p for p in GAMES if "clauses" not in p.parts], ids=lambda p: p.stem)
def test_every_text_of_a_game(path: Path) -> None:
    for name, nodes, printer, parser in texts_of(path):
        if nodes == ():
            continue
        text = printer(nodes)
        sink = Sink()
        again = parser(mapped(text), sink)
        assert told(sink) == [], text
        assert again == nodes, (name, text)
        assert printer(again) == text


names = st.sampled_from(["a", "b", "c", "players"])


def bigger(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    """Expressions made of smaller ones, of every kind."""
    binders = st.lists(st.builds(Binder, names, inner), min_size=1, max_size=2).map(tuple)
    keys = st.lists(st.builds(Key, st.booleans(), inner), max_size=2).map(tuple)
    sources = st.one_of(
        st.builds(QuerySource, inner), st.builds(QuerySource, st.none(), binders, st.none() | inner, keys, keys)
    )
    arguments = st.lists(inner | st.builds(Named, names, inner), max_size=3).map(tuple)
    return st.one_of(
        st.builds(SetOf, st.lists(inner, max_size=3).map(tuple)),
        st.builds(FieldOf, inner, names),
        st.builds(At, inner, inner),
        st.builds(CallOf, inner, arguments),
        st.builds(Negate, inner),
        st.builds(Can, inner),
        st.builds(Arith, st.sampled_from(["+", "-", "*", "/", "mod"]), inner, inner),
        st.builds(RangeOf, inner, inner),
        st.builds(Compare, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), inner, inner),
        st.builds(IsIn, st.booleans(), inner, inner),
        st.builds(Not, inner),
        st.builds(Logic, st.sampled_from(["and", "or"]), inner, inner),
        st.builds(ElseValue, inner, inner),
        st.builds(IfElse, inner, inner, inner),
        st.builds(Query, st.sampled_from(["number", "any", "no", "first", "all"]), sources),
        st.builds(Query, st.just("only"), sources, st.none() | inner),
        st.builds(Fold, st.sampled_from(["sum", "highest", "lowest"]), inner, sources),
    )


atoms: st.SearchStrategy[Expr] = st.one_of(
    st.builds(Name, names), st.builds(Int, st.integers(0, 99)), st.builds(Truth, st.booleans()),
    st.sampled_from([Nothing(), Me(), This()]),
)  # fmt: skip


@given(st.recursive(atoms, bigger, max_leaves=8))
def test_every_expression(node: Expr) -> None:
    text = format_expr(node)
    sink = Sink()
    again = parse_formula(mapped(text), sink)
    assert told(sink) == [], text
    assert again == node, text


@pytest.mark.parametrize(
    "text",
    [
        "for each n in places where n.soil = 0 by most n.coins: gain 1 coin",
        'either one "Do it?" if a: gain 1 coin\nor two:\n  pay 2 coins from a to b\n  end turn',
        "if a:\n  try: perform b(1)\n  otherwise: end effect\notherwise if c: end loop\notherwise: gain all b",
        "assign g from a to y from b where c: move g to y",
        "all at once among a: may x: draw 2 t from deck where t.open weight t.cost",
        "with e allowed for players:\n  take turns in order_a from me while b:\n    deal up to 2 from deck to my hand",
        'repeat any number of times: choose up to 3 n from a where b, m from c asking "Which?"',
        "repeat while a: lower my soil by up to 2",
        "repeat up to 3 times: move card to bottom of pile",
        "have all p in players where p.open: put 1 good[g] on table  [AB-X-1, AB-Y-2]",
    ],
)
def test_statements(text: str) -> None:
    nodes = parse_rules(mapped(text), Sink())
    assert nodes is not None
    printed = format_rules(nodes)
    assert parse_rules(mapped(printed), Sink()) == nodes
