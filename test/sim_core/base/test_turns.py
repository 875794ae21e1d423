"""The 24 turns are a group, and their effect on numbers is exact."""

import math
import random

import numpy as np
import pytest

from sim_core.base import turns
from sim_core.base.geometry import IDENTITY, Pose, Vec3, rotate, rotation_from_axis_angle

ALL = range(24)
VECTORS: tuple[Vec3, ...] = ((1.0, 2.0, 3.0), (0.1, -1e-300, 7e20), (-0.0, 0.0, 1 / 3))


def poses(count: int) -> list[Pose]:
    draw = random.Random(1)
    return [
        Pose.from_axis_angle(
            (draw.gauss(0, 1), draw.gauss(0, 1), draw.gauss(0, 1)),
            (draw.gauss(0, 1), draw.gauss(0, 1), draw.gauss(0, 1), draw.uniform(-3, 3)),
        )
        for _ in range(count)
    ]


def test_there_are_all_rotations_of_a_cube() -> None:
    assert len(set(turns.MATRICES)) == 24
    for matrix in turns.MATRICES:
        rows = np.array(matrix).reshape(3, 3)
        assert np.linalg.det(rows) == 1.0
        assert (np.abs(rows).sum(axis=0) == 1.0).all() and (np.abs(rows).sum(axis=1) == 1.0).all()
    assert turns.MATRICES[turns.NO_TURN] == IDENTITY


def test_they_are_a_group() -> None:
    for a in ALL:
        assert turns.composed(a, turns.NO_TURN) == turns.composed(turns.NO_TURN, a) == a
        assert turns.composed(a, turns.inverse(a)) == turns.composed(turns.inverse(a), a) == turns.NO_TURN
        assert sorted(turns.composed(a, b) for b in ALL) == list(ALL)
        for b in ALL:
            for c in (3, 11, 17):
                assert turns.composed(turns.composed(a, b), c) == turns.composed(a, turns.composed(b, c))


@pytest.mark.parametrize("vector", VECTORS)
def test_vectors_are_turned_exactly_as_their_matrices_do(vector: Vec3) -> None:
    for a in ALL:
        assert turns.turn_of(turns.MATRICES[a]) == a
        assert turns.turned(a, vector) == rotate(turns.MATRICES[a], vector)
        assert turns.turned(turns.inverse(a), turns.turned(a, vector)) == vector
        assert sorted(turns.permuted(a, vector)) == sorted(vector)
        for b in ALL:
            assert turns.turned(a, turns.turned(b, vector)) == turns.turned(turns.composed(a, b), vector)
        if a != turns.NO_TURN:
            assert not any(each == 0.0 and math.copysign(1.0, each) < 0.0 for each in turns.turned(a, vector))


def test_points_keep_their_place_when_frames_are_turned() -> None:
    """A point of frame C, which is in B, which is in A: equal up to rounding."""
    for first, second in zip(poses(8), poses(16)[8:], strict=True):
        for a, b, c in ((1, 5, 9), (0, 22, 3), (17, 17, 17)):
            one, other = turns.turned_pose(a, first, b), turns.turned_pose(b, second, c)
            inside = (0.3, -0.2, 0.7)
            there = (one * other).apply(turns.turned(c, inside))
            assert there == pytest.approx(turns.turned(a, (first * second).apply(inside)), abs=1e-14)
            assert turns.turned_pose(turns.inverse(a), one, turns.inverse(b)) == first


def test_inertia_about_a_turned_axis_is_unchanged() -> None:
    inertia = (3.0, 0.1, 0.2, 0.1, 2.0, 0.3, 0.2, 0.3, 1.0)
    for a in ALL:
        new = np.array(turns.turned_matrix(a, inertia)).reshape(3, 3)
        axis, old = np.array((0.6, 0.0, 0.8)), np.array(inertia).reshape(3, 3)
        turned = np.array(turns.turned(a, (0.6, 0.0, 0.8)))
        assert turned @ new @ turned == pytest.approx(axis @ old @ axis, abs=1e-15)
        assert sorted(np.diag(new)) == sorted(np.diag(old))


def test_other_matrices_are_refused() -> None:
    with pytest.raises(ValueError, match="expected a rotation that swaps axes"):
        turns.turn_of(rotation_from_axis_angle((0.0, 0.0, 1.0, 0.1)))
