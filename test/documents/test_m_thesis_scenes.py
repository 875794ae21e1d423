"""M, the thesis: its scenes (appendices A and C) stand, are written without loss, and runs repeat exactly.

Their numbers are those of the shipped files, without the attributes that the appendices do not have.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from ros_bridge.cli.convert import convert
from ros_bridge.controllers.wall_follower import decide
from sim_core import SimulationConfig
from sim_core.base.errors import SceneError
from sim_core.base.geometry import Vec3
from sim_core.base.shipped import find_world
from sim_core.scene import load_scene, parse_scene, write_scene
from sim_core.session.simulation import Simulation

OURS = re.compile(r' (controller|synchronization|centerOfMass|density)="[^"]*"|<WorldInfo[^>]*>')
PERIOD = 0.2
BOX_ON_ITS_WAY = """#VRML_SIM R2025a utf8
WorldInfo { gravity 0 basicTimeStep 10 }
Solid { translation 1 2 3 linearVelocity 1 0 0 boundingObject DEF B Box { size 1 2 3 }
  children Shape { geometry USE B } physics Physics { } }
"""


def file_of(name: str, is_typed: bool, folder: Path) -> Path:
    """A shipped scene, or the same as it stands in the appendix."""
    shipped = find_world(f"x3d/{name}")
    if not is_typed:
        return shipped
    typed = folder / f"{name}.x3d"
    typed.write_text(OURS.sub("", shipped.read_text(encoding="utf-8")), encoding="utf-8")
    return typed


@pytest.mark.parametrize("is_typed", [False, True])
@pytest.mark.parametrize("name", ["wall_avoiders", "wall_follower"])
def test_a_converted_scene_is_the_same_and_so_is_one_converted_again(
    name: str, is_typed: bool, tmp_path: Path
) -> None:
    source, once, twice = file_of(name, is_typed, tmp_path), tmp_path / "once.x3d", tmp_path / "twice.x3d"
    assert convert(str(source), str(once)) == convert(str(once), str(twice)) == (None, [])
    assert once.read_text() == twice.read_text()
    first, second = load_scene(source), load_scene(once)
    assert write_scene(second) == write_scene(first)
    (robot,) = Simulation(second).robots.values()
    expected = {"motor_left", "motor_right", "ds_left", "ds_front"}
    assert expected | {"ds_right" if name == "wall_avoiders" else "gps"} <= set(robot.devices)


def positions(scene: Path) -> list[Vec3]:
    """What the GPS says each 200 ms under the rules of appendix D."""
    sim = Simulation(load_scene(scene), SimulationConfig(sampling_period=PERIOD))
    robot, found = sim.robot("robot2"), []
    while sim.time < 10.0:
        sim.run(PERIOD)
        left, right = decide(robot["ds_front"].value, robot["ds_left"].value)
        robot["motor_left"].set_velocity(left)
        robot["motor_right"].set_velocity(right)
        found.append(robot["gps"].value)
    return found


def test_the_gps_reads_the_same_run_after_run(tmp_path: Path) -> None:
    scene = file_of("wall_follower", True, tmp_path)
    first = positions(scene)
    assert positions(scene) == first
    assert max(abs(place[0] - first[0][0]) + abs(place[1] - first[0][1]) for place in first) > 2.0, (
        "it drives"
    )


@pytest.mark.parametrize("name", ["wall_avoiders", "wall_follower"])
def test_the_scenes_as_printed_stand_on_their_casters(name: str, tmp_path: Path) -> None:
    """At rest within half a degree of level, on soft contacts; and each body's centre of mass is its
    reference point (4.2.2), so that the robot's is what its casters weigh ahead of that."""
    sim = Simulation(load_scene(file_of(name, True, tmp_path)))
    (robot,) = sim.robots.values()
    (hull,) = sim.physics.masses([robot.node.id])
    x, y, z = robot.frame.pose().inverse().apply(hull.centre)
    balls = {
        "wall_avoiders": [(0.03, 0.2, -0.19)],
        "wall_follower": [(0.0225, 0.4, -0.1975), (0.01, 0.4, -0.1975)],
    }
    weights = [7800.0 * 4.0 / 3.0 * math.pi * radius**3 for radius, _, _ in balls[name]]
    assert x == pytest.approx(
        sum(w * ball[1] for w, ball in zip(weights, balls[name], strict=True)) / hull.mass
    )
    assert z == pytest.approx(
        sum(w * ball[2] for w, ball in zip(weights, balls[name], strict=True)) / hull.mass
    )
    assert y == pytest.approx(0.0, abs=1e-6)
    for _ in range(10):
        sim.run(1.0)
        nose_up = robot.frame.pose().rotation[6]
        assert abs(nose_up) < math.sin(math.radians(0.5))


def now_of(sim: Simulation) -> tuple[list[float], list[float]]:
    """Where all solids are, with how they move; and how far all motors have turned."""
    poses = []
    for node in sim.scene.walk():
        if node.is_a("Solid"):
            frame = sim.physics.frame(node.id)
            pose = frame.pose()
            poses += [*pose.position, *pose.rotation, *frame.linear_velocity(), *frame.angular_velocity()]
    (robot,) = sim.robots.values()
    return poses, [motor.position for motor in robot.motors().values()]


@pytest.mark.parametrize("ending", [".x3d", ".wrl", ".wbt", ".wbt.x3d", ".wrl.x3d", ".x3d.wbt"])
@pytest.mark.parametrize("name", ["wall_avoiders", "wall_follower"])
def test_a_moved_world_is_saved_and_converted_without_loss(
    name: str, ending: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """In each format, and from each into the next: all motors, and all where it was, moving as it did.

    A hinge gives way by some 1e-4; written, it is straight.
    """
    sim = Simulation(load_scene(file_of(name, True, tmp_path)))
    (robot,) = sim.robots.values()
    robot["motor_left"].set_velocity(3.0)
    robot["motor_right"].set_velocity(4.0)
    sim.run(3.0)
    first, *others = ending.split(".")[1:]
    file = sim.supervisor.save(tmp_path / f"saved.{first}")
    for other in others:
        file, before = file.with_name(f"{file.stem}_{other}.{other}"), file
        convert(str(before), str(file))
    again = Simulation(load_scene(file))
    assert [*next(iter(again.robots.values())).devices] == [*robot.devices]
    (poses, turned), (poses_again, turned_again) = now_of(sim), now_of(again)
    assert turned_again == pytest.approx(turned, abs=1e-9) and min(turned) > 5.0
    assert poses_again == pytest.approx(poses, abs=1e-5 if ending == ".wbt" else 1e-3)
    assert not caplog.records


def test_what_has_no_form_in_x3d_is_told_and_other_endings_are_refused(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sim = Simulation(load_scene(find_world("x3d/wall_follower")))
    supervisor = sim.supervisor
    supervisor.set(sim.scene.world_info, "gravity", 1.62)
    supervisor.save(tmp_path / "moon.x3d")
    (record,) = caplog.records
    assert record.getMessage().endswith("WorldInfo.gravity 1.62 has no form in X3D and is left out")
    with pytest.raises(SceneError, match=r'moon.txt: the ending ".txt", expected .wbt or'):
        supervisor.save(tmp_path / "moon.txt")
    assert not (tmp_path / "moon.txt").exists()


def test_a_world_of_webots_is_saved_as_the_scenery_that_it_is_now(tmp_path: Path) -> None:
    sim = Simulation(parse_scene(BOX_ON_ITS_WAY))
    sim.run(1.0)
    now = Simulation(load_scene(sim.supervisor.save(tmp_path / "now.x3d")))
    (solid,) = [node for node in now.scene.walk() if node.is_a("Solid")]
    there = now.physics.frame(solid.id).pose()
    assert there.position == pytest.approx((2.0, 2.0, 3.0), abs=1e-3)
