"""The grid of the Universal Transverse Mercator projection, on the WGS84 ellipsoid."""

from __future__ import annotations

import cmath
import math

from sim_core.base.geometry import Vec3

SEMI_MAJOR_AXIS = 6_378_137.0
"""Semi-major axis of the Earth, m (WGS84)."""
FLATTENING = 1.0 / 298.257223563
"""Flattening of the Earth (WGS84)."""
SCALE = 0.9996
"""Scale of lengths along the central meridian of a zone."""
FALSE_EASTING, FALSE_NORTHING = 500_000.0, 10_000_000.0
"""m; the second one is added south of the equator."""
ZONE_WIDTH = 6.0
"""Width of a zone, degrees of longitude."""
MAX_COORDINATE = 3.0
"""Limit of grid coordinates in radii of the Earth; farther points are clamped, as the series below
diverge."""

_N = FLATTENING / (2.0 - FLATTENING)
_N2, _N3, _N4 = _N**2, _N**3, _N**4
_RADIUS = SCALE * SEMI_MAJOR_AXIS / (1.0 + _N) * (1.0 + _N2 / 4.0 + _N4 / 64.0)
_ECCENTRICITY = 2.0 * math.sqrt(_N) / (1.0 + _N)
_ALMOST_1 = 1.0 - 2.0**-53
# Krüger's series: C. F. F. Karney, Transverse Mercator with an accuracy of a few nanometers, Journal of
# Geodesy 85 (2011), equations 35, 36 and, for the latitude, Krüger 1912; omitted terms are below 1 µm.
_TO_GRID = (
    _N / 2.0 - 2.0 * _N2 / 3.0 + 5.0 * _N3 / 16.0 + 41.0 * _N4 / 180.0,
    13.0 * _N2 / 48.0 - 3.0 * _N3 / 5.0 + 557.0 * _N4 / 1440.0,
    61.0 * _N3 / 240.0 - 103.0 * _N4 / 140.0,
    49561.0 * _N4 / 161280.0,
)
_FROM_GRID = (
    _N / 2.0 - 2.0 * _N2 / 3.0 + 37.0 * _N3 / 96.0 - _N4 / 360.0,
    _N2 / 48.0 + _N3 / 15.0 - 437.0 * _N4 / 1440.0,
    17.0 * _N3 / 480.0 - 37.0 * _N4 / 840.0,
    4397.0 * _N4 / 161280.0,
)
_TO_LATITUDE = (
    2.0 * _N - 2.0 * _N2 / 3.0 - 2.0 * _N3 + 116.0 * _N4 / 45.0,
    7.0 * _N2 / 3.0 - 8.0 * _N3 / 5.0 - 227.0 * _N4 / 45.0,
    56.0 * _N3 / 15.0 - 136.0 * _N4 / 35.0,
    4279.0 * _N4 / 630.0,
)


class UtmGrid:
    """The UTM grid of a place's zone, also used beyond the zone's edges and beyond the equator.

    Attributes:
        origin: the place: easting, northing and altitude, m.
        heading: rad of x from east to north of the grid.
    """

    heading = 0.0

    def __init__(self, latitude: float, longitude: float, altitude: float) -> None:
        """Choose the zone of a place: degrees, degrees, m."""
        self._meridian = ZONE_WIDTH * (math.floor(longitude / ZONE_WIDTH) + 0.5)
        self._north = FALSE_NORTHING if latitude < 0.0 else 0.0
        self.origin: Vec3 = (*self._project(latitude, longitude), altitude)

    def geodetic(self, point: Vec3) -> Vec3:
        """Return latitude and longitude in degrees, altitude in m, of easting, northing and altitude in m."""
        east, north, up = point
        along, across = (north - self._north) / _RADIUS, (east - FALSE_EASTING) / _RADIUS
        place = complex(
            max(-MAX_COORDINATE, min(MAX_COORDINATE, along)),
            max(-MAX_COORDINATE, min(MAX_COORDINATE, across)),
        )
        sphere = place - _series(_FROM_GRID, place)
        sine = math.sin(sphere.real) / math.cosh(sphere.imag)
        conformal = math.asin(min(1.0, max(-1.0, sine)))
        latitude = conformal + _series(_TO_LATITUDE, complex(conformal)).real
        longitude = self._meridian + math.degrees(math.atan2(math.sinh(sphere.imag), math.cos(sphere.real)))
        return (math.degrees(latitude), longitude, up)

    def _project(self, latitude: float, longitude: float) -> tuple[float, float]:
        """Return easting and northing in m."""
        angle = math.radians(longitude - self._meridian)
        sine = min(_ALMOST_1, max(-_ALMOST_1, math.sin(math.radians(latitude))))
        tangent = math.sinh(math.atanh(sine) - _ECCENTRICITY * math.atanh(_ECCENTRICITY * sine))
        across = math.atanh(math.sin(angle) / math.hypot(1.0, tangent))
        sphere = complex(math.atan2(tangent, math.cos(angle)), across)
        place = _RADIUS * (sphere + _series(_TO_GRID, sphere))
        return FALSE_EASTING + place.imag, self._north + place.real


def _series(parts: tuple[float, ...], place: complex) -> complex:
    return sum(part * cmath.sin(2 * number * place) for number, part in enumerate(parts, 1))
