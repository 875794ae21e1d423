"""Controllers and supervisors of worlds in other axes read and write the numbers of their file's axes."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ros_bridge.controller_api.client import Client
from ros_bridge.controller_api.readings import encoder
from ros_bridge.controller_api.supervise import SupervisorRequests
from sim_core.base.geometry import rotation_from_axis_angle, rotation_from_quaternion
from sim_core.scene import load_scene
from sim_core.session.session import Session
from sim_core.session.simulation import Simulation

NUE = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
AXIS, ANGLE = (0.2, 0.9, -0.3), 0.8
WORLD = """#VRML_SIM {version} utf8
WorldInfo {{ basicTimeStep 8 coordinateSystem "NUE" gpsReference 10 20 30 }}
DEF ROBOT Robot {{ translation 1 2 3 rotation 0.2 0.9 -0.3 0.8
  linearVelocity 0.5 0 0 angularVelocity 0 0.25 0
  children [ GPS {{ }} InertialUnit {{ }} Compass {{ }} Accelerometer {{ }} Gyro {{ }} ]
  boundingObject Sphere {{ radius 0.1 }} physics Physics {{ density -1 mass 2 }} }}
DEF WALL Solid {{ name "wall" translation 5 0 7 rotation 0 1 0 0.3 }}
"""


@pytest.fixture(params=["R2021b", "R2025a"])
def sim(request: pytest.FixtureRequest, tmp_path: Path) -> Simulation:
    file = tmp_path / "nue.wbt"
    file.write_text(WORLD.format(version=request.param))
    return Simulation(load_scene(file))


def told(sim: Simulation, device: str) -> Any:
    """What a controller is told after one step, in which all fall freely."""
    sensor = sim.robot("robot")[device]
    sim.step()
    return encoder(sensor)(sensor.sample(sim.time_ns))


def rotation() -> np.ndarray:
    return np.array(rotation_from_axis_angle((*AXIS, ANGLE))).reshape(3, 3)


def test_gps_gives_north_up_east_and_the_reference(sim: Simulation) -> None:
    x, y, z, speed, *velocity = told(sim, "gps")
    assert (x, y, z) == pytest.approx((11.004, 22.0, 33.0), abs=1e-3)
    assert velocity == pytest.approx((0.5, -9.81 * 0.008, 0.0), abs=1e-9)
    assert speed == pytest.approx(math.hypot(*velocity))
    topic = sim.robot("robot")["gps"].sample(sim.time_ns).value
    np.testing.assert_array_equal(topic, NUE @ (x, y, z))


def test_the_inertial_unit_gives_the_rotation_of_the_file(sim: Simulation) -> None:
    roll, pitch, yaw, *quaternion = told(sim, "inertial unit")
    found = np.array(rotation_from_quaternion(tuple(quaternion))).reshape(3, 3)
    np.testing.assert_allclose(found, rotation(), atol=3e-3)
    about = [
        np.array(rotation_from_axis_angle((*axis, angle))).reshape(3, 3)
        for axis, angle in (((0.0, 1.0, 0.0), yaw), ((0.0, 0.0, 1.0), pitch), ((1.0, 0.0, 0.0), roll))
    ]
    np.testing.assert_allclose(about[0] @ about[1] @ about[2], found, atol=1e-12)


def test_vectors_of_devices_are_in_their_own_axes(sim: Simulation) -> None:
    """North is x of the world; the robot falls freely, and turns about y of the world."""
    np.testing.assert_allclose(told(sim, "compass"), rotation().T @ (1, 0, 0), atol=3e-3)
    np.testing.assert_allclose(told(sim, "accelerometer"), (0, 0, 0), atol=1e-9)
    np.testing.assert_allclose(told(sim, "gyro"), rotation().T @ (0, 0.25, 0), atol=1e-2)


def asking(sim: Simulation) -> tuple[Any, Client]:
    """What answers a supervisor, and the supervisor."""
    session = Session(sim)
    host: Any = SimpleNamespace(session=session)  # all of the node that poses and forces need
    return SupervisorRequests(host), Client(session, sim.robot("robot"), Path())


def test_what_supervisors_ask_is_answered_in_the_axes_of_the_file(sim: Simulation) -> None:
    requests, client = asking(sim)
    robot, wall = (requests.numbers.number_of(sim.supervisor.node(name)) for name in ("ROBOT", "WALL"))
    pose = np.array(requests.ask_node_pose(client, robot, None)).reshape(4, 4)
    np.testing.assert_allclose(pose[:3, 3], (1, 2, 3), atol=1e-15)
    np.testing.assert_allclose(pose[:3, :3], rotation(), atol=1e-15)
    seen = np.array(requests.ask_node_pose(client, robot, wall)).reshape(4, 4)
    other = np.array(requests.ask_node_pose(client, wall, None)).reshape(4, 4)
    np.testing.assert_allclose(other @ seen, pose, atol=1e-14)
    assert requests.ask_node_velocity(client, robot) == pytest.approx((0.5, 0, 0, 0, 0.25, 0), abs=1e-15)
    assert requests.ask_node_centre_of_mass(client, robot) == pytest.approx((1, 2, 3), abs=1e-15)
    requests.ask_node_set_velocity(client, robot, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert requests.ask_node_velocity(client, robot) == pytest.approx((1, 2, 3, 4, 5, 6), abs=1e-14)


@pytest.mark.parametrize(("version", "column"), [("R2021b", 2), ("R2021c", 0), ("R2025a", 0)])
def test_a_camera_of_an_old_proto_is_where_webots_has_turned_it(
    tmp_path: Path, version: str, column: int
) -> None:
    """It looks north, along x of its frame as that of today does; up to R2021b a file means -z by that."""
    rotation = "1 0 0 1.5707963267948966" if column else "0 0 1 1.5707963267948966"
    (tmp_path / "Eye.proto").write_text(
        f"#VRML_SIM {version} utf8\nPROTO Eye [ ] {{ Camera {{ rotation {rotation} }} }}"
    )
    file = tmp_path / "w.wbt"
    file.write_text('#VRML_SIM R2025a utf8\nEXTERNPROTO "Eye.proto"\nRobot { children DEF EYE Eye { } }')
    sim = Simulation(load_scene(file))
    requests, client = asking(sim)
    eye = requests.numbers.number_of(sim.supervisor.node("EYE"))
    pose = np.array(requests.ask_node_pose(client, eye, None)).reshape(4, 4)
    np.testing.assert_allclose(pose[:3, 0], (0.0, 1.0, 0.0), atol=1e-15)
    np.testing.assert_allclose(pose[:3, 2], (0.0, 0.0, 1.0), atol=1e-15)


@pytest.mark.parametrize("relative", [False, True])
def test_forces_push_along_the_axes_of_the_file(sim: Simulation, relative: bool) -> None:
    requests, client = asking(sim)
    robot = requests.numbers.number_of(sim.supervisor.node("ROBOT"))
    requests.ask_node_set_velocity(client, robot, [0.0] * 6)
    requests.ask_node_add_force(client, robot, [10.0, 20.0, 30.0], [0.0, 0.0, 0.0], relative)
    sim.step()
    force = np.array((10.0, 20.0, 30.0))
    expected = (rotation() @ force if relative else force) / 2.0 * 0.008 + (0, -9.81 * 0.008, 0)
    np.testing.assert_allclose(requests.ask_node_velocity(client, robot)[:3], expected, atol=1e-9)
