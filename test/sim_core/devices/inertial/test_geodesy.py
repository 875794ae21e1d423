"""The WGS84 ellipsoid, against its definition."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_core.devices.inertial.gps import (
    FLATTENING,
    SEMI_MAJOR_AXIS,
    TangentPlane,
    earth_centred,
    geodetic,
)


def test_axes_of_the_ellipsoid() -> None:
    assert earth_centred(0, 0, 0) == pytest.approx((SEMI_MAJOR_AXIS, 0, 0))
    assert earth_centred(0, 90, 10) == pytest.approx((0, SEMI_MAJOR_AXIS + 10, 0), abs=1e-8)
    assert earth_centred(90, 0, 0) == pytest.approx((0, 0, SEMI_MAJOR_AXIS * (1 - FLATTENING)), abs=1e-8)


@given(st.floats(-90, 90), st.floats(-179.9, 179.9), st.floats(-10_000, 1_000_000))
def test_there_and_back(latitude: float, longitude: float, altitude: float) -> None:
    back = geodetic(earth_centred(latitude, longitude, altitude))
    assert back[0] == pytest.approx(latitude, abs=1e-11)
    assert back[2] == pytest.approx(altitude, abs=1e-7)
    if abs(latitude) < 89.9:
        assert back[1] == pytest.approx(longitude, abs=1e-10)


@given(st.floats(-89, 89), st.floats(-170, 170), st.floats(-1000, 5000))
def test_the_reference_is_the_origin(latitude: float, longitude: float, altitude: float) -> None:
    plane = TangentPlane(latitude, longitude, altitude)
    assert plane.geodetic((0, 0, 0)) == pytest.approx((latitude, longitude, altitude), abs=1e-7)
    assert plane.geodetic((0, 0, 50))[2] == pytest.approx(altitude + 50, abs=1e-7)


@pytest.mark.parametrize("latitude", [-60.0, 0.0, 46.5])
def test_a_metre_north_and_east_are_those_of_the_radii_of_curvature(latitude: float) -> None:
    e2 = FLATTENING * (2 - FLATTENING)
    w = math.sqrt(1 - e2 * math.sin(math.radians(latitude)) ** 2)
    meridian, normal = SEMI_MAJOR_AXIS * (1 - e2) / w**3, SEMI_MAJOR_AXIS / w
    plane = TangentPlane(latitude, 6.6, 0.0)
    assert plane.geodetic((0, 10, 0))[0] - latitude == pytest.approx(math.degrees(10 / meridian), rel=1e-5)
    parallel = normal * math.cos(math.radians(latitude))
    assert plane.geodetic((10, 0, 0))[1] - 6.6 == pytest.approx(math.degrees(10 / parallel), rel=1e-5)
    # The plane leaves the ellipsoid by d² / 2R.
    assert plane.geodetic((1000, 0, 0))[2] == pytest.approx(1000**2 / (2 * normal), rel=1e-3)
