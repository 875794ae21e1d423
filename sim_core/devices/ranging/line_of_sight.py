"""Line of sight between devices of two robots."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim_core.base.arrays import BoolArray, FloatArray
from sim_core.base.geometry import Vec3
from sim_core.model.device_spec import RobotSpec
from sim_core.sensing.rays import RayBatch, Rays

_STEP_OVER = 1e-9
"""Offset in m at which the next ray starts behind an ignored surface."""
_SHORTEST = 1e-9
"""Distance in m below which nothing stands between two devices."""
_MOST_SURFACES = 64
"""Number of surfaces of the robot at the end that are ignored; then the ray is assumed clear."""


def are_clear(
    rays: RayBatch, start: Vec3, ends: FloatArray, robot: RobotSpec, robots: Sequence[RobotSpec]
) -> BoolArray:
    """Return which of the ends are in sight of the start.

    Bounding objects of the robot at the start are ignored, and for each end those of the robot there. A ray
    hits only the nearest surface; where that is the end's own robot, the next ray starts behind it.

    Args:
        rays: a ray batch for this call alone.
        start: m, world.
        ends: (n, 3) m, world.
        robot: the robot at the start.
        robots: n robots, at each end.

    Returns:
        (n,) True where nothing stands in between.
    """
    clear = np.ones(len(ends), bool)
    offsets = ends - start
    lengths = np.linalg.norm(offsets, axis=1)
    directions = offsets / np.maximum(lengths, _SHORTEST)[:, None]
    owners = [each.outermost.id for each in robots]
    gone = np.zeros(len(ends))
    waiting = np.flatnonzero(lengths > _SHORTEST)
    for _ in range(_MOST_SURFACES):
        if not len(waiting):
            break
        left = lengths[waiting] - gone[waiting]
        origins = start + directions[waiting] * gone[waiting, None]
        rays.clear()
        rays.add_rays(Rays(None, origins, directions[waiting], float(left.max()), robot.id))
        rays.cast()
        passed = []
        for ray in np.flatnonzero(rays.distances < left):
            index = waiting[ray]
            if rays.robot_hit(int(ray)) == owners[index]:
                gone[index] += rays.distances[ray] + _STEP_OVER
                if gone[index] < lengths[index]:
                    passed.append(index)
            else:
                clear[index] = False
        waiting = np.array(passed, np.int64)
    return clear
