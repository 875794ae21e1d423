"""Common features of compass, gyro and accelerometer: table, noise, resolution, disabled axes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim_core.base.errors import DeviceError


def world(fields: str) -> str:
    return f'WorldInfo {{ basicTimeStep 10 }} Robot {{ children [ Compass {{ name "c" {fields} }} ] }}'


def test_each_component_goes_through_the_table_and_the_resolution(rig) -> None:
    each = rig(world("lookupTable [ -1 -100 0, 1 100 0 ] resolution 40"))
    each.step()
    assert each["c"].value == pytest.approx((0.0, 120.0, 0.0))  # 100 is 2.5 steps: halves go up
    assert each["c"].reading.time_ns == 10_000_000


def test_disabled_axes_are_not_a_number(rig) -> None:
    each = rig(world("xAxis FALSE zAxis FALSE"))
    each.step()
    x, y, z = each["c"].value
    assert math.isnan(x) and math.isnan(z) and y == 1.0


def test_noise_is_relative_independent_and_not_moved_by_a_disabled_axis(rig) -> None:
    both = rig(world("lookupTable [ -1 50 0.1, 1 50 0.1 ]"))
    one = rig(world("lookupTable [ -1 50 0.1, 1 50 0.1 ] xAxis FALSE"))
    rows = []
    for _ in range(2000):
        both.step()
        one.step()
        rows.append(both["c"].value)
        assert one["c"].value[1:] == both["c"].value[1:]
    values = np.array(rows)
    assert values.mean(axis=0) == pytest.approx([50.0] * 3, abs=4 * 5 / math.sqrt(2000))
    assert values.std(axis=0) == pytest.approx([5.0] * 3, rel=4 / math.sqrt(4000))
    assert np.abs(np.corrcoef(values.T) - np.eye(3)).max() < 0.1


def test_a_bad_resolution_is_refused_by_name(rig) -> None:
    with pytest.raises(DeviceError, match=r"w.wbt:2:\d+: Compass.resolution: found -2.0"):
        rig(world("resolution -2"))
