"""`~/controller_state` of a joint_trajectory_controller: desired and actual state of its joints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ros_bridge.topics.conversions import fill_time
from ros_bridge.topics.records import Filler
from sim_core.devices.motors.motor import Motor
from sim_core.session.players.trajectory_player import TrajectoryPlayer
from sim_core.session.robot import Robot

Row = tuple[float, float, float]
"""Position, velocity and acceleration of a joint: rad or m, per s, per s²."""


class ControllerState(Filler):
    """Fills control_msgs/JointTrajectoryControllerState.

    While a trajectory is executed the reference is its present point; for joints that it leaves out, and
    for all when there is none, the reference is the target of the motor.
    """

    def __init__(self, robot: Robot, leader: str, joints: Sequence[str]) -> None:
        """`leader`: name of the controller; `joints`: its motors."""
        self._robot, self._leader = robot, leader
        motors = robot.motors()
        self._motors = [motors[name] for name in joints if name in motors]

    def constants(self, message: Any) -> None:
        """Fill the names and constant values."""
        message.joint_names = [motor.name for motor in self._motors]
        message.speed_scaling_factor = 1.0

    def fill(self, message: Any, time_ns: int) -> None:
        """Fill the present values."""
        player = self._robot.motion_control.followed(self._leader)
        wanted = list(self.wanted(_led(player)).values())
        feedback, reference = message.feedback, message.reference
        elapsed_ns = max(0, player.state.time_ns) if player is not None else 0
        fill_time(reference.time_from_start, elapsed_ns)
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
        """Return the desired state of each joint: from `led` if it is there, else at rest at its target."""
        return {motor.name: led.get(motor.name, (_target(motor), 0.0, 0.0)) for motor in self._motors}


def _led(player: TrajectoryPlayer | None) -> dict[str, Row]:
    """Return the desired state of each motor that a trajectory moves now."""
    if player is None:
        return {}
    wanted = player.progress().desired
    rows = zip(*(part.tolist() for part in wanted), strict=True)
    return dict(zip(player.motors, rows, strict=True))


def _target(motor: Motor) -> float:
    """Return a motor's target position; its position if it controls velocity or effort."""
    target = motor.target_position
    return (target if math.isfinite(target) else motor.position) / motor.multiplier
