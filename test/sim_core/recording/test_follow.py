"""Pose of the Viewpoint while it follows a solid."""

import math
from pathlib import Path

import numpy as np
import pytest

from sim_core.base.geometry import Pose, rotate
from sim_core.model.surroundings import followed
from sim_core.recording.follow import viewpoint_pose
from sim_core.scene import Node, load_scene, parse_scene
from sim_core.session.simulation import Simulation

START = (1.0, 2.0, 0.5)


def world(follow: str, kind: str, seconds: float = 2.0) -> Simulation:
    text = f"""#VRML_SIM R2025a utf8
WorldInfo {{ gravity 0 basicTimeStep 10 }}
Viewpoint {{ position -3 1 2 orientation 0 1 0 0.5 follow "{follow}" followType "{kind}" }}
DEF BALL Solid {{
  name "the:ball" translation 1 2 0.5 rotation 0 0 1 0.4
  children Solid {{ name "lamp" translation 0.1 0 0 }}
  boundingObject Sphere {{ radius 0.1 }} physics Physics {{ }}
}}
DEF LAMP Solid {{ name "lamp" translation 9 9 9 }}
"""
    sim = Simulation(parse_scene(text, "w.wbt"))
    sim.supervisor.set_velocity("BALL", (0.4, -0.2, 0.1), (0.0, 0.0, 0.5))
    sim.run(seconds)
    return sim


def viewpoint(sim: Simulation) -> Node:
    return next(node for node in sim.scene.nodes if node.type_name == "Viewpoint")


def told(sim: Simulation) -> Pose:
    """Return the pose in the fields of the Viewpoint."""
    position, orientation = (
        sim.supervisor.get(viewpoint(sim), field) for field in ("position", "orientation")
    )
    return Pose.from_axis_angle(position, orientation)


def is_near(one: Pose, other: Pose) -> bool:
    return np.allclose(one.position, other.position, atol=1e-9) and np.allclose(
        one.rotation, other.rotation, atol=1e-9
    )


OWN = Pose.from_axis_angle((-3.0, 1.0, 2.0), (0.0, 1.0, 0.0, 0.5))


@pytest.mark.parametrize("follow", ["", "nobody", "ball"])
def test_who_follows_nobody_stays(follow: str) -> None:
    sim = world(follow, "Tracking Shot")
    assert viewpoint_pose(sim.physics) == OWN


def test_a_tracking_shot_moves_as_the_solid_and_does_not_turn() -> None:
    sim = world(r"the\\:ball", "Tracking Shot")
    pose = viewpoint_pose(sim.physics)
    assert pose.position == pytest.approx((-3.0 + 0.8, 1.0 - 0.4, 2.0 + 0.2), abs=1e-6)
    assert pose.rotation == OWN.rotation


def test_a_mounted_shot_is_as_if_fixed_to_the_solid() -> None:
    """Relative to the solid the viewpoint stays where it was at the start."""
    sim = world(r"the\\:ball", "Mounted Shot")
    ball = sim.supervisor.pose("BALL")
    seen = ball.inverse() * viewpoint_pose(sim.physics)
    at_start = Pose.from_axis_angle(START, (0.0, 0.0, 1.0, 0.4)).inverse() * OWN
    assert np.allclose(seen.position, at_start.position, atol=1e-9)
    assert np.allclose(seen.rotation, at_start.rotation, atol=1e-9)


def test_pan_and_tilt_looks_at_the_solid_and_stays_level() -> None:
    sim = world(r"the\\:ball", "Pan and Tilt Shot")
    pose = viewpoint_pose(sim.physics)
    ball = np.array(sim.supervisor.pose("BALL").position)
    way = ball - OWN.position
    assert pose.position == OWN.position
    assert rotate(pose.rotation, (1.0, 0.0, 0.0)) == pytest.approx(way / np.linalg.norm(way))
    assert rotate(pose.rotation, (0.0, 1.0, 0.0))[2] == pytest.approx(0.0)
    assert rotate(pose.rotation, (0.0, 0.0, 1.0))[2] == pytest.approx(
        math.hypot(way[0], way[1]) / np.linalg.norm(way)
    )


def test_the_path_of_names_tells_solids_of_one_name_apart() -> None:
    sim = world("", "None")
    inner, outer = followed(sim.scene, r"the\:ball:lamp"), followed(sim.scene, "lamp")
    assert inner is not None and outer is not None
    assert (inner["translation"], outer["translation"]) == ((0.1, 0.0, 0.0), (9.0, 9.0, 9.0))


@pytest.mark.parametrize("kind", ["Tracking Shot", "Mounted Shot"])
def test_the_fields_of_the_viewpoint_say_where_it_is(kind: str, tmp_path: Path) -> None:
    """Also after a supervisor has moved it, and in a world that is saved and loaded."""
    sim = world(r"the\\:ball", kind)
    supervisor = sim.supervisor
    view = viewpoint(sim)
    assert is_near(told(sim), viewpoint_pose(sim.physics)) and not is_near(told(sim), OWN)
    saved = Simulation(load_scene(supervisor.save(tmp_path / "saved.wbt")))
    assert is_near(viewpoint_pose(saved.physics), viewpoint_pose(sim.physics))
    supervisor.set(view, "position", (5.0, 6.0, 7.0))
    assert supervisor.get(view, "position") == pytest.approx((5.0, 6.0, 7.0), abs=1e-12)
    assert viewpoint_pose(sim.physics).position == pytest.approx((5.0, 6.0, 7.0), abs=1e-12)
    supervisor.set(view, "orientation", (0.0, 0.0, 1.0, 1.0))
    wanted = Pose.from_axis_angle((5.0, 6.0, 7.0), (0.0, 0.0, 1.0, 1.0))
    assert is_near(told(sim), wanted) and is_near(viewpoint_pose(sim.physics), wanted)
    before = sim.supervisor.pose("BALL")
    sim.run(1.0)
    if kind == "Tracking Shot":
        moved = np.subtract(sim.supervisor.pose("BALL").position, before.position)
        assert told(sim).position == pytest.approx(np.add((5.0, 6.0, 7.0), moved), abs=1e-9)
    else:
        carried = sim.supervisor.pose("BALL") * before.inverse() * wanted
        assert is_near(told(sim), carried)


@pytest.mark.parametrize("seconds", [0.0, 0.01])
@pytest.mark.parametrize("kind", ["Tracking Shot", "Mounted Shot"])
def test_a_supervisor_that_puts_the_solid_elsewhere_takes_the_viewpoint_along(
    kind: str, seconds: float
) -> None:
    """The reference is the solid's pose in the loaded world, not at the first step."""
    sim = world(r"the\\:ball", kind, seconds)
    sim.supervisor.set("BALL", "translation", (4.0, 2.0, 1.5))
    if kind == "Mounted Shot":
        sim.supervisor.set("BALL", "rotation", (0.0, 0.0, 1.0, 0.4 + math.pi / 2.0))
        # (-4, -1, 1.5) from the ball, which has turned by a quarter.
        expected = Pose.from_axis_angle((5.0, -2.0, 3.0), (0.0, 0.0, 1.0, math.pi / 2.0)) * Pose(
            (0.0, 0.0, 0.0), OWN.rotation
        )
    else:
        expected = Pose((0.0, 1.0, 3.0), OWN.rotation)
    tolerance = 1e-9 if seconds == 0.0 else 0.05  # it has moved before
    assert np.allclose(told(sim).position, expected.position, atol=tolerance)
    assert np.allclose(told(sim).rotation, expected.rotation, atol=tolerance)
    assert is_near(told(sim), viewpoint_pose(sim.physics))
    start, ball = told(sim), sim.supervisor.pose("BALL")
    sim.step()
    now = sim.supervisor.pose("BALL")
    if kind == "Mounted Shot":
        assert is_near(told(sim), now * ball.inverse() * start)
    else:
        shifted = np.add(start.position, np.subtract(now.position, ball.position))
        assert is_near(told(sim), Pose(tuple(shifted.tolist()), OWN.rotation))
    sim.reset()
    assert told(sim) == OWN == viewpoint_pose(sim.physics)


def test_what_is_followed_anew_takes_the_viewpoint_from_where_it_is() -> None:
    """Also if another solid was followed before, or in another way; if the solid is removed, or following
    ends, it stays."""
    sim = world(r"the\\:ball", "Mounted Shot")
    supervisor, view = sim.supervisor, viewpoint(sim)

    def stays() -> bool:
        return is_near(told(sim), before) and is_near(viewpoint_pose(sim.physics), before)

    before = told(sim)
    for field, value in (
        ("followType", "Tracking Shot"),
        ("followType", "Mounted Shot"),
        ("follow", "lamp"),
        ("follow", ""),
        ("follow", "lamp"),
    ):
        supervisor.set(view, field, value)
        assert stays(), (field, value)
    sim.run(0.1)
    assert stays()
    supervisor.set("LAMP", "translation", (9.0, 9.0, 10.0))
    before = Pose(tuple(np.add(before.position, (0.0, 0.0, 1.0)).tolist()), before.rotation)
    assert stays()
    supervisor.remove("LAMP")
    assert stays()


def test_a_tracking_shot_says_the_orientation_as_it_is_written() -> None:
    sim = world(r"the\\:ball", "Tracking Shot")
    assert sim.supervisor.get(viewpoint(sim), "orientation") == (0.0, 1.0, 0.0, 0.5)
