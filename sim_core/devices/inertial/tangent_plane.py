"""Tangent plane of the WGS84 ellipsoid, in which Gazebo defines the coordinates of a world."""

from __future__ import annotations

import math

from sim_core.base.geometry import Vec3, add, scale
from sim_core.devices.inertial.utm import FLATTENING, SEMI_MAJOR_AXIS

_E2 = FLATTENING * (2.0 - FLATTENING)
_SEMI_MINOR_AXIS = SEMI_MAJOR_AXIS * (1.0 - FLATTENING)


class TangentPlane:
    """Tangent plane; x is turned by the heading from east towards north, z is up.

    Attributes:
        origin: origin of positions in the plane, earth-centred, m.
        heading: rad.
    """

    origin: Vec3 = (0.0, 0.0, 0.0)

    def __init__(self, latitude: float, longitude: float, altitude: float, heading: float) -> None:
        """Create the plane at a latitude and longitude in degrees and an altitude in m; heading in rad."""
        self.heading = heading
        self._place = earth_centred(latitude, longitude, altitude)
        self._axes = turned_axes(latitude, longitude, heading)

    def geodetic(self, point: Vec3) -> Vec3:
        """Return latitude and longitude in degrees and altitude in m of a point in the plane's axes, m."""
        place = self._place
        for value, axis in zip(point, self._axes, strict=True):
            place = add(place, scale(axis, value))
        return geodetic(place)


def turned_axes(latitude: float, longitude: float, heading: float = 0.0) -> tuple[Vec3, Vec3, Vec3]:
    """Return unit vectors, earth-centred, earth-fixed: east and north, turned by the heading, and up.

    Args:
        latitude, longitude: degrees.
        heading: rad from east towards north.
    """
    phi, lam = math.radians(latitude), math.radians(longitude)
    east = (-math.sin(lam), math.cos(lam), 0.0)
    north = (-math.sin(phi) * math.cos(lam), -math.sin(phi) * math.sin(lam), math.cos(phi))
    up = (math.cos(phi) * math.cos(lam), math.cos(phi) * math.sin(lam), math.sin(phi))
    c, s = math.cos(heading), math.sin(heading)
    return add(scale(east, c), scale(north, s)), add(scale(east, -s), scale(north, c)), up


def earth_centred(latitude: float, longitude: float, altitude: float) -> Vec3:
    """Return earth-centred, earth-fixed coordinates in m; angles in degrees, altitude over the ellipsoid."""
    phi, lam = math.radians(latitude), math.radians(longitude)
    n = SEMI_MAJOR_AXIS / math.sqrt(1.0 - _E2 * math.sin(phi) ** 2)
    across = (n + altitude) * math.cos(phi)
    return (across * math.cos(lam), across * math.sin(lam), (n * (1.0 - _E2) + altitude) * math.sin(phi))


def geodetic(place: Vec3) -> Vec3:
    """Return latitude and longitude in degrees and altitude in m for earth-centred coordinates.

    B. R. Bowring, Transformation from spatial to geographical coordinates, Survey Review 23 (1976): within
    10 km of the ellipsoid the latitude is right to 1e-9 degrees.
    """
    x, y, z = place
    across = math.hypot(x, y)
    reduced = math.atan2(z * SEMI_MAJOR_AXIS, across * _SEMI_MINOR_AXIS)
    second = _E2 / (1.0 - _E2)
    phi = math.atan2(
        z + second * _SEMI_MINOR_AXIS * math.sin(reduced) ** 3,
        across - _E2 * SEMI_MAJOR_AXIS * math.cos(reduced) ** 3,
    )
    w = math.sqrt(1.0 - _E2 * math.sin(phi) ** 2)
    altitude = across * math.cos(phi) + z * math.sin(phi) - SEMI_MAJOR_AXIS * w
    return (math.degrees(phi), math.degrees(math.atan2(y, x)), altitude)
