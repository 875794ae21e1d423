"""What a motor's node says about its place and its limits, checked."""

from __future__ import annotations

import math
from typing import NamedTuple

from sim_core.base.errors import DeviceError, SceneError
from sim_core.devices.field_checks import DISABLED, number_at_least, refuse
from sim_core.scene import Node

_DEVICE_FIELDS = ("device", "device2", "device3")
HOLDERS = ("Joint", "Propeller", "Track")
"""What has motors: joints, and what a motor drives without one."""
_PARAMETERS_OF_AXIS = ("jointParameters", "jointParameters2", "jointParameters3")


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


def joint_axis_of(node: Node) -> tuple[Node, int]:
    """The joint (or Propeller, or Track) of a device in a `device` field, and the index of the axis.

    Raises:
        DeviceError: the device stands elsewhere.
    """
    joint, field = node.parent, node.parent_field
    if joint is None or field not in _DEVICE_FIELDS or not any(joint.is_a(holder) for holder in HOLDERS):
        holder = joint.type_name if joint is not None else "no node"
        raise DeviceError(
            f"{node.where}: {node.type_name} in {holder}, expected in the device field of a joint"
        )
    return joint, _DEVICE_FIELDS.index(field)


def devices_at(joint: Node, index: int) -> list[Node]:
    """The motors, sensors and brakes at an axis of a joint."""
    devices = joint[_DEVICE_FIELDS[index]]
    return devices if isinstance(devices, list) else [devices]


def read_limits(node: Node, effort_field: str) -> MotorLimits:
    """The limits of a motor or Servo node, checked.

    Args:
        node: holds maxVelocity, acceleration, minPosition, maxPosition and the effort field.
        effort_field: `maxForce` or `maxTorque`.

    Raises:
        DeviceError: a limit is negative, or minPosition is above maxPosition.
    """
    max_velocity = number_at_least(node, "maxVelocity", 0.0)
    max_effort = number_at_least(node, effort_field, 0.0)
    acceleration = number_at_least_or_off(node, "acceleration")
    low, high = (
        number_at_least(node, "minPosition", -math.inf),
        number_at_least(node, "maxPosition", -math.inf),
    )
    if low > high:
        raise refuse(node, "minPosition", low, f"no more than maxPosition {high:g}")
    if low == high == 0.0:
        low, high = -math.inf, math.inf
    return MotorLimits(max_velocity, max_effort, acceleration, low, high)


def limits_past_stops(node: Node, limits: MotorLimits, stops: Node | None) -> list[SceneError]:
    """Warnings of soft limits that are not within the hard ones: there the joint stops first (as in Webots).

    Args:
        node: the motor or Servo. stops: the node with minStop and maxStop, or None.
    """
    if stops is None or (stops["minStop"] == 0.0 and stops["maxStop"] == 0.0):
        return []
    low, high = stops["minStop"], stops["maxStop"]
    found = []
    if -math.inf < limits.min_position < low:
        found.append(("minPosition", limits.min_position, f"minStop {low:g} or more"))
    if high < limits.max_position < math.inf:
        found.append(("maxPosition", limits.max_position, f"maxStop {high:g} or less"))
    return [
        SceneError(
            *node.source, f"{node.type_name}.{field} {value:g} is past the stop of the joint", expected
        )
        for field, value, expected in found
    ]


def number_at_least_or_off(node: Node, field: str) -> float:
    """The value of a number field that is -1 (off, no limit) or 0 or more.

    Raises:
        DeviceError: it is neither.
    """
    if node[field] == DISABLED:
        return DISABLED
    value: float = node[field]
    if not (math.isfinite(value) and value >= 0.0):
        raise refuse(node, field, value, "a number of at least 0, or -1 for none")
    return value


def axis_parameters(joint: Node, index: int) -> Node | None:
    """The node with the stops, spring and damper of an axis of a joint."""
    field = _PARAMETERS_OF_AXIS[index]
    parameters: Node | None = joint[field] if joint.has_field(field) else None
    return parameters
