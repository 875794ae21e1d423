"""What a RotationalMotor or LinearMotor node says, checked."""

from __future__ import annotations

import math
from typing import NamedTuple

from sim_core.base.errors import DeviceError, SceneError
from sim_core.devices.field_checks import finite_number, refuse
from sim_core.devices.motors.motor_limits import (
    MotorLimits,
    axis_parameters,
    devices_at,
    joint_axis_of,
    limits_past_stops,
    read_limits,
)
from sim_core.engines.world_view import JointAxis, World
from sim_core.scene import Node


class MotorFields(NamedTuple):
    """What a motor is made from.

    Attributes:
        axis: that it drives.
        multiplier: of what is commanded.
        pid: gains of position control: P in 1/s and above 0, I in 1/s², D.
        consumption: consumptionFactor.
        warnings: of limits that cannot be kept.
    """

    axis: JointAxis
    multiplier: float
    pid: tuple[float, float, float]
    consumption: float
    limits: MotorLimits
    warnings: list[SceneError]


def read_motor_fields(node: Node, world: World) -> MotorFields:
    """The fields of a RotationalMotor or LinearMotor.

    Raises:
        DeviceError: a field has a value that a motor cannot have, or the node stands where no motor fits.
    """
    axis = _axis(node, world)
    multiplier = node["multiplier"]
    if multiplier == 0.0 or not math.isfinite(multiplier):
        raise refuse(node, "multiplier", multiplier, "a finite number that is not 0")
    limits, warnings = _limits(node)
    consumption = finite_number(node, "consumptionFactor")
    return MotorFields(axis, multiplier, _pid(node), consumption, limits, warnings)


def _axis(node: Node, world: World) -> JointAxis:
    joint, index = joint_axis_of(node)
    first = next(device for device in devices_at(joint, index) if device.is_a("Motor"))
    if first is not node:
        raise DeviceError(
            f"{node.where}: a second motor at one axis, expected one (the first is at {first.where})"
        )
    axis = world.axis(joint, index)
    if axis.is_linear != (node.type_name == "LinearMotor"):
        fits = "LinearMotor" if axis.is_linear else "RotationalMotor"
        raise DeviceError(f"{node.where}: a {node.type_name} in a {joint.type_name}, expected a {fits}")
    return axis


def _pid(node: Node) -> tuple[float, float, float]:
    pid: tuple[float, float, float] = node["controlPID"]
    if node.is_set("controlP") and not node.is_set("controlPID"):  # its name before Webots 7.3
        pid = (node["controlP"], 0.0, 0.0)
    if pid[0] <= 0.0 or min(pid) < 0.0:
        raise refuse(node, "controlPID", pid, "P above 0, I and D of 0 or more")
    return pid


def _limits(node: Node) -> tuple[MotorLimits, list[SceneError]]:
    has_torque = node.type_name == "RotationalMotor"
    old_name = node.is_set("maxForce") and not node.is_set("maxTorque")
    effort = "maxTorque" if has_torque and not old_name else "maxForce"
    limits = read_limits(node, effort)
    return limits, limits_past_stops(node, limits, axis_parameters(*joint_axis_of(node)))
