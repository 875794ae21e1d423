"""Motion of links without mass: poses and velocities from the positions and velocities of their joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sim_core.base.geometry import (
    IDENTITY,
    Pose,
    Vec3,
    add,
    cross,
    multiply,
    rotate,
    rotation_from_axis_angle,
    scale,
    subtract,
    transposed,
)
from sim_core.engines.world_view import JointAxis
from sim_core.model.dynamics.joints import Joint

AxisMotion = tuple[Vec3, Vec3, float, bool]
"""Motion of one axis: direction and anchor in the frame of the parent, rad/s or m/s, whether it slides."""


class MasslessAxis:
    """Methods without effect of an axis whose end point has no mass: it moves exactly as commanded."""

    def apply_effort(self, effort: float) -> None:
        """No effect: there is no mass."""

    def set_brake(self, damping: float) -> None:
        """No effect: there is no momentum."""

    def enable_feedback(self) -> None:
        """No effect: there is nothing to measure."""

    def feedback(self) -> float:
        """Return 0: no effort is needed without mass."""
        return 0.0


class ParentLink(Protocol):
    """Link to which a joint connects another one."""

    def world_pose(self) -> Pose:
        """Return its present pose in the world."""

    def velocity_at(self, point: Vec3) -> tuple[Vec3, Vec3]:
        """Return the linear velocity of one of its points, given in the world, and the angular velocity;
        world axes."""


def massless_pose(joint: Joint, start: Pose, axes: Sequence[JointAxis]) -> tuple[Pose, list[AxisMotion]]:
    """Return pose and motions of a link without mass in its parent; `start`: its pose at the start."""
    frame = joint.frame
    turn = IDENTITY
    shift: Vec3 = (0.0, 0.0, 0.0)
    anchor = frame.apply(joint.anchor)
    motions: list[AxisMotion] = []
    for axis, direction in zip(axes, joint.axes, strict=True):
        now = rotate(turn, rotate(frame.rotation, direction))
        motions.append((now, anchor, axis.velocity, joint.slides))
        if joint.slides:
            shift = add(shift, scale(now, axis.position - axis.spec.position))
        else:
            turn = multiply(rotation_from_axis_angle((*now, axis.position)), turn)
    if not joint.slides:
        back = joint.start_turn_back
        if frame.rotation != IDENTITY:
            back = multiply(multiply(frame.rotation, back), transposed(frame.rotation))
        turn = multiply(turn, back)
    position = add(add(anchor, rotate(turn, subtract(start.position, anchor))), shift)
    return Pose(position, multiply(turn, start.rotation)), motions


def massless_velocity(parent: ParentLink, motions: Sequence[AxisMotion], point: Vec3) -> tuple[Vec3, Vec3]:
    """Return the linear velocity of a point of a link without mass, given in the world, and its angular
    velocity: the sum of the motions of parent and joint."""
    linear, angular = parent.velocity_at(point)
    pose = parent.world_pose()
    for axis, anchor, rate, slides in motions:
        direction = rotate(pose.rotation, axis)
        if slides:
            linear = add(linear, scale(direction, rate))
        else:
            arm = subtract(point, pose.apply(anchor))
            linear = add(linear, scale(cross(direction, arm), rate))
            angular = add(angular, scale(direction, rate))
    return linear, angular
