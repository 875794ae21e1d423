"""Worlds in older axes and with older nodes, converted once, when they are loaded.

Before R2022a y was up in most worlds (WorldInfo.coordinateSystem "NUE" or "EUN", or a gravity vector),
robots faced -z, cylinders, capsules and cones lay along y, planes and grids faced y, and cameras looked along
-z. Since then the world is ENU and bodies are FLU (Webots guide, Upgrade from R2021b to R2022a).

The rule: the world is turned as a whole, so that up becomes z and north becomes y. In a world whose y was up
every robot, and every device in it, gets a frame that is FLU; devices whose own axis was another get the
frame in which it is today's. In a world whose z was up already (R2021 in "ENU", or gravity along -z) robots
keep their frames, and only devices and shapes are turned. Nothing moves by any of it.

A PROTO is as old as its own file says. An old one in a new world keeps the frame of its root, for the world
places it by that frame: only the shapes and devices in it are turned, as Webots does. One of today in an old
world is taken to have been RUB when the world was made, as most of Webots' own were, if the world places it
with its y axis up.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Mat3, Vec3, norm
from sim_core.scene.node import Node
from sim_core.scene.older.axes import (
    AXES,
    BACK_TO_FORWARD,
    KEEP,
    RUB_TO_FLU,
    Y_AXIS,
    Y_TO_Z,
    Z_AXIS,
    turned,
    turned_rotation,
    world_basis,
)
from sim_core.scene.older.old_nodes import renew
from sim_core.scene.older.reframe import Convention, reframe
from sim_core.scene.older.reframe_shapes import ShapeChange, wrapped
from sim_core.scene.scene import ExternProto, Scene
from sim_core.scene.wbt.header import Header

FIRST_ENU_VERSION = "R2022a"
FIRST_ENU_DEFAULT = "R2021a"
"""Since then WorldInfo.coordinateSystem is ENU unless a file says otherwise."""
ENU = "ENU"
UP = {"ENU": Z_AXIS, "NUE": Y_AXIS, "EUN": Y_AXIS}
NORTH: dict[str, Vec3] = {"ENU": Y_AXIS, "NUE": (1.0, 0.0, 0.0), "EUN": Z_AXIS}
"""EUN as documented is left-handed; what counts is where a Compass finds north, so its x is west."""

DEVICE_BASES: dict[str, Mat3] = {
    **dict.fromkeys(("Camera", "RangeFinder", "Lidar", "Radar", "Pen"), RUB_TO_FLU),
    **dict.fromkeys(("Emitter", "Receiver", "Connector", "TouchSensor"), BACK_TO_FORWARD),
    "Track": Y_TO_Z,
    "TrackWheel": KEEP,
    "Skin": KEEP,
    "DifferentialWheels": RUB_TO_FLU,
}
"""Basis of nodes whose own axes were others (Webots guide, the same page)."""


def check_axes(scene: Scene) -> None:
    """Refuse a scene that is not in today's axes; `load_scene` converts it.

    Raises:
        SceneError: it is older than R2022a, or has another coordinate system.
    """
    info = scene.world_info
    line, column = (info.source.line, info.source.column) if info.source.line else (1, 1)
    if scene.header.is_before(FIRST_ENU_VERSION):
        raise SceneError(
            scene.file,
            1,
            1,
            f"a world of version {scene.header.version}",
            f"{FIRST_ENU_VERSION} or later",
            "load_scene converts older worlds",
        )
    if info["coordinateSystem"] != ENU:
        raise SceneError(scene.file, line, column, f'coordinateSystem "{info["coordinateSystem"]}"', '"ENU"')


def convert_old(scene: Scene) -> None:
    """Bring a scene and its PROTO instances into today's axes and nodes, in place; a warning says so."""
    version = scene.header.version
    if scene.header.is_before(FIRST_ENU_VERSION):
        system, up, north = _world_axes(scene)
        is_flat = up == Z_AXIS
        _convert(scene, world_basis(up, north), KEEP if is_flat else RUB_TO_FLU)
        _restate_world(scene, world_basis(up, north), north)
        found = f"a world of version {version} in {system} axes, converted to ENU and FLU"
        scene.warnings.insert(0, SceneError(scene.file, 1, 1, found))
        scene.header = Header()
        return
    if any(header.is_before(FIRST_ENU_VERSION) for header in scene.proto_headers.values()):
        _warn_of_protos(scene)
        _convert(scene, KEEP, KEEP)
    if scene.world_info["coordinateSystem"] != ENU:
        _turn_world(scene)


def _world_axes(scene: Scene) -> tuple[str, Vec3, Vec3]:
    """Name of the axes of an old world, its up and its north."""
    info = scene.world_info
    system: str = info["coordinateSystem"]
    if not info.is_set("coordinateSystem"):
        system = "NUE" if scene.header.is_before(FIRST_ENU_DEFAULT) else ENU
        gravity = info["gravity"]
        if isinstance(gravity, tuple) and norm(gravity) > 0.0:
            system = ENU if -gravity[2] > 0.99 * norm(gravity) else "NUE"
    up, north = UP[system], NORTH[system]
    if scene.header.is_before(FIRST_ENU_DEFAULT) and system == ENU and not info.is_set("coordinateSystem"):
        north = NORTH["NUE"]
    given = info["northDirection"]
    if info.is_set("northDirection") and _is_axis(given) and given not in (up, _opposite(up)):
        north = given
    return system, up, north


def _opposite(vector: Vec3) -> Vec3:
    """The opposite vector."""
    return (-vector[0] + 0.0, -vector[1] + 0.0, -vector[2] + 0.0)


def _is_axis(vector: Vec3) -> bool:
    return vector in AXES or _opposite(vector) in AXES


def _convert(scene: Scene, world: Mat3, body: Mat3) -> None:
    """Renew nodes and restate everything that is old."""

    def header_of(file: str) -> Header:
        return scene.proto_headers.get(file.removesuffix(" (as made by its template)"), scene.header)

    def is_old(node: Node) -> tuple[bool, bool]:
        outer = header_of(node.source.file).is_before(FIRST_ENU_VERSION)
        if node.proto is None:
            return outer, outer
        return outer, node.proto.node_type.proto.header.is_before(FIRST_ENU_VERSION)

    def frame(node: Node, above: Mat3) -> Mat3:
        if node.type_name in DEVICE_BASES:
            return DEVICE_BASES[node.type_name]
        if node.type_name in ("DistanceSensor", "LightSensor"):
            return Y_TO_Z if body != KEEP and _is_same_all_round(node) else KEEP
        if node.type_name == "Servo":
            return above  # its axis stands in its own frame and in the one above
        return body if node.is_a("Robot") or node.is_a("Device") else above

    for node in scene.walk():
        if is_old(node)[1]:
            file = node.source.file if node.proto is None else node.proto.node_type.proto.file
            renew(node, header_of(file))
    keeps_axes = any(
        len(node["coulombFriction"]) > 1 or node["frictionRotation"] != (0.0, 0.0)
        for node in scene.world_info["contactProperties"]
    )
    convention = Convention(world, frame, RUB_TO_FLU, RUB_TO_FLU, is_old, keeps_axes)
    changed = [node for node in scene.walk() if node.proto is not None and _is_restated(node, is_old)]
    scene.nodes = reframe(scene.nodes, convention)
    for node in changed:
        node.proto = None  # its interface would say the old values again
    declare_protos(scene)


def _is_restated(instance: Node, is_old: Callable[[Node], tuple[bool, bool]]) -> bool:
    """Whether more of an instance is old than the pose that is given to it."""
    if is_old(instance)[1]:
        return True
    return any(any(is_old(each)) for each in instance.walk() if each is not instance)


def _is_same_all_round(sensor: Node) -> bool:
    """Whether turning a sensor about its axis changes nothing."""
    return sensor.type_name == "LightSensor" or sensor["numberOfRays"] == 1


def _restate_world(scene: Scene, basis: Mat3, north: Vec3) -> None:
    """What WorldInfo says in the axes of the world."""
    info = scene.world_info
    if isinstance(info["gravity"], tuple):
        gravity = turned(basis, info["gravity"])
        info["gravity"] = -gravity[2] if gravity[:2] == (0.0, 0.0) and gravity[2] <= 0.0 else gravity
    if info.is_set("gpsReference") and info["gpsCoordinateSystem"] == "local":
        info["gpsReference"] = turned(basis, info["gpsReference"])
    given = info["northDirection"]
    if info.is_set("northDirection") and given != north:
        info["northDirection"] = turned(basis, given)
    else:
        info.unset("northDirection")
    info.unset("coordinateSystem")


def _turn_world(scene: Scene) -> None:
    """A world of today whose axes are not ENU: its nodes are, so that the roots alone are turned."""
    info = scene.world_info
    system = info["coordinateSystem"]
    basis = world_basis(UP[system], NORTH[system])
    for place, node in enumerate(scene.nodes):
        if node.is_a("Pose"):
            if node.is_set("translation"):
                node["translation"] = turned(basis, node["translation"])
            node["rotation"] = turned_rotation(basis, node["rotation"], KEEP)
        elif node.type_name == "Viewpoint":
            node["position"] = turned(basis, node["position"])
            node["orientation"] = turned_rotation(basis, node["orientation"], KEEP)
        elif node.is_a("Light") or node.is_a("Group") or node.type_name in ("Shape", "CadShape"):
            scene.nodes[place] = wrapped(node, ShapeChange(basis))
    _restate_world(scene, basis, NORTH[system])
    found = f"a world in {system} axes, converted to ENU"
    scene.warnings.insert(0, SceneError(scene.file, 1, 1, found))


def _warn_of_protos(scene: Scene) -> None:
    """One line for each old PROTO that is in use."""
    told = set()
    for node in scene.walk():
        if node.proto is None:
            continue
        definition = node.proto.node_type.proto
        if definition.header.is_before(FIRST_ENU_VERSION) and definition.file not in told:
            told.add(definition.file)
            found = (
                f"PROTO {definition.name} of version {definition.header.version}: its shapes and devices "
                "were converted to the axes of today, its own frame was kept"
            )
            scene.warnings.append(SceneError(definition.file, 1, 1, found))


def declare_protos(scene: Scene) -> None:
    """EXTERNPROTO lines for the instances that will be written as such, and for no others."""
    used: dict[str, str] = {}
    pending = list(scene.nodes)
    while pending:
        node = pending.pop()
        values = node.fields if node.proto is None else node.proto.fields
        if node.proto is not None:
            definition = node.proto.node_type.proto
            used[definition.name] = definition.file
        for value in values.values():
            pending += [
                each for each in (value if isinstance(value, list) else [value]) if isinstance(each, Node)
            ]
    kept = [each for each in scene.extern_protos if each.importable or each.name in used]
    declared = {each.name for each in kept}
    folder = Path(scene.file).resolve().parent
    paths = (Path(os.path.relpath(used[name], folder)) for name in sorted(used.keys() - declared))
    scene.extern_protos = kept + [ExternProto(path.as_posix()) for path in paths]
