"""Limits of a speed, of its acceleration and of its jerk."""

from __future__ import annotations

import math
from typing import NamedTuple

from sim_core.base.config import DriveConfig
from sim_core.base.errors import ConfigError

Range = tuple[float, float]
UNLIMITED: Range = (-math.inf, math.inf)


class SpeedLimits(NamedTuple):
    """Lowest and highest value of a speed, of its change per second, and of the change of that per second."""

    velocity: Range = UNLIMITED
    acceleration: Range = UNLIMITED
    jerk: Range = UNLIMITED

    def next(self, target: float, now: float, before: float, step: float) -> float:
        """Return the speed after one step towards a target, as Gazebo limits it (gz::math::SpeedLimiter).

        Args:
            target: commanded speed, m/s or rad/s.
            now, before: the present speed, and that of the step before.
            step: s.
        """
        change = now - before
        change += _clamped(self.jerk, target - now - change, step * step)
        change = _clamped(self.acceleration, change, step)
        return _clamped(self.velocity, now + change)


NO_LIMITS = SpeedLimits()


def limits_in(config: DriveConfig) -> tuple[SpeedLimits, SpeedLimits]:
    """Return the limits of the linear speed, m/s, and of the rate of turn, rad/s.

    Raises:
        ConfigError: a lowest value is above the highest.
    """
    linear = SpeedLimits(
        _range(config, "linear_velocity", config.min_linear_velocity, config.max_linear_velocity),
        _range(config, "linear_acceleration", config.min_linear_acceleration, config.max_linear_acceleration),
        _range(config, "linear_jerk", config.min_linear_jerk, config.max_linear_jerk),
    )
    angular = SpeedLimits(
        _range(config, "angular_velocity", config.min_angular_velocity, config.max_angular_velocity),
        _range(
            config, "angular_acceleration", config.min_angular_acceleration, config.max_angular_acceleration
        ),
        _range(config, "angular_jerk", config.min_angular_jerk, config.max_angular_jerk),
    )
    return linear, angular


def _range(config: DriveConfig, what: str, low: float | None, high: float | None) -> Range:
    range_ = -math.inf if low is None else low, math.inf if high is None else high
    if range_[0] > range_[1]:
        raise ConfigError(f"{config.name}.min_{what}: found {low:g}, expected at most the highest, {high:g}")
    return range_


def _clamped(range_: Range, value: float, step: float = 1.0) -> float:
    """Clamp the change in one step to limits given per second."""
    return max(range_[0] * step, min(range_[1] * step, value))
