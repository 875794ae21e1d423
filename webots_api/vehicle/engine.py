"""Engine of a car: its speed from that of the wheels, its torque from its speed.

Formulas: Webots automobile guide, Driver Library, "Engine models".
"""

from __future__ import annotations

import math

from .parameters import COMBUSTION, ELECTRIC, PARALLEL_HYBRID, POWER_SPLIT_HYBRID, CarParameters

RPM = 60.0 / math.tau
"""Revolutions per minute per rad/s."""
LARGEST_ACCELERATION = 50.0
"""Acceleration of a wheel in rad/s² above which the torque is reduced, for wheels in the air (Webots)."""


def gear_ratio(car: CarParameters, gear: int) -> float:
    """Return revolutions of the engine per revolution of the wheels; gear -1: reverse, 0: neutral."""
    return 0.0 if gear == 0 else car.gear_ratios[max(0, gear)]


def engine_rpm(car: CarParameters, gear: int, wheel_speed: float) -> float:
    """Return revolutions per minute at a mean wheel speed in rad/s, limited to the engine's maximum."""
    return min(car.max_rpm, abs(wheel_speed * RPM * gear_ratio(car, gear)))


def engine_torque(car: CarParameters, rpm: float) -> float:
    """Return the torque at full throttle, N·m; 0 at the maximum speed."""
    if rpm >= car.max_rpm:
        return 0.0
    burns = rpm >= car.min_rpm
    torque = 0.0
    if car.engine == COMBUSTION:
        torque += _burnt(car, max(rpm, car.min_rpm))
    elif car.engine == PARALLEL_HYBRID and burns:
        torque += _burnt(car, rpm)
    elif car.engine == POWER_SPLIT_HYBRID and burns:
        torque += (1.0 - car.split_ratio) * _burnt(car, car.split_rpm)
    if car.engine in (ELECTRIC, PARALLEL_HYBRID, POWER_SPLIT_HYBRID):
        torque += min(car.max_torque, car.max_power * RPM / rpm) if rpm > 0.0 else car.max_torque
    return torque


def output_torque(car: CarParameters, gear: int, throttle: float, rpm: float, acceleration: float) -> float:
    """Return the total torque at the driven wheels, N·m; `acceleration`: largest of the wheels, rad/s²."""
    torque = engine_torque(car, rpm) * throttle * gear_ratio(car, gear)
    return torque * min(1.0, LARGEST_ACCELERATION / max(abs(acceleration), LARGEST_ACCELERATION))


def _burnt(car: CarParameters, rpm: float) -> float:
    a, b, c = car.torque_curve
    return a + b * rpm + c * rpm * rpm
