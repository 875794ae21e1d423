"""Overlay: collision shapes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import numpy as np

from ros_bridge.overlays.primitives import Overlay, Primitives, in_world, joined
from ros_bridge.overlays.wireframes import wireframe
from sim_core.base.arrays import FloatArray
from sim_core.engines.world_view import Frame
from sim_core.session.simulation import Simulation

COLOUR = (1.0, 1.0, 1.0)
WORLD = "world"
"""Namespace of shapes that belong to no robot."""


class BoundingObjects(Overlay):
    """Bounding objects of all solids as wireframes; those of a robot are in a namespace of its name."""

    def __init__(self, sim: Simulation) -> None:
        super().__init__(sim)
        model = sim.physics.model
        self._solids: list[tuple[str, Frame | None, FloatArray]] = []
        for (robot, solid), records in groupby(
            model.bounding.records, lambda record: (record.robot, record.solid)
        ):
            lines = [
                in_world(record.offset, wireframe(record.geometry) * np.array(record.scale))
                for record in records
            ]
            owner = model.solid(robot).name if robot is not None else WORLD
            frame = None if solid is None else sim.physics.frame(solid)
            self._solids.append((owner, frame, joined(lines)))

    def primitives(self) -> Iterator[Primitives]:
        """Yield them at their present poses."""
        found: dict[str, list[FloatArray]] = {}
        for owner, frame, lines in self._solids:
            found.setdefault(owner, []).append(lines if frame is None else in_world(frame.pose(), lines))
        for owner, parts in found.items():
            yield Primitives(owner, joined(parts), COLOUR)


OVERLAY = BoundingObjects
