"""Extents of objects for radars and recognition: a solid with all solids below it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sim_core.base.arrays import FloatArray
from sim_core.base.geometry import Pose
from sim_core.base.ids import NodeId
from sim_core.engines.world_view import Frame
from sim_core.model.geometry import Box, Capsule, Cone, Cylinder, Plane, Sphere, TriangleMesh
from sim_core.model.objects import SceneObject
from sim_core.model.points_and_lines import LineSet, PointSet
from sim_core.model.shapes import ShapeRecord


class _RoundedHull(NamedTuple):
    """The hull of points, each widened to a ball, or to a disc perpendicular to the z axis.

    Attributes:
        points: (k, 3) m, coordinates of the geometry.
        radius: (k,) m.
        is_disc: widened in x and y only.
    """

    points: FloatArray
    radius: FloatArray
    is_disc: bool


class _PlacedHull(NamedTuple):
    hull: _RoundedHull
    frame: Frame
    offset: Pose


class ObjectBounds:
    """The extents of a solid and of those below it.

    They are those of the bounding objects; if none of the solids has one, of the visible shapes. Planes have
    no extent as bounding objects. A solid without either is a point.

    Attributes:
        solid: the object.
        solids: ids of the object and the solids below it.
        frame: frame of the object.
    """

    def __init__(self, found: SceneObject, frame_of: Callable[[NodeId], Frame]) -> None:
        self.solid, self.solids = found.spec, found.solids
        self.frame = frame_of(found.spec.id)
        self._parts: list[_PlacedHull] = []
        for records, seen in ((found.bounding, False), (found.visible, True)):
            for record in records:
                hull = _hull(record, seen)
                if hull is not None and record.solid is not None:
                    self._parts.append(_PlacedHull(hull, frame_of(record.solid), record.offset))
            if self._parts:
                break

    def reach(self, directions: FloatArray) -> FloatArray:
        """Return the largest n·p over the points p of the object, in the world.

        Args:
            directions: (m, 3) vectors n, world axes.

        Returns:
            (m,) m, from the origin of the world.
        """
        if not self._parts:
            return np.asarray(directions @ self.frame.pose().position)
        best = np.full(len(directions), -np.inf)
        for hull, frame, offset in self._parts:
            pose = frame.pose() * offset
            local = directions @ np.array(pose.rotation).reshape(3, 3)  # (m, 3) in the geometry's axes
            wide = np.linalg.norm(local[:, :2] if hull.is_disc else local, axis=1)
            far = (local @ hull.points.T + wide[:, None] * hull.radius).max(axis=1)
            best = np.maximum(best, far + directions @ pose.position)
        return best

    def box(self, pose: Pose) -> tuple[FloatArray, FloatArray]:
        """Return the smallest box around the object with edges along the axes of a frame.

        Args:
            pose: X_WF of the frame.

        Returns:
            Its lowest and its highest corner, (3,) m each, in the frame.
        """
        axes = np.array(pose.rotation).reshape(3, 3).T
        origin = axes @ pose.position
        far = self.reach(np.concatenate([-axes, axes]))
        return -far[:3] - origin, far[3:] - origin


def in_view(
    bounds: ObjectBounds, pose: Pose, horizontal: float, vertical: float, is_round: bool = False
) -> bool:
    """Return True if a part of an object may lie in the field of view along the x axis of a frame.

    It does not if it is wholly on the outer side of one of the four planes that bound the view. From a width
    of π on, the left and right planes bound the invisible part.

    Args:
        bounds: the object.
        pose: X_WF of the frame.
        horizontal, vertical: full angles in rad; vertical below π.
        is_round: the upper and lower bounds are angles of elevation, as from a width of π on.
    """
    turn = np.array(pose.rotation).reshape(3, 3)
    s, c = math.sin(horizontal / 2.0), math.cos(horizontal / 2.0)
    inner = np.array([(s, -c, 0.0), (s, c, 0.0)]) @ turn.T
    sides = bounds.reach(inner) - inner @ pose.position > 0.0
    if not (sides.all() if horizontal < math.pi else sides.any()):
        return False
    if horizontal < math.pi and not is_round:
        s, c = math.sin(vertical / 2.0), math.cos(vertical / 2.0)
        inner = np.array([(s, 0.0, -c), (s, 0.0, c), (1.0, 0.0, 0.0)]) @ turn.T
        return bool((bounds.reach(inner) - inner @ pose.position > 0.0).all())
    low, high = bounds.box(pose)
    middle = (low + high) / 2.0
    across = math.hypot(middle[0], middle[1])
    radius, away = math.dist(low, high) / 2.0, math.hypot(*middle)
    margin = math.asin(radius / away) if radius < away else math.pi
    return abs(math.atan2(middle[2], across)) <= vertical / 2.0 + margin


def _hull(record: ShapeRecord, seen: bool) -> _RoundedHull | None:
    """Return the hull of a geometry, None for one without extent."""
    geometry, scale = record.geometry, np.array(record.scale)
    match geometry:
        case Box(size):
            return _corners(np.array(size) * scale / 2.0)
        case Plane(size) if seen:
            return _corners(np.array([*size, 0.0]) * scale / 2.0)
        case Sphere(radius):
            return _RoundedHull(np.zeros((1, 3)), np.array([radius * scale.max()]), False)
        case Cylinder(radius, height) | Capsule(radius, height) | Cone(radius, height):
            ends = np.array([[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]]) * height * scale[2]
            wide = np.full(2, radius * scale[:2].max())
            if isinstance(geometry, Cone):
                wide[1] = 0.0
            return _RoundedHull(ends, wide, not isinstance(geometry, Capsule))
        case TriangleMesh(points=points) | PointSet(points=points) | LineSet(points=points) if len(points):
            return _RoundedHull(points * scale, np.zeros(len(points)), False)
    return None


def _corners(half: FloatArray) -> _RoundedHull:
    return _RoundedHull(Box.CORNERS * half, np.zeros(8), False)
