"""The boxes that parts of a world fill."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_core.model.geometry import Plane
from sim_core.model.outlines import heights, outline_boxes, parts_of, projection, rectangle
from sim_core.model.world_model import WorldModel
from sim_core.scene import Node
from sim_core.session.simulation import Simulation


def filled_box(sim: Simulation, node: Node) -> NDArray[np.float64]:
    """(2, 3) lowest and highest x, y, z in ENU of what is visible of a node and of those below it."""
    return filled_boxes(sim, [node])[0]


def filled_boxes(sim: Simulation, nodes: Sequence[Node], felt: bool = False) -> NDArray[np.float64]:
    """(n, 2, 3) the same of several nodes; NaN where there is nothing.

    Args:
        felt: of what is in their boundingObject fields, not of what is visible.
    """
    owner = {each.id: k for k, node in enumerate(nodes) for each in node.walk()}
    parts: list[list[Any]] = [[] for _ in nodes]
    model = WorldModel(sim.scene)
    for shape in (model.bounding if felt else model.visible).records:
        if shape.node in owner:
            pose, geometry = shape.offset, shape.geometry
            if shape.solid is not None:
                pose = sim.physics.frame(shape.solid).pose() * pose
            if isinstance(geometry, Plane):
                parts[owner[shape.node]] += rectangle(geometry, pose, shape.scale)
            else:
                parts[owner[shape.node]] += parts_of(geometry, pose, shape.scale)
    return np.array([_box(each) if each else np.full((2, 3), np.nan) for each in parts])


def _box(parts: list[Any]) -> NDArray[np.float64]:
    low, high = zip(*map(heights, parts), strict=True)
    flat = outline_boxes(np.array([line for part in parts for line in projection(part)]))
    return np.array([[*flat[:, :2].min(axis=0), min(low)], [*flat[:, 2:].max(axis=0), max(high)]])
