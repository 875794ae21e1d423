from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nav_msgs.msg import Odometry
from sensor_msgs.msg import Imu, JointState
from visualization_msgs.msg import Marker, MarkerArray

from ros_bridge.composites.imu import find_imu
from ros_bridge.composites.joint_states import JointStates
from ros_bridge.composites.markers import MarkersFiller, parts_of
from ros_bridge.composites.odometry import GroundTruthFiller, OdometryFiller
from sim_core.model.geometry_nodes import geometry_of
from sim_core.scene import parse_scene
from sim_core.session.load_world import load_world
from sim_core.session.simulation import Simulation


@pytest.fixture
def sim(world_file: Callable[..., Path]) -> Simulation:
    return load_world(world_file())


def test_joint_states_name_motors_wheels_and_lonely_sensors(sim: Simulation) -> None:
    states = JointStates(sim.robot("robot1"))
    message = JointState()
    states.constants(message)
    assert list(message.name) == ["motor left", "motor right", "lift"]
    motor: Any = sim.robot("robot1")["motor left"]
    motor.set_velocity(2.0)
    sim.run(1.0)
    states.fill(message, sim.time_ns)
    encoder: Any = sim.robot("robot1")["encoder"]
    assert message.position[0] == encoder.sample(sim.time_ns).value == pytest.approx(2.0, rel=0.05)
    assert message.velocity[0] == pytest.approx(2.0, rel=0.01)


def test_the_imu_is_made_of_the_three_sensors_on_one_solid(sim: Simulation) -> None:
    imu = find_imu(sim.robot("robot1"))
    assert imu is not None
    sim.step()
    message = Imu()
    imu.constants(message)
    imu.fill(message, sim.time_ns)
    assert message.orientation_covariance[0] == message.linear_acceleration_covariance[0] == 0.0
    gyro: Any = sim.robot("robot1")["gyro"]
    assert message.angular_velocity.x == gyro.value[0]
    assert find_imu(sim.robot("old")) is None


def test_ground_truth_turns_with_the_robot_and_odometry_agrees(sim: Simulation) -> None:
    """A robot without physics on a circle: body velocity (v, 0), turn rate ω, position v/ω·sin(ω·t)."""
    robot = sim.robot("old")
    assert robot.drive is not None
    assert robot.odometry is not None
    robot.drive.set_twist(0.2, 0.5)
    sim.run(2.0)
    robot.odometry.update_pose()
    for fill in (GroundTruthFiller(robot, "old/base_link"), OdometryFiller(robot, "old/base_link")):
        message = Odometry()
        fill.constants(message)
        fill.fill(message, sim.time_ns)
        assert message.child_frame_id == "old/base_link"
        assert message.twist.twist.linear.x == pytest.approx(0.2, abs=1e-6)
        assert message.twist.twist.linear.y == pytest.approx(0.0, abs=1e-3)
        assert message.twist.twist.angular.z == pytest.approx(0.5, abs=1e-6)
        assert message.pose.pose.position.x == pytest.approx(0.2 / 0.5 * 0.8415, abs=2e-3)  # sin(1 rad)


def test_markers_show_everything_first_and_then_what_moves(sim: Simulation) -> None:
    markers = MarkersFiller(sim)
    message = MarkerArray()
    markers.fill(message, 0)
    first = {marker.id: marker for marker in message.markers}
    assert sorted(marker.ns for marker in first.values()) == ["robot1", "world", "world"]
    markers.fill(message, 0)
    assert [marker.ns for marker in message.markers] == ["robot1"]
    wall = next(marker for marker in first.values() if marker.pose.position.x == 3.0)
    assert (wall.type, wall.scale.y, wall.header.frame_id) == (Marker.CUBE, 4.0, "world")


@pytest.mark.parametrize(
    ("geometry", "kinds"),
    [
        ("Box { size 1 2 3 }", ["CUBE"]),
        ("Sphere { radius 2 }", ["SPHERE"]),
        ("Cylinder { radius 1 height 3 }", ["CYLINDER"]),
        ("Capsule { radius 1 height 3 }", ["CYLINDER", "SPHERE", "SPHERE"]),
        ("Cone { bottomRadius 1 height 3 }", ["TRIANGLE_LIST"]),
        ("Plane { size 2 3 }", ["CUBE"]),
        ("ElevationGrid { xDimension 2 yDimension 2 height [ 0 0 1 1 ] }", ["TRIANGLE_LIST"]),
        (
            "IndexedFaceSet { coord Coordinate { point [ 0 0 0 1 0 0 0 1 0 ] } coordIndex [ 0 1 2 -1 ] }",
            ["TRIANGLE_LIST"],
        ),
    ],
)
def test_geometries_become_marker_parts(geometry: str, kinds: list[str]) -> None:
    scene = parse_scene(f"#VRML_SIM R2025a utf8\nShape {{ geometry {geometry} }}")
    parts = parts_of(geometry_of(scene.nodes[0]["geometry"]))
    assert [part.kind for part in parts] == kinds
    assert all(hasattr(Marker, kind) for kind in kinds)
    assert all(len(part.points) % 3 == 0 for part in parts)
    assert all((len(part.points) > 0) == (part.kind == "TRIANGLE_LIST") for part in parts)
