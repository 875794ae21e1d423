"""Robot with two wheels, for worlds from before Webots R2021b."""

from __future__ import annotations

import math
from typing import Any

from .connection import fail
from .device import check_numbers
from .robot import Robot


class DifferentialWheels(Robot):
    """Robot with two wheels; speeds in units of its field `speedUnit`, encoders in increments."""

    def __init__(self) -> None:
        super().__init__()
        kinds = [each["type"] for each in self._connection.devices]
        if "DifferentialWheels" not in kinds:
            fail(f'robot "{self.getName()}" is no DifferentialWheels, use Robot and its motors')
        self._wheels = kinds.index("DifferentialWheels")
        self._fields: dict[str, Any] = self._connection.devices[self._wheels]["fields"]

    def setSpeed(self, left: float, right: float) -> None:
        if check_numbers("DifferentialWheels.setSpeed", left=left, right=right):
            self._connection.set(self._wheels, "speed", (float(left), float(right)))
            self._connection.command(self._wheels, "set_speed", float(left), float(right))

    def getLeftSpeed(self) -> float:
        """Return the commanded speed."""
        return self._speeds()[0]

    def getRightSpeed(self) -> float:
        """Return the commanded speed."""
        return self._speeds()[1]

    def getMaxSpeed(self) -> float:
        """Return the value of the field, rad/s."""
        return float(self._fields["maxSpeed"])

    def getSpeedUnit(self) -> float:
        """Return the value of the field, rad/s."""
        return float(self._fields["speedUnit"])

    def enableEncoders(self, samplingPeriod: int) -> None:
        self._connection.set(self._wheels, "period", int(samplingPeriod))
        self._connection.command(self._wheels, "feedback", int(samplingPeriod))

    def disableEncoders(self) -> None:
        self.enableEncoders(0)
        self._connection.values.pop(self._wheels, None)

    def getEncodersSamplingPeriod(self) -> int:
        return int(self._connection.setting(self._wheels, "period", 0))

    def getLeftEncoder(self) -> float:
        """Return the increments; NaN before the first sample, and without encoders."""
        return float(self._connection.values.get(self._wheels, (math.nan, math.nan))[0])

    def getRightEncoder(self) -> float:
        return float(self._connection.values.get(self._wheels, (math.nan, math.nan))[1])

    def setEncoders(self, left: float, right: float) -> None:
        """Set the increments of the encoders."""
        if check_numbers("DifferentialWheels.setEncoders", left=left, right=right):
            self._connection.command(self._wheels, "set_encoders", float(left), float(right))

    def _speeds(self) -> tuple[float, float]:
        speeds: tuple[float, float] = self._connection.setting(self._wheels, "speed", (0.0, 0.0))
        return speeds
