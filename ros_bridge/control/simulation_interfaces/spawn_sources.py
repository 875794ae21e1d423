"""What can be spawned: entities read from URDF, PROTO and world files, or from text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from ros_bridge.control.simulation_interfaces.resources import existing, local_path
from sim_core.base.errors import CommandError, OdesimError, SceneError, SceneErrors
from sim_core.base.geometry import Pose
from sim_core.scene import Node, Scene
from sim_core.scene.meshes.node_files import FILE_NODES, file_of
from sim_core.scene.urdf.model import Model
from sim_core.scene.wbt.lexer import quoted
from sim_core.session.supervision.imports import read_nodes

UNSUPPORTED_FORMAT, NO_RESOURCE, PARSE_ERROR, MISSING_ASSETS = 103, 104, 106, 107
"""Of SpawnEntity."""
ENDINGS = {".urdf": "urdf", ".proto": "proto", ".wbo": "wbo", ".wbt": "wbt"}
STAGE = ("WorldInfo", "Viewpoint", "Background", "Fog")
"""Nodes of a world that is spawned from: the world that is running has its own."""


class Source(NamedTuple):
    """An entity that is not in the world yet.

    Attributes:
        node: its solid.
        start: pose of the node in the frame that the entity is placed by.
        name: its own; empty: none.
        extras: contact properties for it.
        settings: sampling periods of its devices by name, s.
        notes: what of the file has no effect, a line each.
    """

    node: Node
    start: Pose = Pose()
    name: str = ""
    extras: tuple[Node, ...] = ()
    settings: tuple[tuple[str, float], ...] = ()
    notes: tuple[str, ...] = ()


def read_source(scene: Scene, resource: Any) -> Source:
    """The entity of a Resource.

    Args:
        scene: of the world that it is for; knows PROTO nodes.
        resource: `uri`, or where that is empty, `resource_string`.

    Raises:
        CommandError: there is none in it.
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
            return _parsed(scene, lambda known: _vrml(known, text, str(path)))
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f'"{uri}" cannot be read: {error}', PARSE_ERROR) from None
        name = str(path.resolve())
    elif text.strip():
        kind = "urdf" if text.lstrip().startswith("<") else "wbo"
        name = "resource_string"
    else:
        raise CommandError("found neither uri nor resource_string, expected one of them", NO_RESOURCE)
    if kind == "urdf":
        return _parsed(scene, lambda _: _urdf(text, name))
    return _parsed(scene, lambda known: _vrml(known, text, name))


def _parsed(scene: Scene, read: Callable[[Scene], Source]) -> Source:
    """Read it, and find the files that it names.

    Raises:
        CommandError: it cannot be read, or a file is nowhere.
    """
    try:
        source = read(scene)
    except SceneErrors as error:
        code = PARSE_ERROR
        try:
            read(replace(scene, skip_missing=True, extern_protos=list(scene.extern_protos)))
            code = MISSING_ASSETS
        except SceneErrors:
            pass
        except OdesimError:  # it is complete now, but for what is missing
            code = MISSING_ASSETS
        raise CommandError(str(error), code) from None
    except OdesimError as error:
        raise CommandError(str(error), PARSE_ERROR) from None
    for node in source.node.walk():
        if node.type_name in FILE_NODES and node["url"] and not scene.skip_missing:
            try:
                file_of(node).find()
            except SceneError as error:
                raise CommandError(str(error), MISSING_ASSETS) from None
    return source


def _vrml(scene: Scene, text: str, name: str) -> Source:
    """The one solid of a text, nodes that make the stage aside."""
    lines = re.sub(r"#.*", "", text)
    if not lines.strip():
        raise SceneError(name, 0, 0, "no node", "one Solid, Robot or other node derived from Solid")
    nodes = [node for node in read_nodes(scene, text, name) if node.type_name not in STAGE]
    solids = [node for node in nodes if node.is_a("Solid")]
    if len(solids) != 1:
        found = ", ".join(node.path() for node in (solids or nodes)) or "none"
        raise SceneError(name, 0, 0, f"found {found}", "one Solid, Robot or other node derived from Solid")
    left_out = tuple(f"{node.path()} is left out" for node in nodes if node is not solids[0])
    own = solids[0]["name"]
    default = solids[0].node_type.fields["name"].default
    return Source(solids[0], name=own if own != default else solids[0].def_name or "", notes=left_out)


def _urdf(text: str, name: str) -> Source:
    from sim_core.scene.urdf.reader import parse_urdf
    from sim_core.scene.urdf.to_scene import friction_material, robot_node

    model: Model
    model, warnings = parse_urdf(text, name)
    if not model.links:
        raise SceneError(*model.source, "a robot without links", "a robot with links")
    node = robot_node(model, warnings)
    extras = tuple(
        Node.create(
            "ContactProperties", material1=friction_material(model, link), coulombFriction=[coefficient]
        )
        for link, coefficient in model.friction.items()
    )
    settings, notes = [], [str(warning) for warning in warnings]
    for tag in model.devices:
        for key, value in tag.settings.items():
            if key == "sampling_period":
                settings.append((tag.reference, float(str(value))))
            else:
                notes.append(f"{key} of {tag.reference} has no effect on what is spawned")
    return Source(node, model.start, model.name, extras, tuple(settings), tuple(notes))
