"""Faults of commands: see `faults.py` for what they are and in which order they come."""

from __future__ import annotations

import inspect
import logging
import math
from collections import deque
from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

from sim_core.base.errors import CommandError, ConfigError
from sim_core.devices.base import Device, DeviceContext, Sensor
from sim_core.devices.fault_draws import FaultDraws
from sim_core.devices.media import Medium
from sim_core.devices.noise import device_seed
from sim_core.devices.sensor_faults import latency_in_steps
from sim_core.devices.world_view import RayBatch, World

_NUMBER = (float, "float")
_VECTORS = ("Vec3", "Sequence[float]", "tuple[float, ...]", "tuple[float, float, float]")
_log = logging.getLogger(__name__)


class _Late(NamedTuple):
    """A command on its way."""

    due_ns: int
    carry_out: Callable[[], Any]


class CommandFaults:
    """Stands between a device and those who command it."""

    def __init__(self, device: Device, context: DeviceContext) -> None:
        """Take the place of the methods that carry commands.

        Raises:
            ConfigError: no command holds a number that an error could be added to.
        """
        config = context.config.faults
        self._world = context.world
        self._has_errors = config.has_errors
        self._draws = FaultDraws(config, device_seed(context.seed, "commands"), context.world.step_ns)
        self._latency_ns = latency_in_steps(config.latency, context.world.step_ns)
        self._pending: deque[_Late] = deque()
        self._inside = False
        self._said = False
        self._count = (-1, 0)  # sim time of the last command, and how many came at that time
        self._name = f"{context.robot_name}/{device.name}"
        where = f"robots.{context.robot_name}.{device.name}"
        is_sensor = isinstance(device, Sensor)  # then the errors are for its readings, at least
        if config.fields and not is_sensor:
            raise ConfigError(
                f"{where}.fault_fields: found fields, expected none: the device has no readings"
            )
        with_numbers = [self._wrap(*command) for command in device.command_methods()]
        if self._has_errors and not any(with_numbers) and not is_sensor:
            raise ConfigError(
                f"{where}: found gaussian, bias or drift for {type(device).__name__}, whose commands hold no "
                f"numbers that could be off, expected dropout, latency or stuck_at"
            )
        self._reset = device.reset
        device.reset = self.reset  # type: ignore[method-assign]
        if self._latency_ns:
            context.media.of(LateCommands).devices.append(self)

    def release(self, time_ns: int) -> None:
        """Carry out the commands that have been on their way for long enough."""
        while self._pending and self._pending[0].due_ns <= time_ns:
            self._try(self._pending.popleft().carry_out, None)

    def forget(self) -> None:
        """Nothing is on its way."""
        self._pending.clear()
        self._count = (-1, 0)

    def reset(self) -> None:
        """Nothing is on its way, and the device is as at the start."""
        self.forget()
        self._inside = True  # what a device commands itself at its reset is no command that could be lost
        try:
            self._reset()
        finally:
            self._inside = False

    def _wrap(self, target: Any, name: str) -> bool:
        """Take the place of a method; answers whether it takes numbers."""
        method = getattr(target, name)
        signature = inspect.signature(method)
        numbers = [
            parameter.name
            for parameter in signature.parameters.values()
            if parameter.default is parameter.empty and parameter.annotation in (*_NUMBER, *_VECTORS)
        ]
        lost = True if signature.return_annotation in (bool, "bool") else None  # "was it sent": who can tell?

        def carry_out(bound: inspect.BoundArguments) -> Any:
            self._inside = True  # a command that commands others is one command
            try:
                return method(*bound.args, **bound.kwargs)
            finally:
                self._inside = False

        @wraps(method)
        def command(*args: Any, **keywords: Any) -> Any:
            if self._inside:
                return method(*args, **keywords)
            bound = signature.bind(*args, **keywords)
            self._check(name, bound, numbers)
            time_ns = self._world.time_ns
            nth = self._next(time_ns)
            if time_ns >= self._draws.stuck_ns or self._draws.is_lost(time_ns, nth):
                return lost
            if self._has_errors:
                self._disturb(bound, numbers, time_ns, nth)
            if self._latency_ns:
                self._pending.append(_Late(time_ns + self._latency_ns, lambda: carry_out(bound)))
                return lost
            return self._try(lambda: carry_out(bound), lost) if self._has_errors else carry_out(bound)

        setattr(target, name, command)
        return bool(numbers)

    def _try(self, carry_out: Callable[[], Any], lost: Any) -> Any:
        """Carry out a command that its sender does not answer for: it came late, or with errors."""
        try:
            return carry_out()
        except CommandError as error:
            if not self._said:
                self._said = True
                _log.warning("%s: a command with faults was refused: %s (said once)", self._name, error)
            return lost

    def _next(self, time_ns: int) -> int:
        """Number of this command among those of one sim time, from 0."""
        last, count = self._count
        nth = count + 1 if last == time_ns else 0
        self._count = (time_ns, nth)
        return nth

    def _check(self, name: str, bound: inspect.BoundArguments, numbers: list[str]) -> None:
        """Refuse what is no number at once; the device itself may see it too late, or never."""
        for parameter in numbers:
            value = bound.arguments[parameter]
            for number in value if isinstance(value, (list, tuple)) else (value,):
                if not isinstance(number, (int, float)) or math.isnan(number):
                    raise CommandError(f"{self._name}: {name}: found {number!r}, expected a number")

    def _disturb(self, bound: inspect.BoundArguments, numbers: list[str], time_ns: int, nth: int) -> None:
        values = [bound.arguments[name] for name in numbers]
        sizes = [len(value) if isinstance(value, (list, tuple)) else 1 for value in values]
        if not sum(sizes):
            return
        errors = iter(self._draws.errors(time_ns, sum(sizes), sum(sizes), nth).tolist())
        for name, value in zip(numbers, values, strict=True):
            if isinstance(value, (list, tuple)):
                bound.arguments[name] = [number + next(errors) for number in value]
            else:
                bound.arguments[name] = value + next(errors)


class LateCommands(Medium):
    """Carries out late commands when they are due, as if they were given between two steps then."""

    observes = True

    def __init__(self, world: World, new_rays: Callable[[], RayBatch]) -> None:
        super().__init__(world, new_rays)
        self.devices: list[CommandFaults] = []

    def after_step(self, time_ns: int) -> None:
        """Carry out what is due: devices note it, and act in the next step."""
        for device in self.devices:
            device.release(time_ns)

    def clock_restarted(self) -> None:
        """Commands on their way are of the old time: they are lost."""
        for device in self.devices:
            device.forget()
