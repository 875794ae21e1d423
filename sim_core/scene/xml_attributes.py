"""Checked attributes of XML elements in URDF and SDF."""

from __future__ import annotations

import math

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Pose, rotation_from_roll_pitch_yaw
from sim_core.scene.x3d.scenery_item import Item


def required(item: Item, field: str) -> str:
    """Return an attribute that must exist and not be empty.

    Raises:
        SceneError: it is missing or empty.
    """
    value = item.fields.get(field, "").strip()
    if not value:
        raise SceneError(*item.source, f"<{item.name}> without {field}", f"{field}=…")
    return value


def name_of(item: Item) -> str:
    """Return the attribute `name`.

    Raises:
        SceneError: there is none.
    """
    return required(item, "name")


def number_of(item: Item, field: str, default: float | None = None, low: float = -math.inf) -> float:
    """Return a number, at least `low`; without a default it is required.

    Raises:
        SceneError: it is not a finite number, too low, or missing.
    """
    if default is None:
        required(item, field)
    value = item.number(field, 0.0 if default is None else default)
    if value < low:
        raise item.error(field, f"{low:g} or more")
    return value


def length_of(item: Item, field: str) -> float:
    """Return a required number of 0 or more.

    Raises:
        SceneError: it is not such a number, or missing.
    """
    value = number_of(item, field)
    if not 0.0 <= value < 1e9:
        raise item.error(field, "a length in m of 0 or more")
    return value


def origin_of(item: Item) -> Pose:
    """Return the pose of the `<origin xyz rpy>` in an element; without one the frame around it.

    Raises:
        SceneError: an attribute does not have three finite numbers.
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
    """Return the child element with this name.

    Raises:
        SceneError: there is none.
    """
    found = item.first(name)
    if found is None:
        own = item.fields.get("name", "")
        raise SceneError(*item.source, f'{item.name} "{own}" without <{name}>', f"<{name} …/>")
    return found
