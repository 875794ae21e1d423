"""About what joints turn, and along what they slide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from ros_bridge.overlays.marks import FloatArray, Marks, Overlay, joined
from sim_core.base.geometry import Pose, Vec3, add, cross, rotate, scale, subtract
from sim_core.engines.world_view import Frame
from sim_core.model.frames import pose_of
from sim_core.model.joint_frames import (
    anchor_in_frame,
    axis_in_frame,
    is_linear,
    parameter_nodes,
)
from sim_core.model.kinematics import attached, end_point, is_own_joint
from sim_core.scene import Node
from sim_core.session.simulation import Simulation

COLOURS = {"turning": (1.0, 0.5, 0.0), "sliding": (0.7, 0.2, 1.0)}
HALF_LENGTH = 0.05
"""m on each side of the anchor."""


class _Joint(NamedTuple):
    """A joint, and the frames that it is between."""

    node: Node
    above: Frame | None
    """The frame that anchor and axes are given in; None: the world."""
    child: Frame | None
    in_child: Pose
    """The same frame at the start, in that of the child."""


class JointAxes(Overlay):
    """A line of 0.1 m along each axis, its middle at the anchor; at the end point for joints that slide.

    The last axis of a joint with two or three goes with its end point, the first with its parent.
    """

    def __init__(self, sim: Simulation) -> None:
        super().__init__(sim)
        frame = sim.physics.frame
        self._joints = []
        for node in _joints(sim.scene.nodes):
            above, end = (node, end_point(node)) if node.is_a("Joint") else (node.parent, node)
            child = end if end is not None and end.is_a("Solid") else None
            in_child = pose_of(child).inverse() if child is not None else Pose()
            self._joints.append(
                _Joint(
                    node,
                    frame(above) if above is not None else None,
                    frame(child) if child is not None else None,
                    in_child,
                )
            )

    def marks(self) -> Iterator[Marks]:
        """The axes of now."""
        found: dict[str, list[FloatArray]] = {kind: [] for kind in COLOURS}
        for joint in self._joints:
            frame = joint.above.pose() if joint.above is not None else Pose()
            slides = is_linear(joint.node)
            middle = frame.apply(anchor_in_frame(joint.node))
            if slides and joint.child is not None:
                middle = joint.child.pose().position
            for axis in _axes(joint, frame):
                arm = scale(axis, HALF_LENGTH)
                line = np.array((subtract(middle, arm), add(middle, arm)))
                found["sliding" if slides else "turning"].append(line)
        for kind, lines in found.items():
            yield Marks(kind, joined(lines), COLOURS[kind])


def _joints(nodes: Iterable[Node], is_end: bool = False) -> Iterator[Node]:
    """All joints of trees of nodes, in file order; `is_end`: the nodes are the ends of joints."""
    for node in nodes:
        if node.is_a("Joint"):
            yield node
            end = end_point(node)
            if end is not None and end.is_a("Solid"):
                yield from _joints([end], is_end=True)
            continue
        if not is_end and node.is_a("Solid") and is_own_joint(node):
            yield node
        yield from _joints(attached(node))


def _axes(joint: _Joint, frame: Pose) -> list[Vec3]:
    """Directions in the world: the first is fixed to the parent, the last to the child."""
    axes = [axis_in_frame(joint.node, index) for index in range(len(parameter_nodes(joint.node)))]
    found = [rotate(frame.rotation, axis) for axis in axes]
    if len(axes) > 1 and joint.child is not None:
        found[-1] = rotate((joint.child.pose() * joint.in_child).rotation, axes[-1])
        if len(axes) == 3:
            found[1] = cross(found[2], found[0])
    return found


OVERLAY = JointAxes
