from itertools import pairwise

import pytest

from sim_core.base.clock import (
    SampleTimer,
    any_period,
    common_period,
    due_span,
    is_due,
    to_nanoseconds,
    update_period,
    whole_steps,
)
from sim_core.base.errors import ConfigError

MS = 1_000_000


def test_times_are_whole_nanoseconds() -> None:
    assert to_nanoseconds(0.005) == 5 * MS
    assert sum([to_nanoseconds(0.001)] * 1000) == to_nanoseconds(1.0)


def test_a_period_of_zero_is_every_step() -> None:
    assert whole_steps(0.0, 5 * MS, "p") == 5 * MS


def test_a_period_must_be_a_multiple_of_the_step() -> None:
    assert whole_steps(0.2, 5 * MS, "p") == 200 * MS
    with pytest.raises(ConfigError, match=r"ds\.sampling_period: found 0\.007 s.*multiple.*0\.005 s"):
        whole_steps(0.007, 5 * MS, "ds.sampling_period")


@pytest.mark.parametrize("period", [-0.1, float("nan"), float("inf")])
def test_a_period_must_be_finite_and_not_negative(period: float) -> None:
    with pytest.raises(ConfigError, match="p: found"):
        whole_steps(period, 5 * MS, "p")


def test_the_rate_is_exact_over_a_long_run() -> None:
    """30 ms on a step of 4 ms: samples are made on the first step after each due time, and none is lost."""
    timer = SampleTimer(30 * MS)
    samples = [t for t in range(0, 12_000 * MS, 4 * MS) if timer.due(t)]
    assert len(samples) == pytest.approx(12_000 / 30, abs=1)
    assert all(0 <= t - 30 * MS * (i + 1) < 4 * MS for i, t in enumerate(samples))


def test_the_first_sample_is_due_after_one_period() -> None:
    timer = SampleTimer(10 * MS)
    assert [t for t in range(0, 31 * MS, 5 * MS) if timer.due(t)] == [10 * MS, 20 * MS, 30 * MS]


def test_a_timer_called_late_keeps_to_multiples_of_its_period() -> None:
    timer = SampleTimer(10 * MS)
    assert timer.due(47 * MS)
    assert not timer.due(49 * MS)
    assert timer.due(50 * MS)


@pytest.mark.parametrize(("rate", "step_ms"), [(200.0, 3), (30.0, 1), (60.0, 1), (50.0, 3), (1000.0, 3)])
def test_a_rate_that_steps_do_not_meet_is_kept_in_the_mean(rate: float, step_ms: int) -> None:
    """The k-th time is the first step not before k/rate, or each step; all ways to ask agree."""
    step = step_ms * MS
    period = any_period(1.0 / rate, step)
    timer = SampleTimer(period)
    times = [t for t in range(step, 60_000 * MS, step) if timer.due(t)]
    expected = 1000.0 / min(rate, 1000.0 / step_ms)  # ms
    assert len(times) == pytest.approx(60_000 / expected, abs=1)
    assert all(-1e-3 <= t / MS - expected * (i + 1) < step_ms + 1e-3 for i, t in enumerate(times))
    assert times == [t for t in range(0, 60_000 * MS, step) if is_due(t, period, step)]
    assert [due_span(t, period, step) for t in times[1:]] == [b - a for a, b in pairwise(times)]


def test_60_hertz_meet_each_50_ms() -> None:
    timer = SampleTimer(any_period(1.0 / 60.0, MS))
    times = [t // MS for t in range(0, 101 * MS, MS) if timer.due(t)]
    assert times == [17, 34, 50, 67, 84, 100]


def test_periods_together() -> None:
    assert common_period([20 * MS, 30 * MS], 10 * MS) == 60 * MS
    assert common_period([20 * MS, 5 * MS], 3 * MS) == 20 * MS
    assert update_period([20 * MS, 30 * MS], 10 * MS) == 10 * MS
    assert update_period([20 * MS, 5 * MS], 3 * MS) == 3 * MS
