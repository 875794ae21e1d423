"""GPS: position and velocity in the world or on the Earth."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.base.errors import CommandError
from sim_core.base.geometry import ZERO, Vec3, add, norm
from sim_core.devices.base import DeviceContext
from sim_core.devices.channels import WORLD_AXES, Channel, Errors, declare
from sim_core.devices.field_checks import (
    field_error,
    number_at_least,
    resolution_of,
    rounded,
    total_deviation,
)
from sim_core.devices.inertial.tangent_plane import TangentPlane, earth_centred, turned_axes
from sim_core.devices.inertial.utm import UtmGrid
from sim_core.devices.noise import Noise
from sim_core.devices.sensor import Reading, Sensor
from sim_core.model.device_spec import DeviceSpec, NodeSpec
from sim_core.sensing.rays import RayBatch, Rays

ORBIT_PLANES, SATELLITES_PER_PLANE = 6, 4
"""Satellites in a Walker constellation 55°: 24/6/1, about that of the GPS: six planes 60° apart, four
in each, those of the next plane 15° ahead.
"""
INCLINATION = math.radians(55.0)
ORBIT_RADIUS = 26_560_000.0
"""Radius of the orbits, m."""
EARTH_GM = 3.986004418e14
"""m³/s², gravitational constant times mass of the Earth (WGS84)."""
EARTH_RATE = 7.292115e-5
"""Angular velocity of the Earth, rad/s (WGS84)."""
MIN_ELEVATION = math.radians(10.0)
"""Elevation below which satellites are not used, rad."""
OCCLUSION_RANGE = 1000.0
"""Distance up to which objects hide satellites, m."""


@dataclass(frozen=True, slots=True)
class GpsReading(Reading):
    """Position and speed of the device.

    Attributes:
        value: local: world position plus WorldInfo.gpsReference, m. WGS84: latitude and longitude in degrees,
            altitude in m.
        speed: m/s, with speedNoise and speedResolution.
        speed_vector: exact velocity of the device, m/s, world axes.
        deviation: standard deviation of the position along each axis of the world, m.
    """

    value: Vec3
    speed: float
    speed_vector: Vec3
    deviation: Vec3 = ZERO


def reference_of(info: NodeSpec) -> Vec3:
    """Return WorldInfo.gpsReference: east, north and up; in WGS84 latitude, longitude and altitude.

    Raises:
        DeviceError: not finite.
    """
    given: Vec3 = info["gpsReference"]
    if not all(map(math.isfinite, given)):
        raise field_error(info, "gpsReference", given, "finite numbers")
    return given


class Gps(Sensor):
    """Position with Gaussian noise of standard deviation `accuracy` (m) per axis, and speed.

    - `noiseCorrelation` r makes the noise a Gauss-Markov process: noise one second apart has correlation r,
      so that of two samples T seconds apart has r^T.
    - `resolution` rounds the position in m, in WGS84 too, before the conversion to latitude and longitude.
    - `speedNoise` is relative: speed·(1 + speedNoise·N(0, 1)); then `speedResolution` is applied.
    - WGS84: the world's x, y, z are easting, northing and altitude relative to gpsReference (latitude,
      longitude, altitude), in the UTM grid of its zone, as in Webots: distances are up to 0.1 % off those on
      the Earth, and grid north differs from true north by up to some degrees. With the hidden field
      `gpsHeading` they are those of the plane that touches the Earth there, with x turned by that angle (rad)
      from east to north, as in Gazebo.

    Attributes:
        is_geographic: the value is latitude, longitude, altitude.
        accuracy: standard deviation of the position in m.
    """

    channels = declare(
        value=Channel("m", (3,), frame=WORLD_AXES),
        speed=Channel("m/s", errors=Errors.IF_NAMED),
        speed_vector=Channel("m/s", (3,), frame=WORLD_AXES, errors=Errors.IF_NAMED),
    )

    def __init__(self, spec: DeviceSpec, context: DeviceContext) -> None:
        super().__init__(spec, context)
        self.frame = context.world.frame(spec.id)
        self.accuracy = number_at_least(spec, "accuracy", 0.0)
        self._correlation = number_at_least(spec, "noiseCorrelation", 0.0, 1.0)
        self._speed_noise = number_at_least(spec, "speedNoise", 0.0)
        self._resolution = resolution_of(spec)
        self._deviation = (total_deviation(self.accuracy, self._resolution),) * 3
        self._speed_resolution = resolution_of(spec, "speedResolution")
        self._noise = Noise(context.seed) if self.accuracy or self._speed_noise else None
        self._new_rays = context.media.new_rays
        self._sky: RayBatch | None = None
        robot = spec.robot.outermost
        self._robot = robot.id
        self.is_geographic: bool = context.world.model.world_info()["gpsCoordinateSystem"] == "WGS84"
        if self.is_geographic:
            self.channels = declare(self.channels, value=Channel("degrees, degrees, m", (3,)))
        self.read_fields()

    def read_fields(self) -> None:
        """Read the world's position on the Earth."""
        info = self.world.model.world_info()
        self._origin = reference = reference_of(info)
        self._grid: UtmGrid | TangentPlane | None = None
        if self.is_geographic:
            if abs(reference[0]) > 90.0 or abs(reference[1]) > 180.0:
                expected = "latitude from -90 to 90, longitude from -180 to 180 degrees, altitude in m"
                raise field_error(info, "gpsReference", reference, expected)
            heading = info["gpsHeading"]
            self._grid = TangentPlane(*reference, heading[0]) if heading else UtmGrid(*reference)
            self._origin = self._grid.origin

    @property
    def speed(self) -> float:
        """Speed in the last reading, m/s; NaN before the first."""
        return self.reading.speed if self.reading is not None else math.nan

    @property
    def speed_vector(self) -> Vec3:
        """Velocity in the last reading, m/s, world axes; NaN before the first."""
        return self.reading.speed_vector if self.reading is not None else (math.nan,) * 3

    def satellites(self, time_ns: int) -> int:
        """Return the number of visible satellites: those above 10° that no bounding object hides.

        Args:
            time_ns: sim time, which determines their positions.

        Raises:
            CommandError: the world's coordinates are local, not WGS84.
        """
        position = self.frame.pose().position
        if self._grid is None:
            what = f"{self.robot_name}.{self.name}.satellites"
            raise CommandError(f'{what}: found a world in local coordinates, expected "WGS84"')
        place = self._grid.geodetic(add(position, self._origin))
        directions = visible_directions(place, time_ns / 1e9, self._grid.heading)
        self._sky = self._sky or self._new_rays()
        self._sky.clear()
        self._sky.add_rays(
            Rays(None, np.full_like(directions, position), directions, OCCLUSION_RANGE, self._robot)
        )
        self._sky.cast()
        return int(np.isinf(self._sky.distances).sum()) if len(directions) else 0

    def sample(self, time_ns: int) -> GpsReading:
        """Measure position and speed."""
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
        east, north, up = self._origin
        position = (rounded(x + east, step), rounded(y + north, step), rounded(z + up, step))
        if self._grid is not None:
            position = self._grid.geodetic(position)
        speed = rounded(speed, self._speed_resolution)
        return GpsReading(time_ns, position, speed, velocity, self._deviation)

    def _position_noise(self, noise: Noise, time_ns: int) -> list[float]:
        if not self._correlation:
            return noise.normals(time_ns, 3)
        ratio = self._correlation ** (self.period_ns / 1e9)
        if self.period_ns % self.world.clock.step_ns:
            time_ns -= time_ns % self.period_ns  # of one grid, which steps do not meet
        return noise.correlated(time_ns, self.period_ns, ratio, 3)


def satellite_positions(seconds: float) -> FloatArray:
    """Return the positions of all satellites at a sim time, (24, 3) m, earth-centred, earth-fixed."""
    plane, slot = np.divmod(np.arange(ORBIT_PLANES * SATELLITES_PER_PLANE), SATELLITES_PER_PLANE)
    node = plane * (2.0 * math.pi / ORBIT_PLANES) - EARTH_RATE * seconds
    along = slot * (2.0 * math.pi / SATELLITES_PER_PLANE) + plane * (
        2.0 * math.pi / (ORBIT_PLANES * SATELLITES_PER_PLANE)
    )
    along = along + math.sqrt(EARTH_GM / ORBIT_RADIUS**3) * seconds
    x, y = np.cos(along), np.sin(along) * math.cos(INCLINATION)
    return ORBIT_RADIUS * np.stack(
        [
            np.cos(node) * x - np.sin(node) * y,
            np.sin(node) * x + np.cos(node) * y,
            np.sin(along) * math.sin(INCLINATION),
        ],
        axis=1,
    )


def visible_directions(place: Vec3, seconds: float, heading: float = 0.0) -> FloatArray:
    """Return unit vectors to the satellites above the mask, (n, 3): x turned from east towards north, y, up.

    Args:
        place: latitude and longitude in degrees, altitude in m.
        seconds: sim time.
        heading: rad by which x is turned.
    """
    turn = np.array(turned_axes(*place[:2], heading))
    towards = (satellite_positions(seconds) - earth_centred(*place)) @ turn.T
    towards /= np.linalg.norm(towards, axis=1)[:, None]
    return np.ascontiguousarray(towards[towards[:, 2] >= math.sin(MIN_ELEVATION)])
