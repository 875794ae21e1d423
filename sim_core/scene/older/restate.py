"""A scene said in the axes of today: what `scene.axes` lets the model read, written into the nodes.

For files that are to be of today, as `odesim convert` makes them, and for formats that have other axes.
Nothing moves by it: the corners of all shapes stay where they are in the world, and so do the axes of joints,
the rays of sensors and the directions of lights.
"""

from __future__ import annotations

from sim_core.base.geometry import Vec3
from sim_core.base.turns import KEEP, Turn, swapped, turned, turned_matrix
from sim_core.scene.axes import FIRST_FLU_VERSION, Y_AXIS, Z_AXIS, rotation_field, settle_axes
from sim_core.scene.node import OF_TODAY, Node
from sim_core.scene.older.old_scale import declare_protos
from sim_core.scene.older.restate_shapes import ShapeChange, is_textured, restate_geometry, wrapped
from sim_core.scene.scene import ENU, Scene
from sim_core.scene.wbt.header import Header

_VECTORS = {
    "JointParameters": ("axis",),
    "HingeJointParameters": ("anchor", "suspensionAxis"),
    "BallJointParameters": ("anchor",),
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


def to_todays_axes(scene: Scene) -> None:
    """Let a scene that stands in other axes say the same in ENU and FLU, as a file of today, in place."""
    is_old = any(map(_is_old, (scene.header, *scene.headers.values())))
    if scene.axes.world == KEEP and scene.axes.system == ENU and not is_old:
        return
    changed = [node for node in scene.walk() if node.proto is not None and _is_inside_old(node)]
    info = scene.world_info
    keeps_axes = any(
        len(node["coulombFriction"]) > 1 or node["frictionRotation"] != (0.0, 0.0)
        for node in info["contactProperties"]
    )
    _restate_world(info, scene)
    scene.nodes = restated(scene.nodes, keeps_axes)
    for node in changed:
        node.proto = None  # its interface would say the old values again
    declare_protos(scene)
    scene.header = Header()
    scene.headers = {file: each for file, each in scene.headers.items() if not _is_old(each)}
    settle_axes(scene)


def restated(nodes: list[Node], keeps_axes: bool = False) -> list[Node]:
    """Restate root nodes, in place; returns them, some within a Pose that turns them.

    Args:
        nodes: whose axes are settled; after this they are those of today.
        keeps_axes: whether something tells the sides of a bounding box apart.
    """
    found = [_restated(node, keeps_axes, bounding=False) for node in nodes]
    for node in found:
        for each in node.walk():
            each.axes = OF_TODAY
    return found


def _is_old(header: Header) -> bool:
    return header.is_before(FIRST_FLU_VERSION)


def _is_inside_old(instance: Node) -> bool:
    """Whether more of an instance speaks in other axes than the pose that is given to it."""
    assert instance.proto is not None
    own = [name for name in ("translation", "rotation") if instance.has_field(name)]
    if instance.axes != OF_TODAY and any(name not in instance.proto.connected for name in own):
        return True
    return instance.axes.is_old or any(
        each.axes.is_old or each.axes.above != KEEP for each in instance.walk() if each is not instance
    )


def _restated(node: Node, keeps_axes: bool, bounding: bool) -> Node:
    """Restate a tree; returns what takes the node's place."""
    axes = node.axes
    if axes != OF_TODAY:
        if node.type_name == "Viewpoint":
            node["position"] = turned(axes.above, node["position"])
            node["orientation"] = rotation_field(axes.above, node["orientation"], axes.own)
        elif node.is_a("Pose") or node.type_name == "Skin":
            _restate_frame(node)
        else:
            _restate_vectors(node)
    for name, value in list(node.fields.items()):
        inside = bounding or name == "boundingObject"
        if isinstance(value, Node):
            node.fields[name] = _child(node, name, value, keeps_axes, inside)
        elif isinstance(value, list) and value and isinstance(value[0], Node):
            node.fields[name] = [_child(node, name, each, keeps_axes, inside) for each in value]
    return _shape(node, keeps_axes, bounding)


def _child(parent: Node, name: str, child: Node, keeps_axes: bool, bounding: bool) -> Node:
    result = _restated(child, keeps_axes, bounding)
    result.parent, result.parent_field = parent, name
    return result


def _restate_frame(node: Node) -> None:
    """The pose of a node, and what it says in its own frame."""
    axes = node.axes
    if node.is_set("translation"):
        node["translation"] = turned(axes.above, node["translation"])
    if axes.above != axes.own or node.is_set("rotation"):
        node["rotation"] = rotation_field(axes.above, node["rotation"], axes.own)
    if node.has_field("scale") and node.is_set("scale"):
        node["scale"] = swapped(axes.own, node["scale"])
    for name in ("linearVelocity", "angularVelocity", "streamVelocity"):
        if node.has_field(name) and node.is_set(name):
            node[name] = turned(axes.world, node[name])
    if node.type_name in ("Accelerometer", "Compass", "Gyro") and any(map(node.is_set, _FLAGS)):
        x, y, z = (float(node[name]) for name in _FLAGS)
        for name, value in zip(_FLAGS, swapped(axes.own, (x, y, z)), strict=True):
            node[name] = value > 0.5


def _restate_vectors(node: Node) -> None:
    """Vectors of the frame above, and those of the solid that a Physics node stands in."""
    turn = node.axes.above
    if node.type_name == "DirectionalLight":
        _restate_vector(node, "direction", node.axes.world)
    if turn == KEEP:
        return
    for class_name, names in _VECTORS.items():
        if node.is_a(class_name):
            for name in names:
                if node.has_field(name) and not _is_idle(node, name):
                    _restate_vector(node, name, turn)
    if node.type_name in _JOINT_AXES:
        for field, type_name in _JOINT_AXES[node.type_name]:
            if node[field] is None:
                node[field] = _created(type_name, node)
    elif node.type_name == "BallJoint":
        _restate_ball_axes(node)
    elif node.type_name == "Physics":
        _restate_physics(node, turn)
    elif node.type_name == "ImmersionProperties":
        for name in filter(node.is_set, ("dragForceCoefficients", "dragTorqueCoefficients")):
            node[name] = swapped(turn, node[name])


def _restate_vector(node: Node, name: str, turn: Turn) -> None:
    value = turned(turn, node[name])
    if node.is_set(name) or value != node[name]:
        node[name] = value


def _shape(node: Node, keeps_axes: bool, bounding: bool) -> Node:
    """Restate a geometry; a Pose around it where its own axes are others than those of the frame."""
    if not (node.is_a("Geometry") or node.type_name in ("Shape", "CadShape")):
        return node
    if node.is_a("Geometry") and node.parent is not None and node.parent.type_name == "Shape":
        return node  # its Shape is turned with it
    geometry = node["geometry"] if node.type_name == "Shape" else node
    if geometry is None:
        return node
    textured = node.type_name == "Shape" and is_textured(node["appearance"])
    change: ShapeChange = restate_geometry(geometry, node.axes.above, textured or (bounding and keeps_axes))
    return wrapped(node, change) if change.is_turned else node


def _created(type_name: str, owner: Node) -> Node:
    """A node that counts as written where its owner is, in the same axes."""
    made = Node.create(type_name)
    made.source, made.axes = owner.source, owner.axes
    return made


def _is_idle(node: Node, name: str) -> bool:
    """Whether a field has no effect: the axis of a suspension that is none."""
    return name == "suspensionAxis" and not any(
        node[constant] for constant in ("suspensionSpringConstant", "suspensionDampingConstant")
    )


def _restate_ball_axes(node: Node) -> None:
    """The second and third axis, which are y and z of the old frame if nothing says otherwise."""
    for field, axis in (("jointParameters2", Y_AXIS), ("jointParameters3", Z_AXIS)):
        if node[field] is None:
            node[field] = _created("JointParameters", node)
        if not node[field].is_set("axis"):
            node[field]["axis"] = axis


def _restate_physics(node: Node, turn: Turn) -> None:
    if node.is_set("centerOfMass"):
        node["centerOfMass"] = [turned(turn, each) for each in node["centerOfMass"]]
    rows: list[Vec3] = node["inertiaMatrix"]
    if len(rows) == 2:
        (xx, yy, zz), (xy, xz, yz) = rows
        m = turned_matrix(turn, (xx, xy, xz, xy, yy, yz, xz, yz, zz))
        node["inertiaMatrix"] = [(m[0], m[4], m[8]), (m[1], m[2], m[5])]


def _restate_world(info: Node, scene: Scene) -> None:
    """What WorldInfo says in the axes of the world."""
    world, north = scene.axes.world, scene.axes.north
    if isinstance(info["gravity"], tuple):
        gravity = turned(world, info["gravity"])
        info["gravity"] = -gravity[2] if gravity[:2] == (0.0, 0.0) and gravity[2] <= 0.0 else gravity
    if info.is_set("gpsReference") and info["gpsCoordinateSystem"] == "local":
        info["gpsReference"] = turned(world, info["gpsReference"])
    given = info["northDirection"]
    if info.is_set("northDirection") and given != north:
        info["northDirection"] = turned(world, given)
    else:
        info.unset("northDirection")
    info.unset("coordinateSystem")
