"""Devices that Webots does not have; their methods are generated from the simulation's description."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from .device import Device, Sensor


def _camel(name: str) -> str:
    """Return `SpeedVector` for `speed_vector`."""
    return "".join(part.capitalize() for part in name.split("_"))


class DeclaredDevice(Device):
    """A device with a method for each command: `setPower(watts)` for `set_power`."""

    def getCommands(self) -> dict[str, list[str]]:
        """Return the commands by name, each with its arguments."""
        return dict(self._info.get("commands", {}))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        for command in self.getCommands() if not name.startswith("_") else ():
            camel = _camel(command)
            if name == camel[0].lower() + camel[1:]:
                return partial(self._say, command)
        raise AttributeError(
            f"{self._info.get('type')} has no attribute {name!r}" if name[0] != "_" else name
        )


class DeclaredSensor(DeclaredDevice, Sensor):
    """A sensor with a getter for each channel of its readings: `getSpeed()` for `speed`.

    Before the first reading, numbers are NaN. `value` is a number, or, for a sensor that measures several,
    the list returned by `getValues`.
    """

    def getChannels(self) -> dict[str, str]:
        """Return the units of the channels by name."""
        return {name: unit for name, (unit, _) in self._info.get("channels", {}).items()}

    def getValue(self) -> float:
        value = self._channel("getValue", "value")
        return math.nan if isinstance(value, list) else float(value)

    def getValues(self) -> list[float]:
        value = self._channel("getValues", "value")
        return value if isinstance(value, list) else [value]

    @property
    def value(self) -> Any:
        return self._channel("getValue", "value")

    def __getattr__(self, name: str) -> Callable[..., Any]:
        for channel in self.getChannels() if name.startswith("get") else ():
            if name == "get" + _camel(channel):
                return partial(self._channel, name, channel)
        return super().__getattr__(name)

    def _channel(self, method: str, name: str) -> Any:
        reading = self._reading(method)
        if reading is not None:
            return reading.get(name, math.nan)
        _, shape = self._info.get("channels", {}).get(name, ("", []))
        sizes = [size for size in shape if isinstance(size, int)]
        return [math.nan] * math.prod(sizes) if shape else math.nan
