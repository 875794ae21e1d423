"""Altimeter: height of the device and air pressure there."""

from __future__ import annotations

from dataclasses import dataclass

from sim_core.devices.base import DeviceContext
from sim_core.devices.channels import Channel, Errors, declare
from sim_core.devices.field_checks import finite_number, number_at_least, resolution_of, rounded
from sim_core.devices.inertial.gps import reference_of
from sim_core.devices.noise import Noise
from sim_core.devices.sensor import Reading, Sensor
from sim_core.model.device_spec import DeviceSpec

SEA_LEVEL, TEMPERATURE, LAPSE = 101325.0, 288.15, 0.0065
"""Pressure in Pa, temperature in K and lapse rate in K/m of the standard atmosphere."""
EXPONENT = 9.80665 * 0.0289644 / (8.31432 * LAPSE)
EARTH_RADIUS = 6356766.0
"""Radius of the Earth, m."""


@dataclass(frozen=True, slots=True)
class AltimeterReading(Reading):
    """Height of the device.

    Attributes:
        value: height of the device's origin plus the altitude of WorldInfo.gpsReference, m.
        pressure: air pressure at the height without noise, plus `referenceAltitude`, Pa.
    """

    value: float
    pressure: float


def air_pressure(height: float) -> float:
    """Return the pressure in Pa of the standard atmosphere, up to 11 km, at a height in m above the sea.

    The height is converted to geopotential height (ICAO Doc 7488; gz-sensors, AirPressureSensor, has the same
    numbers).
    """
    lifted = EARTH_RADIUS * height / (EARTH_RADIUS + height)
    return SEA_LEVEL * max(0.0, 1.0 - LAPSE * lifted / TEMPERATURE) ** EXPONENT


class Altimeter(Sensor):
    """Height z + gpsReference altitude + accuracy·N(0, 1), rounded to a multiple of `resolution`.

    Attributes:
        accuracy: standard deviation in m.
    """

    channels = declare(value=Channel("m"), pressure=Channel("Pa", errors=Errors.IF_NAMED))

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        self.frame = context.world.frame(spec.id)
        self.accuracy = number_at_least(spec, "accuracy", 0.0)
        self._resolution = resolution_of(spec)
        self._above_sea = finite_number(spec, "referenceAltitude")
        self._noise = Noise(context.seed) if self.accuracy else None
        self.read_fields()

    def read_fields(self) -> None:
        """Read the world's position on the Earth."""
        self._reference = reference_of(self.world.model.world_info())[2]

    def sample(self, time_ns: int) -> AltimeterReading:
        """Measure the height and the air pressure."""
        height = self.frame.pose().position[2] + self._reference
        pressure = air_pressure(height + self._above_sea)
        if self._noise is not None:
            height += self.accuracy * self._noise.normals(time_ns)[0]
        return AltimeterReading(time_ns, rounded(height, self._resolution), pressure)
