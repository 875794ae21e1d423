"""Where nodes stand, in the axes of the model: what their fields say, turned (see `scene.axes`).

Everything that the model says of a frame or of a vector is in these axes: those of ENU for the world, and for
a node's frame those that `Node.axes` takes the axes of its file to.
"""

from __future__ import annotations

from collections.abc import Sequence

from sim_core.base.geometry import AxisAngle, Mat3, Pose, Vec3, rotation_from_axis_angle
from sim_core.base.turns import KEEP, Turn, swapped, turned, turned_pose, turned_rotation
from sim_core.scene.node import OF_TODAY, Node


def pose_of(node: Node) -> Pose:
    """X_AB of a Pose node's frame B in the frame A that the node stands in, as its fields say."""
    return _turned(node, Pose.from_axis_angle(node["translation"], node["rotation"]))


def position_in(node: Node, translation: Vec3) -> Vec3:
    """The position of `pose_of`, if `translation` were this."""
    return turned(node.axes.above, translation)


def rotation_in(node: Node, rotation: AxisAngle) -> Mat3:
    """The rotation of `pose_of`, if `rotation` were this."""
    return turned_rotation(node.axes.above, rotation_from_axis_angle(rotation), node.axes.own)


def view_of(viewpoint: Node) -> Pose:
    """X_WV of a Viewpoint that follows nothing: it looks along x, z is up."""
    return turned_view(viewpoint, Pose.from_axis_angle(viewpoint["position"], viewpoint["orientation"]))


def turned_view(viewpoint: Node, stated: Pose) -> Pose:
    """X_WV of a Viewpoint that states this, in the axes of its file."""
    return _turned(viewpoint, stated)


def vector_of(node: Node, field: str) -> Vec3:
    """A vector that a node states in the frame it stands in."""
    return turned(node.axes.above, node[field])


def world_vector_of(node: Node, field: str) -> Vec3:
    """A vector that a node states in the axes of the world."""
    return turned(node.axes.world, node[field])


def sizes_of(node: Node, field: str) -> Vec3:
    """What a node states for each axis of the frame it stands in, whatever its sign."""
    return _swapped(node.axes.above, node[field])


def own_sizes_of(node: Node, values: Sequence[float]) -> Vec3:
    """What a node states for each axis of its own frame, in the order of the axes of the model."""
    return _swapped(node.axes.own, values)


def _swapped(turn: Turn, values: Sequence[float]) -> Vec3:
    x, y, z = values
    return (x, y, z) if turn == KEEP else swapped(turn, (x, y, z))


def _turned(node: Node, pose: Pose) -> Pose:
    axes = node.axes
    return pose if axes is OF_TODAY else turned_pose(axes.above, pose, axes.own)
