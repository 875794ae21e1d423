"""Position of the Viewpoint at which an object fills the picture."""

from __future__ import annotations

import math

import numpy as np

from sim_core.base.geometry import Vec3, rotate, scale, subtract
from sim_core.devices.vision.object_bounds import ObjectBounds
from sim_core.engines.world_view import World
from sim_core.recording.follow import viewpoint_pose
from sim_core.scene import Node, Scene

SHORTER_SIDE = 9.0 / 16.0
"""Length of the picture's shorter side, relative to the longer one."""
SMALLEST = 0.01
"""m: radius used for objects without extent."""


def place_to_see(scene: Scene, world: World, solid: Node) -> Vec3:
    """Return the position of the Viewpoint, in the world, to see all of a solid in the present view
    direction.

    The bounding sphere of the solid's box touches the shorter sides of a 16:9 picture.
    """
    (found,) = world.model.objects(lambda node: node is solid)
    bounds = ObjectBounds(found, world.frame)
    high = bounds.reach(np.eye(3))
    low = -bounds.reach(-np.eye(3))
    radius = max(SMALLEST, float(np.linalg.norm(high - low)) / 2.0)
    x, y, z = (float(each) for each in (high + low) / 2.0)
    viewpoint = next(node for node in scene.nodes if node.type_name == "Viewpoint")
    half = math.atan(math.tan(viewpoint["fieldOfView"] / 2.0) * SHORTER_SIDE)
    now = viewpoint_pose(world)
    forward = rotate(now.rotation, (1.0, 0.0, 0.0))
    return subtract((x, y, z), scale(forward, radius / math.sin(half)))
