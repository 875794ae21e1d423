"""What a device's bridge is: the topics of the device as data.

`Output` and `Input` are read twice: by `interface.describe`, which needs no ROS graph, and by the node, which
makes publishers and subscriptions of them. Fill functions are pure: they put a reading into a message
and know no node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any


def _nothing(message: Any) -> None:
    """Nothing in the message is constant."""


@dataclass(frozen=True)
class Output:
    """A topic that the simulation publishes.

    Attributes:
        suffix: name below the device's topic; empty: that topic itself.
        message_type: class of the message.
        fill: puts a reading (for outputs with a `period`: the sim time in ns) into the message. The header's
            stamp and frame are filled by the publisher.
        constants: puts in, once, what never changes.
        sampled: True: published with each reading of the device, a Sensor. False: with the robot's state.
        frame: frame that the values are in; None: the device's own.
        frame_suffix: added to the name of the frame.
        each: the parts of a reading, each of which is a message: `fill` gets them one by one. None: the
            reading itself is the one part.
        depth: messages kept for a slow subscriber at least, for topics on which many come at once.
    """

    suffix: str
    message_type: type
    fill: Callable[[Any, Any], None]
    constants: Callable[[Any], None] = _nothing
    sampled: bool = True
    frame: str | None = None
    frame_suffix: str = ""
    each: Callable[[Any], Iterable[Any]] | None = None
    depth: int = 0


@dataclass(frozen=True)
class Input:
    """A topic that the simulation listens to.

    Attributes:
        suffix: name below the device's topic.
        message_type: class of the message.
        apply: carries out a message; returns a line if it clamped something, raises CommandError if it
            refuses.
        depth: messages kept until the next step at least, for topics on which many come at once.
    """

    suffix: str
    message_type: type
    apply: Callable[[Any], str | None]
    depth: int = 0


class DeviceBridge:
    """The topics of one device.

    Each module in `ros_bridge/devices` has a subclass named `BRIDGE`.
    """

    def __init__(self, device: Any) -> None:
        self.device: Any = device

    def outputs(self) -> list[Output]:
        """Topics that the device is published on."""
        return []

    def inputs(self) -> list[Input]:
        """Topics that command the device."""
        return []


def has_header(message_type: type) -> bool:
    """Whether messages of this type carry a stamp and a frame."""
    fields: dict[str, str] = message_type.get_fields_and_field_types()  # type: ignore[attr-defined]
    return fields.get("header") == "std_msgs/Header"
