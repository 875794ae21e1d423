"""Fields of motors: limits, gains and axis."""

from __future__ import annotations

import math
from typing import NamedTuple

from sim_core.base.errors import DeviceError, SceneError
from sim_core.devices.field_checks import (
    field_error,
    finite_number,
    number_at_least,
    number_or_off,
    numbers_or_none,
)
from sim_core.devices.motors.motor_control import EffortGains
from sim_core.engines.world_view import JointAxis, World
from sim_core.model.device_spec import DeviceAxis, DeviceSpec, NodeSpec


class MotorLimits(NamedTuple):
    """Limits of a motor: rad, rad/s, N·m and rad/s², or m, m/s, N and m/s²; no limit is ±inf."""

    max_velocity: float
    max_effort: float
    acceleration: float
    min_position: float
    max_position: float

    def nearest(self, position: float) -> float:
        """Return the position within the limits that is nearest to the given one."""
        return max(self.min_position, min(self.max_position, position))

    def limit_velocity(self, velocity: float, position: float, step: float) -> float:
        """Clamp a velocity so that a step of so many seconds does not lead from a position beyond the
        limits."""
        low = min(0.0, (self.min_position - position) / step)
        high = max(0.0, (self.max_position - position) / step)
        return max(low, min(high, velocity))


def axis_of(spec: DeviceSpec) -> DeviceAxis:
    """Return the joint axis at which a device stands.

    Raises:
        DeviceError: the device is not in a device field of a joint.
    """
    if spec.axis is None:
        found = f'{spec.type_name} "{spec["name"]}": found in {spec.holder}'
        raise DeviceError(f"{spec.where}: {found}, expected in the device field of a joint")
    return spec.axis


def read_limits(spec: NodeSpec, effort_field: str) -> MotorLimits:
    """Read the limits of a motor or Servo.

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
        raise field_error(spec, "minPosition", low, f"no more than maxPosition {high:g}")
    if low == high == 0.0:
        low, high = -math.inf, math.inf
    return MotorLimits(max_velocity, max_effort, acceleration, low, high)


def stop_warnings(spec: NodeSpec, limits: MotorLimits, stops: tuple[float, float] | None) -> list[SceneError]:
    """Return warnings of soft limits beyond the stops of the joint, which then stop it first (as in
    Webots).

    Args:
        spec: record of the motor or Servo.
        limits: its soft limits.
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


class MotorFields(NamedTuple):
    """Fields of a motor.

    Attributes:
        axis: the joint axis that it drives.
        multiplier: factor applied to commands.
        pid: gains of position control: P in 1/s and above 0, I in 1/s², D.
        consumption: consumptionFactor.
        limits: limits of position, velocity, effort and acceleration.
        warnings: limits that cannot be kept.
        effort_gains: gains of control by torque or force, which replaces `pid`; None: not used.
        lag: time constants in s of a rising and a falling speed; 0: none.
        initial_position, initial_velocity: target at the start; None: none.
    """

    axis: JointAxis
    multiplier: float
    pid: tuple[float, float, float]
    consumption: float
    limits: MotorLimits
    warnings: list[SceneError]
    effort_gains: EffortGains | None = None
    initial_position: float | None = None
    initial_velocity: float | None = None
    lag: tuple[float, float] = (0.0, 0.0)


def read_motor_fields(spec: DeviceSpec, world: World) -> MotorFields:
    """Read the fields of a RotationalMotor or LinearMotor.

    Raises:
        DeviceError: a field has a value that a motor cannot have, or no motor fits its place.
    """
    axis = _axis(spec, world)
    multiplier = spec["multiplier"]
    if multiplier == 0.0 or not math.isfinite(multiplier):
        raise field_error(spec, "multiplier", multiplier, "a finite number that is not 0")
    limits, warnings = _limits(spec, axis.position)
    consumption = finite_number(spec, "consumptionFactor")
    position = numbers_or_none(spec, "initialPosition", 1)
    gains = numbers_or_none(spec, "effortPID", 4)
    return MotorFields(
        *(axis, multiplier, _pid(spec), consumption, limits, warnings),
        EffortGains(*gains) if gains and axis.spec.is_dynamic else None,
        limits.nearest(position[0]) if position else None,
        finite_number(spec, "initialVelocity") or None,
        spec["timeConstants"] if spec.type_name == "RotationalMotor" else (0.0, 0.0),
    )


def _axis(spec: DeviceSpec, world: World) -> JointAxis:
    place = axis_of(spec)
    if place.first_motor is not None:
        expected = f"expected one (the first is at {place.first_motor})"
        raise DeviceError(f"{spec.where}: a second motor at one axis, {expected}")
    axis = world.axis(*place.key)
    if axis.spec.is_linear != (spec.type_name == "LinearMotor"):
        fits = "LinearMotor" if axis.spec.is_linear else "RotationalMotor"
        raise DeviceError(f"{spec.where}: a {spec.type_name} in a {place.joint_type}, expected a {fits}")
    return axis


def _pid(spec: NodeSpec) -> tuple[float, float, float]:
    pid: tuple[float, float, float] = spec["controlPID"]
    if "controlP" in spec.given and "controlPID" not in spec.given:  # name of the field before Webots 7.3
        pid = (spec["controlP"], 0.0, 0.0)
    if pid[0] <= 0.0 or min(pid) < 0.0:
        raise field_error(spec, "controlPID", pid, "P above 0, I and D of 0 or more")
    return pid


def _limits(spec: DeviceSpec, position: float) -> tuple[MotorLimits, list[SceneError]]:
    """Return the limits, widened to the joint's position as in Webots, and warnings."""
    has_torque = spec.type_name == "RotationalMotor"
    old_name = "maxForce" in spec.given and "maxTorque" not in spec.given
    effort = "maxTorque" if has_torque and not old_name else "maxForce"
    limits = read_limits(spec, effort)
    wide = limits._replace(
        min_position=min(limits.min_position, position), max_position=max(limits.max_position, position)
    )
    warnings = stop_warnings(spec, limits, axis_of(spec).stops)
    if not math.isclose(limits.nearest(position), position, abs_tol=1e-9):
        field = "minPosition" if position < limits.min_position else "maxPosition"
        found = f"{spec.type_name}.{field} {spec[field]:g} excludes the joint's position, adjusted"
        warnings.append(SceneError(*spec.source, found, f"{position:g}, the joint's position"))
    return wide, warnings
