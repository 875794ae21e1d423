"""Further requests to a node besides its fields: `NODE.vrml`, `.outline`, `.nodes`, `.all`, `.pose`."""

from __future__ import annotations

import math
from typing import Any

from rclpy.parameter import Parameter

from ros_bridge.control.fields import node_outline
from ros_bridge.control.fields.addable import addable
from sim_core.base.errors import SceneError
from sim_core.base.geometry import rotation_from_quaternion
from sim_core.scene import Node, write_node
from sim_core.session.pipeline import Action
from sim_core.session.simulation import Simulation
from sim_core.session.world_commands import ChangeType, Place, StopSolid

TEXT, OUTLINE, NODES, ALL, POSE = "vrml", "outline", "nodes", "all", "pose"
ADDABLE, TYPE = "addable", "node_type"
REQUESTS = {
    TEXT: "the node as text",
    OUTLINE: "the node and its fields as JSON",
    NODES: "its direct children, as JSON",
    ALL: "all nodes below it, as JSON",
    ADDABLE: "types it can be changed to, and nodes its fields accept, as JSON",
    TYPE: "the type of the node; set another type that fits to change it",
    POSE: "pose in the world: x y z, quaternion x y z w; setting it also stops the solid",
}


def read(sim: Simulation, node: Node | None, what: str, changes: int) -> tuple[Any, Any] | None:
    """Return type and value of the parameter; None: the node has none. `node` None: the scene."""
    if what == OUTLINE:
        return Parameter.Type.STRING, node_outline.outline(sim, node, changes)
    if what == NODES:
        return Parameter.Type.STRING, node_outline.nodes(sim, node)
    if what == ALL:
        return Parameter.Type.STRING, node_outline.all_nodes(sim, node)
    if what == ADDABLE:
        return Parameter.Type.STRING, addable(sim, node)
    if node is None:
        return None
    if what == TYPE:
        return Parameter.Type.STRING, node.type_name
    if what == TEXT:
        return Parameter.Type.STRING, write_node(node)
    return Parameter.Type.DOUBLE_ARRAY, node_outline.pose_of(sim, node)


def actions(sim: Simulation, name: str, what: str, value: Any) -> tuple[Action, ...]:
    """Return the actions that change a node's type, or place a solid at rest.

    Args:
        sim: the simulation.
        name: of the node.
        what: request to set.
        value: a type; or x, y, z in m and a quaternion x, y, z, w, in the world.

    Raises:
        SceneError: it cannot be set, the pose is invalid, or the node cannot be placed.
    """
    node = sim.supervisor.node(name)
    if what == TYPE:
        return (ChangeType(name, str(value)),)
    if what != POSE:
        raise SceneError(*node.source, f"{node.path()}: {REQUESTS[what]}", "a field to set")
    numbers = [float(each) for each in value if isinstance(each, (int, float))] if _is_list(value) else []
    length = math.hypot(*numbers[3:])
    if len(numbers) != 7 or not all(map(math.isfinite, numbers)) or not 1e-9 <= length < math.inf:
        raise SceneError(
            *node.source, f"{node.path()}.{POSE} cannot be {value!r}", f"7 numbers: {REQUESTS[POSE]}"
        )
    if not node.is_a("Solid"):
        raise SceneError(*node.source, f"a pose for {node.path()}", "a Solid")
    x, y, z, w = (each / length for each in numbers[3:])
    place = Place(name, tuple(numbers[:3]), rotation_from_quaternion((x, y, z, w)))
    return (place, StopSolid(name)) if sim.physics.is_dynamic(node.id) else (place,)


def _is_list(value: Any) -> bool:
    """Return whether the value of a parameter is an array."""
    return isinstance(value, (list, tuple)) or hasattr(value, "tolist")
