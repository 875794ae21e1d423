"""What devices declare of their commands: names, arguments with their kinds and units.

A command is a method, declared where it stands:

    @command(velocity=Number("rad/s"))
    def set_velocity(self, velocity: float) -> str | None:
        "Turn at rad/s from the next step on."

When the class is made this becomes a row in the table `commands` of the class, by which faults, the module
`controller`, replays and topics of devices without a bridge of their own know the command. The method
stays what is called. It is entered from outside only: what several commands do, what a reset does or what
happens when the battery is empty stands in methods that are not declared, so that no fault meets it twice.
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
        unit: of its numbers; of a device that can turn or slide both, as in `rad or m`.
        optional: it need not be given; the method says what counts then.
    """

    unit: str = ""
    optional: bool = False


class Number(Argument):
    """A real number; one that must be given gets the errors of `faults.py`."""


class Vector(Argument):
    """A list or tuple of real numbers, with errors likewise."""


class Integer(Argument):
    """A whole number."""


class Integers(Argument):
    """A list of whole numbers."""


class Flag(Argument):
    """True or False."""


class Text(Argument):
    """A text."""


class File(Text):
    """The name of a file; a controller's are relative to the folder that it runs in."""


class Bytes(Argument):
    """Bytes."""


@dataclass(frozen=True)
class CommandSpec:
    """A command that a device takes.

    Attributes:
        name: of the command, and of its method.
        arguments: by name, in their order.
        carry_out: the work: `carry_out(device, **arguments)`; returns a line if it clamped something, and
            raises CommandError if it refuses.
        meets_faults: it goes through the faults of the device. False: it sets the device up, or ends in
            commands that do.
        answer_if_lost: what its sender is told who cannot know that it was lost, or is late.
        is_noted: False: it leaves the world as it is, and no journal needs it.
    """

    name: str
    arguments: Mapping[str, Argument]
    carry_out: Callable[..., Any]
    meets_faults: bool = True
    answer_if_lost: Any = None
    is_noted: bool = True

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The arguments that name files."""
        return tuple(name for name, each in self.arguments.items() if isinstance(each, File))

    @property
    def disturbed(self) -> list[str]:
        """The arguments that errors are added to."""
        numbers = (Number, Vector)
        return [
            name for name, each in self.arguments.items() if isinstance(each, numbers) and not each.optional
        ]

    def enter(self, device: Any, arguments: Mapping[str, Any]) -> Any:
        """Command a device from outside: through its faults, if it has any.

        Raises:
            CommandError: it is refused.
        """
        faults = device.command_faults if self.meets_faults else None
        return self.carry_out(device, **arguments) if faults is None else faults.receive(self, arguments)

    def bound(self, values: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
        """Values by the names of their arguments; optional ones that are not given are left out.

        Raises:
            TypeError: too many, too few, or one that is not known.
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
    *, meets_faults: bool = True, answer_if_lost: Any = None, is_noted: bool = True, **arguments: Argument
) -> Callable[[M], M]:
    """Declare a method of a device as a command with these arguments; see `CommandSpec`."""

    def declare(method: M) -> M:
        spec = CommandSpec(
            method.__name__, MappingProxyType(arguments), method, meets_faults, answer_if_lost, is_noted
        )
        return cast(M, _Declaration(spec))

    return declare


def commands_of_part(commands: CommandMap, part: Callable[[Any], Any]) -> CommandMap:
    """Commands that a part of a device takes, as those of the device; `part(device)` finds it."""

    def handed_on(spec: CommandSpec) -> CommandSpec:
        return replace(spec, carry_out=lambda device, **named: spec.carry_out(part(device), **named))

    return MappingProxyType({name: handed_on(spec) for name, spec in commands.items()})


class _Declaration:
    """Stands in the place of a declared method until its class is made."""

    def __init__(self, spec: CommandSpec) -> None:
        self._spec = spec

    def __set_name__(self, owner: Any, name: str) -> None:
        """Put the command into the class's table, and the method where it was written."""
        spec = self._spec
        owner.commands = MappingProxyType({**owner.commands, name: spec})
        setattr(owner, name, _entrance(spec) if spec.meets_faults else spec.carry_out)


def _entrance(spec: CommandSpec) -> Callable[..., Any]:
    """The method as it is called from outside: through the faults of the device, if it has any."""
    carry_out = spec.carry_out

    @wraps(carry_out)
    def enter(device: Any, *values: Any, **named: Any) -> Any:
        faults = device.command_faults
        if faults is None:
            return carry_out(device, *values, **named)
        return faults.receive(spec, spec.bound(values, named))

    return enter
