"""The entities of a world: its outermost solids, by names that stay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

from ros_bridge.control.host import Host
from sim_core.base.errors import Code, CommandError, hint
from sim_core.scene import Node
from sim_core.session.simulation import Simulation
from sim_core.session.world_commands import Remove

UNNAMED = "solid"


class Entities:
    """Who is there, under which name.

    A robot goes by its name, another solid by its name, or by its DEF name where the name is left at
    "solid". Of several with one name the later ones get a number; whoever has a name keeps it as others go.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._sim: Simulation | None = None
        self._scene: Any = None
        self._names: dict[Node, str] = {}
        self._from_start: list[Node] = []
        self.info: dict[Node, Any] = {}
        self.look()

    @property
    def sim(self) -> Simulation:
        """The simulation of now."""
        return self._host.session.sim

    def look(self) -> None:
        """The world has changed; if it is another one, those who are there now were there from its start."""
        sim = self._host.session.sim
        if sim is not self._sim:
            self._sim = sim
            sim.supervisor.changed.append(self.look)
        if sim.scene is not self._scene:
            self._scene = sim.scene
            self._names.clear()
            self.info.clear()
            self._from_start = list(outermost_solids(sim.scene.nodes))

    def all(self) -> dict[str, Node]:
        """The entities of now by name, in file order."""
        self.look()
        found: dict[str, Node] = {}
        for node in outermost_solids(self.sim.scene.nodes):
            name = self._names.get(node) or own_name(node) or UNNAMED
            if name in found:
                name = free_name(name, found)
            self._names[node] = name
            found[name] = node
        return found

    def node(self, name: str) -> Node:
        """The entity of a name.

        Raises:
            CommandError: there is none.
        """
        entities = self.all()
        found = entities.get(name)
        if found is None:
            known = f'no entity "{name}"{hint(name, entities)}'
            raise CommandError(known if name else "no entity is named", Code.NOT_FOUND)
        return found

    def spawned(self) -> list[Node]:
        """Those who came after the start of the world."""
        return [node for node in self.all().values() if all(node is not each for each in self._from_start)]

    def remove(self, node: Node) -> None:
        """Take one out of the world.

        Raises:
            OdesimError: it cannot be taken out.
        """
        self._host.must(Remove(self.sim.supervisor.lasting(node)))
        if all(node is not each for each in self._from_start):  # it never comes back
            self._names.pop(node, None)
            self.info.pop(node, None)


def outermost_solids(nodes: Iterable[Node]) -> Iterator[Node]:
    """Solids that are no parts of others, in file order."""
    for node in nodes:
        if node.is_a("Solid"):
            yield node
        else:
            yield from outermost_solids(node.child_nodes())


def own_name(node: Node) -> str:
    """The name that a node brings along; empty: none."""
    name: str = node["name"]
    return name if name and (name != UNNAMED or node.is_a("Robot")) else node.def_name or ""


def free_name(name: str, taken: Iterable[str]) -> str:
    """The name with the first free number behind it."""
    names = set(taken)
    return next(new for number in count(1) if (new := f"{name}_{number}") not in names)
