"""M, the thesis: its scenes (appendices A and C) are written without loss, and runs repeat exactly.

Their numbers are those of the shipped files, without the attributes that the appendices do not have.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ros_bridge.cli.convert import convert
from ros_bridge.controllers.wall_follower import decide
from sim_core import SimulationConfig
from sim_core.base.geometry import Vec3
from sim_core.base.shipped import find_world
from sim_core.scene import load_scene, write_scene
from sim_core.session.simulation import Simulation

OURS = re.compile(r' (controller|synchronization|centerOfMass|density)="[^"]*"|<WorldInfo[^>]*>')
PERIOD = 0.2


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
    assert convert(str(source), str(once)) == convert(str(once), str(twice)) == []
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
