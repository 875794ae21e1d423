"""Anchors and axes of joints as the scene nodes give them, in the frame above the joint."""

from __future__ import annotations

from typing import NamedTuple

from sim_core.base.errors import SceneError
from sim_core.base.geometry import ZERO, Pose, Vec3, cross, norm, normalized, rotate, rotate_back
from sim_core.base.turns import turned
from sim_core.model.frames import vector_of
from sim_core.scene import Node
from sim_core.scene.axes import ball_axes

PARALLEL = 1e-6
"""Sine of an angle below which two axes are parallel."""


class AxisSpec(NamedTuple):
    """One degree of freedom as the scene gives it; N·m and rad, or N and m.

    Attributes:
        is_linear: True: prismatic.
        is_dynamic: True: forces move it; False: the end point has no Physics and follows commands exactly.
    """

    position: float = 0.0
    min_stop: float = 0.0
    max_stop: float = 0.0
    spring: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    stop_erp: float = -1.0
    stop_cfm: float = -1.0
    has_brake: bool = False
    is_linear: bool = False
    is_dynamic: bool = False

    @property
    def has_stops(self) -> bool:
        """True if it has stops: both 0 mean none."""
        return not (self.min_stop == 0.0 and self.max_stop == 0.0)


def axis_spec(parameters: Node | None) -> AxisSpec:
    """Return the axis described by a JointParameters node or a Servo.

    Raises:
        SceneError: a spring, damper or friction is negative, or the stops are in the wrong order.
    """
    if parameters is None:
        return AxisSpec()
    values = {
        "position": parameters["position"],
        "min_stop": parameters["minStop"] if parameters.has_field("minStop") else 0.0,
        "max_stop": parameters["maxStop"] if parameters.has_field("maxStop") else 0.0,
        "spring": parameters["springConstant"],
        "damping": parameters["dampingConstant"],
        "friction": parameters["staticFriction"],
        "stop_erp": parameters["stopERP"] if parameters.has_field("stopERP") else -1.0,
        "stop_cfm": parameters["stopCFM"] if parameters.has_field("stopCFM") else -1.0,
    }
    for name, value in values.items():
        if not abs(value) < 1e12:
            raise SceneError(*parameters.source, f"{parameters.type_name}: {name} {value}", "a finite number")
    for name in ("spring", "damping", "friction"):
        if values[name] < 0.0:
            raise SceneError(
                *parameters.source, f"{parameters.type_name}: {name} {values[name]:g}", "0 or more"
            )
    if values["min_stop"] > values["max_stop"]:
        found = f"minStop {values['min_stop']:g} above maxStop {values['max_stop']:g}"
        raise SceneError(*parameters.source, found, "minStop ≤ maxStop")
    return AxisSpec(**values)


def parameter_nodes(joint: Node) -> list[Node | None]:
    """Return the parameters of each axis of a joint, in index order."""
    if joint.type_name == "Servo":
        return [joint]
    if joint.type_name == "Solid":
        return [None]
    count = {"Hinge2Joint": 2, "BallJoint": 3}.get(joint.type_name, 1)
    names = ("jointParameters", "jointParameters2", "jointParameters3")
    return [joint[name] for name in names[:count]]


def axis_in_frame(joint: Node, index: int) -> Vec3:
    """Return the direction of an axis (unit) in the joint's frame, that of the nearest Pose above it.

    Defaults are as in the Webots reference, in the axes of the file: a hinge turns about x, the second axis
    of a Hinge2Joint is z, those of a BallJoint are x, y, z, a slider moves along z. The axes are those at
    joint positions 0: each turns with those before it.

    Raises:
        SceneError: the axis has length zero.
    """
    if joint.type_name == "Servo":
        return turned(joint.axes.above, _servo_axis(joint))
    if joint.type_name == "Solid":  # the head of a Lidar, or a wheel of a DifferentialWheels
        return (0.0, 0.0, 1.0) if joint.parent_field == "rotatingHead" else (0.0, 1.0, 0.0)
    parameters = parameter_nodes(joint)[index]
    if joint.type_name == "BallJoint":
        return turned(joint.axes.above, _ball_axes(joint)[index])
    if parameters is None:
        axis = (0.0, 0.0, 1.0) if joint.type_name == "SliderJoint" or index == 1 else (1.0, 0.0, 0.0)
    else:
        axis = parameters["axis"]
    return turned(joint.axes.above, _unit(axis, parameters if parameters is not None else joint))


def has_parallel_axes(joint: Node) -> bool:
    """Return whether the axes of a Hinge2Joint or a BallJoint are parallel, which ODE cannot handle."""
    if joint.type_name not in ("Hinge2Joint", "BallJoint"):
        return False
    is_ball = joint.type_name == "BallJoint"
    one, other = ball_axes(joint) if is_ball else (axis_in_frame(joint, index) for index in (0, 1))
    return norm(cross(normalized(one), normalized(other))) < PARALLEL


def world_axes_in(frame: Pose) -> list[Vec3]:
    """Return x and z of the world in a joint's frame: Webots uses them if axes are parallel."""
    return [rotate_back(frame.rotation, axis) for axis in ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))]


def _ball_axes(joint: Node) -> tuple[Vec3, Vec3, Vec3]:
    """Return the orthogonal axes of a BallJoint: second = third × first; x, y, z if those are parallel."""
    first, third = (_unit(axis, joint) for axis in ball_axes(joint))
    second = cross(third, first)
    if norm(second) < PARALLEL:
        return (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    second = normalized(second)
    return first, second, cross(first, second)


def _servo_axis(servo: Node) -> Vec3:
    """Return the axis of a Servo, the same in its own and its parent's frame: that of its rotation, or else
    z."""
    x, y, z, _ = servo["rotation"]
    axis = normalized((x, y, z))
    return axis if axis != ZERO else (0.0, 0.0, 1.0)


def _unit(axis: Vec3, place: Node) -> Vec3:
    if not 1e-12 < norm(axis) < 1e12:
        raise SceneError(
            *place.source, f"axis {axis[0]:g} {axis[1]:g} {axis[2]:g}", "a finite vector that is not zero"
        )
    return normalized(axis)


def anchor_in_frame(joint: Node) -> Vec3:
    """Return the point about which a joint turns, in the joint's frame; for a Servo its own origin."""
    if joint.type_name in ("Servo", "Solid"):
        return vector_of(joint, "translation")
    parameters: Node | None = joint["jointParameters"]
    if parameters is None or not parameters.has_field("anchor"):
        return (0.0, 0.0, 0.0)
    anchor: Vec3 = parameters["anchor"]
    if not all(abs(value) < 1e9 for value in anchor):
        raise SceneError(*parameters.source, f"anchor {anchor}", "finite coordinates")
    return turned(parameters.axes.above, anchor)


def is_linear(joint: Node) -> bool:
    """Return whether the joint is prismatic."""
    return joint.type_name == "SliderJoint" or (joint.type_name == "Servo" and joint["type"] == "linear")


def hinge_in_end_point(frame: Pose, joint: Node) -> tuple[Vec3 | None, Vec3]:
    """Return axis and anchor of the hinge above a link, in the link's frame; axis None: there is no hinge.

    Args:
        frame: of the joint, in the link's frame.
        joint: the joint whose end point is the link.
    """
    if joint.type_name not in ("HingeJoint", "Hinge2Joint", "Servo", "Solid") or is_linear(joint):
        return None, (0.0, 0.0, 0.0)
    index = 1 if joint.type_name == "Hinge2Joint" else 0
    return rotate(frame.rotation, axis_in_frame(joint, index)), frame.apply(anchor_in_frame(joint))
