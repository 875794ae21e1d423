"""Simulated time as an integer number of nanoseconds: it does not drift, and equal times compare equal."""

from __future__ import annotations

from sim_core.base.errors import ConfigError

NANOSECONDS = 1_000_000_000
LONGEST = 1e9
"""s: longest time span that is accepted, about 32 years; nanoseconds have 64 bits in messages."""


def to_nanoseconds(seconds: float) -> int:
    """Return seconds as the nearest whole number of nanoseconds."""
    return round(seconds * NANOSECONDS)


def to_seconds(time_ns: int) -> float:
    """Return nanoseconds as floating point seconds, for formulas and messages."""
    return time_ns / NANOSECONDS


def whole_steps(period: float, step_ns: int, what: str) -> int:
    """Return a period in seconds as nanoseconds; it must be a whole number of steps.

    Args:
        period: seconds; 0 means every step.
        step_ns: length of one simulation step.
        what: name of the period in error messages.

    Raises:
        ConfigError: the period is negative, not finite, or not a multiple of the step.
    """
    if not 0.0 <= period < 1e9:
        raise ConfigError(f"{what}: found {period} s, expected a period of 0 s or more (0: every step)")
    period_ns = to_nanoseconds(period)
    if period_ns == 0:
        return step_ns
    if period_ns % step_ns:
        raise ConfigError(
            f"{what}: found {period} s, expected a multiple of the basic time step {to_seconds(step_ns)} s"
        )
    return period_ns


class SampleTimer:
    """Timer of something periodic; due times advance by the period, never from "now".

    The first sample is due one period after the start, as in Webots.
    """

    __slots__ = ("next_ns", "period_ns")

    def __init__(self, period_ns: int, start_ns: int = 0) -> None:
        self.period_ns = period_ns
        self.next_ns = start_ns + period_ns

    def due(self, time_ns: int) -> bool:
        """Return True once per period, at or after the due time, and advance the due time."""
        if time_ns < self.next_ns:
            return False
        self.next_ns += self.period_ns
        if self.next_ns <= time_ns:  # called late: keep to multiples of the period
            missed = (time_ns - self.next_ns) // self.period_ns + 1
            self.next_ns += missed * self.period_ns
        return True

    def restart(self, time_ns: int = 0) -> None:
        """Count the period from `time_ns` on."""
        self.next_ns = time_ns + self.period_ns
