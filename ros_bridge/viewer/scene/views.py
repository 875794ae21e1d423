"""From where the world is looked at, and how a browser's camera is put there.

viser's camera has no orthographic projection. What comes closest is a very small field of view from afar: a
picture of the same size, in which a thing that is nearer by a view's height is larger by one percent.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ros_bridge.viewer.scene.scene_state import SceneMarker
from ros_bridge.viewer.tree.outline import ViewpointOutline
from sim_core.base.geometry import Vec3, rotation_from_quaternion

FROM_SOUTH_WEST = np.array((-0.35, -0.6, 0.5))
"""From the middle of the world to the first place of the camera, in diagonals of the world."""
SIDES: dict[str, Vec3] = {
    "Front": (1.0, 0.0, 0.0),
    "Back": (-1.0, 0.0, 0.0),
    "Left": (0.0, 1.0, 0.0),
    "Right": (0.0, -1.0, 0.0),
    "Top": (-1e-4, 0.0, 1.0),  # all but straight down, so that it is known that x points up in the picture
    "Bottom": (-1e-4, 0.0, -1.0),
}
"""Where the eye is, seen from the target, in the axes of what is looked at: x ahead, z up."""
UP = (0.0, 0.0, 1.0)
LEVEL = 1e-6
"""Of a view's left axis along z, up to which its horizon is level."""
NATURAL, FLAT = math.radians(75.0), math.radians(1.0)
"""Vertical fields of view; the first is viser's own."""
FARTHER = math.tan(NATURAL / 2.0) / math.tan(FLAT / 2.0)
"""Times as far away is the eye of an orthographic view."""
NEAR, FAR = 0.01, 1000.0
"""m, as viser has them."""
FARTHEST = 1e6
"""m that an eye can go away from its target."""
NEAREST = 0.2
"""m from an eye to its target."""


class ViewerCamera(NamedTuple):
    """Where the eye is, what it looks at, and what is up, in m in the world.

    Attributes:
        field_of_view: rad, of the longer side of the picture between the panels; 0: viser's own.
    """

    eye: Vec3
    target: Vec3
    up: Vec3 = UP
    field_of_view: float = 0.0


def home(surround: dict[str, Any], viewpoint: ViewpointOutline | None) -> ViewerCamera | None:
    """What the world's Viewpoint sees; without one all of the world; None: nothing is known of it yet."""
    found = outlook(surround)
    return found if found is None or viewpoint is None else from_viewpoint(viewpoint, found.target)


def outlook(surround: dict[str, Any]) -> ViewerCamera | None:
    """All of the world in sight, from the south-west and above; None: nothing is known of it yet.

    Args:
        surround: as `PageSurroundings.now` has it, with its bounds `low` and `high`.
    """
    if not surround:
        return None
    low, high = np.array(surround["low"]), np.array(surround["high"])
    middle = (low + high) / 2.0
    distance = max(0.8 * float(np.linalg.norm(high - low)), NEAREST)
    return ViewerCamera(_vector(middle + distance * FROM_SOUTH_WEST), _vector(middle))


def bounds(item: SceneMarker) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest coordinates of a shape, for any way it may be turned."""
    shape, place = item.shape, item.place
    scale = np.array(shape.scale)
    points = np.array(((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)))
    if shape.kind == "file":
        points = np.array(extent(shape.file))
    elif shape.points is not None:
        points = shape.points.reshape(-1, 3)
    low, high = points.min(axis=0) * scale, points.max(axis=0) * scale
    w, x, y, z = place.wxyz
    turn = _matrix((x, y, z, w))
    reach = np.abs(turn) @ np.abs(high - low) / 2.0
    middle = np.array(place.position) + turn @ (low + high) / 2.0
    return middle - reach, middle + reach


def extent(file: bytes) -> tuple[list[float], list[float]]:
    """Lowest and highest coordinates of all places in a binary glTF, as its accessors tell them."""
    length = int.from_bytes(file[12:16], "little")
    told = json.loads(file[20 : 20 + length])
    numbers = {part["attributes"]["POSITION"] for mesh in told["meshes"] for part in mesh["primitives"]}
    places = [told["accessors"][number] for number in numbers]
    lows, highs = ([each[side] for each in places] for side in ("min", "max"))
    return [min(each) for each in zip(*lows, strict=True)], [max(each) for each in zip(*highs, strict=True)]


def from_side(side: str, pose: Sequence[float], distance: float) -> ViewerCamera:
    """A view along an axis of what has this pose: x, y, z and a quaternion x, y, z, w, in the world."""
    target = np.asarray(pose[:3])
    return ViewerCamera(_vector(target + distance * (_matrix(pose[3:]) @ SIDES[side])), _vector(target))


def from_viewpoint(viewpoint: ViewpointOutline, middle: Sequence[float]) -> ViewerCamera:
    """What a Viewpoint sees; its target is on its line of sight, as deep as `middle`."""
    pose = viewpoint.pose
    eye, (ahead, left, up) = np.asarray(pose[:3]), _matrix(pose[3:]).T
    depth = max(float(ahead @ (np.asarray(middle) - eye)), NEAREST)
    is_level = abs(left[2]) < LEVEL and up[2] > 0.0
    target = _vector(eye + depth * ahead)
    return ViewerCamera(_vector(eye), target, UP if is_level else _vector(up), viewpoint.field_of_view)


def vertical(field_of_view: float, width: float, height: float) -> float:
    """The vertical field of view of a picture whose longer side has this one, rad; of 0 viser's own."""
    if not field_of_view:
        return NATURAL
    narrower = min(height / max(width, 1.0), 1.0)
    return 2.0 * math.atan(math.tan(field_of_view / 2.0) * narrower)


def show(camera: Any, view: ViewerCamera) -> None:
    """Put a browser's camera there, as far away as its projection has it."""
    eye, target = np.asarray(view.eye), np.asarray(view.target)
    camera.up_direction = view.up
    camera.position = target + (eye - target) * (FARTHER if is_flat(camera) else 1.0)
    camera.look_at = target
    keep_in_sight(camera)


def restore(camera: Any, view: ViewerCamera) -> None:
    """Put a browser's camera there, in perspective and with the view's own field of view."""
    camera.fov = vertical(view.field_of_view, camera.image_width, camera.image_height)
    show(camera, view)


def is_flat(camera: Any) -> bool:
    """Whether a camera's projection stands for an orthographic one."""
    return bool(camera.fov < 2.0 * FLAT)


def project(camera: Any, flat: bool) -> None:
    """Go to the orthographic projection (`flat`) or to perspective; what is at the target keeps its size."""
    if flat == is_flat(camera):
        return
    wanted = FLAT if flat else NATURAL
    target = np.array(camera.look_at)
    away = (np.array(camera.position) - target) * math.tan(camera.fov / 2.0) / math.tan(wanted / 2.0)
    camera.fov = wanted
    camera.max_orbit_distance = FARTHEST
    camera.position = target + away
    camera.look_at = target
    keep_in_sight(camera)


def keep_in_sight(camera: Any) -> None:
    """Cut off neither what is seen from afar nor, in perspective, what is near."""
    near, far = NEAR, FAR
    if is_flat(camera):
        away = distance(camera)
        if 2.0 * camera.near < away < 50.0 * camera.near:
            return
        near, far = 0.1 * away, 10.0 * away
    camera.near, camera.far = near, far


def distance(camera: Any) -> float:
    """m from a browser's eye to its target."""
    return math.dist(camera.position, camera.look_at)


def _matrix(quaternion: Sequence[float]) -> NDArray[np.float64]:
    """The rotation matrix (3, 3) of a quaternion x, y, z, w."""
    x, y, z, w = quaternion
    return np.array(rotation_from_quaternion((x, y, z, w))).reshape(3, 3)


def _vector(numbers: NDArray[np.float64]) -> Vec3:
    x, y, z = numbers.tolist()
    return x, y, z
