"""Robots of a scene and their device nodes, in file order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import NamedTuple

from sim_core.base.errors import SceneError
from sim_core.base.ids import NodeId
from sim_core.scene.node import Node
from sim_core.scene.proto.expansion import ProtoInstance
from sim_core.scene.scene import Scene

DeviceNodes = dict[str, Node]
"""Device nodes of a robot, by name."""


class RobotInstance(NamedTuple):
    """Identity of a robot; it differs for a robot that replaces another one.

    Attributes:
        node: the robot node.
        proto: its PROTO instance; replaced when the instance is regenerated.
        fields: id of the node's fields, which are replaced when its type is changed.
    """

    node: Node
    proto: ProtoInstance | None
    fields: int

    @classmethod
    def from_node(cls, node: Node) -> RobotInstance:
        """Return the identity of a robot node."""
        return cls(node, node.proto, id(node.fields))


def instances_in(nodes: Iterable[Node]) -> list[RobotInstance]:
    """Return the robots among nodes."""
    return [RobotInstance.from_node(node) for node in nodes if node.is_a("Robot")]


def instances_around(node: Node) -> list[RobotInstance]:
    """Return the robots that a node is, or is part of."""
    return [RobotInstance.from_node(each) for each in (node, *node.ancestors()) if each.is_a("Robot")]


def instances_of(scene: Scene) -> list[RobotInstance]:
    """Return all robots of a scene, with unique names."""
    robots = instances_in(scene.walk())
    make_names_unique(robots, scene)
    return robots


def make_names_unique(robots: Sequence[RobotInstance], scene: Scene) -> None:
    """Append a number to names of robots that are taken, as in Webots, and add a warning to the scene.

    Otherwise their topics and commands could not be distinguished. `robots`: all robots of the scene.
    """
    seen: dict[str, Node] = {}
    names = {robot.node["name"] for robot in robots}
    for node, *_ in robots:
        name = node["name"]
        first = seen.setdefault(name, node)
        if first is node:
            continue
        free = next(new for number in count(1) if (new := f"{name}({number})") not in names)
        names.add(free)
        node["name"] = free
        seen[free] = node
        found = f'a second robot named "{name}", here "{free}"'
        expected = f"a name of its own (the first is at {first.where})"
        scene.warnings.append(SceneError(*node.source, found, expected))


def robot_names(scene: Scene) -> list[str]:
    """Return the names of all robots in file order, including those without nodes (`Scene.folded`)."""
    behind: dict[NodeId, list[str]] = {}
    for each in scene.folded:
        behind.setdefault(each.after.id, []).append(each.name)
    return [
        name for robot in instances_of(scene) for name in (robot.node["name"], *behind.get(robot.node.id, ()))
    ]


def device_nodes(robot: Node) -> Iterator[Node]:
    """Iterate over the device nodes of a robot: itself if it is one, then its parts, without nested
    robots."""
    if robot.type_name == "DifferentialWheels":
        yield robot
    stack = robot.child_nodes()[::-1]
    while stack:
        node = stack.pop()
        if node.is_a("Robot"):
            continue
        if node.is_a("Device"):
            yield node
        stack += node.child_nodes()[::-1]


def free_connectors(roots: Iterable[Node]) -> list[Node]:
    """Return the Connector nodes in trees that are part of no robot, in file order."""
    found = []
    stack = [*roots][::-1]
    while stack:
        node = stack.pop()
        if node.is_a("Robot"):
            continue
        if node.type_name == "Connector":
            found.append(node)
        stack += node.child_nodes()[::-1]
    return found
