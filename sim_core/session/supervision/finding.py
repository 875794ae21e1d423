"""Which node a name means, and names that stay right whatever comes and goes around a node: `#17`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from sim_core.base.errors import SceneError
from sim_core.scene import Node, Scene
from sim_core.scene.by_name import by_def_names, def_names
from sim_core.scene.node_types import did_you_mean

if TYPE_CHECKING:
    from sim_core.session.simulation import Simulation

PARTS_OF_PATH = re.compile(r"[^.\[\]]+|\[\d+\]")


class NodeFinder:
    """Finds nodes of the present scene of a simulation by their names.

    Attributes:
        numbers: names of the form `#17`.
    """

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        self.numbers = NodeNumbers()

    def find(self, name: str) -> Node | None:
        """The node that a name means; see `Supervisor.find`."""
        scene = self._sim.scene
        if name.startswith("#"):
            return self.numbers.find(scene, name)
        found = self._by_fields(name) if "[" in name or "." in name else None
        if found is None:
            found = by_def_names(scene, name)
        if found is None and name in self._sim.robots:
            found = self._sim.robots[name].node
        if found is None:
            solids = (node for node in scene.nodes if node.is_a("Solid") and node["name"] == name)
            found = next(solids, None)
        if found is None:
            found = next((node for node in scene.walk() if node.path() == name), None)
        return found

    def node(self, name: str) -> Node:
        """As `find`.

        Raises:
            SceneError: there is no such node; names the closest.
            DeviceError: the robot of this name is held as an array.
        """
        found = self.find(name)
        if found is None:
            if self._sim.is_copy(name):
                self._sim.robot(name)  # which says why it has no node
            scene = self._sim.scene
            near = did_you_mean(name, [*def_names(scene), *self._sim.robots])
            raise SceneError(scene.file, 0, 0, f'no node "{name}"', "a DEF name or a robot", near)
        return found

    def _by_fields(self, name: str) -> Node | None:
        """The node that field names and indices lead to; None: they lead nowhere."""
        first, *others = PARTS_OF_PATH.findall(name) or [name]
        scene, robot = self._sim.scene, self._sim.robots.get(first)
        here: Any = scene.nodes if first == "root" else scene.find_def(first)
        if here is None and robot is not None:
            here = robot.node
        for each in others:
            if each.startswith("["):
                index = int(each[1:-1])
                here = here[index] if isinstance(here, list) and index < len(here) else None
            else:
                here = here[each] if isinstance(here, Node) and here.has_field(each) else None
        return here if isinstance(here, Node) else None


class NodeNumbers:
    """The nodes whose names somebody has asked for; the number is their id."""

    def __init__(self) -> None:
        self._nodes: WeakValueDictionary[str, Node] = WeakValueDictionary()

    def name(self, node: Node) -> str:
        """`#17`, as long as the node lives."""
        name = f"#{node.id}"
        self._nodes[name] = node
        return name

    def lasting(self, scene: Scene, name: str) -> str:
        """A name by fields, `root[3].children[0]`, in place of a number: for what is carried out again.

        Other names, and numbers of no node, come back as they are.
        """
        node = self.find(scene, name) if name.startswith("#") else None
        return name if node is None else by_fields(scene, node)

    def find(self, scene: Scene, name: str) -> Node | None:
        """The node of this name; None: there never was one, or it is not in the scene now."""
        node = self._nodes.get(name)
        return node if node is not None and scene.holds(node) else None


def by_fields(scene: Scene, node: Node) -> str:
    """The name of a node by the fields that lead to it: `root[3].children[0]`."""
    parts: list[str] = []
    while node.parent is not None:
        field = str(node.parent_field)
        value = node.parent[field]
        parts.append(f".{field}[{_place(value, node)}]" if isinstance(value, list) else f".{field}")
        node = node.parent
    return f"root[{_place(scene.nodes, node)}]" + "".join(reversed(parts))


def _place(nodes: list[Node], node: Node) -> int:
    return next(index for index, each in enumerate(nodes) if each is node)
