"""Entities to spawn: one solid each, read from VRML text, URDF or SDF, that is not in the world yet."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Pose
from sim_core.scene import Node, Scene, write_node
from sim_core.scene.axes import FIRST_FLU_VERSION, put_at_root
from sim_core.scene.meshes.node_files import FILE_NODES, file_of
from sim_core.scene.robot_description import RobotDescription
from sim_core.scene.robot_settings import composites_of, settings_of
from sim_core.scene.scene import Composite, DeviceSetting
from sim_core.scene.wbt.header import Header
from sim_core.scene.wbt.lexer import quoted
from sim_core.session.supervision.imports import read_nodes

STAGE = ("WorldInfo", "Viewpoint", "Background", "Fog")
"""Nodes that are ignored in a spawned world file, because the running world has its own."""


class Spawnable(NamedTuple):
    """Entity that is not in the world yet.

    Attributes:
        node: its solid node.
        start: pose of the node in the frame by which the entity is placed.
        name: its own name; "" if none.
        protos: PROTO files that it needs and the world does not declare.
        extras: contact properties, as text.
        model: its description, of URDF and SDF.
        notes: parts of the file without effect, one line each.
    """

    node: Node
    start: Pose = Pose()
    name: str = ""
    protos: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    model: RobotDescription | None = None
    notes: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """Type of the node."""
        return self.node.type_name

    @property
    def file(self) -> str:
        """The source file."""
        return self.node.source.file

    def settings(self, scene: Scene, name: str) -> tuple[list[DeviceSetting], list[Composite]]:
        """Return the settings of the robot and its devices, and its combined devices, under a name.

        Raises:
            SceneError: the file combines devices that do not exist.
        """
        if self.model is None:
            return [], []
        model = replace(self.model, name=name)
        settings = list(settings_of(model, self.node, scene, []))
        return settings, list(composites_of(model, self.node, scene))

    def find_files(self) -> None:
        """Check that the files it refers to exist.

        Raises:
            SceneError: one does not.
        """
        for node in self.node.walk():
            if node.type_name in FILE_NODES and node["url"]:
                file_of(node).find_file()

    def placed(self, scene: Scene, name: str, pose: Pose) -> str:
        """Return its text for the root of a scene, with a unique name and a pose in the world."""
        self.node["name"] = name
        put_at_root(scene, self.node, pose * self.start)
        is_newer = scene.header.is_before(FIRST_FLU_VERSION) and not self.node.axes.is_old
        header = (
            f"{Header().raw}\n" if is_newer else ""
        )  # otherwise it would be read in the old version of the world
        declared = header + "".join(f"EXTERNPROTO {quoted(url)}\n" for url in self.protos)
        return declared + write_node(self.node)


def from_vrml(scene: Scene, text: str, name: str, skip_missing: bool = False) -> Spawnable:
    """Read the one solid of a text; world nodes such as WorldInfo and lights are ignored.

    Args:
        scene: of the target world; PROTO nodes that the text declares are added to it.
        text: of a world, or of nodes.
        name: of its file.
        skip_missing: see `read_nodes`.

    Raises:
        SceneErrors, SceneError: the text is wrong, or there is not one solid in it.
    """
    lines = re.sub(r"#.*", "", text)
    if not lines.strip():
        raise SceneError(name, 0, 0, "no node", "one Solid, Robot or other node derived from Solid")
    known = list(scene.extern_protos)
    read = read_nodes(scene, text, name, skip_missing=skip_missing)
    nodes = [node for node in read if node.type_name not in STAGE]
    solids = [node for node in nodes if node.is_a("Solid")]
    if len(solids) != 1:
        found = ", ".join(node.path() for node in (solids or nodes)) or "none"
        raise SceneError(name, 0, 0, f"found {found}", "one Solid, Robot or other node derived from Solid")
    left_out = tuple(f"{node.path()} is left out" for node in nodes if node is not solids[0])
    own = solids[0]["name"]
    default = solids[0].node_type.fields["name"].default
    own = own if own != default else solids[0].def_name or ""
    protos = tuple(proto.url for proto in scene.extern_protos if proto not in known)
    return Spawnable(solids[0], name=own, protos=protos, notes=left_out)


def from_urdf(scene: Scene, text: str, name: str) -> Spawnable:
    """Read the robot of a URDF text, for a world.

    Raises:
        SceneErrors, SceneError: the text is wrong, or the robot has no links.
    """
    from sim_core.scene.urdf.reader import parse_urdf
    from sim_core.scene.urdf.to_scene import contact_properties, robot_node

    model: RobotDescription
    model, warnings = parse_urdf(text, name)
    if not model.links:
        raise SceneError(*model.source, "a robot without links", "a robot with links")
    node = robot_node(model, warnings)
    extras = tuple(map(write_node, contact_properties(model)))
    return _described(scene, model, node, extras, warnings)


def from_sdf(scene: Scene, text: str, name: str) -> Spawnable:
    """Read the model of an SDF text (without xacro).

    Args:
        scene: of the target world; the model uses its contact materials.
        text: of the file.
        name: its path, from which its files are searched.

    Raises:
        SceneErrors, SceneError: the text is wrong, or holds no model with links.
    """
    from sim_core.scene.sdf.spawn import new_properties, plain_name, read_model_file, surfaces_in
    from sim_core.scene.urdf.to_scene import robot_node

    known = surfaces_in(scene)
    found = read_model_file(name, text=text, plain=plain_name(known))
    if not found.robots:
        raise SceneError(name, 0, 0, "a model without links", "<link>")
    (model, type_name), *others = found.robots
    warnings = list(found.warnings)
    for other, _ in others:
        found_text = f'link "{other.root}" is not joined to another link and is left out'
        warnings.append(SceneError(*model.source, found_text))
    node = robot_node(model, warnings, type_name)
    extras = tuple(map(write_node, new_properties(found.surfaces, known)))
    return _described(scene, model, node, extras, warnings)


def _described(
    scene: Scene, model: RobotDescription, node: Node, extras: tuple[str, ...], warnings: list[SceneError]
) -> Spawnable:
    """Return a robot from its description."""
    list(settings_of(model, node, scene, warnings))  # its warnings
    notes = [str(warning) for warning in warnings]
    notes += [
        f'plugin "{tag.type_name}" is not started, because its robot was spawned' for tag in model.plugins
    ]
    return Spawnable(node, model.start, model.name, (), extras, model, tuple(notes))
