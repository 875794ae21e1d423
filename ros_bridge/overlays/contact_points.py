"""Overlay: contacts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ros_bridge.overlays.primitives import Overlay, Primitives, spokes

COLOUR, NORMAL_COLOUR = (1.0, 0.1, 0.6), (1.0, 0.8, 0.1)
NORMAL_LENGTH = 0.05
"""m."""


class ContactPoints(Overlay):
    """Contacts of the last step, each with a line along its normal.

    For bodies at rest that fell asleep, ODE computes no contacts. In fast 2D there are none at all.
    """

    def set_wanted(self, wanted: bool) -> None:
        """Let the physics record contacts while the overlay has subscribers."""
        if self.sim.physics.record_contacts is not wanted:
            self.sim.physics.record_contacts = wanted

    def primitives(self) -> Iterator[Primitives]:
        """Yield points and normals."""
        contacts = self.sim.physics.contacts
        if contacts:
            points = np.array([contact.position for contact in contacts], float)
            normals = np.array([contact.normal for contact in contacts], float)
            yield Primitives("points", points, COLOUR, are_dots=True)
            yield Primitives("normals", spokes(points, points + NORMAL_LENGTH * normals), NORMAL_COLOUR)


OVERLAY = ContactPoints
