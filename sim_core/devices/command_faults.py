"""Faults applied to commands; `faults.py` describes them and their order."""

from __future__ import annotations

import logging
import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sim_core.base.errors import CommandError, ConfigError
from sim_core.base.state import Resettable, State
from sim_core.devices.base import Device, DeviceContext
from sim_core.devices.commands import CommandSpec
from sim_core.devices.fault_draws import FaultDraws
from sim_core.devices.noise import device_seed
from sim_core.devices.sensor import Sensor
from sim_core.devices.sensor_faults import latency_in_steps

_log = logging.getLogger(__name__)


class LateCommand(NamedTuple):
    """A command that takes effect later."""

    due_ns: int
    name: str
    arguments: dict[str, Any]


@dataclass(eq=False)
class CommandFaultsState(State):
    """State of a device's command faults.

    Attributes:
        late: delayed commands, the next one first.
        count: sim time of the last command, and number of commands before it at that time.
    """

    late: deque[LateCommand] = field(default_factory=deque)
    count: tuple[int, int] = (-1, 0)


class CommandFaults(Resettable):
    """Applies faults to the declared commands of a device."""

    state: CommandFaultsState

    def __init__(self, device: Device, context: DeviceContext) -> None:
        """Prepare the faults of a device.

        Raises:
            ConfigError: no command has a number that an error could be added to.
        """
        config = context.config.faults
        self._device = device
        self._has_errors = config.has_errors
        self._draws = FaultDraws(config, device_seed(context.seed, "commands"), context.world.clock.step_ns)
        self._latency_ns = latency_in_steps(config.latency, context.world.clock.step_ns)
        self.state = CommandFaultsState()
        self._has_warned = False
        self._name = f"{context.robot_name}/{device.name}"
        where = f"robots.{context.robot_name}.{device.name}"
        is_sensor = isinstance(device, Sensor)  # the errors may then be meant for its readings
        if config.fault_fields and not is_sensor:
            raise ConfigError(
                f"{where}.fault_fields: found fields, expected none: the device has no readings"
            )
        can_be_off = any(spec.meets_faults and spec.disturbed for spec in device.commands.values())
        if self._has_errors and not can_be_off and not is_sensor:
            raise ConfigError(
                f"{where}: found gaussian, bias or drift for {type(device).__name__}, whose commands have no "
                f"numbers to add them to, expected dropout, latency or stuck_at"
            )

    def receive(self, spec: CommandSpec, arguments: Mapping[str, Any]) -> Any:
        """Execute a command from outside the device: now, later, with errors, or never.

        Raises:
            CommandError: a value is not a number, or the device refuses a command that was executed at once
                without errors.
        """
        disturbed = spec.disturbed
        self._check(spec.name, [arguments[name] for name in disturbed])
        time_ns = self._device.world.clock.time_ns
        nth = self._count_command(time_ns)
        if time_ns >= self._draws.stuck_ns or self._draws.is_lost(time_ns, nth):
            return spec.answer_if_lost
        if self._has_errors:
            arguments = {**arguments, **self._with_errors(arguments, disturbed, time_ns, nth)}
        if self._latency_ns:
            self.state.late.append(LateCommand(time_ns + self._latency_ns, spec.name, dict(arguments)))
            return spec.answer_if_lost
        if self._has_errors:
            return self._try_command(spec, arguments)
        return spec.carry_out(self._device, **arguments)

    def deliver_due(self, time_ns: int) -> None:
        """Execute the delayed commands that are due."""
        while self.state.late and self.state.late[0].due_ns <= time_ns:
            _, name, arguments = self.state.late.popleft()
            if self._device.is_powered:
                self._try_command(self._device.commands[name], arguments)
            else:
                self._warn_once("the battery is empty")

    def discard_delayed(self) -> None:
        """Discard all delayed commands."""
        self.state = CommandFaultsState()

    def reset(self) -> None:
        """Discard all delayed commands."""
        self.discard_delayed()

    def _try_command(self, spec: CommandSpec, arguments: Mapping[str, Any]) -> Any:
        """Execute a command that is late or has errors; a refusal is logged, as the sender is not
        responsible."""
        try:
            return spec.carry_out(self._device, **arguments)
        except CommandError as error:
            self._warn_once(str(error))
            return spec.answer_if_lost

    def _warn_once(self, reason: str) -> None:
        if not self._has_warned:
            self._has_warned = True
            _log.warning("%s: a command with faults was refused: %s (logged once)", self._name, reason)

    def _count_command(self, time_ns: int) -> int:
        """Return the number of this command among those of the same sim time, from 0."""
        last, count = self.state.count
        nth = count + 1 if last == time_ns else 0
        self.state.count = (time_ns, nth)
        return nth

    def _check(self, name: str, values: list[Any]) -> None:
        """Refuse values that are not numbers at once, as the device may receive them late or never."""
        for value in values:
            for number in value if isinstance(value, (list, tuple)) else (value,):
                if not isinstance(number, (int, float)) or math.isnan(number):
                    raise CommandError(f"{self._name}: {name}: found {number!r}, expected a number")

    def _with_errors(
        self, arguments: Mapping[str, Any], disturbed: list[str], time_ns: int, nth: int
    ) -> dict[str, Any]:
        """Return the disturbed arguments with errors added."""
        values = [arguments[name] for name in disturbed]
        size = sum(len(value) if isinstance(value, (list, tuple)) else 1 for value in values)
        errors = iter(self._draws.errors(time_ns, size, size, nth).tolist() if size else ())
        return {
            name: [number + next(errors) for number in value]
            if isinstance(value, (list, tuple))
            else value + next(errors)
            for name, value in zip(disturbed, values, strict=True)
        }
