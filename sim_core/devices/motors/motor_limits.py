"""What a motor's fields say about its place and its limits, checked."""

from __future__ import annotations

import math
from typing import NamedTuple

from sim_core.base.errors import DeviceError, SceneError
from sim_core.devices.field_checks import number_at_least, number_or_off, refuse
from sim_core.model.device_spec import AxisPlace, DeviceSpec, NodeSpec


class MotorLimits(NamedTuple):
    """Limits of a motor: rad, rad/s, N·m and rad/s², or m, m/s, N and m/s²; no limit is ±inf."""

    max_velocity: float
    max_effort: float
    acceleration: float
    min_position: float
    max_position: float

    def nearest(self, position: float) -> float:
        """The position within the limits that is nearest to one."""
        return max(self.min_position, min(self.max_position, position))

    def kept_inside(self, velocity: float, position: float, step: float) -> float:
        """A velocity that does not lead out from a position in a step of so many seconds."""
        low = min(0.0, (self.min_position - position) / step)
        high = max(0.0, (self.max_position - position) / step)
        return max(low, min(high, velocity))


def axis_of(spec: DeviceSpec) -> AxisPlace:
    """The axis that a device stands at.

    Raises:
        DeviceError: the device stands elsewhere.
    """
    if spec.axis is None:
        found = f'{spec.type_name} "{spec["name"]}": found in {spec.holder}'
        raise DeviceError(f"{spec.where}: {found}, expected in the device field of a joint")
    return spec.axis


def read_limits(spec: NodeSpec, effort_field: str) -> MotorLimits:
    """The limits of a motor or Servo, checked.

    Args:
        spec: has maxVelocity, acceleration, minPosition, maxPosition and the effort field.
        effort_field: `maxForce` or `maxTorque`.

    Raises:
        DeviceError: a limit is negative, or minPosition is above maxPosition.
    """
    max_velocity = number_at_least(spec, "maxVelocity", 0.0)
    max_effort = number_at_least(spec, effort_field, 0.0)
    acceleration = number_or_off(spec, "acceleration")
    low, high = (
        number_at_least(spec, "minPosition", -math.inf),
        number_at_least(spec, "maxPosition", -math.inf),
    )
    if low > high:
        raise refuse(spec, "minPosition", low, f"no more than maxPosition {high:g}")
    if low == high == 0.0:
        low, high = -math.inf, math.inf
    return MotorLimits(max_velocity, max_effort, acceleration, low, high)


def limits_past_stops(
    spec: NodeSpec, limits: MotorLimits, stops: tuple[float, float] | None
) -> list[SceneError]:
    """Warnings of soft limits that are not within the hard ones: there the joint stops first (as in Webots).

    Args:
        spec: of the motor or Servo.
        stops: minStop and maxStop, or None.
    """
    if stops is None or stops == (0.0, 0.0):
        return []
    low, high = stops
    found = []
    if -math.inf < limits.min_position < low:
        found.append(("minPosition", limits.min_position, f"minStop {low:g} or more"))
    if high < limits.max_position < math.inf:
        found.append(("maxPosition", limits.max_position, f"maxStop {high:g} or less"))
    return [
        SceneError(
            *spec.source, f"{spec.type_name}.{field} {value:g} is past the stop of the joint", expected
        )
        for field, value, expected in found
    ]
