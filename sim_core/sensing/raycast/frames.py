"""Frames of the solids of a scene, read once for all shapes and sensors fixed to them."""

from __future__ import annotations

import numpy as np

from sim_core.base.geometry import Pose
from sim_core.base.ids import NodeId
from sim_core.engines.pose_reader import pose_row
from sim_core.engines.world_view import Frame, PoseReader, World


class FramePool:
    """The frames of shapes and rays; each is read once per cast, those that cannot move only once.

    Attributes:
        poses: (n, 12) position and rotation, row by row, of each frame in the world; row 0 is the world.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._rows: dict[NodeId, int] = {}
        self._moving: dict[int, Frame] = {}
        self._read: PoseReader | None = None
        self._room = np.array([pose_row(Pose())])
        self.poses = self._room

    def update_poses(self) -> None:
        """Read the poses of the moving frames."""
        if self._read is None:
            self._read = self._world.pose_reader(self._moving)
        self._read(self.poses)

    def solid(self, solid: NodeId | None) -> tuple[int, Pose, bool]:
        """Return the frame of a solid: that of the topmost solid it is rigidly fixed to, so that fewer
        frames are read.

        Returns:
            The row, the pose of the solid in that frame, and True if the frame moves.
        """
        record = self._world.model.solid(solid) if solid is not None else None
        if record is None or record.carrier is None:
            return 0, Pose(), False
        row = self._rows.get(record.carrier)
        if row is None:
            frame = self._world.frame(record.carrier)
            row = self._rows[record.carrier] = self._add(frame, record.moves)
        return row, record.offset, row in self._moving

    def read_static(self, solids: list[NodeId]) -> None:
        """Read the poses of static solids again."""
        for solid in solids:
            row = self._rows.get(solid)
            if row is not None:
                self.poses[row] = pose_row(self._world.frame(solid).pose())

    def _add(self, frame: Frame, moves: bool) -> int:
        row = len(self.poses)
        if row == len(self._room):  # doubled, so that the cost of a frame does not depend on their number
            self._room = np.concatenate((self._room, np.empty_like(self._room)))
        self._room[row] = pose_row(frame.pose())
        self.poses = self._room[: row + 1]
        if moves:
            self._moving[row] = frame
            self._read = None
        return row
