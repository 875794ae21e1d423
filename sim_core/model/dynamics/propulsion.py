"""What drives and is no joint: propellers, the belts of tracks, the wheels of DifferentialWheels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Vec3, norm, normalized, rotate
from sim_core.base.ids import NodeId
from sim_core.model.dynamics.bodies import BodyPlacement, Tree, place_of
from sim_core.model.frames import vector_of
from sim_core.model.kinematics import wheels_of
from sim_core.scene.node import Node


class Propeller(NamedTuple):
    """A Propeller with a motor.

    Attributes:
        id, path: of the node.
        body: that it pushes; None: what it is fixed to has no Physics.
        direction: of its shaft, unit, in the frame of the body; centre: of thrust, in that frame, m.
        thrust: t1, t2; torque: q1, q2.
        most: torque of its motor, N·m.
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
    """A wheel of a Track: radius, `inner`: it turns with the belt, else back; x and z in the Track; m."""

    radius: float
    inner: bool
    x: float
    z: float


class Track(NamedTuple):
    """A Track.

    Attributes:
        id, path: of the node.
        own_mass: kg that its motor moves if it stands still.
        wheels: by their nodes.
    """

    id: NodeId
    path: str
    own_mass: float
    wheels: Mapping[NodeId, TrackWheel]


class WheeledRobot(NamedTuple):
    """A DifferentialWheels robot.

    Attributes:
        id, path: of the node.
        wheels: the solids of its left and right wheel; None: it has none.
        acceleration: most that its wheels gain in a second, rad/s²; inf: as forces have it.
    """

    id: NodeId
    path: str
    wheels: tuple[NodeId | None, NodeId | None]
    acceleration: float


def propeller_of(node: Node, tree: Tree) -> Propeller:
    """What a Propeller node with a motor says.

    Raises:
        SceneError: a field cannot be that of a propeller.
    """
    direction, centre = vector_of(node, "shaftAxis"), vector_of(node, "centerOfThrust")
    if not 1e-12 < norm(direction) < 1e12:
        x, y, z = direction
        raise SceneError(*node.source, f"Propeller.shaftAxis {x:g} {y:g} {z:g}", "a vector that is not zero")
    for field in ("centerOfThrust", "thrustConstants", "torqueConstants"):
        if not all(abs(value) < 1e9 for value in node[field]):
            raise SceneError(*node.source, f"Propeller.{field} {node[field]}", "finite numbers")
    place = place_of(node, tree.places) or BodyPlacement()
    body = tree.mover_of(place.body)
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
    """What a Track node says.

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
    """The DifferentialWheels among solids; those without Physics speed up by at most maxAcceleration."""
    found = []
    for robot in solids:
        if robot.type_name != "DifferentialWheels":
            continue
        left, right = (each.id if each is not None else None for each in wheels_of(robot))
        most = math.inf if robot["physics"] is not None else robot["maxAcceleration"]
        found.append(WheeledRobot(robot.id, robot.path(), (left, right), most))
    return found
