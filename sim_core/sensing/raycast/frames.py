"""Where the solids of a scene are, read once for all shapes and all sensors fixed to them."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Protocol

import numpy as np

from sim_core.base.geometry import Pose
from sim_core.model.frames import pose_of
from sim_core.model.kinematics import can_move, is_own_joint
from sim_core.model.shapes import NO_SCALE
from sim_core.scene import Node


class Frame(Protocol):
    """A coordinate frame that knows where it is."""

    def pose(self) -> Pose:
        """Pose of the frame in the world."""


class FramePool:
    """The frames of shapes and rays; each is read once per cast, those that cannot move only once.

    A solid moves if it, or one above it, is a robot, has Physics, or hangs on a joint.

    Attributes:
        poses: (n, 12) position and rotation, row by row, of each frame in the world; row 0 is the world.
    """

    def __init__(self, frame_of: Callable[[Node], Frame]) -> None:
        self._frame_of = frame_of
        self._rows: dict[Node | None, int] = {None: 0}
        self._moving: dict[int, Frame] = {}  # by row
        self._moving_rows = np.zeros(0, np.intp)  # its keys, as of the last reading
        self._room = np.array([_row(Pose())])
        self.poses = self._room

    def read(self) -> None:
        """Read where the moving frames are now."""
        if not self._moving:
            return
        if len(self._moving_rows) != len(self._moving):
            self._moving_rows = np.fromiter(self._moving, np.intp, len(self._moving))
        flat: list[float] = []
        for frame in self._moving.values():
            position, rotation = frame.pose()
            flat += position
            flat += rotation
        # By way of an array: three times faster than from the list.
        self.poses[self._moving_rows] = np.frombuffer(array("d", flat)).reshape(-1, 12)

    def solid(self, solid: Node | None) -> tuple[int, Pose, bool]:
        """The frame of a solid, as that of the topmost solid it is rigidly fixed to: fewer frames to read.

        Returns:
            The row, the pose of the solid in that frame, and whether the frame moves.
        """
        carrier, offset = _rigid_carrier(solid)
        row = self._rows.get(carrier)
        if row is None and carrier is not None:
            row = self._rows[carrier] = self._add(self._frame_of(carrier), can_move(carrier))
        return row or 0, offset, row in self._moving

    def read_still(self, solid: Node) -> None:
        """Read where a solid that does not move by itself is now, and all below it."""
        for node in solid.walk():
            row = self._rows.get(node)
            if row is not None:
                self.poses[row] = _row(self._frame_of(node).pose())

    def _add(self, frame: Frame, moves: bool) -> int:
        row = len(self.poses)
        if row == len(self._room):  # twice as many, so that a frame costs the same however many there are
            self._room = np.concatenate((self._room, np.empty_like(self._room)))
        self._room[row] = _row(frame.pose())
        self.poses = self._room[: row + 1]
        if moves:
            self._moving[row] = frame
        return row


def _row(pose: Pose) -> tuple[float, ...]:
    return (*pose.position, *pose.rotation)


def _rigid_carrier(solid: Node | None) -> tuple[Node | None, Pose]:
    """The topmost solid that a solid is rigidly fixed to, and its pose there."""
    offset = Pose()
    while solid is not None:
        outer = next((above for above in solid.ancestors() if above.is_a("Solid")), None)
        if outer is None or not _is_fixed(solid, outer):
            break
        offset = _pose_below(solid, outer) * offset
        solid = outer
    return solid, offset


def _is_fixed(solid: Node, outer: Node) -> bool:
    """Whether nothing between a solid and the one above it can move or stretch."""
    if solid.is_a("Robot") or solid.type_name == "Track" or is_own_joint(solid):
        return False
    if solid["physics"] is not None and outer["physics"] is None:
        return False
    node = solid
    while node is not outer:
        above = node.parent
        if _stretches(node) or above is None or not above.is_a("Group") or node.parent_field != "children":
            return False
        node = above
    return not _stretches(outer)


def _stretches(node: Node) -> bool:
    return node.has_field("scale") and node.is_set("scale") and node["scale"] != NO_SCALE


def _pose_below(node: Node, outer: Node) -> Pose:
    """Pose of a node in the frame of one above it."""
    pose = Pose()
    while node is not outer:
        if node.is_a("Pose"):
            pose = pose_of(node) * pose
        if node.parent is None:
            break
        node = node.parent
    return pose
