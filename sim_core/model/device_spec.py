"""Devices, their parts and their robots as frozen records, for packages that do not use scene nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from types import MappingProxyType
from typing import Any, NamedTuple

from sim_core.base.geometry import Vec3
from sim_core.base.ids import NodeId
from sim_core.model.changes import PARTS_OF_DEVICES
from sim_core.model.frames import own_sizes_of, vector_of, world_vector_of
from sim_core.model.kinematics import is_rotating_head, wheels_of
from sim_core.model.robots import device_nodes, instances_of
from sim_core.model.wheels import WheelGeometry, hinge_wheel, rolling_solid, steered_wheel
from sim_core.scene.meshes.node_files import FileReference, file_of
from sim_core.scene.node import Node, NodeAxes, Source, Typed
from sim_core.scene.node_types import NodeType, all_node_types
from sim_core.scene.scene import Scene

AXLE: Vec3 = (0.0, 1.0, 0.0)
DEVICE_FIELDS = ("device", "device2", "device3")
_HOLDERS = ("Joint", "Propeller", "Track")
"""Nodes with motors: joints, and nodes that a motor drives without a joint."""
_PARAMETERS_OF_AXIS = ("jointParameters", "jointParameters2", "jointParameters3")
_POSE_AND_MOTION = frozenset(("translation", "rotation", "scale", "linearVelocity", "angularVelocity"))
"""Fields that the model replaces by poses and velocities of its own."""


@dataclass(frozen=True, eq=False, slots=True)
class NodeSpec(Typed):
    """Compiled node.

    Attributes:
        id: of the node.
        path: readable name, which is the same in each process.
        solid: the nearest Solid above it; None: there is none.
        axes: conversion of its vectors from the axes of the file to those of the model.
        given: names of the fields that were written or set.
        own: values of fields that may differ from the defaults, as plain Python with tuples for lists;
            vectors in the axes of the model. A node in a field is a `NodeSpec` if it is part of a device,
            such as a lens; otherwise its id.
        defaults: default values of this node type.
    """

    id: NodeId
    node_type: NodeType
    source: Source
    path: str
    solid: NodeId | None
    axes: NodeAxes
    given: frozenset[str]
    own: Mapping[str, Any]
    defaults: Mapping[str, Any]

    def __getitem__(self, field: str) -> Any:
        """Return the value of a field."""
        return self.own[field] if field in self.own else self.defaults[field]


@dataclass(frozen=True, eq=False, slots=True)
class RobotSpec(NodeSpec):
    """Robot node.

    Attributes:
        holder: the outermost robot that contains it; None: there is none.
    """

    holder: NodeSpec | None

    @property
    def outermost(self) -> NodeSpec:
        """The outermost robot that contains it, or the robot itself."""
        return self.holder or self


class DeviceAxis(NamedTuple):
    """Axis of a joint to which a device is attached.

    Attributes:
        key: the joint (or Propeller, or Track), and the index of the axis.
        joint_type: name of the joint's node type.
        stops: minStop and maxStop, rad or m; None: this kind of axis has none.
        first_motor: place of another motor at this axis; None: there is none.
        wheel: the wheel that a motor turns, in the frame of its robot; None: there is none.
        steered: the wheel that a motor steers; None: there is none.
        visible_wheel: as `wheel`; in robots without Physics also a wheel found by its visible shapes only.
    """

    key: tuple[NodeId, int]
    joint_type: str
    stops: tuple[float, float] | None
    first_motor: str | None
    wheel: WheelGeometry | None = None
    steered: WheelGeometry | None = None
    visible_wheel: WheelGeometry | None = None


class DrivenSolid(NamedTuple):
    """Solid that a device turns without a joint node: a wheel of a DifferentialWheels, the head of a Lidar.

    Attributes:
        spec: the solid.
        wheel: its rolling shape, for wheels of a robot with Physics.
    """

    spec: NodeSpec
    wheel: WheelGeometry | None = None


@dataclass(frozen=True, eq=False, slots=True)
class DeviceSpec(NodeSpec):
    """Device of a robot.

    Attributes:
        robot: the robot of the device; for a device outside robots see `free_device_spec`.
        above: the nodes above it, nearest first.
        holder: its place for messages, as `field children of a Robot`.
        parts: nodes in its fields that have a `NodeSpec`, with the names of the fields.
        axis: the axis of a joint to which it is attached; None: it is not.
        turned: the solids that it turns: left and right wheel (None if missing), or the head.
        lit: lights and appearances that an LED controls.
    """

    robot: RobotSpec
    above: tuple[NodeId, ...]
    holder: str
    parts: Mapping[NodeId, str]
    axis: DeviceAxis | None
    turned: tuple[DrivenSolid | None, ...]
    lit: tuple[NodeSpec, ...]


def node_spec(node: Node) -> NodeSpec:
    """Compile a node."""
    return NodeSpec(**attributes_of(node))


def robot_spec(robot: Node) -> RobotSpec:
    """Compile a Robot node."""
    robots = [each for each in robot.ancestors() if each.is_a("Robot")]
    return RobotSpec(**attributes_of(robot), holder=node_spec(robots[-1]) if robots else None)


def robots_of(scene: Scene) -> list[tuple[NodeSpec, list[NodeSpec]]]:
    """Return the robots of a scene with their device nodes (the first may be the robot itself), without
    creating devices; see `instances_of`."""
    robots = instances_of(scene)
    return [(node_spec(robot), [*map(node_spec, device_nodes(robot))]) for robot, *_ in robots]


def device_names(scene: Scene) -> dict[str, list[str]]:
    """Return the device names of each robot, by robot name."""
    return {
        robot.node["name"]: [device["name"] for device in device_nodes(robot.node)]
        for robot in instances_of(scene)
    }


def device_spec(device: Node, robot: RobotSpec) -> DeviceSpec:
    """Compile a device of a robot."""
    owner = next(each for each in (device, *device.ancestors()) if each.is_a("Robot"))
    common = _attributes_of_device(device)
    return DeviceSpec(
        **common,
        robot=robot,
        parts={each.id: name for name, each in common["own"].items() if isinstance(each, NodeSpec)},
        axis=_axis_of(device, owner),
        turned=_turned_by(device),
        lit=lit_parts(device["children"][:1]) if device.type_name == "LED" else (),
    )


def free_device_spec(device: Node) -> DeviceSpec:
    """Compile a device outside robots; the root solid of its tree takes the place of the robot."""
    *_, top = device, *device.ancestors()
    return DeviceSpec(
        **_attributes_of_device(device),
        robot=RobotSpec(**attributes_of(top), holder=None),
        parts={},
        axis=None,
        turned=(),
        lit=(),
    )


def lit_parts(nodes: list[Node]) -> tuple[NodeSpec, ...]:
    """Return the lights and appearances among nodes and in groups among them, in file order."""
    parts: list[NodeSpec] = []
    for node in nodes:
        if node.type_name in ("PointLight", "SpotLight"):
            parts.append(node_spec(node))
        elif node.type_name == "Shape" and node["appearance"] is not None:
            parts.append(node_spec(node["appearance"]))
        elif node.is_a("Group"):
            parts += lit_parts(node["children"])
    return tuple(parts)


def attributes_of(node: Node) -> dict[str, Any]:
    """Return the attributes of a `NodeSpec`."""
    values = {name: _plain(value) for name, value in node.fields.items() if name not in _POSE_AND_MOTION}
    for name, value_of in _CONVERTED.get(node.type_name, {}).items():
        values[name] = value_of(node)
    return {
        "id": node.id,
        "node_type": node.node_type,
        "source": node.source,
        "path": node.path(),
        "solid": next((each.id for each in node.ancestors() if each.is_a("Solid")), None),
        "axes": node.axes,
        "given": frozenset(node.fields),
        "own": MappingProxyType(values),
        "defaults": _defaults(node.type_name),
    }


def _attributes_of_device(device: Node) -> dict[str, Any]:
    """Return the attributes that a `DeviceSpec` has of its node and of the nodes above it."""
    above = list(device.ancestors())
    holder = f"field {device.parent_field} of a {above[0].type_name}" if above else "no node"
    return {**attributes_of(device), "above": tuple([each.id for each in above]), "holder": holder}


@cache
def _defaults(type_name: str) -> Mapping[str, Any]:
    """Return the default values of a node type; shared by all devices of the type."""
    kinds = all_node_types()[type_name].fields
    return MappingProxyType(
        {name: _plain(kind.default) for name, kind in kinds.items() if name not in _POSE_AND_MOTION}
    )


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return tuple([_plain(each) for each in value])
    if isinstance(value, Node):
        return node_spec(value) if value.type_name in PARTS_OF_DEVICES else value.id
    return value


def _axis_of(device: Node, robot: Node) -> DeviceAxis | None:
    joint, field = device.parent, device.parent_field
    if joint is None or field not in DEVICE_FIELDS or not any(joint.is_a(each) for each in _HOLDERS):
        return None
    index = DEVICE_FIELDS.index(field)
    name = _PARAMETERS_OF_AXIS[index]
    parameters = joint[name] if joint.has_field(name) else None
    at_axis = joint[field] if isinstance(joint[field], list) else [joint[field]]
    first = next((each for each in at_axis if each.is_a("Motor")), device)
    place = DeviceAxis(
        (joint.id, index),
        joint.type_name,
        None if parameters is None else (parameters["minStop"], parameters["maxStop"]),
        None if first is device else first.where,
    )
    if not device.is_a("Motor") or not joint.is_a("Joint"):
        return place
    wheel, steered = hinge_wheel(joint, robot), steered_wheel(joint, robot)
    seen = wheel
    if wheel is None and robot["physics"] is None:
        seen = hinge_wheel(joint, robot, use_visible=True)
    return place._replace(wheel=wheel, steered=steered, visible_wheel=seen)


def _turned_by(device: Node) -> tuple[DrivenSolid | None, ...]:
    if device.type_name == "Lidar":
        head = device["rotatingHead"]
        return (DrivenSolid(node_spec(head)),) if head is not None and is_rotating_head(head) else ()
    if device.type_name != "DifferentialWheels":
        return ()
    return tuple([_wheel_of(device, solid) for solid in wheels_of(device)])


def _wheel_of(robot: Node, solid: Node | None) -> DrivenSolid | None:
    if solid is None:
        return None
    wheel = rolling_solid(solid, robot, AXLE) if robot["physics"] is not None else None
    return DrivenSolid(node_spec(solid), wheel)


def _gps_reference(info: Node) -> Vec3:
    """Return the reference as east, north and up; in WGS84 as latitude, longitude and altitude."""
    is_geographic = info["gpsCoordinateSystem"] == "WGS84"
    reference: Vec3 = info["gpsReference"] if is_geographic else world_vector_of(info, "gpsReference")
    return reference


def _own_axis(index: int, node: Node) -> float:
    return own_sizes_of(node, [node[name] for name in _AXES])[index]


def _noise_mask(camera: Node) -> FileReference | None:
    return file_of(camera, "noiseMaskUrl") if camera["noiseMaskUrl"] else None


_AXES = ("xAxis", "yAxis", "zAxis")
_BY_AXIS: dict[str, Callable[[Node], Any]] = {
    name: partial(_own_axis, index) for index, name in enumerate(_AXES)
}
_CONVERTED: dict[str, dict[str, Callable[[Node], Any]]] = {
    "Accelerometer": _BY_AXIS,
    "Camera": {"noiseMaskUrl": _noise_mask},
    "Compass": _BY_AXIS,
    "DirectionalLight": {"direction": partial(world_vector_of, field="direction")},
    "Gyro": _BY_AXIS,
    "PointLight": {"location": partial(vector_of, field="location")},
    "SpotLight": {
        "direction": partial(vector_of, field="direction"),
        "location": partial(vector_of, field="location"),
    },
    "WorldInfo": {
        "gpsReference": _gps_reference,
        "northDirection": partial(world_vector_of, field="northDirection"),
    },
}
"""Fields, by node type, that are converted from the axes of the file to those of the model, or to files."""
