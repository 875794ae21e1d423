"""Axes of a file: those of its world and of each of its frames.

The scene keeps the values of its file. Each node gets the rotations that convert its values to the axes of
the model, in which the world is ENU and bodies are FLU. These rotations only swap axes and change their
signs. They move nothing: only the names of the axes change.

- The world is rotated as a whole, so that up becomes z and north becomes y.
- In files of the current format robots, devices and shapes are FLU, whatever the axes of the world are.
- Before R2022a robots faced -z where y was up, cameras looked along -z, cylinders lay along y, and so on
  (Webots guide, Upgrade from R2021b to R2022a). In a world whose y was up every robot, and every device in
  it, gets a frame that is FLU; in one whose z was up already robots keep theirs, and only devices and shapes
   are rotated.
- The age of a PROTO is that of its own file. A current PROTO in an old world is assumed to have been RUB when
  the world was made, as most of Webots' own were, if the world places it with its y axis up.
- In X3D and VRML97 y is up, and robots face +z, in all frames alike; shapes are as in old files.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import atan2, cos, hypot, sin

from sim_core.base.geometry import (
    AxisAngle,
    Mat3,
    Pose,
    Vec3,
    axis_angle_from_rotation,
    cross,
    dot,
    norm,
    normalized,
    rotate,
    rotation_from_axis_angle,
)
from sim_core.base.turns import (
    MATRICES,
    NO_TURN,
    Turn,
    inverse,
    turn_of,
    turned,
    turned_pose,
    turned_rotation,
)
from sim_core.scene.node import CURRENT_AXES, Node, NodeAxes
from sim_core.scene.scene import ENU, Scene, WorldAxes
from sim_core.scene.wbt.header import X3D

FIRST_FLU_VERSION = "R2021c"
"""Never released; development files before R2022a have this version and the new axes."""
FIRST_ENU_VERSION = "R2020b"
"""WorldInfo.coordinateSystem is used since this version; its default is ENU."""
NUE = "NUE"
X_AXIS, Y_AXIS, Z_AXIS = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
UP = {ENU: Z_AXIS, NUE: Y_AXIS, "EUN": Y_AXIS}
NORTH: dict[str, Vec3] = {ENU: Y_AXIS, NUE: X_AXIS, "EUN": Z_AXIS}
"""EUN as documented is left-handed; north is what a Compass of Webots measures, so that x is west."""

_RUB: Mat3 = (0.0, 0.0, -1.0, -1.0, 0.0, 0.0, 0.0, 1.0, 0.0)
_BACK: Mat3 = (0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0)
_UPRIGHT: Mat3 = (1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0)
RUB_TO_FLU = turn_of(_RUB)
"""(x, y, z) → (-z, -x, y): for nodes that face -z with y up, such as an old robot or camera."""
BACK_TO_FORWARD = NUE_TO_ENU = turn_of(_BACK)
"""(x, y, z) → (z, x, y): for nodes that face +z with y up, such as an old Emitter; also NUE to ENU."""
Y_TO_Z = turn_of(_UPRIGHT)
"""(x, y, z) → (x, -z, y): for nodes that face +x with y up."""

OLD_NODE_AXES: dict[str, Turn] = {
    **dict.fromkeys(("Camera", "RangeFinder", "Lidar", "Radar", "Pen"), RUB_TO_FLU),
    **dict.fromkeys(("Emitter", "Receiver", "Connector", "TouchSensor"), BACK_TO_FORWARD),
    "Track": Y_TO_Z,
    "TrackWheel": NO_TURN,
    "Skin": NO_TURN,
    "DifferentialWheels": RUB_TO_FLU,
}
"""Nodes whose own axes were different before R2022a (Webots guide, the same page)."""
FIRST_STATED_VERSION = "V7.3"
"""Files state their version since Webots 7.3; older ones are read as Webots 6."""
ROTATED_BY_WEBOTS = (*("Camera", "Lidar", "Radar", "Emitter", "Receiver", "Connector"), "TouchSensor", "Pen")
"""Old devices that today's Webots rotates to FLU when it loads them."""
_TINY = 1e-12
_AXIS_TOLERANCE = 1e-4
"""1 - cos of half the largest angle between a Servo's rotation and its axis: 28 mrad."""
OLD_Y_AXIS_GEOMETRIES = ("Cylinder", "Capsule", "Cone", "Plane", "ElevationGrid")
"""Geometries whose axis was y and is now z."""


def world_axes(scene: Scene) -> WorldAxes:
    """Return the axes of a world."""
    info, header = scene.world_info, scene.header
    system: str = info["coordinateSystem"] if info.is_set("coordinateSystem") else ENU
    if header.version == X3D:
        return WorldAxes(NUE, NUE_TO_ENU, BACK_TO_FORWARD, NORTH[NUE])
    if not header.is_before(FIRST_FLU_VERSION):
        return _current_axes(system)
    is_nue = header.is_before(FIRST_ENU_VERSION)
    if not info.is_set("coordinateSystem"):
        system = NUE if is_nue else ENU
        gravity = info["gravity"]
        if isinstance(gravity, tuple) and norm(gravity) > 0.0:
            system = ENU if -gravity[2] > 0.99 * norm(gravity) else NUE
    up, north = UP[system], NORTH[system]
    if is_nue and system == ENU and not info.is_set("coordinateSystem"):
        north = NORTH[NUE]
    given = info["northDirection"]
    if info.is_set("northDirection") and _is_axis(given) and dot(given, up) == 0.0:
        north = given
    return WorldAxes(system, turn_of(_basis(up, north)), NO_TURN if up == Z_AXIS else RUB_TO_FLU, north)


@cache
def _current_axes(system: str) -> WorldAxes:
    return WorldAxes(system, turn_of(_basis(UP[system], NORTH[system])), NO_TURN, NORTH[system])


def assign_axes(scene: Scene) -> None:
    """Set the axes of every node of a scene; to be called again after nodes are added."""
    axes, former = world_axes(scene), scene.axes
    scene.axes = axes
    files = (scene.header, *scene.headers.values())
    is_old = any(header.is_before(FIRST_FLU_VERSION) for header in files)
    if axes.world == former.world == NO_TURN and not is_old:
        return
    walk = _Walk(scene, axes)
    for node in scene.nodes:
        walk.visit(node, axes.world, axes.world)


def put_at_root(scene: Scene, node: Node, pose: Pose) -> None:
    """Set the pose of a node, which will be a root node of a scene, to a pose in ENU."""
    _Walk(scene, scene.axes).visit(node, scene.axes.world, scene.axes.world)
    node["translation"], node["rotation"] = as_fields(node, pose)


def as_fields(node: Node, pose: Pose) -> tuple[Vec3, AxisAngle]:
    """Return `translation` and `rotation` of a node with the pose X_AB in its parent frame."""
    axes = node.axes
    stated = pose if axes is CURRENT_AXES else turned_pose(inverse(axes.above), pose, inverse(axes.own))
    rotation = axis_angle_from_rotation(stated.rotation)
    if node.type_name == "Servo":
        rotation = _keep_servo_axis(node["rotation"], rotation)
    return stated.position, rotation


def _keep_servo_axis(given: AxisAngle, now: AxisAngle) -> AxisAngle:
    """Return a rotation about the axis of a Servo, so that its file keeps the axis.

    If the new rotation is not about the axis, it is returned unchanged.
    """
    axis = normalized(given[:3])
    half = now[3] / 2.0
    along = sin(half) * dot(now[:3], axis)
    if hypot(along, cos(half)) < 1.0 - _AXIS_TOLERANCE:
        return now
    return (*given[:3], 2.0 * atan2(along, cos(half)))


def in_file(node: Node, pose: Pose) -> Pose:
    """Convert X_WB of a node's frame from ENU to the axes of its file."""
    axes = node.axes
    return pose if axes is CURRENT_AXES else turned_pose(inverse(axes.world), pose, inverse(axes.own))


def rotation_field(above: Turn, rotation: AxisAngle, own: Turn) -> AxisAngle:
    """Return the rotation field of a frame; the axis is kept for an angle of 0, because a Servo uses it."""
    if above == own:
        return (*turned(above, rotation[:3]), rotation[3])
    matrix = turned_rotation(above, rotation_from_axis_angle(rotation), own)
    x, y, z, angle = axis_angle_from_rotation(matrix)
    return (_rounded_component(x), _rounded_component(y), _rounded_component(z), angle)


@dataclass
class _Walk:
    scene: Scene
    axes: WorldAxes

    def visit(self, node: Node, old: Turn, new: Turn) -> None:
        """Set the axes of a tree.

        Args:
            node: its root.
            old, new: rotations of the parent frame, for nodes of old and of current files; they
                differ in a current PROTO in an old world.
        """
        header = self.scene.header_of(node.source.file)
        outer = header.is_before(FIRST_FLU_VERSION)
        if node.proto is not None:
            header = node.proto.node_type.proto.header
        inner = header.is_before(FIRST_FLU_VERSION)
        above = old if outer else new
        own, inside_old, inside_new = above, old, new
        if node.is_a("Pose") or node.type_name in ("Skin", "TrackWheel"):
            if inner:
                own = inside_old = inside_new = self._frame(node, above)
            elif outer:
                own = inside_old = self._proto_frame(node, above)
                inside_new = NO_TURN
            else:
                own = inside_new = NO_TURN
                inside_old = NO_TURN if old == new else old
        elif node.type_name in ("Viewpoint", "Billboard"):
            own = RUB_TO_FLU if outer else NO_TURN
            inside_old, inside_new = (own, own) if node.type_name == "Billboard" else (old, new)
        elif node.is_a("Geometry") or node.type_name == "CadShape":
            own = Y_TO_Z if inner and node.type_name in OLD_Y_AXIS_GEOMETRIES else NO_TURN
        is_v6 = header.is_before(FIRST_STATED_VERSION) and header.version != X3D
        axes = NodeAxes(above, own, self.axes.world, inner, is_v6)
        node.axes = axes if axes != CURRENT_AXES else CURRENT_AXES
        for child in node.child_nodes():
            # along the belt, y outwards: the same in all versions
            if child.parent_field == "animatedGeometry":
                self.visit(child, NO_TURN, NO_TURN)
            else:
                self.visit(child, inside_old, inside_new)

    def _frame(self, node: Node, above: Turn) -> Turn:
        """Return the rotation of the own frame of a node of an old file."""
        if self.scene.header.version == X3D:
            return above
        body = self.axes.body
        if node.type_name in OLD_NODE_AXES:
            return OLD_NODE_AXES[node.type_name]
        if node.type_name in ("DistanceSensor", "LightSensor"):
            return Y_TO_Z if body != NO_TURN and _is_rotationally_symmetric(node) else NO_TURN
        if node.type_name == "Servo":
            return above  # its axis is expressed both in its own frame and in the one above
        return body if node.is_a("Robot") or node.is_a("Device") else above

    def _proto_frame(self, node: Node, above: Turn) -> Turn:
        """Return the rotation for a current PROTO, which had old axes when it was placed if its y axis is
        up."""
        return RUB_TO_FLU if stands_on_y(node, turned(inverse(above), Z_AXIS)) else NO_TURN


def stands_on_y(node: Node, up: Vec3) -> bool:
    """Return whether the y axis of a node points more upwards than its z axis, according to its rotation."""
    pose = rotation_from_axis_angle(node["rotation"]) if node.has_field("rotation") else MATRICES[NO_TURN]
    y, z = (abs(dot(rotate(pose, axis), up)) for axis in (Y_AXIS, Z_AXIS))
    return y >= z


def _basis(up: Vec3, north: Vec3) -> Mat3:
    """Return the rotation matrix to ENU for a world with these unit vectors, which are perpendicular."""
    x, y, z = cross(north, up)
    return (x + 0.0, y + 0.0, z + 0.0, *north, *up)


def _is_axis(vector: Vec3) -> bool:
    return sorted(map(abs, vector)) == [0.0, 0.0, 1.0]


def _is_rotationally_symmetric(sensor: Node) -> bool:
    """Return whether the rotation of a sensor about its axis has no effect."""
    return sensor.type_name == "LightSensor" or sensor["numberOfRays"] == 1


def _rounded_component(value: float) -> float:
    """Return a component of an axis without rounding errors near 0, 1 and -1."""
    nearest = float(round(value))
    return nearest + 0.0 if abs(value - nearest) < _TINY else value


def ball_axes(joint: Node) -> tuple[Vec3, Vec3]:
    """Return the first and the third axis of a BallJoint as its nodes state them, in the axes of the file.

    `jointParameters2` states the first, `jointParameters3` the third. Where one of them is missing, its axis
    is perpendicular to the other; without both they are x and z. (Webots' own rule.)
    """
    x, z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    second, third = joint["jointParameters2"], joint["jointParameters3"]
    if second is None:
        return (x, z) if third is None else (_perpendicular(third["axis"], z, x), third["axis"])
    return second["axis"], _perpendicular(second["axis"], x, z) if third is None else third["axis"]


def _perpendicular(axis: Vec3, one: Vec3, other: Vec3) -> Vec3:
    """Return axis × one, or axis × other if axis and one are parallel."""
    found = cross(axis, one)
    return found if norm(found) > 0.0 else cross(axis, other)
