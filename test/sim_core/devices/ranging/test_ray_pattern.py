"""Directions and weights of a distance sensor's rays."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim_core.devices.ranging.ray_pattern import ray_directions, ray_weights

APERTURE = 0.8
# Number of rays on the axis and at which parts of half the aperture (manual, figure of DistanceSensor).
ORBITS = {
    1: {0.0: 1}, 2: {1.0: 2}, 3: {1.0: 3}, 4: {0.0: 1, 1.0: 3}, 5: {0.0: 1, 1.0: 4}, 6: {0.0: 1, 1.0: 5},
    7: {0.0: 1, 1.0: 6}, 8: {0.0: 1, 1.0: 7}, 9: {0.3: 3, 1.0: 6}, 10: {0.0: 1, 0.5: 3, 1.0: 6},
    12: {0.0: 1, 0.5: 4, 1.0: 7}, 22: {0.0: 1, 1 / 3: 4, 2 / 3: 7, 1.0: 10},
    15: {0.0: 1, 1 / 3: 4, 2 / 3: 7, 1.0: 3},
}  # fmt: skip


@pytest.mark.parametrize("count", ORBITS)
def test_rays_lie_on_the_orbits_of_the_manual(count: int) -> None:
    directions = ray_directions(count, APERTURE)
    assert directions.shape == (count, 3)
    assert np.linalg.norm(directions, axis=1) == pytest.approx(np.ones(count))
    parts = np.arccos(np.clip(directions[:, 0], -1, 1)) / (APERTURE / 2)
    expected = sorted(part for part, number in ORBITS[count].items() for _ in range(number))
    assert sorted(parts) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 7, 8, 10])
def test_the_pattern_is_the_same_to_the_left_and_to_the_right(count: int) -> None:
    directions = ray_directions(count, APERTURE)
    mirrored = directions * (1, -1, 1)
    for ray in mirrored:
        assert np.abs(directions - ray).max(axis=1).min() < 1e-12


def test_two_rays_lie_side_by_side_in_the_horizontal_plane() -> None:
    s, c = math.sin(0.4), math.cos(0.4)
    rays = sorted(ray_directions(2, APERTURE).tolist())
    assert rays == [pytest.approx([c, -s, 0.0]), pytest.approx([c, s, 0.0])]


def test_a_ring_of_a_large_pattern_is_even() -> None:
    ring = ray_directions(12, APERTURE)[-7:]
    angles = np.sort(np.arctan2(ring[:, 2], ring[:, 1]))
    assert np.diff(angles) == pytest.approx(np.full(6, 2 * math.pi / 7))


def test_weights_follow_the_gaussian_of_the_manual() -> None:
    directions = ray_directions(10, APERTURE)
    weights = ray_weights(directions, APERTURE, 0.5)
    assert weights.sum() == pytest.approx(1.0)
    centre, inner, outer = weights[0], weights[1], weights[4]
    # Angles 0, 0.2 and 0.4 rad; aperture times width is 0.4 rad.
    assert inner / centre == pytest.approx(math.exp(-0.25))
    assert outer / centre == pytest.approx(math.exp(-1.0))
    assert ray_weights(directions, APERTURE, 1e6) == pytest.approx(np.full(10, 0.1))
    assert ray_weights(ray_directions(1, 0.0), 0.0, 1.0).tolist() == [1.0]
