"""Addition of the robots of URDF files to a world."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from sim_core.base.errors import ConfigError, SceneError, SceneErrors
from sim_core.base.geometry import Pose, rotation_from_roll_pitch_yaw
from sim_core.scene.axes import put_at_root
from sim_core.scene.node import Node
from sim_core.scene.robot_description import LinkShape, RobotDescription
from sim_core.scene.robot_settings import composites_of, plugins_of, settings_of
from sim_core.scene.scene import Scene
from sim_core.scene.urdf.mesh_urls import PACKAGE
from sim_core.scene.urdf.reader import read_urdf
from sim_core.scene.urdf.to_scene import contact_properties, robot_node

_PLACE = re.compile(r"^(?P<file>.+)@(?P<numbers>[^@]*)$")
_VALUE = re.compile(r"\s+([A-Za-z_]\w*):=")
_NUMBERS = re.compile(r"[-+0-9.eE,\s]+")


class Placement(NamedTuple):
    """Place of a robot in m and rad; z None: its lowest collision shape touches z = 0."""

    x: float = 0.0
    y: float = 0.0
    z: float | None = None
    yaw: float = 0.0


ORIGIN = Placement()
_WITHOUT_SIZE = ("mesh", "plane", "grid")
"""Kinds of collision shapes that are ignored in the search for the lowest point."""


class SpawnRequest(NamedTuple):
    """An argument of `--urdf`: a file, the place of its robot, values of its `<xacro:arg>` by name.

    `robot` is the robot of the world to which the file's tags apply, instead of its own robot; empty: the
    file names it.
    """

    file: str
    place: Placement = ORIGIN
    values: Mapping[str, str] = MappingProxyType({})
    robot: str = ""


def parse_argument(text: str) -> SpawnRequest:
    """Parse `robot.urdf`, `robot.urdf@x,y`, `robot.urdf@x,y,z,yaw` (z may be empty) or `robot.urdf@ROBOT`.

    Each of these may be followed by values for xacro, as in `robot.urdf.xacro@1,2 name:=left wheels:=4`.

    Raises:
        ConfigError: there are not two or four numbers after the @, or one is not finite.
    """
    if Path(text).exists():
        return SpawnRequest(text)
    head, *rest = _VALUE.split(text.strip())
    values = dict(zip(rest[::2], rest[1::2], strict=True))
    match = None if Path(head).exists() else _PLACE.match(head)
    if match is None or not (_NUMBERS.fullmatch(match["numbers"]) or Path(match["file"]).is_file()):
        return SpawnRequest(head, ORIGIN, values)
    behind = match["numbers"].strip()
    if behind and "," not in behind and not _NUMBERS.fullmatch(behind):
        return SpawnRequest(match["file"], ORIGIN, values, behind)
    words = [word.strip() for word in behind.split(",")]
    try:
        if len(words) not in (2, 4):
            raise ValueError
        x, y = float(words[0]), float(words[1])
        z = float(words[2]) if len(words) == 4 and words[2] else None
        yaw = float(words[3]) if len(words) == 4 else 0.0
        if not all(math.isfinite(value) for value in (x, y, z or 0.0, yaw)):
            raise ValueError
    except ValueError:
        expected = "expected x,y or x,y,z,yaw, or the name of a robot"
        raise ConfigError(f'--urdf {text}: found "{match["numbers"]}", {expected}') from None
    return SpawnRequest(match["file"], Placement(x, y, z, yaw), values)


def add_urdf(
    scene: Scene,
    path: str | Path,
    place: Placement = ORIGIN,
    values: Mapping[str, str] | None = None,
    robot: str = "",
) -> Node:
    """Add the robot of a URDF or xacro file to a scene that is not simulated yet.

    Args:
        scene: receives the Robot node, the contact properties of its links, the settings of its devices, and
            warnings.
        path: path of the file.
        place: place of the root link of the file.
        values: values of the file's `<xacro:arg>`, by name.
        robot: name of the robot in the scene whose devices the file sets; the file's links are then ignored.

    Returns:
        The Robot node. For a file without links, as in webots_ros2, it is that of the robot in the scene
        whose devices the file sets: `robot`, the one of its name, or the only one.

    Raises:
        SceneErrors: the file is invalid, or a robot of the scene has the robot's name.
    """
    model, warnings = read_urdf(path, values)
    if model.is_about_another or robot:
        return _set_devices(scene, model, path, warnings, robot)
    for node in scene.walk():
        if node.is_a("Robot") and node["name"] == model.name:
            found = f'a second robot named "{model.name}"'
            expected = f"a name of its own (the first is at {node.where})"
            raise SceneErrors([SceneError(*model.source, found, expected)])
    node = put_in(scene, model, path, _pose(model, place), warnings)
    scene.warnings += warnings
    add_friction(scene, model)
    return node


def put_in(
    scene: Scene,
    model: RobotDescription,
    path: str | Path,
    pose: Pose,
    warnings: list[SceneError],
    type_name: str = "Robot",
) -> Node:
    """Add a robot with its devices and plugins to a scene.

    Args:
        scene: receives the node, the settings of its devices and its plugins.
        model: description of the robot.
        path: path of its file.
        pose: pose of its root in ENU.
        warnings: receives a line for each difference to the description.
        type_name: see `robot_node`.

    Raises:
        SceneErrors: a device tag is invalid, or the file of a collision shape is not found.
    """
    try:
        node = robot_node(model, warnings, type_name)
        settings = list(settings_of(model, node, scene, warnings))
        composites = list(composites_of(model, node, scene))
        plugins = list(plugins_of(model, node, path, scene, warnings))
        _check_packages(node, scene, warnings)
    except SceneError as error:
        raise SceneErrors([error]) from None
    put_at_root(scene, node, pose)
    scene.nodes.append(node)
    Node.arrangement = object()
    scene.device_settings += settings
    scene.composites += composites
    scene.plugins += plugins
    return node


def _set_devices(
    scene: Scene, model: RobotDescription, path: str | Path, warnings: list[SceneError], name: str
) -> Node:
    """Set the devices of a robot that is already in the scene."""
    robots = [node for node in scene.walk() if node.is_a("Robot")]
    named = [node for node in robots if node["name"] == (name or model.name)]
    if not named and (name or len(robots) != 1):
        names = ", ".join(f'"{node["name"]}"' for node in robots) or "none"
        without = "" if name else "a robot without links and "
        found = f'{without}no robot "{name or model.name}" in the world'
        raise SceneErrors([SceneError(*model.source, found, f"the name of one of its robots: {names}")])
    robot = (named or robots)[0]
    model.name = robot["name"]
    try:
        composites = list(composites_of(model, robot, scene))
        plugins = list(plugins_of(model, robot, path, scene, warnings))
        scene.device_settings += list(settings_of(model, robot, scene, warnings))
        scene.plugins += plugins
        scene.composites += composites
    except SceneError as error:
        raise SceneErrors([error]) from None
    scene.warnings += warnings
    return robot


def _check_packages(robot: Node, scene: Scene, warnings: list[SceneError]) -> None:
    """Add warnings about packages of meshes that are not found.

    Raises:
        SceneError: a collision shape needs one, and missing files are not skipped.
    """
    reported: set[str] = set()
    for node in robot.walk():
        url = node["url"][0] if node.has_field("url") and node["url"] else ""
        if not url.startswith(PACKAGE):
            continue
        name = url.removeprefix(PACKAGE).partition("/")[0]
        problem = SceneError(
            *node.source,
            f'package "{name}" is not above the file, in ROS_PACKAGE_PATH or in AMENT_PREFIX_PATH',
        )
        collides = any(above.parent_field == "boundingObject" for above in (node, *node.ancestors()))
        if collides and not scene.skip_missing:
            raise problem
        if name not in reported:
            reported.add(name)
            warnings.append(problem)


def _pose(model: RobotDescription, place: Placement) -> Pose:
    z = place.z
    if z is None:
        lowest = min(lowest_points(model), default=0.0)
        z = -lowest
    return Pose((place.x, place.y, z), rotation_from_roll_pitch_yaw(0.0, 0.0, place.yaw)) * model.start


def lowest_points(model: RobotDescription) -> Iterator[float]:
    """Yield z of the lowest point of each collision shape except meshes, all joints at 0, in the file's
    frame."""
    below = model.joints_below()
    pending = [(model.root, model.start)]
    while pending:
        name, pose = pending.pop()
        for shape in model.links[name].collisions:
            if shape.geometry.kind not in _WITHOUT_SIZE:
                yield _lowest_point(shape, pose)
        pending += [(joint.child, pose * joint.origin) for joint in below[name]]


def _lowest_point(shape: LinkShape, pose: Pose) -> float:
    placed = pose * shape.origin
    if shape.geometry.kind == "faces":
        return min(placed.apply(point)[2] for point in shape.geometry.points)
    size, z = shape.geometry.size, placed.position[2]
    x_down, y_down, z_down = (abs(value) for value in placed.rotation[6:])
    if shape.geometry.kind == "box":
        return z - (x_down * size[0] + y_down * size[1] + z_down * size[2]) / 2.0
    if shape.geometry.kind == "sphere":
        return z - size[0]
    radius, length = size
    if shape.geometry.kind == "capsule":
        return z - radius - z_down * length / 2.0
    return z - z_down * length / 2.0 - radius * math.sqrt(max(0.0, 1.0 - z_down * z_down))


def add_friction(scene: Scene, model: RobotDescription) -> None:
    """Add the contact properties of a robot's links to the scene that contains it."""
    info, made = scene.world_info, contact_properties(model)
    if made:
        info["contactProperties"] = [*info["contactProperties"], *made]
