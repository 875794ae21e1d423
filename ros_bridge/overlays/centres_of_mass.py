"""Overlay: centres of mass."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ros_bridge.overlays.primitives import Overlay, Primitives, spokes
from sim_core.base.geometry import Vec3
from sim_core.base.ids import NodeId

COLOUR, WHOLE_COLOUR = (0.9, 0.9, 0.1), (0.0, 0.0, 0.6)
CROSS = 0.05
"""Length of each arm of a cross, m, so that it sticks out of small bodies."""


class CentresOfMass(Overlay):
    """The centre of mass of each body (`bodies`), and of each robot or other tree of bodies (`wholes`).

    Centres of bodies have `crosses` along the world's axes. In fast 2D nothing has mass.
    """

    def primitives(self) -> Iterator[Primitives]:
        """Yield one dot for each centre."""
        centres: list[Vec3] = []
        masses: list[float] = []
        tops: dict[NodeId, list[int]] = {}
        for body in self.sim.physics.masses():
            tops.setdefault(body.top, []).append(len(centres))
            centres.append(body.centre)
            masses.append(body.mass)
        if not centres:
            return
        points, weights = np.array(centres, float), np.array(masses)
        yield Primitives("bodies", points, COLOUR, are_dots=True)
        arms = CROSS * np.eye(3)
        yield Primitives("crosses", spokes(points[:, None] - arms, points[:, None] + arms), COLOUR)
        wholes = [
            np.average(points[rows], axis=0, weights=weights[rows]) for rows in tops.values() if len(rows) > 1
        ]
        if wholes:
            yield Primitives("wholes", np.array(wholes), WHOLE_COLOUR, are_dots=True)


OVERLAY = CentresOfMass
