"""What can be asked of a node beside its fields: `NODE.vrml`, `.outline`, `.nodes`, `.pose`."""

from __future__ import annotations

import math
from typing import Any

from rclpy.parameter import Parameter

from ros_bridge.control import node_outline
from sim_core.base.errors import SceneError
from sim_core.base.geometry import Pose, rotation_from_quaternion
from sim_core.scene import Node, write_node
from sim_core.session.simulation import Simulation
from sim_core.session.supervision.present import fields_at

TEXT, OUTLINE, NODES, POSE = "vrml", "outline", "nodes", "pose"
REQUESTS = {
    TEXT: "the node as text",
    OUTLINE: "the node and its fields as JSON",
    NODES: "the nodes that it holds, as JSON",
    POSE: "pose in the world: x y z, quaternion x y z w; a solid that is put somewhere by it also stops",
}


def read(sim: Simulation, node: Node | None, what: str, changes: int) -> tuple[Any, Any] | None:
    """Type and value of the parameter; None: the node has no such thing. `node` None: the scene."""
    if what == OUTLINE:
        return Parameter.Type.STRING, node_outline.outline(sim, node, changes)
    if what == NODES:
        return Parameter.Type.STRING, node_outline.nodes(sim, node)
    if node is None:
        return None
    if what == TEXT:
        return Parameter.Type.STRING, write_node(node)
    return Parameter.Type.DOUBLE_ARRAY, node_outline.pose_of(sim, node)


def write(sim: Simulation, node: Node, what: str, value: Any) -> None:
    """Set one of them.

    Raises:
        OdesimError: it is refused.
    """
    if what != POSE:
        raise SceneError(*node.source, f"{node.path()}: {REQUESTS[what]}", "a field to set")
    place(sim, node, value)


def place(sim: Simulation, node: Node, value: Any) -> None:
    """Put a solid somewhere, with all below it, and take all velocity from it.

    Args:
        sim: the simulation.
        node: the solid.
        value: x, y, z in m and a quaternion x, y, z, w, in the world.

    Raises:
        OdesimError: no such pose, or the node cannot be placed.
    """
    numbers = [float(each) for each in value if isinstance(each, (int, float))] if _is_list(value) else []
    length = math.hypot(*numbers[3:])
    if len(numbers) != 7 or not all(map(math.isfinite, numbers)) or not 1e-9 <= length < math.inf:
        raise SceneError(
            *node.source, f"{node.path()}.{POSE} cannot be {value!r}", f"7 numbers: {REQUESTS[POSE]}"
        )
    if not node.is_a("Solid"):
        raise SceneError(*node.source, f"a pose for {node.path()}", "a Solid")
    x, y, z, w = (each / length for each in numbers[3:])
    pose = Pose((numbers[0], numbers[1], numbers[2]), rotation_from_quaternion((x, y, z, w)))
    translation, rotation = fields_at(sim.physics, node, pose)
    supervisor = sim.supervisor
    before = supervisor.get(node, "translation")
    supervisor.set(node, "translation", translation)
    try:
        supervisor.set(node, "rotation", rotation)
    except Exception:
        supervisor.set(node, "translation", before)
        raise
    if sim.physics.is_dynamic(node):
        supervisor.reset_physics(node)


def _is_list(value: Any) -> bool:
    """Whether the value of a parameter is an array."""
    return isinstance(value, (list, tuple)) or hasattr(value, "tolist")
