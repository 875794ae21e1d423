"""Conversion of old nodes and fields to their later forms with the same meaning, when a file is read.

Axes are kept (`scene/axes.py`), and so are DifferentialWheels and Servo: they are simulated with their own
rules (slip, encoders, P control), which no other node has.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sim_core.base.errors import SceneError
from sim_core.base.geometry import Mat3, Vec3, add, dot, multiply, rotation_from_axis_angle, transposed
from sim_core.scene.axes import FIRST_ENU_VERSION, FIRST_FLU_VERSION, FIRST_STATED_VERSION, assign_axes
from sim_core.scene.node import Node
from sim_core.scene.node_types import all_node_types
from sim_core.scene.older.old_planes import planes_of_squares
from sim_core.scene.scene import ENU, MADE_BY_TEMPLATE, Scene
from sim_core.scene.wbt.header import CURRENT, X3D, Header


def convert_old(scene: Scene, into: Scene | None = None) -> None:
    """Convert old nodes of a scene and of its PROTO instances in place, with a warning.

    Args:
        scene: scene as read.
        into: world to which it will be added; axes that both have cause no warning.
    """
    convert_nodes(scene, scene.walk())
    assign_axes(scene)
    _warn_of_versions(scene, into)


def convert_nodes(scene: Scene, nodes: Iterable[Node]) -> None:
    """Convert old nodes, which are or will be in a scene, in place."""
    headers = {scene.file: scene.header, **scene.headers}
    if any(header.is_before(FIRST_FLU_VERSION) for header in headers.values()):
        for node in nodes:
            definition = node.proto.node_type.proto if node.proto is not None else None
            file = node.source.file if definition is None else definition.file
            header = headers.get(file.removesuffix(MADE_BY_TEMPLATE), scene.header)
            if header.is_before(FIRST_FLU_VERSION) and header.version != X3D:
                convert_node(node, header, scene.warnings)


def _warn_of_versions(scene: Scene, into: Scene | None) -> None:
    """Add warnings: one for a world with other axes, one for each old PROTO used in a current world, one
    for each file of a release newer than the one supported here."""
    system, header = scene.axes.system, scene.header
    for file, each in {scene.file: header, **scene.headers}.items():
        if Header().is_before(each.version):
            found = f"a file of version {each.version}, read as one of {CURRENT}"
            scene.warnings.insert(0, SceneError(file, 1, 1, found))
    if into is not None and scene.axes == into.axes:
        return
    if header.is_before(FIRST_FLU_VERSION):
        found = f"a world of version {header.version} in {system} axes; topics use ENU and FLU"
        scene.warnings.insert(0, SceneError(scene.file, 1, 1, found))
        return
    if system != ENU:
        found = f"a world in {system} axes; topics use ENU"
        scene.warnings.insert(0, SceneError(scene.file, 1, 1, found))
    are_all_current = all(not each.is_before(FIRST_FLU_VERSION) for each in scene.headers.values())
    warned_files = set()
    for node in () if are_all_current else scene.walk():
        definition = node.proto.node_type.proto if node.proto is not None else None
        if (
            definition is None
            or definition.file in warned_files
            or not definition.header.is_before(FIRST_FLU_VERSION)
        ):
            continue
        warned_files.add(definition.file)
        found = f"PROTO {definition.name} of version {definition.header.version}: its shapes and devices "
        scene.warnings.append(SceneError(definition.file, 1, 1, found + "have the axes of that time"))


LATER_NAMES = {
    "Supervisor": "Robot",
    "CustomRobot": "Robot",
    "Gripper": "Solid",
    "HyperGate": "Solid",
    "VacuumCup": "VacuumGripper",
    "VisualShape": "CadShape",
    "ColladaShape": "CadShape",
    "Hinge2JointParameters": "HingeJointParameters",
}
WITHOUT_EFFECT = {"WorldInfo": ("sound", "displayRefresh")}
_CAMERA_FAR = 50.0
"""Default of Camera.far in Webots 6, m."""
OLD_DEFAULTS = (
    ("Camera", "far", _CAMERA_FAR),
    ("DistanceSensor", "type", "infra-red"),
    ("Robot", "cpuConsumption", 0.0),
    ("Emitter", "bufferSize", 4096),
    ("Receiver", "bufferSize", 4096),
)
"""Default values of fields in Webots 6."""
_ONE_ARGUMENT_UNTIL = FIRST_ENU_VERSION
"""Before this version all arguments of a controller were one text, separated by spaces."""
_GREY_LEVELS = 256.0
"""`noise` is a fraction of these grey levels, gaussianNoise was a number of them."""


def convert_node(node: Node, header: Header, warnings: list[SceneError]) -> None:
    """Convert one node in place; its children are not changed, except a boundingObject.

    Args:
        header: header of the file that contains the node.
        warnings: receives a line for each value that is ignored.
    """
    is_of_6 = header.is_before(FIRST_STATED_VERSION)
    if node.type_name == "Supervisor":
        node["supervisor"] = True
    if node.type_name == "ColladaShape" and node.is_set("url"):
        url = node["url"]
        _change_type(node, LATER_NAMES[node.type_name])
        node["url"] = [url]
    elif node.type_name in LATER_NAMES:
        _change_type(node, LATER_NAMES[node.type_name])
    elif node.type_name == "Camera" and node["type"] == "range-finder":
        _to_range_finder(node)
    elif node.type_name == "Camera" and node["gaussianNoise"] > 0.0:
        node["noise"] = node["gaussianNoise"] / _GREY_LEVELS
        node.unset("gaussianNoise")
    elif node.type_name == "Physics":
        _convert_physics(node, is_of_6, warnings)
    for kind, field, default in OLD_DEFAULTS if is_of_6 else ():
        if node.is_a(kind) and (field != "cpuConsumption" or node["battery"]):
            _set_old_default(node, field, default)
    if node.is_a("Robot") and len(node["controllerArgs"]) == 1 and header.is_before(_ONE_ARGUMENT_UNTIL):
        node["controllerArgs"] = node["controllerArgs"][0].split()
    if is_of_6 and node.is_a("Solid"):
        planes_of_squares(node)
    for name in WITHOUT_EFFECT.get(node.type_name, ()):
        node.unset(name)


def _set_old_default(node: Node, field: str, old_default: Any) -> None:
    """Set an old default value explicitly where the file omits the field."""
    if not node.is_set(field):
        node[field] = old_default


def _change_type(node: Node, type_name: str) -> None:
    """Change the type; fields that the new one does not have are removed."""
    name = node["name"] if node.has_field("name") else None
    node.node_type = all_node_types()[type_name]
    for field in [each for each in node.fields if not node.has_field(each)]:
        del node.fields[field]
    if name is not None and name != node["name"]:
        node["name"] = name


def _to_range_finder(camera: Node) -> None:
    """Set the range of a Camera of type "range-finder": `near` to `far` (or `maxRange`)."""
    near = camera["near"]
    far = camera["maxRange"] if camera.is_set("maxRange") else camera["far"] or _CAMERA_FAR
    resolution, spherical = camera["rangeResolution"], camera["spherical"]
    noise = camera["rangeNoise"] or camera["depthNoise"] or camera["gaussianNoise"] / _GREY_LEVELS
    _change_type(camera, "RangeFinder")
    camera["minRange"], camera["maxRange"] = near, far
    camera.unset("spherical")
    if resolution > 0.0:
        camera["resolution"] = resolution
    if noise > 0.0:
        camera["noise"] = noise
    if spherical:
        camera["projection"] = "spherical"


def _convert_physics(physics: Node, is_of_6: bool, warnings: list[SceneError]) -> None:
    """Convert mass and inertia: nine numbers were those of ODE's dMassSetParameters, rotated by
    `orientation`.

    In Webots 6 a density, also the default one, took precedence over a mass; a matrix needed a mass.
    """
    if is_of_6 and physics["density"] > 0.0 and physics["mass"] > 0.0:
        found = f"Physics.mass {physics['mass']:g} beside the density {physics['density']:g}, which counts"
        warnings.append(SceneError(*physics.source, found, "density -1 for a mass"))
        physics.unset("mass")
    if is_of_6 and physics["mass"] <= 0.0:
        physics.unset("inertiaMatrix")
    rows: list[Vec3] = physics["inertiaMatrix"]
    if len(rows) == 3:
        centre, rows = rows[0], _about_centre(physics["mass"], *rows)
        physics["inertiaMatrix"] = rows
        if any(centre):
            physics["centerOfMass"] = [centre]
    if len(rows) == 2 and physics.is_set("orientation"):
        turn = rotation_from_axis_angle(physics["orientation"])
        (xx, yy, zz), (xy, xz, yz) = rows
        m: Mat3 = multiply(multiply(turn, (xx, xy, xz, xy, yy, yz, xz, yz, zz)), transposed(turn))
        physics["inertiaMatrix"] = [(m[0], m[4], m[8]), (m[1], m[2], m[5])]
    physics.unset("orientation")


def _about_centre(mass: float, centre: Vec3, diagonal: Vec3, others: Vec3) -> list[Vec3]:
    """Convert the inertia about the origin of the body, as ODE takes it, to the centre of mass: I -
    m·(c²·1 - c·cᵀ)."""
    x, y, z = centre
    square = dot(centre, centre)
    return [
        add(diagonal, (mass * (x * x - square), mass * (y * y - square), mass * (z * z - square))),
        add(others, (mass * x * y, mass * x * z, mass * y * z)),
    ]
