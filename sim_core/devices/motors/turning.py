"""Velocities for motors by the thousand, as fleets are told them in each step."""

from __future__ import annotations

from sim_core.devices.motors.motor import Motor
from sim_core.devices.motors.motor_control import ControlMode


def turn(motor: Motor, velocity: float) -> str | None:
    """As `Motor.set_velocity`, of a finite number: the short way where nothing can be said of it.

    It is short for a motor alone that turns at a velocity already, has no faults, and can do what it is told.
    """
    state, turned = motor.state, velocity * motor.multiplier
    is_plain = state.mode is ControlMode.VELOCITY and len(motor.coupled) == 1
    if not is_plain or motor.command_faults is not None or not abs(turned) <= motor.limits.max_velocity:
        return motor.set_velocity(velocity)
    if turned == state.target_velocity != 0.0 and motor.awake is not None and motor not in motor.awake:
        return None  # it turns so, and sleeps: awake it would find nothing to do
    state.target_velocity = turned
    state.lead = None
    motor.wake()
    return None
