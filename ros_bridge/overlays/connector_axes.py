"""Overlay: orientations in which connectors dock."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ros_bridge.overlays.primitives import Colour, Overlay, Primitives, in_world, joined, spokes
from sim_core.base.arrays import FloatArray
from sim_core.devices.touch.connector import Connector
from sim_core.session.simulation import Simulation

COLOURS: dict[str, Colour] = {"y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0), "alignments": (0.0, 0.0, 0.0)}
LENGTH, SHORT = 0.05, 0.04
"""Length of an axis, and of an alignment, m."""


class ConnectorAxes(Overlay):
    """The y and z axes of each connector, and the directions that a peer's y axis may have."""

    def __init__(self, sim: Simulation) -> None:
        super().__init__(sim)
        devices = [device for robot in sim.robots.values() for device in robot.devices.values()]
        self._connectors = [device for device in devices if isinstance(device, Connector)]

    def primitives(self) -> Iterator[Primitives]:
        """Yield the present axes."""
        found: dict[str, list[FloatArray]] = {name: [] for name in COLOURS}
        for connector in self._connectors:
            pose, count = connector.frame.pose(), connector.tolerances.rotations
            angles = np.arange(count) * (2.0 * np.pi / max(count, 1))
            ends = {
                "y": np.array([(0.0, LENGTH, 0.0)]),
                "z": np.array([(0.0, 0.0, LENGTH)]),
                "alignments": SHORT * np.stack((np.sin(angles), np.cos(angles), 0.0 * angles), axis=-1),
            }
            for name, points in ends.items():
                found[name].append(in_world(pose, spokes(np.zeros(3), points)))
        for name, lines in found.items():
            yield Primitives(name, joined(lines), COLOURS[name])


OVERLAY = ConnectorAxes
