"""GPS: position and velocity in the world or on the Earth."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sim_core.base.geometry import Vec3, norm
from sim_core.devices.base import DeviceContext, Reading, Sensor
from sim_core.devices.channels import WORLD_AXES, Channel, Errors, declare
from sim_core.devices.field_checks import number_at_least, refuse, resolution_of, rounded
from sim_core.devices.inertial.geodesy import TangentPlane
from sim_core.devices.noise import Noise
from sim_core.model.frames import world_vector_of
from sim_core.scene import Node


@dataclass(frozen=True, slots=True)
class GpsReading(Reading):
    """Where the device is, and how fast.

    Attributes:
        value: local: world position plus WorldInfo.gpsReference, m. WGS84: latitude and longitude in degrees,
            altitude in m.
        speed: m/s, with speedNoise and speedResolution.
        speed_vector: exact velocity of the device, m/s, world axes.
    """

    value: Vec3
    speed: float
    speed_vector: Vec3


def reference_of(info: Node) -> Vec3:
    """WorldInfo.gpsReference: east, north and up; in WGS84 latitude, longitude and altitude.

    Raises:
        DeviceError: not finite.
    """
    given: Vec3 = info["gpsReference"]
    if not all(map(math.isfinite, given)):
        raise refuse(info, "gpsReference", given, "finite numbers")
    return given if info["gpsCoordinateSystem"] == "WGS84" else world_vector_of(info, "gpsReference")


class Gps(Sensor):
    """Position with Gaussian noise of standard deviation `accuracy` (m) per axis, and speed.

    - `noiseCorrelation` r makes the noise a Gauss-Markov process: noise one second apart has correlation r,
      so that of two samples T seconds apart has r^T.
    - `resolution` rounds the position in m, in WGS84 too, before it becomes latitude and longitude.
    - `speedNoise` is relative: speed·(1 + speedNoise·N(0, 1)); then comes `speedResolution`.
    - WGS84: the world's x, y, z are east, north and up at gpsReference (latitude, longitude, altitude), in
      the plane that touches the ellipsoid there. (Webots takes a UTM grid instead, whose distances are up to
      0.1 % off and whose north differs from true north by up to some degrees.)

    Attributes:
        is_geographic: the value is latitude, longitude, altitude.
        accuracy: standard deviation of the position in m.
    """

    channels = declare(
        value=Channel("m", (3,), frame=WORLD_AXES),
        speed=Channel("m/s", errors=Errors.IF_NAMED),
        speed_vector=Channel("m/s", (3,), frame=WORLD_AXES, errors=Errors.IF_NAMED),
    )

    def __init__(self, node: Node, context: DeviceContext) -> None:
        super().__init__(node, context)
        self.frame = context.world.frame(node)
        self.accuracy = number_at_least(node, "accuracy", 0.0)
        self._correlation = number_at_least(node, "noiseCorrelation", 0.0, 1.0)
        self._speed_noise = number_at_least(node, "speedNoise", 0.0)
        self._resolution = resolution_of(node)
        self._speed_resolution = resolution_of(node, "speedResolution")
        self._noise = Noise(context.seed) if self.accuracy or self._speed_noise else None
        info = context.world.info
        self.is_geographic: bool = info["gpsCoordinateSystem"] == "WGS84"
        self._reference = reference_of(info)
        self._plane: TangentPlane | None = None
        if self.is_geographic:
            if abs(self._reference[0]) > 90.0 or abs(self._reference[1]) > 180.0:
                expected = "latitude from -90 to 90, longitude from -180 to 180 degrees, altitude in m"
                raise refuse(info, "gpsReference", self._reference, expected)
            self._plane = TangentPlane(*self._reference)
            self.channels = declare(self.channels, value=Channel("degrees, degrees, m", (3,)))

    @property
    def speed(self) -> float:
        """The speed in the last reading, m/s; NaN before the first."""
        return self.reading.speed if self.reading is not None else math.nan

    @property
    def speed_vector(self) -> Vec3:
        """The velocity in the last reading, m/s, world axes; NaN before the first."""
        return self.reading.speed_vector if self.reading is not None else (math.nan,) * 3

    def sample(self, time_ns: int) -> GpsReading:
        """One measurement."""
        x, y, z = self.frame.pose().position
        velocity = self.frame.linear_velocity()
        speed = norm(velocity)
        if self._noise is not None:
            if self.accuracy:
                dx, dy, dz = self._position_noise(self._noise, time_ns)
                x, y, z = x + self.accuracy * dx, y + self.accuracy * dy, z + self.accuracy * dz
            if self._speed_noise:
                speed *= 1.0 + self._speed_noise * self._noise.normals(time_ns, 4)[3]
        step = self._resolution
        if self._plane is None:
            east, north, up = self._reference
            position = (rounded(x + east, step), rounded(y + north, step), rounded(z + up, step))
        else:
            position = self._plane.geodetic((rounded(x, step), rounded(y, step), rounded(z, step)))
        return GpsReading(time_ns, position, rounded(speed, self._speed_resolution), velocity)

    def _position_noise(self, noise: Noise, time_ns: int) -> list[float]:
        if not self._correlation:
            return noise.normals(time_ns, 3)
        ratio = self._correlation ** (self.period_ns / 1e9)
        return noise.correlated(time_ns, self.period_ns, ratio, 3)


DEVICE = Gps
