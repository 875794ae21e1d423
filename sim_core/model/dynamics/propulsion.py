"""Drives other than joints: propellers, belts of tracks, wheels of DifferentialWheels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Pose, Vec3, norm, normalized, rotate, rotation_from_axis_angle
from sim_core.base.ids import NodeId
from sim_core.model.dynamics.bodies import BodyPlacement, BodyTree, place_of
from sim_core.model.frames import vector_of
from sim_core.model.kinematics import wheels_of
from sim_core.scene.node import Node


class Propeller(NamedTuple):
    """Propeller node with a motor.

    Attributes:
        id, path: of the node.
        body: the body that it pushes; None: it is not on a dynamic body.
        direction: of its shaft, unit, in the frame of the body; centre: of thrust, in that frame, m.
        thrust: t1, t2; torque: q1, q2.
        most: maximum torque of its motor, N·m.
    """

    id: NodeId
    path: str
    body: NodeId | None
    direction: Vec3
    centre: Vec3
    thrust: tuple[float, float]
    torque: tuple[float, float]
    most: float


class TrackWheel(NamedTuple):
    """Wheel of a Track: radius, `inner`: it turns with the belt, else against it; x and z in the Track; m."""

    radius: float
    inner: bool
    x: float
    z: float

    def angle(self, distance: float) -> float:
        """Return the angle in rad about the Track's y axis after the belt has run a distance in m; outer
        wheels turn backwards."""
        angle = distance / self.radius
        return angle if self.inner else -angle

    def turn(self, distance: float) -> Pose:
        """Return the same as a pose in the Track's frame, which maps points of the wheel at rest to the
        present ones."""
        centre = Pose((self.x, 0.0, self.z))
        rotation = rotation_from_axis_angle((0.0, 1.0, 0.0, self.angle(distance)))
        return centre * Pose(rotation=rotation) * centre.inverse()


class Track(NamedTuple):
    """Track node.

    Attributes:
        id, path: of the node.
        own_mass: kg that its motor moves if it stands still.
        wheels: by node.
    """

    id: NodeId
    path: str
    own_mass: float
    wheels: Mapping[NodeId, TrackWheel]


class WheeledRobot(NamedTuple):
    """DifferentialWheels robot.

    Attributes:
        id, path: of the node.
        wheels: the solids of its left and right wheel; None: missing.
        acceleration: limit of its wheels, rad/s²; inf: limited by forces only.
    """

    id: NodeId
    path: str
    wheels: tuple[NodeId | None, NodeId | None]
    acceleration: float


def propeller_of(node: Node, tree: BodyTree) -> Propeller:
    """Return the record of a Propeller node with a motor.

    Raises:
        SceneError: a value is impossible.
    """
    direction, centre = vector_of(node, "shaftAxis"), vector_of(node, "centerOfThrust")
    if not 1e-12 < norm(direction) < 1e12:
        x, y, z = direction
        raise SceneError(*node.source, f"Propeller.shaftAxis {x:g} {y:g} {z:g}", "a vector that is not zero")
    for field in ("centerOfThrust", "thrustConstants", "torqueConstants"):
        if not all(abs(value) < 1e9 for value in node[field]):
            raise SceneError(*node.source, f"Propeller.{field} {node[field]}", "finite numbers")
    place = place_of(node, tree.places) or BodyPlacement()
    body = tree.dynamic_body_of(place.body)
    if body is not None and place.body is not None:
        pose = place.pose
        if place.body != body.solid:
            pose = body.start.inverse() * tree.bodies[place.body].start * pose
        direction, centre = normalized(rotate(pose.rotation, direction)), pose.apply(centre)
    return Propeller(
        node.id,
        node.path(),
        body.solid if body is not None else None,
        direction,
        centre,
        node["thrustConstants"],
        node["torqueConstants"],
        node["device"]["maxTorque"],
    )


def track_of(node: Node) -> Track:
    """Return the record of a Track node.

    Raises:
        SceneError: a wheel's radius is not above 0.
    """
    wheels = {}
    children: list[Node] = node["children"]
    for wheel in children:
        if wheel.type_name != "TrackWheel":
            continue
        if not 0.0 < wheel["radius"] < 1e9:
            found = f"TrackWheel.radius {wheel['radius']:g}"
            raise SceneError(*wheel.source, found, "a finite number above 0")
        wheels[wheel.id] = TrackWheel(wheel["radius"], wheel["inner"], *wheel["position"])
    physics = node["physics"]
    has_mass = physics is not None and 0.0 < physics["mass"] < 1e12
    return Track(node.id, node.path(), physics["mass"] if has_mass else 1.0, wheels)


def wheeled_robots(solids: Iterable[Node]) -> list[WheeledRobot]:
    """Return the DifferentialWheels among solids; those without Physics are limited by maxAcceleration."""
    found = []
    for robot in solids:
        if robot.type_name != "DifferentialWheels":
            continue
        left, right = (each.id if each is not None else None for each in wheels_of(robot))
        most = math.inf if robot["physics"] is not None else robot["maxAcceleration"]
        found.append(WheeledRobot(robot.id, robot.path(), (left, right), most))
    return found
