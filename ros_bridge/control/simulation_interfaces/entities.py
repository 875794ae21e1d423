"""The entities of a world: its outermost solids, with stable names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any

from ros_bridge.control.runner import Runner
from sim_core.base.errors import Code, CommandError, hint
from sim_core.base.ids import NodeId
from sim_core.model.entities import UNNAMED, Entity, NamedPose, entities_of, named_poses
from sim_core.session.world_commands import Remove


class Entities:
    """The entities with their names.

    If several have the same name, the later ones get a number; names do not change when others are removed.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self.sim = runner.session.sim
        self._scene: Any = None
        self._names: dict[NodeId, str] = {}
        self._from_start: set[NodeId] = set()
        self._found: dict[str, Entity] = {}
        self._places: dict[str, NamedPose] | None = None
        self.info: dict[NodeId, Any] = {}
        self.sim.supervisor.changed.append(self._read_entities)
        self._read_entities()

    def _read_entities(self) -> None:
        """Update after a change of the world; those of a newly loaded world count as there from the start."""
        self._found, self._places = {}, None
        if self.sim.scene is not self._scene:
            self._scene = self.sim.scene
            self._names.clear()
            self.info.clear()
            self._from_start = {each.id for each in entities_of(self._scene)}

    def all(self) -> Mapping[str, Entity]:
        """Return the present entities by name, in file order."""
        if not self._found:
            for each in entities_of(self.sim.scene):
                name = self._names.get(each.id) or each.name or UNNAMED
                if name in self._found:
                    name = free_name(name, self._found)
                self._names[each.id] = name
                self._found[name] = each
        return self._found

    def places(self) -> Mapping[str, NamedPose]:
        """Return the named places of the world, in file order."""
        if self._places is None:
            self._places = named_poses(self.sim.scene)
        return self._places

    def entity(self, name: str) -> Entity:
        """Return the entity of a name.

        Raises:
            CommandError: there is none.
        """
        entities = self.all()
        found = entities.get(name)
        if found is None:
            known = f'no entity "{name}"{hint(name, entities)}'
            raise CommandError(known if name else "no entity is named", Code.NOT_FOUND)
        return found

    def spawned(self) -> list[Entity]:
        """Return the entities added after the start of the world."""
        return [each for each in self.all().values() if each.id not in self._from_start]

    def lasting_name(self, entity: Entity) -> str:
        """Return a name of an entity that is valid for a supervisor in other runs too."""
        return self.sim.supervisor.lasting(self.sim.physics.model.node(entity.id))

    def remove_entity(self, entity: Entity) -> None:
        """Remove an entity from the world.

        Raises:
            OdesimError: it cannot be removed.
        """
        self._runner.execute(Remove(self.lasting_name(entity)))
        if entity.id not in self._from_start:  # a reset does not restore it
            self._names.pop(entity.id, None)
            self.info.pop(entity.id, None)


def free_name(name: str, taken: Iterable[str]) -> str:
    """Return the name with the first free number appended."""
    names = set(taken)
    return next(new for number in count(1) if (new := f"{name}_{number}") not in names)
