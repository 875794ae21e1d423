"""Coupled motors: motors of one robot named `coupling::member` execute each other's commands.

Motors with the same text in the hidden field `coupling` are coupled too: joints of a URDF that mimic each
other, whose motors keep the names of their joints.

Commands are coupled, not forces: each motor executes the command times its own `multiplier` (Webots
reference, Motor, Coupled Motors).
"""

from __future__ import annotations

import math
from collections.abc import Collection

from sim_core.base.errors import SceneError
from sim_core.devices.base import Device
from sim_core.devices.motors.following import couple_followers
from sim_core.devices.motors.motor import Motor
from sim_core.devices.motors.motor_fields import MotorLimits

SEPARATOR = "::"


def couple_motors(devices: Collection[Device]) -> list[SceneError]:
    """Couple the motors of a robot that have the same coupling name, and connect followers to their leaders.

    The limits of position and velocity of coupled motors must be in the ratio of their multipliers; the
    limits of the first motor in file order are used, the others are adjusted.

    Returns:
        A warning for each limit that was adjusted, and for each motor that is alone in its coupling.
    """
    motors = [each for each in devices if isinstance(each, Motor)]
    warnings = couple_followers(motors, devices)
    groups: dict[str, list[Motor]] = {}
    for motor in motors:
        if name := _coupling(motor):
            groups.setdefault(name, []).append(motor)
    for name, motors in groups.items():
        if len(motors) == 1:
            spec = motors[0].spec
            found = f'motor "{spec["name"]}" is the only one of the coupling "{name}"'
            warnings.append(SceneError(*spec.source, found, f'another motor named "{name}{SEPARATOR}…"'))
        for motor in motors:
            motor.coupled = tuple(motors)
        for motor in motors[1:]:
            warnings += _adjust(motor, motors[0])
    return warnings


def _coupling(motor: Motor) -> str:
    """Return the name of a motor's coupling; empty: it has none."""
    parts = motor.name.split(SEPARATOR)
    given: str = motor.spec.own.get("coupling", "")
    return given or (parts[0] if len(parts) == 2 else "")


def scaled_limits(limits: MotorLimits, ratio: float) -> MotorLimits:
    """Return the limits of a motor whose multiplier is `ratio` times that of a motor with these limits."""
    ends = sorted((limits.min_position * ratio, limits.max_position * ratio))
    return limits._replace(
        max_velocity=limits.max_velocity * abs(ratio), min_position=ends[0], max_position=ends[1]
    )


def _adjust(motor: Motor, first: Motor) -> list[SceneError]:
    """Adjust a motor's limits to those of the first motor of its coupling; return a warning for each
    change."""
    wanted = scaled_limits(first.limits, motor.multiplier / first.multiplier)
    warnings = []
    changes: dict[str, float] = {}
    fields = {"max_velocity": "maxVelocity", "min_position": "minPosition", "max_position": "maxPosition"}
    for key, field in fields.items():
        found, value = getattr(motor.limits, key), getattr(wanted, key)
        if not math.isclose(found, value, rel_tol=1e-9, abs_tol=1e-12):
            changes[key] = value
            expected = "no limit" if math.isinf(value) else f"{value:g}"
            warnings.append(
                SceneError(
                    *motor.spec.source,
                    f'{field} of the coupled motor "{motor.name}" is {found:g}, adjusted',
                    f'{expected}, from the limit of "{first.name}" and the multipliers',
                )
            )
    if changes:
        motor.replace_limits(motor.limits._replace(**changes))
    return warnings
