"""Recognition: objects, their positions and sizes, and occlusion."""

from __future__ import annotations

import math
from typing import Any

import pytest

from sim_core.base.errors import ConfigError
from sim_core.devices.vision.recognition import RecognizedObject, Recognizer, View
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

VIEW = View(1.0, 0.8)


def thing(
    name: str, x: float, y: float, z: float = 0.0, geometry: str = "Sphere { radius 0.5 }", more: str = ""
) -> str:
    return (
        f'Solid {{ name "{name}" model "{name} model" translation {x} {y} {z} '
        f"recognitionColors [ 1 0 0, 0 1 0 ] boundingObject {geometry} {more} }}\n"
    )


def look(text: str, view: View = VIEW, robot: str = "") -> list[RecognizedObject]:
    """Return the objects recognized by a robot at the origin."""
    world = f'Robot {{ name "r" {robot} children [ Pose {{ }} Solid {{ name "eye" translation 0 0 1 }} ] }}'
    sim = Simulation(parse_scene(f"#VRML_SIM R2025a utf8\nWorldInfo {{ }}\n{world}\n{text}", "w.wbt"))
    eye = next(node for node in sim.scene.walk() if node.has_field("name") and node["name"] == "eye")
    return sim.media.of(Recognizer).recognize(sim.physics.frame(eye.id), view, sim.robot("r").spec)


def names(found: list[RecognizedObject]) -> list[Any]:
    return [item.name for item in found]


def test_only_solids_with_colours_are_objects() -> None:
    plain = 'Solid { name "plain" translation 4 0 1 boundingObject Sphere { radius 0.1 } }'
    (found,) = look(thing("ball", 5, 0.5, 1) + plain, View(1.0, 0.8, occlusion=0))
    assert (found.model, found.colors) == ("ball model", ((1, 0, 0), (0, 1, 0)))
    assert found.position == pytest.approx((5, 0.5, 0))
    assert found.size == pytest.approx((1, 1, 1))


def test_pose_and_box_are_in_the_frame_of_the_eye() -> None:
    """An eye rotated by 90° to the left at (0, 0, 1); a box rotated by the same angle."""
    turned = "rotation 0 0 1 1.5707963267948966"
    (found,) = look(thing("box", 1, 6, 1.5, "Box { size 1 0.5 0.25 }", turned), robot=turned)
    assert found.pose.position == pytest.approx((6, -1, 0.5))
    assert found.pose.rotation == pytest.approx((1, 0, 0, 0, 1, 0, 0, 0, 1))
    assert found.position == pytest.approx((6, -1, 0.5))
    assert found.size == pytest.approx((1, 0.5, 0.25))
    edge_y, edge_z = 6 * math.tan(0.5), 6 * math.tan(0.4)
    left, top, right, bottom = found.image
    assert (left, right) == pytest.approx((0.5 + 0.75 / edge_y / 2, 0.5 + 1.25 / edge_y / 2))
    assert (top, bottom) == pytest.approx((0.5 - 0.625 / edge_z / 2, 0.5 - 0.375 / edge_z / 2))


def test_the_box_of_an_object_holds_the_solids_below_it() -> None:
    below = 'children [ Solid { name "hat" translation 0 0 1 boundingObject Box { size 0.2 0.2 0.2 } } ]'
    (found,) = look(thing("man", 9, 0, 0.5, more=below))
    assert found.position == pytest.approx((9, 0, -0.5 + (1.1 - 0.5) / 2))
    assert found.size == pytest.approx((1, 1, 1.6))


@pytest.mark.parametrize(
    ("azimuth", "seen"), [(0.0, True), (0.49, True), (0.598, True), (0.603, False), (3.0, False)]
)
def test_an_object_is_seen_as_long_as_a_part_of_it_is_in_the_picture(azimuth: float, seen: bool) -> None:
    """A ball of radius 0.5 at 5 m spans ±asin(0.1); the picture ends at 0.5 rad."""
    found = look(thing("ball", 5 * math.cos(azimuth), 5 * math.sin(azimuth), 1))
    assert bool(found) == seen
    if seen:
        left, _, right, _ = found[0].image
        assert 0.0 <= left <= right <= 1.0
        if azimuth == 0.49:
            half_width = 5 * math.cos(azimuth) * math.tan(0.5)
            assert found[0].position[1] + found[0].size[1] / 2 == pytest.approx(half_width)


def test_near_and_far() -> None:
    balls = thing("a", 1, 0, 1) + thing("b", 5, 0, 1) + thing("c", 10, 0, 1)
    assert names(look(balls, View(1.0, 0.8, occlusion=0))) == ["a", "b", "c"]
    assert names(look(balls, View(1.0, 0.8, near=1.51, occlusion=0))) == ["b", "c"]
    assert names(look(balls, View(1.0, 0.8, max_range=9.4, occlusion=0))) == ["a", "b"]
    assert names(look(balls, View(1.0, 0.8, max_range=9.6, occlusion=0))) == ["a", "b", "c"]


def test_the_largest_in_the_picture_come_first() -> None:
    balls = thing("far", 10, 0, 1) + thing("near", 3, 0.5, 1) + thing("middle", 6, -2, 1)
    assert names(look(balls, View(1.0, 0.8, max_objects=2, occlusion=0))) == ["near", "middle"]
    assert look(balls, View(1.0, 0.8, max_objects=0, occlusion=0)) == []


def test_levels_of_occlusion() -> None:
    ball = thing("ball", 10, 0, 1)
    small = 'Solid { name "post" translation 5 0 1 boundingObject Box { size 0.1 0.1 0.1 } }'
    large = small.replace("0.1 0.1 0.1", "0.1 4 4")
    for hider, seen in (("", (1, 1, 1)), (small, (1, 0, 1)), (large, (1, 0, 0))):
        assert tuple(len(look(ball + hider, View(1.0, 0.8, occlusion=level))) for level in (0, 1, 2)) == seen
    own = "boundingObject Pose { translation 2 0 1 children Box { size 0.1 4 4 } }"
    assert len(look(ball, View(1.0, 0.8, occlusion=2), own)) == 1


def test_objects_that_move_are_seen_where_they_are() -> None:
    text = '#VRML_SIM R2025a utf8\nWorldInfo { gravity 0 defaultDamping NULL }\nRobot { name "r" }\n' + thing(
        "ball", 5, 0, 0, more="physics Physics { } linearVelocity 1 0 0"
    )
    sim = Simulation(parse_scene(text, "w.wbt"))
    sim.run(2.048)
    (found,) = sim.media.of(Recognizer).recognize(sim.robot("r").frame, VIEW)
    assert found.position == pytest.approx((7.048, 0, 0), abs=1e-3)


@pytest.mark.parametrize(
    "wrong",
    [
        {"horizontal": 0.0},
        {"vertical": 3.2},
        {"near": -1.0},
        {"near": 2.0, "max_range": 1.0},
        {"occlusion": 3},
        {"max_objects": -1},
    ],
)
def test_views_that_cannot_be_are_refused_by_name(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=f"View.{next(iter(wrong))}"):
        View(**{"horizontal": 1.0, "vertical": 1.0, **wrong})


@pytest.mark.parametrize(
    ("azimuth", "elevation", "horizontal"),
    [(0.4, 0.2, 2.0), (-2.5, 0.3, 6.2), (2.0, -0.5, 5.0), (0.9, 0.0, 2.0)],
)
@pytest.mark.parametrize("projection", ["spherical", "cylindrical"])
def test_round_pictures_have_things_all_round(
    projection: str, azimuth: float, elevation: float, horizontal: float
) -> None:
    """On a cylinder u = ½ - azimuth/width and v = ½ - elevation/rows; on a sphere the distance from the
    middle is the angle to the x axis, over the width."""
    across = 4.0 * math.cos(elevation)
    x, y, z = across * math.cos(azimuth), across * math.sin(azimuth), 4.0 * math.sin(elevation)
    text = thing("dot", x, y, z + 1.0, "Sphere { radius 0.001 }")
    (found,) = look(text, View(horizontal, 3.0, occlusion=0, projection=projection, rows=2.5))
    left, top, right, bottom = found.image
    off = (0.5 - (left + right) / 2, 0.5 - (top + bottom) / 2)
    if projection == "cylindrical":
        assert off == pytest.approx((azimuth / horizontal, elevation / 2.5), abs=1e-3)
    else:
        assert math.hypot(*off) == pytest.approx(math.acos(x / 4.0) / horizontal, abs=1e-3)
        assert math.atan2(off[1], off[0]) == pytest.approx(math.atan2(z, y), abs=1e-2)


@pytest.mark.parametrize("projection", ["spherical", "cylindrical"])
def test_what_is_outside_a_round_picture_is_not_recognized(projection: str) -> None:
    view = View(2.0, 1.0, occlusion=0, projection=projection, rows=1.0)
    for x, y, z in ((-4, 0, 0), (2, 4, 0), (1, 0, 3)):
        assert not look(thing("dot", x, y, z + 1.0, "Sphere { radius 0.001 }"), view)


def test_a_round_view_goes_round_once_at_most() -> None:
    with pytest.raises(ConfigError, match=r"View\.horizontal: found 7\.0, expected an angle of up to 2π"):
        View(7.0, 1.0, projection="spherical", rows=1.0)
