"""What collides."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ros_bridge.overlays.marks import FloatArray, Marks, Overlay, in_world, joined
from ros_bridge.overlays.wireframes import wireframe
from sim_core.model.shapes import bounding_shapes
from sim_core.scene import Node
from sim_core.session.simulation import Simulation

MOVING_COLOUR, STILL_COLOUR = (0.95, 0.95, 0.95), (0.55, 0.6, 0.65)
WORLD = "world"
"""Namespace of what belongs to no robot."""


class BoundingObjects(Overlay):
    """The bounding objects of all solids as wireframes; those of a robot have its name as namespace."""

    def __init__(self, sim: Simulation) -> None:
        super().__init__(sim)
        by_solid: dict[tuple[str, Node | None], list[FloatArray]] = {}
        for record in bounding_shapes(sim.scene):
            lines = in_world(record.offset, wireframe(record.geometry) * np.array(record.scale))
            owner = record.robot["name"] if record.robot is not None else WORLD
            by_solid.setdefault((owner, record.solid), []).append(lines)
        self._solids = [
            (owner, None if solid is None else sim.physics.frame(solid), joined(parts))
            for (owner, solid), parts in by_solid.items()
        ]

    def marks(self) -> Iterator[Marks]:
        """Where they are now."""
        found: dict[str, list[FloatArray]] = {}
        for owner, frame, lines in self._solids:
            found.setdefault(owner, []).append(lines if frame is None else in_world(frame.pose(), lines))
        for owner, parts in found.items():
            yield Marks(owner, joined(parts), STILL_COLOUR if owner == WORLD else MOVING_COLOUR)


OVERLAY = BoundingObjects
