"""Declarations of the commands of devices: names, and arguments with their kinds and units.

A command is a method, declared where it is defined:

    @command(velocity=Number("rad/s"))
    def set_velocity(self, velocity: float) -> str | None:
        "Turn at rad/s from the next step on."

When the class is created, the method becomes a row in the table `commands` of the class, used by faults, the
module `controller`, replays, and the default topics of devices. Callers still call the method. It must be
called from outside the device only: code shared by several commands, by reset or by an empty battery belongs
into methods that are not declared, so that faults are never applied twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from types import MappingProxyType
from typing import Any, TypeVar, cast


@dataclass(frozen=True)
class Argument:
    """One argument of a command.

    Attributes:
        unit: unit of its numbers; for devices with either a rotary or a linear joint `rad or m`.
        optional: may be omitted; the method gives the default.
    """

    unit: str = ""
    optional: bool = False


class Number(Argument):
    """A real number; the errors of `faults.py` are added to it unless it is optional."""


class Vector(Argument):
    """A list or tuple of real numbers; errors as for `Number`."""


class Integer(Argument):
    """A whole number."""


class Integers(Argument):
    """A list of whole numbers."""


class Flag(Argument):
    """True or False."""


class Text(Argument):
    """A text."""


class File(Text):
    """The name of a file; names given by a controller are relative to its working folder."""


class Bytes(Argument):
    """Bytes."""


@dataclass(frozen=True)
class CommandSpec:
    """A command that a device accepts.

    Attributes:
        name: name of the command, and of its method.
        arguments: arguments by name, in order.
        carry_out: the implementation, `carry_out(device, **arguments)`; returns a message if a value was
            clamped, and raises CommandError if it refuses.
        meets_faults: the faults of the device apply. False: the command configures the device, or calls
            commands to which they apply.
        answer_if_lost: returned to the sender if the command was lost or delayed.
        is_journaled: the journal records it. False: the command does not change the world.
    """

    name: str
    arguments: Mapping[str, Argument]
    carry_out: Callable[..., Any]
    meets_faults: bool = True
    answer_if_lost: Any = None
    is_journaled: bool = True

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Names of the arguments that are names of files."""
        return tuple(name for name, each in self.arguments.items() if isinstance(each, File))

    @property
    def disturbed(self) -> list[str]:
        """Names of the arguments that errors are added to."""
        numbers = (Number, Vector)
        return [
            name for name, each in self.arguments.items() if isinstance(each, numbers) and not each.optional
        ]

    def execute(self, device: Any, arguments: Mapping[str, Any]) -> Any:
        """Execute the command on a device from outside, through its faults if it has any.

        Raises:
            CommandError: the command is refused.
        """
        faults = device.command_faults if self.meets_faults else None
        return self.carry_out(device, **arguments) if faults is None else faults.receive(self, arguments)

    def bind(self, values: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
        """Return values by argument name; optional arguments that are not given are left out.

        Raises:
            TypeError: too many, too few or unknown arguments.
        """
        found = dict(zip(self.arguments, values, strict=False))
        if not named and len(found) == len(values) == len(self.arguments):
            return found
        found.update(named)
        missing = [name for name, each in self.arguments.items() if not each.optional and name not in found]
        known = found.keys() <= self.arguments.keys()
        if missing or not known or len(found) != len(values) + len(named):
            expected = ", ".join(
                f"[{name}]" if each.optional else name for name, each in self.arguments.items()
            )
            raise TypeError(
                f"{self.name}: found {values} and {dict(named)}, expected {expected or 'nothing'}"
            )
        return found


CommandMap = Mapping[str, CommandSpec]
NO_COMMANDS: CommandMap = MappingProxyType({})
M = TypeVar("M", bound=Callable[..., Any])


def command(
    *, meets_faults: bool = True, answer_if_lost: Any = None, is_journaled: bool = True, **arguments: Argument
) -> Callable[[M], M]:
    """Declare a method of a device as a command with these arguments; see `CommandSpec`."""

    def declare(method: M) -> M:
        spec = CommandSpec(
            method.__name__, MappingProxyType(arguments), method, meets_faults, answer_if_lost, is_journaled
        )
        return cast(M, _Declaration(spec))

    return declare


def commands_of_part(commands: CommandMap, part: Callable[[Any], Any]) -> CommandMap:
    """Return the commands of a part of a device as commands of the device; `part(device)` returns the
    part."""

    def redirected(spec: CommandSpec) -> CommandSpec:
        return replace(spec, carry_out=lambda device, **named: spec.carry_out(part(device), **named))

    return MappingProxyType({name: redirected(spec) for name, spec in commands.items()})


class _Declaration:
    """Placeholder of a declared method until its class is created."""

    def __init__(self, spec: CommandSpec) -> None:
        self._spec = spec

    def __set_name__(self, owner: Any, name: str) -> None:
        """Add the command to the class's table, and replace the placeholder by the method."""
        spec = self._spec
        owner.commands = MappingProxyType({**owner.commands, name: spec})
        setattr(owner, name, _method_with_faults(spec) if spec.meets_faults else spec.carry_out)


def _method_with_faults(spec: CommandSpec) -> Callable[..., Any]:
    """Return the method for callers outside the device: it applies the device's faults, if there are any."""
    carry_out = spec.carry_out

    @wraps(carry_out)
    def call(device: Any, *values: Any, **named: Any) -> Any:
        faults = device.command_faults
        if faults is None:
            return carry_out(device, *values, **named)
        return faults.receive(spec, spec.bind(values, named))

    return call
