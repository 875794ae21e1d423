"""What changes of a motor."""

from __future__ import annotations

from dataclasses import dataclass

from sim_core.devices.motors.motor_control import ControlMode, MotorControl
from sim_core.devices.motors.webots_motor import WebotsMotorState


@dataclass(eq=False, kw_only=True)
class MotorState(WebotsMotorState):
    """What a motor was told, and what it does; rad, rad/s and N·m, or m, m/s and N.

    Attributes:
        control: the control law's numbers.
        target_position, target_velocity, target_effort: as the mode needs them; position None: that in
            which it finds its joint.
        available_effort: that it may use.
        mode: what it holds.
        applied_effort: of the last step, in effort control.
        lead: how far the target moves in this step; None: it stands.
        driven: velocity and effort that the joint was asked for last.
        released: the joint has no motor, for an effort is applied.
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
