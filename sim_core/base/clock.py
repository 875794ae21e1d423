"""Simulated time as an integer number of nanoseconds: it does not drift, and equal times compare equal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

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


def any_period(period: float, step_ns: int) -> int:
    """Return a period in seconds as nanoseconds, a multiple of the step or not; at least one step.

    Periods such as 1/60 s are rounded down, so that each third of them is 50 ms and not a step later.
    """
    return max(step_ns, math.floor(period * NANOSECONDS + 1e-3))


def is_due(time_ns: int, period_ns: int, step_ns: int) -> bool:
    """Return whether a step that ends at a time is the first one not before a multiple of a period."""
    return time_ns > 0 and time_ns % period_ns < step_ns


def whole_steps_up(period: float, step_ns: int) -> int:
    """Return a period in seconds as nanoseconds, rounded up to whole steps, at least one."""
    return max(1, -(-to_nanoseconds(period) // step_ns)) * step_ns


def update_period(periods_ns: Sequence[int], step_ns: int) -> int:
    """Return the period in ns, of whole steps, for updates needed whenever one of the periods is due."""
    return step_ns if any(each % step_ns for each in periods_ns) else math.gcd(*periods_ns)


def common_period(periods_ns: Sequence[int], step_ns: int) -> int:
    """Return the time in ns after which all periods are due together; the longest if one is no multiple of
    the step."""
    return max(periods_ns) if any(each % step_ns for each in periods_ns) else math.lcm(*periods_ns)


def due_span(time_ns: int, period_ns: int, step_ns: int) -> int:
    """Return the nanoseconds from the time when something was due before until now, when it is due again."""
    if period_ns % step_ns == 0:
        return period_ns
    nominal_ns = time_ns - time_ns % period_ns
    now, before = (-(-each // step_ns) for each in (nominal_ns, nominal_ns - period_ns))
    return (now - before) * step_ns


@dataclass(slots=True)
class SimClock:
    """Time of a simulation, in nanoseconds.

    Attributes:
        step_ns: length of a step.
        time_ns: sim time, for stamps and noise.
        epoch_ns: elapsed time at which sim time was 0.
    """

    step_ns: int
    time_ns: int = 0
    epoch_ns: int = 0

    @property
    def elapsed_ns(self) -> int:
        """Nanoseconds since the start, however often sim time has restarted.

        Stored times for later differences use this one.
        """
        return self.epoch_ns + self.time_ns

    def set(self, time_ns: int, epoch_ns: int) -> None:
        """Set sim time and its epoch."""
        self.time_ns, self.epoch_ns = time_ns, epoch_ns

    def restart(self) -> None:
        """Set sim time to 0; the elapsed time goes on."""
        self.set(0, self.elapsed_ns)


class SampleTimer:
    """Timer of something periodic; due times advance by the period, never from "now".

    The first sample is due one period after the start, as in Webots. Asked after each step, it is due in the
    first step that does not end before a multiple of the period: so any rate is kept in the mean.
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

    def start_at(self, time_ns: int = 0) -> None:
        """Count the period from `time_ns` on."""
        self.next_ns = time_ns + self.period_ns
