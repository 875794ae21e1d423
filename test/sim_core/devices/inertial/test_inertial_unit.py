"""InertialUnit: known orientations, noise, disabled axes."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_core.base.errors import DeviceError
from sim_core.base.geometry import quaternion_from_rotation, rotation_from_roll_pitch_yaw
from sim_core.devices.inertial.inertial_unit import _angles


def read(rig, rotation: str, fields: str = ""):
    each = rig(f'Robot {{ rotation {rotation} children [ InertialUnit {{ name "i" {fields} }} ] }}')
    each.step()
    return each["i"].reading


def test_angles_about_single_axes(rig) -> None:
    assert read(rig, "1 0 0 0.4").value == pytest.approx((0.4, 0, 0), abs=1e-12)
    assert read(rig, "0 1 0 0.4").value == pytest.approx((0, 0.4, 0), abs=1e-12)  # nose down
    assert read(rig, "0 0 1 0.4").value == pytest.approx((0, 0, 0.4), abs=1e-12)
    assert read(rig, "0 0 1 -3").value == pytest.approx((0, 0, -3), abs=1e-12)
    half = 0.2
    assert read(rig, "0 0 1 0.4").quaternion == pytest.approx((0, 0, math.sin(half), math.cos(half)))


def test_the_sign_of_its_quaternion_is_that_of_shepperds_choice(rig) -> None:
    """w is 0 or more while the trace of the matrix is, 1 + 2·cos α; beyond, the largest of x, y, z is."""
    for axis, place in (("1 0 0", 0), ("0 1 0", 1), ("0 0 1", 2)):
        for angle in (-3.0, -2.2, -2.0, -0.5, 0.5, 2.0, 2.2, 3.0):
            turned = 1.0 if 1.0 + 2.0 * math.cos(angle) >= 0.0 else math.copysign(1.0, angle)
            expected = [0.0, 0.0, 0.0, turned * math.cos(angle / 2)]
            expected[place] = turned * math.sin(angle / 2)
            assert read(rig, f"{axis} {angle}").quaternion == pytest.approx(expected, abs=1e-12)


@given(st.floats(-3.1, 3.1), st.floats(-1.5, 1.5), st.floats(-3.1, 3.1), st.floats(0.5, 2.0))
def test_angles_of_a_quaternion_of_any_length(roll: float, pitch: float, yaw: float, length: float) -> None:
    q = quaternion_from_rotation(rotation_from_roll_pitch_yaw(roll, pitch, yaw))
    assert _angles(*(length * part for part in q)) == pytest.approx((roll, pitch, yaw), abs=1e-9)


def test_its_own_mounting_counts(rig) -> None:
    value = read(rig, "0 0 1 1", "rotation 0 0 1 0.5").value
    assert value == pytest.approx((0, 0, 1.5))


def test_noise_turns_by_a_part_of_pi(rig) -> None:
    each = rig('WorldInfo { basicTimeStep 10 } Robot { children [ InertialUnit { name "i" noise 0.01 } ] }')
    rows = []
    for _ in range(2000):
        each.step()
        rows.append(each["i"].value)
    values = np.array(rows)
    assert values.std(axis=0) == pytest.approx([0.01 * math.pi] * 3, rel=4 / math.sqrt(4000))
    assert np.abs(values.mean(axis=0)).max() < 4 * 0.01 * math.pi / math.sqrt(2000)


def test_disabled_axes(rig) -> None:
    names = {"xAxis": 0, "yAxis": 2, "zAxis": 1}
    for name, index in names.items():
        reading = read(rig, "1 2 3 0.8", f"{name} FALSE")
        assert [math.isnan(angle) for angle in reading.value] == [k == index for k in range(3)]
        # Webots: the component of the rotation's axis is left out, the angle stays.
        axis = np.array([1.0, 2.0, 3.0])
        axis[index] = 0.0
        axis *= math.sin(0.4) / np.linalg.norm(axis)
        assert reading.quaternion == pytest.approx((*axis, math.cos(0.4)))


def test_resolution_rounds_the_quaternion(rig) -> None:
    reading = read(rig, "0 0 1 0.4", "resolution 0.05")
    assert reading.quaternion == pytest.approx((0, 0, 0.2, 1.0))
    assert reading.value == pytest.approx((0, 0, 2 * math.atan2(0.2, 1.0)))


@pytest.mark.parametrize("noise", ["-0.1", "1e+308"])
def test_noise_that_cannot_be_is_refused_by_name(rig, noise: str) -> None:
    with pytest.raises(
        DeviceError, match=rf"InertialUnit.noise: found {re.escape(noise)}, expected a number"
    ):
        read(rig, "0 0 1 0", f"noise {noise}")


def test_any_noise_that_can_be_leaves_a_rotation(rig) -> None:
    value = read(rig, "0 0 1 0", "noise 1e99 resolution 1e-99")
    assert math.hypot(*value.quaternion) == pytest.approx(1.0)
