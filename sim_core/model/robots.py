"""The robots of a scene and their devices, in file order."""

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
"""Of the devices of a robot, by their names."""


class RobotInstance(NamedTuple):
    """What tells a robot from one that took its place: what it is made of.

    Attributes:
        node: its own.
        proto: what has made its parts; another where a PROTO's body was made anew.
        fields: identity of the node's fields, which are others where it was given another type.
    """

    node: Node
    proto: ProtoInstance | None
    fields: int

    @classmethod
    def of(cls, node: Node) -> RobotInstance:
        """That of a robot."""
        return cls(node, node.proto, id(node.fields))


def instances_in(nodes: Iterable[Node]) -> list[RobotInstance]:
    """The robots among nodes."""
    return [RobotInstance.of(node) for node in nodes if node.is_a("Robot")]


def instances_around(node: Node) -> list[RobotInstance]:
    """The robots that a node is, or is a part of."""
    return [RobotInstance.of(each) for each in (node, *node.ancestors()) if each.is_a("Robot")]


def instances_of(scene: Scene) -> list[RobotInstance]:
    """All robots of a scene, each with a name of its own."""
    robots = instances_in(scene.walk())
    tell_apart(robots, scene)
    return robots


def tell_apart(robots: Sequence[RobotInstance], scene: Scene) -> None:
    """Where a name is taken, the later robot gets a number behind it, as in Webots, and the scene a warning:
    their topics and commands could not be told apart.

    `robots`: all of the scene.
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
    """The names of all robots in file order; those that have no nodes (`Scene.folded`) are among them."""
    behind: dict[NodeId, list[str]] = {}
    for each in scene.folded:
        behind.setdefault(each.after.id, []).append(each.name)
    return [
        name for robot in instances_of(scene) for name in (robot.node["name"], *behind.get(robot.node.id, ()))
    ]


def device_nodes(robot: Node) -> Iterator[Node]:
    """The device nodes of a robot: itself if it is one, then its parts, without those of nested robots."""
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
    """The Connector nodes in trees that are part of no robot there, in file order."""
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
