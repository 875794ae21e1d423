"""Poses and vectors of nodes, converted from the axes of the file to those of the model (see `scene.axes`).

All frames and vectors in the model are in these axes: ENU for the world, and for a node's frame those to
which `Node.axes` converts the axes of its file.
"""

from __future__ import annotations

from collections.abc import Sequence

from sim_core.base.geometry import AxisAngle, Mat3, Pose, Vec3, rotation_from_axis_angle
from sim_core.base.turns import NO_TURN, Turn, permuted, turned, turned_pose, turned_rotation
from sim_core.scene.node import CURRENT_AXES, Node


def pose_of(node: Node) -> Pose:
    """Return X_AB of a Pose node's frame B in its parent's frame A, from its fields."""
    return _turned(node, Pose.from_axis_angle(node["translation"], node["rotation"]))


def position_in(node: Node, translation: Vec3) -> Vec3:
    """Return the position of `pose_of` for a value of `translation`."""
    return turned(node.axes.above, translation)


def rotation_in(node: Node, rotation: AxisAngle) -> Mat3:
    """Return the rotation of `pose_of` for a value of `rotation`."""
    return turned_rotation(node.axes.above, rotation_from_axis_angle(rotation), node.axes.own)


def view_of(viewpoint: Node) -> Pose:
    """Return X_WV of a Viewpoint that follows nothing: it looks along x, z is up."""
    return turned_view(viewpoint, Pose.from_axis_angle(viewpoint["position"], viewpoint["orientation"]))


def turned_view(viewpoint: Node, stated: Pose) -> Pose:
    """Return X_WV of a Viewpoint for a pose in the axes of its file."""
    return _turned(viewpoint, stated)


def vector_of(node: Node, field: str) -> Vec3:
    """Return a vector field of a node, in its parent's frame."""
    return turned(node.axes.above, node[field])


def world_vector_of(node: Node, field: str) -> Vec3:
    """Return a vector field of a node, in the axes of the world."""
    return turned(node.axes.world, node[field])


def sizes_of(node: Node, field: str) -> Vec3:
    """Return a field with a positive number for each axis of the parent's frame."""
    return _swapped(node.axes.above, node[field])


def own_sizes_of(node: Node, values: Sequence[float]) -> Vec3:
    """Return numbers for each axis of a node's own frame, in the order of the axes of the model."""
    return _swapped(node.axes.own, values)


def _swapped(turn: Turn, values: Sequence[float]) -> Vec3:
    x, y, z = values
    return (x, y, z) if turn == NO_TURN else permuted(turn, (x, y, z))


def _turned(node: Node, pose: Pose) -> Pose:
    axes = node.axes
    return pose if axes is CURRENT_AXES else turned_pose(axes.above, pose, axes.own)
