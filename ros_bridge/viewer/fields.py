"""Numbers in messages that can be plotted."""

from __future__ import annotations

from typing import Any

from ros_bridge.topics.conversions import time_of
from ros_bridge.viewer.polled_topic import message_class

NUMBERS = {
    *("boolean", "float", "double", "octet"),
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
}
NOT_PLOTTED = ("header", "stamp")
DEEPEST = 5
"""Messages in messages."""


def number_fields(message_type: Any, depth: int = DEEPEST) -> list[str]:
    """Dotted names of the numbers in a message class, without arrays and time stamps: `pose.position.x`."""
    found: list[str] = []
    for name, kind in message_type.get_fields_and_field_types().items():
        if kind in NUMBERS:
            found.append(name)
        elif name not in NOT_PLOTTED and depth > 1 and "/" in kind and not kind.endswith(("]", ">")):
            package, inner = kind.split("/")
            part = message_class(f"{package}/msg/{inner}")
            if part is not None:
                found += [f"{name}.{below}" for below in number_fields(part, depth - 1)]
    return found


def number_in(message: Any, field: str) -> float:
    """The number of a dotted name."""
    for name in field.split("."):
        message = getattr(message, name)
    return float(message[0] if isinstance(message, bytes) else message)


def stamp_of(message: Any) -> int | None:
    """Time in the header in ns; None without a header."""
    header = getattr(message, "header", None)
    return None if header is None else time_of(header.stamp)
