"""Quaternions of many rotations are those of one each."""

import math

import numpy as np

from sim_core.base.geometry import quaternion_from_rotation, rotation_from_axis_angle
from sim_core.recording.quaternion_kernel import quaternions_from_rotations


def test_many_are_as_one_each_to_the_last_bit() -> None:
    """Half turns, in which w is 0, and turns in which each of the four is the largest."""
    draw = np.random.default_rng(5)
    axes = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.6, -0.8), *draw.normal(size=(200, 3))]
    angles = (0.0, 0.3, math.pi / 2, 2.5, math.pi, -3.0)
    turns = [rotation_from_axis_angle((*map(float, axis), angle)) for axis in axes for angle in angles]
    found = quaternions_from_rotations(np.array(turns))
    assert found.tolist() == [list(quaternion_from_rotation(turn)) for turn in turns]
    assert {*np.abs(found).argmax(axis=1).tolist()} == {0, 1, 2, 3}
    assert quaternions_from_rotations(np.zeros((0, 9))).shape == (0, 4)
