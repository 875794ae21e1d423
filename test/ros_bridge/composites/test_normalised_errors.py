"""Messages are as wrong as they say: normalised errors over 50 seeds lie within 95 % of chi square.

The normalised error squared of a vector e with covariance P is e'·P⁻¹·e. If P is true it has the distribution
chi square with as many degrees of freedom as e has numbers, and so has the sum over independent runs
(Bar-Shalom, Li and Kirubarajan, "Estimation with Applications to Tracking and Navigation", section 5.4).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from nav_msgs.msg import Odometry
from numpy.typing import NDArray
from sensor_msgs.msg import Imu, NavSatFix

from ros_bridge.composites.imu import find_imu
from ros_bridge.composites.odometry import OdometryFiller
from ros_bridge.devices.gps import GpsBridge, fill_fix
from sim_core.base.config import DeviceConfig, FaultConfig, RobotConfig, SimulationConfig
from sim_core.base.geometry import rotation_from_quaternion
from sim_core.scene import parse_scene
from sim_core.session.simulation import Simulation

SEEDS = range(50)
PERIOD, STEP = 0.02, 0.01
SPEED, TURN, GRAVITY = 1.0, 0.4, 9.81
WORLD = f"""#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep {1000 * STEP:g} gravity {GRAVITY} FRAME }}
DifferentialWheels {{ name "r" controller "void" axleLength 0.4 wheelRadius 0.1 maxSpeed 50 slipNoise 0
  encoderNoise NOISE encoderResolution 100 maxAcceleration 1e5
  children [ GPS {{ name "gps" accuracy 0.3 resolution 0.2 }} InertialUnit {{ name "unit" noise 0.002 }}
    Gyro {{ name "gyro" }}
    Accelerometer {{ name "accelerometer" lookupTable [ -100 -100 0.02, 100 100 0.02 ] }} ] }}
"""
GYRO = 0.05
"""rad/s, standard deviation of each sample."""
Floats = NDArray[np.float64]


def simulation(seed: int, encoder_noise: float = 0.0, frame: str = "") -> Simulation:
    """A robot on an arc, its sensors sampled every 0.02 s."""
    devices = {"gyro": DeviceConfig(faults=FaultConfig(gaussian=GYRO))}
    robot = RobotConfig(sampling_period=PERIOD, devices=devices)
    text = WORLD.replace("NOISE", f"{encoder_noise:g}").replace("FRAME", frame)
    sim = Simulation(parse_scene(text, "w.wbt"), SimulationConfig(seed=seed, robots={"r": robot}))
    sim.robot("r").drive.set_twist(SPEED, TURN)
    return sim


def bounds(degrees: int) -> tuple[float, float]:
    """The middle 95 % of chi square, by Wilson and Hilferty's approximation, good to 1 % from 30 on."""
    part = 2.0 / (9.0 * degrees)
    low, high = (degrees * (1.0 - part + z * math.sqrt(part)) ** 3 for z in (-1.96, 1.96))
    return low, high


def normalised(error: Floats, covariance: Floats) -> float:
    return float(error @ np.linalg.solve(covariance, error))


def assert_true(squares: list[float], numbers: int) -> None:
    """The sum of independent normalised errors squared, of so many numbers each, lies in the 95 %."""
    low, high = bounds(numbers * len(squares))
    assert low < sum(squares) < high, f"{sum(squares) / len(squares):.3f} a run, expected about {numbers}"


def odometry(sim: Simulation, slip: float) -> tuple[OdometryFiller, Odometry]:
    fill, message = OdometryFiller(sim.robot("r"), "r/base_link", slip), Odometry()
    fill.constants(message)
    return fill, message


def planar(message: Any) -> Floats:
    """x, y and yaw of a message's pose."""
    turn = message.orientation
    return np.array([message.position.x, message.position.y, 2.0 * math.atan2(turn.z, turn.w)])


def true_pose(sim: Simulation) -> Floats:
    pose = sim.robot("r").frame.pose()
    return np.array([pose.position[0], pose.position[1], math.atan2(pose.rotation[3], pose.rotation[0])])


def block(covariance: Any, rows: tuple[int, ...]) -> Floats:
    size = math.isqrt(len(covariance))
    return np.array(covariance).reshape(size, size)[np.ix_(rows, rows)]


def test_pose_and_twist_of_odometry() -> None:
    """Encoders that count wrong by up to 30 % in each step; the twist is the motors', exact without slip."""
    poses = []
    for seed in SEEDS:
        sim = simulation(seed, encoder_noise=0.3)
        fill, message = odometry(sim, 0.0)
        sim.run(3.0)
        fill.fill(message, sim.time_ns)
        error = planar(message.pose.pose) - true_pose(sim)
        poses.append(normalised(error, block(message.pose.covariance, (0, 1, 5))))
        wrong = np.array([message.twist.twist.linear.x - SPEED, message.twist.twist.angular.z - TURN])
        assert normalised(wrong, block(message.twist.covariance, (0, 5))) < 0.01
    assert_true(poses, 3)


def test_rates_are_those_at_the_stamp() -> None:
    """Not the means since the last message: the step that ends at the stamp has moved the robot at them."""
    sim = simulation(0)
    (fill, odom), gyro = odometry(sim, 0.0), sim.robot("r")["gyro"]
    for step in range(0, 40, 2):  # a message every second step
        for faster in (step, step + 1):
            sim.robot("r").drive.set_twist(0.1 * faster, 0.05 * faster)
            before = true_pose(sim)
            sim.run(STEP)
        fill.fill(odom, sim.time_ns)
        told, turning = odom.twist.twist, (true_pose(sim) - before)[2] / STEP
        speed = math.dist(true_pose(sim)[:2], before[:2]) / STEP
        assert (told.linear.x, told.angular.z) == pytest.approx((speed, turning), abs=1e-4)
        assert gyro.measure()[2] == pytest.approx(turning, abs=1e-4)


def test_the_parts_of_an_imu() -> None:
    parts: dict[str, list[float]] = {"turn": [], "rate": [], "acceleration": []}
    for seed in SEEDS:
        sim = simulation(seed)
        robot, imu, message = sim.robot("r"), find_imu(sim.robot("r")), Imu()
        assert imu is not None
        imu.constants(message)
        sim.run(0.4)
        imu.fill(message, sim.time_ns)
        told, rate, pull = message.orientation, message.angular_velocity, message.linear_acceleration
        turned = np.reshape(robot.frame.pose().rotation, (3, 3)).T @ np.reshape(
            rotation_from_quaternion((told.x, told.y, told.z, told.w)), (3, 3)
        )
        turn = np.array(
            [turned[2, 1] - turned[1, 2], turned[0, 2] - turned[2, 0], turned[1, 0] - turned[0, 1]]
        )
        parts["turn"].append(normalised(turn / 2.0, block(message.orientation_covariance, (0, 1, 2))))
        spin = np.array([rate.x, rate.y, rate.z - TURN])
        parts["rate"].append(normalised(spin, block(message.angular_velocity_covariance, (0, 1, 2))))
        upward = np.array([pull.z - GRAVITY])  # the other two are small, and their errors relative
        parts["acceleration"].append(normalised(upward, block(message.linear_acceleration_covariance, (2,))))
    assert_true(parts["turn"], 3)
    assert_true(parts["rate"], 3)
    assert_true(parts["acceleration"], 1)


GEOGRAPHIC = 'gpsCoordinateSystem "WGS84" gpsReference 0 3 0'
"""On the equator, in the middle of a zone of UTM, whose lengths are 0.9996 of those on the Earth there."""


class Fix:
    """What a GPS tells as sensor_msgs/NavSatFix, in m from gpsReference."""

    def __init__(self, sim: Simulation) -> None:
        self._gps, self.message = sim.robot("r")["gps"], NavSatFix()
        (publication, *_) = GpsBridge(self._gps).outputs()
        publication.constants(self.message)

    def read(self) -> Floats:
        """East, north and up, m."""
        fill_fix(self.message, self._gps.reading)
        told = self.message
        east, north = math.radians(told.longitude - 3.0) * 6378137.0, math.radians(told.latitude) * 6335439.3
        return np.array([0.9996 * east, 0.9996 * north, told.altitude])


def test_fixes_of_a_gps_with_noise_that_is_rounded() -> None:
    squares = []
    for seed in SEEDS:
        sim = simulation(seed, frame=GEOGRAPHIC)
        fix = Fix(sim)
        sim.run(1.0)
        error = fix.read() - np.array(sim.robot("r")["gps"].frame.pose().position)
        squares.append(normalised(error, block(fix.message.position_covariance, (0, 1, 2))))
    assert_true(squares, 3)


class Filter:
    """An extended Kalman filter of x, y, yaw, v and yaw rate, as robot_localization's in its 2D mode.

    x ← f(x), P ← F·P·F' + Q·T; then for each message z = H·x with covariance R: K = P·H'·(H·P·H' + R)⁻¹,
    x ← x + K·(z - H·x), P ← (I - K·H)·P·(I - K·H)' + K·R·K' (T. Moore and D. Stouch, "A Generalized Extended
    Kalman Filter Implementation for the Robot Operating System", 2014).
    """

    def __init__(self, seed: int) -> None:
        """It begins beside where the robot stands, and as far as it says."""
        self.P = np.diag([0.25, 0.25, 0.01, 1.0, 1.0])
        self.x = np.random.default_rng(seed).normal(0.0, np.sqrt(np.diag(self.P)))

    def predict(self, period: float) -> None:
        """The robot goes on; of its speeds nothing but what is told counts after the period."""
        _, _, yaw, speed, rate = self.x
        yaw += 0.5 * period * rate  # half-way; the one at the beginning would lead 1 cm astray here
        self.x = self.x + period * np.array([speed * math.cos(yaw), speed * math.sin(yaw), rate, 0.0, 0.0])
        F = np.eye(5)
        F[0, 2], F[0, 3] = -period * speed * math.sin(yaw), period * math.cos(yaw)
        F[1, 2], F[1, 3] = period * speed * math.cos(yaw), period * math.sin(yaw)
        F[2, 4] = period
        self.P = F @ self.P @ F.T + np.diag([0.0, 0.0, 0.0, 1e3, 1e3]) * period

    def update(self, rows: list[int], told: Floats, R: Floats) -> None:
        """A message tells some of the numbers."""
        H = np.eye(5)[rows]
        K = self.P @ H.T @ np.linalg.inv(H @ self.P @ H.T + R)
        self.x = self.x + K @ (told - H @ self.x)
        rest = np.eye(5) - K @ H
        self.P = rest @ self.P @ rest.T + K @ R @ K.T


def test_what_a_filter_makes_of_odometry_imu_and_gps() -> None:
    """Speed by /odom, yaw rate by /imu, place by the fix, for 2 s, with the covariances that they say."""
    squares, alone = [], []
    for seed in SEEDS:
        sim = simulation(seed, frame=GEOGRAPHIC)
        (fill, odom), imu, inertial, fix = odometry(sim, 1e-5), find_imu(sim.robot("r")), Imu(), Fix(sim)
        assert imu is not None
        imu.constants(inertial)
        found = Filter(seed)
        for _ in range(100):
            sim.run(PERIOD)
            fill.fill(odom, sim.time_ns)
            imu.fill(inertial, sim.time_ns)
            found.update([3], np.array([odom.twist.twist.linear.x]), block(odom.twist.covariance, (0,)))
            rate = np.array([inertial.angular_velocity.z])
            found.update([4], rate, block(inertial.angular_velocity_covariance, (2,)))
            found.predict(PERIOD)
            place = fix.read()[:2]
            found.update([0, 1], place, block(fix.message.position_covariance, (0, 1)))
        truth = true_pose(sim)
        squares.append(normalised(found.x[:3] - truth, found.P[:3, :3]))
        alone.append(math.dist(place, truth[:2]) / math.dist(found.x[:2], truth[:2]))
    assert_true(squares, 3)
    assert np.median(alone) > 2.0  # nearer than a fix alone
