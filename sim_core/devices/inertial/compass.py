"""Compass: direction of north and magnetic field in the axes of the device."""

from __future__ import annotations

from dataclasses import dataclass

from sim_core.base.geometry import ZERO, Vec3, norm, normalized, rotate_back
from sim_core.devices.channels import DEVICE_AXES, Channel, Errors, declare
from sim_core.devices.field_checks import field_error
from sim_core.devices.inertial.axis_sensor import AxisSensor, VectorReading

NORTH: Vec3 = (0.0, 1.0, 0.0)


@dataclass(frozen=True, slots=True)
class CompassReading(VectorReading):
    """Direction of north.

    Attributes:
        field: magnetic field in the axes of the device, T; table, resolution and disabled axes do not apply.
    """

    field: Vec3 = ZERO


class Compass(AxisSensor):
    """Unit vector to north and WorldInfo.magneticField, both in the axes of the device.

    North is +y, unless the file gives WorldInfo.northDirection. The bearing of an upright device's x axis,
    clockwise from north, is `atan2(value[1], value[0])`.
    """

    channels = declare(
        value=Channel("", (3,), frame=DEVICE_AXES, low=-1.0, high=1.0),
        field=Channel("T", (3,), frame=DEVICE_AXES, errors=Errors.IF_NAMED),
    )

    def read_fields(self) -> None:
        """Read the live fields, and the world's direction of north and magnetic field."""
        super().read_fields()
        info = self.world.model.world_info()
        north = NORTH
        if "northDirection" in info.given:
            north = info["northDirection"]
            if norm(north) == 0.0:
                raise field_error(info, "northDirection", info["northDirection"], "a vector that is not zero")
        self._north = normalized(north)
        self._field: Vec3 = info["magneticField"]

    def measure(self) -> Vec3:
        """Return the direction of north in the axes of the device."""
        return rotate_back(self.frame.pose().rotation, self._north)

    def sample(self, time_ns: int) -> CompassReading:
        """Measure direction of north and magnetic field."""
        north = super().sample(time_ns)
        field = rotate_back(self.frame.pose().rotation, self._field)
        return CompassReading(time_ns, north.value, north.deviation, field)
