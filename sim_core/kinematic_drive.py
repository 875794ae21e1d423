"""Robots without Physics that move as their wheels turn (Webots reference, Physics, kinematic mode).

Such a robot has two parallel HingeJoints with wheels of one radius; neither it nor its wheels have Physics.
It keeps its height, nothing pushes it, and at an obstacle it and its wheels stand still.
"""

from __future__ import annotations

from sim_core.devices.motor import Motor
from sim_core.devices.planar_motion import PlanarBase, twist_from_wheels
from sim_core.devices.world_view import World
from sim_core.differential_drive import DifferentialDrive, SignedWheel
from sim_core.scene import Node


class KinematicDrive:
    """Moves a robot without Physics; `step` is called in phase 1, after the motors."""

    def __init__(self, robot: Node, drive: DifferentialDrive, world: World) -> None:
        self._base = PlanarBase(robot, world, drive.centre)
        self._drive = drive
        self._blocked = False

    @property
    def is_blocked(self) -> bool:
        """True if something stood in the way in the last step."""
        return self._blocked

    def step(self) -> None:
        """Move the robot as its motors turn its wheels in this step; at an obstacle hold the wheels."""
        drive = self._drive
        speeds = _mean_speed(drive.left), _mean_speed(drive.right)
        free = self._base.advance(twist_from_wheels(*speeds, drive.wheel_radius, drive.wheel_separation))
        if free and not self._blocked:
            return
        self._blocked = not free
        for wheel in drive.left + drive.right:
            if isinstance(wheel.motor, Motor):
                speed = wheel.motor.commanded_velocity if free else 0.0
                wheel.motor.axis.drive(speed, wheel.motor.available_effort)

    def reset(self) -> None:
        """The world has been put back to its start."""
        self._base.reset()
        self._blocked = False


def find_kinematic_drive(robot: Node, drive: DifferentialDrive | None, world: World) -> KinematicDrive | None:
    """The motion of a robot without Physics, or None if the physics moves it, or nothing does."""
    if drive is None or robot["physics"] is not None:
        return None
    motors = [wheel.motor for wheel in drive.left + drive.right]
    if all(isinstance(motor, Motor) and not motor.axis.is_dynamic for motor in motors):
        return KinematicDrive(robot, drive, world)
    return None


def _mean_speed(side: tuple[SignedWheel, ...]) -> float:
    """Forward speed asked of a side's wheels in this step, rad/s."""
    total = 0.0
    for wheel in side:
        if isinstance(wheel.motor, Motor):
            total += wheel.sign * wheel.motor.commanded_velocity
    return total / len(side)
