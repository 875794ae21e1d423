"""Covariances of `/R/imu` and `/R/odom`."""

import math
from typing import Any

import numpy as np
import pytest
from nav_msgs.msg import Odometry
from sensor_msgs.msg import Imu, JointState

from ros_bridge.composites.imu import find_imu
from ros_bridge.composites.joint_states import JointStates
from ros_bridge.composites.odometry import LEAST, UNKNOWN, OdometryFiller
from sim_core.base.config import DeviceConfig, FaultConfig, RobotConfig, SimulationConfig
from sim_core.base.shipped import find_world
from sim_core.scene import load_scene, parse_scene
from sim_core.session.simulation import Simulation

IMU = "gyro", "accelerometer", "inertial unit"


def swing(**faults: Any) -> Simulation:
    devices = {name: DeviceConfig(faults=FaultConfig(**faults)) for name in IMU}
    config = SimulationConfig(robots={"swing": RobotConfig(devices=devices)})
    return Simulation(load_scene(find_world("devices/imu")), config)


def imu_of(sim: Simulation) -> tuple[Any, Imu]:
    imu = find_imu(sim.robot("swing"))
    assert imu is not None
    message = Imu()
    imu.constants(message)
    return imu, message


def diagonal(covariance: Any) -> list[float]:
    matrix = np.array(covariance).reshape(3, 3)
    assert np.count_nonzero(matrix - np.diag(np.diag(matrix))) == 0
    return np.diag(matrix).tolist()


def test_the_imu_has_the_variances_of_its_sensors_noise() -> None:
    """Tables: (0.02·|ω|)² and (0.01·|a|)² of each component; unit: (0.001·π)² about each axis."""
    sim = swing()
    imu, message = imu_of(sim)
    sim.robot("swing")["turn"].set_velocity(1.0)
    sim.run(0.5)
    imu.fill(message, sim.time_ns)
    assert diagonal(message.angular_velocity_covariance) == pytest.approx(
        [0.0, 0.0, 0.02**2], rel=1e-6, abs=1e-9
    )
    truth = sim.robot("swing")["accelerometer"].measure()
    assert diagonal(message.linear_acceleration_covariance) == pytest.approx([(0.01 * a) ** 2 for a in truth])
    assert diagonal(message.orientation_covariance) == pytest.approx([(0.001 * math.pi) ** 2] * 3)


def test_the_variances_are_those_of_the_readings() -> None:
    """At rest: the spread of 1000 upward accelerations and headings, within 5 standard errors."""
    sim = swing(gaussian=0.05)
    imu, message = imu_of(sim)
    upward, heading = [], []
    for _ in range(1000):
        sim.step()
        imu.fill(message, sim.time_ns)
        upward.append(message.linear_acceleration.z)
        heading.append(2.0 * math.atan2(message.orientation.z, message.orientation.w))
    close = 5.0 * math.sqrt(2.0 / 1000)
    assert np.var(upward) == pytest.approx(message.linear_acceleration_covariance[8], rel=close)
    assert np.var(heading) == pytest.approx(message.orientation_covariance[8], rel=close)


def test_faults_add_their_variance() -> None:
    """gaussian² + drift²·t on each axis, beside the device's own; a bias is no variance."""
    sim = swing(gaussian=0.1, drift=0.2, bias=3.0)
    imu, message = imu_of(sim)
    sim.run(2.0)
    imu.fill(message, sim.time_ns)
    added = 0.1**2 + 0.2**2 * 2.0
    assert diagonal(message.angular_velocity_covariance)[:2] == pytest.approx([added] * 2)
    assert diagonal(message.orientation_covariance) == pytest.approx([added + (0.001 * math.pi) ** 2] * 3)


def test_without_noise_a_covariance_is_unknown_and_without_a_sensor_it_says_so() -> None:
    """REP-145 and sensor_msgs/Imu: zeros for unknown, -1 first for what is not measured."""
    world = """#VRML_SIM R2025a utf8
    Robot { name "r" controller "void" physics Physics { } boundingObject Sphere { }
      children [ Gyro { name "gyro" } Accelerometer { name "a" resolution 0.6 } ] }"""
    sim = Simulation(parse_scene(world, "w.wbt"))
    sim.step()
    imu = find_imu(sim.robot("r"))
    assert imu is not None
    message = Imu()
    imu.constants(message)
    imu.fill(message, sim.time_ns)
    assert not any(message.angular_velocity_covariance)
    assert diagonal(message.linear_acceleration_covariance) == pytest.approx([0.6**2 / 12.0] * 3)
    assert list(message.orientation_covariance) == [-1.0] + [0.0] * 8


def test_late_parts_make_a_late_imu() -> None:
    sim = swing(latency=0.1)
    imu, message = imu_of(sim)
    sim.run(0.3)
    imu.fill(message, sim.time_ns)
    assert message.header.stamp.nanosec == 200_000_000


DRIVE = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 gravity 0 }
Robot { name "r" controller "void" children [ LEFT RIGHT ] }
"""
WHEEL = """HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 anchor {x} {y} 0 }}
    device [ RotationalMotor {{ name "m{y}" maxVelocity 50 maxTorque 1e6 }} PositionSensor {{ name "s{y}" }} ]
    endPoint Solid {{ translation {x} {y} 0 rotation 1 0 0 1.5707963267948966
      boundingObject Cylinder {{ radius 0.1 height 0.02 }} }} }}"""


def drive(x: float, **faults: Any) -> Simulation:
    text = DRIVE.replace("LEFT", WHEEL.format(x=x, y=0.2)).replace("RIGHT", WHEEL.format(x=x, y=-0.2))
    devices = {"s0.2": DeviceConfig(faults=FaultConfig(**faults))}
    return Simulation(
        parse_scene(text, "w.wbt"), SimulationConfig(robots={"r": RobotConfig(devices=devices)})
    )


def odometry(x: float, slip: float, angle: float) -> np.ndarray:
    """The 6 × 6 covariance of the pose after 2 m straight on and a turn on the spot."""
    sim = drive(x)
    fill = OdometryFiller(sim.robot("r"), "r/base_link", slip)
    message = Odometry()
    fill.constants(message)
    sim.robot("r").drive.set_twist(1.0, 0.0)
    sim.run(2.0)
    if angle:
        sim.robot("r").drive.set_twist(0.0, 1.0)
        sim.run(angle)
    fill.fill(message, sim.time_ns)
    return np.array(message.pose.covariance).reshape(6, 6)


def test_odometry_grows_with_the_distance() -> None:
    """Straight on for s = 2 m: var yaw = 2k·s/w², var x = k·s/2, var y = var yaw·s²/3."""
    k, s, w = 1e-4, 2.0, 0.4
    found = odometry(0.0, k, 0.0)
    turn = 2.0 * k * s / w**2
    assert found[5, 5] == pytest.approx(turn, rel=1e-3)
    assert found[0, 0] == pytest.approx(k * s / 2.0, rel=1e-3)
    assert found[1, 1] == pytest.approx(turn * s * s / 3.0, rel=1e-2)
    assert found[1, 5] == found[5, 1] == pytest.approx(turn * s / 2.0, rel=1e-2)
    assert [found[i, i] for i in (2, 3, 4)] == [UNKNOWN] * 3
    assert np.all(np.linalg.eigvalsh(found) > 0.0)


def test_the_base_is_not_the_centre_of_the_axle() -> None:
    """A base at d = -0.3 m from the axle: its y is wrong by d·δyaw more, in the direction that it points."""
    centre, base = odometry(0.0, 1e-4, 0.0), odometry(0.3, 1e-4, 0.0)
    d = -0.3
    assert base[5, 5] == pytest.approx(centre[5, 5])
    assert base[0, 0] == pytest.approx(centre[0, 0])
    assert base[1, 1] == pytest.approx(centre[1, 1] + 2.0 * d * centre[1, 5] + d * d * centre[5, 5], rel=1e-6)
    turned, still = odometry(0.3, 1e-4, math.pi / 2.0), odometry(0.0, 1e-4, math.pi / 2.0)
    assert turned[1, 1] == pytest.approx(still[1, 1], rel=0.02)
    assert turned[0, 0] == pytest.approx(still[0, 0] - 2.0 * d * still[0, 5] + d * d * still[5, 5], rel=0.02)


def test_a_robot_that_stands_knows_where_it_is() -> None:
    sim = drive(0.0)
    fill = OdometryFiller(sim.robot("r"), "r/base_link", 1e-4)
    message = Odometry()
    fill.constants(message)
    sim.run(1.0)
    fill.fill(message, sim.time_ns)
    for covariance in (message.pose.covariance, message.twist.covariance):
        assert [covariance[7 * i] for i in (0, 1, 5)] == [LEAST] * 3


def test_the_position_of_a_late_encoder_is_late_in_joint_states() -> None:
    sim = drive(0.0, latency=0.05)
    states = JointStates(sim.robot("r"))
    message = JointState()
    states.constants(message)
    assert [sensor.name for sensor in states.sensors] == ["s0.2"]
    states.fill(message, 0)
    assert math.isnan(message.position[0])
    sim.robot("r").drive.set_twist(0.1, 0.0)
    sim.run(1.0)
    states.fill(message, sim.time_ns)
    assert message.position[1] - message.position[0] == pytest.approx(0.05 * 1.0)
