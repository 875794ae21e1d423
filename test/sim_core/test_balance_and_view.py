"""What stands, and from where an object is seen whole: against geometry."""

import math

import pytest

from sim_core.base.geometry import Vec3, rotate_back, subtract
from sim_core.recording.follow import viewpoint_pose
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation
from sim_core.session.supervision.balance import is_balanced
from sim_core.session.supervision.move_viewpoint import place_to_see

DOWN = (0.0, 0.0, -9.81)
TRIANGLE: list[Vec3] = [(0.0, 0.0, 0.0), (3.0, 0.0, 0.5), (0.0, 3.0, -0.2), (1.0, 1.0, 0.1), (3.0, 0.0, 0.5)]


@pytest.mark.parametrize(
    ("centre", "expected"),
    [
        ((0.5, 0.5, 9.0), True),
        ((1.6, 1.6, 0.0), False),  # past x + y = 3
        ((1.4, 1.5, 0.0), True),
        ((-0.1, 1.0, 0.0), False),
        ((0.0, 1.0, 5.0), True),  # on the border
    ],
)
def test_what_is_above_the_triangle_of_its_contacts_stands(centre: Vec3, expected: bool) -> None:
    assert is_balanced(centre, TRIANGLE, DOWN) is expected


def test_nothing_stands_on_nothing_or_on_a_line() -> None:
    assert not is_balanced((0.0, 0.0, 1.0), [], DOWN)
    assert not is_balanced((0.0, 0.0, 1.0), [(-1.0, 0.0, 0.0), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)], DOWN)


def test_the_direction_of_gravity_counts() -> None:
    """On a wall at x = 0, with gravity along -x, the triangle is in y and z."""
    turned = [(z, x, y) for x, y, z in TRIANGLE]
    assert is_balanced((7.0, 0.5, 0.5), turned, (-3.0, 0.0, 0.0))
    assert not is_balanced((7.0, 1.6, 1.6), turned, (-3.0, 0.0, 0.0))


BOX = (2.0, 1.0, 0.5)
WORLD = """#VRML_SIM R2025a utf8
Viewpoint {{ orientation 0 0 1 0.7 position 5 6 7 fieldOfView 1 {follow} }}
DEF BOX Robot {{ name "box" translation 3 4 2 {turned}
  children Shape {{ geometry DEF G Box {{ size 2 1 0.5 }} }} boundingObject USE G {physics} }}
"""


@pytest.mark.parametrize(
    "follow", ["", 'follow "box" followType "Mounted Shot"', 'follow "box"', 'follow "box" followType "None"']
)
def test_the_viewpoint_goes_where_the_ball_around_the_box_touches_the_shorter_sides(follow: str) -> None:
    """From the centre back along its view: radius/sin(half angle of the shorter side, 9/16 of the longer)."""
    physics = "physics Physics { } linearVelocity 1 2 3"
    scene = parse_scene(WORLD.format(follow=follow, turned="", physics=physics), "w.wbt")
    sim = Simulation(scene)
    sim.run(0.2)
    box = sim.supervisor.node("BOX")
    view = next(node for node in scene.nodes if node.type_name == "Viewpoint")
    before = viewpoint_pose(sim.physics).rotation
    sim.supervisor.set(view, "position", place_to_see(scene, sim.physics, box))
    seen = viewpoint_pose(sim.physics)
    assert seen.rotation == pytest.approx(before, abs=1e-9)
    middle = rotate_back(seen.rotation, subtract(sim.supervisor.pose(box).position, seen.position))
    radius = math.hypot(*BOX) / 2.0
    distance = radius / math.sin(math.atan(math.tan(0.5) * 9.0 / 16.0))
    assert middle == pytest.approx((distance, 0.0, 0.0), abs=1e-6)
