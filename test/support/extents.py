"""The boxes that parts of a world fill."""

import numpy as np
from numpy.typing import NDArray

from sim_core.model.geometry import Plane
from sim_core.model.outlines import heights, outline_boxes, parts_of, rectangle, shadow
from sim_core.model.world_model import WorldModel
from sim_core.scene import Node
from sim_core.session.simulation import Simulation


def filled_box(sim: Simulation, node: Node) -> NDArray[np.float64]:
    """(2, 3) lowest and highest x, y, z in ENU of what is visible of a node and of those below it."""
    nodes = {each.id for each in node.walk()}
    parts = []
    for shape in WorldModel(sim.scene).visible.records:
        if shape.node in nodes:
            pose = sim.physics.frame(shape.solid).pose() * shape.offset
            put = rectangle if isinstance(shape.geometry, Plane) else parts_of
            parts += put(shape.geometry, pose, shape.scale)
    low, high = zip(*map(heights, parts), strict=True)
    flat = outline_boxes(np.array([line for part in parts for line in shadow(part)]))
    return np.array([[*flat[:, :2].min(axis=0), min(low)], [*flat[:, 2:].max(axis=0), max(high)]])
