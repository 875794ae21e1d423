"""A world without an engine: all stands where the fields of the scene say. And rays, cast in it now."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from sim_core.base.geometry import Pose
from sim_core.base.ids import NodeId
from sim_core.engines.pose_reader import SingleReader
from sim_core.engines.world_view import PoseReader
from sim_core.model.solids import pose_at_start
from sim_core.model.world_model import WorldModel
from sim_core.scene import Node, Scene
from sim_core.sensing.raycast.ray_scene import RayScene
from sim_core.sensing.rays import Rays


class SceneFrame:
    """The frame of a node as its fields state it, read anew at each call."""

    def __init__(self, node: Node) -> None:
        self.node = node

    def pose(self) -> Pose:
        return pose_at_start(self.node)


class StillWorld:
    """What rays and bounds ask of a world."""

    def __init__(self, scene: Scene, frame: Callable[[Node], Any] = SceneFrame) -> None:
        self.scene = scene
        self.model = WorldModel(scene)
        self._frame = frame

    def frame(self, node: NodeId) -> Any:
        """The frame of a solid."""
        return self._frame(self.model.node(node))

    def pose_reader(self, frames: Mapping[int, Any]) -> PoseReader:
        """The poses of these frames, at once."""
        return SingleReader(frames).read


class Hits(NamedTuple):
    """What rays met; see `RayBatch`."""

    distances: np.ndarray
    normals: np.ndarray
    shapes: np.ndarray


def cast(
    rays: RayScene,
    origins: np.ndarray,
    directions: np.ndarray,
    max_range: float = math.inf,
    robot: NodeId | None = None,
    visible: bool = False,
) -> Hits:
    """Rays given in the world, now."""
    batch = rays.new_batch()
    batch.add_rays(Rays(None, origins, directions, max_range, robot, visible))
    batch.cast()
    return Hits(batch.distances, batch.normals, batch.shapes)
