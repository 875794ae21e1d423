"""The `aperture` of devices that hear or are heard in a cone."""

from __future__ import annotations

import math

from sim_core.devices.field_checks import DISABLED, refuse
from sim_core.model.device_spec import NodeSpec

ALL_AROUND = -2.0
"""Cosine that that of every angle is above, whatever its rounding."""


def cone_of(spec: NodeSpec) -> float:
    """Cosine of half the `aperture`, the cone round the device's x axis; `ALL_AROUND` if the field is -1.

    Raises:
        DeviceError: the aperture is neither -1 nor above 0 and at most 2π.
    """
    aperture: float = spec["aperture"]
    if aperture == DISABLED:
        return ALL_AROUND
    if not 0.0 < aperture <= 2.0 * math.pi:
        raise refuse(spec, "aperture", aperture, "an angle above 0 and up to 2π rad, or -1 for all around")
    return math.cos(aperture / 2.0)
