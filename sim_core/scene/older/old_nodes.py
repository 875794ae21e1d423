"""Nodes and fields of Webots 6 and before in their later forms, as far as these mean the same.

DifferentialWheels and Servo stay as they are: they are simulated with their own rules (slip, encoders, P
control), which no other node has.
"""

from __future__ import annotations

from typing import Any

from sim_core.base.geometry import Mat3, multiply, rotation_from_axis_angle, transposed
from sim_core.scene.node import Node
from sim_core.scene.node_types import all_node_types
from sim_core.scene.wbt.header import Header

LATER_NAMES = {
    "Supervisor": "Robot",
    "CustomRobot": "Robot",
    "HyperGate": "Solid",
    "VacuumCup": "VacuumGripper",
    "VisualShape": "CadShape",
    "ColladaShape": "CadShape",
    "Hinge2JointParameters": "HingeJointParameters",
}
WITHOUT_EFFECT = {"WorldInfo": ("fast2d", "sound", "displayRefresh", "runRealTime")}
_INFRA_RED_UNTIL = "V7.3"
"""Up to Webots 7.1 a DistanceSensor was infra-red by default; files tell their version since 7.3 only."""
_IDLE_ROBOTS_UNTIL = "V7.3"
"""So long a robot's computer drew no power by default."""
_CAMERA_FAR = 50.0
"""Default of Camera.far in Webots 6, m."""


def renew(node: Node, header: Header) -> None:
    """Give one node its later form, in place; its children are not touched.

    Args:
        header: of the file that the node stands in.
    """
    if node.type_name == "Supervisor":
        node["supervisor"] = True
    if node.type_name == "ColladaShape" and node.is_set("url"):
        url = node["url"]
        _become(node, LATER_NAMES[node.type_name])
        node["url"] = [url]
    elif node.type_name in LATER_NAMES:
        _become(node, LATER_NAMES[node.type_name])
    elif node.type_name == "Camera" and node["type"] == "range-finder":
        _to_range_finder(node)
    elif node.type_name == "Physics":
        _renew_physics(node)
    elif node.type_name == "DistanceSensor" and header.is_before(_INFRA_RED_UNTIL):
        _say(node, "type", "infra-red")
    if node.is_a("Robot") and node["battery"] and header.is_before(_IDLE_ROBOTS_UNTIL):
        _say(node, "cpuConsumption", 0.0)
    for name in WITHOUT_EFFECT.get(node.type_name, ()):
        node.unset(name)


def _say(node: Node, field: str, old_default: Any) -> None:
    """Write an old default down where the file leaves it out."""
    if not node.is_set(field):
        node[field] = old_default


def _become(node: Node, type_name: str) -> None:
    """Change the type; fields that the new one does not have are lost."""
    name = node["name"] if node.has_field("name") else None
    node.node_type = all_node_types()[type_name]
    for field in [each for each in node.fields if not node.has_field(each)]:
        del node.fields[field]
    if name is not None and name != node["name"]:
        node["name"] = name


def _to_range_finder(camera: Node) -> None:
    """What a Camera of type "range-finder" saw between `near` and `far` (or `maxRange`)."""
    near = camera["near"]
    far = camera["maxRange"] if camera.is_set("maxRange") else camera["far"] or _CAMERA_FAR
    resolution, spherical = camera["rangeResolution"], camera["spherical"]
    noise = camera["rangeNoise"] or camera["depthNoise"] or camera["gaussianNoise"]
    _become(camera, "RangeFinder")
    camera["minRange"], camera["maxRange"] = near, far
    camera.unset("spherical")
    if resolution > 0.0:
        camera["resolution"] = resolution
    if noise > 0.0:
        camera["noise"] = noise
    if spherical:
        camera["projection"] = "spherical"


def _renew_physics(physics: Node) -> None:
    """Nine numbers were a whole matrix; `orientation` turned it."""
    rows = physics["inertiaMatrix"]
    if len(rows) == 3:
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = rows
        rows = physics["inertiaMatrix"] = [(xx, yy, zz), (xy, xz, yz)]
    if len(rows) == 2 and physics.is_set("orientation"):
        turn = rotation_from_axis_angle(physics["orientation"])
        (xx, yy, zz), (xy, xz, yz) = rows
        m: Mat3 = multiply(multiply(turn, (xx, xy, xz, xy, yy, yz, xz, yz, zz)), transposed(turn))
        physics["inertiaMatrix"] = [(m[0], m[4], m[8]), (m[1], m[2], m[5])]
    physics.unset("orientation")
