"""Sim time as H:MM:SS:mmm."""

import pytest

from ros_bridge.viewer.time_text import time_text


@pytest.mark.parametrize(
    ("time_ns", "expected"),
    [
        (0, "0:00:00:000"),
        (999_999, "0:00:00:000"),  # rounded towards zero
        (1_000_000, "0:00:00:001"),
        (59_999_000_000, "0:00:59:999"),
        (60_000_000_000, "0:01:00:000"),
        (3_599_999_999_999, "0:59:59:999"),
        (3_600_000_000_000, "1:00:00:000"),
        (100 * 3_600_000_000_000 + 5_000_000, "100:00:00:005"),
    ],
)
def test_hours_minutes_seconds_milliseconds(time_ns: int, expected: str) -> None:
    assert time_text(time_ns) == expected
