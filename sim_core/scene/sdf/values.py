"""Values in elements of SDF: numbers, flags, vectors, poses."""

from __future__ import annotations

import math

from sim_core.base.errors import SceneError
from sim_core.base.geometry import (
    Pose,
    Vec3,
    rotation_from_quaternion,
    rotation_from_roll_pitch_yaw,
    three_numbers,
)
from sim_core.scene.gazebo.tags import Tag

ENDLESS = 1e15
"""Numbers from here on mean "unlimited": files write 1e16, 1.79769e+308 and inf."""
TRUE, FALSE = ("true", "1"), ("false", "0")
_FARTHEST = 1e9


def number(tag: Tag, name: str, default: float) -> float:
    """Return the number in an element; one that means "unlimited" is infinite.

    Raises:
        SceneError: it is not a number.
    """
    found = tag.first(name)
    if found is None or not found.text:
        return default
    try:
        value = _number(found.text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise found.as_value().error("value", "a number")
    return value if abs(value) < ENDLESS else math.copysign(math.inf, value)


def finite(tag: Tag, name: str, default: float, low: float = -math.inf, high: float = math.inf) -> float:
    """Return a finite number, limited to a range.

    Raises:
        SceneError: it is not a number, or not finite.
    """
    value = number(tag, name, default)
    if math.isinf(value) and not math.isfinite(max(low, min(high, value))):
        raise SceneError(*tag.source, f"<{name}> {value:g} in <{tag.item.name}>", "a finite number")
    return max(low, min(high, value))


def _number(text: str) -> float:
    return float(int(text, 16)) if text.lower().lstrip("+-").startswith("0x") else float(text)


def flag(tag: Tag, name: str, default: bool = False) -> bool:
    """Return whether an element is `true`, or a number that is not 0.

    Raises:
        SceneError: it has another value.
    """
    found = tag.first(name)
    if found is None or not found.text:
        return default
    if found.text.lower() in TRUE + FALSE:
        return found.text.lower() in TRUE
    return number(tag, name, 0.0) != 0.0


def vector(tag: Tag, name: str, default: Vec3) -> Vec3:
    """Return the three numbers in an element.

    Raises:
        SceneError: there are not three numbers.
    """
    found = tag.first(name)
    return default if found is None or not found.text else three_numbers(found.numbers(3))


def colour(tag: Tag, name: str) -> tuple[float, float, float, float] | None:
    """Return red, green, blue and opacity, from 0 to 1; None: there is no such element.

    Raises:
        SceneError: there are fewer than three numbers, or more than four.
    """
    found = tag.first(name)
    if found is None or not found.text:
        return None
    values = found.as_value().numbers("value") or []
    if not 3 <= len(values) <= 4:
        raise found.as_value().error("value", "3 or 4 numbers")
    red, green, blue, alpha = (min(1.0, max(0.0, value)) for value in (*values, 1.0)[:4])
    return red, green, blue, alpha


def pose_of(tag: Tag, warnings: list[SceneError]) -> Pose:
    """Return the pose in a `<pose>`; a wrong count of numbers gives the identity, with a warning, as in
    Gazebo.

    Raises:
        SceneError: a number is invalid.
    """
    values = tag.as_value().numbers("value") or []
    is_quaternion = tag.attribute("rotation_format") == "quat_xyzw"
    if not values:
        return Pose()
    if len(values) != (7 if is_quaternion else 6) or max(map(abs, values[:3])) > _FARTHEST:
        expected = "x y z and a quaternion x y z w" if is_quaternion else "x y z roll pitch yaw"
        warnings.append(SceneError(*tag.source, f'pose "{_short(tag.text)}" has no effect', expected))
        return Pose()
    place = three_numbers(values[:3])
    if is_quaternion:
        length = math.hypot(*values[3:])
        x, y, z, w = (value / length for value in values[3:]) if length > 0.0 else (0.0, 0.0, 0.0, 1.0)
        return Pose(place, rotation_from_quaternion((x, y, z, w)))
    roll, pitch, yaw = values[3:]
    if tag.attribute("degrees").lower() in TRUE:
        roll, pitch, yaw = map(math.radians, (roll, pitch, yaw))
    return Pose(place, rotation_from_roll_pitch_yaw(roll, pitch, yaw)) if any(values[3:]) else Pose(place)


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 60 else words[:57] + "..."
