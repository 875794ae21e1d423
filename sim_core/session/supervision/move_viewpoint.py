"""Where the Viewpoint must stand for an object to fill the picture."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from sim_core.base.geometry import Pose, Vec3, rotate, scale, subtract
from sim_core.devices.vision.object_bounds import ObjectBounds
from sim_core.devices.world_view import Frame
from sim_core.model.frames import view_of
from sim_core.model.shapes import bounding_shapes, visible_shapes
from sim_core.recording.follow import viewpoint_pose
from sim_core.scene import Node, Scene


class World(Protocol):
    """Knows where solids are, and how they move."""

    def frame(self, node: Node) -> Frame:
        """The frame of a solid."""


SHORTER_SIDE = 9.0 / 16.0
"""Of the picture, for 1 of the longer side."""
SMALLEST = 0.01
"""m: the radius of what has no extent."""


def place_to_see(scene: Scene, world: World, solid: Node) -> Vec3:
    """Where the Viewpoint stands, in the world, to see all of a solid, looking where it looks now.

    The ball around the solid's box touches the shorter sides of a picture of 16:9.
    """
    bounds = ObjectBounds(solid, world.frame, bounding_shapes(scene), visible_shapes(scene))
    high = bounds.reach(np.eye(3))
    low = -bounds.reach(-np.eye(3))
    radius = max(SMALLEST, float(np.linalg.norm(high - low)) / 2.0)
    x, y, z = (float(each) for each in (high + low) / 2.0)
    viewpoint = next(node for node in scene.nodes if node.type_name == "Viewpoint")
    half = math.atan(math.tan(viewpoint["fieldOfView"] / 2.0) * SHORTER_SIDE)
    now = viewpoint_pose(scene, world)
    forward = rotate(now.rotation, (1.0, 0.0, 0.0))
    place = Pose(subtract((x, y, z), scale(forward, radius / math.sin(half))), now.rotation)
    if viewpoint["followType"] == "Pan and Tilt Shot":
        return place.position
    return (view_of(viewpoint) * now.inverse() * place).position  # as it is carried along by what it follows
