"""Access to fields of a message by dotted names: `pose.pose.position.x`, `ranges[3]`."""

from __future__ import annotations

import array
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from ros_bridge.topics.conversions import message_class
from sim_core.base.errors import ConfigError, hint

MOST = 64
"""Longest array whose elements are listed one by one; of a longer one only the length is given."""
SEQUENCES = (list, tuple, array.array, np.ndarray)
NUMBERS = {
    *("boolean", "float", "double", "octet"),
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
}
NOT_PLOTTED = ("header", "stamp")
MAX_DEPTH = 5
"""Deepest nesting of messages."""
_LIST = re.compile(r"^(?:sequence<(?P<of>\w+)(?:, \d+)?>|(?P<kind>\w+)\[\d+\])$")
_PART = re.compile(r"(\w+)(?:\[(\d+)\])?")


def field_names(message: Any) -> list[str] | None:
    """Return the fields of a message made by rclpy or rosbags; None: it is not a message."""
    if hasattr(message, "get_fields_and_field_types"):
        return list(message.get_fields_and_field_types())
    if not is_dataclass(message):
        return None
    return [each.name for each in fields(message) if not (each.name[:2] == "__" or each.name.isupper())]


def value_at(message: Any, path: str) -> Any:
    """Return a part of a message by its dotted name.

    Raises:
        ConfigError: there is no such part.
    """
    for part in filter(None, path.split(".")):
        match = _PART.fullmatch(part)
        name, index = match.groups() if match else (part, None)
        known = field_names(message) or []
        if name not in known:
            what = f"expected one of {', '.join(known)}{hint(name, known)}" if known else "it has no fields"
            raise ConfigError(f'field {path}: found "{name}", {what}')
        message = getattr(message, name)
        if index is not None:
            if not isinstance(message, SEQUENCES) or int(index) >= len(message):
                count = len(message) if isinstance(message, SEQUENCES) else "no"
                raise ConfigError(f'field {path}: found {count} elements in "{name}", expected more')
            message = message[int(index)]
    return message


def leaves(message: Any, name: str = "", most: int | None = MOST) -> Iterator[tuple[str, Any]]:
    """Yield names and values of all fields that are not messages.

    Args:
        message: made by rclpy or rosbags.
        name: prefix.
        most: of a longer array only the length is given, as `name.length`; None: all elements.
    """
    if (parts := field_names(message)) is not None:
        for part in parts:
            yield from leaves(getattr(message, part), f"{name}.{part}" if name else part, most)
    elif isinstance(message, SEQUENCES):
        if most is not None and len(message) > most:
            yield f"{name}.length", len(message)
            return
        for number, element in enumerate(message):
            yield from leaves(element, f"{name}[{number}]", most)
    elif isinstance(message, np.generic):
        yield name, message.item()
    else:
        yield name, message


def first_difference(one: Any, other: Any) -> tuple[str, Any, Any]:
    """Return name and both values of the first field in which two messages of one type differ."""
    ours, theirs = dict(leaves(one, most=None)), dict(leaves(other, most=None))
    for name in [*ours, *(name for name in theirs if name not in ours)]:
        a, b = ours.get(name, "nothing"), theirs.get(name, "nothing")
        if a != b and not (a != a and b != b):
            return name, a, b
    return "", "", ""


def number_fields(message_type: Any, message: Any = None, depth: int = MAX_DEPTH) -> list[str]:
    """Return the names of the numbers in a message class, without time stamps.

    Args:
        message_type: the class.
        message: an instance, whose list elements are included; None: of a list only the first number is
            named, as a sign that there is one.
        depth: greatest nesting of messages that is searched.
    """
    found: list[str] = []
    for name, kind in message_type.get_fields_and_field_types().items():
        listed = _LIST.match(kind)
        value = getattr(message, name, None)
        if kind in NUMBERS:
            found.append(name)
        elif listed is not None:
            if (listed["of"] or listed["kind"]) in NUMBERS:
                count = 1 if value is None else min(len(value), MOST)
                found += [f"{name}[{index}]" for index in range(count)]
        elif name not in NOT_PLOTTED and depth > 1 and "/" in kind and not kind.endswith(("]", ">")):
            package, inner = kind.split("/")
            part = message_class(f"{package}/msg/{inner}")
            found += [f"{name}.{below}" for below in number_fields(part, value, depth - 1)]
    return found


def number_in(message: Any, path: str) -> float:
    """Return the number at a dotted name; NaN: there is none, for example in a shorter list."""
    try:
        value = value_at(message, path)
    except ConfigError:
        return float("nan")
    return float(value[0] if isinstance(value, bytes) else value)
