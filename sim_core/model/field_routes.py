"""Where a new value of a field goes: to a device, to the state of the engine, or to the scene."""

from __future__ import annotations

from enum import Enum

from sim_core.model.kinematics import VELOCITIES, is_own_joint
from sim_core.scene.node import Node

POSE_FIELDS = ("translation", "rotation")
JOINT_POSITIONS = {"jointParameters": 0, "jointParameters2": 1, "jointParameters3": 2}
"""Fields of a joint that contain parameters with a position, and the indices of their axes."""
COMMANDED = {
    "Connector": ("isLocked",),
    "Emitter": ("channel", "range"),
    "Receiver": ("channel",),
    "Robot": ("battery",),
    "VacuumGripper": ("isOn",),
}
"""Fields of devices that commands change, and the energy of a battery."""


class FieldRoute(Enum):
    """Receiver of a new value of a field; the scene has only the start value, except for the last."""

    DEVICE = "a command of a device, or the energy of a battery"
    POSE = "the pose of a solid"
    VELOCITY = "the velocity of a solid"
    JOINT = "the position of a joint"
    SCENE = "the structure of the world"


def route_of(node: Node, field: str) -> FieldRoute:
    """Return the receiver of a new value of a node's field."""
    if field in POSE_FIELDS and node.is_a("Solid"):
        return FieldRoute.POSE
    if field in VELOCITIES and node.is_a("Solid"):
        return FieldRoute.VELOCITY
    if any(field in fields and node.is_a(kind) for kind, fields in COMMANDED.items()):
        return FieldRoute.DEVICE if field != "battery" or node[field] else FieldRoute.SCENE
    if field == "position" and (node.parent_field in JOINT_POSITIONS or is_own_joint(node)):
        return FieldRoute.JOINT
    return FieldRoute.SCENE
