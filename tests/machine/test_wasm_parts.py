"""Parts of the fast machine by themselves: the binary format, graphs as nested blocks, picking one of a set."""

from __future__ import annotations

import random

import pytest

from interpreter.machine.chance import pick
from interpreter.machine.wasm import picks
from interpreter.machine.wasm.assembler import Function
from interpreter.machine.wasm.encode import Code, FuncType, Module
from interpreter.machine.wasm.host import Compiled, Instance, Trapped
from interpreter.machine.wasm.structure import Graph, shape_of, with_gates


def running(*functions: tuple[str, Code]) -> Instance:
    """A module with exported functions, at work."""
    module = Module()
    for name, code in functions:
        module.add(code, name)
    return Instance(Compiled(module.encoded()))


# ---------------------------------------------------------------------- the binary format
@pytest.mark.parametrize("value", [0, 1, -1, 63, 64, -64, -65, 127, 128, 8191, 8192, -8192, -8193, 2**31 - 1, -(2**31)])
def test_numbers_are_what_they_were(value: int):
    code = Code(FuncType((), ("i32",)))
    code.const(value)
    assert running(("f", code)).call("f") == value


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63), 2**40 + 5, -(2**40) - 5, 2**64 - 1])
def test_long_numbers_are_what_they_were(value: int):
    low, high = Code(FuncType((), ("i32",))), Code(FuncType((), ("i32",)))
    for code, shift in ((low, 0), (high, 32)):
        code.const(value, "i64")
        code.const(shift, "i64")
        code.ops("i64.shr_u", "i32.wrap_i64")
    at_work = running(("low", low), ("high", high))
    found = (at_work.call("low") & 0xFFFFFFFF) | (at_work.call("high") & 0xFFFFFFFF) << 32
    assert found == value % 2**64


def test_loops_and_labels():
    code = Code(FuncType(("i32",), ("i32",)))
    total = code.local()
    with code.block() as end, code.loop() as again:
        code.get(0)
        code.op("i32.eqz")
        code.br_if(end)
        code.get(total)
        code.get(0)
        code.op("i32.add")
        code.set(total)
        code.get(0)
        code.const(1)
        code.op("i32.sub")
        code.set(0)
        code.br(again)
    code.get(total)
    assert running(("sum", code)).call("sum", 10) == 55


def test_a_trap_is_told():
    code = Code(FuncType((), ("i32",)))
    code.op("unreachable")
    with pytest.raises(Trapped):
        running(("f", code)).call("f")


def test_locals_are_used_again_only_behind_their_scratch():
    code = Code(FuncType(()))
    with code.scratch():
        first = code.temp()
        with code.scratch():
            second = code.temp()
        assert code.temp() == second != first
    assert code.temp() in (first, second)


# ---------------------------------------------------------------------- graphs
def reached(graph: Graph) -> set[int]:
    """The nodes that the root leads to."""
    found, todo = {0}, [0]
    while todo:
        for w in graph.edges[todo.pop()]:
            if w not in found:
                found.add(w)
                todo.append(w)
    return found


def above(graph: Graph, v: int) -> set[int]:
    """The nodes that every way from the root to v goes through, by leaving out one after the other."""
    found = set()
    for u in reached(graph):
        if u == v:
            found.add(u)
            continue
        without = Graph([[w for w in ways if w != u] if k != u else [] for k, ways in enumerate(graph.edges)])
        if v not in reached(without) or u == 0:
            found.add(u)
    return found


def way(graph: Graph, v: int, w: int) -> list[int]:
    """Nodes from v to w: straight, or through gates."""
    gate = graph.through.get((v, w))
    return [w] if gate is None else [*way(graph, v, gate), *way(graph, gate, w)]


def random_edges(seed: int) -> list[list[int]]:
    """A graph whose root nothing leads to."""
    rng = random.Random(seed)
    size = rng.randint(2, 9)
    return [sorted({rng.randint(1, size) for _ in range(rng.randint(0, 3))}) for _ in range(size + 1)]


@pytest.mark.parametrize("seed", range(150))
def test_every_loop_has_one_head(seed: int):
    edges = random_edges(seed)
    graph = with_gates(edges)
    shape = shape_of(graph)
    for v in reached(graph):
        for w in graph.edges[v]:
            if shape.number[w] <= shape.number[v]:
                assert w in shape.loops
                assert w in above(graph, v)


@pytest.mark.parametrize("seed", range(60))
def test_gates_lead_where_the_graph_led(seed: int):
    edges = random_edges(seed)
    graph = with_gates(edges)
    for v, ways in enumerate(edges):
        for w in ways:
            at = v
            for step in way(graph, v, w):
                assert step in graph.edges[at]
                at = step
            assert at == w


@pytest.mark.parametrize("seed", range(60))
def test_children_are_what_a_node_alone_leads_to(seed: int):
    graph = with_gates(random_edges(seed))
    shape = shape_of(graph)
    found = {w: v for v, children in enumerate(shape.children) for w in children}
    for v in reached(graph) - {0}:
        others = above(graph, v) - {v}
        assert found[v] in others
        assert all(u in above(graph, found[v]) for u in others)


# ---------------------------------------------------------------------- picks
def nth_of(mask: int) -> Instance:
    """A function that gives the k-th element of a set."""
    module = Module()
    inner = Code(FuncType(("i64", "i32"), ("i32",)))
    function = Function(inner, module, {})
    function.give(picks.nth(function, *function.params))
    number = module.add(inner)
    code = Code(FuncType(("i32",), ("i32",)))
    code.const(mask, "i64")
    code.get(0)
    code.call(number)
    module.add(code, "nth")
    return Instance(Compiled(module.encoded()))


@pytest.mark.parametrize("mask", [1, 2**63, 0b1011, 2**64 - 1, 0x8000_0001_0000_0100, 0xF0F0_0000_0000_0F0F])
def test_nth_element(mask: int):
    elements = [k for k in range(64) if mask >> k & 1]
    at_work = nth_of(mask)
    assert [at_work.call("nth", k) for k in range(len(elements))] == elements


@pytest.mark.parametrize("count", [1, 2, 7, 121])
def test_a_number_is_scaled_as_chance_does(count: int):
    code = Code(FuncType(("i32", "i32"), ("i32",)))
    function = Function(code, Module(), {})
    function.give(picks.scaled(*function.params))
    at_work = running(("scaled", code))
    for value in (0, 1, 2**31, 2**32 - 1, 123456789):
        signed = value - 2**32 if value >= 2**31 else value
        assert at_work.call("scaled", signed, count) == pick(value, count)
