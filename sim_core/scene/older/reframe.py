"""A scene in other axes: every frame gets a basis (see `axes.py`), and all that stands in it is restated.

A frame takes the basis of the frame above it, save those that a convention speaks of: robots, and devices
that face along another axis than they used to. Nothing moves by it: the corners of all shapes stay where they
are in the world, and so do the axes of joints, the rays of sensors and the directions of lights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sim_core.base.geometry import Mat3, Vec3, dot, rotate, rotate_back, rotation_from_axis_angle
from sim_core.scene.node import Node
from sim_core.scene.older.axes import (
    AXES,
    KEEP,
    Y_AXIS,
    Z_AXIS,
    swapped,
    turned,
    turned_inertia,
    turned_rotation,
)
from sim_core.scene.older.reframe_shapes import ShapeChange, is_textured, restate_geometry, wrapped

_VECTORS = {
    "JointParameters": ("axis",),
    "HingeJointParameters": ("anchor", "suspensionAxis"),
    "BallJointParameters": ("anchor",),
    "DirectionalLight": ("direction",),
    "PointLight": ("location",),
    "SpotLight": ("location", "direction"),
    "Propeller": ("shaftAxis", "centerOfThrust"),
    "Muscle": ("startOffset", "endOffset"),
}
"""Fields with vectors of the frame that the node stands in, by class."""
_JOINT_AXES = {
    "HingeJoint": (("jointParameters", "HingeJointParameters"),),
    "SliderJoint": (("jointParameters", "JointParameters"),),
    "Hinge2Joint": (("jointParameters", "HingeJointParameters"), ("jointParameters2", "JointParameters")),
}
"""Fields of joints whose node says where the axis is; without a node it is a default of the old frame."""
_FLAGS = ("xAxis", "yAxis", "zAxis")


@dataclass(frozen=True)
class Convention:
    """The axes a file is written in.

    Attributes:
        world: basis of the world.
        frame: the basis of a node that has a frame of its own, from the node and the basis above it.
        view: basis of a Viewpoint.
        body: what became of the axes of a PROTO that is in today's axes, where a file in these axes places it
            so that its y axis stands up.
        is_old: whether what a node's own line and its body say is in these axes; for nodes that are no
            instances of a PROTO the two are the same.
        keeps_axes: whether something tells the sides of a bounding box apart.
    """

    world: Mat3
    frame: Callable[[Node, Mat3], Mat3]
    view: Mat3
    body: Mat3
    is_old: Callable[[Node], tuple[bool, bool]]
    keeps_axes: bool = False


def reframe(nodes: list[Node], convention: Convention) -> list[Node]:
    """Restate root nodes, in place; returns them, some within a Pose that turns them."""
    walk = _Reframe(convention)
    return [walk.node(node, convention.world) for node in nodes]


class _Reframe:
    def __init__(self, convention: Convention) -> None:
        self.convention = convention

    def node(self, node: Node, basis: Mat3, bounding: bool = False) -> Node:
        """Restate a tree that stands in a frame of a basis; returns what takes the node's place."""
        outer, inner = self.convention.is_old(node)
        own = basis
        if node.is_a("Pose") or node.type_name in ("Skin", "TrackWheel"):
            own = self._frame(node, basis, outer, inner)
        elif node.type_name == "Viewpoint" and outer:
            node["position"] = turned(basis, node["position"])
            node["orientation"] = turned_rotation(basis, node["orientation"], self.convention.view)
        elif inner:
            self._vectors(node, basis)
        self._children(node, own, bounding)
        if node.is_a("Geometry") or node.type_name in ("Shape", "CadShape"):
            return self._shape(node, basis if outer else KEEP, bounding)
        return node

    def _children(self, node: Node, own: Mat3, bounding: bool) -> None:
        for name, value in list(node.fields.items()):
            inside = bounding or name == "boundingObject"
            frame = KEEP if name == "animatedGeometry" else own  # along the belt, y outwards: as ever
            if isinstance(value, Node):
                node.fields[name] = self._child(node, name, value, frame, inside)
            elif isinstance(value, list) and value and isinstance(value[0], Node):
                node.fields[name] = [self._child(node, name, each, frame, inside) for each in value]

    def _child(self, parent: Node, name: str, child: Node, own: Mat3, bounding: bool) -> Node:
        result = self.node(child, own, bounding)
        result.parent, result.parent_field = parent, name
        return result

    def _frame(self, node: Node, basis: Mat3, outer: bool, inner: bool) -> Mat3:
        """Restate the pose of a node, and what it says in its own frame; returns its basis."""
        convention = self.convention
        if not outer and not inner:
            return basis
        is_outer = self._says(node, outer, inner)
        if not inner and not is_outer("rotation"):
            return basis  # the PROTO alone says how it stands
        own = convention.frame(node, basis) if inner else self._once(node, basis)
        if node.type_name != "TrackWheel":
            parent = basis if is_outer("translation") else KEEP
            if node.is_set("translation"):
                node["translation"] = turned(parent, node["translation"])
            parent = basis if is_outer("rotation") else KEEP
            if parent != own or node.is_set("rotation"):
                node["rotation"] = turned_rotation(parent, node["rotation"], own)
        if inner:
            self._of_frame(node, own)
        return own

    def _once(self, node: Node, basis: Mat3) -> Mat3:
        """The basis of a PROTO of today, which had other axes when it was placed if its y stands up so."""
        up = rotate_back(basis, Z_AXIS)
        pose = rotation_from_axis_angle(node["rotation"])
        y, z = (abs(dot(rotate(pose, axis), up)) for axis in (Y_AXIS, Z_AXIS))
        return self.convention.body if y >= z else KEEP

    def _says(self, node: Node, outer: bool, inner: bool) -> Callable[[str], bool]:
        """Whether a field is in the axes of the file; of an instance, if it is one of the interface."""
        connected = node.proto.connected if node.proto is not None else None
        return lambda field: outer if connected is None or field in connected else inner

    def _of_frame(self, node: Node, own: Mat3) -> None:
        if node.has_field("scale") and node.is_set("scale"):
            node["scale"] = swapped(own, node["scale"])
        for name in ("linearVelocity", "angularVelocity", "streamVelocity"):
            if node.has_field(name) and node.is_set(name):
                node[name] = turned(self.convention.world, node[name])
        if node.type_name in ("Accelerometer", "Compass", "Gyro") and any(map(node.is_set, _FLAGS)):
            values = tuple(float(node[name]) for name in _FLAGS)
            for name, value in zip(_FLAGS, swapped(own, values), strict=True):  # type: ignore[arg-type]
                node[name] = value > 0.5

    def _vectors(self, node: Node, basis: Mat3) -> None:
        """Vectors of the frame above, and those of the solid that a Physics node stands in."""
        if basis == KEEP:
            return
        for class_name, names in _VECTORS.items():
            if node.is_a(class_name):
                for name in names:
                    if node.has_field(name) and not _is_idle(node, name):
                        _restate(node, name, basis)
        if node.type_name in _JOINT_AXES:
            for field, type_name in _JOINT_AXES[node.type_name]:
                if node[field] is None:
                    node[field] = _created(type_name, node)
        elif node.type_name == "BallJoint":
            _restate_ball_axes(node)
        elif node.type_name == "Physics":
            _restate_physics(node, basis)
        elif node.type_name == "ImmersionProperties":
            for name in filter(node.is_set, ("dragForceCoefficients", "dragTorqueCoefficients")):
                node[name] = swapped(basis, node[name])

    def _shape(self, node: Node, basis: Mat3, bounding: bool) -> Node:
        """Restate a geometry; a Pose around it where its own axes are others than those of the frame."""
        if node.is_a("Geometry") and node.parent is not None and node.parent.type_name == "Shape":
            return node  # its Shape is turned with it
        geometry = node["geometry"] if node.type_name == "Shape" else node
        if geometry is None or not self.convention.is_old(geometry)[1]:
            return node
        textured = node.type_name == "Shape" and is_textured(node["appearance"])
        keeps = textured or (bounding and self.convention.keeps_axes)
        change: ShapeChange = restate_geometry(geometry, basis, keeps)
        return wrapped(node, change) if change.is_turned else node


def _created(type_name: str, owner: Node) -> Node:
    """A node that counts as written where its owner is."""
    made = Node.create(type_name)
    made.source = owner.source
    return made


def _is_idle(node: Node, name: str) -> bool:
    """Whether a field has no effect: the axis of a suspension that is none."""
    return name == "suspensionAxis" and not any(
        node[constant] for constant in ("suspensionSpringConstant", "suspensionDampingConstant")
    )


def _restate(node: Node, name: str, basis: Mat3) -> None:
    value = turned(basis, node[name])
    if node.is_set(name) or value != node[name]:
        node[name] = value


def _restate_ball_axes(node: Node) -> None:
    """The second and third axis, which are y and z of the old frame if nothing says otherwise."""
    for field, axis in (("jointParameters2", AXES[1]), ("jointParameters3", AXES[2])):
        if node[field] is None:
            node[field] = _created("JointParameters", node)
        if not node[field].is_set("axis"):
            node[field]["axis"] = axis


def _restate_physics(node: Node, basis: Mat3) -> None:
    if node.is_set("centerOfMass"):
        node["centerOfMass"] = [turned(basis, each) for each in node["centerOfMass"]]
    rows: list[Vec3] = node["inertiaMatrix"]
    if len(rows) == 2:
        node["inertiaMatrix"] = turned_inertia(basis, rows)
