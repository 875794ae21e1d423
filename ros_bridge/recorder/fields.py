"""The fields of a message, one by one, by dotted names: `pose.pose.position.x`, `ranges[3]`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

MOST = 64
"""Elements of an array that are shown one by one; of a longer one only how many there are."""


def leaves(message: Any, name: str = "", most: int | None = MOST) -> Iterator[tuple[str, Any]]:
    """Names and values of all that is not made of parts.

    Args:
        message: as rosbags makes it.
        name: goes in front.
        most: of an array that is longer only the length is given, as `name.length`; None: all elements.
    """
    if is_dataclass(message):
        for field in fields(message):
            if not field.name.startswith("__") and not field.name.isupper():
                inner = f"{name}.{field.name}" if name else field.name
                yield from leaves(getattr(message, field.name), inner, most)
    elif isinstance(message, (list, tuple, np.ndarray)):
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
    """Name and both values of the first field in which two messages of one type differ."""
    ours, theirs = dict(leaves(one, most=None)), dict(leaves(other, most=None))
    for name in [*ours, *(name for name in theirs if name not in ours)]:
        a, b = ours.get(name, "nothing"), theirs.get(name, "nothing")
        if a != b and not (a != a and b != b):
            return name, a, b
    return "", "", ""
