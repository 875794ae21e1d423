"""Faults applied to readings; `faults.py` describes them and their order."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sim_core.base.clock import to_nanoseconds
from sim_core.base.errors import ConfigError
from sim_core.base.state import Resettable, State
from sim_core.devices.base import DeviceContext
from sim_core.devices.channels import Errors
from sim_core.devices.fault_draws import NEVER, FaultDraws
from sim_core.devices.sensor import Reading, Sensor


@dataclass(eq=False)
class SensorFaultsState(State):
    """State of a sensor's faults.

    Attributes:
        frozen: the reading at which the sensor is stuck; None: it is not stuck.
        pending: delayed readings, the next one first.
    """

    frozen: Reading | None = None
    pending: deque[Reading] = field(default_factory=deque)


class SensorFaults(Resettable):
    """Applies faults to the readings of a sensor.

    Attributes:
        has_errors: True if values get errors.
    """

    state: SensorFaultsState

    def __init__(self, sensor: Sensor, context: DeviceContext) -> None:
        """Prepare the faults of a sensor.

        Raises:
            ConfigError: the readings have no such fields, or none with numbers.
        """
        config = context.config.faults
        self._sensor = sensor
        self.has_errors = config.has_errors
        self._draws = FaultDraws(config, context.seed, context.world.clock.step_ns)
        self._latency_ns = latency_in_steps(config.latency, context.world.clock.step_ns)
        self.state = SensorFaultsState()
        self._where = f"robots.{context.robot_name}.{sensor.name}"
        self._fields = config.fault_fields or tuple(
            name for name, channel in sensor.channels.items() if channel.errors is Errors.ADDED
        )
        self._is_turned = not config.fault_fields and any(
            channel.errors is Errors.ROTATED for channel in sensor.channels.values()
        )
        self._check(config.fault_fields)
        sensor.is_late = bool(config.dropout or self._latency_ns)

    def sample(self, time_ns: int) -> Any:
        """Measure with errors, or return the value at which the sensor is stuck."""
        if self.state.frozen is not None:
            return replace(self.state.frozen, time_ns=time_ns)
        reading = self._sensor.sample(time_ns)
        return self._disturbed(reading) if self.has_errors and reading is not None else reading

    def dispatch(self, reading: Any) -> None:
        """Deliver a reading now, later or never."""
        state = self.state
        time_ns = reading.time_ns
        if self._gets_stuck_at(time_ns):
            state.frozen = reading
        if self._draws.is_lost(time_ns):
            return
        if not self._latency_ns:
            self._sensor.deliver(reading)
            return
        if state.pending and state.pending[-1].time_ns == time_ns:  # the same sample, requested again
            state.pending.pop()
        state.pending.append(reading)

    def deliver_due(self, time_ns: int) -> None:
        """Deliver the delayed readings that are due."""
        state = self.state
        while state.pending and state.pending[0].time_ns + self._latency_ns <= time_ns:
            self._sensor.deliver(state.pending.popleft())

    def discard_delayed(self) -> None:
        """Discard delayed readings."""
        self.state.pending.clear()

    def reset(self) -> None:
        """Return to the start: nothing is stuck or delayed."""
        self.state = SensorFaultsState()

    def needs_sample(self) -> bool:
        """Return True if a due sample is needed without subscribers, because its value is the one that
        stays."""
        return self._sensor.can_sample and self._gets_stuck_at(self._sensor.world.clock.time_ns)

    def _gets_stuck_at(self, time_ns: int) -> bool:
        return self.state.frozen is None and self._draws.stuck_ns <= time_ns and self._draws.stuck_ns != NEVER

    def _disturbed(self, reading: Any) -> Any:
        time_ns = reading.time_ns
        if self._is_turned:
            x, y, z = self._draws.errors(time_ns, 3, 3).tolist()
            reading, changes = reading.rotated((x, y, z)), {}
        else:
            changes = {
                name: self._with_errors(name, getattr(reading, name), time_ns) for name in self._fields
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

    def _check(self, named: tuple[str, ...]) -> None:
        """Refuse settings whose errors could not be added to the readings."""
        channels = self._sensor.channels
        for name in named:
            if name not in channels:
                expected = f"some of {', '.join(channels)}"
                raise ConfigError(f'{self._where}.fault_fields: found "{name}", expected {expected}')
        if not self.has_errors or self._is_turned:
            return
        can_be_commanded_off = any(
            spec.meets_faults and spec.disturbed for spec in self._sensor.commands.values()
        )
        for name in self._fields or (() if can_be_commanded_off else ("value",)):
            if name not in channels or channels[name].errors is Errors.REFUSED:
                raise self._refused(name, channels[name].dtype if name in channels else "not declared")

    def _refused(self, name: str, found: str) -> ConfigError:
        return ConfigError(
            f"{self._where}: found gaussian, bias or drift for {type(self._sensor).__name__}, whose {name} "
            f"is {found}, expected dropout, latency or stuck_at there, or other fault_fields"
        )


def latency_in_steps(seconds: float, step_ns: int) -> int:
    """Return a latency in ns, rounded up to whole steps."""
    return -(-to_nanoseconds(seconds) // step_ns) * step_ns
