"""Pictures of graphs are well-formed, complete, and place what has coordinates."""

from __future__ import annotations

from xml.etree import ElementTree

from interpreter.drivers.drawing.words import Place
from interpreter.drivers.svg import Edge, graph_svg

SVG = "{http://www.w3.org/2000/svg}"


def test_all_places_and_edges_are_drawn() -> None:
    edges = [Edge(0, 1), Edge(1, 2, one_way=True, sometimes=True)]
    root = ElementTree.fromstring(graph_svg("A & B", ["x", "y", "z"], ["X <1>", "Y", "Z"], edges, []))
    assert root.findtext(f"{SVG}title") == "A & B"
    assert [t.text for t in root.iter(f"{SVG}text")] == ["X <1>", "Y", "Z"]
    lines = list(root.iter(f"{SVG}line"))
    assert len(lines) == 2
    assert "marker-end" in lines[1].attrib
    assert "stroke-dasharray" in lines[1].attrib
    assert "marker-end" not in lines[0].attrib


def test_places_lie_where_they_are_said_to_lie() -> None:
    places = [Place(0, 0, 1, 2), Place(1, 2, 1, 3)]
    root = ElementTree.fromstring(graph_svg("map", ["x", "y", "z"], ["X", "Y", "Z"], [Edge(0, 2)], places))
    boxes = list(root.iter(f"{SVG}rect"))[1:]
    assert float(boxes[1].attrib["x"]) - float(boxes[0].attrib["x"]) == 120
    assert len(boxes) == 2
    assert not list(root.iter(f"{SVG}line")), "an edge to a place that is not drawn"
