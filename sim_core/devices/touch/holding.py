"""What a mechanism that holds something can bear."""

from __future__ import annotations

import math

from sim_core.base.geometry import Vec3, dot
from sim_core.devices.field_checks import number_or_off
from sim_core.model.device_spec import NodeSpec


def strength_of(spec: NodeSpec, field: str) -> float:
    """Force in N at which something breaks; inf if the field is -1.

    Raises:
        DeviceError: neither -1 nor a number of at least 0.
    """
    return number_or_off(spec, field, math.inf, "one that never breaks")


def tension_and_shear(force: Vec3, axis: Vec3) -> tuple[float, float]:
    """Parts of the force on a holder that pull along its axis (0 if it is pushed), and across it, in N."""
    along = dot(force, axis)
    return max(0.0, along), math.sqrt(max(0.0, dot(force, force) - along * along))
