"""Scans of a lidar in copies of a world of the fast 2D mode."""

from __future__ import annotations

import numpy as np

from sim_core.base.arrays import FloatArray, IntArray
from sim_core.devices.ranging.lidar import Lidar
from sim_core.devices.ranging.scan_kernel import limit_scan
from sim_core.engines.rolling import NOTHING, Hits, Rolling
from sim_core.sensing.raycast.planar_rays import Block, block_of

_ROW = np.zeros(1, np.int64)


def copied_block(rolling: Rolling, lidar: Lidar) -> Block | str:
    """Return the rays of a lidar in the plane, or the reason why it cannot be copied."""
    rays = lidar.exact_rays
    block = block_of(rolling, rays) if rays is not None else None
    if block is None:
        what = "a fixed lidar without noise and resolution, with rays in the plane"
        return f"{lidar.robot_name}.{lidar.name} is not {what}"
    return block


class LidarCopies:
    """A lidar in copies of the world; results are equal to the last bit to those of a single world.

    Attributes:
        outputs: (c, r) m, see `LidarReading.value`.
    """

    def __init__(self, lidar: Lidar, block: Block, robots: int, count: int) -> None:
        """Prepare the lidar in so many copies of a world with a number of robots."""
        self._block, self._limits = block, (lidar.min_range, lidar.max_range)
        rays = len(block.rays.origins)
        self._hits = Hits(
            np.full((count, rays), np.inf),
            np.zeros((count, rays, 2)),
            np.full((count, rays), NOTHING, np.int64),
        )
        self._turns = np.zeros((count, robots, 2))
        self.outputs: FloatArray = np.zeros((count, rays))

    def measure_rows(self, copies: IntArray, places: FloatArray) -> None:
        """Measure in some copies; see `DistanceCopies.measure_rows`."""
        block = self._block
        block.plane.cast_copies(
            copies, _ROW, block.table, block.ranges, block.rays.origins, block.rays.directions,
            places, self._turns, self._hits,
        )  # fmt: skip
        measured = self._hits.distances[copies] + block.start
        limit_scan(measured.reshape(-1), *self._limits)
        self.outputs[copies] = measured
