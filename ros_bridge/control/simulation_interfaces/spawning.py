"""SpawnEntity, SpawnEntities and GetSpawnables.

The Resource of a request names what to spawn: URDF, SDF, PROTO and world files, or text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ros_bridge.control.runner import Runner
from ros_bridge.control.simulation_interfaces.entities import Entities, free_name
from ros_bridge.control.simulation_interfaces.messages import answer
from ros_bridge.control.simulation_interfaces.poses import pose_from, reference
from ros_bridge.control.simulation_interfaces.resources import existing, local_path, uri_of
from ros_bridge.topics.names import legal_name
from sim_core.base.errors import Code, CommandError, OdesimError, SceneError, SceneErrors
from sim_core.base.outcome import Done, Refused, outcome_of
from sim_core.base.shipped import share_dir
from sim_core.scene import Scene
from sim_core.scene.wbt.lexer import quoted
from sim_core.session.run_commands import Spawn
from sim_core.session.supervision.spawnables import Spawnable, from_sdf, from_urdf, from_vrml

NAME_NOT_UNIQUE, NAME_INVALID, NAMESPACE_INVALID, INVALID_POSE = 101, 102, 105, 109
"""Result codes of SpawnEntity."""
ENTITIES_SPAWN_FAILED = 150
NAME = re.compile(r"[A-Za-z0-9_ .()-]*[A-Za-z0-9][A-Za-z0-9_ .()-]*")
NAMESPACE = re.compile(r"/?[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*/?")
"""https://design.ros2.org/articles/topic_and_service_names.html"""
SPAWNABLE = (".proto", ".urdf", ".wbo")


class Spawning:
    """Each method implements the service of its name."""

    def __init__(self, runner: Runner, entities: Entities, messages: Any) -> None:
        self._runner, self._entities, self._messages = runner, entities, messages

    def spawn_entity(self, request: Any, response: Any) -> None:
        """Spawn one entity."""
        response.entity_name = self.spawn(request)

    def spawn_entities(self, request: Any, response: Any) -> None:
        """Spawn several entities independently: failures do not affect the others."""
        results = []
        for each in request.spawn_requests:
            result = self._messages.SpawnResult()
            outcome = outcome_of(self.spawn, each)  # a failure must not stop the others
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
        """Return the solids among odesim's PROTO files, its URDF files, and those of further folders."""
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

    def spawn(self, request: Any) -> str:
        """Spawn the entity of a SpawnEntity request; return its name.

        Raises:
            CommandError: it is refused.
        """
        sim, entities = self._entities.sim, self._entities
        source = read_source(sim.scene, request.entity_resource)
        space = request.entity_namespace.strip()
        if space and not NAMESPACE.fullmatch(space):
            raise CommandError(
                f'found the namespace "{space}", expected such as fleet/left', NAMESPACE_INVALID
            )
        name = self._name(request, source, space.strip("/"))
        stamped = request.initial_pose
        frame = reference(entities, stamped.header.frame_id, INVALID_POSE)
        pose = frame.pose * pose_from(stamped.pose, INVALID_POSE)
        settings = source.settings(sim.scene, name)
        text = source.placed(sim.scene, name, pose)
        self._runner.execute(Spawn(text, source.file, source.extras, *settings))
        for note in source.notes:
            self._runner.warn(f'spawned "{name}": {note}')
        return name

    # ---- helpers

    def _name(self, request: Any, source: Spawnable, space: str) -> str:
        """Return a name that is free, also as a ROS name."""
        wanted = request.name.strip() or source.name
        if request.name and not NAME.fullmatch(wanted):
            raise CommandError(
                f'found the name "{request.name}", expected letters, digits and _ . - ( )', NAME_INVALID
            )
        if not wanted or not legal_name(wanted):
            if not request.allow_renaming:
                raise CommandError("found no name, expected one, or allow_renaming", NAME_INVALID)
            wanted = source.kind.lower()
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
        """Return a Spawnable; None: the file contains nothing that can be spawned."""
        resource = self._messages.Resource()
        resource.uri = uri_of(path)
        try:
            source = read_source(Scene(), resource)
        except (CommandError, OdesimError):
            return None
        spawnable = self._messages.Spawnable()
        spawnable.entity_resource = resource
        spawnable.description = f"{path.stem}: {source.kind}" + (f' "{source.name}"' if source.name else "")
        return spawnable


def spawnable_files(folders: Iterable[Path]) -> list[Path]:
    """Return the files below folders whose suffix allows an entity, sorted."""
    return [
        path for folder in folders for path in sorted(folder.rglob("*")) if path.suffix.lower() in SPAWNABLE
    ]


def _is_taken(name: str, taken: Iterable[str]) -> bool:
    return any(legal_name(name) == legal_name(each) for each in taken)


UNSUPPORTED_FORMAT, NO_RESOURCE, PARSE_ERROR, MISSING_ASSETS = 103, 104, 106, 107
"""Result codes of SpawnEntity."""
_SDF = re.compile(r"\s*((?><\?.*?\?>|<!--.*?-->)\s*)*<sdf\b", re.DOTALL)
"""A comment ends at the first `?>` or `-->` (atomic groups), so that many comments take linear time."""
_Read = Callable[[Scene, bool], Spawnable]
"""Reads a Resource for a world; the second argument: whether missing PROTOs may be skipped."""
ENDINGS = {".urdf": "urdf", ".sdf": "sdf", ".proto": "proto", ".wbo": "wbo", ".wbt": "wbt"}


def read_source(scene: Scene, resource: Any) -> Spawnable:
    """Return the entity of a Resource.

    Args:
        scene: world it is for, with its PROTO definitions.
        resource: `uri`, or if that is empty, `resource_string`.

    Raises:
        CommandError: it contains none.
    """
    uri, text = resource.uri.strip(), resource.resource_string
    if uri:
        path = existing(local_path(uri), uri)
        kind = ENDINGS.get(path.suffix.lower())
        if kind is None:
            expected = ", ".join(ENDINGS)
            raise CommandError(f'found "{uri}", expected a file that ends in {expected}', UNSUPPORTED_FORMAT)
        if kind == "proto":
            text = f"EXTERNPROTO {quoted(str(path.resolve()))} {path.stem} {{ }}"
            return _parsed(scene, lambda known, skip: from_vrml(known, text, str(path), skip))
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f'"{uri}" cannot be read: {error}', PARSE_ERROR) from None
        name = str(path.resolve())
    elif text.strip():
        kind = "sdf" if _SDF.match(text) else "urdf" if text.lstrip().startswith("<") else "wbo"
        name = "resource_string"
    else:
        raise CommandError("found neither uri nor resource_string, expected one of them", NO_RESOURCE)
    if kind == "sdf":
        return _parsed(scene, lambda known, _: from_sdf(known, text, name))
    if kind == "urdf":
        return _parsed(scene, lambda known, _: from_urdf(known, text, name))
    return _parsed(scene, lambda known, skip: from_vrml(known, text, name, skip))


def _code_of(scene: Scene, read: _Read) -> int:
    """Return why a text cannot be read: it is invalid, or files are missing."""
    for is_lenient, skip_missing, code in (
        (True, False, PARSE_ERROR),
        (scene.is_lenient, True, MISSING_ASSETS),
    ):
        try:
            known = replace(scene, is_lenient=is_lenient, extern_protos=list(scene.extern_protos))
            read(known, skip_missing)
            return code
        except SceneErrors:
            continue
        except OdesimError:  # complete now, except for the missing files
            return code
    return PARSE_ERROR


def _parsed(scene: Scene, read: _Read) -> Spawnable:
    """Read it, including the files it refers to.

    Raises:
        CommandError: it cannot be read, or a file is missing.
    """
    try:
        source = read(scene, False)
    except SceneErrors as error:
        raise CommandError(str(error), _code_of(scene, read)) from None
    except OdesimError as error:
        raise CommandError(str(error), PARSE_ERROR) from None
    try:
        source.find_files()
    except SceneError as error:
        raise CommandError(str(error), MISSING_ASSETS) from None
    return source
