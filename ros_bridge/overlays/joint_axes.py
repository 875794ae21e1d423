"""About what joints turn, and along what they slide."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ros_bridge.overlays.marks import FloatArray, Marks, Overlay, joined
from sim_core.base.geometry import Pose, Vec3, add, cross, rotate, scale, subtract
from sim_core.engines.ode.links import Link
from sim_core.model.joint_frames import (
    anchor_in_frame,
    axis_in_frame,
    is_linear,
    parameter_nodes,
)
from sim_core.model.kinematics import end_point
from sim_core.scene import Node
from sim_core.session.simulation import Simulation

COLOURS = {"turning": (1.0, 0.5, 0.0), "sliding": (0.7, 0.2, 1.0)}
HALF_LENGTH = 0.05
"""m on each side of the anchor."""


class JointAxes(Overlay):
    """A line of 0.1 m along each axis, its middle at the anchor; at the end point for joints that slide.

    The last axis of a joint with two or three goes with its end point, the first with its parent.
    """

    def __init__(self, sim: Simulation) -> None:
        super().__init__(sim)
        tree = sim.physics.tree
        by_joint = {link.joint: link for link in tree.links if link.joint is not None}
        self._joints = [
            (joint, parent, pose, by_joint.get(joint) or _end(joint, tree.places))
            for joint, parent, pose in tree.joints
        ]

    def marks(self) -> Iterator[Marks]:
        """The axes of now."""
        found: dict[str, list[FloatArray]] = {kind: [] for kind in COLOURS}
        for joint, parent, pose, child in self._joints:
            frame = parent.world_pose() * pose if parent is not None else pose
            slides = is_linear(joint)
            middle = frame.apply(anchor_in_frame(joint))
            if slides and child is not None:
                middle = child.world_pose().position
            for axis in _axes(joint, frame, child):
                arm = scale(axis, HALF_LENGTH)
                line = np.array((subtract(middle, arm), add(middle, arm)))
                found["sliding" if slides else "turning"].append(line)
        for kind, lines in found.items():
            yield Marks(kind, joined(lines), COLOURS[kind])


def _axes(joint: Node, frame: Pose, child: Link | None) -> list[Vec3]:
    """Directions in the world: the first is fixed to the parent, the last to the child."""
    axes = [axis_in_frame(joint, index) for index in range(len(parameter_nodes(joint)))]
    found = [rotate(frame.rotation, axis) for axis in axes]
    if len(axes) > 1 and child is not None and child.joint is joint:
        found[-1] = rotate((child.world_pose() * child.joint_frame).rotation, axes[-1])
        if len(axes) == 3:
            found[1] = cross(found[2], found[0])
    return found


def _end(joint: Node, places: dict[Node, tuple[Link | None, Pose]]) -> Link | None:
    """The link at the end of a joint that closes a loop."""
    end = end_point(joint) if joint.is_a("Joint") else None
    return places[end][0] if end is not None and end in places else None


OVERLAY = JointAxes
