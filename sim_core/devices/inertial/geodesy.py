"""From a flat local frame to latitude, longitude and altitude on the WGS84 ellipsoid."""

from __future__ import annotations

import math

from sim_core.base.geometry import Vec3

SEMI_MAJOR_AXIS = 6_378_137.0
"""m"""
FLATTENING = 1.0 / 298.257223563
_E2 = FLATTENING * (2.0 - FLATTENING)
_B = SEMI_MAJOR_AXIS * (1.0 - FLATTENING)


def earth_centred(latitude: float, longitude: float, altitude: float) -> Vec3:
    """Earth-centred, earth-fixed coordinates in m; angles in degrees, altitude in m above the ellipsoid."""
    phi, lam = math.radians(latitude), math.radians(longitude)
    n = SEMI_MAJOR_AXIS / math.sqrt(1.0 - _E2 * math.sin(phi) ** 2)
    across = (n + altitude) * math.cos(phi)
    return (across * math.cos(lam), across * math.sin(lam), (n * (1.0 - _E2) + altitude) * math.sin(phi))


def geodetic(point: Vec3) -> Vec3:
    """Latitude and longitude in degrees, altitude in m, of earth-centred coordinates.

    Bowring's iteration on the reduced latitude (Survey Review 23, 1976); two rounds reach the last digits for
    altitudes from -10 km to 1000 km.
    """
    x, y, z = point
    across = math.hypot(x, y)
    beta = math.atan2(z * SEMI_MAJOR_AXIS, across * _B)
    phi = 0.0
    for _ in range(3):
        phi = math.atan2(
            z + _E2 / (1.0 - _E2) * _B * math.sin(beta) ** 3,
            across - _E2 * SEMI_MAJOR_AXIS * math.cos(beta) ** 3,
        )
        beta = math.atan2((1.0 - FLATTENING) * math.sin(phi), math.cos(phi))
    # Free of the division by cos(latitude) near the poles.
    altitude = (
        across * math.cos(phi)
        + z * math.sin(phi)
        - SEMI_MAJOR_AXIS * math.sqrt(1.0 - _E2 * math.sin(phi) ** 2)
    )
    return (math.degrees(phi), math.degrees(math.atan2(y, x)), altitude)


class TangentPlane:
    """The plane that touches the ellipsoid's normal at a reference point, axes east, north, up."""

    def __init__(self, latitude: float, longitude: float, altitude: float) -> None:
        """Set the reference: degrees, degrees, m above the ellipsoid."""
        phi, lam = math.radians(latitude), math.radians(longitude)
        self._origin = earth_centred(latitude, longitude, altitude)
        self._east = (-math.sin(lam), math.cos(lam), 0.0)
        self._north = (-math.sin(phi) * math.cos(lam), -math.sin(phi) * math.sin(lam), math.cos(phi))
        self._up = (math.cos(phi) * math.cos(lam), math.cos(phi) * math.sin(lam), math.sin(phi))

    def geodetic(self, point: Vec3) -> Vec3:
        """Latitude and longitude in degrees, altitude in m, of a point (east, north, up) in m."""
        e, n, u = point
        x, y, z = (
            o + e * east + n * north + u * up
            for o, east, north, up in zip(self._origin, self._east, self._north, self._up, strict=True)
        )
        return geodetic((x, y, z))
