"""The WGS84 ellipsoid and the UTM grid, against their definitions."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_core.base.geometry import add
from sim_core.devices.inertial.tangent_plane import TangentPlane, earth_centred, geodetic
from sim_core.devices.inertial.utm import FLATTENING, SEMI_MAJOR_AXIS, UtmGrid

E2 = FLATTENING * (2 - FLATTENING)


def radii(latitude: float) -> tuple[float, float]:
    """Return the radii of curvature, along the meridian and across it, m."""
    w = math.sqrt(1 - E2 * math.sin(math.radians(latitude)) ** 2)
    return SEMI_MAJOR_AXIS * (1 - E2) / w**3, SEMI_MAJOR_AXIS / w


def test_axes_of_the_ellipsoid() -> None:
    assert earth_centred(0, 0, 0) == pytest.approx((SEMI_MAJOR_AXIS, 0, 0))
    assert earth_centred(0, 90, 10) == pytest.approx((0, SEMI_MAJOR_AXIS + 10, 0), abs=1e-8)
    assert earth_centred(90, 0, 0) == pytest.approx((0, 0, SEMI_MAJOR_AXIS * (1 - FLATTENING)), abs=1e-8)


@given(st.floats(-89.9, 89.9), st.floats(-180, 179.999), st.floats(-1000, 5000))
def test_there_and_back(latitude: float, longitude: float, altitude: float) -> None:
    grid = UtmGrid(latitude, longitude, altitude)
    assert grid.geodetic(grid.origin) == pytest.approx((latitude, longitude, altitude), abs=1e-10)


@pytest.mark.parametrize("latitude", [-90.0, 90.0])
def test_the_poles_are_places_too(latitude: float) -> None:
    grid = UtmGrid(latitude, 3.0, 0.0)
    assert grid.geodetic(grid.origin)[0] == pytest.approx(latitude, abs=1e-6)


@pytest.mark.parametrize("far", [1e10, -1e10, 1e308, -math.inf])
def test_what_is_farther_away_than_the_earth_is_wide_has_a_place(far: float) -> None:
    for point in ((far, 0.0, 0.0), (0.0, far, 0.0), (far, far, 0.0)):
        latitude, longitude, _ = UtmGrid(46.5, 7.0, 0.0).geodetic(point)
        assert abs(latitude) <= 90.0 and abs(longitude) <= 360.0


def test_a_published_place() -> None:
    """The CN Tower, 43°38\'33.24\" N 79°23\'13.7\" W, is at 17T 630084 4833438."""
    east, north, _ = UtmGrid(43 + 38 / 60 + 33.24 / 3600, -(79 + 23 / 60 + 13.7 / 3600), 0.0).origin
    assert (east, north) == pytest.approx((630084.0, 4833438.0), abs=1.0)


@pytest.mark.parametrize("latitude", [-60.0, -0.5, 10.0, 46.5])
def test_the_meridian_in_the_middle_has_its_length_times_0_9996(latitude: float) -> None:
    steps = 20_000
    middles = [(k + 0.5) * latitude / steps for k in range(steps)]
    arc = sum(radii(each)[0] for each in middles) * math.radians(latitude) / steps
    east, north, _ = UtmGrid(latitude, 9.0, 0.0).origin
    assert east == pytest.approx(500_000.0, abs=1e-6)
    assert north == pytest.approx(0.9996 * arc + (10_000_000.0 if latitude < 0.0 else 0.0), abs=1e-3)


@pytest.mark.parametrize("latitude", [-60.0, 0.0, 46.5])
@pytest.mark.parametrize("off", [0.0, 2.9])
def test_lengths_are_true_up_to_a_scale_and_directions_up_to_the_convergence(
    latitude: float, off: float
) -> None:
    """Scale k0·(1 + x²/2R²) and convergence λ·sin(latitude) to some parts in 10⁴ of themselves."""
    meridian, normal = radii(latitude)
    grid = UtmGrid(latitude, 9.0 + off, 100.0)
    x = (grid.origin[0] - 500_000.0) / 0.9996
    scale = 0.9996 * (1.0 + x * x / (2.0 * meridian * normal))
    turn = math.radians(off) * math.sin(math.radians(latitude))
    for east, north in ((10.0, 0.0), (0.0, 10.0)):
        lat, lon, up = grid.geodetic(add(grid.origin, (east, north, 5.0)))
        to_east = math.radians(lon - 9.0 - off) * normal * math.cos(math.radians(latitude))
        to_north = math.radians(lat - latitude) * meridian
        cos, sin = math.cos(turn) / scale, math.sin(turn) / scale
        expected = (east * cos + north * sin, north * cos - east * sin)
        assert (to_east, to_north) == pytest.approx(expected, abs=0.002)
        assert up == pytest.approx(105.0)


def test_what_webots_says_of_a_place_in_the_gulf_of_guinea() -> None:
    grid = UtmGrid(0.0, 0.0, 0.0)
    place = grid.geodetic(add(grid.origin, (2000.0, 4999.95, 0.0)))
    assert place == pytest.approx((0.0451744, 0.0179479, 0.0), abs=1e-7)


@given(st.floats(-90, 90), st.floats(-179.999, 179.999), st.floats(-5000, 10000))
def test_earth_centred_coordinates_and_back(latitude: float, longitude: float, altitude: float) -> None:
    found = geodetic(earth_centred(latitude, longitude, altitude))
    assert found[0] == pytest.approx(latitude, abs=1e-8)
    assert abs(latitude) > 89.9999 or found[1] == pytest.approx(longitude, abs=1e-6)
    assert found[2] == pytest.approx(altitude, abs=1e-4)


@pytest.mark.parametrize("heading", [0.0, 90.0, 30.0])
def test_in_the_tangent_plane_lengths_and_north_are_true(heading: float) -> None:
    """At 90 degrees x is north and y is west; north is one radius of curvature a radian."""
    plane, (along, across) = TangentPlane(46.5, 6.6, 400.0, math.radians(heading)), radii(46.5)
    assert plane.geodetic((0, 0, 0)) == pytest.approx((46.5, 6.6, 400.0))
    c, s = math.cos(math.radians(heading)), math.sin(math.radians(heading))
    north, east = plane.geodetic((100 * s, 100 * c, 0)), plane.geodetic((100 * c, -100 * s, 5))
    assert north[0] - 46.5 == pytest.approx(math.degrees(100 / (along + 400)), rel=1e-4)
    assert north[1] == pytest.approx(6.6, abs=1e-9)
    expected = math.degrees(100 / ((across + 400) * math.cos(math.radians(46.5))))
    assert east[1] - 6.6 == pytest.approx(expected, rel=1e-4)
    assert (east[0], east[2]) == pytest.approx((46.5, 405.0), abs=2e-3)
