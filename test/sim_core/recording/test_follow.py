"""Where the Viewpoint is while it follows a solid."""

import math
from pathlib import Path

import numpy as np
import pytest

from sim_core.base.geometry import Pose, rotate
from sim_core.model.surroundings import followed
from sim_core.recording.follow import viewpoint_pose
from sim_core.scene import load_scene, parse_scene
from sim_core.session.simulation import Simulation

START = (1.0, 2.0, 0.5)


def world(follow: str, kind: str) -> Simulation:
    text = f"""#VRML_SIM R2025a utf8
WorldInfo {{ gravity 0 basicTimeStep 10 }}
Viewpoint {{ position -3 1 2 orientation 0 1 0 0.5 follow "{follow}" followType "{kind}" }}
DEF BALL Solid {{
  name "the:ball" translation 1 2 0.5 rotation 0 0 1 0.4
  children Solid {{ name "lamp" translation 0.1 0 0 }}
  boundingObject Sphere {{ radius 0.1 }} physics Physics {{ }}
}}
Solid {{ name "lamp" translation 9 9 9 }}
"""
    sim = Simulation(parse_scene(text, "w.wbt"))
    sim.supervisor.set_velocity("BALL", (0.4, -0.2, 0.1), (0.0, 0.0, 0.5))
    sim.run(2.0)
    return sim


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
    """Seen from the solid the viewpoint stays where it was at the start."""
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
    """Also after a supervisor has put it elsewhere, and in a world that is saved and loaded."""
    sim = world(r"the\\:ball", kind)
    supervisor = sim.supervisor
    view = next(node for node in sim.scene.nodes if node.type_name == "Viewpoint")

    def told(of: Simulation) -> Pose:
        node = next(node for node in of.scene.nodes if node.type_name == "Viewpoint")
        position, orientation = (of.supervisor.get(node, field) for field in ("position", "orientation"))
        return Pose.from_axis_angle(position, orientation)

    def is_near(one: Pose, other: Pose) -> bool:
        return np.allclose(one.position, other.position, atol=1e-9) and np.allclose(
            one.rotation, other.rotation, atol=1e-9
        )

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
