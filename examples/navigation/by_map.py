"""Navigation by a map, without ROS: where a robot is by its scan, a way to a goal, and how to follow it.

Poses are (x in m, y in m, heading in rad) in the map's frame unless said otherwise.
"""

from __future__ import annotations

import heapq
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
import yaml
from numpy.typing import NDArray
from PIL import Image

Pose = tuple[float, float, float]
Points = NDArray[np.float64]
"""(n, 2): x, y in m."""

MATCHED = 0.3
"""m; what is farther from all that the map has is not on the map."""
ROUNDS = 12
"""Of the scan matcher, each with new pairs of points."""
FEWEST = 20
"""Rays on something that the map has, below which a scan tells nothing."""
AHEAD = 0.25
"""m along the way, of the point that the robot steers to."""
SPEED, TURN, GAIN = 0.18, 1.2, 2.5
"""m/s, rad/s at most, and rad/s for each rad beside the way."""


class Map(NamedTuple):
    """An occupancy grid, and what is near.

    Attributes:
        occupied: (rows, columns); row 0 has the lowest y, column 0 the lowest x.
        resolution: m along the side of a cell.
        origin: x, y in m of the lower left corner of cell (0, 0).
        distance: (rows, columns), m from a cell's middle to that of the nearest occupied one.
        nearest: (rows, columns, 2), x, y in m of that one's middle.
    """

    occupied: NDArray[np.bool_]
    resolution: float
    origin: tuple[float, float]
    distance: NDArray[np.float64]
    nearest: NDArray[np.float64]

    def cell(self, x: float, y: float) -> tuple[int, int]:
        """Row and column; those at the rim for what is outside."""
        row, column = (
            math.floor((at - low) / self.resolution) for at, low in ((y, self.origin[1]), (x, self.origin[0]))
        )
        rows, columns = self.occupied.shape
        return min(max(row, 0), rows - 1), min(max(column, 0), columns - 1)

    def middle(self, row: int, column: int) -> tuple[float, float]:
        """x, y in m."""
        x, y = self.origin
        return x + (column + 0.5) * self.resolution, y + (row + 0.5) * self.resolution


def read_map(path: Path) -> Map:
    """The map of `odesim map`, or of map_saver_cli: a YAML file and the picture that it names.

    Raises:
        ValueError: it cannot be read, is no map, or nothing on it is occupied.
    """
    try:
        about = yaml.safe_load(path.read_text(encoding="utf-8"))
        grey = np.asarray(Image.open(path.parent / about["image"]).convert("L"))[::-1]
        occupied = (255 - grey) / 255.0 > about["occupied_thresh"]
        size = float(about["resolution"])
        low = np.array(about["origin"][:2], float)
    except (OSError, KeyError, TypeError, ValueError, yaml.YAMLError) as error:
        raise ValueError(f"{path}: expected a map of map_server: {error!r}") from None
    if not occupied.any():
        raise ValueError(f"{path}: found nothing that is occupied, expected walls")
    rows, columns = np.indices(occupied.shape)
    cells = np.stack([columns, rows], axis=2).reshape(-1, 2)
    walls = cells[occupied.ravel()]
    apart = np.array([np.argmin(((walls - cell) ** 2).sum(axis=1)) for cell in cells])
    nearest = walls[apart]
    distance = np.hypot(*(nearest - cells).T) * size
    return Map(
        occupied,
        size,
        (float(low[0]), float(low[1])),
        distance.reshape(occupied.shape),
        (low + (nearest + 0.5) * size).reshape(*occupied.shape, 2),
    )


def place(pose: Pose, points: Points) -> Points:
    """Points of a frame at a pose, in the frame that the pose is in."""
    x, y, yaw = pose
    cos, sin = math.cos(yaw), math.sin(yaw)
    return points @ np.array([[cos, sin], [-sin, cos]]) + (x, y)


def after(first: Pose, second: Pose) -> Pose:
    """X_AC of X_AB and X_BC."""
    ((x, y),) = place(first, np.array([second[:2]]))
    return float(x), float(y), wrapped(first[2] + second[2])


def inverse(pose: Pose) -> Pose:
    """X_BA of X_AB."""
    ((x, y),) = place((0.0, 0.0, -pose[2]), np.array([pose[:2]]))
    return -float(x), -float(y), -pose[2]


def wrapped(angle: float) -> float:
    """The same angle within ±π."""
    return math.remainder(angle, math.tau)


def ends(ranges: NDArray[np.float64], first: float, step: float) -> Points:
    """Where the rays of a scan end, in the lidar's frame; those that meet nothing are left out.

    Args:
        ranges: (n,) in m; ±inf and NaN are no points (REP-117).
        first, step: rad, `angle_min` and `angle_increment` of the scan.
    """
    met = np.flatnonzero(np.isfinite(ranges))
    angles = first + met * step
    return ranges[met, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def matched(grid: Map, points: Points, guess: Pose) -> Pose:
    """Where the robot is, if it sees these points: iterative closest points (Besl and McKay, 1992).

    Args:
        grid: the map.
        points: ends of rays, in the robot's frame.
        guess: about where it is.
    """
    pose = guess
    low = np.array(grid.origin)
    limit = np.array(grid.occupied.shape)[::-1] - 1
    for _ in range(ROUNDS):
        seen = place(pose, points)
        columns, rows = np.clip(((seen - low) / grid.resolution).astype(int), 0, limit).T
        wall = grid.nearest[rows, columns]
        near = np.hypot(*(wall - seen).T) < MATCHED
        if near.sum() < FEWEST:
            return guess
        a, b = seen[near], wall[near]
        (ax, ay), (bx, by) = (a - a.mean(axis=0)).T, (b - b.mean(axis=0)).T
        turn = math.atan2(float((ax * by - ay * bx).sum()), float((ax * bx + ay * by).sum()))
        ((x, y),) = place((0.0, 0.0, turn), a.mean(axis=0)[None])
        to_x, to_y = b.mean(axis=0)
        pose = after((float(to_x - x), float(to_y - y), turn), pose)
    return pose


def way(grid: Map, start: tuple[float, float], goal: tuple[float, float], radius: float) -> Points:
    """The points of a way, or none if there is none: A* over the cells (Hart, Nilsson, Raphael, 1968).

    Args:
        grid: the map.
        start, goal: x, y in m.
        radius: m that the robot's middle keeps from obstacles; a way twice as far from them costs less.
    """
    size = grid.resolution
    first, last = grid.cell(*start), grid.cell(*goal)
    price = 1.0 + np.maximum(0.0, 2.0 * radius - grid.distance) / size
    open_cells = [(0.0, first)]
    cost, before = {first: 0.0}, {first: first}
    while open_cells:
        _, cell = heapq.heappop(open_cells)
        if cell == last:
            cells = [cell]
            while cells[-1] != first:
                cells.append(before[cells[-1]])
            return np.array([grid.middle(*each) for each in reversed(cells)])
        for i, j in ((-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)):
            row, column = cell[0] + i, cell[1] + j
            if not (0 <= row < grid.occupied.shape[0] and 0 <= column < grid.occupied.shape[1]):
                continue
            if grid.distance[row, column] < min(radius, grid.distance[cell]):
                continue  # who stands too near to something may go away from it, but no nearer
            spent = cost[cell] + math.hypot(i, j) * float(price[row, column])
            if spent < cost.get((row, column), math.inf):
                cost[row, column], before[row, column] = spent, cell
                rest = math.hypot(row - last[0], column - last[1])
                heapq.heappush(open_cells, (spent + rest, (row, column)))
    return np.empty((0, 2))


def steer(pose: Pose, along: Points) -> tuple[float, float]:
    """m/s and rad/s towards the point of a way that is `AHEAD` of the nearest one."""
    apart = np.hypot(*(along - pose[:2]).T)
    at = int(np.argmin(apart))
    lengths = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(along[at:], axis=0).T))])
    x, y = along[at + min(int(np.searchsorted(lengths, AHEAD)), len(lengths) - 1)]
    beside = wrapped(math.atan2(y - pose[1], x - pose[0]) - pose[2])
    turn = min(max(GAIN * beside, -TURN), TURN)
    return (SPEED * max(0.0, math.cos(beside)) if abs(beside) < 0.8 else 0.0), turn
