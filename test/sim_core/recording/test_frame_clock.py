"""Frames of a recording are at k/rate of sim time."""

import pytest

from sim_core.recording.frame_clock import FrameClock

MS = 1_000_000


@pytest.mark.parametrize(("step", "rate"), [(5, 25.0), (16, 25.0), (8, 30.0), (100, 25.0), (7, 29.97)])
def test_each_frame_is_the_first_state_at_or_after_its_time(step: int, rate: float) -> None:
    clock = FrameClock(2_000 * MS, rate)
    found = {time: clock.next_frame(time * MS) for time in range(2_000, 12_001, step)}
    taken = {frame: time for time, frame in found.items() if frame is not None}
    for frame, time in taken.items():
        late = (time - 2_000) / 1000.0 - frame / rate
        assert 0.0 <= late < max(step / 1000.0, 1.0 / rate)
    if step / 1000.0 <= 1.0 / rate:
        assert list(taken) == list(range(len(taken)))  # none is left out
    last = clock.elapsed_ns / 1e9
    assert clock.count() - 1 < last * rate <= clock.count()


def test_a_reset_takes_no_time() -> None:
    clock = FrameClock(0, 10.0)
    seen = [clock.next_frame(time * MS) for time in (0, 50, 100, 150, 0, 50, 100)]
    assert seen == [0, None, 1, None, None, 2, None]
    assert clock.count() == 3
