"""Attributes of XML elements, as URDF and SDF have them, checked."""

from __future__ import annotations

import math

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Pose, rotation_from_roll_pitch_yaw
from sim_core.scene.x3d.scenery_item import Item


def required(item: Item, field: str) -> str:
    """An attribute that must be there and not be empty.

    Raises:
        SceneError: it is not.
    """
    value = item.fields.get(field, "").strip()
    if not value:
        raise SceneError(*item.source, f"<{item.name}> without {field}", f"{field}=…")
    return value


def name_of(item: Item) -> str:
    """The attribute `name`.

    Raises:
        SceneError: there is none.
    """
    return required(item, "name")


def number_of(item: Item, field: str, default: float | None = None, low: float = -math.inf) -> float:
    """A number, at least `low`; without a default it must be there.

    Raises:
        SceneError: it is no finite number, or too low, or not there.
    """
    if default is None:
        required(item, field)
    value = item.number(field, 0.0 if default is None else default)
    if value < low:
        raise item.error(field, f"{low:g} or more")
    return value


def length_of(item: Item, field: str) -> float:
    """A number of 0 or more that must be there.

    Raises:
        SceneError: it is none.
    """
    value = number_of(item, field)
    if not 0.0 <= value < 1e9:
        raise item.error(field, "a length in m of 0 or more")
    return value


def origin_of(item: Item) -> Pose:
    """The `<origin xyz rpy>` in an element; without one the frame around it.

    Raises:
        SceneError: it has no three finite numbers.
    """
    origin = item.first("origin")
    if origin is None:
        return Pose()
    x, y, z = origin.numbers("xyz", 3) or (0.0, 0.0, 0.0)
    if max(abs(x), abs(y), abs(z)) > 1e9:
        raise origin.error("xyz", "coordinates in m")
    roll, pitch, yaw = origin.numbers("rpy", 3) or (0.0, 0.0, 0.0)
    if roll == pitch == yaw == 0.0:
        return Pose((x, y, z))
    return Pose((x, y, z), rotation_from_roll_pitch_yaw(roll, pitch, yaw))


def required_child(item: Item, name: str) -> Item:
    """The element of that name in another.

    Raises:
        SceneError: there is none.
    """
    found = item.first(name)
    if found is None:
        own = item.fields.get("name", "")
        raise SceneError(*item.source, f'{item.name} "{own}" without <{name}>', f"<{name} …/>")
    return found
