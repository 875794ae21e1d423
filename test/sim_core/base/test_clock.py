import pytest

from sim_core.base.clock import SampleTimer, to_nanoseconds, whole_steps
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
