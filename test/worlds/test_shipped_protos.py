"""The PROTO files that come with odesim: each makes an instance; robots rest, drive and steer by formula."""

import math
from pathlib import Path
from typing import Any

import pytest

from ros_bridge.cli.world_check import check_file
from sim_core.base.config import SimulationConfig
from sim_core.base.shipped import share_dir
from sim_core.scene import parse_scene
from sim_core.scene.assets import Assets
from sim_core.session.simulation import Simulation

PROTOS = {path.stem: path for path in sorted((share_dir() / "protos").rglob("*.proto"))}
ROBOTS = {path.stem: path for path in PROTOS.values() if path.parent.name == "robots"}
CASTER = 'ContactProperties { material1 "caster" coulombFriction 0 }'
INFO = f"WorldInfo {{ basicTimeStep 8 contactProperties {CASTER} }}"


def simulate(text: str) -> Simulation:
    head = "#VRML_SIM R2022a utf8\n"  # before R2022b nothing is declared
    scene = parse_scene(f"{head}{INFO}\n{text}", "w.wbt", Assets())
    assert [str(warning) for warning in scene.warnings] == []
    return Simulation(scene, SimulationConfig(contacts="stiff"))


def place(sim: Simulation) -> tuple[float, float, float]:
    return sim.robot("r").frame.pose().position


def heading(sim: Simulation) -> float:
    rotation = sim.robot("r").frame.pose().rotation
    return math.atan2(rotation[3], rotation[0])


@pytest.mark.parametrize("path", PROTOS.values(), ids=PROTOS)
def test_an_instance_has_no_problem(path: Path) -> None:
    found = check_file(path)
    assert (found.errors, found.warnings) == ([], [])


@pytest.mark.parametrize("name", ROBOTS)
def test_a_robot_stands_where_it_is_put_and_stays(name: str) -> None:
    sim = simulate(f'Floor {{ size 50 50 }} {name} {{ name "r" }}')
    assert sim.physics.warnings == []
    start = place(sim)
    sim.run(2.0)
    rest = place(sim)
    assert math.dist(start, rest) < 0.005
    sim.run(8.0)
    assert math.dist(rest, place(sim)) < 1e-5


def test_the_slot_and_the_box_are_as_worlds_made_for_webots_count_on() -> None:
    """As webots_ros2's driver_test.wbt has them: the slot begins on the ground, the box is 0.6 m wide."""
    eye = 'DistanceSensor { name "eye" translation 0 0 0.59 type "laser" lookupTable [ 0 0 0, 9 9 0 ] }'
    robot = f'Pioneer3at {{ name "r" extensionSlot [ GPS {{ }} {eye} ] }}'
    sim = simulate(f"{robot} CardboardBox {{ translation 1 0 0.3 locked TRUE }}")
    sim.step()
    seen = sim.robot("r")
    assert sim.physics.frame(seen.nodes["gps"].id).pose() == seen.frame.pose()
    assert seen["eye"].value == pytest.approx(1.0 - 0.3, abs=1e-6)


@pytest.mark.parametrize("name", sorted(ROBOTS.keys() - {"Cart", "SwarmRobot"}))
def test_the_level_of_detail_changes_the_looks_alone(name: str) -> None:
    high, low = (simulate(f'{name} {{ name "r" detail "{level}" }}').robot("r") for level in ("high", "low"))
    assert list(low.devices) == list(high.devices)
    assert (low.drive and low.drive.wheel_radius) == (high.drive and high.drive.wheel_radius)


@pytest.mark.parametrize("steering", [0.2, -0.35])
def test_the_ute_turns_on_the_circle_of_ackermann(steering: float) -> None:
    """R = L / tan δ, from the middle of the rear axle; the front wheels turn by cot δ = (R ∓ t/2) / L."""
    length, track, radius = 2.9, 1.5, 0.36
    sim = simulate('Floor { size 200 200 } Ute { name "r" }')
    robot = sim.robot("r")
    circle = length / math.tan(steering)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        robot[f"{side} steering"].set_position(math.atan(length / (circle - sign * track / 2.0)))
        wheel_circle = (circle - sign * track / 2.0) / circle
        robot[f"rear {side} wheel"].set_velocity(2.0 / radius * wheel_circle)
    sim.run(4.0)
    before, start, angle = heading(sim), place(sim), 0.0
    way = 0.0
    for _ in range(400):
        sim.step()
        now, here = heading(sim), place(sim)
        angle += math.remainder(now - before, math.tau)
        way += math.dist(start, here)
        before, start = now, here
    assert way / angle == pytest.approx(circle, rel=0.05)


def test_the_walls_of_the_arenas_stand_where_their_sizes_say() -> None:
    arena = "RectangleArena { floorSize 2 3 wallThickness 0.1 wallHeight 0.4 } "
    robot = 'Robot { name "r" translation 0 0 0.2 children [ %s ] }'
    sensor = 'DistanceSensor { name "%s" rotation 0 0 1 %g type "laser" lookupTable [ 0 0 0, 9 9 0 ] }'
    quarters = [sensor % (k, k * math.pi / 2.0) for k in range(4)]
    sim = simulate(arena + robot % " ".join(quarters))
    sim.step()
    distances = [sim.robot("r")[str(k)].value for k in range(4)]
    assert distances == pytest.approx([1.0, 1.5, 1.0, 1.5])
    sixteen = [sensor % (k, k * math.pi / 8.0) for k in range(16)]
    sim = simulate(
        "CircleArena { radius 2 subdivision 64 } " + robot.replace("0.2", "0.05") % " ".join(sixteen)
    )
    sim.step()
    for k in range(16):
        assert 2.0 - 1e-9 <= sim.robot("r")[str(k)].value <= 2.0 / math.cos(math.pi / 64)


def test_an_epuck_sees_a_wall_by_its_table() -> None:
    wall = (
        'Wall { name "w" translation 0.066 0 0 size 0.02 1 0.2 }'  # 0.026 m ahead of the sensor at x = 0.03
    )
    sim = simulate(f'Floor {{ }} {wall} E-puck {{ name "r" kinematic TRUE }}')
    sim.step()
    robot: Any = sim.robot("r")
    for name, others in (("ps0", ("ps3", "ps4")), ("ps7", ("ps3", "ps4"))):
        reading = robot[name].reading
        factor = 0.2 + 0.8 * 0.9 * (1.0 - 0.5 * 0.9)  # of infra-red, the wall's red 0.9 and roughness 0.9
        assert reading.distance == pytest.approx((0.056 - 0.03) / math.cos(0.3) / factor, rel=0.02)
        assert all(reading.value > robot[other].value for other in others)


def test_a_webots_world_finds_ours_where_the_original_is_not_to_be_had(tmp_path: Path) -> None:
    url = "https://raw.githubusercontent.com/cyberbotics/webots/R2025a/projects/objects/floors/protos/Floor.proto"
    text = f'#VRML_SIM R2025a utf8\nEXTERNPROTO "{url}"\nFloor {{ size 2 2 }}\n'
    scene = parse_scene(text, str(tmp_path / "w.wbt"), Assets(cache=tmp_path))
    (warning,) = scene.warnings
    assert "PROTO Floor is not at its URL; taken in its place: " in str(warning)
    assert scene.nodes[0]["boundingObject"]["size"] == (2.0, 2.0)


def test_of_several_that_are_not_at_their_urls_one_line_tells(tmp_path: Path) -> None:
    url = "https://raw.githubusercontent.com/cyberbotics/webots/R2025a/projects/objects"
    text = (
        f'#VRML_SIM R2025a utf8\nEXTERNPROTO "{url}/floors/protos/Floor.proto"\n'
        f'EXTERNPROTO "{url}/walls/protos/Wall.proto"\nFloor {{ }} Wall {{ }} Wall {{ name "2" }}\n'
    )
    (warning,) = parse_scene(text, str(tmp_path / "w.wbt"), Assets(cache=tmp_path)).warnings
    assert "w.wbt:4:1: PROTO Floor, Wall are not at their URLs; taken in their place: " in str(warning)
