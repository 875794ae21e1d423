"""Common fields of Emitter and Receiver."""

from __future__ import annotations

from sim_core.base.errors import CommandError
from sim_core.devices.field_checks import field_error
from sim_core.model.device_spec import NodeSpec

ALL_CHANNELS = -1
"""Channel on which an emitter reaches all channels, and a receiver receives all."""
PLUGIN_CHANNEL = 0
"""Channel of the physics plug-in."""
INFRA_RED = "infra-red"
_TYPES = ("radio", "serial", INFRA_RED)
_UNLIMITED = -1


def signal_type_of(spec: NodeSpec) -> str:
    """Return `radio`, `serial` or `infra-red`.

    Raises:
        DeviceError: the field `type` is something else.
    """
    if spec["type"] not in _TYPES:
        raise field_error(spec, "type", f'"{spec["type"]}"', '"radio", "serial" or "infra-red"')
    return str(spec["type"])


def count_of(spec: NodeSpec, field: str) -> int | None:
    """Return a count above 0; None if the field is -1, for no limit.

    Raises:
        DeviceError: it is something else.
    """
    count: int = spec[field]
    if count == _UNLIMITED:
        return None
    if count < 1:
        raise field_error(spec, field, count, "a whole number above 0, or -1 for no limit")
    return count


def byte_size_of(spec: NodeSpec) -> int:
    """Return the number of bits that are sent for one byte of a packet.

    Raises:
        DeviceError: fewer than 8.
    """
    bits: int = spec["byteSize"]
    if bits < 8:
        raise field_error(spec, "byteSize", bits, "8 bits or more")
    return bits


class AllowedChannels:
    """Channels that an emitter or receiver can be set to while the simulation runs.

    Attributes:
        start: the channel in the field.
    """

    def __init__(self, spec: NodeSpec, what: str) -> None:
        """Read the fields `channel` and `allowedChannels`.

        Raises:
            DeviceError: a channel below -1, or one that is not among the allowed.
        """
        self._what = what
        self._allowed: tuple[int, ...] = tuple(spec["allowedChannels"])
        self.start: int = spec["channel"]
        for number in self._allowed:
            if number < ALL_CHANNELS:
                raise field_error(spec, "allowedChannels", number, "-1 or more")
        if not self._is_allowed(self.start):
            raise field_error(spec, "channel", self.start, self._expected())

    def checked(self, number: int) -> int:
        """Return the number of a channel if it is allowed.

        Raises:
            CommandError: below -1, or not among the allowed.
        """
        if not self._is_allowed(number):
            raise CommandError(f"{self._what}: channel: found {number}, expected {self._expected()}")
        return number

    def _is_allowed(self, number: int) -> bool:
        return number in self._allowed if self._allowed else number >= ALL_CHANNELS

    def _expected(self) -> str:
        if self._allowed:
            return f"one of allowedChannels: {', '.join(map(str, self._allowed))}"
        return "-1 (all channels) or more"
