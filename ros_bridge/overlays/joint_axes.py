"""Overlay: axes of joints."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ros_bridge.overlays.primitives import Overlay, Primitives, joined
from sim_core.base.arrays import FloatArray
from sim_core.base.geometry import Pose, Vec3, add, cross, rotate, scale, subtract
from sim_core.engines.world_view import Frame
from sim_core.model.dynamics.joints import Joint
from sim_core.model.dynamics.model import kinematics_of
from sim_core.session.simulation import Simulation

COLOUR = (0.0, 0.0, 0.0)
KINDS = ("turning", "sliding")
HALF_LENGTH = 0.05
"""Length on each side of the anchor, m."""


class JointAxes(Overlay):
    """A line of 0.1 m along each axis, centred at the anchor; for sliding joints at the end point.

    The last axis of a joint with two or three moves with its end point, the first with its parent.
    """

    def __init__(self, sim: Simulation) -> None:
        super().__init__(sim)
        model, frame = kinematics_of(sim.scene), sim.physics.frame
        self._joints: list[tuple[Joint, Frame | None, Frame | None, Pose]] = [
            (
                joint,
                None if joint.parent is None else frame(joint.parent),
                None if joint.child is None else frame(joint.child),
                Pose() if joint.child is None else model.bodies[joint.child].joint_frame,
            )
            for joint in model.joints
        ]

    def primitives(self) -> Iterator[Primitives]:
        """Yield the present axes."""
        found: dict[str, list[FloatArray]] = {kind: [] for kind in KINDS}
        for joint, parent, child, in_child in self._joints:
            frame = joint.frame if parent is None else parent.pose() * joint.frame
            end = None if child is None else child.pose()
            middle = end.position if joint.slides and end is not None else frame.apply(joint.anchor)
            for axis in _axes(joint, frame, None if end is None else end * in_child):
                arm = scale(axis, HALF_LENGTH)
                line = np.array((subtract(middle, arm), add(middle, arm)))
                found["sliding" if joint.slides else "turning"].append(line)
        for kind, lines in found.items():
            yield Primitives(kind, joined(lines), COLOUR)


def _axes(joint: Joint, frame: Pose, carried: Pose | None) -> list[Vec3]:
    """Return axis directions in the world; `frame`: of the joint, `carried`: as moved with the end point."""
    found = [rotate(frame.rotation, axis) for axis in joint.axes]
    if len(found) > 1 and carried is not None:
        found[-1] = rotate(carried.rotation, joint.axes[-1])
        if len(found) == 3:
            found[1] = cross(found[2], found[0])
    return found


OVERLAY = JointAxes
