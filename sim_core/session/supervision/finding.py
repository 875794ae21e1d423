"""Which node a name means."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sim_core.base.errors import SceneError
from sim_core.scene import Node, Scene
from sim_core.scene.node_types import did_you_mean
from sim_core.session.supervision.numbers import NodeNumbers

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
            found = next((node for node in scene.walk() if node.path() == name), None)
        return found

    def node(self, name: str) -> Node:
        """As `find`.

        Raises:
            SceneError: there is no such node; names the closest.
        """
        found = self.find(name)
        if found is None:
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


def by_def_names(scene: Scene, name: str) -> Node | None:
    """The node with DEF B below the one with DEF A, for `A.B`; a DEF name may hold dots itself."""
    found = scene.find_def(name)
    if found is not None or "." not in name:
        return found
    first, *others = name.split(".")
    found = scene.find_def(first)
    for each in others:
        found = found and next((node for node in found.walk() if node.def_name == each), None)
    return found


def def_names(scene: Scene) -> list[str]:
    """All DEF names in file order, each once."""
    return list(dict.fromkeys(node.def_name for node in scene.walk() if node.def_name))
