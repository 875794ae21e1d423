"""Where a new value of a field goes: to a device, to the state, or to the scene."""

from __future__ import annotations

from enum import Enum

from sim_core.model.kinematics import VELOCITIES, is_own_joint
from sim_core.scene.node import Node

POSE_FIELDS = ("translation", "rotation")
JOINT_POSITIONS = {"jointParameters": 0, "jointParameters2": 1, "jointParameters3": 2}
"""Fields of a joint that hold parameters with a position, and the axes that these are of."""
COMMANDED = {
    "Connector": ("isLocked",),
    "Emitter": ("channel", "range"),
    "Receiver": ("channel",),
    "Robot": ("battery",),
    "VacuumGripper": ("isOn",),
}
"""Fields of devices that commands change, and the energy in a battery."""


class Route(Enum):
    """What a field says; of all but the last the scene tells the start alone."""

    DEVICE = "what a device was told, or the energy in a battery"
    POSE = "where a solid is"
    VELOCITY = "how a solid moves"
    JOINT = "the position of a joint"
    SCENE = "what the world is made of"


def route(node: Node, field: str) -> Route:
    """Where a new value of a field of a node goes."""
    if field in POSE_FIELDS and node.is_a("Solid"):
        return Route.POSE
    if field in VELOCITIES and node.is_a("Solid"):
        return Route.VELOCITY
    if any(field in fields and node.is_a(kind) for kind, fields in COMMANDED.items()):
        return Route.DEVICE if field != "battery" or node[field] else Route.SCENE
    if field == "position" and (node.parent_field in JOINT_POSITIONS or is_own_joint(node)):
        return Route.JOINT
    return Route.SCENE
