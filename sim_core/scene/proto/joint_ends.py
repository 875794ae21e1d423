"""Parts of a PROTO instance at the ends of joints: their rest poses and the poses given by joint
positions."""

from __future__ import annotations

from dataclasses import dataclass

from sim_core.base.geometry import (
    Pose,
    Vec3,
    add,
    axis_angle_from_rotation,
    cross,
    multiply,
    norm,
    normalized,
    rotate,
    rotation_from_axis_angle,
    scale,
    subtract,
    transposed,
)
from sim_core.scene.node import Node

_ANGLE_TOLERANCE, _DISTANCE_TOLERANCE, _MIN_TOLERANCE = 0.05, 0.1, 1e-3
"""Tolerances of a pose at a joint: rad; fraction of the distance to the parent frame; m."""


@dataclass
class JointEnd:
    """A solid at the end of a HingeJoint or SliderJoint, with its pose in the PROTO."""

    solid: Node
    joint: Node
    rest: Pose
    position: float

    def is_reached(self) -> bool:
        """Return whether the joint can move the solid from the rest pose to its present one."""
        axis, anchor = self._axis()
        now = _pose(self.solid)
        turn = multiply(now.rotation, transposed(self.rest.rotation))
        far = _DISTANCE_TOLERANCE * norm(self.rest.position) + _MIN_TOLERANCE
        if self.joint.type_name == "SliderJoint":
            moved = subtract(now.position, self.rest.position)
            angle = axis_angle_from_rotation(turn)[3]
            return angle < _ANGLE_TOLERANCE and norm(cross(moved, axis)) < far
        led = add(anchor, rotate(turn, subtract(self.rest.position, anchor)))
        return (
            norm(subtract(rotate(turn, axis), axis)) < _ANGLE_TOLERANCE
            and norm(subtract(led, now.position)) < far
        )

    def follow_position(self) -> None:
        """Set the pose of the solid from the rest pose and the position of the joint."""
        axis, anchor = self._axis()
        way = _parameters(self.joint)["position"] - self.position
        if self.joint.type_name == "SliderJoint":
            led = Pose(add(self.rest.position, scale(axis, way)), self.rest.rotation)
        else:
            turn = Pose((0.0, 0.0, 0.0), rotation_from_axis_angle((*axis, way)))
            led = Pose(anchor) * turn * Pose(scale(anchor, -1.0)) * self.rest
        self.solid["translation"] = led.position
        self.solid["rotation"] = axis_angle_from_rotation(led.rotation)

    def _axis(self) -> tuple[Vec3, Vec3]:
        """Return the unit vector of the axis, and a point on it."""
        parameters = _parameters(self.joint)
        anchor = parameters["anchor"] if parameters.has_field("anchor") else (0.0, 0.0, 0.0)
        return normalized(parameters["axis"]), anchor


def _parameters(joint: Node) -> Node:
    """Return the parameters of a joint, or the defaults if none are written."""
    given: Node | None = joint["jointParameters"]
    kind = "HingeJointParameters" if joint.type_name == "HingeJoint" else "JointParameters"
    return Node.create(kind) if given is None else given


def _pose(solid: Node) -> Pose:
    return Pose.from_axis_angle(solid["translation"], solid["rotation"])


def joint_ends(instance: Node) -> dict[int, JointEnd]:
    """Return the ends of the hinges and sliders of an instance, by the number of the solid."""
    found = {}
    for index, solid in enumerate(each for each in instance.walk() if each.is_a("Solid")):
        joint = solid.parent
        if index and joint is not None and joint.type_name in ("HingeJoint", "SliderJoint"):
            found[index] = JointEnd(solid, joint, _pose(solid), _parameters(joint)["position"])
    return found
