"""What hangs on what: the rules by which nodes are fixed to each other, or move against each other.

The nodes that `attached` gives are fixed to the node above them, but for the ends of joints and for solids
that `is_own_joint` is true of. Which of them have Physics, and so fall or are pushed, is another question.
"""

from __future__ import annotations

from sim_core.scene.node import Node
from sim_core.scene.slots import through_slots

WHEELS = ("left wheel", "right wheel")
"""Of a DifferentialWheels robot."""
VELOCITIES = ("linearVelocity", "angularVelocity")
"""Fields of a solid."""


def attached(node: Node) -> list[Node]:
    """The next nodes below that are at a place in the frame of a node, in file order; of a joint none.

    Of a Propeller that is the helix that is seen while it stands.
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
    """The Joint whose end a solid is, through Slots; None: it is the end of none."""
    node = solid.parent
    while node is not None and node.type_name == "Slot":
        node = node.parent
    return node if node is not None and node.is_a("Joint") else None


def end_point(joint: Node) -> Node | None:
    """The Solid, or SolidReference, at the end of a joint, through Slots; a solid that has no joint node."""
    return through_slots(joint["endPoint"] if joint.is_a("Joint") else joint)


def is_own_joint(solid: Node) -> bool:
    """Whether a solid moves against what it stands in without a joint node: a Servo, a wheel of a
    DifferentialWheels, the head of a Lidar."""
    if solid.type_name == "Servo":
        return bool(solid["type"] != "none")
    return _robot_of_wheel(solid) is not None or is_rotating_head(solid)


def is_loose(solid: Node) -> bool:
    """Whether nothing holds a solid to what it stands in: a Servo of type "none", for whose joint a physics
    plug-in cares; without Physics it stays where it is."""
    return solid.type_name == "Servo" and solid["type"] == "none" and solid["physics"] is not None


def is_fastened(solid: Node) -> bool:
    """Whether a solid is a body of its own that a joint without axes holds to what it stands in, and so meets
    the other parts of its robot: a TouchSensor with Physics, as in Webots."""
    return solid.is_a("TouchSensor") and solid["physics"] is not None


def is_rotating_head(node: Node) -> bool:
    """Whether a Lidar turns this solid; one with Physics is fixed to it."""
    lidar = node.parent
    if lidar is None or node.parent_field != "rotatingHead" or node.type_name != "Solid":
        return False
    return lidar["type"].lower() == "rotating" and node["physics"] is None


def moves_by_itself(solid: Node) -> bool:
    """Whether a solid goes on at its own velocity, if it has one: without Physics, at the end of no joint.

    That velocity is one in the frame that the solid stands in, as in Webots.
    """
    return solid["physics"] is None and joint_above(solid) is None and not is_own_joint(solid)


def is_under_way(solid: Node) -> bool:
    """Whether a solid moves by itself from the start on."""
    return any(map(any, (solid[field] for field in VELOCITIES))) and moves_by_itself(solid)


def wheels_of(robot: Node) -> tuple[Node | None, Node | None]:
    """The left and the right solid that a DifferentialWheels robot turns about its axle; None: none."""
    below = [each for each in robot.walk() if _robot_of_wheel(each) is robot]
    left, right = (next((each for each in below if each["name"] == name), None) for name in WHEELS)
    return left, right


def _robot_of_wheel(node: Node) -> Node | None:
    """The DifferentialWheels robot that turns a solid about its axle; None: none does."""
    if node.type_name != "Solid" or node["name"] not in WHEELS:
        return None
    parent = node.parent
    while parent is not None and not parent.is_a("Solid") and parent.is_a("Group"):
        parent = parent.parent
    return parent if parent is not None and parent.type_name == "DifferentialWheels" else None


def can_move(solid: Node) -> bool:
    """Whether a solid may ever move: it, or one above it, is a robot, has Physics or a velocity, or hangs on
    a joint."""
    for node in (solid, *solid.ancestors()):
        if node.is_a("Robot") or node.is_a("Joint") or node.type_name in ("Servo", "Track", "Propeller"):
            return True
        if node.is_a("Solid") and (node["physics"] is not None or is_under_way(node)):
            return True
    return False
