"""Views of the world, and how a browser's camera is moved to them.

viser's camera has no orthographic projection. It is approximated by a very small field of view from far away:
the picture has the same size, and a thing that is nearer by a view's height is larger by one percent.
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
"""Direction from the world's centre to the first position of the camera, in diagonals of the world."""
SIDES: dict[str, Vec3] = {
    "Front": (1.0, 0.0, 0.0),
    "Back": (-1.0, 0.0, 0.0),
    "Left": (0.0, 1.0, 0.0),
    "Right": (0.0, -1.0, 0.0),
    "Top": (-1e-4, 0.0, 1.0),  # not exactly down, so that "up" in the picture is defined: along x
    "Bottom": (-1e-4, 0.0, -1.0),
}
"""Direction of the eye from the target, in the axes of the object: x ahead, z up."""
UP = (0.0, 0.0, 1.0)
LEVEL = 1e-6
"""Largest z component of a view's left axis for which the horizon counts as level."""
PERSPECTIVE_FOV, FLAT_FOV = math.radians(75.0), math.radians(1.0)
"""Vertical fields of view of perspective (viser's default) and of the approximate orthographic view, rad."""
FLAT_DISTANCE_FACTOR = math.tan(PERSPECTIVE_FOV / 2.0) / math.tan(FLAT_FOV / 2.0)
"""Distance of the eye in an orthographic view, in multiples of that in perspective."""
NEAR, FAR = 0.01, 1000.0
"""Clipping distances, m; viser's defaults."""
MAX_EYE_DISTANCE = 1e6
"""Largest distance of an eye from its target, m."""
GRID = 9
"""Points along each side of a box, and rays across a view, with which is checked what a view sees."""
MIN_EYE_DISTANCE = 0.2
"""Smallest distance of an eye from its target, m."""


class ViewerCamera(NamedTuple):
    """Eye, target and up direction of a camera, in m in the world frame.

    Attributes:
        field_of_view: rad, of the longer side of the picture between the panels; 0: viser's default.
    """

    eye: Vec3
    target: Vec3
    up: Vec3 = UP
    field_of_view: float = 0.0


def home_view(surround: dict[str, Any], viewpoint: ViewpointOutline | None) -> ViewerCamera | None:
    """Return the view of the world's Viewpoint, or of the whole world; None: nothing is known yet.

    The whole world is shown if there is no Viewpoint, or if it sees nothing of the world.
    """
    whole = whole_world_view(surround)
    if whole is None or viewpoint is None:
        return whole
    view = from_viewpoint(viewpoint, whole.target)
    return view if sees(view, surround["low"], surround["high"]) else whole


def sees(view: ViewerCamera, low: Sequence[float], high: Sequence[float]) -> bool:
    """Return whether a view contains a part of a box.

    A point of a grid in the box is to be in the view, for small boxes, or a ray of the view is to meet the
    box, for large ones.

    Args:
        view: whose field of view is taken as a cone around its line of sight.
        low, high: corners of the box, m.
    """
    eye, corners = np.asarray(view.eye), np.array((low, high))
    ahead = (np.asarray(view.target) - eye) / math.dist(view.target, view.eye)
    half = (view.field_of_view or PERSPECTIVE_FOV) / 2.0
    away = np.stack(np.meshgrid(*np.linspace(corners[0], corners[1], GRID).T), axis=-1).reshape(-1, 3) - eye
    is_seen = away @ ahead > math.cos(half) * np.linalg.norm(away, axis=1)
    across = np.linalg.svd(ahead[None])[2][1:]  # two directions perpendicular to the line of sight
    steps = np.stack(np.meshgrid(*[np.linspace(-1.0, 1.0, GRID)] * 2), axis=-1).reshape(-1, 2)
    rays = ahead + math.tan(half) * steps[np.linalg.norm(steps, axis=1) <= 1.0] @ across
    with np.errstate(divide="ignore", invalid="ignore"):
        meets = np.sort((corners[:, None] - eye) / rays, axis=0)  # of each ray with both planes of each axis
    enters, leaves = np.nanmax(meets[0], axis=1), np.nanmin(meets[1], axis=1)
    return bool(is_seen.any() or ((enters <= leaves) & (leaves > 0.0)).any())


def whole_world_view(surround: dict[str, Any]) -> ViewerCamera | None:
    """Return a view of the whole world from the south-west and above; None: nothing is known yet.

    Args:
        surround: as returned by `PageSurroundings.now`, with the bounds `low` and `high`.
    """
    if not surround:
        return None
    low, high = np.array(surround["low"]), np.array(surround["high"])
    middle = (low + high) / 2.0
    distance = max(0.8 * float(np.linalg.norm(high - low)), MIN_EYE_DISTANCE)
    return ViewerCamera(_vector(middle + distance * FROM_SOUTH_WEST), _vector(middle))


def bounds(item: SceneMarker) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and highest coordinates of a shape for any orientation."""
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
    """Return the lowest and highest coordinates of all positions in a binary glTF, from its accessors."""
    length = int.from_bytes(file[12:16], "little")
    header = json.loads(file[20 : 20 + length])
    numbers = {part["attributes"]["POSITION"] for mesh in header["meshes"] for part in mesh["primitives"]}
    places = [header["accessors"][number] for number in numbers]
    lows, highs = ([each[side] for each in places] for side in ("min", "max"))
    return [min(each) for each in zip(*lows, strict=True)], [max(each) for each in zip(*highs, strict=True)]


def from_side(side: str, pose: Sequence[float], distance: float) -> ViewerCamera:
    """Return a view along an axis of an object at `pose`: x, y, z, quaternion x, y, z, w, in the world."""
    target = np.asarray(pose[:3])
    return ViewerCamera(_vector(target + distance * (_matrix(pose[3:]) @ SIDES[side])), _vector(target))


def from_viewpoint(viewpoint: ViewpointOutline, middle: Sequence[float]) -> ViewerCamera:
    """Return the view of a Viewpoint; its target is on its line of sight, at the depth of `middle`."""
    pose = viewpoint.pose
    eye, (ahead, left, up) = np.asarray(pose[:3]), _matrix(pose[3:]).T
    depth = max(float(ahead @ (np.asarray(middle) - eye)), MIN_EYE_DISTANCE)
    is_level = abs(left[2]) < LEVEL and up[2] > 0.0
    target = _vector(eye + depth * ahead)
    return ViewerCamera(_vector(eye), target, UP if is_level else _vector(up), viewpoint.field_of_view)


def vertical(field_of_view: float, width: float, height: float) -> float:
    """Return the vertical field of view, rad, from that of the longer side; for 0 viser's default."""
    if not field_of_view:
        return PERSPECTIVE_FOV
    narrower = min(height / max(width, 1.0), 1.0)
    return 2.0 * math.atan(math.tan(field_of_view / 2.0) * narrower)


def show(camera: Any, view: ViewerCamera) -> None:
    """Move a browser's camera to a view, at the distance that its projection needs."""
    eye, target = np.asarray(view.eye), np.asarray(view.target)
    camera.up_direction = view.up
    camera.position = target + (eye - target) * (FLAT_DISTANCE_FACTOR if is_orthographic(camera) else 1.0)
    camera.look_at = target
    set_clipping(camera)


def restore(camera: Any, view: ViewerCamera) -> None:
    """Move a browser's camera to a view, in perspective and with the view's own field of view."""
    camera.fov = vertical(view.field_of_view, camera.image_width, camera.image_height)
    show(camera, view)


def is_orthographic(camera: Any) -> bool:
    """Return whether a camera's projection is the approximate orthographic one."""
    return bool(camera.fov < 2.0 * FLAT_FOV)


def project(camera: Any, orthographic: bool) -> None:
    """Switch to the orthographic projection (`orthographic`) or to perspective; the target keeps its size."""
    if orthographic == is_orthographic(camera):
        return
    wanted = FLAT_FOV if orthographic else PERSPECTIVE_FOV
    target = np.array(camera.look_at)
    away = (np.array(camera.position) - target) * math.tan(camera.fov / 2.0) / math.tan(wanted / 2.0)
    camera.fov = wanted
    camera.max_orbit_distance = MAX_EYE_DISTANCE
    camera.position = target + away
    camera.look_at = target
    set_clipping(camera)


def set_clipping(camera: Any) -> None:
    """Set the clipping distances to include far objects and, in perspective, near ones."""
    near, far = NEAR, FAR
    if is_orthographic(camera):
        away = distance(camera)
        if 2.0 * camera.near < away < 50.0 * camera.near:
            return
        near, far = 0.1 * away, 10.0 * away
    camera.near, camera.far = near, far


def distance(camera: Any) -> float:
    """Return the distance from a browser's eye to its target, m."""
    return math.dist(camera.position, camera.look_at)


def _matrix(quaternion: Sequence[float]) -> NDArray[np.float64]:
    """Return the rotation matrix (3, 3) of a quaternion x, y, z, w."""
    x, y, z, w = quaternion
    return np.array(rotation_from_quaternion((x, y, z, w))).reshape(3, 3)


def _vector(numbers: NDArray[np.float64]) -> Vec3:
    x, y, z = numbers.tolist()
    return x, y, z
