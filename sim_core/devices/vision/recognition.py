"""Ground truth of what a camera could recognize: the solids with `recognitionColors`.

Nothing is rendered. The `Recognizer` has all objects of a scene; each call returns those in a view, their
positions, and their sizes (Webots reference, Recognition):

    sim.media.of(Recognizer).recognize(sim.robot("r").frame, View(horizontal=1.0, vertical=0.8))
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim_core.base.errors import ConfigError
from sim_core.base.geometry import Pose, Vec3
from sim_core.base.ids import NodeId
from sim_core.devices.media import Media, Medium
from sim_core.devices.vision.object_bounds import ObjectBounds, in_view
from sim_core.devices.vision.object_sight import are_hidden
from sim_core.engines.world_view import Frame
from sim_core.model.changes import ALL, Aspect, Edits
from sim_core.model.device_spec import NodeSpec

Color = tuple[float, float, float]
_Image = tuple[float, float, float, float]
_REPORTED_FIELDS = ("model", "name", "recognitionColors")
"""Fields of objects that are reported."""


@dataclass(frozen=True)
class View:
    """View from a frame along its x axis, with z up: as fields of Camera and Recognition.

    Attributes:
        horizontal, vertical: full angles of the picture in rad, above 0 and below π.
        near: m along the x axis; what lies wholly before it is not seen.
        max_range: m to the middle of an object, less half of its depth.
        max_objects: largest number of objects, those largest in the picture; None: all.
        occlusion: 0: nothing is hidden. 1: an object is hidden if the middle of its box is. 2: if the middle
            and all corners of the box are. They are hidden by bounding objects of other solids.
        projection: of the picture, see `PictureView`; other than "planar" the horizontal angle goes up to 2π.
        rows: height of a cylindrical picture, rad of elevation.
    """

    horizontal: float
    vertical: float
    near: float = 0.0
    max_range: float = math.inf
    max_objects: int | None = None
    occlusion: int = 1
    projection: str = "planar"
    rows: float = 0.0

    def __post_init__(self) -> None:
        """Raise ConfigError for values that no view can have."""
        if self.is_round and not 0.0 < self.horizontal <= 2.0 * math.pi:
            raise ConfigError(f"View.horizontal: found {self.horizontal}, expected an angle of up to 2π")
        for name in ("vertical",) if self.is_round else ("horizontal", "vertical"):
            angle = getattr(self, name)
            if not 0.0 < angle < math.pi:
                raise ConfigError(f"View.{name}: found {angle}, expected an angle above 0 and below π")
        if not 0.0 <= self.near < self.max_range:
            raise ConfigError(f"View.near: found {self.near}, expected 0 or more and less than max_range")
        if self.occlusion not in (0, 1, 2):
            raise ConfigError(f"View.occlusion: found {self.occlusion}, expected 0, 1 or 2")
        if self.max_objects is not None and self.max_objects < 0:
            raise ConfigError(f"View.max_objects: found {self.max_objects}, expected 0 or more, or None")

    @property
    def is_round(self) -> bool:
        """True if the picture is on a cylinder or a sphere."""
        return self.projection != "planar"


@dataclass(frozen=True)
class RecognizedObject:
    """One object in a view; positions in the frame of the view.

    Attributes:
        id: number of the object among all objects of the scene, in file order: `Recognizer.objects[id]`.
        name: name of its Solid.
        model: its `model` field.
        colors: its `recognitionColors`, red, green and blue from 0 to 1.
        pose: X_FS of the solid itself.
        position: middle of its box, m. The box is along the axes of the frame, around the bounding objects of
            the solid and of those below it (visible shapes if there are none), in a planar picture clipped in
            y and z where the view ends at the depth of its middle.
        size: of the box along x (away), y (width) and z (height), m.
        image: left, top, right and bottom, from 0 to 1: of the box's middle plane in a planar picture, of its
            corners and its middle in a round one.
    """

    id: int
    name: str
    model: str
    colors: tuple[Color, ...]
    pose: Pose
    position: Vec3
    size: Vec3
    image: tuple[float, float, float, float]

    @property
    def area(self) -> float:
        """Fraction of the picture that the box covers."""
        left, top, right, bottom = self.image
        return (right - left) * (bottom - top)


class Recognizer(Medium):
    """The recognizable objects of a world, shared by all cameras.

    Attributes:
        objects: the extents of all of them, in file order.
    """

    def __init__(self, media: Media) -> None:
        super().__init__(media)
        self.scene_changed(ALL)

    def scene_changed(self, edits: Edits) -> None:
        """Find the objects again after an edit."""
        if edits.touch(Aspect.STRUCTURE, Aspect.SIZE) or any(map(edits.contain_field, _REPORTED_FIELDS)):
            frame = self.world.frame
            self.objects = [ObjectBounds(each, frame) for each in self.world.model.recognizable()]

    def solid_of(self, seen: RecognizedObject) -> NodeId | None:
        """Return the present node of an object; None: it was removed."""
        return self.objects[seen.id].solid.id if seen.id < len(self.objects) else None

    def recognize(self, frame: Frame, view: View, robot: NodeSpec | None = None) -> list[RecognizedObject]:
        """Return the objects visible from a frame now, in file order, or with `max_objects`, the largest
        first.

        Args:
            frame: frame to look from.
            view: parameters of the view.
            robot: bounding objects of this robot hide nothing; solids above the camera can be seen.
        """
        pose = frame.pose()
        seen = [
            (number, bounds, low, high)
            for number, bounds in enumerate(self.objects)
            for low, high in [bounds.box(pose)]
            if _is_within(low, high, view)
            and in_view(bounds, pose, view.horizontal, view.vertical, view.is_round)
        ]
        if view.occlusion:
            hidden = self._hidden(pose, view, [(bounds, low, high) for _, bounds, low, high in seen], robot)
            seen = [item for item, behind in zip(seen, hidden, strict=True) if not behind]
        inverse = pose.inverse()
        found = [_recognized(number, bounds, inverse, low, high, view) for number, bounds, low, high in seen]
        if view.max_objects is not None:
            found = sorted(found, key=lambda item: -item.area)[: view.max_objects]
        return found

    def _hidden(
        self,
        pose: Pose,
        view: View,
        boxes: list[tuple[ObjectBounds, np.ndarray, np.ndarray]],
        robot: NodeSpec | None,
    ) -> list[bool]:
        """Return for each box True if all its points that count are hidden."""
        points = [_points(low, high, view.occlusion) for _, low, high in boxes]
        if not points:
            return []
        turn = np.array(pose.rotation).reshape(3, 3)
        owners = [bounds for (bounds, _, _), some in zip(boxes, points, strict=True) for _ in some]
        world = np.concatenate(points) @ turn.T + pose.position
        hidden = are_hidden(self.rays, pose.position, world, owners, robot)
        return [all(some) for some in hidden.reshape(len(boxes), -1).tolist()]


def _points(low: np.ndarray, high: np.ndarray, occlusion: int) -> np.ndarray:
    """Return the middle of a box, with its corners at level 2; (k, 3) m."""
    middle = (low + high) / 2.0
    if occlusion == 1:
        return middle[None]
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    return np.concatenate([middle[None], middle + signs * (high - low) / 2.0])


def _is_within(low: np.ndarray, high: np.ndarray, view: View) -> bool:
    """Return True if a part of a box is ahead of `near` and not beyond `max_range`."""
    away = math.hypot(*((low + high) / 2.0))
    nearest = away + math.dist(low, high) / 2.0 if view.is_round else high[0]
    return bool(nearest > view.near and away <= view.max_range + (high[0] - low[0]) / 2.0)


def _recognized(
    number: int, bounds: ObjectBounds, inverse: Pose, low: np.ndarray, high: np.ndarray, view: View
) -> RecognizedObject:
    find = _in_round_picture if view.is_round else _in_plane
    low, high, image = find(low, high, view)
    solid = bounds.solid
    return RecognizedObject(
        number,
        solid["name"],
        solid["model"],
        solid["recognitionColors"],
        inverse * bounds.frame.pose(),
        tuple(((low + high) / 2.0).tolist()),
        tuple((high - low).tolist()),
        image,
    )


def _in_plane(low: np.ndarray, high: np.ndarray, view: View) -> tuple[np.ndarray, np.ndarray, _Image]:
    """Return the box clipped to a planar picture, and its place there."""
    depth = max((low[0] + high[0]) / 2.0, view.near, 1e-9)
    edge = depth * np.tan([view.horizontal / 2.0, view.vertical / 2.0])
    low = np.array([low[0], *np.clip(low[1:], -edge, edge)])
    high = np.array([high[0], *np.clip(high[1:], -edge, edge)])
    (left, top), (right, bottom) = (0.5 - high[1:] / edge / 2.0), (0.5 - low[1:] / edge / 2.0)
    return low, high, (float(left), float(top), float(right), float(bottom))


def _in_round_picture(low: np.ndarray, high: np.ndarray, view: View) -> tuple[np.ndarray, np.ndarray, _Image]:
    """Return the box, and the range of its corners and its middle in the picture, see `pixel_directions`."""
    x, y, z = _points(low, high, 2).T
    if view.projection == "spherical":
        off = np.hypot(y, z)
        part = np.arctan2(off, x) / view.horizontal / np.maximum(off, 1e-9)
        left, up = part * y, part * z
    else:
        left, up = np.arctan2(y, x) / view.horizontal, np.arctan2(z, np.hypot(x, y)) / view.rows
    u, v = np.clip(0.5 - left, 0.0, 1.0), np.clip(0.5 - up, 0.0, 1.0)
    return low, high, (float(u.min()), float(v.min()), float(u.max()), float(v.max()))
