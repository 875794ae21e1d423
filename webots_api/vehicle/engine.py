"""The engine of a car: its speed from that of the wheels, its torque from its speed.

Formulas: Webots automobile guide, Driver Library, "Engine models".
"""

from __future__ import annotations

import math

from .parameters import COMBUSTION, ELECTRIC, PARALLEL_HYBRID, POWER_SPLIT_HYBRID, CarParameters

RPM = 60.0 / math.tau
"""Turns in a minute at 1 rad/s."""
LARGEST_ACCELERATION = 50.0
"""rad/s², of a wheel: past it the torque is lowered, so that a wheel in the air does not race (Webots)."""


def gear_ratio(car: CarParameters, gear: int) -> float:
    """Turns of the engine for one of the wheels; -1 is the reverse gear, 0 none."""
    return 0.0 if gear == 0 else car.gear_ratios[max(0, gear)]


def engine_rpm(car: CarParameters, gear: int, wheel_speed: float) -> float:
    """Turns in a minute at a mean speed of the wheels in rad/s, at most those that the engine can."""
    return min(car.max_rpm, abs(wheel_speed * RPM * gear_ratio(car, gear)))


def engine_torque(car: CarParameters, rpm: float) -> float:
    """N·m at full throttle; none at the highest speed."""
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
    """N·m at all driven wheels together; `acceleration` is the largest of a wheel, rad/s²."""
    torque = engine_torque(car, rpm) * throttle * gear_ratio(car, gear)
    return torque * min(1.0, LARGEST_ACCELERATION / max(abs(acceleration), LARGEST_ACCELERATION))


def _burnt(car: CarParameters, rpm: float) -> float:
    a, b, c = car.torque_curve
    return a + b * rpm + c * rpm * rpm
