"""Faults of a sensor: see `faults.py` for what they are and in which order they come."""

from __future__ import annotations

import math
import types
import typing
from collections import deque
from dataclasses import fields, replace
from typing import Any, Union

import numpy as np

from sim_core.base.clock import to_nanoseconds
from sim_core.base.errors import ConfigError
from sim_core.devices.base import DeviceContext, Reading, Sensor
from sim_core.devices.fault_draws import NEVER, FaultDraws
from sim_core.devices.media import Medium
from sim_core.devices.world_view import RayBatch, World


class SensorFaults:
    """Stands between a sensor and those who read it."""

    def __init__(self, sensor: Sensor, context: DeviceContext) -> None:
        """Take the place of the sensor's `sample`, `deliver`, `is_wanted` and `reset`.

        Raises:
            ConfigError: the readings have no such fields, or none with numbers.
        """
        config = context.config.faults
        self._sensor = sensor
        self._world = context.world
        self._has_errors = config.has_errors
        self._fields = config.fields
        self._draws = FaultDraws(config, context.seed, context.world.step_ns)
        self._latency_ns = latency_in_steps(config.latency, context.world.step_ns)
        self._frozen: Any = None
        self._pending: deque[Any] = deque()
        self._where = f"robots.{context.robot_name}.{sensor.name}"
        self._check_types()
        self._measure, self._show, self._reset = sensor.sample, sensor.deliver, sensor.reset
        self._is_wanted = sensor.is_wanted
        sensor.sample = self.sample  # type: ignore[method-assign]
        sensor.deliver = self.deliver  # type: ignore[method-assign]
        sensor.reset = self.reset  # type: ignore[method-assign]
        sensor.is_late = bool(config.dropout or self._latency_ns)
        if config.gets_stuck:
            sensor.is_wanted = self.is_wanted  # type: ignore[method-assign]
        if self._latency_ns:
            context.media.of(LateReadings).sensors.append(self)

    def is_wanted(self) -> bool:
        """Also when nobody listens: the value to get stuck at must be known."""
        sensor = self._sensor
        return self._is_wanted() or (
            self._gets_stuck(self._world.time_ns) and sensor.enabled and sensor.is_powered
        )

    def sample(self, time_ns: int) -> Any:
        """Measure with errors, or answer the value that is stuck."""
        if self._frozen is not None:
            return replace(self._frozen, time_ns=time_ns)
        reading = self._measure(time_ns)
        return self._disturbed(reading) if self._has_errors and reading is not None else reading

    def deliver(self, reading: Any) -> None:
        """Hand a reading on, now, later or never."""
        time_ns = reading.time_ns
        if self._gets_stuck(time_ns):
            self._frozen = reading
        if self._draws.is_lost(time_ns):
            return
        if not self._latency_ns:
            self._show(reading)
            return
        if self._pending and self._pending[-1].time_ns == time_ns:  # the same sample, asked for again
            self._pending.pop()
        self._pending.append(reading)

    def release(self, time_ns: int) -> None:
        """Hand on the readings that have been on their way for long enough."""
        while self._pending and self._pending[0].time_ns + self._latency_ns <= time_ns:
            self._show(self._pending.popleft())

    def forget(self) -> None:
        """Nothing is on its way."""
        self._pending.clear()

    def reset(self) -> None:
        """Nothing is stuck or on its way."""
        self._frozen = None
        self._pending.clear()
        self._reset()

    def _gets_stuck(self, time_ns: int) -> bool:
        return self._frozen is None and self._draws.stuck_ns <= time_ns and self._draws.stuck_ns != NEVER

    def _disturbed(self, reading: Any) -> Any:
        time_ns = reading.time_ns
        if not self._fields and hasattr(reading, "rotated"):
            x, y, z = self._draws.errors(time_ns, 3, 3).tolist()
            reading, changes = reading.rotated((x, y, z)), {}
        else:
            changes = {
                name: self._with_errors(name, getattr(reading, name), time_ns)
                for name in self._fields or reading.MEASURED
            }
        own = getattr(reading, "deviation", None)  # for the covariances of messages
        if own is not None:
            added = self._draws.variance(time_ns)
            both = [math.sqrt(one * one + added) for one in (own if isinstance(own, tuple) else (own,))]
            changes["deviation"] = tuple(both) if isinstance(own, tuple) else both[0]
        return replace(reading, **changes)

    def _with_errors(self, name: str, value: Any, time_ns: int) -> Any:
        if isinstance(value, np.ndarray) and np.issubdtype(value.dtype, np.floating):
            errors = self._draws.errors(time_ns, value.size, 1).reshape(value.shape)
            return (value + errors).astype(value.dtype)
        if isinstance(value, float):
            return value + float(self._draws.errors(time_ns, 1, 1)[0])
        if isinstance(value, tuple) and value and all(isinstance(item, float) for item in value):
            errors = self._draws.errors(time_ns, len(value), len(value))
            return tuple((np.array(value) + errors).tolist())
        raise self._refused(name, type(value).__name__)

    def _check_types(self) -> None:
        """Refuse at set-up what could not be disturbed later, as far as the types of the readings tell."""
        for kind in reading_types(self._sensor):
            known = [item.name for item in fields(kind) if item.name not in ("time_ns", "deviation")]
            for name in self._fields:
                if name not in known:
                    raise ConfigError(
                        f'{self._where}.fault_fields: found "{name}", expected some of {", ".join(known)}'
                    )
            if not self._has_errors or (not self._fields and hasattr(kind, "rotated")):
                continue
            hints = typing.get_type_hints(kind)
            for name in self._fields or kind.MEASURED:
                if name == "quaternion" or not _holds_floats(hints.get(name)):
                    raise self._refused(name, name if name == "quaternion" else f"{hints.get(name)}")

    def _refused(self, name: str, found: str) -> ConfigError:
        return ConfigError(
            f"{self._where}: found gaussian, bias or drift for {type(self._sensor).__name__}, whose {name} "
            f"is {found}, expected dropout, latency or stuck_at there, or other fault_fields"
        )


class LateReadings(Medium):
    """Hands on, after each step, the readings of sensors with a latency."""

    observes = True

    def __init__(self, world: World, new_rays: typing.Callable[[], RayBatch]) -> None:
        super().__init__(world, new_rays)
        self.sensors: list[SensorFaults] = []

    def after_step(self, time_ns: int) -> None:
        """Hand on what is due."""
        for sensor in self.sensors:
            sensor.release(time_ns)

    def clock_restarted(self) -> None:
        """Readings on their way are of the old time: they are lost."""
        for sensor in self.sensors:
            sensor.forget()


def latency_in_steps(seconds: float, step_ns: int) -> int:
    """A latency in ns, rounded up to whole steps."""
    return -(-to_nanoseconds(seconds) // step_ns) * step_ns


def reading_types(sensor: Sensor) -> list[type[Reading]]:
    """The classes of readings that a sensor says it makes."""
    try:
        made = typing.get_type_hints(type(sensor).sample).get("return")
    except NameError:
        return []
    kinds = typing.get_args(made) if typing.get_origin(made) in (Union, types.UnionType) else (made,)
    return [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Reading)]


def _holds_floats(hint: Any) -> bool:
    if hint in (float, Any):
        return True
    parts, origin = typing.get_args(hint), typing.get_origin(hint)
    if origin in (Union, types.UnionType):
        return any(map(_holds_floats, parts))
    if origin is tuple:
        return all(part in (float, Ellipsis) for part in parts)
    if origin is np.ndarray:
        return "float" in str(parts[1])
    return hint is np.ndarray
