"""Addition of the models of SDF files to a world of any format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

from sim_core.base.errors import SceneError, SceneErrors
from sim_core.base.geometry import Pose, rotation_from_roll_pitch_yaw
from sim_core.scene.node import Node
from sim_core.scene.robot_description import RobotDescription
from sim_core.scene.scene import Scene
from sim_core.scene.sdf.documents import Document, Library
from sim_core.scene.sdf.models import ModelReader
from sim_core.scene.sdf.scopes import ScopeReader, problems_of
from sim_core.scene.sdf.surfaces import DEFAULT_NAME, PLAIN, Friction, contact_properties
from sim_core.scene.sdf.unread_elements import without_effect
from sim_core.scene.urdf.spawn import ORIGIN, Placement, lowest_points, put_in

PLAIN_NAME = "SDF"
"""Contact material of surfaces without values, in a world whose default differs from SDF's."""
BOUNCE_OF_WEBOTS = 0.5


@dataclass(frozen=True)
class ModelFile:
    """Contents of the file of a model.

    Attributes:
        path: path of the file.
        robots: descriptions, each with the type of its node; the first holds the canonical link.
        surfaces: surfaces of its collisions, by contact material.
        warnings: one line for each part without effect.
    """

    path: Path
    robots: list[tuple[RobotDescription, str]]
    surfaces: dict[str, Friction]
    warnings: list[SceneError]


def read_model_file(
    path: str | Path, values: Mapping[str, str] | None = None, text: str = "", plain: str = ""
) -> ModelFile:
    """Read the model of a file.

    Args:
        path: path of the file.
        values: values of its `<xacro:arg>`, by name.
        text: text without xacro that is read instead of the file; empty: the file is read.
        plain: name of the contact material of surfaces without values; empty: none.

    Raises:
        SceneErrors: the file cannot be read, contains no model, or all problems found in it.
    """
    library, path = Library(), Path(path)
    document = library.parse(text, path) if text else library.read_file(path, values)
    tag = document.root.first("model")
    if tag is None:
        hint = "odesim run FILE opens worlds" if document.root.first("world") is not None else ""
        raise SceneErrors([SceneError(*document.root.source, "SDF without a model", "<model>", hint)])
    return _read(library, document, plain)


def _read(library: Library, document: Document, plain: str) -> ModelFile:
    models = ModelReader.from_library(library, plain)
    tag = document.root.first("model")
    assert tag is not None
    try:
        scope = ScopeReader(library).model(tag, document, (document.path,))
        robots = list(models.describe(scope))
    except (SceneError, SceneErrors) as error:
        raise SceneErrors(problems_of(error)) from None
    roots = [each.root.item for each in library.documents.values()]
    library.warnings += without_effect(roots, models.tags, library.read_ids)
    return ModelFile(document.path, robots, models.links.surfaces, library.warnings)


def add_sdf(
    scene: Scene, path: str | Path, place: Placement = ORIGIN, values: Mapping[str, str] | None = None
) -> Node:
    """Add the model of an SDF file to a scene that is not simulated yet.

    Args:
        scene: receives its nodes, its contact properties, the settings of its devices, and warnings.
        path: path of the file.
        place: place of the model's frame; the pose in the file is ignored.
        values: values of the file's `<xacro:arg>`, by name.

    Returns:
        The node that contains its canonical link.

    Raises:
        SceneErrors: the file is invalid, or a solid of the scene has the model's name.
    """
    known = surfaces_in(scene)
    found = read_model_file(path, values, plain=plain_name(known))
    model, _ = found.robots[0] if found.robots else (None, "")
    if model is None:
        raise SceneErrors([SceneError(str(path), 0, 0, "a model without links", "<link>")])
    for node in scene.nodes:
        if node.is_a("Solid") and node["name"] == model.name:
            expected = f"a name of its own (the first is at {node.where})"
            raise SceneErrors([SceneError(*model.source, f'a second model named "{model.name}"', expected)])
    z = place.z
    if z is None:
        z = -min((low for robot, _ in found.robots for low in lowest_points(robot)), default=0.0)
    pose = Pose((place.x, place.y, z), rotation_from_roll_pitch_yaw(0.0, 0.0, place.yaw))
    nodes = [
        put_in(scene, robot, path, pose * robot.start, found.warnings, type_name)
        for robot, type_name in found.robots
    ]
    scene.warnings += found.warnings
    info = scene.world_info
    info["contactProperties"] = [*info["contactProperties"], *new_properties(found.surfaces, known)]
    return nodes[0]


def plain_name(known: Mapping[str, Friction]) -> str:
    """Return the contact material of surfaces without values, in a world with materials; empty: its
    default."""
    return "" if known[DEFAULT_NAME] == PLAIN else PLAIN_NAME


def new_properties(surfaces: Mapping[str, Friction], known: Mapping[str, Friction]) -> list[Node]:
    """Return the ContactProperties of surfaces that are added to a world with materials."""
    new = {name: surface for name, surface in surfaces.items() if name not in known}
    return contact_properties(new, known)


def surfaces_in(scene: Scene) -> dict[str, Friction]:
    """Return the contact materials of a world, each with the properties of a contact with itself."""
    found = {DEFAULT_NAME: Friction(bounce=sqrt(BOUNCE_OF_WEBOTS))}
    found |= dict(_against_themselves(scene))
    return found


def _against_themselves(scene: Scene) -> Iterator[tuple[str, Friction]]:
    for node in scene.world_info["contactProperties"]:
        if node["material1"] == node["material2"]:
            friction = [value if value >= 0.0 else 1e9 for value in node["coulombFriction"]] or [1.0]
            bounce, threshold = sqrt(node["bounce"]), node["bounceVelocity"]
            yield (
                node["material1"],
                Friction(friction[0], friction[-1], bounce=bounce, threshold=threshold),
            )
