"""Noise is normal, seeded, and a function of the sim time alone."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sim_core.devices.noise import Noise, device_seed

STEP = 5_000_000


def test_mean_deviation_and_shape_are_those_of_the_normal_distribution() -> None:
    noise = Noise(12345)
    count = 40_000
    values = np.array([noise.normals(STEP * index)[0] for index in range(count)])
    sigma = 1 / math.sqrt(count)
    assert abs(values.mean()) < 4 * sigma
    assert abs(values.std() - 1.0) < 4 * sigma / math.sqrt(2)
    for limit in (0.5, 1.0, 2.0, 3.0):
        share = math.erf(limit / math.sqrt(2))
        assert abs((abs(values) < limit).mean() - share) < 4 * math.sqrt(share * (1 - share) / count)
    neighbours = np.corrcoef(values[:-1], values[1:])[0, 1]
    assert abs(neighbours) < 4 * sigma


def test_components_are_independent_and_the_first_do_not_depend_on_their_number() -> None:
    noise = Noise(7)
    rows = np.array([noise.normals(STEP * index, 3) for index in range(10_000)])
    assert np.abs(np.corrcoef(rows.T) - np.eye(3)).max() < 0.04
    assert noise.normals(STEP, 5)[:3] == noise.normals(STEP, 3)
    assert noise.normal_array(STEP, 5).tolist() == noise.normals(STEP, 5)


def test_a_sample_depends_on_seed_and_time_alone() -> None:
    in_order = Noise(3)
    expected = [in_order.normals(STEP * index, 2) for index in range(20)]
    other = Noise(3)
    for index in (7, 3, 19, 3, 0):
        assert other.normals(STEP * index, 2) == expected[index]
    assert Noise(4).normals(0, 2) != expected[0]


def test_every_bit_of_the_seed_counts() -> None:
    seeds = (0, 1, 2**63, 2**63 + 1, 2**64 - 1, 2**64 - 2)
    assert len({Noise(seed).normals(0)[0] for seed in seeds}) == len(seeds)


@pytest.mark.parametrize("ratio", [0.3, 0.9, 0.999])
def test_correlated_noise_has_unit_deviation_and_the_correlation_asked_for(ratio: float) -> None:
    # 3000 independent sequences: no long correlation to wait for.
    ends = []
    for seed in range(3000):
        noise = Noise(seed)
        first, second = (noise.correlated(STEP * k, STEP, ratio)[0] for k in (3, 4))
        ends.append((first, second))
    first, second = np.array(ends).T
    assert abs(second.std() - 1.0) < 4 / math.sqrt(2 * 3000)
    assert np.corrcoef(first, second)[0, 1] == pytest.approx(
        ratio, abs=4 * (1 - ratio**2) / math.sqrt(3000) + 1e-4
    )


def test_correlated_noise_obeys_its_recursion_and_ends() -> None:
    noise = Noise(11)
    previous = noise.correlated(STEP, STEP, 0.8)[0]
    assert previous == Noise(11).normals(STEP)[0]
    for step in range(2, 50):
        value = noise.correlated(STEP * step, STEP, 0.8)[0]
        assert value == pytest.approx(0.8 * previous + 0.6 * Noise(11).normals(STEP * step)[0], abs=1e-12)
        previous = value
    assert {Noise(11).correlated(STEP * k, STEP, 1.0)[0] for k in (1, 5, 900)} == {Noise(11).normals(STEP)[0]}
    assert Noise(11).correlated(STEP * 9, STEP, 0.0) == Noise(11).normals(STEP * 9)


@pytest.mark.parametrize("ratio", [0.5, 0.97])
def test_correlated_noise_does_not_depend_on_which_samples_were_asked_for(ratio: float) -> None:
    """To the last bit, also beyond the samples that influence each other."""
    watched = Noise(5)
    sequence = {step: watched.correlated(STEP * step, STEP, ratio, 3) for step in range(1, 4400)}
    late = range(4000, 4400, 4 if ratio < 0.9 else 200)
    for steps in ((1, 2, 2500, 2999), (2999, 10, 2500), *([step] for step in late)):
        noise = Noise(5)  # joins late, is absent, goes back in time
        for step in steps:
            assert noise.correlated(STEP * step, STEP, ratio, 3) == sequence[step]


def test_device_seeds_are_stable_and_differ() -> None:
    paths = ['Robot "a" > GPS "gps"', 'Robot "b" > GPS "gps"']
    seeds = {device_seed(seed, path) for seed in (0, 1, -1) for path in paths}
    assert len(seeds) == 6
    assert all(0 <= seed < 2**64 for seed in seeds)
    assert device_seed(0, paths[0], 9) == device_seed(1, paths[1], 9) != device_seed(0, paths[0], 10)
    code = f"from sim_core.devices.noise import device_seed; print(device_seed(1, {paths[0]!r}))"
    root = Path(__file__).parents[3]
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert int(result.stdout) == device_seed(1, paths[0])
