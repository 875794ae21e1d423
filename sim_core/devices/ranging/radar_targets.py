"""What the radars of a world may find: the solids with a radar cross section."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim_core.base.geometry import Vec3
from sim_core.devices.media import Medium
from sim_core.devices.vision.object_bounds import ObjectBounds, Objects
from sim_core.devices.vision.object_sight import are_hidden
from sim_core.engines.world_view import World
from sim_core.model.changes import ALL, Aspect, Edits
from sim_core.scene import Node
from sim_core.sensing.rays import RayBatch


class RadarTargets(Medium):
    """All solids whose `radarCrossSection` is above 0, in file order, with the rays to look for them.

    Attributes:
        targets: their extents and frames.
    """

    def __init__(self, world: World, new_rays: Callable[[], RayBatch]) -> None:
        super().__init__(world, new_rays)
        self.scene_changed(ALL)

    def scene_changed(self, edits: Edits) -> None:
        """Look for the solids."""
        if not (edits.touch(Aspect.STRUCTURE, Aspect.SIZE) or edits.set("radarCrossSection")):
            return
        world = self.world
        self.targets = Objects(world.scene, world.frame, lambda node: node["radarCrossSection"] > 0.0).bounds

    def hidden(self, eye: Vec3, targets: list[ObjectBounds], robot: Node) -> list[bool]:
        """Whether a bounding object, of another solid than the target, lies before the target's origin.

        Args:
            eye: where the radar is, m, world.
            targets: what it looks at.
            robot: the radar's robot, whose bounding objects hide nothing.
        """
        if not targets:
            return []
        points = np.array([target.frame.pose().position for target in targets])
        return are_hidden(self.rays, eye, points, targets, robot).tolist()
