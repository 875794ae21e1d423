"""Joint of the model, with its links and axes."""

from __future__ import annotations

from sim_core.base.geometry import Pose, Vec3, dot, rotate
from sim_core.engines.massless_motion import massless_pose
from sim_core.engines.ode.joints.axes import Axis, Hinge2Axis, HingeAxis, SliderAxis
from sim_core.engines.ode.joints.ball_axis import BallAxis
from sim_core.engines.ode.joints.kinematic_axis import KinematicAxis
from sim_core.engines.ode.links import Link
from sim_core.model.dynamics.bodies import BodyKind
from sim_core.model.dynamics.joints import Joint, JointKind, turned_axes
from sim_core.model.joint_frames import AxisSpec


class JointPlan:
    """One joint, from which ODE joints are created repeatedly.

    Attributes:
        record: the joint's record.
        parent, child: the links at its ends; None: the world.
        axes: axes of the joint; they survive every build.
    """

    __slots__ = ("axes", "child", "parent", "record")

    def __init__(self, record: Joint, parent: Link | None, child: Link | None) -> None:
        self.record = record
        self.parent = parent
        self.child = child
        self.axes: list[Axis | KinematicAxis] = [
            _axis(record, index, spec) for index, spec in enumerate(record.specs)
        ]

    def advance(self, step: float) -> bool:
        """Move the axes of a joint that is not dynamic by one step; True: its link moved or came to rest."""
        moved = False
        for axis in self.axes:
            moved |= axis.advance(step)  # type: ignore[union-attr]
        if moved:
            self.update_pose()
        return moved

    def set_axis_velocities(self, linear: Vec3, angular: Vec3) -> None:
        """Set the velocities of the axes of a non-dynamic joint to that of its link, as far as they allow it.

        Both in the axes of the world, m/s and rad/s.
        """
        frame = (self.parent.world_pose() if self.parent is not None else Pose()) * self.record.frame
        along, _ = turned_axes(list(self.record.axes), [axis.position for axis in self.axes])
        for axis, direction in zip(self.axes, along, strict=True):
            velocity = linear if self.record.slides else angular
            axis.drive(dot(rotate(frame.rotation, direction), velocity), 0.0)

    def update_pose(self) -> None:
        """Compute pose and motion of a carried link in its parent from the joint positions."""
        link = self.child
        if link is not None and link.kind is BodyKind.CARRIED:
            link.in_parent_now, link.motions = massless_pose(self.record, link.in_parent, self.axes)


def _axis(joint: Joint, index: int, spec: AxisSpec) -> Axis | KinematicAxis:
    name = joint.label.path
    if not joint.is_dynamic:
        return KinematicAxis(name, spec)
    match joint.kind:
        case JointKind.SLIDER:
            return SliderAxis(name, spec)
        case JointKind.BALL:
            return BallAxis(name, spec, index)
        case JointKind.HINGE2:
            return Hinge2Axis(name, spec, index if joint.steers else 1)
    return HingeAxis(name, spec)
