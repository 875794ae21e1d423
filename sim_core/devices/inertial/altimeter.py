"""Altimeter: the height of the device."""

from __future__ import annotations

from dataclasses import dataclass

from sim_core.devices.base import DeviceContext
from sim_core.devices.channels import Channel, declare
from sim_core.devices.field_checks import number_at_least, resolution_of, rounded
from sim_core.devices.inertial.gps import reference_of
from sim_core.devices.noise import Noise
from sim_core.devices.sensor import Reading, Sensor
from sim_core.model.device_spec import DeviceSpec


@dataclass(frozen=True, slots=True)
class AltimeterReading(Reading):
    """How high the device is.

    Attributes:
        value: height of the device's origin plus the altitude of WorldInfo.gpsReference, m.
    """

    value: float


class Altimeter(Sensor):
    """z + gpsReference altitude + accuracy·N(0, 1), then the nearest multiple of `resolution`.

    Attributes:
        accuracy: standard deviation in m.
    """

    channels = declare(value=Channel("m"))

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        self.frame = context.world.frame(spec.id)
        self.accuracy = number_at_least(spec, "accuracy", 0.0)
        self._resolution = resolution_of(spec)
        self._noise = Noise(context.seed) if self.accuracy else None
        self.read_fields()

    def read_fields(self) -> None:
        """Read what the world says of its place on the Earth."""
        self._reference = reference_of(self.world.model.world_info())[2]

    def sample(self, time_ns: int) -> AltimeterReading:
        """One measurement."""
        height = self.frame.pose().position[2] + self._reference
        if self._noise is not None:
            height += self.accuracy * self._noise.normals(time_ns)[0]
        return AltimeterReading(time_ns, rounded(height, self._resolution))
