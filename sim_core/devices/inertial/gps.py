"""GPS: position and velocity in the world or on the Earth."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.base.errors import CommandError
from sim_core.base.geometry import Vec3, add, norm
from sim_core.devices.base import DeviceContext
from sim_core.devices.channels import WORLD_AXES, Channel, Errors, declare
from sim_core.devices.field_checks import number_at_least, refuse, resolution_of, rounded
from sim_core.devices.inertial.tangent_plane import TangentPlane, earth_centred, turned_axes
from sim_core.devices.inertial.utm import UtmGrid
from sim_core.devices.noise import Noise
from sim_core.devices.sensor import Reading, Sensor
from sim_core.model.device_spec import DeviceSpec, NodeSpec
from sim_core.sensing.rays import RayBatch, Rays

PLANES, IN_PLANE = 6, 4
"""Satellites in a Walker constellation 55°: 24/6/1, as that of the GPS is about: six planes 60° apart, four
in each, those of the next plane 15° ahead."""
INCLINATION = math.radians(55.0)
ORBIT = 26_560_000.0
"""m from the middle of the Earth."""
EARTH = 3.986004418e14
"""m³/s², gravitational constant times mass (WGS84)."""
EARTH_RATE = 7.292115e-5
"""rad/s (WGS84)."""
MASK = math.radians(10.0)
"""Satellites lower than this above the horizon are not used."""
SHADOW = 1000.0
"""m; what is farther hides no satellite."""


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


def reference_of(info: NodeSpec) -> Vec3:
    """WorldInfo.gpsReference: east, north and up; in WGS84 latitude, longitude and altitude.

    Raises:
        DeviceError: not finite.
    """
    given: Vec3 = info["gpsReference"]
    if not all(map(math.isfinite, given)):
        raise refuse(info, "gpsReference", given, "finite numbers")
    return given


class Gps(Sensor):
    """Position with Gaussian noise of standard deviation `accuracy` (m) per axis, and speed.

    - `noiseCorrelation` r makes the noise a Gauss-Markov process: noise one second apart has correlation r,
      so that of two samples T seconds apart has r^T.
    - `resolution` rounds the position in m, in WGS84 too, before it becomes latitude and longitude.
    - `speedNoise` is relative: speed·(1 + speedNoise·N(0, 1)); then comes `speedResolution`.
    - WGS84: the world's x, y, z are easting, northing and altitude from gpsReference (latitude, longitude,
      altitude) on, in the UTM grid of its zone, as in Webots: distances are up to 0.1 % off those on the
      Earth, and grid north differs from true north by up to some degrees. With the hidden field `gpsHeading`
      they are those of the plane that touches the Earth there, x turned by so many rad from east to north,
      as in Gazebo.

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
        """Read what the world says of its place on the Earth."""
        info = self.world.model.world_info()
        self._origin = reference = reference_of(info)
        self._grid: UtmGrid | TangentPlane | None = None
        if self.is_geographic:
            if abs(reference[0]) > 90.0 or abs(reference[1]) > 180.0:
                expected = "latitude from -90 to 90, longitude from -180 to 180 degrees, altitude in m"
                raise refuse(info, "gpsReference", reference, expected)
            heading = info["gpsHeading"]
            self._grid = TangentPlane(*reference, heading[0]) if heading else UtmGrid(*reference)
            self._origin = self._grid.origin

    @property
    def speed(self) -> float:
        """The speed in the last reading, m/s; NaN before the first."""
        return self.reading.speed if self.reading is not None else math.nan

    @property
    def speed_vector(self) -> Vec3:
        """The velocity in the last reading, m/s, world axes; NaN before the first."""
        return self.reading.speed_vector if self.reading is not None else (math.nan,) * 3

    def satellites(self, time_ns: int) -> int:
        """How many satellites it sees now: those that stand above 10°, with no bounding object before them.

        Args:
            time_ns: sim time, which says where they stand.

        Raises:
            CommandError: the world has no place on the Earth, it is not in WGS84.
        """
        position = self.frame.pose().position
        if self._grid is None:
            what = f"{self.robot_name}.{self.name}.satellites"
            raise CommandError(f'{what}: found a world in local coordinates, expected "WGS84"')
        place = self._grid.geodetic(add(position, self._origin))
        directions = in_sky(place, time_ns / 1e9, self._grid.heading)
        self._sky = self._sky or self._new_rays()
        self._sky.clear()
        self._sky.add(Rays(None, np.full_like(directions, position), directions, SHADOW, self._robot))
        self._sky.cast()
        return int(np.isinf(self._sky.distances).sum()) if len(directions) else 0

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
        east, north, up = self._origin
        position = (rounded(x + east, step), rounded(y + north, step), rounded(z + up, step))
        if self._grid is not None:
            position = self._grid.geodetic(position)
        return GpsReading(time_ns, position, rounded(speed, self._speed_resolution), velocity)

    def _position_noise(self, noise: Noise, time_ns: int) -> list[float]:
        if not self._correlation:
            return noise.normals(time_ns, 3)
        ratio = self._correlation ** (self.period_ns / 1e9)
        if self.period_ns % self.world.step_ns:
            time_ns -= time_ns % self.period_ns  # of one grid, which steps do not meet
        return noise.correlated(time_ns, self.period_ns, ratio, 3)


def places(seconds: float) -> FloatArray:
    """(24, 3) m, earth-centred, earth-fixed, at a sim time."""
    plane, slot = np.divmod(np.arange(PLANES * IN_PLANE), IN_PLANE)
    node = plane * (2.0 * math.pi / PLANES) - EARTH_RATE * seconds
    along = slot * (2.0 * math.pi / IN_PLANE) + plane * (2.0 * math.pi / (PLANES * IN_PLANE))
    along = along + math.sqrt(EARTH / ORBIT**3) * seconds
    x, y = np.cos(along), np.sin(along) * math.cos(INCLINATION)
    return ORBIT * np.stack(
        [
            np.cos(node) * x - np.sin(node) * y,
            np.sin(node) * x + np.cos(node) * y,
            np.sin(along) * math.sin(INCLINATION),
        ],
        axis=1,
    )


def in_sky(place: Vec3, seconds: float, heading: float = 0.0) -> FloatArray:
    """(n, 3) unit vectors to the satellites above the mask: x, turned from east towards north, y, and up.

    Args:
        place: latitude and longitude in degrees, altitude in m.
        seconds: of sim time.
        heading: rad by which x is turned.
    """
    turn = np.array(turned_axes(*place[:2], heading))
    towards = (places(seconds) - earth_centred(*place)) @ turn.T
    towards /= np.linalg.norm(towards, axis=1)[:, None]
    return np.ascontiguousarray(towards[towards[:, 2] >= math.sin(MASK)])
