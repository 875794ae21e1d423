"""Which numbers there are in a message, by dotted names: `pose.position.x`, `position[2]`."""

from __future__ import annotations

import re
from typing import Any

from ros_bridge.viewer.polled_topic import known_class

NUMBERS = {
    *("boolean", "float", "double", "octet"),
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
}
NOT_PLOTTED = ("header", "stamp")
DEEPEST = 5
"""Messages in messages."""
LONGEST_LIST = 64
"""Numbers of a list that can be chosen."""
_LIST = re.compile(r"^(?:sequence<(?P<of>\w+)(?:, \d+)?>|(?P<kind>\w+)\[\d+\])$")
_PART = re.compile(r"(\w+)(?:\[(\d+)\])?")


def number_fields(message_type: Any, message: Any = None, depth: int = DEEPEST) -> list[str]:
    """Names of the numbers in a message class, without time stamps.

    Args:
        message_type: the class.
        message: one of it: the numbers of its lists count too, as many as it has; None: lists do not, but for
            their first number, which tells that they are there.
        depth: how many messages in messages are looked at.
    """
    found: list[str] = []
    for name, kind in message_type.get_fields_and_field_types().items():
        listed = _LIST.match(kind)
        value = getattr(message, name, None)
        if kind in NUMBERS:
            found.append(name)
        elif listed is not None:
            if (listed["of"] or listed["kind"]) in NUMBERS:
                count = 1 if value is None else min(len(value), LONGEST_LIST)
                found += [f"{name}[{index}]" for index in range(count)]
        elif name not in NOT_PLOTTED and depth > 1 and "/" in kind and not kind.endswith(("]", ">")):
            package, inner = kind.split("/")
            part = known_class(f"{package}/msg/{inner}")
            if part is not None:
                found += [f"{name}.{below}" for below in number_fields(part, value, depth - 1)]
    return found


def number_in(message: Any, field: str) -> float:
    """The number of a name; NaN: the list is not so long."""
    for part in field.split("."):
        match = _PART.fullmatch(part)
        if match is None:
            return float("nan")
        message = getattr(message, match[1])
        if match[2] is not None:
            if int(match[2]) >= len(message):
                return float("nan")
            message = message[int(match[2])]
    return float(message[0] if isinstance(message, bytes) else message)
