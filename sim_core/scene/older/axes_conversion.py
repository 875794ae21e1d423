"""Conversion of a scene to the current axes: the rotations of `scene.axes` are applied to the nodes.

For files of the current version, as `odesim convert` makes them; a running world keeps its own axes.
Nothing moves: the corners of all shapes stay where they are in the world, and so do the axes of joints,
the rays of sensors and the directions of lights.

The geometries whose own axes changed in R2022a are those with an axis, which was y and is z now, and
those that face up: they are rotated as a whole. Boxes, spheres and points did not change, so their sizes and
points are converted; but with a texture, or where friction differs by side, they keep their axes and
are rotated.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sim_core.base.errors import SceneError
from sim_core.base.geometry import ZERO, Vec3
from sim_core.base.turns import NO_TURN, Turn, composed, inverse, permuted, turn_of, turned, turned_matrix
from sim_core.scene.axes import FIRST_FLU_VERSION, Y_AXIS, Z_AXIS, assign_axes, ball_axes, rotation_field
from sim_core.scene.meshes.mesh_files import collada_frame
from sim_core.scene.meshes.node_files import file_of
from sim_core.scene.node import CURRENT_AXES, Node
from sim_core.scene.older.old_scale import declare_protos
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
"""Fields with vectors of the parent frame, by class."""
_JOINT_AXES = {
    "HingeJoint": (("jointParameters", "HingeJointParameters"),),
    "SliderJoint": (("jointParameters", "JointParameters"),),
    "Hinge2Joint": (("jointParameters", "HingeJointParameters"), ("jointParameters2", "JointParameters")),
}
"""Fields of joints whose node states the axis; without a node it is a default of the old frame."""
_FLAGS = ("xAxis", "yAxis", "zAxis")


def to_current_axes(scene: Scene) -> None:
    """Convert a scene in other axes to ENU and FLU, as in a current file, in place."""
    is_old = any(map(_is_old, (scene.header, *scene.headers.values())))
    if scene.axes.world == NO_TURN and scene.axes.system == ENU and not is_old:
        return
    changed = [node for node in scene.walk() if node.proto is not None and _is_inside_old(node)]
    info = scene.world_info
    keeps_axes = any(
        len(node["coulombFriction"]) > 1 or node["frictionRotation"] != (0.0, 0.0)
        for node in info["contactProperties"]
    )
    _restate_world(info, scene)
    scene.nodes = [_restated(node, keeps_axes, bounding=False) for node in scene.nodes]
    for node in scene.walk():
        node.axes = CURRENT_AXES
    for node in changed:
        node.proto = None  # its interface would state the old values again
    declare_protos(scene)
    scene.header = Header()
    scene.headers = {file: each for file, each in scene.headers.items() if not _is_old(each)}
    assign_axes(scene)


def _is_old(header: Header) -> bool:
    return header.is_before(FIRST_FLU_VERSION)


def _is_inside_old(instance: Node) -> bool:
    """Return whether an instance has other axes within it, and not only in its pose."""
    assert instance.proto is not None
    own = [name for name in ("translation", "rotation") if instance.has_field(name)]
    if instance.axes != CURRENT_AXES and any(name not in instance.proto.connected for name in own):
        return True
    return instance.axes.is_old or any(
        each.axes.is_old or each.axes.above != NO_TURN for each in instance.walk() if each is not instance
    )


def _restated(node: Node, keeps_axes: bool, bounding: bool) -> Node:
    """Convert a tree; return the node that replaces it."""
    axes = node.axes
    if axes != CURRENT_AXES:
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
    """Convert the pose of a node, and the fields of its own frame."""
    axes = node.axes
    if node.is_set("translation"):
        node["translation"] = turned(axes.above, node["translation"])
    if axes.above != axes.own or node.is_set("rotation"):
        node["rotation"] = rotation_field(axes.above, node["rotation"], axes.own)
    if node.has_field("scale") and node.is_set("scale"):
        node["scale"] = permuted(axes.own, node["scale"])
    for name in ("linearVelocity", "angularVelocity", "streamVelocity"):
        if node.has_field(name) and node.is_set(name):
            node[name] = turned(axes.world, node[name])
    if node.type_name in ("Accelerometer", "Compass", "Gyro") and any(map(node.is_set, _FLAGS)):
        x, y, z = (float(node[name]) for name in _FLAGS)
        for name, value in zip(_FLAGS, permuted(axes.own, (x, y, z)), strict=True):
            node[name] = value > 0.5


def _restate_vectors(node: Node) -> None:
    """Convert vectors of the parent frame, and those of the solid that contains a Physics node."""
    turn = node.axes.above
    if node.type_name == "DirectionalLight":
        _restate_vector(node, "direction", node.axes.world)
    if turn == NO_TURN:
        return
    for class_name, names in _VECTORS.items():
        if node.is_a(class_name):
            for name in names:
                if node.has_field(name) and not _is_idle(node, name):
                    _restate_vector(node, name, turn)
    if node.type_name in _JOINT_AXES:
        for field, type_name in _JOINT_AXES[node.type_name]:
            if node[field] is None:
                node[field] = _new_node(type_name, node)
    elif node.type_name == "BallJoint":
        _restate_ball_axes(node)
    elif node.type_name == "Physics":
        _restate_physics(node, turn)
    elif node.type_name == "ImmersionProperties":
        for name in filter(node.is_set, ("dragForceCoefficients", "dragTorqueCoefficients")):
            node[name] = permuted(turn, node[name])


def _restate_vector(node: Node, name: str, turn: Turn) -> None:
    value = turned(turn, node[name])
    if node.is_set(name) or value != node[name]:
        node[name] = value


def _shape(node: Node, keeps_axes: bool, bounding: bool) -> Node:
    """Convert a geometry; add a Pose around it if its own axes differ from those of the frame."""
    if not (node.is_a("Geometry") or node.type_name in ("Shape", "CadShape")):
        return node
    if node.is_a("Geometry") and node.parent is not None and node.parent.type_name == "Shape":
        return node  # its Shape is rotated with it
    geometry = node["geometry"] if node.type_name == "Shape" else node
    if geometry is None:
        return node
    textured = node.type_name == "Shape" and is_textured(node["appearance"])
    change: ShapeChange = restate_geometry(geometry, node.axes.above, textured or (bounding and keeps_axes))
    return wrapped(node, change) if change.is_turned else node


def _new_node(type_name: str, owner: Node) -> Node:
    """Return a new node with the place and the axes of its owner."""
    made = Node.create(type_name)
    made.source, made.axes = owner.source, owner.axes
    return made


def _is_idle(node: Node, name: str) -> bool:
    """Return whether a field has no effect, such as the axis of a suspension that does not exist."""
    return name == "suspensionAxis" and not any(
        node[constant] for constant in ("suspensionSpringConstant", "suspensionDampingConstant")
    )


def _restate_ball_axes(node: Node) -> None:
    """Convert both axes of a ball joint. Nodes that are missing are made, because their axes follow from
    the old frame, with the spring and the damper that apply to the axis without the node."""
    first = node["jointParameters"]
    for field, axis in zip(("jointParameters2", "jointParameters3"), ball_axes(node), strict=True):
        if node[field] is None:
            node[field] = _new_node("JointParameters", node)
            for name in ("springConstant", "dampingConstant"):
                if first is not None and first.is_set(name):
                    node[field][name] = first[name]
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
    """Convert the fields of WorldInfo in the axes of the world."""
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


ROUND_ABOUT_AXIS = ("Cylinder", "Capsule", "Cone")
OF_POINTS = ("IndexedFaceSet", "IndexedLineSet", "PointSet")


class ShapeChange(NamedTuple):
    """The pose and the scale in its frame that a converted geometry needs."""

    turn: Turn = NO_TURN
    translation: Vec3 = ZERO
    scale: float = 1.0

    @property
    def is_turned(self) -> bool:
        """True if a Pose or a Transform around it is needed."""
        return self.turn != NO_TURN or self.translation != ZERO or self.scale != 1.0


def restate_geometry(geometry: Node, basis: Turn, keeps_axes: bool) -> ShapeChange:
    """Convert a geometry and return the pose that it needs.

    Args:
        basis: rotation from the axes of its frame to the current ones.
        keeps_axes: the sides of the geometry differ in more than their sizes, so that its axes must stay.
    """
    name = geometry.type_name
    if name == "ElevationGrid" and geometry.axes.is_old:
        return _restate_grid(geometry, basis)
    if geometry.axes.is_old and (name in ROUND_ABOUT_AXIS or name == "Plane"):
        own = geometry.axes.own
        if not keeps_axes and turned(basis, Y_AXIS) == Z_AXIS:
            own = basis
            if name == "Plane" and turned(basis, (1.0, 0.0, 0.0))[0] == 0.0:
                length, width = geometry["size"]
                geometry["size"] = (width, length)
    elif keeps_axes and not (name in OF_POINTS and _has_own_texture(geometry)):
        own = NO_TURN
    elif name == "Box":
        own = basis
        if geometry.is_set("size"):
            geometry["size"] = permuted(basis, geometry["size"])
    elif name == "Sphere":
        own = basis
    elif name in OF_POINTS:
        own = basis
        _restate_points(geometry, basis)
    elif name == "Mesh" and geometry.axes.is_old:
        return _restate_mesh(geometry, basis)
    else:
        own = NO_TURN
    return ShapeChange(composed(basis, inverse(own)))


def wrapped(node: Node, change: ShapeChange) -> Node:
    """Return the node within a Pose, or within a Transform that scales it."""
    pose = Node.create("Pose" if change.scale == 1.0 else "Transform")
    if change.scale != 1.0:
        pose["scale"] = (change.scale,) * 3
    pose.source = node.source
    if change.translation != ZERO:
        pose["translation"] = change.translation
    if change.turn != NO_TURN:
        pose["rotation"] = rotation_field(change.turn, (0.0, 0.0, 1.0, 0.0), NO_TURN)
    node.parent = node.parent_field = None
    pose["children"] = [node]
    return pose


def is_textured(appearance: Node | None) -> bool:
    """Return whether an appearance has textures."""
    return appearance is not None and any(each.type_name == "ImageTexture" for each in appearance.walk())


def _restate_points(geometry: Node, basis: Turn) -> None:
    if geometry["coord"] is not None:
        geometry["coord"]["point"] = [turned(basis, point) for point in geometry["coord"]["point"]]
    if geometry.has_field("normal") and geometry["normal"] is not None:
        geometry["normal"]["vector"] = [turned(basis, each) for each in geometry["normal"]["vector"]]


def _restate_mesh(mesh: Node, basis: Turn) -> ShapeChange:
    """Convert a mesh: before R2022a the numbers of a Collada file were used unchanged, whatever its unit
    and up axis."""
    try:
        path = file_of(mesh).find_file() if mesh["url"] else None
        if path is None or path.suffix.lower() != ".dae":
            return ShapeChange(basis)
        turn, unit = collada_frame(path)
    except (SceneError, OSError, ValueError):
        return ShapeChange(basis)  # a reader of the file reports the error
    return ShapeChange(composed(basis, inverse(turn_of(turn))), scale=1.0 / unit if unit > 0.0 else 1.0)


def _restate_grid(grid: Node, basis: Turn) -> ShapeChange:
    """Convert an ElevationGrid: it lay in x and z, now in x and y, so its rows are in reverse order."""
    columns, rows, spacing = grid["xDimension"], grid["zDimension"], grid["zSpacing"]
    if not grid.is_set("zDimension") and grid.is_set("yDimension"):
        rows, spacing = grid["yDimension"], grid["ySpacing"]
    count = max(columns, 0) * max(rows, 0)
    heights = (list(grid["height"][:count]) + [0.0] * count)[:count]
    grid["height"] = _rows_turned(heights, columns)
    if grid["color"] is not None:
        across = columns if grid["colorPerVertex"] else columns - 1
        grid["color"]["color"] = _rows_turned(list(grid["color"]["color"]), across)
    grid["yDimension"], grid["ySpacing"] = rows, spacing
    grid.unset("zDimension")
    grid.unset("zSpacing")
    turn = composed(basis, inverse(grid.axes.own))
    return ShapeChange(turn, turned(turn, (0.0, -(rows - 1) * spacing, 0.0)))


def _rows_turned(values: list[Any], columns: int) -> list[Any]:
    if columns < 1:
        return values
    rows = [values[start : start + columns] for start in range(0, len(values), columns)]
    return [value for row in reversed(rows) for value in row]


def _has_own_texture(geometry: Node) -> bool:
    """Return whether the texture is fixed to the points, whatever the axes are."""
    return geometry.has_field("texCoord") and geometry["texCoord"] is not None
