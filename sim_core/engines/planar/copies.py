"""Copies of a planar world, stepped by one call; each gives exactly the results of a single world."""

from __future__ import annotations

import numpy as np

from sim_core.base.arrays import FloatArray, IntArray
from sim_core.base.geometry import Pose
from sim_core.engines.planar import motion_kernels, wheel_kernels
from sim_core.engines.planar.axes import AxisTable
from sim_core.engines.planar.obstacles import Obstacles
from sim_core.engines.planar.robots import RobotTable
from sim_core.engines.rolling import CopyConstants


class PlanarCopies:
    """Robots and axes of a world at its start, many times; implements `RolledCopies`.

    Attributes:
        places: (c, n, 3), see `RobotTable`.
    """

    def __init__(
        self, seconds: float, axes: AxisTable, robots: RobotTable, walls: Obstacles, count: int
    ) -> None:
        """Create `count` copies, at the start; `seconds`: step length."""
        self._seconds, self._robots, self._walls = seconds, robots, walls
        self._start_places, self._start_position = robots.start.copy(), axes.start.copy()
        shape = (count, len(robots))
        self.places = np.empty((*shape, 3))
        self._motions, self._pushed = np.empty((*shape, 3)), np.empty(shape, np.bool_)
        self._position = np.empty((count, len(axes.start)))
        self._velocity, self._limited = np.empty_like(self._position), np.empty_like(self._position)
        self._acceleration = np.tile(axes.acceleration, count)
        self._stops = np.tile(axes.stops, (count, 1))
        self.reset(np.arange(count))

    def put(self, copy: int, robot: int, pose: Pose) -> None:
        """Move a robot; see `RolledCopies.put`."""
        self.places[copy, robot] = self._robots.place_at(robot, pose)

    def reset(self, copies: IntArray) -> None:
        """Reset some copies; see `RolledCopies.reset`."""
        self.places[copies], self._position[copies] = self._start_places, self._start_position
        for values in (self._motions, self._velocity, self._limited):
            values[copies] = 0.0
        self._pushed[copies] = False

    def turn(self, commands: FloatArray) -> FloatArray:
        """Turn all axes; see `RolledCopies.turn`."""
        position, velocity, limited = (
            each.ravel() for each in (self._position, self._velocity, self._limited)
        )
        turned = np.empty_like(commands)
        for now, command in enumerate(commands):
            wheel_kernels.turn_axes(
                self._seconds, command.ravel(), self._acceleration, limited, position, velocity, self._stops
            )
            turned[now] = self._velocity
        return turned

    def roll(self, copies: IntArray, velocities: FloatArray) -> None:
        """Move the robots of some copies; see `RolledCopies.roll`."""
        robots, walls = self._robots, self._walls
        motion_kernels.roll_copies(
            copies, self._seconds, velocities, robots.wheels, robots.shares, robots.sizes,
            walls.discs, walls.slabs, self.places, self._motions, self._pushed,
            walls.outlines, walls.outline_slabs, walls.grid, walls.start, walls.items,
        )  # fmt: skip

    def constants(self) -> CopyConstants:
        """Return what is equal in all copies; see `RolledCopies.constants`."""
        robots, walls = self._robots, self._walls
        axes = self._position.shape[1]
        return CopyConstants(
            self._start_places, self._start_position, self._acceleration[:axes], self._stops[:axes],
            robots.wheels, robots.shares, robots.sizes, walls.discs, walls.slabs,
            walls.outlines, walls.outline_slabs, walls.grid, walls.start, walls.items,
            robots.fixed, robots.placements,
        )  # fmt: skip

    def poses(self) -> FloatArray:
        """Return the poses of all robots; see `RolledCopies.poses`."""
        poses = np.empty((*self.places.shape[:2], 4))
        wheel_kernels.poses_of(self.places, self._robots.fixed, poses)
        return poses
