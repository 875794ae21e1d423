"""Robots that the engine rolls by itself: what their wheels and distance sensors tell, of all at once."""

from __future__ import annotations

from collections.abc import Iterable

from sim_core.base.config import SimulationConfig
from sim_core.base.state import Stateful
from sim_core.devices.drives.differential_drive import DifferentialDrive, SignedWheel
from sim_core.devices.drives.drive_wheel import DriveWheel
from sim_core.devices.drives.shared_odometry import OdometryTable, SharedOdometry, can_share
from sim_core.devices.motors.motor import Motor
from sim_core.devices.ranging.distance_bank import DistanceSensors
from sim_core.engines.rolling import Drive, Rolling
from sim_core.engines.world_view import JointAxis
from sim_core.session.robot import Robot


class RolledRobots(Stateful):
    """Lets the robots roll that have a differential drive.

    Attributes:
        odometry: dead reckoning, a row for each.
        distance_sensors: those that look along the plane.
    """

    def __init__(self, rolling: Rolling, robots: Iterable[Robot], config: SimulationConfig) -> None:
        by_node = {robot.node.id: robot for robot in robots}
        drives = ((robot, robot.drive) for robot in by_node.values())
        rolling.take([_drive_of(robot, drive) for robot, drive in drives if drive is not None])
        self.odometry = OdometryTable(rolling.wheels)
        for row, node in enumerate(rolling.robots):
            robot = by_node[node]
            if robot.drive is not None and can_share(robot.drive):
                robot.odometry = SharedOdometry(robot.drive, self.odometry, row)
        sensors = [sensor for robot in by_node.values() for sensor in robot.sensors()]
        self.distance_sensors = DistanceSensors(rolling, sensors, config)

    def parts(self) -> tuple[Stateful, ...]:
        """The odometry and the sensors."""
        return self.odometry, self.distance_sensors


def _drive_of(robot: Robot, drive: DifferentialDrive) -> Drive:
    sides = [[(_axis_of(wheel), wheel.sign) for wheel in side] for side in (drive.left, drive.right)]
    sizes = (drive.wheel_radius, drive.wheel_separation, drive.centre)
    return Drive(robot.node.id, (sides[0], sides[1]), *sizes)


def _axis_of(wheel: SignedWheel) -> JointAxis:
    """The axis that a driven wheel turns."""
    motor = wheel.motor
    assert isinstance(motor, (Motor, DriveWheel)) and motor.axis is not None  # the engine has one for each
    return motor.axis
