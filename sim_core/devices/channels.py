"""Declarations of what sensors measure: each value of a reading with its type, shape, unit and axes.

    channels = declare(value=Channel("m/s", (3,), frame=WORLD_AXES))

stands in the class of a sensor; a sensor whose shapes or limits depend on its fields replaces the channels
when it is made. Faults, observations of learning agents, the list of devices in the docs, and the default
topics and getters of sensors are derived from these declarations.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from types import MappingProxyType

NONE, DEVICE_AXES, WORLD_AXES = "", "device", "world"
"""Axes in which a vector or a rotation is given."""


class Errors(Enum):
    """How the errors of `faults.py` change a channel."""

    ADDED = auto()
    """An error is added to each number; channels of one reading get the same errors."""
    IF_NAMED = auto()
    """As `ADDED`, but only if `fault_fields` names the channel."""
    ROTATED = auto()
    """The reading is rotated by the errors (see `OrientationReading.rotated`), unless `fault_fields` names
    channels."""
    REFUSED = auto()
    """No errors are possible: the channel has no real numbers, or none that can be changed alone."""


@dataclass(frozen=True)
class Channel:
    """One value of a reading: the field of the same name.

    Attributes:
        unit: unit of its numbers; empty: none, or given by a lookup table.
        shape: empty for one number; a text stands for a size that depends on the device.
        dtype: numpy's name of the type; `object` for records, of which the value is a tuple.
        frame: one of `NONE`, `DEVICE_AXES` and `WORLD_AXES`.
        low, high: limits of its numbers, if there are any.
        errors: how faults change it.
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
    """Return channels by name; keyword arguments replace channels of the same name in `others`."""
    return MappingProxyType({**others, **channels})
