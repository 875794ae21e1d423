"""What sensors declare of their readings: each value with its type, shape, unit and axes.

    channels = declare(value=Channel("m/s", (3,), frame=WORLD_AXES))

stands in the class of a sensor; one whose shape or limits depend on its fields puts others in their place
when it is made. Faults, observations of learning agents, the list of devices in the docs, and the topics and
getters of sensors without any of their own are made from this.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from types import MappingProxyType

NONE, DEVICE_AXES, WORLD_AXES = "", "device", "world"
"""In whose axes a vector, or a rotation, is given."""


class Errors(Enum):
    """How the errors of `faults.py` reach a channel."""

    ADDED = auto()
    """To each number, with the same error as the other channels of the reading."""
    IF_NAMED = auto()
    """The same, if `fault_fields` name it."""
    TURNED = auto()
    """The reading is turned by them (see `OrientationReading.rotated`), unless `fault_fields` name it."""
    REFUSED = auto()
    """It holds no real numbers, or none that could be off by themselves."""


@dataclass(frozen=True)
class Channel:
    """One value of a reading: the field of that name.

    Attributes:
        unit: of its numbers; empty: it has none, or that of a lookup table.
        shape: empty for one number; a text stands for a size that depends on the device.
        dtype: of numpy; `object` for records, of which the value is a tuple.
        frame: one of `NONE`, `DEVICE_AXES` and `WORLD_AXES`.
        low, high: limits of its numbers, as far as they have any.
        errors: what faults do to it.
    """

    unit: str = ""
    shape: tuple[int | str, ...] = ()
    dtype: str = "float64"
    frame: str = NONE
    low: float = -math.inf
    high: float = math.inf
    errors: Errors = Errors.ADDED


ChannelMap = Mapping[str, Channel]
FLAG = Channel(dtype="bool", low=0.0, high=1.0, errors=Errors.REFUSED)
RECORDS = Channel(shape=("n",), dtype="object", errors=Errors.REFUSED)


def declare(others: ChannelMap = MappingProxyType({}), /, **channels: Channel) -> ChannelMap:
    """The channels of a sensor by name; these take the place of others of the same name."""
    return MappingProxyType({**others, **channels})
