"""SpawnEntity, SpawnEntities and GetSpawnables."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ros_bridge.control.host import Host
from ros_bridge.control.simulation_interfaces.entities import Entities, free_name
from ros_bridge.control.simulation_interfaces.messages import answer
from ros_bridge.control.simulation_interfaces.poses import pose_from, reference
from ros_bridge.control.simulation_interfaces.resources import local_path, uri_of
from ros_bridge.control.simulation_interfaces.spawn_sources import Source, read_source
from ros_bridge.topics.names import legal_name
from sim_core.base.errors import Code, CommandError, OdesimError
from sim_core.base.outcome import Done, Refused, outcome_of
from sim_core.base.shipped import share_dir
from sim_core.scene import Scene, write_node
from sim_core.scene.axes import FIRST_FLU_VERSION, put_at_root
from sim_core.scene.wbt.header import Header
from sim_core.scene.wbt.lexer import quoted
from sim_core.session.run_commands import Spawn

NAME_NOT_UNIQUE, NAME_INVALID, NAMESPACE_INVALID, INVALID_POSE = 101, 102, 105, 109
"""Of SpawnEntity."""
ENTITIES_SPAWN_FAILED = 150
NAME = re.compile(r"[A-Za-z0-9_ .()-]*[A-Za-z0-9][A-Za-z0-9_ .()-]*")
NAMESPACE = re.compile(r"/?[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*/?")
"""https://design.ros2.org/articles/topic_and_service_names.html"""
SPAWNABLE = (".proto", ".urdf", ".wbo")


class Spawning:
    """Each method answers the service of its name."""

    def __init__(self, host: Host, entities: Entities, messages: Any) -> None:
        self._host, self._entities, self._messages = host, entities, messages

    def spawn_entity(self, request: Any, response: Any) -> None:
        """Bring in one."""
        response.entity_name = self._spawn(request)

    def spawn_entities(self, request: Any, response: Any) -> None:
        """Bring in several, each for itself: those that can come, come."""
        results = []
        for each in request.spawn_requests:
            result = self._messages.SpawnResult()
            outcome = outcome_of(self._spawn, each)  # the others can come nevertheless
            if isinstance(outcome, Done):
                result.entity_name = outcome.answer
                answer(result.result, Code.OK)
            else:
                answer(result.result, outcome.code if isinstance(outcome, Refused) else Code.OK, outcome.text)
            results.append(result)
        response.results = results
        failed = [each.result.error_message for each in results if each.result.result != Code.OK]
        if failed:
            raise CommandError(
                f"{len(failed)} of {len(results)} were not spawned: {failed[0]}", ENTITIES_SPAWN_FAILED
            )

    def get_spawnables(self, request: Any, response: Any) -> None:
        """Solids among the PROTO files that come with odesim, its URDF files, and those of more folders."""
        share = share_dir()
        files = spawnable_files([share / "protos", share / "worlds" / "urdf"])
        unknown = []
        for source in request.sources:
            try:
                path = local_path(source)
            except CommandError:
                path = Path(source)
            if path.is_dir():
                files += spawnable_files([path])
            elif path.is_file() and path.suffix.lower() in SPAWNABLE:
                files.append(path)
            else:
                unknown.append(source)
        response.spawnables = [
            found for path in dict.fromkeys(files) if (found := self._spawnable(path)) is not None
        ]
        if unknown:
            listed = ", ".join(f'"{each}"' for each in unknown)
            answer(response.result, Code.OK, f"not recognized: {listed}; expected folders or files")

    # ---- within

    def _spawn(self, request: Any) -> str:
        """Bring in an entity; returns its name."""
        sim, entities = self._entities.sim, self._entities
        known = list(sim.scene.extern_protos)
        source = read_source(sim.scene, request.entity_resource)
        space = request.entity_namespace.strip()
        if space and not NAMESPACE.fullmatch(space):
            raise CommandError(
                f'found the namespace "{space}", expected such as fleet/left', NAMESPACE_INVALID
            )
        name = self._name(request, source, space.strip("/"))
        stamped = request.initial_pose
        frame = reference(entities, stamped.header.frame_id, INVALID_POSE)
        pose = frame.pose * pose_from(stamped.pose, INVALID_POSE) * source.start
        node = source.node
        node["name"] = name
        put_at_root(sim.scene, node, pose)
        protos = [proto.url for proto in sim.scene.extern_protos if proto not in known]
        is_newer = sim.scene.header.is_before(FIRST_FLU_VERSION) and not node.axes.is_old
        header = f"{Header().raw}\n" if is_newer else ""  # else it would be read as old as the world
        declared = header + "".join(f"EXTERNPROTO {quoted(url)}\n" for url in protos)
        extras = tuple(write_node(each) for each in source.extras)
        self._host.must(Spawn(declared + write_node(node), node.source.file, extras, source.settings))
        for note in source.notes:
            self._host.say(f'spawned "{name}": {note}')
        return name

    def _name(self, request: Any, source: Source, space: str) -> str:
        """A name that nobody has, also as a ROS name."""
        wanted = request.name.strip() or source.name
        if request.name and not NAME.fullmatch(wanted):
            raise CommandError(
                f'found the name "{request.name}", expected letters, digits and _ . - ( )', NAME_INVALID
            )
        if not wanted or not legal_name(wanted):
            if not request.allow_renaming:
                raise CommandError("found no name, expected one, or allow_renaming", NAME_INVALID)
            wanted = source.node.type_name.lower()
        name = f"{space}/{wanted}" if space else wanted
        taken = set(self._entities.all())
        if not _is_taken(name, taken):
            return name
        if not request.allow_renaming:
            raise CommandError(
                f'the name "{name}" is taken, expected another, or allow_renaming', NAME_NOT_UNIQUE
            )
        name = free_name(name, taken)
        while _is_taken(name, taken):
            taken.add(name)
            name = free_name(name, taken)
        return name

    def _spawnable(self, path: Path) -> Any:
        """A Spawnable; None: nothing that can be spawned is in the file."""
        resource = self._messages.Resource()
        resource.uri = uri_of(path)
        try:
            source = read_source(Scene(), resource)
        except (CommandError, OdesimError):
            return None
        spawnable = self._messages.Spawnable()
        spawnable.entity_resource = resource
        kind = source.node.type_name
        spawnable.description = f"{path.stem}: {kind}" + (f' "{source.name}"' if source.name else "")
        return spawnable


def spawnable_files(folders: Iterable[Path]) -> list[Path]:
    """Files below folders by whose ending an entity may be in them, sorted."""
    return [
        path for folder in folders for path in sorted(folder.rglob("*")) if path.suffix.lower() in SPAWNABLE
    ]


def _is_taken(name: str, taken: Iterable[str]) -> bool:
    return any(legal_name(name) == legal_name(each) for each in taken)
