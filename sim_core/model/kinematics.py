"""The kinematic tree: rules for which nodes are fixed to each other, and which move relative to each other.

The nodes that `attached_nodes` returns are fixed to the node above them, except ends of joints and solids for
which `is_own_joint` is true. Whether they have Physics is a separate question.
"""

from __future__ import annotations

from sim_core.scene.node import Node
from sim_core.scene.slots import through_slots

WHEELS = ("left wheel", "right wheel")
"""Names of the wheels of a DifferentialWheels robot."""
VELOCITIES = ("linearVelocity", "angularVelocity")
"""Velocity fields of a solid."""


def attached_nodes(node: Node) -> list[Node]:
    """Return the next nodes below that are placed in the frame of a node, in file order; none for a joint.

    For a Propeller it is the helix that is visible at rest.
    """
    below: list[Node | None] = list(node["children"]) if node.is_a("Group") else []
    if node.type_name == "Slot":
        below = [node["endPoint"]]
    elif node.type_name == "Propeller":
        below = [node["slowHelix"]]
    elif node.type_name == "Lidar":
        below.append(node["rotatingHead"])
    return [each for each in below if each is not None]


def joint_above(solid: Node) -> Node | None:
    """Return the Joint whose end point is a solid, through Slots; None: there is none."""
    node = solid.parent
    while node is not None and node.type_name == "Slot":
        node = node.parent
    return node if node is not None and node.is_a("Joint") else None


def end_point(joint: Node) -> Node | None:
    """Return the Solid or SolidReference at the end of a joint, through Slots; a solid without joint node
    itself."""
    return through_slots(joint["endPoint"] if joint.is_a("Joint") else joint)


def is_own_joint(solid: Node) -> bool:
    """Return whether a solid moves relative to its parent without a joint node: a Servo, a wheel of a
    DifferentialWheels, the head of a Lidar."""
    if solid.type_name == "Servo":
        return bool(solid["type"] != "none")
    return _robot_of_wheel(solid) is not None or is_rotating_head(solid)


def is_unconnected(solid: Node) -> bool:
    """Return whether a solid is not connected to its parent: a Servo of type "none", whose joint a physics
    plug-in makes; without Physics it stays where it is."""
    return solid.type_name == "Servo" and solid["type"] == "none" and solid["physics"] is not None


def has_fixed_joint(solid: Node) -> bool:
    """Return whether a solid is a body of its own that a fixed joint holds, so that it can touch the other
    parts of its robot: a TouchSensor with Physics, as in Webots."""
    return solid.is_a("TouchSensor") and solid["physics"] is not None


def is_rotating_head(node: Node) -> bool:
    """Return whether a Lidar turns this solid; a head with Physics is fixed to the Lidar."""
    lidar = node.parent
    if lidar is None or node.parent_field != "rotatingHead" or node.type_name != "Solid":
        return False
    return lidar["type"].lower() == "rotating" and node["physics"] is None


def moves_by_itself(solid: Node) -> bool:
    """Return whether a solid moves with its own velocity fields, if set: without Physics, at the end of no
    joint.

    The velocity is in the frame of its parent, as in Webots.
    """
    return solid["physics"] is None and joint_above(solid) is None and not is_own_joint(solid)


def moves_from_start(solid: Node) -> bool:
    """Return whether a solid moves by itself from the start on."""
    return any(map(any, (solid[field] for field in VELOCITIES))) and moves_by_itself(solid)


def wheels_of(robot: Node) -> tuple[Node | None, Node | None]:
    """Return the left and the right solid that a DifferentialWheels robot turns; None: missing."""
    below = [each for each in robot.walk() if _robot_of_wheel(each) is robot]
    left, right = (next((each for each in below if each["name"] == name), None) for name in WHEELS)
    return left, right


def _robot_of_wheel(node: Node) -> Node | None:
    """Return the DifferentialWheels robot that turns a solid; None: there is none."""
    if node.type_name != "Solid" or node["name"] not in WHEELS:
        return None
    parent = node.parent
    while parent is not None and not parent.is_a("Solid") and parent.is_a("Group"):
        parent = parent.parent
    return parent if parent is not None and parent.type_name == "DifferentialWheels" else None


def can_move(solid: Node) -> bool:
    """Return whether a solid can ever move: it or a node above is a robot or joint, or has Physics or a
    velocity."""
    for node in (solid, *solid.ancestors()):
        if node.is_a("Robot") or node.is_a("Joint") or node.type_name in ("Servo", "Track", "Propeller"):
            return True
        if node.is_a("Solid") and (node["physics"] is not None or moves_from_start(node)):
            return True
    return False
