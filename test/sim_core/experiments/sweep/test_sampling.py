"""Samples: one point in each strip, inside their ranges, the same for the same seed."""

import math

from hypothesis import given
from hypothesis import strategies as st

from sim_core.experiments.sweep.plan import sample_points
from sim_core.experiments.sweep.spec import Distribution, SamplePlan

seeds = st.integers(0, 2**32)


@given(st.integers(1, 60), seeds)
def test_a_latin_hypercube_has_one_point_in_each_strip(count: int, seed: int) -> None:
    sample = SamplePlan(
        count,
        "latin",
        seed,
        {"a": Distribution((2.0,), (4.0,)), "b": Distribution((0.0, -1.0), (1.0, 1.0), True)},
    )
    points = list(sample_points(sample))
    for values, low, high in (
        ([point["a"] for point in points], 2.0, 4.0),
        ([point["b"][0] for point in points], 0.0, 1.0),
        ([point["b"][1] for point in points], -1.0, 1.0),
    ):
        strips = sorted(math.floor((value - low) / (high - low) * count * (1 + 1e-15)) for value in values)
        middle = [min(strip, count - 1) for strip in strips]
        assert all(low <= value <= high for value in values)
        assert all(abs(a - b) <= 1 for a, b in zip(middle, range(count), strict=True))
        assert len(set(middle)) >= count - 1  # rounding may put one on the edge of its strip


@given(seeds)
def test_the_same_seed_gives_the_same_points(seed: int) -> None:
    for method in ("latin", "random"):
        sample = SamplePlan(20, method, seed, {"a": Distribution((0.0,), (1.0,))})
        assert list(sample_points(sample)) == list(sample_points(sample))
        other = SamplePlan(20, method, seed + 1, sample.ranges)
        assert list(sample_points(sample)) != list(sample_points(other))


@given(seeds)
def test_kinds_of_ranges(seed: int) -> None:
    ranges = {
        "whole": Distribution((1,), (3,), is_integer=True),
        "log": Distribution((1e-4,), (1e4,), is_log=True),
        "word": Distribution(choices=("x", "y", "z")),
    }
    points = list(sample_points(SamplePlan(30, "latin", seed, ranges)))
    assert [sum(point["whole"] == value for point in points) for value in (1, 2, 3)] == [10, 10, 10]
    assert [sum(point["word"] == value for point in points) for value in "xyz"] == [10, 10, 10]
    assert sum(point["log"] < 1.0 for point in points) == 15  # the middle of the exponents
