"""What a joint node links, and its axes.

`position` in the file goes with the pose in the file.
"""

from __future__ import annotations

from math import pi

from sim_core.base.errors import SceneError
from sim_core.base.geometry import (
    IDENTITY,
    Mat3,
    Pose,
    Vec3,
    cross,
    multiply,
    norm,
    rotate,
    rotation_from_axis_angle,
    transposed,
)
from sim_core.engines.ode.joints.axes import Axis, Hinge2Axis, HingeAxis, SliderAxis
from sim_core.engines.ode.joints.ball_axis import BallAxis
from sim_core.engines.ode.joints.kinematic_axis import KinematicAxis
from sim_core.engines.ode.links import Kind, Link, LinkTree
from sim_core.model.frames import vector_of
from sim_core.model.joint_frames import (
    AxisSpec,
    anchor_in_frame,
    are_aligned,
    axis_in_frame,
    axis_spec,
    is_linear,
    parameter_nodes,
    world_axes_in,
)
from sim_core.model.kinematics import end_point
from sim_core.scene import Node

SOFT_STOPS = 0.05
"""So far beyond its stops a joint may start, rad or m: stops are soft, and a world is saved as it stands."""
STATIC_ENVIRONMENT = "<static environment>"


class JointPlan:
    """One joint node: what it links, and its axes, which outlive every rebuild of the physics."""

    def __init__(self, node: Node, parent: Link | None, frame: Pose, tree: LinkTree) -> None:
        self.node = node
        self.parent = parent
        self.frame = frame
        self.child: Link | None = _child(node, tree)
        name = node.path()
        specs = [axis_spec(parameters) for parameters in parameter_nodes(node)]
        for index, field in enumerate(("position", "position2", "position3")[: len(specs)]):
            if node.type_name != "Servo" and node.has_field(field) and node.is_set(field):
                specs[index] = specs[index]._replace(position=node[field])
        for index, field in enumerate(("device", "device2", "device3")[: len(specs)]):
            devices = node[field] if node.is_a("Joint") and node.has_field(field) else []
            if any(device.type_name == "Brake" for device in devices):
                specs[index] = specs[index]._replace(has_brake=True)
        self.specs: list[AxisSpec] = specs
        self.axes_in_frame = [axis_in_frame(node, index) for index in range(len(specs))]
        self.is_dynamic = self._has_mass()
        self.has_aligned_axes = self.is_dynamic and are_aligned(node, self.axes_in_frame)
        if self.has_aligned_axes:
            self.axes_in_frame = world_axes_in(parent.start * frame if parent is not None else frame)
        self.start_axes, self.start_turn = _turned_axes(
            self.axes_in_frame, [0.0 if is_linear(node) else spec.position for spec in specs]
        )
        self.anchor = anchor_in_frame(node)
        self.slides = is_linear(node)
        self.start_turn_back = transposed(self.start_turn)
        suspended = suspension_of(node) is not None
        self.axes: list[Axis | KinematicAxis] = []
        for index, spec in enumerate(specs):
            self._check(spec)
            self.axes.append(self._make_axis(name, index, spec, suspended))

    def _has_mass(self) -> bool:
        if self.child is None:
            end = end_point(self.node) if self.node.is_a("Joint") else None
            to_world = end is not None and end.type_name == "SolidReference"
            return to_world and self.parent is not None and self.parent.dynamic_ancestor() is not None
        if self.child.kind is Kind.DYNAMIC:
            return True
        if self.child.joint is self.node:
            return False
        return self.parent is not None and self.parent.dynamic_ancestor() is not None

    def _make_axis(self, name: str, index: int, spec: AxisSpec, suspended: bool) -> Axis | KinematicAxis:
        if not self.is_dynamic:
            return KinematicAxis(name, spec, self.slides)
        if self.slides:
            return SliderAxis(name, spec, True)
        if self.node.type_name == "BallJoint":
            ball = BallAxis(name, spec, False)
            ball.index = index
            return ball
        if self.node.type_name == "Hinge2Joint" or suspended:
            hinge2 = Hinge2Axis(name, spec, False)
            hinge2.index = 1 if suspended and self.node.type_name != "Hinge2Joint" else index
            return hinge2
        return HingeAxis(name, spec, False)

    def _check(self, spec: AxisSpec) -> None:
        slack = SOFT_STOPS if spec.has_stops else 0.0
        if spec.has_stops and not spec.min_stop - slack <= spec.position <= spec.max_stop + slack:
            found = (
                f"joint position {spec.position:g} beyond its stops {spec.min_stop:g} and {spec.max_stop:g}"
            )
            raise SceneError(*self.node.source, found, "a position between the stops")


def _turned_axes(axes: list[Vec3], positions: list[float]) -> tuple[list[Vec3], Mat3]:
    """Axes that turn one with another at these positions (rad), and the rotation that comes of it."""
    turn, now = IDENTITY, []
    for axis, position in zip(axes, positions, strict=True):
        now.append(rotate(turn, axis))
        turn = multiply(rotation_from_axis_angle((*now[-1], position)), turn)
    return now, turn


def far_stops(plan: JointPlan) -> bool:
    """Whether ODE cannot hold a stop, because it is more than half a turn away."""
    if plan.slides or not plan.is_dynamic:
        return False
    return any(
        spec.has_stops and not (-pi <= spec.min_stop - spec.position and spec.max_stop - spec.position <= pi)
        for spec in plan.specs
    )


def _child(node: Node, tree: LinkTree) -> Link | None:
    """The link at the end of a joint; None: the world, or nothing."""
    if not node.is_a("Joint"):
        return tree.link_of(node)
    end = end_point(node)
    if end is None:
        return None
    if end.type_name != "SolidReference":
        return tree.link_of(end)
    name = end["solidName"]
    if name == STATIC_ENVIRONMENT:
        return None
    top = list(node.ancestors())[-1]
    for candidate in top.walk():
        if candidate.is_a("Solid") and candidate["name"] == name and candidate in tree.places:
            return tree.link_of(candidate)
    raise SceneError(*end.source, f'SolidReference to "{name}"', "the name of a Solid in the same tree")


def suspension_of(node: Node) -> tuple[float, float, Vec3] | None:
    """Spring (N/m), damper (N·s/m) and axis of a hinge's suspension, or None."""
    if node.type_name not in ("HingeJoint", "Hinge2Joint"):
        return None
    parameters = node["jointParameters"]
    if parameters is None or not parameters.has_field("suspensionSpringConstant"):
        return None
    spring, damping = parameters["suspensionSpringConstant"], parameters["suspensionDampingConstant"]
    if spring <= 0.0 and damping <= 0.0:
        return None
    axis = vector_of(parameters, "suspensionAxis")
    if along_hinge(node):
        return None
    return spring, damping, axis


def along_hinge(node: Node) -> bool:
    """Whether the suspension of a hinge is along its own axis: ODE has no such joint; it does not give way.

    Casters have it that way: the spring is stiff there, and the hinge is what matters.
    """
    parameters = node["jointParameters"] if node.type_name == "HingeJoint" else None
    if parameters is None or not parameters.has_field("suspensionSpringConstant"):
        return False
    if parameters["suspensionSpringConstant"] <= 0.0 and parameters["suspensionDampingConstant"] <= 0.0:
        return False
    return norm(cross(vector_of(parameters, "suspensionAxis"), vector_of(parameters, "axis"))) < 1e-6
