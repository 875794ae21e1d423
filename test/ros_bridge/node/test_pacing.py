from itertools import pairwise

import pytest

from ros_bridge.node.run_mode import CATCH_UP_FACTOR, MAX_LAG, SLACK, Pacer


class Run:
    """Return the times of steps driven by a pacer on a simulated clock, with late wake-ups and slow steps."""

    def __init__(self, pacer: Pacer, cost: float = 0.0, oversleep: float = 0.0) -> None:
        self.pacer, self.cost, self.oversleep = pacer, cost, oversleep
        self.now = 100.0
        self.starts: list[float] = []

    def until(self, end: float) -> None:
        while self.now < end:
            delay = self.pacer.delay(self.now)
            if delay > 0.0:
                self.now += delay + self.oversleep
            else:
                self.pacer.started(self.now)
                self.starts.append(self.now)
                self.now += self.cost or 1e-7


@pytest.mark.parametrize("step", [0.001, 0.005, 0.032])
@pytest.mark.parametrize("speed", [0.5, 1.0, 3.0, 30.0])
@pytest.mark.parametrize("oversleep", [0.0, 0.0002])
def test_the_speed_holds_to_one_step_and_no_step_comes_early(
    step: float, speed: float, oversleep: float
) -> None:
    run = Run(Pacer(step, speed), step / speed / 4.0, oversleep)
    run.until(110.0)
    assert len(run.starts) == pytest.approx(10.0 * speed / step, abs=2 + (oversleep + SLACK) * speed / step)
    for number, start in enumerate(run.starts):
        assert start >= 100.0 + number * step / speed - SLACK - 1e-9


def test_after_a_hiccup_it_catches_up_at_no_more_than_twice_the_speed() -> None:
    run = Run(Pacer(0.01))
    run.until(101.0)
    run.now += 0.2
    run.until(103.0)
    gaps = [b - a for a, b in pairwise(run.starts)]
    assert min(gaps) >= 0.01 / CATCH_UP_FACTOR - SLACK - 1e-9
    assert len(run.starts) == pytest.approx(300, abs=1)
    assert run.pacer.lost == 0.0


def test_what_is_too_late_is_lost_and_counted() -> None:
    run = Run(Pacer(0.01))
    run.until(101.0)
    run.now += 2.0
    run.until(104.0)
    assert run.pacer.lost == pytest.approx(2.0, abs=0.011)
    assert len(run.starts) == pytest.approx(200, abs=2)


def test_steps_that_take_too_long_run_as_fast_as_they_can() -> None:
    run = Run(Pacer(0.01), cost=0.02)
    run.until(110.0)
    assert len(run.starts) == pytest.approx(500, abs=1)
    assert run.pacer.lost == pytest.approx(5.0, abs=MAX_LAG + 0.02)


def test_a_new_speed_counts_from_the_next_step() -> None:
    run = Run(Pacer(0.01))
    run.until(105.0)
    run.pacer.set_speed(4.0)
    before = len(run.starts)
    run.until(110.0)
    assert len(run.starts) - before == pytest.approx(2000, abs=1)
