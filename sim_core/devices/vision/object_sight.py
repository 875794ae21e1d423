"""Occlusion of objects by others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim_core.base.arrays import BoolArray, FloatArray
from sim_core.base.geometry import Vec3
from sim_core.devices.vision.object_bounds import ObjectBounds
from sim_core.model.device_spec import NodeSpec
from sim_core.sensing.rays import RayBatch, Rays

TOLERANCE = 1e-9
"""Tolerance in m of the length of a ray that ends on a surface."""


def are_hidden(
    rays: RayBatch, eye: Vec3, points: FloatArray, objects: Sequence[ObjectBounds], robot: NodeSpec | None
) -> BoolArray:
    """Return for each point True if a bounding object of another solid lies between the eye and the point.

    Args:
        rays: a ray batch for this call alone.
        eye: m, world.
        points: (n, 3) m, world.
        objects: n objects that the points belong to.
        robot: bounding objects of this robot hide nothing.

    Returns:
        (n,) True for hidden points.
    """
    if not len(points):
        return np.zeros(0, bool)
    lines = points - eye
    lengths = np.linalg.norm(lines, axis=1)
    directions = np.where(
        lengths[:, None] > 0.0, lines / np.maximum(lengths, TOLERANCE)[:, None], (1.0, 0.0, 0.0)
    )
    rays.clear()
    unseen = robot.id if robot is not None else None
    rays.add_rays(Rays(None, np.tile(eye, (len(points), 1)), directions, float(lengths.max()), unseen))
    rays.cast()
    met = rays.distances < lengths - TOLERANCE
    for index in np.flatnonzero(met).tolist():
        met[index] = rays.solid(index) not in objects[index].solids
    return np.asarray(met)
