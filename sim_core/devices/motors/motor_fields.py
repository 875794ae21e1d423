"""What the fields of a RotationalMotor or LinearMotor say, checked."""

from __future__ import annotations

import math
from typing import NamedTuple

from sim_core.base.errors import DeviceError, SceneError
from sim_core.devices.field_checks import finite_number, refuse
from sim_core.devices.motors.motor_limits import MotorLimits, axis_of, limits_past_stops, read_limits
from sim_core.engines.world_view import JointAxis, World
from sim_core.model.device_spec import DeviceSpec, NodeSpec


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


def read_motor_fields(spec: DeviceSpec, world: World) -> MotorFields:
    """The fields of a RotationalMotor or LinearMotor.

    Raises:
        DeviceError: a field has a value that a motor cannot have, or it stands where no motor fits.
    """
    axis = _axis(spec, world)
    multiplier = spec["multiplier"]
    if multiplier == 0.0 or not math.isfinite(multiplier):
        raise refuse(spec, "multiplier", multiplier, "a finite number that is not 0")
    limits, warnings = _limits(spec, axis.position)
    consumption = finite_number(spec, "consumptionFactor")
    return MotorFields(axis, multiplier, _pid(spec), consumption, limits, warnings)


def _axis(spec: DeviceSpec, world: World) -> JointAxis:
    place = axis_of(spec)
    if place.first_motor is not None:
        expected = f"expected one (the first is at {place.first_motor})"
        raise DeviceError(f"{spec.where}: a second motor at one axis, {expected}")
    axis = world.axis(*place.key)
    if axis.is_linear != (spec.type_name == "LinearMotor"):
        fits = "LinearMotor" if axis.is_linear else "RotationalMotor"
        raise DeviceError(f"{spec.where}: a {spec.type_name} in a {place.joint_type}, expected a {fits}")
    return axis


def _pid(spec: NodeSpec) -> tuple[float, float, float]:
    pid: tuple[float, float, float] = spec["controlPID"]
    if "controlP" in spec.given and "controlPID" not in spec.given:  # its name before Webots 7.3
        pid = (spec["controlP"], 0.0, 0.0)
    if pid[0] <= 0.0 or min(pid) < 0.0:
        raise refuse(spec, "controlPID", pid, "P above 0, I and D of 0 or more")
    return pid


def _limits(spec: DeviceSpec, position: float) -> tuple[MotorLimits, list[SceneError]]:
    """The limits, as in Webots widened to the joint's position, and what is to be said of them."""
    has_torque = spec.type_name == "RotationalMotor"
    old_name = "maxForce" in spec.given and "maxTorque" not in spec.given
    effort = "maxTorque" if has_torque and not old_name else "maxForce"
    limits = read_limits(spec, effort)
    wide = limits._replace(
        min_position=min(limits.min_position, position), max_position=max(limits.max_position, position)
    )
    warnings = limits_past_stops(spec, limits, axis_of(spec).stops)
    if not math.isclose(limits.nearest(position), position, abs_tol=1e-9):
        field = "minPosition" if position < limits.min_position else "maxPosition"
        found = f"{spec.type_name}.{field} {spec[field]:g} does not let the joint be where it is, adjusted"
        warnings.append(SceneError(*spec.source, found, f"{position:g}, the joint's position"))
    return wide, warnings
