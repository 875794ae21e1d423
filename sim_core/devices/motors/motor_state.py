"""State of a motor."""

from __future__ import annotations

from dataclasses import dataclass

from sim_core.devices.motors.motor_control import ControlMode, MotorControl
from sim_core.devices.motors.webots_motor import WebotsMotorState


@dataclass(eq=False, kw_only=True)
class MotorState(WebotsMotorState):
    """Commands and outputs of a motor; rad, rad/s and N·m, or m, m/s and N.

    Attributes:
        control: state of the control law.
        target_position, target_velocity, target_effort: targets, as far as the mode uses them; position None:
            the present position of the joint.
        available_effort: effort that it may use.
        mode: controlled quantity.
        applied_effort: effort of the last step, in effort control.
        lead: how far the target moves in this step; None: the target does not move.
        driven: velocity and effort last commanded to the joint.
        released: the joint's own motor is off, because an effort is applied.
    """

    control: MotorControl
    target_position: float | None = None
    target_velocity: float
    available_effort: float
    target_effort: float = 0.0
    mode: ControlMode = ControlMode.POSITION
    applied_effort: float = 0.0
    lead: float | None = None
    driven: tuple[float, float] | None = None
    released: bool = False
