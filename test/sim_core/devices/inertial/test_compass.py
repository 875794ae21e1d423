"""Compass: the direction of north for known headings."""

from __future__ import annotations

import math

import pytest

from sim_core.base.errors import DeviceError


def north(rig, rotation: str, info: str = ""):
    each = rig(f'WorldInfo {{ {info} }} Robot {{ rotation {rotation} children [ Compass {{ name "c" }} ] }}')
    each.step()
    return each["c"].value


@pytest.mark.parametrize("yaw", [0.0, 0.7, math.pi / 2, 3.0, -1.2])
def test_the_bearing_of_an_upright_device_is_clockwise_from_north(rig, yaw: float) -> None:
    x, y, z = north(rig, f"0 0 1 {yaw}")
    assert z == pytest.approx(0.0, abs=1e-12)
    bearing = math.atan2(y, x)
    assert math.cos(bearing - (math.pi / 2 - yaw)) == pytest.approx(1.0)


def test_a_device_nose_down_has_north_in_its_own_axes(rig) -> None:
    assert north(rig, "0 1 0 1.5707963267948966") == pytest.approx((0, 1, 0), abs=1e-12)
    assert north(rig, "1 0 0 1.5707963267948966") == pytest.approx((0, 0, -1), abs=1e-12)


def test_north_direction_goes_before_the_axes_of_the_world(rig) -> None:
    assert north(rig, "0 0 1 0", "northDirection 3 0 4") == pytest.approx((0.6, 0.0, 0.8))
    with pytest.raises(DeviceError, match=r"WorldInfo\.northDirection"):
        north(rig, "0 0 1 0", "northDirection 0 0 0")
