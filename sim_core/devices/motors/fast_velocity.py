"""Fast velocity commands for thousands of motors in each step."""

from __future__ import annotations

from sim_core.devices.motors.motor import Motor
from sim_core.devices.motors.motor_control import ControlMode


def set_velocity_fast(motor: Motor, velocity: float) -> str | None:
    """Set the velocity as `Motor.set_velocity`, of a finite number, on a short path where possible.

    The short path is taken for an uncoupled motor without faults that is in velocity control and can reach
    the speed.
    """
    state, turned = motor.state, velocity * motor.multiplier
    is_plain = state.mode is ControlMode.VELOCITY and len(motor.coupled) == 1
    if not is_plain or motor.command_faults is not None or not abs(turned) <= motor.limits.max_velocity:
        return motor.set_velocity(velocity)
    if turned == state.target_velocity != 0.0 and motor.awake is not None and motor not in motor.awake:
        return None  # it turns at this speed already, and its next step would change nothing
    state.target_velocity = turned
    state.lead = None
    motor.wake()
    return None
