"""Roads: what is seen and felt of them follows from their fields by formulas."""

import math

import numpy as np
import pytest
from extents import filled_box

from sim_core.base.config import SimulationConfig
from sim_core.scene import Node, parse_scene
from sim_core.scene.assets import Assets
from sim_core.session.simulation import Simulation

PAINT = 0.01
"""m by which lines lie above the road."""


def road(text: str, head: str = "#VRML_SIM R2022a utf8") -> tuple[Simulation, Node]:
    scene = parse_scene(f"{head}\nWorldInfo {{ }}\n{text}", "w.wbt", Assets())
    assert scene.warnings == []
    return Simulation(scene, SimulationConfig()), scene.nodes[-1]


def surfaces(node: Node) -> list[np.ndarray]:
    """The points of what is seen of it."""
    shapes = [each for each in node.walk() if each.node_type.name == "Shape"]
    return [np.array(shape["geometry"]["coord"]["point"]) for shape in shapes]


@pytest.mark.parametrize("lanes", [1, 2, 4])
def test_lines_part_the_width_into_equal_lanes(lanes: int) -> None:
    line = 'RoadLine { type "continuous" width 0.2 }'
    _, node = road(f"StraightRoadSegment {{ width 9 length 30 numberOfLanes {lanes} lines [ {line} ] }}")
    lines = [points for points in surfaces(node) if points[:, 2].max() == PAINT]
    middles = sorted(points[:, 1].mean() for points in lines)
    assert middles == pytest.approx([9.0 * k / lanes - 4.5 for k in range(1, lanes)])
    assert all(np.ptp(points[:, 1]) == pytest.approx(0.2) for points in lines)
    assert all(np.ptp(points[:, 0]) == pytest.approx(30.0) for points in lines)


def test_a_curve_keeps_its_radius_and_its_width() -> None:
    _, node = road("CurvedRoadSegment { width 8 curvatureRadius 20 totalAngle 1.2 subdivision 24 lines [ ] }")
    surface, left, right = surfaces(node)
    radii = np.hypot(surface[:, 0], surface[:, 1])
    assert radii[0::2] == pytest.approx(24.0)  # its right side
    assert radii[1::2] == pytest.approx(16.0)
    angles = np.arctan2(surface[:, 1], surface[:, 0])
    assert angles[0::2] == pytest.approx(np.linspace(0.0, 1.2, 25))
    assert np.hypot(left[:, 0], left[:, 1]).min() == pytest.approx(16.0 - 0.8)
    assert np.hypot(right[:, 0], right[:, 1]).max() == pytest.approx(24.0 + 0.8)


def test_the_ends_of_an_intersection_are_where_its_lengths_say() -> None:
    n, width, lengths = 3, 6.0, (4.0, 7.0, 10.0)
    said = f"roadNumber {n} roadsWidth {width} startRoadsLength [ 4 7 10 ] startRoadBorder FALSE"
    sim, node = road(f"RoadIntersection {{ {said} }}")
    roads = [each for each in node["children"] if each["name"].startswith("road ")]
    middle = width / (2.0 * math.tan(math.pi / n))
    for k, (part, length) in enumerate(zip(roads, lengths, strict=True)):
        angle = math.pi / 2.0 - (k + 0.5) * math.tau / n
        frame = sim.physics.frame(part.id).pose()
        assert frame.position == pytest.approx((middle * math.cos(angle), middle * math.sin(angle), 0.0))
        (surface,) = (points for points in surfaces(part) if points[:, 2].max() == 0.0)
        assert surface[:, 0].max() == pytest.approx(length)


def test_a_ball_rests_on_a_road_that_has_a_body() -> None:
    ball = 'Ball { name "b" translation 5 1 1.5 radius 0.2 }'
    text = "StraightRoadSegment { translation 0 0 1 %s } Solid { }"
    for said, height in (("roadBoundingObject TRUE", 1.2), ("", 0.2)):
        sim, _ = road(f"Floor {{ size 50 50 }} {ball} {text % said}")
        sim.run(3.0)
        assert sim.physics.frame(sim.scene.nodes[2].id).pose().position[2] == pytest.approx(height, abs=0.01)


def test_way_points_of_a_world_with_y_up_are_along_its_axes() -> None:
    """East is z of such a world, and up is y: a road to the east that climbs."""
    said = "wayPoints [ 0 0 0, 0 3 20 ] splineSubdivision -1 rightBorder FALSE leftBorder FALSE"
    sim, node = road(f"Road {{ rotation 0 1 0 0 {said} }}", "#VRML_SIM R2019a utf8")
    box = filled_box(sim, node)
    assert np.ptp(box, axis=0) == pytest.approx([20.0, 7.0, 3.0], abs=0.02)
