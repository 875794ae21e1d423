"""Strength of devices that hold something."""

from __future__ import annotations

import math

from sim_core.base.geometry import Vec3, dot
from sim_core.devices.field_checks import number_or_off
from sim_core.model.device_spec import NodeSpec


def strength_of(spec: NodeSpec, field: str) -> float:
    """Return the force in N at which something breaks; inf if the field is -1.

    Raises:
        DeviceError: neither -1 nor a number of at least 0.
    """
    return number_or_off(spec, field, math.inf, "one that never breaks")


def tension_and_shear(force: Vec3, axis: Vec3) -> tuple[float, float]:
    """Split the force on a holder into tension along its axis (0 under compression) and shear, in N."""
    along = dot(force, axis)
    return max(0.0, along), math.sqrt(max(0.0, dot(force, force) - along * along))
