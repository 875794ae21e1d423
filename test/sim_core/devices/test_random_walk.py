import math

import numpy as np
import pytest

from sim_core.devices.fault_draws import LEVELS, RandomWalk


def test_it_starts_at_0_and_its_variance_grows_with_time() -> None:
    """W(n) is N(0, n): the mean square over 4000 walks is n within 5 standard errors, n·√(2/4000)."""
    walk = RandomWalk(3, 4000)
    assert not walk.at(0).any()
    for index in (1, 7, 1000, 123_456):
        values = walk.at(index)
        assert np.mean(values**2) == pytest.approx(index, rel=5.0 * math.sqrt(2.0 / 4000))
        assert abs(np.mean(values)) < 5.0 * math.sqrt(index / 4000)


def test_increments_are_independent_and_of_variance_1() -> None:
    walk = RandomWalk(4)
    values = np.array([walk.at(n)[0] for n in range(3001)])
    steps = np.diff(values)
    assert np.var(steps) == pytest.approx(1.0, rel=5.0 * math.sqrt(2.0 / 3000))
    assert abs(np.mean(steps[1:] * steps[:-1])) < 5.0 / math.sqrt(3000)


def test_it_does_not_matter_what_was_asked_for_before() -> None:
    forward, other = RandomWalk(9, 2), RandomWalk(9, 2)
    wanted = [forward.at(n).tolist() for n in range(200)]
    for n in (150, 3, 199, 0, 77, 78, 150):
        assert other.at(n).tolist() == wanted[n]
    assert RandomWalk(9, 2).at((1 << LEVELS) - 1).shape == (2,)
