"""Poses of frames, read one by one."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from sim_core.base.arrays import FloatArray
from sim_core.base.geometry import Pose
from sim_core.engines.world_view import Frame

_ROW = struct.Struct("12d")


class SingleReader:
    """Reader of any frames.

    Args:
        frames: by their rows.
    """

    def __init__(self, frames: Mapping[int, Frame]) -> None:
        self._frames = [(row * _ROW.size, frame) for row, frame in frames.items()]

    def read(self, poses: FloatArray) -> None:
        """Write the present poses; see `PoseReader`."""
        write, memory = _ROW.pack_into, poses.data.cast("B")  # four times faster than assigning to an array
        for place, frame in self._frames:
            position, rotation = frame.pose()
            write(memory, place, *position, *rotation)


def pose_row(pose: Pose) -> tuple[float, ...]:
    """Return position and rotation, row by row, (12,)."""
    return (*pose.position, *pose.rotation)
