"""Rows of the scene tree, from the simulation's description of a real world."""

import re

import pytest

from ros_bridge.control.fields import node_outline
from ros_bridge.viewer.tree.field_form import rounded_text
from ros_bridge.viewer.tree.outline import ROOT, FieldText, read_children, read_outline
from ros_bridge.viewer.tree.tree_model import TreeModel
from ros_bridge.viewer.tree.tree_panel import note_html, tree_html
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { title "yard" basicTimeStep 8 }
DEF A Solid { children [ DEF B Solid { name "b" children Shape { } } ] physics NULL boundingObject Box { } }
DEF C Solid { name "c" }
"""


@pytest.fixture
def sim() -> Simulation:
    return Simulation(parse_scene(WORLD, "yard.wbt"))


def read(sim: Simulation, model: TreeModel) -> None:
    """Do what the panel does over ROS."""
    for name in model.open_nodes:
        node = None if name == ROOT else sim.supervisor.find(name)
        is_gone = name != ROOT and node is None
        model.set_children(name, None if is_gone else read_children(node_outline.nodes(sim, node)))


def titles(model: TreeModel) -> list[tuple[int, str]]:
    return [(row.depth, row.title) for row in model.rows()]


def named(model: TreeModel, title: str) -> str:
    return next(row.name for row in model.rows() if title in row.title)


def test_only_what_is_open_has_rows(sim: Simulation) -> None:
    model = TreeModel()
    assert titles(model) == [(0, "World")]
    read(sim, model)
    assert [row.title for row in model.rows()][1:] == ["WorldInfo", 'DEF A Solid "solid"', 'DEF C Solid "c"']
    model.toggle(named(model, "DEF A"))
    read(sim, model)
    assert titles(model)[2:5] == [
        (1, 'DEF A Solid "solid"'),
        (2, 'DEF B Solid "b"'),
        (2, "boundingObject: Box"),
    ]
    assert model.index(named(model, "Box")) == 4
    model.toggle(ROOT)
    assert titles(model) == [(0, "World")]
    model.toggle(ROOT)
    assert len(model.rows()) == 6, "what was open below is open again"


def test_a_node_that_is_gone_is_open_no_more(sim: Simulation) -> None:
    model = TreeModel()
    read(sim, model)
    gone = named(model, "DEF A")
    model.open(gone)
    read(sim, model)
    sim.supervisor.remove("A")
    read(sim, model)
    assert gone not in model.open_nodes
    assert [row.title for row in model.rows()][1:] == ["WorldInfo", 'DEF C Solid "c"']


def test_an_outline_is_read_as_it_was_written(sim: Simulation) -> None:
    outline = read_outline(node_outline.outline(sim, sim.supervisor.node("B"), 7))
    assert (outline.type, outline.def_name, outline.proto, outline.changes) == ("Solid", "B", "", 7)
    assert outline.is_solid and [each.is_solid for each in outline.above] == [False, True]
    name = next(each for each in outline.fields if each.name == "name")
    assert name == FieldText("name", "SFString", "b", is_set=True, default="solid")


@pytest.mark.parametrize(
    ("kind", "text", "shown"),
    [
        ("SFVec3f", "1 2 0.5", "1 2 0.5"),
        ("SFVec3f", "-4.214084123456e-05 1.9773361e-17 0.21977141234", "-4.2e-05 0 0.219771"),
        ("SFRotation", "0 0 1 1.5707963267948966", "0 0 1 1.570796"),
        ("SFFloat", "1.2345678901e-12", "1.234568e-12"),
        ("SFString", "0.123456789012345", "0.123456789012345"),
        ("MFVec2f", "[ 0.12345678901 1, 2 3 ]", "[ 0.123457 1, 2 3 ]"),
    ],
)
def test_numbers_are_shown_as_people_write_them(kind: str, text: str, shown: str) -> None:
    result = rounded_text(FieldText("x", kind, text))
    given = [float(each) for each in text.replace("[", "").replace("]", "").replace(",", " ").split()]
    numbers = [float(each) for each in result.replace("[", "").replace("]", "").replace(",", " ").split()]
    assert numbers == pytest.approx(given, abs=1e-6)
    assert len(result) <= max(len(text), 12)
    if kind != "MFVec2f":
        assert result == shown


def test_rows_and_notes_are_marked(sim: Simulation) -> None:
    model = TreeModel()
    read(sim, model)
    row = model.rows()[2]
    assert re.search(r'aria-current="true"[^>]*><i>▸</i>DEF A', tree_html([row], row.name, ""))
    assert 'aria-current="true"' not in tree_html([row], "another", "")
    assert "<script" not in tree_html([row._replace(title="<script>")], "", "")
    assert "<script" not in note_html("<script>", True)
