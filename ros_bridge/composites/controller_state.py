"""`~/controller_state` of a joint_trajectory_controller: where its joints should be, and are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sim_core.devices.motors.motor import Motor
from sim_core.session.robot import Robot

Row = tuple[float, float, float]
"""Of a joint: rad or m, of these per s, and per s²."""


class ControllerState:
    """Fills control_msgs/JointTrajectoryControllerState.

    While a trajectory is followed the reference is what it says for now; a joint that it leaves out, and all
    of them when there is none, should be where their motors have been told to be.
    """

    def __init__(self, robot: Robot, leader: str, joints: Sequence[str]) -> None:
        """`leader`: name of the controller; `joints`: its motors."""
        self._robot, self._leader = robot, leader
        motors = robot.motors()
        self._motors = [motors[name] for name in joints if name in motors]

    def constants(self, message: Any) -> None:
        """The names, and what is never anything else."""
        message.joint_names = [motor.name for motor in self._motors]
        message.speed_scaling_factor = 1.0

    def fill(self, message: Any, time_ns: int) -> None:
        """The numbers of now."""
        wanted = list(self.wanted(self._led()).values())
        feedback, reference = message.feedback, message.reference
        reference.positions, reference.velocities, reference.accelerations = map(
            list, zip(*wanted, strict=True)
        )
        feedback.positions = [motor.position / motor.multiplier for motor in self._motors]
        feedback.velocities = [motor.velocity / motor.multiplier for motor in self._motors]
        for name in ("positions", "velocities"):
            pairs = zip(getattr(reference, name), getattr(feedback, name), strict=True)
            setattr(message.error, name, [there - here for there, here in pairs])
        message.output.positions = [_target(motor) for motor in self._motors]

    def wanted(self, led: Mapping[str, Row]) -> dict[str, Row]:
        """Position, velocity and acceleration that each joint should have: that of `led`, else it is held."""
        return {motor.name: led.get(motor.name, (_target(motor), 0.0, 0.0)) for motor in self._motors}

    def _led(self) -> dict[str, Row]:
        """Position, velocity and acceleration that the trajectory wants of each motor that it leads now."""
        player = self._robot.motion_control.followed(self._leader)
        if player is None or player.is_waiting:
            return {}
        wanted = player.progress().desired
        rows = zip(*(part.tolist() for part in wanted), strict=True)
        return dict(zip(player.motors, rows, strict=True))


def _target(motor: Motor) -> float:
    """Where a motor has been told to be; where it is, if it holds a velocity or an effort."""
    target = motor.target_position
    return (target if math.isfinite(target) else motor.position) / motor.multiplier
