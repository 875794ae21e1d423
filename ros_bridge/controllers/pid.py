"""A PID controller with limits of its integral and its output."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace

from sim_core.base.errors import CommandError, hint


@dataclass(frozen=True)
class PidSettings:
    """Gains and limits.

    Attributes:
        kp, ki, kd: gains of the error, its time integral, and its derivative.
        se_min, se_max: limits of the integral, to prevent windup.
        y_min, y_max: limits of the output.
    """

    kp: float
    ki: float = 0.0
    kd: float = 0.0
    se_min: float = -1.0
    se_max: float = 1.0
    y_min: float = -1.0
    y_max: float = 1.0

    def changed(self, name: str, value: float) -> PidSettings:
        """Return these settings with one value changed.

        Raises:
            CommandError: there is no such setting, or the value is invalid.
        """
        names = [field.name for field in fields(self)]
        if name not in names:
            raise CommandError(f'found "{name}", expected one of {", ".join(names)}{hint(name, names)}')
        if not math.isfinite(value) or (name in ("kp", "ki", "kd") and value < 0.0):
            expected = "a number of 0 or more" if name.startswith("k") else "a finite number"
            raise CommandError(f"{name}: found {value}, expected {expected}")
        new = replace(self, **{name: value})
        for low, high in (("se_min", "se_max"), ("y_min", "y_max")):
            if name in (low, high) and getattr(new, low) > getattr(new, high):
                raise CommandError(
                    f"{name}: found {value:g}, expected {low} ≤ {high}, "
                    f"which are {getattr(self, low):g} and {getattr(self, high):g}"
                )
        return new


class Pid:
    """y = kp·e + ki·∫e dt + kd·de/dt with e = set_point − measured; ∫e dt and y are limited."""

    def __init__(self, settings: PidSettings) -> None:
        self.settings = settings
        self.set_point = 0.0
        self._sum = 0.0
        self._last: float | None = None

    def restart(self) -> None:
        """Return to the initial state, with the present settings."""
        self.set_point = 0.0
        self.reset_sums()

    def reset_sums(self) -> None:
        """Clear integral and last error."""
        self._sum = 0.0
        self._last = None

    def update(self, measured: float, dt: float) -> float:
        """Return the output for a measurement made `dt` seconds after the last one."""
        settings, error = self.settings, self.set_point - measured
        self._sum = max(settings.se_min, min(settings.se_max, self._sum + error * dt))
        slope = 0.0 if self._last is None else (error - self._last) / dt
        self._last = error
        output = settings.kp * error + settings.ki * self._sum + settings.kd * slope
        return max(settings.y_min, min(settings.y_max, output))
