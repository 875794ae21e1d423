"""W3, the book on Webots: what may be a boundingObject, and `locked`."""

from __future__ import annotations

from pathlib import Path

import pytest

from ros_bridge.control.fields.node_outline import can_be_placed
from sim_core.base.geometry import Vec3
from sim_core.scene import Node, load_scene
from sim_core.session.simulation import Simulation

SQUARE = """IndexedFaceSet {{ coord Coordinate {{ point [ -1 0 -1, -1 0 1, 1 0 1, 1 0 -1 ] }}
  coordIndex [ {corners} -1 ] }}"""
BALL = """DEF BALL Solid {{ name "ball" translation {at} boundingObject Sphere {{ radius 0.1 }}
  physics Physics {{ density -1 mass 1 bounce 0 }} }}"""
UP, DOWN = "0 1 2 3", "3 2 1 0"


def fallen(folder: Path, solid: str, at: str) -> Vec3:
    """Where a ball of 0.1 m lies in the end, as the file speaks of it."""
    file = folder / "book.wbt"
    file.write_text(f"#VRML_SIM V6.0 utf8\nWorldInfo {{ }}\nSolid {{ {solid} }}\n{BALL.format(at=at)}")
    sim = Simulation(load_scene(file))
    sim.run(2.0)
    found: Vec3 = sim.supervisor.get("BALL", "translation")
    return found


@pytest.mark.parametrize("corners", [UP, DOWN])
@pytest.mark.parametrize(
    "bounds", ["{}", "Shape {{ geometry {} }}", "Transform {{ children Shape {{ geometry {} }} }}"]
)
def test_a_square_is_an_infinite_plane(bounds: str, corners: str, tmp_path: Path) -> None:
    """2 m by 2 m about the origin: a ball at (5, 0) lies on it."""
    square = bounds.format(SQUARE.format(corners=corners)).replace("{{", "{").replace("}}", "}")
    at = fallen(tmp_path, f"boundingObject {square}", "5 0.5 0")
    assert at == pytest.approx((5.0, 0.1, 0.0), abs=2e-3)


def test_a_square_on_edge_is_a_wall_without_end(tmp_path: Path) -> None:
    """Turned about z its face looks along -x; a ball flies against it far beside the square."""
    wall = f"rotation 0 0 1 1.5707963267948966 translation 2 0 0 boundingObject {SQUARE.format(corners=UP)}"
    x, y, z = fallen(tmp_path, wall, "1.6 9 7 linearVelocity 0.5 0 0")
    assert 1.6 < x < 1.905 and y < 0.0 and z == pytest.approx(7.0)


@pytest.mark.parametrize(
    ("points", "faces"),
    [
        ("-1 0 -1, -1 0 1, 1 0 1, 1 0 -1", "0 1 2 -1 0 2 3 -1"),
        ("-1 0 -2, -1 0 2, 1 0 2, 1 0 -2", "0 1 2 3 -1"),
    ],
)
def test_triangles_and_what_is_no_square_end_where_they_end(points: str, faces: str, tmp_path: Path) -> None:
    mesh = f"IndexedFaceSet {{ coord Coordinate {{ point [ {points} ] }} coordIndex [ {faces} ] }}"
    assert fallen(tmp_path, f"boundingObject {mesh}", "0.5 0.5 0")[1] == pytest.approx(0.1, abs=2e-3)
    assert fallen(tmp_path, f"boundingObject {mesh}", "5 0.5 0")[1] < -10.0


@pytest.mark.parametrize(
    "bounds",
    [
        "Box { size 1 0.2 1 }",
        "Cylinder { radius 1 height 0.2 }",
        "Transform { translation 0 -0.9 0 children Sphere { radius 1 } }",
        "Shape { geometry Box { size 1 0.2 1 } }",
        "Group { children [ Box { size 1 0.1 1 } Transform { translation 0 0.05 0 "
        "children Box { size 1 0.1 1 } } ] }",
    ],
)
def test_each_kind_of_bounding_object_carries(bounds: str, tmp_path: Path) -> None:
    """All with their top at 0.1 m: the axis of a Cylinder is y."""
    assert fallen(tmp_path, f"boundingObject {bounds}", "0 0.3 0") == pytest.approx((0.0, 0.2, 0.0), abs=2e-3)


def test_what_is_locked_cannot_be_dragged_and_says_who_made_it(tmp_path: Path) -> None:
    file = tmp_path / "book.wbt"
    file.write_text(
        '#VRML_SIM V6.0 utf8\nSolid { name "chair" model "chair" author "a" constructor "c" description "d" '
        'locked TRUE } Solid { name "free" }'
    )
    scene = load_scene(file)
    sim = Simulation(scene)
    solids: dict[str, Node] = {node["name"]: node for node in scene.walk() if node.is_a("Solid")}
    chair = solids["chair"]
    assert not can_be_placed(sim, chair) and can_be_placed(sim, solids["free"])
    assert [chair[name] for name in ("model", "author", "constructor", "description")] == ["chair", *"acd"]
