"""Pictures and scans in files that simulation and controller both map into memory."""

from __future__ import annotations

import mmap
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np


class SharedPicture:
    """A file mapped by a controller, in which each picture replaces the one before.

    Args:
        path: of the file, which is created.
        size: in bytes.

    Attributes:
        size: in bytes.
    """

    def __init__(self, path: Path, size: int) -> None:
        self.path, self.size = path, size
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            os.ftruncate(file, size)
            self._memory = np.frombuffer(mmap.mmap(file, size), np.uint8)
        finally:
            os.close(file)

    def put(self, data: Any, at: int = 0) -> None:
        """Write bytes at an offset; what exceeds the file is left out."""
        source = np.frombuffer(data, np.uint8)[: self.size - at]
        np.copyto(self._memory[at : at + len(source)], source)

    def remove_file(self) -> None:
        """Remove the file; processes that have mapped it keep its memory."""
        with suppress(OSError):
            self.path.unlink()


def lidar_points(points: Any, columns: int) -> bytes:
    """Return a point cloud in libController's layout: x, y, z, layer and time, 20 bytes each."""
    places = np.frombuffer(points, np.float32).reshape(-1, 3)
    cloud = np.zeros(len(places), [("place", np.float32, 3), ("layer", np.int32), ("time", np.float32)])
    cloud["place"] = places
    cloud["layer"] = np.arange(len(places)) // columns
    return cloud.tobytes()
