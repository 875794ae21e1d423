"""Compass: the direction of north, seen from the device."""

from __future__ import annotations

from sim_core.base.geometry import Vec3, norm, normalized, rotate_back
from sim_core.devices.channels import DEVICE_AXES, Channel, declare
from sim_core.devices.field_checks import refuse
from sim_core.devices.inertial.axis_sensor import AxisSensor

NORTH: Vec3 = (0.0, 1.0, 0.0)


class Compass(AxisSensor):
    """Unit vector to north in the axes of the device.

    North is +y; WorldInfo.northDirection, where a file gives it, goes before. The bearing of
    an upright device's x axis, clockwise from north, is `atan2(value[1], value[0])`.
    """

    channels = declare(value=Channel("", (3,), frame=DEVICE_AXES, low=-1.0, high=1.0))

    def read_fields(self) -> None:
        """Read what may change, where the world has north too."""
        super().read_fields()
        info = self.world.model.world_info()
        north = NORTH
        if "northDirection" in info.given:
            north = info["northDirection"]
            if norm(north) == 0.0:
                raise refuse(info, "northDirection", info["northDirection"], "a vector that is not zero")
        self._north = normalized(north)

    def measure(self) -> Vec3:
        """The direction of north in the axes of the device."""
        return rotate_back(self.frame.pose().rotation, self._north)
