"""Base classes of devices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .connection import connection, print_error
from .constants import node_number

FORGET = ("Camera", "RangeFinder", "Lidar", "Microphone")
"""Sensors that have no value while they are disabled."""


def check_numbers(method: str, **values: Any) -> bool:
    """Return whether the arguments are numbers and none is NaN; print an error, as Webots does.

    Raises:
        TypeError: an argument is not a number.
    """
    for name, value in values.items():
        try:
            is_bad = math.isnan(value)
        except TypeError:
            raise TypeError(f"{method}(): found {name} {value!r}, expected a number") from None
        if is_bad:
            print_error(f"Error: {method}() called with an invalid '{name}' argument (NaN)")
            return False
    return True


class Device:
    """A device of the robot, selected by its name or its number.

    For an unknown device an error is printed in one line; its methods do nothing or return NaN.
    """

    def __init__(self, name: str | int) -> None:
        self._connection = connection()
        devices = self._connection.devices
        self._tag = -1
        if isinstance(name, str):
            self._tag = next((tag for tag, each in enumerate(devices) if each["name"] == name), -1)
        elif 0 <= name < len(devices):
            self._tag = name
        if self._tag < 0:
            print_error(f'Error: {type(self).__name__}: device "{name}" was not found on this robot')
        self._info: dict[str, Any] = devices[self._tag] if self._tag >= 0 else {"name": str(name), "type": ""}
        self._fields: dict[str, Any] = self._info.get("fields", {})

    @property
    def tag(self) -> int:
        return self._tag + 1

    def getName(self) -> str:
        return str(self._info["name"])

    def getModel(self) -> str:
        return str(self._fields.get("model", ""))

    def getNodeType(self) -> int:
        return node_number(self._info["type"])

    name = property(getName)
    model = property(getModel)
    node_type = property(getNodeType)

    def _say(self, name: str, *arguments: Any) -> None:
        """Store a command, which is sent with the next step."""
        if self._tag >= 0:
            self._connection.command(self._tag, name, *arguments)

    def _numbers(self, method: str, **values: Any) -> bool:
        """Return whether the arguments are numbers and none is NaN; print an error, as Webots does."""
        for value in values.values():
            if type(value) is not float or value != value:
                break
        else:
            return True
        return check_numbers(f"{type(self).__name__}.{method}", **values)

    def _get(self, name: str, default: Any = None) -> Any:
        """Return a setting made by the controller."""
        return self._connection.setting(self._tag, name, default)

    def _set(self, name: str, value: Any) -> None:
        self._connection.set(self._tag, name, value)

    def _field(self, name: str, default: Any = 0.0) -> Any:
        """Return a field of the device's node."""
        return self._fields.get(name, default)


def number_field(name: str, default: float = 0.0) -> Callable[[Device], float]:
    """Return a method that returns a numeric field of the device's node."""

    def get(device: Device) -> float:
        return float(device._field(name, default))

    return get


class Sensor(Device):
    """A device that is sampled after `enable`; the first value is available one sampling period later."""

    def __init__(self, name: str | int, sampling_period: int | None = None) -> None:
        super().__init__(name)
        if sampling_period is not None:
            self.enable(sampling_period)

    def enable(self, samplingPeriod: int) -> None:
        """Sample with a period in ms from now on."""
        period = int(samplingPeriod)
        if period < 0:
            print_error(f"Error: {type(self).__name__}.enable() called with a negative sampling period")
            return
        if period == 0:
            self.disable()
            return
        if period != self.getSamplingPeriod():
            self._set("period", period)
            self._set("enabled_at", self._connection.steps)
            self._say("enable", period)

    def disable(self) -> None:
        """Stop sampling; the last value is kept, as in Webots, except for pictures, scans and sound."""
        if self.getSamplingPeriod():
            self._say("disable")
        self._set("period", 0)
        if self._info["type"] in FORGET:
            self._connection.values.pop(self._tag, None)

    def getSamplingPeriod(self) -> int:
        return int(self._get("period", 0))

    sampling_period = property(getSamplingPeriod, enable)

    def _reading(self, method: str = "getValue") -> Any:
        """Return the last reading, None before the first; print an error once if the sensor is off."""
        connection, tag = self._connection, self._tag
        settings = connection.settings.get(tag)
        if not (settings and settings.get("period")) and tag >= 0 and not self._get("warned"):
            self._set("warned", True)
            print_error(
                f'Error: {type(self).__name__}.{method}() called for "{self.name}", which is not enabled'
            )
        return connection.values.get(tag)

    def _blank(self, size: int) -> bytes | None:
        """Return zeros instead of a picture that was not taken yet; None before a step and if disabled."""
        began = self._get("enabled_at")
        return bytes(size) if self.getSamplingPeriod() and self._connection.steps > began else None


class NumberSensor(Sensor):
    """A sensor that measures one number."""

    def getValue(self) -> float:
        value = self._reading()
        return math.nan if value is None else float(value)

    value = property(getValue)


class VectorSensor(Sensor):
    """A sensor that measures three numbers."""

    def getValues(self) -> list[float]:
        values = self._reading("getValues")
        return [math.nan] * 3 if values is None else list(values)

    values = property(getValues)


class HasLookupTable(Device):
    """A sensor whose values go through a lookup table."""

    def getLookupTable(self) -> list[float]:
        return [float(number) for row in self._field("lookupTable", []) for number in row]

    lookup_table = property(getLookupTable)
